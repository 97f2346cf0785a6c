/* varve frames - statistics of each frame of a capture. */
#include "app/cli/capture_tool.h"
#include "base/json_writer.h"

#include <inttypes.h>
#include <stdio.h>

static const OptionSpec OPTIONS[] = { { "json", '\0', NULL, "one JSON object a line, stable for programs" },
                                      { NULL, '\0', NULL, NULL } };

typedef struct FrameTable {
    Bytes      buffer;
    bool       json, has_heading;
    ExitStatus status;
} FrameTable;

static const VarveFamily COLUMNS[] = { VARVE_FAMILY_DRAW, VARVE_FAMILY_STATE, VARVE_FAMILY_UPLOAD,
                                       VARVE_FAMILY_QUERY, VARVE_FAMILY_SYNC };

static void put_json(Bytes *out, const VarveFrame *frame)
{
    JsonWriter w = json_writer_to(out, 0);
    json_object_begin(&w);
    json_put_u64(&w, "frame", frame->index);
    json_put_u64(&w, "first_call", frame->first_call);
    json_put_u64(&w, "calls", frame->call_count);
    json_put_bool(&w, "ended", frame->is_ended);
    json_put_u64(&w, "incomplete", frame->incomplete_call_count);
    json_put_object(&w, "families");
    for (unsigned i = 0; i < VARVE_FAMILIES; i++)
        json_put_u64(&w, varve_family_name((VarveFamily)i), frame->family_counts[i]);
    json_object_end(&w);
    json_put_u64(&w, "redundant_state_calls", frame->redundant_count);
    json_put_u64(&w, "upload_bytes", frame->upload_bytes);
    json_object_end(&w);
    bytes_append_text(out, "\n");
}

static void put_row(FrameTable *table, const VarveFrame *frame)
{
    Bytes *out = &table->buffer;
    if (!table->has_heading) {
        bytes_append_text(out, "     frame  first call     calls");
        for (size_t i = 0; i < sizeof COLUMNS / sizeof COLUMNS[0]; i++)
            bytes_printf(out, "%8s", varve_family_name(COLUMNS[i]));
        bytes_append_text(out, "   other  redundant  upload bytes\n");
        table->has_heading = true;
    }
    uint64_t other = frame->call_count;
    bytes_printf(out, "%10" PRIu64 "%12" PRIu64 "%10" PRIu64, frame->index, frame->first_call,
                 frame->call_count);
    for (size_t i = 0; i < sizeof COLUMNS / sizeof COLUMNS[0]; i++) {
        other -= frame->family_counts[COLUMNS[i]];
        bytes_printf(out, "%8" PRIu64, frame->family_counts[COLUMNS[i]]);
    }
    bytes_printf(out, "%8" PRIu64 "%11" PRIu64 "%14" PRIu64 "%s\n", other, frame->redundant_count,
                 frame->upload_bytes, frame->is_ended ? "" : "  not ended");
}

static bool print_frame(void *context, const VarveFrame *frame)
{
    FrameTable *table = context;
    if (table->json) {
        put_json(&table->buffer, frame);
    } else {
        put_row(table, frame);
    }
    table->status = cli_print_much(&table->buffer);
    return table->status == EXIT_DONE;
}

static ExitStatus run(Cli *cli)
{
    FrameTable table = { .json = cli_option(cli, "json") != NULL, .status = EXIT_DONE };
    VarveError fault, error;
    if (cli->file_count != 1) return cli_usage_error(cli, "frames needs one FILE");
    const bool is_done =
        varve_capture_frames(cli->files[0], cli_threads(cli), print_frame, &table, &fault, &error);
    if (table.status == EXIT_DONE) table.status = cli_print(&table.buffer);
    bytes_release(&table.buffer);
    ExitStatus status = capture_tool_end(cli, cli->files[0], &fault, is_done ? NULL : &error);
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
