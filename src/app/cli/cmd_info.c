/* varve info - prints a summary of a trace with its warnings. */
#include "app/cli/traces.h"

static const OptionSpec OPTIONS[] = { { "json", '\0', NULL, "one JSON object, stable for programs" },
                                      { NULL, '\0', NULL, NULL } };

static ExitStatus print_info(const Cli *cli, const char *path, const VarveTrace *trace)
{
    VarveBytes text = { 0 };
    VarveError error;
    bool       is_made;
    if (cli_option(cli, "json") != NULL) {
        is_made = varve_info_json(trace, &text, &error);
        cli_trace_warnings(cli, trace);
    } else {
        is_made = varve_info_text(trace, cli->color ? VARVE_TEXT_COLORED : VARVE_TEXT_PLAIN, &text, &error);
    }
    return cli_print_made(path, is_made, &text, &error);
}

static ExitStatus info_file(Cli *cli, size_t index)
{
    CliTraces  traces;
    ExitStatus status = cli_traces_load_any(cli, index, 1, &traces);
    if (status == EXIT_DONE) status = print_info(cli, cli->files[index], traces.handles[0]);
    if (status == EXIT_DONE && cli->strict && cli_trace_anomalies(traces.handles[0]) > 0)
        status = EXIT_STRICT;
    cli_traces_release(&traces);
    return status;
}

static ExitStatus run(Cli *cli)
{
    if (cli->file_count == 0) return cli_usage_error(cli, "info needs a FILE");
    ExitStatus worst = EXIT_DONE;
    cli->load.store = STORE_UNUSED;
    for (size_t i = 0; i < cli->file_count; i++) {
        ExitStatus status = info_file(cli, i);
        if (worst == EXIT_DONE || status == EXIT_INPUT) worst = status;
    }
    return worst;
}

const CliCommand COMMAND_INFO = {
    .name = "info",
    .summary = "Prints a summary: format, time range, counts, threads, warnings",
    .usage = "[--json] FILE...",
    .examples = "  varve info trace.json.gz\n"
                "  varve info --json trace.spall | jq .counts.slices\n"
                "  varve info --strict trace.json     # exit status 3 if anything was wrong",
    .options = OPTIONS,
    .run = run
};
