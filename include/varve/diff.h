/* varve/diff.h - comparison of two traces. A part of varve/varve.h. */
#ifndef VARVE_DIFF_H
#define VARVE_DIFF_H
#include <varve/rows.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- comparison ---- */

typedef enum VarveVerdict {
    VARVE_SLOWER, /* a call takes longer in B, and chance does not explain it */
    VARVE_FASTER,
    VARVE_NOISE, /* the difference is as large as chance makes it */
    VARVE_FEW,   /* too few calls to tell */
    VARVE_NEW,   /* only in B */
    VARVE_GONE   /* only in A */
} VarveVerdict;

typedef struct VarveDiffSide {
    uint64_t count; /* 0 = not in this trace; the others are 0, too */
    double   total_ns, self_ns, average_ns, self_average_ns, p50_ns, p99_ns;
} VarveDiffSide;

/* The members of VarveDiffSide. The verdict is about VARVE_MEASURE_SELF_AVERAGE. */
typedef enum VarveMeasure {
    VARVE_MEASURE_SELF,
    VARVE_MEASURE_TOTAL,
    VARVE_MEASURE_COUNT,
    VARVE_MEASURE_AVERAGE,
    VARVE_MEASURE_SELF_AVERAGE,
    VARVE_MEASURE_P50,
    VARVE_MEASURE_P99
} VarveMeasure;

typedef struct VarveDiffRow {
    VarveText     name; /* by path: of the innermost call; varve_diff_path has all; by argument: its value */
    VarveVerdict  verdict;
    VarveDiffSide a, b;
    double        self_change_ns; /* b.self_ns - a.self_ns */
    double        p;              /* p-value of the test; 1 without a test */
    double        p_adjusted;     /* false discovery rate at which the verdict holds; 1 without a test */
} VarveDiffRow;

typedef enum VarveDiffBy { VARVE_DIFF_BY_NAME, VARVE_DIFF_BY_PATH, VARVE_DIFF_BY_ARGUMENT } VarveDiffBy;

typedef struct VarveDiffOptions {
    VarveDiffBy  by;
    VarveMeasure sort; /* rows with the largest change of it come first */
    /* the times of the ranges of the parts count from the first slice of this name in each trace; NULL = from the begin */
    const char *align;
    const char *argument; /* by argument: its key */
    uint64_t    reserved[3];
} VarveDiffOptions;

typedef struct VarveDiff VarveDiff;

/* Compares the slices of a part of each trace. The parts and `options` may be NULL. VARVE_ERROR_USAGE: only one trace has times.
 * VARVE_ERROR_UNKNOWN: no slice of a trace has the name `align`. */
VARVE_API VarveDiff *varve_diff_open(const VarveTrace *a, const VarvePart *part_a, const VarveTrace *b,
                                     const VarvePart *part_b, const VarveDiffOptions *options,
                                     VarveError *error);
VARVE_API void       varve_diff_close(VarveDiff *diff);
/* Returns the rows in the order of the options, and their number; NULL and 0 when out of memory. */
VARVE_API const VarveDiffRow *varve_diff_rows(VarveDiff *diff, uint32_t *row_count);
/* Replaces the content of `out` by the names of row `row` from the outermost on, with ';' between, at most the 1000 innermost ones; by
 * name: its name. Any thread, with an `out` of its own. */
VARVE_API bool varve_diff_path(const VarveDiff *diff, uint32_t row, VarveBytes *out, VarveError *error);

typedef struct VarveDiffTotals {
    uint64_t    slice_count_a, slice_count_b;
    const char *perspective_a, *perspective_b; /* that counts; NULL = the trace has no perspectives */
    uint32_t    row_counts[6];                 /* by VarveVerdict */
} VarveDiffTotals;

/* Fills the sums of the rows. Any thread. */
VARVE_API void varve_diff_totals(const VarveDiff *diff, VarveDiffTotals *totals);
/* Replaces the content of `out` by the comparison as one JSON object, as `varve diff --json` prints it, with at most `row_most` rows, 0 =
 * all. With `limit_percent` >= 0 it has the number of rows that are slower by more. Any thread, with an `out` of its own. */
VARVE_API bool varve_diff_json(const VarveDiff *diff, uint64_t row_most, double limit_percent,
                               VarveBytes *out, VarveError *error);

/* Return the names: "slower", "self_average", ... Static. Any thread. */
VARVE_API const char *varve_verdict_name(VarveVerdict verdict);
VARVE_API const char *varve_measure_name(VarveMeasure measure);
/* Returns a member of a side, in ns or a count. Any thread. */
VARVE_API double varve_diff_value(const VarveDiffSide *side, VarveMeasure measure);
/* Returns the change from A to B in percent of A; NAN if A is 0, or B does not have the row. Any thread. */
VARVE_API double varve_diff_percent(const VarveDiffRow *row, VarveMeasure measure);

#ifdef __cplusplus
}
#endif
#endif
