/* varve check - prints only the import report. */
#include "app/cli/traces.h"

static const OptionSpec OPTIONS[] = { { NULL, '\0', NULL, NULL } };

static ExitStatus print_report(const Cli *cli, const char *path, const VarveTrace *trace)
{
    VarveBytes text = { 0 };
    VarveError error;
    (void)cli;
    return cli_print_made(path, varve_check_text(trace, &text, &error), &text, &error);
}

static ExitStatus run(Cli *cli)
{
    return cli_describe_files(cli, print_report, true);
}

const CliCommand COMMAND_CHECK = {
    .name = "check",
    .summary = "Prints every warning about the input, with its position; exit status 3 if there are any",
    .usage = "[OPTIONS] FILE...",
    .examples = "  varve check trace.json\n"
                "  varve check --quiet trace.spall || echo damaged",
    .options = OPTIONS,
    .run = run
};
