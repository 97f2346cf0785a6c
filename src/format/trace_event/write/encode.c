#include "format/trace_event/write/encode.h"

#include "format/trace_event/write/counters.h"
#include "format/trace_event/write/fit.h"
#include "format/trace_event/write/stacks.h"
#include "trace/store/flows.h"
#include "trace/store/lookup.h"

#include <assert.h>

bool json_encoder_open(JsonEncoder *encoder, const JsonPlan *plan, const Loaded *loaded, Arena *arena)
{
    *encoder = (JsonEncoder){ .plan = plan };
    encoder->reader = detail_reader_create(&encoder->arena, loaded);
    encoder->losses.refused = ARENA_ARRAY(arena, uint64_t, (size_t)plan->trace->records.event_kind_count + 1);
    return encoder->reader != NULL && encoder->losses.refused != NULL &&
           line_writer_open(&encoder->lines, &plan->places, arena);
}

void json_encoder_release(JsonEncoder *encoder)
{
    detail_reader_release(encoder->reader);
    line_writer_close(&encoder->lines);
    bytes_release(&encoder->details.args);
    bytes_release(&encoder->details.other);
    bytes_release(&encoder->id);
    bytes_release(&encoder->title);
    arena_release(&encoder->arena);
}

/* Loads the details of the current event. Counts details that cannot be decoded. Returns false on other errors. */
static bool load_details(JsonEncoder *encoder, ReadDetails read, uint64_t id, Err *err)
{
    if (LIKELY(read(encoder->reader, id, &encoder->details, err))) return true;
    if (err->code == ERR_IO || err->code == ERR_MEMORY) return false;
    bytes_clear(&encoder->details.args);
    bytes_clear(&encoder->details.other);
    encoder->losses.unreadable++;
    return true;
}

static const StringView PHASE_X = { "\"X\"", 3 }, PHASE_B = { "\"B\"", 3 }, PHASE_E = { "\"E\"", 3 },
                        PHASE_I = { "\"i\"", 3 }, PHASE_ASYNC_B = { "\"b\"", 3 },
                        PHASE_ASYNC_E = { "\"e\"", 3 }, PHASE_ASYNC_N = { "\"n\"", 3 },
                        PHASE_STATE = { "\"T\"", 3 }, PHASE_COUNTER = { "\"C\"", 3 };

/* -- members of asynchronous events -- */

typedef enum { ID_FROM_DETAILS, ID_IN_FULL } IdSource;

/* Appends "cat" to encoder->id if the label has no category: a step of an old-style slice gets the category of its slice;
 * events of other formats need one because chrome://tracing rejects them without it. */
static void put_async_category(JsonEncoder *encoder, const Track *track, uint32_t label)
{
    const Trace *trace = encoder->plan->trace;
    if (trace->labels[label].category.index != 0) return;
    if (track_extras(track)->category.index == 0 && encoder->plan->own_format) return;
    if (encoder->id.size > 0) bytes_append(&encoder->id, ",", 1);
    bytes_append_text(&encoder->id, "\"cat\":");
    JsonWriter json = json_writer_to(&encoder->id, 0);
    if (track_extras(track)->category.index != 0)
        json_string_bytes(&json, trace_string(trace, track_extras(track)->category));
    else
        json_string(&json, "async");
}

/* Appends the id of the source's event to encoder->id and returns its size. Old-style events are matched by name, scope
 * and id, nestable events by category, scope and id. So the name of an old-style slice becomes part of its scope,
 * which keeps slices of one category and id separate. */
static size_t put_source_id(JsonEncoder *encoder, const Track *track, IdSource source)
{
    Bytes scope = { 0 };
    if (encoder->details.old_phase != '\0') {
        StringView name = trace_string(encoder->plan->trace, track->name);
        writer_cut_scope(&encoder->details.other, &scope);
        if (scope.size > 0) bytes_append(&scope, "/", 1);
        bytes_append(&scope, name.bytes, name.size);
    }
    line_id_append(&encoder->details.other, &encoder->id);
    size_t size = encoder->id.size;
    if (source == ID_FROM_DETAILS) bytes_clear(&encoder->id); /* the id is written with the details */
    if (scope.size > 0) {
        if (encoder->id.size > 0) bytes_append(&encoder->id, ",", 1);
        bytes_append_text(&encoder->id, "\"scope\":");
        JsonWriter json = json_writer_to(&encoder->id, 0);
        json_string_bytes(&json, bytes_view(&scope));
    }
    encoder->id.failed |= scope.failed;
    bytes_release(&scope);
    return size;
}

/* Returns the members that an event of an asynchronous track has besides the fields of its source: the id that begin
 * and end share, the scope of an old-style event, and a category. */
static StringView async_members(JsonEncoder *encoder, const JsonItem *item, uint32_t label, IdSource source)
{
    const Track *group = &encoder->plan->trace->tracks[item->track];
    bytes_clear(&encoder->id);
    if (!encoder->plan->own_format || put_source_id(encoder, group, source) == 0) {
        if (encoder->id.size > 0) bytes_append(&encoder->id, ",", 1);
        bytes_printf(&encoder->id, "\"id\":\"0x%llx\"", (unsigned long long)item->root);
    }
    put_async_category(encoder, group, label);
    return bytes_view(&encoder->id);
}

/* -- members of stacks -- */

/* Appends a comma after the members in encoder->id. */
static size_t members_begin(JsonEncoder *encoder)
{
    if (encoder->id.size > 0) bytes_append(&encoder->id, ",", 1);
    return encoder->id.size;
}

static StringView members_end(JsonEncoder *encoder, size_t begun)
{
    assert(encoder->id.failed || encoder->id.size >= begun);
    if (encoder->id.size == begun && begun > 0) encoder->id.size--;
    return bytes_view(&encoder->id);
}

/* Appends stacks to the members. In traces of this format they are among the event's fields. */
static StringView stack_members(JsonEncoder *encoder, StackId begin, StackId end)
{
    size_t begun = members_begin(encoder);
    if (!encoder->plan->own_format) writer_put_stacks(begin, end, &encoder->id);
    return members_end(encoder, begun);
}

/* Appends the stack and the other members of an end event to its members. */
static StringView end_members(JsonEncoder *encoder, StackId stack)
{
    size_t begun = members_begin(encoder);
    if (encoder->plan->own_format)
        writer_put_end_members(&encoder->details.other, &encoder->id);
    else
        writer_put_stacks(stack, STACK_NONE, &encoder->id);
    return members_end(encoder, begun);
}

/* -- slices -- */

static void put_async_slice(JsonEncoder *encoder, const JsonItem *item)
{
    const JsonPlan *plan = encoder->plan;
    const Trace    *trace = plan->trace;
    uint32_t        label = trace_slice_label(trace, item->id);
    WriterTime      time = writer_time_of(&plan->clock, item->tick);
    Line            line = { .phase = PHASE_ASYNC_B,
                             .label = label,
                             .track = trace_slice_thread(trace, item->id),
                             .time = &time,
                             .members = async_members(encoder, item, label, ID_FROM_DETAILS),
                             .details = &encoder->details };
    line.members = stack_members(encoder, trace_slice_stack(trace, item->id), STACK_NONE);
    if (plan->own_format && trace_slice_end_stack(trace, item->id).index != 0)
        writer_cut_end_members(&encoder->details.other);
    line_put(&encoder->lines, &line);
}

static void put_thread_slice(JsonEncoder *encoder, const JsonItem *item)
{
    const JsonPlan *plan = encoder->plan;
    const Trace    *trace = plan->trace;
    SliceForm       form = slice_marks_form(&plan->marks, item->id);
    WriterTime      time = writer_time_of(&plan->clock, item->tick), span;
    Line            line = { .phase = form == FORM_BEGIN || form == FORM_BEGIN_END ? PHASE_B : PHASE_X,
                             .label = trace_slice_label(trace, item->id),
                             .track = item->track,
                             .time = &time,
                             .details = &encoder->details };
    encoder->losses.no_duration += form == FORM_NO_DURATION;
    if (form == FORM_COMPLETE) {
        WriterTime end = writer_time_of(&plan->clock, trace_slice_end_from(trace, item->id, item->tick));
        span = writer_time_span(&time, &end);
        line.duration = &span;
    }
    bytes_clear(&encoder->id);
    StackId end_stack = trace_slice_end_stack(trace, item->id);
    line.members = stack_members(encoder, trace_slice_stack(trace, item->id),
                                 form == FORM_COMPLETE ? end_stack : STACK_NONE);
    bool is_ends_own =
        plan->own_format && end_stack.index != 0 && (trace_slice_flags(trace, item->id) & SLICE_END_SOURCE);
    if (is_ends_own && form == FORM_COMPLETE) {
        writer_put_end_stack(&encoder->details.other, &encoder->id);
        encoder->losses.moved_stack++;
        line.members = bytes_view(&encoder->id);
    }
    if (is_ends_own) writer_cut_end_members(&encoder->details.other);
    line_put(&encoder->lines, &line);
}

/* Writes a state of a thread. It always has a duration, because a T without one is a step of an asynchronous slice. */
static void put_state(JsonEncoder *encoder, const JsonItem *item)
{
    const JsonPlan *plan = encoder->plan;
    const Trace    *trace = plan->trace;
    WriterTime      time = writer_time_of(&plan->clock, item->tick);
    WriterTime      end = writer_time_of(&plan->clock, trace_slice_end_from(trace, item->id, item->tick));
    WriterTime      span = writer_time_span(&time, &end);
    Line            line = { .phase = PHASE_STATE,
                             .label = trace_slice_label(trace, item->id),
                             .track = trace_slice_thread(trace, item->id),
                             .time = &time,
                             .duration = &span,
                             .details = &encoder->details };
    encoder->losses.closed_state += (trace_slice_flags(trace, item->id) & SLICE_UNFINISHED) != 0;
    line_put(&encoder->lines, &line);
}

/* Writes a state of a thread of another format as a slice of a separate thread, which all viewers show. States follow
 * each other without gaps, so they are written as begins and ends (see marks.c). */
static void put_foreign_state(JsonEncoder *encoder, const JsonItem *item)
{
    const Trace *trace = encoder->plan->trace;
    bool         is_open = (trace_slice_flags(trace, item->id) & SLICE_UNFINISHED) != 0;
    bool         is_empty = !is_open && trace_slice_is_empty(trace, item->id);
    WriterTime   time = writer_time_of(&encoder->plan->clock, item->tick);
    WriterTime   span = { .ns = 0 };
    bytes_clear(&encoder->id);
    Line line = { .phase = is_empty ? PHASE_X : PHASE_B,
                  .label = trace_slice_label(trace, item->id),
                  .track = item->track,
                  .time = &time,
                  .duration = is_empty ? &span : NULL,
                  .members = stack_members(encoder, trace_slice_stack(trace, item->id), STACK_NONE),
                  .details = &encoder->details };
    line_put(&encoder->lines, &line);
}

static bool put_slice(JsonEncoder *encoder, const JsonItem *item, Err *err)
{
    const TrackKind kind = encoder->plan->trace->tracks[item->track].kind;
    if (!load_details(encoder, detail_reader_slice, item->id, err)) return false;
    if (kind == TRACK_ASYNC)
        put_async_slice(encoder, item);
    else if (kind != TRACK_STATES)
        put_thread_slice(encoder, item);
    else if (encoder->plan->own_format)
        put_state(encoder, item);
    else
        put_foreign_state(encoder, item);
    return true;
}

static bool put_slice_end(JsonEncoder *encoder, const JsonItem *item, Err *err)
{
    const Trace *trace = encoder->plan->trace;
    const bool   is_async = trace->tracks[item->track].kind == TRACK_ASYNC;
    WriterTime   time = writer_time_of(&encoder->plan->clock, item->tick);
    Line         line = { .phase = is_async ? PHASE_ASYNC_E : PHASE_E,
                          .label = trace_slice_label(trace, item->id),
                          .track = is_async ? trace_slice_thread(trace, item->id) : item->track,
                          .time = &time };
    StackId      stack = trace_slice_end_stack(trace, item->id);
    if ((is_async || stack.index != 0) && !load_details(encoder, detail_reader_slice, item->id, err))
        return false;
    bytes_clear(&encoder->id);
    if (is_async) line.members = async_members(encoder, item, line.label, ID_IN_FULL);
    if (stack.index != 0) line.members = end_members(encoder, stack);
    line_put(&encoder->lines, &line);
    return true;
}

/* -- other events -- */

static bool put_instant(JsonEncoder *encoder, const JsonItem *item, Err *err)
{
    static const StringView SCOPES[] = { [INSTANT_THREAD] = { "\"t\"", 3 },
                                         [INSTANT_PROCESS] = { "\"p\"", 3 },
                                         [INSTANT_GLOBAL] = { "\"g\"", 3 } };
    const Trace            *trace = encoder->plan->trace;
    bool                    is_async = trace->tracks[item->track].kind == TRACK_ASYNC;
    uint32_t                thread = trace_instant_thread(trace, item->id);
    WriterTime              time = writer_time_of(&encoder->plan->clock, item->tick);
    Line                    line = { .phase = is_async ? PHASE_ASYNC_N : PHASE_I,
                                     .label = trace_instant_label(trace, item->id),
                                     .track = thread == TRACK_NONE.index ? item->track : thread,
                                     .time = &time,
                                     .details = &encoder->details };
    if (!load_details(encoder, detail_reader_instant, item->id, err)) return false;
    if (is_async)
        line.members = async_members(encoder, item, line.label, ID_FROM_DETAILS);
    else
        line.scope = SCOPES[trace_instant_scope(trace, item->id)];
    if (!is_async) bytes_clear(&encoder->id);
    line.members = stack_members(encoder, trace_instant_stack(trace, item->id), STACK_NONE);
    line_put(&encoder->lines, &line);
    return true;
}

/* True if the counter of a raw event is chosen. */
static bool has_counter(JsonEncoder *encoder, const OtherEvent *other)
{
    const JsonPlan *plan = encoder->plan;
    if (other->kind != plan->counter_kind || plan->trace->window.tracks == NULL) return true;
    bytes_clear(&encoder->title);
    counter_title_append(trace_label_name(plan->trace, other->label), &encoder->details.other,
                         &encoder->title);
    return window_has_counter(plan->trace, &plan->begins, other, bytes_view(&encoder->title));
}

/* Writes a raw event of this format unchanged. */
static bool put_other(JsonEncoder *encoder, const JsonItem *item, Err *err)
{
    const JsonPlan   *plan = encoder->plan;
    const OtherEvent *other = &plan->trace->records.others[item->id];
    if (!load_details(encoder, detail_reader_other, item->id, err)) return false;
    if (!has_counter(encoder, other)) return true;
    if (other->is_metadata &&
        !writer_fit_metadata(trace_label_name(plan->trace, other->label), &encoder->details.args)) {
        encoder->losses.unfit_metadata++;
        return true;
    }
    if (plan->is_refused[other->kind]) {
        encoder->losses.refused[other->kind]++;
        return true;
    }
    if (other->kind == plan->counter_kind && encoder->details.args.size == 0)
        bytes_append_text(&encoder->details.args, "{}"); /* chrome://tracing requires args */
    WriterTime time = { .ns = 0 };
    if (other->has_tick) time = writer_time_of(&plan->clock, other->tick);
    Line line = { .phase = plan->phases[other->kind],
                  .label = other->label,
                  .track = other->thread,
                  .time = other->has_tick ? &time : NULL,
                  .details = &encoder->details };
    line_put(&encoder->lines, &line);
    return true;
}

/* Returns the track whose "tid" an end of an arrow gets. */
static uint32_t flow_end_track(const Trace *trace, const FlowEnd *end)
{
    bool is_beside = end->slice != FLOW_NO_SLICE && trace->tracks[end->track].kind != TRACK_STATES;
    return is_beside ? trace_slice_thread(trace, end->slice) : end->track;
}

/* Writes one end of an arrow. The arrow's number is the id of both ends. */
static void put_flow_end(JsonEncoder *encoder, uint64_t flow, FlowSide side)
{
    static const StringView PHASES[] = { [FLOW_FROM] = { "\"s\"", 3 }, [FLOW_TO] = { "\"f\"", 3 } };
    const Trace            *trace = encoder->plan->trace;
    FlowEnd                 end = trace_flow_end(trace, flow, side);
    WriterTime              time = writer_time_of(&encoder->plan->clock, end.tick);
    Label                   label = trace->labels[trace_flow_label(trace, flow)];
    bytes_clear(&encoder->id);
    bytes_printf(&encoder->id, "\"id\":%llu", (unsigned long long)flow);
    if (label.name.index == 0) bytes_append_text(&encoder->id, ",\"name\":\"flow\"");
    if (label.category.index == 0) bytes_append_text(&encoder->id, ",\"cat\":\"flow\"");
    if (side == FLOW_TO) bytes_append_text(&encoder->id, ",\"bp\":\"e\"");
    Line line = { .phase = PHASES[side],
                  .label = trace_flow_label(trace, flow),
                  .track = flow_end_track(trace, &end),
                  .time = &time,
                  .members = bytes_view(&encoder->id) };
    line_put(&encoder->lines, &line);
}

static void put_values(JsonEncoder *encoder, const JsonItem *item, const double *values)
{
    const Trace *trace = encoder->plan->trace;
    WriterTime   time = writer_time_of(&encoder->plan->clock, item->tick);
    Line         line = { .phase = PHASE_COUNTER, .time = &time };
    bytes_clear(&encoder->id);
    JsonWriter json = json_writer_to(&encoder->id, 0);
    json_object_begin(&json);
    counter_put(trace, item->track, values, &json);
    line_put_pid(&encoder->plan->places, &json, trace->tracks[item->track].process.index);
    json_object_end(&json);
    if (encoder->id.size > 2)
        line.members = (StringView){ (const char *)encoder->id.data + 1, encoder->id.size - 2 };
    line_put(&encoder->lines, &line);
}

static bool put_item(JsonEncoder *encoder, const JsonPiece *piece, const JsonItem *item, Err *err)
{
    switch (item->kind) {
    case ITEM_SLICE:
        return put_slice(encoder, item, err);
    case ITEM_SLICE_END:
        return put_slice_end(encoder, item, err);
    case ITEM_INSTANT:
        return put_instant(encoder, item, err);
    case ITEM_OTHER:
        return put_other(encoder, item, err);
    case ITEM_FLOW:
        put_flow_end(encoder, item->id, FLOW_FROM);
        put_flow_end(encoder, item->id, FLOW_TO);
        return true;
    case ITEM_VALUES:
        put_values(encoder, item, piece->values.items + item->id);
        return true;
    }
    return true;
}

bool json_encode(JsonEncoder *encoder, JsonPiece *piece, Err *err)
{
    encoder->lines.out = &piece->out;
    for (size_t i = 0; i < piece->count && !piece->values.bytes.failed; i++)
        if (!put_item(encoder, piece, &piece->items[i], err)) return false;
    return (!piece->out.failed && !piece->values.bytes.failed && !encoder->id.failed &&
            !encoder->title.failed && !encoder->details.args.failed) ||
           err_set(err, ERR_MEMORY, "out of memory for the output");
}
