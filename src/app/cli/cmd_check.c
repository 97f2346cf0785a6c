/* varve check - prints only the import report. */
#include "app/cli/traces.h"

static const OptionSpec OPTIONS[] = { { NULL, '\0', NULL, NULL } };

static ExitStatus check_file(Cli *cli, size_t index)
{
    CliTraces  traces;
    VarveBytes text = { 0 };
    VarveError error;
    ExitStatus status = cli_traces_load_any(cli, index, 1, &traces);
    if (status == EXIT_DONE) {
        const bool is_made = varve_check_text(traces.handles[0], &text, &error);
        status = cli_print_made(cli->files[index], is_made, &text, &error);
    }
    if (status == EXIT_DONE && cli_trace_anomalies(traces.handles[0]) > 0) status = EXIT_STRICT;
    cli_traces_release(&traces);
    return status;
}

static ExitStatus run(Cli *cli)
{
    if (cli->file_count == 0) return cli_usage_error(cli, "check needs a FILE");
    ExitStatus worst = EXIT_DONE;
    cli->load.store = STORE_UNUSED;
    for (size_t i = 0; i < cli->file_count; i++) {
        ExitStatus status = check_file(cli, i);
        if (worst == EXIT_DONE || status == EXIT_INPUT) worst = status;
    }
    return worst;
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
