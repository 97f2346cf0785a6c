/* schema/bounds.h - the part of a table that a query reads, as a query of trace/scan.h. */
#ifndef SCHEMA_BOUNDS_H
#define SCHEMA_BOUNDS_H
#include "schema/schema.h"

/* As given; NULL = not given. A zeroed one is the whole table, or the part of it in the trace's window. Texts are borrowed. */
typedef struct TableBounds {
    const char *range, *begin, *end; /* as --range: either the first or the other two */
    const char *name;                /* exact name of slices, instants, counters */
    const char *thread;              /* as --thread of `varve stats` */
    bool        has_track;
    int64_t     track; /* a track id */
} TableBounds;

/* Returns in *query the scan that reads the bounded rows of a trace, without columns: `scan` is the table's own scan, or
 * another one that the table also reads. What it points to is in `arena`. False: err is ERR_USAGE for a value that makes
 * no sense, or ERR_MEMORY. */
bool bounds_query(const TableBounds *bounds, const SchemaTable *table, ScanTable scan, const Trace *trace, Arena *arena,
                  ScanQuery *query, Err *err) WARN_UNUSED;

#endif
