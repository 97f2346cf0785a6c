/* varve dump - every event: of the file, as text, or of the trace, as JSON. */
#include "app/cli/cli.h"
#include "app/cli/event_json.h"
#include "app/cli/event_line.h"

#include <stdio.h>

enum { FLUSH_BYTES = 64 * 1024 };

static const OptionSpec OPTIONS[] = { { "json", '\0', NULL, "one JSON object a line, stable for programs" },
                                      { NULL, '\0', NULL, NULL } };

/* Prints the buffer when it is full, or in any case. */
typedef enum { FLUSH_FULL, FLUSH_ALL } FlushRule;

static ExitStatus flush(Bytes *buffer, FlushRule rule)
{
    if (rule == FLUSH_FULL && buffer->size < FLUSH_BYTES && !buffer->failed) return EXIT_DONE;
    ExitStatus status = cli_print(buffer);
    bytes_clear(buffer);
    return status;
}

static ExitStatus out_of_memory(void)
{
    (void)fputs("varve: out of memory for the order of events\n", stderr);
    return EXIT_OUTPUT;
}

/* -- as JSON: the events of the trace, in order of time -- */

static ExitStatus dump_events(const Loaded *loaded, EventOrder *order, EventJson *json, Bytes *buffer)
{
    OrderedEvent event;
    Err          err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    while (event_order_next(order, &event)) {
        if (!event_json_append(json, &event, buffer, &err)) {
            ExitStatus printed = flush(buffer, FLUSH_ALL);
            cli_error(loaded->name, &err);
            return printed == EXIT_DONE ? EXIT_INPUT : printed;
        }
        ExitStatus status = flush(buffer, FLUSH_FULL);
        if (status != EXIT_DONE) return status;
    }
    return flush(buffer, FLUSH_ALL);
}

static ExitStatus dump_json(Cli *cli, const char *path)
{
    Loaded     loaded = { 0 };
    EventJson  json;
    ExitStatus status = cli_load_judged(cli, path, &loaded);
    if (status != EXIT_DONE) return status;
    EventOrder *order = event_order_create(loaded.trace, &cli->arena);
    Bytes       buffer = { 0 };
    bool        ready = event_json_open(&json, &loaded, &cli->arena) && order != NULL;
    status = ready ? dump_events(&loaded, order, &json, &buffer) : out_of_memory();
    event_json_close(&json);
    bytes_release(&buffer);
    loaded_release(&loaded);
    return status;
}

/* -- as text: the events of the file, as they come -- */

typedef struct TextDump {
    const Cli  *cli;
    const char *path;
    EventLines  lines;
    Bytes       buffer;
    ExitStatus  status;
    Err         err; /* why memory was out, if it was */
    bool        failed;
} TextDump;

static bool print_event(void *context, const ObservedRecord *record)
{
    TextDump *dump = context;
    dump->failed = !event_line_append(&dump->lines, record, &dump->buffer, &dump->err);
    dump->status = flush(&dump->buffer, FLUSH_FULL);
    return !dump->failed && dump->status == EXIT_DONE;
}

static void print_end(void *context, const Trace *so_far)
{
    TextDump *dump = context;
    if (dump->status == EXIT_DONE) dump->status = flush(&dump->buffer, FLUSH_ALL);
    if (dump->status == EXIT_DONE && !dump->failed && !dump->cli->strict)
        cli_warnings(dump->cli, dump->path, so_far);
}

/* What only a whole trace shows is of interest to --strict alone: then the input is loaded first. */
static bool observe(Cli *cli, TextDump *dump, const LoadObserver *observer, Err *err)
{
    if (!cli->strict) return load_observe(dump->path, &cli->load, observer, err);
    Loaded loaded = { 0 };
    dump->status = cli_load_judged(cli, dump->path, &loaded);
    if (dump->status != EXIT_DONE) return true;
    bool done = load_observe_again(&loaded, observer, err);
    loaded_release(&loaded);
    return done;
}

static ExitStatus dump_text(Cli *cli, const char *path)
{
    TextDump     dump = { .cli = cli, .path = path };
    LoadObserver observer = { print_event, print_end, &dump };
    Err          err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    bool         done = observe(cli, &dump, &observer, &err);
    if (dump.failed) err = dump.err;
    if (!done || dump.failed) {
        ExitStatus printed = flush(&dump.buffer, FLUSH_ALL);
        cli_error(path, &err);
        dump.status = printed == EXIT_DONE ? EXIT_INPUT : printed;
    }
    event_lines_release(&dump.lines);
    bytes_release(&dump.buffer);
    return dump.status;
}

static ExitStatus run(Cli *cli)
{
    if (cli->file_count != 1) return cli_usage_error(cli, "dump needs one FILE");
    return cli_option(cli, "json") != NULL ? dump_json(cli, cli->files[0]) : dump_text(cli, cli->files[0]);
}

const CliCommand COMMAND_DUMP = {
    .name = "dump",
    .summary = "Every event with every field",
    .usage = "[--json] FILE",
    .details =
        "Each event of the file is one line, in file order: its kind, then every key with its value. With "
        "--json the\n"
        "lines are objects: begins and ends are paired to slices, in order of begin, then track, then depth.",
    .examples = "  varve dump trace.spall | less\n"
                "  varve dump --json trace.json | jq -r 'select(.kind==\"slice\") | .name' | sort | uniq -c",
    .options = OPTIONS,
    .run = run
};
