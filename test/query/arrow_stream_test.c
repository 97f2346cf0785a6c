/* The Arrow C stream of a table: its rows in DuckDB are those of SQL, arrays outlive the stream, and memory may run out. */
#include "export/arrow_stream.h"

#include "format/load.h"
#include "query/sql.h"
#include "support/test.h"
#include "trace/store/lookup.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS = 5000 }; /* several batches */

static Loaded make_trace(Bytes *json)
{
    Loaded loaded;
    Err    err = { 0 };
    bytes_append_text(
        json,
        "[{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":1,\"args\":{\"name\":\"m\\u00e4in\"}}");
    for (int i = 0; i < EVENTS; i++) {
        bytes_printf(json, ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"ts\":%d,\"dur\":%d,\"name\":\"n%d\"%s}",
                     i % 3, 10 * i, i % 7, i % 11, i % 5 == 0 ? ",\"cat\":\"c\"" : "");
        bytes_printf(json, ",{\"ph\":\"C\",\"pid\":1,\"ts\":%d,\"name\":\"v\",\"args\":{\"v\":%d.25}}",
                     10 * i, i % 9);
        if (i % 4 == 0)
            bytes_printf(json, ",{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":%d,\"name\":\"i\",\"s\":\"t\"}",
                         10 * i);
    }
    bytes_append_text(json, ",{\"ph\":\"B\",\"pid\":1,\"tid\":1,\"ts\":99999,\"name\":\"unfinished\"}]");
    CHECK_DONE(load_bytes(json->data, json->size, "made.json", NULL, &loaded, &err), err);
    return loaded;
}

static const SchemaTable *table_of(const char *name)
{
    for (size_t i = 0; schema_table(i) != NULL; i++)
        if (strcmp(schema_table(i)->name, name) == 0) return schema_table(i);
    CHECK(false);
    return NULL;
}

/* -- DuckDB as the consumer -- */

typedef struct Consumer {
    void *library, *database, *connection;
    int (*open)(const char *path, void **database);
    int (*connect)(void *database, void **connection);
    int (*arrow_scan)(void *connection, const char *name, struct ArrowArrayStream *stream);
    int (*query)(void *connection, const char *sql, void *result);
    char *(*value)(void *result, uint64_t column, uint64_t row);
    const char *(*error)(void *result);
    void (*free)(void *memory);
    void (*destroy_result)(void *result);
    void (*disconnect)(void **connection);
    void (*close)(void **database);
} Consumer;

static bool consumer_open(Consumer *c)
{
    const char *path = getenv("VARVE_DUCKDB");
    *c = (Consumer){ .library = dlopen(path == NULL ? DUCKDB_LIBRARY : path, RTLD_NOW | RTLD_LOCAL) };
    if (c->library == NULL) return false;
    *(void **)&c->open = dlsym(c->library, "duckdb_open");
    *(void **)&c->connect = dlsym(c->library, "duckdb_connect");
    *(void **)&c->arrow_scan = dlsym(c->library, "duckdb_arrow_scan");
    *(void **)&c->query = dlsym(c->library, "duckdb_query");
    *(void **)&c->value = dlsym(c->library, "duckdb_value_varchar");
    *(void **)&c->error = dlsym(c->library, "duckdb_result_error");
    *(void **)&c->free = dlsym(c->library, "duckdb_free");
    *(void **)&c->destroy_result = dlsym(c->library, "duckdb_destroy_result");
    *(void **)&c->disconnect = dlsym(c->library, "duckdb_disconnect");
    *(void **)&c->close = dlsym(c->library, "duckdb_close");
    CHECK(c->open(NULL, &c->database) == 0 && c->connect(c->database, &c->connection) == 0);
    return true;
}

/* Appends a statement that combines the number and the hashes of all values. */
static void append_digest(const SchemaTable *table, const char *from, Bytes *sql)
{
    bytes_append_text(sql, "SELECT count(*)");
    for (uint32_t i = 0; i < table->column_count; i++)
        bytes_printf(sql, " || ' ' || sum(hash(\"%s\", %u)::HUGEINT)", table->columns[i].name, i);
    bytes_printf(sql, " AS digest FROM \"%s\" HAVING count(*) > 0", from);
    bytes_append(sql, "", 1);
    CHECK(!sql->failed);
}

static void digest_of_stream(const Consumer *c, const SchemaTrace *trace, const SchemaTable *table,
                             Bytes *out)
{
    struct ArrowArrayStream stream;
    DuckResult              result;
    Bytes                   sql = { 0 };
    Err                     err = { 0 };
    CHECK_DONE(arrow_stream_open(trace, table, NULL, &stream, &err), err);
    CHECK(c->arrow_scan(c->connection, "streamed", &stream) == 0);
    append_digest(table, "streamed", &sql);
    const int state = c->query(c->connection, (const char *)sql.data, &result);
    CHECK_STRING(c->error(&result), NULL);
    CHECK_INT(state, 0);
    char *value = c->value(&result, 0, 0);
    bytes_append_text(out, value == NULL ? "" : value);
    c->free(value);
    c->destroy_result(&result);
    if (stream.release != NULL) stream.release(&stream);
    bytes_release(&sql);
}

static void digest_of_sql(SqlDatabase *database, const SchemaTable *table, Bytes *out)
{
    Bytes    sql = { 0 };
    Err      err = { 0 };
    uint32_t rows;
    append_digest(table, table->name, &sql);
    SqlResult *result = sql_run(database, (const char *)sql.data, NULL, &err);
    CHECK_DONE(result != NULL, err);
    CHECK_DONE(sql_next(result, &rows, &err), err);
    if (rows > 0) {
        const SqlCell cell = sql_cell(result, 0, 0);
        bytes_append(out, cell.text.bytes, cell.text.size);
    }
    sql_release(result);
    bytes_release(&sql);
}

TEST(duckdb_reads_the_rows_of_sql)
{
    Bytes             json = { 0 };
    Loaded            loaded = make_trace(&json);
    const SchemaTrace trace = { .trace = loaded.trace, .name = "made.json" };
    Consumer          consumer;
    Err               err = { 0 };
    SqlOptions        options = { .threads = 1 };
    if (consumer_open(&consumer)) {
        SqlDatabase *database = sql_open(&trace, 1, &options, &err);
        size_t       filled = 0;
        CHECK_DONE(database != NULL, err);
        for (size_t i = 0; schema_table(i) != NULL; i++) {
            Bytes streamed = { 0 }, expected = { 0 };
            digest_of_stream(&consumer, &trace, schema_table(i), &streamed);
            digest_of_sql(database, schema_table(i), &expected);
            bytes_append(&streamed, "", 1);
            bytes_append(&expected, "", 1);
            CHECK_STRING((const char *)streamed.data, (const char *)expected.data);
            filled += expected.size > 1;
            bytes_release(&streamed);
            bytes_release(&expected);
        }
        CHECK(filled >= 7);
        sql_close(database);
        consumer.disconnect(&consumer.connection);
        consumer.close(&consumer.database);
    }
    loaded_release(&loaded);
    bytes_release(&json);
}

/* -- ownership -- */

TEST(arrays_outlive_the_stream_and_their_parents)
{
    enum { BATCHES = 8 };
    Bytes                   json = { 0 };
    Loaded                  loaded = make_trace(&json);
    const SchemaTrace       trace = { .trace = loaded.trace, .name = "made.json" };
    struct ArrowArrayStream stream;
    struct ArrowSchema      schema;
    struct ArrowArray       batches[BATCHES], ids[BATCHES], names[BATCHES];
    Err                     err = { 0 };
    int64_t                 count = 0;
    int                     batch_count = 0;
    CHECK_DONE(arrow_stream_open(&trace, table_of("slice"), NULL, &stream, &err), err);
    CHECK_INT(stream.get_schema(&stream, &schema), 0);
    CHECK_STRING(schema.children[1]->name, "id");
    CHECK_STRING(schema.children[1]->format, "l");
    CHECK_STRING(schema.children[2]->name, "name");
    CHECK_STRING(schema.children[2]->format, "i");
    CHECK_STRING(schema.children[2]->dictionary->format, "u");
    for (;; batch_count++) {
        CHECK(batch_count < BATCHES);
        CHECK_INT(stream.get_next(&stream, &batches[batch_count]), 0);
        if (batches[batch_count].release == NULL) break;
        struct ArrowArray **children = batches[batch_count].children;
        ids[batch_count] = *children[1]; /* moves the columns */
        children[1]->release = NULL;
        names[batch_count] = *children[2];
        children[2]->release = NULL;
        batches[batch_count].release(&batches[batch_count]);
    }
    CHECK(stream.get_last_error(&stream) == NULL);
    CHECK_INT(stream.get_next(&stream, &batches[batch_count]), 0);
    CHECK(batches[batch_count].release == NULL); /* still the end */
    stream.release(&stream);
    CHECK(stream.release == NULL && batch_count > 2);
    for (int i = 0; i < batch_count; i++) {
        const int64_t *values = ids[i].buffers[1];
        const int32_t *indices = names[i].buffers[1], *offsets = names[i].dictionary->buffers[1];
        const char    *texts = names[i].dictionary->buffers[2];
        for (int64_t row = 0; row < ids[i].length; row++, count++) {
            const StringView name =
                trace_label_name(loaded.trace, trace_slice_label(loaded.trace, (uint64_t)values[row]));
            const int32_t index = indices[row], size = offsets[index + 1] - offsets[index];
            CHECK(index < names[i].dictionary->length && (size_t)size == name.size);
            CHECK(memcmp(texts + offsets[index], name.bytes, name.size) == 0);
        }
        ids[i].release(&ids[i]);
        names[i].release(&names[i]);
    }
    CHECK_INT(count, EVENTS + 1);
    schema.release(&schema);
    loaded_release(&loaded);
    bytes_release(&json);
}

TEST(bounds_limit_the_rows_and_wrong_ones_are_refused)
{
    Bytes                   json = { 0 };
    Loaded                  loaded = make_trace(&json);
    const SchemaTrace       trace = { .trace = loaded.trace, .name = "made.json" };
    struct ArrowArrayStream stream;
    struct ArrowArray       batch;
    Err                     err = { 0 };
    CHECK_DONE(
        arrow_stream_open(&trace, table_of("slice"), &(TableBounds){ .name = "unfinished" }, &stream, &err),
        err);
    CHECK_INT(stream.get_next(&stream, &batch), 0);
    CHECK_INT(batch.length, 1);
    batch.release(&batch);
    stream.release(&stream);
    CHECK(!arrow_stream_open(&trace, table_of("slice"), &(TableBounds){ .range = "x" }, &stream, &err));
    CHECK_INT(err.code, ERR_USAGE);
    loaded_release(&loaded);
    bytes_release(&json);
}

/* Reads all rows. False: memory is out. */
static bool read_all(const SchemaTrace *trace, const SchemaTable *table)
{
    struct ArrowArrayStream stream;
    struct ArrowSchema      schema;
    struct ArrowArray       batch;
    Err                     err = { 0 };
    if (!arrow_stream_open(trace, table, NULL, &stream, &err)) {
        CHECK_INT(err.code, ERR_MEMORY);
        return false;
    }
    bool is_done = stream.get_schema(&stream, &schema) == 0;
    if (is_done) schema.release(&schema);
    while (is_done) {
        is_done = stream.get_next(&stream, &batch) == 0;
        if (!is_done) CHECK(batch.release == NULL);
        if (is_done && batch.release == NULL) break;
        if (is_done) batch.release(&batch);
    }
    if (!is_done) CHECK(stream.get_last_error(&stream) != NULL);
    stream.release(&stream);
    return is_done;
}

TEST(a_stream_says_when_memory_is_out)
{
    static const char *const TABLES[] = { "slice", "trace" };
    Bytes                    json = { 0 };
    Loaded                   loaded = make_trace(&json);
    const SchemaTrace        trace = { .trace = loaded.trace, .name = "made.json" };
    for (size_t t = 0; t < sizeof TABLES / sizeof TABLES[0]; t++) {
        bool     is_done = false;
        uint64_t request = 0;
        for (; !is_done && request < 10000; request++) {
            memory_fail_after(request);
            is_done = read_all(&trace, table_of(TABLES[t]));
            memory_fail_after(UINT64_MAX);
        }
        CHECK(is_done && request > 5);
    }
    loaded_release(&loaded);
    bytes_release(&json);
}

TEST_MAIN("arrow_stream", TEST_CASE(duckdb_reads_the_rows_of_sql),
          TEST_CASE(arrays_outlive_the_stream_and_their_parents),
          TEST_CASE(bounds_limit_the_rows_and_wrong_ones_are_refused),
          TEST_CASE(a_stream_says_when_memory_is_out))
