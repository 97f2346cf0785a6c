/* app/cli/exact_time.h - times of events as exact decimals, while a file is read.
 *
 * A reader may change to a finer or coarser clock during the load, so ticks of different lines cannot be compared.
 * The output has one unit: nanoseconds, if they express a tick of the first event's clock exactly
 * ("10.5"), otherwise ticks of that clock. */
#ifndef APP_CLI_EXACT_TIME_H
#define APP_CLI_EXACT_TIME_H
#include "base/arena.h"
#include "trace/store/clock.h"

typedef struct ExactTime {
    bool  in_ns;
    Clock first; /* the clock at the first event: the unit if not in_ns */
} ExactTime;

/* Returns the unit for a file whose first event has this clock. */
ExactTime exact_time_for(const Clock *first);

/* Append a time ("-1.25") and a duration. Values beyond 2^64 units are printed from a double. */
void exact_time_append(const ExactTime *exact, const Clock *clock, int64_t tick, Bytes *out);
void exact_span_append(const ExactTime *exact, const Clock *clock, uint64_t ticks, Bytes *out);

#endif
