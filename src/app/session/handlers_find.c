/* The answer "find": the next match of a search, and the number of matches. */
#include "analysis/find.h"
#include "app/session/answer_json.h"
#include "app/session/event_members.h"
#include "app/session/handlers.h"
#include "app/session/long_work.h"
#include "app/session/params.h"
#include "app/session/search_params.h"
#include "app/session/slot_filters.h"
#include "trace/store/lookup.h"

bool param_pattern(RequestContext *ctx, FindPattern *pattern, Arena *arena)
{
    const StringView *text = request_param(ctx->request, "text");
    Err               err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    *pattern = (FindPattern){ .is_empty = true };
    if (text == NULL) return answer_fail(ctx->answer, SESSION_BAD_REQUEST, "text= is missing");
    return find_pattern_parse(pattern, *text, &ctx->trace->clock, arena, &err) ||
           answer_fail_err(ctx->answer, &err);
}

static bool param_find(RequestContext *ctx, FindQuery *query)
{
    static const char *const MOVES[] = { [FIND_NEXT] = "next", [FIND_PREVIOUS] = "previous" };
    size_t                   move;
    if (!PARAM_WORD(ctx, "move", MOVES, &move)) return false;
    query->move = (FindMove)move;
    if (request_param(ctx->request, "instant") != NULL) {
        query->has_from = true;
        query->from.kind = ORDER_INSTANT;
        if (!param_u64(ctx, "instant", UINT64_MAX, &query->from.id)) return false;
        return trace_has_instant(ctx->trace, query->from.id) ||
               answer_fail(ctx->answer, SESSION_NOT_FOUND, "instant= is not the id of an instant");
    }
    query->has_from = request_param(ctx->request, "from") != NULL;
    return !query->has_from || param_slice_id(ctx, "from", &query->from.id);
}

/* Returns the name of a slice or an instant. */
static StringId event_name(const Trace *trace, const FindEvent *event)
{
    const bool is_slice = event->kind == ORDER_SLICE;
    return trace
        ->labels[is_slice ? trace_slice_label(trace, event->id) : trace_instant_label(trace, event->id)]
        .name;
}

static const char *const FIND_PARAMETERS[] = { "text", "move", "from", "instant", "hide", NULL };

typedef struct FindWork {
    FindPattern pattern;
    FindCount  *count;
    FindResult  result;
} FindWork;

static bool find_work_begin(RequestContext *ctx, void *state, Arena *arena)
{
    FindWork *work = state;
    FindQuery query = { .pattern = &work->pattern, .move = FIND_NEXT };
    Err       err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (!param_pattern(ctx, &work->pattern, arena) || !param_find(ctx, &query) ||
        !param_filter(ctx, &query.filter))
        return false;
    work->count = find_count_begin(ctx->trace, &query, arena, &err);
    return work->count != NULL || answer_fail_err(ctx->answer, &err);
}

static bool find_work_step(void *state, double *share, Err *err)
{
    FindWork *work = state;
    return find_count_step(work->count, LONG_STEP_SLICES, share, &work->result, err);
}

static void find_work_release(void *state)
{
    FindWork *work = state;
    find_count_release(work->count);
    find_pattern_release(&work->pattern);
}

static const LongKind FIND_KIND = { .size = sizeof(FindWork),
                                    .parameters = FIND_PARAMETERS,
                                    .begin = find_work_begin,
                                    .step = find_work_step,
                                    .release = find_work_release };

void handle_find(RequestContext *ctx)
{
    const FindWork *work = long_work(ctx, &FIND_KIND);
    if (work == NULL) return;
    const FindResult *result = &work->result;
    JsonWriter        w = json_writer_to(&ctx->answer->body, 0);
    json_object_begin(&w);
    put_event_place(&w, ctx, result->event.kind, result->found ? result->event.id : PLACE_NONE);
    put_text(&w, "name", ctx->trace, result->found ? event_name(ctx->trace, &result->event) : STRING_NONE);
    json_put_u64(&w, "count", result->count);
    json_put_u64(&w, "index", result->index);
    json_put_bool(&w, "wrapped", result->wrapped);
    json_object_end(&w);
    long_work_done(ctx, work, LONG_WORK_FORGET);
}
