/* varve repack - copies a capture into another container. */
#include "app/cli/capture_tool.h"
#include "base/digits.h"
#include "codec/encoder.h"

#include <string.h>

static const OptionSpec OPTIONS[] = { { "to", '\0', "KIND", "snappy (default), gzip, brotli or zstd" },
                                      { "level", '\0', "N",
                                        "compression level: gzip 1-9, brotli 0-11, zstd 1-22" },
                                      { "output", 'o', "OUT", "where to" },
                                      { NULL, '\0', NULL, NULL } };

static bool find_kind(const char *name, CodecKind *kind)
{
    static const CodecKind KINDS[] = { CODEC_SNAPPY, CODEC_GZIP, CODEC_BROTLI, CODEC_ZSTD };
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
        *kind = KINDS[i];
        if (name == NULL || strcmp(name, codec_name(KINDS[i])) == 0) return true;
    }
    return false;
}

static ExitStatus run(Cli *cli)
{
    const char *out = cli_option(cli, "output"), *to = cli_option(cli, "to"),
               *level = cli_option(cli, "level");
    CodecKind kind;
    if (cli->file_count != 1 || out == NULL) return cli_usage_error(cli, "repack needs one FILE and -o OUT");
    if (!find_kind(to, &kind))
        return cli_usage_error(cli, "--to must be snappy, gzip, brotli or zstd, not '%s'", to);
    EncoderLevels levels = encoder_levels(kind);
    uint64_t      number = (uint64_t)levels.usual;
    bool          is_number = level == NULL || text_to_u64((StringView){ level, strlen(level) }, &number);
    if (!is_number || number < (uint64_t)levels.least || number > (uint64_t)levels.most)
        return cli_usage_error(cli, "--level of %s must be from %d to %d", codec_name(kind), levels.least,
                               levels.most);
    ToolResult result = { .complete = false };
    Err        err;
    bool done = apitrace_repack(cli->files[0], kind, (int)number, out, cli->load.threads, &result, &err);
    return capture_tool_end(cli, cli->files[0], &result, done ? NULL : &err);
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
    .run = run
};
