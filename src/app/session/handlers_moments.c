/* The request "moments": the times at which the events of a search or of a name begin, for the marks of ruler and minimap. */
#include "analysis/find_moments.h"
#include "app/session/handlers.h"
#include "app/session/long_work.h"
#include "app/session/params.h"
#include "app/session/search_params.h"
#include "app/session/slot_filters.h"

static const char *const PARAMETERS[] = { "text", "name", "begin", "level", "buckets", "hide", NULL };

typedef struct MomentsWork {
    FindPattern  pattern;
    FindMoments *moments;
} MomentsWork;

/* Reads the search, or the label of the name. */
static bool param_events(RequestContext *ctx, MomentsWork *work, FindMomentsQuery *query, Arena *arena)
{
    uint64_t name;
    if (request_param(ctx->request, "name") == NULL) {
        query->pattern = &work->pattern;
        return param_pattern(ctx, &work->pattern, arena);
    }
    if (!param_u64(ctx, "name", UINT32_MAX, &name)) return false;
    query->name = (uint32_t)name;
    return (name > 0 && name <= ctx->trace->label_count) ||
           answer_fail(ctx->answer, SESSION_NOT_FOUND, "name= is not a label");
}

static bool work_begin(RequestContext *ctx, void *state, Arena *arena)
{
    MomentsWork     *work = state;
    FindMomentsQuery query = { .pattern = NULL };
    uint64_t         level, buckets;
    Err              err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (!param_u64(ctx, "begin", UINT64_MAX, &query.begin) ||
        !param_u64(ctx, "level", MOMENTS_LEVEL_MAX, &level) ||
        !param_u64(ctx, "buckets", MOMENTS_BUCKETS_MAX, &buckets) || !param_filter(ctx, &query.filter))
        return false;
    if (buckets == 0) return answer_fail(ctx->answer, SESSION_BAD_REQUEST, "buckets= must be at least 1");
    query.level = (uint32_t)level;
    query.buckets = (uint32_t)buckets;
    if (!param_events(ctx, work, &query, arena)) return false;
    work->moments = find_moments_begin(ctx->trace, &query, arena, &err);
    return work->moments != NULL || answer_fail_err(ctx->answer, &err);
}

static bool work_step(void *state, double *share, Err *err)
{
    MomentsWork *work = state;
    return find_moments_step(work->moments, LONG_STEP_SLICES, share, err);
}

static void work_release(void *state)
{
    MomentsWork *work = state;
    find_moments_release(work->moments);
    find_pattern_release(&work->pattern);
}

static const LongKind MOMENTS_KIND = { .size = sizeof(MomentsWork),
                                       .parameters = PARAMETERS,
                                       .begin = work_begin,
                                       .step = work_step,
                                       .release = work_release };

void handle_moments(RequestContext *ctx)
{
    const MomentsWork *work = long_work(ctx, &MOMENTS_KIND);
    if (work == NULL) return;
    moments_encode(find_moments_result(work->moments), &ctx->answer->body);
    long_work_done(ctx, work, LONG_WORK_FORGET);
}
