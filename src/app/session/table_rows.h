/* app/session/table_rows.h - answers with the rows of a table. For app/session only. */
#ifndef APP_SESSION_TABLE_ROWS_H
#define APP_SESSION_TABLE_ROWS_H
#include "app/session/context.h"
#include "export/tables.h"
#include "schema/schema.h"

/* Writes the rows of a table of a loaded trace to the sink. `name` is the value of the column `trace`; bounds may be NULL.
 * False: the answer is a failure. */
bool answer_rows(RequestContext *ctx, const Loaded *loaded, const char *name, TableForm form,
                 const SchemaTable *table, const TableBounds *bounds, const OutputSink *sink);
/* Returns the table in the parameter "table". NULL: the answer is a failure. */
const SchemaTable *param_table(RequestContext *ctx) WARN_UNUSED;

#endif
