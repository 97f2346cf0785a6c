/* app/cli/diff.h - the two kinds of `varve diff`: captures call by call, and any two traces by their numbers. */
#ifndef APP_CLI_DIFF_H
#define APP_CLI_DIFF_H
#include "analysis/compare.h"
#include "app/cli/cli.h"

/* Compares two captures call by call. */
ExitStatus diff_calls(Cli *cli);
/* Compares two traces per name or per call path. */
ExitStatus diff_traces(Cli *cli);

/* ---- outputs of diff_traces ---- */

typedef struct DiffOut {
    const Comparison *comparison;
    const char       *files[SIDE_COUNT];
    uint64_t          top;        /* most rows; 0 = all */
    double            fail_above; /* percent; < 0 = not given */
    bool              color;
} DiffOut;

/* True if the row fails --fail-above: its verdict is slower, and a call takes longer by more than that percentage. */
bool diff_row_fails(const DiffOut *diff, const CompareRow *row);
/* A table for people, one JSON object, and comma-separated values with a heading. */
void diff_put_table(const DiffOut *diff, Bytes *out);
void diff_put_json(const DiffOut *diff, Bytes *out);
void diff_put_csv(const DiffOut *diff, Bytes *out);

#endif
