#include "format/heph/writer.h"

#include "base/json_members.h"
#include "format/heph/names.h"
#include "format/heph/writer_clock.h"
#include "format/heph/writer_packet.h"
#include "format/heph/writer_place.h"
#include "format/heph/writer_values.h"
#include "format/pending_ends.h"
#include "trace/store/event_order.h"
#include "trace/store/lookup.h"
#include "trace/store/window.h"

#include <assert.h>
#include <string.h>

/* Losses, counted during writing. */
typedef struct HephLosses {
    uint64_t cut_names, categories, fields, unreadable, rounded, out_of_range, too_large;
    uint64_t closed, no_end, repaired, moved;
} HephLosses;

typedef struct HephOut {
    const Loaded     *loaded; /* borrowed */
    const Trace      *trace;
    const OutputSink *sink;
    WriterReport     *report;
    Arena             arena;
    Bytes             buffer;
    PendingEnds       ends; /* heap of the ends of open slices (pending_ends.h) */
    HephClock         clock;
    HephPlaces        places;
    WindowBegins      begins; /* slices that begin before the range and end inside it */
    HephValues        values;
    uint32_t         *counters; /* by process: the counter of its stream's next event */
    bool             *touches;  /* by row: the result of changes_depth for its latest slice, of any length */
    DetailReader     *reader;
    EventDetails      details; /* of the current event */
    HephLosses        losses;
    bool              from_json;
} HephOut;

/* -- events -- */

/* Loads the details of the current event. Counts details that cannot be decoded. Returns false on other errors. */
static bool load_details(HephOut *out, ReadDetails read, uint64_t id, Err *err)
{
    if (read(out->reader, id, &out->details, err)) return true;
    if (err->code == ERR_IO || err->code == ERR_MEMORY) return false;
    bytes_clear(&out->details.args);
    bytes_clear(&out->details.other);
    out->losses.unreadable++;
    return true;
}

/* Returns the object beside the arguments in JSON that `convert --to=json` wrote from a Heph trace. The reader of JSON
 * gives it as {"other": OBJECT}. Empty for other traces. */
static StringView beside_args(const HephOut *out)
{
    JsonMembers members;
    StringView  key, value;
    if (!out->from_json || !json_members_open(bytes_view(&out->details.other), &members))
        return STRING_LITERAL("");
    while (json_members_next(&members, &key, &value)) {
        if (string_equal(key, STRING_LITERAL("\"other\""))) return value;
    }
    return STRING_LITERAL("");
}

/* Writes the current event with its details. */
static bool put_event(HephOut *out, uint32_t track, uint32_t label, int64_t begin_tick, int64_t end_tick,
                      Err *err)
{
    const Trace     *trace = out->trace;
    const HephPlace *place = &out->places.tracks[track];
    HephTimeFit      fit = HEPH_TIME_EXACT;
    HephEvent        event = { .stream = place->stream,
                               .counter = out->counters[trace->tracks[track].process.index]++,
                               .substream = place->substream,
                               .start = heph_clock_ns(&out->clock, begin_tick, &fit),
                               .end = heph_clock_ns(&out->clock, end_tick, &fit),
                               .description = trace_label_name(trace, label) };
    size_t           packet;
    out->losses.cut_names += !heph_event_begin(&out->buffer, &event, &packet);
    size_t described = out->buffer.size;
    heph_put_attributes(&out->values, bytes_view(&out->details.args), beside_args(out), &out->buffer);
    if (heph_packet_size(&out->buffer, packet) > HEPH_MOST_BYTES) { /* readers reject a larger packet */
        out->buffer.size = described;
        out->losses.too_large++;
    }
    heph_packet_end(&out->buffer, packet);
    out->losses.rounded += fit == HEPH_TIME_ROUNDED;
    out->losses.out_of_range += fit == HEPH_TIME_OUT_OF_RANGE;
    out->losses.categories += trace_label_category(trace, label).size > 0;
    out->losses.fields += out->details.other.size > 2;
    return writer_flush(out->sink, &out->buffer, WRITER_BLOCK_BYTES, err);
}

static bool put_slice(HephOut *out, const PendingEnd *end, Err *err)
{
    const Trace *trace = out->trace;
    uint64_t     slice = end->slice;
    uint8_t      flags = trace_slice_flags(trace, slice);
    assert(end->place < trace->row_count &&
           slice - trace->rows[end->place].first_slice < trace->rows[end->place].slice_count);
    out->losses.closed += (flags & SLICE_UNFINISHED) != 0;
    out->losses.no_end += (flags & SLICE_NO_END) != 0;
    out->losses.repaired += (flags & SLICE_REPAIRED) != 0;
    return load_details(out, detail_reader_slice, slice, err) &&
           put_event(out, trace->rows[end->place].track, trace_slice_label(trace, slice),
                     trace_slice_begin(trace, slice), end->tick, err);
}

static bool put_instant(HephOut *out, const OrderedEvent *event, Err *err)
{
    const Trace *trace = out->trace;
    uint32_t     track = trace->rows[event->row].track, thread = trace_instant_thread(trace, event->id);
    int64_t      tick = trace_instant_tick(trace, event->id);
    return load_details(out, detail_reader_instant, event->id, err) &&
           put_event(out, thread == TRACK_NONE.index ? track : thread, trace_instant_label(trace, event->id),
                     tick, tick, err);
}

/* True if the row has a slice that begins at the end of this one. */
static bool touches_next(const Trace *trace, const Row *row, uint64_t slice)
{
    const uint64_t next = slice + 1;
    return next < row->first_slice + row->slice_count &&
           trace_slice_begin(trace, next) == trace_slice_end(trace, slice);
}

/* True if a slice of length 0 can change its depth in a Heph trace: if a slice begins at its time, beside it or
 * beside a parent that ends at its time, it becomes the child of that slice. On a thread with several lanes a slice
 * that begins on another lane may also have ended that parent. Slices come in order of begin, so the latest slice of
 * the row above is the parent. out->touches has the result for it, so each slice takes one step. */
static bool changes_depth(HephOut *out, uint32_t row, uint64_t slice)
{
    const Trace *trace = out->trace;
    const Row   *r = &trace->rows[row];
    uint64_t     parent;
    assert(slice >= r->first_slice && slice < r->first_slice + r->slice_count);
    const bool is_empty = trace_slice_is_empty(trace, slice);
    /* for other slices the parent does not matter, and it takes a search */
    const bool ends_with_parent = (is_empty || (r->depth > 0 && out->touches[row - 1])) &&
                                  trace_slice_parent(trace, row, slice, &parent) &&
                                  trace_slice_end(trace, parent) == trace_slice_end(trace, slice);
    out->touches[row] = touches_next(trace, r, slice) || (ends_with_parent && out->touches[row - 1]);
    if (!is_empty) return false;
    return out->touches[row] || (ends_with_parent && track_lane_count(trace, &trace->tracks[r->track]) > 1);
}

/* Adds a slice to the heap. It is written at its end: before its ancestors and after its descendants that end at the
 * same time. */
static void begin_slice(HephOut *out, const OrderedEvent *event)
{
    const Trace *trace = out->trace;
    int64_t      end = trace_slice_end(trace, event->id);
    out->losses.moved += changes_depth(out, event->row, event->id);
    pending_end_push(&out->ends, (PendingEnd){ .tick = end,
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
    return !out->ends.bytes.failed || err_set(err, ERR_MEMORY, "out of memory for open slices");
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
        if (!put_ended(out, is_before, event_order_tick(trace, &event), err)) return false;
        if (event.kind == ORDER_SLICE)
            begin_slice(out, &event);
        else if (!put_instant(out, &event, err))
            return false;
    }
    return put_ended(out, is_any, 0, err);
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

static void report_losses(HephOut *out)
{
    const HephLosses *l = &out->losses;
    const HephValues *values = &out->values;
    report_kinds(out);
    writer_report(out->report, out->places.replaced_count,
                  "ids of processes and threads are not numbers, or are too large: they are replaced");
    writer_report(out->report, l->cut_names + out->places.cut_names, "names are cut at 65535 bytes");
    writer_report(out->report, values->cut_texts, "texts in arguments are cut at 65535 bytes");
    writer_report(out->report, values->cut_arrays, "arrays in arguments are cut at 65535 elements");
    writer_report(out->report, values->as_texts,
                  "arguments other than numbers, texts and arrays of one kind become the text of their JSON");
    writer_report(out->report, l->too_large, "events lose arguments of more than 64 MiB");
    writer_report(out->report, l->categories, "events lose their category");
    writer_report(out->report, l->fields, "events lose fields beside their arguments");
    writer_report(out->report, l->unreadable, "events lose arguments that cannot be decoded again");
    writer_report(out->report, l->closed, "unfinished slices end where they are drawn to");
    writer_report(out->report, l->no_end, "slices lose the flag that another slice's end closed them");
    writer_report(out->report, l->repaired, "slices lose the flag that their times were repaired");
    writer_report(
        out->report, l->moved,
        "slices of length 0 can change their depth: they become children of slices that begin at their time");
    writer_report(out->report, l->rounded, "times are rounded to a nanosecond");
    writer_report(out->report, l->out_of_range,
                  "events are moved in time: their times do not fit into 64 bits of nanoseconds");
}

/* -- the whole -- */

static bool prepare(HephOut *out, Err *err)
{
    const Trace *trace = out->trace;
    out->from_json = strcmp(trace->source.format_name, "trace-event") == 0;
    out->counters = ARENA_ARRAY(&out->arena, uint32_t, (size_t)trace->process_count + 1);
    out->touches = ARENA_ARRAY(&out->arena, bool, (size_t)trace->row_count + 1);
    out->reader = detail_reader_create(&out->arena, out->loaded);
    if (out->counters == NULL || out->touches == NULL || out->reader == NULL ||
        !window_begins_collect(trace, &out->arena, &out->begins) ||
        !heph_places_make(&out->places, trace, &out->arena))
        return err_set(err, ERR_MEMORY, "out of memory for the output");
    out->clock = heph_clock_for(trace, out->report);
    return true;
}

static bool write_trace(const Loaded *loaded, const OutputSink *sink, WriterReport *report, Err *err)
{
    if (strcmp(loaded->trace->source.format_name, "heph") == 0) return heph_copy(loaded, sink, report, err);
    HephOut out = { .loaded = loaded, .trace = loaded->trace, .sink = sink, .report = report };
    bool    done = prepare(&out, err) && put_options(&out, err) && put_events(&out, err) &&
                writer_flush(sink, &out.buffer, 0, err);
    if (done) report_losses(&out);
    detail_reader_release(out.reader);
    heph_values_release(&out.values);
    bytes_release(&out.details.args);
    bytes_release(&out.details.other);
    bytes_release(&out.buffer);
    vec_release(&out.ends);
    arena_release(&out.arena);
    return done;
}

const FormatWriter HEPH_WRITER = {
    .name = "heph",
    .suffix = "heph",
    .what = "Heph packets: streams, substreams, typed attributes",
    .write = write_trace,
};
