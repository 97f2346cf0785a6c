/* varve dump - every event. */
#include "app/cli/cli.h"
#include "app/cli/event_json.h"

#include <stdio.h>

enum { FLUSH_BYTES = 64 * 1024 };

static const OptionSpec OPTIONS[] = { { "json", '\0', NULL, "one JSON object a line, stable for programs" },
                                      { NULL, '\0', NULL, NULL } };

typedef bool (*AppendEvent)(const Loaded *loaded, const OrderedEvent *event, Bytes *out, Err *err);

/* Prints all events through a buffer of bounded size. */
static ExitStatus dump_events(const Loaded *loaded, EventOrder *order, AppendEvent append, Bytes *buffer)
{
    OrderedEvent event;
    Err          err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    while (event_order_next(order, &event)) {
        if (!append(loaded, &event, buffer, &err)) {
            ExitStatus printed = cli_print(buffer);
            cli_error(loaded->name, &err);
            return printed == EXIT_DONE ? EXIT_INPUT : printed;
        }
        if (buffer->size < FLUSH_BYTES && !buffer->failed) continue;
        ExitStatus status = cli_print(buffer);
        if (status != EXIT_DONE) return status;
        bytes_clear(buffer);
    }
    return cli_print(buffer);
}

static ExitStatus dump_loaded(Cli *cli, const Loaded *loaded)
{
    EventOrder *order = event_order_create(loaded->trace, &cli->arena);
    if (order == NULL) {
        (void)fputs("varve: out of memory for the order of events\n", stderr);
        return EXIT_OUTPUT;
    }
    Bytes       buffer = { 0 };
    AppendEvent append = cli_option(cli, "json") != NULL ? event_json_append : event_text_append;
    ExitStatus  status = dump_events(loaded, order, append, &buffer);
    bytes_release(&buffer);
    return status;
}

static ExitStatus run(Cli *cli)
{
    if (cli->file_count != 1) return cli_usage_error(cli, "dump needs one FILE");
    Loaded     loaded = { 0 };
    ExitStatus status = cli_load_judged(cli, cli->files[0], &loaded);
    if (status != EXIT_DONE) return status;
    status = dump_loaded(cli, &loaded);
    loaded_release(&loaded);
    return status;
}

const CliCommand COMMAND_DUMP = {
    .name = "dump",
    .summary = "Every event with every field, by begin, then track, then depth",
    .usage = "[--json] FILE",
    .details = "Without --json each event is one line: its kind, then every key with its value.",
    .examples = "  varve dump trace.spall | less\n"
                "  varve dump --json trace.json | jq -r 'select(.kind==\"slice\") | .name' | sort | uniq -c",
    .options = OPTIONS,
    .run = run
};
