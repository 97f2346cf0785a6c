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

static ExitStatus run(Cli *cli)
{
    return cli_describe_files(cli, print_info, cli->strict);
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
