/* varve frames - statistics of each frame of a capture. */
#include "app/cli/capture_tool.h"
#include "base/json_writer.h"
#include "format/apitrace/call_flags.h"

#include <inttypes.h>
#include <stdio.h>

enum { FLUSH_BYTES = 64 * 1024 };

static const OptionSpec OPTIONS[] = { { "json", '\0', NULL, "one JSON object a line, stable for programs" },
                                      { NULL, '\0', NULL, NULL } };

typedef struct FrameTable {
    Bytes      buffer;
    bool       json, has_heading;
    ExitStatus status;
} FrameTable;

static const ApiFamily COLUMNS[] = { FAMILY_DRAW, FAMILY_STATE, FAMILY_UPLOAD, FAMILY_QUERY, FAMILY_SYNC };

static void put_json(Bytes *out, const FrameFacts *facts)
{
    JsonWriter w = json_writer_to(out, 0);
    json_object_begin(&w);
    json_put_u64(&w, "frame", facts->frame);
    json_put_u64(&w, "first_call", facts->first_call);
    json_put_u64(&w, "calls", facts->calls);
    json_put_bool(&w, "ended", facts->ended);
    json_put_u64(&w, "incomplete", facts->incomplete);
    json_put_object(&w, "families");
    for (unsigned i = 0; i < FAMILY_COUNT; i++)
        json_put_u64(&w, call_family_name((ApiFamily)i), facts->families[i]);
    json_object_end(&w);
    json_put_u64(&w, "redundant_state_calls", facts->redundant);
    json_put_u64(&w, "upload_bytes", facts->upload_bytes);
    json_object_end(&w);
    bytes_append_text(out, "\n");
}

static void put_row(FrameTable *table, const FrameFacts *facts)
{
    Bytes *out = &table->buffer;
    if (!table->has_heading) {
        bytes_append_text(out, "     frame  first call     calls");
        for (size_t i = 0; i < sizeof COLUMNS / sizeof COLUMNS[0]; i++)
            bytes_printf(out, "%8s", call_family_name(COLUMNS[i]));
        bytes_append_text(out, "   other  redundant  upload bytes\n");
        table->has_heading = true;
    }
    uint64_t other = facts->calls;
    bytes_printf(out, "%10" PRIu64 "%12" PRIu64 "%10" PRIu64, facts->frame, facts->first_call, facts->calls);
    for (size_t i = 0; i < sizeof COLUMNS / sizeof COLUMNS[0]; i++) {
        other -= facts->families[COLUMNS[i]];
        bytes_printf(out, "%8" PRIu64, facts->families[COLUMNS[i]]);
    }
    bytes_printf(out, "%8" PRIu64 "%11" PRIu64 "%14" PRIu64 "%s\n", other, facts->redundant,
                 facts->upload_bytes, facts->ended ? "" : "  not ended");
}

static bool tell(void *context, const FrameFacts *facts)
{
    FrameTable *table = context;
    if (table->json) {
        put_json(&table->buffer, facts);
    } else {
        put_row(table, facts);
    }
    if (table->buffer.size < FLUSH_BYTES && !table->buffer.failed) return true;
    table->status = cli_print(&table->buffer);
    bytes_clear(&table->buffer);
    return table->status == EXIT_DONE;
}

static ExitStatus run(Cli *cli)
{
    FrameTable table = { .json = cli_option(cli, "json") != NULL, .status = EXIT_DONE };
    ToolResult result = { .complete = false };
    Err        err;
    if (cli->file_count != 1) return cli_usage_error(cli, "frames needs one FILE");
    bool done = apitrace_frames(cli->files[0], cli->load.threads, tell, &table, &result, &err);
    if (table.status == EXIT_DONE) table.status = cli_print(&table.buffer);
    bytes_release(&table.buffer);
    ExitStatus status = capture_tool_end(cli, cli->files[0], &result, done ? NULL : &err);
    return status == EXIT_DONE ? table.status : status;
}

const CliCommand COMMAND_FRAMES = {
    .name = "frames",
    .summary = "Prints statistics of each frame of an apitrace capture",
    .usage = "[--json] FILE",
    .details = "Calls by purpose, redundant state calls, and the bytes of uploaded data.",
    .examples = "  varve frames game.trace | less\n"
                "  varve frames --json game.trace | jq -s 'max_by(.calls) | .frame'",
    .options = OPTIONS,
    .run = run
};
