/* varve info - prints a summary of a trace with its warnings. */
#include "app/cli/cli.h"
#include "app/cli/report.h"
#include "export/info.h"

static const OptionSpec OPTIONS[] = { { "json", '\0', NULL, "one JSON object, stable for programs" },
                                      { NULL, '\0', NULL, NULL } };

static ExitStatus print_info(const Cli *cli, const Loaded *loaded)
{
    Bytes text = { 0 };
    if (cli_option(cli, "json") != NULL) {
        JsonWriter w = json_writer_to(&text, 2);
        info_write_json(loaded, UINT64_MAX, &w);
        bytes_append_text(&text, "\n");
        cli_warnings(cli, loaded->name, loaded->trace);
    } else {
        report_info(loaded, cli->color ? REPORT_COLORED : REPORT_PLAIN, &text);
    }
    ExitStatus status = cli_print(&text);
    bytes_release(&text);
    return status;
}

static ExitStatus info_file(Cli *cli, const char *path)
{
    Loaded     loaded = { 0 };
    ExitStatus status = cli_load(cli, path, &loaded);
    if (status != EXIT_DONE) return status;
    status = print_info(cli, &loaded);
    if (status == EXIT_DONE && cli->strict && cli_anomalies(&loaded) > 0) status = EXIT_STRICT;
    loaded_release(&loaded);
    return status;
}

static ExitStatus run(Cli *cli)
{
    if (cli->file_count == 0) return cli_usage_error(cli, "info needs a FILE");
    ExitStatus worst = EXIT_DONE;
    cli->load.store = STORE_UNUSED;
    for (size_t i = 0; i < cli->file_count; i++) {
        ExitStatus status = info_file(cli, cli->files[i]);
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
