/* trace/store/clock.h - the length of a tick.
 *
 * All times in memory are int64_t ticks of the input's clock. The clock of a trace converts ticks to nanoseconds;
 * conversions are exact up to the final rounding (128-bit products, base/wide.h) and happen only for output: labels,
 * info, exports. */
#ifndef TRACE_STORE_CLOCK_H
#define TRACE_STORE_CLOCK_H
#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    CLOCK_NS,    /* a tick is one nanosecond and tick 0 is the zero of the input */
    CLOCK_TICKS, /* a tick is ns_num / ns_den nanoseconds */
    CLOCK_CALLS, /* no time: a tick is one call */
    CLOCK_EVENTS /* no time: a tick is one event: the begin of a call, its return, or another event */
} ClockKind;

typedef struct Clock {
    ClockKind kind;
    /* nanoseconds per tick = num / den, in lowest terms, both > 0; 1 / 1 without time */
    uint64_t ns_num, ns_den;
    int64_t  origin_ns;     /* time of tick 0 on the input's axis */
    bool     is_unsigned;   /* the input counts 0..2^64-1: stored tick = input tick - 2^63 */
    bool     has_epoch;     /* epoch_unix_ns is known */
    int64_t  epoch_unix_ns; /* wall-clock time of the input's zero, ns since 1970 */
    bool     shows_ns;      /* the input requests that durations are not rounded above a nanosecond */
} Clock;

/* Returns the clock with ticks of 1 ns from the input's zero. */
Clock clock_ns(void);
/* Returns the clock with num / den ns in a tick (both > 0; reduced here), CLOCK_NS if that is 1. */
Clock clock_ticks(uint64_t ns_num, uint64_t ns_den);

/* Returns "ns", "ticks", or "calls" for the order of calls in either unit, as in info --json. */
const char *clock_kind_name(ClockKind kind);
/* False if ticks are not a time; such a trace has no nanoseconds. */
bool clock_has_time(const Clock *clock);
/* Returns the unit of a tick that is not a time: "call", "event". */
const char *clock_unit_name(const Clock *clock);

/* Returns nanoseconds on the input's axis, rounded half away from zero, clamped to int64_t. */
int64_t clock_to_ns(const Clock *clock, int64_t tick);
/* Returns the nearest tick for a time on the input's axis; clamped. */
int64_t clock_from_ns(const Clock *clock, int64_t ns);
/* Convert a tick to wall-clock time in ns since 1970, and such a time to the nearest tick. False if the clock has no
 * epoch, or the result does not fit. */
bool clock_to_unix_ns(const Clock *clock, int64_t tick, int64_t *unix_ns);
bool clock_from_unix_ns(const Clock *clock, int64_t unix_ns, int64_t *tick);
/* As clock_to_ns and clock_from_ns for durations: without origin, never negative. Without time a duration stays the
 * number of ticks. */
uint64_t clock_span_to_ns(const Clock *clock, uint64_t ticks);
uint64_t clock_span_from_ns(const Clock *clock, uint64_t ns);
/* Returns the nanoseconds of a tick, 1 without time; rounded, so not for exact times. */
double clock_ns_per_tick(const Clock *clock);

/* Writes a tick as in the input, in decimal ("-5", "18446744073709551615"). Returns the length. */
enum { CLOCK_TICK_TEXT = 24 };
size_t clock_format_tick(const Clock *clock, int64_t tick, char out[CLOCK_TICK_TEXT]);

/* Writes a duration in 3 to 4 digits: "0 s", "12.3 µs", "1.204 s", "2 min 3 s"; without time "1 200 calls" or "1
 * event". If the clock has shows_ns, with all digits down to the nanosecond: "1.204 001 s". Digits are in groups of
 * three (base/digits.h). The text is terminated; returns the length. */
enum { CLOCK_SPAN_TEXT = 64 };
size_t clock_format_span(const Clock *clock, uint64_t ticks, char out[CLOCK_SPAN_TEXT]);

#endif
