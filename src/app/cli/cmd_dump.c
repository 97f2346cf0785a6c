/* varve dump - prints every event: of the file, as text, or of the trace, as JSON. */
#include "app/cli/cli.h"
#include "export/event_json.h"
#include "export/event_line.h"
#include "format/text.h"
#include "trace/make/window_observe.h"

#include <regex.h>
#include <stdio.h>
#include <string.h>

static const OptionSpec OPTIONS[] = {
    { "json", '\0', NULL, "one JSON object a line, stable for programs" },
    { "full-blobs", '\0', NULL, "with --json: all bytes of binary data, not the first 64" },
    { "calls", '\0', "SET", "apitrace: only these calls, as 10-20,99,draw,0-*/frame" },
    { "verbose", 'v', NULL, "apitrace: also calls of little interest" },
    { "grep", '\0', "REGEX", "apitrace: only calls of functions with a matching name" },
    { "thread-ids", '\0', NULL, "apitrace: the thread of each call" },
    { "call-nos", '\0', "BOOL", "apitrace: the number of each call; default: yes" },
    { "arg-names", '\0', "BOOL", "apitrace: the names of arguments; default: yes" },
    { "multiline", '\0', "BOOL", "apitrace: backtraces, and strings as they are; default: yes" },
    { "blobs", '\0', NULL, "apitrace: every blob to a file of its own" },
    { "like", '\0', "FORMAT", "go: the exact output of `go tool trace -d`, stacks included" },
    { NULL, '\0', NULL, NULL }
};
enum { FIRST_TEXT_OPTION = 2 };

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
            ExitStatus printed = cli_print(buffer);
            cli_error(loaded->name, &err);
            return printed == EXIT_DONE ? EXIT_INPUT : printed;
        }
        ExitStatus status = cli_print_much(buffer);
        if (status != EXIT_DONE) return status;
    }
    return cli_print(buffer);
}

/* Trace Event JSON keeps counters and arrows as raw events, too: these have all their fields. */
static EventOrder *create_order(const Trace *trace, Arena *arena)
{
    bool has_raw_events = strcmp(trace->source.format_name, "trace-event") == 0;
    return has_raw_events ? event_order_create(trace, arena) : event_order_create_with_columns(trace, arena);
}

static ExitStatus dump_json(Cli *cli, const char *path)
{
    Loaded     loaded = { 0 };
    EventJson  json;
    ExitStatus status = cli_load_strict(cli, path, &loaded);
    if (status != EXIT_DONE) return status;
    EventOrder *order = create_order(loaded.trace, &cli->arena);
    Bytes       buffer = { 0 };
    bool        ready = event_json_open(&json, &loaded, &cli->arena) && order != NULL;
    json.details.blob_rule = cli_option(cli, "full-blobs") != NULL ? BLOBS_WHOLE : BLOBS_BEGIN;
    status = ready ? dump_events(&loaded, order, &json, &buffer) : out_of_memory();
    event_json_close(&json);
    bytes_release(&buffer);
    loaded_release(&loaded);
    return status;
}

/* -- as text: the events of the file, in file order -- */

typedef struct TextDump {
    Cli           *cli;
    regex_t        grep;
    bool           has_grep;
    const char    *path;
    EventLines     lines;
    Bytes          buffer;
    ExitStatus     status;
    Err            err; /* the reason if memory ran out */
    bool           failed, has_lines;
    ObservedWindow window; /* the events to print, with --range */
    bool           has_window;
} TextDump;

/* Returns the first given option that only the text of some formats has; NULL = none is given. */
static const char *given_text_option(const Cli *cli)
{
    for (size_t i = FIRST_TEXT_OPTION; OPTIONS[i].name != NULL; i++) {
        if (cli_option(cli, OPTIONS[i].name) != NULL) return OPTIONS[i].name;
    }
    return NULL;
}

static bool refuse_text_options(TextDump *dump)
{
    const char *name = given_text_option(dump->cli);
    if (name == NULL) return false;
    dump->status = cli_usage_error(dump->cli, "--%s does not exist for traces of this format", name);
    return true;
}

static bool print_event(void *context, const ObservedRecord *record)
{
    TextDump *dump = context;
    if (!dump->has_lines && refuse_text_options(dump)) return false;
    dump->has_lines = true;
    if (dump->has_window && !observed_window_has(&dump->window, record->builder, record->event)) return true;
    dump->failed = !event_line_append(&dump->lines, record, &dump->buffer, &dump->err);
    dump->status = cli_print_much(&dump->buffer);
    return !dump->failed && dump->status == EXIT_DONE;
}

static void print_end(void *context, const Trace *so_far)
{
    TextDump *dump = context;
    if (!dump->has_lines && dump->status == EXIT_DONE && refuse_text_options(dump)) return;
    if (dump->status == EXIT_DONE) dump->status = cli_print(&dump->buffer);
    bytes_clear(&dump->buffer);
    if (dump->status == EXIT_DONE && !dump->failed && !dump->cli->strict)
        cli_warnings(dump->cli, dump->path, so_far);
}

/* -- the text form of a format -- */

static const char *text_option(const void *context, const char *name)
{
    return cli_option(((const TextDump *)context)->cli, name);
}

static bool text_matches(const void *context, const char *name)
{
    return regexec(&((const TextDump *)context)->grep, name, 0, NULL, 0) == 0;
}

static bool text_write(void *context, const Bytes *text)
{
    TextDump *dump = context;
    if (dump->status == EXIT_DONE) dump->status = cli_print(text);
    return dump->status == EXIT_DONE;
}

static void text_end(void *context, const TextResult *result)
{
    TextDump *dump = context;
    if (result->complete || dump->status != EXIT_DONE) return;
    if (!dump->cli->quiet) cli_error(dump->path, &result->why);
    if (dump->cli->strict) dump->status = EXIT_STRICT;
}

static bool settle_grep(TextDump *dump)
{
    const char *pattern = cli_option(dump->cli, "grep");
    char        why[128];
    if (pattern == NULL) return true;
    int failure = regcomp(&dump->grep, pattern, REG_EXTENDED | REG_NOSUB);
    dump->has_grep = failure == 0;
    if (failure == 0) return true;
    (void)regerror(failure, &dump->grep, why, sizeof why);
    dump->status = cli_usage_error(dump->cli, "--grep=%s: %s", pattern, why);
    return false;
}

/* Takes the range from the whole trace, which also has the slices that begin before the range. */
static bool settle_window(TextDump *dump, const Loaded *loaded)
{
    const Trace *trace = loaded->trace;
    if (!trace->window.is_set) return true;
    if (!clock_has_time(&trace->clock)) {
        dump->status =
            cli_usage_error(dump->cli, "--range selects times: the text of a capture uses --calls");
        return false;
    }
    dump->has_window = observed_window_open(&dump->window, trace, &dump->cli->arena);
    if (!dump->has_window) dump->status = out_of_memory();
    return dump->has_window;
}

/* Loads the input first: --strict and --range need facts about the whole trace. */
static bool observe(Cli *cli, TextDump *dump, const LoadObserver *observer, Err *err)
{
    if (!cli->strict && cli->load.range == NULL) return load_observe(dump->path, &cli->load, observer, err);
    Loaded loaded = { 0 };
    dump->status =
        cli->strict ? cli_load_strict(cli, dump->path, &loaded) : cli_load(cli, dump->path, &loaded);
    if (dump->status != EXIT_DONE) return true;
    bool done = !settle_window(dump, &loaded) || load_observe_again(&loaded, observer, err);
    loaded_release(&loaded);
    return done;
}

static ExitStatus finish_text(TextDump *dump, bool done, Err *err)
{
    if (dump->failed) *err = dump->err;
    if (!done || dump->failed) {
        ExitStatus printed = cli_print(&dump->buffer);
        if (err->code == ERR_USAGE) return cli_usage_error(dump->cli, "%s", err->message);
        cli_input_error(dump->path, err);
        dump->status = printed == EXIT_DONE ? EXIT_INPUT : printed;
    }
    return dump->status;
}

static ExitStatus dump_text(Cli *cli, const char *path)
{
    TextDump     dump = { .cli = cli, .path = path };
    TextRequest  text = { text_option, text_matches, text_write, &dump, cli->color, cli->load.threads };
    LoadObserver observer = { &text, text_end, print_event, print_end, &dump };
    Err          err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (!settle_grep(&dump)) return dump.status;
    bool       done = observe(cli, &dump, &observer, &err);
    ExitStatus status = finish_text(&dump, done, &err);
    if (dump.has_grep) regfree(&dump.grep);
    event_lines_release(&dump.lines);
    bytes_release(&dump.buffer);
    return status;
}

static ExitStatus run(Cli *cli)
{
    if (cli->file_count != 1) return cli_usage_error(cli, "dump needs one FILE");
    const char *text_only = given_text_option(cli);
    if (cli_option(cli, "json") != NULL && text_only != NULL)
        return cli_usage_error(cli, "--%s is for text: it cannot be combined with --json", text_only);
    if (cli_option(cli, "json") == NULL && cli_option(cli, "full-blobs") != NULL)
        return cli_usage_error(cli, "--full-blobs needs --json");
    return cli_option(cli, "json") != NULL ? dump_json(cli, cli->files[0]) : dump_text(cli, cli->files[0]);
}

const CliCommand COMMAND_DUMP = {
    .name = "dump",
    .summary = "Prints every event with every field",
    .usage = "[--json] FILE",
    .details =
        "Each event of the file is one line, in file order: its kind, then every key with its value. With "
        "--json the\n"
        "lines are objects: begins and ends are paired to slices, in order of begin, then track, then "
        "depth.\n"
        "An apitrace capture is printed as `apitrace dump` prints it.",
    .examples = "  varve dump trace.spall | less\n"
                "  varve dump --json trace.json | jq -r 'select(.kind==\"slice\") | .name' | sort | uniq -c",
    .options = OPTIONS,
    .run = run
};
