/* analysis/area.h - statistics of the instants and the counters in a range of time.
 *
 * Instants are counted by name: those with begin <= tick < end. The marks of snapshots and memory dumps are instants,
 * too, as in the table `instant` of SQL. Instants that repeat others (Label.is_repeat) count as in analysis/stats.h.
 *
 * A counter has a row for each of its series. A value counts if it holds at some time in the range: from its tick to
 * the tick of the next value. A value without length counts if begin <= tick < end. Unknown values (NaN) do not count.
 * The average is weighted by the time for which each value holds in the range. */
#ifndef ANALYSIS_AREA_H
#define ANALYSIS_AREA_H
#include "base/digits.h"
#include "trace/scan/scan.h"

/* The instants of one name, whatever their categories. */
typedef struct AreaInstants {
    StringId name;  /* STRING_NONE = instants without a name */
    uint32_t label; /* of the first one that was read */
    uint64_t count; /* > 0 */
    uint64_t first; /* id of the earliest one */
    int64_t  first_tick;
} AreaInstants;

/* A series of a counter. */
typedef struct AreaCounter {
    uint32_t track;
    StringId series;
    uint64_t count; /* values that count; 0 = all are unknown, then min, max and last are NaN */
    uint64_t ticks; /* time for which the values hold in the range */
    double   min, max;
    double   average; /* NaN if ticks is 0 */
    double   last;    /* the value at the end of the range */
} AreaCounter;

/* The rows are in the arena of the count. */
typedef struct AreaTable {
    AreaInstants *instants; /* by count (greatest first), then by name */
    uint32_t      instant_rows;
    uint64_t      instant_count; /* sum of the counts */
    AreaCounter  *counters;      /* in the order of the tracks */
    uint32_t      counter_rows;
} AreaTable;

/* Linear in the instants and values of the range. Fails with ERR_MEMORY. */
bool area_tally(const Trace *trace, const TracePart *part, Arena *arena, AreaTable *table,
                Err *err) WARN_UNUSED;

/* The same in steps: between two steps the caller can report the progress, or stop. */
typedef struct AreaCount AreaCount;
/* Prepares the count, which lives in `arena`. The trace, the tracks and the filter must outlive it. NULL: err filled. */
AreaCount *area_count_begin(const Trace *trace, const TracePart *part, Arena *arena, Err *err) WARN_UNUSED;
/* Reads about `events` more instants and values. *share gets the part of the work that is done, 0 to 1; 1: *table is
 * made. False: err filled. */
bool area_count_step(AreaCount *count, uint64_t events, double *share, AreaTable *table,
                     Err *err) WARN_UNUSED;
void area_count_release(AreaCount *count); /* NULL is allowed */

/* Returns the unit of the values of a counter, static: "B", or "". */
const char *area_unit(const Trace *trace, uint32_t track);
/* Writes a value as digits_put_real, with its unit: "1 024 B". Returns the length; the text is terminated. */
size_t area_value_text(const char *unit, double value, char out[DIGITS_TEXT]);

#endif
