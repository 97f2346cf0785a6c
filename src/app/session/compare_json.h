/* app/session/compare_json.h - a comparison as JSON: the output of `varve diff --json` and the answer
 * `compare`. */
#ifndef APP_SESSION_COMPARE_JSON_H
#define APP_SESSION_COMPARE_JSON_H
#include "analysis/compare.h"

/* Selects whether the object of a side ends with the ids of its CallRow: "label" and "longest". */
typedef enum { COMPARE_WITHOUT_IDS, COMPARE_WITH_IDS } CompareIds;

typedef struct CompareOut {
    const Comparison *comparison;
    const char       *files[SIDE_COUNT]; /* NULL: not known */
    uint64_t          top;               /* limit on the number of rows; 0 = no limit */
    double            fail_above;        /* percent; < 0 = no limit */
    CompareIds        ids;
} CompareOut;

/* Returns the number of rows that an output has. */
uint32_t compare_out_rows(const CompareOut *out);
/* True if the row exceeds the limit: its verdict is slower, and a call takes longer by more than `fail_above`
 * percent. */
bool compare_row_fails(const CompareOut *out, const CompareRow *row);
/* Returns "ns", or "ticks" if the trace has no time. */
const char *compare_unit(const Comparison *comparison);
/* Appends one JSON object, documented in docs/diff.md, and a line feed. */
void compare_put_json(const CompareOut *out, Bytes *bytes);

#endif
