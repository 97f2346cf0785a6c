#include "trace/wire/outline_encode.h"

#include "base/checked.h"
#include "base/hash.h"
#include "trace/store/categories.h"
#include "trace/store/lod.h"
#include "trace/store/lookup.h"
#include "trace/wire/outline_layout.h"

#include <assert.h>

/* NOLINTNEXTLINE(misc-redundant-expression): two macros of one value, as it must be */
static_assert(OUTLINE_RECEDES == LABEL_RECEDES, "labels are sent with their colours as they are");
static_assert((int)TRACK_KIND_THREAD == (int)TRACK_THREAD &&
                  (int)TRACK_KIND_PROCESS_INSTANTS == (int)TRACK_PROCESS_INSTANTS &&
                  (int)TRACK_KIND_GLOBAL_INSTANTS == (int)TRACK_GLOBAL_INSTANTS &&
                  (int)TRACK_KIND_ASYNC == (int)TRACK_ASYNC &&
                  (int)TRACK_KIND_COUNTER == (int)TRACK_COUNTER &&
                  (int)TRACK_KIND_SAMPLES == (int)TRACK_SAMPLES &&
                  (int)TRACK_KIND_STATES == (int)TRACK_STATES &&
                  (int)TRACK_KIND_OBJECTS == (int)TRACK_OBJECTS && (int)TRACK_KIND_DUMPS == (int)TRACK_DUMPS,
              "tracks are sent with their kinds as they are");

/* Appends the text to the block and its reference to `out`. */
static void put_text(Bytes *out, Bytes *block, const void *text, size_t size)
{
    wire_put_u32(out, (uint32_t)block->size);
    wire_put_u32(out, (uint32_t)size);
    bytes_append(block, text, size);
}

static void put_view(Bytes *out, Bytes *block, StringView text)
{
    put_text(out, block, text.bytes, text.size);
}

static void put_perspectives(const Trace *trace, Bytes *block, Bytes *out)
{
    size_t begin = block->size;
    for (uint32_t i = 0; i < trace->perspectives.count; i++)
        bytes_printf(block, "%s%s", i == 0 ? "" : "\n", trace->perspectives.names[i]);
    wire_put_u32(out, (uint32_t)begin);
    wire_put_u32(out, (uint32_t)(block->size - begin));
}

static uint64_t window_offset(const Trace *trace, int64_t tick)
{
    if (!trace->window.is_set || tick < trace->begin_tick) return 0;
    if (tick > trace->end_tick) tick = trace->end_tick;
    return trace_since_begin(trace, tick);
}

static void put_window(const Trace *trace, Bytes *out)
{
    wire_put_u64(out, window_offset(trace, trace->window.begin));
    wire_put_u64(out, window_offset(trace, trace->window.end));
}

static void put_header(const Trace *trace, StringView file_name, int64_t begin_unix_ns, const Bytes *hidden,
                       Bytes *block, Bytes *out)
{
    const Clock *clock = &trace->clock;
    const size_t start = out->size; /* for the assertion only */
    (void)start;
    wire_put_u32(out, OUTLINE_MAGIC);
    wire_put_u32(out, (trace->source.complete ? 1U : 0U) | (trace->has_time ? 2U : 0U) |
                          (trace->window.is_set ? 4U : 0U) | (uint32_t)trace->perspectives.made << 8);
    wire_put_u32(out, (uint32_t)clock->kind);
    wire_put_u32(out,
                 (clock->is_unsigned ? 1U : 0U) | (clock->has_epoch ? 2U : 0U) | (clock->shows_ns ? 4U : 0U));
    wire_put_u64(out, clock->ns_num);
    wire_put_u64(out, clock->ns_den);
    wire_put_u64(out, (uint64_t)clock->origin_ns);
    wire_put_u64(out, (uint64_t)clock->epoch_unix_ns);
    wire_put_u64(out, (uint64_t)trace->begin_tick);
    wire_put_u64(out, trace_span(trace));
    wire_put_u64(out, trace_slice_count(trace));
    wire_put_u32(out, trace->process_count);
    wire_put_u32(out, trace->track_count);
    wire_put_u32(out, trace->row_count);
    wire_put_u32(out, trace->label_count);
    wire_put_u32(out, trace->records.warning_count);
    put_view(out, block, file_name);
    wire_put_u32(out, 0);
    wire_put_u64(out, trace->flows.count);
    put_text(out, block, hidden->data, hidden->size);
    put_perspectives(trace, block, out);
    put_window(trace, out);
    wire_put_u64(out, trace->lead);
    wire_put_u64(out, (uint64_t)begin_unix_ns);
    assert(out->failed || out->size == start + OUTLINE_HEADER_BYTES);
}

static uint64_t hash_ident(const Trace *trace, Ident ident, Bytes *scratch, uint64_t key)
{
    bytes_clear(scratch);
    trace_ident_append(trace, ident, scratch);
    return hash_bytes(scratch->data == NULL ? "" : (const void *)scratch->data, scratch->size,
                      key + (uint64_t)ident.kind);
}

static uint64_t process_key(const Trace *trace, uint32_t index, Bytes *scratch)
{
    return index == PROCESS_NONE.index ? 0 : hash_ident(trace, trace->processes[index].pid, scratch, 1);
}

/* Returns the key of a track. Threads are identified by their ids, because names arrive late and change. */
static uint64_t track_key(const Trace *trace, const Track *track, Bytes *scratch)
{
    uint64_t key = process_key(trace, track->process.index, scratch) + (uint64_t)track->kind;
    key = hash_ident(trace, track_tid(track), scratch, key);
    if (track_tid(track).kind != IDENT_NONE) return key;
    StringView name = trace_string(trace, track->name);
    StringView category = trace_string(trace, track_extras(track)->category);
    key = hash_bytes(name.bytes, name.size, key);
    return hash_bytes(category.bytes, category.size, key);
}

static void put_process(const Trace *trace, uint32_t index, Bytes *title, Bytes *block, Bytes *out)
{
    const Process *process = &trace->processes[index];
    bytes_clear(title);
    trace_process_title(trace, index, title);
    put_text(out, block, title->data, title->size);
    put_view(out, block, trace_string(trace, process->labels));
    wire_put_u32(out, process->first_track - 1);
    wire_put_u32(out, process->track_count);
    wire_put_u32(out, (process->has_events ? 1U : 0U) | (uint32_t)process->perspectives << 8);
    wire_put_u64(out, process_key(trace, index, title));
    put_view(out, block, trace_string(trace, process->thread_noun));
    wire_put_u32(out, process->sharing_threads);
}

static int64_t earlier(int64_t left, int64_t right)
{
    return left < right ? left : right;
}

/* Appends the tick of the first event of a track, and its busy time. Reads a few slices and nodes a row. */
static void put_order(const Trace *trace, const Track *track, Bytes *out)
{
    int64_t  first = INT64_MAX;
    uint64_t busy = 0;
    for (uint32_t i = 0; i < track_row_count(track); i++) {
        const Row       *row = &trace->rows[track->first_row + i];
        const RowExtras *extras = row_extras(row);
        if (row->slice_count > 0) first = earlier(first, trace_slice_begin(trace, row->first_slice));
        if (extras->instant_count > 0)
            first = earlier(first, trace_instant_tick(trace, extras->first_instant));
        if (extras->sample_count > 0) first = earlier(first, trace_value_tick(trace, extras->first_sample));
        if (row->slice_count > 0 && row->depth == 0)
            busy = u64_add_saturated(busy, lod_summarise(trace, row, 0, row->slice_count, NULL).covered);
    }
    const bool has_any = first != INT64_MAX && first >= trace->begin_tick;
    wire_put_u64(out, has_any ? trace_since_begin(trace, first) : UINT64_MAX);
    wire_put_u64(out, busy);
}

static void put_track(const Trace *trace, uint32_t index, Bytes *title, Bytes *block, Bytes *out)
{
    const Track       *track = &trace->tracks[index];
    const TrackExtras *extras = track_extras(track);
    bytes_clear(title);
    trace_track_title(trace, index, title);
    put_text(out, block, title->data, title->size);
    wire_put_u32(out, (uint32_t)track->kind);
    wire_put_u32(out, index);
    wire_put_u32(out, track->process.index == 0 ? UINT32_MAX : track->process.index - 1);
    wire_put_u32(out, track_row_count(track));
    wire_put_u32(out, track->first_row);
    wire_put_u32(out, (track->has_events ? 1U : 0U) | (extras->is_stacked ? 2U : 0U) |
                          (track->divides ? 4U : 0U) | (extras->counts_bytes ? 8U : 0U) |
                          (extras->shares_chart ? 16U : 0U));
    wire_put_u64(out, track_slice_count(trace, track));
    wire_put_u64(out, track_instant_count(trace, track));
    wire_put_u64(out, extras->sample_count);
    wire_put_f64(out, extras->least);
    wire_put_f64(out, extras->greatest);
    wire_put_u64(out, track_key(trace, track, title));
    wire_put_u64(out, extras->version);
    bool has_end = track->kind == TRACK_COUNTER && extras->held_to != INT64_MAX;
    wire_put_u64(out, has_end ? trace_since_begin(trace, extras->held_to) : UINT64_MAX);
    put_order(trace, track, out);
}

/* Appends the initially hidden categories. Most traces have none, which costs one pass over their categories. */
static bool print_hidden_at_first(const Trace *trace, Bytes *out)
{
    Arena      arena = arena_create(0);
    Categories categories;
    bool       done = categories_list(trace, &arena, &categories);
    if (done) categories_print_hidden_at_first(&categories, out);
    arena_release(&arena);
    return done && !out->failed;
}

void outline_encode(const Trace *trace, StringView file_name, Bytes *out)
{
    outline_encode_received(trace, file_name, 0, out);
}

void outline_encode_received(const Trace *trace, StringView file_name, int64_t begin_unix_ns, Bytes *out)
{
    Bytes block = { NULL, 0, 0, false }, title = block, hidden = block;
    if (!print_hidden_at_first(trace, &hidden)) out->failed = true;
    put_header(trace, file_name, begin_unix_ns, &hidden, &block, out);
    for (uint32_t i = 1; i <= trace->process_count; i++)
        put_process(trace, i, &title, &block, out);
    for (uint32_t i = 1; i <= trace->track_count; i++)
        put_track(trace, i, &title, &block, out);
    for (uint32_t i = 0; i < trace->row_count; i++) {
        const Row       *row = &trace->rows[i];
        const RowSeries *series = &trace->series[row_extras(row)->series];
        wire_put_u32(out, row->lane);
        wire_put_u32(out, row->depth);
        wire_put_u64(out, row->slice_count);
        wire_put_u64(out, row_extras(row)->instant_count);
        wire_put_u64(out, row_extras(row)->sample_count);
        put_view(out, &block, trace_string(trace, series->name));
        wire_put_u32(out, series->colour);
    }
    bytes_append(out, block.data, block.size);
    if (block.failed || title.failed) out->failed = true;
    bytes_release(&block);
    bytes_release(&title);
    bytes_release(&hidden);
}

void label_page_encode(const Trace *trace, uint32_t page, Bytes *out)
{
    uint64_t first = (uint64_t)page * OUTLINE_LABEL_PAGE, all = (uint64_t)trace->label_count + 1;
    uint64_t count = first >= all ? 0 : all - first;
    if (count > OUTLINE_LABEL_PAGE) count = OUTLINE_LABEL_PAGE;
    Bytes block = { NULL, 0, 0, false };
    wire_put_u32(out, LABEL_PAGE_MAGIC);
    wire_put_u32(out, (uint32_t)first);
    wire_put_u32(out, (uint32_t)count);
    for (uint64_t id = first; id < first + count; id++) {
        put_view(out, &block, trace_label_name(trace, (uint32_t)id));
        put_view(out, &block, trace_label_category(trace, (uint32_t)id));
        wire_put_u32(out, trace->labels[id].colour);
    }
    bytes_append(out, block.data, block.size);
    if (block.failed) out->failed = true;
    bytes_release(&block);
}
