/* varve flame - a flame graph: the sum of call stacks. */
#include "analysis/compare.h"
#include "app/cli/cli.h"
#include "app/cli/flame_png.h"
#include "app/cli/thread_option.h"
#include "app/session/go_flame.h"
#include "base/file.h"
#include "export/folded.h"
#include "export/found_slices.h"
#include "trace/store/window.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const OptionSpec OPTIONS[] = {
    { "output", 'o', "OUT",
      "output; the suffix decides: .svg .html .png .json .folded; - is standard output" },
    { "to", '\0', "KIND", "svg, html, png, json or folded, whatever the suffix" },
    { "folded", '\0', NULL, "lines \"a;b;c N\" on standard output" },
    { "by", '\0', "KEY", "width of a frame: total (default), self, count, cpu" },
    { "thread", '\0', "NAME", "only tracks of this name or thread id, or with it in their title" },
    { "name", '\0', "NAME", "only slices of this name and those below; with --inverted its callers" },
    { "find", '\0', "TEXT", "only slices that `varve find` finds with this text, and those below" },
    { "inverted", '\0', NULL, "callers below the frames that they call" },
    { "collapse", '\0', NULL, "direct recursion as one frame" },
    { "samples", '\0', NULL, "of samples, even if there are slices" },
    { "waits", '\0', "KIND", "of stacks of waiting goroutines: net, sync, syscall or sched" },
    { "against", '\0', "A", "colours by the change since this trace: red for more self time, blue for less" },
    { "theme", '\0', "NAME", "light or dark; default light" },
    { NULL, '\0', NULL, NULL }
};

typedef enum { AS_SVG, AS_HTML, AS_PNG, AS_JSON, AS_FOLDED } Kind;
static const char *const KINDS[] = { "svg", "html", "png", "json", "folded" };
static const char *const THEMES[] = { "light", "dark" };

typedef struct Request {
    Cli        *cli;
    const char *out;
    Kind        kind;
    FlameWeight by;
    Theme       theme;
    const char *waits; /* NULL: of slices */
    GoProfile   profile;
} Request;

/* -- the request -- */

static ExitStatus parse_kind(Request *request)
{
    Cli        *cli = request->cli;
    const char *to = cli_option(cli, "to");
    const char *dot = request->out == NULL ? NULL : strrchr(request->out, '.');
    size_t      kind = AS_FOLDED;
    if (cli_option(cli, "folded") != NULL) {
        if (to != NULL && strcmp(to, "folded") != 0)
            return cli_usage_error(cli, "--folded or --to, not both");
        if (request->out == NULL) request->out = "-";
    } else if (request->out == NULL) {
        return cli_usage_error(cli, "flame needs -o OUT.svg, .html, .png, .json or .folded, or --folded");
    } else if (to != NULL ? !CLI_FIND_WORD(KINDS, to, &kind)
                          : dot == NULL || !CLI_FIND_WORD(KINDS, dot + 1, &kind)) {
        return cli_usage_error(cli, "%s must be svg, html, png, json or folded",
                               to != NULL ? "--to" : "the suffix of the output");
    }
    request->kind = (Kind)kind;
    if (request->waits != NULL && cli_option(cli, "against") != NULL)
        return cli_usage_error(cli, "--against is for slices, not for --waits");
    if (request->kind == AS_FOLDED && cli_option(cli, "against") != NULL)
        return cli_usage_error(cli,
                               "--against is for .svg, .html, .png and .json: folded lines have no changes");
    return EXIT_DONE;
}

static ExitStatus parse_options(Request *request)
{
    Cli        *cli = request->cli;
    const char *by = cli_option(cli, "by"), *theme = cli_option(cli, "theme");
    size_t      look = 0;
    request->waits = cli_option(cli, "waits");
    if (cli->file_count != 1) return cli_usage_error(cli, "flame needs one FILE");
    if (by != NULL && !flame_weight_find((StringView){ by, strlen(by) }, &request->by))
        return cli_usage_error(cli, "--by must be total, self, count or cpu, not '%.60s'", by);
    if (theme != NULL && !CLI_FIND_WORD(THEMES, theme, &look))
        return cli_usage_error(cli, "--theme must be light or dark, not '%.60s'", theme);
    if (request->waits != NULL && !go_profile_find(request->waits, &request->profile))
        return cli_usage_error(cli, "--waits must be net, sync, syscall or sched, not '%.60s'",
                               request->waits);
    if (request->waits != NULL && (cli_option(cli, "thread") != NULL || cli_option(cli, "samples") != NULL))
        return cli_usage_error(cli, "--waits covers all goroutines: --thread and --samples are for slices");
    if (request->waits != NULL && cli_option(cli, "find") != NULL)
        return cli_usage_error(cli, "--find is for slices, not for --waits");
    request->theme = look == 0 ? THEME_LIGHT : THEME_DARK;
    request->out = cli_option(cli, "output");
    return parse_kind(request);
}

/* -- the tree -- */

static ExitStatus fail(const Request *request, const Err *err)
{
    if (err->code == ERR_USAGE) return cli_usage_error(request->cli, "%s", err->message);
    cli_error(request->cli->files[0], err);
    return EXIT_INPUT;
}

/* Returns the tree that the options choose. */
static FlameShape shape_of(const Request *request, const StringTable *strings)
{
    const Cli  *cli = request->cli;
    const char *name = cli_option(cli, "name");
    const bool  is_inverted = cli_option(cli, "inverted") != NULL;
    FlameShape  shape = { .tree = is_inverted ? FLAME_INVERTED : FLAME_CALLS, .by = request->by };
    if (cli_option(cli, "collapse") != NULL) shape.recursion = FLAME_COLLAPSE_RECURSION;
    if (name == NULL) return shape;
    shape.tree = is_inverted ? FLAME_CALLERS : FLAME_CALLEES;
    shape.name = string_table_find(strings, name, strlen(name));
    return shape;
}

/* Returns the kinds of tracks to count: threads and samples, which have call stacks. Asynchronous slices,
 * states and objects count only on request: their times overlap and would hide the rest. */
static uint32_t kinds_of(const Cli *cli)
{
    if (cli_option(cli, "samples") != NULL) return 1U << TRACK_SAMPLES;
    return cli_option(cli, "thread") != NULL ? 0 : 1U << TRACK_THREAD | 1U << TRACK_SAMPLES;
}

/* Adds up the slices that the options choose. */
static ExitStatus add_up(const Request *request, const Loaded *loaded, Flame *flame)
{
    const Trace *trace = loaded->trace;
    const char  *text = cli_option(request->cli, "find");
    Err          err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    FlameQuery   query = { .part.kinds = kinds_of(request->cli) };
    FoundSlices  found = { .slices = NULL };
    ExitStatus   status = cli_thread_option(request->cli, trace, &query.part.tracks, &query.part.track_count);
    if (status != EXIT_DONE) return status;
    trace_window_range(trace, &query.part.begin_tick, &query.part.end_tick);
    bool done = text == NULL || found_slices_all(&found, loaded, text, request->cli->load.threads,
                                                 &request->cli->arena, &err);
    query.slices = found.slices;
    done = done && flame_create(trace->strings, flame, &err) && flame_add_slices(flame, trace, &query, &err);
    found_slices_release(&found);
    return done ? EXIT_DONE : fail(request, &err);
}

/* -- the output -- */

static ExitStatus write_out(const Request *request, const FlameOut *flame)
{
    Err              err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    Bytes            out = { 0 };
    bool             done = true;
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

/* Writes the tree that the options choose, derived from the tree of all slices; `against` may be NULL. */
static ExitStatus write_tree(const Request *request, const Flame *all, const Clock *clock,
                             const FlameAgainst *against)
{
    const FlameShape shape = shape_of(request, all->strings);
    const char      *name = cli_option(request->cli, "name"), *find = cli_option(request->cli, "find");
    Flame            made;
    const Flame     *shown;
    FlameLayout      layout, times;
    Bytes            title = { 0 };
    Arena           *arena = &request->cli->arena;
    Err              err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    ExitStatus       status = EXIT_DONE;
    flame_put_title(&(FlameTitle){ .file = request->cli->files[0],
                                   .waits = request->waits,
                                   .by = request->by,
                                   .tree = shape.tree,
                                   .name = name,
                                   .find = find,
                                   .thread = cli_option(request->cli, "thread"),
                                   .range = cli_option(request->cli, "range"),
                                   .against = cli_option(request->cli, "against") },
                    &title);
    if (!flame_shaped(all, &shape, &made, &shown, &err) || title.failed ||
        !flame_layout(shown, request->by, arena, &layout, &err) ||
        !flame_layout(shown, FLAME_TOTAL, arena, &times, &err))
        status = fail(request, &err);
    else if (name != NULL && (shape.name.index == 0 || shown->node_count == 1))
        status = cli_usage_error(request->cli, "--name=%.100s: no %s has this name in the selected part",
                                 name, request->waits == NULL ? "slice" : "function");
    else if (find != NULL && all->node_count == 1)
        status = cli_usage_error(request->cli, "--find=%.100s: no slice matches here", find);
    FlameOut   out = { .layout = &layout,
                       .times = &times,
                       .by = request->by,
                       .clock = clock,
                       .theme = request->theme,
                       .title = (const char *)title.data,
                       .counted = request->waits == NULL ? "call" : "wait" };
    FlameShape shape_before = shape;
    if (against != NULL) shape_before.name = shape_of(request, against->all->strings).name;
    if (status == EXIT_DONE && against != NULL && !flame_compare(against, &shape_before, arena, &out, &err))
        status = fail(request, &err);
    if (status == EXIT_DONE) status = write_out(request, &out);
    bytes_release(&title);
    flame_release(&made);
    return status;
}

/* Writes the graph of a trace; `before` is that of --against, or NULL. */
static ExitStatus answer_slices(const Request *request, const Loaded *loaded, const Loaded *before)
{
    Flame      all = { .nodes = NULL }, all_before = { .nodes = NULL };
    ExitStatus status = add_up(request, loaded, &all);
    if (status == EXIT_DONE && before != NULL) status = add_up(request, before, &all_before);
    const FlameAgainst against = { &all_before, before == NULL ? NULL : &before->trace->clock };
    if (status == EXIT_DONE)
        status = write_tree(request, &all, &loaded->trace->clock, before == NULL ? NULL : &against);
    flame_release(&all);
    flame_release(&all_before);
    return status;
}

/* As answer_slices, with the trace of --against. */
static ExitStatus answer_against(const Request *request, const Loaded *loaded, const char *path)
{
    Cli       *cli = request->cli;
    Loaded     before = { 0 };
    ExitStatus status = cli_load_judged(cli, path, &before);
    if (status != EXIT_DONE) return status;
    status = compare_is_possible(&before.trace->clock, &loaded->trace->clock)
                 ? answer_slices(request, loaded, &before)
                 : cli_usage_error(cli, "--against=%.100s: one trace has times and the other does not", path);
    loaded_release(&before);
    return status;
}

static ExitStatus answer_waits(const Request *request, const Loaded *loaded)
{
    const GoStatsRequest waits = go_stats_window(loaded->trace);
    const Clock          clock = clock_ns();
    GoStats              stats;
    Flame                all = { .nodes = NULL };
    Err                  err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    const bool           done =
        go_stats_loaded(loaded, &waits, &stats, &err) && go_flame(&stats, request->profile, &all, &err);
    ExitStatus status =
        done ? write_tree(request, &all, &clock, NULL)
        : err.code == ERR_UNKNOWN
            ? cli_usage_error(request->cli, "--waits is for Go traces; %s is not one", request->cli->files[0])
            : fail(request, &err);
    flame_release(&all);
    go_stats_release(&stats);
    return status;
}

static ExitStatus run(Cli *cli)
{
    Request    request = { .cli = cli };
    Loaded     loaded = { 0 };
    ExitStatus status = parse_options(&request);
    if (request.waits == NULL && cli_option(cli, "find") == NULL) cli->load.store = STORE_UNUSED;
    if (status == EXIT_DONE) status = cli_load_judged(cli, cli->files[0], &loaded);
    if (status != EXIT_DONE) return status;
    const char *against = cli_option(cli, "against");
    status = request.waits != NULL ? answer_waits(&request, &loaded)
             : against != NULL     ? answer_against(&request, &loaded, against)
                                   : answer_slices(&request, &loaded, NULL);
    loaded_release(&loaded);
    return status;
}

const CliCommand COMMAND_FLAME = {
    .name = "flame",
    .summary = "Draws a flame graph, the sum of call stacks: a picture, a page or lines of text",
    .usage = "[OPTIONS] FILE -o OUT.svg|.html|.png|.json|.folded",
    .details = "Of a slice that is only partly in --range the part inside counts. --by=self differs from "
               "total with\n"
               "--inverted alone: a frame is then as wide as its self time. Asynchronous slices, states and "
               "objects\n"
               "are there with --thread alone.",
    .examples = "  varve flame trace.json.gz -o flame.html\n"
                "  varve flame trace.spall -o main.svg --thread=main --range=1.2s..1.5s\n"
                "  varve flame trace.json -o callers.svg --name=malloc --inverted\n"
                "  varve flame trace.json -o slow.html --find='name:request >100ms'\n"
                "  varve flame trace.out --waits=sync -o waits.svg\n"
                "  varve flame after.json --against=before.json -o change.html\n"
                "  varve flame profile.cpuprofile --folded --by=count | sort -k2",
    .options = OPTIONS,
    .run = run
};
