/* varve render - draws the timeline as a picture. */
#include "app/cli/traces.h"
#include "app/cli/view_argument.h"

#include <stdio.h>
#include <string.h>

enum { MAX_SIZE_PX = 32767 };

static const OptionSpec OPTIONS[] = {
    { "output", 'o', "OUT", "output; the suffix decides between PNG, SVG and PDF; - is standard output" },
    { "to", '\0', "KIND", "png, svg or pdf, whatever the suffix" },
    { "size", '\0', "WxH", "in px; W alone: as high as the content. Default: 1600" },
    { "scale", '\0', "F", "device pixels per px, 0.1 to 16; default 1" },
    { "theme", '\0', "NAME", "light or dark; default light" },
    { "tracks", '\0', "PATTERN", "only tracks with this text in their title or their process's title" },
    { "category", '\0', "NAMES", "only events of one of these categories; (none) for those without" },
    { "hide-category", '\0', "NAMES", "no events with categories only from this list" },
    { "select", '\0', "NAME", "highlights all slices of this name" },
    { "flows", '\0', "WHICH", "arrows: few (the default: all, unless they are many), all or none" },
    { "sort", '\0', "ORDER",
      "order of the rows: default (as the trace asks, then by name), name, first (event) or busiest" },
    { "overlay", '\0', "NAMES", "draw these counters, separated by commas, in one chart" },
    { "groups", '\0', "GROUPS",
      "process (the default), name (tracks of all processes by their names without numbers) or flat (one "
      "list)" },
    { "color-by", '\0', "MODE",
      "colours by name (the default), category, thread, process, duration or file" },
    { "palette", '\0', "NAME", "standard (the default), or safe: for colour-blind people" },
    { "rows", '\0', "HEIGHT", "compact, normal (the default) or roomy" },
    { NULL, '\0', NULL, NULL }
};

static const char *const KINDS[] = { "png", "svg", "pdf" }; /* by VarvePictureKind */
static const char *const THEMES[] = { "light", "dark" };    /* by VarveTheme */
/* The library reads the values of these. */
static const char *const FLOWS[] = { "few", "all", "none" };
static const char *const SORTS[] = { "default", "name", "first", "busiest" };
static const char *const GROUPS[] = { "process", "name", "flat" };
static const char *const COLOURS[] = { "name", "category", "thread", "process", "duration", "file" };
static const char *const PALETTES[] = { "standard", "safe" };
static const char *const ROWS[] = { "compact", "normal", "roomy" };
static const OptionWords OF_OPTIONS[] = {
    OPTION_WORDS("to", KINDS),         OPTION_WORDS("theme", THEMES),  OPTION_WORDS("flows", FLOWS),
    OPTION_WORDS("sort", SORTS),       OPTION_WORDS("groups", GROUPS), OPTION_WORDS("color-by", COLOURS),
    OPTION_WORDS("palette", PALETTES), OPTION_WORDS("rows", ROWS),     { NULL, NULL, 0 }
};

typedef struct Output {
    const Cli  *cli;
    const char *path;
    const char *view_name; /* of the given view, for messages; NULL = none */
} Output;

/* -- options -- */

static bool settle_kind(const Cli *cli, const char *out, VarvePicture *picture)
{
    const char *to = cli_option(cli, "to"), *dot = strrchr(out, '.');
    const char *word = to != NULL ? to : dot != NULL ? dot + 1 : "";
    size_t      kind;
    const bool  is_known = CLI_FIND_WORD(KINDS, word, &kind);
    picture->kind = (VarvePictureKind)kind;
    if (is_known) return true;
    (void)cli_usage_error(cli, "%s%s must be png, svg or pdf: name the file so, or add --to=png",
                          to != NULL ? "--to=" : "the suffix of ", to != NULL ? to : out);
    return false;
}

/* Reads a positive decimal number at the start of `text`; *end is the rest. strtod would accept "0x9". */
static bool positive_number(const char *text, double max, double *value, const char **end)
{
    double digit_value = 1;
    *value = 0;
    for (; *text >= '0' && *text <= '9'; text++)
        *value = *value * 10 + (*text - '0');
    if (*text == '.') {
        while (*++text >= '0' && *text <= '9')
            *value += (digit_value /= 10) * (*text - '0');
    }
    *end = text;
    return *value > 0 && *value <= max;
}

static bool settle_size(const Cli *cli, VarvePicture *picture)
{
    const char *size = cli_option(cli, "size"), *scale = cli_option(cli, "scale"), *end;
    if (size != NULL) {
        bool good = positive_number(size, MAX_SIZE_PX, &picture->width_px, &end);
        if (good && *end == 'x') good = positive_number(end + 1, MAX_SIZE_PX, &picture->height_px, &end);
        if (!good || *end != '\0') {
            (void)cli_usage_error(cli, "--size must be WIDTHxHEIGHT in px up to %d, like 1600x900, not '%s'",
                                  MAX_SIZE_PX, size);
            return false;
        }
    }
    if (scale == NULL) return true;
    if (positive_number(scale, 16, &picture->scale, &end) && *end == '\0' && picture->scale >= 0.1)
        return true;
    (void)cli_usage_error(cli, "--scale must be a number from 0.1 to 16, not '%s'", scale);
    return false;
}

static bool settle_theme(const Cli *cli, VarvePicture *picture)
{
    size_t     theme = VARVE_LIGHT;
    const bool is_known = cli_option_word(cli, "theme", &theme);
    picture->theme = (VarveTheme)theme;
    return is_known;
}

/* -- work -- */

static void report_difference(void *context, VarveText what)
{
    const Output *output = context;
    if (!output->cli->quiet)
        (void)fprintf(stderr, "varve: %s: %.*s\n", output->view_name, (int)what.size_bytes, what.bytes);
}

static ExitStatus render(const VarveTrace *const *traces, const VarvePicture *picture, const Output *output)
{
    VarveError error;
    if (varve_render_file(traces, (uint32_t)output->cli->file_count, picture, output->path, &error))
        return EXIT_DONE;
    if (error.code == VARVE_ERROR_USAGE) return cli_usage_error(output->cli, "%s", error.message);
    if (error.code == VARVE_ERROR_CORRUPT) {
        cli_library_error(output->view_name, &error);
        return EXIT_INPUT;
    }
    const Err err = cli_library_err(&error);
    cli_output_error(output->path, &err);
    return EXIT_OUTPUT;
}

static ExitStatus load_and_render(Cli *cli, const VarvePicture *picture, const Output *output)
{
    CliTraces traces;
    if (output->view_name == NULL) cli->load.store = STORE_UNUSED; /* else the identity is read */
    ExitStatus status = cli_traces_load(cli, 0, cli->file_count, &traces);
    if (status == EXIT_DONE) status = render(traces.handles, picture, output);
    cli_traces_release(&traces);
    return status;
}

static ExitStatus run(Cli *cli)
{
    Output           output = { .cli = cli, .path = cli_option(cli, "output") };
    VarvePicture     picture = { .range = cli_option(cli, "range"),
                                 .tracks = cli_option(cli, "tracks"),
                                 .select_name = cli_option(cli, "select"),
                                 .categories = cli_option(cli, "category"),
                                 .hidden_categories = cli_option(cli, "hide-category"),
                                 .flows = cli_option(cli, "flows"),
                                 .sort = cli_option(cli, "sort"),
                                 .overlay = cli_option(cli, "overlay"),
                                 .groups = cli_option(cli, "groups"),
                                 .color_by = cli_option(cli, "color-by"),
                                 .palette = cli_option(cli, "palette"),
                                 .row_heights = cli_option(cli, "rows"),
                                 .difference = report_difference,
                                 .context = &output,
                                 .thread_count = cli_threads(cli) };
    ViewArgument     view;
    const ExitStatus status = view_argument_take(cli, &view);
    if (status != EXIT_DONE) return status;
    picture.view_json = view.text.bytes;
    picture.view_bytes = view.text.size;
    output.view_name = view.name;
    if (cli->file_count == 0) return cli_usage_error(cli, "render needs a FILE");
    if (output.path == NULL) return cli_usage_error(cli, "render needs -o OUT.png, OUT.svg or OUT.pdf");
    if (!settle_kind(cli, output.path, &picture) || !settle_size(cli, &picture) ||
        !settle_theme(cli, &picture))
        return EXIT_USAGE;
    return load_and_render(cli, &picture, &output);
}

const CliCommand COMMAND_RENDER = {
    .name = "render",
    .summary = "Draws the timeline as a picture, without a display; the same input gives the same bytes",
    .usage = "[OPTIONS] FILE... [VIEW] -o OUT.png|OUT.svg|OUT.pdf",
    .details =
        "VIEW is a view file (x.varve-view) or a link of the viewer: the picture has its range, tracks,\n"
        "filters, selection and marks. Options count before it.",
    .examples = "  varve render trace.json.gz -o overview.png --size=1600x900\n"
                "  varve render trace.spall -o slow.svg --range=1.20s..1.25s --tracks=main\n"
                "  varve render trace.json slow.varve-view -o slow.png\n"
                "  varve render trace.json -o paper.pdf --select=parse --theme=dark",
    .options = OPTIONS,
    .words = OF_OPTIONS,
    .run = run
};
