/* view/time_text.h - time as the ruler writes it: units of 1 ns (1 ps for finer clocks; one call or event
 * where there is no time), counted from the axis's zero. A coarse stamp ("12.345 s") stands once, fine labels
 * ("+200 µs") count on from it. */
#ifndef VIEW_TIME_TEXT_H
#define VIEW_TIME_TEXT_H
#include "trace/clock.h"
#include "view/axis.h"

enum { TIME_TEXT = 64 };

/* The last tick of the axis: time_units_to_axis gives it for every later time. */
#define TIME_AXIS_MAX ((uint64_t)INT64_MAX / 4 * 3)

typedef struct TimeUnits {
    bool        is_time;
    const char *noun;      /* of what is counted where there is no time: "call", "event" */
    unsigned    digits;    /* a unit is 10^-digits s: 9 or 12 */
    uint64_t    num, den;  /* ticks of the axis = units * num / den */
    bool        shows_all; /* lengths are to be written with time_format_exact: the clock shows ns */
} TimeUnits;
/* For an axis whose ticks are those of `clock` by `map` (map->begin is not used). */
TimeUnits time_units(const Clock *clock, const AxisMap *map);
/* The axis position of a whole number of units, and what is left of a tick behind it, in [-.5, .5]. */
int64_t  time_units_to_axis(const TimeUnits *units, uint64_t count, double *rest);
uint64_t time_units_from_axis(const TimeUnits *units, uint64_t axis); /* rounded to nearest */
double   time_units_per_tick(const TimeUnits *units);                 /* units in one axis tick */

typedef struct TimeStep {
    uint64_t units;   /* between labelled ticks */
    uint32_t parts;   /* small ticks divide it in so many */
    uint64_t coarse;  /* units between stamps; 0: labels are whole stamps themselves */
    uint64_t fine;    /* the unit that fine labels count */
    uint64_t precise; /* what a stamp is exact to */
} TimeStep;
/* The smallest step of at least `least` units (> 0). */
TimeStep time_step(const TimeUnits *units, double least);

/* Each returns the length. A stamp says where, exact to `precise` units; a label says how far behind the stamp. */
size_t time_format_stamp(const TimeUnits *units, uint64_t count, uint64_t precise, char out[TIME_TEXT]);
/* A stamp with all digits but zeros at its end; "call 1 200" where there is no time. */
size_t time_format_exact(const TimeUnits *units, uint64_t count, char out[TIME_TEXT]);
size_t time_format_label(const TimeUnits *units, const TimeStep *step, uint64_t count, char out[TIME_TEXT]);
/* A length of axis ticks in three digits, also of less than one: "3.20 µs", "1 200 calls". */
size_t time_format_length(const TimeUnits *units, double ticks, char out[TIME_TEXT]);
/* A length with all digits but zeros at its end: "1.204 001 s", "3 min 31.5 s"; "1 200 calls" where there is no time. */
size_t time_format_exact_length(const TimeUnits *units, uint64_t count, char out[TIME_TEXT]);
/* "2024-05-12 10:23:45 UTC" */
size_t time_format_date(int64_t unix_s, char out[TIME_TEXT]);

#endif
