/* trace/time_spec.h - times and ranges as people type them.
 *
 * A time counts from the trace's begin: "1.25s", "3ms", "10us" or "10µs", "7ns", or a plain number of ticks. Or it is a
 * date with the time of day in UTC: "2026-11-22T10:00:00.5Z" (wall_time.h), for traces that say when they were recorded. A range
 * is "BEGIN..END"; either side may be left out and is then the trace's own.
 *
 * Parsing needs no trace; what a time means in a trace is found once its clock and its begin are known. */
#ifndef TRACE_TIME_SPEC_H
#define TRACE_TIME_SPEC_H
#include "base/err.h"
#include "trace/clock.h"

typedef enum { TIME_IN_TICKS, TIME_IN_PS, TIME_OF_DAY } TimeKind;

typedef struct TimeSpec {
    TimeKind kind;
    uint64_t amount;  /* ticks or picoseconds from the trace's begin */
    int64_t  unix_ns; /* TIME_OF_DAY */
} TimeSpec;

typedef struct TimeRange {
    bool     has_begin, has_end;
    TimeSpec begin, end;
} TimeRange;

/* What times of a trace are found on. */
typedef struct TimeAxis {
    const Clock *clock; /* borrowed */
    int64_t      begin_tick;
    uint64_t     span; /* ticks */
} TimeAxis;

/* False for texts that are no time, or one beyond int64_t. */
bool time_spec_parse(const char *text, size_t size, TimeSpec *spec) WARN_UNUSED;

/* Finds the ticks from the trace's begin, rounded to the nearest tick: below 0 for a time of day before it. False where
 * the clock cannot tell (no time, no epoch), or beyond int64_t. */
bool time_spec_ticks(const TimeSpec *spec, const TimeAxis *axis, int64_t *ticks) WARN_UNUSED;

/* False, with err (ERR_USAGE), when a side is no time, or the range is empty in every trace. */
bool time_range_parse(const char *text, TimeRange *range, Err *err) WARN_UNUSED;

/* True if a side is a time of day. */
bool time_range_has_time_of_day(const TimeRange *range);

/* Finds begin <= end in ticks from the trace's begin. A begin before the trace's is moved up to it; an end may lie behind
 * the trace's. False: err (ERR_USAGE) says what is wrong with `text`, which may be any text. */
bool time_range_find(const char *text, const TimeAxis *axis, int64_t *begin, int64_t *end,
                     Err *err) WARN_UNUSED;
/* Fills err for a range that begins behind the trace's end; returns false. */
bool time_range_behind(const char *text, const TimeAxis *axis, Err *err);

#endif
