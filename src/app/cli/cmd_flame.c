/* varve flame - call stacks added up: a flame graph. */
#include "app/cli/cli.h"
#include "app/cli/flame_out.h"
#include "app/cli/thread_option.h"
#include "base/file.h"
#include "export/folded.h"

#include <stdio.h>
#include <string.h>

static const OptionSpec OPTIONS[] = {
    { "output", 'o', "OUT", "where to; the suffix decides: .svg .html .png .json .folded; - is standard output" },
    { "to", '\0', "KIND", "svg, html, png, json or folded, whatever the suffix" },
    { "folded", '\0', NULL, "lines \"a;b;c N\" on standard output" },
    { "by", '\0', "KEY", "width of a frame: total (default), self, count, cpu" },
    { "thread", '\0', "NAME", "only tracks of this name or thread id, or whose title contains it" },
    { "name", '\0', "NAME", "only slices of this name and those below; with --inverted its callers" },
    { "inverted", '\0', NULL, "callers below the frames that they call" },
    { "collapse", '\0', NULL, "direct recursion as one frame" },
    { "samples", '\0', NULL, "of samples, also where there are slices" },
    { "theme", '\0', "NAME", "light or dark; default light" },
    { NULL, '\0', NULL, NULL }
};

typedef enum { AS_SVG, AS_HTML, AS_PNG, AS_JSON, AS_FOLDED } Kind;
static const char *const KINDS[] = { "svg", "html", "png", "json", "folded" };
static const char *const WEIGHTS[] = { "total", "self", "count", "cpu" }; /* by FlameWeight */
static const char *const THEMES[] = { "light", "dark" };

typedef struct Request {
    Cli        *cli;
    const char *out;
    Kind        kind;
    FlameWeight by;
    Theme       theme;
} Request;

/* -- the request -- */

static bool find_word(const char *const *words, size_t count, const char *word, size_t *found)
{
    for (*found = 0; *found < count; ++*found)
        if (strcmp(words[*found], word) == 0) return true;
    return false;
}
#define FIND_WORD(words, word, found) find_word((words), sizeof(words) / sizeof(words)[0], (word), (found))

static ExitStatus parse_kind(Request *request)
{
    Cli        *cli = request->cli;
    const char *to = cli_option(cli, "to");
    const char *dot = request->out == NULL ? NULL : strrchr(request->out, '.');
    size_t      kind = AS_FOLDED;
    if (cli_option(cli, "folded") != NULL) {
        if (to != NULL && strcmp(to, "folded") != 0) return cli_usage_error(cli, "--folded or --to, not both");
        if (request->out == NULL) request->out = "-";
    } else if (request->out == NULL) {
        return cli_usage_error(cli, "flame needs -o OUT.svg, .html, .png, .json or .folded, or --folded");
    } else if (to != NULL ? !FIND_WORD(KINDS, to, &kind) : dot == NULL || !FIND_WORD(KINDS, dot + 1, &kind)) {
        return cli_usage_error(cli, "%s must be svg, html, png, json or folded",
                               to != NULL ? "--to" : "the suffix of the output");
    }
    request->kind = (Kind)kind;
    return EXIT_DONE;
}

static ExitStatus parse_options(Request *request)
{
    Cli        *cli = request->cli;
    const char *by = cli_option(cli, "by"), *theme = cli_option(cli, "theme");
    size_t      weight = FLAME_TOTAL, look = 0;
    if (cli->file_count != 1) return cli_usage_error(cli, "flame needs one FILE");
    if (by != NULL && !FIND_WORD(WEIGHTS, by, &weight))
        return cli_usage_error(cli, "--by must be total, self, count or cpu, not '%.60s'", by);
    if (theme != NULL && !FIND_WORD(THEMES, theme, &look))
        return cli_usage_error(cli, "--theme must be light or dark, not '%.60s'", theme);
    request->by = (FlameWeight)weight;
    request->theme = look == 0 ? THEME_LIGHT : THEME_DARK;
    request->out = cli_option(cli, "output");
    return parse_kind(request);
}

/* -- the tree -- */

static ExitStatus fail(const Request *request, const Err *err)
{
    cli_error(request->cli->files[0], err);
    return EXIT_INPUT;
}

/* Replaces a tree by another one that was made of it. */
static bool replace(Flame *flame, Flame *made, bool done)
{
    flame_release(flame);
    *flame = *made;
    return done;
}

/* The tree of the options from that of all slices. */
static bool transform(const Request *request, const Trace *trace, Flame *flame, Err *err)
{
    const Cli  *cli = request->cli;
    const char *text = cli_option(cli, "name");
    const bool  is_inverted = cli_option(cli, "inverted") != NULL;
    Flame       made = { .nodes = NULL };
    if (cli_option(cli, "collapse") != NULL && !replace(flame, &made, flame_collapse(flame, &made, err))) return false;
    if (text == NULL)
        return !is_inverted || replace(flame, &made, flame_invert(flame, request->by, &made, err));
    const StringId name = string_table_find(trace->strings, text, strlen(text));
    return replace(flame, &made,
                   is_inverted ? flame_callers(flame, name, &made, err) : flame_callees(flame, name, &made, err));
}

/* Threads and samples have call stacks. Asynchronous slices, states and objects only show when they are asked for: their
 * times overlap, and would hide the rest. */
static uint32_t kinds_of(const Cli *cli)
{
    if (cli_option(cli, "samples") != NULL) return 1U << TRACK_SAMPLES;
    return cli_option(cli, "thread") != NULL ? 0 : 1U << TRACK_THREAD | 1U << TRACK_SAMPLES;
}

static ExitStatus build(const Request *request, const Trace *trace, Flame *flame)
{
    Err        err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    FlameQuery query = { .begin_tick = INT64_MIN, .end_tick = INT64_MAX };
    ExitStatus status = cli_thread_option(request->cli, trace, &query.tracks, &query.track_count);
    if (status != EXIT_DONE) return status;
    query.kinds = kinds_of(request->cli);
    if (trace->has_window) {
        query.begin_tick = trace->window_begin;
        query.end_tick = trace->window_end;
    }
    const bool done = flame_create(trace->strings, flame, &err) &&
                      flame_add_slices(flame, trace, &query, NULL, &err) && transform(request, trace, flame, &err);
    if (!done) return fail(request, &err);
    const char *name = cli_option(request->cli, "name");
    if (name != NULL && flame->node_count == 1)
        return cli_usage_error(request->cli, "--name=%.100s: no slice has this name here", name);
    return EXIT_DONE;
}

/* -- the output -- */

static ExitStatus write_out(const Request *request, const FlameOut *flame)
{
    Err   err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    Bytes out = { 0 };
    bool  done = true;
    const OutputSink folded = output_to_bytes(&out);
    switch (request->kind) {
    case AS_SVG:
        flame_put_svg(flame, &out);
        break;
    case AS_HTML:
        flame_put_html(flame, &out);
        break;
    case AS_PNG:
        done = flame_put_png(flame, &out, &err);
        break;
    case AS_JSON:
        flame_put_json(flame, &out);
        break;
    case AS_FOLDED:
        done = folded_write(flame->layout, flame->by, flame->clock, &folded, &err);
        break;
    }
    if (done && out.failed) done = err_set(&err, ERR_MEMORY, "out of memory for the flame graph");
    done = done && file_write_whole(request->out, out.data, out.size, &err);
    if (!done) cli_error(request->out, &err);
    bytes_release(&out);
    return done ? EXIT_DONE : EXIT_OUTPUT;
}

/* Appends "trace.json: main, total, inverted": the name of the file and the options that choose the slices. */
static void put_title(const Request *request, Bytes *out)
{
    const Cli  *cli = request->cli;
    const char *slash = strrchr(cli->files[0], '/'), *thread = cli_option(cli, "thread");
    const char *name = cli_option(cli, "name"), *range = cli_option(cli, "range");
    bytes_printf(out, "%s: %s", slash == NULL ? cli->files[0] : slash + 1, WEIGHTS[request->by]);
    if (cli_option(cli, "inverted") != NULL) bytes_append_text(out, ", inverted");
    if (name != NULL) bytes_printf(out, ", %s", name);
    if (thread != NULL) bytes_printf(out, ", %s", thread);
    if (range != NULL) bytes_printf(out, ", %s", range);
    bytes_append(out, "", 1);
}

static ExitStatus answer(const Request *request, const Trace *trace)
{
    Flame       flame = { .nodes = NULL };
    FlameLayout layout, times;
    Bytes       title = { 0 };
    Arena      *arena = &request->cli->arena;
    Err         err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    ExitStatus  status = build(request, trace, &flame);
    put_title(request, &title);
    if (status == EXIT_DONE && (title.failed || !flame_layout(&flame, request->by, arena, &layout, &err) ||
                                !flame_layout(&flame, FLAME_TOTAL, arena, &times, &err)))
        status = fail(request, &err);
    if (status == EXIT_DONE)
        status = write_out(request, &(FlameOut){ .layout = &layout,
                                                 .times = &times,
                                                 .by = request->by,
                                                 .clock = &trace->clock,
                                                 .theme = request->theme,
                                                 .title = (const char *)title.data });
    bytes_release(&title);
    flame_release(&flame);
    return status;
}

static ExitStatus run(Cli *cli)
{
    Request    request = { .cli = cli };
    Loaded     loaded = { 0 };
    ExitStatus status = parse_options(&request);
    cli->load.store = STORE_UNUSED;
    if (status == EXIT_DONE) status = cli_load_judged(cli, cli->files[0], &loaded);
    if (status != EXIT_DONE) return status;
    status = answer(&request, loaded.trace);
    loaded_release(&loaded);
    return status;
}

const CliCommand COMMAND_FLAME = {
    .name = "flame",
    .summary = "Call stacks added up: a flame graph as a picture, a page or lines of text",
    .usage = "[OPTIONS] FILE -o OUT.svg|.html|.png|.json|.folded",
    .details = "Of a slice that is only partly in --range the part inside counts. --by=self differs from total with\n"
               "--inverted alone: a frame is then as wide as its self time. Asynchronous slices, states and objects\n"
               "are there with --thread alone.",
    .examples = "  varve flame trace.json.gz -o flame.html\n"
                "  varve flame trace.spall -o main.svg --thread=main --range=1.2s..1.5s\n"
                "  varve flame trace.json -o callers.svg --name=malloc --inverted\n"
                "  varve flame profile.cpuprofile --folded --by=count | sort -k2",
    .options = OPTIONS,
    .run = run
};
