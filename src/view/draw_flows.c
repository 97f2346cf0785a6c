/* Arrows between slices: always those of the selected slice, the others if they are distinguishable.
 *
 * A tile has the arrows of its ends (trace/wire/tile.h). A row brings the arrows that begin in it, the arrows that end in it
 * and begin outside the visible rows, and the arrows that pass over the whole visible range. Nearby rows count as well.
 * Too many arrows are joined: arrows between the same rows with close ends share a thicker line. The limit for *close*
 * grows until few lines are left. A note shows the number of arrows. */
#include "base/digits.h"
#include "view/data.h"
#include "view/draw.h"
#include "view/flow_lines.h"
#include "view/layout.h"
#include "view/row_heights.h"
#include "view/runs.h"
#include "view/scene.h"
#include "view/words.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FEW_FLOWS = 150, MOST_CURVES = 400, MOST_COUNTS = 40, MOST_COLLECTED = 1 << 15 };
static const double CURVE_PX = 1.25, SELECTED_PX = 1.75, HEAD_PX = 6, DOT_PX = 4, BEND_MIN_PX = 14,
                    BEND_MAX_PX = 80, NEAR_BY_PX = 1500;
static const double NOTE_SIZE = 11, COUNT_SIZE = 10;

/* Limit on the distance from the screen in device pixels. Rows farther away are drawn at this distance: the visible
 * slope of a curve is then the same to a hundredth of a pixel, and its ends fit a 32-bit float. */
static const double FAR_Y_PX = 500000;

/* As fmin and fmax, without a call: an arrow needs a dozen. */
static inline double lesser(double a, double b)
{
    return a < b ? a : b;
}

static inline double greater(double a, double b)
{
    return a > b ? a : b;
}

static inline double clamp_px(double px, double far)
{
    return greater(lesser(px, far), -far);
}

/* The y of a row at which arrows begin or end, in device pixels. */
typedef struct RowMiddle {
    uint32_t trace, track, row; /* track: an id, 0 = an empty place */
    bool     is_there;
    double   y;
} RowMiddle;

/* The rows of a frame: many arrows begin and end in a few rows. A row replaces another one at its place. */
enum { MIDDLES = 256 };
typedef struct RowMiddles {
    RowMiddle places[MIDDLES];
} RowMiddles;

/* Sets the middle of a row, or of the collapsed group that contains its track, in device pixels. False if the track is not
 * in the layout. */
static bool find_middle(const View *view, uint32_t trace_index, uint32_t track, uint32_t row, double *y)
{
    const TraceView *trace = view_trace(view, trace_index);
    uint32_t         index = view_track_index(trace, track);
    if (index == UINT32_MAX) return false;
    uint32_t item_index = layout_track_item(view, trace_index, index);
    double   middle = HEADER_PX / 2;
    if (item_index == UINT32_MAX) {
        item_index = layout_header_item(view, trace_index, index);
        if (item_index == UINT32_MAX || !layout_item(view, item_index)->closed) return false;
    } else if (!layout_item(view, item_index)->closed || layout_column_is_open(view)) {
        if (layout_item(view, item_index)->closed) row = 0;
        if (row >= trace->outline.tracks[index].row_count) return false;
        if (row >= rows_shown(trace, index)) { /* to the line below the shown rows */
            middle = layout_row_top(view, trace, index, rows_shown(trace, index)) + MORE_ROWS_PX / 2;
        } else {
            middle = layout_row_top(view, trace, index, row) + layout_strip(view, trace, index, row) +
                     layout_row_height(view, trace, index) / 2;
        }
    }
    *y = clamp_px(view_px(view, layout_item_screen_y(view, item_index) + middle), FAR_Y_PX);
    return true;
}

/* Sets the y of one end of an arrow, in device pixels. False if its track is not in the layout. */
static bool end_y(const View *view, RowMiddles *middles, uint32_t trace_index, const TileFlowEnd *end,
                  double *y)
{
    RowMiddle *place = &middles->places[(end->track * 31 + end->row) % MIDDLES];
    if (place->track != end->track || place->row != end->row || place->trace != trace_index ||
        end->track == 0) {
        *place = (RowMiddle){ .trace = trace_index, .track = end->track, .row = end->row };
        place->is_there = find_middle(view, trace_index, end->track, end->row, &place->y);
    }
    *y = place->y;
    return place->is_there;
}

/* Returns the x of a tick, in device pixels. */
static double tick_x(const View *view, const TickScale *scale, uint64_t tick)
{
    /* several widths off the screen: the slope looks the same */
    const double  far_px = view->screen.geometry.plot_w * 4.0;
    const double  px = clamp_px(tick_scale_x(scale, tick), far_px);
    const int32_t whole = (int32_t)px; /* floor without a call: px fits */
    return view->screen.geometry.plot_x + whole - (whole > px);
}

/* The time range of the tiles and the rows from which arrows are collected. */
typedef struct Gathered {
    uint64_t   begin, end;  /* ticks of the trace */
    double     top, bottom; /* device pixels */
    RowMiddles middles;
} Gathered;

static bool is_in_time(const Gathered *from, uint64_t tick)
{
    return tick >= from->begin && tick < from->end;
}

static bool is_in_rows(const Gathered *from, double y)
{
    return y >= from->top && y < from->bottom;
}

/* True if a part of the line may be visible. */
static bool crosses_plot(const View *view, const FlowLine *line)
{
    const Geometry *g = &view->screen.geometry;
    double          bend = view_px(view, BEND_MAX_PX);
    return greater(line->x0, line->x1) + bend >= g->plot_x &&
           lesser(line->x0, line->x1) - bend < g->plot_x + g->plot_w &&
           greater(line->y0, line->y1) >= g->pinned_y && lesser(line->y0, line->y1) < g->rows_y + g->rows_h;
}

/* Sets the line of an arrow. False if one of its tracks is not in the layout. */
static bool place_line(const View *view, RowMiddles *middles, uint32_t trace, const TileFlow *flow,
                       FlowLine *line)
{
    const TickScale *scale = &view_trace(view, trace)->scale;
    line->x0 = tick_x(view, scale, flow->from.tick);
    line->x1 = tick_x(view, scale, flow->to.tick);
    line->count = flow->count;
    line->trace = trace;
    line->flow = *flow;
    return end_y(view, middles, trace, &flow->from, &line->y0) &&
           end_y(view, middles, trace, &flow->to, &line->y1);
}

/* Adds an arrow once: from the row and window of its begin; else of its end; else from the row that it leaves; else
 * from the row that it enters. */
static void add_line(View *view, uint32_t trace, const TileFlow *flow, Gathered *from)
{
    FlowLine line;
    bool     is_in = (flow->flags & TILE_FLOW_IN) != 0;
    if (!place_line(view, &from->middles, trace, flow, &line)) return;
    if (flow->flags & TILE_FLOW_OVER) {
        if (is_in_time(from, flow->from.tick) || is_in_time(from, flow->to.tick)) return;
        if (is_in && is_in_rows(from, line.y0)) return;
    } else if (is_in && is_in_time(from, flow->from.tick) && is_in_rows(from, line.y0)) {
        return;
    }
    if (crosses_plot(view, &line) && vec_count(&view->picture.scratch.flows) < MOST_COLLECTED)
        vec_push(&view->picture.scratch.flows, line);
}

/* ---- collecting ---- */

/* Adds the arrows of the current tile sources in their ranges. Arrows over the whole range come from the first
 * source. */
static void add_sources(View *view, uint32_t trace, Gathered *from)
{
    const TileSource *sources = view->picture.scratch.sources.items;
    size_t            count = vec_count(&view->picture.scratch.sources);
    if (count == 0) return;
    assert(sources[0].begin <= sources[count - 1].end);
    from->begin = sources[0].begin;
    from->end = sources[count - 1].end;
    for (size_t i = 0; i < count; i++) {
        for (uint32_t f = 0; f < sources[i].tile.flow_count; f++) {
            TileFlow flow = tile_flow(&sources[i].tile, f);
            uint64_t tick = flow.flags & TILE_FLOW_IN ? flow.to.tick : flow.from.tick;
            bool     is_over = (flow.flags & TILE_FLOW_OVER) != 0;
            view->picture.entries_drawn++;
            if (is_over ? i == 0 : tick >= sources[i].begin && tick < sources[i].end)
                add_line(view, trace, &flow, from);
        }
    }
}

static void add_track(View *view, const LayoutItem *item, double y_px, Gathered *from)
{
    const TraceView    *trace = view_trace(view, item->trace);
    const OutlineTrack *track = &trace->outline.tracks[item->index];
    assert(item->kind == ITEM_TRACK);
    const double above = from->top / view->screen.scale - y_px,
                 below = from->bottom / view->screen.scale - y_px;
    uint32_t bands = (track->row_count + TILE_BAND_ROWS - 1) / TILE_BAND_ROWS;
    uint32_t first = layout_row_at(view, trace, item->index, above) / TILE_BAND_ROWS;
    uint32_t last = layout_row_at(view, trace, item->index, below);
    if (item->closed && bands > 1) bands = 1;
    for (uint32_t band = first; band < bands && band * TILE_BAND_ROWS <= last; band++) {
        runs_find_sources(view, item->trace, track, band | TILE_FLOWS);
        add_sources(view, item->trace, from);
    }
}

/* Adds the arrows of a section, including those of nearby rows, which may pass over the visible ones. */
static void add_section(View *view, LayoutSection section)
{
    const double    margin_px = section == LAYOUT_PINNED ? 0 : NEAR_BY_PX, margin = view_px(view, margin_px);
    const SeenItems near = layout_seen(view, section, margin_px);
    Gathered        from = { .top = view->screen.geometry.pinned_y - margin,
                             .bottom = layout_section_extent(view, section).bottom + margin };
    for (uint32_t i = near.first; i < near.end; i++) {
        const LayoutItem *item = layout_item(view, i);
        const Outline    *outline = &view_trace(view, item->trace)->outline;
        if (item->kind != ITEM_TRACK || outline->flow_count == 0) continue;
        if (outline->tracks[item->index].kind != TRACK_KIND_COUNTER)
            add_track(view, item, layout_item_screen_y(view, i), &from);
    }
}

static void add_selected(View *view)
{
    const SlicePlace *place = &view->selection.slice;
    RowMiddles        middles = { 0 };
    Tile              tile;
    if (!view->selection.has_slice || view_trace(view, place->trace)->outline.flow_count == 0) return;
    TileKey key = { place->track, TILE_SLICE_FLOWS, 0, place->slice, view_trace(view, place->trace)->filter };
    bool    is_there = view_find_tile(view, place->trace, key, &tile);
    tile_cache_want(view->tiles, place->trace, key);
    if (!is_there) return;
    for (uint32_t i = 0; i < tile.flow_count; i++) {
        TileFlow flow = tile_flow(&tile, i);
        FlowLine line;
        if (place_line(view, &middles, place->trace, &flow, &line))
            vec_push(&view->picture.scratch.flows, line);
    }
}

static FlowLine *lines_of(const View *view, size_t *count)
{
    *count = vec_count(&view->picture.scratch.flows);
    return view->picture.scratch.flows.items;
}

static int compare_lines(const void *left, const void *right)
{
    const FlowLine *a = left, *b = right;
    if (a->y0 != b->y0) return a->y0 < b->y0 ? -1 : 1;
    if (a->y1 != b->y1) return a->y1 < b->y1 ? -1 : 1;
    if (a->x0 != b->x0) return a->x0 < b->x0 ? -1 : 1;
    if (a->x1 != b->x1) return a->x1 < b->x1 ? -1 : 1;
    if (a->trace != b->trace) return a->trace < b->trace ? -1 : 1;
    return (a->flow.flow > b->flow.flow) - (a->flow.flow < b->flow.flow);
}

/* Joins adjacent lines whose ends are less than `apart` from each other. Returns the number of lines left. */
static size_t join_close(FlowLine *lines, size_t count, double apart)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        FlowLine *last = kept > 0 ? &lines[kept - 1] : NULL;
        bool      joins = last != NULL && last->y0 == lines[i].y0 && last->y1 == lines[i].y1 &&
                     fabs(last->x0 - lines[i].x0) < apart && fabs(last->x1 - lines[i].x1) < apart;
        if (joins)
            last->count += lines[i].count;
        else
            lines[kept++] = lines[i];
    }
    return kept;
}

/* ---- drawing ---- */

typedef struct FlowStyle {
    uint32_t colour, halo;
    double   width;
} FlowStyle;

DrawCurve flow_line_curve(const View *view, const FlowLine *line)
{
    double head = view_px(view, HEAD_PX),
           off = floor(layout_common_height(view) * view->screen.scale / 4) + view->screen.scale;
    double side = line->y0 == line->y1 ? 0 : line->y0 < line->y1 ? 1 : -1;
    double y0 = line->y0 + (side == 0 ? off : side * off), y1 = line->y1 - side * off;
    if (side == 0) y1 = y0;
    double bend =
        fmax(fmin(fabs(line->x1 - line->x0) / 2, view_px(view, BEND_MAX_PX)), view_px(view, BEND_MIN_PX));
    return (DrawCurve){ .x0 = (float)line->x0,
                        .y0 = (float)(y0 + 0.5),
                        .x1 = (float)(line->x1 - head + 1),
                        .y1 = (float)(y1 + 0.5),
                        .bend = (float)bend };
}

static bool is_hovered(const View *view, const FlowLine *line)
{
    const Hover *hover = &view->input.hover;
    return hover->has_flow && hover->trace == line->trace && hover->event.id == line->flow.flow;
}

static void draw_line(View *view, Frame *frame, const FlowLine *line, const FlowStyle *style)
{
    double    head = view_px(view, HEAD_PX), half = floor(head / 2), dot = floor(view_px(view, DOT_PX) / 2);
    DrawCurve curve = flow_line_curve(view, line);
    double    y0 = (double)curve.y0 - 0.5, y1 = (double)curve.y1 - 0.5;
    double    width = style->width + (is_hovered(view, line) ? view->screen.scale : 0);
    uint32_t  colour = is_hovered(view, line) ? colour_palette(view->screen.theme)->text : style->colour;
    curve.width = (float)(width + 2 * view->screen.scale);
    curve.colour = style->halo;
    frame_curve(frame, &curve);
    curve.width = (float)width;
    curve.colour = colour;
    frame_curve(frame, &curve);
    frame_mark(frame, DRAW_TRIANGLE_RIGHT, (Rect){ line->x1 - head, y1 - half, head, 2 * half + 1 }, colour,
               0, 0);
    frame_box(frame, (Rect){ line->x0 - dot, y0 - dot, 2 * dot + 1, 2 * dot + 1 },
              &(DrawShape){ .radius = (float)(dot + 0.5), .fill = colour });
    vec_push(&view->picture.scratch.drawn, *line);
}

/* The numbers of arrows in thick lines that are drawn so far. */
typedef struct CountBoxes {
    Rect     boxes[MOST_COUNTS];
    unsigned count;
} CountBoxes;

static bool overlaps_any(const CountBoxes *drawn, Rect box)
{
    for (unsigned i = 0; i < drawn->count; i++) {
        const Rect other = drawn->boxes[i];
        if (box.x < other.x + other.w && other.x < box.x + box.w && box.y < other.y + other.h &&
            other.y < box.y + box.h)
            return true;
    }
    return false;
}

/* Draws the number of arrows in a thick line, in its middle or beside that at the border of the plot. Numbers that would cover another
 * one are left out. */
static void draw_count(View *view, Frame *frame, const FlowLine *line, CountBoxes *drawn)
{
    const Palette  *palette = colour_palette(view->screen.theme);
    const Geometry *g = &view->screen.geometry;
    TextStyle       text = { FONT_MEDIUM, COUNT_SIZE * view->screen.scale, palette->text };
    char            count[TIME_TEXT + 2] = "\xC3\x97";
    size_t          size = 2 + digits_put_whole(line->count, count + 2);
    double          width = text_width(text.face, text.size_px, count, size), pad = view_px(view, 3);
    double          height = view_px(view, COUNT_SIZE + 4);
    Rect box = { floor((line->x0 + line->x1 - width) / 2 - pad), floor((line->y0 + line->y1 - height) / 2),
                 ceil(width) + 2 * pad, height };
    box.x = fmax(fmin(box.x, g->plot_x + g->plot_w - box.w), g->plot_x);
    if (drawn->count == MOST_COUNTS || overlaps_any(drawn, box)) return;
    drawn->boxes[drawn->count++] = box;
    frame_box(frame, box,
              &(DrawShape){ .radius = (float)view_px(view, 3),
                            .fill = palette->raised,
                            .edge = palette->rule,
                            .edge_px = (float)view_px(view, 1) });
    frame_text(frame, &text, box.x + pad, view_baseline(box.y, box.h, text.size_px), width + 1, count, size);
}

/* Draws a note in the corner about hidden and joined arrows. */
static void draw_note(View *view, Frame *frame, uint64_t total, size_t drawn)
{
    const Palette  *palette = colour_palette(view->screen.theme);
    const Geometry *g = &view->screen.geometry;
    char            lines[TIME_TEXT], note[WORD_TEXT];
    (void)digits_put_whole(drawn, lines);
    const Word undrawn = view_interactive(view) ? WORD_FLOWS_HERE : WORD_FLOWS_UNDRAWN;
    const Word joined = drawn == 1 ? WORD_FLOWS_IN_LINE : WORD_FLOWS_IN_LINES;
    (void)word_format(drawn == 0 ? undrawn : joined, total, lines, note);
    TextStyle text = { FONT_REGULAR, NOTE_SIZE * view->screen.scale, palette->muted };
    double    width = text_width(text.face, text.size_px, note, strlen(note)), pad = view_px(view, 6);
    double    height = view_px(view, 18);
    Rect      box = { floor(g->plot_x + g->plot_w - width - 3 * pad),
                      g->rows_y + g->rows_h - height - view_px(view, 6), ceil(width) + 2 * pad, height };
    frame_box(frame, box,
              &(DrawShape){ .radius = (float)view_px(view, 4),
                            .fill = palette->panel,
                            .edge = palette->rule,
                            .edge_px = (float)view_px(view, 1) });
    frame_text(frame, &text, box.x + pad, view_baseline(box.y, box.h, text.size_px), width + 1, note,
               strlen(note));
}

static void draw_all(View *view, Frame *frame)
{
    const Palette *palette = colour_palette(view->screen.theme);
    bool           is_dark = view->screen.theme == THEME_DARK;
    uint64_t       total = 0;
    size_t         count;
    vec_clear(&view->picture.scratch.flows);
    add_section(view, LAYOUT_PINNED);
    add_section(view, LAYOUT_SCROLLED);
    FlowLine *lines = lines_of(view, &count);
    for (size_t i = 0; i < count; i++)
        total += lines[i].count;
    if (total == 0) return;
    if (view->screen.flow_mode == FLOWS_FEW && total > FEW_FLOWS) {
        view->picture.scratch.noted = total;
        return;
    }
    qsort(lines, count, sizeof *lines, compare_lines);
    size_t before = count;
    count = join_close(lines, count, 1);
    for (double apart = view_px(view, 4); count > MOST_CURVES && apart < 4 * view->screen.geometry.plot_w;
         apart *= 2)
        count = join_close(lines, count, apart);
    if (count > MOST_CURVES) count = MOST_CURVES;
    for (size_t i = 0; i < count; i++) {
        NameColour look = view_label_look(view, lines[i].trace, lines[i].flow.label);
        double     thick = fmin(log2((double)lines[i].count) * 0.2, 2);
        FlowStyle  style = { colour_faded(is_dark ? look.hover : look.edge, 225),
                             colour_faded(palette->canvas, 150), (CURVE_PX + thick) * view->screen.scale };
        draw_line(view, frame, &lines[i], &style);
    }
    if (count < before) view->picture.scratch.noted = total;
    view->picture.scratch.drawn_all = count;
}

static void draw_selected(View *view, Frame *frame)
{
    const Palette *palette = colour_palette(view->screen.theme);
    size_t         count;
    vec_clear(&view->picture.scratch.flows);
    add_selected(view);
    FlowLine *lines = lines_of(view, &count);
    for (int pass = 0; pass < 2; pass++) { /* the slice's own arrows over the others */
        for (size_t i = 0; i < count; i++) {
            bool is_far = (lines[i].flow.flags & TILE_FLOW_FAR) != 0;
            if (is_far == (pass == 1)) continue;
            uint32_t  colour = lines[i].flow.flags & TILE_FLOW_IN ? palette->amber : palette->accent;
            FlowStyle style = { colour_faded(colour, is_far ? 120 : 255),
                                colour_faded(palette->canvas, is_far ? 90 : 220),
                                (is_far ? CURVE_PX : SELECTED_PX) * view->screen.scale };
            draw_line(view, frame, &lines[i], &style);
        }
    }
}

static void begin_layer(const View *view, Frame *frame)
{
    const Geometry *g = &view->screen.geometry;
    frame_layer(frame, (Rect){ g->plot_x, g->pinned_y, g->plot_w, g->rows_y + g->rows_h - g->pinned_y });
}

/* True if the number of arrows in a line that is not selected is drawn. */
static bool shows_count(const View *view, const FlowLine *line)
{
    return line->count >= 10 && fabs(line->y1 - line->y0) >= view_px(view, ROW_PX);
}

void draw_flow_counts(View *view, Frame *frame)
{
    const RowScratch *scratch = &view->picture.scratch;
    const FlowLine   *lines = scratch->drawn.items;
    CountBoxes        drawn = { .count = 0 };
    if (vec_count(&scratch->drawn) == 0 && scratch->noted == 0) return;
    begin_layer(view, frame);
    /* first those of the selection */
    for (size_t i = scratch->drawn_all; i < vec_count(&scratch->drawn); i++)
        if (lines[i].count > 1) draw_count(view, frame, &lines[i], &drawn);
    for (size_t i = 0; i < scratch->drawn_all; i++)
        if (shows_count(view, &lines[i])) draw_count(view, frame, &lines[i], &drawn);
    if (scratch->noted > 0) draw_note(view, frame, scratch->noted, scratch->drawn_all);
}

void draw_flows(View *view, Frame *frame)
{
    bool any = false;
    vec_clear(&view->picture.scratch.drawn);
    view->picture.scratch.drawn_all = 0;
    view->picture.scratch.noted = 0;
    for (uint32_t t = 0; t < view->trace_count; t++)
        any |= view_trace(view, t)->outline.flow_count > 0;
    if (!any) return;
    begin_layer(view, frame);
    if (view->screen.flow_mode != FLOWS_SELECTED) draw_all(view, frame);
    frame_layer(frame, frame->clip);
    draw_selected(view, frame);
}
