/* varve check - prints only the import report. */
#include "app/cli/cli.h"
#include "app/cli/report.h"

#include <stdio.h>

static const OptionSpec OPTIONS[] = { { NULL, '\0', NULL, NULL } };

static ExitStatus check_file(Cli *cli, const char *path)
{
    Loaded     loaded = { 0 };
    ExitStatus status = cli_load(cli, path, &loaded);
    if (status != EXIT_DONE) return status;
    Bytes text = { 0 };
    report_check(&loaded, &text);
    status = cli_print(&text);
    bytes_release(&text);
    if (status == EXIT_DONE && cli_anomalies(&loaded) > 0) status = EXIT_STRICT;
    loaded_release(&loaded);
    return status;
}

static ExitStatus run(Cli *cli)
{
    if (cli->file_count == 0) return cli_usage_error(cli, "check needs a FILE");
    ExitStatus worst = EXIT_DONE;
    cli->load.store = STORE_UNUSED;
    for (size_t i = 0; i < cli->file_count; i++) {
        ExitStatus status = check_file(cli, cli->files[i]);
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
