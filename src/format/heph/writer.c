#include "format/heph/writer.h"

#include "base/json_members.h"
#include "format/heph/names.h"
#include "format/heph/writer_clock.h"
#include "format/heph/writer_packet.h"
#include "format/heph/writer_place.h"
#include "format/heph/writer_values.h"
#include "format/pending_ends.h"
#include "format/writer_pieces.h"
#include "trace/store/event_order.h"
#include "trace/store/lookup.h"
#include "trace/store/window.h"

#include <assert.h>
#include <string.h>

/* Losses, counted during writing. */
typedef struct HephLosses {
    uint64_t cut_names, categories, fields, unreadable, rounded, out_of_range, too_large;
    uint64_t closed, no_end, repaired;
    uint64_t cut_texts, cut_arrays, as_texts; /* of the values */
} HephLosses;

/* The state of a thread that writes packets. It has copies of the data of HephOut that are read for each event: the other
 * threads write to the same cache lines. */
typedef struct HephEncoder {
    const Trace     *trace;  /* borrowed */
    const HephPlace *tracks; /* HephPlaces.tracks */
    HephClock        clock;
    bool             from_json;
    WriterLabel     *labels; /* borrowed */
    Arena            arena;  /* of the reader */
    DetailReader    *reader;
    EventDetails     details; /* of the current event */
    HephEvent        event;   /* the packet that is written, without attributes */
    HephValues       values;
    HephLosses       losses;
} HephEncoder;

/* A slice or an instant to write. */
typedef struct HephItem {
    uint64_t id;
    int64_t  end_tick;
    uint32_t track;
    uint32_t counter; /* of the event in its stream */
    bool     is_slice;
} HephItem;

/* Adjacent events of the output: about WRITER_BLOCK_BYTES. */
enum { PIECE_ITEMS = 4096 };
typedef struct HephPiece {
    HephItem items[PIECE_ITEMS];
    size_t   count;
    Bytes    out; /* their packets */
} HephPiece;

typedef struct HephOut {
    const Loaded     *loaded; /* borrowed */
    const Trace      *trace;
    const OutputSink *sink;
    WriterReport     *report;
    Arena             arena;
    Bytes             buffer; /* of the options */
    PendingEnds       ends;
    HephClock         clock;
    HephPlaces        places;
    WindowBegins      begins;   /* slices that begin before the range and end inside it */
    HephValues        values;   /* of the options */
    uint32_t         *counters; /* by process: the counter of its stream's next event */
    bool             *touches;  /* by row: the result of changes_depth for its latest slice, of any length */
    HephEncoder      *encoders;
    WriterPieces     *pieces;
    HephPiece        *piece; /* the one to fill */
    uint64_t          moved; /* slices that can change their depth */
    bool              from_json;
} HephOut;

/* -- packets -- */

/* Loads the details of the current event. Counts details that cannot be decoded. Returns false on other errors. */
static bool load_details(HephEncoder *encoder, const HephItem *item, Err *err)
{
    const ReadDetails read = item->is_slice ? detail_reader_slice : detail_reader_instant;
    if (read(encoder->reader, item->id, &encoder->details, err)) return true;
    if (err->code == ERR_IO || err->code == ERR_MEMORY) return false;
    bytes_clear(&encoder->details.args);
    bytes_clear(&encoder->details.other);
    encoder->losses.unreadable++;
    return true;
}

/* Returns the object beside the arguments in JSON that `convert --to=json` wrote from a Heph trace. The reader of JSON
 * gives it as {"other": OBJECT}. Empty for other traces. */
static StringView beside_args(const HephEncoder *encoder)
{
    JsonMembers members;
    StringView  key, value;
    if (!encoder->from_json || !json_members_open(bytes_view(&encoder->details.other), &members))
        return STRING_LITERAL("");
    while (json_members_next(&members, &key, &value)) {
        if (string_equal(key, STRING_LITERAL("\"other\""))) return value;
    }
    return STRING_LITERAL("");
}

static void count_flags(HephLosses *losses, uint8_t flags)
{
    losses->closed += (flags & SLICE_UNFINISHED) != 0;
    losses->no_end += (flags & SLICE_NO_END) != 0;
    losses->repaired += (flags & SLICE_REPAIRED) != 0;
}

/* Appends the packet of an event with its details. */
static void put_event(HephEncoder *encoder, const HephItem *item, Bytes *packets)
{
    const Trace       *trace = encoder->trace;
    const HephPlace   *place = &encoder->tracks[item->track];
    const WriterLabel *label = &encoder->labels[item->is_slice ? trace_slice_label(trace, item->id)
                                                               : trace_instant_label(trace, item->id)];
    const int64_t      begin_tick = item->is_slice ? trace_slice_begin(trace, item->id) : item->end_tick;
    HephTimeFit        fit = HEPH_TIME_EXACT;
    HephEvent         *event = &encoder->event;
    HephLosses        *losses = &encoder->losses;
    size_t             packet;
    event->stream = place->stream;
    event->counter = item->counter;
    event->substream = place->substream;
    event->start = heph_clock_ns(&encoder->clock, begin_tick, &fit);
    event->end = heph_clock_ns(&encoder->clock, item->end_tick, &fit);
    event->description = label->name;
    losses->cut_names += !heph_event_begin(packets, event, &packet);
    size_t described = packets->size;
    heph_put_attributes(&encoder->values, bytes_view(&encoder->details.args), beside_args(encoder), packets);
    if (heph_packet_size(packets, packet) > HEPH_MOST_BYTES) { /* readers reject a larger packet */
        packets->size = described;
        losses->too_large++;
    }
    heph_packet_end(packets, packet);
    losses->rounded += fit == HEPH_TIME_ROUNDED;
    losses->out_of_range += fit == HEPH_TIME_OUT_OF_RANGE;
    losses->categories += label->has_category;
    losses->fields += encoder->details.other.size > 2;
    if (item->is_slice) count_flags(losses, trace_slice_flags(trace, item->id));
}

/* Writes the packets of a piece. A PieceWork. */
static bool encode_piece(void *context, size_t number, void *to, Err *err)
{
    HephEncoder *encoder = &((const HephOut *)context)->encoders[number];
    HephPiece   *piece = to;
    for (size_t i = 0; i < piece->count; i++) {
        if (!load_details(encoder, &piece->items[i], err)) return false;
        put_event(encoder, &piece->items[i], &piece->out);
    }
    return true;
}

static bool pass_piece(void *context, void *from, Err *err)
{
    const HephOut *out = context;
    HephPiece     *piece = from;
    piece->count = 0;
    return writer_flush(out->sink, &piece->out, 0, err);
}

static void release_piece(void *piece)
{
    bytes_release(&((HephPiece *)piece)->out);
}

/* -- events -- */

/* Adds an event to the output. */
static bool put_item(HephOut *out, uint32_t track, uint64_t id, int64_t end_tick, bool is_slice, Err *err)
{
    const uint32_t counter = out->counters[out->trace->tracks[track].process.index]++;
    out->piece->items[out->piece->count++] = (HephItem){ id, end_tick, track, counter, is_slice };
    if (out->piece->count == PIECE_ITEMS) out->piece = writer_pieces_next(out->pieces, err);
    return out->piece != NULL;
}

static bool put_slice(HephOut *out, const PendingEnd *end, Err *err)
{
    const Trace *trace = out->trace;
    assert(end->place < trace->row_count &&
           end->slice - trace->rows[end->place].first_slice < trace->rows[end->place].slice_count);
    return put_item(out, trace->rows[end->place].track, end->slice, end->tick, true, err);
}

static bool put_instant(HephOut *out, const OrderedEvent *event, Err *err)
{
    const Trace   *trace = out->trace;
    const uint32_t thread = trace_instant_thread(trace, event->id);
    return put_item(out, thread == TRACK_NONE.index ? trace->rows[event->row].track : thread, event->id,
                    event->tick, false, err);
}

/* True if the row has a slice that begins at the end of this one. */
static bool touches_next(const Trace *trace, const Row *row, uint64_t slice, int64_t end)
{
    const uint64_t next = slice + 1;
    return next < row->first_slice + row->slice_count && trace_slice_begin(trace, next) == end;
}

/* True if a slice of length 0 can change its depth in a Heph trace: if a slice begins at its time, beside it or
 * beside a parent that ends at its time, it becomes the child of that slice. On a thread with several lanes a slice
 * that begins on another lane may also have ended that parent. Slices come in order of begin, so the latest slice of
 * the row above is the parent. out->touches has the result for it, so each slice takes one step. */
static bool changes_depth(HephOut *out, uint32_t row, uint64_t slice, int64_t end)
{
    const Trace *trace = out->trace;
    const Row   *r = &trace->rows[row];
    uint64_t     parent;
    assert(slice >= r->first_slice && slice < r->first_slice + r->slice_count);
    const bool is_empty = trace_slice_is_empty(trace, slice);
    /* for other slices the parent does not matter, and it takes a search */
    const bool ends_with_parent = (is_empty || (r->depth > 0 && out->touches[row - 1])) &&
                                  trace_slice_parent(trace, row, slice, &parent) &&
                                  trace_slice_end(trace, parent) == end;
    out->touches[row] = touches_next(trace, r, slice, end) || (ends_with_parent && out->touches[row - 1]);
    if (!is_empty) return false;
    return out->touches[row] || (ends_with_parent && track_lane_count(trace, &trace->tracks[r->track]) > 1);
}

/* Adds a slice to the heap. It is written at its end: before its ancestors and after its descendants that end at the
 * same time. */
static void begin_slice(HephOut *out, const OrderedEvent *event)
{
    const Trace *trace = out->trace;
    int64_t      end = trace_slice_end_from(trace, event->id, event->tick);
    out->moved += changes_depth(out, event->row, event->id, end);
    pending_end_push(&out->ends, &(PendingEnd){ .tick = end,
                                                .rank = UINT32_MAX - trace->rows[event->row].depth,
                                                .slice = event->id,
                                                .place = event->row });
}

static bool put_ended(HephOut *out, bool (*is_due)(const PendingEnd *end, int64_t tick), int64_t tick,
                      Err *err)
{
    const PendingEnd *end;
    while ((end = pending_end_first(&out->ends)) != NULL && is_due(end, tick)) {
        PendingEnd ended = pending_end_pop(&out->ends);
        if (!put_slice(out, &ended, err)) return false;
    }
    return !out->ends.heap.bytes.failed || err_set(err, ERR_MEMORY, "out of memory for open slices");
}

static bool is_before(const PendingEnd *end, int64_t tick)
{
    return end->tick < tick;
}

static bool is_any(const PendingEnd *end, int64_t tick)
{
    (void)end;
    (void)tick;
    return true;
}

static bool put_events(HephOut *out, Err *err)
{
    const Trace *trace = out->trace;
    EventOrder  *order = event_order_create_with_samples(trace, &out->arena);
    OrderedEvent event;
    if (order == NULL) return err_set(err, ERR_MEMORY, "out of memory for the order of events");
    while (event_order_next(order, &event)) {
        if (event.kind == ORDER_OTHER) continue;
        if (!put_ended(out, is_before, event.tick, err)) return false;
        if (event.kind == ORDER_SLICE)
            begin_slice(out, &event);
        else if (!put_instant(out, &event, err))
            return false;
    }
    return put_ended(out, is_any, 0, err) && writer_pieces_finish(out->pieces, err);
}

/* -- options, before the events -- */

/* Writes a text property of the trace as an option. Returns false if the property is not a text, if its name would be
 * read as another option, or if it is the time unit for JSON viewers. */
static bool put_property(HephOut *out, const Property *property)
{
    StringView key = trace_string(out->trace, property->key), json = { property->json, property->size };
    size_t     packet;
    if (json.size == 0 || json.bytes[0] != '"' || string_equal(key, STRING_LITERAL("epoch")) ||
        string_equal(key, STRING_LITERAL("displayTimeUnit")) ||
        string_equal(key, STRING_LITERAL(HEPH_STREAM_NAME)) ||
        string_equal(key, STRING_LITERAL(HEPH_SUBSTREAM_NAME)))
        return false;
    StringView text = heph_unquote(&out->values, json);
    if (text.size > HEPH_MOST_TEXT || key.size > HEPH_MOST_TEXT) return false;
    (void)heph_option_begin(&out->buffer, key, &packet);
    (void)heph_put_text(&out->buffer, text);
    heph_packet_end(&out->buffer, packet);
    return true;
}

/* True if the epoch option already has the property's value. */
static bool is_of_clock(const HephOut *out, const Property *property)
{
    StringView key = trace_string(out->trace, property->key);
    return out->clock.has_epoch && (string_equal(key, STRING_LITERAL("epoch")) ||
                                    string_equal(key, STRING_LITERAL("baseTimeNanoseconds")));
}

static bool put_options(HephOut *out, Err *err)
{
    const Trace *trace = out->trace;
    uint64_t     lost = 0;
    if (out->clock.has_epoch) heph_put_epoch(&out->buffer, out->clock.epoch);
    for (uint32_t i = 0; i < trace->records.property_count; i++) {
        if (!is_of_clock(out, &trace->records.properties[i]))
            lost += !put_property(out, &trace->records.properties[i]);
        if (!writer_flush(out->sink, &out->buffer, WRITER_BLOCK_BYTES, err)) return false;
    }
    for (uint32_t p = 0; p <= trace->process_count; p++) {
        heph_put_names(&out->places, trace, p, &out->buffer);
        if (!writer_flush(out->sink, &out->buffer, WRITER_BLOCK_BYTES, err)) return false;
    }
    writer_report(out->report, lost, "facts about the whole trace are left out");
    return true;
}

/* -- losses -- */

static bool is_kept_metadata(const HephOut *out, const OtherEvent *other)
{
    StringView name = trace_label_name(out->trace, other->label);
    if (!other->is_metadata) return false;
    return !out->from_json || string_equal(name, STRING_LITERAL("process_name")) ||
           string_equal(name, STRING_LITERAL("thread_name"));
}

static void report_kinds(HephOut *out)
{
    const Trace       *trace = out->trace;
    const WindowCounts counts = trace_window_counts(trace);
    for (uint64_t i = 0; i < trace->records.other_count; i++) {
        const OtherEvent *other = &trace->records.others[i];
        if (!window_has_other(trace, &out->begins, other)) continue;
        if (!is_kept_metadata(out, other) && !writer_is_sample(trace, other))
            writer_report_kind(out->report, 1, "events that are not slices are left out",
                               trace_string(trace, trace->records.event_kinds[other->kind].name));
    }
    writer_report(out->report, counts.async_slices, "asynchronous slices are written to separate substreams");
    writer_report(out->report, counts.states, "states of threads are written to separate substreams");
    writer_report(out->report, counts.sample_slices,
                  "samples become events on separate substreams, without file and line");
    writer_report(out->report, counts.instants + counts.async_instants,
                  "instants become events of no length");
    writer_report(out->report, counts.flows, "arrows between slices are left out");
    if (!out->from_json)
        writer_report(out->report, counts.counter_samples, "values of counters are left out");
    writer_report(out->report, counts.stacks, "stacks of slices and instants are left out");
}

/* Adds up the losses of all encoders. */
static HephLosses sum_losses(const HephOut *out)
{
    HephLosses sum = { 0 };
    for (size_t i = 0; i < writer_encoder_count(out->sink->threads); i++) {
        const HephLosses *l = &out->encoders[i].losses;
        const HephValues *values = &out->encoders[i].values;
        sum.cut_names += l->cut_names;
        sum.categories += l->categories;
        sum.fields += l->fields;
        sum.unreadable += l->unreadable;
        sum.rounded += l->rounded;
        sum.out_of_range += l->out_of_range;
        sum.too_large += l->too_large;
        sum.closed += l->closed;
        sum.no_end += l->no_end;
        sum.repaired += l->repaired;
        sum.cut_texts += values->cut_texts;
        sum.cut_arrays += values->cut_arrays;
        sum.as_texts += values->as_texts;
    }
    return sum;
}

static void report_losses(HephOut *out)
{
    const HephLosses losses = sum_losses(out), *l = &losses;
    report_kinds(out);
    writer_report(out->report, out->places.replaced_count,
                  "ids of processes and threads are not numbers, or are too large: they are replaced");
    writer_report(out->report, l->cut_names + out->places.cut_names, "names are cut at 65535 bytes");
    writer_report(out->report, l->cut_texts, "texts in arguments are cut at 65535 bytes");
    writer_report(out->report, l->cut_arrays, "arrays in arguments are cut at 65535 elements");
    writer_report(out->report, l->as_texts,
                  "arguments other than numbers, texts and arrays of one kind become the text of their JSON");
    writer_report(out->report, l->too_large, "events lose arguments of more than 64 MiB");
    writer_report(out->report, l->categories, "events lose their category");
    writer_report(out->report, l->fields, "events lose fields beside their arguments");
    writer_report(out->report, l->unreadable, "events lose arguments that cannot be decoded again");
    writer_report(out->report, l->closed, "unfinished slices end where they are drawn to");
    writer_report(out->report, l->no_end, "slices lose the flag that another slice's end closed them");
    writer_report(out->report, l->repaired, "slices lose the flag that their times were repaired");
    writer_report(
        out->report, out->moved,
        "slices of length 0 can change their depth: they become children of slices that begin at their time");
    writer_report(out->report, l->rounded, "times are rounded to a nanosecond");
    writer_report(out->report, l->out_of_range,
                  "events are moved in time: their times do not fit into 64 bits of nanoseconds");
}

/* -- the whole -- */

/* Makes the encoders and the pieces. False when out of memory. */
static bool start_encoding(HephOut *out)
{
    const PieceWork work = { encode_piece, pass_piece, out };
    const size_t    count = writer_encoder_count(out->sink->threads);
    WriterLabel    *labels = writer_labels(out->trace, &out->arena);
    out->encoders = ARENA_ARRAY(&out->arena, HephEncoder, count);
    if (labels == NULL || out->encoders == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        HephEncoder *encoder = &out->encoders[i];
        *encoder = (HephEncoder){ .trace = out->trace,
                                  .tracks = out->places.tracks,
                                  .clock = out->clock,
                                  .labels = labels,
                                  .from_json = out->from_json };
        encoder->reader = detail_reader_create(&encoder->arena, out->loaded);
        if (encoder->reader == NULL) return false;
    }
    out->pieces = writer_pieces_start(&out->arena, &work, sizeof(HephPiece), out->sink->threads);
    if (out->pieces != NULL) out->piece = writer_pieces_current(out->pieces);
    return out->pieces != NULL;
}

static void stop_encoding(HephOut *out)
{
    writer_pieces_close(out->pieces, release_piece);
    for (size_t i = 0; out->encoders != NULL && i < writer_encoder_count(out->sink->threads); i++) {
        HephEncoder *encoder = &out->encoders[i];
        detail_reader_release(encoder->reader);
        heph_values_release(&encoder->values);
        bytes_release(&encoder->details.args);
        bytes_release(&encoder->details.other);
        arena_release(&encoder->arena);
    }
}

static bool prepare(HephOut *out, Err *err)
{
    const Trace *trace = out->trace;
    out->from_json = strcmp(trace->source.format_name, "trace-event") == 0;
    out->counters = ARENA_ARRAY(&out->arena, uint32_t, (size_t)trace->process_count + 1);
    out->touches = ARENA_ARRAY(&out->arena, bool, (size_t)trace->row_count + 1);
    out->clock = heph_clock_for(trace, out->report);
    return (out->counters != NULL && out->touches != NULL &&
            window_begins_collect(trace, &out->arena, &out->begins) &&
            heph_places_make(&out->places, trace, &out->arena) && start_encoding(out)) ||
           err_set(err, ERR_MEMORY, "out of memory for the output");
}

static bool write_trace(const Loaded *loaded, const OutputSink *sink, WriterReport *report, Err *err)
{
    if (strcmp(loaded->trace->source.format_name, "heph") == 0) return heph_copy(loaded, sink, report, err);
    HephOut out = { .loaded = loaded, .trace = loaded->trace, .sink = sink, .report = report };
    bool    done = prepare(&out, err) && put_options(&out, err) && writer_flush(sink, &out.buffer, 0, err) &&
                put_events(&out, err);
    if (done) report_losses(&out);
    stop_encoding(&out);
    heph_values_release(&out.values);
    bytes_release(&out.buffer);
    vec_release(&out.ends.heap);
    arena_release(&out.arena);
    return done;
}

const FormatWriter HEPH_WRITER = {
    .name = "heph",
    .suffix = "heph",
    .what = "Heph packets: streams, substreams, typed attributes",
    .write = write_trace,
};
