#include "query/sql.h"

#include "query/sql_result.h"
#include "query/statements.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* -- the database -- */

/* Appends a text in quotes. */
static void append_quoted(Bytes *out, const char *text, char quote)
{
    bytes_append(out, &quote, 1);
    for (; *text != '\0'; text++) {
        if (*text == quote) bytes_append(out, &quote, 1);
        bytes_append(out, text, 1);
    }
    bytes_append(out, &quote, 1);
}

/* Appends a statement that sets a list of one path. Appends nothing without a path. */
static void append_path_setting(Bytes *out, const char *setting, const char *path)
{
    if (path == NULL) return;
    bytes_printf(out, "SET %s = [", setting);
    append_quoted(out, path, '\'');
    bytes_append(out, "]", sizeof "]");
}

/* Turns off everything that reaches outside the database. The last setting keeps it so. */
static bool lock_down(SqlDatabase *database, const SqlOptions *options, Err *err)
{
    char  memory[64], threads[64];
    Bytes file = { 0 }, folder = { 0 };
    (void)snprintf(memory, sizeof memory, "SET memory_limit = '%" PRIu64 "B'",
                   options->memory_bytes != 0 ? options->memory_bytes : memory_total() / 4);
    (void)snprintf(threads, sizeof threads, "SET threads = %u", options->threads);
    append_path_setting(&file, "allowed_paths", options->output);
    append_path_setting(&folder, "allowed_directories", options->folder);
    const char *const settings[] = {
        options->memory_bytes != 0 || memory_total() != 0 ? memory : NULL,
        options->threads != 0 ? threads : NULL,
        "SET temp_directory = ''",
        "SET autoinstall_known_extensions = false",
        "SET autoload_known_extensions = false",
        "SET allow_community_extensions = false",
        (const char *)file.data,
        (const char *)folder.data,
        "SET enable_external_access = false",
        "SET lock_configuration = true",
    };
    bool is_set =
        !(file.failed || folder.failed) || err_set(err, ERR_MEMORY, "out of memory for the settings of SQL");
    for (size_t i = 0; i < sizeof settings / sizeof settings[0] && is_set; i++) {
        DuckResult result;
        if (settings[i] == NULL) continue;
        is_set = database->duck->query(database->connection, settings[i], &result) == DUCK_OK;
        if (!is_set) (void)err_set(err, ERR_UNKNOWN, "%.150s", database->duck->result_error(&result));
        database->duck->destroy_result(&result);
    }
    bytes_release(&file);
    bytes_release(&folder);
    return is_set;
}

static bool open_connection(SqlDatabase *database, Err *err)
{
    const DuckDb *duck = database->duck;
    char         *message = NULL;
    if (duck->open_ext(NULL, &database->database, NULL, &message) != DUCK_OK) {
        (void)err_set(err, ERR_UNKNOWN, "DuckDB: %.150s",
                      message == NULL ? "cannot open a database" : message);
        duck->free(message);
        return false;
    }
    return duck->connect(database->database, &database->connection) == DUCK_OK ||
           err_set(err, ERR_UNKNOWN, "DuckDB: cannot connect to its database");
}

SqlDatabase *sql_open(const SchemaTrace *traces, size_t count, const SqlOptions *options, Err *err)
{
    const DuckDb *duck = duckdb_load(err);
    if (duck == NULL) return NULL;
    Arena        arena = arena_create(0);
    SqlDatabase *database = ARENA_NEW(&arena, SqlDatabase);
    if (database == NULL) {
        (void)err_set(err, ERR_MEMORY, "out of memory for SQL");
        return NULL;
    }
    database->duck = duck;
    database->arena = arena;
    if (open_connection(database, err))
        database->tables = tables_create(duck, database->connection, traces, count, &database->arena, err);
    if (database->tables != NULL && lock_down(database, options, err)) return database;
    sql_close(database);
    return NULL;
}

const char *sql_trace_name(const char *const *paths, size_t index, Arena *arena)
{
    size_t same = 1;
    Bytes  name = { 0 };
    for (size_t i = 0; i < index; i++)
        same += strcmp(paths[i], paths[index]) == 0;
    bytes_append_text(&name, paths[index]);
    if (same > 1) bytes_printf(&name, "#%zu", same);
    const char *copy = name.failed ? NULL : arena_push_copy(arena, name.data, name.size);
    bytes_release(&name);
    return copy;
}

void sql_close(SqlDatabase *database)
{
    if (database == NULL) return;
    const DuckDb *duck = database->duck;
    if (database->connection != NULL) duck->disconnect(&database->connection);
    if (database->database != NULL) duck->close(&database->database);
    tables_release(database->tables);
    bytes_release(&database->message);
    Arena arena = database->arena;
    arena_release(&arena);
}

const char *sql_message(const SqlDatabase *database)
{
    return database->message.size == 0 || database->message.failed ? ""
                                                                   : (const char *)database->message.data;
}

uint32_t sql_message_line(const SqlDatabase *database)
{
    return database->message_line;
}

/* Keeps DuckDB's message for sql_message. A line number in it, "LINE 2: ...", counts from the begin of the statement: it becomes that of the
 * line in the text of all statements. The next line of the message has a caret under a word of that line, and stays so. */
static void keep_message(SqlDatabase *database, const char *message)
{
    static const char   MARK[] = "\nLINE ";
    Bytes              *out = &database->message;
    char               *digits_end = NULL;
    const char         *mark = strstr(message, MARK);
    const char         *digits = mark == NULL ? "" : mark + sizeof MARK - 1;
    const unsigned long line = strtoul(digits, &digits_end, 10);
    bytes_clear(out);
    database->message_line = 0;
    if (line == 0 || line > UINT32_MAX - database->first_line || *digits_end != ':') {
        bytes_append_text(out, message);
    } else {
        const char *caret = strchr(digits, '\n');
        database->message_line = database->first_line + (uint32_t)line - 1;
        bytes_append(out, message, (size_t)(digits - message));
        bytes_printf(out, "%" PRIu32, database->message_line);
        const size_t added = out->size - (size_t)(digits_end - message); /* more digits than there were */
        bytes_append(out, digits_end, caret == NULL ? strlen(digits_end) : (size_t)(caret + 1 - digits_end));
        if (caret != NULL) bytes_printf(out, "%*s%s", (int)added, "", caret + 1);
    }
    bytes_append(out, "", 1);
}

/* Keeps DuckDB's message, and returns its first line as the error. */
static bool fail(SqlDatabase *database, const Progress *progress, const char *message, Err *err)
{
    bytes_clear(&database->message);
    if (progress_cancelled(progress) || strncmp(message, "INTERRUPT", 9) == 0)
        return err_set(err, ERR_CANCELLED, "the query was cancelled");
    keep_message(database, message);
    return err_set(err, ERR_USAGE, "%.*s", (int)strcspn(message, "\n"), message);
}

/* -- statements -- */

static SqlKind kind_of(DuckType type)
{
    switch (type) {
    case DUCK_BOOLEAN:
        return SQL_BOOL;
    case DUCK_TINYINT:
    case DUCK_SMALLINT:
    case DUCK_INTEGER:
    case DUCK_BIGINT:
        return SQL_INTEGER;
    case DUCK_UTINYINT:
    case DUCK_USMALLINT:
    case DUCK_UINTEGER:
    case DUCK_UBIGINT:
        return SQL_UNSIGNED;
    case DUCK_FLOAT:
    case DUCK_DOUBLE:
        return SQL_REAL;
    case DUCK_HUGEINT:
    case DUCK_UHUGEINT:
    case DUCK_DECIMAL:
    case DUCK_BIGNUM:
        return SQL_NUMBER;
    case DUCK_LIST:
    case DUCK_STRUCT:
    case DUCK_MAP:
    case DUCK_UNION:
    case DUCK_ARRAY:
        return SQL_JSON;
    case DUCK_VARCHAR:
        break;
    }
    return SQL_TEXT;
}

static DuckType type_of(const SqlDatabase *database, DuckPrepared prepared, uint64_t column)
{
    DuckLogicalType logical = database->duck->prepared_statement_column_logical_type(prepared, column);
    DuckType        type = database->duck->get_type_id(logical);
    database->duck->destroy_logical_type(&logical);
    return type;
}

/* True if a value of the type is read from its vector as it is. DuckDB turns the others into text first. */
static bool is_read_directly(DuckType type)
{
    const SqlKind kind = kind_of(type);
    return type == DUCK_VARCHAR || (kind != SQL_TEXT && kind != SQL_NUMBER && kind != SQL_JSON);
}

/* Appends a statement that gives the same rows, with every value that is not read directly as text: lists, structures and
 * maps as JSON. */
static void append_as_text(const SqlDatabase *database, DuckPrepared prepared, const char *statement,
                           Bytes *out)
{
    const uint64_t count = database->duck->prepared_statement_column_count(prepared);
    bytes_append_text(out, "SELECT ");
    for (uint64_t i = 0; i < count; i++) {
        const DuckType type = type_of(database, prepared, i);
        if (i > 0) bytes_append_text(out, ", ");
        if (is_read_directly(type)) {
            bytes_printf(out, "c%" PRIu64, i);
        } else if (kind_of(type) == SQL_JSON) {
            bytes_printf(out, "CAST(to_json(c%" PRIu64 ") AS VARCHAR)", i);
        } else {
            bytes_printf(out, "CAST(c%" PRIu64 " AS VARCHAR)", i);
        }
        bytes_append_text(out, " AS ");
        char *name = database->duck->prepared_statement_column_name(prepared, i); /* ours to free */
        append_quoted(out, name == NULL ? "" : name, '"');
        database->duck->free(name);
    }
    bytes_append_text(out, " FROM (");
    bytes_append_text(out, statement);
    bytes_append_text(out, "\n) AS result(");
    for (uint64_t i = 0; i < count; i++)
        bytes_printf(out, "%sc%" PRIu64, i == 0 ? "" : ", ", i);
    bytes_append(out, ")", 2);
}

static DuckPrepared prepare(SqlDatabase *database, const char *statement, const Progress *progress, Err *err)
{
    const DuckDb *duck = database->duck;
    DuckPrepared  prepared = NULL;
    if (duck->prepare(database->connection, statement, &prepared) == DUCK_OK) return prepared;
    (void)fail(database, progress,
               prepared == NULL ? "DuckDB cannot prepare it" : duck->prepare_error(prepared), err);
    duck->destroy_prepare(&prepared);
    return NULL;
}

static bool describe_columns(SqlResult *result, DuckPrepared prepared, Err *err)
{
    const SqlDatabase *database = result->database;
    const uint64_t     count = database->duck->prepared_statement_column_count(prepared);
    result->columns = ARENA_ARRAY(&result->arena, ResultColumn, (size_t)count);
    if (result->columns == NULL || count > UINT32_MAX)
        return err_set(err, ERR_MEMORY, "out of memory for the result");
    result->column_count = (uint32_t)count;
    for (uint32_t i = 0; i < result->column_count; i++)
        result->columns[i].kind = kind_of(type_of(database, prepared, i));
    return true;
}

/* Prepares a statement whose values can all be read. Fills the columns of the result. */
static DuckPrepared prepare_readable(SqlResult *result, const char *statement, Err *err)
{
    SqlDatabase  *database = result->database;
    const DuckDb *duck = database->duck;
    DuckPrepared  prepared = prepare(database, statement, result->progress, err);
    bool          is_readable = true;
    if (prepared == NULL) return NULL;
    if (!describe_columns(result, prepared, err)) {
        duck->destroy_prepare(&prepared);
        return NULL;
    }
    for (uint32_t i = 0; i < result->column_count; i++)
        is_readable = is_readable && is_read_directly(type_of(database, prepared, i));
    if (is_readable || duck->prepared_statement_type(prepared) != DUCK_STATEMENT_SELECT) return prepared;
    Bytes text = { 0 };
    append_as_text(database, prepared, statement, &text);
    duck->destroy_prepare(&prepared);
    if (text.failed) {
        (void)err_set(err, ERR_MEMORY, "out of memory for the statement");
    } else {
        prepared = prepare(database, (const char *)text.data, result->progress, err);
    }
    bytes_release(&text);
    return prepared;
}

/* Works on the statement until its first rows are there. */
static bool execute(SqlResult *result, DuckPrepared prepared, Err *err)
{
    static const struct timespec PAUSE = { .tv_nsec = 100000 };
    SqlDatabase                 *database = result->database;
    const DuckDb                *duck = database->duck;
    DuckPending                  pending = NULL;
    DuckPendingState             state = DUCK_PENDING_FAILED;
    bool                         is_done = false;
    if (duck->pending_prepared_streaming(prepared, &pending) == DUCK_OK) {
        do {
            state = duck->pending_execute_task(pending);
            if (progress_cancelled(result->progress)) duck->interrupt(database->connection);
            /* all tasks are running in the threads of DuckDB */
            if (state == DUCK_NO_TASKS) (void)nanosleep(&PAUSE, NULL);
        } while (!duck->pending_execution_is_finished(state));
    }
    if (state == DUCK_PENDING_FAILED) {
        (void)fail(database, result->progress, duck->pending_error(pending), err);
    } else if (duck->execute_pending(pending, &result->result) != DUCK_OK) {
        (void)fail(database, result->progress, duck->result_error(&result->result), err);
    } else {
        is_done = true;
    }
    duck->destroy_pending(&pending);
    return is_done;
}

static SqlResult *run_statement(SqlDatabase *database, const char *statement, Progress *progress, Err *err)
{
    const DuckDb *duck = database->duck;
    Arena         arena = arena_create(0);
    SqlResult    *result = ARENA_NEW(&arena, SqlResult);
    if (result == NULL) {
        (void)err_set(err, ERR_MEMORY, "out of memory for the result");
        return NULL;
    }
    *result = (SqlResult){ .database = database, .arena = arena, .progress = progress };
    DuckPrepared prepared = prepare_readable(result, statement, err);
    bool         is_done = prepared != NULL && execute(result, prepared, err);
    if (prepared != NULL) duck->destroy_prepare(&prepared);
    /* A statement that is not a query, such as CREATE, has a result with columns of its own. */
    is_done = is_done && (duck->column_count(&result->result) == result->column_count ||
                          err_set(err, ERR_UNKNOWN, "DuckDB's result has other columns than its statement"));
    if (!is_done) {
        sql_release(result);
        return NULL;
    }
    for (uint32_t i = 0; i < result->column_count; i++) {
        result->columns[i].name = duck->column_name(&result->result, i);
        result->columns[i].type = duck->column_type(&result->result, i);
    }
    return result;
}

/* Rewrites the query in `statement` to write its rows to a Parquet file. */
static void make_copy(Bytes *statement, const char *path)
{
    Bytes copy = { 0 };
    bytes_append_text(&copy, "COPY (");
    bytes_append(&copy, statement->data, statement->size - 1);
    bytes_append_text(&copy, "\n) TO ");
    append_quoted(&copy, path, '\'');
    bytes_append_text(&copy, " (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)");
    bytes_append(&copy, "", 1);
    bytes_release(statement);
    *statement = copy;
}

static uint32_t count_lines(const char *text, size_t size)
{
    uint32_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += text[i] == '\n';
    return count;
}

/* Moves the next statement of `sql` to `out`, as statements_next. *line: the line it begins in, from 1. */
static bool next_statement(const char *sql, StringView *rest, Bytes *out, uint32_t *line)
{
    if (!statements_next(rest, out)) return false;
    *line =
        1 + count_lines(sql, (size_t)(rest->bytes - sql)) - count_lines((const char *)out->data, out->size);
    return true;
}

/* Runs all statements. Where `parquet` is a path, the last one writes its rows there. */
static SqlResult *run_all(SqlDatabase *database, const char *sql, const char *parquet, Progress *progress,
                          Err *err)
{
    StringView rest = c_string_view(sql);
    Bytes      statement = { 0 }, next = { 0 };
    SqlResult *result = NULL;
    uint32_t   next_line = 1;
    bytes_clear(&database->message);
    bool has_next = next_statement(sql, &rest, &statement, &next_line);
    if (!has_next) (void)fail(database, progress, "the text has no statement", err);
    while (has_next) {
        database->first_line = next_line;
        has_next = next_statement(sql, &rest, &next, &next_line);
        if (!has_next && parquet != NULL) make_copy(&statement, parquet);
        if (statement.failed || next.failed) {
            (void)err_set(err, ERR_MEMORY, "out of memory for the statement");
            break;
        }
        result = run_statement(database, (const char *)statement.data, progress, err);
        if (result == NULL || !has_next) break;
        sql_release(result);
        result = NULL;
        const Bytes spare = statement;
        statement = next;
        next = spare;
    }
    bytes_release(&statement);
    bytes_release(&next);
    return result;
}

SqlResult *sql_run(SqlDatabase *database, const char *sql, Progress *progress, Err *err)
{
    return run_all(database, sql, NULL, progress, err);
}

bool sql_write_parquet(SqlDatabase *database, const char *sql, const char *path, Progress *progress, Err *err)
{
    SqlResult *result = run_all(database, sql, path, progress, err);
    uint32_t   rows = 1;
    bool       is_done = result != NULL;
    while (is_done && rows > 0)
        is_done = sql_next(result, &rows, err);
    sql_release(result);
    return is_done;
}

void sql_set_progress(SqlResult *result, Progress *progress)
{
    result->progress = progress;
}

void sql_release(SqlResult *result)
{
    if (result == NULL) return;
    const DuckDb *duck = result->database->duck;
    if (result->chunk != NULL) duck->destroy_data_chunk(&result->chunk);
    duck->destroy_result(&result->result);
    Arena arena = result->arena;
    arena_release(&arena);
}

/* -- rows -- */

uint32_t sql_column_count(const SqlResult *result)
{
    return result->column_count;
}

const char *sql_column_name(const SqlResult *result, uint32_t column)
{
    assert(column < result->column_count);
    return result->columns[column].name;
}

SqlKind sql_column_kind(const SqlResult *result, uint32_t column)
{
    assert(column < result->column_count);
    return result->columns[column].kind;
}

bool sql_next(SqlResult *result, uint32_t *rows, Err *err)
{
    const DuckDb *duck = result->database->duck;
    *rows = 0;
    if (result->is_ended) return true;
    if (progress_cancelled(result->progress)) return fail(result->database, result->progress, "", err);
    do { /* a batch may be empty before the end */
        if (result->chunk != NULL) duck->destroy_data_chunk(&result->chunk);
        result->chunk = duck->fetch_chunk(result->result);
        if (result->chunk == NULL) {
            result->is_ended = true;
            const char *message = duck->result_error(&result->result);
            return message == NULL || *message == '\0' ||
                   fail(result->database, result->progress, message, err);
        }
        *rows = (uint32_t)duck->data_chunk_get_size(result->chunk);
    } while (*rows == 0);
    for (uint32_t i = 0; i < result->column_count; i++) {
        DuckVector vector = duck->data_chunk_get_vector(result->chunk, i);
        result->columns[i].data = duck->vector_get_data(vector);
        result->columns[i].validity = duck->vector_get_validity(vector);
    }
    return true;
}

static StringView text_at(const DuckString *strings, uint32_t row)
{
    const DuckString *string = &strings[row];
    return (StringView){ string->size <= DUCK_STRING_INLINE ? string->prefix : string->tail.bytes,
                         string->size };
}

SqlCell sql_cell(const SqlResult *result, uint32_t column, uint32_t row)
{
    assert(column < result->column_count && result->chunk != NULL);
    const ResultColumn *c = &result->columns[column];
    if (c->validity != NULL && (c->validity[row / 64] >> row % 64 & 1) == 0)
        return (SqlCell){ .is_null = true };
    switch (c->type) {
    case DUCK_BOOLEAN:
        return (SqlCell){ .boolean = ((const bool *)c->data)[row] };
    case DUCK_TINYINT:
        return (SqlCell){ .integer = ((const int8_t *)c->data)[row] };
    case DUCK_SMALLINT:
        return (SqlCell){ .integer = ((const int16_t *)c->data)[row] };
    case DUCK_INTEGER:
        return (SqlCell){ .integer = ((const int32_t *)c->data)[row] };
    case DUCK_BIGINT:
        return (SqlCell){ .integer = ((const int64_t *)c->data)[row] };
    case DUCK_UTINYINT:
        return (SqlCell){ .unsigned_integer = ((const uint8_t *)c->data)[row] };
    case DUCK_USMALLINT:
        return (SqlCell){ .unsigned_integer = ((const uint16_t *)c->data)[row] };
    case DUCK_UINTEGER:
        return (SqlCell){ .unsigned_integer = ((const uint32_t *)c->data)[row] };
    case DUCK_UBIGINT:
        return (SqlCell){ .unsigned_integer = ((const uint64_t *)c->data)[row] };
    case DUCK_FLOAT:
        return (SqlCell){ .real = (double)((const float *)c->data)[row] };
    case DUCK_DOUBLE:
        return (SqlCell){ .real = ((const double *)c->data)[row] };
    case DUCK_VARCHAR:
        return (SqlCell){ .text = text_at(c->data, row) };
    default: /* only of statements other than SELECT: prepare_readable */
        return (SqlCell){ .is_null = true };
    }
}

StringView sql_text(SqlKind kind, const SqlCell *cell, char buffer[SQL_TEXT_BYTES])
{
    switch (kind) {
    case SQL_BOOL:
        return cell->boolean ? STRING_LITERAL("true") : STRING_LITERAL("false");
    case SQL_INTEGER:
        return (StringView){ buffer, (size_t)snprintf(buffer, SQL_TEXT_BYTES, "%" PRId64, cell->integer) };
    case SQL_UNSIGNED:
        return (StringView){ buffer,
                             (size_t)snprintf(buffer, SQL_TEXT_BYTES, "%" PRIu64, cell->unsigned_integer) };
    case SQL_REAL:
        if (isfinite(cell->real)) return (StringView){ buffer, json_double_text(cell->real, buffer) };
        return isnan(cell->real) ? STRING_LITERAL("nan")
               : cell->real < 0  ? STRING_LITERAL("-inf")
                                 : STRING_LITERAL("inf");
    case SQL_NUMBER:
    case SQL_TEXT:
    case SQL_JSON:
        break;
    }
    return cell->text;
}
