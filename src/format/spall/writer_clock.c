#include "format/spall/writer_clock.h"

#include "base/wide.h"
#include "trace/scan/scan.h"

#include <string.h>

static const uint64_t SIGN_BIT = UINT64_C(1) << 63;
static const uint64_t EXACT_DOUBLES = UINT64_C(1) << 53;
enum { NS_PER_CALL = 1000 };

/* Nanoseconds per tick. */
typedef struct TickRatio {
    uint64_t num, den;
} TickRatio;

/* ---- the clock before an earlier conversion ---- */

static bool read_u64(const char **at, const char *end, uint64_t *value)
{
    const char *from = *at;
    *value = 0;
    for (; *at < end && **at >= '0' && **at <= '9'; (*at)++) {
        unsigned digit = (unsigned)(**at - '0');
        if (*value > (UINT64_MAX - digit) / 10) return false;
        *value = *value * 10 + digit;
    }
    return *at > from;
}

const char *spall_other_data(const Trace *trace, const char *key, const char **end)
{
    size_t key_size = strlen(key);
    for (uint32_t i = 0; i < trace->records.property_count; i++) {
        const Property *property = &trace->records.properties[i];
        if (!string_equal(trace_string(trace, property->key), STRING_LITERAL("otherData"))) continue;
        *end = property->json + property->size;
        for (const char *at = property->json; (size_t)(*end - at) > key_size; at++) {
            if (memcmp(at, key, key_size) == 0) return at + key_size;
        }
    }
    return NULL;
}

static bool find_ratio(const Trace *trace, TickRatio *ratio)
{
    const char *end, *at = spall_other_data(trace, "\"ns_per_tick\":[", &end);
    if (at == NULL || !read_u64(&at, end, &ratio->num) || at == end || *at++ != ',') return false;
    return read_u64(&at, end, &ratio->den) && at < end && *at == ']' && ratio->num > 0 && ratio->den > 0;
}

/* Sets *product to left * right in lowest terms. False if it needs more than 64 bits. */
static bool ratio_multiply(TickRatio left, TickRatio right, TickRatio *product)
{
    uint64_t across = wide_common_divisor(left.num, right.den),
             down = wide_common_divisor(right.num, left.den);
    uint64_t a = left.num / across, b = right.num / down, c = left.den / down, d = right.den / across;
    if (a > UINT64_MAX / b || c > UINT64_MAX / d) return false;
    *product = (TickRatio){ a * b, c * d };
    return true;
}

static bool is_exact(int64_t tick, TickRatio to)
{
    int64_t there = wide_mul_div_i64(tick, to.num, to.den);
    return wide_mul_div_i64(there, to.den, to.num) == tick;
}

/* True if the times of all slices are ticks of the other clock, within the resolution of this clock. */
static bool all_are_exact(Scan *slices, TickRatio to)
{
    scan_restart(slices);
    for (const ScanBatch *batch; (batch = scan_next(slices)) != NULL;) {
        const int64_t  *begins = batch->columns[SCAN_SLICE_BEGIN].i64;
        const uint64_t *durations = batch->columns[SCAN_SLICE_DURATION].u64;
        for (uint32_t i = 0; i < batch->count; i++) {
            const int64_t end = (int64_t)((uint64_t)begins[i] + durations[i]);
            if (!is_exact(begins[i], to) || !is_exact(end, to)) return false;
        }
    }
    return true;
}

/* True if readers would take the ticks for microseconds written as nanoseconds, because they are so short. */
static bool is_suspicious(TickRatio ratio, const SpallLayout *layout)
{
    return layout->unit_ns == 1 && (double)ratio.num < 0.01 * (double)ratio.den;
}

static bool take_back(const Trace *trace, Scan *slices, const SpallLayout *layout, SpallClock *clock,
                      TickRatio *ratio)
{
    const Clock *source = &trace->clock;
    TickRatio    once, to;
    if (!clock_has_time(source) || source->origin_ns != 0 || source->is_unsigned) return false;
    if (trace->begin_tick < 0 || !find_ratio(trace, &once)) return false;
    TickRatio here = { source->ns_num, source->ns_den }, inverse = { once.den, once.num };
    if (!ratio_multiply(here, inverse, &to) || (to.num == 1 && to.den == 1)) return false;
    if (is_suspicious(once, layout)) return false;
    if (to.num > to.den || !all_are_exact(slices, to)) return false; /* only to a coarser clock */
    clock->num = to.num;
    clock->den = to.den;
    *ratio = once;
    return true;
}

/* ---- the clock ---- */

static double unit_of(TickRatio ratio, unsigned unit_ns, WriterReport *report)
{
    double num = (double)ratio.num, den = (double)ratio.den * unit_ns;
    bool   exact = num < 0x1p63 && (uint64_t)num == ratio.num && (double)ratio.den < 0x1p63 &&
                 (uint64_t)(double)ratio.den == ratio.den;
    if (!exact) writer_report(report, 1, "unit of time is rounded to a floating-point number");
    return num / den;
}

/* Adds the clock's origin if it is a whole number of ticks, and moves times into the range of the field. */
static void settle_offset(const Trace *trace, SpallClock *clock, const SpallLayout *layout,
                          WriterReport *report)
{
    const Clock *source = &trace->clock;
    uint64_t     first = (uint64_t)trace->begin_tick, span = (uint64_t)trace->end_tick - first;
    uint64_t     ticks, rest,
        origin = source->origin_ns < 0 ? 0 - (uint64_t)source->origin_ns : (uint64_t)source->origin_ns;
    clock->offset = source->is_unsigned ? SIGN_BIT : 0;
    if (origin != 0) {
        bool fits = wide_mul_div_rest(origin, source->ns_den, source->ns_num, &ticks, &rest) && rest == 0 &&
                    ticks < SIGN_BIT / 2 && trace->begin_tick > INT64_MIN / 4 &&
                    trace->end_tick < INT64_MAX / 4;
        if (fits)
            clock->offset += source->origin_ns < 0 ? 0 - ticks : ticks;
        else
            writer_report(report, 1, "origin of times is lost: they count from another zero");
    }
    uint64_t begin = first + clock->offset;
    bool     is_below = !source->is_unsigned && begin > INT64_MAX;
    bool     is_far = is_below ? 0 - begin > EXACT_DOUBLES : begin + span > EXACT_DOUBLES;
    bool     is_better = span <= EXACT_DOUBLES || (!is_below && begin + span > INT64_MAX);
    if (layout->time == TIME_U64 ? is_below : is_far && is_better) {
        clock->offset = 0 - first;
        writer_report(
            report, 1,
            "origin of times is lost: they count from the begin of the trace, because they would be "
            "below zero or too large");
    }
}

/* Changes the clock to the longest tick of which all times are multiples. */
static void coarsen(Scan *slices, SpallClock *clock, TickRatio *ratio)
{
    uint64_t common = 0;
    scan_restart(slices);
    for (const ScanBatch *batch; common != 1 && (batch = scan_next(slices)) != NULL;) {
        for (uint32_t i = 0; i < batch->count && common != 1; i++) {
            const uint64_t begin = (uint64_t)batch->columns[SCAN_SLICE_BEGIN].i64[i];
            common = wide_common_divisor(common, begin + clock->offset);
            common = wide_common_divisor(common, batch->columns[SCAN_SLICE_DURATION].u64[i]);
        }
    }
    if (common <= 1 || !ratio_multiply(*ratio, (TickRatio){ common, 1 }, ratio)) return;
    clock->den = common;
}

bool spall_clock_make(SpallClock *clock, const Trace *trace, const SpallLayout *layout, Arena *arena,
                      WriterReport *report, Err *err)
{
    const Clock    *source = &trace->clock;
    const ScanQuery query =
        scan_query(SCAN_SLICES, SCAN_COLUMN(SCAN_SLICE_BEGIN) | SCAN_COLUMN(SCAN_SLICE_DURATION));
    Scan     *slices = scan_begin(trace, &query, arena, err);
    TickRatio ratio = { source->ns_num, source->ns_den };
    if (slices == NULL) return false;
    *clock = (SpallClock){ .num = 1, .den = 1, .is_signed = !source->is_unsigned };
    if (!clock_has_time(source)) {
        ratio = (TickRatio){ NS_PER_CALL, 1 };
        writer_report(report, 1, "clock counts calls, not time: each call is written as a microsecond");
    }
    if (!take_back(trace, slices, layout, clock, &ratio)) {
        settle_offset(trace, clock, layout, report);
        if (is_suspicious(ratio, layout)) coarsen(slices, clock, &ratio);
    }
    clock->unit = unit_of(ratio, layout->unit_ns, report);
    return true;
}

uint64_t spall_clock_time(const SpallClock *clock, const SpallLayout *layout, int64_t tick, bool *inexact)
{
    uint64_t time = (uint64_t)tick + clock->offset, bits;
    if (clock->den != 1) time = wide_mul_div_u64(time, clock->num, clock->den);
    if (layout->time == TIME_U64) return time;
    bool     negative = clock->is_signed && time > INT64_MAX;
    uint64_t magnitude = negative ? 0 - time : time;
    double   value = (double)magnitude;
    if (magnitude > EXACT_DOUBLES && (value >= 0x1p64 || (uint64_t)value != magnitude)) *inexact = true;
    if (!(value < 0x1p63)) { /* readers reject larger values */
        value = 0x1.fffffffffffffp62;
        *inexact = true;
    }
    if (negative) value = -value;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
