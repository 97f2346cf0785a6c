#include "view/time_text.h"

#include "base/digits.h"
#include "base/wide.h"
#include "trace/store/wall_time.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

TimeUnits time_units(const Clock *clock, const AxisMap *map, TimeUnit written)
{
    TimeUnits units = { .is_time = clock_has_time(clock), .noun = clock_unit_name(clock), .digits = 9 };
    if (units.is_time) units.written = written;
    units.shows_all = units.is_time && clock->shows_ns;
    /* ticks of the clock per unit: ns_den / ns_num, a thousandth of it for picoseconds */
    uint64_t num = units.is_time ? clock->ns_den : 1, den = units.is_time ? clock->ns_num : 1;
    if (units.is_time && clock_ns_per_tick(clock) < 0.5) {
        units.digits = 12;
        if (num % 1000 == 0)
            num /= 1000;
        else if (den <= UINT64_MAX / 1000)
            den *= 1000;
    }
    /* axis ticks per tick: map->den / map->num, each small or 1 */
    if (num <= UINT64_MAX / map->den && den <= UINT64_MAX / map->num) {
        num *= map->den;
        den *= map->num;
    } else {
        wide_ratio_from_double((double)num / (double)den * ((double)map->den / (double)map->num), &num, &den);
    }
    units.num = num;
    units.den = den;
    return units;
}

int64_t time_units_to_axis(const TimeUnits *units, uint64_t count, double *rest)
{
    uint64_t axis = wide_mul_div_u64(count, units->num, units->den);
    if (axis > TIME_AXIS_MAX) {
        *rest = 0;
        return (int64_t)TIME_AXIS_MAX;
    }
    int64_t error = (int64_t)(count * units->num - axis * units->den); /* small, so correct modulo 2^64 */
    *rest = (double)error / (double)units->den;
    return (int64_t)axis;
}

uint64_t time_units_from_axis(const TimeUnits *units, uint64_t axis)
{
    return wide_mul_div_u64(axis, units->den, units->num);
}

double time_units_per_tick(const TimeUnits *units)
{
    return (double)units->den / (double)units->num;
}

/* Steps of seconds and more, in multiples of minutes, hours and days. */
static const struct {
    uint32_t seconds, parts;
} LONG_STEPS[] = { { 10, 5 },    { 30, 3 },    { 60, 6 },    { 120, 4 },  { 300, 5 },
                   { 600, 5 },   { 1800, 3 },  { 3600, 6 },  { 7200, 4 }, { 21600, 6 },
                   { 43200, 4 }, { 86400, 4 }, { 172800, 2 } };

static uint64_t power_of_ten(unsigned exponent)
{
    uint64_t power = 1;
    while (exponent-- > 0)
        power *= 10;
    return power;
}

/* Returns a step of 1, 2 or 5 times a power of ten. */
static TimeStep decimal_step(double least, uint64_t scale)
{
    uint64_t power = scale;
    for (;;) {
        static const uint32_t factors[] = { 1, 2, 5 }, parts[] = { 5, 4, 5 };
        for (int i = 0; i < 3; i++)
            if ((double)(power * factors[i]) >= least || power > UINT64_MAX / 50)
                return (TimeStep){ .units = power * factors[i],
                                   .parts = power * factors[i] < 4 ? 1 : parts[i] };
        power *= 10;
    }
}

TimeStep time_step(const TimeUnits *units, double least)
{
    if (!units->is_time) return decimal_step(least, 1);
    uint64_t second = power_of_ten(units->digits);
    if (least > (double)(second * 172800)) {
        TimeStep step = decimal_step(least, second * 86400);
        step.precise = second;
        return step;
    }
    if (least > (double)(second * 5)) {
        size_t i = 0;
        while ((double)(second * LONG_STEPS[i].seconds) < least)
            i++;
        return (TimeStep){ .units = second * LONG_STEPS[i].seconds,
                           .parts = LONG_STEPS[i].parts,
                           .precise = second };
    }
    TimeStep step = decimal_step(least, 1);
    step.fine = 1;
    while (step.fine * 1000 <= step.units)
        step.fine *= 1000;
    step.precise = step.fine * 1000;
    if (step.fine >= second) { /* "3 s" needs no stamp */
        step.fine = 0;
        step.precise = second;
    } else {
        step.coarse = step.fine * 1000;
    }
    return step;
}

/* Returns "ps", "ns", "µs", "ms" or "s" for 10^-digits s. */
static const char *unit_name(unsigned digits)
{
    static const char *const names[] = { "s", "ms", "\xC2\xB5s", "ns", "ps" };
    return names[digits / 3];
}

/* Formats "2:03", "1:02:03", "3 d 01:02:03". */
static size_t format_long(uint64_t seconds, char *out)
{
    unsigned long long days = seconds / 86400, hours = seconds / 3600 % 24, minutes = seconds / 60 % 60;
    unsigned           rest = (unsigned)(seconds % 60);
    int                length;
    if (days > 0)
        length = snprintf(out, TIME_TEXT, "%llu d %02llu:%02llu:%02u", days, hours, minutes, rest);
    else if (hours > 0)
        length = snprintf(out, TIME_TEXT, "%llu:%02llu:%02u", hours, minutes, rest);
    else
        length = snprintf(out, TIME_TEXT, "%llu:%02u", minutes, rest);
    return (size_t)length;
}

/* Appends the digits after the point of a value of `unit` units, exact to `precise`; `rest` < `unit`. */
static size_t put_fraction(uint64_t rest, uint64_t unit, uint64_t precise, char *out)
{
    const uint64_t last = precise > 1 ? precise : 1;
    unsigned       count = 0;
    for (uint64_t digit = last; digit < unit; digit *= 10)
        count++;
    return digits_put_fraction(rest / last, count, out);
}

/* Formats a count of 10^-digits s in the chosen unit, exact to `precise`. */
static size_t format_written(const TimeUnits *units, unsigned digits, uint64_t count, uint64_t precise,
                             char *out)
{
    const unsigned in_digits = 3 * (unsigned)(units->written - TIME_IN_S);
    const uint64_t unit = power_of_ten(digits - in_digits);
    size_t         at = digits_put_whole(count / unit, out);
    at += put_fraction(count % unit, unit, precise, out + at);
    return at + (size_t)snprintf(out + at, TIME_TEXT - at, " %s", unit_name(in_digits));
}

size_t time_format_stamp(const TimeUnits *units, uint64_t count, uint64_t precise, char out[TIME_TEXT])
{
    if (!units->is_time) return digits_put_whole(count, out);
    if (units->written != TIME_IN_BEST) return format_written(units, units->digits, count, precise, out);
    uint64_t unit = power_of_ten(units->digits);
    unsigned digits = 0;
    if (count / unit >= 60) {
        size_t at = format_long(count / unit, out);
        at += put_fraction(count % unit, unit, precise, out + at);
        out[at] = 0;
        return at;
    }
    while (unit > precise && count < unit && count > 0) {
        unit /= 1000;
        digits += 3;
    }
    size_t at = digits_put_whole(count / unit, out);
    if (count > 0) at += put_fraction(count % unit, unit, precise, out + at);
    int length = snprintf(out + at, TIME_TEXT - at, " %s", unit_name(digits));
    return at + (size_t)length;
}

/* Formats "call 1 200". */
static size_t format_ordinal(const TimeUnits *units, uint64_t count, char out[TIME_TEXT])
{
    int at = snprintf(out, TIME_TEXT, "%s ", units->noun);
    return (size_t)at + digits_put_whole(count, out + at);
}

/* Returns the largest power of ten, at most a second, that divides the count. */
static uint64_t exact_to(uint64_t count, uint64_t second)
{
    uint64_t precise = 1;
    while (precise < second && count % (precise * 10) == 0)
        precise *= 10;
    return precise;
}

size_t time_format_exact(const TimeUnits *units, uint64_t count, char out[TIME_TEXT])
{
    if (!units->is_time) return format_ordinal(units, count, out);
    return time_format_stamp(units, count, exact_to(count, power_of_ten(units->digits)), out);
}

size_t time_format_label(const TimeUnits *units, const TimeStep *step, uint64_t count, char out[TIME_TEXT])
{
    if (!units->is_time) return digits_put_whole(count, out);
    if (step->coarse == 0) return time_format_stamp(units, count, step->precise, out);
    if (units->written != TIME_IN_BEST) {
        const uint64_t offset = count % step->coarse;
        out[0] = '+';
        return 1 + format_written(units, units->digits, offset, exact_to(offset, power_of_ten(units->digits)),
                                  out + 1);
    }
    unsigned digits = units->digits;
    for (uint64_t fine = step->fine; fine > 1; fine /= 1000)
        digits -= 3;
    return (size_t)snprintf(out, TIME_TEXT, "+%u %s", (unsigned)(count % step->coarse / step->fine),
                            unit_name(digits));
}

/* Formats a value of about [1, 1000) with three digits, in plain decimals, because libcs differ in other forms. */
static size_t format_three(double value, char *out)
{
    unsigned decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    unsigned scale = (unsigned)power_of_ten(decimals);
    uint64_t scaled = (uint64_t)(value * scale + 0.5);
    int      length = decimals == 0 ? snprintf(out, TIME_TEXT, "%u", (unsigned)scaled)
                                    : snprintf(out, TIME_TEXT, "%u.%0*u", (unsigned)(scaled / scale),
                                               (int)decimals, (unsigned)(scaled % scale));
    return (size_t)length;
}

/* Formats a length in the chosen unit, rounded to three digits; a length of 1000 units or more to a whole number. */
static size_t format_written_length(const TimeUnits *units, double value, char out[TIME_TEXT])
{
    unsigned digits = units->digits;
    if (digits < 12 && value < 1e6) { /* digits below a nanosecond */
        value *= 1000;
        digits += 3;
    }
    uint64_t       step = 1;
    const uint64_t count = value < 0x1p62 ? (uint64_t)(value + 0.5) : UINT64_C(1) << 62;
    const uint64_t whole = power_of_ten(digits - 3 * (unsigned)(units->written - TIME_IN_S));
    while (step < whole && count / step >= 1000)
        step *= 10;
    const uint64_t rounded = (count + step / 2) / step * step;
    return format_written(units, digits, rounded, exact_to(rounded, whole), out);
}

size_t time_format_length(const TimeUnits *units, double ticks, char out[TIME_TEXT])
{
    double value = ticks * time_units_per_tick(units);
    if (!units->is_time) {
        bool   is_whole = value == floor(value) || value >= 1000;
        size_t at = is_whole && value < 0x1p63 ? digits_put_whole((uint64_t)(value + 0.5), out)
                                               : format_three(value < 0x1p30 ? value : 0x1p30, out);
        int    length = snprintf(out + at, TIME_TEXT - at, " %s%s", units->noun, value == 1 ? "" : "s");
        return at + (size_t)length;
    }
    if (units->written != TIME_IN_BEST) return format_written_length(units, value, out);
    if (value == 0) return (size_t)snprintf(out, TIME_TEXT, "0 %s", unit_name(0));
    unsigned digits = units->digits;
    while (digits > 0 && value >= 999.5) {
        value /= 1000;
        digits -= 3;
    }
    if (digits == 0 && value >= 120)
        return format_long(value < 0x1p62 ? (uint64_t)(value + 0.5) : 1u << 31, out);
    size_t at = format_three(value, out);
    int    length = snprintf(out + at, TIME_TEXT - at, " %s", unit_name(digits));
    return at + (size_t)length;
}

size_t time_format_exact_length(const TimeUnits *units, uint64_t count, char out[TIME_TEXT])
{
    static const struct {
        uint64_t    seconds;
        const char *name;
    } PARTS[] = { { 86400, "d" }, { 3600, "h" }, { 60, "min" } };
    const uint64_t second = power_of_ten(units->digits);
    size_t         at = 0;
    const bool     has_parts = units->is_time && units->written == TIME_IN_BEST;
    for (size_t i = 0; i < sizeof PARTS / sizeof PARTS[0] && has_parts; i++) {
        uint64_t part = PARTS[i].seconds * second;
        if (at == 0 && count < part) continue;
        at += (size_t)snprintf(out + at, TIME_TEXT - at, "%llu %s ", (unsigned long long)(count / part),
                               PARTS[i].name);
        count %= part;
    }
    if (units->is_time) { /* at most 999 999 d 23 h 59 min, then less than a minute */
        char   rest[TIME_TEXT];
        size_t size = time_format_stamp(units, count, exact_to(count, second), rest);
        assert(at + size < TIME_TEXT);
        memcpy(out + at, rest, size + 1);
        return at + size;
    }
    at = digits_put_whole(count, out);
    return at + (size_t)snprintf(out + at, TIME_TEXT - at, " %s%s", units->noun, count == 1 ? "" : "s");
}

size_t time_format_date(int64_t unix_s, char out[TIME_TEXT])
{
    const WallTime t = wall_time_at(unix_s);
    return (size_t)snprintf(out, TIME_TEXT, "%04" PRId64 "-%02u-%02u %02u:%02u:%02u UTC", t.year, t.month,
                            t.day, t.hour, t.minute, t.second);
}
