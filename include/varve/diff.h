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
    uint64_t count;
    double   total_ns, self_ns, average_ns, self_average_ns, p50_ns, p99_ns;
} VarveDiffSide;

typedef struct VarveDiffRow {
    VarveText     name; /* by path: names from the outermost on, with ';' between */
    VarveVerdict  verdict;
    VarveDiffSide a, b;
    double        self_change_ns; /* b.self_ns - a.self_ns */
    double        p_adjusted;     /* false discovery rate at which the verdict holds; 1 without a test */
} VarveDiffRow;

typedef enum VarveDiffBy { VARVE_DIFF_BY_NAME, VARVE_DIFF_BY_PATH } VarveDiffBy;

typedef struct VarveDiff VarveDiff;

/* Compares the slices of a part of each trace. The parts may be NULL. Fails if only one trace has times. */
VARVE_API VarveDiff *varve_diff_open(const VarveTrace *a, const VarvePart *part_a, const VarveTrace *b,
                                     const VarvePart *part_b, VarveDiffBy by, VarveError *error);
VARVE_API void       varve_diff_close(VarveDiff *diff);
/* Returns the rows, largest change of self time first, and their number. Any thread. */
VARVE_API const VarveDiffRow *varve_diff_rows(const VarveDiff *diff, uint32_t *row_count);

#ifdef __cplusplus
}
#endif
#endif
