/* app/cli/convert_tables.h - `varve convert` to tables: one as a file, or all as the files of a folder. */
#ifndef APP_CLI_CONVERT_TABLES_H
#define APP_CLI_CONVERT_TABLES_H
#include "app/cli/cli.h"
#include "app/cli/convert_targets.h"

/* True if the path is that of a dataset (app/cli/dataset.h): a folder or a name without suffix, with
 * Parquet. */
bool convert_is_dataset(const ConvertTarget *target, const char *path);

/* Writes the table of the option --table, or `slice`, to the file `path`; if the path ends with a slash or is
 * a folder, writes every table to its own file in this folder. The path must not be that of a dataset.
 * Reports errors on stderr. */
ExitStatus convert_tables(const Cli *cli, const VarveTrace *trace, const ConvertTarget *target,
                          const char *path);

#endif
