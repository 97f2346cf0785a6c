/* schema/bounds.h - the part of a table that a query reads, as a query of trace/scan/scan.h. */
#ifndef SCHEMA_BOUNDS_H
#define SCHEMA_BOUNDS_H
#include "schema/schema.h"

/* The values of the parameters; NULL = not given. Zeroed bounds are those of the trace's window, or the whole table. Texts
 * are borrowed. */
typedef struct TableBounds {
    const char *range, *begin, *end; /* as --range: either the first or the other two */
    const char *name;                /* exact name of slices, instants, counters */
    const char *thread;              /* as --thread of `varve stats` */
    bool        has_track;
    int64_t     track; /* a track id */
    /* `track` selects rows of the whole table, as WHERE track_id = ... does. Else it may be a track that the table leaves out */
    bool track_is_column;
} TableBounds;

/* Sets *query to a scan of the bounded rows of a trace, without columns. `scan` is a scan of the table: arguments have two,
 * every other table has SchemaTable.scan. The arrays of *query are in `arena`. False: err is ERR_USAGE for an invalid
 * value, or ERR_MEMORY. */
bool bounds_query(const TableBounds *bounds, const SchemaTable *table, ScanTable scan, const Trace *trace,
                  Arena *arena, ScanQuery *query, Err *err) WARN_UNUSED;

#endif
