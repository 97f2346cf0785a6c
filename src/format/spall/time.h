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
    TimeField     field;          /* of the layout */
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

/* The tick of a time, or of the time at `field` of a record. False, and nothing done, when it takes
 * more than that: then spall_time_unusual says. `kind` is time->field: a constant where the loop is
 * compiled for one layout. */
static inline bool spall_time_usual_u64(const SpallTime *time, uint64_t raw, int64_t *tick)
{
    *tick = (int64_t)(raw ^ time->bias);
    return (raw & ~time->bias) >> 63 == 0;
}

static inline bool spall_time_usual(const SpallTime *time, TimeField kind, const uint8_t *field,
                                    int64_t *tick)
{
    if (kind == TIME_U64) return spall_time_usual_u64(time, record_u64(field), tick);
    double scaled = record_f64(field) * time->scale;
    if (UNLIKELY(!(scaled > -0x1p63 && scaled < 0x1p63))) return false;
    *tick = (int64_t)scaled;
    return (double)*tick == scaled;
}

/* The same for any time; may change the builder's clock. False when there is no tick for it: it is not a number,
 * infinite or beyond int64_t (reported). */
bool spall_time_unusual(SpallTime *time, const uint8_t *field, int64_t *tick, EventPos pos);
/* The same for a tick of 2^63 or more. */
int64_t spall_time_large(SpallTime *time, uint64_t raw, EventPos pos);

static inline bool spall_time_any(SpallTime *time, const uint8_t *field, int64_t *tick, EventPos pos)
{
    return LIKELY(spall_time_usual(time, time->field, field, tick)) ||
           spall_time_unusual(time, field, tick, pos);
}

#endif
