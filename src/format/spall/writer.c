#include "format/spall/writer.h"

#include "base/bits.h"
#include "base/utf8.h"
#include "format/spall/writer_clock.h"
#include "format/spall/writer_text.h"
#include "format/writer_ids.h"
#include "trace/store/lane_walk.h"
#include "trace/store/lookup.h"
#include "trace/store/window.h"

#include <assert.h>
#include <string.h>

enum { NO_FRAME = 0, SHORTEST_END_BYTES = 8, RECORD_MOST_BYTES = LAYOUT_MAX_RECORD + 2 * LAYOUT_MAX_TEXT };

/* Losses, counted during writing. */
typedef struct SpallLosses {
    uint64_t cut_names, cut_args, inexact, categories, fields, unreadable;
    uint64_t closed, no_end, repaired, overflow, async, states;
} SpallLosses;

typedef struct SpallOut {
    const Loaded      *loaded; /* borrowed */
    const Trace       *trace;
    const SpallLayout *layout;
    const OutputSink  *sink;
    WriterReport      *report;
    Arena              arena;
    SpallClock         clock;
    WriterIds          ids;
    WindowBegins       begins; /* slices that begin before the range and end inside it */
    DetailReader      *reader;
    EventDetails       details;
    Bytes              buffer, name, args;          /* name, args: scratch */
    LaneLevel         *levels;                      /* lane_walk_levels */
    WriterLabel       *labels;                      /* by label */
    uint8_t heads[RECORD_KINDS][LAYOUT_MAX_RECORD]; /* records of the current thread without time and texts */
    SpallLosses losses;
    size_t      frame_at; /* offset in the buffer of the open frame's header, plus one; or NO_FRAME */
    uint64_t    frame_time;
    bool        frame_has_time;
    uint32_t    pid, tid;    /* of the current thread */
    int64_t     last_tick;   /* of the last record */
    bool        was_spall;   /* the trace was recorded as .spall; it may have been converted since */
    bool        is_own;      /* the source is a .spall file */
    bool        has_repeats; /* trace_has_repeats */
} SpallOut;

static void put_header(SpallOut *out)
{
    uint8_t  header[32] = { 0 };
    uint64_t unit;
    memcpy(&unit, &out->clock.unit, sizeof unit);
    bits_store_u64(header, SPALL_MAGIC);
    bits_store_u64(header + 8, (uint64_t)(out->layout->version[0] - '0'));
    bits_store_u64(header + 16, unit);
    bytes_append(&out->buffer, header, out->layout->header_size);
}

/* -- frames: the buffers of version 3 -- */

static void frame_begin(SpallOut *out)
{
    assert(out->frame_at == NO_FRAME || out->layout->frame_size == 0);
    uint8_t header[32] = { 0 };
    if (out->layout->frame_size == 0) return;
    out->frame_at = out->buffer.size + 1;
    out->frame_has_time = false;
    bytes_append(&out->buffer, header, out->layout->frame_size);
}

static void frame_end(SpallOut *out)
{
    if (out->frame_at == NO_FRAME || out->buffer.failed) return;
    uint8_t *header = out->buffer.data + out->frame_at - 1;
    assert(out->buffer.size >= out->frame_at - 1 + out->layout->frame_size);
    size_t size = out->buffer.size - (out->frame_at - 1) - out->layout->frame_size;
    bits_store_u32(header, (uint32_t)size);
    bits_store_u32(header + 4, out->tid);
    bits_store_u32(header + out->layout->frame_pid, out->pid);
    bits_store_u64(header + 12, out->frame_has_time ? out->frame_time : 0);
    out->frame_at = NO_FRAME;
}

static bool flush_at_record(SpallOut *out, Err *err)
{
    if (LIKELY(out->buffer.size < WRITER_BLOCK_BYTES && !out->buffer.failed)) return true;
    bool in_frame = out->frame_at != NO_FRAME;
    frame_end(out);
    if (!writer_flush(out->sink, &out->buffer, 0, err)) return false;
    if (in_frame) frame_begin(out);
    return true;
}

/* -- records -- */

/* Begins the records of a thread of the current process. */
static void enter_thread(SpallOut *out, uint32_t tid)
{
    out->tid = tid;
    for (unsigned type = 0; type < LAYOUT_TYPES; type++) {
        const RecordShape *shape = &out->layout->shapes[out->layout->kinds[type]];
        uint8_t           *head = out->heads[out->layout->kinds[type]];
        head[0] = (uint8_t)type;
        if (shape->pid != 0) bits_store_u32(head + shape->pid, out->pid);
        if (shape->tid != 0) bits_store_u32(head + shape->tid, tid);
    }
}

/* Appends a record without texts. Returns it, with room for its texts behind it; NULL when out of memory. */
static uint8_t *put_record(SpallOut *out, RecordKind kind, int64_t tick)
{
    const RecordShape *shape = &out->layout->shapes[kind];
    uint8_t           *at = bytes_reserve(&out->buffer, RECORD_MOST_BYTES);
    if (at == NULL) return NULL;
    memcpy(at, out->heads[kind],
           LAYOUT_MAX_RECORD); /* a size that the compiler knows; the texts overwrite the rest */
    if (shape->time != 0) {
        bool     inexact = false;
        uint64_t time = spall_clock_time(&out->clock, out->layout, tick, &inexact);
        bits_store_u64(at + shape->time, time);
        out->last_tick = tick;
        out->losses.inexact += inexact;
        if (!out->frame_has_time) out->frame_time = time;
        out->frame_has_time = true;
    }
    bytes_grow(&out->buffer, shape->size);
    return at;
}

/* Appends a record with its texts; `args` is empty if its kind does not have arguments. */
static void put_texts(SpallOut *out, RecordKind kind, int64_t tick, StringView name, StringView args)
{
    assert(name.size <= LAYOUT_MAX_TEXT && args.size <= LAYOUT_MAX_TEXT);
    const RecordShape *shape = &out->layout->shapes[kind];
    uint8_t           *at = put_record(out, kind, tick);
    if (at == NULL) return;
    at[shape->name_length] = (uint8_t)name.size;
    if (shape->args_length != 0) at[shape->args_length] = (uint8_t)args.size;
    memcpy(at + shape->size, name.bytes, name.size);
    if (args.size > 0) memcpy(at + shape->size + name.size, args.bytes, args.size);
    bytes_grow(&out->buffer, name.size + args.size);
}

static void put_name(SpallOut *out, RecordKind kind, StringView name)
{
    bool cut = false;
    name = spall_text(name, &out->name, &cut);
    if (name.size > 0) put_texts(out, kind, 0, name, STRING_LITERAL(""));
    out->losses.cut_names += cut;
}

/* -- slices -- */

/* Loads the arguments of a slice. Counts arguments that cannot be decoded. Returns false on other errors. */
static bool load_args(SpallOut *out, uint64_t slice, StringView *args, Err *err)
{
    *args = STRING_LITERAL("");
    if (!(trace_slice_flags(out->trace, slice) & (SLICE_SOURCE | SLICE_END_SOURCE))) return true;
    if (!detail_reader_slice(out->reader, slice, &out->details, err)) {
        out->losses.unreadable++;
        return err->code != ERR_IO && err->code != ERR_MEMORY;
    }
    *args = spall_args(&out->details.args, &out->args);
    out->losses.cut_args += args->size > LAYOUT_MAX_TEXT;
    args->size = utf8_cut(args->bytes, args->size, LAYOUT_MAX_TEXT);
    out->losses.fields += !out->is_own && out->details.other.size > 2;
    return true;
}

static bool begin_slice(SpallOut *out, const LaneEvent *event, Err *err)
{
    const Trace       *trace = out->trace;
    const WriterLabel *label = &out->labels[trace_slice_label(trace, event->slice)];
    const uint8_t      flags = trace_slice_flags(trace, event->slice);
    StringView         args;
    if (!load_args(out, event->slice, &args, err)) return false;
    put_texts(out, RECORD_BEGIN, event->tick, label->name, args);
    out->losses.cut_names += label->is_cut;
    out->losses.categories += label->has_category;
    out->losses.no_end += (flags & SLICE_NO_END) != 0;
    out->losses.repaired += (flags & SLICE_REPAIRED) != 0;
    return flush_at_record(out, err);
}

static bool end_slice(SpallOut *out, const LaneEvent *event, Err *err)
{
    (void)put_record(out, RECORD_END, event->tick);
    return flush_at_record(out, err);
}

/* True if viewers show the slice when it is written without an end. They draw an open slice up to the last time of its
 * thread, so a slice that begins there would have length 0. A slice of a .spall file had that length already. */
static bool is_seen_open(const SpallOut *out, const LaneEvent *end)
{
    return out->was_spall || trace_slice_is_empty(out->trace, end->slice) ||
           trace_slice_begin(out->trace, end->slice) < out->last_tick;
}

/* Writes the slices of a lane, nested. A slice without an end is left open if all slices around it are, and no slice
 * begins behind it. */
static bool put_lane(SpallOut *out, uint32_t first_row, Err *err)
{
    const Trace *trace = out->trace;
    uint32_t     unfinished = 0; /* number of the outermost open slices that have no end */
    LaneWalk     walk;
    lane_walk_open(&walk, trace, first_row, out->levels);
    for (LaneEvent event; lane_walk_next(&walk, &event);) {
        const bool is_unfinished = (trace_slice_flags(trace, event.slice) & SLICE_UNFINISHED) != 0,
                   is_written = !out->has_repeats || !trace_repeats_slice(trace, event.slice);
        if (event.is_begin) {
            assert(unfinished <= event.depth);
            if (is_written && !begin_slice(out, &event, err)) return false;
            if (unfinished == event.depth && is_unfinished) unfinished++;
            continue;
        }
        const bool stays_open =
            unfinished == event.depth + 1 && walk.waiting == 0 && is_seen_open(out, &event);
        if (unfinished > event.depth) unfinished = event.depth;
        if (stays_open) continue;
        out->losses.closed += is_unfinished;
        if (is_written && !end_slice(out, &event, err)) return false;
    }
    return true;
}

/* -- threads -- */

/* Writes the name of a lane's thread: the track's name, for other lanes than the first followed by a number. */
static void name_lane(SpallOut *out, uint32_t track, uint32_t lane)
{
    const Trace *trace = out->trace;
    const Track *t = &trace->tracks[track];
    Bytes        title = { 0 };
    StringView   name = trace_string(trace, t->name);
    bool         is_thread = t->kind == TRACK_THREAD, is_async = t->kind == TRACK_ASYNC;
    if (out->layout->shapes[RECORD_NAME_THREAD].size == 0) return;
    if (name.size == 0 && is_thread && lane == 0 && writer_id_fits(track_tid(t), UINT32_MAX)) return;
    if (name.size > 0 && (is_thread || is_async))
        bytes_append(&title, name.bytes, name.size);
    else
        trace_track_title(trace, track, &title);
    if (is_async)
        bytes_printf(&title, lane == 0 ? " (asynchronous)" : " (asynchronous, %u)", (unsigned)lane + 1);
    else if (lane > 0)
        bytes_printf(&title, " (overlapping, %u)", (unsigned)lane);
    put_name(out, RECORD_NAME_THREAD, bytes_view(&title));
    out->buffer.failed |= title.failed;
    bytes_release(&title);
}

/* Returns the number of slices to write of some rows. */
static uint64_t lane_slices(const SpallOut *out, uint32_t first_row, uint32_t row_count)
{
    const Trace *trace = out->trace;
    uint64_t     count = 0;
    for (uint32_t row = first_row; row < first_row + row_count; row++) {
        RowWindow window = row_window(trace, &trace->rows[row]);
        count += window.slice_end - window.first_slice;
        for (uint64_t i = window.first_slice; out->has_repeats && i < window.slice_end; i++)
            count -= trace_repeats_slice(trace, i) ? 1 : 0;
    }
    return count;
}

static bool put_track(SpallOut *out, uint32_t track, StringView *process_name, Err *err)
{
    const Trace *trace = out->trace;
    const Track *t = &trace->tracks[track];
    if (t->kind != TRACK_THREAD && t->kind != TRACK_ASYNC && t->kind != TRACK_SAMPLES &&
        t->kind != TRACK_STATES)
        return true;
    uint32_t row = t->first_row, end = row + track_row_count(t), lane = 0;
    do {
        uint32_t first = row;
        while (row < end && trace->rows[row].lane == lane)
            row++;
        uint64_t slices = lane_slices(out, first, row - first);
        enter_thread(out,
                     (uint32_t)(lane == 0 && t->kind == TRACK_THREAD ? writer_ids_thread(&out->ids, track)
                                                                     : writer_ids_new(&out->ids)));
        if (lane > 0 && t->kind == TRACK_THREAD) out->losses.overflow += slices;
        if (t->kind == TRACK_ASYNC) out->losses.async += slices;
        if (t->kind == TRACK_STATES) out->losses.states += slices;
        frame_begin(out);
        if (out->layout->shapes[RECORD_NAME_PROCESS].size != 0)
            put_name(out, RECORD_NAME_PROCESS, *process_name);
        *process_name = STRING_LITERAL("");
        name_lane(out, track, lane);
        if (slices > 0 && !put_lane(out, first, err)) return false;
        frame_end(out);
        if (!flush_at_record(out, err)) return false;
        lane++;
    } while (row < end);
    return true;
}

static bool put_process(SpallOut *out, uint32_t process, Err *err)
{
    const Trace   *trace = out->trace;
    const Process *p = &trace->processes[process];
    StringView     name = trace_string(trace, p->name);
    Bytes          title = { 0 };
    out->pid = (uint32_t)out->ids.pids[process];
    writer_ids_enter(&out->ids, process);
    if (name.size == 0 && !writer_id_fits(p->pid, UINT32_MAX)) {
        trace_process_title(trace, process, &title);
        name = bytes_view(&title);
    }
    bool done = !title.failed || err_set(err, ERR_MEMORY, "out of memory for a name");
    for (uint32_t i = p->first_track; done && i < p->first_track + p->track_count; i++)
        done = put_track(out, i, &name, err);
    bytes_release(&title);
    return done;
}

/* -- losses -- */

static bool is_kept_metadata(const SpallOut *out, const OtherEvent *other)
{
    StringView name = trace_label_name(out->trace, other->label);
    if (!other->is_metadata) return false;
    if (strcmp(out->trace->source.format_name, "trace-event") != 0)
        return true; /* the writer takes its data from the trace */
    return out->layout->shapes[RECORD_NAME_THREAD].size != 0 &&
           (string_equal(name, STRING_LITERAL("process_name")) ||
            string_equal(name, STRING_LITERAL("thread_name")));
}

static void report_others(SpallOut *out)
{
    const Trace *trace = out->trace;
    for (uint64_t i = 0; i < trace->records.other_count; i++) {
        const OtherEvent *other = &trace->records.others[i];
        if (is_kept_metadata(out, other) || writer_is_sample(trace, other)) continue;
        if (!window_has_other(trace, &out->begins, other)) continue;
        writer_report_kind(out->report, 1, "events that are not slices are left out",
                           trace_string(trace, trace->records.event_kinds[other->kind].name));
    }
}

static void report_names(SpallOut *out)
{
    const Trace *trace = out->trace;
    uint64_t     processes = 0, threads = 0;
    for (uint32_t i = 1; i <= trace->process_count; i++)
        processes += trace->processes[i].name.index != 0;
    for (uint32_t i = 1; i <= trace->track_count; i++)
        threads += trace->tracks[i].kind == TRACK_THREAD && trace->tracks[i].name.index != 0;
    writer_report(out->report, processes, "names of processes are left out");
    writer_report(out->report, threads, "names of threads are left out");
}

static void report_losses(SpallOut *out)
{
    const SpallLosses *l = &out->losses;
    const Trace       *trace = out->trace;
    const WindowCounts counts = trace_window_counts(trace);
    writer_report(out->report, counts.instants + counts.async_instants, "instants are left out");
    writer_report(out->report, counts.flows, "arrows between slices are left out");
    report_others(out);
    if (out->layout->shapes[RECORD_NAME_THREAD].size == 0) report_names(out);
    if (strcmp(trace->source.format_name, "trace-event") != 0) { /* reported there as events and properties */
        writer_report(out->report, counts.counter_samples, "values of counters are left out");
        writer_report(out->report, trace->clock.has_epoch, "the wall-clock time of tick 0 is left out");
    }
    if (!out->is_own)
        writer_report(out->report, trace->records.property_count, "facts about the whole trace are left out");
    writer_report(out->report, l->states, "states of threads are written to separate threads");
    writer_report(out->report, l->overflow, "slices that overlap others are written to separate threads");
    writer_report(out->report, l->async, "asynchronous slices are written to separate threads");
    writer_report(out->report, counts.samples,
                  "samples become slices on separate threads, without file and line");
    writer_report(out->report, counts.stacks, "stacks of slices and instants are left out");
    writer_report(out->report, out->ids.replaced_count,
                  "ids of processes and threads are not numbers of 32 bits: they are replaced");
    writer_report(out->report, l->cut_names, "names are cut at 255 bytes");
    writer_report(out->report, l->cut_args, "arguments are cut at 255 bytes");
    writer_report(out->report, l->categories, "slices lose their category");
    writer_report(out->report, l->fields, "slices lose fields beside their arguments");
    writer_report(out->report, l->unreadable, "slices lose arguments that cannot be decoded again");
    writer_report(out->report, l->closed, "unfinished slices end with the trace or the slice around them");
    writer_report(out->report, l->no_end, "slices lose the flag that another slice's end closed them");
    writer_report(out->report, l->repaired, "slices lose the flag that their times were repaired");
    writer_report(out->report, l->inexact, "times are rounded to the nearest floating-point number");
}

/* -- the whole -- */

/* Makes the names of all labels as the records have them. False when out of memory. */
static bool make_labels(SpallOut *out)
{
    out->labels = writer_labels(out->trace, &out->arena);
    for (uint32_t i = 0; out->labels != NULL && i <= out->trace->label_count; i++) {
        WriterLabel *label = &out->labels[i];
        label->name = spall_text(label->name, &out->name, &label->is_cut);
        if (label->name.bytes != (const char *)out->name.data) continue;
        label->name.bytes = arena_push_copy(&out->arena, label->name.bytes, label->name.size);
        if (label->name.bytes == NULL) return false;
    }
    return out->labels != NULL && !out->name.failed;
}

static bool prepare(SpallOut *out, Err *err)
{
    const Trace *trace = out->trace;
    const char  *end;
    out->is_own = strcmp(trace->source.format_name, "spall") == 0;
    out->has_repeats = trace_has_repeats(trace);
    out->was_spall = out->is_own || spall_other_data(trace, "\"source_format\":\"spall\"", &end) != NULL;
    out->levels = ARENA_ARRAY(&out->arena, LaneLevel, lane_walk_levels(trace));
    out->reader = detail_reader_create(&out->arena, out->loaded);
    if (out->levels == NULL || out->reader == NULL || !make_labels(out) ||
        !window_begins_collect(trace, &out->arena, &out->begins) ||
        !writer_ids_open(&out->ids, trace, UINT32_MAX, UINT32_MAX, &out->arena))
        return err_set(err, ERR_MEMORY, "out of memory for the output");
    if (!spall_clock_make(&out->clock, trace, out->layout, &out->arena, out->report, err)) return false;
    put_header(out);
    return true;
}

static bool write_trace(const SpallLayout *layout, const Loaded *loaded, const OutputSink *sink,
                        WriterReport *report, Err *err)
{
    SpallOut out = {
        .loaded = loaded, .trace = loaded->trace, .layout = layout, .sink = sink, .report = report
    };
    bool done = prepare(&out, err);
    for (uint32_t i = 1; done && i <= out.trace->process_count; i++)
        done = put_process(&out, i, err);
    if (done && layout->frame_size != 0 && !out.frame_has_time) {
        frame_begin(&out); /* viewers read 8 bytes for each record: a short name must not end the file */
        frame_end(&out);
    }
    done = done && writer_flush(sink, &out.buffer, 0, err);
    if (done) report_losses(&out);
    detail_reader_release(out.reader);
    bytes_release(&out.details.args);
    bytes_release(&out.details.other);
    bytes_release(&out.buffer);
    bytes_release(&out.name);
    bytes_release(&out.args);
    arena_release(&out.arena);
    return done;
}

static bool write_v3(const Loaded *loaded, const OutputSink *sink, WriterReport *report, Err *err)
{
    return write_trace(&SPALL_V3, loaded, sink, report, err);
}

static bool write_v1(const Loaded *loaded, const OutputSink *sink, WriterReport *report, Err *err)
{
    return write_trace(&SPALL_V1, loaded, sink, report, err);
}

const FormatWriter SPALL_WRITER = {
    .name = "spall",
    .suffix = "spall",
    .what = ".spall, version 3",
    .write = write_v3,
};

const FormatWriter SPALL_V1_WRITER = {
    .name = "spall1",
    .suffix = NULL,
    .what = ".spall, version 1, for older viewers",
    .write = write_v1,
};
