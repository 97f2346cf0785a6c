#include "format/trace_event/writer.h"

#include "format/pending_ends.h"
#include "format/trace_event/writer_counters.h"
#include "format/trace_event/writer_line.h"
#include "format/trace_event/writer_marks.h"
#include "format/trace_event/writer_stacks.h"
#include "format/writer_ids.h"
#include "trace/event_order.h"
#include "trace/flows.h"

#include <stdlib.h>
#include <string.h>

/* An event that has its own place among those of its time: index into Trace.others. */
typedef struct StrayKey {
    int64_t  tick;
    uint64_t other;
} StrayKey;

/* In order of time, then of the file; in the arena. */
typedef struct StrayList {
    StrayKey *keys;
    size_t    count, at;
} StrayList;

typedef struct JsonOut {
    const Loaded     *loaded; /* borrowed */
    const Trace      *trace;
    const OutputSink *sink;
    WriterReport     *report;
    Arena             arena;
    Clock             clock; /* of the times that are written */
    Bytes             buffer;
    LineWriter        lines;
    SliceMarks        marks;
    StringView       *phases; /* by kind of event: its letter as JSON */
    uint16_t          end_kind;
    DetailReader     *reader;
    EventDetails      details;       /* of the event at hand */
    Bytes             title;         /* of the process or thread at hand */
    Bytes             id;            /* of the asynchronous slice at hand */
    Bytes             ends;          /* what is to come */
    uint64_t          begin_count;   /* of slices whose end is written for itself */
    StrayList         strays;        /* ends that belong to nothing: before what begins at their time */
    StrayList         in_file_order; /* events without a column, where their order counts: behind it */
    uint64_t          unreadable_count;
    uint64_t          no_duration_count;
    uint64_t          moved_stack_count;
    uint64_t          closed_state_count;
    bool              own_format, file_order_counts;
} JsonOut;

/* Of several at one time the innermost, begun last, comes first. */
static void end_push(JsonOut *out, PendingEnd end)
{
    end.rank = UINT64_MAX - out->begin_count++;
    pending_end_push(&out->ends, end);
}

/* -- details -- */

typedef bool (*ReadDetails)(DetailReader *reader, uint64_t id, EventDetails *details, Err *err);

/* Details of the event at hand. What cannot be decoded again is counted; false when it is no use to go on. */
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

/* What an event of an asynchronous slice needs besides the fields of its source: the id that begin and end have in
 * common, where the source has none, and a category (a step of an old-style slice goes by that of its slice). `root`
 * is the outermost slice around it. */
typedef enum { ID_FROM_DETAILS, ID_IN_FULL } IdSource;

static StringView async_members(JsonOut *out, uint64_t root, uint32_t label, IdSource source)
{
    const Trace *trace = out->trace;
    size_t       own_id = 0;
    bytes_clear(&out->id);
    if (out->own_format) {
        line_id_append(&out->details.other, &out->id);
        own_id = out->id.size;
        if (source == ID_FROM_DETAILS) bytes_clear(&out->id); /* they are written with all details */
    }
    if (own_id == 0) bytes_printf(&out->id, "\"id\":\"0x%llx\"", (unsigned long long)root);
    uint32_t root_label = trace->slices.count > root ? trace->slices.label[root] : label;
    StringId category = trace->labels[root_label].category;
    if (trace->labels[label].category.index == 0 && (category.index != 0 || !out->own_format)) {
        if (out->id.size > 0) bytes_append(&out->id, ",", 1);
        bytes_append_text(&out->id, "\"cat\":");
        JsonWriter json = json_writer_to(&out->id, 0);
        if (category.index != 0)
            json_string_bytes(&json, trace_string(trace, category));
        else
            json_string(&json, "async"); /* chrome://tracing asks for one */
    }
    return (StringView){ (const char *)out->id.data, out->id.size };
}

static uint64_t root_of(const Trace *trace, uint64_t slice)
{
    uint32_t row = trace_slice_row(trace, slice);
    while (trace_slice_parent(trace, row, slice, &slice))
        row--;
    return slice;
}

/* What is appended to the members at hand in out->id goes behind a comma. */
static size_t members_begin(JsonOut *out)
{
    if (out->id.size > 0) bytes_append(&out->id, ",", 1);
    return out->id.size;
}

static StringView members_end(JsonOut *out, size_t begun)
{
    if (out->id.size == begun && begun > 0) out->id.size--;
    return (StringView){ (const char *)out->id.data, out->id.size };
}

/* Stacks among the members. Sources of this format have them among their own fields. */
static StringView stack_members(JsonOut *out, StackId begin, StackId end)
{
    size_t begun = members_begin(out);
    if (!out->own_format) writer_put_stacks(begin, end, &out->id);
    return members_end(out, begun);
}

/* An end's stack among the members of its own event, with what else that event said. */
static StringView end_members(JsonOut *out, StackId stack)
{
    size_t begun = members_begin(out);
    if (out->own_format)
        writer_put_end_members(&out->details.other, &out->id);
    else
        writer_put_stacks(stack, STACK_NONE, &out->id);
    return members_end(out, begun);
}

static void put_async_slice(JsonOut *out, uint64_t slice)
{
    const Trace *trace = out->trace;
    uint32_t     label = trace->slices.label[slice];
    WriterTime   time = writer_time_of(&out->clock, trace->slices.begin_tick[slice]);
    Line         line = { .phase = PHASE_ASYNC_B,
                          .label = label,
                          .track = trace_slice_thread(trace, slice),
                          .time = &time,
                          .members = async_members(out, root_of(trace, slice), label, ID_FROM_DETAILS),
                          .details = &out->details };
    line.members = stack_members(out, trace_slice_stack(trace, slice), STACK_NONE);
    if (out->own_format && trace_slice_end_stack(trace, slice).index != 0)
        writer_cut_end_members(&out->details.other);
    line_put(&out->lines, &line);
    if (!(trace->slices.flags[slice] & SLICE_UNFINISHED))
        end_push(out, (PendingEnd){ trace_slice_end(trace, slice), 0, slice, line.track, true });
}

static void put_thread_slice(JsonOut *out, uint32_t track, uint64_t slice)
{
    const Trace *trace = out->trace;
    SliceForm    form = slice_marks_form(&out->marks, slice);
    int64_t      end = trace_slice_end(trace, slice);
    WriterTime   time = writer_time_of(&out->clock, trace->slices.begin_tick[slice]), span;
    Line         line = { .phase = form == FORM_BEGIN || form == FORM_BEGIN_END ? PHASE_B : PHASE_X,
                          .label = trace->slices.label[slice],
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
        out->own_format && end_stack.index != 0 && (trace->slices.flags[slice] & SLICE_END_SOURCE);
    if (is_ends_own && form == FORM_COMPLETE) {
        writer_put_end_stack(&out->details.other, &out->id);
        out->moved_stack_count++;
        line.members = (StringView){ (const char *)out->id.data, out->id.size };
    }
    if (is_ends_own) writer_cut_end_members(&out->details.other);
    line_put(&out->lines, &line);
    if (form == FORM_BEGIN_END) end_push(out, (PendingEnd){ end, 0, slice, track, false });
}

/* The state of a thread. Without a duration it would be taken for a step of something asynchronous. */
static void put_state(JsonOut *out, uint64_t slice)
{
    const Trace *trace = out->trace;
    WriterTime   time = writer_time_of(&out->clock, trace->slices.begin_tick[slice]);
    WriterTime   end = writer_time_of(&out->clock, trace_slice_end(trace, slice));
    WriterTime   span = writer_time_span(&time, &end);
    Line         line = { .phase = PHASE_STATE,
                          .label = trace->slices.label[slice],
                          .track = trace_slice_thread(trace, slice),
                          .time = &time,
                          .duration = &span,
                          .details = &out->details };
    out->closed_state_count += (trace->slices.flags[slice] & SLICE_UNFINISHED) != 0;
    line_put(&out->lines, &line);
}

/* The state of a thread of another format: a slice of a thread beside it, which all viewers show. As states follow each
 * other without a gap they are begins and ends (see writer_marks.c). */
static void put_foreign_state(JsonOut *out, uint32_t track, uint64_t slice)
{
    const Trace *trace = out->trace;
    bool         is_open = (trace->slices.flags[slice] & SLICE_UNFINISHED) != 0;
    bool         is_empty = !is_open && trace->slices.duration[slice] == 0;
    WriterTime   time = writer_time_of(&out->clock, trace->slices.begin_tick[slice]);
    WriterTime   span = { .ns = 0 };
    bytes_clear(&out->id);
    Line line = { .phase = is_empty ? PHASE_X : PHASE_B,
                  .label = trace->slices.label[slice],
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
    const InstantColumns   *instants = &out->trace->instants;
    bool                    is_async = out->trace->tracks[track].kind == TRACK_ASYNC;
    uint32_t                thread = instants->thread[instant];
    WriterTime              time = writer_time_of(&out->clock, instants->tick[instant]);
    Line                    line = { .phase = is_async ? PHASE_ASYNC_N : PHASE_I,
                                     .label = instants->label[instant],
                                     .track = thread == TRACK_NONE.index ? track : thread,
                                     .time = &time,
                                     .details = &out->details };
    if (is_async)
        line.members = async_members(out, UINT64_MAX, line.label, ID_FROM_DETAILS);
    else
        line.scope = SCOPES[instants->scope[instant]];
    if (!is_async) bytes_clear(&out->id);
    line.members = stack_members(out, trace_instant_stack(out->trace, instant), STACK_NONE);
    line_put(&out->lines, &line);
}

/* An event that has no column. Those of this format are written again as they were; of other formats only what this one
 * has a word for, and names of processes and threads are written from the trace. */
static bool put_other(JsonOut *out, uint64_t index, Err *err)
{
    const OtherEvent *other = &out->trace->others[index];
    if (!out->own_format) {
        StringView kind = trace_string(out->trace, out->trace->event_kinds[other->kind].name);
        if (!other->is_metadata && !writer_is_sample(out->trace, other))
            writer_report_kind(out->report, 1, "events that have no form in this format are left out", kind);
        return true;
    }
    if (!load_details(out, detail_reader_other, index, err)) return false;
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
    return out->own_format && out->trace->others[other].kind == out->end_kind &&
           out->trace->others[other].has_tick;
}

/* Among events of flows of one time the order of the file counts, whatever their threads. */
static bool keeps_file_order(const JsonOut *out, uint64_t other)
{
    return out->file_order_counts && out->trace->others[other].has_tick && !is_stray(out, other);
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
    if (trace->tracks[track].kind == TRACK_ASYNC)
        put_async_slice(out, event->id);
    else if (trace->tracks[track].kind == TRACK_STATES && !out->own_format)
        put_foreign_state(out, track, event->id);
    else if (trace->tracks[track].kind == TRACK_STATES)
        put_state(out, event->id);
    else
        put_thread_slice(out, track, event->id);
    return true;
}

static bool put_end(JsonOut *out, const PendingEnd *end, Err *err)
{
    uint32_t   label = out->trace->slices.label[end->slice];
    WriterTime time = writer_time_of(&out->clock, end->tick);
    Line       line = {
              .phase = end->is_async ? PHASE_ASYNC_E : PHASE_E, .label = label, .track = end->place, .time = &time
    };
    StackId stack = trace_slice_end_stack(out->trace, end->slice);
    if ((end->is_async || stack.index != 0) && !load_details(out, detail_reader_slice, end->slice, err))
        return false;
    bytes_clear(&out->id);
    if (end->is_async) line.members = async_members(out, root_of(out->trace, end->slice), label, ID_IN_FULL);
    if (stack.index != 0) line.members = end_members(out, stack);
    line_put(&out->lines, &line);
    return true;
}

static int64_t event_tick(const Trace *trace, const OrderedEvent *event)
{
    switch (event->kind) {
    case ORDER_SLICE:
        return trace->slices.begin_tick[event->id];
    case ORDER_INSTANT:
        return trace->instants.tick[event->id];
    case ORDER_OTHER:
        return trace->others[event->id].has_tick ? trace->others[event->id].tick : INT64_MIN;
    }
    return INT64_MIN;
}

static bool flush(JsonOut *out, size_t threshold, Err *err)
{
    if (out->ends.failed || out->id.failed || out->title.failed)
        return err_set(err, ERR_MEMORY, "out of memory for open slices");
    return writer_flush(out->sink, &out->buffer, threshold, err);
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
    for (uint64_t i = 0; i < trace->other_count; i++)
        count += belongs(out, i);
    list->keys = ARENA_ARRAY(&out->arena, StrayKey, count);
    if (list->keys == NULL) return false;
    for (uint64_t i = 0; i < trace->other_count; i++) {
        if (belongs(out, i)) list->keys[list->count++] = (StrayKey){ trace->others[i].tick, i };
    }
    if (count > 0) qsort(list->keys, count, sizeof list->keys[0], compare_strays);
    return true;
}

static const StrayKey *first_of(const StrayList *list)
{
    return list->at < list->count ? &list->keys[list->at] : NULL;
}

/* What comes first: ends of what is open, ends that belong to nothing, events that have no column, the next event of the trace. */
static bool put_next(JsonOut *out, EventOrder *order, OrderedEvent *event, bool *more, Err *err)
{
    const PendingEnd *end = pending_end_first(&out->ends);
    const StrayKey   *stray = first_of(&out->strays), *kept = first_of(&out->in_file_order);
    int64_t           tick = *more ? event_tick(out->trace, event) : INT64_MAX;
    bool              kept_is_due = kept != NULL && (!*more || kept->tick < tick);
    if (kept_is_due) tick = kept->tick;
    if (end != NULL && end->tick <= tick && (stray == NULL || end->tick <= stray->tick)) {
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
    if (!put_event(out, event, err)) return false;
    *more = event_order_next(order, event);
    return true;
}

static bool put_events(JsonOut *out, Err *err)
{
    EventOrder  *order = event_order_create(out->trace, &out->arena);
    OrderedEvent event;
    if (order == NULL || !collect(out, &out->strays, is_stray) ||
        !collect(out, &out->in_file_order, keeps_file_order))
        return err_set(err, ERR_MEMORY, "out of memory for the order of events");
    bool more = event_order_next(order, &event);
    while (more || pending_end_first(&out->ends) != NULL || first_of(&out->strays) != NULL ||
           first_of(&out->in_file_order) != NULL) {
        if (!put_next(out, order, &event, &more, err) || !flush(out, WRITER_BLOCK_BYTES, err)) return false;
    }
    return true;
}

/* The track whose "tid" an end of an arrow has. */
static uint32_t flow_end_track(const Trace *trace, const FlowEnd *end)
{
    bool is_beside = end->slice != FLOW_NO_SLICE && trace->tracks[end->track].kind != TRACK_STATES;
    return is_beside ? trace_slice_thread(trace, end->slice) : end->track;
}

/* One end of an arrow. Both go by its number. */
static void put_flow_end(JsonOut *out, uint64_t flow, FlowSide side)
{
    static const StringView PHASES[] = { [FLOW_FROM] = { "\"s\"", 3 }, [FLOW_TO] = { "\"f\"", 3 } };
    const Trace            *trace = out->trace;
    FlowEnd                 end = trace_flow_end(trace, flow, side);
    WriterTime              time = writer_time_of(&out->clock, end.tick);
    Label                   label = trace->labels[trace->flows.label[flow]];
    bytes_clear(&out->id);
    bytes_printf(&out->id, "\"id\":%llu", (unsigned long long)flow);
    if (label.name.index == 0) bytes_append_text(&out->id, ",\"name\":\"flow\"");
    if (label.category.index == 0) bytes_append_text(&out->id, ",\"cat\":\"flow\"");
    if (side == FLOW_TO) bytes_append_text(&out->id, ",\"bp\":\"e\"");
    Line line = { .phase = PHASES[side],
                  .label = trace->flows.label[flow],
                  .track = flow_end_track(trace, &end),
                  .time = &time,
                  .members = { (const char *)out->id.data, out->id.size } };
    line_put(&out->lines, &line);
}

/* Those of this format are events, and written as such. */
static bool put_flows(JsonOut *out, Err *err)
{
    uint64_t count = out->own_format ? 0 : out->trace->flows.count;
    for (uint64_t i = 0; i < count; i++) {
        put_flow_end(out, i, FLOW_FROM);
        put_flow_end(out, i, FLOW_TO);
        if (!flush(out, WRITER_BLOCK_BYTES, err)) return false;
    }
    return true;
}

/* Counters of other formats; those of this one are events, too. */
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
            if (!flush(out, WRITER_BLOCK_BYTES, err)) return false;
        }
    }
    writer_report(out->report, walk.gap_count, "gaps in counters are left out");
    return true;
}

/* -- what stands before the events -- */

/* One metadata event whose only argument is `key`; its value follows. */
static void metadata_begin(JsonOut *out, JsonWriter *json, const char *name, uint32_t process, uint32_t track,
                           const char *key)
{
    bytes_append(&out->buffer, ",\n", out->lines.line_count++ > 0 ? 2 : 0);
    *json = json_writer_to(&out->buffer, 0);
    json_object_begin(json);
    json_put_string(json, "name", name);
    json_put_string(json, "ph", "M");
    line_put_pid(&out->lines, json, process);
    if (track != 0) line_put_tid(&out->lines, json, track);
    json_key(json, "args");
    json_object_begin(json);
    json_key(json, key);
}

static void metadata_text(JsonOut *out, const char *name, uint32_t process, uint32_t track, const char *key,
                          StringView view)
{
    JsonWriter json;
    if (view.size == 0) return; /* Perfetto counts an empty name as an error */
    metadata_begin(out, &json, name, process, track, key);
    json_string_bytes(&json, view);
    json_object_end(&json);
    json_object_end(&json);
}

static void metadata_index(JsonOut *out, const char *name, uint32_t process, uint32_t track, double index)
{
    JsonWriter json;
    metadata_begin(out, &json, name, process, track, "sort_index");
    json_double(&json, index);
    json_object_end(&json);
    json_object_end(&json);
}

/* 0 = it has none. Readers take a missing tid for another thread, that of the process's number. */
static uint32_t first_thread(const Trace *trace, const Process *process)
{
    for (uint32_t t = process->first_track; t < process->first_track + process->track_count; t++) {
        if (trace->tracks[t].kind == TRACK_THREAD) return t;
    }
    return 0;
}

/* Whether a process or thread without a name needs one: its title, as it says more than viewers do by themselves. */
static bool needs_title(const char *word, const char *usual_word, Ident ident)
{
    bool is_replaced = ident.kind != IDENT_NONE && !writer_id_fits(ident, UINT32_MAX);
    return strcmp(word, usual_word) != 0 || is_replaced;
}

static StringView title(const Bytes *text)
{
    return (StringView){ (const char *)text->data, text->size };
}

static StringView process_name(JsonOut *out, uint32_t process)
{
    const Trace   *trace = out->trace;
    const Process *p = &trace->processes[process];
    StringView     name = trace_string(trace, p->name);
    if (name.size > 0 || !needs_title(trace->process_word, TITLE_PROCESS, p->pid)) return name;
    bytes_clear(&out->title);
    trace_process_title(trace, process, &out->title);
    return title(&out->title);
}

static StringView thread_name(JsonOut *out, uint32_t track)
{
    const Trace *trace = out->trace;
    const Track *t = &trace->tracks[track];
    StringView   name = trace_string(trace, t->name);
    if (t->kind == TRACK_THREAD && (name.size > 0 || !needs_title(trace->thread_word, TITLE_THREAD, t->tid)))
        return name;
    bytes_clear(&out->title);
    trace_track_title(trace, track, &out->title);
    return title(&out->title);
}

/* Where a thread and its states stand. Threads of samples say so in any case: chrome://tracing makes none for samples alone. */
static void put_thread_index(JsonOut *out, uint32_t process, uint32_t track)
{
    const Track *t = &out->trace->tracks[track];
    double       index = t->kind == TRACK_STATES ? out->trace->tracks[t->thread].sort_index : t->sort_index;
    if (index < 0 || index > 0 || out->lines.places.tracks[track].has_samples)
        metadata_index(out, "thread_sort_index", process, track, index);
}

/* Names and places of processes and threads, for a trace whose source has no metadata events of this kind. */
static bool put_names(JsonOut *out, Err *err)
{
    const Trace *trace = out->trace;
    for (uint32_t p = 1; p <= trace->process_count; p++) {
        const Process *process = &trace->processes[p];
        uint32_t       main = first_thread(trace, process);
        metadata_text(out, "process_name", p, main, "name", process_name(out, p));
        metadata_text(out, "process_labels", p, main, "labels", trace_string(trace, process->labels));
        if (process->sort_index < 0 || process->sort_index > 0)
            metadata_index(out, "process_sort_index", p, main, process->sort_index);
        for (uint32_t t = process->first_track; t < process->first_track + process->track_count; t++) {
            const Track *track = &trace->tracks[t];
            if (track->kind != TRACK_THREAD && track->kind != TRACK_STATES) continue;
            metadata_text(out, "thread_name", p, t, "name", thread_name(out, t));
            put_thread_index(out, p, t);
        }
        if (!flush(out, WRITER_BLOCK_BYTES, err)) return false;
    }
    return true;
}

/* By key (StringId.index), which property is its last; NULL when out of memory. */
static uint32_t *last_properties(JsonOut *out)
{
    size_t    keys = (size_t)string_table_count(out->trace->strings) + 1;
    uint32_t *last = ARENA_ARRAY(&out->arena, uint32_t, keys);
    for (uint32_t i = 0; last != NULL && i < out->trace->property_count; i++)
        last[out->trace->properties[i].key.index] = i;
    return last;
}

/* Lists of frames and of samples add up, where a file has several. */
static bool property_adds_up(StringView key)
{
    return string_equal(key, STRING_LITERAL("stackFrames")) || string_equal(key, STRING_LITERAL("samples"));
}

/* All values of the key in one: objects or lists, what is none of the last one's kind is left out. */
static void put_joined(JsonOut *out, uint32_t last)
{
    const Property *properties = out->trace->properties;
    const char      open = properties[last].json[0];
    bool            is_first = true;
    bytes_append(&out->buffer, &open, 1);
    for (uint32_t i = 0; i <= last; i++) {
        const Property *property = &properties[i];
        if (property->key.index != properties[last].key.index || property->size <= 2) continue;
        if (property->json[0] != open) {
            writer_report(out->report, 1, "top-level values with a later one of their key are left out");
            continue;
        }
        if (!is_first) bytes_append(&out->buffer, ",", 1);
        is_first = false;
        bytes_append(&out->buffer, property->json + 1, property->size - 2);
    }
    bytes_append(&out->buffer, open == '{' ? "}" : "]", 1);
}

/* False for what would break the document or a viewer: counted. */
static bool property_is_fit(JsonOut *out, uint32_t index, const uint32_t *last)
{
    const Property *property = &out->trace->properties[index];
    StringView      key = trace_string(out->trace, property->key), json = { property->json, property->size };
    if (string_equal(key, STRING_LITERAL("traceEvents"))) return false; /* no reader keeps it as a property */
    if (string_equal(key, STRING_LITERAL("displayTimeUnit")) &&
        !string_equal(json, STRING_LITERAL("\"ns\"")) && !string_equal(json, STRING_LITERAL("\"ms\""))) {
        writer_report(out->report, 1,
                      "displayTimeUnit other than ms or ns, which chrome://tracing refuses, is left out");
        return false;
    }
    if (last[property->key.index] == index) return true;
    char opens = out->trace->properties[last[property->key.index]].json[0];
    if (property_adds_up(key) && (opens == '{' || opens == '['))
        return false; /* it is written with the last one */
    writer_report(out->report, 1, "top-level values with a later one of their key are left out");
    return false;
}

/* What the trace was before: with the length of its tick it can become that again, to the tick. */
static void put_source(JsonOut *out)
{
    const Trace *trace = out->trace;
    JsonWriter   json = json_writer_to(&out->buffer, 0);
    bytes_append_text(&out->buffer, "\"otherData\":");
    json_object_begin(&json);
    json_put_string(&json, "source_format", trace->format_name);
    json_put_string(&json, "source_version", trace->format_version);
    if (clock_has_time(&trace->clock)) {
        json_key(&json, "ns_per_tick");
        json_array_begin(&json);
        json_u64(&json, trace->clock.ns_num);
        json_u64(&json, trace->clock.ns_den);
        json_array_end(&json);
    }
    json_object_end(&json);
    bytes_append_text(&out->buffer, ",\n");
}

/* What stacks are made of, and the samples. */
static bool put_profile(JsonOut *out, Err *err)
{
    const Trace *trace = out->trace;
    for (uint32_t i = 1; i <= trace->stacks.stack_count; i++) {
        bytes_append_text(&out->buffer, i == 1 ? "\"stackFrames\":{\n" : ",\n");
        writer_put_frame(trace, i, &out->buffer);
        if (!flush(out, WRITER_BLOCK_BYTES, err)) return false;
    }
    if (trace->stacks.stack_count > 0) bytes_append_text(&out->buffer, "\n},\n");
    bool is_first = true;
    for (uint32_t track = 1; track <= trace->track_count; track++) {
        const Track *t = &trace->tracks[track];
        for (uint64_t i = t->first_profile; i < t->first_profile + t->profile_count; i++) {
            bytes_append_text(&out->buffer, is_first ? "\"samples\":[\n" : ",\n");
            is_first = false;
            writer_put_sample(&out->lines, &out->clock, track, i, &out->buffer);
            if (!flush(out, WRITER_BLOCK_BYTES, err)) return false;
        }
    }
    if (!is_first) bytes_append_text(&out->buffer, "\n],\n");
    return true;
}

static bool put_properties(JsonOut *out, Err *err)
{
    const Trace *trace = out->trace;
    const Clock *clock = &out->clock;
    bool         has_unit = out->own_format, has_other = out->own_format;
    bool         has_epoch = out->own_format || !clock->has_epoch;
    JsonWriter   json = json_writer_to(&out->buffer, 0);
    uint32_t    *last = last_properties(out);
    if (last == NULL) return err_set(err, ERR_MEMORY, "out of memory for the output");
    bytes_append_text(&out->buffer, "{");
    for (uint32_t i = 0; i < trace->property_count; i++) {
        StringView key = trace_string(trace, trace->properties[i].key);
        if (!property_is_fit(out, i, last)) continue;
        has_unit |= string_equal(key, STRING_LITERAL("displayTimeUnit"));
        has_epoch |= string_equal(key, STRING_LITERAL("baseTimeNanoseconds"));
        has_other |= string_equal(key, STRING_LITERAL("otherData"));
        json_string_bytes(&json, key);
        bytes_append_text(&out->buffer, ":");
        char opens = trace->properties[i].json[0];
        if (property_adds_up(key) && (opens == '{' || opens == '['))
            put_joined(out, i);
        else
            bytes_append(&out->buffer, trace->properties[i].json, trace->properties[i].size);
        bytes_append_text(&out->buffer, ",\n");
        if (!flush(out, WRITER_BLOCK_BYTES, err)) return false;
    }
    if (!has_unit) bytes_append_text(&out->buffer, "\"displayTimeUnit\":\"ns\",\n");
    if (!has_epoch)
        bytes_printf(&out->buffer, "\"baseTimeNanoseconds\":%lld,\n", (long long)clock->epoch_unix_ns);
    if (!has_other) put_source(out);
    if (!out->own_format && !put_profile(out, err)) return false;
    bytes_append_text(&out->buffer, "\"traceEvents\":[\n");
    return true;
}

/* -- the whole -- */

/* The letter of each kind of event as JSON; nothing for events that have none. */
static bool prepare_phases(JsonOut *out)
{
    const Trace *trace = out->trace;
    Bytes        text = { 0 };
    out->phases = ARENA_ARRAY(&out->arena, StringView, (size_t)trace->event_kind_count + 1);
    for (uint32_t i = 0; out->phases != NULL && i < trace->event_kind_count; i++) {
        StringView name = trace_string(trace, trace->event_kinds[i].name);
        if (string_equal(name, STRING_LITERAL("?"))) continue;
        if (string_equal(name, STRING_LITERAL("E"))) out->end_kind = (uint16_t)i;
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

/* Heph's own converter counts from 1970, and what it makes must compare. Not where the sum is more than a reader takes. */
static void date_times(JsonOut *out)
{
    const Trace *trace = out->trace;
    Clock       *clock = &out->clock;
    bool         is_huge = clock->is_unsigned || trace->end_tick > INT64_MAX - clock->epoch_unix_ns;
    if (strcmp(trace->format_name, "heph") != 0 || !clock->has_epoch || is_huge) return;
    clock->origin_ns = clock->epoch_unix_ns;
    clock->epoch_unix_ns = 0;
}

static bool prepare(JsonOut *out, Err *err)
{
    out->clock = out->trace->clock;
    date_times(out);
    out->own_format = strcmp(out->trace->format_name, "trace-event") == 0;
    out->end_kind = UINT16_MAX;
    out->reader = detail_reader_create(&out->arena, out->loaded);
    if (out->reader != NULL && line_writer_open(&out->lines, out->trace, &out->buffer, &out->arena) &&
        prepare_phases(out) &&
        slice_marks_make(&out->marks, out->trace, out->own_format ? out->end_kind : UINT16_MAX, &out->arena))
        return true;
    return err_set(err, ERR_MEMORY, "out of memory for the output");
}

/* Ids of the file itself are kept as they are, and with them what not every viewer takes. */
static uint64_t odd_id_count(const Trace *trace)
{
    uint64_t count = 0;
    for (uint32_t i = 1; i <= trace->process_count; i++)
        count += !writer_id_fits(trace->processes[i].pid, UINT32_MAX);
    for (uint32_t i = 1; i <= trace->track_count; i++) {
        const Track *track = &trace->tracks[i];
        count += track->kind == TRACK_THREAD && track->has_events && !writer_id_fits(track->tid, UINT32_MAX);
    }
    return count;
}

static void report_losses(JsonOut *out)
{
    const Trace *trace = out->trace;
    uint64_t     repaired = 0, legacy = 0;
    for (uint64_t i = 0; i < trace->slices.count; i++)
        repaired += (trace->slices.flags[i] & SLICE_REPAIRED) != 0;
    for (uint32_t i = 0; i < trace->event_kind_count; i++) {
        StringView name = trace_string(trace, trace->event_kinds[i].name);
        if (out->own_format && name.size == 1 && strchr("STpF", name.bytes[0]) != NULL)
            legacy += trace->event_kinds[i].count - (name.bytes[0] == 'T' ? trace->state_count : 0);
    }
    if (trace->async_slice_count == 0) legacy = 0; /* then they are written as they were */
    writer_report(out->report, out->lines.rounded_count, "times are rounded to a picosecond");
    writer_report(out->report, repaired, "slices do not show any more that their times were repaired");
    writer_report(out->report, out->marks.lost_causes,
                  "slices do not show any more that only the end of another ended them");
    writer_report(out->report, out->marks.lost_ties,
                  "slices without length change places with what begins or ends at their time");
    writer_report(out->report, out->no_duration_count,
                  "unfinished slices are X without dur, which Perfetto drops: as B a later E would end them");
    writer_report(out->report, out->closed_state_count,
                  "states that never end get an end: that to which they are drawn");
    writer_report(out->report, out->moved_stack_count,
                  "ends lose their fields but for the stack, which is the slice's \"esf\" now");
    writer_report(
        out->report, out->lines.places.replaced_count,
        "ids of processes and threads are no numbers of 32 bits, and become such: titles say what they were");
    if (out->own_format)
        writer_report(
            out->report, odd_id_count(trace),
            "ids of processes and threads are no numbers of 32 bits: Spall and speedscope refuse them");
    writer_report(out->report, legacy, "events of old-style asynchronous slices become nestable ones");
    writer_report(out->report, out->lines.dropped_count,
                  "fields of events are left out because the repaired value stands in their place");
    writer_report(out->report, out->unreadable_count, "events lose arguments that cannot be decoded again");
    if (!clock_has_time(&trace->clock))
        writer_report(out->report, 1, "clock counts calls, not time: each call is written as a microsecond");
}

static bool write_trace(const Loaded *loaded, const OutputSink *sink, WriterReport *report, Err *err)
{
    JsonOut out = { .loaded = loaded, .trace = loaded->trace, .sink = sink, .report = report };
    bool    done = prepare(&out, err) && put_properties(&out, err);
    if (done && !out.own_format) done = put_names(&out, err);
    done = done && put_events(&out, err) && put_flows(&out, err) && put_counters(&out, err);
    if (done) {
        bytes_append_text(&out.buffer, "\n]}\n");
        done = flush(&out, 0, err);
    }
    if (done) report_losses(&out);
    detail_reader_release(out.reader);
    line_writer_close(&out.lines);
    bytes_release(&out.details.args);
    bytes_release(&out.details.other);
    bytes_release(&out.title);
    bytes_release(&out.id);
    bytes_release(&out.ends);
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
