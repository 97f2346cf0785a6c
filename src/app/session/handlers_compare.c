/* The answers "profile", "compare" and "first", about the calls of two traces, which may be in different
 * engines. The page requests the profile of A from its engine and sends it to the engine of B. */
#include "app/session/answer_json.h"
#include "app/session/handlers.h"
#include "app/session/long_work.h"
#include "app/session/params.h"
#include "app/session/search_params.h"
#include "app/session/slot_filters.h"
#include "export/compare_json.h"

static const uint64_t DEFAULT_TOP = 10000;

static const char *const BY_WORDS[] = { [COMPARE_BY_NAME] = "name", [COMPARE_BY_PATH] = "path" };

/* Keeps only tracks of threads and samples, among the query's tracks or all. */
static bool choose_stacks(RequestContext *ctx, StatsQuery *query)
{
    const Trace   *trace = ctx->trace;
    const uint32_t count = query->part.tracks == NULL ? trace->track_count : query->part.track_count;
    uint32_t      *tracks = ARENA_ARRAY(ctx->arena, uint32_t, (size_t)count + 1), chosen = 0;
    if (tracks == NULL)
        return answer_fail(ctx->answer, SESSION_FAILED, "out of memory for the list of tracks");
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t  track = query->part.tracks == NULL ? i + 1 : query->part.tracks[i];
        const TrackKind kind = trace->tracks[track].kind;
        if (kind == TRACK_THREAD || kind == TRACK_SAMPLES) tracks[chosen++] = track;
    }
    query->part.tracks = tracks;
    query->part.track_count = chosen;
    return true;
}

/* ---- the profile ---- */

static const char *const PROFILE_PARAMETERS[] = { "begin", "end", "tracks", "thread",
                                                  "hide",  "by",  "kinds",  NULL };

typedef struct ProfileWork {
    CallProfile       profile;
    CallProfileCount *count;
} ProfileWork;

static bool profile_work_begin(RequestContext *ctx, void *state, Arena *arena)
{
    ProfileWork      *work = state;
    const StringView *kinds = request_param(ctx->request, "kinds");
    StatsQuery        query = { .part.tracks = NULL };
    size_t            by;
    Err               err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (!PARAM_WORD(ctx, "by", BY_WORDS, &by) ||
        !param_range(ctx, &query.part.begin_tick, &query.part.end_tick) ||
        !param_tracks(ctx, &query.part.tracks, &query.part.track_count) ||
        !param_thread(ctx, &query.part.tracks, &query.part.track_count) ||
        !param_filter(ctx, &query.part.filter))
        return false;
    if (kinds != NULL && !string_equal(*kinds, STRING_LITERAL("stacks")))
        return answer_fail(ctx->answer, SESSION_BAD_REQUEST, "kinds= must be stacks");
    if (kinds != NULL && !choose_stacks(ctx, &query)) return false;
    if (!long_tracks(ctx, &query.part.tracks, query.part.track_count, arena)) return false;
    work->count = call_profile_begin(ctx->trace, &query, (CompareBy)by, &work->profile, arena, &err);
    return work->count != NULL || answer_fail_err(ctx->answer, &err);
}

static bool profile_work_step(void *state, double *share, Err *err)
{
    ProfileWork *work = state;
    return call_profile_step(work->count, LONG_STEP_SLICES, share, err);
}

static void profile_work_release(void *state)
{
    ProfileWork *work = state;
    call_profile_end(work->count);
    call_profile_release(&work->profile);
}

static const LongKind PROFILE_KIND = { .size = sizeof(ProfileWork),
                                       .parameters = PROFILE_PARAMETERS,
                                       .begin = profile_work_begin,
                                       .step = profile_work_step,
                                       .release = profile_work_release };

void handle_profile(RequestContext *ctx)
{
    const ProfileWork *work = long_work(ctx, &PROFILE_KIND);
    if (work == NULL) return;
    call_profile_write(&work->profile, &ctx->answer->body);
    if (ctx->answer->body.size > SESSION_MAX_PROFILE)
        (void)answer_fail(ctx->answer, SESSION_FAILED,
                          "the trace has too many names or paths to be sent; `varve diff` compares it");
    long_work_done(ctx, work, LONG_WORK_FORGET);
}

/* ---- the comparison ---- */

bool param_body_profile(RequestContext *ctx, CallProfile *profile)
{
    Err err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (call_profile_read(ctx->body.bytes, ctx->body.size, profile, &err)) return true;
    if (err.code == ERR_MEMORY) return answer_fail_err(ctx->answer, &err);
    char line[256];
    err_format(&err, line, sizeof line);
    return answer_fail(ctx->answer, SESSION_BAD_REQUEST, "the body must be a profile: %s", line);
}

static bool put_comparison(RequestContext *ctx, const CallProfile *a, const CallProfile *b, uint64_t top)
{
    Comparison comparison;
    Err        err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (a->by != b->by)
        return answer_fail(ctx->answer, SESSION_BAD_REQUEST, "by= is not that of the profile");
    if (!compare_is_possible(&a->clock, &b->clock))
        return answer_fail(ctx->answer, SESSION_BAD_REQUEST, "one trace has times and the other does not");
    const bool done = compare_profiles(a, b, &comparison, &err) || answer_fail_err(ctx->answer, &err);
    if (done) {
        const CompareOut out = {
            .comparison = &comparison, .top = top, .fail_above = -1, .ids = COMPARE_WITH_IDS
        };
        compare_put_json(&out, &ctx->answer->body);
    }
    compare_release(&comparison);
    return done;
}

/* Without a body the answer is null when the trace has been counted, so that the profile of A is sent once, and not with
 * each step of the count. */
void handle_compare(RequestContext *ctx)
{
    CallProfile a = { .rows = NULL };
    uint64_t    top = DEFAULT_TOP;
    if (!param_optional(ctx, "top", UINT32_MAX, &top)) return;
    const ProfileWork *work = long_work(ctx, &PROFILE_KIND);
    if (work == NULL) return;
    if (ctx->body.size == 0) {
        answer_null(ctx);
        long_work_done(ctx, work, LONG_WORK_KEEP);
        return;
    }
    if (param_body_profile(ctx, &a)) (void)put_comparison(ctx, &a, &work->profile, top);
    call_profile_release(&a);
    long_work_done(ctx, work, LONG_WORK_FORGET);
}

void handle_first(RequestContext *ctx)
{
    const StringView *name = request_param(ctx->request, "name");
    const StatsQuery  all = { .part.begin_tick = INT64_MIN, .part.end_tick = INT64_MAX };
    int64_t           tick;
    if (name == NULL) {
        (void)answer_fail(ctx->answer, SESSION_BAD_REQUEST, "name= is missing");
    } else if (!compare_first_slice(ctx->trace, &all, *name, &tick)) {
        answer_null(ctx);
    } else {
        JsonWriter w = json_writer_to(&ctx->answer->body, 0);
        json_object_begin(&w);
        put_decimal_u64(&w, "begin", trace_since_begin(ctx->trace, tick));
        json_object_end(&w);
    }
}
