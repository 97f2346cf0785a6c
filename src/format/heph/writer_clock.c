#include "format/heph/writer_clock.h"

#include "base/wide.h"

static const uint64_t SIGN_BIT = UINT64_C(1) << 63;
enum { NS_PER_CALL = 1000 };

uint64_t heph_clock_ns(const HephClock *clock, int64_t tick, bool *inexact)
{
    bool     is_negative = tick < 0 && !clock->is_unsigned;
    uint64_t magnitude = clock->is_unsigned ? (uint64_t)tick ^ SIGN_BIT
                         : is_negative      ? 0 - (uint64_t)tick
                                            : (uint64_t)tick;
    uint64_t ns = magnitude, rest = 0;
    if (clock->num != 1 || clock->den != 1) {
        if (!wide_mul_div_rest(magnitude, clock->num, clock->den, &ns, &rest)) {
            ns = INT64_MAX;
            *inexact = true;
        }
        if (rest != 0) *inexact = true;
        if (rest >= clock->den - rest) ns++; /* to the nearest */
    }
    return (is_negative ? 0 - ns : ns) + clock->offset;
}

/* The zero that the times of a Heph trace had before they were dated; false when it was none. */
static bool find_epoch(const Trace *trace, uint64_t *epoch)
{
    for (uint32_t i = 0; i < trace->property_count; i++) {
        const Property *property = &trace->properties[i];
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

/* So that the first time is not below 0. */
static void lift(HephClock *clock, uint64_t first, WriterReport *report)
{
    if (clock->is_unsigned || first <= INT64_MAX) return;
    uint64_t below = 0 - first;
    clock->offset += below;
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
                           .offset = (uint64_t)source->origin_ns,
                           .is_unsigned = source->is_unsigned,
                           .has_epoch = source->has_epoch && source->epoch_unix_ns >= 0 };
    bool         ignored = false;
    uint64_t     epoch;
    if (clock.has_epoch) clock.epoch = (uint64_t)source->epoch_unix_ns;
    if (source->has_epoch && !clock.has_epoch) writer_report(report, 1, "epoch before 1970 is left out");
    if (!clock_has_time(source)) {
        clock.num = NS_PER_CALL;
        clock.den = 1;
        writer_report(report, 1, "clock counts calls, not time: each call is written as a microsecond");
    }
    uint64_t first = heph_clock_ns(&clock, trace->begin_tick, &ignored);
    if (clock.has_epoch && clock.epoch == 0 && !clock.is_unsigned && find_epoch(trace, &epoch) &&
        first <= INT64_MAX && first >= epoch) {
        clock.epoch = epoch;
        clock.offset -= epoch;
        return clock;
    }
    lift(&clock, first, report);
    return clock;
}
