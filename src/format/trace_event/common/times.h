/* format/trace_event/common/times.h - the clock of a Trace Event file.
 *
 * Ticks are nanoseconds until the first time with more than three decimals. Then all times are converted to
 * picoseconds, counted from 0, or from a whole second near the first time if that is too far from 0. An int64_t of
 * picoseconds covers 106 days in both directions. A file with finer times and a wider span is read in nanoseconds,
 * and each rounded time is reported as "rounded-time". The result depends only on the order of the events. */
#ifndef FORMAT_TRACE_EVENT_COMMON_TIMES_H
#define FORMAT_TRACE_EVENT_COMMON_TIMES_H
#include "format/trace_event/common/number.h"
#include "trace/log/builder.h"

typedef enum {
    TIMES_NS,
    TIMES_PS,
    TIMES_NS_FOR_GOOD /* there were finer times, but the span does not fit into picoseconds */
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

/* As times_to_ticks, for all times and clocks. */
void times_to_ticks_any(Times *times, TraceBuilder *builder, EventPos pos, const FineTime *fine, size_t count,
                        int64_t *ticks);

/* True if the tick of each time without picoseconds is its nanosecond. */
static inline bool times_are_ns(const Times *times)
{
    return times->mode != TIMES_PS && times->has_first;
}

/* Sets `ticks` to the ticks of an event's one or two times. May change the clock of all events so far. */
static inline void times_to_ticks(Times *times, TraceBuilder *builder, EventPos pos, const FineTime *fine,
                                  size_t count, int64_t *ticks)
{
    int32_t ps = 0;
    for (size_t i = 0; i < count; i++) {
        ps |= fine[i].ps;
        ticks[i] = fine[i].ns;
    }
    if (UNLIKELY(ps != 0 || !times_are_ns(times)))
        times_to_ticks_any(times, builder, pos, fine, count, ticks);
}
/* Passes the wall-clock time and the unit for display to the builder. Call it at the end of the input. */
void times_finish(const Times *times, TraceBuilder *builder);

#endif
