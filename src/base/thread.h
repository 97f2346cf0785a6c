/* base/thread.h - a fork-join loop over independent jobs, and background threads.
 *
 * In the browser build, and with one thread, the jobs run in order. No caller may depend on two jobs running at the
 * same time. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H
#include "base/arena.h"

/* Returns the number of processors this process may use, at least 1. */
unsigned thread_count_default(void);

/* Calls job(context, i) for every i in [0, count), on up to `threads` threads (0 = default; at most 256). Jobs start in
 * increasing order of i. Returns after all jobs have returned. */
void thread_run(unsigned threads, size_t count, void (*job)(void *context, size_t i), void *context);

/* Starts a thread that calls work(context). Returns NULL if no thread can be started, as in the browser build; the
 * caller must work without it. The Thread is allocated in `arena`; thread_join it before the arena is released. */
typedef struct Thread Thread;
Thread               *thread_start(Arena *arena, void (*work)(void *context), void *context) WARN_UNUSED;
void                  thread_join(Thread *thread); /* accepts NULL */

/* Gives the calling thread, and the threads that it starts, only the time that no other thread wants, where the system can. */
void thread_set_background(void);

#endif
