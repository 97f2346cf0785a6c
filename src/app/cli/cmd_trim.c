/* varve trim - copies some calls of a capture into a new capture. */
#include "app/cli/capture_tool.h"

#include <string.h>

static const OptionSpec OPTIONS[] = { { "calls", '\0', "SET", "these calls, as 10-20,99,0-*/frame" },
                                      { "frames", '\0', "SET", "the calls of these frames, counted from 0" },
                                      { "thread", '\0', "N", "only the calls of this thread" },
                                      { "output", 'o', "OUT", "where to" },
                                      { NULL, '\0', NULL, NULL } };

static ExitStatus run(Cli *cli)
{
    const char *out = cli_option(cli, "output");
    VarveTrim   trim = { .calls = cli_option(cli, "calls"), .frames = cli_option(cli, "frames") };
    VarveError  fault, error;
    uint64_t    number = 0;
    if (cli->file_count != 1 || out == NULL) return cli_usage_error(cli, "trim needs one FILE and -o OUT");
    if (!cli_option_number(cli, "thread", 0, UINT32_MAX, &number)) return EXIT_USAGE;
    trim.has_thread = cli_option(cli, "thread") != NULL;
    trim.thread = (uint32_t)number;
    const bool is_done = varve_capture_trim(cli->files[0], &trim, out, cli_threads(cli), &fault, &error);
    return capture_tool_end(cli, cli->files[0], &fault, is_done ? NULL : &error);
}

const CliCommand COMMAND_TRIM = {
    .name = "trim",
    .summary = "Writes some calls or frames of an apitrace capture as a capture",
    .usage = "[--calls=SET] [--frames=SET] [--thread=N] FILE -o OUT",
    .details = "SET is ranges with commas between them: N, A-B, A-, *; a suffix /STEP,\n"
               "/frame, /fbo or /draw selects among the calls of a range. Calls are\n"
               "numbered anew, in the order in which they return.",
    .examples = "  varve trim --frames=100-109 game.trace -o ten-frames.trace\n"
                "  varve trim --calls=draw --thread=0 game.trace -o draws.trace",
    .is_by_calls = true,
    .options = OPTIONS,
    .run = run
};
