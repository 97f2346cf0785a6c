/* format/trace_event/times.h - the clock of a Trace Event file.
 *
 * Ticks are nanoseconds until a time with more than three decimals comes: then all is re-expressed in
 * picoseconds, counted from a whole second near the first time when that is too far from 0 to be counted from
 * there. An int64_t of picoseconds spans 106 days to either side; a file with finer times and a wider span is read
 * in nanoseconds, and each time that lost something is reported as "rounded-time". The outcome depends on the
 * order of the events alone. */
#ifndef FORMAT_TRACE_EVENT_TIMES_H
#define FORMAT_TRACE_EVENT_TIMES_H
#include "format/trace_event/number.h"
#include "trace/builder.h"

typedef enum {
    TIMES_NS,
    TIMES_PS,
    TIMES_NS_FOR_GOOD /* finer times were met, but do not fit */
} TimesMode;

typedef struct Times {
    TimesMode mode;
    bool      has_first;
    bool      has_epoch;
    bool      shows_ns;  /* "displayTimeUnit":"ns" */
    int64_t   first_ns;  /* the first time of an event */
    int64_t   origin_ns; /* of TIMES_PS */
    int64_t   epoch_ns;  /* wall-clock time of the source's zero, since 1970 */
} Times;

/* The ticks of one event's one or two times; may change the clock of all events so far. */
void times_to_ticks(Times *times, TraceBuilder *builder, EventPos pos, const FineTime *fine, size_t count,
                    int64_t *ticks);
/* At the end of the input: tells the builder what was learned about wall-clock time and how times are to be shown. */
void times_finish(const Times *times, TraceBuilder *builder);

#endif
