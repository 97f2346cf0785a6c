/* The answers about arrows: those of a slice, a single one, its tooltip, and steps along arrows. */
#include "app/session/answer_json.h"
#include "app/session/event_members.h"
#include "app/session/handlers.h"
#include "app/session/near.h"
#include "app/session/params.h"
#include "base/json_members.h"
#include "trace/store/lookup.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MAX_FLOWS = 100 };

/* Writes one arrow from the view of the slice at its other end. */
static void write_flow(JsonWriter *w, const RequestContext *ctx, uint64_t flow, FlowSide far)
{
    const Trace *trace = ctx->trace;
    FlowEnd      end = trace_flow_end(trace, flow, far);
    bool         is_bound = end.slice != FLOW_NO_SLICE;
    json_object_begin(w);
    put_label(w, trace, trace_flow_label(trace, flow));
    put_place(w, "place", ctx, end.slice);
    put_text(w, "slice_name", trace,
             is_bound ? trace->labels[trace_slice_label(trace, end.slice)].name : STRING_NONE);
    put_thread(w, "thread", trace, end.track);
    put_process(w, "process", trace, trace->tracks[end.track].process.index);
    put_time(w, "from", trace, trace_flow_tick(trace, flow, FLOW_FROM));
    put_time(w, "to", trace, trace_flow_tick(trace, flow, FLOW_TO));
    bool     backwards = trace_flow_is_backwards(trace, flow);
    uint64_t from = (uint64_t)trace_flow_tick(trace, flow, FLOW_FROM),
             to = (uint64_t)trace_flow_tick(trace, flow, FLOW_TO);
    put_span(w, "duration", trace, backwards ? from - to : to - from);
    json_put_bool(w, "backwards", backwards);
    json_object_end(w);
}

static void put_range(JsonWriter *w, const RequestContext *ctx, const char *key, FlowRange range)
{
    json_put_object(w, key);
    json_put_u64(w, "count", range.count);
    json_put_array(w, "flows");
    for (uint64_t i = 0; i < range.count && i < MAX_FLOWS; i++)
        write_flow(w, ctx, flow_at(ctx->trace, range, i), range.side == FLOW_FROM ? FLOW_TO : FLOW_FROM);
    json_array_end(w);
    json_object_end(w);
}

void put_flows(JsonWriter *w, const RequestContext *ctx, const char *key, uint64_t slice, FlowSide side)
{
    assert(trace_has_slice(ctx->trace, slice));
    put_range(w, ctx, key, flows_of_slice(ctx->trace, slice, side));
}

void put_ended_by(JsonWriter *w, const RequestContext *ctx, uint64_t slice)
{
    const Trace   *trace = ctx->trace;
    const uint32_t row = trace_slice_row(trace, slice);
    if (trace->tracks[trace->rows[row].track].kind != TRACK_STATES) return;
    const uint64_t end = trace_since_begin(trace, trace_slice_end(trace, slice));
    FlowRange      range = flows_of_row(trace, row, FLOW_TO, end, end + 1);
    while (range.count > 0 && trace_flow_end(trace, flow_at(trace, range, 0), FLOW_TO).slice == slice) {
        range.first++;
        range.count--;
    }
    if (range.count > 0) put_range(w, ctx, "ended_by", range);
}

/* -- one arrow -- */

/* Finds an arrow by the place of one end: parameters "track", "row", "begin", and "end", which is "from" or
 * "to". Of several, *flow if it is one of them, otherwise the first one. False: the answer is a failure. */
static bool param_flow_place(RequestContext *ctx, uint64_t *flow)
{
    const Trace      *trace = ctx->trace;
    const StringView *end = request_param(ctx->request, "end");
    const Row        *row;
    int64_t           tick;
    const bool        is_from = end != NULL && string_equal(*end, STRING_LITERAL("from"));
    if (!is_from && (end == NULL || !string_equal(*end, STRING_LITERAL("to"))))
        return answer_fail(ctx->answer, SESSION_BAD_REQUEST, "end= must be from or to");
    if (!param_row_tick(ctx, &row, &tick)) return false;
    const FlowSide side = is_from ? FLOW_FROM : FLOW_TO;
    if (*flow < trace_flow_count(trace)) {
        const FlowEnd it = trace_flow_end(trace, *flow, side);
        if (it.track == row->track && it.tick == tick) return true;
    }
    const uint64_t begin = trace_since_begin(trace, tick);
    FlowRange      range = { .count = 0 };
    if (begin < UINT64_MAX)
        range = flows_of_row(trace, (uint32_t)(row - trace->rows), side, begin, begin + 1);
    if (begin < UINT64_MAX && range.count == 0)
        range = flows_of_track(trace, row->track, side, begin, begin + 1);
    if (range.count == 0) return answer_fail(ctx->answer, SESSION_NOT_FOUND, "no arrow has an end there");
    *flow = flow_at(trace, range, 0);
    return true;
}

/* Reads the id of an arrow, parameter `key`, or the place of an end, or both: then the arrow is one with that end. */
static bool param_flow(RequestContext *ctx, const char *key, uint64_t *flow)
{
    const bool by_place = request_param(ctx->request, "track") != NULL;
    *flow = UINT64_MAX;
    if ((!by_place || request_param(ctx->request, key) != NULL) && !param_u64(ctx, key, UINT64_MAX, flow))
        return false;
    if (by_place) return param_flow_place(ctx, flow);
    if (*flow < trace_flow_count(ctx->trace)) return true;
    return answer_fail(ctx->answer, SESSION_NOT_FOUND,
                       "there is no arrow %" PRIu64 ": the trace has %" PRIu64, *flow,
                       trace_flow_count(ctx->trace));
}

void handle_flow(RequestContext *ctx)
{
    uint64_t flow;
    if (!param_flow(ctx, "id", &flow)) return;
    JsonWriter w = json_writer_to(&ctx->answer->body, 0);
    json_object_begin(&w);
    json_key(&w, "from");
    write_flow(&w, ctx, flow, FLOW_FROM);
    json_key(&w, "to");
    write_flow(&w, ctx, flow, FLOW_TO);
    json_object_end(&w);
}

/* Appends the first existing member as readable text. */
static bool member_text(const Bytes *json, const char *const *names, size_t name_count, Bytes *out)
{
    JsonMembers members;
    StringView  key, value;
    for (size_t i = 0; i < name_count; i++) {
        if (json->size == 0 || !json_members_open(bytes_view(json), &members)) return false;
        while (json_members_next(&members, &key, &value)) {
            if (key.size != strlen(names[i]) + 2 || memcmp(key.bytes + 1, names[i], key.size - 2) != 0)
                continue;
            json_plain_append(value, out);
            return true;
        }
    }
    return false;
}

/* Finds the flow event of the input at an end of the flow. */
static bool find_flow_event(const Trace *trace, uint64_t flow, FlowSide side, uint64_t *found)
{
    FlowEnd end = trace_flow_end(trace, flow, side);
    for (uint64_t i = 0; i < trace->records.other_count; i++) {
        const OtherEvent *other = &trace->records.others[i];
        StringView        kind = trace_string(trace, trace->records.event_kinds[other->kind].name);
        if (!other->has_tick || other->tick != end.tick || other->label != trace_flow_label(trace, flow))
            continue;
        if (kind.size != 1 || memchr("stf", kind.bytes[0], 3) == NULL) continue;
        if (trace->tracks[end.track].kind == TRACK_THREAD && trace_other_thread(trace, other) != end.track)
            continue;
        *found = i;
        return true;
    }
    return false;
}

/* Appends the id of the flow in the input: the id of its events, or the bind id. Nothing if it has no id. */
static void append_flow_id(const RequestContext *ctx, uint64_t flow, Bytes *out)
{
    static const char *const OF_EVENT[] = { "id2", "id" }, *const OF_SLICE[] = { "bind_id" };
    bool is_done = false;
    for (int s = 0; s < 2 && !is_done; s++) {
        FlowSide     side = s == 0 ? FLOW_FROM : FLOW_TO;
        uint64_t     slice = trace_flow_end(ctx->trace, flow, side).slice, event;
        EventDetails details = { 0 }, of_slice = { 0 };
        Err          err;
        if (find_flow_event(ctx->trace, flow, side, &event) &&
            request_details(ctx, detail_reader_other, event, &details, &err))
            is_done = member_text(&details.other, OF_EVENT, 2, out);
        if (!is_done && slice != FLOW_NO_SLICE &&
            request_details(ctx, detail_reader_slice, slice, &of_slice, &err))
            is_done = member_text(&of_slice.other, OF_SLICE, 1, out);
        bytes_release(&details.args);
        bytes_release(&details.other);
        bytes_release(&of_slice.args);
        bytes_release(&of_slice.other);
    }
}

/* Appends a text such as "recv, Thread 2 of server". */
static void append_end(const Trace *trace, uint64_t flow, FlowSide side, Bytes *out)
{
    FlowEnd end = trace_flow_end(trace, flow, side);
    if (end.slice != FLOW_NO_SLICE) {
        StringView name = trace_label_name(trace, trace_slice_label(trace, end.slice));
        if (name.size == 0) name = STRING_LITERAL("(no name)");
        bytes_append(out, name.bytes, name.size);
        bytes_append_text(out, ", ");
    }
    trace_track_title(trace, end.track, out);
    bytes_append_text(out, " of ");
    trace_process_title(trace, trace->tracks[end.track].process.index, out);
}

void handle_flow_tooltip(RequestContext *ctx)
{
    uint64_t     flow;
    const Trace *trace = ctx->trace;
    Bytes       *out = &ctx->answer->body, text = { 0 };
    if (!param_flow(ctx, "flow", &flow)) return;
    for (int s = 0; s < 2; s++) {
        bytes_clear(&text);
        append_end(trace, flow, s == 0 ? FLOW_FROM : FLOW_TO, &text);
        tooltip_line(out, s == 0 ? STRING_LITERAL("from") : STRING_LITERAL("to"), bytes_view(&text));
    }
    StringView category = trace_label_category(trace, trace_flow_label(trace, flow));
    if (category.size > 0) tooltip_line(out, STRING_LITERAL("category"), category);
    bytes_clear(&text);
    append_flow_id(ctx, flow, &text);
    if (text.size > 0) tooltip_line(out, STRING_LITERAL("id"), bytes_view(&text));
    bytes_release(&text);
}

/* -- steps -- */

/* Parses "12.1.15": from slice 12, along flows, to slice 15. Any other text is an empty walk. */
static FlowWalk walk_of(const RequestContext *ctx)
{
    const StringView *text = request_param(ctx->request, "walk");
    uint64_t          hub, last;
    char              digits[64];
    int               towards, size = 0;
    if (text == NULL || text->size >= sizeof digits) return (FlowWalk){ 0 };
    memcpy(digits, text->bytes, text->size);
    digits[text->size] = '\0';
    if (sscanf(digits, "%" SCNu64 ".%1d.%" SCNu64 "%n", &hub, &towards, &last, &size) != 3 ||
        (size_t)size != text->size || !trace_has_slice(ctx->trace, hub) || !trace_has_slice(ctx->trace, last))
        return (FlowWalk){ 0 };
    return (FlowWalk){ true, towards == 1 ? FLOW_TO : FLOW_FROM, hub, last };
}

bool handle_near_flow(RequestContext *ctx, uint64_t slice, const Filter *filter, StringView move)
{
    bool     is_next = string_equal(move, STRING_LITERAL("flow-next"));
    FlowWalk walk = walk_of(ctx);
    uint64_t found;
    if (!is_next && !string_equal(move, STRING_LITERAL("flow-previous"))) return false;
    if (!flows_step(ctx->trace, filter, slice, is_next ? FLOW_TO : FLOW_FROM, &walk, &found)) {
        answer_null(ctx);
        return true;
    }
    JsonWriter w = json_writer_to(&ctx->answer->body, 0);
    json_object_begin(&w);
    put_place(&w, "place", ctx, found);
    json_put_printf(&w, "walk", "%" PRIu64 ".%d.%" PRIu64, walk.hub, walk.towards == FLOW_TO, walk.last);
    json_object_end(&w);
    return true;
}
