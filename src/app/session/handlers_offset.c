/* The request "event-at": the event at a byte of the input, for the warnings of the import report. */
#include "analysis/find_offset.h"
#include "app/session/answer_json.h"
#include "app/session/event_members.h"
#include "app/session/handlers.h"
#include "app/session/long_work.h"
#include "app/session/params.h"

static const char *const PARAMETERS[] = { "byte", NULL };

typedef struct OffsetWork {
    FindOffset *find;
    FoundOffset result;
} OffsetWork;

static bool work_begin(RequestContext *ctx, void *state, Arena *arena)
{
    OffsetWork *work = state;
    uint64_t    offset;
    Err         err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (!param_u64(ctx, "byte", UINT64_MAX, &offset)) return false;
    work->find = find_offset_begin(ctx->trace, offset, arena, &err);
    return work->find != NULL || answer_fail_err(ctx->answer, &err);
}

static bool work_step(void *state, double *share, Err *err)
{
    OffsetWork *work = state;
    return find_offset_step(work->find, LONG_STEP_SLICES, share, &work->result, err);
}

static void work_release(void *state)
{
    (void)state; /* everything is in the arena */
}

static const LongKind OFFSET_KIND = { .size = sizeof(OffsetWork),
                                      .parameters = PARAMETERS,
                                      .begin = work_begin,
                                      .step = work_step,
                                      .release = work_release };

/* Writes the time of a raw event on its thread. */
static void write_time_of(JsonWriter *w, const RequestContext *ctx, const OtherEvent *other)
{
    json_object_begin(w);
    json_put_u64(w, "trace", ctx->slot->index);
    json_put_u64(w, "track", other->thread);
    put_decimal_u64(w, "begin", trace_since_begin(ctx->trace, other->tick));
    json_object_end(w);
}

void handle_event_at(RequestContext *ctx)
{
    const OffsetWork *work = long_work(ctx, &OFFSET_KIND);
    if (work == NULL) return;
    const FoundOffset *result = &work->result;
    JsonWriter         w = json_writer_to(&ctx->answer->body, 0);
    json_object_begin(&w);
    put_event_place(&w, ctx, result->kind, result->found ? result->id : PLACE_NONE);
    json_key(&w, "time");
    if (result->found && result->kind == ORDER_OTHER)
        write_time_of(&w, ctx, &ctx->trace->records.others[result->id]);
    else
        json_null(&w);
    json_put_bool(&w, "exact", result->exact);
    json_object_end(&w);
    long_work_done(ctx, work, LONG_WORK_FORGET);
}
