#include "trace/store/clock.h"

#include "base/checked.h"
#include "base/digits.h"
#include "base/wide.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const uint64_t SIGN_BIT = UINT64_C(1) << 63;
enum { CLOCK_UNIT_TEXT = 8 }; /* bytes of a space, a unit and a NUL */

Clock clock_ns(void)
{
    return (Clock){ .kind = CLOCK_NS, .ns_num = 1, .ns_den = 1 };
}

Clock clock_ticks(uint64_t ns_num, uint64_t ns_den)
{
    assert(ns_num > 0 && ns_den > 0);
    uint64_t divisor = wide_common_divisor(ns_num, ns_den);
    Clock    clock = { .kind = CLOCK_TICKS, .ns_num = ns_num / divisor, .ns_den = ns_den / divisor };
    if (clock.ns_num == 1 && clock.ns_den == 1) clock.kind = CLOCK_NS;
    return clock;
}

const char *clock_kind_name(ClockKind kind)
{
    switch (kind) {
    case CLOCK_NS:
        return "ns";
    case CLOCK_TICKS:
        return "ticks";
    case CLOCK_CALLS:
    case CLOCK_EVENTS:
        return "calls";
    }
    return "ns";
}

bool clock_has_time(const Clock *clock)
{
    return clock->kind != CLOCK_CALLS && clock->kind != CLOCK_EVENTS;
}

const char *clock_unit_name(const Clock *clock)
{
    return clock->kind == CLOCK_CALLS ? "call" : "event";
}

int64_t clock_to_ns(const Clock *clock, int64_t tick)
{
    if (clock->is_unsigned) {
        return wide_scale_add((uint64_t)tick ^ SIGN_BIT, clock->ns_num, clock->ns_den, clock->origin_ns);
    }
    if (tick >= 0) return wide_scale_add((uint64_t)tick, clock->ns_num, clock->ns_den, clock->origin_ns);
    return i64_add_saturated(wide_mul_div_i64(tick, clock->ns_num, clock->ns_den), clock->origin_ns);
}

int64_t clock_from_ns(const Clock *clock, int64_t ns)
{
    int64_t own = i64_sub_saturated(ns, clock->origin_ns);
    if (!clock->is_unsigned) return wide_mul_div_i64(own, clock->ns_den, clock->ns_num);
    uint64_t tick = own <= 0 ? 0 : wide_mul_div_u64((uint64_t)own, clock->ns_den, clock->ns_num);
    return (int64_t)(tick ^ SIGN_BIT);
}

bool clock_to_unix_ns(const Clock *clock, int64_t tick, int64_t *unix_ns)
{
    bool          clamped = false;
    const int64_t ns = clock_to_ns(clock, tick);
    if (!clock->has_epoch || !clock_has_time(clock) || ns == INT64_MAX || ns == INT64_MIN) return false;
    *unix_ns = i64_add_clamped(clock->epoch_unix_ns, ns, &clamped);
    return !clamped;
}

bool clock_from_unix_ns(const Clock *clock, int64_t unix_ns, int64_t *tick)
{
    bool clamped = false;
    if (!clock->has_epoch || !clock_has_time(clock)) return false;
    const int64_t ns = i64_sub_clamped(unix_ns, clock->epoch_unix_ns, &clamped);
    *tick = clock_from_ns(clock, ns);
    return !clamped;
}

uint64_t clock_span_to_ns(const Clock *clock, uint64_t ticks)
{
    if (clock->ns_num == clock->ns_den) return ticks;
    return wide_mul_div_u64(ticks, clock->ns_num, clock->ns_den);
}

uint64_t clock_span_from_ns(const Clock *clock, uint64_t ns)
{
    return wide_mul_div_u64(ns, clock->ns_den, clock->ns_num);
}

double clock_ns_per_tick(const Clock *clock)
{
    return (double)clock->ns_num / (double)clock->ns_den;
}

size_t clock_format_tick(const Clock *clock, int64_t tick, char out[CLOCK_TICK_TEXT])
{
    bool     negative = !clock->is_unsigned && tick < 0;
    uint64_t rest = clock->is_unsigned ? (uint64_t)tick ^ SIGN_BIT : (uint64_t)tick;
    char    *at = out;
    if (negative) *at++ = '-';
    char *end = digits_put(at, negative ? 0 - rest : rest);
    *end = '\0';
    return (size_t)(end - out);
}

/* Appends a whole number, its digits grouped, and a unit. */
static size_t put_whole(uint64_t value, const char *unit, char *out)
{
    size_t at = digits_put_whole(value, out);
    return at + (size_t)snprintf(out + at, CLOCK_UNIT_TEXT, " %s", unit);
}

/* Writes a span of a clock finer than a nanosecond. */
static size_t format_picoseconds(const Clock *clock, uint64_t ticks, char out[CLOCK_SPAN_TEXT])
{
    uint64_t num = clock->ns_num <= UINT64_MAX / 1000 ? clock->ns_num * 1000 : UINT64_MAX;
    return put_whole(wide_mul_div_u64(ticks, num, clock->ns_den), "ps", out);
}

/* Appends whole + fraction / 10^decimals without zeros at the fraction's end. */
static size_t put_decimal(uint64_t whole, uint64_t fraction, unsigned decimals, const char *unit, char *out)
{
    while (decimals > 0 && fraction % 10 == 0) {
        fraction /= 10;
        decimals--;
    }
    size_t at = digits_put_whole(whole, out);
    at += digits_put_fraction(fraction, decimals, out + at);
    return at + (size_t)snprintf(out + at, CLOCK_UNIT_TEXT, " %s", unit);
}

/* Writes value / unit with up to four digits in all. */
static size_t format_scaled(uint64_t value, uint64_t unit, const char *name, char out[CLOCK_SPAN_TEXT])
{
    uint64_t whole = value / unit;
    unsigned decimals = unit == 1 ? 0 : whole < 10 ? 3 : whole < 100 ? 2 : whole < 1000 ? 1 : 0;
    uint64_t scale = decimals == 3 ? 1000 : decimals == 2 ? 100 : decimals == 1 ? 10 : 1;
    uint64_t fraction = wide_mul_div_u64(value % unit, scale, unit);
    if (fraction == scale) { /* rounded up to the next whole one */
        whole++;
        fraction = 0;
    }
    return put_decimal(whole, fraction, decimals, name, out);
}

/* Appends value / 10^decimals with all its digits. */
static size_t put_all(uint64_t value, unsigned decimals, const char *name, char *out)
{
    uint64_t unit = 1;
    for (unsigned i = 0; i < decimals; i++)
        unit *= 10;
    return put_decimal(value / unit, value % unit, decimals, name, out);
}

static size_t format_all_long(uint64_t ns, char out[CLOCK_SPAN_TEXT])
{
    static const struct {
        uint64_t    seconds;
        const char *name;
    } PARTS[] = { { 86400, "d" }, { 3600, "h" }, { 60, "min" } };
    const uint64_t second = UINT64_C(1000000000);
    size_t         at = 0;
    for (size_t i = 0; i < sizeof PARTS / sizeof PARTS[0]; i++) {
        uint64_t part = PARTS[i].seconds * second;
        if (at == 0 && ns < part) continue;
        at += put_whole(ns / part, PARTS[i].name, out + at);
        out[at++] = ' ';
        ns %= part;
    }
    return at + put_all(ns, 9, "s", out + at);
}

/* Writes a time of at least a microsecond with all digits. */
static size_t format_ns(uint64_t ns, char out[CLOCK_SPAN_TEXT])
{
    if (ns < 1000000) return put_all(ns, 3, "µs", out);
    if (ns < 1000000000) return put_all(ns, 6, "ms", out);
    return format_all_long(ns, out);
}

/* Writes two whole numbers and their units. */
static size_t format_two(uint64_t first, const char *unit, uint64_t second, const char *smaller_unit,
                         char out[CLOCK_SPAN_TEXT])
{
    size_t at = put_whole(first, unit, out);
    out[at++] = ' ';
    return at + put_whole(second, smaller_unit, out + at);
}

size_t clock_format_span(const Clock *clock, uint64_t ticks, char out[CLOCK_SPAN_TEXT])
{
    if (!clock_has_time(clock)) {
        size_t at = put_whole(ticks, clock_unit_name(clock), out);
        if (ticks != 1) out[at++] = 's';
        out[at] = '\0';
        return at;
    }
    uint64_t ns = clock_span_to_ns(clock, ticks);
    if (ticks == 0) return (size_t)snprintf(out, CLOCK_SPAN_TEXT, "0 s");
    if (ns < 10 && clock->ns_den > 1) return format_picoseconds(clock, ticks, out);
    const uint64_t second = UINT64_C(1000000000);
    if (ns < 1000) return format_scaled(ns, 1, "ns", out);
    if (clock->shows_ns) return format_ns(ns, out);
    /* The limits ensure that a value never rounds to 1000 of a unit but is 1 of the next one. */
    if (ns < 999950) return format_scaled(ns, 1000, "µs", out);
    if (ns < 999950000) return format_scaled(ns, 1000000, "ms", out);
    if (ns < 60 * second) return format_scaled(ns, second, "s", out);
    uint64_t seconds = ns / second;
    if (seconds < 3600) return format_two(seconds / 60, "min", seconds % 60, "s", out);
    if (seconds < 48 * UINT64_C(3600)) return format_two(seconds / 3600, "h", seconds / 60 % 60, "min", out);
    return format_two(seconds / 86400, "d", seconds / 3600 % 24, "h", out);
}
