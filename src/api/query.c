/* SQL. */
#include "query/sql.h"

#include "api/api.h"
#include "export/event_reader.h"

#include <assert.h>
#include <stdatomic.h>

static_assert(VARVE_CELL_TEXT_BYTES >= SQL_TEXT_BYTES, "a text of varve_cell_text fits");

struct VarveQuery {
    Arena              arena;      /* holds this too */
    _Atomic uint32_t   user_count; /* the caller, and a stream */
    const VarveTrace **used;       /* trace_count of them */
    EventReader       *readers;
    SchemaTrace       *traces;
    uint32_t           trace_count;
    Progress          *progress; /* of the options; NULL = none */
    SqlDatabase       *database;
    SqlResult         *result; /* NULL = nothing has run */
    uint32_t           row_count;
};

/* Names the traces, and opens a reader of arguments for each. */
static bool add_traces(VarveQuery *query, const VarveTrace *const *traces, uint32_t count, Err *err)
{
    Arena       *arena = &query->arena;
    const char **paths = ARENA_ARRAY(arena, const char *, count);
    query->readers = ARENA_ARRAY(arena, EventReader, count);
    query->traces = ARENA_ARRAY(arena, SchemaTrace, count);
    query->used = ARENA_ARRAY(arena, const VarveTrace *, count);
    if (paths == NULL || query->used == NULL || query->readers == NULL || query->traces == NULL)
        return err_set(err, ERR_MEMORY, "out of memory for a database");
    for (uint32_t i = 0; i < count; i++) {
        const Loaded *loaded = &traces[i]->loaded;
        EventReader  *reader = &query->readers[i];
        paths[i] = loaded->name;
        query->used[i] = traces[i];
        query->trace_count = i + 1;
        api_trace_use(traces[i]);
        if (!event_reader_open(reader, loaded, NULL))
            return err_set(err, ERR_MEMORY, "out of memory for a database");
        query->traces[i] = (SchemaTrace){ .trace = loaded->trace,
                                          .name = sql_trace_name(paths, i, arena),
                                          .bytes = loaded->bytes,
                                          .arguments = &reader->source };
        if (query->traces[i].name == NULL) return err_set(err, ERR_MEMORY, "out of memory for a database");
    }
    return true;
}

VarveQuery *varve_query_open(const VarveTrace *const *traces, uint32_t trace_count,
                             const VarveQueryOptions *options, VarveError *error)
{
    static const VarveQueryOptions USUAL = { 0 };
    if (options == NULL) options = &USUAL;
    const SqlOptions sql = { .memory_bytes = options->memory_bytes,
                             .threads = api_threads(options->thread_count),
                             .output = options->output_path,
                             .folder = options->output_folder };
    Err              err = API_ERR;
    VarveQuery      *query = API_HANDLE(VarveQuery, error);
    if (query == NULL) return NULL;
    query->progress = api_progress(options->progress);
    atomic_init(&query->user_count, 1);
    if (add_traces(query, traces, trace_count, &err))
        query->database = sql_open(query->traces, trace_count, &sql, &err);
    if (query->database != NULL) return query;
    (void)api_fail(&err, error);
    varve_query_close(query);
    return NULL;
}

void varve_query_close(VarveQuery *query)
{
    if (query == NULL || atomic_fetch_sub(&query->user_count, 1) > 1) return;
    sql_release(query->result);
    sql_close(query->database);
    for (uint32_t i = 0; i < query->trace_count; i++) {
        event_reader_release(&query->readers[i]);
        api_trace_release(query->used[i]);
    }
    api_handle_release(query);
}

static void forget_result(VarveQuery *query)
{
    sql_release(query->result);
    query->result = NULL;
    query->row_count = 0;
}

bool varve_query_run(VarveQuery *query, const char *sql, VarveProgress *progress, VarveError *error)
{
    Err       err = API_ERR;
    Progress *used = progress == NULL ? query->progress : api_progress(progress);
    forget_result(query);
    query->result = sql_run(query->database, sql, used, &err);
    if (query->result == NULL) return api_fail(&err, error);
    sql_set_progress(query->result, query->progress); /* the caller may close the other now */
    return true;
}

bool varve_query_parquet(VarveQuery *query, const char *sql, const char *path, VarveProgress *progress,
                         VarveError *error)
{
    Err       err = API_ERR;
    Progress *used = progress == NULL ? query->progress : api_progress(progress);
    forget_result(query);
    return sql_write_parquet(query->database, sql, path, used, &err) || api_fail(&err, error);
}

const char *varve_query_message(const VarveQuery *query)
{
    return sql_message(query->database);
}

uint32_t varve_query_column_count(const VarveQuery *query)
{
    return query->result == NULL ? 0 : sql_column_count(query->result);
}

const char *varve_query_column_name(const VarveQuery *query, uint32_t column)
{
    return column < varve_query_column_count(query) ? sql_column_name(query->result, column) : NULL;
}

VarveCellKind varve_query_column_kind(const VarveQuery *query, uint32_t column)
{
    static const VarveCellKind KINDS[] = {
        [SQL_BOOL] = VARVE_CELL_BOOL,         [SQL_INTEGER] = VARVE_CELL_INTEGER,
        [SQL_UNSIGNED] = VARVE_CELL_UNSIGNED, [SQL_REAL] = VARVE_CELL_REAL,
        [SQL_NUMBER] = VARVE_CELL_NUMBER,     [SQL_TEXT] = VARVE_CELL_TEXT,
        [SQL_JSON] = VARVE_CELL_JSON
    };
    if (column >= varve_query_column_count(query)) return VARVE_CELL_NULL;
    return KINDS[sql_column_kind(query->result, column)];
}

bool varve_query_next(VarveQuery *query, uint32_t *row_count, VarveError *error)
{
    Err err = API_ERR;
    *row_count = 0;
    if (query->result == NULL) {
        (void)err_set(&err, ERR_USAGE, "no statement has run");
        return api_fail(&err, error);
    }
    query->row_count = 0;
    if (!sql_next(query->result, row_count, &err)) return api_fail(&err, error);
    query->row_count = *row_count;
    return true;
}

bool varve_query_cell(const VarveQuery *query, uint32_t column, uint32_t row, VarveCell *cell)
{
    if (row >= query->row_count || column >= varve_query_column_count(query)) return false;
    const SqlCell value = sql_cell(query->result, column, row);
    *cell = (VarveCell){ .kind = VARVE_CELL_NULL, .text = { "", 0 } };
    if (value.is_null) return true;
    cell->kind = varve_query_column_kind(query, column);
    switch (cell->kind) {
    case VARVE_CELL_BOOL:
        cell->integer = value.boolean;
        break;
    case VARVE_CELL_INTEGER:
        cell->integer = value.integer;
        break;
    case VARVE_CELL_UNSIGNED:
        cell->unsigned_integer = value.unsigned_integer;
        break;
    case VARVE_CELL_REAL:
        cell->real = value.real;
        break;
    case VARVE_CELL_NUMBER:
    case VARVE_CELL_TEXT:
    case VARVE_CELL_JSON:
        cell->text = api_text(value.text);
        break;
    case VARVE_CELL_NULL:
        break;
    }
    return true;
}

VarveText varve_cell_text(const VarveCell *cell, char buffer[VARVE_CELL_TEXT_BYTES])
{
    switch (cell->kind) {
    case VARVE_CELL_BOOL:
        return api_text(sql_text(SQL_BOOL, &(SqlCell){ .boolean = cell->integer != 0 }, buffer));
    case VARVE_CELL_INTEGER:
        return api_text(sql_text(SQL_INTEGER, &(SqlCell){ .integer = cell->integer }, buffer));
    case VARVE_CELL_UNSIGNED:
        return api_text(
            sql_text(SQL_UNSIGNED, &(SqlCell){ .unsigned_integer = cell->unsigned_integer }, buffer));
    case VARVE_CELL_REAL:
        return api_text(sql_text(SQL_REAL, &(SqlCell){ .real = cell->real }, buffer));
    case VARVE_CELL_NUMBER:
    case VARVE_CELL_TEXT:
    case VARVE_CELL_JSON:
        return cell->text;
    case VARVE_CELL_NULL:
        break;
    }
    return (VarveText){ "", 0 };
}

/* -- Arrow -- */

/* A stream of query/sql.h that uses the database. */
typedef struct QueryStream {
    Arena                   arena; /* holds this too */
    VarveQuery             *query;
    struct ArrowArrayStream rows;
} QueryStream;

static int stream_schema(struct ArrowArrayStream *from, struct ArrowSchema *out)
{
    QueryStream *stream = from->private_data;
    return stream->rows.get_schema(&stream->rows, out);
}

static int stream_next(struct ArrowArrayStream *from, struct ArrowArray *out)
{
    QueryStream *stream = from->private_data;
    return stream->rows.get_next(&stream->rows, out);
}

static const char *stream_error(struct ArrowArrayStream *from)
{
    QueryStream *stream = from->private_data;
    return stream->rows.get_last_error(&stream->rows);
}

static void stream_release(struct ArrowArrayStream *from)
{
    QueryStream *stream = from->private_data;
    stream->rows.release(&stream->rows);
    varve_query_close(stream->query);
    api_handle_release(stream);
    from->release = NULL;
}

bool varve_query_arrow(VarveQuery *query, struct ArrowArrayStream *stream, VarveError *error)
{
    Err          err = API_ERR;
    QueryStream *made = API_HANDLE(QueryStream, error);
    if (made == NULL) return false;
    if (query->result == NULL)
        (void)err_set(&err, ERR_USAGE, "no statement has run, or its result was taken");
    if (query->result == NULL || !sql_arrow_open(query->result, &made->rows, &err)) {
        api_handle_release(made);
        return api_fail(&err, error);
    }
    made->query = query;
    query->result = NULL;
    query->row_count = 0;
    atomic_fetch_add(&query->user_count, 1);
    *stream = (struct ArrowArrayStream){ .get_schema = stream_schema,
                                         .get_next = stream_next,
                                         .get_last_error = stream_error,
                                         .release = stream_release,
                                         .private_data = made };
    return true;
}
