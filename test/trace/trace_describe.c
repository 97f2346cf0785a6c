#include "trace_describe.h"

#include "analysis/stats.h"
#include "support/test.h"
#include "trace/scan/scan.h"
#include "trace/store/event_order.h"
#include "trace/store/flows.h"
#include "trace/store/object_find.h"
#include "trace/wire/outline_encode.h"
#include "trace/wire/tile_encode.h"
#include "trace_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void describe_stack(const Trace *trace, StackId stack, Bytes *out)
{
    for (; stack.index != 0; stack = trace_stack_parent(trace, stack)) {
        const StringView name = trace_string(trace, trace_stack_frame(trace, stack)->function);
        bytes_printf(out, "<%.*s", (int)name.size, name.bytes);
    }
}

static void describe_profile(const Trace *trace, const Track *track, Bytes *out)
{
    const ProfileColumns *profile = &trace->profile;
    bytes_printf(out, " of track %u:", track_thread(trace, (uint32_t)(track - trace->tracks)));
    for (uint64_t i = track_extras(track)->first_profile;
         i < track_extras(track)->first_profile + track_extras(track)->profile_count; i++) {
        bytes_printf(out, " %lld*%g", (long long)profile->tick[i],
                     profile->weight == NULL ? 1 : profile->weight[i]);
        describe_stack(trace, (StackId){ profile->stack[i] }, out);
    }
}

static void describe_life(const Trace *trace, const ObjectLife *life, Bytes *out)
{
    bytes_printf(out, " %lld..%lld %.*s%s:", (long long)trace_slice_begin(trace, life->slice),
                 (long long)trace_slice_end(trace, life->slice),
                 (int)trace_string(trace, life->base_type).size, trace_string(trace, life->base_type).bytes,
                 life->is_created ? " created" : "");
    for (uint64_t i = 0; i < life->snapshot_count; i++) {
        const uint64_t instant = trace->objects.snapshots[life->first_snapshot + i];
        bytes_printf(out, " %lld@%llu", (long long)trace->instants.tick[instant],
                     (unsigned long long)trace->instants.source[instant]);
    }
}

static void describe_flow_end(const Trace *trace, uint64_t flow, FlowSide side, Bytes *out)
{
    const FlowEnd end = trace_flow_end(trace, flow, side);
    bytes_printf(out, " %u.%u@%lld", end.track, end.row, (long long)end.tick);
    if (end.slice != FLOW_NO_SLICE)
        bytes_printf(out, " of %lld", (long long)trace_slice_begin(trace, end.slice));
}

static int compare_lines(const void *left, const void *right)
{
    const Bytes *a = (const Bytes *)left, *b = (const Bytes *)right;
    const size_t size = a->size < b->size ? a->size : b->size;
    const int    order = size == 0 ? 0 : memcmp(a->data, b->data, size);
    return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

/* Without order: arrows with the same begin are ordered by the numbers of their target slices. */
static void describe_flows(const Trace *trace, Bytes *out)
{
    static Bytes lines[DESCRIBE_MOST_FLOWS];
    CHECK(trace->flows.count <= DESCRIBE_MOST_FLOWS);
    for (uint64_t i = 0; i < trace->flows.count; i++) {
        lines[i] = (Bytes){ .data = NULL };
        describe_flow_end(trace, i, FLOW_FROM, &lines[i]);
        describe_flow_end(trace, i, FLOW_TO, &lines[i]);
        const StringView name = trace_label_name(trace, trace->flows.label[i]);
        bytes_printf(&lines[i], " %.*s %d\n", (int)name.size, name.bytes, trace->flows.flags[i]);
    }
    if (trace->flows.count > 1) qsort(lines, (size_t)trace->flows.count, sizeof *lines, compare_lines);
    for (uint64_t i = 0; i < trace->flows.count; i++) {
        bytes_append_text(out, "arrow");
        bytes_append(out, lines[i].data, lines[i].size);
        bytes_release(&lines[i]);
    }
}

/* Describes objects by their ids: their numbers depend on the order of names. */
static void describe_objects(const Trace *trace, Bytes *out)
{
    for (uint32_t p = 1; p <= trace->process_count; p++) {
        for (uint32_t id = 0; id < 64; id++) {
            char           key[16];
            const int      size = snprintf(key, sizeof key, "0x%x", id);
            const StringId name = string_table_find(trace->strings, key, (size_t)size);
            const Object  *object = name.index == 0 ? NULL : object_find(trace, p, STRING_NONE, name);
            if (object == NULL) continue;
            bytes_printf(out, "object %s of %u:", key, p);
            for (uint32_t i = 0; i < object->life_count; i++)
                describe_life(trace, &trace->objects.lives[object->first_life + i], out);
            bytes_append_text(out, "\n");
        }
    }
}

static void describe_contexts(const Trace *trace, Bytes *out)
{
    for (uint32_t t = 1; t <= trace->track_count; t++) {
        const ContextList list = trace_contexts(trace, t);
        for (uint32_t i = 0; i < list.count; i++) {
            const Context   *context = &list.contexts[i];
            const StringView name = trace_label_name(trace, context->label);
            bytes_printf(out, "context %.*s %s %s of %u: %lld..%lld\n", (int)name.size, name.bytes,
                         trace_string(trace, context->scope).bytes, trace_string(trace, context->id).bytes, t,
                         (long long)context->begin_tick, (long long)context->end_tick);
        }
    }
}

/* Describes the ids of dumps, and the comparisons of clocks. */
static void describe_kept(const Trace *trace, Bytes *out)
{
    bytes_printf(out, "%u dumps:", trace->records.dump_count);
    for (uint32_t r = 0; r < trace->row_count; r++) {
        const Row *row = &trace->rows[r];
        for (uint32_t i = 0;
             trace->tracks[row->track].kind == TRACK_DUMPS && i < row_extras(row)->instant_count; i++) {
            const uint64_t source = trace->instants.source[row_extras(row)->first_instant + i];
            bytes_printf(out, " %s", trace_string(trace, dump_id_at(trace, source - 1)).bytes);
        }
    }
    bytes_append_text(out, "\nclocks compared:");
    for (uint32_t i = 0; i < trace->records.clock_sync_count; i++)
        bytes_printf(out, " %lld as %s", (long long)trace->records.clock_syncs[i].tick,
                     trace_string(trace, trace->records.clock_syncs[i].id).bytes);
    bytes_append_text(out, "\n");
}

/* Describes the visible part of each track when the slices and instants of one name are hidden. */
static void describe_visible(const Trace *trace, Bytes *out)
{
    Err      err;
    uint8_t *hidden = (uint8_t *)calloc(trace->label_count + 1u, 1);
    CHECK(hidden != NULL);
    for (uint32_t i = 1; i <= trace->label_count; i++)
        hidden[i] = string_equal(trace_label_name(trace, i), STRING_LITERAL("n2"));
    Filter *filter = filter_build(trace, hidden, NULL, 1, NULL, &err);
    CHECK(filter != NULL);
    visible_encode(trace, filter, 1, out);
    filter_release(filter);
    free(hidden);
}

static void append_name(const Trace *trace, uint32_t label, Bytes *out)
{
    const StringView name = trace_label_name(trace, label), category = trace_label_category(trace, label);
    bytes_printf(out, " %.*s/%.*s", (int)name.size, name.bytes, (int)category.size, category.bytes);
}

static int compare_warnings(const void *left, const void *right)
{
    return strcmp(((const Warning *)left)->kind, ((const Warning *)right)->kind);
}

/* True for warnings that growing and finished traces have in common. Of the others some are known only at the end (a
 * begin without an end, an unmatched event of a flow), some are counted although a late event may resolve them. */
static bool is_comparable(const Warning *warning)
{
    static const char *const KINDS[] = { "end-name-mismatch", "unmatched-end", "time-travel",
                                         "object-created-twice" };
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++)
        if (strcmp(warning->kind, KINDS[i]) == 0) return true;
    return false;
}

static void describe_warnings(const Trace *trace, Bytes *out)
{
    enum { MOST = 64 };
    Warning sorted[MOST];
    CHECK(trace->records.warning_count <= MOST);
    if (trace->records.warning_count == 0) return;
    memcpy(sorted, trace->records.warnings, trace->records.warning_count * sizeof *sorted);
    qsort(sorted, trace->records.warning_count, sizeof *sorted, compare_warnings);
    for (uint32_t i = 0; i < trace->records.warning_count; i++) {
        if (!is_comparable(&sorted[i])) continue;
        bytes_printf(out, "warning %s %llu: %llu, %llu, %s\n", sorted[i].kind,
                     (unsigned long long)sorted[i].count, (unsigned long long)sorted[i].first.offset,
                     (unsigned long long)sorted[i].first.event, sorted[i].first.message);
    }
}

static void describe_raw_event(const Trace *trace, const OtherEvent *event, Bytes *out)
{
    const StringView kind = trace_string(trace, trace->records.event_kinds[event->kind].name);
    bytes_printf(out, " raw %.*s%s at %llu of ", (int)kind.size, kind.bytes, event->is_metadata ? "!" : "",
                 (unsigned long long)event->offset);
    trace_track_title(trace, trace_other_thread(trace, event), out);
    append_name(trace, event->label, out);
    if (event->has_tick) bytes_printf(out, " %lld", (long long)event->tick);
}

/* Describes all events in the order of dump. */
static void describe_order(const Trace *trace, Bytes *out)
{
    Arena        arena = arena_create(0);
    EventOrder  *order = event_order_create(trace, &arena);
    OrderedEvent event;
    CHECK(order != NULL);
    while (event_order_next(order, &event)) {
        if (event.kind == ORDER_OTHER) {
            describe_raw_event(trace, &trace->records.others[event.id], out);
            continue;
        }
        const bool     is_slice = event.kind == ORDER_SLICE;
        const int64_t  tick = is_slice ? trace_slice_begin(trace, event.id) : trace->instants.tick[event.id];
        const uint32_t label =
            is_slice ? trace_slice_label(trace, event.id) : trace->instants.label[event.id];
        bytes_printf(out, " %s %lld", is_slice ? "slice" : "instant", (long long)tick);
        append_name(trace, label, out);
    }
    bytes_append_text(out, "\n");
    arena_release(&arena);
}

static void describe_statistics(const Trace *trace, Bytes *out)
{
    static const StatsGroup GROUPS[] = { STATS_BY_NAME, STATS_BY_CATEGORY, STATS_BY_TRACK };
    for (size_t g = 0; g < sizeof GROUPS / sizeof GROUPS[0]; g++) {
        const StatsQuery query = { .part.begin_tick = INT64_MIN,
                                   .part.end_tick = INT64_MAX,
                                   .by = GROUPS[g] };
        Arena            arena = arena_create(0);
        StatsTable       table;
        Err              err;
        CHECK_DONE(stats_tally(trace, &query, &arena, &table, &err), err);
        for (uint32_t i = 0; i < table.row_count; i++) {
            const StatsRow  *row = &table.rows[i];
            const StringView name = trace_string(trace, row->name);
            const uint64_t   numbers[] = { row->count, row->total, row->self, row->min,    row->max,
                                           row->p50,   row->p95,   row->p99,  row->cpu_ns, row->cpu_count };
            bytes_printf(out, "%.*s %u:", (int)name.size, name.bytes, row->track);
            for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++)
                bytes_printf(out, " %llu", (unsigned long long)numbers[n]);
            bytes_append_text(out, "\n");
        }
        arena_release(&arena);
    }
}

static void describe_tile(const Trace *trace, TileKey key, Bytes *out)
{
    Bytes bytes = { .data = NULL };
    Tile  tile;
    Err   err;
    CHECK_DONE(tile_encode(trace, key, &bytes, NULL, &err), err);
    CHECK(tile_open(bytes.data, bytes.size, &tile));
    for (uint32_t r = 0; r < tile.row_count; r++) {
        const TileRow row = tile_row(&tile, r);
        TileCursor    cursor = { 0, 0 };
        TileEntry     entry;
        while (tile_next(&row, &cursor, &entry)) {
            bytes_printf(out, " %llu+%llu(%llu, %llu)*%u:%u", (unsigned long long)entry.begin,
                         (unsigned long long)entry.extent, (unsigned long long)entry.covered,
                         (unsigned long long)entry.longest_ticks, entry.count, entry.flags);
            /* The dominant one of two names with the same time depends on the numbers of labels. */
            if (entry.count == 1) append_name(trace, entry.label, out);
        }
        for (uint32_t i = 0; i < row.instant_count; i++) {
            const TileInstant instant = tile_instant(&row, i);
            bytes_printf(out, " i%llu*%u", (unsigned long long)instant.tick, instant.count);
            append_name(trace, instant.label, out);
        }
        for (uint32_t i = 0; i < row.sample_count; i++) {
            const TileSample sample = tile_sample(&row, i);
            bytes_printf(out, " v%llu*%u %g %g %g", (unsigned long long)sample.tick, sample.count,
                         sample.least, sample.greatest, sample.last);
        }
    }
    bytes_release(&bytes);
}

void trace_describe_tiles(const Trace *trace, Bytes *out)
{
    enum { LEVEL_STEP = 4, MOST_TILES = 4 };
    const uint64_t span = (uint64_t)trace->end_tick - (uint64_t)trace->begin_tick;
    for (uint32_t level = 0; level <= TILE_MAX_LEVEL; level += LEVEL_STEP) {
        const uint64_t last = (trace->lead + span) >> (level + TILE_BUCKET_BITS);
        if (last >= MOST_TILES) continue;
        for (uint32_t track = 1; track <= trace->track_count; track++) {
            bytes_printf(out, "\ntiles of track %u, level %u:", track, level);
            for (uint32_t band = 0; band * TILE_BAND_ROWS < track_row_count(&trace->tracks[track]); band++)
                for (uint64_t index = 0; index <= last; index++)
                    describe_tile(trace, (TileKey){ track, band, level, index, 0 }, out);
        }
        if (last == 0) return;
    }
}

static void describe_track(const Trace *trace, uint32_t t, Bytes *out)
{
    const Track       *track = &trace->tracks[t];
    const TrackExtras *extras = track_extras(track);
    trace_track_title(trace, t, out);
    bytes_printf(out, " of process %u, kind %d, %llu samples, %g to %g:\n  ", track->process.index,
                 (int)track->kind, (unsigned long long)extras->sample_count, extras->least, extras->greatest);
    rows_append(trace, t, out);
    for (uint32_t r = track->first_row; r < track->first_row + track_row_count(track); r++) {
        const Row *row = &trace->rows[r];
        for (uint64_t i = row->first_slice; i < row->first_slice + row->slice_count; i++) {
            uint64_t   begin = 0, end = 0;
            const bool has = trace_slice_source(trace, i, &begin);
            const bool has_end = trace_slice_end_source(trace, i, &end);
            bytes_append_text(out, "/");
            append_name(trace, trace_slice_label(trace, i), out);
            bytes_printf(out, "#%x ", trace->labels[trace_slice_label(trace, i)].colour);
            trace_track_title(trace, trace_slice_thread(trace, i), out);
            describe_stack(trace, trace_slice_stack(trace, i), out);
            describe_stack(trace, trace_slice_end_stack(trace, i), out);
            if (has || has_end)
                bytes_printf(out, " %llu-%llu", (unsigned long long)begin, (unsigned long long)end);
        }
        for (uint64_t i = row_extras(row)->first_instant;
             i < row_extras(row)->first_instant + row_extras(row)->instant_count; i++) {
            bytes_append_text(out, " by ");
            trace_track_title(trace, trace_instant_thread(trace, i), out);
            append_name(trace, trace->instants.label[i], out);
        }
        for (uint64_t i = row_extras(row)->first_sample;
             i < row_extras(row)->first_sample + row_extras(row)->sample_count; i++)
            bytes_printf(out, " %lld=%g", (long long)trace->samples.tick[i], trace->samples.value[i]);
    }
    if (track->kind == TRACK_SAMPLES) describe_profile(trace, track, out);
    bytes_append_text(out, "\n");
}

/* Appends a cell. Numbers of slices, instants, labels and stacks differ between two traces that are otherwise the
 * same. */
static void describe_cell(const Trace *trace, const ScanColumn *column, ScanValues values, uint32_t i,
                          Bytes *out)
{
    switch (column->type) {
    case SCAN_U8:
        bytes_printf(out, " %u", values.u8[i]);
        break;
    case SCAN_U32:
        bytes_printf(out, " %u", values.u32[i]);
        break;
    case SCAN_TEXT:
        bytes_printf(out, " %s", trace_string(trace, (StringId){ values.u32[i] }).bytes);
        break;
    case SCAN_I64:
        bytes_printf(out, " %lld", (long long)values.i64[i]);
        break;
    case SCAN_U64:
        bytes_printf(out, " %llu", (unsigned long long)values.u64[i]);
        break;
    case SCAN_F64:
        bytes_printf(out, " %g", values.f64[i]);
        break;
    }
}

static void describe_rows(const Trace *trace, ScanTable table, ScanRows rows, Bytes *out)
{
    Arena             arena = arena_create(0);
    uint32_t          count;
    Err               err;
    const ScanColumn *columns = scan_columns(table, &count);
    ScanQuery         query = scan_query(table, SCAN_COLUMN(count) - 1);
    query.rows = rows;
    Scan *scan = scan_begin(trace, &query, &arena, &err);
    CHECK_DONE(scan != NULL, err);
    for (const ScanBatch *batch; (batch = scan_next(scan)) != NULL;) {
        for (uint32_t i = 0; i < batch->count; i++) {
            bytes_printf(out, "table %d", (int)table);
            for (uint32_t c = 0; c < count; c++) {
                const ScanUnit unit = columns[c].unit;
                if (unit == SCAN_UNIT_SLICE || unit == SCAN_UNIT_INSTANT || unit == SCAN_UNIT_LABEL ||
                    unit == SCAN_UNIT_STACK)
                    continue;
                describe_cell(trace, &columns[c], batch->columns[c], i, out);
            }
            bytes_append_text(out, "\n");
        }
    }
    arena_release(&arena);
}

void trace_describe_data(const Trace *trace, Bytes *out)
{
    Bytes unordered = { .data = NULL };
    bytes_printf(out, "%llu values of counters, %llu samples, %llu slices of theirs\n",
                 (unsigned long long)trace_sample_count(trace),
                 (unsigned long long)trace_stack_sample_count(trace),
                 (unsigned long long)trace->counts.sample_slices);
    bytes_printf(out, "%llu asynchronous, %llu and %llu instants; %u objects, %u lives, %llu snapshots\n",
                 (unsigned long long)trace->counts.async_slices,
                 (unsigned long long)trace->counts.async_instants,
                 (unsigned long long)trace->counts.derived_instants, trace->objects.object_count,
                 trace->objects.life_count, (unsigned long long)trace->objects.snapshot_count);
    bytes_printf(out, "%lld..%lld, %llu slices, %llu instants, %u threads, %llu open, depth %u\n",
                 (long long)trace->begin_tick, (long long)trace->end_tick,
                 (unsigned long long)trace_slice_count(trace), (unsigned long long)trace_instant_count(trace),
                 trace->counts.threads, (unsigned long long)trace->counts.unfinished,
                 trace->counts.max_depth);
    for (uint32_t t = 1; t <= trace->track_count; t++)
        describe_track(trace, t, out);
    describe_objects(trace, out);
    describe_flows(trace, out);
    describe_contexts(trace, out);
    describe_kept(trace, out);
    describe_warnings(trace, out);
    describe_order(trace, out);
    describe_statistics(trace, out);
    for (int table = 0; table < SCAN_TABLE_COUNT; table++) {
        const bool goes_by_numbers = table == SCAN_FLOWS || table == SCAN_STACKS; /* the order of rows */
        Bytes     *text = goes_by_numbers ? &unordered : out;
        describe_rows(trace, (ScanTable)table, SCAN_ALL, text);
        describe_rows(trace, (ScanTable)table, SCAN_COUNTED, text);
    }
    bytes_release(&unordered);
}

void trace_describe(const Trace *trace, Bytes *out)
{
    trace_describe_data(trace, out);
    describe_visible(trace, out);
}

bool trace_has_warning(const Trace *trace, const char *kind)
{
    for (uint32_t i = 0; i < trace->records.warning_count; i++)
        if (strcmp(trace->records.warnings[i].kind, kind) == 0) return true;
    return false;
}

/* Prints the text around a place. */
static void show(const char *title, const Bytes *text, size_t at)
{
    const size_t from = at < 200 ? 0 : at - 200, to = text->size - from < 400 ? text->size : from + 400;
    fprintf(stderr, "%s: ", title);
    for (size_t i = from; i < to; i++)
        fputc(text->data[i] < ' ' && text->data[i] != '\n' ? '.' : text->data[i], stderr);
    fputc('\n', stderr);
}

bool trace_is_same(const Trace *a, const Trace *b)
{
    Bytes  first = { .data = NULL }, second = { .data = NULL };
    size_t same = 0;
    trace_describe(a, &first);
    trace_describe(b, &second);
    if (a->lead == b->lead) {
        trace_describe_tiles(a, &first);
        trace_describe_tiles(b, &second);
    }
    while (same < first.size && same < second.size && first.data[same] == second.data[same])
        same++;
    const bool is_same = same == first.size && same == second.size;
    if (!is_same) {
        show("the one trace", &first, same);
        show("the other", &second, same);
    }
    bytes_release(&first);
    bytes_release(&second);
    return is_same;
}
