/* view/time_text.h - times as text on the ruler: in units of 1 ns (1 ps for finer clocks; one call or event in traces
 * without time), from the axis's zero. A coarse stamp ("12.345 s") is shown once; fine labels ("+200 µs") count from
 * it. */
#ifndef VIEW_TIME_TEXT_H
#define VIEW_TIME_TEXT_H
#include "trace/store/clock.h"
#include "view/axis.h"

enum { TIME_TEXT = 64 };

/* The last tick of the axis: the result of time_units_to_axis for every later time. */
#define TIME_AXIS_MAX ((uint64_t)INT64_MAX / 4 * 3)

/* The unit in which times are written. TIME_IN_BEST: one that suits each time. */
typedef enum { TIME_IN_BEST, TIME_IN_S, TIME_IN_MS, TIME_IN_US, TIME_IN_NS } TimeUnit;

typedef struct TimeUnits {
    bool        is_time;
    TimeUnit    written;   /* TIME_IN_BEST in traces without time */
    const char *noun;      /* the unit's name in traces without time: "call", "event" */
    unsigned    digits;    /* a unit is 10^-digits s: 9 or 12 */
    uint64_t    num, den;  /* ticks of the axis = units * num / den */
    bool        shows_all; /* write lengths with time_format_exact: the clock has ns */
} TimeUnits;
/* Returns the units of an axis with the ticks of `clock` by `map`, whose begin is not used. */
TimeUnits time_units(const Clock *clock, const AxisMap *map, TimeUnit written);
/* Returns the axis position of a number of units; *rest is the remaining fraction of a tick, in [-.5, .5]. */
int64_t  time_units_to_axis(const TimeUnits *units, uint64_t count, double *rest);
uint64_t time_units_from_axis(const TimeUnits *units, uint64_t axis); /* rounded to nearest */
double   time_units_per_tick(const TimeUnits *units);                 /* units in one axis tick */

typedef struct TimeStep {
    uint64_t units;   /* between labelled ticks */
    uint32_t parts;   /* number of parts between small ticks */
    uint64_t coarse;  /* units between stamps; 0: each label is a stamp */
    uint64_t fine;    /* the unit that fine labels count */
    uint64_t precise; /* precision of a stamp */
} TimeStep;
/* Returns the smallest step of at least `least` units (> 0). */
TimeStep time_step(const TimeUnits *units, double least);

/* Formats a position, exact to `precise` units. All functions return the length. */
size_t time_format_stamp(const TimeUnits *units, uint64_t count, uint64_t precise, char out[TIME_TEXT]);
/* Formats a position with all digits, without trailing zeros; "call 1 200" in traces without time. */
size_t time_format_exact(const TimeUnits *units, uint64_t count, char out[TIME_TEXT]);
size_t time_format_label(const TimeUnits *units, const TimeStep *step, uint64_t count, char out[TIME_TEXT]);
/* Formats a length in axis ticks, which may be below 1, with three digits: "3.20 µs", "1 200 calls". */
size_t time_format_length(const TimeUnits *units, double ticks, char out[TIME_TEXT]);
/* Formats a length with all digits, without trailing zeros: "1.204 001 s", "3 min 31.5 s"; "1 200 calls" in traces
 * without time. */
size_t time_format_exact_length(const TimeUnits *units, uint64_t count, char out[TIME_TEXT]);
/* Formats a date: "2024-05-12 10:23:45 UTC". */
size_t time_format_date(int64_t unix_s, char out[TIME_TEXT]);

#endif
