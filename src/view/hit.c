#include "view/hit.h"

#include "base/checked.h"
#include "base/search.h"
#include "view/counter.h"
#include "view/data.h"
#include "view/flow_lines.h"
#include "view/layout.h"
#include "view/note_flags.h"
#include "view/row_heights.h"
#include "view/runs.h"
#include "view/scene.h"
#include "view/wide_tracks.h"

#include <assert.h>
#include <math.h>

enum { GRAB_PX = 4 };

typedef enum { PART_BAR, PART_STRIP } RowPart;

static bool place_rect(const View *view, const SlicePlace *place, RowPart part, Rect *bar)
{
    if (place->trace >= view->trace_count) return false;
    const TraceView *trace = view_trace(view, place->trace);
    uint32_t         index = view_track_index(trace, place->track);
    uint32_t item_index = index == UINT32_MAX ? UINT32_MAX : layout_track_item(view, place->trace, index);
    if (item_index == UINT32_MAX) return false;
    const LayoutItem *item = layout_item(view, item_index);
    if ((item->closed && place->row > 0) || place->row >= rows_shown(trace, index)) return false;
    uint64_t end = u64_add_saturated(place->begin, place->extent);
    double   x0 = floor(tick_scale_x(&trace->scale, place->begin)),
           x1 = floor(tick_scale_x(&trace->scale, end));
    double width = view->screen.geometry.plot_w;
    if (x0 < -16) x0 = -16;
    if (x1 > width + 16) x1 = width + 16;
    if (x0 > width + 8) x0 = width + 8;
    if (x1 < x0 + 1) x1 = x0 + 1;
    bar->x = view->screen.geometry.plot_x + x0;
    bar->w = x1 - x0;
    const RowExtent row = layout_row_extent(view, item, layout_item_screen_y(view, item_index), place->row);
    const bool      in_strip = part == PART_STRIP && row.strip_h > 0;
    if (trace->outline.tracks[index].kind == TRACK_KIND_COUNTER) {
        counter_chart(view, item, layout_item_screen_y(view, item_index), &bar->y, &bar->h);
        return true;
    }
    bar->y = in_strip ? row.strip_y : row.y;
    bar->h = in_strip ? row.strip_h : row.height;
    return true;
}

bool view_place_rect(const View *view, const SlicePlace *place, Rect *bar)
{
    return place_rect(view, place, PART_BAR, bar);
}

bool view_instant_rect(const View *view, const SlicePlace *place, Rect *mark)
{
    return place_rect(view, place, PART_STRIP, mark);
}

static void hit_marks(View *view, Hit *hit, uint32_t trace, uint32_t track, int32_t column, int32_t reach)
{
    const Mark *marks = view->picture.scratch.row->marks.items;
    size_t      count = vec_count(&view->picture.scratch.row->marks);
    int32_t     nearest = reach + 1;
    for (size_t i = 0; i < count; i++) {
        int32_t away = marks[i].x > column ? marks[i].x - column : column - marks[i].x;
        if (away >= nearest) continue;
        nearest = away;
        hit->has_mark = true;
        hit->mark = marks[i];
        hit->mark_trace = trace;
        hit->mark_track = track;
    }
}

/* Finds the run in the column, or a narrow one within `reach`. */
static void hit_runs(View *view, Hit *hit, int32_t column, int32_t reach)
{
    const Run *runs = view->picture.scratch.row->runs.items;
    size_t     count = vec_count(&view->picture.scratch.row->runs);
    size_t     low = 0;
    LOWER_BOUND(size_t, low, count, i, runs[i].x1 <= column);
    size_t found = SIZE_MAX;
    if (low < count && (runs[low].x0 <= column || runs[low].x0 - column <= reach))
        found = low;
    else if (low > 0 && column - (runs[low - 1].x1 - 1) <= reach)
        found = low - 1;
    if (found == SIZE_MAX) return;
    assert(found < count && runs[found].x0 < runs[found].x1);
    hit->has_run = true;
    hit->run = runs[found];
}

static void hit_track(View *view, Hit *hit, double y_px, int32_t column)
{
    const LayoutItem   *item = layout_item(view, hit->item);
    const TraceView    *trace = view_trace(view, item->trace);
    const OutlineTrack *track = &trace->outline.tracks[item->index];
    const double        item_y = layout_item_screen_y(view, hit->item), inside = y_px - item_y;
    const bool          is_header = item->closed && !layout_column_is_open(view);
    const uint32_t      shown = rows_shown(trace, item->index);
    hit->has_more = !item->closed && shown < track->row_count &&
                    inside >= layout_row_top(view, trace, item->index, shown);
    if ((inside < layout_rows_top(view) && !is_header) || track->row_count == 0) return;
    const uint32_t row = is_header ? 0 : layout_row_at(view, trace, item->index, inside);
    if (row >= (item->closed ? 1 : shown)) return;
    hit->has_row = true;
    hit->row = row;
    runs_find_sources(view, item->trace, track, hit->row / TILE_BAND_ROWS);
    runs_build(view, item->trace, hit->row % TILE_BAND_ROWS);
    const RowExtent extent = layout_row_extent(view, item, item_y, row);
    const bool      in_strip = y_px * view->screen.scale < extent.strip_y + extent.strip_h;
    if (extent.strip_h == 0 || in_strip)
        hit_marks(view, hit, item->trace, item->index, column, (int32_t)view_px(view, in_strip ? 5 : 3));
    if (!in_strip) hit_runs(view, hit, column, (int32_t)view_px(view, 1));
    if (!hit->has_run) return;
    SlicePlace place = { .trace = item->trace, .track = track->id, .row = hit->row };
    (void)view_place_rect(view, &place, &hit->bar);
    hit->bar.x = view->screen.geometry.plot_x + hit->run.x0;
    hit->bar.w = hit->run.x1 - hit->run.x0;
}

/* Hits a counter's chart at any point during the trace. */
static void hit_counter(View *view, Hit *hit, int32_t column)
{
    const LayoutItem *item = layout_item(view, hit->item);
    const TraceView  *trace = view_trace(view, item->trace);
    uint64_t          tick = tick_scale_offset(&trace->scale, column + 0.5);
    if (tick_scale_x(&trace->scale, 0) >= column + 1 || trace->outline.tracks[item->index].row_count == 0)
        return;
    if (tick > trace->outline.span) {
        if (tick_scale_x(&trace->scale, trace->outline.span) < column) return;
        tick = trace->outline.span;
    }
    hit->has_counter = true;
    hit->tick = tick;
    hit->column = column;
    counter_chart(view, item, layout_item_screen_y(view, hit->item), &hit->bar.y, &hit->bar.h);
    hit->bar.x = view->screen.geometry.plot_x + column;
    hit->bar.w = 1;
}

/* Hits the flags of the process under the pointer, or of the whole trace in the ruler. */
static void hit_flags(View *view, Hit *hit, uint32_t trace, WideTracks wide, int32_t column)
{
    for (uint32_t i = 0; i < wide.count; i++) {
        const OutlineTrack *track = &view_trace(view, trace)->outline.tracks[wide.tracks[i]];
        if (track->instant_count == 0) continue;
        runs_find_sources(view, trace, track, 0);
        runs_build(view, trace, 0);
        hit_marks(view, hit, trace, wide.tracks[i], column, (int32_t)view_px(view, 5));
    }
}

static Zone zone_at(const View *view, double x, double y)
{
    const Geometry *g = &view->screen.geometry;
    if (x < 0 || y < 0 || x >= g->width || y >= g->height) return ZONE_NONE;
    double grab = view_px(view, GRAB_PX);
    if (y >= g->ruler_y && fabs(x - g->plot_x) < grab) return ZONE_COLUMN_EDGE;
    if (y < g->pinned_y && x < g->plot_x) return ZONE_CORNER;
    if (y < g->minimap_h) return ZONE_MINIMAP;
    if (y < g->pinned_y) return ZONE_RULER;
    if (x >= g->plot_x + g->plot_w) return ZONE_SCROLLBAR;
    return x < g->plot_x ? ZONE_LABELS : ZONE_PLOT;
}

/* Hits an arrow. Over another item the pointer must be on the line, elsewhere near it. */
static void hit_flow(const View *view, Hit *hit, double x, double y)
{
    bool            over_something = hit->has_run || hit->has_mark || hit->has_counter;
    const FlowLine *line = flow_line_at(view, x, y, (over_something ? 1.5 : 4) * view->screen.scale);
    if (line == NULL) return;
    hit->has_run = hit->has_mark = hit->has_counter = false;
    assert(line->trace < view->trace_count);
    hit->has_flow = true;
    hit->flow = *line;
}

static void hit_item(View *view, Hit *hit, double x_px, double y_px)
{
    *hit = (Hit){ 0 };
    layout_build(view);
    runs_prepare(view);
    const Geometry *g = &view->screen.geometry;
    double          x = x_px * g->scale, y = y_px * g->scale;
    int32_t         column = (int32_t)floor(x - g->plot_x);
    hit->zone = zone_at(view, x, y);
    if (hit->zone == ZONE_RULER) {
        hit->note = note_flag_at(view, x, y);
        for (uint32_t t = 0; t < view->trace_count && y < g->strip_y; t++)
            hit_flags(view, hit, t, view_trace(view, t)->wide[WIDE_GLOBAL_INSTANTS], column);
    }
    if (hit->zone != ZONE_PLOT && hit->zone != ZONE_LABELS) return;
    const LayoutSection section = y < g->rows_y ? LAYOUT_PINNED : LAYOUT_SCROLLED;
    const SectionExtent extent = layout_section_extent(view, section);
    const double        section_y = y_px - extent.top / g->scale + extent.scroll_px;
    double              sticky_y;
    uint32_t            item = layout_find(view, section_y, section);
    uint32_t            sticky = layout_sticky_header(view, section, &sticky_y);
    if (sticky != UINT32_MAX && y_px < sticky_y + HEADER_PX) item = sticky;
    if (item >= extent.end || (item != sticky && layout_item(view, item)->y > section_y)) return;
    assert(item < view->layout.count);
    hit->has_item = true;
    hit->item = item;
    if (hit->zone != ZONE_PLOT) return;
    const LayoutItem *found = layout_item(view, item);
    if (found->kind == ITEM_TRACK) {
        bool is_counter =
            view_trace(view, found->trace)->outline.tracks[found->index].kind == TRACK_KIND_COUNTER;
        if (is_counter)
            hit_counter(view, hit, column);
        else
            hit_track(view, hit, y_px, column);
    }
    if (found->kind == ITEM_PROCESS)
        hit_flags(view, hit, found->trace,
                  wide_tracks_of_process(view_trace(view, found->trace), found->index), column);
}

void view_hit(View *view, double x_px, double y_px, Hit *hit)
{
    hit_item(view, hit, x_px, y_px);
    if (hit->zone == ZONE_PLOT) hit_flow(view, hit, x_px * view->screen.scale, y_px * view->screen.scale);
}

static uint32_t track_id(const View *view, uint32_t trace, uint32_t track)
{
    return view_trace(view, trace)->outline.tracks[track].id;
}

EventPlace view_hit_event(const View *view, const Hit *hit)
{
    assert(hit->has_flow || hit->has_mark || hit->has_run);
    if (hit->has_flow) {
        const TileFlow *flow = &hit->flow.flow;
        return (EventPlace){ flow->from.track, flow->from.row, flow->from.tick, flow->flow };
    }
    if (hit->has_mark)
        return (EventPlace){ track_id(view, hit->mark_trace, hit->mark_track), hit->row, hit->mark.tick,
                             hit->mark.instant };
    const LayoutItem *item = layout_item(view, hit->item);
    return (EventPlace){ track_id(view, item->trace, item->index), hit->row, hit->run.begin, hit->run.slice };
}

bool view_same_event(const EventPlace *a, const EventPlace *b)
{
    return a->track == b->track && a->row == b->row && a->begin == b->begin && a->id == b->id;
}

/* Returns the hover of an arrow, an instant or a slice. */
static Hover event_hover(const View *view, const Hit *hit)
{
    Hover hover = { .event = view_hit_event(view, hit), .since_ms = view->now_ms };
    if (hit->has_flow) {
        hover.has_flow = true;
        hover.trace = hit->flow.trace;
        return hover;
    }
    hover.has_slice = true;
    hover.is_mark = hit->has_mark;
    hover.trace = hit->has_mark ? hit->mark_trace : layout_item(view, hit->item)->trace;
    hover.label = hit->has_mark ? hit->mark.label : hit->run.label;
    return hover;
}

void view_hover_hit(View *view, const Hit *hit)
{
    Hover *hover = &view->input.hover;
    if (!hit->has_flow && hit->has_counter) {
        const LayoutItem *item = layout_item(view, hit->item);
        bool              stays =
            hover->has_counter && hover->counter_trace == item->trace && hover->counter == item->index;
        if (stays) return;
        *hover = (Hover){ .has_counter = true,
                          .counter_trace = item->trace,
                          .counter = item->index,
                          .since_ms = view->now_ms };
        view->picture.is_stale = true;
        return;
    }
    if (!hit->has_flow && !hit->has_mark && !hit->has_run) {
        if (hover->has_slice || hover->has_counter || hover->has_flow) view->picture.is_stale = true;
        *hover = (Hover){ 0 };
        return;
    }
    const Hover next = event_hover(view, hit);
    if (hover->has_slice == next.has_slice && hover->is_mark == next.is_mark &&
        hover->has_flow == next.has_flow && hover->trace == next.trace &&
        view_same_event(&hover->event, &next.event))
        return;
    *hover = next;
    view->picture.is_stale = true;
}
