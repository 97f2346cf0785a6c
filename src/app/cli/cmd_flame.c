/* varve flame - a flame graph: the sum of call stacks. */
#include "app/cli/part_options.h"
#include "base/file.h"

#include <stdio.h>
#include <string.h>

static const OptionSpec OPTIONS[] = {
    { "output", 'o', "OUT",
      "output; the suffix decides: .svg .html .png .json .folded; - is standard output" },
    { "to", '\0', "KIND", "svg, html, png, json or folded, whatever the suffix" },
    { "folded", '\0', NULL, "lines \"a;b;c N\" on standard output" },
    { "by", '\0', "KEY",
      "width of a frame: total (default), self (that of --inverted without --name), count, cpu" },
    { "thread", '\0', "NAME", "only tracks of this name or thread id, or with it in their title" },
    { "name", '\0', "NAME", "only slices of this name and those below; with --inverted its callers" },
    { "find", '\0', "TEXT", "only slices that `varve find` finds with this text, and those below" },
    { "hide", '\0', "NAME",
      "no frames of slices of exactly this name: their callees take the place; repeatable" },
    { "inverted", '\0', NULL, "callers below the frames that they call" },
    { "collapse", '\0', NULL, "direct recursion as one frame" },
    { "samples", '\0', NULL, "of samples, even if there are slices" },
    { "waits", '\0', "KIND", "of stacks of waiting goroutines: net, sync, syscall or sched" },
    { "against", '\0', "A", "colours by the change since this trace: red for more self time, blue for less" },
    { "theme", '\0', "NAME", "light or dark; default light" },
    { NULL, '\0', NULL, NULL }
};

/* By VarveFlameKind, VarveTheme, VarveFlameWeight, and VarveFlameSource from VARVE_FLAME_WAITS_NETWORK on. */
static const char *const KINDS[] = { "svg", "html", "png", "json", "folded" };
static const char *const THEMES[] = { "light", "dark" };
static const char *const WEIGHTS[] = { "total", "self", "count", "cpu" };
static const char *const WAITS[] = { "net", "sync", "syscall", "sched" };
static const OptionWords OF_OPTIONS[] = { OPTION_WORDS("to", KINDS),
                                          OPTION_WORDS("theme", THEMES),
                                          OPTION_WORDS("by", WEIGHTS),
                                          OPTION_WORDS("waits", WAITS),
                                          { NULL, NULL, 0 } };

enum { MOST_HIDDEN = 64 };

typedef struct Request {
    Cli              *cli;
    const char       *out;
    const char       *waits; /* NULL: of slices */
    VarveFlameOptions options;
    VarveFlamePicture picture;
    const char       *hidden[MOST_HIDDEN];
} Request;

/* -- the request -- */

static ExitStatus parse_kind(Request *request)
{
    Cli        *cli = request->cli;
    const char *to = cli_option(cli, "to");
    const char *dot = request->out == NULL ? NULL : strrchr(request->out, '.');
    size_t      kind = VARVE_FLAME_FOLDED;
    if (cli_option(cli, "folded") != NULL) {
        if (to != NULL && strcmp(to, "folded") != 0)
            return cli_usage_error(cli, "--folded or --to, not both");
        if (request->out == NULL) request->out = "-";
    } else if (request->out == NULL) {
        return cli_usage_error(cli, "flame needs -o OUT.svg, .html, .png, .json or .folded, or --folded");
    } else if (to != NULL) {
        if (!cli_option_word(cli, "to", &kind)) return EXIT_USAGE;
    } else if (dot == NULL || (strcmp(dot, ".collapsed") != 0 && !CLI_FIND_WORD(KINDS, dot + 1, &kind))) {
        return cli_usage_error(cli, "the suffix of the output must be svg, html, png, json or folded");
    }
    request->picture.kind = (VarveFlameKind)kind;
    if (request->waits != NULL && cli_option(cli, "against") != NULL)
        return cli_usage_error(cli, "--against is for slices, not for --waits");
    if (kind == VARVE_FLAME_FOLDED && cli_option(cli, "against") != NULL)
        return cli_usage_error(cli,
                               "--against is for .svg, .html, .png and .json: folded lines have no changes");
    return EXIT_DONE;
}

/* Collects the names of --hide. */
static ExitStatus parse_hidden(Request *request)
{
    Cli   *cli = request->cli;
    size_t count = 0;
    for (size_t i = 0; i < cli->given_count; i++) {
        if (strcmp(cli->given[i].spec->name, "hide") != 0) continue;
        if (request->waits != NULL) return cli_usage_error(cli, "--hide is for slices, not for --waits");
        if (count == MOST_HIDDEN) return cli_usage_error(cli, "--hide: %d names at most", MOST_HIDDEN);
        request->hidden[count++] = cli->given[i].value;
    }
    request->options.hidden_names = request->hidden;
    request->options.hidden_count = count;
    return EXIT_DONE;
}

static ExitStatus parse_options(Request *request)
{
    Cli   *cli = request->cli;
    size_t look = 0, weight = 0, waits = 0;
    request->waits = cli_option(cli, "waits");
    if (cli->file_count != 1) return cli_usage_error(cli, "flame needs one FILE");
    if (!cli_option_word(cli, "by", &weight) || !cli_option_word(cli, "theme", &look) ||
        !cli_option_word(cli, "waits", &waits))
        return EXIT_USAGE;
    if (request->waits != NULL && (cli_option(cli, "thread") != NULL || cli_option(cli, "samples") != NULL))
        return cli_usage_error(cli, "--waits covers all goroutines: --thread and --samples are for slices");
    if (request->waits != NULL && cli_option(cli, "find") != NULL)
        return cli_usage_error(cli, "--find is for slices, not for --waits");
    request->picture = (VarveFlamePicture){ .theme = (VarveTheme)look, .range = cli_option(cli, "range") };
    request->options.weight = (VarveFlameWeight)weight;
    if (request->waits != NULL)
        request->options.source = (VarveFlameSource)(VARVE_FLAME_WAITS_NETWORK + waits);
    else if (cli_option(cli, "samples") != NULL)
        request->options.source = VARVE_FLAME_SAMPLES;
    if (cli_option(cli, "inverted") != NULL) {
        request->options.order = VARVE_FLAME_INVERTED;
        /* Whole times of nested frames do not add up. */
        if (cli_option(cli, "by") == NULL && cli_option(cli, "name") == NULL)
            request->options.weight = VARVE_FLAME_SELF;
    }
    if (cli_option(cli, "collapse") != NULL) request->options.recursion = VARVE_RECURSION_COLLAPSED;
    request->out = cli_option(cli, "output");
    const ExitStatus status = parse_hidden(request);
    return status == EXIT_DONE ? parse_kind(request) : status;
}

/* -- the graph -- */

static ExitStatus fail(const Request *request, const VarveError *error)
{
    Cli *cli = request->cli;
    if (request->waits != NULL && error->code == VARVE_ERROR_UNKNOWN)
        return cli_usage_error(cli, "--waits is for Go traces; %s is not one", cli->files[0]);
    if (error->code == VARVE_ERROR_USAGE) return cli_usage_error(cli, "%s", error->message);
    cli_library_error(cli->files[0], error);
    return EXIT_INPUT;
}

/* Adds up the slices or waits that the options choose. Close *flame in any case. */
static ExitStatus add_up(const Request *request, const VarveTrace *trace, VarveFlame **flame)
{
    Cli           *cli = request->cli;
    VarvePart      part = { .name = NULL };
    VarveSliceSet *found = NULL;
    VarveError     error;
    ExitStatus     status = cli_part_thread(cli, trace, &part);
    if (status == EXIT_DONE) status = cli_part_find(cli, trace, &found);
    part.slices = found;
    part.name = cli_option(cli, "name");
    if (status == EXIT_DONE) {
        *flame = varve_flame_open(trace, &part, &request->options, &error);
        if (*flame == NULL) status = fail(request, &error);
    }
    varve_slice_set_close(found);
    return status;
}

static ExitStatus write_out(const Request *request, const VarveFlame *flame)
{
    VarveBytes out = { 0 };
    VarveError error;
    Err        err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    bool       done = varve_flame_draw(flame, &request->picture, &out, &error);
    if (done)
        done = file_write_whole(request->out, out.bytes, out.size_bytes, &err);
    else
        err = cli_library_err(&error);
    if (!done) cli_output_error(request->out, &err);
    varve_bytes_release(&out);
    return done ? EXIT_DONE : EXIT_OUTPUT;
}

/* Reports a choice of slices that selects none. */
static ExitStatus check_count(const Request *request, const VarveFlame *flame)
{
    Cli        *cli = request->cli;
    const char *name = cli_option(cli, "name"), *find = cli_option(cli, "find");
    if (varve_flame_count(flame) > 0) return EXIT_DONE;
    if (name != NULL)
        return cli_usage_error(cli, "--name=%.100s: no %s has this name in the selected part", name,
                               request->waits == NULL ? "slice" : "function");
    if (find != NULL) return cli_usage_error(cli, "--find=%.100s: no slice matches here", find);
    return EXIT_DONE;
}

/* Writes the graph of the first trace; the second one, if there is one, is that of --against. */
static ExitStatus answer(Request *request, const CliTraces *traces)
{
    const VarveTrace *trace = traces->handles[0], *before = traces->count > 1 ? traces->handles[1] : NULL;
    VarveFlame       *flame = NULL, *flame_before = NULL;
    if (before != NULL && strcmp(varve_unit(trace), varve_unit(before)) != 0)
        return cli_usage_error(request->cli, "--against=%.100s: one trace has times and the other does not",
                               cli_option(request->cli, "against"));
    ExitStatus status = add_up(request, trace, &flame);
    if (status == EXIT_DONE && before != NULL) status = add_up(request, before, &flame_before);
    request->picture.against = flame_before;
    if (status == EXIT_DONE) status = check_count(request, flame);
    if (status == EXIT_DONE) status = write_out(request, flame);
    varve_flame_close(flame);
    varve_flame_close(flame_before);
    return status;
}

static ExitStatus run(Cli *cli)
{
    Request     request = { .cli = cli };
    CliTraces   traces;
    ExitStatus  status = parse_options(&request);
    const char *against = cli_option(cli, "against");
    if (status == EXIT_DONE) status = cli_check_search(cli, cli_option(cli, "find"));
    if (status != EXIT_DONE) return status;
    if (request.waits == NULL && cli_option(cli, "find") == NULL) cli->load.store = STORE_UNUSED;
    if (against != NULL)
        cli->files[cli->file_count++] = against; /* there is room: its option is a word, too */
    status = cli_traces_load(cli, 0, cli->file_count, &traces);
    if (status == EXIT_DONE) status = answer(&request, &traces);
    cli_traces_release(&traces);
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
                "  varve flame trace.json -o calls.svg --hide=RunTask --hide=Invoke\n"
                "  varve flame trace.json -o slow.html --find='name:request >100ms'\n"
                "  varve flame trace.out --waits=sync -o waits.svg\n"
                "  varve flame after.json --against=before.json -o change.html\n"
                "  varve flame profile.cpuprofile --folded --by=count | sort -k2",
    .options = OPTIONS,
    .words = OF_OPTIONS,
    .run = run
};
