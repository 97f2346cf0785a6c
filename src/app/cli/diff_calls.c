/* varve diff of two captures, call by call. */
#include "app/cli/capture_tool.h"
#include "app/cli/diff.h"

typedef struct Lines {
    Bytes      buffer;
    bool       color;
    ExitStatus status;
} Lines;

static bool put_line(void *context, char mark, VarveText text)
{
    Lines *lines = context;
    Bytes *out = &lines->buffer;
    if (lines->color)
        bytes_append_text(out, mark == '@' ? "\033[36m" : mark == '-' ? "\033[31m" : "\033[32m");
    bytes_append_text(out, mark == '@' ? "@@ " : mark == '-' ? "-" : "+");
    bytes_append(out, text.bytes, text.size_bytes);
    bytes_append_text(out, mark == '@' ? " @@" : "");
    bytes_append_text(out, lines->color ? "\033[0m\n" : "\n");
    lines->status = cli_print_much(out);
    return lines->status == EXIT_DONE;
}

ExitStatus diff_calls(Cli *cli)
{
    Lines         lines = { .color = cli->color, .status = EXIT_DONE };
    VarveCallDiff diff = { .calls = cli_option(cli, "calls"), .line = put_line, .context = &lines };
    VarveError    faults[2], error;
    uint64_t      differing = 0;
    if (cli_option(cli, "ignore-addresses") != NULL) diff.addresses = VARVE_ADDRESSES_EQUAL;
    if (cli_option(cli, "verbose") != NULL) diff.choice = VARVE_CALLS_ALL;
    const bool is_done =
        varve_capture_diff(cli->files[0], cli->files[1], &diff, cli_threads(cli), &differing, faults, &error);
    if (lines.status == EXIT_DONE) lines.status = cli_print(&lines.buffer);
    bytes_release(&lines.buffer);
    ExitStatus first = capture_tool_end(cli, cli->files[0], &faults[0], is_done ? NULL : &error);
    ExitStatus second = is_done ? capture_tool_end(cli, cli->files[1], &faults[1], NULL) : EXIT_DONE;
    if (first != EXIT_DONE || second != EXIT_DONE) return first != EXIT_DONE ? first : second;
    if (lines.status != EXIT_DONE || differing == 0) return lines.status;
    return EXIT_DIFFERENT;
}
