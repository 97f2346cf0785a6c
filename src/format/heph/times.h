/* format/heph/times.h - from nanoseconds since an epoch to ticks.
 *
 * Ticks count from the first epoch of the trace, or from the zero of its times where it has none. An event
 * behind a different epoch is moved by the difference of the two, as section 2 of the format's description
 * chooses. Times reach up to 2^64 - 1: at the first of 2^63 or more the clock becomes unsigned. */
#ifndef FORMAT_HEPH_TIMES_H
#define FORMAT_HEPH_TIMES_H
#include "trace/builder.h"

typedef struct HephTimes {
    TraceBuilder *builder; /* borrowed */
    bool          has_epoch, is_moved;
    bool          is_unsigned, stays_signed; /* it is tried once: looking at all times so far is dear */
    uint64_t      first_epoch, epoch;        /* that of the latest packet */
} HephTimes;

void heph_times_set_epoch(HephTimes *times, uint64_t epoch, EventPos pos);

/* What the inline function below leaves to do. */
int64_t heph_tick_unusual(HephTimes *times, uint64_t time, EventPos pos, unsigned *flags);

/* The tick of a time; EVENT_REPAIRED is set in *flags when it is out of range. */
static inline int64_t heph_tick(HephTimes *times, uint64_t time, EventPos pos, unsigned *flags)
{
    if (LIKELY(time <= INT64_MAX && !times->is_moved && !times->is_unsigned)) return (int64_t)time;
    return heph_tick_unusual(times, time, pos, flags);
}

#endif
