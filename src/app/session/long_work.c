#include "app/session/long_work.h"

#include "app/session/params.h"
#include "app/session/slot_live.h"
#include "base/lru.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { WORKS_KEPT = 4 };

typedef struct LongWork {
    const LongKind *kind;  /* NULL: free */
    Arena           arena; /* holds the state */
    Bytes           key;   /* the values of the kind's parameters, and the generation of the trace */
    void           *state;
    uint64_t        last_use; /* LongWorks.uses at that time */
    bool            is_done;
} LongWork;

struct LongWorks {
    Lock    *lock; /* protects the members below */
    LongWork works[WORKS_KEPT];
    uint64_t uses;
};

LongWorks *long_works_create(Arena *arena)
{
    LongWorks *works = ARENA_NEW(arena, LongWorks);
    if (works != NULL) works->lock = lock_create(arena);
    return works == NULL || works->lock == NULL ? NULL : works;
}

static void work_release(LongWork *work)
{
    if (work->kind == NULL) return;
    if (work->state != NULL) work->kind->release(work->state);
    bytes_release(&work->key);
    arena_release(&work->arena);
    *work = (LongWork){ .kind = NULL };
}

void long_works_destroy(LongWorks *works)
{
    if (works == NULL) return;
    for (size_t i = 0; i < WORKS_KEPT; i++)
        work_release(&works->works[i]);
    lock_destroy(works->lock);
}

/* Writes the parameters that choose the work, and the generation of the trace. */
static void put_key(const RequestContext *ctx, const LongKind *kind, Bytes *key)
{
    for (size_t i = 0; kind->parameters[i] != NULL; i++) {
        const StringView *value = request_param(ctx->request, kind->parameters[i]);
        bytes_printf(key, "%zu:", value == NULL ? SIZE_MAX : value->size);
        if (value != NULL) bytes_append(key, value->bytes, value->size);
    }
    bytes_printf(key, "%" PRIu64, live_generation(ctx->slot->live));
}

static bool has_key(const LongWork *work, const LongKind *kind, const Bytes *key)
{
    return work->kind == kind && work->key.size == key->size &&
           memcmp(work->key.data, key->data, key->size) == 0;
}

/* Returns the work with that key, or the entry to replace: an unused one, or the least recently used one. */
static LongWork *find_work(LongWorks *works, const LongKind *kind, const Bytes *key)
{
    LongWork *work = works->works;
    size_t    place;
    LRU_CHOOSE(place, WORKS_KEPT, i, has_key(&work[i], kind, key), true, work[i].last_use);
    if (!has_key(&work[place], kind, key)) work_release(&work[place]);
    return &work[place];
}

/* Makes the work that the request chooses. False: the answer is a failure. */
static bool work_begin(RequestContext *ctx, const LongKind *kind, Bytes *key, LongWork *work)
{
    assert(work->kind == NULL && kind->size > 0);
    *work = (LongWork){ .kind = kind, .arena = arena_create(0), .key = *key };
    *key = (Bytes){ 0 };
    work->state = arena_push(&work->arena, 1, kind->size);
    if (work->state == NULL) return answer_fail(ctx->answer, SESSION_FAILED, "out of memory for the answer");
    return kind->begin(ctx, work->state, &work->arena);
}

/* Does the step of this request. False: the answer is a failure or SESSION_RUNNING. */
static bool work_step(RequestContext *ctx, LongWork *work)
{
    assert(work->kind != NULL && work->state != NULL);
    Err    err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    double share = 0;
    do {
        if (!work->is_done && !work->kind->step(work->state, &share, &err))
            return answer_fail_err(ctx->answer, &err);
        work->is_done = work->is_done || share == 1;
    } while (!work->is_done && ctx->slot->live != NULL);
    if (!work->is_done) answer_running(ctx, share);
    return work->is_done;
}

/* Does all steps with a copy of a growing trace, which ends with the request. Other works of the slot go on meanwhile. */
static void *work_on_copy(RequestContext *ctx, const LongKind *kind)
{
    LongWork *work = ARENA_NEW(ctx->arena, LongWork);
    Bytes     key = { 0 };
    assert(ctx->has_copy && ctx->copy_work == NULL);
    if (work == NULL) {
        (void)answer_fail(ctx->answer, SESSION_FAILED, "out of memory for the answer");
        return NULL;
    }
    if (work_begin(ctx, kind, &key, work) && work_step(ctx, work)) {
        ctx->copy_work = work;
        return work->state;
    }
    work_release(work);
    return NULL;
}

void *long_work(RequestContext *ctx, const LongKind *kind)
{
    if (ctx->has_copy) return work_on_copy(ctx, kind);
    LongWorks *works = ctx->slot->works;
    assert(works != NULL && kind->parameters != NULL);
    Bytes key = { 0 };
    put_key(ctx, kind, &key);
    if (key.failed) {
        bytes_release(&key);
        (void)answer_fail(ctx->answer, SESSION_FAILED, "out of memory for the answer");
        return NULL;
    }
    lock_take(works->lock);
    LongWork  *work = find_work(works, kind, &key);
    const bool is_begun = work->kind != NULL || work_begin(ctx, kind, &key, work);
    work->last_use = ++works->uses;
    bytes_release(&key);
    if (is_begun && work_step(ctx, work)) return work->state;
    if (ctx->answer->status != SESSION_RUNNING) work_release(work);
    lock_give(works->lock);
    return NULL;
}

void long_work_done(RequestContext *ctx, const void *state, LongWorkNext next)
{
    if (ctx->copy_work != NULL) {
        work_release(ctx->copy_work);
        ctx->copy_work = NULL;
        return;
    }
    LongWorks *works = ctx->slot->works;
    for (size_t i = 0; i < WORKS_KEPT && next == LONG_WORK_FORGET; i++)
        if (works->works[i].state == state) work_release(&works->works[i]);
    lock_give(works->lock);
}

bool long_tracks(RequestContext *ctx, const uint32_t **tracks, uint32_t count, Arena *arena)
{
    if (*tracks == NULL) return true;
    uint32_t *copy = ARENA_ARRAY(arena, uint32_t, (size_t)count + 1);
    if (copy == NULL) return answer_fail(ctx->answer, SESSION_FAILED, "out of memory for the list of tracks");
    memcpy(copy, *tracks, count * sizeof *copy);
    *tracks = copy;
    return true;
}
