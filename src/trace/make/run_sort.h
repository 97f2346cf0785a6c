/* trace/make/run_sort.h - sorts many items by time: in runs, which are merged. For src/trace only.
 *
 * Items are moved at random within a run only, so that the sort works in the processor's caches, and in few pages of
 * memory that may be in a file (base/arena.h, MEMORY_OVERFLOWS). The merge reads each run from its begin to its end.
 * An item begins with an int64_t, its time. */
#ifndef TRACE_MAKE_RUN_SORT_H
#define TRACE_MAKE_RUN_SORT_H
#include "base/heap.h"
#include "trace/make/finish.h"

enum { RUN_ITEMS = 1 << 17 /* most items of a run */ };

/* A run, or several that follow each other in order. */
typedef struct RunHead {
    int64_t        tick; /* of the first remaining item */
    const uint8_t *at, *end;
} RunHead;

/* The remaining items, to be taken in order of time. */
typedef struct RunSort {
    RunHead *heads; /* in the workspace's scratch arena; a heap from run_sort_merge on */
    size_t   count;
} RunSort;

/* Starts the sort of `count` items. Returns false, with ws->failed, when out of memory. */
bool run_sort_open(Workspace *ws, RunSort *runs, size_t count) WARN_UNUSED;
/* Copies a run of `count` items, RUN_ITEMS or the last ones, to `to`, behind the run before, in order of time. Uses ws->keys and
 * ws->keys_swap. Returns as run_sort_open. */
bool run_sort_add(Workspace *ws, RunSort *runs, const void *from, void *to, size_t count,
                  size_t item_size) WARN_UNUSED;
/* Prepares run_sort_next, after the last run. */
void run_sort_merge(RunSort *runs);

/* Sorts the places of `count` items instead of the items, and prepares run_sort_next, which returns the time (SortKey.key) and the
 * index of each item: they are stored in `to`. Returns as run_sort_open. */
bool run_sort_places(Workspace *ws, RunSort *runs, const void *items, SortKey *to, size_t count,
                     size_t item_size) WARN_UNUSED;

/* Sorts `count` items. Returns the array with the result, `items` or `swap`, which has as much room. NULL: as
 * run_sort_open. */
void *run_sort_array(Workspace *ws, void *items, void *swap, size_t count, size_t item_size);

static inline bool run_head_before(const RunHead *a, const RunHead *b)
{
    return a->tick < b->tick || (a->tick == b->tick && a->at < b->at);
}

/* Returns the next item in order of time, those of equal times in the order in which they were added; NULL at the end. */
static inline const void *run_sort_next(RunSort *runs, size_t item_size)
{
    if (runs->count == 0) return NULL;
    RunHead       *first = runs->heads;
    const uint8_t *item = first->at;
    first->at += item_size;
    if (first->at == first->end)
        *first = runs->heads[--runs->count];
    else
        memcpy(&first->tick, first->at, sizeof first->tick);
    if (runs->count > 1) HEAP_SINK(RunHead, runs->heads, runs->count, 0, run_head_before);
    return item;
}

#endif
