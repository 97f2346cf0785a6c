/* format/spall/time.h - from the times of records to the builder's ticks, without losing any of them.
 *
 * Versions 2 and 3 count u64 ticks. Ticks are taken as they are; where one is 2^63 or more the clock becomes an
 * unsigned one. Versions 0 and 1 write ticks as doubles. Whole ones are taken as they are; where one has a
 * fraction the clock gets sub-ticks of 2^-20 tick (2^-10 where 2^43 ticks are not enough), which hold what a double
 * of that size can say. Both changes happen when the first such time is met, to all times before it. */
#ifndef FORMAT_SPALL_TIME_H
#define FORMAT_SPALL_TIME_H
#include "base/arena.h"
#include "format/spall/layout.h"
#include "trace/builder.h"

typedef struct SpallTime {
    TraceBuilder *builder;        /* borrowed */
    Arena        *arena;          /* borrowed; last_ticks lives in it */
    int64_t      *last_ticks;     /* latest tick of a thread by TrackId.index; INT64_MIN = none yet */
    uint32_t      capacity;       /* of last_ticks */
    uint64_t      bias;           /* 2^63 once the clock is unsigned: stored tick = source tick ^ bias */
    double        scale;          /* sub-ticks a tick, a power of two */
    uint64_t      ns_num, ns_den; /* nanoseconds a tick */
    unsigned      sub_bits;       /* log2(scale) */
    bool          settled;        /* sub-ticks were tried: a fraction that remains is rounded */
} SpallTime;

/* Sets the builder's clock from the header's timestamp_unit, whatever it holds. */
void spall_time_open(SpallTime *time, TraceBuilder *builder, Arena *arena, const SpallLayout *layout,
                     double unit, EventPos pos);
/* Where the latest tick of `track` is kept: valid until the next call. NULL when out of memory. */
int64_t *spall_time_last(SpallTime *time, TrackId track) WARN_UNUSED;

/* What the inline functions below leave to do: see there. */
uint64_t spall_time_bias(SpallTime *time, uint64_t raw, EventPos pos);
bool     spall_time_unusual(SpallTime *time, double raw, int64_t *tick, EventPos pos);

/* The tick of a u64 time. */
static inline int64_t spall_time_u64(SpallTime *time, uint64_t raw, EventPos pos)
{
    if (UNLIKELY((raw & ~time->bias) >> 63)) raw = spall_time_bias(time, raw, pos);
    return (int64_t)(raw ^ time->bias);
}

/* The tick of a double. False when it is none: not a number, infinite or beyond int64_t (reported). */
static inline bool spall_time_f64(SpallTime *time, double raw, int64_t *tick, EventPos pos)
{
    double scaled = raw * time->scale;
    if (LIKELY(scaled > -0x1p63 && scaled < 0x1p63)) {
        *tick = (int64_t)scaled;
        if (LIKELY((double)*tick == scaled)) return true;
    }
    return spall_time_unusual(time, raw, tick, pos);
}

#endif
