/* export/tables.h - a table of schema/schema.h as a file: CSV, JSON Lines or an Arrow IPC stream (export/arrow.h).
 *
 * Names and values are those of SQL. Rows stream: memory does not grow with them. The same trace gives the same bytes.
 *
 * CSV is RFC 4180 with a heading, lines end with CRLF. A NULL is an empty field, an empty text is "". Bytes that are not
 * UTF-8 stay. JSON Lines has one object a line; a NULL is null, bytes that are not UTF-8 become U+FFFD. */
#ifndef EXPORT_TABLES_H
#define EXPORT_TABLES_H
#include "format/writer.h"
#include "schema/bounds.h"
#include "schema/schema.h"

typedef enum { TABLE_FORM_CSV, TABLE_FORM_JSONL, TABLE_FORM_ARROW, TABLE_FORM_COUNT } TableForm;

/* Returns the name of a form as in --to=: "csv", "jsonl", "arrow". */
const char *table_form_name(TableForm form);
/* Returns the suffix of file names, without the point. */
const char *table_form_suffix(TableForm form);
/* Writes the rows of a table of a trace within the bounds (NULL: all rows). False: err is that of the sink,
 * ERR_MEMORY, or ERR_LIMIT (Arrow: 2 GiB of texts). */
bool table_write(TableForm form, const SchemaTrace *trace, const SchemaTable *table,
                 const TableBounds *bounds, const OutputSink *sink, Err *err) WARN_UNUSED;

#endif
