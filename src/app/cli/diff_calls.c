/* varve diff of two captures, call by call. */
#include "app/cli/capture_tool.h"
#include "app/cli/diff.h"

enum { FLUSH_BYTES = 64 * 1024 };

typedef struct Lines {
    Bytes      buffer;
    bool       color;
    ExitStatus status;
} Lines;

static bool put_line(void *context, char mark, const Bytes *text)
{
    Lines *lines = context;
    Bytes *out = &lines->buffer;
    if (lines->color)
        bytes_append_text(out, mark == '@' ? "\033[36m" : mark == '-' ? "\033[31m" : "\033[32m");
    bytes_append_text(out, mark == '@' ? "@@ " : mark == '-' ? "-" : "+");
    bytes_append(out, text->data, text->size);
    bytes_append_text(out, mark == '@' ? " @@" : "");
    bytes_append_text(out, lines->color ? "\033[0m\n" : "\n");
    if (out->size < FLUSH_BYTES && !out->failed) return true;
    lines->status = cli_print(out);
    bytes_clear(out);
    return lines->status == EXIT_DONE;
}

ExitStatus diff_calls(Cli *cli)
{
    Lines       lines = { .color = cli->color, .status = EXIT_DONE };
    DiffSink    sink = { put_line, &lines };
    CallSet     calls = { .last = 0 };
    DiffOptions options = { .no_addresses = cli_option(cli, "ignore-addresses") != NULL,
                            .verbose = cli_option(cli, "verbose") != NULL,
                            .threads = cli->load.threads };
    ToolResult  results[2] = { { .complete = true }, { .complete = true } };
    uint64_t    differing = 0;
    Err         err;
    if (!capture_option_set(cli, "calls", &calls, &options.calls)) {
        call_set_release(&calls);
        return EXIT_USAGE;
    }
    bool done = apitrace_diff(cli->files[0], cli->files[1], &options, &sink, &differing, results, &err);
    if (lines.status == EXIT_DONE) lines.status = cli_print(&lines.buffer);
    bytes_release(&lines.buffer);
    call_set_release(&calls);
    ExitStatus first = capture_tool_end(cli, cli->files[0], &results[0], done ? NULL : &err);
    ExitStatus second = done ? capture_tool_end(cli, cli->files[1], &results[1], NULL) : EXIT_DONE;
    if (first != EXIT_DONE || second != EXIT_DONE) return first != EXIT_DONE ? first : second;
    if (lines.status != EXIT_DONE || differing == 0) return lines.status;
    return EXIT_DIFFERENT;
}
