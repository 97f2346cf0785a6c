/* varve diff of any two traces: the options, and the loading of both traces. */
#include "app/cli/diff.h"
#include "app/cli/thread_option.h"
#include "base/checked.h"
#include "base/digits.h"
#include "trace/store/time_spec.h"
#include "trace/store/window.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_TOP = 40, MOST_NAMED = 10 };

typedef enum { AS_TABLE, AS_JSON, AS_CSV } Output;

typedef struct Diff {
    Cli         *cli;
    CompareBy    by;
    Measure      sort;
    Output       output;
    CompareInput inputs[SIDE_COUNT];
    Comparison   comparison;
    DiffOut      out;
} Diff;

/* ---- options ---- */

/* Parses a percentage such as 10, 2.5 or 10%. */
static bool parse_percent(const char *text, double *percent)
{
    const size_t digits = strspn(text, "0123456789.");
    char        *end;
    *percent = strtod(text, &end);
    return digits > 0 && end == text + digits && (*end == '\0' || strcmp(end, "%") == 0);
}

static bool find_measure(const char *word, Measure *found)
{
    for (*found = 0; *found < MEASURES; ++*found)
        if (strcmp(compare_measure_name(*found), word) == 0) return true;
    return false;
}

/* Returns the range of one trace; NULL = all of it. */
static const char *range_of(const Cli *cli, CompareSide side)
{
    const char *own = cli_option(cli, side == SIDE_A ? "range-a" : "range-b");
    return own != NULL ? own : cli_option(cli, "range");
}

static ExitStatus check_ranges(Cli *cli)
{
    for (CompareSide side = SIDE_A; side < SIDE_COUNT; side++) {
        const char *range = range_of(cli, side);
        TimeRange   parsed;
        Err         err;
        if (range != NULL && !time_range_parse(range, &parsed, &err))
            return cli_usage_error(cli, "%s", err.message);
    }
    return EXIT_DONE;
}

static ExitStatus parse_options(Diff *diff)
{
    Cli        *cli = diff->cli;
    const char *by = cli_option(cli, "by"), *sort = cli_option(cli, "sort"), *top = cli_option(cli, "top");
    const char *fail_above = cli_option(cli, "fail-above");
    const bool  is_path = by != NULL && strcmp(by, "path") == 0;
    if (by != NULL && !is_path && strcmp(by, "name") != 0)
        return cli_usage_error(cli, "--by must be name or path, not '%.60s'", by);
    if (sort != NULL && !find_measure(sort, &diff->sort))
        return cli_usage_error(cli, "--sort=%.60s: unknown column", sort);
    if (top != NULL &&
        (!text_to_u64((StringView){ top, strlen(top) }, &diff->out.rows.top) || diff->out.rows.top == 0))
        return cli_usage_error(cli, "--top must be a number of rows, not '%.60s'", top);
    if (fail_above != NULL && !parse_percent(fail_above, &diff->out.rows.fail_above))
        return cli_usage_error(cli, "--fail-above must be a percentage, as 10 or 2.5, not '%.60s'",
                               fail_above);
    if (cli_option(cli, "json") != NULL && cli_option(cli, "csv") != NULL)
        return cli_usage_error(cli, "--json or --csv, not both");
    if (strcmp(cli->files[SIDE_A], "-") == 0 && strcmp(cli->files[SIDE_B], "-") == 0)
        return cli_usage_error(cli, "only one of the two traces can come from standard input");
    diff->by = is_path ? COMPARE_BY_PATH : COMPARE_BY_NAME;
    diff->output = cli_option(cli, "json") != NULL  ? AS_JSON
                   : cli_option(cli, "csv") != NULL ? AS_CSV
                                                    : AS_TABLE;
    if (top == NULL && diff->output == AS_TABLE) diff->out.rows.top = USUAL_TOP;
    return check_ranges(cli);
}

/* ---- ranges ---- */

/* Sets the range of a query, relative to the first slice of --align. The trace was loaded without a range. */
static ExitStatus align_range(const Diff *diff, CompareSide side, const char *range, StatsQuery *query)
{
    const Cli       *cli = diff->cli;
    const Trace     *trace = diff->inputs[side].trace;
    const char      *name = cli_option(cli, "align");
    const StringView text = { name, strlen(name) };
    int64_t          first, begin, end;
    Err              err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (!compare_first_slice(trace, query, text, &first))
        return cli_usage_error(cli, "--align=%.100s: no slice of %s has this name", name, cli->files[side]);
    if (range == NULL) return EXIT_DONE;
    const TimeAxis axis = { &trace->clock, first, (uint64_t)trace->end_tick - (uint64_t)first };
    if (!time_range_find(range, &axis, &begin, &end, &err)) {
        cli_error(cli->files[side], &err);
        return EXIT_USAGE;
    }
    query->part.begin_tick = first + begin;
    query->part.end_tick = i64_add_saturated(first, end);
    return EXIT_DONE;
}

static ExitStatus choose_slices(Diff *diff, CompareSide side)
{
    Cli             *cli = diff->cli;
    const Trace     *trace = diff->inputs[side].trace;
    StatsQuery      *query = &diff->inputs[side].query;
    const ExitStatus status = cli_thread_option(cli, trace, &query->part.tracks, &query->part.track_count);
    if (status != EXIT_DONE) return status;
    trace_window_range(trace, &query->part.begin_tick, &query->part.end_tick);
    if (cli_option(cli, "align") == NULL) return EXIT_DONE;
    return align_range(diff, side, range_of(cli, side), query);
}

/* ---- the answer ---- */

/* Prints the rows that became slower by more than the limit on stderr. */
static ExitStatus apply_limit(const Diff *diff)
{
    const Comparison *comparison = &diff->comparison;
    uint64_t          failing = 0;
    Bytes             name = { 0 };
    if (diff->out.rows.fail_above < 0) return EXIT_DONE;
    for (uint32_t i = 0; i < comparison->row_count; i++) {
        const CompareRow *row = &comparison->rows[i];
        if (!compare_row_fails(&diff->out.rows, row)) continue;
        if (++failing > MOST_NAMED || diff->cli->quiet) continue;
        bytes_clear(&name);
        compare_put_name(comparison, row, &name);
        bytes_append(&name, "", 1);
        if (!name.failed)
            (void)fprintf(stderr, "varve: %s: a call takes %.1f %% longer (limit %g %%)\n",
                          (const char *)name.data, compare_percent(comparison, row, MEASURE_SELF_AVERAGE),
                          diff->out.rows.fail_above);
    }
    bytes_release(&name);
    return failing > 0 ? EXIT_DIFFERENT : EXIT_DONE;
}

static ExitStatus answer(Diff *diff)
{
    Bytes out = { 0 };
    Err   err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (!compare_is_possible(&diff->inputs[SIDE_A].trace->clock, &diff->inputs[SIDE_B].trace->clock))
        return cli_usage_error(diff->cli,
                               "one trace has times and the other does not: they cannot be compared");
    for (CompareSide side = SIDE_A; side < SIDE_COUNT; side++) {
        const ExitStatus status = choose_slices(diff, side);
        if (status != EXIT_DONE) return status;
    }
    const bool done = compare_traces(diff->inputs, diff->by, &diff->comparison, &err) &&
                      (compare_sort(&diff->comparison, diff->sort) ||
                       err_set(&err, ERR_MEMORY, "out of memory for the comparison"));
    if (!done) {
        cli_error(diff->cli->files[SIDE_B], &err);
        return EXIT_INPUT;
    }
    switch (diff->output) {
    case AS_TABLE:
        diff_put_table(&diff->out, &out);
        break;
    case AS_JSON:
        compare_put_json(&diff->out.rows, &out);
        break;
    case AS_CSV:
        diff_put_csv(&diff->out, &out);
        break;
    }
    const ExitStatus status = cli_print(&out);
    bytes_release(&out);
    return status != EXIT_DONE ? status : apply_limit(diff);
}

ExitStatus diff_traces(Cli *cli)
{
    Diff   diff = { .cli = cli, .sort = MEASURE_SELF };
    Loaded loaded[SIDE_COUNT] = { 0 };
    diff.out = (DiffOut){ .rows = { .comparison = &diff.comparison, .fail_above = -1 }, .color = cli->color };
    ExitStatus status = parse_options(&diff);
    cli->load.store = STORE_UNUSED;
    for (unsigned side = 0; status == EXIT_DONE && side < SIDE_COUNT; side++) {
        cli->load.range = cli_option(cli, "align") == NULL ? range_of(cli, (CompareSide)side) : NULL;
        status = cli_load_judged(cli, cli->files[side], &loaded[side]);
        if (status != EXIT_DONE) loaded[side] = (Loaded){ .trace = NULL };
        diff.inputs[side].trace = loaded[side].trace;
        diff.out.rows.files[side] = cli->files[side];
    }
    if (status == EXIT_DONE) status = answer(&diff);
    compare_release(&diff.comparison);
    for (unsigned side = 0; side < SIDE_COUNT; side++)
        if (loaded[side].trace != NULL) loaded_release(&loaded[side]);
    return status;
}
