/* app/cli/convert_tables.h - `varve convert` to tables: one as a file, or all as the files of a folder. */
#ifndef APP_CLI_CONVERT_TABLES_H
#define APP_CLI_CONVERT_TABLES_H
#include "app/cli/cli.h"
#include "export/tables.h"

/* The forms of export/tables.h, and Parquet. */
typedef enum { CONVERT_PARQUET = TABLE_FORM_COUNT, CONVERT_KINDS } ConvertKind;

/* Returns the name of a kind, as in --to=. */
const char *convert_kind_name(ConvertKind kind);
/* Finds the kind of the option --to, or, where it is NULL, of the suffix of the path. False: no kind has that name. */
bool convert_kind_find(const char *to, const char *path, ConvertKind *kind);

/* True if the path is that of a dataset (app/cli/dataset.h): Parquet, and a folder or a name without the suffix. */
bool convert_is_dataset(ConvertKind kind, const char *path);

/* Writes the table of the option --table, or `slice`, to the file `path`; where the path ends with a slash or is a folder,
 * every table to a file of its own in there. The path is not that of a dataset. Reports errors on stderr. */
ExitStatus convert_tables(Cli *cli, const Loaded *loaded, ConvertKind kind, const char *path);

#endif
