#include "view/data.h"
#include "view/draw.h"
#include "view/hit.h"
#include "view/layout.h"
#include "view/row_moves.h"
#include "view/scene.h"
#include "view/shown.h"

#include <math.h>

static void draw_outline(View *view, Frame *frame, Rect bar, double line, uint32_t colour)
{
    frame_box(frame, bar,
              &(DrawShape){ .edge = colour,
                            .edge_px = (float)line,
                            .radius = (float)(bar.w >= view_px(view, 24) ? 2 * view->screen.scale : 0) });
}

static Rect grown(Rect bar, double by)
{
    return (Rect){ bar.x - by, bar.y - by, bar.w + 2 * by, bar.h + 2 * by };
}

/* A 2 px outline in the text's colour with a halo in the canvas's: visible on any hue. */
enum { MARK_AROUND_PX = 4 };

static const double FLASH_ALPHA = 120;

static void draw_selection(View *view, Frame *frame)
{
    const Palette *palette = colour_palette(view->screen.theme);
    Rect           bar;
    double         line = view_px(view, 2), halo = view_px(view, 1);
    if (view->selection.has_instant && view_instant_rect(view, &view->selection.instant, &bar)) {
        /* The width of an instant's mark; a sample has an extent instead. */
        const double around = view->selection.instant.extent > 0 ? 0 : view_px(view, MARK_AROUND_PX);
        bar = (Rect){ bar.x - around, bar.y, bar.w + 2 * around, bar.h };
    } else if (!view->selection.has_slice || !view_place_rect(view, &view->selection.slice, &bar)) {
        return;
    }
    draw_outline(view, frame, grown(bar, line + halo), halo, palette->canvas);
    draw_outline(view, frame, grown(bar, line), line, palette->text);
}

/* Draws the flash of the focused row: a tint that fades. With reduced motion it stays until it ends. */
static void draw_flash(View *view, Frame *frame)
{
    const Geometry *g = &view->screen.geometry;
    uint32_t        at = view->selection.flashes ? shown_item(view, view->selection.focus) : UINT32_MAX;
    if (at == UINT32_MAX) return;
    const SectionExtent section = layout_section_extent(view, layout_section_of(view, at));
    double y = layout_item_screen_y(view, at), past = (view->now_ms - view->selection.flash_ms) / FLASH_MS;
    double top = view_px(view, y), height = view_px(view, y + layout_item(view, at)->height) - top;
    if ((view->screen.options & VIEW_REDUCED_MOTION) != 0) past = 0.5;
    double alpha = FLASH_ALPHA * (1 - fmin(fmax(past, 0), 1));
    frame_layer(frame, (Rect){ 0, section.top, g->width - g->scrollbar_w, section.bottom - section.top });
    frame_rect(frame, 0, top, g->width - g->scrollbar_w, height,
               colour_faded(colour_palette(view->screen.theme)->accent, (uint32_t)alpha));
}

void draw_row_drag(View *view, Frame *frame)
{
    const Geometry *g = &view->screen.geometry;
    const RowDrag  *drag = &view->input.row_drag;
    const Palette  *palette = colour_palette(view->screen.theme);
    const double    width = g->width - g->scrollbar_w, line = view_px(view, 2);
    if (view->input.pointer.drag != DRAG_ROW) return;
    const uint32_t item = shown_item(view, drag->move.row);
    if (item == UINT32_MAX) return;
    const SectionExtent section = layout_section_extent(view, layout_section_of(view, item));
    frame_layer(frame, (Rect){ 0, section.top, width, section.bottom - section.top });
    const double y = layout_item_screen_y(view, item), top = view_px(view, y);
    frame_rect(frame, 0, top, width, view_px(view, y + layout_item(view, item)->height) - top,
               palette->selection);
    if (!drag->has_target) return;
    const double at = fmax(view_px(view, row_drag_y(view)) - floor(line / 2), section.top);
    frame_rect(frame, 0, at, width, line, palette->accent);
}

static void draw_hovered(View *view, Frame *frame)
{
    if (!view_interactive(view) || !view->input.hover.has_slice || view->input.pointer.drag != DRAG_NONE)
        return;
    Hit hit;
    view_hit(view, view->input.pointer.x, view->input.pointer.y, &hit);
    if (hit.has_run)
        draw_outline(view, frame, hit.bar, view_px(view, 1), colour_palette(view->screen.theme)->text);
}

/* Returns the column of an axis tick in device pixels, clipped a little outside the plot. */
static double column_at(const View *view, int64_t tick)
{
    const Geometry *g = &view->screen.geometry;
    const CameraPos pos = camera_now(&view->position.camera);
    return fmax(fmin(floor(camera_x(&pos, tick) * g->scale), g->plot_w + 8.0), -8) + g->plot_x;
}

void view_area_columns(const View *view, double *x0, double *x1)
{
    *x0 = column_at(view, view->selection.area.begin);
    *x1 = column_at(view, view->selection.area.end);
}

/* Finds the device pixels [top, end) of an item. False if it is not on the screen. */
static bool item_span(View *view, uint32_t item, double *top, double *end)
{
    const Geometry *g = &view->screen.geometry;
    const double    y = layout_item_screen_y(view, item);
    *top = view_px(view, y);
    *end = view_px(view, y + layout_item(view, item)->height);
    if (item < view->layout.pinned && *end > g->rows_y) *end = g->rows_y;
    if (item >= view->layout.pinned && *top < g->rows_y) *top = g->rows_y;
    return *end > *top && *top < g->height;
}

/* Marks the items of the layout whose tracks are in the area. */
static void mark_area(View *view)
{
    LayoutItem      *items = view->layout.items.items;
    const AreaTrack *tracks = view->selection.area.tracks.items;
    size_t           count = vec_count(&view->selection.area.tracks);
    for (uint32_t i = 0; i < view->layout.count; i++)
        items[i].in_area = false;
    for (size_t i = 0; i < count; i++) {
        uint32_t item = layout_track_item(view, tracks[i].trace, tracks[i].track);
        if (item != UINT32_MAX) items[item].in_area = true;
    }
}

/* In the area's time range, its tracks have a tint below their bars, and the others a veil above them. */
typedef enum { AREA_TINT, AREA_VEIL } AreaPart;
static void draw_area_tracks(View *view, Frame *frame, AreaPart part, double x0, double x1)
{
    const Palette *palette = colour_palette(view->screen.theme);
    for (uint32_t i = 0; i < view->layout.count; i++) {
        const LayoutItem *item = layout_item(view, i);
        double            top, end;
        if (item->kind != ITEM_TRACK || !item_span(view, i, &top, &end)) continue;
        if (item->in_area && part == AREA_TINT)
            frame_rect(frame, x0, top, x1 - x0, end - top, palette->selection);
        if (!item->in_area && part == AREA_VEIL)
            frame_rect(frame, x0, top, x1 - x0, end - top, colour_faded(palette->canvas, COLOUR_VEIL));
    }
}

void draw_area_ground(View *view, Frame *frame)
{
    double x0, x1;
    if (!view->selection.area.is_set) return;
    mark_area(view);
    view_area_columns(view, &x0, &x1);
    draw_area_tracks(view, frame, AREA_TINT, x0, x1);
}

void draw_area(View *view, Frame *frame)
{
    const Palette  *palette = colour_palette(view->screen.theme);
    const Geometry *g = &view->screen.geometry;
    double          x0, x1, bottom = g->rows_y + g->rows_h, line = view_px(view, 1);
    if (!view->selection.area.is_set) return;
    frame_layer(frame, (Rect){ g->plot_x, g->pinned_y, g->plot_w, bottom - g->pinned_y });
    view_area_columns(view, &x0, &x1);
    uint32_t veil = colour_faded(palette->canvas, COLOUR_VEIL);
    frame_rect(frame, g->plot_x, g->pinned_y, x0 - g->plot_x, bottom - g->pinned_y, veil);
    frame_rect(frame, x1, g->pinned_y, g->plot_x + g->plot_w - x1, bottom - g->pinned_y, veil);
    draw_area_tracks(view, frame, AREA_VEIL, x0, x1);
    frame_rect(frame, x0 - line, g->pinned_y, line, bottom - g->pinned_y, palette->accent);
    frame_rect(frame, x1, g->pinned_y, line, bottom - g->pinned_y, palette->accent);
}

void draw_kept_area(View *view, Frame *frame)
{
    const Palette  *palette = colour_palette(view->screen.theme);
    const Geometry *g = &view->screen.geometry;
    const KeptArea *kept = &view->selection.kept;
    const size_t    count = vec_count(&kept->tracks);
    if (count == 0 || kept->trace >= view->trace_count) return;
    const TraceView *trace = view_trace(view, kept->trace);
    const double     x0 = column_at(view, axis_from_offset(&trace->map, kept->begin));
    const double     x1 = column_at(view, axis_from_offset(&trace->map, kept->end));
    frame_layer(frame, (Rect){ g->plot_x, g->pinned_y, g->plot_w, g->rows_y + g->rows_h - g->pinned_y });
    for (size_t i = 0; i < count; i++) {
        const uint32_t track = view_track_index(trace, kept->tracks.items[i]);
        const uint32_t item = track == UINT32_MAX ? UINT32_MAX : layout_track_item(view, kept->trace, track);
        double         top, end;
        if (item == UINT32_MAX || !item_span(view, item, &top, &end)) continue;
        draw_outline(view, frame, (Rect){ x0, top, x1 - x0, end - top }, view_px(view, 2), palette->muted);
    }
}

static void draw_scrollbar(View *view, Frame *frame)
{
    const Palette  *palette = colour_palette(view->screen.theme);
    const Geometry *g = &view->screen.geometry;
    if (g->scrollbar_w == 0) return;
    double x = g->plot_x + g->plot_w;
    frame_layer(frame, (Rect){ x, g->pinned_y, g->scrollbar_w, g->height - g->pinned_y });
    frame_rect(frame, x, g->pinned_y, g->scrollbar_w, g->height - g->pinned_y, palette->panel);
    Rect thumb = view_scroll_thumb(view);
    if (thumb.h <= 0) return;
    double inset = view_px(view, 2);
    bool   is_held = view->input.pointer.drag == DRAG_SCROLLBAR;
    frame_box(frame, (Rect){ thumb.x + inset, thumb.y, thumb.w - 2 * inset, thumb.h },
              &(DrawShape){ .fill = is_held ? palette->muted : colour_faded(palette->muted, 128),
                            .radius = (float)((thumb.w - 2 * inset) / 2) });
}

/* Returns the thumb; empty (h == 0) if everything is visible. */
Rect view_scroll_thumb(const View *view)
{
    const Geometry *g = &view->screen.geometry;
    double          most = layout_scroll_max(view), room = g->rows_h / g->scale;
    if (most <= 0 || g->rows_h <= 0) return (Rect){ 0, 0, 0, 0 };
    double part = room / (room + most), least = view_px(view, 24);
    double h = floor(g->rows_h * part);
    if (h < least) h = least < g->rows_h ? least : g->rows_h;
    double y = g->rows_y + floor((g->rows_h - h) * (view->position.scroll_px / most));
    return (Rect){ g->plot_x + g->plot_w, y, g->scrollbar_w, h };
}

void draw_overlay(View *view, Frame *frame)
{
    const Palette  *palette = colour_palette(view->screen.theme);
    const Geometry *g = &view->screen.geometry;
    frame_layer(frame, (Rect){ g->plot_x, g->pinned_y, g->plot_w, g->height - g->pinned_y });
    draw_hovered(view, frame);
    draw_selection(view, frame);
    double x = floor(view->input.pointer.x * g->scale);
    if (view_interactive(view) && view->input.pointer.inside && x >= g->plot_x &&
        view->input.pointer.drag != DRAG_PAN && view->input.pointer.y * g->scale >= g->ruler_y)
        frame_rect(frame, x, g->pinned_y, 1, g->height - g->pinned_y, colour_faded(palette->muted, 90));
    draw_flash(view, frame);
    draw_scrollbar(view, frame);
}
