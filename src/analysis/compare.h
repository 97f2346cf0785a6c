/* analysis/compare.h - compares the calls of two traces: per name, call path or value of an argument the numbers of both,
 * and a verdict.
 *
 * Rows are matched by the text of their names, by path by the texts of all names on it. Each side of a row has the
 * numbers of its profile (analysis/call_profile.h), in ticks of its own trace; compare_value converts.
 *
 * Verdict. It says whether a call takes longer. So the test compares the self times of single calls, not the sum of
 * a row, which also grows with the number of calls. Self times are heavy-tailed, so the test is by ranks (ranks.h).
 * Consecutive calls resemble each other (cache, clock frequency, load of the machine), so that a test of all calls
 * would find a difference between any two long recordings. Hence the method of batch means: of a row with many calls
 * the test compares the means of RANK_MOST batches of consecutive calls of each trace, spread evenly over all of its
 * calls. A batch has as many calls in A as in B, because the distribution of a mean depends on that number: the largest
 * power of two for which the trace with fewer calls has RANK_MOST batches. Rows with few calls have batches of one call.
 * A row has no verdict (VERDICT_FEW) if a trace has less than RANK_LEAST calls of it. All rows are tested at once, so
 * p-values are adjusted by Benjamini and Hochberg; a difference counts at a false discovery rate below 5 %.
 *
 * Time: O(n log n) in the rows. The result depends on the profiles alone. */
#ifndef ANALYSIS_COMPARE_H
#define ANALYSIS_COMPARE_H
#include "analysis/call_profile.h"

typedef enum { SIDE_A, SIDE_B, SIDE_COUNT } CompareSide;

typedef enum {
    VERDICT_SLOWER, /* a call takes longer in B */
    VERDICT_FASTER,
    VERDICT_NOISE, /* the difference is as large as chance makes it */
    VERDICT_FEW,   /* too few calls in a trace */
    VERDICT_NEW,   /* only in B */
    VERDICT_GONE,  /* only in A */
    VERDICT_COUNT
} Verdict;

typedef enum {
    MEASURE_SELF,
    MEASURE_TOTAL,
    MEASURE_COUNT,
    MEASURE_AVERAGE,      /* total / count */
    MEASURE_SELF_AVERAGE, /* self / count: the verdict is about it */
    MEASURE_P50,
    MEASURE_P99,
    MEASURES
} Measure;

typedef struct CompareRow {
    const CallRow *sides[SIDE_COUNT]; /* of the profiles; NULL: not in this trace. At least one is not NULL */
    Verdict        verdict;
    double         p, q; /* p-value, and adjusted; 1 without a test */
} CompareRow;

typedef struct Comparison {
    CompareBy          by;
    const CallProfile *profiles[SIDE_COUNT]; /* borrowed */
    CompareRow        *rows;                 /* in arena; by absolute change of self time, then by name */
    uint32_t           row_count;
    uint32_t           verdicts[VERDICT_COUNT]; /* number of rows */
    CallProfile        made[SIDE_COUNT];        /* owned; of compare_traces */
    Arena              arena;                   /* owned */
} Comparison;

typedef struct CompareInput {
    const Trace *trace;
    StatsQuery query; /* range, tracks and filter, by argument also its keys; the other members are ignored */
} CompareInput;

/* True if the times of both traces are in one unit: both have times, or both count the same. */
bool compare_is_possible(const Clock *a, const Clock *b);

/* Compares two profiles with the same kind of rows for which compare_is_possible is true; they must outlive *comparison.
 * Fails with ERR_MEMORY. Call compare_release in either case. */
bool compare_profiles(const CallProfile *a, const CallProfile *b, Comparison *comparison,
                      Err *err) WARN_UNUSED;
/* Makes and compares the profiles of two traces for which compare_is_possible is true. They must outlive *comparison, which
 * must not be moved. Fails with ERR_MEMORY. Call compare_release in either case. */
bool compare_traces(const CompareInput inputs[SIDE_COUNT], CompareBy by, Comparison *comparison,
                    Err *err) WARN_UNUSED;
void compare_release(Comparison *comparison);

/* Finds the begin of the first slice of a name among the slices of a query. False if it does not exist, or out of memory. */
bool compare_first_slice(const Trace *trace, const StatsQuery *query, StringView name,
                         int64_t *begin_tick) WARN_UNUSED;

/* Sorts the rows by the absolute change of a measure, greatest first, then by name. False when out of memory. */
bool compare_sort(Comparison *comparison, Measure by) WARN_UNUSED;

/* Returns a number of a row: in ns, or ticks without time; calls for MEASURE_COUNT. 0 if the trace does not have the row. */
double compare_value(const Comparison *comparison, const CompareRow *row, CompareSide side, Measure measure);
/* Returns B - A. A trace that does not have the row counts as 0. */
double compare_change(const Comparison *comparison, const CompareRow *row, Measure measure);
/* Returns the change in percent of A; NAN where A is 0, and where a trace does not have the row. */
double compare_percent(const Comparison *comparison, const CompareRow *row, Measure measure);
/* Returns the name of a row; by path that of the innermost frame. */
StringView compare_name(const Comparison *comparison, const CompareRow *row);
/* Appends the name of a row; by path the names from the outermost on, with ";" between them, of deep paths the
 * COMPARE_MOST_FRAMES innermost. */
enum { COMPARE_MOST_FRAMES = 1000 };
void compare_put_name(const Comparison *comparison, const CompareRow *row, Bytes *out);

/* "slower", ...; "self", "total", ... */
const char *compare_verdict_name(Verdict verdict);
const char *compare_measure_name(Measure measure);

#endif
