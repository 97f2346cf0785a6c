#include "format/trace_event/write/time.h"

#include "base/digits.h"
#include "base/wide.h"

#include <string.h>

enum { NS_PER_CALL = 1000 };

/* Returns the time of `magnitude` ticks of num / den ns. */
static WriterTime time_of_magnitude(uint64_t magnitude, uint64_t num, uint64_t den)
{
    WriterTime time = { .rounded = false };
    uint64_t   rest, rest_ps, ps;
    if (!wide_mul_div_rest(magnitude, num, den, &time.ns, &rest))
        return (WriterTime){ .ns = UINT64_MAX, .rounded = true };
    (void)wide_mul_div_rest(rest, 1000, den, &ps, &rest_ps); /* rest < den: ps < 1000 */
    time.rounded = rest_ps != 0;
    if (rest_ps >= den - rest_ps) ps++;
    if (ps == 1000) {
        ps = 0;
        if (time.ns < UINT64_MAX) time.ns++;
    }
    time.ps = (uint32_t)ps;
    return time;
}

WriterTime writer_time_of(const Clock *clock, int64_t tick)
{
    uint64_t   num = clock_has_time(clock) ? clock->ns_num : NS_PER_CALL;
    uint64_t   den = clock_has_time(clock) ? clock->ns_den : 1;
    bool       negative = tick < 0 && !clock->is_unsigned;
    uint64_t   magnitude = clock->is_unsigned ? (uint64_t)tick ^ (uint64_t)1 << 63
                           : negative         ? 0 - (uint64_t)tick
                                              : (uint64_t)tick;
    WriterTime time =
        num == 1 && den == 1 ? (WriterTime){ .ns = magnitude } : time_of_magnitude(magnitude, num, den);
    bool is_huge = time.ns > INT64_MAX; /* subtracting an origin cannot make it negative */
    if (negative) {
        time.ns = 0 - time.ns - (time.ps > 0);
        time.ps = time.ps > 0 ? 1000 - time.ps : 0;
    }
    time.ns += (uint64_t)clock->origin_ns;
    time.negative = is_huge ? negative : time.ns > INT64_MAX && (negative || clock->origin_ns < 0);
    return time;
}

WriterTime writer_time_span(const WriterTime *begin, const WriterTime *end)
{
    WriterTime span = { .ns = end->ns - begin->ns, .rounded = begin->rounded || end->rounded };
    span.ps = end->ps + 1000 - begin->ps;
    if (span.ps >= 1000)
        span.ps -= 1000;
    else
        span.ns--;
    return span;
}

static char *three_put(char *at, uint32_t value)
{
    at[0] = (char)('0' + value / 100);
    at[1] = (char)('0' + value / 10 % 10);
    at[2] = (char)('0' + value % 10);
    return at + 3;
}

char *writer_time_put(char *at, const WriterTime *time)
{
    uint64_t ns = time->ns;
    uint32_t ps = time->ps;
    if (time->negative) {
        *at++ = '-';
        ns = 0 - ns - (ps > 0);
        ps = ps > 0 ? 1000 - ps : 0;
    }
    at = digits_put(at, ns / 1000);
    *at++ = '.';
    at = three_put(at, (uint32_t)(ns % 1000));
    return ps == 0 ? at : three_put(at, ps);
}
