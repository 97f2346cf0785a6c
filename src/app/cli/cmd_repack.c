/* varve repack - copies a capture into another container. */
#include "app/cli/capture_tool.h"
#include "base/digits.h"

#include <limits.h>
#include <string.h>

static const OptionSpec OPTIONS[] = { { "to", '\0', "KIND", "snappy (default), gzip, brotli or zstd" },
                                      { "level", '\0', "N",
                                        "compression level: gzip 1-9, brotli 0-11, zstd 1-22" },
                                      { "output", 'o', "OUT", "where to" },
                                      { NULL, '\0', NULL, NULL } };

static const char *const CONTAINERS[] = { "snappy", "zstd", "gzip", "brotli" }; /* by VarveContainer */
static const OptionWords OF_OPTIONS[] = { OPTION_WORDS("to", CONTAINERS), { NULL, NULL, 0 } };

static ExitStatus run(Cli *cli)
{
    const char *out = cli_option(cli, "output"), *level = cli_option(cli, "level");
    size_t      container = VARVE_CONTAINER_SNAPPY;
    VarveError  fault, error;
    uint64_t    number = INT_MAX; /* no container has this level */
    if (cli->file_count != 1 || out == NULL) return cli_usage_error(cli, "repack needs one FILE and -o OUT");
    if (!cli_option_word(cli, "to", &container)) return EXIT_USAGE;
    if (level != NULL && (!text_to_u64(c_string_view(level), &number) || number > INT_MAX)) number = INT_MAX;
    const bool is_done =
        varve_capture_repack(cli->files[0], (VarveContainer)container, level == NULL ? -1 : (int)number, out,
                             cli_threads(cli), &fault, &error);
    return capture_tool_end(cli, cli->files[0], &fault, is_done ? NULL : &error);
}

const CliCommand COMMAND_REPACK = {
    .name = "repack",
    .summary = "Copies an apitrace capture with another compression",
    .usage = "[--to=KIND] [--level=N] FILE -o OUT",
    .details = "The stream of calls is copied byte for byte. Snappy and zstd can be read at any place, so "
               "tools open them faster.",
    .examples =
        "  varve repack --to=brotli game.trace -o small.trace\n  varve repack small.trace -o fast.trace",
    .is_by_calls = true,
    .options = OPTIONS,
    .words = OF_OPTIONS,
    .run = run
};
