#include "format/heph/times.h"

#include <inttypes.h>

static const uint64_t SIGN_BIT = UINT64_C(1) << 63;

void heph_times_set_epoch(HephTimes *times, uint64_t epoch, EventPos pos)
{
    times->epoch = epoch;
    if (times->has_epoch) {
        times->is_moved = epoch != times->first_epoch;
        return;
    }
    times->has_epoch = true;
    times->first_epoch = epoch;
    if (epoch > INT64_MAX) {
        builder_warn(times->builder, "epoch-out-of-range", pos,
                     "epoch %" PRIu64 " is beyond the year 2262: times are shown from the trace's zero",
                     epoch);
        return;
    }
    bool  rounded = false;
    Clock clock = *builder_clock(times->builder);
    clock.has_epoch = true;
    clock.epoch_unix_ns = (int64_t)epoch;
    /* The ticks do not change, so all of them fit. */
    bool changed = builder_change_clock(times->builder, clock, &rounded);
    (void)changed;
}

static int64_t out_of_range(HephTimes *times, int64_t tick, uint64_t time, EventPos pos, unsigned *flags)
{
    builder_warn(times->builder, "bad-time", pos,
                 "time %" PRIu64 " ns after epoch %" PRIu64 " is out of range", time, times->epoch);
    *flags |= EVENT_REPAIRED;
    return tick;
}

/* Makes the clock unsigned for a time of 2^63 or more. False if the trace has times before 0. */
static bool become_unsigned(HephTimes *times)
{
    if (times->is_unsigned || times->stays_signed) return times->is_unsigned;
    bool  rounded = false;
    Clock clock = *builder_clock(times->builder);
    clock.is_unsigned = true;
    times->is_unsigned = builder_change_clock(times->builder, clock, &rounded);
    times->stays_signed = !times->is_unsigned;
    return times->is_unsigned;
}

int64_t heph_tick_unusual(HephTimes *times, uint64_t time, EventPos pos, unsigned *flags)
{
    uint64_t since_first = time; /* distance to the first epoch, in either direction */
    if (times->is_moved && times->epoch > times->first_epoch) {
        uint64_t later = times->epoch - times->first_epoch;
        since_first = time + later;
        if (since_first < later) {
            /* the latest tick of both kinds of clock */
            return out_of_range(times, INT64_MAX, time, pos, flags);
        }
    } else if (times->is_moved) {
        uint64_t earlier = times->first_epoch - times->epoch;
        if (time < earlier) {
            uint64_t before = earlier - time;
            if (times->is_unsigned || before > SIGN_BIT)
                return out_of_range(times, INT64_MIN, time, pos, flags);
            return (int64_t)(0 - before);
        }
        since_first = time - earlier;
    }
    if (since_first <= INT64_MAX && !times->is_unsigned) return (int64_t)since_first;
    if (!become_unsigned(times)) return out_of_range(times, INT64_MAX, time, pos, flags);
    return (int64_t)(since_first ^ SIGN_BIT);
}
