/* query/parameters.h - named parameters of table functions, which bound the rows of a scan before they are read. */
#ifndef QUERY_PARAMETERS_H
#define QUERY_PARAMETERS_H
#include "query/duckdb.h"
#include "schema/bounds.h"

/* Registers the parameters of a table on its function. */
void parameters_register(const DuckDb *duck, DuckFunction function, const SchemaTable *table);
/* Reads them. Texts are in `arena`. False: out of memory. */
bool parameters_read(const DuckDb *duck, DuckBind bind, const SchemaTable *table, Arena *arena,
                     TableBounds *given, Err *err) WARN_UNUSED;

#endif
