/* format/trace_event/write/counters.h - writes counters of other formats as `C` events.
 *
 * There is one event per time, with the values of all series: chrome://tracing shows only the series of a counter's
 * first event, and takes a missing series for 0. Counters of this format are raw events, which are written unchanged.
 * */
#ifndef FORMAT_TRACE_EVENT_WRITE_COUNTERS_H
#define FORMAT_TRACE_EVENT_WRITE_COUNTERS_H
#include "base/arena.h"
#include "base/json_writer.h"
#include "trace/store/trace.h"

/* Appends the title of the counter of a `C` event, "name" or "name [id]", from its name and its fields beside the
 * arguments. */
void counter_title_append(StringView name, const Bytes *other, Bytes *title);

/* An iteration over the times of a counter. */
typedef struct CounterWalk {
    const Trace *trace;   /* borrowed */
    const Track *track;   /* borrowed; TRACK_COUNTER */
    uint64_t *next, *end; /* by row of the track: its next sample, and the end of its samples in the range */
    double   *value;      /* by row of the track: the current value; 0 before the first sample */
    /* number of times at which a series ended or paused, which the format cannot represent */
    uint64_t gap_count;
} CounterWalk;

/* Allocates the iteration for all counters of a trace. False when out of memory. */
bool counter_walk_open(CounterWalk *walk, const Trace *trace, Arena *arena) WARN_UNUSED;
/* Starts at the first time of a track. */
void counter_walk_enter(CounterWalk *walk, uint32_t track);
/* Goes to the next time and sets *tick. False at the end. */
bool counter_walk_next(CounterWalk *walk, int64_t *tick);
/* Writes `"name":"Heap","args":{"in use":1}` for the values that the rows of a counter have at one time. */
void counter_put(const Trace *trace, uint32_t track, const double *values, JsonWriter *json);

#endif
