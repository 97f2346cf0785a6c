/* varve trim - copies some calls of a capture into a new capture. */
#include "app/cli/capture_tool.h"
#include "base/digits.h"

#include <string.h>

static const OptionSpec OPTIONS[] = { { "calls", '\0', "SET", "these calls, as 10-20,99,0-*/frame" },
                                      { "frames", '\0', "SET", "the calls of these frames, counted from 0" },
                                      { "thread", '\0', "N", "only the calls of this thread" },
                                      { "output", 'o', "OUT", "where to" },
                                      { NULL, '\0', NULL, NULL } };

static ExitStatus run(Cli *cli)
{
    const char *out = cli_option(cli, "output"), *thread = cli_option(cli, "thread");
    CallSet     calls = { .last = 0 }, frames = { .last = 0 };
    TrimChoice  choice = { .calls = NULL };
    uint64_t    number = 0;
    ExitStatus  status = EXIT_USAGE;
    if (cli->file_count != 1 || out == NULL) return cli_usage_error(cli, "trim needs one FILE and -o OUT");
    if (thread != NULL &&
        (!text_to_u64((StringView){ thread, strlen(thread) }, &number) || number > UINT32_MAX))
        return cli_usage_error(cli, "--thread must be a number, not '%s'", thread);
    choice.has_thread = thread != NULL;
    choice.thread = (uint32_t)number;
    if (capture_option_set(cli, "calls", &calls, &choice.calls) &&
        capture_option_set(cli, "frames", &frames, &choice.frames)) {
        ToolResult result = { .complete = false };
        Err        err;
        bool       done = apitrace_trim(cli->files[0], &choice, out, cli->load.threads, &result, &err);
        status = capture_tool_end(cli, cli->files[0], &result, done ? NULL : &err);
    }
    call_set_release(&calls);
    call_set_release(&frames);
    return status;
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
