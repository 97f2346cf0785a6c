#include "view/input.h"

#include "view/align.h"
#include "view/commands.h"
#include "view/flow_lines.h"
#include "view/head.h"
#include "view/hit.h"
#include "view/layout.h"
#include "view/live.h"
#include "view/motion.h"
#include "view/notes.h"
#include "view/row_moves.h"
#include "view/row_sizes.h"
#include "view/scene.h"
#include "view/select.h"
#include "view/shown.h"

#include <math.h>

static const double DRAG_AFTER_PX = 4, EDGE_PX = 4, HOLD_AFTER_MS = 140, HOLD_LOST_MS = 3000;
static const double GLIDE_MAX_PX_PER_MS = 8;

static const double HELD_ZOOM_PER_MS = 1.0026, HELD_PAN_PER_MS = 0.0011, FAST = 4;

static double plot_x(const View *view, double x_px)
{
    return x_px - view->screen.geometry.plot_x / view->screen.geometry.scale;
}

double view_anchor(const View *view)
{
    double x = plot_x(view, view->input.pointer.x);
    if (view->input.pointer.inside && x >= 0 && x < view->position.camera.width_px) return x;
    if (view->position.follows)
        return fmin(fmax(live_latest_x(view, &view->position.camera.target), 0),
                    view->position.camera.width_px);
    return view->position.camera.width_px / 2;
}

/* ---- hover ---- */

static bool near_area_edge(const View *view, double x_px, double y_px, bool *is_begin)
{
    if (!view->selection.area.is_set || y_px * view->screen.scale < view->screen.geometry.ruler_y)
        return false;
    CameraPos pos = camera_now(&view->position.camera);
    double    x = plot_x(view, x_px);
    double    to_begin = fabs(x - camera_x(&pos, view->selection.area.begin)),
           to_end = fabs(x - camera_x(&pos, view->selection.area.end));
    *is_begin = to_begin <= to_end;
    return x >= 0 && (to_begin <= EDGE_PX || to_end <= EDGE_PX);
}

static DragKind minimap_drag(const View *view, double x_px)
{
    Rect   window = view_minimap_window(view);
    double x = x_px * view->screen.scale, edge = view_px(view, EDGE_PX);
    bool   is_all = window.w >= view->screen.geometry.plot_w - 2; /* nothing to move: draw a new range */
    if (fabs(x - window.x) <= edge) return DRAG_MINIMAP_LEFT;
    if (fabs(x - window.x - window.w) <= edge) return DRAG_MINIMAP_RIGHT;
    if (x > window.x && x < window.x + window.w && !is_all) return DRAG_MINIMAP_MOVE;
    return DRAG_MINIMAP_NEW;
}

static const char *cursor_for(View *view, const Hit *hit)
{
    bool is_begin;
    switch (hit->zone) {
    case ZONE_COLUMN_EDGE:
        return "col-resize";
    case ZONE_MINIMAP:
        switch (minimap_drag(view, view->input.pointer.x)) {
        case DRAG_MINIMAP_LEFT:
        case DRAG_MINIMAP_RIGHT:
            return "ew-resize";
        case DRAG_MINIMAP_MOVE:
            return "grab";
        default:
            return "crosshair";
        }
    case ZONE_RULER:
    case ZONE_PLOT:
        if (near_area_edge(view, view->input.pointer.x, view->input.pointer.y, &is_begin)) return "ew-resize";
        if (hit->zone == ZONE_RULER) return hit->has_mark || hit->note != 0 ? "pointer" : "crosshair";
        if (view->input.held & HELD_SPACE) return "grab";
        return hit->has_run || hit->has_mark || hit->has_flow ? "pointer" : "default";
    case ZONE_LABELS:
        return hit->has_item ? "pointer" : "default";
    case ZONE_NONE:
    case ZONE_CORNER:
    case ZONE_SCROLLBAR:
        break;
    }
    return "default";
}

void view_update_hover(View *view)
{
    if (!view_interactive(view) || view->input.pointer.drag != DRAG_NONE) return;
    Hit hit = { 0 };
    if (view->input.pointer.inside) view_hit(view, view->input.pointer.x, view->input.pointer.y, &hit);
    view_hover_hit(view, &hit);
    if (view->input.pointer.inside) view_set_cursor(view, cursor_for(view, &hit));
}

/* ---- drags ---- */

static int64_t clamped_axis(const View *view, double x_px)
{
    int64_t tick = view_axis_at(view, plot_x(view, x_px));
    if (tick < 0) return 0;
    uint64_t end = view->extent + 1;
    return (uint64_t)tick > end ? (int64_t)end : tick;
}

/* Converts a y on the screen to one in the scrolled section; below 0 in the pinned section. CSS pixels. */
static double rows_position(const View *view, double y_px)
{
    double y = y_px - view->screen.geometry.rows_y / view->screen.scale;
    return y < 0 && view->layout.pinned > 0 ? y : y + view->position.scroll_px;
}

/* Returns the layout's item at such a position. */
static uint32_t item_at(const View *view, double y)
{
    uint32_t pinned = view->layout.pinned;
    if (y >= 0 || pinned == 0) return layout_find(view, y, LAYOUT_SCROLLED);
    uint32_t item = layout_find(view, y + view->screen.geometry.pinned_h / view->screen.scale, LAYOUT_PINNED);
    return item < pinned ? item : pinned - 1;
}

static void drag_area(View *view)
{
    Pointer *p = &view->input.pointer;
    int64_t  at = clamped_axis(view, p->x);
    view->selection.area.is_set = true;
    view->selection.area.begin = p->grab_tick < at ? p->grab_tick : at;
    view->selection.area.end = p->grab_tick < at ? at : p->grab_tick;
    double   y0 = p->grab, y1 = rows_position(view, p->y);
    uint32_t first = item_at(view, y0 < y1 ? y0 : y1), end = item_at(view, y0 < y1 ? y1 : y0) + 1;
    uint32_t pinned = view->layout.pinned, seen = layout_seen(view, LAYOUT_SCROLLED, 0).first;
    vec_clear(&view->selection.area.tracks);
    if (first >= pinned || end <= pinned) {
        view_area_add(view, first, end);
    } else { /* from one section into the other: rows between them that are not visible do not count */
        view_area_add(view, first, pinned);
        view_area_add(view, seen, end);
    }
}

static void drag_area_edge(View *view)
{
    int64_t at = clamped_axis(view, view->input.pointer.x), fixed = view->input.pointer.grab_tick;
    view->selection.area.begin = fixed < at ? fixed : at;
    view->selection.area.end = fixed < at ? at : fixed;
    view->picture.is_stale = true;
}

/* Returns the axis ticks at a pixel of the minimap. */
static double minimap_axis(const View *view, double x_px)
{
    double extent = view->extent == 0 ? 1 : (double)view->extent;
    double part = plot_x(view, x_px) * view->screen.scale / view->screen.geometry.plot_w;
    if (!(part > 0)) part = 0;
    return extent * (part < 1 ? part : 1);
}

static void go_between(View *view, double a, double b)
{
    double low = a < b ? a : b, high = a < b ? b : a;
    camera_go(&view->position.camera,
              camera_range(&view->position.camera, (int64_t)low, 0, high - low > 1 ? high - low : 1),
              CAMERA_JUMPS);
    view_camera_changed(view);
}

static void drag_minimap(View *view)
{
    Pointer  *p = &view->input.pointer;
    CameraPos pos = view->position.camera.target;
    double    begin = (double)pos.tick + pos.frac, span = view->position.camera.width_px / pos.px_per_tick;
    double    at = minimap_axis(view, p->x);
    switch (p->drag) {
    case DRAG_MINIMAP_MOVE:
        pos.tick = 0;
        pos.frac = 0;
        camera_advance(&pos, at - p->grab);
        camera_go(&view->position.camera, pos, CAMERA_JUMPS);
        view_camera_changed(view);
        return;
    case DRAG_MINIMAP_LEFT:
        go_between(view, at, begin + span);
        if (at > begin + span) p->drag = DRAG_MINIMAP_RIGHT;
        return;
    case DRAG_MINIMAP_RIGHT:
        go_between(view, begin, at);
        if (at < begin) p->drag = DRAG_MINIMAP_LEFT;
        return;
    case DRAG_MINIMAP_NEW:
        go_between(view, p->grab, at);
        return;
    default:
        return;
    }
}

static void drag_scrollbar(View *view)
{
    Rect   thumb = view_scroll_thumb(view);
    double room = view->screen.geometry.rows_h - thumb.h;
    if (room <= 0 || thumb.h <= 0) return;
    double part = (view->input.pointer.y * view->screen.scale - view->input.pointer.grab -
                   view->screen.geometry.rows_y) /
                  room;
    view_set_scroll(view, part * layout_scroll_max(view));
}

static void drag_pan(View *view, double now_ms)
{
    Pointer *p = &view->input.pointer;
    double   dx = p->x - p->last_x, dy = p->y - p->last_y, dt = now_ms - p->last_ms;
    camera_pan(&view->position.camera, -dx, CAMERA_JUMPS);
    view_set_scroll(view, view->position.target_px - dy);
    if (dt > 0) {
        double speed = -dx / dt, kept = dt < 40 ? 1 - dt / 40 : 0; /* a mean over about 40 ms */
        p->speed = p->speed * kept + speed * (1 - kept);
    }
    view_camera_changed(view);
}

static void drag_on(View *view, double now_ms)
{
    switch (view->input.pointer.drag) {
    case DRAG_PAN:
        drag_pan(view, now_ms);
        break;
    case DRAG_AREA:
        drag_area(view);
        break;
    case DRAG_AREA_EDGE:
        drag_area_edge(view);
        break;
    case DRAG_MINIMAP_MOVE:
    case DRAG_MINIMAP_LEFT:
    case DRAG_MINIMAP_RIGHT:
    case DRAG_MINIMAP_NEW:
        drag_minimap(view);
        break;
    case DRAG_SCROLLBAR:
        drag_scrollbar(view);
        break;
    case DRAG_COLUMN:
        view_set_column(view, view->input.pointer.x);
        break;
    case DRAG_ROW:
        row_drag_update(view);
        break;
    case DRAG_TRACE:
        align_drag_update(view);
        break;
    case DRAG_NONE:
    case DRAG_PENDING:
    case DRAG_RULER:
        break;
    }
    view->picture.is_stale = true;
}

/* Begins a drag of the row under the pointer: of a trace in time, of other rows to another place of their list. */
static void begin_row_drag(View *view)
{
    Pointer *p = &view->input.pointer;
    Hit      hit;
    view_hit(view, p->down_x, p->down_y, &hit);
    p->drag = DRAG_NONE;
    if (!hit.has_item) return;
    const LayoutItem *item = layout_item(view, hit.item);
    if (item->kind == ITEM_TRACE) {
        p->drag = DRAG_TRACE;
        align_drag_begin(view, item->trace);
        view_set_cursor(view, "ew-resize");
        return;
    }
    p->drag = DRAG_ROW;
    row_drag_begin(view, (RowTarget){ item->kind, item->trace, item->index });
    view_set_cursor(view, "grabbing");
}

static void start_drag(View *view)
{
    Pointer *p = &view->input.pointer;
    p->drag = p->pending;
    p->speed = 0;
    p->last_x = p->down_x;
    p->last_y = p->down_y;
    if (p->drag == DRAG_PAN) view_set_cursor(view, "grabbing");
    view->input.space_was_used |= (view->input.held & HELD_SPACE) != 0;
    if (p->drag == DRAG_MINIMAP_MOVE) view_set_cursor(view, "grabbing");
    if (p->drag == DRAG_AREA) view_set_cursor(view, "crosshair");
    if (p->drag == DRAG_ROW) begin_row_drag(view);
}

/* ---- pressing ---- */

static DragKind plot_drag(View *view, const PointerInput *input)
{
    bool is_begin, swaps = (input->modifiers & MOD_SHIFT) != 0,
                   pans = (view->screen.options & VIEW_DRAG_PANS) != 0;
    if (input->touch || input->button != BUTTON_LEFT || (view->input.held & HELD_SPACE)) return DRAG_PAN;
    if (near_area_edge(view, input->x, input->y, &is_begin)) {
        view->input.pointer.grab_tick = is_begin ? view->selection.area.end : view->selection.area.begin;
        return DRAG_AREA_EDGE;
    }
    view->input.pointer.grab_tick = clamped_axis(view, input->x);
    view->input.pointer.grab = rows_position(view, input->y);
    return swaps != pans ? DRAG_PAN : DRAG_AREA;
}

static DragKind ruler_drag(View *view, const PointerInput *input)
{
    bool is_begin;
    if (near_area_edge(view, input->x, input->y, &is_begin)) {
        view->input.pointer.grab_tick = is_begin ? view->selection.area.end : view->selection.area.begin;
        return DRAG_AREA_EDGE;
    }
    view->input.pointer.grab_tick = view_axis_at(view, plot_x(view, input->x));
    return input->button == BUTTON_LEFT ? DRAG_RULER : DRAG_PAN;
}

static DragKind press_minimap(View *view, const PointerInput *input)
{
    DragKind  kind = minimap_drag(view, input->x);
    CameraPos pos = view->position.camera.target;
    view->input.pointer.grab = minimap_axis(view, input->x);
    if (kind == DRAG_MINIMAP_MOVE) view->input.pointer.grab -= (double)pos.tick + pos.frac;
    return kind;
}

static DragKind press_scrollbar(View *view, const PointerInput *input)
{
    Rect   thumb = view_scroll_thumb(view);
    double y = input->y * view->screen.scale;
    if (thumb.h <= 0) return DRAG_NONE;
    view->input.pointer.grab = y >= thumb.y && y < thumb.y + thumb.h ? y - thumb.y : thumb.h / 2;
    return DRAG_SCROLLBAR;
}

static void press(View *view, const PointerInput *input, double now_ms)
{
    Pointer *p = &view->input.pointer;
    if (p->drag != DRAG_NONE && p->drag != DRAG_PENDING) return; /* a second button has no effect */
    Hit hit;
    view_hit(view, input->x, input->y, &hit);
    p->button = input->button;
    p->modifiers = input->modifiers;
    p->down_x = p->last_x = input->x;
    p->down_y = p->last_y = input->y;
    p->last_ms = now_ms;
    p->drag = DRAG_PENDING;
    p->pending = DRAG_NONE;
    view->position.camera.glide_px_per_ms = 0;
    switch (hit.zone) {
    case ZONE_PLOT:
        p->pending = plot_drag(view, input);
        break;
    case ZONE_RULER:
        p->pending = ruler_drag(view, input);
        break;
    case ZONE_MINIMAP:
        p->pending = press_minimap(view, input);
        break;
    case ZONE_SCROLLBAR:
        p->pending = press_scrollbar(view, input);
        break;
    case ZONE_COLUMN_EDGE:
        p->pending = DRAG_COLUMN;
        break;
    case ZONE_LABELS:
        p->pending = input->touch ? DRAG_PAN : input->button == BUTTON_LEFT ? DRAG_ROW : DRAG_NONE;
        break;
    case ZONE_NONE:
    case ZONE_CORNER:
        break;
    }
    if (p->pending == DRAG_SCROLLBAR) { /* no threshold */
        start_drag(view);
        drag_on(view, now_ms);
    }
    if (input->clicks == 2 && input->button == BUTTON_LEFT && hit.zone == ZONE_PLOT) {
        if (hit.has_run && view->selection.has_slice)
            view_fit_selection(view);
        else
            camera_zoom(&view->position.camera, plot_x(view, input->x), 2, view_motion(view));
        view_camera_changed(view);
    }
    if (input->clicks == 2 && hit.zone == ZONE_COLUMN_EDGE) view_toggle_column(view);
    view->picture.is_stale = true;
}

/* ---- clicking ---- */

static void click_labels(View *view, const Hit *hit)
{
    if (!hit->has_item) return;
    const LayoutItem *item = layout_item(view, hit->item);
    const RowTarget   target = { item->kind, item->trace, item->index };
    shown_focus(view, target);
    view_push_about(view, target);
    shown_toggle_closed(view, hit->item);
}

/* Goes to the farther end. */
static void click_flow(View *view, const Hit *hit)
{
    double      scale = view->screen.scale;
    FlowEndKind end = flow_far_end(&hit->flow, view->input.pointer.x * scale, view->input.pointer.y * scale);
    const TileFlowEnd *at = end == FLOW_END_FROM ? &hit->flow.flow.from : &hit->flow.flow.to;
    view_push_event(
        view,
        &(ViewEvent){
            .kind = VIEW_EVENT_FLOW,
            .trace = hit->flow.trace,
            .has_place = true,
            .place = { .trace = hit->flow.trace, .track = at->track, .row = at->row, .begin = at->tick },
            .flow = hit->flow.flow.flow,
            .command = end == FLOW_END_FROM ? "from" : "to" });
}

/* Selects the note or the instant there; elsewhere makes a note of the moment. */
static void click_ruler(View *view, const Hit *hit)
{
    if (hit->note != 0)
        note_select(view, hit->note, "show");
    else if (hit->has_mark)
        view_select_run(view, hit);
    else
        note_at_pixel(view, plot_x(view, view->input.pointer.down_x));
}

static void click(View *view, const Hit *hit)
{
    Pointer *p = &view->input.pointer;
    if (p->button == BUTTON_MIDDLE && hit->zone == ZONE_PLOT && hit->has_run) {
        view_select_run(view, hit);
        view_fit_selection(view);
        return;
    }
    if (p->button == BUTTON_RIGHT && hit->has_item) {
        const LayoutItem *item = layout_item(view, hit->item);
        head_open_menu(view, (RowTarget){ item->kind, item->trace, item->index }, p->x, p->y);
    }
    if (p->button != BUTTON_LEFT) return;
    bool on_group = hit->has_item && layout_item(view, hit->item)->kind != ITEM_TRACK;
    switch (hit->zone) {
    case ZONE_PLOT:
        if (hit->has_flow) {
            click_flow(view, hit);
            break;
        }
        if (on_group && !hit->has_mark) {
            click_labels(view, hit);
            break;
        }
        if (hit->has_more) {
            const LayoutItem *item = layout_item(view, hit->item);
            row_limit_toggle(view, (RowTarget){ item->kind, item->trace, item->index });
            break;
        }
        if (!hit->has_run && !hit->has_mark) view_clear_area(view);
        view_select_run(view, hit);
        break;
    case ZONE_LABELS:
        click_labels(view, hit);
        break;
    case ZONE_RULER:
        click_ruler(view, hit);
        break;
    case ZONE_MINIMAP:
        if (p->pending == DRAG_MINIMAP_NEW) { /* centre there */
            CameraPos pos = view->position.camera.target;
            pos.tick = 0;
            pos.frac = 0;
            camera_advance(&pos,
                           minimap_axis(view, p->x) - view->position.camera.width_px / pos.px_per_tick / 2);
            camera_go(&view->position.camera, pos, view_motion(view));
            view_camera_changed(view);
        }
        break;
    case ZONE_NONE:
    case ZONE_CORNER:
    case ZONE_COLUMN_EDGE:
    case ZONE_SCROLLBAR:
        break;
    }
}

static void end_ruler_drag(View *view)
{
    int64_t at = view_axis_at(view, plot_x(view, view->input.pointer.x)),
            from = view->input.pointer.grab_tick;
    int64_t begin = from < at ? from : at, end = from < at ? at : from;
    if (end <= begin) return;
    double ticks = (double)((uint64_t)end - (uint64_t)begin);
    camera_go(&view->position.camera, camera_range(&view->position.camera, begin, 0, ticks),
              view_motion(view));
    view_camera_changed(view);
}

static void release(View *view, double now_ms)
{
    Pointer *p = &view->input.pointer;
    DragKind drag = p->drag;
    if (drag == DRAG_NONE) return;
    p->drag = DRAG_NONE;
    switch (drag) {
    case DRAG_PENDING: {
        Hit hit;
        view_hit(view, p->down_x, p->down_y, &hit);
        click(view, &hit);
        break;
    }
    case DRAG_PAN:
        if (now_ms - p->last_ms < 60 && view_motion(view) == CAMERA_GLIDES && fabs(p->speed) > 0.1)
            view->position.camera.glide_px_per_ms =
                fmax(fmin(p->speed, GLIDE_MAX_PX_PER_MS), -GLIDE_MAX_PX_PER_MS);
        break;
    case DRAG_AREA:
    case DRAG_AREA_EDGE:
        if (view->selection.area.end == view->selection.area.begin)
            view_clear_area(view);
        else
            view_push_area(view);
        break;
    case DRAG_RULER:
        end_ruler_drag(view);
        break;
    case DRAG_ROW:
        row_drag_end(view);
        break;
    case DRAG_TRACE:
        align_drag_end(view);
        break;
    case DRAG_NONE:
    case DRAG_MINIMAP_MOVE:
    case DRAG_MINIMAP_LEFT:
    case DRAG_MINIMAP_RIGHT:
    case DRAG_MINIMAP_NEW:
    case DRAG_SCROLLBAR:
    case DRAG_COLUMN:
        break;
    }
    view->picture.is_stale = true;
    view_update_hover(view);
}

static void move(View *view, const PointerInput *input, double now_ms)
{
    Pointer *p = &view->input.pointer;
    if (p->drag == DRAG_PENDING && p->pending != DRAG_NONE &&
        (fabs(input->x - p->down_x) >= DRAG_AFTER_PX || fabs(input->y - p->down_y) >= DRAG_AFTER_PX))
        start_drag(view);
    if (p->drag != DRAG_NONE && p->drag != DRAG_PENDING) drag_on(view, now_ms);
    p->last_x = p->x;
    p->last_y = p->y;
    p->last_ms = now_ms;
    view->picture.is_stale = true; /* for the line at the pointer */
    view_update_hover(view);
}

static void set_alt(View *view, bool is_held)
{
    if (view->input.has_alt != is_held) view->picture.is_stale = true;
    view->input.has_alt = is_held;
}

void view_pointer(View *view, const PointerInput *input, double now_ms)
{
    Pointer *p = &view->input.pointer;
    if (!(fabs(input->x) < 1e6) || !(fabs(input->y) < 1e6) || !view_interactive(view)) return;
    view->now_ms = now_ms > view->now_ms ? now_ms : view->now_ms;
    layout_build(view);
    view->input.keys_lead = false;
    if (input->kind == POINTER_DOWN) view->position.waiting_px = -1;
    set_alt(view, (input->modifiers & MOD_ALT) != 0);
    if (input->kind != POINTER_LEAVE && input->kind != POINTER_CANCEL) {
        p->x = input->x;
        p->y = input->y;
        p->inside = true;
    }
    switch (input->kind) {
    case POINTER_MOVE:
        move(view, input, now_ms);
        break;
    case POINTER_DOWN:
        press(view, input, now_ms);
        break;
    case POINTER_UP:
        if (input->button == p->button) release(view, now_ms);
        break;
    case POINTER_LEAVE:
        p->inside = false;
        view->picture.is_stale = true;
        view_update_hover(view);
        break;
    case POINTER_CANCEL:
        if (p->drag == DRAG_AREA || p->drag == DRAG_AREA_EDGE) view_push_area(view);
        if (p->drag == DRAG_TRACE) align_drag_cancel(view);
        p->drag = DRAG_NONE;
        p->inside = false;
        view->input.held = 0;
        view->picture.is_stale = true;
        view_update_hover(view);
        break;
    }
}

void view_wheel(View *view, double x, double y, double delta_x, double delta_y, unsigned modifiers,
                double now_ms)
{
    if (!(fabs(delta_x) < 1e6) || !(fabs(delta_y) < 1e6) || !view_interactive(view)) return;
    if (!(fabs(x) < 1e6) || !(fabs(y) < 1e6)) return;
    view->now_ms = now_ms > view->now_ms ? now_ms : view->now_ms;
    layout_build(view);
    bool ctrl = (modifiers & (MOD_CTRL | MOD_META)) != 0,
         wheel_zooms = (view->screen.options & VIEW_WHEEL_ZOOMS) != 0;
    bool over_time =
        y * view->screen.scale < view->screen.geometry.pinned_y; /* ruler and minimap do not scroll */
    if (modifiers & MOD_SHIFT) {
        delta_x += delta_y;
        delta_y = 0;
    }
    if (delta_x != 0 && !ctrl) {
        camera_pan(&view->position.camera, delta_x, CAMERA_JUMPS);
        view_camera_changed(view);
    }
    if (delta_y != 0 && (ctrl != wheel_zooms || over_time)) {
        double k = delta_y * (fabs(delta_y) < 20 ? 0.005 : 0.0013); /* a pinch has small steps */
        k = fmax(fmin(k, 0.4), -0.4);
        double anchor = plot_x(view, x);
        if (anchor < 0) anchor = 0;
        if (anchor > view->position.camera.width_px) anchor = view->position.camera.width_px;
        camera_zoom(&view->position.camera, anchor, (1 - k) / (1 + k), view_motion(view));
        view_camera_changed(view);
    } else if (delta_y != 0) {
        view_scroll_to(view, view->position.target_px + delta_y);
    }
    view->picture.is_stale = true;
    view_update_hover(view);
}

/* ---- held keys ---- */

void step_held_keys(View *view, double dt_ms)
{
    unsigned held = view->input.held & ~(unsigned)HELD_SPACE;
    if (held == 0 || dt_ms <= 0) return;
    if (view->now_ms - view->input.held_seen_ms > HOLD_LOST_MS) { /* its release was not received */
        view->input.held = 0;
        return;
    }
    if (view->now_ms - view->input.held_since_ms < HOLD_AFTER_MS)
        return; /* the key press has moved already */
    int    steps = dt_ms > 100 ? 100 : (int)dt_ms;
    double rate = 1 + (HELD_ZOOM_PER_MS - 1) * (view->input.held_fast ? FAST : 1), factor = 1;
    for (int i = 0; i < steps; i++)
        factor *= rate;
    double pan =
        view->position.camera.width_px * HELD_PAN_PER_MS * steps * (view->input.held_fast ? FAST : 1);
    CameraMotion motion = CAMERA_JUMPS;
    if (camera_is_moving(&view->position.camera)) motion = view_motion(view);
    if (held & HELD_ZOOM_IN) camera_zoom(&view->position.camera, view_anchor(view), factor, motion);
    if (held & HELD_ZOOM_OUT) camera_zoom(&view->position.camera, view_anchor(view), 1 / factor, motion);
    if (held & HELD_LEFT) camera_pan(&view->position.camera, -pan, motion);
    if (held & HELD_RIGHT) camera_pan(&view->position.camera, pan, motion);
    view_camera_changed(view);
    view_update_hover(view);
}

/* Ends the movements of a key. Returns the HELD_* bits that it had. */
static unsigned release_key(View *view, const char *key)
{
    unsigned ended = 0;
    for (int i = 0; i < HELD_BITS; i++)
        if ((view->input.held & 1u << i) != 0 && strcmp(view->input.held_key[i], key) == 0) ended |= 1u << i;
    view->input.held &= ~ended;
    return ended;
}

/* True if the key already moves the view, or drags with it. Otherwise it does from now on. */
static bool hold_key(View *view, unsigned bit, const char *key, double now_ms)
{
    Input *input = &view->input;
    input->held_seen_ms = now_ms;
    const bool was_held = (input->held & bit) != 0;
    for (int i = 0; i < HELD_BITS; i++)
        if (bit == 1u << i && strlen(key) < KEY_NAME) memcpy(input->held_key[i], key, strlen(key) + 1);
    if (was_held) return true;
    input->held |= bit;
    input->held_since_ms = now_ms;
    return false;
}

/* Runs the command of a key. "pause" has no effect without a growing trace. */
static bool run_key(View *view, const char *key, unsigned modifiers, double now_ms)
{
    const Command *command = command_for_key(view, key, modifiers);
    if (command == NULL) return false;
    return (strcmp(command->name, "pause") == 0 && !live_any_grows(view)) ||
           view_command(view, command->name, now_ms);
}

static bool key_up(View *view, const char *key, double now_ms)
{
    const unsigned ended = release_key(view, key);
    if (ended == HELD_SPACE && !view->input.space_was_used) return run_key(view, key, 0, now_ms);
    return ended != 0;
}

bool view_key(View *view, KeyKind kind, const char *key, unsigned modifiers, double now_ms)
{
    if (!view_interactive(view)) return false;
    view->now_ms = now_ms > view->now_ms ? now_ms : view->now_ms;
    if (strcmp(key, "AltLeft") == 0 || strcmp(key, "AltRight") == 0) {
        set_alt(view, kind != KEY_UP);
        return true; /* otherwise the release would open the menu of some browsers */
    }
    view->position.waiting_px = -1;
    if (kind == KEY_UP) return key_up(view, key, now_ms);
    if (strcmp(key, "Space") == 0 &&
        modifiers == 0) { /* it drags with the pointer, or has a command when it is released */
        if (kind == KEY_REPEAT || hold_key(view, HELD_SPACE, key, now_ms)) return true;
        view->input.space_was_used = false;
        return true;
    }
    const Command *command = command_for_key(view, key, modifiers);
    if (command == NULL) return false;
    bool           is_fast;
    const unsigned bit = command_held(command, &is_fast);
    if (bit != 0) {
        view->input.held_fast = is_fast;
        if (hold_key(view, bit, key, now_ms) || kind == KEY_REPEAT) return true;
    }
    return view_command(view, command->name, now_ms);
}
