/* format/heph/times.h - converts nanoseconds since an epoch to ticks.
 *
 * Ticks count from the first epoch of the trace, or from the zero of its times if it has no epoch. An event after a
 * different epoch is moved by the difference of the two epochs. Times are up to
 * 2^64 - 1: at the first time of 2^63 or more the clock becomes unsigned. */
#ifndef FORMAT_HEPH_TIMES_H
#define FORMAT_HEPH_TIMES_H
#include "trace/log/builder.h"

typedef struct HephTimes {
    TraceBuilder *builder; /* borrowed */
    bool          has_epoch, is_moved;
    bool          is_unsigned, stays_signed; /* stays_signed: a change failed; it is not tried again */
    uint64_t      first_epoch, epoch;        /* epoch: the latest one */
} HephTimes;

void heph_times_set_epoch(HephTimes *times, uint64_t epoch, EventPos pos);

/* The slow path of heph_tick. */
int64_t heph_tick_unusual(HephTimes *times, uint64_t time, EventPos pos, unsigned *flags);

/* Returns the tick of a time. Sets EVENT_REPAIRED in *flags if the time is out of range. */
static inline int64_t heph_tick(HephTimes *times, uint64_t time, EventPos pos, unsigned *flags)
{
    if (LIKELY(time <= INT64_MAX && !times->is_moved && !times->is_unsigned)) return (int64_t)time;
    return heph_tick_unusual(times, time, pos, flags);
}

#endif
