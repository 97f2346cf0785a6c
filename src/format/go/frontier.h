/* format/go/frontier.h - the events of an opened generation in the order in which they happened.
 *
 * One cursor a thread, in a heap by time. The earliest event is tried first; if it has to wait, the others in
 * order of time. CPU samples are put in where their time comes. Times are made to increase: an event at or
 * before the last one comes a nanosecond after it. All as in Go's reader, with its heap, so that even equal
 * times come out alike. */
#ifndef FORMAT_GO_FRONTIER_H
#define FORMAT_GO_FRONTIER_H
#include "format/go/scheduler.h"

typedef struct GoCursor {
    ByteCursor c;    /* over the batch's data, behind `event`, or behind its time unless is_read */
    int64_t    time; /* ns, of that event as it is written */
    int64_t    m;
    uint32_t   self;    /* the scheduler's place of the thread, once known */
    uint32_t   batch;   /* 1 + index */
    bool       is_read; /* `event` is whole: else all there is of it are type, time and offset */
    GoEvent    event;   /* the thread's next, or the one that was given last */
    GoBytes    loaded;  /* with GoGeneration.again: the batch at hand */
} GoCursor;

typedef struct Frontier {
    GoGeneration *generation; /* borrowed */
    Scheduler    *scheduler;  /* borrowed */
    GoCursor     *cursors;    /* in the generation's arena */
    /* The heap of the threads that have a next event. Its two parts stand apart, as those of Turns (turns.h). */
    int64_t  *heap_time;   /* [heap_count] */
    uint32_t *heap_cursor; /* likewise; index */
    uint32_t  heap_count, capacity;
    uint32_t  next_sample;
    unsigned  next_before; /* into scheduler->before */
    GoEvent  *current;     /* comes next; NULL = is to be found */
    uint32_t  moved;       /* 1 + place in the heap of the thread that is done with its event; 0 = none is */
    GoEvent   apart;       /* what stands in no thread's batch */
    int64_t   last_time;
    uint64_t  sync_count;
    bool      is_ended;                      /* the fault or the end was come to */
    bool      is_loose;                      /* it is cut short, and events were let through */
    bool      missing_string, missing_stack; /* told already, once a generation */
} Frontier;

/* Makes ready the events of the opened generation. False when out of memory. */
bool frontier_open(Frontier *frontier) WARN_UNUSED;
/* The next event, a GO_SYNC first, good until the one behind it is asked for. NULL at the end of the
 * generation, or where it cannot be read on (reported; the scheduler is reset then). */
const GoEvent *frontier_next(Frontier *frontier);
/* The sync that ends a trace. */
const GoEvent *frontier_end(Frontier *frontier);

/* -- for who goes on by itself -- */

/* The thread at `i` in the heap is done with its event: goes on to its next. */
void frontier_go_on(Frontier *frontier, uint32_t i);

/* The thread at `i` in the heap is later than it was. */
static ALWAYS_INLINE void frontier_heap_down(Frontier *frontier, uint32_t i)
{
    int64_t *const  times = frontier->heap_time;
    uint32_t *const cursors = frontier->heap_cursor;
    const uint32_t  count = frontier->heap_count, cursor = cursors[i];
    const int64_t   time = times[i];
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= count) break;
        /* no jump: which of the two is earlier is a toss-up (there is room behind the last) */
        child += (uint32_t)(child + 1 < count) & (uint32_t)(times[child + 1] < times[child]);
        if (times[child] >= time) break;
        times[i] = times[child];
        cursors[i] = cursors[child];
        i = child;
    }
    times[i] = time;
    cursors[i] = cursor;
}

/* Up to this time the thread that comes first goes on. */
static ALWAYS_INLINE int64_t frontier_limit(const Frontier *frontier)
{
    const GoGeneration *generation = frontier->generation;
    int64_t             limit = INT64_MAX;
    for (uint32_t i = 1; i < 3 && i < frontier->heap_count; i++)
        if (frontier->heap_time[i] < limit) limit = frontier->heap_time[i];
    if (frontier->next_sample < generation->sample_count &&
        generation->samples[frontier->next_sample].time < limit)
        limit = generation->samples[frontier->next_sample].time;
    return limit;
}

/* The thread whose turn it is, if its next event is not read yet, and to which time it has its turn. NULL:
 * frontier_next knows what comes. */
static ALWAYS_INLINE GoCursor *frontier_turn(Frontier *frontier, int64_t *limit)
{
    if (UNLIKELY(frontier->current != NULL || frontier->is_ended)) return NULL;
    if (UNLIKELY(frontier->moved != 0)) frontier_go_on(frontier, frontier->moved - 1);
    frontier->moved = 0;
    if (UNLIKELY(frontier->heap_count == 0)) return NULL;
    GoCursor *const cursor = &frontier->cursors[frontier->heap_cursor[0]];
    *limit = frontier_limit(frontier);
    return cursor->self == 0 || cursor->is_read || cursor->time > *limit ? NULL : cursor;
}

/* It has gone on: its next event is another one, likewise, ... */
static ALWAYS_INLINE void frontier_turn_ends(Frontier *frontier, const GoCursor *cursor)
{
    frontier->heap_time[0] = cursor->time;
    frontier_heap_down(frontier, 0);
}

/* ... or is to be found behind cursor->c. */
static inline void frontier_turn_breaks_off(Frontier *frontier)
{
    frontier->moved = 1;
}

#endif
