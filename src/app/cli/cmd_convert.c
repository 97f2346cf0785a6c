/* varve convert - a trace in another format. */
#include "app/cli/convert_html.h"
#include "app/cli/convert_tables.h"
#include "app/cli/convert_tiles.h"
#include "app/cli/dataset.h"
#include "app/cli/losses.h"
#include "app/cli/traces.h"
#include "base/file.h"

#include <string.h>

static const char *const DETAILS[] = { "stored", "source" }; /* by VarveArgumentUse */
static const OptionWords OF_OPTIONS[] = { OPTION_WORDS("details", DETAILS), { NULL, NULL, 0 } };

static const OptionSpec OPTIONS[] = {
    { "output", 'o', "OUT",
      "output; the suffix decides the format; - is standard output; a folder gets every table" },
    { "to", '\0', "FORMAT", "the format, whatever the suffix: see below" },
    { "table", '\0', "NAME",
      "of csv, jsonl, arrow and parquet: the table, as in `varve query --schema`; default slice" },
    { "tracks", '\0', "NAME",
      "only tracks of this name or thread id, or whose title, or whose process's title, contains it" },
    { "details", '\0', "stored|source",
      "of varve: the arguments are in the file (stored, the default), or in FILE, which must stay" },
    { "tiles", '\0', NULL,
      "of varve: adds tiles, so that the viewer opens the file by ranges from a web server" },
    { NULL, '\0', NULL, NULL }
};

/* -- options -- */

/* The target and its options. */
typedef struct Plan {
    ConvertTarget    target;
    VarveArgumentUse arguments; /* of varve */
} Plan;

/* Returns the advice for a suffix that another command or program writes, NULL = none. */
static const char *advice_for(const char *out)
{
    static const struct {
        const char *suffix, *advice;
    } ADVICE[] = {
        { "png", "pictures are drawn by `varve render` and `varve flame`" },
        { "svg", "pictures are drawn by `varve render` and `varve flame`" },
        { "pdf", "pictures are drawn by `varve render`" },
        { "arrow", "the suffix is for Arrow files; Varve writes Arrow streams: use .arrows" },
        { "gz", "compress the output: `varve convert FILE --to=FORMAT -o - | gzip`" },
        { "zst", "compress the output: `varve convert FILE --to=FORMAT -o - | zstd`" },
    };
    for (size_t i = 0; i < sizeof ADVICE / sizeof ADVICE[0]; i++) {
        if (path_has_suffix(out, ADVICE[i].suffix)) return ADVICE[i].advice;
    }
    return NULL;
}

static ExitStatus no_target(const Cli *cli, const char *to, const char *out)
{
    Bytes         names = { 0 };
    ConvertTarget target;
    const char   *advice = to == NULL ? advice_for(out) : NULL;
    if (advice != NULL) return cli_usage_error(cli, "%s: %s", out, advice);
    for (uint32_t i = 0; convert_target_at(i, &target); i++)
        bytes_printf(&names, "%s%s", i == 0 ? "" : ", ", target.name);
    const char      *text = bytes_text(&names);
    const ExitStatus status = cli_usage_error(cli,
                                              to != NULL ? "--to=%s: unknown format: expected one of %s"
                                                         : "%s: unknown suffix: add --to= with one of %s",
                                              to != NULL ? to : out, text == NULL ? "json" : text);
    bytes_release(&names);
    return status;
}

static ExitStatus settle_details(const Cli *cli, Plan *plan)
{
    size_t arguments = VARVE_ARGUMENTS_STORED;
    if (cli_option(cli, "tiles") != NULL && !convert_target_is(&plan->target, "varve"))
        return cli_usage_error(cli, "--tiles is for varve");
    if (cli_option(cli, "details") != NULL && !convert_target_is(&plan->target, "varve"))
        return cli_usage_error(cli, "--details is for varve");
    if (!cli_option_word(cli, "details", &arguments)) return EXIT_USAGE;
    plan->arguments = (VarveArgumentUse)arguments;
    return EXIT_DONE;
}

static ExitStatus settle_target(const Cli *cli, const char *out, Plan *plan)
{
    const char *to = cli_option(cli, "to");
    if (!convert_target_find(to, out, &plan->target)) return no_target(cli, to, out);
    if (plan->target.of != TARGET_TABLES && cli_option(cli, "table") != NULL)
        return cli_usage_error(cli, "--table is for csv, jsonl, arrow and parquet, not for %s",
                               plan->target.name);
    return settle_details(cli, plan);
}

/* -- work -- */

static ExitStatus convert(const Cli *cli, const VarveTrace *trace, const Plan *plan, const char *path)
{
    LossOutput            output = { cli, path };
    const VarveConversion conversion = { .format = plan->target.name,
                                         .arguments = plan->arguments,
                                         .thread_count = cli_threads(cli),
                                         .loss = losses_note,
                                         .context = &output };
    VarveError            error;
    if (varve_convert_file(trace, &conversion, path, &error)) return EXIT_DONE;
    const Err err = cli_library_err(&error);
    if (err.code == ERR_USAGE) return cli_usage_error(cli, "%s", err.message);
    return losses_fail(cli->files[0], path, &err);
}

/* Writes a trace, or a table of it. */
static ExitStatus convert_trace(Cli *cli, const Plan *plan, const char *path)
{
    CliTraces  traces = { .count = 0 };
    ExitStatus status = cli_traces_load(cli, 0, 1, &traces);
    if (status == EXIT_DONE)
        status = plan->target.of == TARGET_TABLES
                     ? convert_tables(cli, traces.handles[0], &plan->target, path)
                     : convert(cli, traces.handles[0], plan, path);
    cli_traces_release(&traces);
    return status;
}

/* Writes a file for the viewer: a page, or a trace with tiles. */
static ExitStatus convert_for_viewer(Cli *cli, const Plan *plan, const ViewArgument *view, const char *path)
{
    Loaded     loaded = { 0 };
    ExitStatus status = cli_load_strict(cli, cli->files[0], &loaded);
    if (status != EXIT_DONE) return status;
    if (plan->target.of != TARGET_HTML) return convert_with_tiles(cli, &loaded, plan->arguments, path);
    status = convert_html(cli, &loaded, view, path);
    loaded_release(&loaded);
    return status;
}

static ExitStatus run(Cli *cli)
{
    const char  *out = cli_option(cli, "output");
    Plan         plan = { 0 };
    ViewArgument view;
    ExitStatus   status = view_argument_take(cli, &view);
    if (status != EXIT_DONE) return status;
    if (cli->file_count == 0) return cli_usage_error(cli, "convert needs one FILE");
    cli->load.tracks = cli_option(cli, "tracks");
    if (out == NULL) return cli_usage_error(cli, "convert needs -o OUT, such as OUT.json or OUT.spall");
    status = settle_target(cli, out, &plan);
    if (status != EXIT_DONE) return status;
    if (plan.target.of != TARGET_HTML && view.name != NULL)
        return cli_usage_error(cli, "%s: only html takes a view", view.name);
    if (plan.target.of == TARGET_TABLES && convert_is_dataset(&plan.target, out))
        return dataset_convert(cli, out);
    if (cli->file_count != 1) return cli_usage_error(cli, "convert needs one FILE");
    return plan.target.of == TARGET_HTML || cli_option(cli, "tiles") != NULL
               ? convert_for_viewer(cli, &plan, &view, out)
               : convert_trace(cli, &plan, out);
}

const CliCommand COMMAND_CONVERT = {
    .name = "convert",
    .summary = "Converts a trace to another format and lists the losses",
    .usage = "[--to=FORMAT] FILE [VIEW] -o OUT | --to=parquet FILE... -o FOLDER",
    .details = "FORMAT is one of\n"
               "  json     Trace Event JSON          spall, spall1  .spall, version 3 or 1\n"
               "  heph     Heph                      folded         call paths with self times, a line each\n"
               "  varve    the trace with its input, packed; opens at once\n"
               "  pprof    for `go tool pprof`       speedscope     a profile for each thread\n"
               "  csv, jsonl, arrow, parquet         a table, as `varve query --schema` lists them\n"
               "  html     the viewer and the trace in one file, which a browser opens without network;\n"
               "           VIEW is a view file (x.varve-view) or a link of the viewer, for html only\n"
               "Parquet in a folder is a dataset of many traces.\n"
               "The target's losses are listed on stderr, a kind a line, with their number. Parquet needs "
               "DuckDB: see query.",
    .examples = "  varve convert trace.spall -o trace.json\n"
                "  varve convert trace.json.gz -o trace.spall\n"
                "  varve convert trace.json.gz --range=1.2s..1.5s --tracks=main -o part.json\n"
                "  varve convert trace.json.gz --to=heph -o trace.bin.log\n"
                "  varve convert trace.json.gz -o trace.varve\n"
                "  varve convert trace.spall --to=json -o - | gzip > trace.json.gz\n"
                "  varve convert trace.json.gz slow-start.varve-view -o trace.html\n"
                "  varve convert trace.spall --table=counter -o counters.csv\n"
                "  varve convert run-*.json --to=parquet -o dataset",
    .options = OPTIONS,
    .words = OF_OPTIONS,
    .run = run
};
