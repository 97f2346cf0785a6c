/* The answers "sql", "sql-result", "sql-cancel" and "sql-schema" of the native engine. */
#include "app/session/answer_json.h"
#include "app/session/handlers.h"
#include "app/session/params.h"
#include "app/session/session_sql.h"
#include "app/session/slot.h"
#include "app/session/slot_live.h"
#include "base/thread.h"
#include "base/utf8.h"
#include "export/event_reader.h"
#include "query/sql.h"

#include <assert.h>
#include <string.h>

enum {
    RUNS_KEPT = 4,          /* limit on running statements and stored results */
    RESULT_ROWS = 10000,    /* limit on the rows of a result */
    RESULT_BYTES = 32 << 20 /* a result ends after the row that exceeds this size */
};

/* A statement and its result. It runs on its own thread, so that no other request waits. */
typedef struct SqlRun {
    Arena        arena; /* holds this struct */
    uint64_t     number;
    Session     *session; /* borrowed */
    const char  *sql;     /* in arena */
    Thread      *thread;  /* in arena */
    Progress     progress;
    _Atomic bool has_ended; /* `result` is complete */
    Bytes        result;    /* SQL_RESULT of session.h; written by the thread before it stores has_ended */
} SqlRun;

struct SessionSql {
    Arena    arena; /* holds this struct and the lock */
    Lock    *lock;  /* protects the members below */
    uint64_t run_count;
    SqlRun  *runs[RUNS_KEPT]; /* owned; NULL = unused */
};

/* The traces of a statement: copies of the growing ones, or, without memory for a copy, the trace itself under live_read. */
typedef struct SqlInputs {
    size_t       count;
    SessionSlot *slots[SESSION_MAX_TRACES];
    uint64_t     shapes[SESSION_MAX_TRACES]; /* to which the ids belong */
    LiveCopy    *copies[SESSION_MAX_TRACES]; /* NULL = the trace itself */
    Loaded       loaded[SESSION_MAX_TRACES];
    const char  *paths[SESSION_MAX_TRACES];
    EventReader  readers[SESSION_MAX_TRACES];
    SchemaTrace  traces[SESSION_MAX_TRACES];
} SqlInputs;

bool session_sql_create(Session *session)
{
    Arena       arena = arena_create(0);
    SessionSql *sql = ARENA_NEW(&arena, SessionSql);
    if (sql != NULL) sql->lock = lock_create(&arena);
    if (sql == NULL || sql->lock == NULL) {
        arena_release(&arena);
        return false;
    }
    sql->arena = arena;
    session->sql = sql;
    return true;
}

static void run_release(SqlRun *run)
{
    if (run == NULL) return;
    thread_join(run->thread);
    bytes_release(&run->result);
    Arena arena = run->arena; /* the arena holds the run itself */
    arena_release(&arena);
}

static void cancel_runs(SessionSql *sql)
{
    for (size_t i = 0; i < RUNS_KEPT; i++)
        if (sql->runs[i] != NULL) atomic_store(&sql->runs[i]->progress.cancelled, true);
}

void session_sql_destroy(SessionSql *sql)
{
    if (sql == NULL) return;
    cancel_runs(sql);
    for (size_t i = 0; i < RUNS_KEPT; i++)
        run_release(sql->runs[i]);
    lock_destroy(sql->lock);
    Arena arena = sql->arena; /* the arena holds the struct itself */
    arena_release(&arena);
}

/* -- the traces -- */

static bool input_open(SqlInputs *inputs, SessionSlot *slot, Arena *arena)
{
    const size_t i = inputs->count++;
    inputs->slots[i] = slot;
    inputs->paths[i] = slot->path;
    live_read(slot->live);
    inputs->shapes[i] = live_shape(slot->live);
    inputs->copies[i] = live_copy_of(slot, &inputs->loaded[i]);
    inputs->traces[i] = (SchemaTrace){ .trace = inputs->loaded[i].trace,
                                       .name = sql_trace_name(inputs->paths, i, arena),
                                       .bytes = inputs->loaded[i].bytes,
                                       .arguments = &inputs->readers[i].source };
    return event_reader_open(&inputs->readers[i], &inputs->loaded[i], NULL) && inputs->traces[i].name != NULL;
}

/* True if the trace is an input: not a copy for another perspective, which has the same events. Of a file that is read by ranges the
 * copy is an input: the whole file. */
static bool is_input(const Session *session, const SessionSlot *slot)
{
    if (atomic_load(&slot->state) != SLOT_READY || slot->remote != NULL) return false;
    return !slot->is_copy || session->slots[slot->of]->remote != NULL;
}

/* Returns a trace that is read by ranges and was not loaded as a whole, or NULL. */
static const SessionSlot *find_remote(const Session *session)
{
    const uint32_t count = atomic_load(&session->slot_count);
    for (uint32_t i = 0; i < count; i++) {
        const SessionSlot *slot = session->slots[i];
        bool               is_whole = false;
        if (atomic_load(&slot->state) != SLOT_READY || slot->remote == NULL) continue;
        for (uint32_t copy = 0; copy < count; copy++)
            is_whole = is_whole || (session->slots[copy]->is_copy && session->slots[copy]->of == i &&
                                    is_input(session, session->slots[copy]));
        if (!is_whole) return slot;
    }
    return NULL;
}

/* Opens every ready trace that is an input. */
static bool inputs_open(SqlInputs *inputs, const Session *session, Arena *arena)
{
    const uint32_t count = atomic_load(&session->slot_count);
    for (uint32_t i = 0; i < count; i++) {
        SessionSlot *slot = session->slots[i];
        if (!is_input(session, slot)) continue;
        if (!input_open(inputs, slot, arena)) return false;
    }
    return true;
}

static void inputs_close(SqlInputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++) {
        event_reader_release(&inputs->readers[i]);
        live_copy_done(inputs->slots[i], inputs->copies[i]);
    }
}

/* -- the result -- */

/* Writes the members of SQL_RESULT before "columns". `err`: of a statement that failed, else NULL. */
static void put_head(JsonWriter *w, uint64_t number, const char *state, const Err *err,
                     const SqlDatabase *database)
{
    const char    *message = database == NULL ? "" : sql_message(database);
    const uint32_t line = database == NULL ? 0 : sql_message_line(database);
    json_put_u64(w, "run", number);
    json_put_string(w, "state", state);
    json_put_string(w, "error", err == NULL ? NULL : *message == '\0' ? err->message : message);
    put_u64_or_null(w, "line", err == NULL ? 0 : line);
}

static void put_traces(JsonWriter *w, const SqlInputs *inputs)
{
    json_put_array(w, "traces");
    for (size_t i = 0; i < inputs->count; i++) {
        json_object_begin(w);
        json_put_u64(w, "trace", inputs->slots[i]->index);
        json_put_string(w, "name", inputs->traces[i].name);
        json_put_u64(w, "shape", inputs->shapes[i]);
        json_object_end(w);
    }
    json_array_end(w);
}

static void put_columns(JsonWriter *w, const SqlResult *result)
{
    static const char *const KINDS[] = {
        [SQL_BOOL] = "bool",     [SQL_INTEGER] = "integer", [SQL_UNSIGNED] = "integer", [SQL_REAL] = "real",
        [SQL_NUMBER] = "number", [SQL_TEXT] = "text",       [SQL_JSON] = "json"
    };
    json_put_array(w, "columns");
    for (uint32_t i = 0; i < sql_column_count(result); i++) {
        json_object_begin(w);
        json_put_string(w, "name", sql_column_name(result, i));
        json_put_string(w, "kind", KINDS[sql_column_kind(result, i)]);
        json_object_end(w);
    }
    json_array_end(w);
}

static void put_row(JsonWriter *w, const SqlResult *result, uint32_t row)
{
    json_array_begin(w);
    for (uint32_t i = 0; i < sql_column_count(result); i++) {
        const SqlCell cell = sql_cell(result, i, row);
        if (cell.is_null) {
            json_null(w);
            continue;
        }
        char text[SQL_TEXT_BYTES];
        json_string_bytes(w, sql_text(sql_column_kind(result, i), &cell, text));
    }
    json_array_end(w);
}

/* Writes "rows" and "more". */
static bool put_rows(JsonWriter *w, SqlResult *result, Err *err)
{
    uint32_t rows = 0;
    uint64_t count = 0;
    bool     is_done = true, has_more = false;
    json_put_array(w, "rows");
    while (!has_more && (is_done = sql_next(result, &rows, err)) && rows > 0) {
        for (uint32_t row = 0; row < rows && !has_more; row++) {
            has_more = count == RESULT_ROWS || w->out->size > RESULT_BYTES;
            if (!has_more) put_row(w, result, row);
            count++;
        }
    }
    json_array_end(w);
    json_put_bool(w, "more", has_more);
    return is_done && (!w->out->failed || err_set(err, ERR_MEMORY, "out of memory for the result"));
}

static bool write_result(SqlRun *run, const SqlInputs *inputs, const SqlDatabase *database, SqlResult *result,
                         Err *err)
{
    JsonWriter w = json_writer_to(&run->result, 0);
    json_object_begin(&w);
    put_head(&w, run->number, "done", NULL, database);
    put_columns(&w, result);
    const bool is_done = put_rows(&w, result, err);
    put_traces(&w, inputs);
    json_object_end(&w);
    return is_done;
}

/* Writes a result without columns. */
static void write_no_result(Bytes *out, uint64_t number, const char *state, const Err *err,
                            const SqlDatabase *database)
{
    static const char EMPTY[] = "\"columns\":[],\"rows\":[],\"more\":false,\"traces\":[]";
    JsonWriter        w = json_writer_to(out, 0);
    json_object_begin(&w);
    put_head(&w, number, state, err, database);
    json_raw_members(&w, EMPTY, sizeof EMPTY - 1);
    json_object_end(&w);
}

/* -- the thread of a statement -- */

/* Returns the number of threads: all but one processor, which is left for other requests. */
static unsigned threads_of_statement(void)
{
    const unsigned all = thread_count_default();
    return all > 1 ? all - 1 : 1;
}

static void run_statement(void *context)
{
    SqlRun      *run = context;
    Err          err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    SqlOptions   options = { .threads = threads_of_statement(), .memory_bytes = memory_spare() };
    SqlInputs   *inputs = ARENA_NEW(&run->arena, SqlInputs);
    SqlDatabase *database = NULL;
    SqlResult   *result = NULL;
    bool         is_done = false;
    if (inputs == NULL || !inputs_open(inputs, run->session, &run->arena)) {
        (void)err_set(&err, ERR_MEMORY, "out of memory for SQL");
    } else {
        database = sql_open(inputs->traces, inputs->count, &options, &err);
        if (database != NULL) result = sql_run(database, run->sql, &run->progress, &err);
        is_done = result != NULL && write_result(run, inputs, database, result, &err);
    }
    if (!is_done) {
        const bool is_cancelled = err.code == ERR_CANCELLED;
        bytes_clear(&run->result);
        write_no_result(&run->result, run->number, is_cancelled ? "cancelled" : "failed",
                        is_cancelled ? NULL : &err, database);
    }
    sql_release(result);
    sql_close(database);
    if (inputs != NULL) inputs_close(inputs);
    atomic_store(&run->has_ended, true);
}

static SqlRun *run_start(Session *session, uint64_t number, StringView statement)
{
    Arena   arena = arena_create(0);
    SqlRun *run = ARENA_NEW(&arena, SqlRun);
    char   *text = arena_push_copy(&arena, statement.bytes, statement.size);
    if (run == NULL || text == NULL) {
        arena_release(&arena);
        return NULL;
    }
    *run = (SqlRun){ .arena = arena, .number = number, .session = session, .sql = text };
    run->thread = thread_start(&run->arena, run_statement, run);
    if (run->thread != NULL) return run;
    run_release(run);
    return NULL;
}

/* -- the requests -- */

/* Returns an entry for a new run: unused, or that of the oldest ended run; NULL = all still run. */
static SqlRun **find_place(SessionSql *sql)
{
    SqlRun **oldest = NULL;
    for (size_t i = 0; i < RUNS_KEPT; i++) {
        SqlRun **run = &sql->runs[i];
        if (*run == NULL) return run;
        if (atomic_load(&(*run)->has_ended) && (oldest == NULL || (*run)->number < (*oldest)->number))
            oldest = run;
    }
    return oldest;
}

/* Returns a trace that is shown from the cache and not checked yet, or NULL. */
static SessionSlot *find_shown(const Session *session)
{
    const uint32_t count = atomic_load(&session->slot_count);
    for (uint32_t i = 0; i < count; i++)
        if (atomic_load(&session->slots[i]->state) == SLOT_SHOWN) return session->slots[i];
    return NULL;
}

void handle_sql(RequestContext *ctx)
{
    SessionSql      *sql = ctx->session->sql;
    const StringView text = ctx->body;
    SqlRun          *started = NULL;
    if (text.size == 0 || memchr(text.bytes, '\0', text.size) != NULL ||
        utf8_valid_prefix(text.bytes, text.size) != text.size) {
        (void)answer_fail(ctx->answer, SESSION_BAD_REQUEST, "the body must be the statement, in UTF-8");
        return;
    }
    SessionSlot *shown = find_shown(ctx->session);
    if (shown != NULL) {
        session_slot_await(shown);
        answer_running(ctx, 0);
        return;
    }
    const SessionSlot *remote = find_remote(ctx->session);
    if (remote != NULL) {
        answer_needs_whole(ctx->answer, remote);
        return;
    }
    lock_take(sql->lock);
    cancel_runs(sql);
    SqlRun **place = find_place(sql);
    if (place != NULL) {
        run_release(*place);
        *place = started = run_start(ctx->session, ++sql->run_count, text);
    }
    const uint64_t number = sql->run_count;
    lock_give(sql->lock);
    if (place == NULL) {
        (void)answer_fail(ctx->answer, SESSION_NOT_READY, "earlier statements have not ended yet");
    } else if (started == NULL) {
        (void)answer_fail(ctx->answer, SESSION_FAILED, "out of memory for a statement");
    } else {
        answer_u64(ctx, "run", number);
    }
}

/* Returns the requested run, under the lock; NULL: the answer is a failure. */
static SqlRun *param_run(RequestContext *ctx, uint64_t number)
{
    const SessionSql *sql = ctx->session->sql;
    for (size_t i = 0; i < RUNS_KEPT; i++)
        if (sql->runs[i] != NULL && sql->runs[i]->number == number) return sql->runs[i];
    (void)answer_fail(ctx->answer, SESSION_NOT_FOUND, "the result of this statement is not kept any longer");
    return NULL;
}

void handle_sql_result(RequestContext *ctx)
{
    SessionSql *sql = ctx->session->sql;
    uint64_t    number;
    if (!param_u64(ctx, "run", UINT64_MAX, &number)) return;
    lock_take(sql->lock);
    const SqlRun *run = param_run(ctx, number);
    if (run != NULL && !atomic_load(&run->has_ended)) {
        write_no_result(&ctx->answer->body, number, "running", NULL, NULL);
    } else if (run != NULL) {
        if (run->result.failed) ctx->answer->body.failed = true;
        bytes_append(&ctx->answer->body, run->result.data, run->result.size);
    }
    lock_give(sql->lock);
}

void handle_sql_cancel(RequestContext *ctx)
{
    SessionSql *sql = ctx->session->sql;
    uint64_t    number;
    if (!param_u64(ctx, "run", UINT64_MAX, &number)) return;
    lock_take(sql->lock);
    SqlRun *run = param_run(ctx, number);
    if (run != NULL) atomic_store(&run->progress.cancelled, true);
    lock_give(sql->lock);
    if (run == NULL) return;
    JsonWriter w = json_writer_to(&ctx->answer->body, 0);
    json_object_begin(&w);
    json_put_bool(&w, "cancelled", true);
    json_object_end(&w);
}

void handle_sql_schema(RequestContext *ctx)
{
    Err        err;
    JsonWriter w = json_writer_to(&ctx->answer->body, 0);
    json_object_begin(&w);
    json_put_string(&w, "missing", duckdb_load(&err) != NULL ? NULL : err.message);
    json_key(&w, "tables");
    schema_write_json(&w);
    json_object_end(&w);
}
