/* app/cli/query_rows.h - the rows of a query as text: a readable table, CSV, JSON. */
#ifndef APP_CLI_QUERY_ROWS_H
#define APP_CLI_QUERY_ROWS_H
#include "base/file.h"

#include <varve/varve.h>

typedef enum { ROWS_TABLE, ROWS_CSV, ROWS_JSON } RowsForm;

/* Reads the result to its end and writes every row. A table has the widths of its first 1,000 rows; CSV
 * follows RFC 4180, with an empty field for NULL and "" for an empty text; JSON is an array with one object
 * for each row. False: err is that of the query or of the file, or ERR_MEMORY. */
bool query_rows_write(VarveQuery *query, RowsForm form, FileWriter *file, Err *err) WARN_UNUSED;

#endif
