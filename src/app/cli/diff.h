/* app/cli/diff.h - the two kinds of `varve diff`: captures call by call, and any two traces by name or call
 * path. */
#ifndef APP_CLI_DIFF_H
#define APP_CLI_DIFF_H
#include "app/cli/cli.h"
#include "app/session/compare_json.h"

/* Compares two captures call by call. */
ExitStatus diff_calls(Cli *cli);
/* Compares two traces by name or by call path. */
ExitStatus diff_traces(Cli *cli);

/* ---- outputs of diff_traces ---- */

typedef struct DiffOut {
    CompareOut rows;
    bool       color;
} DiffOut;

/* Append a readable table; comma-separated values with a heading. */
void diff_put_table(const DiffOut *diff, Bytes *out);
void diff_put_csv(const DiffOut *diff, Bytes *out);

#endif
