/* The requests about captures: positions of calls and frames, and ticks of one axis on the other. */
#include "app/session/answer_json.h"
#include "app/session/call_text.h"
#include "app/session/handlers.h"
#include "app/session/params.h"
#include "base/checked.h"
#include "base/digits.h"
#include "base/string_view.h"
#include "format/apitrace/capture.h"
#include "trace/store/lookup.h"

#include <assert.h>

/* Returns the track of the frames, or 0. */
static uint32_t frame_track(const Trace *trace)
{
    for (uint32_t i = 1; i <= trace->track_count; i++) {
        if (trace->tracks[i].divides) return i;
    }
    return 0;
}

/* Finds the innermost slice that begins at `tick` in a row of a thread: a debug group begins with the call
 * that opens it. */
static bool find_call(const Trace *trace, int64_t tick, uint64_t *slice)
{
    bool found = false;
    for (uint32_t i = 0; i < trace->row_count; i++) {
        const Row   *row = &trace->rows[i];
        const Track *track = &trace->tracks[row->track];
        if (track->divides || track->kind != TRACK_THREAD) continue;
        uint32_t at = row_lower_bound(trace, row, tick);
        for (; at < row->slice_count; at++) {
            uint64_t candidate = row->first_slice + at;
            if (trace_slice_begin(trace, candidate) != tick) break;
            *slice = candidate; /* rows are ordered by depth within a lane: the last is the innermost */
            found = true;
        }
    }
    return found;
}

/* Returns the number of the frame at `tick`, which is the number of its slice on the track; after all frames
 * the last one. */
static uint64_t frame_at(const Trace *trace, const Track *track, int64_t tick)
{
    const Row *row = &trace->rows[track->first_row];
    uint32_t   at = row_lower_bound(trace, row, tick);
    assert(at <= row->slice_count);
    if (at < row->slice_count && trace_slice_begin(trace, row->first_slice + at) == tick) return at;
    return at == 0 ? 0 : at - 1;
}

/* Finds the requested slice; *found false: the capture does not have this call or frame. False: the answer is
 * a failure. */
static bool param_call_slice(RequestContext *ctx, const ApiCapture *capture, const Track *frames,
                             uint64_t *slice, bool *found)
{
    const Trace *trace = ctx->trace;
    uint64_t     number;
    if (request_param(ctx->request, "frame") != NULL) {
        uint64_t count = frames == NULL ? 0 : trace->rows[frames->first_row].slice_count;
        if (!param_u64(ctx, "frame", UINT64_MAX, &number)) return false;
        *found = number < count;
        if (*found) *slice = trace->rows[frames->first_row].first_slice + number;
        return true;
    }
    if (!param_u64(ctx, "number", UINT64_MAX, &number)) return false;
    *found = number < capture->call_count && find_call(trace, capture_tick_of(capture, number), slice);
    return true;
}

void handle_call(RequestContext *ctx)
{
    const Trace      *trace = ctx->trace;
    const ApiCapture *capture = capture_of(trace);
    uint32_t          track = frame_track(trace);
    const Track      *frames = track == 0 ? NULL : &trace->tracks[track];
    uint64_t          slice = 0;
    if (capture == NULL) {
        answer_fail(ctx->answer, SESSION_NOT_FOUND, "the trace does not have numbered calls");
        return;
    }
    bool found = false;
    if (!param_call_slice(ctx, capture, frames, &slice, &found)) return;
    int64_t    tick = found ? trace_slice_begin(trace, slice) : 0;
    JsonWriter w = json_writer_to(&ctx->answer->body, 0);
    json_object_begin(&w);
    if (found)
        json_put_u64(&w, "call", capture_call_at(capture, tick));
    else
        json_put_null(&w, "call");
    json_put_u64(&w, "calls", capture->call_count);
    if (!found || frames == NULL)
        json_put_null(&w, "frame");
    else
        json_put_u64(&w, "frame", frame_at(trace, frames, tick));
    json_put_u64(&w, "frames", frames == NULL ? 0 : trace->rows[frames->first_row].slice_count);
    put_place(&w, "place", ctx, found ? slice : PLACE_NONE);
    json_object_end(&w);
}

/* Converts a tick to an axis from the other one. */
static int64_t to_axis(const ApiCapture *capture, WidthRule axis, int64_t tick, CaptureEdge edge)
{
    return axis == WIDTHS_OF_CALLS ? capture_events_to_calls(capture, tick, edge)
                                   : capture_calls_to_events(capture, tick);
}

/* Writes the list of the ticks of parameter `key`, converted to `axis`: offsets from the begin of the trace on each axis. */
static bool put_converted(RequestContext *ctx, JsonWriter *w, const char *key, WidthRule axis,
                          CaptureEdge edge)
{
    const ApiCapture *capture = capture_of(ctx->trace);
    const WidthRule   own = capture->equal_widths ? WIDTHS_OF_CALLS : WIDTHS_OF_EVENTS,
                    other = capture->equal_widths ? WIDTHS_OF_EVENTS : WIDTHS_OF_CALLS;
    const int64_t begin = ctx->trace->begin_tick, other_begin = to_axis(capture, other, begin, CAPTURE_BEGIN);
    const int64_t from_begin = axis == own ? other_begin : begin,
                  to_begin = axis == own ? begin : other_begin;
    const StringView *text = request_param(ctx->request, key);
    StringView        rest = text == NULL ? (StringView){ "", 0 } : *text, part;
    json_key(w, key);
    json_array_begin(w);
    while (rest.size > 0 && text_next_part(&rest, ',', &part)) {
        int64_t tick;
        if (!text_to_i64(part, &tick))
            return answer_fail(ctx->answer, SESSION_BAD_REQUEST,
                               "%s= must be whole numbers of ticks with commas between", key);
        json_i64(w, to_axis(capture, axis, i64_add_saturated(from_begin, tick), edge) - to_begin);
    }
    json_array_end(w);
    return true;
}

void handle_axis(RequestContext *ctx)
{
    if (capture_of(ctx->trace) == NULL) {
        (void)answer_fail(ctx->answer, SESSION_NOT_FOUND, "the trace does not have numbered calls");
        return;
    }
    static const char *const AXES[] = { [WIDTHS_OF_EVENTS] = "events", [WIDTHS_OF_CALLS] = "calls" };
    size_t                   to;
    if (!PARAM_WORD(ctx, "to", AXES, &to)) return;
    JsonWriter w = json_writer_to(&ctx->answer->body, 0);
    json_object_begin(&w);
    if (!put_converted(ctx, &w, "begins", (WidthRule)to, CAPTURE_BEGIN) ||
        !put_converted(ctx, &w, "ends", (WidthRule)to, CAPTURE_END))
        return;
    json_object_end(&w);
}

void append_call_text(Bytes *out, const Trace *trace, int64_t tick)
{
    const ApiCapture *capture = capture_of(trace);
    uint32_t          track = frame_track(trace);
    if (capture == NULL || capture->call_count == 0) return;
    uint64_t call = capture_call_at(capture, tick);
    if (call >= capture->call_count) {
        bytes_append_text(out, "after the last call");
    } else {
        char number[DIGITS_TEXT];
        bool is_there = capture_tick_of(capture, call) == tick;
        (void)digits_put_whole(call, number);
        bytes_printf(out, "%s %s", is_there ? "call" : "before call", number);
    }
    if (track != 0) {
        char number[DIGITS_TEXT];
        (void)digits_put_whole(frame_at(trace, &trace->tracks[track], tick), number);
        bytes_printf(out, ", frame %s", number);
    }
}
