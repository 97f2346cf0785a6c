/* format/spall/time.h - converts the times of records to the builder's ticks, without loss.
 *
 * Versions 2 and 3 have u64 ticks, which are used unchanged; at the first tick of 2^63 or more the clock becomes
 * unsigned. Versions 0 and 1 have ticks as doubles. Integers are used unchanged; at the first fraction the clock gets
 * sub-ticks of 2^-20 tick (2^-10 if 2^43 ticks are not enough), which represent doubles of that size exactly. Both
 * changes also convert the earlier times. */
#ifndef FORMAT_SPALL_TIME_H
#define FORMAT_SPALL_TIME_H
#include "base/arena.h"
#include "format/spall/layout.h"
#include "trace/log/builder.h"

typedef struct SpallTime {
    TraceBuilder *builder;        /* borrowed */
    Arena        *arena;          /* borrowed; holds last_ticks */
    int64_t      *last_ticks;     /* latest tick by TrackId.index; INT64_MIN = no event yet */
    uint32_t      capacity;       /* of last_ticks */
    TimeField     field;          /* of the layout */
    uint64_t      bias;           /* 2^63 once the clock is unsigned: stored tick = source tick ^ bias */
    double        scale;          /* sub-ticks per tick, a power of two */
    uint64_t      ns_num, ns_den; /* nanoseconds per tick */
    unsigned      sub_bits;       /* log2(scale) */
    bool          settled;        /* sub-ticks were tried: remaining fractions are rounded */
} SpallTime;

/* Sets the builder's clock from the header's timestamp_unit, which may have any value. */
void spall_time_open(SpallTime *time, TraceBuilder *builder, Arena *arena, const SpallLayout *layout,
                     double unit, EventPos pos);
/* Returns a pointer to the latest tick of `track`, valid until the next call. NULL when out of memory. */
int64_t *spall_time_last(SpallTime *time, TrackId track) WARN_UNUSED;

/* Sets *tick to the tick of the time at `field` of a record, rounded to the nearest sub-tick if the clock has them. Returns
 * bits that spall_times_are_usual understands, also the union of those of several times: a loop over times then has one
 * test, at its end. An unusual time needs spall_time_unusual; its *tick is undefined. `kind` is time->field, as a constant
 * in loops compiled for one layout. */
static inline uint64_t spall_time_read_u64(const SpallTime *time, uint64_t raw, int64_t *tick)
{
    *tick = (int64_t)(raw ^ time->bias);
    return raw & ~time->bias;
}

static ALWAYS_INLINE uint64_t spall_time_read(const SpallTime *time, TimeField kind, const uint8_t *field,
                                              int64_t *tick)
{
    if (kind == TIME_U64) return spall_time_read_u64(time, bits_load_u64(field), tick);
    const double scaled = bits_load_f64(field) * time->scale;
    if (UNLIKELY(!(scaled > -0x1p63 && scaled < 0x1p63))) return UINT64_MAX;
    const int64_t whole = (int64_t)scaled;
    const double  rest = scaled - (double)whole; /* exact */
    uint64_t      bits;
    memcpy(&bits, &rest, sizeof bits);      /* bit 62 is 0: |rest| < 1 */
    *tick = whole + (int64_t)(rest + rest); /* as llround, without a call and without a branch */
    return bits;
}

static ALWAYS_INLINE bool spall_times_are_usual(const SpallTime *time, TimeField kind, uint64_t bits)
{
    if (kind == TIME_U64) return bits >> 63 == 0;
    return (bits >> 62 & 1) == 0 && (bits << 1 == 0 || time->sub_bits != 0);
}

/* The same for one time. Returns false if it is unusual; then *tick is unchanged or undefined. */
static inline bool spall_time_usual(const SpallTime *time, TimeField kind, const uint8_t *field,
                                    int64_t *tick)
{
    return spall_times_are_usual(time, kind, spall_time_read(time, kind, field, tick));
}

/* As above, for any time; may change the builder's clock. Returns false with a warning if the time is NaN, infinite or
 * outside of int64_t. */
bool spall_time_unusual(SpallTime *time, const uint8_t *field, int64_t *tick, EventPos pos);
/* As spall_time_unusual, for a tick of 2^63 or more. Returns the tick. */
int64_t spall_time_large(SpallTime *time, uint64_t raw, EventPos pos);

static inline bool spall_time_any(SpallTime *time, const uint8_t *field, int64_t *tick, EventPos pos)
{
    return LIKELY(spall_time_usual(time, time->field, field, tick)) ||
           spall_time_unusual(time, field, tick, pos);
}

#endif
