#include "trace/store/time_spec.h"

#include "base/checked.h"
#include "base/wide.h"
#include "trace/store/wall_time.h"

#include <string.h>

enum { MAX_DIGITS = 19 }; /* as INT64_MAX has; any 19 digits fit into 64 bits without a sign */

static const struct {
    const char *name;
    uint64_t    ps; /* picoseconds, because a tick can be one picosecond */
} UNITS[] = { { "s", 1000000000000 }, { "ms", 1000000000 }, { "us", 1000000 },
              { "µs", 1000000 },      { "μs", 1000000 }, /* the micro sign, and the Greek letter */
              { "ns", 1000 },         { "ps", 1 } };

/* A decimal number as digits and the power of ten by which they are divided. */
typedef struct Decimal {
    uint64_t digits, divisor;
} Decimal;

/* Returns the number of bytes read, 0 if the text is not a number or has too many digits. */
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

bool time_spec_parse(const char *text, size_t size, TimeSpec *spec)
{
    Decimal number;
    *spec = (TimeSpec){ .kind = TIME_OF_DAY };
    if (wall_time_parse(text, size, &spec->unix_ns)) return true;
    size_t used = decimal_parse(text, size, &number);
    if (used == 0) return false;
    if (used == size) {
        *spec = (TimeSpec){ .kind = TIME_IN_TICKS, .amount = number.digits };
        return number.divisor == 1;
    }
    for (size_t i = 0; i < sizeof UNITS / sizeof UNITS[0]; i++) {
        if (strlen(UNITS[i].name) != size - used || memcmp(UNITS[i].name, text + used, size - used) != 0)
            continue;
        uint64_t ps = wide_mul_div_u64(number.digits, UNITS[i].ps, number.divisor);
        *spec = (TimeSpec){ .kind = TIME_IN_PS, .amount = ps };
        return ps != UINT64_MAX;
    }
    return false;
}

static bool time_of_day_ticks(const TimeSpec *spec, const TimeAxis *axis, int64_t *ticks)
{
    bool    clamped = false;
    int64_t tick;
    if (!clock_from_unix_ns(axis->clock, spec->unix_ns, &tick)) return false;
    *ticks = i64_sub_clamped(tick, axis->begin_tick, &clamped);
    return !clamped;
}

bool time_spec_ticks(const TimeSpec *spec, const TimeAxis *axis, int64_t *ticks)
{
    switch (spec->kind) {
    case TIME_IN_TICKS:
        return ticks_take(spec->amount, ticks);
    case TIME_IN_PS: /* calls have no seconds */
        return clock_has_time(axis->clock) && ticks_take(ticks_from_ps(axis->clock, spec->amount), ticks);
    case TIME_OF_DAY:
        return time_of_day_ticks(spec, axis, ticks);
    }
    return false;
}

/* True if the range is empty in every trace: without a clock only times of one kind can be compared. */
static bool is_empty(const TimeRange *range)
{
    if (!range->has_begin || !range->has_end || range->begin.kind != range->end.kind) return false;
    if (range->begin.kind == TIME_OF_DAY) return range->begin.unix_ns >= range->end.unix_ns;
    return range->begin.amount >= range->end.amount;
}

/* True if the text has the form of a range, which may be empty. */
static bool parse_range(const char *text, TimeRange *range)
{
    const char *dots = strstr(text, "..");
    if (dots == NULL) return false;
    const size_t begin_size = (size_t)(dots - text), end_size = strlen(dots + 2);
    *range = (TimeRange){ .has_begin = begin_size > 0, .has_end = end_size > 0 };
    if (range->has_begin && !time_spec_parse(text, begin_size, &range->begin)) return false;
    if (range->has_end && !time_spec_parse(dots + 2, end_size, &range->end)) return false;
    return true;
}

static bool range_is_empty(const char *text, Err *err)
{
    return err_set(err, ERR_USAGE, "--range=%.80s is empty: its end must be after its begin", text);
}

bool time_range_parse(const char *text, TimeRange *range, Err *err)
{
    if (!parse_range(text, range)) {
        return err_set(
            err, ERR_USAGE,
            "--range must be BEGIN..END, like 1.2s..1.5s, 300us.. or ..2ms from the trace's begin, "
            "or 2026-11-22T10:00:00Z.. in UTC, not '%.40s'",
            text);
    }
    return !is_empty(range) || range_is_empty(text, err);
}

bool time_range_has_time_of_day(const TimeRange *range)
{
    return (range->has_begin && range->begin.kind == TIME_OF_DAY) ||
           (range->has_end && range->end.kind == TIME_OF_DAY);
}

bool time_range_behind(const char *text, const TimeAxis *axis, Err *err)
{
    char span[CLOCK_SPAN_TEXT];
    (void)clock_format_span(axis->clock, axis->span, span);
    return err_set(err, ERR_USAGE, "--range=%.80s begins after the trace's end at %s", text, span);
}

bool time_range_find(const char *text, const TimeAxis *axis, int64_t *begin, int64_t *end, Err *err)
{
    TimeRange range;
    *begin = 0;
    *end = INT64_MAX;
    if (!time_range_parse(text, &range, err)) return false;
    if (time_range_has_time_of_day(&range) && !axis->clock->has_epoch)
        return err_set(err, ERR_USAGE, "--range=%.80s: the trace has no wall-clock time", text);
    if ((range.has_begin && !time_spec_ticks(&range.begin, axis, begin)) ||
        (range.has_end && !time_spec_ticks(&range.end, axis, end)))
        return err_set(err, ERR_USAGE, "--range=%.80s: the trace's clock has no such time", text);
    if (*end < 0) return err_set(err, ERR_USAGE, "--range=%.80s ends before the trace begins", text);
    if (*begin < 0) *begin = 0;
    if ((uint64_t)*begin > axis->span) return time_range_behind(text, axis, err);
    return *begin < *end || !range.has_end || range_is_empty(text, err);
}
