/* The requests "frames" and "blob": statistics of a capture's frames, and the binary data of its calls. */
#include "app/session/handlers.h"
#include "app/session/params.h"
#include "app/session/slot_frames.h"
#include "base/json_writer.h"
#include "base/lock.h"
#include "base/thread.h"
#include "format/apitrace/call_flags.h"
#include "format/apitrace/capture.h"
#include "format/apitrace/tools.h"

#include <assert.h>
#include <inttypes.h>

static const uint64_t MOST_FRAMES = 5000;

/* Each request counts one step more, so counting stops when the requests stop. */
struct SlotFrames {
    Lock         *lock; /* protects the members below */
    FrameCounter *counter;
    bool          ended, failed;
    Err           err;
};

SlotFrames *slot_frames_create(Arena *arena)
{
    SlotFrames *frames = ARENA_NEW(arena, SlotFrames);
    if (frames != NULL) frames->lock = lock_create(arena);
    return frames == NULL || frames->lock == NULL ? NULL : frames;
}

void slot_frames_destroy(SlotFrames *frames)
{
    if (frames == NULL) return;
    frame_counter_close(frames->counter);
    lock_destroy(frames->lock);
}

static bool count_on(const RequestContext *ctx, SlotFrames *frames)
{
    bool more = false;
    if (frames->ended) return !frames->failed;
    if (frames->counter == NULL)
        frames->counter = frame_counter_open(&ctx->slot->loaded, thread_count_default(), &frames->err);
    frames->failed = frames->counter == NULL || !frame_counter_step(frames->counter, &more, &frames->err);
    frames->ended = !more;
    return !frames->failed;
}

static void write_frame(JsonWriter *w, const FrameFacts *facts)
{
    json_object_begin(w);
    json_put_u64(w, "frame", facts->frame);
    json_put_u64(w, "first_call", facts->first_call);
    json_put_u64(w, "calls", facts->calls);
    json_put_u64(w, "incomplete", facts->incomplete);
    json_put_array(w, "families");
    for (unsigned i = 0; i < FAMILY_COUNT; i++)
        json_u64(w, facts->families[i]);
    json_array_end(w);
    json_put_u64(w, "redundant_state_calls", facts->redundant);
    json_put_u64(w, "upload_bytes", facts->upload_bytes);
    json_put_bool(w, "ended", facts->ended);
    json_object_end(w);
}

static void write_frames(RequestContext *ctx, const SlotFrames *frames, uint64_t from)
{
    uint64_t          count, total = capture_of(ctx->trace)->call_count;
    const FrameFacts *facts = frame_counter_facts(frames->counter, &count);
    JsonWriter        w = json_writer_to(&ctx->answer->body, 0);
    json_object_begin(&w);
    json_put_array(&w, "families");
    for (unsigned i = 0; i < FAMILY_COUNT; i++)
        json_string(&w, call_family_name((ApiFamily)i));
    json_array_end(&w);
    json_put_array(&w, "frames");
    uint64_t at = from;
    for (; at < count && at - from < MOST_FRAMES; at++)
        write_frame(&w, &facts[at]);
    json_array_end(&w);
    if (frames->ended && at >= count)
        json_put_null(&w, "next");
    else
        json_put_u64(&w, "next", at);
    assert(!frames->failed);
    double done = (double)frame_counter_calls(frames->counter);
    json_put_double(&w, "share", frames->ended || total == 0 ? 1 : done / (double)total);
    json_object_end(&w);
}

void handle_frames(RequestContext *ctx)
{
    SlotFrames *frames = ctx->slot->frames;
    uint64_t    from = 0;
    if (capture_of(ctx->trace) == NULL) {
        answer_fail(ctx->answer, SESSION_NOT_FOUND, "the trace is not a capture of calls");
        return;
    }
    if (!param_optional(ctx, "from", UINT32_MAX, &from)) return;
    lock_take(frames->lock);
    if (count_on(ctx, frames)) {
        write_frames(ctx, frames, from);
    } else {
        answer_fail_err(ctx->answer, &frames->err);
    }
    lock_give(frames->lock);
}

void handle_blob(RequestContext *ctx)
{
    uint64_t slice, number;
    Bytes    blob = { NULL, 0, 0, false };
    Err      err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (!param_slice(ctx, &slice) || !param_u64(ctx, "number", UINT32_MAX, &number)) return;
    if (!load_slice_blob(&ctx->slot->loaded, slice, number, &blob, &err)) {
        answer_fail_err(ctx->answer, &err);
    } else if (blob.size == 0) {
        answer_fail(ctx->answer, SESSION_NOT_FOUND, "there is no blob %" PRIu64 " in slice %" PRIu64, number,
                    slice);
    } else {
        bytes_append(&ctx->answer->body, blob.data, blob.size);
    }
    bytes_release(&blob);
}
