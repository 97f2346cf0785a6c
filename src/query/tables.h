/* query/tables.h - the tables of schema/schema.h as DuckDB table functions over traces.
 *
 * `slice` is a view over the table function slice(). The function takes named parameters, which bound the rows before they
 * are read: range := '1s..2s' (as --range), begin := '1s', "end" := '2s', name := 'x' (the exact name), thread := 'main'
 * (as --thread of `varve stats`) and track := 7 (a track id). DuckDB's C API passes no filters down: a WHERE on a column
 * reads every row that the parameters leave.
 *
 * Texts are dictionary vectors: the texts of a trace are handed to DuckDB once, rows hold indices. */
#ifndef QUERY_TABLES_H
#define QUERY_TABLES_H
#include "query/duckdb.h"
#include "schema/schema.h"

typedef struct SqlTables SqlTables;

/* Registers every table on the connection, and makes the views. The array is copied; the traces in it are borrowed and
 * must outlive the connection. Lives in `arena`: release it with tables_release, after the connection was closed and
 * before the arena. NULL: err. */
SqlTables *tables_create(const DuckDb *duck, DuckConnection connection, const SchemaTrace *traces,
                         size_t count, Arena *arena, Err *err) WARN_UNUSED;
void       tables_release(SqlTables *tables); /* NULL is allowed */

#endif
