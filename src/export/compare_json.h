/* export/compare_json.h - a comparison as JSON: the output of `varve diff --json` and the answer
 * `compare`. */
#ifndef EXPORT_COMPARE_JSON_H
#define EXPORT_COMPARE_JSON_H
#include "analysis/compare.h"

/* Selects whether the object of a side ends with the ids of its CallRow: "label" and "longest". */
typedef enum { COMPARE_WITHOUT_IDS, COMPARE_WITH_IDS } CompareIds;

typedef struct CompareOut {
    const Comparison *comparison;
    const char       *argument;          /* its key, by argument; else NULL */
    const char       *files[SIDE_COUNT]; /* NULL: not known */
    uint64_t          top;               /* limit on the number of rows; 0 = no limit */
    double            fail_above;        /* percent by which a call may take longer; < 0 = no limit */
    CompareIds        ids;
} CompareOut;

/* Appends one JSON object, documented in docs/diff.md, and a line feed. */
void compare_put_json(const CompareOut *out, Bytes *bytes);

#endif
