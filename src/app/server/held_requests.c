#include "app/server/held_requests.h"

#include "app/session/session_open.h"
#include "base/lock.h"
#include "base/thread.h"

#include <microhttpd.h>
#include <stdatomic.h>
#include <time.h>

enum { POLL_MS = 1 };

struct HeldRequests {
    Arena                  arena; /* the struct itself */
    Session               *session;
    Thread                *thread;
    _Atomic bool           stops;
    Lock                  *lock; /* protects the fields below */
    bool                   holds;
    size_t                 count;
    struct MHD_Connection *connections[HELD_MOST];
};

static uint64_t now_ns(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

/* Resumes all connections and holds no others. */
static void resume_all(HeldRequests *held)
{
    lock_take(held->lock);
    held->holds = false;
    for (size_t i = 0; i < held->count; i++)
        MHD_resume_connection(held->connections[i]);
    held->count = 0;
    lock_give(held->lock);
}

static void watch(void *context)
{
    HeldRequests  *held = context;
    const uint64_t end_ns = now_ns() + HELD_MS * UINT64_C(1000000);
    while (session_loads_file(held->session) && !atomic_load(&held->stops) && now_ns() < end_ns)
        (void)nanosleep(&(struct timespec){ .tv_nsec = POLL_MS * 1000000 }, NULL);
    resume_all(held);
}

HeldRequests *held_requests_create(Session *session, Err *err)
{
    Arena         arena = arena_create(0);
    HeldRequests *held = ARENA_NEW(&arena, HeldRequests);
    Lock         *lock = held == NULL ? NULL : lock_create(&arena);
    if (lock == NULL) {
        arena_release(&arena);
        (void)err_set(err, ERR_MEMORY, "out of memory for the server");
        return NULL;
    }
    held->session = session;
    held->lock = lock;
    held->arena = arena;
    held->holds = session_loads_file(session);
    if (held->holds) held->thread = thread_start(&held->arena, watch, held);
    if (held->thread == NULL) held->holds = false;
    return held;
}

void held_requests_stop(HeldRequests *held)
{
    if (held == NULL) return;
    atomic_store(&held->stops, true);
    thread_join(held->thread);
    held->thread = NULL;
}

void held_requests_destroy(HeldRequests *held)
{
    if (held == NULL) return;
    lock_destroy(held->lock);
    Arena arena = held->arena; /* the struct lives in it */
    arena_release(&arena);
}

bool held_requests_take(HeldRequests *held, struct MHD_Connection *connection)
{
    lock_take(held->lock);
    const bool takes = held->holds && held->count < HELD_MOST;
    if (takes) {
        MHD_suspend_connection(connection);
        held->connections[held->count++] = connection;
    }
    lock_give(held->lock);
    return takes;
}
