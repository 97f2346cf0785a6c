/* format/go/frontier.h - the events of an opened generation in the order in which they happened.
 *
 * One cursor a thread, in a heap by time. The earliest event is tried first; if it has to wait, the others in order of time. CPU
 * samples are put in where their time comes. Times are made to increase: an event at or before the last one comes a
 * nanosecond after it. All as in Go's reader, with its heap, so that even equal times come out alike. */
#ifndef FORMAT_GO_FRONTIER_H
#define FORMAT_GO_FRONTIER_H
#include "format/go/scheduler.h"

typedef struct GoCursor {
    ByteCursor c;    /* over the batch's data, behind `event` */
    int64_t    time; /* ns, of that event as it is written */
    int64_t    m;
    uint32_t   self;  /* the scheduler's place of the thread, once known */
    uint32_t   batch; /* 1 + index */
    GoEvent    event; /* the thread's next, or the one that was given last */
} GoCursor;

/* A thread that has a next event, in the heap. */
typedef struct FrontierTurn {
    int64_t  time;
    uint32_t cursor; /* index */
} FrontierTurn;

typedef struct Frontier {
    GoGeneration *generation; /* borrowed */
    Scheduler    *scheduler;  /* borrowed */
    GoCursor     *cursors;    /* in the generation's arena */
    FrontierTurn *heap;       /* likewise */
    uint32_t      heap_count, capacity;
    uint32_t      next_sample;
    unsigned      next_before; /* into scheduler->before */
    GoEvent      *current;     /* comes next; NULL = is to be found */
    uint32_t      moved; /* 1 + place in the heap of the thread that is done with its event; 0 = none is */
    GoEvent       apart; /* what stands in no thread's batch */
    int64_t       last_time;
    uint64_t      sync_count;
    bool          is_ended;                      /* the fault or the end was come to */
    bool          is_loose;                      /* it is cut short, and events were let through */
    bool          missing_string, missing_stack; /* told already, once a generation */
} Frontier;

/* Makes ready the events of the opened generation. False when out of memory. */
bool frontier_open(Frontier *frontier) WARN_UNUSED;
/* The next event, a GO_SYNC first, good until the one behind it is asked for. NULL at the end of the generation, or where it
 * cannot be read on (reported; the scheduler is reset then). */
const GoEvent *frontier_next(Frontier *frontier);
/* Steps that come next, up to `most` of them, as frontier_next would give them as events; 0: what comes next is none, and
 * frontier_next says what it is. */
uint32_t frontier_steps(Frontier *frontier, GoStep *steps, uint32_t most);
/* The sync that ends a trace. */
const GoEvent *frontier_end(Frontier *frontier);

#endif
