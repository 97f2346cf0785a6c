/* format/go/frontier.h - the events of an opened generation in the order in which they happened.
 *
 * One cursor a thread, in a heap by time. The earliest event is tried first; if it has to wait, the others in order of time. CPU
 * samples are put in where their time comes. Times are made to increase: an event at or before the last one comes a
 * nanosecond after it. All as in Go's reader, with its heap, so that even equal times come out alike. */
#ifndef FORMAT_GO_FRONTIER_H
#define FORMAT_GO_FRONTIER_H
#include "format/go/scheduler.h"

typedef struct GoCursor {
    GoEvent    event; /* the thread's next: type, time, args, offset */
    ByteCursor c;     /* over the batch's data, behind that event */
    int64_t    m;
    uint32_t   batch; /* 1 + index */
} GoCursor;

typedef struct Frontier {
    GoGeneration *generation; /* borrowed */
    Scheduler    *scheduler;  /* borrowed */
    GoCursor     *cursors;    /* in the generation's arena */
    uint32_t     *heap;       /* indices of cursors */
    uint32_t      heap_count, capacity;
    uint32_t      next_sample;
    unsigned      next_out; /* into scheduler->out */
    int64_t       last_time;
    uint64_t      sync_count;
    bool          is_ended;                      /* the fault or the end was come to */
    bool          missing_string, missing_stack; /* told already, once a generation */
} Frontier;

/* Makes ready the events of the opened generation. False when out of memory. */
bool frontier_open(Frontier *frontier) WARN_UNUSED;
/* The next event, a GO_SYNC first. False at the end of the generation, or where it cannot be read on (reported; the scheduler
 * is reset then). */
bool frontier_next(Frontier *frontier, GoEvent *event);
/* The sync that ends a trace. */
void frontier_end(Frontier *frontier, GoEvent *event);

#endif
