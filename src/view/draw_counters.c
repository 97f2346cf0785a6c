/* Counters as step charts. A column has one bright part: the value's edge, or the range of the samples that share the
 * column, so that a peak is visible at every zoom. A faint part fills from there to 0. */
#include "view/counter.h"
#include "view/data.h"
#include "view/draw.h"
#include "view/runs.h"

#include <math.h>

enum { ALPHA_ALONE = 140, ALPHA_OVERLAID = 90, ALPHA_STACKED = 190 };
typedef struct Chart {
    const OutlineTrack *track; /* the counter being drawn */
    uint32_t            first; /* its first series, in the list of the chart */
    ChartList           list;
    uint32_t            trace;
    ValueScale          scale;
    double         x, y, height, zero; /* device pixels; zero: the position of value 0 from the chart's top */
    int32_t        width;
    SeriesColours  colours;
    PointedValues *pointed; /* filled while the series are drawn; NULL: the pointer is elsewhere */
} Chart;

/* Adjacent equal columns are one rectangle. */
typedef struct Stripe {
    int32_t  x0, x1;
    double   top, bottom; /* from the chart's top */
    uint32_t fill;
} Stripe;

static void end_stripe(Frame *frame, const Chart *chart, Stripe *stripe)
{
    if (stripe->x1 > stripe->x0 && stripe->bottom > stripe->top)
        frame_rect(frame, chart->x + stripe->x0, chart->y + stripe->top, stripe->x1 - stripe->x0,
                   stripe->bottom - stripe->top, stripe->fill);
    *stripe = (Stripe){ .fill = stripe->fill };
}

static void add_column(Frame *frame, const Chart *chart, Stripe *stripe, int32_t x, double top, double bottom)
{
    if (x != stripe->x1 || top != stripe->top || bottom != stripe->bottom) {
        end_stripe(frame, chart, stripe);
        stripe->x0 = x;
        stripe->top = top;
        stripe->bottom = bottom;
    }
    stripe->x1 = x + 1;
}

typedef struct SeriesPen {
    Stripe faint, bright;
} SeriesPen;

static SeriesPen series_pen(const View *view, const Chart *chart, uint32_t row)
{
    NameColour look = chart_series_look(view, &chart->colours, chart->first + row);
    uint32_t   alpha = ALPHA_OVERLAID;
    if (chart->list.counters == 1 && chart->track->is_stacked) alpha = ALPHA_STACKED;
    if (chart->list.total == 1) alpha = ALPHA_ALONE;
    SeriesPen pen = { { .fill = colour_faded(look.fill, alpha) },
                      { .fill = view->screen.theme == THEME_DARK ? look.hover : look.edge } };
    return pen;
}

static void end_pen(Frame *frame, const Chart *chart, SeriesPen *pen)
{
    end_stripe(frame, chart, &pen->faint);
    end_stripe(frame, chart, &pen->bright);
}

/* True if no earlier series has a hue within `apart` of this one. */
static bool is_free(const SeriesColours *colours, uint32_t series, uint32_t colour, uint32_t apart)
{
    for (uint32_t i = 0; i < series; i++) {
        uint32_t away =
            (colour / COLOUR_STEPS + COLOUR_HUES - colours->chosen[i] / COLOUR_STEPS) % COLOUR_HUES;
        if (away <= apart || COLOUR_HUES - away <= apart) return false;
    }
    return true;
}

/* Returns the colour that the trace chooses. Chrome uses it for all series of the event that makes a counter. Here only
 * the first one gets it, so that the series differ. */
static uint32_t custom_colour(const TraceView *trace, const ChartList *list, const SeriesColours *colours,
                              uint32_t series)
{
    const ChartSeries it = list->series[series];
    uint32_t          colour = trace->outline.rows[trace->outline.tracks[it.track].first_row + it.row].colour;
    for (uint32_t i = 0; i < series; i++)
        if (colours->custom[i] == colour) return 0;
    return colour;
}

/* Chooses the colours of the series: that of the name; or the next free one if an earlier series has the hue ("core 1"
 * after "core 0"), or a close one while there are few. */
void chart_choose_colours(const TraceView *trace, const ChartList *list, SeriesColours *colours)
{
    enum { STEP = 7 * COLOUR_STEPS, FEW = 4 }; /* 7 and 24 have no common divisor: all hues are tried */
    for (uint32_t series = 0; series < list->count; series++) {
        StringView name = chart_series_name(trace, list, series);
        uint32_t   colour = colour_of_name(name.bytes, name.size);
        for (int i = 0; i < COLOUR_HUES && !is_free(colours, series, colour, series < FEW ? 2 : 0); i++)
            colour = (colour + STEP) % COLOUR_COUNT;
        colours->chosen[series] = (uint8_t)colour;
        colours->custom[series] = custom_colour(trace, list, colours, series);
    }
}

NameColour chart_series_look(const View *view, const SeriesColours *colours, uint32_t series)
{
    uint32_t custom = colours->custom[series % CHART_SERIES];
    return custom != 0 ? colour_custom(view->screen.theme, custom)
                       : colour_look(view->screen.theme, colours->chosen[series % CHART_SERIES]);
}

static double chart_y(const Chart *chart, double value)
{
    return counter_y(&chart->scale, value, chart->height);
}

/* Returns the columns of a row. Rows must be taken in order, because the tiles change with the band. */
static const ValueColumn *row_columns(View *view, const Chart *chart, uint32_t row)
{
    if (row % TILE_BAND_ROWS == 0) runs_find_sources(view, chart->trace, chart->track, row / TILE_BAND_ROWS);
    const ValueColumn *columns = counter_columns(view, chart->trace, chart->track, row % TILE_BAND_ROWS);
    const uint32_t     series = chart->first + row;
    if (columns != NULL && chart->pointed != NULL && series < CHART_SERIES) {
        while (chart->pointed->count < series) /* without memory a series before has no value */
            chart->pointed->value[chart->pointed->count++] = NAN;
        chart->pointed->value[series] = columns[chart->pointed->column].last;
        chart->pointed->count = series + 1;
    }
    return columns;
}

/* Returns a line of one pixel on the value's side of 0, if there is room. */
static void line_at(const Chart *chart, double value, double *top, double *bottom)
{
    double y = chart_y(chart, value);
    if (value < 0 ? y - 1 >= 0 : y + 1 > chart->height) y -= 1;
    *top = y;
    *bottom = y + 1;
}

static void add_overlaid(Frame *frame, const Chart *chart, SeriesPen *pen, int32_t x,
                         const ValueColumn *column)
{
    double top, bottom, value = column->last;
    bool   reaches_out = column->least < value || column->greatest > value;
    if (isnan(value) || reaches_out) {
        if (isnan(column->least)) return;
        top = chart_y(chart, column->greatest);
        bottom = chart_y(chart, column->least);
        if (bottom <= top) line_at(chart, column->greatest, &top, &bottom);
    } else {
        line_at(chart, value, &top, &bottom);
    }
    add_column(frame, chart, &pen->bright, x, top, bottom);
    if (value > 0 && bottom < chart->zero) add_column(frame, chart, &pen->faint, x, bottom, chart->zero);
    if (value < 0 && top > chart->zero) add_column(frame, chart, &pen->faint, x, chart->zero, top);
}

static void draw_overlaid(View *view, Frame *frame, const Chart *chart)
{
    for (uint32_t row = 0; row < chart->track->row_count; row++) {
        const ValueColumn *columns = row_columns(view, chart, row);
        SeriesPen          pen = series_pen(view, chart, row);
        for (int32_t x = 0; columns != NULL && x < chart->width; x++)
            add_overlaid(frame, chart, &pen, x, &columns[x]);
        end_pen(frame, chart, &pen);
    }
}

/* ---- stacked ---- */

static double known(double value)
{
    return isnan(value) ? 0 : value;
}

/* Returns the difference of a column's greatest value and the value its layer shows. */
static double excess(const ValueColumn *column)
{
    double more = known(column->greatest) - known(column->last);
    return more > 0 ? more : 0;
}

/* Draws a layer from `base` to `base` + value. The part below the column's least value is faint, the rest bright. */
static void add_layer(Frame *frame, const Chart *chart, SeriesPen *pen, int32_t x, double base,
                      const ValueColumn *column)
{
    double value = known(column->last), least = column->least < value ? column->least : value;
    double top = chart_y(chart, base + value), bottom = chart_y(chart, base);
    double edge = chart_y(chart, base + least);
    if (bottom <= top) return;
    if (edge <= top) edge = bottom - top >= 2 ? top + 1 : bottom;
    add_column(frame, chart, &pen->bright, x, top, edge);
    if (edge < bottom) add_column(frame, chart, &pen->faint, x, edge, bottom);
}

/* Draws the layers. totals[x] becomes their sum, NaN without any value. True if a series was greater within a column
 * than at its end. */
static bool draw_layers(View *view, Frame *frame, const Chart *chart, double *totals)
{
    bool any_excess = false;
    for (int32_t x = 0; x < chart->width; x++)
        totals[x] = NAN;
    for (uint32_t row = 0; row < chart->track->row_count; row++) {
        const ValueColumn *columns = row_columns(view, chart, row);
        SeriesPen          pen = series_pen(view, chart, row);
        for (int32_t x = 0; columns != NULL && x < chart->width; x++) {
            const ValueColumn *column = &columns[x];
            if (isnan(column->last) && isnan(column->least)) continue;
            double base = known(totals[x]);
            add_layer(frame, chart, &pen, x, base, column);
            any_excess |= excess(column) > 0;
            totals[x] = base + known(column->last);
        }
        end_pen(frame, chart, &pen);
    }
    return any_excess;
}

/* Draws the excesses of the series over the layers, at most up to the counter's greatest value. */
static void draw_excess(View *view, Frame *frame, const Chart *chart, double *tops)
{
    for (uint32_t row = 0; row < chart->track->row_count; row++) {
        const ValueColumn *columns = row_columns(view, chart, row);
        SeriesPen          pen = series_pen(view, chart, row);
        for (int32_t x = 0; columns != NULL && x < chart->width; x++) {
            double more = excess(&columns[x]);
            if (!(more > 0)) continue;
            double base = known(tops[x]);
            double top = chart_y(chart, base + more), bottom = chart_y(chart, base);
            if (bottom <= top && base == 0) line_at(chart, more, &top, &bottom);
            if (bottom > top) add_column(frame, chart, &pen.bright, x, top, bottom);
            tops[x] = base + more;
        }
        end_pen(frame, chart, &pen);
    }
}

/* Draws a stack lower than a pixel as a line, to distinguish a value of 0 from a gap. */
static void draw_ground(View *view, Frame *frame, const Chart *chart, const double *totals)
{
    SeriesPen pen = series_pen(view, chart, 0);
    double    top, bottom;
    line_at(chart, 0, &top, &bottom);
    for (int32_t x = 0; x < chart->width; x++)
        if (!isnan(totals[x]) && chart_y(chart, totals[x]) >= chart->zero)
            add_column(frame, chart, &pen.bright, x, top, bottom);
    end_pen(frame, chart, &pen);
}

static void draw_stacked(View *view, Frame *frame, const Chart *chart)
{
    vec_clear(&view->picture.scratch.totals);
    double *at = vec_reserve(&view->picture.scratch.totals, (size_t)chart->width);
    if (at == NULL) return;
    bool any_excess = draw_layers(view, frame, chart, at);
    draw_ground(view, frame, chart, at);
    if (any_excess) draw_excess(view, frame, chart, at);
}

void draw_counter(View *view, Frame *frame, const LayoutItem *item, double y_px)
{
    const TraceView *trace = view_trace(view, item->trace);
    PointedValues    pointed = { .column = pointed_column(view) };
    Chart            chart = { .trace = item->trace,
                               .list = chart_list(trace, item->index),
                               .x = view->screen.geometry.plot_x,
                               .width = view->screen.geometry.plot_w,
                               .pointed = pointed.column < 0 ? NULL : &pointed };
    if (chart.list.total == 0) return;
    counter_chart(view, item, y_px, &chart.y, &chart.height);
    chart.scale = chart_scale(view, item);
    chart.zero = chart_y(&chart, 0);
    chart_choose_colours(trace, &chart.list, &chart.colours);
    draw_axis_lines(view, frame, item, y_px);
    if (chart.scale.least < 0)
        frame_rect(frame, chart.x, chart.y + chart.zero, chart.width, 1,
                   colour_palette(view->screen.theme)->rule_faint);
    for (uint32_t i = item->index; i != UINT32_MAX; i = trace->chart_next[i]) {
        if (i != item->index && !chart_has(trace, i)) continue;
        chart.track = &trace->outline.tracks[i];
        if (chart.track->is_stacked)
            draw_stacked(view, frame, &chart);
        else
            draw_overlaid(view, frame, &chart);
        chart.first += chart.track->row_count;
    }
    pointed.chart = (Rect){ chart.x, chart.y, chart.width, chart.height };
    if (chart.pointed != NULL) draw_pointed(view, frame, item, &chart.list, &pointed, &chart.colours);
}
