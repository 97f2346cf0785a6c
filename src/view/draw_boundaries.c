/* Lines across all tracks of a trace at the begins of the slices of its dividing track: the frames of a capture. */
#include "view/data.h"
#include "view/draw.h"
#include "view/layout.h"
#include "view/runs.h"
#include "view/scene.h"
#include "view/wide_tracks.h"

/* Narrower slices have no lines. From FAINTEST_PX to STRONGEST_PX the opacity increases. */
static const double FAINTEST_PX = 5, STRONGEST_PX = 40, STRONGEST_ALPHA = 110;

/* Finds the visible extent of the trace's tracks in the section. False if it is not visible. */
static bool extent_of_trace(const View *view, uint32_t trace, bool pinned, double *top, double *bottom)
{
    const Geometry *g = &view->screen.geometry;
    double          section = pinned ? g->pinned_y : g->rows_y;
    double          section_end = section + (pinned ? g->pinned_h : g->rows_h);
    uint32_t        end = pinned ? view->layout.pinned : view->layout.count;
    bool            any = false;
    for (uint32_t i = layout_find(view, pinned ? 0 : view->position.scroll_px,
                                  pinned ? LAYOUT_PINNED : LAYOUT_SCROLLED);
         i < end; i++) {
        const LayoutItem *item = layout_item(view, i);
        double            y = layout_item_screen_y(view, i);
        if (y * g->scale >= section_end) break;
        if (item->kind != ITEM_TRACK || item->trace != trace) continue;
        if (!any) *top = view_px(view, y);
        *bottom = view_px(view, y + item->height);
        any = true;
    }
    if (!any) return false;
    if (*top < section) *top = section;
    if (*bottom > section_end) *bottom = section_end;
    return true;
}

static void draw_lines(View *view, Frame *frame, uint32_t trace, double top, double bottom)
{
    const Geometry *g = &view->screen.geometry;
    const Run      *runs = view->picture.scratch.row->runs.items;
    size_t          count = vec_count(&view->picture.scratch.row->runs);
    double          px_per_tick = view_trace(view, trace)->scale.px_per_tick / view->screen.scale;
    for (size_t i = 0; i < count; i++) {
        double wide = (double)runs[i].extent * px_per_tick;
        if (runs[i].count > 1 || wide < FAINTEST_PX) continue;
        if (tick_scale_x(&view_trace(view, trace)->scale, runs[i].begin) < 0) continue;
        double strength = wide < STRONGEST_PX ? wide / STRONGEST_PX : 1;
        frame_rect(
            frame, g->plot_x + runs[i].x0, top, 1, bottom - top,
            colour_faded(colour_palette(view->screen.theme)->text, (uint32_t)(strength * STRONGEST_ALPHA)));
    }
}

void draw_boundaries(View *view, Frame *frame)
{
    const Geometry *g = &view->screen.geometry;
    for (uint32_t t = 0; t < view->trace_count; t++) {
        const TraceView *trace = view_trace(view, t);
        const Outline   *outline = &trace->outline;
        for (uint32_t i = wide_track_next(trace, WIDE_BOUNDARIES, 0, outline->track_count); i != UINT32_MAX;
             i = wide_track_next(trace, WIDE_BOUNDARIES, i + 1, outline->track_count)) {
            double top, bottom;
            if (outline->tracks[i].row_count == 0) continue;
            runs_find_sources(view, t, &outline->tracks[i], 0);
            runs_build(view, t, 0);
            frame_layer(frame, (Rect){ g->plot_x, g->pinned_y, g->plot_w, g->height - g->pinned_y });
            if (extent_of_trace(view, t, false, &top, &bottom)) draw_lines(view, frame, t, top, bottom);
            if (view->layout.pinned > 0 && extent_of_trace(view, t, true, &top, &bottom))
                draw_lines(view, frame, t, top, bottom);
        }
    }
}
