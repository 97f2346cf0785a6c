#include "trace/time_spec.h"

#include "base/wide.h"

#include <string.h>

enum { MAX_DIGITS = 18 };

static const struct {
    const char *name;
    uint64_t    ps; /* picoseconds, because a tick may be one */
} UNITS[] = { { "s", 1000000000000 }, { "ms", 1000000000 }, { "us", 1000000 },
              { "µs", 1000000 },      { "μs", 1000000 }, /* the micro sign, and the Greek letter */
              { "ns", 1000 },         { "ps", 1 } };

/* A decimal number as digits and the power of ten they are divided by. */
typedef struct Decimal {
    uint64_t digits, divisor;
} Decimal;

/* Returns the bytes taken, 0 for what is no number or has too many digits. */
static size_t decimal_parse(const char *text, size_t size, Decimal *number)
{
    size_t at = 0, digits = 0;
    bool   fraction = false;
    *number = (Decimal){ .divisor = 1 };
    for (; at < size; at++) {
        if (text[at] == '.' && !fraction) {
            fraction = true;
            continue;
        }
        if (text[at] < '0' || text[at] > '9') break;
        if (++digits > MAX_DIGITS) return 0;
        number->digits = number->digits * 10 + (uint64_t)(text[at] - '0');
        if (fraction) number->divisor *= 10;
    }
    return digits == 0 ? 0 : at;
}

static uint64_t ticks_from_ps(const Clock *clock, uint64_t ps)
{
    if (clock->ns_num > UINT64_MAX / 1000) return clock_span_from_ns(clock, ps / 1000);
    return wide_mul_div_u64(ps, clock->ns_den, clock->ns_num * 1000);
}

static bool ticks_take(uint64_t value, int64_t *ticks)
{
    if (value > INT64_MAX) return false;
    *ticks = (int64_t)value;
    return true;
}

bool time_parse(const char *text, size_t size, const Clock *clock, int64_t *ticks)
{
    Decimal number;
    size_t  used = decimal_parse(text, size, &number);
    if (used == 0) return false;
    if (used == size) return number.divisor == 1 && ticks_take(number.digits, ticks);
    if (!clock_has_time(clock)) return false; /* calls have no seconds */
    for (size_t i = 0; i < sizeof UNITS / sizeof UNITS[0]; i++) {
        if (strlen(UNITS[i].name) != size - used || memcmp(UNITS[i].name, text + used, size - used) != 0)
            continue;
        uint64_t ps = wide_mul_div_u64(number.digits, UNITS[i].ps, number.divisor);
        return ps != UINT64_MAX && ticks_take(ticks_from_ps(clock, ps), ticks);
    }
    return false;
}

bool time_range_parse(const char *text, const Clock *clock, uint64_t span, int64_t *begin, int64_t *end)
{
    const char *dots = strstr(text, "..");
    if (dots == NULL) return false;
    const char *last = dots + 2;
    size_t      first_size = (size_t)(dots - text), last_size = strlen(last);
    *begin = 0;
    *end = span > (uint64_t)INT64_MAX ? INT64_MAX : (int64_t)span;
    if (first_size > 0 && !time_parse(text, first_size, clock, begin)) return false;
    if (last_size > 0 && !time_parse(last, last_size, clock, end)) return false;
    return *begin < *end;
}
