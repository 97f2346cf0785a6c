#include "format/spall/writer.h"

#include "base/search.h"
#include "format/spall/writer_records.h"
#include "format/spall/writer_text.h"
#include "format/writer_ids.h"
#include "format/writer_pieces.h"
#include "trace/store/lookup.h"
#include "trace/store/window.h"

#include <assert.h>
#include <string.h>

enum { NO_FRAME = 0 };

/* Losses, counted while slices are chosen. */
typedef struct SpallLosses {
    uint64_t cut_names, closed, overflow, async, states;
} SpallLosses;

/* The buffers of version 3: a frame has the records of one thread. */
typedef struct SpallFrame {
    size_t   at; /* offset in SpallOut.buffer of the open frame's header, plus one; or NO_FRAME */
    uint32_t pid, tid;
    uint64_t time; /* of its first record with a time */
    bool     has_time;
} SpallFrame;

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
    Bytes              buffer; /* encoded records */
    SpallFrame         frame;
    Bytes              name;   /* scratch */
    LaneLevel         *levels; /* lane_walk_levels */
    SpallHeads         heads;  /* of names */
    SpallEncoder      *encoders;
    WriterPieces      *pieces;
    SpallPiece        *piece; /* the one to fill */
    SpallLosses        losses;
    uint32_t           pid, tid;    /* of the current thread */
    int64_t            last_tick;   /* of the last item */
    bool               was_spall;   /* the trace was recorded as .spall; it may have been converted since */
    bool               is_own;      /* the source is a .spall file */
    bool               has_repeats; /* trace_has_repeats */
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

/* -- encoded records -- */

static void frame_begin(SpallOut *out, uint32_t pid, uint32_t tid)
{
    assert(out->frame.at == NO_FRAME || out->layout->frame_size == 0);
    uint8_t header[32] = { 0 };
    if (out->layout->frame_size == 0) return;
    out->frame = (SpallFrame){ .at = out->buffer.size + 1, .pid = pid, .tid = tid };
    bytes_append(&out->buffer, header, out->layout->frame_size);
}

static void frame_end(SpallOut *out)
{
    SpallFrame *frame = &out->frame;
    if (frame->at == NO_FRAME || out->buffer.failed) return;
    uint8_t *header = out->buffer.data + frame->at - 1;
    assert(out->buffer.size >= frame->at - 1 + out->layout->frame_size);
    size_t size = out->buffer.size - (frame->at - 1) - out->layout->frame_size;
    bits_store_u32(header, (uint32_t)size);
    bits_store_u32(header + 4, frame->tid);
    bits_store_u32(header + out->layout->frame_pid, frame->pid);
    bits_store_u64(header + 12, frame->has_time ? frame->time : 0);
    frame->at = NO_FRAME;
}

static bool flush_at_record(SpallOut *out, Err *err)
{
    if (LIKELY(out->buffer.size < WRITER_BLOCK_BYTES && !out->buffer.failed)) return true;
    const bool in_frame = out->frame.at != NO_FRAME;
    frame_end(out);
    if (!writer_flush(out->sink, &out->buffer, 0, err)) return false;
    if (in_frame) frame_begin(out, out->frame.pid, out->frame.tid);
    return true;
}

/* Returns the item below `end` behind whose record the buffer is full, if the records from `at` on are appended; `end` if it
 * is not full behind any. */
static size_t full_behind(const SpallOut *out, const SpallPiece *piece, size_t first, size_t end, size_t at)
{
    LOWER_BOUND(size_t, first, end, i, out->buffer.size + (piece->ends[i] - at) < WRITER_BLOCK_BYTES);
    return first;
}

/* Appends the records of a part. A frame ends when the buffer is full. */
static bool pass_part(SpallOut *out, const SpallPiece *piece, const SpallPart *part, size_t begin, size_t end,
                      Err *err)
{
    const uint8_t time_at = out->layout->shapes[RECORD_BEGIN].time;
    if (part->begins_thread) {
        frame_end(out);
        if (!flush_at_record(out, err)) return false;
        frame_begin(out, part->pid, part->tid);
        bytes_append(&out->buffer, piece->out.data + begin, part->records_at - begin);
    }
    for (size_t item = part->first_item, at = part->records_at; item < end;) {
        const size_t full = full_behind(out, piece, item, end, at);
        const size_t stop = full == end ? part->out_end : piece->ends[full];
        if (!out->frame.has_time) out->frame.time = bits_load_u64(piece->out.data + at + time_at);
        out->frame.has_time = true;
        bytes_append(&out->buffer, piece->out.data + at, stop - at);
        if (!flush_at_record(out, err)) return false;
        at = stop;
        item = full + 1;
    }
    return true;
}

static bool encode_piece(void *context, size_t encoder, void *piece, Err *err)
{
    return spall_encode(&((const SpallOut *)context)->encoders[encoder], piece, err);
}

static bool pass_piece(void *context, void *from, Err *err)
{
    SpallOut   *out = context;
    SpallPiece *piece = from;
    size_t      begin = 0;
    bool        done = true;
    for (size_t p = 0; done && p < vec_count(&piece->parts); p++) {
        const SpallPart *part = &piece->parts.items[p];
        const size_t     end = p + 1 < vec_count(&piece->parts) ? part[1].first_item : piece->count;
        done = pass_part(out, piece, part, begin, end, err);
        begin = part->out_end;
    }
    spall_piece_clear(piece);
    return done;
}

static void release_piece(void *piece)
{
    spall_piece_release(piece);
}

/* -- items -- */

typedef enum { PART_CONTINUES, PART_BEGINS_THREAD } PartKind;

static void add_part(SpallOut *out, PartKind kind)
{
    const SpallPart part = { .first_item = out->piece->count,
                             .pid = out->pid,
                             .tid = out->tid,
                             .begins_thread = kind == PART_BEGINS_THREAD,
                             .names_end = out->piece->names.size };
    vec_push(&out->piece->parts, part);
}

/* Adds a record with a name in front of the current thread. */
static void put_name(SpallOut *out, RecordKind kind, StringView name)
{
    bool is_cut = false;
    name = spall_text(name, &out->name, &is_cut);
    if (name.size > 0) spall_put_name(&out->heads, out->layout, kind, name, &out->piece->names);
    if (!out->piece->parts.bytes.failed) vec_last(&out->piece->parts)->names_end = out->piece->names.size;
    out->losses.cut_names += is_cut;
}

static bool put_item(SpallOut *out, const LaneEvent *event, Err *err)
{
    SpallPiece *piece = out->piece;
    out->last_tick = event->tick;
    piece->items[piece->count++] = (SpallItem){ event->slice, event->tick, event->is_begin };
    if (piece->count < SPALL_PIECE_ITEMS) return true;
    out->piece = writer_pieces_next(out->pieces, err);
    if (out->piece != NULL) add_part(out, PART_CONTINUES);
    return out->piece != NULL;
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
            if (is_written && !put_item(out, &event, err)) return false;
            if (unfinished == event.depth && is_unfinished) unfinished++;
            continue;
        }
        const bool stays_open =
            unfinished == event.depth + 1 && walk.waiting == 0 && is_seen_open(out, &event);
        if (unfinished > event.depth) unfinished = event.depth;
        if (stays_open) continue;
        out->losses.closed += is_unfinished;
        if (is_written && !put_item(out, &event, err)) return false;
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
    out->piece->names.failed |= title.failed;
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
        out->tid = (uint32_t)(lane == 0 && t->kind == TRACK_THREAD ? writer_ids_thread(&out->ids, track)
                                                                   : writer_ids_new(&out->ids));
        if (lane > 0 && t->kind == TRACK_THREAD) out->losses.overflow += slices;
        if (t->kind == TRACK_ASYNC) out->losses.async += slices;
        if (t->kind == TRACK_STATES) out->losses.states += slices;
        add_part(out, PART_BEGINS_THREAD);
        if (out->layout->shapes[RECORD_NAME_PROCESS].size != 0)
            put_name(out, RECORD_NAME_PROCESS, *process_name);
        *process_name = STRING_LITERAL("");
        name_lane(out, track, lane);
        if (slices > 0 && !put_lane(out, first, err)) return false;
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

/* Adds up the losses of all encoders. */
static SpallRecordLosses sum_losses(const SpallOut *out)
{
    SpallRecordLosses sum = { 0 };
    for (size_t i = 0; i < writer_encoder_count(out->sink->threads); i++) {
        const SpallRecordLosses *l = &out->encoders[i].losses;
        sum.cut_names += l->cut_names;
        sum.cut_args += l->cut_args;
        sum.inexact += l->inexact;
        sum.categories += l->categories;
        sum.fields += l->fields;
        sum.unreadable += l->unreadable;
        sum.no_end += l->no_end;
        sum.repaired += l->repaired;
    }
    return sum;
}

static void report_losses(SpallOut *out)
{
    const SpallRecordLosses of_records = sum_losses(out), *r = &of_records;
    const SpallLosses      *l = &out->losses;
    const Trace            *trace = out->trace;
    const WindowCounts      counts = trace_window_counts(trace);
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
    writer_report(out->report, l->cut_names + r->cut_names, "names are cut at 255 bytes");
    writer_report(out->report, r->cut_args, "arguments are cut at 255 bytes");
    writer_report(out->report, r->categories, "slices lose their category");
    writer_report(out->report, r->fields, "slices lose fields beside their arguments");
    writer_report(out->report, r->unreadable, "slices lose arguments that cannot be decoded again");
    writer_report(out->report, l->closed, "unfinished slices end with the trace or the slice around them");
    writer_report(out->report, r->no_end, "slices lose the flag that another slice's end closed them");
    writer_report(out->report, r->repaired, "slices lose the flag that their times were repaired");
    writer_report(out->report, r->inexact, "times are rounded to the nearest floating-point number");
}

/* -- the whole -- */

/* Makes the encoders and the pieces. False when out of memory. */
static bool start_encoding(SpallOut *out)
{
    const PieceWork    work = { encode_piece, pass_piece, out };
    const size_t       count = writer_encoder_count(out->sink->threads);
    const WriterLabel *labels = spall_labels(out->trace, &out->arena);
    out->encoders = ARENA_ARRAY(&out->arena, SpallEncoder, count);
    if (labels == NULL || out->encoders == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        SpallEncoder *encoder = &out->encoders[i];
        *encoder = (SpallEncoder){ .trace = out->trace,
                                   .layout = out->layout,
                                   .labels = labels,
                                   .clock = out->clock,
                                   .is_own = out->is_own };
        encoder->reader = detail_reader_create(&encoder->arena, out->loaded);
        if (encoder->reader == NULL) return false;
    }
    out->pieces = writer_pieces_start(&out->arena, &work, sizeof(SpallPiece), out->sink->threads);
    if (out->pieces == NULL) return false;
    out->piece = writer_pieces_current(out->pieces);
    return true;
}

static void stop_encoding(SpallOut *out)
{
    writer_pieces_close(out->pieces, release_piece);
    for (size_t i = 0; out->encoders != NULL && i < writer_encoder_count(out->sink->threads); i++)
        spall_encoder_release(&out->encoders[i]);
}

static bool prepare(SpallOut *out, Err *err)
{
    const Trace *trace = out->trace;
    const char  *end;
    out->is_own = strcmp(trace->source.format_name, "spall") == 0;
    out->has_repeats = trace_has_repeats(trace);
    out->was_spall = out->is_own || spall_other_data(trace, "\"source_format\":\"spall\"", &end) != NULL;
    out->levels = ARENA_ARRAY(&out->arena, LaneLevel, lane_walk_levels(trace));
    spall_heads_make(&out->heads, out->layout, 0, 0);
    if (out->levels == NULL || !window_begins_collect(trace, &out->arena, &out->begins) ||
        !writer_ids_open(&out->ids, trace, UINT32_MAX, UINT32_MAX, &out->arena))
        return err_set(err, ERR_MEMORY, "out of memory for the output");
    if (!spall_clock_make(&out->clock, trace, out->layout, &out->arena, out->report, err)) return false;
    put_header(out);
    return start_encoding(out) || err_set(err, ERR_MEMORY, "out of memory for the output");
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
    done = done && writer_pieces_finish(out.pieces, err);
    frame_end(&out);
    if (done && layout->frame_size != 0 && !out.frame.has_time) {
        frame_begin(&out, out.pid,
                    out.tid); /* viewers read 8 bytes for each record: a short name must not end the file */
        frame_end(&out);
    }
    done = done && writer_flush(sink, &out.buffer, 0, err);
    if (done) report_losses(&out);
    stop_encoding(&out);
    bytes_release(&out.buffer);
    bytes_release(&out.name);
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
