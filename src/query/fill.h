/* query/fill.h - columns of a scan as DuckDB vectors. */
#ifndef QUERY_FILL_H
#define QUERY_FILL_H
#include "base/lock.h"
#include "query/duckdb.h"
#include "schema/values.h"

/* A trace with its dictionaries as vectors of VARCHAR, each made when a column first needs it. A zeroed one but for duck,
 * trace, name and lock is ready. Vectors may be used by any thread once they are made. */
typedef struct FillTrace {
    const DuckDb *duck;
    const Trace  *trace;
    const char   *name;
    Lock         *lock; /* shared by all traces of a database */
    DuckVector    texts[TEXTS_COUNT];
} FillTrace;

void fill_trace_release(FillTrace *trace);

/* Makes `to` the values of a column in a batch. The vector has room for DUCK_VECTOR_ROWS rows. */
void fill_column(FillTrace *trace, const SchemaColumn *column, const ScanColumn *scanned,
                 const ScanBatch *batch, DuckVector to);
/* Puts one value of a small table into row `row`. */
void fill_cell(const DuckDb *duck, SchemaType type, const SchemaCell *cell, DuckVector to, uint32_t row);

#endif
