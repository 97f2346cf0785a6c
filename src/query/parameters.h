/* query/parameters.h - named parameters of table functions, which bound the rows of a scan before they are read. */
#ifndef QUERY_PARAMETERS_H
#define QUERY_PARAMETERS_H
#include "query/duckdb.h"
#include "query/schema.h"

/* As given. Texts are in the arena of parameters_read; NULL = not given. */
typedef struct Parameters {
    const char *range, *begin, *end, *name, *thread;
    bool        has_track;
    int64_t     track;
} Parameters;

/* Registers the parameters of a table on its function. */
void parameters_register(const DuckDb *duck, DuckFunction function, const SchemaTable *table);
/* Reads them. False: out of memory. */
bool parameters_read(const DuckDb *duck, DuckBind bind, const SchemaTable *table, Arena *arena, Parameters *given,
                     Err *err) WARN_UNUSED;
/* Returns in *query the part of a scan of the trace that the parameters ask for, without columns: `scan` is the table's
 * own, or another one that the table also reads. What it points to is in `arena`. False: err is ERR_USAGE for a value that
 * makes no sense, or ERR_MEMORY. */
bool parameters_query(const Parameters *given, const SchemaTable *table, ScanTable scan, const Trace *trace, Arena *arena,
                      ScanQuery *query, Err *err) WARN_UNUSED;

#endif
