/* The axis of a counter's chart: its greatest and least value, and the multiples of 1, 2 or 5 times a power of ten between
 * them. The texts are right-aligned beside the chart in the label column, or in the chart's corner if that is closed. */
#include "view/counter.h"
#include "view/data.h"
#include "view/layout.h"
#include "view/scene.h"

#include <math.h>

static const double AXIS_SIZE = 10, TEXT_H_PX = 12, NOTCH_PX = 3, AXIS_GAP_PX = 3, BESIDE_AXIS_PX = 6;
enum { AXIS_BOX_ALPHA = 215, AXIS_LINE_ALPHA = 28 };

/* Returns the least step of at least `least`: 1, 2 or 5 times a power of ten. By multiplications only, so that all machines have
 * the same result. */
static double step_of(double least)
{
    static const double FACTORS[] = { 1, 2, 5, 10 };
    double              power = 1;
    while (power * 10 <= least)
        power *= 10;
    while (power > least && power > 0)
        power /= 10;
    if (power == 0) return 0;
    for (int i = 0; i < 4; i++)
        if (power * FACTORS[i] >= least) return power * FACTORS[i];
    return power * 10;
}

/* Returns the number of texts that a chart has room for. */
static double text_rows(double height, double text_h)
{
    return floor((height + text_h / 2) / text_h);
}

/* Returns the vertical middle of the text of a value, in pixels below the chart's top. A quarter of the text can be outside of the
 * chart. It is in the chart's middle if there is no room for two texts. */
static double text_middle(const ValueScale *scale, double value, double height, double text_h)
{
    const double y = counter_y(scale, value, height), inside = text_h / 4;
    if (text_rows(height, text_h) < 2) return height / 2;
    return y < inside ? inside : y > height - inside ? height - inside : y;
}

/* Adds a value, unless its text would touch another one. */
static void add_tick(AxisTicks *ticks, const ValueScale *scale, double value, double height, double text_h)
{
    const double at = text_middle(scale, value, height, text_h);
    for (uint32_t i = 0; i < ticks->count; i++)
        if (fabs(at - text_middle(scale, ticks->value[i], height, text_h)) < text_h) return;
    if (ticks->count < AXIS_TICKS) ticks->value[ticks->count++] = value;
}

/* Adds the multiples of a step, unless it is that of denormal numbers. */
static void add_steps(AxisTicks *ticks, const ValueScale *scale, double step, double height, double text_h)
{
    enum { TRIED = 4 * AXIS_TICKS };
    if (!(step > 0)) return;
    const double first = ceil(scale->least / step);
    for (double i = first; i * step < scale->greatest && i < first + (double)TRIED; i++)
        add_tick(ticks, scale, i * step, height, text_h);
}

AxisTicks counter_ticks(const ValueScale *scale, double height, double text_h)
{
    AxisTicks    ticks = { 0 };
    const double range = scale->greatest - scale->least, rows = text_rows(height, text_h);
    if (rows < 1) return ticks;
    ticks.value[ticks.count++] = scale->greatest;
    if (rows >= 2) ticks.value[ticks.count++] = scale->least;
    ticks.ends = ticks.count;
    if (rows < 3 || !isfinite(range)) return ticks;
    add_steps(&ticks, scale, step_of(range / rows), height, text_h);
    if (ticks.count == ticks.ends) /* all of them are near the ends */
        add_steps(&ticks, scale, step_of(range / (2.5 * rows)), height, text_h);
    return ticks;
}

/* Returns the ticks of an item's chart; none for a counter without samples. */
static AxisTicks ticks_of(const View *view, const LayoutItem *item, double height)
{
    const OutlineTrack *track = &view_trace(view, item->trace)->outline.tracks[item->index];
    const ValueScale    scale = chart_scale(view, item);
    if (track->sample_count == 0) return (AxisTicks){ 0 };
    return counter_ticks(&scale, height, view_px(view, TEXT_H_PX));
}

static TextStyle axis_style(const View *view)
{
    return (TextStyle){ FONT_REGULAR, AXIS_SIZE * view->screen.scale,
                        colour_palette(view->screen.theme)->muted };
}

/* Formats a value of the axis and returns the text's width. */
static double format_value(const View *view, const LayoutItem *item, double value, char text[COUNTER_TEXT],
                           size_t *size)
{
    const OutlineTrack *track = &view_trace(view, item->trace)->outline.tracks[item->index];
    const TextStyle     style = axis_style(view);
    *size = counter_format_short(value, counter_unit(track), text);
    return ceil(text_width(style.face, style.size_px, text, *size));
}

double draw_axis(View *view, Frame *frame, const LayoutItem *item, double y_px)
{
    const Palette   *palette = colour_palette(view->screen.theme);
    const bool       is_beside = layout_column_is_open(view);
    const TextStyle  style = axis_style(view);
    const ValueScale scale = chart_scale(view, item);
    const double     plot_x = view->screen.geometry.plot_x, text_h = view_px(view, TEXT_H_PX);
    const double     notch = view_px(view, NOTCH_PX), gap = view_px(view, AXIS_GAP_PX);
    double           y, height, width = 0;
    char             text[COUNTER_TEXT];
    size_t           size;
    if (item->closed && !is_beside) return 0; /* the header's height is too small */
    counter_chart(view, item, y_px, &y, &height);
    const AxisTicks ticks = ticks_of(view, item, height);
    for (uint32_t i = 0; i < ticks.count; i++)
        width = fmax(width, format_value(view, item, ticks.value[i], text, &size));
    for (uint32_t i = 0; i < ticks.count; i++) {
        const double text_w = format_value(view, item, ticks.value[i], text, &size);
        const double top = y + floor(text_middle(&scale, ticks.value[i], height, text_h) - text_h / 2);
        const double at = y + fmin(counter_y(&scale, ticks.value[i], height), height - 1);
        const double x = is_beside ? plot_x - notch - gap - text_w : plot_x + gap;
        if (is_beside)
            frame_rect(frame, plot_x - notch, at, notch, 1, palette->muted);
        else
            frame_rect(frame, plot_x, top, text_w + 2 * gap, text_h,
                       colour_faded(palette->canvas, AXIS_BOX_ALPHA));
        frame_text(frame, &style, x, view_baseline(top, text_h, style.size_px), text_w + 1, text, size);
    }
    return is_beside && ticks.count > 0 ? width + notch + gap + view_px(view, BESIDE_AXIS_PX) : 0;
}

void draw_axis_lines(View *view, Frame *frame, const LayoutItem *item, double y_px)
{
    const Geometry  *g = &view->screen.geometry;
    const ValueScale scale = chart_scale(view, item);
    double           y, height;
    counter_chart(view, item, y_px, &y, &height);
    const AxisTicks ticks = ticks_of(view, item, height);
    for (uint32_t i = ticks.ends; i < ticks.count; i++)
        frame_rect(frame, g->plot_x, y + fmin(counter_y(&scale, ticks.value[i], height), height - 1),
                   g->plot_w, 1, colour_faded(colour_palette(view->screen.theme)->text, AXIS_LINE_ALPHA));
}
