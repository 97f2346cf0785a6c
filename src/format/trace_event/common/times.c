#include "format/trace_event/common/times.h"

static const int64_t NS_PER_SECOND = 1000000000;
/* If the first time is farther from 0 than this (53 days), picoseconds are counted from a second near it. */
static const int64_t NEAR_ZERO_NS = INT64_MAX / 1000 / 2;

static bool tick_of_ps(int64_t origin_ns, FineTime time, int64_t *tick)
{
    const int64_t span_ns = INT64_MAX / 1000 - 1;
    if (origin_ns > 0 ? time.ns < INT64_MIN + origin_ns : time.ns > INT64_MAX + origin_ns) return false;
    int64_t ns = time.ns - origin_ns;
    if (ns > span_ns || ns < -span_ns) return false;
    *tick = ns * 1000 + time.ps;
    return true;
}

static int64_t origin_near(int64_t ns)
{
    if (ns <= NEAR_ZERO_NS && ns >= -NEAR_ZERO_NS) return 0;
    int64_t seconds = ns / NS_PER_SECOND;
    if (ns < 0 && seconds * NS_PER_SECOND != ns && (seconds - 1) >= INT64_MIN / NS_PER_SECOND) seconds--;
    return seconds * NS_PER_SECOND;
}

static void change_to_ps(Times *times, TraceBuilder *builder)
{
    bool rounded = false;
    times->origin_ns = origin_near(times->first_ns);
    Clock clock = clock_ticks(1, 1000);
    clock.origin_ns = times->origin_ns;
    times->mode = builder_change_clock(builder, clock, &rounded) ? TIMES_PS : TIMES_NS_FOR_GOOD;
}

static void change_back_to_ns(Times *times, TraceBuilder *builder, EventPos pos)
{
    bool rounded = false;
    times->mode = TIMES_NS_FOR_GOOD;
    if (!builder_change_clock(builder, clock_ns(), &rounded))
        return; /* cannot fail: each time in ps fits as ns */
    if (rounded) {
        builder_warn(
            builder, "rounded-time", pos,
            "times before this one are finer than 1 ns, but lie too far from it for a clock of 1 ps: all "
            "are rounded to 1 ns");
    }
}

void times_to_ticks_any(Times *times, TraceBuilder *builder, EventPos pos, const FineTime *fine, size_t count,
                        int64_t *ticks)
{
    bool is_fine = false;
    for (size_t i = 0; i < count; i++)
        is_fine |= fine[i].ps != 0;
    if (!times->has_first) {
        times->has_first = true;
        times->first_ns = fine[0].ns;
    }
    if (is_fine && times->mode == TIMES_NS) change_to_ps(times, builder);
    if (times->mode == TIMES_PS) {
        size_t done = 0;
        while (done < count && tick_of_ps(times->origin_ns, fine[done], &ticks[done]))
            done++;
        if (done == count) return;
        change_back_to_ns(times, builder, pos);
    }
    for (size_t i = 0; i < count; i++)
        ticks[i] = fine_time_round(fine[i]);
    if (is_fine) {
        builder_warn(
            builder, "rounded-time", pos,
            "a time finer than 1 ns is rounded: the file spans more than the range of a clock of 1 ps");
    }
}

void times_finish(const Times *times, TraceBuilder *builder)
{
    if (!times->has_epoch && !times->shows_ns) return;
    bool  rounded = false;
    Clock clock = *builder_clock(builder);
    clock.has_epoch = times->has_epoch;
    clock.epoch_unix_ns = times->epoch_ns;
    clock.shows_ns = times->shows_ns;
    /* The ticks do not change, so all of them fit. */
    bool changed = builder_change_clock(builder, clock, &rounded);
    (void)changed;
}
