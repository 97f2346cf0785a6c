/* trace/store/time_spec.h - times and ranges as typed by users.
 *
 * A time is relative to the trace's begin: "1.25s", "3ms", "10us" or "10µs", "7ns", or a plain number of ticks. Or it
 * is a date with the time of day in UTC: "2026-11-22T10:00:00.5Z" (wall_time.h), for traces with a time of day. A range
 * is "BEGIN..END"; a missing side is the begin or end of the trace.
 *
 * Parsing needs no trace; the tick of a time is computed when the clock and the begin of the trace are known. */
#ifndef TRACE_STORE_TIME_SPEC_H
#define TRACE_STORE_TIME_SPEC_H
#include "base/err.h"
#include "trace/store/clock.h"

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

/* The clock and the range of a trace. */
typedef struct TimeAxis {
    const Clock *clock; /* borrowed */
    int64_t      begin_tick;
    uint64_t     span; /* ticks */
} TimeAxis;

/* False for a text that is not a time, or for a time beyond int64_t. */
bool time_spec_parse(const char *text, size_t size, TimeSpec *spec) WARN_UNUSED;

/* Computes the ticks from the trace's begin, rounded to the nearest tick: below 0 for a time of day before it. False if
 * the clock lacks the information (no time, no epoch), or beyond int64_t. */
bool time_spec_ticks(const TimeSpec *spec, const TimeAxis *axis, int64_t *ticks) WARN_UNUSED;

/* False, with err (ERR_USAGE), if a side is not a time, or the range is empty in every trace. */
bool time_range_parse(const char *text, TimeRange *range, Err *err) WARN_UNUSED;

/* True if a side is a time of day. */
bool time_range_has_time_of_day(const TimeRange *range);

/* Computes begin <= end in ticks from the trace's begin. A begin before the trace's becomes that of the trace; an end
 * may be after the trace's, and is INT64_MAX for a range without an end. False: err (ERR_USAGE) describes the error in
 * `text`, which may be any text. */
bool time_range_find(const char *text, const TimeAxis *axis, int64_t *begin, int64_t *end,
                     Err *err) WARN_UNUSED;
/* Fills err for a range that begins after the trace's end; returns false. */
bool time_range_behind(const char *text, const TimeAxis *axis, Err *err);

#endif
