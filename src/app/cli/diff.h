/* app/cli/diff.h - the two kinds of `varve diff`: captures call by call, and any two traces by name or call
 * path. */
#ifndef APP_CLI_DIFF_H
#define APP_CLI_DIFF_H
#include "app/cli/cli.h"

#include <varve/varve.h>

/* Compares two captures call by call. */
ExitStatus diff_calls(Cli *cli);
/* Compares two traces by name or by call path. */
ExitStatus diff_traces(Cli *cli);

/* ---- outputs of diff_traces ---- */

typedef struct DiffOut {
    const char         *files[2]; /* A and B */
    const VarveDiff    *diff;
    const VarveDiffRow *rows;
    uint32_t            row_count, shown; /* rows, and rows to print */
    const char         *by;               /* "name", "path" or "arg:KEY" */
    bool                is_by_argument;
    const char         *unit; /* varve_unit of both traces */
    bool                color;
} DiffOut;

/* Returns the name of a row, by path with all names, in `buffer`, which the caller releases. */
StringView diff_name(const DiffOut *out, uint32_t row, VarveBytes *buffer);
/* Append a readable table; comma-separated values with a heading. */
void diff_put_table(const DiffOut *diff, Bytes *out);
void diff_put_csv(const DiffOut *diff, Bytes *out);

#endif
