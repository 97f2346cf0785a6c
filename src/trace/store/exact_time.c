#include "trace/store/exact_time.h"

#include "base/digits.h"
#include "base/wide.h"

#include <assert.h>
#include <stdio.h>

/* Units in a tick. */
typedef struct Ratio {
    uint64_t num, den;
} Ratio;

/* True if a fraction with this denominator is a finite decimal that can be computed in 64 bits. */
static bool is_decimal(Ratio ratio)
{
    uint64_t rest = ratio.den;
    if (rest == 0 || rest > UINT64_MAX / 10 || ratio.num > UINT64_MAX / rest) return false;
    while (rest % 2 == 0)
        rest /= 2;
    while (rest % 5 == 0)
        rest /= 5;
    return rest == 1;
}

ExactTime exact_time_for(const Clock *first)
{
    Ratio ns = { first->ns_num, first->ns_den };
    return (ExactTime){ .in_ns = clock_has_time(first) && !first->is_unsigned && is_decimal(ns),
                        .first = *first };
}

static Ratio units_per_tick(const ExactTime *exact, const Clock *clock)
{
    if (exact->in_ns) return (Ratio){ clock->ns_num, clock->ns_den };
    uint64_t nums = wide_common_divisor(clock->ns_num, exact->first.ns_num);
    uint64_t dens = wide_common_divisor(clock->ns_den, exact->first.ns_den);
    uint64_t a = clock->ns_num / nums, b = exact->first.ns_den / dens;
    uint64_t c = clock->ns_den / dens, d = exact->first.ns_num / nums;
    if (a > UINT64_MAX / b || c > UINT64_MAX / d) return (Ratio){ 0, 0 };
    return (Ratio){ a * b, c * d };
}

/* Writes "." and the decimals of rest / den, nothing for rest 0. Returns their end. */
static char *decimals_put(uint64_t rest, uint64_t den, char *out)
{
    if (rest == 0) return out;
    assert(rest < den);
    *out++ = '.';
    while (rest > 0) { /* the denominator has only the prime factors 2 and 5, so this ends */
        rest *= 10;
        *out++ = (char)('0' + rest / den);
        rest %= den;
    }
    return out;
}

/* Writes sign * (ticks * ratio) + origin. Returns the length. */
static size_t value_put(bool negative, uint64_t ticks, Ratio ratio, int64_t origin, char out[EXACT_TIME_TEXT])
{
    bool     simple = ratio.num == 1 && origin == 0; /* nothing is multiplied or added */
    uint64_t whole = ticks / (ratio.den == 0 ? 1 : ratio.den);
    if (!is_decimal(ratio) || (!simple && whole > UINT64_MAX / 4 / ratio.num)) {
        double scale = ratio.den == 0 ? 1 : (double)ratio.num / (double)ratio.den;
        return (size_t)snprintf(out, EXACT_TIME_TEXT, "%.17g",
                                (negative ? -1 : 1) * (double)ticks * scale + (double)origin);
    }
    uint64_t rest = ticks % ratio.den * ratio.num;
    whole = whole * ratio.num + rest / ratio.den; /* num < 2^63 where den > 1: it fits */
    rest %= ratio.den;
    if (origin != 0) {
        uint64_t distance = origin < 0 ? 0 - (uint64_t)origin : (uint64_t)origin;
        if (negative == (origin < 0)) {
            whole += distance;
        } else if (whole >= distance) {
            whole -= distance;
        } else { /* origin + sign * (whole + rest) on the other side of 0 */
            negative = !negative;
            whole = distance - whole - (rest > 0);
            rest = rest > 0 ? ratio.den - rest : 0;
        }
    }
    char *end = out;
    if (negative && (whole > 0 || rest > 0)) *end++ = '-';
    end = decimals_put(rest, ratio.den, digits_put(end, whole));
    *end = '\0';
    return (size_t)(end - out);
}

size_t exact_time_put(const ExactTime *exact, const Clock *clock, int64_t tick, char out[EXACT_TIME_TEXT])
{
    Ratio ratio = units_per_tick(exact, clock);
    if (clock->is_unsigned) return value_put(false, (uint64_t)tick ^ UINT64_C(1) << 63, ratio, 0, out);
    uint64_t ticks = tick < 0 ? 0 - (uint64_t)tick : (uint64_t)tick;
    return value_put(tick < 0, ticks, ratio, exact->in_ns ? clock->origin_ns : 0, out);
}

size_t exact_span_put(const ExactTime *exact, const Clock *clock, uint64_t ticks, char out[EXACT_TIME_TEXT])
{
    return value_put(false, ticks, units_per_tick(exact, clock), 0, out);
}
