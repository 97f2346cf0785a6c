/* The values of every chart at the pointer, beside its line: a square in the colour of each series, and the value. */
#include "view/counter.h"
#include "view/data.h"
#include "view/scene.h"

#include <math.h>
#include <stdio.h>

static const double VALUE_SIZE = 10.5, BOX_H_PX = 16, PAD_PX = 5, BESIDE_PX = 6, SQUARE_PX = 7, GAP_PX = 9;
enum { SHOWN_MAX = 4, BOX_ALPHA = 225 };

/* The texts of the first series; `more` says how many follow. */
typedef struct PointedTexts {
    uint32_t count;
    uint32_t row[SHOWN_MAX];
    char     text[SHOWN_MAX][COUNTER_TEXT];
    size_t   size[SHOWN_MAX];
    char     more[16];
} PointedTexts;

int32_t pointed_column(const View *view)
{
    const Geometry *g = &view->screen.geometry;
    const double    y = view->input.pointer.y * g->scale;
    const double    x = floor(view->input.pointer.x * g->scale - g->plot_x);
    bool            inside = view_interactive(view) && view->input.pointer.inside && y >= g->pinned_y;
    return inside && x >= 0 && x < g->plot_w ? (int32_t)x : -1;
}

static PointedTexts texts_of(const TraceView *trace, const ChartList *list, const PointedValues *values)
{
    PointedTexts texts = { 0 };
    uint32_t     known = 0;
    for (uint32_t row = 0; row < values->count; row++) {
        if (isnan(values->value[row])) continue;
        known++;
        if (texts.count == SHOWN_MAX) continue;
        texts.row[texts.count] = row;
        texts.size[texts.count] = counter_format_short(
            values->value[row], counter_unit(&trace->outline.tracks[list->series[row].track]),
            texts.text[texts.count]);
        texts.count++;
    }
    if (known > texts.count) snprintf(texts.more, sizeof texts.more, "+%u", known - texts.count);
    return texts;
}

static double width_of(const View *view, const TextStyle *style, const PointedTexts *texts)
{
    double width = texts->more[0] == 0 ? 0
                                       : view_px(view, GAP_PX) + text_width(style->face, style->size_px,
                                                                            texts->more, strlen(texts->more));
    for (uint32_t i = 0; i < texts->count; i++)
        width += text_width(style->face, style->size_px, texts->text[i], texts->size[i]) +
                 view_px(view, SQUARE_PX + PAD_PX) + (i > 0 ? view_px(view, GAP_PX) : 0);
    return ceil(width) + 2 * view_px(view, PAD_PX);
}

void draw_pointed(const View *view, Frame *frame, const LayoutItem *item, const ChartList *list,
                  const PointedValues *values, const SeriesColours *colours)
{
    const Hover    *hover = &view->input.hover;
    const Palette  *palette = colour_palette(view->screen.theme);
    const Geometry *g = &view->screen.geometry;
    PointedTexts    texts = texts_of(view_trace(view, item->trace), list, values);
    bool            is_hovered =
        hover->has_counter && hover->counter_trace == item->trace && hover->counter == item->index;
    if (is_hovered || texts.count == 0)
        return; /* the tooltip has the values of the chart under the pointer */
    TextStyle style = { FONT_REGULAR, VALUE_SIZE * view->screen.scale, palette->text };
    double    width = width_of(view, &style, &texts), height = view_px(view, BOX_H_PX);
    if (height > values->chart.h) return;
    double x = g->plot_x + values->column + view_px(view, BESIDE_PX);
    if (x + width > g->plot_x + g->plot_w) x = g->plot_x + values->column - view_px(view, BESIDE_PX) - width;
    double y = values->chart.y + floor((values->chart.h - height) / 2);
    frame_rect(frame, x, y, width, height, colour_faded(palette->panel, BOX_ALPHA));
    double square = view_px(view, SQUARE_PX), baseline = view_baseline(y, height, style.size_px);
    x += view_px(view, PAD_PX);
    for (uint32_t i = 0; i < texts.count; i++) {
        NameColour look = chart_series_look(view, colours, texts.row[i]);
        frame_mark(frame, DRAW_RECT, (Rect){ floor(x), y + floor((height - square) / 2), square, square },
                   look.fill, look.edge, 1);
        x += view_px(view, SQUARE_PX + PAD_PX);
        frame_text(frame, &style, x, baseline, width, texts.text[i], texts.size[i]);
        x += text_width(style.face, style.size_px, texts.text[i], texts.size[i]) + view_px(view, GAP_PX);
    }
    if (texts.more[0] != 0) frame_text(frame, &style, x, baseline, width, texts.more, strlen(texts.more));
}
