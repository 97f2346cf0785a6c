#include "view/colour_mode.h"
#include "view/data.h"
#include "view/draw.h"
#include "view/layout.h"
#include "view/moments.h"
#include "view/note_flags.h"
#include "view/scene.h"
#include "view/words.h"

#include <math.h>
#include <stdio.h>

/* Returns the x of an axis position when the plot shows all of the axis. */
static double minimap_x(const View *view, double axis)
{
    double extent = view->extent == 0 ? 1 : (double)view->extent;
    return view->screen.geometry.plot_x + axis / extent * view->screen.geometry.plot_w;
}

/* Draws a trace's overview in [y, y + h). A column shows its busiest bucket. */
static void draw_overview(View *view, Frame *frame, uint32_t trace_index, double y, double h)
{
    TraceView *trace = view_trace(view, trace_index);
    double     begin = (double)trace->map.begin;
    double     length = (double)trace->overview.span / ((double)trace->map.num / (double)trace->map.den);
    const OverviewBucket *overview = trace->overview.buckets.items;
    double                left = minimap_x(view, begin), right = minimap_x(view, begin + length);
    if (right < left + 1) right = left + 1;
    uint32_t count = (uint32_t)vec_count(&trace->overview.buckets);
    Rect     bar = { 0 }; /* equal columns so far */
    uint32_t fill = 0;
    /* The overview has the dominant label of a bucket, but not its track. */
    const unsigned colours = colour_mode_of(view);
    const bool     is_by_label = colours == 0 || colours == VIEW_BY_CATEGORY || colours == VIEW_BY_FILE;
    for (double x = floor(left); x < right; x++) {
        double   from = (x - left) / (right - left) * count, to = (x + 1 - left) / (right - left) * count;
        uint32_t first = from > 0 ? (uint32_t)from : 0, end = to > 0 ? (uint32_t)ceil(to) : 1;
        uint32_t busiest = first;
        if (first >= count) break;
        for (uint32_t i = first; i < end && i < count; i++)
            if (overview[i].busy > overview[busiest].busy) busiest = i;
        const OverviewBucket *bucket = &overview[busiest];
        double                part = ceil(h * bucket->busy / 65535);
        uint32_t              colour = is_by_label ? view_label_look(view, trace_index, bucket->label).fill
                                                   : colour_palette(view->screen.theme)->muted;
        if (part != bar.h || colour != fill) {
            frame_rect(frame, bar.x, bar.y, bar.w, bar.h, fill);
            bar = (Rect){ x, y + h - part, 0, part };
            fill = colour;
        }
        bar.w++;
    }
    frame_rect(frame, bar.x, bar.y, bar.w, bar.h, fill);
}

static void draw_window(View *view, Frame *frame, double top, double bottom)
{
    const Palette  *palette = colour_palette(view->screen.theme);
    const Geometry *g = &view->screen.geometry;
    Rect            window = view_minimap_window(view);
    uint32_t        veil = colour_faded(palette->canvas, 166);
    double          end = g->plot_x + g->plot_w;
    frame_rect(frame, g->plot_x, top, window.x - g->plot_x, bottom - top, veil);
    frame_rect(frame, window.x + window.w, top, end - window.x - window.w, bottom - top, veil);
    frame_box(frame, (Rect){ window.x, top, window.w, bottom - top },
              &(DrawShape){ .edge = palette->accent, .edge_px = (float)view_px(view, 1) });
    double grip_w = view_px(view, 3), grip_h = view_px(view, 14), middle = floor((top + bottom - grip_h) / 2);
    if (!view_interactive(view)) return;
    for (int side = 0; side < 2; side++) {
        double x = side == 0 ? window.x - floor(grip_w / 2) : window.x + window.w - ceil(grip_w / 2);
        frame_box(frame, (Rect){ x, middle, grip_w, grip_h },
                  &(DrawShape){ .fill = palette->accent, .radius = (float)(grip_w / 2) });
    }
}

/* Returns the visible range on the minimap, at least 3 pixels wide. */
Rect view_minimap_window(const View *view)
{
    const Geometry *g = &view->screen.geometry;
    CameraPos       pos = camera_now(&view->position.camera);
    double          begin = (double)pos.tick + pos.frac;
    double          x0 = floor(minimap_x(view, begin));
    double          x1 = ceil(minimap_x(view, begin + view->position.camera.width_px / pos.px_per_tick)),
           end = g->plot_x + g->plot_w;
    double least = view_px(view, 3);
    if (x0 < g->plot_x) x0 = g->plot_x;
    if (x1 > end) x1 = end;
    if (x0 > end - least) x0 = end - least;
    if (x1 < x0 + least) x1 = x0 + least;
    return (Rect){ x0, 0, x1 - x0, g->minimap_h };
}

static void draw_name(View *view, Frame *frame)
{
    const Palette  *palette = colour_palette(view->screen.theme);
    const Geometry *g = &view->screen.geometry;
    const Outline  *outline = &view_trace(view, 0)->outline;
    double          x = view_px(view, 8), room = g->plot_x - 2 * x;
    TextStyle       style = { FONT_MEDIUM, 12 * view->screen.scale, palette->text };
    double          half = floor(g->minimap_h / 2);
    char            text[WORD_TEXT], length[TIME_TEXT];
    if (view->trace_count > 1) {
        size_t size = word_format(WORD_TRACES, view->trace_count, "", text);
        frame_text(frame, &style, x, view_baseline(view_px(view, 3), half, style.size_px), room, text, size);
    } else {
        frame_text_cut(frame, &style, x, view_baseline(view_px(view, 3), half, style.size_px), room,
                       outline->name.bytes, outline->name.size);
    }
    TimeUnits units = view_time_units(view);
    (void)time_format_length(&units, (double)view->extent, length);
    const size_t size = word_format(WORD_IN_ALL, 0, length, text);
    style = (TextStyle){ FONT_REGULAR, 10.5 * view->screen.scale, palette->muted };
    frame_text_cut(frame, &style, x, view_baseline(half - view_px(view, 2), half, style.size_px), room, text,
                   size);
}

void draw_minimap(View *view, Frame *frame)
{
    const Palette  *palette = colour_palette(view->screen.theme);
    const Geometry *g = &view->screen.geometry;
    frame_layer(frame, (Rect){ 0, 0, g->width, g->minimap_h });
    frame_rect(frame, 0, 0, g->width, g->minimap_h, palette->panel);
    frame_rect(frame, g->plot_x, 0, g->plot_w, g->minimap_h, palette->canvas);
    frame_rect(frame, 0, g->minimap_h - 1, g->width, 1, palette->rule);
    if (layout_column_is_open(view)) frame_rect(frame, g->plot_x - 1, 0, 1, g->minimap_h, palette->rule);
    if (view->trace_count == 0) return;
    double top = view_px(view, 3), bottom = g->minimap_h - 1, h = bottom - top;
    frame_layer(frame, (Rect){ g->plot_x, 0, g->plot_w, g->minimap_h });
    uint32_t shown = view->trace_count < 4 ? view->trace_count : 4; /* more would be too thin */
    for (uint32_t t = 0; t < shown; t++) {
        double y = top + floor(h * t / shown), end = top + floor(h * (t + 1) / shown);
        draw_overview(view, frame, t, y, end - y - (t + 1 < shown ? 1 : 0));
    }
    draw_moments_in_minimap(view, frame);
    draw_window(view, frame, 0, bottom);
    draw_note_minimap(view, frame);
    if (!layout_column_is_open(view)) return;
    frame_layer(frame, (Rect){ 0, 0, g->plot_x - 1, g->minimap_h });
    draw_name(view, frame);
}
