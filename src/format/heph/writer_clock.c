#include "format/heph/writer_clock.h"

#include "base/checked.h"
#include "base/wide.h"

static const uint64_t SIGN_BIT = UINT64_C(1) << 63;
enum { NS_PER_CALL = 1000 };

static void raise_to(HephTimeFit *fit, HephTimeFit at_least)
{
    if (*fit < at_least) *fit = at_least;
}

/* Returns magnitude * num / den in ns, rounded to the nearest and saturated. */
static uint64_t scale(const HephClock *clock, uint64_t magnitude, HephTimeFit *fit)
{
    uint64_t ns, rest;
    if (clock->num == 1 && clock->den == 1) return magnitude;
    if (!wide_mul_div_rest(magnitude, clock->num, clock->den, &ns, &rest)) {
        raise_to(fit, HEPH_TIME_OUT_OF_RANGE);
        return UINT64_MAX;
    }
    if (rest == 0) return ns;
    raise_to(fit, HEPH_TIME_ROUNDED);
    return rest >= clock->den - rest ? u64_add_saturated(ns, 1) : ns;
}

uint64_t heph_clock_ns(const HephClock *clock, int64_t tick, HephTimeFit *fit)
{
    const bool     is_negative = tick < 0 && !clock->is_unsigned;
    const uint64_t magnitude = clock->is_unsigned ? (uint64_t)tick ^ SIGN_BIT
                               : is_negative      ? 0 - (uint64_t)tick
                                                  : (uint64_t)tick;
    const uint64_t offset = clock->offset < 0 ? 0 - (uint64_t)clock->offset : (uint64_t)clock->offset;
    uint64_t       added = 0, subtracted = 0;
    *(is_negative ? &subtracted : &added) = scale(clock, magnitude, fit);
    uint64_t *part = clock->offset < 0 ? &subtracted : &added;
    if (offset > UINT64_MAX - *part) raise_to(fit, HEPH_TIME_OUT_OF_RANGE);
    *part = u64_add_saturated(*part, offset);
    if (added >= subtracted) return added - subtracted;
    raise_to(fit, HEPH_TIME_OUT_OF_RANGE);
    return 0;
}

/* Reads the original epoch of a Heph trace, at most INT64_MAX, from the property "epoch". False if the trace has no
 * such property. */
static bool find_epoch(const Trace *trace, uint64_t *epoch)
{
    for (uint32_t i = 0; i < trace->records.property_count; i++) {
        const Property *property = &trace->records.properties[i];
        if (!string_equal(trace_string(trace, property->key), STRING_LITERAL("epoch"))) continue;
        *epoch = 0;
        for (size_t at = 0; at < property->size; at++) {
            unsigned digit = (unsigned)(uint8_t)property->json[at] - '0';
            if (digit > 9 || *epoch > ((uint64_t)INT64_MAX - digit) / 10) return false;
            *epoch = *epoch * 10 + digit;
        }
        return true;
    }
    return false;
}

/* Returns the first time of the trace in ns, saturated; it may be negative. */
static int64_t first_ns(const HephClock *clock, int64_t tick)
{
    if (clock->is_unsigned)
        return wide_scale_add((uint64_t)tick ^ SIGN_BIT, clock->num, clock->den, clock->offset);
    return i64_add_saturated(wide_mul_div_i64(tick, clock->num, clock->den), clock->offset);
}

/* If the first time is negative, moves the clock's origin so that it becomes 0. */
static void lift(HephClock *clock, int64_t first, WriterReport *report)
{
    if (first >= 0) return;
    const uint64_t below = 0 - (uint64_t)first;
    clock->offset = i64_sub_saturated(clock->offset, first);
    if (clock->has_epoch && clock->epoch >= below) {
        clock->epoch -= below;
        return;
    }
    clock->has_epoch = false;
    writer_report(report, 1,
                  "origin of times is lost: they count from the begin of the trace, because they would be "
                  "below zero");
}

HephClock heph_clock_for(const Trace *trace, WriterReport *report)
{
    const Clock *source = &trace->clock;
    HephClock    clock = { .num = source->ns_num,
                           .den = source->ns_den,
                           .offset = source->origin_ns,
                           .is_unsigned = source->is_unsigned,
                           .has_epoch = source->has_epoch && source->epoch_unix_ns >= 0 };
    uint64_t     epoch;
    if (clock.has_epoch) clock.epoch = (uint64_t)source->epoch_unix_ns;
    if (source->has_epoch && !clock.has_epoch) writer_report(report, 1, "epoch before 1970 is left out");
    if (!clock_has_time(source)) {
        clock.num = NS_PER_CALL;
        clock.den = 1;
        writer_report(report, 1, "clock counts calls, not time: each call is written as a microsecond");
    }
    const int64_t first = first_ns(&clock, trace->begin_tick);
    if (clock.has_epoch && clock.epoch == 0 && !clock.is_unsigned && find_epoch(trace, &epoch) &&
        first >= (int64_t)epoch) {
        clock.epoch = epoch;
        clock.offset = i64_sub_saturated(clock.offset, (int64_t)epoch);
        return clock;
    }
    lift(&clock, first, report);
    return clock;
}
