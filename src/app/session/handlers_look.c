/* The answer "look": loads the same trace for another perspective. */
#include "app/session/handlers.h"
#include "app/session/slot.h"
#include "base/json_writer.h"

#include <string.h>

/* Returns the trace's static name of a perspective, or NULL. */
static const char *perspective_named(const Trace *trace, StringView name)
{
    for (uint32_t i = 0; i < trace->perspectives.count; i++) {
        const char *known = trace->perspectives.names[i];
        if (string_equal(name, (StringView){ known, strlen(known) })) return known;
    }
    return NULL;
}

/* Finds a copy that was requested before and is loaded or loading. */
static bool find_copy(const Session *session, uint32_t of, const char *perspective, uint32_t *copy)
{
    uint32_t count = atomic_load(&session->slot_count);
    for (uint32_t i = 0; i < count; i++) {
        const SessionSlot *slot = session->slots[i];
        int                state = atomic_load(&slot->state);
        bool is_there = slot->is_copy && slot->of == of && slot->options.perspective == perspective &&
                        (state == SLOT_LOADING || state == SLOT_READY);
        if (!is_there) continue;
        *copy = i;
        return true;
    }
    return false;
}

void handle_look(RequestContext *ctx)
{
    Session          *session = ctx->session;
    const StringView *name = request_param(ctx->request, "perspective");
    const char       *perspective = name == NULL ? NULL : perspective_named(ctx->trace, *name);
    uint32_t          of = ctx->slot->is_copy ? ctx->slot->of : ctx->slot->index, copy = 0;
    Err               err;
    if (name != NULL && perspective == NULL) {
        (void)answer_fail(ctx->answer, SESSION_BAD_REQUEST,
                          "perspective= must be a perspective of the trace");
        return;
    }
    if (session->open_copy == NULL) {
        (void)answer_fail(ctx->answer, SESSION_BAD_REQUEST, "the trace cannot be loaded once more from here");
        return;
    }
    lock_take(session->opening); /* held only while a slot is added; the load continues in the background */
    bool done = find_copy(session, of, perspective, &copy) ||
                session->open_copy(session, session->slots[of], perspective, &copy, &err);
    lock_give(session->opening);
    if (!done) {
        (void)answer_fail_err(ctx->answer, &err);
        return;
    }
    JsonWriter w = json_writer_to(&ctx->answer->body, 0);
    json_object_begin(&w);
    json_put_u64(&w, "trace", copy);
    json_object_end(&w);
}
