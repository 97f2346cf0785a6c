/* app/session/long_work.h - the work behind requests that take longer than a user waits: flame graphs,
 * statistics, profiles for a comparison, searches for the next match.
 *
 * A request does one step of its work, some hundredths of a second, and is answered SESSION_RUNNING with
 * {"share": 0.25} until the last step is done. The page repeats the request until then. A page that stops
 * sending has cancelled the work. This needs neither a thread nor a message for cancelling, so it is the same
 * in both transports.
 *
 * A trace keeps the latest works, finished and unfinished, for requests with the same key. For a growing
 * trace all steps are done in one request, since the trace may change before the next. Nothing is kept of a work that reads a
 * copy of a growing trace. */
#ifndef APP_SESSION_LONG_WORK_H
#define APP_SESSION_LONG_WORK_H
#include "app/session/context.h"

/* A kind of work. The state is zeroed memory of `size` bytes. */
typedef struct LongKind {
    size_t             size;
    const char *const *parameters; /* of the request, which choose the work; the last one is NULL */
    /* Reads the parameters. Whatever outlives the request is in `arena`. False: the answer is a failure. */
    bool (*begin)(RequestContext *ctx, void *state, Arena *arena);
    /* Does a step. Sets *share, the part of the work that is done: 1 after the last step, otherwise less. False: err filled. */
    bool (*step)(void *state, double *share, Err *err);
    void (*release)(void *state);
} LongKind;

/* Slices in a step. */
enum { LONG_STEP_SLICES = 1 << 19 };

/* Copies a list of tracks of the request into `arena`; *tracks may be NULL. False: the answer is a
 * failure. */
bool long_tracks(RequestContext *ctx, const uint32_t **tracks, uint32_t count, Arena *arena) WARN_UNUSED;
/* Returns the state of the finished work of the request, locked until long_work_done; NULL: the answer is SESSION_RUNNING or
 * a failure, and nothing is locked. */
void *long_work(RequestContext *ctx, const LongKind *kind);
typedef enum { LONG_WORK_KEEP, LONG_WORK_FORGET } LongWorkNext;
void long_work_done(RequestContext *ctx, const void *state, LongWorkNext next);

/* The works of a trace, which live in `arena`. NULL when out of memory. */
LongWorks *long_works_create(Arena *arena) WARN_UNUSED;
void       long_works_destroy(LongWorks *works); /* NULL is allowed */

#endif
