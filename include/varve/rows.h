/* varve/rows.h - the tables of a trace, in batches and as Arrow C streams. A part of varve/varve.h. */
#ifndef VARVE_ROWS_H
#define VARVE_ROWS_H
#include <varve/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- rows ----
 *
 * The tables: slice, instant, counter, track, thread, process, flow, state, sample, call, frame, arg, ... Each has the
 * columns that `varve query --schema` prints. Names are stable. */

typedef struct VarveSliceSet VarveSliceSet; /* made by varve_slice_set_find */

/* The part of a trace that a function reads. NULL, or zeroed: everything that was loaded. */
typedef struct VarvePart {
    const char *range;  /* as in VarveOptions; NULL = all */
    const char *thread; /* tracks of this name or thread id, or with it in their title; NULL = all */
    /* varve_rows_open, varve_arrow_open, varve_stats_open, varve_flame_open: exact name of the slice, instant or counter; NULL = all */
    const char *name;
    uint32_t track_id; /* rows with this value of the column track_id; 0 = all. Not together with `thread` */
    uint32_t reserved_flags;
    const VarveSliceSet
            *slices; /* varve_stats_open: only these slices; NULL = all. Borrowed during the call */
    uint64_t reserved[2];
} VarvePart;

/* False: no track has the `thread` of the part, or the trace has no text `name`, so that the part is empty. O(tracks). Any thread. */
VARVE_API bool varve_part_exists(const VarveTrace *trace, const VarvePart *part);

typedef enum VarveType {
    VARVE_BOOL,    /* uint8_t, 0 or 1 */
    VARVE_INTEGER, /* int64_t */
    VARVE_REAL,    /* double */
    VARVE_TEXT     /* uint32_t: varve_rows_text makes the text */
} VarveType;

typedef struct VarveColumnInfo {
    const char *name; /* static, as are the others */
    VarveType   type;
    const char *unit; /* "ns", "tick", "bytes", "slice" (an id in that table), ...; "" = none */
    const char *help;
} VarveColumnInfo;

/* Returns the name of table `index` from 0, static; NULL after the last. Any thread. */
VARVE_API const char *varve_table_name(uint32_t index);
/* Returns the description of a table, static; NULL if there is no such one. Any thread. */
VARVE_API const char *varve_table_help(const char *table);
/* Fills the description of column `index` of a table. False: there is no such table or column. Any thread. */
VARVE_API bool varve_table_column(const char *table, uint32_t index, VarveColumnInfo *column);
/* Returns the name of parameter `index` from 0 of the table function in SQL, static: "range", "thread", ...; NULL after the last. Any
 * thread. */
VARVE_API const char *varve_table_parameter(const char *table, uint32_t index);
/* Returns the name of a type in SQL, static: "BOOLEAN", "BIGINT", "DOUBLE", "VARCHAR". Any thread. */
VARVE_API const char *varve_type_name(VarveType type);
/* Replaces the content of `out` by all tables and columns as JSON, as `varve query --schema --json` prints them. Any thread. */
VARVE_API bool varve_schema_json(VarveBytes *out, VarveError *error);

/* One column of a batch. The member of the column's type points to `row_count` values. A row without a value has any, in a column of
 * texts one that varve_rows_text accepts. */
typedef struct VarveColumn {
    VarveType type;
    union {
        const uint8_t  *bools;
        const int64_t  *integers;
        const double   *reals;
        const uint32_t *texts;
    } values;
    const uint64_t *valid_bits; /* bit i % 64 of word i / 64: row i has a value; NULL = all rows have */
} VarveColumn;

/* True if row `row` of the column has no value. Any thread. */
static inline bool varve_is_null(const VarveColumn *column, uint32_t row)
{
    return column->valid_bits != NULL && (column->valid_bits[row / 64] >> (row % 64) & 1) == 0;
}

typedef struct VarveBatch {
    uint32_t           row_count; /* 0 = the end; at most 2048 */
    uint32_t           column_count;
    const VarveColumn *columns; /* valid until the next varve_rows_next */
} VarveBatch;

typedef struct VarveRows VarveRows;

/* Opens a table at its first row. Rows are ordered by track, then by depth, then by begin. `part` may be NULL. */
VARVE_API VarveRows *varve_rows_open(const VarveTrace *trace, const char *table, const VarvePart *part,
                                     VarveError *error);
VARVE_API void       varve_rows_close(VarveRows *rows);
/* Returns the index of the column of that name in the batches; -1 if the table has none. */
VARVE_API int32_t varve_rows_column(const VarveRows *rows, const char *name);
/* Fills the next batch; row_count 0 after the last row. */
VARVE_API bool varve_rows_next(VarveRows *rows, VarveBatch *batch, VarveError *error);
/* Returns the text of a value of a VARVE_TEXT column, valid until the next call with `rows`. Equal texts of a column
 * mostly have equal values, but need not. */
VARVE_API VarveText varve_rows_text(VarveRows *rows, uint32_t column, uint32_t value);

/* Opens the same rows as an Arrow C stream (https://arrow.apache.org/docs/format/CStreamInterface.html), for pyarrow, Polars,
 * DuckDB and others. Numbers are not copied. The stream of a live trace must be released before the next varve_live_push. The
 * arrays may be used and released later than the stream, by any thread. */
struct ArrowArrayStream;
VARVE_API bool varve_arrow_open(const VarveTrace *trace, const char *table, const VarvePart *part,
                                struct ArrowArrayStream *stream, VarveError *error);

#ifdef __cplusplus
}
#endif
#endif
