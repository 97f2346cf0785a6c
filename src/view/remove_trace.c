/* Removes one of several traces from the view. Each part of the view drops its references to the trace and renumbers those to the
 * traces after it; positions on the axis move with a trace that stays. */
#include "view/align.h"
#include "view/data.h"
#include "view/layout.h"
#include "view/live.h"
#include "view/notes.h"
#include "view/perspective.h"
#include "view/row_history.h"
#include "view/row_order.h"
#include "view/select.h"
#include "view/shown.h"
#include "view/step_maps.h"

#include <assert.h>

/* The rows at the scroll positions of the steps, and at the present one. */
typedef struct StepRows {
    TopItem steps[HISTORY_MAX];
    TopItem now;
} StepRows;

/* ---- positions on the axis ---- */

static int64_t moved_tick(const AxisMap *before, const AxisMap *after, int64_t tick)
{
    return axis_from_signed(after, axis_to_offset(before, tick));
}

/* Moves the camera, the area and the steps from the axis before to the present one. */
static void move_positions(View *view, const StepMaps *before, const StepMaps *after, bool counted_calls)
{
    Position *position = &view->position;
    Area     *area = &view->selection.area;
    CameraPos now = position->camera.target;
    step_maps_move_position(&before->now, &after->now, &now);
    position->camera.extent = view->extent;
    camera_go(&position->camera, now, CAMERA_JUMPS);
    if (area->is_set) {
        area->begin = moved_tick(&before->now, &after->now, area->begin);
        area->end = moved_tick(&before->now, &after->now, area->end);
    }
    step_maps_move(view, before, after, counted_calls);
}

/* Drops the steps on the other axis of captures if no capture is left that could be shown on it. */
static void drop_other_axis(View *view, bool counted_calls)
{
    History   *history = &view->position.history;
    const int  at = history->at;
    const bool counts_calls = view_counts_calls(view);
    int        kept = 0;
    bool       has_capture = false;
    for (uint32_t t = 0; t < view->trace_count; t++)
        has_capture |= view_axis(view, t) != VIEW_AXIS_TIME;
    if (has_capture && counts_calls == counted_calls) return;
    for (int i = 0; i < history->count; i++) {
        if (history->visits[i].counts_calls == counted_calls) {
            history->visits[kept] = history->visits[i];
            history->visits[kept++].counts_calls = counts_calls;
        }
        if (i == at) history->at = kept > 0 ? kept - 1 : 0;
    }
    history->count = kept;
    history->waits = false;
}

/* ---- rows ---- */

/* True if the row remains without the trace: a single trace has no header. */
static bool row_stays(const View *view, uint32_t trace, RowTarget row)
{
    return row.trace != trace && (row.kind != ITEM_TRACE || view->trace_count > 2);
}

/* Returns a top row; instead of a row that disappears with the trace, the one after it among the present rows. */
static TopItem top_that_stays(const View *view, uint32_t trace, const TopItem *top)
{
    TopItem found = *top;
    if (!top->is_set) return found;
    if (!row_stays(view, trace, top->row)) {
        const uint32_t at = shown_item(view, top->row);
        found = (TopItem){ .is_set = false };
        for (uint32_t i = at == UINT32_MAX ? 0 : at; i < view->layout.count && !found.is_set; i++) {
            const LayoutItem *item = layout_item(view, i);
            found.row = (RowTarget){ item->kind, item->trace, item->index };
            found.is_set = row_stays(view, trace, found.row);
        }
    }
    found.row.trace -= found.row.trace > trace;
    return found;
}

static StepRows find_rows(const View *view, uint32_t trace)
{
    const TopItem top = shown_top_item(view, view->position.scroll_px);
    StepRows      rows = { .now = top_that_stays(view, trace, &top) };
    for (int i = 0; i < view->position.history.count; i++)
        rows.steps[i] = top_that_stays(view, trace, &view->position.history.visits[i].top);
    return rows;
}

static void restore_rows(View *view, const StepRows *rows)
{
    History *history = &view->position.history;
    for (int i = 0; i < history->count; i++)
        history->visits[i].top = rows->steps[i];
    view->position.waiting_px = -1;
    const double most = layout_scroll_max(view),
                 px = shown_scroll_of(view, &rows->now, view->position.scroll_px);
    view->position.scroll_px = view->position.target_px = px < most ? px : most;
}

/* ---- references ---- */

static void renumber(uint32_t *number, uint32_t trace)
{
    *number -= *number > trace;
}

static void move_references(View *view, uint32_t trace)
{
    Selection *selection = &view->selection;
    size_t     kept = 0;
    view_forget_events(view, trace);
    renumber(&selection->slice.trace, trace);
    renumber(&selection->instant.trace, trace);
    renumber(&selection->focus.trace, trace);
    for (size_t i = 0; i < vec_count(&selection->area.tracks); i++) {
        AreaTrack track = selection->area.tracks.items[i];
        if (track.trace == trace) continue;
        renumber(&track.trace, trace);
        selection->area.tracks.items[kept++] = track;
    }
    vec_cut(&selection->area.tracks, kept);
    if (selection->kept.trace == trace) vec_clear(&selection->kept.tracks);
    renumber(&selection->kept.trace, trace);
    for (size_t i = 0; i < sizeof view->emphasis.labels / sizeof view->emphasis.labels[0]; i++)
        renumber(&view->emphasis.labels[i].trace, trace);
    renumber(&view->emphasis.pointed.trace, trace);
    renumber(&view->emphasis.durations.trace, trace);
    row_order_remove_trace(&view->order, trace);
}

static void remove_data(View *view, uint32_t trace)
{
    TraceView *removed = view_trace(view, trace);
    align_remove_trace(view, trace);
    view_trace_release(removed);
    memmove(removed, removed + 1, (view->trace_count - trace - 1) * sizeof *removed);
    view->trace_count--;
    vec_cut(&view->traces, view->trace_count);
    tile_cache_remove_trace(view->tiles, trace);
    built_rows_release(&view->picture.built);
    view->emphasis.has_found = false;
    for (uint32_t t = 0; t < view->trace_count; t++)
        view->emphasis.has_found |= vec_count(&view_trace(view, t)->found_events) > 0 ||
                                    vec_count(&view_trace(view, t)->found_labels) > 0;
}

/* Aligns the remaining traces. A single one has one axis: without its alignments steps are equal that differed only by them. */
static void renew_axis(View *view)
{
    Err err;
    if (view->trace_count == 1) align_reset(view);
    (void)view_build_axis(view, &err); /* out of memory: the axis stays as it is */
}

void view_remove_trace(View *view, uint32_t trace)
{
    const uint32_t staying = trace == 0 ? 1 : 0;
    if (trace >= view->trace_count) return;
    if (view->trace_count == 1) {
        view_clear(view);
        return;
    }
    layout_build(view);
    camera_settle(&view->position.camera);
    view->position.scroll_px = view->position.target_px;
    history_record(view);
    view->events.count = 0;
    view_set_growing(view, trace, VIEW_IS_WHOLE);
    const bool     was_all = view_area_is_all(view), had_area = view->selection.area.is_set;
    const bool     counted_calls = view_counts_calls(view);
    const StepMaps before = step_maps_find(view, staying);
    const StepRows rows = find_rows(view, trace);
    move_references(view, trace);
    remove_data(view, trace);
    renew_axis(view);
    const StepMaps after = step_maps_find(view, staying - (staying > trace));
    move_positions(view, &before, &after, counted_calls);
    notes_remove_trace(view, trace);
    row_states_remove_trace(view, trace);
    perspective_renew(view);
    view->layout.stale = true;
    layout_build(view);
    restore_rows(view, &rows);
    drop_other_axis(view, counted_calls);
    history_drop_equal(view);
    history_renew(view);
    if (was_all)
        view_area_of_all(view);
    else if (had_area && vec_count(&view->selection.area.tracks) == 0)
        view_clear_area(view);
    else if (had_area)
        view_push_area(view);
    view->picture.is_stale = true;
    view->picture.is_drawn = false;
}
