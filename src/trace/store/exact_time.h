/* trace/store/exact_time.h - times as exact decimals, also while a file is read.
 *
 * A reader may change to a finer or coarser clock during the load, so ticks of different lines cannot be compared.
 * The output has one unit: nanoseconds, if they express a tick of the first event's clock exactly
 * ("10.5"), otherwise ticks of that clock. */
#ifndef TRACE_STORE_EXACT_TIME_H
#define TRACE_STORE_EXACT_TIME_H
#include "trace/store/clock.h"

typedef struct ExactTime {
    bool  in_ns;
    Clock first; /* the clock at the first event: the unit if not in_ns */
} ExactTime;

/* Returns the unit for a file whose first event has this clock. */
ExactTime exact_time_for(const Clock *first);

/* Write a time ("-1.25") and a duration. Values beyond 2^64 units are printed from a double. Return the length; the text is
 * terminated. */
enum { EXACT_TIME_TEXT = 96 };
size_t exact_time_put(const ExactTime *exact, const Clock *clock, int64_t tick, char out[EXACT_TIME_TEXT]);
size_t exact_span_put(const ExactTime *exact, const Clock *clock, uint64_t ticks, char out[EXACT_TIME_TEXT]);

#endif
