/* varve find - searches a trace, as the viewer does. */
#include "analysis/find_values.h"
#include "app/cli/cli.h"
#include "app/cli/table_text.h"
#include "app/cli/thread_option.h"
#include "base/csv.h"
#include "base/digits.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "export/event_json.h"
#include "export/event_reader.h"
#include "trace/store/exact_time.h"
#include "trace/store/lookup.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { USUAL_LIMIT = 100, STRETCH_MATCHES = 5000 };

static const OptionSpec OPTIONS[] = {
    { "count", '\0', NULL, "only the number of matches" },
    { "limit", '\0', "N", "matches at most; default: 100, with --json and --csv all" },
    { "names", '\0', NULL, "do not search in arguments: the file is then read only once" },
    { "thread", '\0', "NAME", "only tracks of this name or thread id, or with it in their title" },
    { "json", '\0', NULL, "JSON Lines, as `varve dump --json` prints them" },
    { "csv", '\0', NULL, "comma-separated values, with a heading" },
    { NULL, '\0', NULL, NULL }
};

typedef enum { AS_TABLE, AS_JSON, AS_CSV, AS_COUNT } Output;

typedef struct Find {
    Cli         *cli;
    Loaded       loaded;
    const Trace *trace; /* of loaded */
    FindPattern  pattern;
    FindScope    scope;
    FindWhere    where;
    EventReaders readers;
    EventJson    json;
    ExactTime    exact;
    Output       output;
    uint64_t     limit; /* UINT64_MAX = all matches */
    uint64_t     count; /* matches so far */
    uint64_t     unread;
    bool         has_more; /* the limit was reached */
    Bytes        out, text;
} Find;

/* -- options -- */

static ExitStatus parse_options(Find *find)
{
    Cli        *cli = find->cli;
    const char *limit = cli_option(cli, "limit");
    const bool  is_json = cli_option(cli, "json") != NULL, is_csv = cli_option(cli, "csv") != NULL;
    const bool  is_count = cli_option(cli, "count") != NULL;
    if (cli->file_count != 2)
        return cli_usage_error(cli, "find needs a FILE and one TEXT, in quotes if it has spaces");
    if (is_json + is_csv + is_count > 1) return cli_usage_error(cli, "only one of --json, --csv and --count");
    if (limit != NULL &&
        (!text_to_u64((StringView){ limit, strlen(limit) }, &find->limit) || find->limit == 0))
        return cli_usage_error(cli, "--limit=%.60s: expected a number above 0", limit);
    find->output = is_json ? AS_JSON : is_csv ? AS_CSV : is_count ? AS_COUNT : AS_TABLE;
    if (limit == NULL) find->limit = find->output == AS_TABLE ? USUAL_LIMIT : UINT64_MAX;
    find->where = cli_option(cli, "names") != NULL ? FIND_IN_NAMES : FIND_EVERYWHERE;
    return EXIT_DONE;
}

static ExitStatus fail(const Find *find, const Err *err)
{
    if (err->code == ERR_USAGE) return cli_usage_error(find->cli, "%s", err->message);
    cli_error(find->cli->files[0], err);
    return EXIT_INPUT;
}

static ExitStatus parse_scope(Find *find)
{
    const Trace    *trace = find->trace;
    const uint32_t *tracks;
    uint32_t        count;
    Err             err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    find->scope.times = trace->window.is_set ? FIND_IN_WINDOW : FIND_ALL_TIMES;
    if (cli_option(find->cli, "thread") == NULL) return EXIT_DONE;
    const ExitStatus status = cli_thread_option(find->cli, trace, &tracks, &count);
    if (status != EXIT_DONE) return status;
    uint8_t *searched = ARENA_ARRAY(&find->cli->arena, uint8_t, (size_t)trace->track_count + 1);
    if (searched == NULL) {
        (void)err_set(&err, ERR_MEMORY, "out of memory for a search");
        return fail(find, &err);
    }
    for (uint32_t i = 0; i < count; i++)
        searched[tracks[i]] = 1;
    find->scope.tracks = searched;
    return EXIT_DONE;
}

static bool open_readers(Find *find, Err *err)
{
    const bool done =
        event_readers_open(&find->readers, &find->loaded, &find->pattern, find->cli->load.threads) &&
        event_json_open(&find->json, &find->loaded, &find->cli->arena);
    return done || err_set(err, ERR_MEMORY, "out of memory for a search");
}

/* -- a match -- */

/* A match as the table and CSV print it. Texts are borrowed. */
typedef struct Found {
    const char *kind;
    StringView  name, category, key, value;
    uint32_t    track;
    bool        has_tick, has_duration;
    int64_t     tick;
    uint64_t    duration;
} Found;

static const char *track_kind(TrackKind kind)
{
    static const char *const KINDS[] = { [TRACK_THREAD] = "thread",
                                         [TRACK_PROCESS_INSTANTS] = "process-instants",
                                         [TRACK_GLOBAL_INSTANTS] = "global-instants",
                                         [TRACK_ASYNC] = "async-track",
                                         [TRACK_COUNTER] = "counter-track",
                                         [TRACK_SAMPLES] = "samples-track",
                                         [TRACK_STATES] = "states-track",
                                         [TRACK_OBJECTS] = "objects-track",
                                         [TRACK_DUMPS] = "dumps-track" };
    return KINDS[kind];
}

static const char *slice_kind(TrackKind kind)
{
    if (kind == TRACK_STATES) return "state";
    if (kind == TRACK_OBJECTS) return "object";
    return kind == TRACK_ASYNC ? "async" : "slice";
}

static StringView track_title(Find *find, uint32_t track)
{
    bytes_clear(&find->text);
    trace_track_title(find->trace, track, &find->text);
    return bytes_view(&find->text);
}

static StringView process_title(Find *find, uint32_t track)
{
    const uint32_t process = find->trace->tracks[track].process.index;
    bytes_clear(&find->text);
    if (process != PROCESS_NONE.index) trace_process_title(find->trace, process, &find->text);
    return bytes_view(&find->text);
}

static void put_row(Find *find, const Found *found)
{
    enum { WIDTH = 12 };
    const Trace *trace = find->trace;
    Bytes       *out = &find->out;
    char         text[CLOCK_SPAN_TEXT] = "";
    if (found->has_tick)
        (void)clock_format_span(&trace->clock, (uint64_t)found->tick - (uint64_t)trace->begin_tick, text);
    table_put_right(out, text, WIDTH);
    text[0] = '\0';
    if (found->has_duration) (void)clock_format_span(&trace->clock, found->duration, text);
    table_put_right(out, text, WIDTH);
    bytes_append_text(out, "  ");
    text_append_plain(out, track_title(find, found->track));
    bytes_append_text(out, "  ");
    text_append_plain(out, found->has_tick ? found->name : STRING_LITERAL("(track)"));
    if (found->value.size > 0) {
        bytes_append_text(out, "  ");
        text_append_plain(out, found->key);
        if (found->key.size > 0) bytes_append_text(out, "=");
        text_append_plain(out, found->value);
    }
    bytes_append_text(out, "\n");
}

static void put_csv_heading(Find *find)
{
    const char *unit = find->exact.in_ns ? "ns" : "ticks";
    bytes_printf(&find->out, "kind,begin_%s,duration_%s,thread,process,name,category,key,value\r\n", unit,
                 unit);
}

static void put_csv(Find *find, const Found *found)
{
    const StringView fields[] = { found->name, found->category, found->key, found->value };
    const Clock     *clock = &find->trace->clock;
    Bytes           *out = &find->out;
    char             text[EXACT_TIME_TEXT];
    bytes_printf(out, "%s,", found->kind);
    if (found->has_tick) bytes_append(out, text, exact_time_put(&find->exact, clock, found->tick, text));
    bytes_append_text(out, ",");
    if (found->has_duration)
        bytes_append(out, text, exact_span_put(&find->exact, clock, found->duration, text));
    bytes_append_text(out, ",");
    csv_append_field(track_title(find, found->track), out);
    bytes_append_text(out, ",");
    csv_append_field(process_title(find, found->track), out);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        bytes_append_text(out, ",");
        csv_append_field(fields[i], out);
    }
    bytes_append_text(out, "\r\n");
}

/* Appends the line of a track. Lines of events are written as in `dump --json`. */
static void put_json_track(Find *find, uint32_t track)
{
    JsonWriter w = json_writer_to(&find->out, 0);
    json_object_begin(&w);
    json_put_string(&w, "kind", "track");
    json_put_string(&w, "type", track_kind(find->trace->tracks[track].kind));
    json_put_view(&w, "track", track_title(find, track));
    json_put_view(&w, "process", process_title(find, track));
    json_object_end(&w);
    bytes_append_text(&find->out, "\n");
}

/* Prints the collected text if it has at least `least` bytes. */
static ExitStatus flush(Find *find, size_t least)
{
    if (find->out.size < least && !find->out.failed) return EXIT_DONE;
    const ExitStatus status = cli_print(&find->out);
    bytes_clear(&find->out);
    return status;
}

/* Prints one match. `event` NULL: a track. */
static ExitStatus put_found(Find *find, const Found *found, const OrderedEvent *event)
{
    Err err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    switch (find->output) {
    case AS_TABLE:
        if (find->count == 0)
            bytes_append_text(&find->out, "        time    duration  thread  name  value\n");
        put_row(find, found);
        break;
    case AS_CSV:
        put_csv(find, found);
        break;
    case AS_JSON:
        if (event == NULL) {
            put_json_track(find, found->track);
        } else if (!event_json_append(&find->json, event, &find->out, &err)) {
            return fail(find, &err);
        }
        break;
    case AS_COUNT:
        break;
    }
    find->count++;
    return flush(find, 64 * 1024);
}

/* -- the search -- */

static Found place_found(const Find *find, const FindPlace *place, char number[32])
{
    const Trace *trace = find->trace;
    const Track *track = &trace->tracks[place->track];
    Found        found = { .kind = track_kind(track->kind), .track = place->track };
    if (!place->has_value) return found;
    found.kind = "counter";
    found.has_tick = true;
    found.tick = trace_value_tick(trace, place->sample);
    found.name = trace_string(trace, track->name);
    found.category = trace_string(trace, track_extras(track)->category);
    found.key = trace_string(trace, trace->series[row_extras(&trace->rows[place->row])->series].name);
    found.value =
        (StringView){ number, (size_t)snprintf(number, 32, "%.17g", trace_value(trace, place->sample)) };
    return found;
}

static ExitStatus search_places(Find *find)
{
    Err            err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    Arena          arena = arena_create(0);
    FindPlaces     places = VEC_EMPTY;
    FindMatcher    matcher;
    ExitStatus     status = EXIT_DONE;
    const uint64_t most = find->limit == UINT64_MAX ? find->limit : find->limit + 1;
    const bool done = find_matcher_open(&matcher, find->trace, &find->pattern, &find->scope, &arena, &err) &&
                      find_places(&matcher, most, &places, &err);
    for (size_t i = 0; done && status == EXIT_DONE && i < vec_count(&places); i++) {
        char               number[32];
        const FindPlace   *place = &places.items[i];
        const Found        found = place_found(find, place, number);
        const OrderedEvent event = { ORDER_VALUE, place->sample, place->row };
        find->has_more = find->count == find->limit;
        if (find->has_more) break;
        status = put_found(find, &found, place->has_value ? &event : NULL);
    }
    if (!done) status = fail(find, &err);
    find_matcher_release(&matcher);
    vec_release(&places);
    arena_release(&arena);
    return status;
}

static Found match_found(const Find *find, const EventMatch *match, const FoundStretch *stretch)
{
    const Trace   *trace = find->trace;
    const bool     is_slice = match->event.kind == ORDER_SLICE;
    const char    *texts = stretch->texts.size == 0 ? "" : (const char *)stretch->texts.data;
    const uint64_t id = match->event.id;
    const uint32_t label = is_slice ? trace_slice_label(trace, id) : trace_instant_label(trace, id);
    const uint32_t track = trace->rows[match->event.row].track;
    return (Found){ .kind = is_slice ? slice_kind(trace->tracks[track].kind) : "instant",
                    .name = trace_label_name(trace, label),
                    .category = trace_label_category(trace, label),
                    .key = { texts + match->key_at, match->key_size },
                    .value = { texts + match->value_at, match->value_size },
                    .track = track,
                    .has_tick = true,
                    .tick = is_slice ? trace_slice_begin(trace, id) : trace_instant_tick(trace, id),
                    .has_duration = is_slice,
                    .duration = is_slice ? trace_slice_duration(trace, id) : 0 };
}

/* Prints the matches of a stretch (a part of the search), up to the limit. */
static ExitStatus put_stretch(Find *find, const FoundStretch *stretch)
{
    const EventMatch *matches = stretch->matches.items;
    ExitStatus        status = EXIT_DONE;
    for (size_t i = 0; status == EXIT_DONE && i < vec_count(&stretch->matches); i++) {
        const Found found = match_found(find, &matches[i], stretch);
        find->has_more = find->count == find->limit;
        if (find->has_more) break;
        status = put_found(find, &found, &matches[i].event);
    }
    return status;
}

static ExitStatus search_events(Find *find)
{
    ExitStatus   status = EXIT_DONE;
    OrderedEvent last;
    bool         has_ended = false;
    FindStretch  stretch = { .pattern = &find->pattern,
                             .where = find->where,
                             .sources = find->readers.sources,
                             .source_count = find->readers.count,
                             .scope = find->scope };
    while (!has_ended && status == EXIT_DONE && !find->has_more) {
        FoundStretch   found = { .ended = false };
        Err            err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
        const uint64_t left = find->limit - find->count;
        /* the match beyond the limit sets has_more */
        stretch.most = left < STRETCH_MATCHES ? left + 1 : STRETCH_MATCHES;
        status =
            find_stretch(find->trace, &stretch, &found, &err) ? put_stretch(find, &found) : fail(find, &err);
        find->unread += found.unread;
        has_ended = found.ended;
        last = found.last;
        stretch.behind = &last;
        found_stretch_release(&found);
    }
    return status;
}

static ExitStatus put_end(Find *find)
{
    if (find->output == AS_COUNT) bytes_printf(&find->out, "%" PRIu64 "\n", find->count);
    if (find->output == AS_TABLE && find->count == 0) bytes_append_text(&find->out, "nothing found\n");
    if (find->output == AS_TABLE && find->has_more)
        bytes_printf(&find->out, "and more: --limit=%" PRIu64 " shows more\n", find->limit * 10);
    if (find->unread > 0 && !find->cli->quiet)
        (void)fprintf(stderr, "varve: %s: the arguments of %" PRIu64 " events cannot be read\n",
                      find->cli->files[0], find->unread);
    return cli_print(&find->out);
}

static ExitStatus answer(Find *find)
{
    const char *text = find->cli->files[1];
    Err         err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    ExitStatus  status = parse_scope(find);
    if (status != EXIT_DONE) return status;
    if (!find_pattern_parse(&find->pattern, (StringView){ text, strlen(text) }, &find->trace->clock,
                            &find->cli->arena, &err) ||
        !open_readers(find, &err))
        return fail(find, &err);
    if (find->output == AS_CSV) put_csv_heading(find);
    status = search_places(find);
    if (status == EXIT_DONE) status = search_events(find);
    return status == EXIT_DONE ? put_end(find) : status;
}

static void release(Find *find)
{
    event_readers_release(&find->readers);
    event_json_close(&find->json);
    find_pattern_release(&find->pattern);
    bytes_release(&find->out);
    bytes_release(&find->text);
    loaded_release(&find->loaded);
}

static ExitStatus run(Cli *cli)
{
    Find *find = ARENA_NEW(&cli->arena, Find);
    Err err = { .code = ERR_MEMORY, .offset = ERR_NOWHERE, .event = ERR_NOWHERE, .message = "out of memory" };
    if (find == NULL) {
        cli_error("find", &err);
        return EXIT_INPUT;
    }
    find->cli = cli;
    ExitStatus status = parse_options(find);
    if (status != EXIT_DONE) return status;
    if (find->where == FIND_IN_NAMES && find->output != AS_JSON) cli->load.store = STORE_UNUSED;
    status = cli_load_judged(cli, cli->files[0], &find->loaded);
    if (status != EXIT_DONE) return status;
    find->trace = find->loaded.trace;
    find->exact = exact_time_for(&find->trace->clock);
    status = answer(find);
    release(find);
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
                "  varve find trace.json --count '\"error\"'\n"
                "  varve find --json trace.json 'name:=main' | jq .begin_tick",
    .options = OPTIONS,
    .run = run
};
