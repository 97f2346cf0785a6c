/* trace/time_spec.h - times and ranges as people type them.
 *
 * A time counts from the trace's begin: "1.25s", "3ms", "10us" or "10µs", "7ns", or a plain number of ticks. A range is
 * "BEGIN..END"; either side may be left out and is then the trace's own. */
#ifndef TRACE_TIME_SPEC_H
#define TRACE_TIME_SPEC_H
#include "trace/clock.h"

/* Ticks from the trace's begin, rounded to the nearest tick. False for what is no time, or beyond int64_t. */
bool time_parse(const char *text, size_t size, const Clock *clock, int64_t *ticks) WARN_UNUSED;

/* `span` is the trace's length in ticks. False when a side is no time or the range is empty. */
bool time_range_parse(const char *text, const Clock *clock, uint64_t span, int64_t *begin,
                      int64_t *end) WARN_UNUSED;

#endif
