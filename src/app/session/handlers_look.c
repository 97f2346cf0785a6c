/* The answers "look", "begin" and "whole": load the same file again, for another perspective, on another axis, only its begin, or as a
 * whole. */
#include "app/session/answer_json.h"
#include "app/session/handlers.h"
#include "app/session/params.h"
#include "app/session/slot.h"

#include <string.h>

/* Returns the trace's static name of a perspective, or NULL. */
static const char *perspective_named(const Trace *trace, StringView name)
{
    for (uint32_t i = 0; i < trace->perspectives.count; i++) {
        const char *known = trace->perspectives.names[i];
        if (string_equal(name, c_string_view(known))) return known;
    }
    return NULL;
}

/* Finds a copy that was requested before and is loaded or loading. */
static bool find_copy(const Session *session, uint32_t of, const LoadOptions *options, uint32_t *copy)
{
    uint32_t count = atomic_load(&session->slot_count);
    for (uint32_t i = 0; i < count; i++) {
        const SessionSlot *slot = session->slots[i];
        int                state = atomic_load(&slot->state);
        bool               is_there =
            slot->is_copy && slot->of == of && slot->options.perspective == options->perspective &&
            slot->options.most_bytes == options->most_bytes && slot->options.widths == options->widths &&
            state != SLOT_FAILED && state != SLOT_CANCELLED;
        if (!is_there) continue;
        *copy = i;
        return true;
    }
    return false;
}

/* Answers with the number of the copy of the trace `of` that is loaded with these options. */
static void answer_copy(RequestContext *ctx, uint32_t of, const LoadOptions *options)
{
    Session *session = ctx->session;
    uint32_t copy = 0;
    Err      err;
    if (session->open_copy == NULL) {
        (void)answer_fail(ctx->answer, SESSION_BAD_REQUEST, "the trace cannot be loaded once more from here");
        return;
    }
    lock_take(session->opening); /* held only while a slot is added; the load continues in the background */
    bool done = find_copy(session, of, options, &copy) ||
                session->open_copy(session, session->slots[of], options, &copy, &err);
    lock_give(session->opening);
    if (!done) {
        (void)answer_fail_err(ctx->answer, &err);
        return;
    }
    answer_u64(ctx, "trace", copy);
}

void handle_look(RequestContext *ctx)
{
    static const char *const AXES[] = { "events", "calls" };
    const StringView        *name = request_param(ctx->request, "perspective");
    const uint32_t           of = ctx->slot->is_copy ? ctx->slot->of : ctx->slot->index;
    LoadOptions              options = ctx->session->slots[of]->options;
    size_t                   axis;
    if (!PARAM_WORD(ctx, "axis", AXES, &axis)) return;
    if (request_param(ctx->request, "axis") != NULL)
        options.widths = axis == 1 ? WIDTHS_OF_CALLS : WIDTHS_OF_EVENTS;
    options.perspective = name == NULL ? NULL : perspective_named(ctx->trace, *name);
    if (name != NULL && options.perspective == NULL) {
        (void)answer_fail(ctx->answer, SESSION_BAD_REQUEST,
                          "perspective= must be a perspective of the trace");
        return;
    }
    answer_copy(ctx, of, &options);
}

void handle_begin(RequestContext *ctx)
{
    LoadOptions options = ctx->slot->options;
    if (!param_u64(ctx, "bytes", UINT64_MAX, &options.most_bytes)) return;
    if (options.most_bytes == 0 || ctx->slot->is_copy || ctx->slot->live != NULL) {
        (void)answer_fail(ctx->answer, SESSION_BAD_REQUEST, "the begin of this trace cannot be loaded alone");
        return;
    }
    answer_copy(ctx, ctx->slot->index, &options);
}

void handle_whole(RequestContext *ctx)
{
    LoadOptions options = ctx->slot->options;
    if (ctx->slot->remote == NULL) {
        (void)answer_fail(ctx->answer, SESSION_BAD_REQUEST, "the trace is not read by ranges");
        return;
    }
    options.address_use = READ_WHOLE;
    answer_copy(ctx, ctx->slot->index, &options);
}
