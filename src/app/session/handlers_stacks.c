/* Stacks and samples in the answers about slices and instants. */
#include "analysis/samples.h"
#include "app/session/answer_json.h"
#include "app/session/event_members.h"
#include "app/session/handlers.h"
#include "app/session/params.h"
#include "trace/store/lookup.h"

#include <assert.h>
#include <inttypes.h>

/* Limit on the frames in an answer. Its member `depth` has the number of all frames. */
enum { MOST_FRAMES = 1000 };

static void write_frame(JsonWriter *w, const FrameText *frame)
{
    json_object_begin(w);
    json_put_view_or_null(w, "function", frame->function);
    json_put_view_or_null(w, "file", frame->file);
    put_u64_or_null(w, "line", frame->line);
    put_u64_or_null(w, "column", frame->column);
    json_put_view_or_null(w, "module", frame->module);
    if (frame->address == 0)
        json_put_null(w, "address");
    else
        json_put_printf(w, "address", "0x%" PRIx64, frame->address);
    json_object_end(w);
}

static FrameText frame_text(const Trace *trace, const StackFrame *frame)
{
    return (FrameText){ .function = trace_string(trace, frame->function),
                        .file = trace_string(trace, frame->file),
                        .module = trace_string(trace, frame->module),
                        .line = frame->line,
                        .column = frame->column,
                        .address = frame->address };
}

static void put_stack(JsonWriter *w, const char *key, const Trace *trace, StackId stack)
{
    if (stack.index == 0) {
        json_put_null(w, key);
        return;
    }
    json_put_object(w, key);
    json_put_u64(w, "depth", trace_stack_depth(trace, stack));
    json_put_array(w, "frames");
    for (int i = 0; i < MOST_FRAMES && stack.index != 0; i++, stack = trace_stack_parent(trace, stack)) {
        const FrameText frame = frame_text(trace, trace_stack_frame(trace, stack));
        write_frame(w, &frame);
    }
    json_array_end(w);
    json_object_end(w);
}

void put_slice_stacks(JsonWriter *w, const RequestContext *ctx, uint64_t slice)
{
    assert(trace_has_slice(ctx->trace, slice));
    const Trace *trace = ctx->trace;
    put_stack(w, "stack", trace, trace_slice_stack(trace, slice));
    put_stack(w, "end_stack", trace, trace_slice_end_stack(trace, slice));
    SampleCounts counts = { .track_count = 0 };
    Err          err;
    if (!samples_of_slice(trace, slice, ctx->arena, &counts, &err)) w->out->failed = true;
    if (counts.track_count == 0) {
        json_put_null(w, "samples");
        return;
    }
    json_put_object(w, "samples");
    json_put_u64(w, "total", counts.total);
    json_put_u64(w, "self", counts.self);
    json_put_u64(w, "track_total", counts.track_total);
    json_put_u64(w, "track_self", counts.track_self);
    json_put_u64(w, "track_count", counts.track_count);
    json_object_end(w);
}

void put_instant_stack(JsonWriter *w, const RequestContext *ctx, uint64_t instant)
{
    assert(trace_has_instant(ctx->trace, instant));
    put_stack(w, "stack", ctx->trace, trace_instant_stack(ctx->trace, instant));
}

/* -- the begin and the end of a slice -- */

static void put_end_stack(JsonWriter *w, const SliceEnd *end)
{
    if (end->frame_count == 0) {
        json_put_null(w, "stack");
        return;
    }
    json_put_object(w, "stack");
    json_put_u64(w, "depth", end->frame_count);
    json_put_array(w, "frames");
    for (size_t i = 0; i < end->frame_count && i < MOST_FRAMES; i++)
        write_frame(w, &end->frames[i]);
    json_array_end(w);
    json_object_end(w);
}

/* Writes the slice of the same goroutine before or after it, with the time between; SLICE_NOWHERE: no
 * such slice. */
static void put_beside(JsonWriter *w, const RequestContext *ctx, uint64_t beside, uint64_t gap)
{
    const Trace *trace = ctx->trace;
    if (beside == SLICE_NOWHERE) {
        json_put_null(w, "beside");
        return;
    }
    json_put_object(w, "beside");
    put_place(w, "place", ctx, beside);
    put_thread(w, "thread", trace, trace_slice_thread(trace, beside));
    put_span(w, "gap", trace, gap);
    json_object_end(w);
}

static void put_end(JsonWriter *w, const RequestContext *ctx, const char *key, const SliceEnd *end,
                    uint64_t beside, uint64_t gap)
{
    json_put_object(w, key);
    json_put_view_or_null(w, "why", end->why);
    put_end_stack(w, end);
    put_beside(w, ctx, beside, gap);
    json_object_end(w);
}

/* Returns the time from the end of one slice to the begin of the other; 0 if one of them does not exist. */
static uint64_t gap_between(const Trace *trace, uint64_t earlier, uint64_t later)
{
    if (earlier == SLICE_NOWHERE || later == SLICE_NOWHERE) return 0;
    const int64_t end = trace_slice_end(trace, earlier), begin = trace_slice_begin(trace, later);
    return begin < end ? 0 : (uint64_t)begin - (uint64_t)end;
}

void handle_ends(RequestContext *ctx)
{
    const Trace *trace = ctx->trace;
    Arena        arena = arena_create(0);
    SliceEnds    ends;
    uint64_t     slice;
    Err          err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (!param_slice(ctx, &slice)) return;
    if (!load_slice_ends(&ctx->slot->loaded, slice, &arena, &ends, &err)) {
        (void)answer_fail_err(ctx->answer, &err);
        arena_release(&arena);
        return;
    }
    JsonWriter w = json_writer_to(&ctx->answer->body, 0);
    json_object_begin(&w);
    put_end(&w, ctx, "begin", &ends.begin, ends.previous, gap_between(trace, ends.previous, slice));
    put_end(&w, ctx, "end", &ends.end, ends.next, gap_between(trace, slice, ends.next));
    json_object_end(&w);
    arena_release(&arena);
}
