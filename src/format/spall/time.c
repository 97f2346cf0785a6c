#include "format/spall/time.h"

#include "base/wide.h"

#include <inttypes.h>
#include <math.h>

enum { SUB_BITS_FINE = 20, SUB_BITS_COARSE = 10 };

static const uint64_t SIGN_BIT = UINT64_C(1) << 63;

/* Sets num/den to the simplest fraction that rounds to the double `value` (finite, > 0): the unit 0.001 means 1/1000,
 * not the exact value of the double. Tries the convergents of the exact ratio; if no convergent in range rounds to
 * `value`, uses the nearest ratio. */
static void simplest_ratio(double value, uint64_t *num, uint64_t *den)
{
    wide_ratio_from_double(value, num, den);
    const double exact_until = 0x1p53; /* a quotient of larger integers could be rounded twice */
    uint64_t     a = *num, b = *den;
    uint64_t     p0 = 0, q0 = 1, p1 = 1, q1 = 0;
    while (b != 0) {
        uint64_t part = a / b, rest = a % b;
        double   p = (double)part * (double)p1 + (double)p0, q = (double)part * (double)q1 + (double)q0;
        if (p > exact_until || q > exact_until) return;
        if (p / q == value) {
            *num = part * p1 + p0;
            *den = part * q1 + q0;
            return;
        }
        uint64_t p2 = part * p1 + p0, q2 = part * q1 + q0;
        p0 = p1, q0 = q1, p1 = p2, q1 = q2;
        a = b, b = rest;
    }
}

/* Multiplies num / den by factor, in lowest terms. False if the result does not fit. */
static bool ratio_times(uint64_t *num, uint64_t den_in, uint64_t factor, uint64_t *den)
{
    uint64_t shared = wide_common_divisor(den_in, factor);
    if (*num > INT64_MAX / (factor / shared)) return false;
    *num *= factor / shared;
    *den = den_in / shared;
    return true;
}

/* Sets num/den to the nanoseconds per tick, for a timestamp_unit in units of `unit_ns` ns. */
static void ns_per_tick(double unit, uint64_t unit_ns, uint64_t *num, uint64_t *den)
{
    uint64_t unit_den;
    simplest_ratio(unit, num, &unit_den);
    if (ratio_times(num, unit_den, unit_ns, den)) return;
    double ns = unit * (double)unit_ns;
    wide_ratio_from_double(isfinite(ns) ? ns : unit, num, den);
}

void spall_time_open(SpallTime *time, TraceBuilder *builder, Arena *arena, const SpallLayout *layout,
                     double unit, EventPos pos)
{
    const char *unit_name = layout->unit_ns == 1 ? "ns" : "microseconds";
    *time = (SpallTime){ .builder = builder, .arena = arena, .field = layout->time, .scale = 1 };
    if (!isfinite(unit) || unit <= 0) {
        builder_warn(builder, "bad-unit", pos, "bad timestamp unit %g, using 1 (%s a tick)", unit, unit_name);
        unit = 1;
    }
    if (layout->unit_ns == 1 && unit < 0.01) {
        builder_warn(
            builder, "suspicious-unit", pos,
            "timestamp unit %g means ticks of %g ps, which no clock has: it looks like microseconds a "
            "tick, and times may be 1000 times too short",
            unit, unit * 1000);
    }
    ns_per_tick(unit, layout->unit_ns, &time->ns_num, &time->ns_den);
    builder_set_clock(builder, clock_ticks(time->ns_num, time->ns_den));
}

int64_t *spall_time_last(SpallTime *time, TrackId track)
{
    if (track.index >= time->capacity) {
        uint32_t capacity = time->capacity == 0 ? 64 : time->capacity;
        while (capacity <= track.index) {
            if (capacity > UINT32_MAX / 2) return NULL;
            capacity *= 2;
        }
        int64_t *grown = arena_push_raw(time->arena, capacity, sizeof *grown);
        if (grown == NULL) return NULL;
        for (uint32_t i = 0; i < capacity; i++)
            grown[i] = i < time->capacity ? time->last_ticks[i] : INT64_MIN;
        time->last_ticks = grown;
        time->capacity = capacity;
    }
    return &time->last_ticks[track.index];
}

/* Makes the clock unsigned, for a tick of 2^63 or more. */
int64_t spall_time_large(SpallTime *time, uint64_t raw, EventPos pos)
{
    bool  rounded = false;
    Clock clock = *builder_clock(time->builder);
    clock.is_unsigned = true;
    if (!builder_change_clock(time->builder, clock, &rounded)) {
        builder_warn(time->builder, "bad-time", pos, "tick %" PRIu64 " is out of range, using 2^63 - 1", raw);
        return INT64_MAX;
    }
    time->bias = SIGN_BIT;
    for (uint32_t i = 0; i < time->capacity; i++) {
        if (time->last_ticks[i] >= 0) time->last_ticks[i] ^= INT64_MIN;
    }
    return (int64_t)(raw ^ SIGN_BIT);
}

/* Changes the clock to sub-ticks of 2^-bits. False if a time so far does not fit. */
static bool change_scale(SpallTime *time, unsigned bits, EventPos pos)
{
    uint64_t den, num = time->ns_num;
    uint64_t shared = wide_common_divisor(num, UINT64_C(1) << bits);
    if (time->ns_den > INT64_MAX / ((UINT64_C(1) << bits) / shared)) return false;
    num /= shared;
    den = time->ns_den * ((UINT64_C(1) << bits) / shared);
    bool rounded = false;
    if (!builder_change_clock(time->builder, clock_ticks(num, den), &rounded)) return false;
    if (rounded) {
        builder_warn(
            time->builder, "time-rounded", pos,
            "times up to here are rounded to 1/%u tick: the file has both fractions and times this large",
            1u << bits);
    }
    for (uint32_t i = 0; i < time->capacity; i++) {
        int64_t *last = &time->last_ticks[i];
        if (*last != INT64_MIN)
            *last = wide_mul_div_i64(*last, UINT64_C(1) << bits, UINT64_C(1) << time->sub_bits);
    }
    time->sub_bits = bits;
    time->scale = ldexp(1, (int)bits);
    return true;
}

static bool fits(double raw, unsigned bits)
{
    return fabs(raw) < ldexp(1, 63 - (int)bits);
}

static bool unusual_double(SpallTime *time, double raw, int64_t *tick, EventPos pos)
{
    if (!fits(raw, 0)) {
        builder_warn(time->builder, "bad-time", pos,
                     "time %g is out of range, using the latest of its thread", raw);
        return false;
    }
    if (!time->settled) { /* the first time with a fraction */
        time->settled = true;
        if (!(fits(raw, SUB_BITS_FINE) && change_scale(time, SUB_BITS_FINE, pos))) {
            (void)change_scale(time, SUB_BITS_COARSE, pos); /* a fraction is below 2^53: it fits */
        }
    }
    if (!fits(raw, time->sub_bits)) {
        unsigned bits = time->sub_bits == SUB_BITS_FINE && fits(raw, SUB_BITS_COARSE) ? SUB_BITS_COARSE : 0;
        if (!change_scale(time, bits, pos)) { /* coarser ticks always fit, so the builder is out of memory */
            return false;
        }
    }
    if (time->sub_bits == 0 && raw != trunc(raw)) {
        builder_warn(time->builder, "time-rounded", pos,
                     "the fraction of time %.17g is lost: other times are too large for fractions", raw);
    }
    *tick = llround(raw * time->scale);
    return true;
}

bool spall_time_unusual(SpallTime *time, const uint8_t *field, int64_t *tick, EventPos pos)
{
    if (time->field == TIME_F64) return unusual_double(time, bits_load_f64(field), tick, pos);
    *tick = spall_time_large(time, bits_load_u64(field), pos);
    return true;
}
