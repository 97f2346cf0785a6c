/* The functions of varve/varve.h except the analysis (analysis_test.c), from a program that has nothing but the header. Valid C99 and C++11.
 *
 * usage: api_test FOLDER: that of test/data. Reports in TAP. */
#include "api_support.h"

/* -- open -- */

static size_t read_small(void *context, uint64_t offset, void *buffer, size_t size)
{
    const size_t all = sizeof SMALL - 1;
    ++*(int *)context;
    if (offset >= all) return 0;
    if (size > all - offset) size = all - (size_t)offset;
    memcpy(buffer, SMALL + offset, size);
    return size;
}

static void test_open(void)
{
    VarveError     error;
    VarveSource    source;
    VarveOptions   options;
    VarveProgress *progress = varve_progress_open();
    VarveSummary   summary;
    int            reads = 0;
    memset(&options, 0, sizeof options);
    CHECK(strcmp(varve_version(), VARVE_VERSION) == 0);
    CHECK(open_data("no-such-file", &error) == NULL);
    CHECK(error.code == VARVE_ERROR_INPUT && error.byte_offset == VARVE_NOWHERE && error.message[0] != '\0');
    CHECK(varve_open_bytes("hello", 5, "x", NULL, NULL) == NULL);
    CHECK(varve_open_bytes("hello", 5, "x", NULL, &error) == NULL && error.code == VARVE_ERROR_UNKNOWN);

    source.read = read_small;
    source.context = &reads;
    source.size_bytes = sizeof SMALL - 1;
    options.range = "0us..1us";
    options.progress = progress;
    options.thread_count = 2;
    VarveTrace *trace = varve_open_source(&source, "source", &options, &error);
    CHECK(trace != NULL && reads > 0);
    if (trace != NULL) varve_summary(trace, &summary);
    CHECK(trace != NULL && summary.slice_count == 1 && varve_progress_share(progress) == 1);
    varve_close(trace);

    options.range = "wrong";
    CHECK(varve_open_bytes(SMALL, sizeof SMALL - 1, "x", &options, &error) == NULL);
    CHECK(error.code == VARVE_ERROR_USAGE);
    options.range = NULL;
    varve_progress_cancel(progress);
    CHECK(varve_open_bytes(SMALL, sizeof SMALL - 1, "x", &options, &error) == NULL);
    CHECK(error.code == VARVE_ERROR_CANCELLED);
    varve_progress_close(progress);
    varve_progress_close(NULL);
    varve_close(NULL);
}

static void test_summary(void)
{
    VarveTrace   *trace = open_small();
    VarveSummary  summary;
    VarveProperty property;
    VarveWarning  warning;
    VarveError    error;
    char          text[VARVE_TIME_TEXT_BYTES];
    CHECK(is_text(varve_ns_text(10000, text), "10 \302\265s"));
    CHECK(varve_range_check("1us..2ms", &error) && varve_range_check("..5", &error));
    CHECK(!varve_range_check("2ms..1us", &error) && error.code == VARVE_ERROR_USAGE);
    varve_summary(trace, &summary);
    CHECK(is_text(summary.name, "small.json") && is_text(summary.format, "trace-event"));
    CHECK(summary.is_complete && summary.has_time && summary.duration_ns == 10000);
    CHECK(summary.slice_count == 2 && summary.instant_count == 1 && summary.counter_sample_count == 1);
    CHECK(summary.depth_most == 2 && summary.thread_count == 2 && summary.warning_count == 0);
    CHECK(summary.input_bytes == sizeof SMALL - 1 && summary.property_count == 1);
    CHECK(varve_property(trace, 0, &property) && is_text(property.key, "run") && is_text(property.json, "7"));
    CHECK(!varve_property(trace, 1, &property) && !varve_warning(trace, 0, &warning));
    varve_close(trace);
    trace = open_data("trace_event/be_unmatched_end.json", &error);
    CHECK(trace != NULL);
    if (trace == NULL) return;
    CHECK(varve_warning(trace, 0, &warning) && strcmp(warning.kind, "unmatched-end") == 0);
    CHECK(warning.count == 2 && warning.byte_offset == 2 && warning.event_index == 0);
    varve_close(trace);
}

static void test_formats(void)
{
    VarveFormat       format;
    VarveOutputFormat output;
    VarveTrace       *trace = open_small();
    char              identity[VARVE_IDENTITY_DIGITS + 1];
    uint32_t          count = 0, tables = 0, live = 0;
    for (; varve_format(count, &format); count++) {
        CHECK(format.name[0] != 0 && format.about[0] != 0 && format.spec[0] != 0);
        live += format.is_live;
    }
    CHECK(count >= 6 && live > 0 && live < count && !varve_format(UINT32_MAX, &format));
    for (count = 0; varve_output_format(count, &output); count++)
        tables += output.kind == VARVE_OF_TABLE;
    CHECK(count >= 12 && tables == 4 && strcmp(output.name, "parquet") == 0);
    CHECK(!varve_output_format(UINT32_MAX, &output));
    CHECK(varve_identity(trace, identity) && strlen(identity) == VARVE_IDENTITY_DIGITS);
    varve_close(trace);
}

static void test_info(void)
{
    VarveTrace *trace = open_small();
    VarveBytes  out;
    memset(&out, 0, sizeof out);
    CHECK(varve_info_json(trace, &out, NULL) && has_text(&out, "\"name\": \"trace-event\""));
    CHECK(varve_info_text(trace, VARVE_TEXT_PLAIN, &out, NULL) && has_text(&out, "small.json") &&
          !has_text(&out, "\033["));
    CHECK(varve_info_text(trace, VARVE_TEXT_COLORED, &out, NULL) && has_text(&out, "\033[1m"));
    CHECK(varve_check_text(trace, &out, NULL) && has_text(&out, "small.json: no anomalies\n"));
    varve_bytes_release(&out);
    varve_close(trace);
}

/* -- captures -- */

typedef struct Frames {
    uint64_t count, calls, families;
} Frames;

static bool add_frame(void *context, const VarveFrame *frame)
{
    Frames *frames = (Frames *)context;
    int     i;
    CHECK(frame->index == frames->count);
    frames->count++;
    frames->calls += frame->call_count;
    for (i = 0; i < VARVE_FAMILIES; i++)
        frames->families += frame->family_counts[i];
    return true;
}

static bool add_line(void *context, char mark, VarveText text)
{
    CHECK((mark == '-' || mark == '+' || mark == '@') && text.size_bytes > 0);
    ++*(uint64_t *)context;
    return true;
}

static void test_captures(const char *folder)
{
    VarveError    error, damage[2];
    VarveTrim     trim;
    VarveCallDiff diff;
    Frames        all = { 0, 0, 0 }, some = { 0, 0, 0 };
    uint64_t      differing = 0, lines = 0;
    char          path[1024], out[1060];
    memset(&trim, 0, sizeof trim);
    memset(&diff, 0, sizeof diff);
    snprintf(path, sizeof path, "%s/apitrace/backtrace.trace", data_folder);
    snprintf(out, sizeof out, "%s/varve-api-test.trace", folder);
    CHECK(varve_capture_frames(path, 1, add_frame, &all, &damage[0], &error));
    CHECK(damage[0].code == VARVE_OK && all.count > 0 && all.calls > 3 && all.families == all.calls);
    trim.calls = "1-2";
    CHECK(varve_capture_trim(path, &trim, out, 1, &damage[0], &error));
    CHECK(varve_capture_frames(out, 1, add_frame, &some, &damage[0], &error) && some.calls == 2);
    diff.line = add_line;
    diff.context = &lines;
    diff.choice = VARVE_CALLS_ALL;
    CHECK(varve_capture_diff(path, out, &diff, 1, &differing, damage, &error) && differing == all.calls - 2 &&
          lines > 0);
    diff.line = NULL;
    CHECK(varve_capture_diff(path, out, &diff, 1, &differing, NULL, NULL) && differing == all.calls - 2);
    diff.line = add_line;
    CHECK(varve_capture_repack(path, VARVE_CONTAINER_GZIP, -1, out, 1, &damage[0], &error));
    CHECK(varve_capture_diff(path, out, &diff, 1, &differing, damage, &error) && differing == 0);
    CHECK(damage[1].code == VARVE_OK);
    remove(out);
    trim.calls = "x";
    CHECK(!varve_capture_trim(path, &trim, out, 1, &damage[0], &error) && error.code == VARVE_ERROR_USAGE);
    CHECK(!varve_capture_repack(path, VARVE_CONTAINER_GZIP, 99, out, 1, &damage[0], &error) &&
          error.code == VARVE_ERROR_USAGE);
    snprintf(path, sizeof path, "%s/apitrace/no_such_file", data_folder);
    CHECK(!varve_capture_frames(path, 1, add_frame, &all, &damage[0], &error) &&
          error.code == VARVE_ERROR_INPUT);
    CHECK(strcmp(varve_family_name(VARVE_FAMILY_DRAW), "draw") == 0);
    CHECK(strcmp(varve_container_name(VARVE_CONTAINER_BROTLI), "brotli") == 0);
}

/* -- rows -- */

static void test_rows(void)
{
    VarveTrace     *trace = open_small();
    VarveError      error;
    VarveBatch      batch;
    VarveColumnInfo info;
    VarvePart       part;
    VarveBytes      json;
    VarveRows      *rows = varve_rows_open(trace, "slice", NULL, &error);
    memset(&part, 0, sizeof part);
    memset(&json, 0, sizeof json);
    CHECK(strcmp(varve_table_name(0), "slice") == 0 && varve_table_name(1000) == NULL);
    CHECK(varve_table_column("slice", 0, &info) && strcmp(info.name, "trace") == 0 &&
          info.type == VARVE_TEXT);
    CHECK(!varve_table_column("slice", 1000, &info) && !varve_table_column("nothing", 0, &info));
    CHECK(varve_table_help("slice") != NULL && varve_table_help("nothing") == NULL);
    CHECK(strcmp(varve_table_parameter("slice", 0), "name") == 0);
    CHECK(varve_table_parameter("slice", 100) == NULL && varve_table_parameter("nothing", 0) == NULL);
    CHECK(strcmp(varve_type_name(VARVE_INTEGER), "BIGINT") == 0);
    CHECK(varve_schema_json(&json, &error) && json.size_bytes > 1000 && json.bytes[0] == '[');
    varve_bytes_release(&json);
    CHECK(rows != NULL && varve_rows_next(rows, &batch, &error) && batch.row_count == 2);
    if (rows != NULL && batch.row_count == 2) {
        const int32_t name = varve_rows_column(rows, "name"), begin = varve_rows_column(rows, "begin_ns");
        const int32_t parent = varve_rows_column(rows, "parent_id");
        CHECK(name >= 0 && begin >= 0 && parent >= 0 && varve_rows_column(rows, "nothing") == -1);
        CHECK(is_text(varve_rows_text(rows, (uint32_t)name, batch.columns[name].values.texts[0]), "p"));
        CHECK(batch.columns[begin].type == VARVE_INTEGER && batch.columns[begin].values.integers[1] == 2000);
        CHECK(varve_is_null(&batch.columns[parent], 0) && !varve_is_null(&batch.columns[parent], 1));
        CHECK(is_text(varve_rows_text(rows, 1000, 0), "") &&
              is_text(varve_rows_text(rows, (uint32_t)begin, 0), ""));
        CHECK(varve_rows_next(rows, &batch, &error) && batch.row_count == 0);
    }
    varve_rows_close(rows);
    part.name = "q";
    part.range = "2us..3us";
    rows = varve_rows_open(trace, "slice", &part, &error);
    CHECK(rows != NULL && varve_rows_next(rows, &batch, &error) && batch.row_count == 1);
    varve_rows_close(rows);
    rows = varve_rows_open(trace, "arg", NULL, &error);
    CHECK(rows != NULL && varve_rows_next(rows, &batch, &error) && batch.row_count == 2);
    varve_rows_close(rows);
    CHECK(varve_rows_open(trace, "nothing", NULL, &error) == NULL && error.code == VARVE_ERROR_USAGE);
    part.range = "nonsense";
    CHECK(varve_rows_open(trace, "slice", &part, &error) == NULL && error.code == VARVE_ERROR_USAGE);
    varve_rows_close(NULL);
    varve_close(trace);
}

/* The binary interface of Arrow, as its specification declares it. */
struct ArrowSchema {
    const char          *format, *name, *metadata;
    int64_t              flags, n_children;
    struct ArrowSchema **children;
    struct ArrowSchema  *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};
struct ArrowArray {
    int64_t             length, null_count, offset, n_buffers, n_children;
    const void        **buffers;
    struct ArrowArray **children;
    struct ArrowArray  *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

static void test_arrow(void)
{
    VarveTrace             *trace = open_small();
    VarveError              error;
    struct ArrowArrayStream stream;
    struct ArrowSchema      schema;
    struct ArrowArray       array, end;
    CHECK(!varve_arrow_open(trace, "nothing", NULL, &stream, &error) && error.code == VARVE_ERROR_USAGE);
    const bool is_open = varve_arrow_open(trace, "slice", NULL, &stream, &error);
    CHECK(is_open);
    if (!is_open) return;
    CHECK(stream.get_schema(&stream, &schema) == 0 && strcmp(schema.format, "+s") == 0);
    CHECK(strcmp(schema.children[1]->name, "id") == 0);
    CHECK(stream.get_next(&stream, &array) == 0 && array.length == 2);
    CHECK(stream.get_next(&stream, &end) == 0 && end.release == NULL);
    CHECK(stream.get_last_error(&stream) == NULL);
    schema.release(&schema);
    stream.release(&stream);
    CHECK(stream.release == NULL);
    varve_close(trace);
    /* the arrays do not need the trace: column 2 is `name`, with a dictionary */
    const struct ArrowArray *names = array.children[2];
    const int32_t           *index = (const int32_t *)names->buffers[1];
    const int32_t           *offsets = (const int32_t *)names->dictionary->buffers[1];
    const char              *texts = (const char *)names->dictionary->buffers[2];
    CHECK(offsets[index[1] + 1] - offsets[index[1]] == 1 && texts[offsets[index[1]]] == 'q');
    array.release(&array);
}

/* A stream keeps the trace, and a trace its copy of the input. */
static void test_arrow_after_close(void)
{
    VarveOptions            options;
    VarveError              error;
    struct ArrowArrayStream stream;
    struct ArrowArray       array;
    char                    input[sizeof SMALL];
    memset(&options, 0, sizeof options);
    memcpy(input, SMALL, sizeof SMALL);
    options.bytes = VARVE_BYTES_COPIED;
    VarveTrace *trace = varve_open_bytes(input, sizeof SMALL - 1, "small.json", &options, &error);
    memset(input, 'x', sizeof input);
    CHECK(trace != NULL && varve_arrow_open(trace, "arg", NULL, &stream, &error));
    varve_close(trace);
    if (trace == NULL) return;
    CHECK(stream.get_next(&stream, &array) == 0 && array.length == 2);
    array.release(&array);
    stream.release(&stream);
}

/* -- events -- */

static void test_details(void)
{
    VarveTrace *trace = open_small();
    VarveError  error;
    VarveBytes  args, other;
    memset(&args, 0, sizeof args);
    memset(&other, 0, sizeof other);
    CHECK(varve_details(trace, VARVE_SLICE, 0, &args, &other, &error) && args.size_bytes == 10);
    CHECK(args.size_bytes == 10 && memcmp(args.bytes, "{\"size\":3}", 10) == 0);
    CHECK(varve_details(trace, VARVE_INSTANT, 0, &args, &other, &error) && args.size_bytes == 13);
    CHECK(!varve_details(trace, VARVE_SLICE, 99, &args, &other, &error) && error.code == VARVE_ERROR_USAGE);
    CHECK(!varve_details(trace, VARVE_TRACK, 0, &args, &other, &error));
    varve_bytes_release(&args);
    varve_bytes_release(&other);
    CHECK(args.bytes == NULL && args.size_bytes == 0);
    varve_bytes_release(NULL);
    varve_close(trace);
}

static unsigned count_matches(const VarveTrace *trace, const char *text, const VarvePart *part,
                              VarveMatch *last)
{
    VarveError error;
    VarveFind *find = varve_find_open(trace, text, part, NULL, &error);
    bool       is_found = true;
    unsigned   count = 0;
    CHECK(find != NULL);
    while (find != NULL && is_found) {
        VarveMatch match;
        CHECK(varve_find_next(find, &match, &is_found, &error));
        if (!is_found) break;
        *last = match;
        last->key.bytes = last->value.bytes = "";
        count++;
    }
    varve_find_close(find);
    return count;
}

static void test_find(void)
{
    VarveTrace *trace = open_small();
    VarveError  error;
    VarveMatch  match;
    VarvePart   part;
    memset(&part, 0, sizeof part);
    CHECK(count_matches(trace, "name:q", NULL, &match) == 1 && match.kind == VARVE_SLICE &&
          match.begin_ns == 2000);
    CHECK(match.duration_ns == 2000 && is_text(match.name, "q"));
    CHECK(count_matches(trace, "why=now", NULL, &match) == 1 && match.kind == VARVE_INSTANT);
    CHECK(count_matches(trace, "heap>4", NULL, &match) == 1 && match.kind == VARVE_VALUE);
    CHECK(count_matches(trace, "heap", NULL, &match) == 1 && match.kind == VARVE_TRACK);
    CHECK(count_matches(trace, ">5us", NULL, &match) == 1 && is_text(match.name, "p"));
    CHECK(count_matches(trace, "absent", NULL, &match) == 0);
    part.thread = "no such thread";
    CHECK(count_matches(trace, "name:q", &part, &match) == 0);
    CHECK(varve_find_open(trace, "/(/", NULL, NULL, &error) == NULL && error.code == VARVE_ERROR_USAGE);
    varve_find_close(NULL);
    varve_close(trace);
}

/* The texts of a match, the limit, and a search in names only. */
static void test_find_options(void)
{
    VarveTrace      *trace = open_small();
    VarveError       error;
    VarveMatch       match;
    VarveText        line;
    VarveFindOptions options;
    VarveFind       *find;
    bool             is_found = false;
    char             text[VARVE_TIME_TEXT_BYTES];
    memset(&options, 0, sizeof options);
    options.most = 1;
    find = varve_find_open(trace, "why=now", NULL, &options, &error);
    CHECK(varve_find_next(find, &match, &is_found, &error) && is_found && !strcmp(match.type, "instant"));
    CHECK(match.begin_ticks == 3000 && is_text(varve_span_text(trace, match.begin_ticks, text), "3 µs"));
    CHECK(is_text(varve_time_exact(trace, match.begin_ticks, text), "13000"));
    CHECK(is_text(varve_find_track(find), "Thread 2") && is_text(varve_find_process(find), "Process 1"));
    CHECK(varve_find_json(find, &line, &error) && line.size_bytes > 20 &&
          memcmp(line.bytes, "{\"kind\":\"instant\"", 17) == 0 && line.bytes[line.size_bytes - 1] == '\n');
    CHECK(varve_find_next(find, &match, &is_found, &error) && !is_found && varve_find_unread(find) == 0);
    varve_find_close(find);

    find = varve_find_open(trace, "heap", NULL, &options, &error);
    CHECK(varve_find_next(find, &match, &is_found, &error) && is_found &&
          !strcmp(match.type, "counter-track"));
    CHECK(varve_find_json(find, &line, &error) &&
          is_text(line, "{\"kind\":\"track\",\"type\":\"counter-track\",\"track\":\"heap\",\"process\":"
                        "\"Process 1\"}\n"));
    varve_find_close(find);

    options.where = VARVE_FIND_IN_NAMES;
    find = varve_find_open(trace, "now", NULL, &options, &error);
    CHECK(varve_find_next(find, &match, &is_found, &error) && !is_found);
    varve_find_close(find);
    memset(&options.where, 1, sizeof options.where);
    CHECK(varve_find_open(trace, "now", NULL, &options, &error) == NULL && error.code == VARVE_ERROR_USAGE);
    varve_close(trace);
}

/* -- SQL -- */

static void test_query(void)
{
    VarveTrace             *trace = open_small();
    const VarveTrace       *traces[2];
    VarveError              error;
    VarveCell               cell;
    VarveQueryOptions       options;
    uint32_t                count = 0;
    struct ArrowArrayStream stream;
    struct ArrowSchema      schema;
    struct ArrowArray       array, end;
    VarveProgress          *progress = varve_progress_open();
    memset(&options, 0, sizeof options);
    traces[0] = traces[1] = trace;
    VarveQuery *query = varve_query_open(traces, 2, &options, &error);
    if (query == NULL) {
        CHECK(error.code == VARVE_ERROR_UNKNOWN);
        printf("# SQL is not tested: %s\n", error.message);
        varve_progress_close(progress);
        varve_close(trace);
        return;
    }
    CHECK(!varve_query_next(query, &count, &error) && varve_query_column_count(query) == 0);
    CHECK(varve_query_run(query,
                          "SELECT trace, name, duration_ns, NULL::BIGINT, 1.5::DOUBLE, true FROM slice "
                          "WHERE name = 'q' ORDER BY trace",
                          progress, &error));
    varve_progress_cancel(progress); /* of the run alone */
    varve_progress_close(progress);
    CHECK(varve_query_column_count(query) == 6 && strcmp(varve_query_column_name(query, 1), "name") == 0);
    CHECK(varve_query_column_name(query, 6) == NULL &&
          varve_query_column_kind(query, 2) == VARVE_CELL_INTEGER);
    CHECK(varve_query_next(query, &count, &error) && count == 2);
    CHECK(varve_query_cell(query, 0, 1, &cell) && is_text(cell.text, "small.json#2"));
    CHECK(varve_query_cell(query, 2, 0, &cell) && cell.kind == VARVE_CELL_INTEGER && cell.integer == 2000);
    CHECK(varve_query_cell(query, 3, 0, &cell) && cell.kind == VARVE_CELL_NULL);
    CHECK(varve_query_cell(query, 4, 0, &cell) && cell.real == 1.5);
    CHECK(varve_query_cell(query, 5, 0, &cell) && cell.kind == VARVE_CELL_BOOL && cell.integer == 1);
    CHECK(!varve_query_cell(query, 0, 2, &cell) && !varve_query_cell(query, 9, 0, &cell));
    CHECK(varve_query_next(query, &count, &error) && count == 0);
    CHECK(varve_query_next(query, &count, &error) && count == 0);
    CHECK(!varve_query_run(query, "SELECT nonsense", NULL, &error) && error.code == VARVE_ERROR_USAGE);
    CHECK(!varve_query_arrow(query, &stream, &error) && error.code == VARVE_ERROR_USAGE);
    CHECK(varve_query_run(query, "SELECT key, [1, 2] AS list FROM arg ORDER BY trace, key", NULL, &error));
    CHECK(varve_query_arrow(query, &stream, &error));
    CHECK(!varve_query_next(query, &count, &error) && error.code == VARVE_ERROR_USAGE);
    varve_query_close(query);
    varve_query_close(NULL);
    varve_close(trace);
    /* the stream keeps both */
    CHECK(stream.get_schema(&stream, &schema) == 0 && schema.n_children == 2);
    CHECK(strcmp(schema.children[1]->name, "list") == 0 && strcmp(schema.children[1]->format, "u") == 0);
    schema.release(&schema);
    CHECK(stream.get_next(&stream, &array) == 0 && array.length == 4);
    CHECK(stream.get_next(&stream, &end) == 0 && end.release == NULL);
    CHECK(stream.get_last_error(&stream) == NULL);
    stream.release(&stream);
    CHECK(memcmp(array.children[1]->buffers[2], "[1,2]", 5) == 0);
    array.release(&array);
}

static void test_cell_text(void)
{
    VarveCell cell;
    char      buffer[VARVE_CELL_TEXT_BYTES];
    memset(&cell, 0, sizeof cell);
    CHECK(is_text(varve_cell_text(&cell, buffer), ""));
    cell.kind = VARVE_CELL_BOOL;
    CHECK(is_text(varve_cell_text(&cell, buffer), "false"));
    cell.kind = VARVE_CELL_INTEGER;
    cell.integer = INT64_MIN;
    CHECK(is_text(varve_cell_text(&cell, buffer), "-9223372036854775808"));
    cell.kind = VARVE_CELL_UNSIGNED;
    cell.unsigned_integer = UINT64_MAX;
    CHECK(is_text(varve_cell_text(&cell, buffer), "18446744073709551615"));
    cell.kind = VARVE_CELL_REAL;
    cell.real = 0.1;
    CHECK(is_text(varve_cell_text(&cell, buffer), "0.1"));
    cell.real = -HUGE_VAL;
    CHECK(is_text(varve_cell_text(&cell, buffer), "-inf"));
}

/* -- output -- */

static int file_begins(const char *path, const char *bytes, size_t size)
{
    char   begin[16];
    FILE  *file = fopen(path, "rb");
    size_t got = file == NULL ? 0 : fread(begin, 1, size, file);
    if (file != NULL) fclose(file);
    return got == size && memcmp(begin, bytes, size) == 0;
}

static void count_difference(void *context, VarveText what)
{
    CHECK(is_text(what, "unknown member 'colour'"));
    ++*(int *)context;
}

/* Draws with the options that name rows, colours and a view file. */
static void test_render_options(const VarveTrace *const *traces)
{
    static const char VIEW[] = "{\"varve_view\":1,\"colour\":1,\"traces\":[{\"name\":\"small\"}]}";
    VarveError        error;
    VarvePicture      picture;
    VarveBytes        plain, other;
    int               differences = 0;
    memset(&picture, 0, sizeof picture);
    memset(&plain, 0, sizeof plain);
    memset(&other, 0, sizeof other);
    CHECK(varve_render(traces, 1, &picture, &plain, &error));
    picture.groups = "flat";
    picture.sort = "busiest";
    picture.color_by = "duration";
    picture.palette = "safe";
    picture.row_heights = "compact";
    CHECK(varve_render(traces, 1, &picture, &other, &error));
    CHECK(other.size_bytes != plain.size_bytes || memcmp(other.bytes, plain.bytes, plain.size_bytes) != 0);
    picture.sort = "backwards";
    CHECK(!varve_render(traces, 1, &picture, &other, &error) && error.code == VARVE_ERROR_USAGE);
    picture.sort = NULL;
    picture.view_json = VIEW;
    picture.view_bytes = sizeof VIEW - 1;
    picture.difference = count_difference;
    picture.context = &differences;
    CHECK(varve_render(traces, 1, &picture, &other, &error) && differences == 1);
    picture.view_bytes = 5;
    CHECK(!varve_render(traces, 1, &picture, &other, &error) && error.code == VARVE_ERROR_CORRUPT);
    varve_bytes_release(&plain);
    varve_bytes_release(&other);
}

static void test_view_needs(void)
{
    static const char VIEW[] = "{\"varve_view\":1,\"axis\":\"calls\",\"perspective\":\"Processors\"}";
    static const char PLAIN[] = "{\"varve_view\":1}";
    VarveBytes        perspective;
    VarveAxis         axis = VARVE_AXIS_EVENTS;
    VarveError        error;
    memset(&perspective, 0, sizeof perspective);
    CHECK(varve_view_needs(VIEW, sizeof VIEW - 1, &perspective, &axis, &error) && axis == VARVE_AXIS_CALLS);
    CHECK(strcmp((const char *)perspective.bytes, "Processors") == 0);
    CHECK(!varve_view_needs(VIEW, 9, &perspective, &axis, &error) && error.code == VARVE_ERROR_CORRUPT);
    CHECK(axis == VARVE_AXIS_CALLS && strcmp((const char *)perspective.bytes, "Processors") == 0);
    CHECK(varve_view_needs(PLAIN, sizeof PLAIN - 1, &perspective, &axis, &error) &&
          axis == VARVE_AXIS_EVENTS);
    CHECK(perspective.bytes[0] == '\0');
    varve_bytes_release(&perspective);
}

/* On the axis by calls a capture is as long as its number of calls. */
static void test_axis(void)
{
    VarveOptions options;
    VarveSummary by_events, by_calls;
    char         path[4096];
    VarveError   error;
    memset(&options, 0, sizeof options);
    snprintf(path, sizeof path, "%s/apitrace/backtrace.trace", data_folder);
    VarveTrace *events = varve_open(path, &options, &error);
    options.axis = VARVE_AXIS_CALLS;
    VarveTrace *calls = varve_open(path, &options, &error);
    CHECK(events != NULL && calls != NULL);
    if (events == NULL || calls == NULL) return;
    varve_summary(events, &by_events), varve_summary(calls, &by_calls);
    CHECK(by_calls.duration_ns == 170 && by_events.duration_ns > by_calls.duration_ns);
    varve_close(events);
    varve_close(calls);
}

static void test_render(const char *folder)
{
    VarveTrace       *trace = open_small();
    const VarveTrace *traces[1];
    VarveError        error;
    VarvePicture      picture;
    VarveBytes        png, again;
    char              path[4096];
    memset(&picture, 0, sizeof picture);
    memset(&png, 0, sizeof png);
    memset(&again, 0, sizeof again);
    traces[0] = trace;
    if (!varve_render(traces, 1, NULL, &png, &error)) {
        CHECK(error.code == VARVE_ERROR_UNKNOWN);
        printf("# pictures are not tested: %s\n", error.message);
        varve_close(trace);
        return;
    }
    CHECK(png.size_bytes > 1000 && memcmp(png.bytes, "\x89PNG", 4) == 0);
    test_render_options(traces);
    picture.thread_count = 2;
    CHECK(varve_render(traces, 1, &picture, &again, &error) && again.size_bytes == png.size_bytes);
    CHECK(memcmp(png.bytes, again.bytes, png.size_bytes) == 0);
    picture.kind = VARVE_SVG;
    picture.theme = VARVE_DARK;
    picture.width_px = 300;
    snprintf(path, sizeof path, "%s/api_test.svg", folder);
    CHECK(varve_render_file(traces, 1, &picture, path, &error) && file_begins(path, "<?xml", 5));
    remove(path);
    picture.scale = -1;
    CHECK(!varve_render(traces, 1, &picture, &png, &error) && error.code == VARVE_ERROR_USAGE);
    CHECK(!varve_render(traces, 0, NULL, &png, &error) && error.code == VARVE_ERROR_USAGE);
    CHECK(!varve_render_file(traces, 1, NULL, "/no/such/folder/x.png", &error));
    CHECK(error.code == VARVE_ERROR_OUTPUT);
    varve_bytes_release(&png);
    varve_bytes_release(&again);
    varve_close(trace);
}

static void count_loss(void *context, VarveText what, uint64_t count)
{
    CHECK(what.size_bytes > 0 && count > 0);
    ++*(int *)context;
}

/* A .varve file with the arguments in the source is smaller. */
static void test_convert_arguments(void)
{
    VarveError      error;
    VarveTrace     *trace = open_data("trace_event/objects.json", &error);
    VarveConversion conversion;
    VarveBytes      stored, source;
    memset(&conversion, 0, sizeof conversion);
    memset(&stored, 0, sizeof stored);
    memset(&source, 0, sizeof source);
    conversion.format = "varve";
    CHECK(trace != NULL && varve_convert(trace, &conversion, &stored, &error));
    conversion.arguments = VARVE_ARGUMENTS_SOURCE;
    CHECK(trace != NULL && varve_convert(trace, &conversion, &source, &error));
    CHECK(source.size_bytes > 0 && source.size_bytes < stored.size_bytes);
    varve_bytes_release(&stored);
    varve_bytes_release(&source);
    varve_close(trace);
}

static void test_query_parquet(const char *folder)
{
    VarveTrace       *trace = open_small();
    const VarveTrace *traces[1];
    VarveError        error;
    VarveQueryOptions options;
    uint32_t          count = 0;
    char              path[4096];
    snprintf(path, sizeof path, "%s/api_test.parquet", folder);
    memset(&options, 0, sizeof options);
    options.output_path = path;
    options.progress = varve_progress_open();
    traces[0] = trace;
    VarveQuery *query = varve_query_open(traces, 1, &options, &error);
    if (query != NULL) {
        CHECK(varve_query_parquet(query, "FROM slice", path, NULL, &error) && file_begins(path, "PAR1", 4));
        CHECK(!varve_query_next(query, &count, &error) && error.code == VARVE_ERROR_USAGE);
        CHECK(strcmp(varve_query_message(query), "") == 0);
        CHECK(!varve_query_run(query, "SELECT\nnonsense", NULL, &error));
        CHECK(strstr(varve_query_message(query), "LINE 2") != NULL && strstr(error.message, "LINE") == NULL);
        CHECK(varve_query_run(query, "SELECT 1", NULL, &error));
        varve_progress_cancel(options.progress);
        CHECK(!varve_query_next(query, &count, &error) && error.code == VARVE_ERROR_CANCELLED);
        varve_progress_restart(options.progress);
        CHECK(varve_query_run(query, "SELECT 1", NULL, &error) && varve_query_next(query, &count, &error));
    }
    varve_query_close(query);
    options.output_path = NULL;
    query = varve_query_open(traces, 1, &options, &error);
    if (query != NULL) {
        CHECK(!varve_query_parquet(query, "FROM slice", path, NULL, &error));
        CHECK(error.code == VARVE_ERROR_USAGE);
    }
    varve_query_close(query);
    options.output_folder = folder;
    query = varve_query_open(traces, 1, &options, &error);
    if (query != NULL)
        CHECK(varve_query_parquet(query, "FROM slice", path, NULL, &error) && file_begins(path, "PAR1", 4));
    varve_query_close(query);
    varve_progress_close(options.progress);
    remove(path);
    varve_close(trace);
}

static void test_convert(const char *folder)
{
    VarveTrace     *trace = open_small();
    VarveError      error;
    VarveConversion conversion;
    VarveBytes      out;
    VarveSummary    summary;
    char            path[4096];
    int             losses = 0;
    memset(&conversion, 0, sizeof conversion);
    memset(&out, 0, sizeof out);
    conversion.loss = count_loss;
    conversion.context = &losses;
    snprintf(path, sizeof path, "%s/api_test.spall", folder);
    CHECK(varve_convert_file(trace, &conversion, path, &error) && losses > 0);
    VarveTrace *again = varve_open(path, NULL, &error);
    CHECK(again != NULL);
    if (again != NULL) varve_summary(again, &summary);
    CHECK(again != NULL && summary.slice_count == 2 && is_text(summary.format, "spall"));
    varve_close(again);
    remove(path);
    CHECK(!varve_convert(trace, NULL, &out, &error) && error.code == VARVE_ERROR_USAGE);
    conversion.format = "folded";
    CHECK(varve_convert(trace, &conversion, &out, &error) && out.size_bytes > 0);
    CHECK(out.size_bytes > 0 && memcmp(out.bytes, "p 8000\np;q 2000\n", 16) == 0);
    conversion.format = "csv";
    conversion.table = "instant";
    CHECK(varve_convert(trace, &conversion, &out, &error) && memcmp(out.bytes, "trace,id,", 9) == 0);
    conversion.format = "parquet";
    CHECK(!varve_convert(trace, &conversion, &out, &error) && error.code == VARVE_ERROR_USAGE);
    snprintf(path, sizeof path, "%s/api_test.parquet", folder);
    if (varve_convert_file(trace, &conversion, path, &error))
        CHECK(file_begins(path, "PAR1", 4));
    else
        CHECK(error.code == VARVE_ERROR_UNKNOWN);
    remove(path);
    conversion.format = "nothing";
    CHECK(!varve_convert_file(trace, &conversion, path, &error) && error.code == VARVE_ERROR_USAGE);
    varve_bytes_release(&out);
    varve_close(trace);
}

/* -- live input -- */

static void test_live(void)
{
    static const char LINES[] =
        "[{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":10,\"name\":\"p\",\"args\":{\"a\":1}},\n"
        "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":20},\n"
        "{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":30,\"name\":\"p\"},\n";
    VarveError       error;
    VarveSummary     summary;
    VarveBytes       args, other;
    VarveLiveOptions options;
    size_t           i;
    memset(&args, 0, sizeof args);
    memset(&other, 0, sizeof other);
    memset(&options, 0, sizeof options);
    VarveLive *live = varve_live_open("live", NULL, &error);
    CHECK(live != NULL && varve_live_trace(live) == NULL);
    if (live == NULL) return;
    for (i = 0; i < sizeof LINES - 1; i++)
        CHECK(varve_live_push(live, LINES + i, 1, &error));
    const VarveTrace *trace = varve_live_trace(live);
    CHECK(trace != NULL);
    if (trace != NULL) {
        varve_summary(trace, &summary);
        CHECK(summary.slice_count == 2 && summary.unfinished_slice_count == 1);
        CHECK(varve_details(trace, VARVE_SLICE, 0, &args, &other, &error) && args.size_bytes == 7);
    }
    CHECK(varve_live_end(live, &error) && !varve_live_end(live, &error) && error.code == VARVE_ERROR_USAGE);
    CHECK(!varve_live_push(live, "x", 1, &error));
    varve_live_close(live);
    live = varve_live_open("live", NULL, &error);
    CHECK(live != NULL &&
          !varve_live_push(live, "hello, world", 12, &error) == !!varve_live_end(live, &error));
    varve_live_close(live);
    options.format = "nothing";
    CHECK(varve_live_open("live", &options, &error) == NULL && error.code == VARVE_ERROR_USAGE);
    options.format = "trace-event";
    options.details = VARVE_DETAILS_UNUSED;
    live = varve_live_open("live", &options, &error);
    CHECK(live != NULL && varve_live_push(live, LINES, sizeof LINES - 1, &error));
    varve_live_close(live);
    varve_live_close(NULL);
    varve_bytes_release(&args);
    varve_bytes_release(&other);
}

int main(int argument_count, char **arguments)
{
    const char *folder = getenv("TMPDIR") == NULL ? "/tmp" : getenv("TMPDIR");
    if (argument_count != 2) return 1;
    data_folder = arguments[1];
    printf("1..9\n");
    test_open(), test_axis(), report(1, "open");
    test_summary(), test_info(), test_formats(), test_captures(folder), report(2, "summary");
    test_rows(), report(3, "rows");
    test_arrow(), test_arrow_after_close(), report(4, "arrow");
    test_details(), report(5, "details");
    test_find(), test_find_options(), report(6, "find");
    test_query(), test_query_parquet(folder), test_cell_text(), report(7, "query");
    test_view_needs(), test_render(folder), test_convert(folder), test_convert_arguments(),
        report(8, "render and convert");
    test_live(), report(9, "live");
    return faults == 0 ? 0 : 1;
}
