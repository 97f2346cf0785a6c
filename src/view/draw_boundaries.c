/* Lines across all tracks of a trace at the begins of the slices of its dividing track: the frames of a capture. */
#include "view/data.h"
#include "view/draw.h"
#include "view/layout.h"
#include "view/runs.h"
#include "view/scene.h"

#include <math.h>

/* Narrower slices have no lines. From FAINTEST_PX to STRONGEST_PX the opacity increases. */
static const double FAINTEST_PX = 5, STRONGEST_PX = 40, STRONGEST_ALPHA = 110;

/* Finds the visible extent of the trace's tracks in the section. False if it is not visible. */
static bool extent_of_trace(const View *view, uint32_t trace, LayoutSection section, double *top,
                            double *bottom)
{
    const SectionExtent extent = layout_section_extent(view, section);
    const SeenItems     seen = layout_seen(view, section, 0);
    bool                any = false;
    for (uint32_t i = seen.first; i < seen.end; i++) {
        const LayoutItem *item = layout_item(view, i);
        double            y = layout_item_screen_y(view, i);
        if (item->kind != ITEM_TRACK || item->trace != trace) continue;
        if (!any) *top = view_px(view, y);
        *bottom = view_px(view, y + item->height);
        any = true;
    }
    if (!any) return false;
    *top = fmax(*top, extent.top);
    *bottom = fmin(*bottom, extent.bottom);
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
        const WideTracks wide = trace->wide[WIDE_BOUNDARIES];
        for (uint32_t i = 0; i < wide.count; i++) {
            const OutlineTrack *track = &trace->outline.tracks[wide.tracks[i]];
            double              top, bottom;
            if (track->row_count == 0) continue;
            runs_find_sources(view, t, track, 0);
            runs_build(view, t, 0);
            frame_layer(frame, (Rect){ g->plot_x, g->pinned_y, g->plot_w, g->height - g->pinned_y });
            if (extent_of_trace(view, t, LAYOUT_SCROLLED, &top, &bottom))
                draw_lines(view, frame, t, top, bottom);
            if (extent_of_trace(view, t, LAYOUT_PINNED, &top, &bottom))
                draw_lines(view, frame, t, top, bottom);
        }
    }
}
