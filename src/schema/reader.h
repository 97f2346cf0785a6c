/* schema/reader.h - reads a whole table of a trace in batches of plain arrays: the rows that CSV, JSON Lines and Arrow hold.
 *
 * All tables read alike: those over a scan, the small ones and the arguments. The arrays are those of schema/values.h.
 * The rows are those of `SELECT * FROM table(...)` with the parameters in TableBounds; without parameters the part of the
 * trace's window, where it has one.
 *
 * Memory: one batch. One thread at a time uses a reader. */
#ifndef SCHEMA_READER_H
#define SCHEMA_READER_H
#include "schema/bounds.h"
#include "schema/values.h"

/* One column of a batch. The arrays belong to the reader. */
typedef struct TableColumn {
    void           *values; /* by SchemaColumn.type: schema/values.h */
    const uint64_t *valid;  /* bit i % 64 of word i / 64: row i is not NULL; NULL = no row is NULL */
} TableColumn;

typedef struct TableBatch {
    uint32_t           count; /* rows, 1 to SCAN_BATCH_ROWS */
    const TableColumn *columns;
} TableBatch;

/* True if row `row` of the column is NULL. */
static inline bool table_is_null(const TableColumn *column, uint32_t row)
{
    return column->valid != NULL && (column->valid[row / 64] >> row % 64 & 1) == 0;
}

typedef struct TableReader TableReader;

/* Opens a table at its first row. `bounds` may be NULL: all rows; it and its texts are not needed later. The reader lives in
 * `arena`; the trace and all that `trace` points to must outlive it. Close it with table_reader_close before the arena is released.
 * NULL: err is ERR_USAGE for bounds that make no sense, or ERR_MEMORY. */
TableReader *table_reader_open(const SchemaTrace *trace, const SchemaTable *table, const TableBounds *bounds,
                               Arena *arena, Err *err) WARN_UNUSED;
void         table_reader_close(TableReader *reader); /* NULL is allowed */

/* Returns the next batch in *batch, valid until the next call; NULL behind the last row. False: err is ERR_MEMORY. */
bool table_reader_next(TableReader *reader, const TableBatch **batch, Err *err) WARN_UNUSED;

/* Gives the reader new arrays in `arena`, which must outlive their last use: batches returned before stay valid as long as
 * their own arrays. False: err is ERR_MEMORY, and the reader keeps its arrays. */
bool table_reader_renew(TableReader *reader, Arena *arena, Err *err) WARN_UNUSED;

/* True if a text column's indices are those of a dictionary of the whole trace (values_texts), not of the batch. */
bool table_reader_has_dictionary(const TableReader *reader, uint32_t column);
/* Returns the text of an index of a text column, valid until the next call of any function of the reader. Out of memory, it
 * is empty, and the next table_reader_next fails. */
StringView table_reader_text(TableReader *reader, uint32_t column, uint32_t index);

#endif
