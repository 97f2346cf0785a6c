/* The answers "go" and "pprof": statistics of a Go trace, computed on request. */
#include "app/session/handlers.h"
#include "app/session/params.h"
#include "app/session/slot_go.h"
#include "base/lock.h"
#include "export/go_json.h"
#include "format/go/stats/pprof.h"

static const uint64_t MOST_ROWS = 2000;
static const double   CURVE_STEPS = 12; /* windows in a decade, enough for a smooth curve */

/* The last statistics, shared by requests about the same range. */
struct SlotGo {
    Lock          *lock; /* protects the members below; held during counting, so that it is done once */
    GoStatsRequest request;
    GoStats        stats;
    bool           is_counted;
};

SlotGo *slot_go_create(Arena *arena)
{
    SlotGo *go = ARENA_NEW(arena, SlotGo);
    if (go != NULL) go->lock = lock_create(arena);
    return go == NULL || go->lock == NULL ? NULL : go;
}

void slot_go_destroy(SlotGo *go)
{
    if (go == NULL) return;
    go_stats_release(&go->stats);
    lock_destroy(go->lock);
}

static bool is_same(const GoStatsRequest *a, const GoStatsRequest *b)
{
    return a->util == b->util && a->has_range == b->has_range && a->begin == b->begin && a->end == b->end;
}

static bool count(RequestContext *ctx, SlotGo *go, const GoStatsRequest *request)
{
    Err err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (go->is_counted && is_same(&go->request, request)) return true;
    go_stats_release(&go->stats);
    go->request = *request;
    go->is_counted = go_stats_loaded(&ctx->slot->loaded, &go->request, &go->stats, &err);
    if (!go->is_counted) {
        if (err.code == ERR_UNKNOWN)
            return answer_fail(ctx->answer, SESSION_NOT_FOUND, "it is not a Go trace");
        return answer_fail_err(ctx->answer, &err);
    }
    go->stats.trace_begin = ctx->trace->begin_tick; /* the origin of the request's times */
    return true;
}

/* Returns the offset from the trace's begin; a window may have no end. */
static int64_t offset_of(const Trace *trace, int64_t tick)
{
    const uint64_t offset = trace_since_begin(trace, tick);
    return tick < trace->begin_tick ? 0 : offset > INT64_MAX ? INT64_MAX : (int64_t)offset;
}

/* Reads the range of time. False: the answer is a failure. */
static bool param_time(RequestContext *ctx, GoStatsRequest *request)
{
    const Trace  *trace = ctx->trace;
    const int64_t first = trace->window.is_set ? offset_of(trace, trace->window.begin) : 0;
    const int64_t last = trace->window.is_set ? offset_of(trace, trace->window.end) : INT64_MAX;
    request->has_range = trace->window.is_set || request_param(ctx->request, "begin") != NULL ||
                         request_param(ctx->request, "end") != NULL;
    if (!param_offset(ctx, "begin", first, &request->begin) || !param_offset(ctx, "end", last, &request->end))
        return false;
    request->begin = tick_at_offset(trace, request->begin);
    request->end = tick_at_offset(trace, request->end);
    return true;
}

/* Reads the kind of report and its range of time. False: the answer is a failure. */
static bool param_report(RequestContext *ctx, GoWhat *what, GoStatsRequest *request)
{
    const StringView *name = request_param(ctx->request, "what"),
                     *counts = request_param(ctx->request, "counts");
    *request = (GoStatsRequest){ .util = GO_UTIL_USUAL };
    if (name == NULL || !go_what_find(*name, what))
        return answer_fail(ctx->answer, SESSION_BAD_REQUEST,
                           "what= must be one of the reports of `varve go`");
    if (counts != NULL && !go_counts_parse(*counts, &request->util))
        return answer_fail(
            ctx->answer, SESSION_BAD_REQUEST,
            "counts= must be of stw, background, assist, sweep, per-processor, with commas between");
    return param_time(ctx, request);
}

bool lock_go_stats(RequestContext *ctx, const GoStats **stats)
{
    GoStatsRequest request = { .util = GO_UTIL_USUAL };
    if (!param_time(ctx, &request)) return false;
    lock_take(ctx->slot->go->lock);
    if (count(ctx, ctx->slot->go, &request)) {
        *stats = &ctx->slot->go->stats;
        return true;
    }
    lock_give(ctx->slot->go->lock);
    return false;
}

void unlock_go_stats(RequestContext *ctx)
{
    lock_give(ctx->slot->go->lock);
}

void handle_go(RequestContext *ctx)
{
    GoStatsRequest request;
    GoWhat         what;
    SlotGo        *go = ctx->slot->go;
    if (!param_report(ctx, &what, &request)) return;
    lock_take(go->lock);
    if (count(ctx, go, &request)) {
        JsonWriter writer = json_writer_to(&ctx->answer->body, 0);
        go_json_put(&(GoJson){ .writer = &writer,
                               .stats = &go->stats,
                               .form = GO_NS_STRING,
                               .util = request.util,
                               .top = MOST_ROWS,
                               .most_busy = true,
                               .curve_steps = CURVE_STEPS },
                    what);
    }
    lock_give(go->lock);
}

void handle_go_pprof(RequestContext *ctx)
{
    GoStatsRequest request;
    GoWhat         what;
    SlotGo        *go = ctx->slot->go;
    if (!param_report(ctx, &what, &request)) return;
    if (what < GO_WHAT_PROFILES || what >= GO_WHAT_TASKS) {
        answer_fail(ctx->answer, SESSION_BAD_REQUEST, "what= must be net, sync, syscall or sched");
        return;
    }
    lock_take(go->lock);
    if (count(ctx, go, &request) &&
        !go_pprof_write(&go->stats, (GoProfile)(what - GO_WHAT_PROFILES), &ctx->answer->body))
        answer_fail(ctx->answer, SESSION_FAILED, "out of memory for the profile");
    lock_give(go->lock);
}
