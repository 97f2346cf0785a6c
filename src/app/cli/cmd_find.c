/* varve find - searches a trace, as the viewer does. */
#include "app/cli/find_longest.h"
#include "app/cli/part_options.h"
#include "app/cli/table_text.h"
#include "app/cli/traces.h"
#include "base/csv.h"
#include "base/digits.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { USUAL_LIMIT = 100, SPAN_WIDTH = 16 };

static const OptionSpec OPTIONS[] = {
    { "count", '\0', NULL, "only the number of matches" },
    { "limit", '\0', "N", "matches at most; default: 100, with --json and --csv all" },
    { "sort", '\0', "KEY", "time (default), or duration: the longest slices first" },
    { "names", '\0', NULL, "do not search in arguments: the file is then read only once" },
    { "thread", '\0', "NAME", "only tracks of this name or thread id, or with it in their title" },
    { "json", '\0', NULL, "JSON Lines, as `varve dump --json` prints them" },
    { "csv", '\0', NULL, "comma-separated values, with a heading" },
    { NULL, '\0', NULL, NULL }
};

typedef enum { BY_TIME, BY_DURATION } Order;
static const char *const ORDERS[] = { "time", "duration" };

static const OptionWords OF_OPTIONS[] = { OPTION_WORDS("sort", ORDERS), { NULL, NULL, 0 } };

static const char *const FORMS[] = { "json", "csv", "count" };
typedef enum { AS_TABLE, AS_JSON, AS_CSV, AS_COUNT } Output; /* by FORMS */

typedef struct Find {
    Cli              *cli;
    const VarveTrace *trace;
    VarvePart         part;
    VarveFindOptions  options;
    VarveFind        *search;
    Output            output;
    Order             order;
    uint64_t          limit;    /* UINT64_MAX = all matches */
    uint64_t          count;    /* printed matches */
    bool              has_more; /* the limit was reached */
    Bytes             out;
} Find;

/* -- options -- */

static ExitStatus parse_options(Find *find)
{
    Cli       *cli = find->cli;
    const bool is_in_names = cli_option(cli, "names") != NULL;
    size_t     order = BY_TIME, form;
    if (cli->file_count != 2)
        return cli_usage_error(cli, "find needs a FILE and one TEXT, in quotes if it has spaces");
    if (!cli_option_word(cli, "sort", &order) || !CLI_OPTION_FLAG(cli, FORMS, &form)) return EXIT_USAGE;
    find->order = (Order)order;
    find->output = (Output)form;
    if (find->output == AS_COUNT && find->order != BY_TIME)
        return cli_usage_error(cli, "only one of --count and --sort");
    find->limit = find->output == AS_TABLE ? USUAL_LIMIT : UINT64_MAX;
    if (!cli_option_number(cli, "limit", 1, UINT64_MAX, &find->limit)) return EXIT_USAGE;
    find->options.where = is_in_names ? VARVE_FIND_IN_NAMES : VARVE_FIND_EVERYWHERE;
    find->options.thread_count = cli_threads(cli);
    if (find->limit != UINT64_MAX && find->order == BY_TIME)
        find->options.most = find->limit + 1; /* the one beyond sets has_more */
    if (is_in_names && find->output != AS_JSON) cli->load.store = STORE_UNUSED;
    return cli_check_search(cli, cli->files[1]);
}

static ExitStatus fail(const Find *find, const VarveError *error)
{
    if (error->code == VARVE_ERROR_USAGE) return cli_usage_error(find->cli, "%s", error->message);
    cli_library_error(find->cli->files[0], error);
    return EXIT_INPUT;
}

/* -- a match -- */

/* Appends a time or a duration to the row, or the space of it. */
static void put_span(Find *find, bool is_there, uint64_t ticks)
{
    char text[VARVE_TIME_TEXT_BYTES];
    table_put_right(&find->out, is_there ? varve_span_text(find->trace, ticks, text).bytes : "", SPAN_WIDTH);
}

static void put_row(Find *find, const VarveMatch *match)
{
    Bytes     *out = &find->out;
    const bool is_track = match->kind == VARVE_TRACK;
    put_span(find, !is_track, match->begin_ticks);
    put_span(find, match->kind == VARVE_SLICE, match->duration_ticks);
    bytes_append_text(out, "  ");
    text_append_plain(out, text_view(varve_find_track(find->search)));
    bytes_append_text(out, "  ");
    text_append_plain(out, is_track ? STRING_LITERAL("(track)") : text_view(match->name));
    if (match->value.size_bytes > 0) {
        bytes_append_text(out, "  ");
        text_append_plain(out, text_view(match->key));
        if (match->key.size_bytes > 0) bytes_append_text(out, "=");
        text_append_plain(out, text_view(match->value));
    }
    bytes_append_text(out, "\n");
}

static void put_csv_heading(Find *find)
{
    const char *unit = varve_exact_unit(find->trace);
    bytes_printf(&find->out, "kind,begin_%s,duration_%s,thread,process,name,category,key,value\r\n", unit,
                 unit);
}

static void put_csv(Find *find, const VarveMatch *match)
{
    const VarveText fields[] = { match->name, match->category, match->key, match->value };
    Bytes          *out = &find->out;
    char            text[VARVE_TIME_TEXT_BYTES];
    bytes_printf(out, "%s,", match->type);
    if (match->kind != VARVE_TRACK)
        bytes_append(out, text, varve_time_exact(find->trace, match->begin_ticks, text).size_bytes);
    bytes_append_text(out, ",");
    if (match->kind == VARVE_SLICE)
        bytes_append(out, text, varve_span_exact(find->trace, match->duration_ticks, text).size_bytes);
    bytes_append_text(out, ",");
    csv_append_field(text_view(varve_find_track(find->search)), out);
    bytes_append_text(out, ",");
    csv_append_field(text_view(varve_find_process(find->search)), out);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        bytes_append_text(out, ",");
        csv_append_field(match->kind == VARVE_TRACK ? (StringView){ "", 0 } : text_view(fields[i]), out);
    }
    bytes_append_text(out, "\r\n");
}

static ExitStatus put_match(Find *find, const VarveMatch *match)
{
    VarveText  line;
    VarveError error;
    switch (find->output) {
    case AS_TABLE:
        put_row(find, match);
        break;
    case AS_CSV:
        put_csv(find, match);
        break;
    case AS_JSON:
        if (!varve_find_json(find->search, &line, &error)) return fail(find, &error);
        bytes_append(&find->out, line.bytes, line.size_bytes);
        break;
    case AS_COUNT:
        break;
    }
    return EXIT_DONE;
}

/* Counts a match that is printed; the table has a heading before the first one. */
static void count_match(Find *find)
{
    if (find->count++ > 0 || find->output != AS_TABLE) return;
    table_put_right(&find->out, "time", SPAN_WIDTH);
    table_put_right(&find->out, "duration", SPAN_WIDTH);
    bytes_append_text(&find->out, "  thread  name  value\n");
}

/* -- the search -- */

/* Sets *is_found to false after the last match. */
static ExitStatus next_match(Find *find, VarveMatch *match, bool *is_found)
{
    VarveError error;
    return varve_find_next(find->search, match, is_found, &error) ? EXIT_DONE : fail(find, &error);
}

static ExitStatus put_matches(Find *find)
{
    VarveMatch match;
    bool       is_found;
    ExitStatus status;
    if (find->output == AS_CSV) put_csv_heading(find);
    while ((status = next_match(find, &match, &is_found)) == EXIT_DONE && is_found) {
        find->has_more = find->count == find->limit;
        if (find->has_more) break;
        count_match(find);
        status = put_match(find, &match);
        if (status == EXIT_DONE) status = cli_print_much(&find->out);
        if (status != EXIT_DONE) break;
    }
    return status;
}

static ExitStatus take_longest(Find *find, LongestMatches *longest)
{
    VarveMatch match;
    bool       is_found;
    ExitStatus status;
    while ((status = next_match(find, &match, &is_found)) == EXIT_DONE && is_found) {
        const uint64_t duration = match.kind == VARVE_SLICE ? match.duration_ticks : 0;
        if (!longest_wants(longest, duration)) continue;
        status = put_match(find, &match);
        if (status == EXIT_DONE && !longest_add(longest, duration, &find->out))
            status = cli_no_memory(find->cli->files[0], "the matches");
        if (status != EXIT_DONE) break;
    }
    longest_sort(longest);
    return status;
}

static ExitStatus put_longest(Find *find)
{
    LongestMatches longest = { .limit = find->limit };
    ExitStatus     status = take_longest(find, &longest);
    const size_t   count = vec_count(&longest.matches);
    if (find->output == AS_CSV) put_csv_heading(find);
    for (size_t i = 0; i < count && status == EXIT_DONE; i++) {
        const Bytes *text = &longest.matches.items[i].text;
        count_match(find);
        bytes_append(&find->out, text->data, text->size);
        status = cli_print_much(&find->out);
    }
    find->has_more = longest.is_full;
    longest_release(&longest);
    return status;
}

static ExitStatus put_end(Find *find)
{
    if (find->output == AS_COUNT) bytes_printf(&find->out, "%" PRIu64 "\n", find->count);
    if (find->output == AS_TABLE && find->count == 0) bytes_append_text(&find->out, "nothing found\n");
    if (find->output == AS_TABLE && find->has_more)
        bytes_printf(&find->out, "and more: --limit=%" PRIu64 " shows more\n", find->limit * 10);
    const uint64_t unread = varve_find_unread(find->search);
    if (unread > 0 && !find->cli->quiet)
        (void)fprintf(stderr, "varve: %s: the arguments of %" PRIu64 " events cannot be read\n",
                      find->cli->files[0], unread);
    return cli_print(&find->out);
}

static ExitStatus answer(Find *find)
{
    VarveError error;
    ExitStatus status = EXIT_DONE;
    if (cli_option(find->cli, "thread") != NULL)
        status = cli_part_thread(find->cli, find->trace, &find->part);
    if (status != EXIT_DONE) return status;
    find->search = varve_find_open(find->trace, find->cli->files[1], &find->part, &find->options, &error);
    if (find->search == NULL) return fail(find, &error);
    status = find->order == BY_TIME ? put_matches(find) : put_longest(find);
    return status == EXIT_DONE ? put_end(find) : status;
}

static ExitStatus run(Cli *cli)
{
    Find       find = { .cli = cli };
    CliTraces  traces;
    ExitStatus status = parse_options(&find);
    if (status != EXIT_DONE) return status;
    status = cli_traces_load(cli, 0, 1, &traces);
    if (status == EXIT_DONE) {
        find.trace = traces.handles[0];
        status = answer(&find);
    }
    varve_find_close(find.search);
    bytes_release(&find.out);
    cli_traces_release(&traces);
    return status;
}

const CliCommand COMMAND_FIND = {
    .name = "find",
    .summary =
        "Finds slices, instants, counters, log messages, tracks and objects by text, duration or value",
    .usage = "[OPTIONS] FILE TEXT",
    .details = "TEXT is one or more terms separated by spaces, and each must match: word, \"whole words\", "
               "/regular\n"
               "expression/, key=value, key>5, >5ms, name:word, category:word, thread:word. A word is found "
               "in names,\n"
               "categories and arguments. docs/search.md explains the terms.",
    .examples = "  varve find trace.json.gz 'read >5ms'\n"
                "  varve find trace.json.gz 'url=/\\.png$/ thread:Network' --range=1s..2s\n"
                "  varve find trace.json '>0ms' --sort=duration --limit=10\n"
                "  varve find trace.json --count '\"error\"'\n"
                "  varve find --json trace.json 'name:=main' | jq .begin_tick",
    .options = OPTIONS,
    .words = OF_OPTIONS,
    .run = run
};
