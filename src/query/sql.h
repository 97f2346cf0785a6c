/* query/sql.h - SQL over traces, by DuckDB.
 *
 * A database holds the tables of one or more traces and nothing else. Each table is a table function straight over
 * trace/scan/scan.h (query/tables.h), so nothing is copied in before a question. The schema is that of schema/schema.h.
 *
 * A database is closed off: it reads and writes no file but those of SqlOptions, opens no connection and loads no extension,
 * and SQL cannot change these settings. Its memory is bounded and it does not spill to disk. Temporary tables,
 * views and macros may be made; they end with the database.
 *
 * One thread at a time uses a database and its result. Any thread may cancel a statement through its Progress. */
#ifndef QUERY_SQL_H
#define QUERY_SQL_H
#include "base/arrow_abi.h"
#include "base/err.h"
#include "base/json_writer.h"
#include "base/progress.h"
#include "query/tables.h"

typedef struct SqlOptions {
    uint64_t    memory_bytes; /* limit on DuckDB's memory; 0 = a quarter of the machine's */
    unsigned    threads;      /* of DuckDB; 0 = as many as there are processors */
    const char *output;       /* the only file that COPY ... TO may write; NULL = none */
    const char *folder;       /* of files that it may write, too; NULL = none */
} SqlOptions;

typedef struct SqlDatabase SqlDatabase;
typedef struct SqlResult   SqlResult;

/* Opens a database over `count` traces, which are borrowed: they, and their names, must outlive it. NULL: err says why,
 * ERR_UNKNOWN when DuckDB's library was not found. Close it with sql_close, NULL is allowed. */
SqlDatabase *sql_open(const SchemaTrace *traces, size_t count, const SqlOptions *options,
                      Err *err) WARN_UNUSED;
void         sql_close(SqlDatabase *database);

/* Runs every statement of `sql`, and returns the result of the last one. NULL: err is ERR_USAGE with DuckDB's message (its
 * first line; all of it is sql_message), or ERR_CANCELLED once `progress` (NULL is allowed) was cancelled. Release the
 * result before the next call and before the database. */
SqlResult *sql_run(SqlDatabase *database, const char *sql, Progress *progress, Err *err) WARN_UNUSED;
void       sql_release(SqlResult *result); /* NULL is allowed */
/* Replaces the progress of a result, which sql_next reads; NULL is allowed. */
void sql_set_progress(SqlResult *result, Progress *progress);
/* Runs every statement of `sql`, and writes the rows of the last one, a query, to the file at `path` in Parquet: it must be
 * SqlOptions.output or in SqlOptions.folder. Fails as sql_run. */
bool sql_write_parquet(SqlDatabase *database, const char *sql, const char *path, Progress *progress,
                       Err *err) WARN_UNUSED;
/* The whole message of the last failure, with the line of the text that it points to; "" if nothing failed. Valid until
 * the next call. */
const char *sql_message(const SqlDatabase *database);
/* Returns the number of that line in the text of all statements, from 1; 0 if the message points to no line. */
uint32_t sql_message_line(const SqlDatabase *database);

/* Returns the name of trace `index` in the column `trace`: its path; with #2 behind it for the second trace of one path,
 * and so on. In `arena`; NULL when out of memory. */
const char *sql_trace_name(const char *const *paths, size_t index, Arena *arena) WARN_UNUSED;

/* How a value is to be read and written. */
typedef enum {
    SQL_BOOL,
    SQL_INTEGER,  /* int64_t */
    SQL_UNSIGNED, /* uint64_t */
    SQL_REAL,
    SQL_NUMBER, /* digits of a number that no other kind holds exactly, as text: HUGEINT, DECIMAL */
    SQL_TEXT,
    SQL_JSON /* a list, structure or map, as the text of one JSON value */
} SqlKind;

typedef struct SqlCell {
    bool is_null;
    union {
        bool       boolean;
        int64_t    integer;
        uint64_t   unsigned_integer;
        double     real;
        StringView text; /* SQL_NUMBER, SQL_TEXT, SQL_JSON: valid until the next sql_next */
    };
} SqlCell;

uint32_t    sql_column_count(const SqlResult *result);
const char *sql_column_name(const SqlResult *result, uint32_t column); /* valid as long as the result */
SqlKind     sql_column_kind(const SqlResult *result, uint32_t column);

/* Moves to the next batch of rows and returns their number; 0 at the end. False: err as of sql_run. */
bool    sql_next(SqlResult *result, uint32_t *rows, Err *err) WARN_UNUSED;
SqlCell sql_cell(const SqlResult *result, uint32_t column, uint32_t row);
/* Returns a value that is not NULL as text: numbers with all their digits, a real as the shortest text that reads back
 * equal, or nan, inf, -inf. The text is that of the cell, static, or in `buffer`. */
enum { SQL_TEXT_BYTES = JSON_DOUBLE_TEXT };
StringView sql_text(SqlKind kind, const SqlCell *cell, char buffer[SQL_TEXT_BYTES]);

/* Opens the rows of a result that were not read yet as an Arrow C stream, which then owns the result. The caller releases it
 * before the next call with the database; its arrays may be used later. False: err is ERR_MEMORY or ERR_UNKNOWN, and the result remains the
 * caller's. */
bool sql_arrow_open(SqlResult *result, struct ArrowArrayStream *out, Err *err) WARN_UNUSED;

#endif
