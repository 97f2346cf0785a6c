/* varve render - draws the timeline as a picture. */
#include "app/cli/cli.h"
#include "app/cli/view_argument.h"
#include "base/file.h"
#include "paint/paint.h"
#include "paint/picture.h"

#include <stdio.h>
#include <string.h>

enum { DEFAULT_WIDTH_PX = 1600, MAX_SIZE_PX = 32767 };

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

typedef bool (*Paint)(const DrawList *list, double scale, Bytes *out, Err *err);

static bool paint_as_png(const DrawList *list, double scale, Bytes *out, Err *err)
{
    (void)scale;
    PaintFonts fonts = paint_fonts();
    return paint_png(list, &fonts, out, err);
}

static bool paint_as_svg(const DrawList *list, double scale, Bytes *out, Err *err)
{
    PaintFonts fonts = paint_fonts();
    return paint_svg(list, scale, &fonts, out, err);
}

static bool paint_as_pdf(const DrawList *list, double scale, Bytes *out, Err *err)
{
    PaintFonts fonts = paint_fonts();
    return paint_pdf(list, scale, &fonts, out, err);
}

static const struct {
    const char *name;
    Paint       paint;
} KINDS[] = { { "png", paint_as_png }, { "svg", paint_as_svg }, { "pdf", paint_as_pdf } };

typedef struct Output {
    const char *path;
    Paint       paint;
    const char *view_name; /* of the given view, for messages; NULL = none */
} Output;

/* -- options -- */

/* Returns the painter of a name, or NULL. */
static Paint kind_find(const char *name)
{
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
        if (strcmp(KINDS[i].name, name) == 0) return KINDS[i].paint;
    }
    return NULL;
}

static bool settle_kind(const Cli *cli, const char *out, Paint *paint)
{
    const char *to = cli_option(cli, "to"), *dot = strrchr(out, '.');
    *paint = NULL;
    if (to != NULL) {
        *paint = kind_find(to);
    } else if (dot != NULL) {
        *paint = kind_find(dot + 1);
    }
    if (*paint != NULL) return true;
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

static bool settle_size(const Cli *cli, PictureOptions *picture)
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

static bool settle_theme(const Cli *cli, PictureOptions *picture)
{
    const char *theme = cli_option(cli, "theme");
    if (theme == NULL || strcmp(theme, "light") == 0) return true;
    picture->theme = THEME_DARK;
    if (strcmp(theme, "dark") == 0) return true;
    (void)cli_usage_error(cli, "--theme must be light or dark, not '%s'", theme);
    return false;
}

/* -- work -- */

/* Prints the differences between a view file and the traces. */
static void report_view(const Cli *cli, const char *name, const ViewLoaded *shown)
{
    if (cli->quiet) return;
    if (shown->other_traces + shown->unknown_traces > 0)
        (void)fprintf(stderr,
                      "varve: %s: the view is of other content (%.*s): only the parts that fit are drawn\n",
                      name, (int)shown->name.size, shown->name.bytes);
    if (shown->missing_rows > 0)
        (void)fprintf(stderr, "varve: %s: the trace does not have %u rows of the view\n", name,
                      shown->missing_rows);
    if (shown->unknown_members > 0)
        (void)fprintf(stderr, "varve: %s: unknown member '%.*s'\n", name, (int)shown->first_unknown.size,
                      shown->first_unknown.bytes);
}

static ExitStatus render(Cli *cli, const Loaded *loaded, const PictureOptions *options, const Output *output)
{
    Err        err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    ViewLoaded shown;
    View      *view = picture_create(loaded, cli->file_count, options, &shown, &err);
    if (view != NULL) report_view(cli, output->view_name, &shown);
    view_loaded_release(&shown);
    if (view == NULL && err.code == ERR_USAGE) return cli_usage_error(cli, "%s", err.message);
    if (view == NULL && err.code == ERR_CORRUPT) {
        cli_error(output->view_name, &err);
        return EXIT_INPUT;
    }
    Bytes           picture = { 0 };
    const DrawList *list = view == NULL ? NULL : view_draw(view);
    bool            done = view != NULL;
    if (done && list == NULL) done = err_set(&err, ERR_MEMORY, "out of memory for the picture");
    done = done && output->paint(list, options->scale, &picture, &err) &&
           file_write_whole(output->path, picture.data, picture.size, &err);
    if (!done) cli_error(output->path, &err);
    bytes_release(&picture);
    view_destroy(view);
    return done ? EXIT_DONE : EXIT_OUTPUT;
}

static ExitStatus load_and_render(Cli *cli, const PictureOptions *options, const Output *output)
{
    Loaded    *loaded = ARENA_ARRAY(&cli->arena, Loaded, cli->file_count);
    ExitStatus status = loaded == NULL ? EXIT_OUTPUT : EXIT_DONE;
    size_t     count = 0;
    if (output->view_name == NULL) cli->load.store = STORE_UNUSED; /* else the identity is read */
    while (status == EXIT_DONE && count < cli->file_count) {
        status = cli_load_judged(cli, cli->files[count], &loaded[count]);
        if (status == EXIT_DONE) count++;
    }
    if (status == EXIT_DONE) status = render(cli, loaded, options, output);
    for (size_t i = 0; i < count; i++)
        loaded_release(&loaded[i]);
    return status;
}

static ExitStatus run(Cli *cli)
{
    PictureOptions options = { .width_px = DEFAULT_WIDTH_PX, .scale = 1, .theme = THEME_LIGHT };
    Output         output = { .path = cli_option(cli, "output") };
    ViewArgument   view;
    options.range = cli_option(cli, "range");
    options.tracks = cli_option(cli, "tracks");
    options.select_name = cli_option(cli, "select");
    options.flows = cli_option(cli, "flows");
    options.sort = cli_option(cli, "sort");
    options.overlay = cli_option(cli, "overlay");
    options.groups = cli_option(cli, "groups");
    options.color = cli_option(cli, "color-by");
    options.palette = cli_option(cli, "palette");
    options.rows = cli_option(cli, "rows");
    options.hide = (HideOptions){ cli_option(cli, "category"), cli_option(cli, "hide-category") };
    const ExitStatus status = view_argument_take(cli, &view);
    if (status != EXIT_DONE) return status;
    options.view = view.text;
    output.view_name = view.name;
    if (cli->file_count == 0) return cli_usage_error(cli, "render needs a FILE");
    if (output.path == NULL) return cli_usage_error(cli, "render needs -o OUT.png, OUT.svg or OUT.pdf");
    if (!settle_kind(cli, output.path, &output.paint) || !settle_size(cli, &options) ||
        !settle_theme(cli, &options))
        return EXIT_USAGE;
    return load_and_render(cli, &options, &output);
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
    .run = run
};
