/* varve/query.h - SQL. A part of varve/varve.h. */
#ifndef VARVE_QUERY_H
#define VARVE_QUERY_H
#include <varve/rows.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- SQL ----
 *
 * By DuckDB, whose library (1.5 or later) is loaded at run time: $VARVE_DUCKDB, or libduckdb.so of the system. */

typedef struct VarveQueryOptions {
    uint64_t memory_bytes; /* limit on DuckDB's memory; 0 = a quarter of the machine's */
    uint32_t thread_count; /* 0 and 1: one thread */
    uint32_t reserved_flags;
    /* the file, and the folder of files, that may be written; NULL = none. Borrowed until varve_query_close */
    const char *output_path, *output_folder;
    /* cancels statements and the reading of their rows; borrowed until varve_query_close; NULL = none */
    VarveProgress *progress;
    uint64_t       reserved[2];
} VarveQueryOptions;

typedef struct VarveQuery VarveQuery;

/* Opens a database over `trace_count` traces. The array is copied. It reads no other data. `options` may be NULL. Fails with
 * VARVE_ERROR_UNKNOWN if DuckDB was not found. */
VARVE_API VarveQuery *varve_query_open(const VarveTrace *const *traces, uint32_t trace_count,
                                       const VarveQueryOptions *options, VarveError *error);
VARVE_API void        varve_query_close(VarveQuery *query);
/* Runs the statements and keeps the result of the last one until the next run. `progress` is of this call alone; NULL = that of
 * the options. VARVE_ERROR_USAGE: DuckDB reports an error. */
VARVE_API bool varve_query_run(VarveQuery *query, const char *sql, VarveProgress *progress,
                               VarveError *error);
/* As varve_query_run, but writes the rows of the last statement, a query, to a Parquet file, which is output_path of the options or
 * in output_folder. There is no result. */
VARVE_API bool varve_query_parquet(VarveQuery *query, const char *sql, const char *path,
                                   VarveProgress *progress, VarveError *error);
/* Returns the whole message of DuckDB about the last failure, of one or more lines, with the place in the statement; "" = none. */
VARVE_API const char *varve_query_message(const VarveQuery *query);
/* Return the number of columns of the result, and the name of a column: NULL if there is no such one. */
VARVE_API uint32_t    varve_query_column_count(const VarveQuery *query);
VARVE_API const char *varve_query_column_name(const VarveQuery *query, uint32_t column);

typedef enum VarveCellKind {
    VARVE_CELL_NULL,
    VARVE_CELL_BOOL,
    VARVE_CELL_INTEGER,
    VARVE_CELL_UNSIGNED,
    VARVE_CELL_REAL,
    VARVE_CELL_NUMBER, /* digits in `text`: no other kind holds the number exactly */
    VARVE_CELL_TEXT,
    VARVE_CELL_JSON /* a list, structure or map: JSON in `text` */
} VarveCellKind;

typedef struct VarveCell {
    VarveCellKind kind;
    int64_t       integer; /* VARVE_CELL_INTEGER; 0 or 1 of VARVE_CELL_BOOL */
    uint64_t      unsigned_integer;
    double        real;
    VarveText     text; /* valid until the next varve_query_next */
} VarveCell;

/* Returns the kind of the values of a column: never VARVE_CELL_NULL, except if there is no such column. */
VARVE_API VarveCellKind varve_query_column_kind(const VarveQuery *query, uint32_t column);
/* Goes to the next rows of the result and sets *row_count to their number; 0 after the last. */
VARVE_API bool varve_query_next(VarveQuery *query, uint32_t *row_count, VarveError *error);
/* Fills a value of these rows. False: there is no such row or column. */
VARVE_API bool varve_query_cell(const VarveQuery *query, uint32_t column, uint32_t row, VarveCell *cell);
/* Returns the value as text: all digits of integers, reals as the shortest text that reads back equal, "true", "nan", "inf"; "" for
 * VARVE_CELL_NULL. It is in `buffer`, in the cell, or static. Any thread. */
#define VARVE_CELL_TEXT_BYTES 48
VARVE_API VarveText varve_cell_text(const VarveCell *cell, char buffer[VARVE_CELL_TEXT_BYTES]);
/* Moves the rows of the result that were not read yet into an Arrow C stream, as varve_arrow_open does for a table. Release
 * it before the next varve_query_run. Lists, structures and maps are JSON. */
VARVE_API bool varve_query_arrow(VarveQuery *query, struct ArrowArrayStream *stream, VarveError *error);

#ifdef __cplusplus
}
#endif
#endif
