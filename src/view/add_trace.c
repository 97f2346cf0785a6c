/* Adds a trace to the view, or replaces it by another load of its file. The history moves to the new axis and rows. */
#include "view/align.h"
#include "view/data.h"
#include "view/layout.h"
#include "view/live.h"
#include "view/perspective.h"
#include "view/row_history.h"
#include "view/row_order.h"
#include "view/select.h"
#include "view/shown.h"
#include "view/step_maps.h"

#include <assert.h>
#include <math.h>

/* Returns the initial position: everything, or the loaded ranges if all traces have one. */
static CameraPos first_look(const View *view)
{
    int64_t begin = INT64_MAX, end = 0;
    for (uint32_t t = 0; t < view->trace_count; t++) {
        const TraceView *trace = view_trace(view, t);
        if (!trace->outline.has_window) return camera_fit(&view->position.camera);
        int64_t first = axis_from_offset(&trace->map, trace->outline.window_begin);
        int64_t last = axis_from_offset(&trace->map, trace->outline.window_end);
        if (first < begin) begin = first;
        if (last > end) end = last;
    }
    if (begin >= end) return camera_fit(&view->position.camera);
    return camera_range(&view->position.camera, begin, 0, (double)((uint64_t)end - (uint64_t)begin));
}

/* Adapts the camera after a trace was added, which may change the axis. A range chosen by the user is kept. */
static void refit(View *view, bool had_range, int64_t begin, int64_t end)
{
    view->position.camera.extent = view->extent;
    if (had_range)
        view_set_range(view, 0, begin, end, view->now_ms);
    else
        camera_go(&view->position.camera, first_look(view), CAMERA_JUMPS);
}

/* The position of a view before a trace is added. */
typedef struct LookBefore {
    bool     has_range; /* the user has chosen one */
    int64_t  begin, end;
    bool     counts_calls;
    TopItem  top;
    StepMaps steps; /* of the first trace, if there is a range */
} LookBefore;

static LookBefore look_before(View *view)
{
    LookBefore before = { .has_range = view->position.is_set && view->trace_count > 0 };
    if (view->trace_count == 0) return before;
    history_record(view);
    before.counts_calls = view_counts_calls(view);
    before.top = shown_top_item(view, view->position.target_px);
    if (!before.has_range) return before;
    view_get_range(view, 0, &before.begin, &before.end);
    before.steps = step_maps_find(view, 0);
    return before;
}

/* Keeps the top row in place, and the steps of the history. Their ranges are of the first trace; before the user has chosen one, all
 * show the initial position. The traces are aligned by their clocks. */
static void keep_steps(View *view, const LookBefore *before)
{
    Position *position = &view->position;
    History  *history = &position->history;
    view->layout.stale = true;
    layout_build(view);
    const double px = shown_scroll_of(view, &before->top, position->target_px);
    position->scroll_px = position->target_px = fmin(px, layout_scroll_max(view));
    for (int i = 0; i < history->count && !before->has_range; i++)
        history->visits[i].pos = position->camera.target;
    if (before->has_range) {
        const StepMaps after = step_maps_find(view, 0);
        step_maps_move(view, &before->steps, &after, before->counts_calls);
    }
    history_drop_equal(view);
    history_renew(view);
}

bool view_add_trace(View *view, const void *outline, size_t size, Err *err)
{
    const LookBefore before = look_before(view);
    TraceView        trace = { .arena = arena_create(0) };
    if (!view_trace_open(&trace, outline, size, err)) {
        view_trace_release(&trace);
        return false;
    }
    perspective_apply(view, &trace);
    vec_push(&view->traces, trace);
    if (view->traces.bytes.failed) {
        view_trace_release(&trace);
        return err_set(err, ERR_MEMORY, "no memory for another trace");
    }
    view->trace_count++;
    assert(vec_count(&view->traces) == view->trace_count);
    align_reset(view);
    if (!view_build_axis(view, err)) {
        view->trace_count--;
        vec_cut(&view->traces, view->trace_count);
        view_trace_release(&trace);
        return false;
    }
    refit(view, before.has_range, before.begin, before.end);
    perspective_begin(view, &trace.outline);
    keep_steps(view, &before);
    view->position.history.pending = true;
    view->picture.is_stale = true;
    view->picture.is_drawn = false;
    return true;
}

bool view_replace_trace(View *view, uint32_t index, const void *outline, size_t size, Err *err)
{
    TraceView *place = view_trace(view, index);
    TraceView  trace = { .arena = arena_create(0) }, before = *place;
    int64_t    begin, end;
    if (!view_trace_open(&trace, outline, size, err)) {
        view_trace_release(&trace);
        return false;
    }
    if (view->position.history.pending) history_record(view);
    view_get_range(view, index, &begin, &end);
    perspective_apply(view, &trace);
    memcpy(trace.identity, before.identity, sizeof trace.identity);
    if (!live_keep_rows(view, index, &trace, err)) {
        view_trace_release(&trace);
        return false;
    }
    *place = trace;
    if (!view_build_axis(view, err)) {
        *place = before;
        row_states_clear(view); /* they have the rows of the other outline */
        row_order_renumber(&view->order, index, NULL, NULL);
        view_trace_release(&trace);
        return false;
    }
    view_trace_release(&before);
    tile_cache_clear(view->tiles);
    view_forget_events(view, index);
    view_clear_area(view);
    view->position.camera.extent = view->extent;
    view_set_range(view, index, begin, end, view->now_ms);
    camera_settle(&view->position.camera);
    view->layout.stale = true;
    history_renew(view);
    view->picture.is_stale = true;
    view->picture.is_drawn = false;
    return true;
}
