/* varve stats - counts slices and adds up their durations, counts instants and lists counters. */
#include "analysis/argument_keys.h"
#include "app/cli/cli.h"
#include "app/cli/exact_time.h"
#include "app/cli/stats_area.h"
#include "app/cli/stats_histogram.h"
#include "app/cli/table_text.h"
#include "app/cli/thread_option.h"
#include "app/session/found_slices.h"
#include "base/csv.h"
#include "base/digits.h"
#include "base/json_writer.h"
#include "trace/store/window.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { USUAL_TOP = 40, USUAL_AREA_TOP = 10 }; /* rows of slices; of instants and of counters */

static const OptionSpec OPTIONS[] = {
    { "by", '\0', "KEY",
      "a row for each name (default), category, thread, process, or value of an argument: arg:KEY" },
    { "thread", '\0', "NAME", "only tracks of this name, or with it in their title" },
    { "name", '\0', "NAME", "only slices of exactly this name" },
    { "find", '\0', "TEXT", "only slices that `varve find` finds with this text" },
    { "histogram", '\0', "SCALE",
      "how many slices have which duration, on a log or linear scale, instead of rows" },
    { "columns", '\0', "LIST", "columns of the table, with commas; all: all of them" },
    { "sort", '\0', "KEY",
      "total (default), self, count, average, min, max, p50, p90, p95, p99, deviation, share, name" },
    { "top", '\0', "N",
      "rows of each table at most; default: 40 of slices, 10 of instants and counters; with --json and --csv "
      "all" },
    { "json", '\0', NULL, "one JSON object, stable for programs" },
    { "csv", '\0', NULL, "comma-separated values, with a heading" },
    { NULL, '\0', NULL, NULL }
};

/* The columns, in the order of the words of --sort and the keys of --json. */
typedef enum {
    COLUMN_COUNT,
    COLUMN_TOTAL,
    COLUMN_SELF,
    COLUMN_AVERAGE,
    COLUMN_MIN,
    COLUMN_MAX,
    COLUMN_P50,
    COLUMN_P95,
    COLUMN_P99,
    COLUMN_P90,
    COLUMN_DEVIATION,
    COLUMN_SHARE,
    COLUMN_NAME /* not in --columns: the table always has it as the last column */
} Column;

static const char *const COLUMNS[] = { "count", "total", "self", "average",   "min",   "max", "p50",
                                       "p95",   "p99",   "p90",  "deviation", "share", "name" };
static const char        ARGUMENT[] = "arg:";                                    /* of --by */
static const char *const GROUPS[] = { "name", "category", "thread", "process" }; /* by StatsGroup */

typedef enum { AS_TABLE, AS_JSON, AS_CSV } Output;

typedef struct Stats {
    Cli           *cli;
    const Trace   *trace;
    StatsQuery     query;
    StatsTable     table;
    AreaTable      area;     /* empty with --name, --find and --csv */
    FoundSlices    found;    /* of --find */
    EventReader    reader;   /* for `argument` */
    ArgumentKeys   argument; /* of --by=arg:KEY */
    const char    *by;       /* word of --by */
    Column         sort;
    Column         columns[COLUMN_NAME]; /* the shown ones */
    unsigned       column_count;
    uint64_t       top; /* 0 = all */
    Output         output;
    bool           is_histogram;
    HistogramScale scale;
    ExactTime      exact;
    Bytes          out;
} Stats;

/* -- options -- */

/* True if the word of --by is arg:KEY, with a key. */
static bool is_argument(const char *by)
{
    return strncmp(by, ARGUMENT, strlen(ARGUMENT)) == 0 && by[strlen(ARGUMENT)] != '\0';
}

/* Reads --columns: words separated by commas. */
static ExitStatus parse_columns(Stats *stats, const char *list)
{
    const bool all = list != NULL && strcmp(list, "all") == 0;
    if (list == NULL || all) {
        stats->column_count = all ? COLUMN_NAME : COLUMN_P90;
        for (unsigned i = 0; i < stats->column_count; i++)
            stats->columns[i] = (Column)i;
        return EXIT_DONE;
    }
    StringView rest = { list, strlen(list) }, part;
    while (text_next_part(&rest, ',', &part)) {
        unsigned column = 0;
        while (column < COLUMN_NAME &&
               !string_equal(part, (StringView){ COLUMNS[column], strlen(COLUMNS[column]) }))
            column++;
        if (column == COLUMN_NAME || stats->column_count == COLUMN_NAME)
            return cli_usage_error(
                stats->cli, "--columns=%.100s: expected names of columns, for example count,p90,share", list);
        assert(stats->column_count < COLUMN_NAME);
        stats->columns[stats->column_count++] = (Column)column;
    }
    return EXIT_DONE;
}

static ExitStatus parse_histogram(Stats *stats, const char *scale)
{
    size_t found = HISTOGRAM_LOG;
    if (scale == NULL) return EXIT_DONE;
    if (!CLI_FIND_WORD(HISTOGRAM_SCALES, scale, &found))
        return cli_usage_error(stats->cli, "--histogram must be log or linear, not '%.60s'", scale);
    if (stats->output == AS_CSV)
        return cli_usage_error(stats->cli, "--histogram gives a table or --json, not --csv");
    stats->is_histogram = true;
    stats->scale = (HistogramScale)found;
    return EXIT_DONE;
}

static ExitStatus parse_options(Stats *stats)
{
    Cli        *cli = stats->cli;
    const char *by = cli_option(cli, "by"), *sort = cli_option(cli, "sort"), *top = cli_option(cli, "top");
    size_t      group = STATS_BY_NAME, column = COLUMN_TOTAL;
    if (cli->file_count != 1) return cli_usage_error(cli, "stats needs one FILE");
    stats->by = by == NULL ? GROUPS[STATS_BY_NAME] : by;
    if (is_argument(stats->by))
        group = STATS_BY_ARGUMENT;
    else if (!CLI_FIND_WORD(GROUPS, stats->by, &group))
        return cli_usage_error(cli, "--by must be name, category, thread, process or arg:KEY, not '%.60s'",
                               stats->by);
    if (sort != NULL && !CLI_FIND_WORD(COLUMNS, sort, &column))
        return cli_usage_error(cli, "--sort=%.60s: unknown column", sort);
    if (top != NULL && (!text_to_u64((StringView){ top, strlen(top) }, &stats->top) || stats->top == 0))
        return cli_usage_error(cli, "--top=%.60s: expected a number of rows", top);
    if (cli_option(cli, "json") != NULL && cli_option(cli, "csv") != NULL)
        return cli_usage_error(cli, "--json or --csv, not both");
    stats->output = cli_option(cli, "json") != NULL  ? AS_JSON
                    : cli_option(cli, "csv") != NULL ? AS_CSV
                                                     : AS_TABLE;
    if (top == NULL && stats->output == AS_TABLE) stats->top = USUAL_TOP;
    stats->sort = (Column)column;
    stats->query = (StatsQuery){ .by = (StatsGroup)group, .with_percentiles = true };
    ExitStatus status = parse_columns(stats, cli_option(cli, "columns"));
    return status == EXIT_DONE ? parse_histogram(stats, cli_option(cli, "histogram")) : status;
}

static ExitStatus no_memory(const Stats *stats)
{
    Err err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    (void)err_set(&err, ERR_MEMORY, "out of memory for the table");
    cli_error(stats->cli->files[0], &err);
    return EXIT_INPUT;
}

/* -- the order -- */

static uint64_t value_of(const StatsRow *row, Column column)
{
    assert(row->count > 0);
    switch (column) {
    case COLUMN_COUNT:
        return row->count;
    case COLUMN_TOTAL:
        return row->total;
    case COLUMN_SELF:
        return row->self;
    case COLUMN_AVERAGE:
        return row->total / row->count;
    case COLUMN_MIN:
        return row->min;
    case COLUMN_MAX:
        return row->max;
    case COLUMN_P50:
        return row->p50;
    case COLUMN_P95:
        return row->p95;
    case COLUMN_P99:
        return row->p99;
    case COLUMN_P90:
        return row->p90;
    case COLUMN_DEVIATION:
        return row->deviation;
    case COLUMN_SHARE: /* proportional to the self time */
        return row->self;
    case COLUMN_NAME:
        break;
    }
    return 0;
}

static void put_name(const Stats *stats, const StatsRow *row, Bytes *out)
{
    stats_append_name(stats->trace, &stats->query, row, out);
}

/* Appends the title of the process of the row's track: threads of several processes may have the same title. */
static void put_process(const Stats *stats, const StatsRow *row, Bytes *out)
{
    uint32_t process = stats->trace->tracks[row->track].process.index;
    if (process != PROCESS_NONE.index) trace_process_title(stats->trace, process, out);
}

typedef struct Sorted {
    const StatsRow *row;
    uint64_t        key;
    Bytes           name; /* of --sort=name */
} Sorted;

static int compare_sorted(const void *left, const void *right)
{
    const Sorted *a = (const Sorted *)left, *b = (const Sorted *)right;
    if (a->key != b->key) return a->key > b->key ? -1 : 1;
    const int order = string_compare(bytes_view(&a->name), bytes_view(&b->name));
    if (order != 0) return order;
    return a->row < b->row ? -1 : 1; /* the order of the table: by total, then by name */
}

/* Returns the rows in the order of --sort; NULL if out of memory. */
static Sorted *sort_rows(Stats *stats)
{
    const StatsTable *table = &stats->table;
    Sorted           *sorted = ARENA_ARRAY(&stats->cli->arena, Sorted, (size_t)table->row_count + 1);
    for (uint32_t i = 0; sorted != NULL && i < table->row_count; i++) {
        sorted[i] = (Sorted){ .row = &table->rows[i], .key = value_of(&table->rows[i], stats->sort) };
        if (stats->sort == COLUMN_NAME) put_name(stats, sorted[i].row, &sorted[i].name);
    }
    if (sorted != NULL) qsort(sorted, table->row_count, sizeof *sorted, compare_sorted);
    for (uint32_t i = 0; sorted != NULL && i < table->row_count; i++)
        bytes_release(&sorted[i].name);
    return sorted;
}

/* -- output -- */

/* True if the output has the instants and counters. */
static bool has_area(const Stats *stats)
{
    return stats->output != AS_CSV && !stats->query.subset.has_group && stats->query.subset.slices == NULL;
}

static void put_exact(const Stats *stats, uint64_t ticks, Bytes *out)
{
    exact_span_append(&stats->exact, &stats->trace->clock, ticks, out);
}

/* Appends the cell of a column that is not the name: exact, for programs. */
static void put_exact_cell(const Stats *stats, Column column, const StatsRow *row, Bytes *out)
{
    if (column == COLUMN_COUNT) {
        bytes_printf(out, "%" PRIu64, row->count);
    } else if (column == COLUMN_SHARE) {
        const uint64_t all = stats->table.self_ticks;
        bytes_printf(out, "%.6f", all == 0 ? 0 : (double)row->self / (double)all);
    } else {
        put_exact(stats, value_of(row, column), out);
    }
}

static const char *unit_of(const Stats *stats)
{
    return stats->exact.in_ns ? "ns" : "ticks";
}

static void put_json_row(const Stats *stats, JsonWriter *w, const StatsRow *row, Bytes *text)
{
    json_object_begin(w);
    bytes_clear(text);
    put_name(stats, row, text);
    json_put_view(w, "name", bytes_view(text));
    if (stats->query.by == STATS_BY_TRACK) {
        bytes_clear(text);
        put_process(stats, row, text);
        json_put_view(w, "process", bytes_view(text));
    }
    for (unsigned column = COLUMN_COUNT; column < COLUMN_NAME; column++) {
        bytes_clear(text);
        put_exact_cell(stats, (Column)column, row, text);
        json_key(w, COLUMNS[column]);
        json_raw(w, (const char *)text->data, text->size);
    }
    json_object_end(w);
}

static void put_json(Stats *stats, const Sorted *rows, uint32_t count)
{
    JsonWriter w = json_writer_to(&stats->out, 0);
    Bytes      text = { 0 };
    json_object_begin(&w);
    json_put_string(&w, "by", stats->by);
    json_put_string(&w, "unit", unit_of(stats));
    if (stats->table.perspective != NULL) json_put_string(&w, "perspective", stats->table.perspective);
    json_put_u64(&w, "slices", stats->table.slice_count);
    json_put_u64(&w, "names", stats->table.row_count);
    json_put_u64(&w, "left_out_tracks", stats->table.left_out_tracks);
    json_put_array(&w, "rows");
    for (uint32_t i = 0; i < count; i++)
        put_json_row(stats, &w, rows[i].row, &text);
    json_array_end(&w);
    if (has_area(stats)) stats_area_json(stats->trace, &stats->area, stats->top, &w);
    json_object_end(&w);
    bytes_append_text(&stats->out, "\n");
    bytes_release(&text);
}

static void put_csv_heading(Stats *stats)
{
    Bytes *out = &stats->out;
    csv_append_field((StringView){ stats->by, strlen(stats->by) }, out);
    for (unsigned column = COLUMN_COUNT; column < COLUMN_NAME; column++) {
        const bool has_unit = column != COLUMN_COUNT && column != COLUMN_SHARE;
        bytes_printf(out, has_unit ? ",%s_%s" : ",%s", COLUMNS[column], unit_of(stats));
    }
    bytes_append_text(out, stats->query.by == STATS_BY_TRACK ? ",process\r\n" : "\r\n");
}

static void put_csv(Stats *stats, const Sorted *rows, uint32_t count)
{
    Bytes *out = &stats->out, text = { 0 };
    put_csv_heading(stats);
    for (uint32_t i = 0; i < count; i++) {
        bytes_clear(&text);
        put_name(stats, rows[i].row, &text);
        csv_append_field(bytes_view(&text), out);
        for (unsigned column = COLUMN_COUNT; column < COLUMN_NAME; column++) {
            bytes_append_text(out, ",");
            put_exact_cell(stats, (Column)column, rows[i].row, out);
        }
        if (stats->query.by == STATS_BY_TRACK) {
            bytes_clear(&text);
            put_process(stats, rows[i].row, &text);
            bytes_append_text(out, ",");
            csv_append_field(bytes_view(&text), out);
        }
        bytes_append_text(out, "\r\n");
    }
    bytes_release(&text);
}

static void put_cell(const Stats *stats, Column column, const StatsRow *row, Bytes *out)
{
    enum { WIDTH = 12 };
    char           text[CLOCK_SPAN_TEXT];
    const uint64_t value = value_of(row, column);
    if (column == COLUMN_SHARE) {
        const uint64_t all = stats->table.self_ticks;
        (void)snprintf(text, sizeof text, "%.2f %%", all == 0 ? 0 : 100 * (double)value / (double)all);
    } else if (column == COLUMN_COUNT || !clock_has_time(&stats->trace->clock)) {
        (void)digits_put_whole(value, text);
    } else {
        (void)clock_format_span(&stats->trace->clock, value, text);
    }
    table_put_right(out, text, WIDTH);
}

/* Appends the unit of a trace without time, and the perspective whose slices count. */
static void put_notes(const Stats *stats, const char *perspective, Bytes *out)
{
    const Clock *clock = &stats->trace->clock;
    if (!clock_has_time(clock)) {
        bytes_printf(out, "The trace has no times: a length is a number of %s.\n",
                     clock->kind == CLOCK_EVENTS  ? "events"
                     : clock->kind == CLOCK_CALLS ? "calls"
                                                  : "ticks");
    }
    if (perspective != NULL) bytes_printf(out, "perspective: %s\n", perspective);
}

static void put_heading(const Stats *stats, Bytes *out)
{
    enum { WIDTH = 12 };
    put_notes(stats, stats->table.perspective, out);
    for (unsigned i = 0; i < stats->column_count; i++)
        table_put_right(out, COLUMNS[stats->columns[i]], WIDTH);
    bytes_printf(out, "  %s\n", stats->query.by == STATS_BY_TRACK ? "process / thread" : stats->by);
}

static void put_table(Stats *stats, const Sorted *rows, uint32_t count)
{
    Bytes *out = &stats->out, name = { 0 };
    put_heading(stats, out);
    for (uint32_t i = 0; i < count; i++) {
        for (unsigned k = 0; k < stats->column_count; k++)
            put_cell(stats, stats->columns[k], rows[i].row, out);
        bytes_clear(&name);
        if (stats->query.by == STATS_BY_TRACK) {
            put_process(stats, rows[i].row, &name);
            if (name.size > 0) bytes_append_text(&name, " / ");
        }
        put_name(stats, rows[i].row, &name);
        bytes_append_text(out, "  ");
        if (name.size == 0) bytes_append_text(out, "(none)");
        table_put_plain(out, bytes_view(&name));
        bytes_append_text(out, "\n");
    }
    if (count < stats->table.row_count)
        bytes_printf(out, "and %" PRIu32 " more: --top=%" PRIu32 " shows all\n",
                     stats->table.row_count - count, stats->table.row_count);
    bytes_release(&name);
    if (has_area(stats))
        stats_area_table(stats->trace, &stats->area,
                         cli_option(stats->cli, "top") == NULL ? USUAL_AREA_TOP : stats->top, out);
}

/* Fills the part of the query that depends on the trace. */
static ExitStatus complete_query(Stats *stats)
{
    Cli         *cli = stats->cli;
    const Trace *trace = stats->trace;
    const char  *name = cli_option(cli, "name");
    StatsQuery  *query = &stats->query;
    trace_window_range(trace, &query->part.begin_tick, &query->part.end_tick);
    if (name != NULL) {
        const StringId id = string_table_find(trace->strings, name, strlen(name));
        if (id.index == STRING_NONE.index)
            return cli_usage_error(cli, "--name=%.100s: no slice has this name", name);
        query->subset = (StatsSubset){ .has_group = true, .by = STATS_BY_NAME, .key = id.index };
    }
    return cli_thread_option(cli, trace, &query->part.tracks, &query->part.track_count);
}

/* Limits the query to the slices of --find. */
static ExitStatus find_slices(Stats *stats, const Loaded *loaded)
{
    Cli        *cli = stats->cli;
    const char *text = cli_option(cli, "find");
    Err         err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (text == NULL) return EXIT_DONE;
    if (!found_slices_all(&stats->found, loaded, text, cli->load.threads, &cli->arena, &err)) {
        if (err.code == ERR_USAGE) return cli_usage_error(cli, "%s", err.message);
        cli_error(cli->files[0], &err);
        return EXIT_INPUT;
    }
    if (stats->found.count == 0) return cli_usage_error(cli, "--find=%.100s: no slice matches", text);
    stats->query.subset.slices = stats->found.slices;
    return EXIT_DONE;
}

/* Prepares the argument of --by=arg:KEY. */
static ExitStatus open_argument(Stats *stats, const Loaded *loaded)
{
    const char *name = stats->by + strlen(ARGUMENT);
    if (stats->query.by != STATS_BY_ARGUMENT) return EXIT_DONE;
    stats->query.argument = &stats->argument;
    const bool done = event_reader_open(&stats->reader, loaded, NULL) &&
                      argument_keys_open(&stats->argument, stats->trace, (StringView){ name, strlen(name) },
                                         &stats->reader.source, &stats->cli->arena);
    return done ? EXIT_DONE : no_memory(stats);
}

static ExitStatus put_histogram(Stats *stats)
{
    Cli       *cli = stats->cli;
    Histogram *histogram = ARENA_ARRAY(&cli->arena, Histogram, 1);
    Err        err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (histogram == NULL) return no_memory(stats);
    if (!histogram_count(stats->trace, &stats->query, stats->scale, &cli->arena, histogram, &err)) {
        cli_error(cli->files[0], &err);
        return EXIT_INPUT;
    }
    if (stats->output == AS_JSON) {
        stats_histogram_json(stats->trace, histogram, stats->scale, &stats->out);
    } else {
        put_notes(stats, histogram->perspective, &stats->out);
        stats_histogram_table(stats->trace, histogram, &stats->out);
    }
    return cli_print(&stats->out);
}

/* Counts the slices, and the instants and counters that belong to the output. False: err filled. */
static bool count_all(Stats *stats, Err *err)
{
    const StatsQuery *query = &stats->query;
    Arena            *arena = &stats->cli->arena;
    return stats_tally(stats->trace, query, arena, &stats->table, err) &&
           (!has_area(stats) || area_tally(stats->trace, &query->part, arena, &stats->area, err));
}

static ExitStatus put_rows(Stats *stats)
{
    Cli *cli = stats->cli;
    Err  err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (!count_all(stats, &err)) {
        cli_error(cli->files[0], &err);
        return EXIT_INPUT;
    }
    Sorted *rows = sort_rows(stats);
    if (rows == NULL) return no_memory(stats);
    uint32_t count = stats->table.row_count;
    if (stats->top != 0 && count > stats->top) count = (uint32_t)stats->top;
    switch (stats->output) {
    case AS_TABLE:
        put_table(stats, rows, count);
        break;
    case AS_JSON:
        put_json(stats, rows, count);
        break;
    case AS_CSV:
        put_csv(stats, rows, count);
        break;
    }
    return cli_print(&stats->out);
}

static ExitStatus run(Cli *cli)
{
    Stats      stats = { .cli = cli };
    Loaded     loaded = { 0 };
    ExitStatus status = parse_options(&stats);
    if (cli_option(cli, "find") == NULL && stats.query.by != STATS_BY_ARGUMENT)
        cli->load.store = STORE_UNUSED;
    if (status == EXIT_DONE) status = cli_load_judged(cli, cli->files[0], &loaded);
    if (status != EXIT_DONE) return status;
    stats.trace = loaded.trace;
    stats.exact = exact_time_for(&loaded.trace->clock);
    status = complete_query(&stats);
    if (status == EXIT_DONE) status = find_slices(&stats, &loaded);
    if (status == EXIT_DONE) status = open_argument(&stats, &loaded);
    if (status == EXIT_DONE) status = stats.is_histogram ? put_histogram(&stats) : put_rows(&stats);
    found_slices_release(&stats.found);
    argument_keys_release(&stats.argument);
    event_reader_release(&stats.reader);
    bytes_release(&stats.out);
    loaded_release(&loaded);
    return status;
}

const CliCommand COMMAND_STATS = {
    .name = "stats",
    .summary =
        "Prints counts and times of slices by name, category, thread or process; instants and counters",
    .usage = "[OPTIONS] FILE",
    .details =
        "Of a slice that is only partly in --range the part inside counts. A percentile is the shortest\n"
        "occurring length that this percentage of the slices does not exceed. `varve frames` has the\n"
        "statistics of the frames of a capture.",
    .examples = "  varve stats trace.json.gz\n"
                "  varve stats trace.spall --range=1.2s..1.5s --thread=main --sort=self\n"
                "  varve stats trace.json --name=parse --histogram=log\n"
                "  varve stats trace.json --find='url=/search >100ms' --by=thread\n"
                "  varve stats trace.json --by=arg:url --sort=p99\n"
                "  varve stats trace.json --columns=count,total,p90,deviation,share\n"
                "  varve stats --by=category --csv trace.json > categories.csv\n"
                "  varve stats --json trace.json | jq '.rows[] | select(.p99 > 1000000) | .name'",
    .options = OPTIONS,
    .run = run
};
