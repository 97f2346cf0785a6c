#include "view/select.h"

#include "base/checked.h"
#include "base/utf8.h"
#include "view/align.h"
#include "view/charts.h"
#include "view/data.h"
#include "view/layout.h"
#include "view/live.h"
#include "view/motion.h"
#include "view/name_groups.h"
#include "view/notes.h"
#include "view/perspective.h"
#include "view/row_heights.h"
#include "view/row_history.h"
#include "view/runs.h"
#include "view/shown.h"

#include <assert.h>
#include <math.h>

/* ---- events to the host ---- */

void view_push_event(View *view, const ViewEvent *event)
{
    if (view->events.count > 0) { /* of state changes only the last one counts */
        ViewEvent *last = &view->events.items[(view->events.first + view->events.count - 1) % EVENTS_MAX];
        bool       replaces = event->kind == VIEW_EVENT_RANGE || event->kind == VIEW_EVENT_CURSOR ||
                        event->kind == VIEW_EVENT_AREA || event->kind == VIEW_EVENT_PERSPECTIVE ||
                        event->kind == VIEW_EVENT_FOLLOW || event->kind == VIEW_EVENT_ROWS ||
                        event->kind == VIEW_EVENT_HEAD;
        if (replaces && last->kind == event->kind) {
            *last = *event;
            return;
        }
    }
    if (view->events.count == EVENTS_MAX) {
        view->events.first = (view->events.first + 1) % EVENTS_MAX;
        view->events.count--;
    }
    assert(view->events.count < EVENTS_MAX);
    view->events.items[(view->events.first + view->events.count++) % EVENTS_MAX] = *event;
}

void view_push_command(View *view, ViewEventKind kind, const char *command)
{
    ViewEvent event = { .kind = kind, .command = command };
    event.has_place = view->selection.has_slice;
    event.place = view->selection.slice;
    event.trace = view->selection.slice.trace;
    view_push_event(view, &event);
}

void view_set_cursor(View *view, const char *cursor)
{
    if (strcmp(view->input.cursor, cursor) == 0) return;
    view->input.cursor = cursor;
    view_push_command(view, VIEW_EVENT_CURSOR, cursor);
}

/* Fills the area's event. An area over several traces is reported as that of the first; the statistics of each other
 * trace use view_area_in. */
static void fill_area(View *view, ViewEvent *event)
{
    const AreaTrack *tracks = view->selection.area.tracks.items;
    size_t           count = vec_count(&view->selection.area.tracks);
    vec_clear(&view->events.tracks);
    if (!view->selection.area.is_set || event->trace >= view->trace_count) {
        event->begin = event->end = 0;
        return;
    }
    TraceView *trace = view_trace(view, event->trace);
    event->begin = axis_to_offset(&trace->map, view->selection.area.begin);
    event->end = axis_to_offset(&trace->map, view->selection.area.end);
    for (size_t i = 0; i < count; i++)
        if (tracks[i].trace == event->trace)
            vec_push(&view->events.tracks, trace->outline.tracks[tracks[i].track].id);
    event->tracks = view->events.tracks.items;
    event->track_count = (uint32_t)vec_count(&view->events.tracks);
}

bool view_keep_area(View *view, uint32_t trace, uint64_t begin, uint64_t end, const uint32_t *tracks,
                    uint32_t count)
{
    KeptArea *kept = &view->selection.kept;
    kept->trace = trace;
    kept->begin = begin;
    kept->end = end;
    vec_clear(&kept->tracks);
    view->picture.is_stale = true;
    if (count > 0) vec_append(&kept->tracks, tracks, count);
    return !kept->tracks.bytes.failed;
}

bool view_area_in(View *view, uint32_t trace, ViewEvent *event)
{
    *event = (ViewEvent){ .kind = VIEW_EVENT_AREA, .trace = trace };
    fill_area(view, event);
    return event->track_count > 0;
}

bool view_next_event(View *view, ViewEvent *event)
{
    if (view->events.count == 0) return false;
    assert(view->events.first < EVENTS_MAX && view->events.count <= EVENTS_MAX);
    *event = view->events.items[view->events.first];
    view->events.first = (view->events.first + 1) % EVENTS_MAX;
    view->events.count--;
    if (event->kind == VIEW_EVENT_AREA) fill_area(view, event);
    return true;
}

void view_push_area(View *view)
{
    const AreaTrack *tracks = view->selection.area.tracks.items;
    ViewEvent        event = { .kind = VIEW_EVENT_AREA };
    if (vec_count(&view->selection.area.tracks) > 0) event.trace = tracks[0].trace;
    view_push_event(view, &event);
}

void view_push_about(View *view, RowTarget target)
{
    ViewEvent event = { .kind = VIEW_EVENT_TRACK, .trace = target.trace };
    if (target.kind == ITEM_TRACE || target.kind == ITEM_GROUP) return;
    if (target.kind == ITEM_PROCESS) {
        event.kind = VIEW_EVENT_PROCESS;
        event.process = target.index;
    } else {
        event.track = view_trace(view, target.trace)->outline.tracks[target.index].id;
    }
    view_push_event(view, &event);
}

/* ---- history ---- */

static bool is_same_scroll(const Visit *a, const Visit *b)
{
    const TopItem *left = &a->top, *right = &b->top;
    if (!left->is_set || !right->is_set) return left->is_set == right->is_set && a->scroll_px == b->scroll_px;
    return left->row.kind == right->row.kind && left->row.trace == right->row.trace &&
           left->row.index == right->row.index && fabs(left->into_px - right->into_px) < 0.5;
}

static bool is_same_visit(const Visit *a, const Visit *b)
{
    return a->pos.tick == b->pos.tick && a->pos.frac == b->pos.frac &&
           a->pos.px_per_tick == b->pos.px_per_tick && is_same_scroll(a, b) && a->alignment == b->alignment &&
           a->notes == b->notes && a->rows == b->rows && a->counts_calls == b->counts_calls;
}

void history_drop_equal(View *view)
{
    History  *history = &view->position.history;
    const int at = history->at;
    int       kept = 0;
    for (int i = 0; i < history->count; i++) {
        if (kept == 0 || !is_same_visit(&history->visits[kept - 1], &history->visits[i]))
            history->visits[kept++] = history->visits[i];
        if (i == at) history->at = kept - 1;
    }
    history->count = kept;
}

void history_record(View *view)
{
    History *history = &view->position.history;
    layout_build(view);
    Visit visit = { .pos = view->position.camera.target,
                    .scroll_px = view->position.target_px,
                    .top = shown_top_item(view, view->position.target_px),
                    .alignment = view->position.alignment,
                    .notes = notes_version(view),
                    .rows = row_state(view),
                    .counts_calls = view_counts_calls(view) };
    history->pending = false;
    if (history->waits) {
        if (visit.counts_calls != history->visits[history->at].counts_calls) return;
        history->visits[history->at] = visit;
        history->waits = false;
        view_push_event(view, &(ViewEvent){ .kind = VIEW_EVENT_RANGE });
        return;
    }
    if (history->count > 0) {
        if (is_same_visit(&history->visits[history->at], &visit)) return;
        history->at++;
    } else {
        history->at = 0;
    }
    if (history->at == HISTORY_MAX) {
        memmove(history->visits, history->visits + 1, sizeof(Visit) * (HISTORY_MAX - 1));
        history->at--;
    }
    assert(history->at >= 0 && history->at < HISTORY_MAX);
    history->visits[history->at] = visit;
    history->count = history->at + 1;
    view_push_event(view, &(ViewEvent){ .kind = VIEW_EVENT_RANGE });
}

void history_renew(View *view)
{
    History *history = &view->position.history;
    Visit   *at = &history->visits[history->at];
    if (history->count == 0 || history->waits || at->counts_calls != view_counts_calls(view)) return;
    layout_build(view);
    at->pos = view->position.camera.target;
    at->scroll_px = view->position.target_px;
    at->top = shown_top_item(view, view->position.target_px);
}

void history_go(View *view, int by)
{
    History *history = &view->position.history;
    if (history->pending) history_record(view); /* a motion that is not recorded yet can be undone as well */
    if (history->waits || history->at + by < 0 || history->at + by >= history->count) return;
    history->at += by;
    const Visit *visit = &history->visits[history->at];
    if (visit->counts_calls != view_counts_calls(view)) {
        history->waits = true;
        return view_push_command(view, VIEW_EVENT_COMMAND, "equal-widths");
    }
    const bool was_aligned = visit->alignment == view->position.alignment;
    if (!was_aligned && !align_use(view, visit->alignment)) return;
    camera_go(&view->position.camera, visit->pos, was_aligned ? view_motion(view) : CAMERA_JUMPS);
    live_look_away(view);
    row_state_restore(view, visit->rows);
    layout_build(view);
    view_scroll_to(view, shown_scroll_of(view, &visit->top, visit->scroll_px));
    notes_restore(view, visit->notes);
    history->pending = false;
    view_push_event(view, &(ViewEvent){ .kind = VIEW_EVENT_RANGE });
    view->picture.is_stale = true;
}

/* ---- selection ---- */

static void select_place(View *view, const SlicePlace *place)
{
    view->selection.has_slice = true;
    view->selection.has_instant = false;
    view->selection.slice = *place;
    uint32_t index = view_track_index(view_trace(view, place->trace), place->track);
    view->selection.has_focus = index != UINT32_MAX;
    view->selection.focus = (RowTarget){ ITEM_TRACK, place->trace, index };
    view->picture.is_stale = true;
}

static void deselect(View *view)
{
    view->selection.has_slice = view->selection.has_instant = false;
    view->picture.is_stale = true;
}

/* Finds the row that shows the events of a track: its own, or the header of the process for the instants of a process.
 * False: the ruler shows them. */
static bool find_shown_row(const View *view, uint32_t trace, uint32_t track, RowTarget *row)
{
    const OutlineTrack *it = &view_trace(view, trace)->outline.tracks[track];
    *row = (RowTarget){ ITEM_TRACK, trace, track };
    if (it->kind == TRACK_KIND_PROCESS_INSTANTS) *row = (RowTarget){ ITEM_PROCESS, trace, it->process };
    return it->kind != TRACK_KIND_GLOBAL_INSTANTS;
}

/* Selects the instant at a place of a track, which is an index in the outline. */
static void select_mark(View *view, const SlicePlace *place, uint32_t track)
{
    deselect(view);
    view->selection.has_instant = true;
    view->selection.instant = *place; /* only a sample has an extent */
    view->selection.has_focus = find_shown_row(view, place->trace, track, &view->selection.focus);
}

/* Requests the selection of the sample of a counter at an offset. */
static void push_sample(View *view, const LayoutItem *item, uint64_t offset)
{
    const uint32_t track = view_trace(view, item->trace)->outline.tracks[item->index].id;
    view_push_event(view, &(ViewEvent){ .kind = VIEW_EVENT_SAMPLE,
                                        .trace = item->trace,
                                        .has_place = true,
                                        .place = { .trace = item->trace, .track = track, .begin = offset } });
}

void view_select_run(View *view, const Hit *hit)
{
    ViewEvent event = { .kind = VIEW_EVENT_SELECT, .exact = true };
    if (hit->has_counter) {
        push_sample(view, layout_item(view, hit->item), hit->tick);
        return;
    }
    if (hit->has_mark) {
        const OutlineTrack *track = &view_trace(view, hit->mark_trace)->outline.tracks[hit->mark_track];
        const SlicePlace    place = {
               .trace = hit->mark_trace, .track = track->id, .row = hit->row, .begin = hit->mark.tick
        };
        select_mark(view, &place, hit->mark_track);
        view_push_event(view, &(ViewEvent){ .kind = VIEW_EVENT_INSTANT,
                                            .trace = hit->mark_trace,
                                            .instant = hit->mark.instant,
                                            .has_place = true,
                                            .place = place });
        return;
    }
    if (!hit->has_run) {
        if (!view->selection.has_slice && !view->selection.has_instant) return;
        deselect(view);
        view_push_event(view, &event);
        return;
    }
    const LayoutItem *item = layout_item(view, hit->item);
    const Run        *run = &hit->run;
    event.has_place = true;
    event.trace = item->trace;
    event.exact = run->count == 1;
    event.place = (SlicePlace){ .trace = item->trace,
                                .track = view_trace(view, item->trace)->outline.tracks[item->index].id,
                                .row = hit->row,
                                .slice = run->count == 1 ? run->slice : run->longest,
                                .begin = run->begin,
                                .extent = run->extent,
                                .label = run->label };
    select_place(view, &event.place);
    view_push_event(view, &event);
}

/* Finds the first visible slice or instant of a row. At the same time slices come before instants. False: no such
 * event. */
static bool find_first(View *view, const LayoutItem *item, uint32_t row, Hit *hit)
{
    const OutlineTrack *track = &view_trace(view, item->trace)->outline.tracks[item->index];
    runs_find_sources(view, item->trace, track, row / TILE_BAND_ROWS);
    runs_build(view, item->trace, row % TILE_BAND_ROWS);
    const Run  *run = view->picture.scratch.row->runs.items;
    const Mark *mark = view->picture.scratch.row->marks.items;
    const bool  has_run = vec_count(&view->picture.scratch.row->runs) > 0,
               has_mark = vec_count(&view->picture.scratch.row->marks) > 0;
    hit->has_row = true;
    hit->row = row;
    hit->has_mark = has_mark && (!has_run || mark->tick < run->begin);
    hit->has_run = has_run && !hit->has_mark;
    if (hit->has_run) hit->run = *run;
    if (hit->has_mark) {
        hit->mark = *mark;
        hit->mark_trace = item->trace;
        hit->mark_track = item->index;
    }
    return hit->has_run || hit->has_mark;
}

bool view_select_first(View *view, uint32_t item_index)
{
    const LayoutItem *item = layout_item(view, item_index);
    assert(item->kind == ITEM_TRACK);
    const TraceView *trace = view_trace(view, item->trace);
    const uint32_t   rows = rows_shown(trace, item->index);
    runs_prepare(view);
    if (trace->outline.tracks[item->index].kind == TRACK_KIND_COUNTER) {
        push_sample(view, item, tick_scale_offset(&trace->scale, 0));
        return true;
    }
    for (uint32_t row = 0; row < (item->closed ? 1 : rows) && row < rows; row++) {
        Hit hit = { .has_item = true, .item = item_index };
        if (!find_first(view, item, row, &hit)) continue;
        view_select_run(view, &hit);
        return true;
    }
    return false;
}

void view_reveal_row(View *view, RowTarget shown, uint32_t row)
{
    TraceView *trace = view_trace(view, shown.trace);
    bool       is_track = shown.kind == ITEM_TRACK;
    uint32_t   process = shown.kind == ITEM_PROCESS ? shown.index : UINT32_MAX;
    if (is_track) process = trace->outline.tracks[shown.index].process;
    if (shown.kind != ITEM_TRACE) trace->closed = false;
    if (shown.kind == ITEM_PROCESS && view->order.groups != GROUPS_PROCESS) return; /* it has no row */
    if (process < trace->outline.process_count) {
        trace->process_flags[process] &= (RowFlags) ~(TRACK_HIDDEN | (is_track ? TRACK_CLOSED : 0));
        perspective_reveal(view, trace, process);
    }
    if (is_track && name_group_of(trace, shown.index) != UINT32_MAX)
        name_group_open(trace, name_group_of(trace, shown.index));
    if (is_track) {
        const bool is_past = row >= rows_shown(trace, shown.index); /* a row of a limited track */
        trace->track_flags[shown.index] &=
            (RowFlags) ~(TRACK_HIDDEN | (row > 0 ? TRACK_CLOSED : 0) | (is_past ? TRACK_LIMITED : 0));
    }
    view->layout.stale = true;
    layout_build(view);
    if (shown_item(view, shown) == UINT32_MAX &&
        view->layout.isolates) { /* the row is shown beside the isolated ones */
        (is_track ? &trace->track_flags[shown.index] : &trace->process_flags[process])[0] |= TRACK_ISOLATED;
        view->layout.stale = true;
        layout_build(view);
    }
    if (shown_item(view, shown) == UINT32_MAX && view->filter[0] != 0) {
        view->filter[0] = 0;
        view->layout.stale = true;
        layout_build(view);
    }
    uint32_t item = shown_item(view, shown);
    if (item == UINT32_MAX || item < view->layout.pinned) return;
    double y = layout_item(view, item)->y, height = HEADER_PX;
    if (is_track) {
        y += layout_row_top(view, trace, shown.index, row);
        height = layout_row_height(view, trace, shown.index) + ROW_GAP_PX +
                 layout_strip(view, trace, shown.index, row);
    }
    double room = view->screen.geometry.rows_h / view->screen.geometry.scale;
    if (y < view->position.target_px + HEADER_PX || y + height > view->position.target_px + room - HEADER_PX)
        view_scroll_to(view, floor(y - room / 3));
}

/* Pans, and zooms out if necessary, until the time range is visible. The edges are narrower than the margins of camera_fit: while the
 * whole trace is shown, each of its times is visible. */
static void reveal_time(View *view, const SlicePlace *place)
{
    const AxisMap *map = &view_trace(view, place->trace)->map;
    uint64_t       end = u64_add_saturated(place->begin, place->extent);
    int64_t        first = axis_from_offset(map, place->begin), last = axis_from_offset(map, end);
    CameraPos      pos = view->position.camera.target;
    double width = view->position.camera.width_px, x0 = camera_x(&pos, first), x1 = camera_x(&pos, last);
    if (x1 > width * 0.005 && x0 < width * 0.995) return;
    double ticks = (double)((uint64_t)last - (uint64_t)first), span = width / pos.px_per_tick;
    camera_advance(&pos, (x0 / pos.px_per_tick) - (ticks < span * 0.8 ? (span - ticks) / 2 : span * 0.1));
    camera_go(&view->position.camera, pos, view_motion(view));
    view_camera_changed(view);
}

/* Drops pending selection events, because the host selects something else. */
static void drop_selections(View *view)
{
    const uint32_t count = view->events.count;
    view->events.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const ViewEvent event = view->events.items[(view->events.first + i) % EVENTS_MAX];
        if (event.kind == VIEW_EVENT_SELECT || event.kind == VIEW_EVENT_INSTANT) continue;
        view->events.items[(view->events.first + view->events.count++) % EVENTS_MAX] = event;
    }
}

void view_select(View *view, const SlicePlace *place, double now_ms)
{
    view->now_ms = now_ms > view->now_ms ? now_ms : view->now_ms;
    drop_selections(view);
    if (place == NULL) {
        deselect(view);
        return;
    }
    if (place->trace >= view->trace_count) return;
    uint32_t track = view_track_index(view_trace(view, place->trace), place->track);
    if (track == UINT32_MAX) return;
    select_place(view, place);
    view_reveal_row(view, (RowTarget){ ITEM_TRACK, place->trace, track }, place->row);
    reveal_time(view, place);
}

void view_select_instant(View *view, const SlicePlace *place, double now_ms)
{
    view->now_ms = now_ms > view->now_ms ? now_ms : view->now_ms;
    drop_selections(view);
    if (place->trace >= view->trace_count) return;
    uint32_t track = view_track_index(view_trace(view, place->trace), place->track);
    if (track == UINT32_MAX) return;
    select_mark(view, place, track);
    if (view->selection.has_focus) view_reveal_row(view, view->selection.focus, place->row);
    reveal_time(view, &view->selection.instant);
}

void view_restore_slice(View *view, const SlicePlace *place)
{
    if (place->trace < view->trace_count) select_place(view, place);
}

void view_restore_instant(View *view, const SlicePlace *place)
{
    if (place->trace >= view->trace_count) return;
    const uint32_t track = view_track_index(view_trace(view, place->trace), place->track);
    if (track != UINT32_MAX) select_mark(view, place, track);
}

/* Finds the top of the selected row with its strip, in CSS pixels of the scrolled section, and its height. False if there is no such row. */
static bool selected_row_top(const View *view, double *top, double *height)
{
    if (!view->selection.has_slice && !view->selection.has_instant) return false;
    const SlicePlace *place = view->selection.has_slice ? &view->selection.slice : &view->selection.instant;
    uint32_t          track = view_track_index(view_trace(view, place->trace), place->track);
    RowTarget         row;
    if (track == UINT32_MAX || !find_shown_row(view, place->trace, track, &row)) return false;
    uint32_t item = shown_item(view, row);
    if (item == UINT32_MAX || item < view->layout.pinned) return false;
    const LayoutItem *shown = layout_item(view, item);
    *top = shown->y;
    *height = shown->kind == ITEM_TRACK && shown->closed ? shown->height : HEADER_PX;
    if (shown->kind == ITEM_TRACK && !shown->closed) {
        const TraceView *trace = view_trace(view, shown->trace);
        if (place->row >= rows_shown(trace, shown->index)) return false;
        *top += layout_row_top(view, trace, shown->index, place->row);
        *height = layout_row_height(view, trace, shown->index) +
                  layout_strip(view, trace, shown->index, place->row);
    }
    return true;
}

bool view_selection_is_in_sight(const View *view)
{
    double top, height, room = view->screen.geometry.rows_h / view->screen.geometry.scale;
    if (!selected_row_top(view, &top, &height)) return false;
    double y = top - view->position.target_px;
    return y >= 0 && y + height <= room;
}

void view_scroll_to_selection(View *view)
{
    double top, height, room = view->screen.geometry.rows_h / view->screen.geometry.scale;
    if (!selected_row_top(view, &top, &height)) return;
    double lowest = top - HEADER_PX, highest = top + height + HEADER_PX - room;
    if (highest > view->position.target_px) view_scroll_to(view, highest);
    if (lowest < view->position.target_px) view_scroll_to(view, lowest);
}

/* Finds the selection's range on the axis. */
static bool selection_axis(const View *view, int64_t *begin, int64_t *end)
{
    if (!view->selection.has_slice && !view->selection.has_instant) return false;
    const SlicePlace *place = view->selection.has_slice ? &view->selection.slice : &view->selection.instant;
    const AxisMap    *map = &view_trace(view, place->trace)->map;
    uint64_t          first = place->begin, extent = place->extent;
    *begin = axis_from_offset(map, first);
    *end = axis_from_offset(map, extent > UINT64_MAX - first ? UINT64_MAX : first + extent);
    return true;
}

static void zoom_to(View *view, int64_t begin, int64_t end)
{
    assert(begin <= end);
    double ticks = (double)((uint64_t)end - (uint64_t)begin);
    if (ticks < 4) ticks = 4;
    camera_go(&view->position.camera, camera_range(&view->position.camera, begin, -ticks * 0.1, ticks * 1.2),
              view_motion(view));
    view_camera_changed(view);
}

/* Centres the selection; at the second call, fits it to the plot. */
void view_zoom_to_selection(View *view)
{
    int64_t begin, end;
    if (!selection_axis(view, &begin, &end)) return;
    CameraPos pos = view->position.camera.target;
    double    middle = (camera_x(&pos, begin) + camera_x(&pos, end)) / 2;
    double    off = middle - view->position.camera.width_px / 2;
    bool      too_wide = camera_x(&pos, end) - camera_x(&pos, begin) > view->position.camera.width_px;
    if (fabs(off) < 2 || too_wide) {
        zoom_to(view, begin, end);
    } else {
        camera_pan(&view->position.camera, off, view_motion(view));
        view_camera_changed(view);
    }
}

void view_fit_selection(View *view)
{
    int64_t begin, end;
    if (view->selection.area.is_set)
        zoom_to(view, view->selection.area.begin, view->selection.area.end);
    else if (selection_axis(view, &begin, &end))
        zoom_to(view, begin, end);
}

void view_area_from_selection(View *view)
{
    int64_t begin, end;
    if (!selection_axis(view, &begin, &end)) return;
    const SlicePlace *place = view->selection.has_slice ? &view->selection.slice : &view->selection.instant;
    uint32_t          index = view_track_index(view_trace(view, place->trace), place->track);
    if (index == UINT32_MAX) return;
    if (end <= begin && begin == INT64_MAX) begin--; /* an area has a width */
    view->selection.area.is_set = true;
    view->selection.area.begin = begin;
    view->selection.area.end = end > begin ? end : begin + 1;
    vec_clear(&view->selection.area.tracks);
    vec_push(&view->selection.area.tracks, (AreaTrack){ place->trace, index });
    view->picture.is_stale = true;
    view_push_area(view);
}

/* Sets the area to all visible tracks and all time. */
void view_area_of_all(View *view)
{
    if (view->trace_count == 0) return;
    layout_build(view);
    view->selection.area.is_set = true;
    view->selection.area.begin = 0;
    view->selection.area.end = view->extent < INT64_MAX ? (int64_t)view->extent + 1 : INT64_MAX;
    vec_clear(&view->selection.area.tracks);
    view_area_add(view, 0, view->layout.count);
    view_push_area(view);
}

bool view_area_is_all(const View *view)
{
    return view->selection.area.is_set && view->selection.area.begin == 0 &&
           view->selection.area.end == (int64_t)view->extent + 1;
}

void view_area_add(View *view, uint32_t first, uint32_t end)
{
    assert(view->selection.area.is_set && view->selection.area.begin <= view->selection.area.end);
    for (uint32_t i = first; i < end && i < view->layout.count; i++) {
        const LayoutItem *item = layout_item(view, i);
        if (item->kind == ITEM_TRACK) {
            const TraceView *trace = view_trace(view, item->trace);
            vec_push(&view->selection.area.tracks, (AreaTrack){ item->trace, item->index });
            for (uint32_t c = trace->chart_next[item->index]; c != UINT32_MAX; c = trace->chart_next[c])
                if (chart_has(trace, c))
                    vec_push(&view->selection.area.tracks, (AreaTrack){ item->trace, c });
            continue;
        }
        if (!item->closed || item->kind == ITEM_TRACE) continue;
        const TraceView *trace = view_trace(view, item->trace);
        const RowTarget  row = { item->kind, item->trace, item->index };
        uint32_t         first_track, end_track;
        rows_of(view, row, &first_track, &end_track);
        for (uint32_t t = first_track; t < end_track; t++)
            if (row_has(trace, row, t) && layout_track_shows(view, trace, t) &&
                layout_track_item(view, item->trace, t) == UINT32_MAX)
                vec_push(&view->selection.area.tracks, (AreaTrack){ item->trace, t });
    }
    view->picture.is_stale = true;
}

void view_clear_area(View *view)
{
    if (!view->selection.area.is_set) return;
    view->selection.area.is_set = false;
    vec_clear(&view->selection.area.tracks);
    view->picture.is_stale = true;
    view_push_area(view);
}
