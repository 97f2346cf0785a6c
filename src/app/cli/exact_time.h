/* app/cli/exact_time.h - times of events as exact decimals, while a file is read.
 *
 * A reader may change its clock on the way to a finer or coarser one, so a bare tick means nothing from line to line.
 * What is written is the same unit throughout: nanoseconds, where they say a tick of the first event's clock exactly
 * ("10.5"), else ticks of that clock. */
#ifndef APP_CLI_EXACT_TIME_H
#define APP_CLI_EXACT_TIME_H
#include "base/arena.h"
#include "trace/clock.h"

typedef struct ExactTime {
    bool  in_ns;
    Clock first; /* of the first event: what a tick is when not in_ns */
} ExactTime;

/* The unit for a file whose first event has this clock. */
ExactTime exact_time_for(const Clock *first);

/* A time ("-1.25"), and a span of time. Beyond 2^64 units: what a double says. */
void exact_time_append(const ExactTime *exact, const Clock *clock, int64_t tick, Bytes *out);
void exact_span_append(const ExactTime *exact, const Clock *clock, uint64_t ticks, Bytes *out);

#endif
