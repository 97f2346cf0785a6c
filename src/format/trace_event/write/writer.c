#include "format/trace_event/write/writer.h"

#include "base/checked.h"
#include "format/trace_event/write/counters.h"
#include "format/trace_event/write/facts.h"
#include "format/trace_event/write/head.h"
#include "trace/scan/scan.h"
#include "trace/store/event_order.h"
#include "trace/store/flows.h"
#include "trace/store/lookup.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool json_out_flush(JsonOut *out, size_t threshold, Err *err)
{
    if (out->title.failed) return err_set(err, ERR_MEMORY, "out of memory for a name");
    return writer_flush(out->sink, &out->buffer, threshold, err);
}

/* -- pieces -- */

static bool encode_piece(void *context, size_t encoder, void *piece, Err *err)
{
    return json_encode(&((const JsonOut *)context)->encoders[encoder], piece, err);
}

static bool pass_piece(void *context, void *from, Err *err)
{
    JsonOut     *out = context;
    JsonPiece   *piece = from;
    const size_t skipped = out->has_lines ? 0 : 2; /* the comma and the line break before the first line */
    bool         done = true;
    if (piece->out.size > 0) {
        done =
            out->sink->append(out->sink->context, piece->out.data + skipped, piece->out.size - skipped, err);
        out->has_lines = true;
    }
    piece->count = 0;
    vec_clear(&piece->values);
    bytes_clear(&piece->out);
    return done;
}

static void release_piece(void *piece)
{
    vec_release(&((JsonPiece *)piece)->values);
    bytes_release(&((JsonPiece *)piece)->out);
}

static bool put_item(JsonOut *out, const JsonItem *item, Err *err)
{
    enum { PIECE_VALUES = 1 << 15 };
    JsonPiece *piece = out->piece;
    piece->items[piece->count++] = *item;
    if (piece->count == JSON_PIECE_ITEMS || vec_count(&piece->values) >= PIECE_VALUES)
        out->piece = writer_pieces_next(out->pieces, err);
    return out->piece != NULL;
}

/* -- slices -- */

/* Stores the root of a slice of an asynchronous track. Slices come in order of begin, so the latest slice of the row
 * above is the parent, whose root is known. */
static void note_root(JsonOut *out, uint32_t row, uint64_t slice)
{
    assert(out->trace->rows[row].depth == 0 ||
           (row > 0 && out->trace->rows[row - 1].depth + 1 == out->trace->rows[row].depth));
    out->async_roots[row] = out->trace->rows[row].depth == 0 ? slice : out->async_roots[row - 1];
}

/* True if the end of the slice is an event of its own. */
static bool has_end_event(const JsonOut *out, TrackKind kind, uint64_t slice)
{
    const Trace *trace = out->trace;
    const bool   is_open = (trace_slice_flags(trace, slice) & SLICE_UNFINISHED) != 0;
    if (kind == TRACK_ASYNC) return !is_open;
    if (kind == TRACK_STATES) return !out->own_format && !is_open && !trace_slice_is_empty(trace, slice);
    return slice_marks_form(&out->plan->marks, slice) == FORM_BEGIN_END;
}

/* Adds a slice to the output, and its end to the heap. Of several ends at one time the innermost slice, which began last, ends
 * first. */
static bool put_slice(JsonOut *out, const OrderedEvent *event, Err *err)
{
    const Trace    *trace = out->trace;
    JsonItem        item = { ITEM_SLICE, trace->rows[event->row].track, event->id, event->tick, 0 };
    const TrackKind kind = trace->tracks[item.track].kind;
    if (kind == TRACK_ASYNC) {
        note_root(out, event->row, event->id);
        item.root = out->async_roots[event->row];
    }
    if (has_end_event(out, kind, event->id))
        pending_end_push(&out->ends,
                         &(PendingEnd){ .tick = trace_slice_end_from(trace, event->id, event->tick),
                                        .rank = UINT64_MAX - out->begin_count++,
                                        .slice = event->id,
                                        .place = event->row,
                                        .is_async = kind == TRACK_ASYNC });
    return put_item(out, &item, err);
}

/* Adds the end of a slice. It is the latest slice of its row: slices that begin at its end come after the end. */
static bool put_slice_end(JsonOut *out, const PendingEnd *end, Err *err)
{
    const JsonItem item = { .kind = ITEM_SLICE_END,
                            .track = out->trace->rows[end->place].track,
                            .id = end->slice,
                            .tick = end->tick,
                            .root = out->async_roots[end->place] };
    return put_item(out, &item, err);
}

/* -- raw events -- */

static bool is_stray(const JsonOut *out, uint64_t other)
{
    return out->own_format && out->trace->records.others[other].kind == out->plan->end_kind &&
           out->trace->records.others[other].has_tick;
}

/* True if the event must be written in the order of the file: for flow events at one time it matters, also between
 * threads. */
static bool keeps_file_order(const JsonOut *out, uint64_t other)
{
    return out->file_order_counts && out->trace->records.others[other].has_tick && !is_stray(out, other);
}

static int compare_strays(const void *left, const void *right)
{
    const StrayKey *a = left, *b = right;
    if (a->tick != b->tick) return a->tick < b->tick ? -1 : 1;
    return (a->other > b->other) - (a->other < b->other);
}

static bool collect(JsonOut *out, StrayList *list, bool (*belongs)(const JsonOut *out, uint64_t other))
{
    const Trace *trace = out->trace;
    size_t       count = 0;
    for (uint64_t i = 0; i < trace->records.other_count; i++)
        count += belongs(out, i);
    list->keys = ARENA_ARRAY(&out->arena, StrayKey, count);
    if (list->keys == NULL) return false;
    for (uint64_t i = 0; i < trace->records.other_count; i++) {
        const OtherEvent *other = &trace->records.others[i];
        if (belongs(out, i) && window_has_other(trace, &out->plan->begins, other))
            list->keys[list->count++] = (StrayKey){ other->tick, i };
    }
    assert(list->count <= count);
    count = list->count;
    if (count > 0) qsort(list->keys, count, sizeof list->keys[0], compare_strays);
    return true;
}

static bool collect_all(JsonOut *out)
{
    const Trace *trace = out->trace;
    out->ends_first = ARENA_ARRAY(&out->arena, bool, (size_t)trace->track_count + 1);
    if (out->ends_first == NULL || !collect(out, &out->strays, is_stray) ||
        !collect(out, &out->in_file_order, keeps_file_order))
        return false;
    for (size_t i = 0; i < out->strays.count; i++)
        out->ends_first[trace->records.others[out->strays.keys[i].other].thread] = true;
    return true;
}

/* True if the raw event is a counter's value or a flow's event of a .spall trace: those are written from the columns. */
static bool is_written_from_columns(const Trace *trace, StringView kind)
{
    return strcmp(trace->source.format_name, "spall") == 0 &&
           (string_equal(kind, STRING_LITERAL("Counter")) || string_equal(kind, STRING_LITERAL("Flow")));
}

/* Adds a raw event of this format. Those of other formats are left out; names of processes and threads are written from the
 * trace. */
static bool put_other(JsonOut *out, uint64_t index, Err *err)
{
    const Trace      *trace = out->trace;
    const OtherEvent *other = &trace->records.others[index];
    assert(other->kind < trace->records.event_kind_count);
    if (other->kind == out->plan->sample_kind) return true; /* it is in the list "samples" */
    if (out->own_format) return put_item(out, &(JsonItem){ .kind = ITEM_OTHER, .id = index }, err);
    StringView kind = trace_string(trace, trace->records.event_kinds[other->kind].name);
    if (!other->is_metadata && !writer_is_sample(trace, other) && !is_written_from_columns(trace, kind))
        writer_report_kind(out->report, 1, "events that have no form in this format are left out", kind);
    return true;
}

/* -- the order of events -- */

/* The next event of the trace. */
typedef struct NextEvent {
    OrderedEvent event; /* at the end its tick is INT64_MAX */
    bool         exists;
} NextEvent;

static NextEvent next_of(EventOrder *order)
{
    NextEvent next = { .event.tick = INT64_MAX };
    next.exists = event_order_next(order, &next.event);
    return next;
}

static bool put_event(JsonOut *out, const NextEvent *next, Err *err)
{
    const OrderedEvent *event = &next->event;
    if (event->kind == ORDER_OTHER)
        return is_stray(out, event->id) || keeps_file_order(out, event->id) || put_other(out, event->id, err);
    if (event->kind == ORDER_SLICE) return put_slice(out, event, err);
    const JsonItem item = { .kind = ITEM_INSTANT,
                            .track = out->trace->rows[event->row].track,
                            .id = event->id,
                            .tick = event->tick,
                            .root = UINT64_MAX };
    return put_item(out, &item, err);
}

static const StrayKey *first_of(const StrayList *list)
{
    return list->at < list->count ? &list->keys[list->at] : NULL;
}

/* True if the event is inside the asynchronous slice that ends at the event's time. It must be written before that
 * end, or it would be outside of the slice. */
static bool is_inside(const JsonOut *out, const NextEvent *next, const PendingEnd *end)
{
    const Trace *trace = out->trace;
    if (!end->is_async || next->event.kind == ORDER_OTHER || next->event.tick != end->tick) return false;
    const Row *inner = &trace->rows[next->event.row], *outer = &trace->rows[end->place];
    return inner->track == outer->track && inner->lane == outer->lane && inner->depth > outer->depth;
}

/* Writes the earliest of: the end of an open slice, an unmatched end, a raw event, the next event of the trace. */
static bool put_next(JsonOut *out, EventOrder *order, NextEvent *next, Err *err)
{
    const PendingEnd *end = pending_end_first(&out->ends);
    const StrayKey   *stray = first_of(&out->strays), *kept = first_of(&out->in_file_order);
    bool              kept_is_due = kept != NULL && (!next->exists || kept->tick < next->event.tick);
    int64_t           tick = kept_is_due ? kept->tick : next->event.tick;
    bool end_is_due = end != NULL && end->tick <= tick && (stray == NULL || end->tick <= stray->tick);
    if (end_is_due && !(next->exists && is_inside(out, next, end))) {
        PendingEnd first = pending_end_pop(&out->ends);
        return put_slice_end(out, &first, err);
    }
    if (stray != NULL && stray->tick <= tick) {
        out->strays.at++;
        return put_other(out, stray->other, err);
    }
    if (kept_is_due) {
        out->in_file_order.at++;
        return put_other(out, kept->other, err);
    }
    assert(next->exists); /* nothing else was due */
    if (!put_event(out, next, err)) return false;
    *next = next_of(order);
    return true;
}

static bool put_events(JsonOut *out, Err *err)
{
    EventOrder *order = event_order_create(out->trace, &out->arena);
    if (order == NULL) return err_set(err, ERR_MEMORY, "out of memory for the order of events");
    NextEvent next = next_of(order);
    while (next.exists || pending_end_first(&out->ends) != NULL || first_of(&out->strays) != NULL ||
           first_of(&out->in_file_order) != NULL) {
        if (!put_next(out, order, &next, err)) return false;
        if (out->ends.heap.bytes.failed) return err_set(err, ERR_MEMORY, "out of memory for open slices");
    }
    return true;
}

/* Writes the arrows of other formats; in this format they are raw events. */
static bool put_flows(JsonOut *out, Err *err)
{
    uint64_t count = out->own_format ? 0 : trace_flow_count(out->trace);
    for (uint64_t i = 0; i < count; i++) {
        if (!trace_window_has_flow(out->trace, i)) continue;
        if (!put_item(out, &(JsonItem){ .kind = ITEM_FLOW, .id = i }, err)) return false;
    }
    return true;
}

/* Writes the counters of other formats; in this format they are raw events. */
static bool put_counters(JsonOut *out, Err *err)
{
    const Trace *trace = out->trace;
    CounterWalk  walk;
    if (out->own_format) return true;
    if (!counter_walk_open(&walk, trace, &out->arena))
        return err_set(err, ERR_MEMORY, "out of memory for counters");
    for (uint32_t t = 1; t <= trace->track_count; t++) {
        if (trace->tracks[t].kind != TRACK_COUNTER) continue;
        counter_walk_enter(&walk, t);
        JsonItem item = { .kind = ITEM_VALUES, .track = t };
        while (counter_walk_next(&walk, &item.tick)) {
            item.id = vec_count(&out->piece->values);
            vec_append(&out->piece->values, walk.value, track_row_count(walk.track));
            if (!put_item(out, &item, err)) return false;
        }
    }
    writer_report(out->report, walk.gap_count, "gaps in counters are left out");
    return true;
}

/* -- the whole -- */

/* Sets the phase of each kind of raw event, as JSON; empty for events without a phase. */
static bool prepare_phases(JsonOut *out)
{
    const Trace *trace = out->trace;
    Bytes        text = { 0 };
    out->plan->phases = ARENA_ARRAY(&out->arena, StringView, (size_t)trace->records.event_kind_count + 1);
    out->plan->is_refused = ARENA_ARRAY(&out->arena, bool, (size_t)trace->records.event_kind_count + 1);
    if (out->plan->is_refused == NULL) return false;
    for (uint32_t i = 0; out->plan->phases != NULL && i < trace->records.event_kind_count; i++) {
        StringView name = trace_string(trace, trace->records.event_kinds[i].name);
        out->plan->is_refused[i] = name.size != 1;
        if (string_equal(name, STRING_LITERAL("?"))) continue;
        if (string_equal(name, STRING_LITERAL("E"))) out->plan->end_kind = (uint16_t)i;
        if (string_equal(name, STRING_LITERAL("C"))) out->plan->counter_kind = (uint16_t)i;
        if (out->own_format && string_equal(name, STRING_LITERAL("sample")))
            out->plan->sample_kind = (uint16_t)i;
        if (out->own_format && name.size == 1 && strchr("stfNOD()", name.bytes[0]) != NULL)
            out->file_order_counts = true;
        bytes_clear(&text);
        JsonWriter json = json_writer_to(&text, 0);
        json_string_bytes(&json, name);
        const char *copy = text.failed ? NULL : arena_push_copy(&out->arena, text.data, text.size);
        if (copy == NULL) break;
        out->plan->phases[i] = (StringView){ copy, text.size };
    }
    bool done = out->plan->phases != NULL && !text.failed;
    bytes_release(&text);
    return done;
}

/* Makes times of Heph traces count from 1970, like those of Heph's own converter, unless the sum exceeds the range of
 * readers. */
static void date_times(JsonOut *out)
{
    const Trace *trace = out->trace;
    Clock       *clock = &out->plan->clock;
    bool         is_huge = clock->is_unsigned;
    (void)i64_add_clamped(trace->begin_tick, clock->epoch_unix_ns, &is_huge);
    (void)i64_add_clamped(trace->end_tick, clock->epoch_unix_ns, &is_huge);
    if (strcmp(trace->source.format_name, "heph") != 0 || !clock->has_epoch || is_huge) return;
    clock->origin_ns = clock->epoch_unix_ns;
    clock->epoch_unix_ns = 0;
}

/* Makes the encoders and the pieces. False when out of memory. */
static bool start_encoding(JsonOut *out)
{
    const PieceWork work = { encode_piece, pass_piece, out };
    const size_t    count = writer_encoder_count(out->sink->threads);
    out->encoders = ARENA_ARRAY(&out->arena, JsonEncoder, count);
    for (size_t i = 0; out->encoders != NULL && i < count; i++)
        if (!json_encoder_open(&out->encoders[i], out->plan, out->loaded, &out->arena)) return false;
    if (out->encoders == NULL) return false;
    out->pieces = writer_pieces_start(&out->arena, &work, sizeof(JsonPiece), out->sink->threads);
    if (out->pieces != NULL) out->piece = writer_pieces_current(out->pieces);
    return out->pieces != NULL;
}

static void stop_encoding(JsonOut *out)
{
    writer_pieces_close(out->pieces, release_piece);
    for (size_t i = 0; out->encoders != NULL && i < writer_encoder_count(out->sink->threads); i++)
        json_encoder_release(&out->encoders[i]);
}

static bool make_plan(JsonOut *out)
{
    const Trace *trace = out->trace;
    JsonPlan    *plan = ARENA_NEW(&out->arena, JsonPlan);
    if (plan == NULL) return false;
    out->own_format = strcmp(trace->source.format_name, "trace-event") == 0;
    out->plan = plan;
    *plan = (JsonPlan){ .trace = trace,
                        .clock = trace->clock,
                        .end_kind = UINT16_MAX,
                        .counter_kind = UINT16_MAX,
                        .sample_kind = UINT16_MAX,
                        .own_format = out->own_format };
    date_times(out);
    return writer_places_make(&plan->places, trace, &out->arena) && prepare_phases(out) &&
           window_begins_collect(trace, &out->arena, &plan->begins) &&
           slice_marks_make(&plan->marks, trace, out->own_format ? plan->end_kind : UINT16_MAX, &out->arena);
}

static bool prepare(JsonOut *out, Err *err)
{
    out->async_roots = ARENA_ARRAY(&out->arena, uint64_t, (size_t)out->trace->row_count + 1);
    return (out->async_roots != NULL && make_plan(out) && collect_all(out) && start_encoding(out)) ||
           err_set(err, ERR_MEMORY, "out of memory for the output");
}

/* Counts the slices in the range with repaired times. */
static bool count_repaired(JsonOut *out, uint64_t *count, Err *err)
{
    ScanQuery query = scan_query(SCAN_SLICES, SCAN_COLUMN(SCAN_SLICE_FLAGS));
    query.edges = RANGE_CLOSED;
    trace_window_range(out->trace, &query.begin_tick, &query.end_tick);
    Scan *scan = scan_begin(out->trace, &query, &out->arena, err);
    for (const ScanBatch *batch; scan != NULL && (batch = scan_next(scan)) != NULL;) {
        for (uint32_t i = 0; i < batch->count; i++)
            *count += (batch->columns[SCAN_SLICE_FLAGS].u8[i] & SLICE_REPAIRED) != 0;
    }
    return scan != NULL;
}

/* Adds up the losses of all encoders, except `refused`. */
static JsonLosses sum_losses(const JsonOut *out)
{
    JsonLosses sum = { 0 };
    for (size_t i = 0; i < writer_encoder_count(out->sink->threads); i++) {
        const JsonLosses *l = &out->encoders[i].losses;
        sum.unreadable += l->unreadable;
        sum.no_duration += l->no_duration;
        sum.moved_stack += l->moved_stack;
        sum.closed_state += l->closed_state;
        sum.unfit_metadata += l->unfit_metadata;
        sum.rounded += out->encoders[i].lines.rounded_count;
        sum.dropped += out->encoders[i].lines.dropped_count;
    }
    return sum;
}

/* Reports raw events that were not written. */
static void report_others(JsonOut *out, const JsonLosses *losses)
{
    const Trace *trace = out->trace;
    writer_report(out->report, losses->unfit_metadata,
                  "names of processes and threads that are not texts, which Spall rejects, are left out");
    for (uint32_t kind = 0; kind < trace->records.event_kind_count; kind++)
        for (size_t i = 0; i < writer_encoder_count(out->sink->threads); i++)
            writer_report_kind(out->report, out->encoders[i].losses.refused[kind],
                               "events are left out whose phase is not one letter, which Spall refuses",
                               trace_string(trace, trace->records.event_kinds[kind].name));
}

static bool report_losses(JsonOut *out, const JsonLosses *losses, Err *err)
{
    const Trace *trace = out->trace;
    uint64_t     repaired = 0, legacy = 0;
    if (!count_repaired(out, &repaired, err)) return false;
    for (uint32_t i = 0; i < trace->records.event_kind_count; i++) {
        StringView name = trace_string(trace, trace->records.event_kinds[i].name);
        if (out->own_format && name.size == 1 && strchr("STpF", name.bytes[0]) != NULL)
            legacy += trace->records.event_kinds[i].count - (name.bytes[0] == 'T' ? trace->counts.states : 0);
    }
    if (trace->counts.async_slices == 0) legacy = 0; /* written unchanged */
    writer_report(out->report, losses->rounded, "times are rounded to a picosecond");
    writer_report(out->report, repaired, "slices lose the flag that their times were repaired");
    writer_report(out->report, out->plan->marks.lost_causes,
                  "slices lose the flag that another slice's end closed them");
    writer_report(out->report, out->plan->marks.lost_ties,
                  "slices of length 0 change places with slices that begin or end at their time");
    writer_report(out->report, losses->no_duration,
                  "unfinished slices are X without dur, which Perfetto drops: as B a later E would end them");
    writer_report(out->report, losses->closed_state,
                  "states that never end get an end: that to which they are drawn");
    writer_report(out->report, losses->moved_stack,
                  "ends lose their fields but for the stack, which is the slice's \"esf\" now");
    writer_report(out->report, legacy, "events of old-style asynchronous slices become nestable ones");
    writer_report(out->report, losses->dropped,
                  "fields of events are left out: a repaired value replaces them, or viewers would "
                  "refuse them");
    writer_report(out->report, losses->unreadable, "events lose arguments that cannot be decoded again");
    if (!clock_has_time(&trace->clock))
        writer_report(out->report, 1, "clock counts calls, not time: each call is written as a microsecond");
    return true;
}

/* Writes the events, and reports the raw events that are left out. */
static bool put_all_events(JsonOut *out, JsonLosses *losses, Err *err)
{
    if (!json_out_flush(out, 0, err) || !put_events(out, err) || !put_flows(out, err) ||
        !put_counters(out, err) || !writer_pieces_finish(out->pieces, err))
        return false;
    *losses = sum_losses(out);
    report_others(out, losses);
    return true;
}

static bool write_trace(const Loaded *loaded, const OutputSink *sink, WriterReport *report, Err *err)
{
    JsonOut    out = { .loaded = loaded, .trace = loaded->trace, .sink = sink, .report = report };
    JsonLosses losses;
    bool done = prepare(&out, err) && writer_head_put(&out, err) && put_all_events(&out, &losses, err) &&
                writer_facts_put(&out, err) && report_losses(&out, &losses, err);
    stop_encoding(&out);
    bytes_release(&out.title);
    vec_release(&out.ends.heap);
    bytes_release(&out.buffer);
    arena_release(&out.arena);
    return done;
}

const FormatWriter TRACE_EVENT_WRITER = {
    .name = "json",
    .suffix = "json",
    .what = "Trace Event JSON: chrome://tracing, Perfetto, Spall, speedscope",
    .write = write_trace,
};
