/* format/go/v2/frontier.h - the events of an opened generation in the order in which they happened.
 *
 * Each thread has a cursor in a heap by time. The earliest event is tried first; if it has to wait, the others are
 * tried in the order of time. CPU samples are merged in by time. Times are made to increase: an event that is not later
 * than the one before it gets a time one nanosecond after it. All of this follows Go's reader, including its heap, so
 * that events with equal times have the same order. */
#ifndef FORMAT_GO_V2_FRONTIER_H
#define FORMAT_GO_V2_FRONTIER_H
#include "format/go/v2/scheduler.h"

typedef struct GoCursor {
    ByteCursor c;     /* over the batch's data: after the next event, or after its time while !is_read */
    size_t     begin; /* of the next event in the data, while !is_read */
    int64_t    time;  /* ns: of the next event, as in the file */
    int64_t    m;
    uint32_t   self;    /* place of the thread in the scheduler; 0 = unknown */
    uint32_t   batch;   /* 1 + index of the current batch */
    bool       is_read; /* the next event is decoded to `event`; else only its time */
    GoEvent    event;   /* the thread's next event, or the last one returned */
    GoBuffer   loaded;  /* with GoGeneration.again: the bytes of the current batch */
} GoCursor;

enum { HEAP_BEHIND = 2 };

typedef struct Frontier {
    GoGeneration *generation; /* borrowed */
    Scheduler    *scheduler;  /* borrowed */
    GoCursor     *cursors;    /* in the generation's arena */
    /* The heap of the threads with a next event. Two arrays, for the reason given in common/merge_heap.h. */
    int64_t  *heap_time;   /* [heap_count], then HEAP_BEHIND times INT64_MAX: no child needs a check */
    uint32_t *heap_cursor; /* [heap_count]: index in `cursors` */
    uint32_t  heap_count, capacity;
    uint32_t  next_sample;
    unsigned  next_before; /* index in scheduler->before */
    GoEvent  *current;     /* the next event; NULL = not found yet */
    uint32_t  moved;       /* 1 + heap index of the thread whose event is finished; 0 = none */
    GoEvent   apart;       /* the last event that is not of a thread's batch */
    int64_t   last_time;
    uint64_t  sync_count;
    bool      is_ended;                      /* the end or a fault was reached */
    bool      is_loose;                      /* the generation is cut, and events were let through */
    bool      missing_string, missing_stack; /* reported, once a generation */
} Frontier;

/* Prepares the events of the opened generation. False when out of memory. */
bool frontier_open(Frontier *frontier) WARN_UNUSED;
/* Returns the next event, a GO_SYNC first, valid until the next call. NULL at the end of the generation, or at a fault,
 * which is reported and resets the scheduler. */
const GoEvent *frontier_next(Frontier *frontier);
/* Returns the sync that ends a trace. */
const GoEvent *frontier_end(Frontier *frontier);

/* -- for the fast path -- */

/* Reads the next event of the thread at heap index `i`, whose event is finished. */
void frontier_go_on(Frontier *frontier, uint32_t i);

/* Restores the heap after the time of the thread at `i` has increased. */
static ALWAYS_INLINE void frontier_heap_down(Frontier *frontier, uint32_t i)
{
    int64_t *const  times = frontier->heap_time;
    uint32_t *const cursors = frontier->heap_cursor;
    const size_t    count = frontier->heap_count;
    const uint32_t  cursor = cursors[i];
    const int64_t   time = times[i];
    size_t          at = i;
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        const int64_t left = times[child], right = times[child + 1];
        child += right < left; /* branch-free, because the comparison is unpredictable */
        if (times[child] >= time) break;
        times[at] = times[child];
        cursors[at] = cursors[child];
        at = child;
    }
    times[at] = time;
    cursors[at] = cursor;
}

/* Returns the time up to which the first thread's events are the earliest. */
static ALWAYS_INLINE int64_t frontier_limit(const Frontier *frontier)
{
    const GoGeneration *generation = frontier->generation;
    const int64_t       left = frontier->heap_time[1], right = frontier->heap_time[2];
    int64_t             limit = left < right ? left : right;
    if (frontier->next_sample < generation->sample_count &&
        generation->samples[frontier->next_sample].time < limit)
        limit = generation->samples[frontier->next_sample].time;
    return limit;
}

/* Returns the cursor of the first thread, and its limit, if its next event is not decoded. NULL: use frontier_next. */
static ALWAYS_INLINE GoCursor *frontier_thread(Frontier *frontier, int64_t *limit)
{
    if (UNLIKELY(frontier->current != NULL || frontier->is_ended)) return NULL;
    if (UNLIKELY(frontier->moved != 0)) frontier_go_on(frontier, frontier->moved - 1);
    frontier->moved = 0;
    if (UNLIKELY(frontier->heap_count == 0)) return NULL;
    GoCursor *const cursor = &frontier->cursors[frontier->heap_cursor[0]];
    *limit = frontier_limit(frontier);
    return cursor->self == 0 || cursor->is_read || cursor->time > *limit ? NULL : cursor;
}

/* Returns a cursor to the heap that has advanced to another undecoded event. */
static ALWAYS_INLINE void frontier_put_back(Frontier *frontier, const GoCursor *cursor)
{
    frontier->heap_time[0] = cursor->time;
    frontier_heap_down(frontier, 0);
}

/* Returns a cursor to the heap whose next event is at cursor->c. */
static inline void frontier_put_back_unread(Frontier *frontier)
{
    frontier->moved = 1;
}

#endif
