/* varve stats - counts slices and adds up their durations, counts instants and lists counters. */
#include "app/cli/cli.h"
#include "app/cli/part_options.h"
#include "app/cli/stats_area.h"
#include "app/cli/stats_histogram.h"
#include "app/cli/table_text.h"
#include "base/csv.h"
#include "base/digits.h"
#include "base/json_writer.h"
#include "base/utf8.h"

#include <assert.h>
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
static const char *const GROUPS[] = { "name", "category", "thread", "process" }; /* by VarveGroup */
static const OptionWords OF_OPTIONS[] = { OPTION_WORDS("by", GROUPS),
                                          OPTION_WORDS("histogram", HISTOGRAM_SCALES),
                                          OPTION_WORDS("sort", COLUMNS),
                                          { NULL, NULL, 0 } };

static const char *const FORMS[] = { "json", "csv" };
typedef enum { AS_TABLE, AS_JSON, AS_CSV } Output; /* by FORMS */

typedef struct Stats {
    Cli              *cli;
    const VarveTrace *trace;
    VarvePart         part;
    VarveStatsOptions options;
    VarveSliceSet    *found; /* of --find; NULL = all slices */
    VarveStats       *stats;
    VarveStatsTotals  totals; /* of `stats` */
    VarveArea        *area;   /* NULL with --name, --find and --csv */
    const char       *by;     /* word of --by */
    Column            sort;
    Column            columns[COLUMN_NAME]; /* the shown ones */
    unsigned          column_count;
    uint64_t          top; /* 0 = all */
    Output            output;
    Bytes             out;
} Stats;

/* -- options -- */

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
        while (column < COLUMN_NAME && !string_equal(part, c_string_view(COLUMNS[column])))
            column++;
        if (column == COLUMN_NAME || stats->column_count == COLUMN_NAME)
            return cli_usage_error(
                stats->cli, "--columns=%.100s: expected names of columns, for example count,p90,share", list);
        assert(stats->column_count < COLUMN_NAME);
        stats->columns[stats->column_count++] = (Column)column;
    }
    return EXIT_DONE;
}

static ExitStatus parse_histogram(Stats *stats)
{
    size_t found = 0;
    if (cli_option(stats->cli, "histogram") == NULL) return EXIT_DONE;
    if (!cli_option_word(stats->cli, "histogram", &found)) return EXIT_USAGE;
    if (stats->output == AS_CSV)
        return cli_usage_error(stats->cli, "--histogram gives a table or --json, not --csv");
    stats->options.histogram = (VarveHistogram)(VARVE_HISTOGRAM_LOG + found);
    return EXIT_DONE;
}

static ExitStatus parse_options(Stats *stats)
{
    Cli        *cli = stats->cli;
    const char *by = cli_option(cli, "by");
    size_t      group = VARVE_BY_NAME, column = COLUMN_TOTAL, form;
    if (cli->file_count != 1) return cli_usage_error(cli, "stats needs one FILE");
    stats->by = by == NULL ? GROUPS[VARVE_BY_NAME] : by;
    if (cli_argument_key(stats->by) != NULL)
        group = VARVE_BY_ARGUMENT;
    else if (!CLI_FIND_WORD(GROUPS, stats->by, &group))
        return cli_usage_error(cli, "--by must be name, category, thread, process or arg:KEY, not '%.60s'",
                               stats->by);
    if (!cli_option_word(cli, "sort", &column) || !CLI_OPTION_FLAG(cli, FORMS, &form)) return EXIT_USAGE;
    stats->output = (Output)form;
    if (stats->output == AS_TABLE) stats->top = USUAL_TOP;
    if (!cli_option_number(cli, "top", 1, UINT64_MAX, &stats->top)) return EXIT_USAGE;
    stats->sort = (Column)column;
    stats->options = (VarveStatsOptions){ .by = (VarveGroup)group, .argument = cli_argument_key(stats->by) };
    ExitStatus status = parse_columns(stats, cli_option(cli, "columns"));
    return status == EXIT_DONE ? parse_histogram(stats) : status;
}

/* -- the order -- */

/* Returns the value of a column: durations in ticks. */
static uint64_t value_of(const VarveStatsRow *row, Column column)
{
    switch (column) {
    case COLUMN_COUNT:
        return row->count;
    case COLUMN_TOTAL:
        return row->ticks.total;
    case COLUMN_SELF:
        return row->ticks.self;
    case COLUMN_AVERAGE:
        return row->ticks.average;
    case COLUMN_MIN:
        return row->ticks.least;
    case COLUMN_MAX:
        return row->ticks.most;
    case COLUMN_P50:
        return row->ticks.p50;
    case COLUMN_P95:
        return row->ticks.p95;
    case COLUMN_P99:
        return row->ticks.p99;
    case COLUMN_P90:
        return row->ticks.p90;
    case COLUMN_DEVIATION:
        return row->ticks.deviation;
    case COLUMN_SHARE: /* proportional to the self time */
        return row->ticks.self;
    case COLUMN_NAME:
        break;
    }
    return 0;
}

typedef struct Sorted {
    const VarveStatsRow *row;
    uint64_t             key;
} Sorted;

static int compare_sorted(const void *left, const void *right)
{
    const Sorted *a = (const Sorted *)left, *b = (const Sorted *)right;
    if (a->key != b->key) return a->key > b->key ? -1 : 1;
    return a->row < b->row ? -1 : 1; /* the order of the table: by total, then by name */
}

static int compare_names(const void *left, const void *right)
{
    const Sorted *a = (const Sorted *)left, *b = (const Sorted *)right;
    const int     order = string_compare(text_view(a->row->name), text_view(b->row->name));
    return order != 0 ? order : compare_sorted(left, right);
}

/* Returns the rows in the order of --sort, and their number; NULL if out of memory. */
static Sorted *sort_rows(Stats *stats, uint32_t *count)
{
    const VarveStatsRow *rows = varve_stats_rows(stats->stats, count);
    Sorted              *sorted = ARENA_ARRAY(&stats->cli->arena, Sorted, (size_t)*count + 1);
    if (sorted == NULL) return NULL;
    for (uint32_t i = 0; i < *count; i++)
        sorted[i] = (Sorted){ &rows[i], value_of(&rows[i], stats->sort) };
    qsort(sorted, *count, sizeof *sorted, stats->sort == COLUMN_NAME ? compare_names : compare_sorted);
    return sorted;
}

/* -- output -- */

/* Returns the share of a row's self time in that of all rows. */
static double share_of(const Stats *stats, const VarveStatsRow *row)
{
    const uint64_t all = stats->totals.self_ticks;
    return all == 0 ? 0 : (double)row->ticks.self / (double)all;
}

/* Appends the cell of a column that is not the name: exact, for programs. */
static void put_exact_cell(const Stats *stats, Column column, const VarveStatsRow *row, Bytes *out)
{
    if (column == COLUMN_COUNT) {
        bytes_append_u64(out, row->count);
    } else if (column == COLUMN_SHARE) {
        bytes_printf(out, "%.6f", share_of(stats, row));
    } else {
        char            text[VARVE_TIME_TEXT_BYTES];
        const VarveText exact = varve_span_exact(stats->trace, value_of(row, column), text);
        bytes_append(out, exact.bytes, exact.size_bytes);
    }
}

static void put_json_row(const Stats *stats, JsonWriter *w, const VarveStatsRow *row, Bytes *text)
{
    json_object_begin(w);
    json_put_view(w, "name", text_view(row->name));
    if (stats->options.by == VARVE_BY_TRACK) json_put_view(w, "process", text_view(row->process));
    for (unsigned column = COLUMN_COUNT; column < COLUMN_NAME; column++) {
        bytes_clear(text);
        put_exact_cell(stats, (Column)column, row, text);
        json_key(w, COLUMNS[column]);
        json_raw(w, (const char *)text->data, text->size);
    }
    json_object_end(w);
}

static void put_json(Stats *stats, const Sorted *rows, uint32_t count, uint32_t shown)
{
    JsonWriter w = json_writer_to(&stats->out, 0);
    Bytes      text = { 0 };
    json_object_begin(&w);
    json_put_string(&w, "by", stats->by);
    json_put_string(&w, "unit", varve_exact_unit(stats->trace));
    if (stats->totals.perspective != NULL) json_put_string(&w, "perspective", stats->totals.perspective);
    json_put_u64(&w, "slices", stats->totals.slice_count);
    json_put_u64(&w, "names", count);
    json_put_u64(&w, "left_out_tracks", stats->totals.left_out_track_count);
    json_put_array(&w, "rows");
    for (uint32_t i = 0; i < shown; i++)
        put_json_row(stats, &w, rows[i].row, &text);
    json_array_end(&w);
    if (stats->area != NULL) stats_area_json(stats->area, stats->top, &w);
    json_object_end(&w);
    bytes_append_text(&stats->out, "\n");
    bytes_release(&text);
}

static void put_csv_heading(Stats *stats)
{
    Bytes      *out = &stats->out;
    const char *unit = varve_exact_unit(stats->trace);
    csv_append_field(c_string_view(stats->by), out);
    for (unsigned column = COLUMN_COUNT; column < COLUMN_NAME; column++) {
        const bool has_unit = column != COLUMN_COUNT && column != COLUMN_SHARE;
        bytes_printf(out, has_unit ? ",%s_%s" : ",%s", COLUMNS[column], unit);
    }
    bytes_append_text(out, stats->options.by == VARVE_BY_TRACK ? ",process\r\n" : "\r\n");
}

static void put_csv(Stats *stats, const Sorted *rows, uint32_t shown)
{
    Bytes *out = &stats->out;
    put_csv_heading(stats);
    for (uint32_t i = 0; i < shown; i++) {
        csv_append_field(text_view(rows[i].row->name), out);
        for (unsigned column = COLUMN_COUNT; column < COLUMN_NAME; column++) {
            bytes_append_text(out, ",");
            put_exact_cell(stats, (Column)column, rows[i].row, out);
        }
        if (stats->options.by == VARVE_BY_TRACK) {
            bytes_append_text(out, ",");
            csv_append_field(text_view(rows[i].row->process), out);
        }
        bytes_append_text(out, "\r\n");
    }
}

static void put_cell(const Stats *stats, Column column, const VarveStatsRow *row, Bytes *out)
{
    enum { WIDTH = 12 };
    char text[32];
    if (column == COLUMN_COUNT) {
        table_put_count(out, row->count, WIDTH);
    } else if (column == COLUMN_SHARE) {
        (void)snprintf(text, sizeof text, "%.2f %%", 100 * share_of(stats, row));
        table_put_right(out, text, WIDTH);
    } else {
        table_put_span(out, stats->trace, value_of(row, column), WIDTH);
    }
}

/* Appends the unit of a trace without time, and the perspective whose slices count. */
static void put_notes(Stats *stats)
{
    const char *unit = varve_unit(stats->trace);
    if (strcmp(unit, "ns") != 0)
        bytes_printf(&stats->out, "The trace has no times: a length is a number of %ss.\n", unit);
    if (stats->totals.perspective != NULL)
        bytes_printf(&stats->out, "perspective: %s\n", stats->totals.perspective);
}

static void put_table(Stats *stats, const Sorted *rows, uint32_t count, uint32_t shown)
{
    enum { WIDTH = 12 };
    const bool is_by_track = stats->options.by == VARVE_BY_TRACK;
    Bytes     *out = &stats->out;
    put_notes(stats);
    for (unsigned i = 0; i < stats->column_count; i++)
        table_put_right(out, COLUMNS[stats->columns[i]], WIDTH);
    bytes_printf(out, "  %s\n", is_by_track ? "process / thread" : stats->by);
    for (uint32_t i = 0; i < shown; i++) {
        const VarveStatsRow *row = rows[i].row;
        for (unsigned k = 0; k < stats->column_count; k++)
            put_cell(stats, stats->columns[k], row, out);
        bytes_append_text(out, "  ");
        text_append_plain(out, text_view(row->process));
        if (row->process.size_bytes > 0)
            bytes_append_text(out, " / ");
        else if (row->name.size_bytes == 0)
            bytes_append_text(out, "(none)");
        text_append_plain(out, text_view(row->name));
        bytes_append_text(out, "\n");
    }
    table_put_rest(out, count, shown);
    if (stats->area != NULL)
        stats_area_table(stats->area, cli_option(stats->cli, "top") == NULL ? USUAL_AREA_TOP : stats->top,
                         out);
}

static ExitStatus put_histogram(Stats *stats)
{
    HistogramBins bins = { .trace = stats->trace,
                           .scale = stats->options.histogram,
                           .totals = stats->totals };
    bins.bins = varve_stats_bins(stats->stats, &bins.count);
    if (stats->output == AS_JSON) {
        stats_histogram_json(&bins, &stats->out);
    } else {
        put_notes(stats);
        stats_histogram_table(&bins, &stats->out);
    }
    return cli_print(&stats->out);
}

static ExitStatus put_rows(Stats *stats)
{
    uint32_t count;
    Sorted  *rows = sort_rows(stats, &count);
    if (rows == NULL) return cli_no_memory(stats->cli->files[0], "the table");
    const uint32_t shown = table_rows(count, stats->top);
    switch (stats->output) {
    case AS_TABLE:
        put_table(stats, rows, count, shown);
        break;
    case AS_JSON:
        put_json(stats, rows, count, shown);
        break;
    case AS_CSV:
        put_csv(stats, rows, shown);
        break;
    }
    return cli_print(&stats->out);
}

/* -- the count -- */

/* Limits the part to the slices of --name, --thread and --find. */
static ExitStatus choose_slices(Stats *stats)
{
    Cli       *cli = stats->cli;
    VarvePart *part = &stats->part;
    part->name = cli_option(cli, "name");
    if (!varve_part_exists(stats->trace, part))
        return cli_usage_error(cli, "--name=%.100s: no slice has this name", part->name);
    ExitStatus status = cli_part_thread(cli, stats->trace, part);
    if (status == EXIT_DONE) status = cli_part_find(cli, stats->trace, &stats->found);
    part->slices = stats->found;
    if (status == EXIT_DONE && part->slices != NULL && varve_slice_set_count(part->slices) == 0)
        return cli_usage_error(cli, "--find=%.100s: no slice matches", cli_option(cli, "find"));
    return status;
}

/* Counts the slices, and the instants and counters that belong to the output, and prints them. */
static ExitStatus answer(Stats *stats)
{
    const VarvePart *part = &stats->part;
    const bool       has_rows = stats->options.histogram == VARVE_HISTOGRAM_NONE;
    const bool has_area = has_rows && stats->output != AS_CSV && part->name == NULL && part->slices == NULL;
    VarveError error;
    stats->stats = varve_stats_open(stats->trace, part, &stats->options, &error);
    if (stats->stats != NULL && has_area) stats->area = varve_area_open(stats->trace, part, &error);
    if (stats->stats == NULL || (has_area && stats->area == NULL)) {
        cli_library_error(stats->cli->files[0], &error);
        return EXIT_INPUT;
    }
    varve_stats_totals(stats->stats, &stats->totals);
    if (stats->options.by == VARVE_BY_ARGUMENT && stats->totals.slice_count == 0)
        return cli_no_argument(stats->cli, stats->by);
    return has_rows ? put_rows(stats) : put_histogram(stats);
}

static ExitStatus run(Cli *cli)
{
    Stats      stats = { .cli = cli };
    CliTraces  traces;
    ExitStatus status = parse_options(&stats);
    if (status == EXIT_DONE) status = cli_check_search(cli, cli_option(cli, "find"));
    if (status != EXIT_DONE) return status;
    if (cli_option(cli, "find") == NULL && stats.options.by != VARVE_BY_ARGUMENT)
        cli->load.store = STORE_UNUSED;
    status = cli_traces_load(cli, 0, 1, &traces);
    if (status == EXIT_DONE) {
        stats.trace = traces.handles[0];
        status = choose_slices(&stats);
    }
    if (status == EXIT_DONE) status = answer(&stats);
    varve_area_close(stats.area);
    varve_stats_close(stats.stats);
    varve_slice_set_close(stats.found);
    bytes_release(&stats.out);
    cli_traces_release(&traces);
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
    .words = OF_OPTIONS,
    .run = run
};
