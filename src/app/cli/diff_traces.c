/* varve diff of any two traces: the options, and the loading of both traces. */
#include "app/cli/diff.h"
#include "app/cli/part_options.h"
#include "app/cli/table_text.h"
#include "base/digits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDES = 2, USUAL_TOP = 40, MOST_NAMED = 10 };

static const char *const FORMS[] = { "json", "csv" };
typedef enum { AS_TABLE, AS_JSON, AS_CSV } Output; /* by FORMS */

typedef struct Diff {
    Cli             *cli;
    VarveDiffOptions options;
    const char      *by; /* "name", "path" or "arg:KEY" */
    Output           output;
    uint64_t         top;        /* rows at most; 0 = all */
    double           fail_above; /* percent; < 0 = no limit */
    VarvePart        parts[SIDES];
    CliTraces        traces[SIDES];
    VarveDiff       *diff;
    DiffOut          out;
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

/* Returns the range of one trace; NULL = all of it. */
static const char *range_of(const Cli *cli, unsigned side)
{
    const char *own = cli_option(cli, side == 0 ? "range-a" : "range-b");
    return own != NULL ? own : cli_option(cli, "range");
}

static ExitStatus check_ranges(Cli *cli)
{
    for (unsigned side = 0; side < SIDES; side++) {
        const char *range = range_of(cli, side);
        if (range != NULL && !cli_check_range(cli, range)) return EXIT_USAGE;
    }
    return EXIT_DONE;
}

/* Reads --by. */
static bool parse_by(Diff *diff)
{
    static const char *const KEYS[] = { "name", "path" }; /* by VarveDiffBy */
    const char              *word = cli_option(diff->cli, "by");
    size_t                   by = VARVE_DIFF_BY_NAME;
    diff->by = word == NULL ? KEYS[by] : word;
    diff->options.argument = cli_argument_key(diff->by);
    if (diff->options.argument != NULL) {
        by = VARVE_DIFF_BY_ARGUMENT;
    } else if (!CLI_FIND_WORD(KEYS, diff->by, &by)) {
        (void)cli_usage_error(diff->cli, "--by must be name, path or arg:KEY, not '%.60s'", diff->by);
        return false;
    }
    diff->options.by = (VarveDiffBy)by;
    return true;
}

static ExitStatus parse_options(Diff *diff)
{
    Cli        *cli = diff->cli;
    const char *fail_above = cli_option(cli, "fail-above");
    size_t      sort = VARVE_MEASURE_SELF, form;
    if (!parse_by(diff) || !cli_option_word(cli, "sort", &sort) || !CLI_OPTION_FLAG(cli, FORMS, &form))
        return EXIT_USAGE;
    diff->options.sort = (VarveMeasure)sort;
    diff->output = (Output)form;
    if (diff->output == AS_TABLE) diff->top = USUAL_TOP;
    if (!cli_option_number(cli, "top", 1, UINT64_MAX, &diff->top)) return EXIT_USAGE;
    if (fail_above != NULL && !parse_percent(fail_above, &diff->fail_above))
        return cli_usage_error(cli, "--fail-above must be a percentage, as 10 or 2.5, not '%.60s'",
                               fail_above);
    if (strcmp(cli->files[0], "-") == 0 && strcmp(cli->files[1], "-") == 0)
        return cli_usage_error(cli, "only one of the two traces can come from standard input");
    diff->options.align = cli_option(cli, "align");
    return check_ranges(cli);
}

/* ---- the answer ---- */

StringView diff_name(const DiffOut *out, uint32_t row, VarveBytes *buffer)
{
    if (!varve_diff_path(out->diff, row, buffer, NULL)) varve_bytes_release(buffer);
    return (StringView){ buffer->size_bytes == 0 ? "" : (const char *)buffer->bytes, buffer->size_bytes };
}

/* Prints the rows that became slower by more than the limit on stderr. */
static ExitStatus apply_limit(const Diff *diff)
{
    uint64_t   failing = 0;
    VarveBytes buffer = { 0 };
    if (diff->fail_above < 0) return EXIT_DONE;
    for (uint32_t i = 0; i < diff->out.row_count; i++) {
        const VarveDiffRow *row = &diff->out.rows[i];
        const double        percent = varve_diff_percent(row, VARVE_MEASURE_SELF_AVERAGE);
        if (row->verdict != VARVE_SLOWER || !(percent > diff->fail_above)) continue;
        if (++failing > MOST_NAMED || diff->cli->quiet) continue;
        const StringView name = diff_name(&diff->out, i, &buffer);
        (void)fprintf(stderr, "varve: %.*s: a call takes %.1f %% longer (limit %g %%)\n", (int)name.size,
                      name.bytes, percent, diff->fail_above);
    }
    varve_bytes_release(&buffer);
    return failing > 0 ? EXIT_DIFFERENT : EXIT_DONE;
}

static ExitStatus compare(Diff *diff)
{
    Cli              *cli = diff->cli;
    const VarveTrace *a = diff->traces[0].handles[0], *b = diff->traces[1].handles[0];
    VarveError        error;
    for (unsigned side = 0; side < SIDES; side++) {
        diff->parts[side].thread = cli_option(cli, "thread");
        if (diff->options.align != NULL) diff->parts[side].range = range_of(cli, side);
    }
    diff->diff = varve_diff_open(a, &diff->parts[0], b, &diff->parts[1], &diff->options, &error);
    if (diff->diff == NULL && error.code == VARVE_ERROR_USAGE)
        return cli_usage_error(cli, "%s", error.message);
    for (unsigned side = 0; side < SIDES; side++) {
        const ExitStatus status = cli_part_thread(cli, diff->traces[side].handles[0], &diff->parts[side]);
        if (status != EXIT_DONE) return status;
    }
    if (diff->diff != NULL) return EXIT_DONE;
    if (error.code == VARVE_ERROR_UNKNOWN)
        return cli_usage_error(cli, "--align=%.100s: %s", diff->options.align, error.message);
    cli_library_error(cli->files[1], &error);
    return EXIT_INPUT;
}

static ExitStatus print_json(const Diff *diff)
{
    VarveBytes text = { 0 };
    VarveError error;
    const bool is_made = varve_diff_json(diff->diff, diff->top, diff->fail_above, &text, &error);
    return cli_print_made(diff->cli->files[1], is_made, &text, &error);
}

static ExitStatus print(Diff *diff)
{
    DiffOut *out = &diff->out;
    Bytes    text = { 0 };
    out->diff = diff->diff;
    out->unit = varve_unit(diff->traces[0].handles[0]);
    out->by = diff->by;
    out->is_by_argument = diff->options.by == VARVE_DIFF_BY_ARGUMENT;
    out->rows = varve_diff_rows(diff->diff, &out->row_count);
    if (out->rows == NULL) return cli_no_memory(diff->cli->files[1], "the comparison");
    if (out->is_by_argument && out->row_count == 0) return cli_no_argument(diff->cli, diff->by);
    out->shown = table_rows(out->row_count, diff->top);
    if (diff->output == AS_JSON) return print_json(diff);
    if (diff->output == AS_TABLE)
        diff_put_table(out, &text);
    else
        diff_put_csv(out, &text);
    const ExitStatus status = cli_print(&text);
    bytes_release(&text);
    return status;
}

ExitStatus diff_traces(Cli *cli)
{
    Diff       diff = { .cli = cli, .fail_above = -1, .out = { .color = cli->color } };
    ExitStatus status = parse_options(&diff);
    if (diff.options.by != VARVE_DIFF_BY_ARGUMENT) cli->load.store = STORE_UNUSED;
    for (unsigned side = 0; status == EXIT_DONE && side < SIDES; side++) {
        cli->load.range = diff.options.align == NULL ? range_of(cli, side) : NULL;
        diff.out.files[side] = cli->files[side];
        status = cli_traces_load(cli, side, 1, &diff.traces[side]);
    }
    if (status == EXIT_DONE) status = compare(&diff);
    if (status == EXIT_DONE) status = print(&diff);
    if (status == EXIT_DONE) status = apply_limit(&diff);
    varve_diff_close(diff.diff);
    for (unsigned side = 0; side < SIDES; side++)
        cli_traces_release(&diff.traces[side]);
    return status;
}
