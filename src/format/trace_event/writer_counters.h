/* format/trace_event/writer_counters.h - counters of traces of other formats, as `C` events.
 *
 * One event a moment, with all series in it: chrome://tracing shows only those of a counter's first event,
 * and takes what a later one leaves out for 0. Counters of this format stand in events of their own, which
 * are written as they were. */
#ifndef FORMAT_TRACE_EVENT_WRITER_COUNTERS_H
#define FORMAT_TRACE_EVENT_WRITER_COUNTERS_H
#include "base/arena.h"
#include "base/json_writer.h"
#include "trace/trace.h"

/* The place of each series of a counter. */
typedef struct CounterWalk {
    const Trace *trace;     /* borrowed */
    const Track *track;     /* likewise; TRACK_COUNTER */
    uint64_t    *next, *end; /* by row of the track: its next sample, and the end of its samples in the range */
    double      *value;     /* likewise: what holds now; 0 before the first */
    uint64_t     gap_count; /* moments at which a series ended or paused, which cannot be said */
} CounterWalk;

/* Once for a trace, for its widest counter. False when out of memory. */
bool counter_walk_open(CounterWalk *walk, const Trace *trace, Arena *arena) WARN_UNUSED;
/* Before the first moment of a track. */
void counter_walk_enter(CounterWalk *walk, uint32_t track);
/* The next moment; false at the end. */
bool counter_walk_next(CounterWalk *walk, int64_t *tick);
/* `"name":"Heap","args":{"in use":1}` of the moment. */
void counter_walk_put(const CounterWalk *walk, JsonWriter *json);

#endif
