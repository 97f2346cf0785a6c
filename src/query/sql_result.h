/* query/sql_result.h - a database and a result, shared by the files that implement query/sql.h. */
#ifndef QUERY_SQL_RESULT_H
#define QUERY_SQL_RESULT_H
#include "query/duckdb.h"
#include "query/sql.h"

struct SqlDatabase {
    Arena          arena; /* holds this too */
    const DuckDb  *duck;
    DuckDatabase   database;
    DuckConnection connection;
    SqlTables     *tables;
    Bytes          message;      /* of the last failure, with a NUL */
    uint32_t       first_line;   /* of the statement that runs, in the text of all statements, from 1 */
    uint32_t       message_line; /* that the message points to, likewise; 0 = none */
};

typedef struct ResultColumn {
    const char *name;
    DuckType    type;
    SqlKind     kind;
    /* Of the batch. */
    const void     *data;
    const uint64_t *validity; /* NULL = no value is NULL */
} ResultColumn;

struct SqlResult {
    SqlDatabase  *database;
    Arena         arena; /* holds this too */
    Progress     *progress;
    DuckResult    result;
    DuckChunk     chunk; /* the batch */
    ResultColumn *columns;
    uint32_t      column_count;
    bool          is_ended; /* all batches were read */
};

#endif
