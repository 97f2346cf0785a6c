/* varve-bench-query [SLICES] - answers two questions about a made trace in several ways, and prints the seconds of one core
 * (elapsed, the least of three runs).
 *
 * The questions: count and total duration by name, of 10,000,000 slices of 1,000 names if not said otherwise; the longest
 * slice of one name in a window of a thousandth of the trace. The ways: a plain loop over the columns; SQL over the trace
 * (query/sql.h); SQL over a table of DuckDB with the same rows, copied before; SQLite likewise, with an index by time, where
 * libsqlite3 is found. */
#include "query/sql.h"
#include "trace/log/builder.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { NAMES = 1000, TICKS = 100, RUNS = 3 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* One thread with slices behind each other. */
static Trace *make_trace(uint64_t slices, Err *err)
{
    TraceBuilder *builder = builder_create("bench", 0);
    LabelId       labels[NAMES];
    uint64_t      state = 1;
    if (builder == NULL) return NULL;
    for (unsigned i = 0; i < NAMES; i++) {
        char      name[32];
        const int size = snprintf(name, sizeof name, "a_function_of_the_trace_%u", i);
        labels[i] = builder_label(builder, builder_string(builder, name, (size_t)size), STRING_NONE);
    }
    const TrackId thread = builder_thread(builder, builder_process(builder, ident_int(1)), ident_int(1));
    for (uint64_t i = 0; i < slices; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const int64_t  begin = (int64_t)i * TICKS;
        const EventPos pos = { i, i };
        builder_begin(builder, thread, begin, labels[(state >> 33) % NAMES], pos, 0);
        builder_end(builder, thread, begin + (int64_t)(state >> 50) % TICKS, LABEL_NONE, pos, 0);
    }
    Trace *trace = builder_finish(builder, 1, NULL, err);
    builder_destroy(builder);
    return trace;
}

/* -- a plain loop -- */

static double loop_seconds(const Trace *trace)
{
    double least = 0;
    for (int run = 0; run < RUNS; run++) {
        static uint64_t counts[NAMES + 1], totals[NAMES + 1];
        const double    begin = now();
        for (uint64_t i = 0; i < trace->slices.count; i++) {
            counts[trace_slice_label(trace, i)]++;
            totals[trace_slice_label(trace, i)] += trace->slices.duration[i];
        }
        const double seconds = now() - begin;
        if (run == 0 || seconds < least) least = seconds;
    }
    return least;
}

/* -- DuckDB -- */

/* Runs a statement and reads its rows. Exits on a failure. */
static double sql_seconds(SqlDatabase *database, const char *sql, int runs)
{
    double least = 0;
    for (int run = 0; run < runs; run++) {
        Err          err;
        const double begin = now();
        SqlResult   *result = sql_run(database, sql, NULL, &err);
        uint32_t     rows = result != NULL;
        while (rows > 0)
            if (!sql_next(result, &rows, &err)) result = NULL;
        if (result == NULL) {
            (void)fprintf(stderr, "%s: %s\n", sql, err.message);
            exit(1);
        }
        sql_release(result);
        const double seconds = now() - begin;
        if (run == 0 || seconds < least) least = seconds;
    }
    return least;
}

static void print(const char *way, double by_name, double lookup)
{
    printf("%-28s %8.3f s %12.5f s\n", way, by_name, lookup);
}

static void measure_duckdb(const Trace *trace, uint64_t slices)
{
    const SchemaTrace file = { .trace = trace, .name = "made" };
    const SqlOptions  options = { .threads = 1, .memory_bytes = UINT64_C(4) << 30 };
    char              window[256], copied[256];
    Err               err;
    SqlDatabase      *database = sql_open(&file, 1, &options, &err);
    if (database == NULL) {
        printf("no SQL: %s\n", err.message);
        return;
    }
    const uint64_t begin = slices / 2 * TICKS, end = begin + slices / 1000 * TICKS;
    (void)snprintf(window, sizeof window,
                   "SELECT max(duration_ns) FROM slice(range := '%" PRIu64 "ns..%" PRIu64
                   "ns', name := 'a_function_of_the_trace_7')",
                   begin, end);
    print("SQL over the trace",
          sql_seconds(database, "SELECT name, count(*), sum(duration_ns) FROM slice GROUP BY name", RUNS),
          sql_seconds(database, window, RUNS));
    (void)sql_seconds(database, "CREATE TABLE copied AS SELECT name, begin_ns, duration_ns FROM slice", 1);
    (void)snprintf(copied, sizeof copied,
                   "SELECT max(duration_ns) FROM copied WHERE begin_ns >= %" PRIu64 " AND begin_ns < %" PRIu64
                   " AND name = 'a_function_of_the_trace_7'",
                   begin, end);
    print("SQL over a table of DuckDB",
          sql_seconds(database, "SELECT name, count(*), sum(duration_ns) FROM copied GROUP BY name", RUNS),
          sql_seconds(database, copied, RUNS));
    sql_close(database);
}

/* -- SQLite, from its documentation (sqlite.org/c3ref) -- */

typedef struct Sqlite {
    int (*open)(const char *, void **);
    int (*exec)(void *, const char *, int (*row)(void *, int, char **, char **), void *, char **);
    int (*prepare_v2)(void *, const char *, int, void **, const char **);
    int (*bind_int64)(void *, int, int64_t);
    int (*bind_text)(void *, int, const char *, int, void (*)(void *));
    int (*step)(void *);
    int (*reset)(void *);
    int (*finalize)(void *);
    int (*close)(void *);
} Sqlite;

static bool load_sqlite(Sqlite *sqlite)
{
    static const char *const NAMES_OF[] = { "sqlite3_open",       "sqlite3_exec",      "sqlite3_prepare_v2",
                                            "sqlite3_bind_int64", "sqlite3_bind_text", "sqlite3_step",
                                            "sqlite3_reset",      "sqlite3_finalize",  "sqlite3_close" };
    void                    *library = dlopen("libsqlite3.so.0", RTLD_NOW);
    for (size_t i = 0; library != NULL && i < sizeof NAMES_OF / sizeof NAMES_OF[0]; i++) {
        void *address = dlsym(library, NAMES_OF[i]);
        if (address == NULL) return false;
        memcpy((char *)sqlite + i * sizeof address, &address, sizeof address);
    }
    return library != NULL;
}

static double sqlite_seconds(const Sqlite *sqlite, void *database, const char *sql)
{
    double least = 0;
    for (int run = 0; run < RUNS; run++) {
        const double begin = now();
        if (sqlite->exec(database, sql, NULL, NULL, NULL) != 0) exit(1);
        const double seconds = now() - begin;
        if (run == 0 || seconds < least) least = seconds;
    }
    return least;
}

static void measure_sqlite(const Trace *trace, uint64_t slices)
{
    Sqlite sqlite;
    void  *database = NULL, *insert = NULL;
    char   lookup[256];
    if (!load_sqlite(&sqlite) || sqlite.open(":memory:", &database) != 0) {
        puts("no SQLite");
        return;
    }
    (void)sqlite.exec(database,
                      "BEGIN; CREATE TABLE copied (name TEXT, begin_ns INTEGER, duration_ns INTEGER)", NULL,
                      NULL, NULL);
    (void)sqlite.prepare_v2(database, "INSERT INTO copied VALUES (?, ?, ?)", -1, &insert, NULL);
    for (uint64_t i = 0; i < trace->slices.count; i++) {
        const StringView name = trace_label_name(trace, trace_slice_label(trace, i));
        (void)sqlite.bind_text(insert, 1, name.bytes, (int)name.size, NULL);
        (void)sqlite.bind_int64(insert, 2, trace_slice_begin(trace, i));
        (void)sqlite.bind_int64(insert, 3, trace->slices.duration[i]);
        (void)sqlite.step(insert);
        (void)sqlite.reset(insert);
    }
    (void)sqlite.finalize(insert);
    (void)sqlite.exec(database, "COMMIT; CREATE INDEX by_time ON copied (begin_ns)", NULL, NULL, NULL);
    (void)snprintf(lookup, sizeof lookup,
                   "SELECT max(duration_ns) FROM copied WHERE begin_ns >= %" PRIu64 " AND begin_ns < %" PRIu64
                   " AND name = 'a_function_of_the_trace_7'",
                   slices / 2 * TICKS, slices / 2 * TICKS + slices / 1000 * TICKS);
    print("SQLite, indexed by time",
          sqlite_seconds(&sqlite, database,
                         "SELECT name, count(*), sum(duration_ns) FROM copied GROUP BY name"),
          sqlite_seconds(&sqlite, database, lookup));
    (void)sqlite.close(database);
}

int main(int count, char **words)
{
    const uint64_t slices = count > 1 ? strtoull(words[1], NULL, 10) : 10000000;
    Err            err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    Trace         *trace = make_trace(slices, &err);
    if (trace == NULL) return 1;
    printf("%-28s %10s %14s\n", "", "by name", "lookup");
    printf("%-28s %8.3f s %14s\n", "a loop over the columns", loop_seconds(trace), "-");
    measure_duckdb(trace, slices);
    measure_sqlite(trace, slices);
    trace_release(trace);
    return 0;
}
