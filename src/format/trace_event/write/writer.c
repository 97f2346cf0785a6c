#include "format/trace_event/write/writer.h"

#include "base/checked.h"
#include "format/pending_ends.h"
#include "format/trace_event/write/counters.h"
#include "format/trace_event/write/facts.h"
#include "format/trace_event/write/fit.h"
#include "format/trace_event/write/head.h"
#include "format/trace_event/write/stacks.h"
#include "trace/scan/scan.h"
#include "trace/store/event_order.h"
#include "trace/store/flows.h"
#include "trace/store/lookup.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool json_out_flush(JsonOut *out, size_t threshold, Err *err)
{
    if (out->ends.bytes.failed || out->id.failed || out->title.failed)
        return err_set(err, ERR_MEMORY, "out of memory for open slices");
    return writer_flush(out->sink, &out->buffer, threshold, err);
}

/* Adds an end to the heap. Of several ends at one time the innermost slice, which began last, ends first. */
static void end_push(JsonOut *out, PendingEnd end)
{
    end.rank = UINT64_MAX - out->begin_count++;
    pending_end_push(&out->ends, end);
}

/* -- details -- */

/* Loads the details of the current event. Counts details that cannot be decoded. Returns false on other errors. */
static bool load_details(JsonOut *out, ReadDetails read, uint64_t id, Err *err)
{
    if (LIKELY(read(out->reader, id, &out->details, err))) return true;
    if (err->code == ERR_IO || err->code == ERR_MEMORY) return false;
    bytes_clear(&out->details.args);
    bytes_clear(&out->details.other);
    out->unreadable_count++;
    return true;
}

/* -- events -- */

static const StringView PHASE_X = { "\"X\"", 3 }, PHASE_B = { "\"B\"", 3 }, PHASE_E = { "\"E\"", 3 },
                        PHASE_I = { "\"i\"", 3 }, PHASE_ASYNC_B = { "\"b\"", 3 },
                        PHASE_ASYNC_E = { "\"e\"", 3 }, PHASE_ASYNC_N = { "\"n\"", 3 },
                        PHASE_STATE = { "\"T\"", 3 }, PHASE_COUNTER = { "\"C\"", 3 };

typedef enum { ID_FROM_DETAILS, ID_IN_FULL } IdSource;

/* Stores the root of a slice of an asynchronous track. Slices come in order of begin, so the latest slice of the row
 * above is the parent, whose root is known. */
static void note_root(JsonOut *out, uint32_t row, uint64_t slice)
{
    assert(out->trace->rows[row].depth == 0 ||
           (row > 0 && out->trace->rows[row - 1].depth + 1 == out->trace->rows[row].depth));
    out->async_roots[row] = out->trace->rows[row].depth == 0 ? slice : out->async_roots[row - 1];
}

/* Returns the root of a slice, which is the latest of its row. It stays the latest until its end is written: slices
 * that begin at its end come after the end. */
static uint64_t root_of(const JsonOut *out, uint64_t slice)
{
    return out->async_roots[trace_slice_row(out->trace, slice)];
}

/* Appends "cat" to out->id if the label has no category: a step of an old-style slice gets the category of its slice;
 * events of other formats need one because chrome://tracing rejects them without it. */
static void put_async_category(JsonOut *out, const Track *track, uint32_t label)
{
    const Trace *trace = out->trace;
    if (trace->labels[label].category.index != 0) return;
    if (track_extras(track)->category.index == 0 && out->own_format) return;
    if (out->id.size > 0) bytes_append(&out->id, ",", 1);
    bytes_append_text(&out->id, "\"cat\":");
    JsonWriter json = json_writer_to(&out->id, 0);
    if (track_extras(track)->category.index != 0)
        json_string_bytes(&json, trace_string(trace, track_extras(track)->category));
    else
        json_string(&json, "async");
}

/* Appends the id of the source's event to out->id and returns its size. Old-style events are matched by name, scope
 * and id, nestable events by category, scope and id. So the name of an old-style slice becomes part of its scope,
 * which keeps slices of one category and id separate. */
static size_t put_source_id(JsonOut *out, const Track *track, IdSource source)
{
    Bytes scope = { 0 };
    if (out->details.old_phase != '\0') {
        StringView name = trace_string(out->trace, track->name);
        writer_cut_scope(&out->details.other, &scope);
        if (scope.size > 0) bytes_append(&scope, "/", 1);
        bytes_append(&scope, name.bytes, name.size);
    }
    line_id_append(&out->details.other, &out->id);
    size_t size = out->id.size;
    if (source == ID_FROM_DETAILS) bytes_clear(&out->id); /* the id is written with the details */
    if (scope.size > 0) {
        if (out->id.size > 0) bytes_append(&out->id, ",", 1);
        bytes_append_text(&out->id, "\"scope\":");
        JsonWriter json = json_writer_to(&out->id, 0);
        json_string_bytes(&json, bytes_view(&scope));
    }
    out->id.failed |= scope.failed;
    bytes_release(&scope);
    return size;
}

/* Returns the members that an event of an asynchronous slice has besides the fields of its source: the id that begin
 * and end share, the scope of an old-style event, and a category. `slice` is the event's slice; UINT64_MAX for an
 * instant. */
static StringView async_members(JsonOut *out, uint32_t track, uint64_t slice, uint32_t label, IdSource source)
{
    const Track *group = &out->trace->tracks[track];
    bytes_clear(&out->id);
    if (!out->own_format || put_source_id(out, group, source) == 0) {
        uint64_t root = slice == UINT64_MAX ? slice : root_of(out, slice);
        if (out->id.size > 0) bytes_append(&out->id, ",", 1);
        bytes_printf(&out->id, "\"id\":\"0x%llx\"", (unsigned long long)root);
    }
    put_async_category(out, group, label);
    return bytes_view(&out->id);
}

/* Appends a comma after the members in out->id. */
static size_t members_begin(JsonOut *out)
{
    if (out->id.size > 0) bytes_append(&out->id, ",", 1);
    return out->id.size;
}

static StringView members_end(JsonOut *out, size_t begun)
{
    assert(out->id.failed || out->id.size >= begun);
    if (out->id.size == begun && begun > 0) out->id.size--;
    return bytes_view(&out->id);
}

/* Appends stacks to the members. In traces of this format they are among the event's fields. */
static StringView stack_members(JsonOut *out, StackId begin, StackId end)
{
    size_t begun = members_begin(out);
    if (!out->own_format) writer_put_stacks(begin, end, &out->id);
    return members_end(out, begun);
}

/* Appends the stack and the other members of an end event to its members. */
static StringView end_members(JsonOut *out, StackId stack)
{
    size_t begun = members_begin(out);
    if (out->own_format)
        writer_put_end_members(&out->details.other, &out->id);
    else
        writer_put_stacks(stack, STACK_NONE, &out->id);
    return members_end(out, begun);
}

static void put_async_slice(JsonOut *out, uint32_t track, uint64_t slice)
{
    const Trace *trace = out->trace;
    uint32_t     label = trace_slice_label(trace, slice);
    WriterTime   time = writer_time_of(&out->clock, trace_slice_begin(trace, slice));
    Line         line = { .phase = PHASE_ASYNC_B,
                          .label = label,
                          .track = trace_slice_thread(trace, slice),
                          .time = &time,
                          .members = async_members(out, track, slice, label, ID_FROM_DETAILS),
                          .details = &out->details };
    line.members = stack_members(out, trace_slice_stack(trace, slice), STACK_NONE);
    if (out->own_format && trace_slice_end_stack(trace, slice).index != 0)
        writer_cut_end_members(&out->details.other);
    line_put(&out->lines, &line);
    if (!(trace_slice_flags(trace, slice) & SLICE_UNFINISHED))
        end_push(out, (PendingEnd){ trace_slice_end(trace, slice), 0, slice, line.track, true });
}

static void put_thread_slice(JsonOut *out, uint32_t track, uint64_t slice)
{
    const Trace *trace = out->trace;
    SliceForm    form = slice_marks_form(&out->marks, slice);
    int64_t      end = trace_slice_end(trace, slice);
    WriterTime   time = writer_time_of(&out->clock, trace_slice_begin(trace, slice)), span;
    Line         line = { .phase = form == FORM_BEGIN || form == FORM_BEGIN_END ? PHASE_B : PHASE_X,
                          .label = trace_slice_label(trace, slice),
                          .track = track,
                          .time = &time,
                          .details = &out->details };
    out->no_duration_count += form == FORM_NO_DURATION;
    if (form == FORM_COMPLETE) {
        WriterTime end_time = writer_time_of(&out->clock, end);
        span = writer_time_span(&time, &end_time);
        line.duration = &span;
    }
    bytes_clear(&out->id);
    StackId end_stack = trace_slice_end_stack(trace, slice);
    line.members =
        stack_members(out, trace_slice_stack(trace, slice), form == FORM_COMPLETE ? end_stack : STACK_NONE);
    bool is_ends_own =
        out->own_format && end_stack.index != 0 && (trace_slice_flags(trace, slice) & SLICE_END_SOURCE);
    if (is_ends_own && form == FORM_COMPLETE) {
        writer_put_end_stack(&out->details.other, &out->id);
        out->moved_stack_count++;
        line.members = bytes_view(&out->id);
    }
    if (is_ends_own) writer_cut_end_members(&out->details.other);
    line_put(&out->lines, &line);
    if (form == FORM_BEGIN_END) end_push(out, (PendingEnd){ end, 0, slice, track, false });
}

/* Writes a state of a thread. It always has a duration, because a T without one is a step of an asynchronous slice. */
static void put_state(JsonOut *out, uint64_t slice)
{
    const Trace *trace = out->trace;
    WriterTime   time = writer_time_of(&out->clock, trace_slice_begin(trace, slice));
    WriterTime   end = writer_time_of(&out->clock, trace_slice_end(trace, slice));
    WriterTime   span = writer_time_span(&time, &end);
    Line         line = { .phase = PHASE_STATE,
                          .label = trace_slice_label(trace, slice),
                          .track = trace_slice_thread(trace, slice),
                          .time = &time,
                          .duration = &span,
                          .details = &out->details };
    out->closed_state_count += (trace_slice_flags(trace, slice) & SLICE_UNFINISHED) != 0;
    line_put(&out->lines, &line);
}

/* Writes a state of a thread of another format as a slice of a separate thread, which all viewers show. States follow
 * each other without gaps, so they are written as begins and ends (see marks.c). */
static void put_foreign_state(JsonOut *out, uint32_t track, uint64_t slice)
{
    const Trace *trace = out->trace;
    bool         is_open = (trace_slice_flags(trace, slice) & SLICE_UNFINISHED) != 0;
    bool         is_empty = !is_open && trace_slice_is_empty(trace, slice);
    WriterTime   time = writer_time_of(&out->clock, trace_slice_begin(trace, slice));
    WriterTime   span = { .ns = 0 };
    bytes_clear(&out->id);
    Line line = { .phase = is_empty ? PHASE_X : PHASE_B,
                  .label = trace_slice_label(trace, slice),
                  .track = track,
                  .time = &time,
                  .duration = is_empty ? &span : NULL,
                  .members = stack_members(out, trace_slice_stack(trace, slice), STACK_NONE),
                  .details = &out->details };
    line_put(&out->lines, &line);
    if (!is_open && !is_empty)
        end_push(out, (PendingEnd){ trace_slice_end(trace, slice), 0, slice, track, false });
}

static void put_instant(JsonOut *out, uint32_t track, uint64_t instant)
{
    static const StringView SCOPES[] = { [INSTANT_THREAD] = { "\"t\"", 3 },
                                         [INSTANT_PROCESS] = { "\"p\"", 3 },
                                         [INSTANT_GLOBAL] = { "\"g\"", 3 } };
    const Trace            *trace = out->trace;
    bool                    is_async = trace->tracks[track].kind == TRACK_ASYNC;
    uint32_t                thread = trace_instant_thread(trace, instant);
    WriterTime              time = writer_time_of(&out->clock, trace_instant_tick(trace, instant));
    Line                    line = { .phase = is_async ? PHASE_ASYNC_N : PHASE_I,
                                     .label = trace_instant_label(trace, instant),
                                     .track = thread == TRACK_NONE.index ? track : thread,
                                     .time = &time,
                                     .details = &out->details };
    if (is_async)
        line.members = async_members(out, track, UINT64_MAX, line.label, ID_FROM_DETAILS);
    else
        line.scope = SCOPES[trace_instant_scope(trace, instant)];
    if (!is_async) bytes_clear(&out->id);
    line.members = stack_members(out, trace_instant_stack(trace, instant), STACK_NONE);
    line_put(&out->lines, &line);
}

/* True if the counter of a raw event is chosen. */
static bool has_counter(JsonOut *out, const OtherEvent *other)
{
    if (other->kind != out->counter_kind || out->trace->window.tracks == NULL) return true;
    bytes_clear(&out->title);
    counter_title_append(trace_label_name(out->trace, other->label), &out->details.other, &out->title);
    return window_has_counter(out->trace, &out->begins, other, bytes_view(&out->title));
}

/* True if the raw event is a counter's value or a flow's event of a .spall trace: those are written from the columns. */
static bool is_written_from_columns(const Trace *trace, StringView kind)
{
    return strcmp(trace->source.format_name, "spall") == 0 &&
           (string_equal(kind, STRING_LITERAL("Counter")) || string_equal(kind, STRING_LITERAL("Flow")));
}

/* Writes a raw event. Events of this format are written unchanged. Of other formats only events with an equivalent
 * phase are written; names of processes and threads are written from the trace. */
static bool put_other(JsonOut *out, uint64_t index, Err *err)
{
    const OtherEvent *other = &out->trace->records.others[index];
    assert(other->kind < out->trace->records.event_kind_count);
    if (other->kind == out->sample_kind) return true; /* it is in the list "samples" */
    if (!out->own_format) {
        StringView kind = trace_string(out->trace, out->trace->records.event_kinds[other->kind].name);
        if (!other->is_metadata && !writer_is_sample(out->trace, other) &&
            !is_written_from_columns(out->trace, kind))
            writer_report_kind(out->report, 1, "events that have no form in this format are left out", kind);
        return true;
    }
    if (!load_details(out, detail_reader_other, index, err)) return false;
    if (!has_counter(out, other)) return true;
    if (other->is_metadata &&
        !writer_fit_metadata(trace_label_name(out->trace, other->label), &out->details.args)) {
        writer_report(out->report, 1,
                      "names of processes and threads that are not texts, which Spall rejects, are left out");
        return true;
    }
    if (out->is_refused[other->kind]) {
        writer_report_kind(out->report, 1,
                           "events are left out whose phase is not one letter, which Spall refuses",
                           trace_string(out->trace, out->trace->records.event_kinds[other->kind].name));
        return true;
    }
    if (other->kind == out->counter_kind && out->details.args.size == 0)
        bytes_append_text(&out->details.args, "{}"); /* chrome://tracing requires args */
    WriterTime time = { .ns = 0 };
    if (other->has_tick) time = writer_time_of(&out->clock, other->tick);
    Line line = { .phase = out->phases[other->kind],
                  .label = other->label,
                  .track = other->thread,
                  .time = other->has_tick ? &time : NULL,
                  .details = &out->details };
    line_put(&out->lines, &line);
    return true;
}

static bool is_stray(const JsonOut *out, uint64_t other)
{
    return out->own_format && out->trace->records.others[other].kind == out->end_kind &&
           out->trace->records.others[other].has_tick;
}

/* True if the event must be written in the order of the file: for flow events at one time it matters, also between
 * threads. */
static bool keeps_file_order(const JsonOut *out, uint64_t other)
{
    return out->file_order_counts && out->trace->records.others[other].has_tick && !is_stray(out, other);
}

static bool put_event(JsonOut *out, const OrderedEvent *event, Err *err)
{
    const Trace *trace = out->trace;
    if (event->kind == ORDER_OTHER)
        return is_stray(out, event->id) || keeps_file_order(out, event->id) || put_other(out, event->id, err);
    uint32_t track = trace->rows[event->row].track;
    if (event->kind == ORDER_INSTANT) {
        if (!load_details(out, detail_reader_instant, event->id, err)) return false;
        put_instant(out, track, event->id);
        return true;
    }
    if (!load_details(out, detail_reader_slice, event->id, err)) return false;
    if (trace->tracks[track].kind == TRACK_ASYNC) {
        note_root(out, event->row, event->id);
        put_async_slice(out, track, event->id);
    } else if (trace->tracks[track].kind == TRACK_STATES && !out->own_format) {
        put_foreign_state(out, track, event->id);
    } else if (trace->tracks[track].kind == TRACK_STATES) {
        put_state(out, event->id);
    } else {
        put_thread_slice(out, track, event->id);
    }
    return true;
}

static bool put_end(JsonOut *out, const PendingEnd *end, Err *err)
{
    uint32_t   label = trace_slice_label(out->trace, end->slice);
    WriterTime time = writer_time_of(&out->clock, end->tick);
    Line       line = {
              .phase = end->is_async ? PHASE_ASYNC_E : PHASE_E, .label = label, .track = end->place, .time = &time
    };
    StackId stack = trace_slice_end_stack(out->trace, end->slice);
    if ((end->is_async || stack.index != 0) && !load_details(out, detail_reader_slice, end->slice, err))
        return false;
    bytes_clear(&out->id);
    if (end->is_async) {
        uint32_t track = out->trace->rows[trace_slice_row(out->trace, end->slice)].track;
        line.members = async_members(out, track, end->slice, label, ID_IN_FULL);
    }
    if (stack.index != 0) line.members = end_members(out, stack);
    line_put(&out->lines, &line);
    return true;
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
        if (belongs(out, i) && window_has_other(trace, &out->begins, other))
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
    if (out->ends_first == NULL || !window_begins_collect(trace, &out->arena, &out->begins) ||
        !collect(out, &out->strays, is_stray) || !collect(out, &out->in_file_order, keeps_file_order))
        return false;
    for (size_t i = 0; i < out->strays.count; i++)
        out->ends_first[trace->records.others[out->strays.keys[i].other].thread] = true;
    return true;
}

static const StrayKey *first_of(const StrayList *list)
{
    return list->at < list->count ? &list->keys[list->at] : NULL;
}

/* True if the event is inside the asynchronous slice that ends at the event's time. It must be written before that
 * end, or it would be outside of the slice. */
static bool is_inside(const JsonOut *out, const OrderedEvent *event, const PendingEnd *end)
{
    const Trace *trace = out->trace;
    if (!end->is_async || event->kind == ORDER_OTHER || event_order_tick(trace, event) != end->tick)
        return false;
    const Row *inner = &trace->rows[event->row], *outer = &trace->rows[trace_slice_row(trace, end->slice)];
    return inner->track == outer->track && inner->lane == outer->lane && inner->depth > outer->depth;
}

/* Writes the earliest of: the end of an open slice, an unmatched end, a raw event, the next event of the trace. */
static bool put_next(JsonOut *out, EventOrder *order, OrderedEvent *event, bool *more, Err *err)
{
    const PendingEnd *end = pending_end_first(&out->ends);
    const StrayKey   *stray = first_of(&out->strays), *kept = first_of(&out->in_file_order);
    int64_t           tick = *more ? event_order_tick(out->trace, event) : INT64_MAX;
    bool              kept_is_due = kept != NULL && (!*more || kept->tick < tick);
    if (kept_is_due) tick = kept->tick;
    bool end_is_due = end != NULL && end->tick <= tick && (stray == NULL || end->tick <= stray->tick);
    if (end_is_due && !(*more && is_inside(out, event, end))) {
        PendingEnd first = pending_end_pop(&out->ends);
        return put_end(out, &first, err);
    }
    if (stray != NULL && stray->tick <= tick) {
        out->strays.at++;
        return put_other(out, stray->other, err);
    }
    if (kept_is_due) {
        out->in_file_order.at++;
        return put_other(out, kept->other, err);
    }
    assert(*more); /* nothing else was due */
    if (!put_event(out, event, err)) return false;
    *more = event_order_next(order, event);
    return true;
}

static bool put_events(JsonOut *out, Err *err)
{
    EventOrder  *order = event_order_create(out->trace, &out->arena);
    OrderedEvent event;
    if (order == NULL) return err_set(err, ERR_MEMORY, "out of memory for the order of events");
    bool more = event_order_next(order, &event);
    while (more || pending_end_first(&out->ends) != NULL || first_of(&out->strays) != NULL ||
           first_of(&out->in_file_order) != NULL) {
        if (!put_next(out, order, &event, &more, err) || !json_out_flush(out, WRITER_BLOCK_BYTES, err))
            return false;
    }
    return true;
}

/* Returns the track whose "tid" an end of an arrow gets. */
static uint32_t flow_end_track(const Trace *trace, const FlowEnd *end)
{
    bool is_beside = end->slice != FLOW_NO_SLICE && trace->tracks[end->track].kind != TRACK_STATES;
    return is_beside ? trace_slice_thread(trace, end->slice) : end->track;
}

/* Writes one end of an arrow. The arrow's number is the id of both ends. */
static void put_flow_end(JsonOut *out, uint64_t flow, FlowSide side)
{
    static const StringView PHASES[] = { [FLOW_FROM] = { "\"s\"", 3 }, [FLOW_TO] = { "\"f\"", 3 } };
    const Trace            *trace = out->trace;
    FlowEnd                 end = trace_flow_end(trace, flow, side);
    WriterTime              time = writer_time_of(&out->clock, end.tick);
    Label                   label = trace->labels[trace_flow_label(trace, flow)];
    bytes_clear(&out->id);
    bytes_printf(&out->id, "\"id\":%llu", (unsigned long long)flow);
    if (label.name.index == 0) bytes_append_text(&out->id, ",\"name\":\"flow\"");
    if (label.category.index == 0) bytes_append_text(&out->id, ",\"cat\":\"flow\"");
    if (side == FLOW_TO) bytes_append_text(&out->id, ",\"bp\":\"e\"");
    Line line = { .phase = PHASES[side],
                  .label = trace_flow_label(trace, flow),
                  .track = flow_end_track(trace, &end),
                  .time = &time,
                  .members = { (const char *)out->id.data, out->id.size } };
    line_put(&out->lines, &line);
}

/* Writes the arrows of other formats; in this format they are raw events. */
static bool put_flows(JsonOut *out, Err *err)
{
    uint64_t count = out->own_format ? 0 : trace_flow_count(out->trace);
    for (uint64_t i = 0; i < count; i++) {
        if (!trace_window_has_flow(out->trace, i)) continue;
        put_flow_end(out, i, FLOW_FROM);
        put_flow_end(out, i, FLOW_TO);
        if (!json_out_flush(out, WRITER_BLOCK_BYTES, err)) return false;
    }
    return true;
}

/* Writes the counters of other formats; in this format they are raw events. */
static bool put_counters(JsonOut *out, Err *err)
{
    const Trace *trace = out->trace;
    CounterWalk  walk;
    int64_t      tick = 0;
    if (out->own_format) return true;
    if (!counter_walk_open(&walk, trace, &out->arena))
        return err_set(err, ERR_MEMORY, "out of memory for counters");
    for (uint32_t t = 1; t <= trace->track_count; t++) {
        if (trace->tracks[t].kind != TRACK_COUNTER) continue;
        counter_walk_enter(&walk, t);
        while (counter_walk_next(&walk, &tick)) {
            WriterTime time = writer_time_of(&out->clock, tick);
            bytes_clear(&out->id);
            JsonWriter json = json_writer_to(&out->id, 0);
            json_object_begin(&json);
            counter_walk_put(&walk, &json);
            line_put_pid(&out->lines, &json, trace->tracks[t].process.index);
            json_object_end(&json);
            Line line = { .phase = PHASE_COUNTER, .time = &time };
            if (out->id.size > 2)
                line.members = (StringView){ (const char *)out->id.data + 1, out->id.size - 2 };
            line_put(&out->lines, &line);
            if (!json_out_flush(out, WRITER_BLOCK_BYTES, err)) return false;
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
    out->phases = ARENA_ARRAY(&out->arena, StringView, (size_t)trace->records.event_kind_count + 1);
    out->is_refused = ARENA_ARRAY(&out->arena, bool, (size_t)trace->records.event_kind_count + 1);
    if (out->is_refused == NULL) return false;
    for (uint32_t i = 0; out->phases != NULL && i < trace->records.event_kind_count; i++) {
        StringView name = trace_string(trace, trace->records.event_kinds[i].name);
        out->is_refused[i] = name.size != 1;
        if (string_equal(name, STRING_LITERAL("?"))) continue;
        if (string_equal(name, STRING_LITERAL("E"))) out->end_kind = (uint16_t)i;
        if (string_equal(name, STRING_LITERAL("C"))) out->counter_kind = (uint16_t)i;
        if (out->own_format && string_equal(name, STRING_LITERAL("sample"))) out->sample_kind = (uint16_t)i;
        if (out->own_format && name.size == 1 && strchr("stfNOD()", name.bytes[0]) != NULL)
            out->file_order_counts = true;
        bytes_clear(&text);
        JsonWriter json = json_writer_to(&text, 0);
        json_string_bytes(&json, name);
        const char *copy = text.failed ? NULL : arena_push_copy(&out->arena, text.data, text.size);
        if (copy == NULL) break;
        out->phases[i] = (StringView){ copy, text.size };
    }
    bool done = out->phases != NULL && !text.failed;
    bytes_release(&text);
    return done;
}

/* Makes times of Heph traces count from 1970, like those of Heph's own converter, unless the sum exceeds the range of
 * readers. */
static void date_times(JsonOut *out)
{
    const Trace *trace = out->trace;
    Clock       *clock = &out->clock;
    bool         is_huge = clock->is_unsigned;
    (void)i64_add_clamped(trace->begin_tick, clock->epoch_unix_ns, &is_huge);
    (void)i64_add_clamped(trace->end_tick, clock->epoch_unix_ns, &is_huge);
    if (strcmp(trace->source.format_name, "heph") != 0 || !clock->has_epoch || is_huge) return;
    clock->origin_ns = clock->epoch_unix_ns;
    clock->epoch_unix_ns = 0;
}

static bool prepare(JsonOut *out, Err *err)
{
    out->clock = out->trace->clock;
    date_times(out);
    out->own_format = strcmp(out->trace->source.format_name, "trace-event") == 0;
    out->end_kind = out->counter_kind = out->sample_kind = UINT16_MAX;
    out->async_roots = ARENA_ARRAY(&out->arena, uint64_t, (size_t)out->trace->row_count + 1);
    out->reader = detail_reader_create(&out->arena, out->loaded);
    if (out->async_roots != NULL && out->reader != NULL &&
        line_writer_open(&out->lines, out->trace, &out->buffer, &out->arena) && prepare_phases(out) &&
        collect_all(out) &&
        slice_marks_make(&out->marks, out->trace, out->own_format ? out->end_kind : UINT16_MAX, &out->arena))
        return true;
    return err_set(err, ERR_MEMORY, "out of memory for the output");
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

static bool report_losses(JsonOut *out, Err *err)
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
    writer_report(out->report, out->lines.rounded_count, "times are rounded to a picosecond");
    writer_report(out->report, repaired, "slices lose the flag that their times were repaired");
    writer_report(out->report, out->marks.lost_causes,
                  "slices lose the flag that another slice's end closed them");
    writer_report(out->report, out->marks.lost_ties,
                  "slices of length 0 change places with slices that begin or end at their time");
    writer_report(out->report, out->no_duration_count,
                  "unfinished slices are X without dur, which Perfetto drops: as B a later E would end them");
    writer_report(out->report, out->closed_state_count,
                  "states that never end get an end: that to which they are drawn");
    writer_report(out->report, out->moved_stack_count,
                  "ends lose their fields but for the stack, which is the slice's \"esf\" now");
    writer_report(out->report, legacy, "events of old-style asynchronous slices become nestable ones");
    writer_report(out->report, out->lines.dropped_count,
                  "fields of events are left out: a repaired value replaces them, or viewers would "
                  "refuse them");
    writer_report(out->report, out->unreadable_count, "events lose arguments that cannot be decoded again");
    if (!clock_has_time(&trace->clock))
        writer_report(out->report, 1, "clock counts calls, not time: each call is written as a microsecond");
    return true;
}

static bool write_trace(const Loaded *loaded, const OutputSink *sink, WriterReport *report, Err *err)
{
    JsonOut out = { .loaded = loaded, .trace = loaded->trace, .sink = sink, .report = report };
    bool    done = prepare(&out, err) && writer_head_put(&out, err);
    done = done && put_events(&out, err) && put_flows(&out, err) && put_counters(&out, err);
    done = done && writer_facts_put(&out, err) && report_losses(&out, err);
    detail_reader_release(out.reader);
    line_writer_close(&out.lines);
    bytes_release(&out.details.args);
    bytes_release(&out.details.other);
    bytes_release(&out.title);
    bytes_release(&out.id);
    vec_release(&out.ends);
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
