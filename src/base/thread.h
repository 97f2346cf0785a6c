/* base/thread.h - a fork-join loop over independent jobs, and threads for work that goes on beside its caller's.
 *
 * In the browser build, and with one thread, the jobs simply run in order: no caller
 * may depend on two jobs running at the same time. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H
#include "base/arena.h"

/* Processors usable by this process, at least 1. */
unsigned thread_count_default(void);

/* Calls job(context, i) for every i in [0, count), on up to `threads` threads (0 = default; at most 256);
 * jobs are taken in increasing order of i. Returns when all are done. */
void thread_run(unsigned threads, size_t count, void (*job)(void *context, size_t i), void *context);

/* A thread that does work(context), until it returns. NULL where there is none to be had, as in the browser
 * build: whoever starts it must come along without it. Lives in `arena`; thread_join it before that goes. */
typedef struct Thread Thread;
Thread *thread_start(Arena *arena, void (*work)(void *context), void *context) WARN_UNUSED;
void    thread_join(Thread *thread); /* NULL is allowed */

#endif
