/* base/progress.h - the progress of a long job, and its cancellation.
 *
 * The working thread reports; any other thread may read the progress or cancel. Functions accept a NULL Progress: then
 * they report nothing and cannot be cancelled. */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum { PROGRESS_READING, PROGRESS_SORTING, PROGRESS_INDEXING, PROGRESS_DONE } ProgressPhase;

typedef struct Progress {
    _Atomic uint64_t done;  /* in the current phase: bytes while reading, else events */
    _Atomic uint64_t total; /* 0 = not known (a pipe) */
    _Atomic int      phase; /* ProgressPhase */
    _Atomic bool     cancelled;
} Progress;

static inline void progress_phase(Progress *p, ProgressPhase phase, uint64_t total)
{
    if (p == 0) return;
    atomic_store(&p->done, 0);
    atomic_store(&p->total, total);
    atomic_store(&p->phase, (int)phase);
}

static inline void progress_set(Progress *p, uint64_t done)
{
    if (p != 0) atomic_store_explicit(&p->done, done, memory_order_relaxed);
}

static inline bool progress_cancelled(const Progress *p)
{
    return p != 0 && atomic_load_explicit(&p->cancelled, memory_order_relaxed);
}

#endif
