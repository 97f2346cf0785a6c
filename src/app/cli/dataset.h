/* app/cli/dataset.h - a Parquet dataset: the tables of many traces, partitioned by trace, in one folder.
 *
 *   FOLDER/TABLE/trace=NAME/rows.parquet
 *
 * TABLE is a table of `varve query --schema` with its columns; the column `trace` is in the path, not in the file.
 * NAME is the file name of the trace, a '-', and the XXH64 hash of its bytes, so an input always gives the
 * same NAME and the same files. A table without rows has no file. docs/fleet.md describes the use. */
#ifndef APP_CLI_DATASET_H
#define APP_CLI_DATASET_H
#include "app/cli/cli.h"

/* Adds every FILE to the folder, which is created if it is missing. Prints a line for each: the path, a tab,
 * NAME. Each file is written under a temporary name and renamed, and the table `trace` is last: several
 * processes may add to one folder at the same time, and add a trace again. If a FILE fails, an error is
 * printed on stderr and the others are still added. */
ExitStatus dataset_convert(Cli *cli, const char *folder);

#endif
