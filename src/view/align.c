/* The alignment of several traces on the axis. */
#include "view/align.h"

#include "base/checked.h"
#include "base/wide.h"
#include "view/data.h"
#include "view/select.h"

#include <assert.h>
#include <math.h>

const uint64_t *align_anchors(const View *view, uint32_t alignment)
{
    if (alignment == 0) return NULL;
    assert((size_t)alignment * view->trace_count <= vec_count(&view->position.alignments));
    return view->position.alignments.items + (size_t)(alignment - 1) * view->trace_count;
}

void align_reset(View *view)
{
    vec_clear(&view->position.alignments);
    view->position.alignment = 0;
    for (int i = 0; i < view->position.history.count; i++)
        view->position.history.visits[i].alignment = 0;
}

void align_remove_trace(View *view, uint32_t trace)
{
    uint64_t    *anchors = view->position.alignments.items;
    const size_t count = vec_count(&view->position.alignments);
    size_t       kept = 0;
    for (size_t i = 0; i < count; i++)
        if (i % view->trace_count != trace) anchors[kept++] = anchors[i];
    vec_cut(&view->position.alignments, kept);
}

void align_shift(View *view, uint32_t trace, uint64_t later)
{
    uint64_t    *anchors = view->position.alignments.items;
    const size_t count = vec_count(&view->position.alignments);
    assert(trace < view->trace_count);
    for (size_t i = trace; i < count; i += view->trace_count)
        anchors[i] = u64_add_saturated(anchors[i], later);
    if (view->input.pointer.drag != DRAG_TRACE ||
        vec_count(&view->input.align_drag.begins) != view->trace_count)
        return;
    AlignDrag     *drag = &view->input.align_drag;
    const AxisMap *map = &view_trace(view, trace)->map;
    const uint64_t moved = wide_mul_div_u64(later, map->den, map->num);
    int64_t       *begin = &drag->begins.items[trace];
    *begin = i64_sub_saturated(*begin, moved > INT64_MAX ? INT64_MAX : (int64_t)moved);
    if (trace != drag->fixed) return;
    const int64_t ticks = later > INT64_MAX ? INT64_MAX : (int64_t)later;
    drag->range_begin = i64_add_saturated(drag->range_begin, ticks);
    drag->range_end = i64_add_saturated(drag->range_end, ticks);
}

bool align_use(View *view, uint32_t alignment)
{
    Err            err;
    const uint32_t before = view->position.alignment;
    view->position.alignment = alignment;
    if (!view_build_axis(view, &err)) {
        view->position.alignment = before;
        return false;
    }
    assert(view->trace_count > 0);
    view->position.camera.extent = view->extent;
    view_clear_area(view);
    view->picture.is_stale = true;
    view->picture.is_drawn = false;
    return true;
}

bool view_align(View *view, const uint64_t *anchors, double now_ms)
{
    int64_t  begin, end;
    uint32_t alignment = 0;
    if (view->trace_count == 0) return true;
    view->now_ms = now_ms > view->now_ms ? now_ms : view->now_ms;
    const bool showed_all = camera_shows_all(&view->position.camera);
    view_get_range(view, 0, &begin, &end);
    history_record(view); /* the view before, to be restored by an undo */
    if (anchors != NULL) {
        vec_append(&view->position.alignments, anchors, view->trace_count);
        if (view->position.alignments.bytes.failed) return false;
        alignment = (uint32_t)(vec_count(&view->position.alignments) / view->trace_count);
    }
    if (!align_use(view, alignment)) return false;
    if (showed_all)
        camera_go(&view->position.camera, camera_fit(&view->position.camera), CAMERA_JUMPS);
    else
        view_set_range(view, 0, begin, end, view->now_ms);
    camera_settle(&view->position.camera);
    history_record(view);
    return true;
}

/* ---- dragging ---- */

int64_t align_distance(const View *view, uint32_t trace)
{
    return i64_sub_saturated(view_trace(view, trace)->map.begin, view_trace(view, 0)->map.begin);
}

/* Builds the axis with an alignment, and keeps the place of the trace that is not dragged. */
static void use_in_drag(View *view, uint32_t alignment)
{
    const AlignDrag *drag = &view->input.align_drag;
    if (!align_use(view, alignment)) return;
    view_set_range(view, drag->fixed, drag->range_begin, drag->range_end, view->now_ms);
    camera_settle(&view->position.camera);
}

/* True if its alignment is in use: since the begin of the drag no trace was opened or closed, and nothing undone. */
static bool drag_is_valid(const View *view)
{
    const AlignDrag *drag = &view->input.align_drag;
    return view->position.alignment != 0 && view->position.alignment == drag->current &&
           vec_count(&drag->begins) == view->trace_count;
}

/* Fills an alignment: the begins of the drag, with that of the dragged trace moved by a distance on the axis. */
static void fill_anchors(View *view, int64_t moved)
{
    AlignDrag *drag = &view->input.align_drag;
    uint64_t  *anchors =
        view->position.alignments.items + (size_t)(view->position.alignment - 1) * view->trace_count;
    const int64_t begin = i64_add_saturated(drag->begins.items[drag->trace], moved);
    int64_t       latest = begin;
    for (uint32_t t = 0; t < view->trace_count; t++)
        if (t != drag->trace && drag->begins.items[t] > latest) latest = drag->begins.items[t];
    for (uint32_t t = 0; t < view->trace_count; t++) {
        const AxisMap *map = &view_trace(view, t)->map;
        const int64_t  from = t == drag->trace ? begin : drag->begins.items[t];
        anchors[t] = wide_mul_div_u64((uint64_t)latest - (uint64_t)from, map->num, map->den);
    }
}

void align_drag_begin(View *view, uint32_t trace)
{
    AlignDrag      *drag = &view->input.align_drag;
    const CameraPos pos = camera_now(&view->position.camera);
    drag->trace = trace;
    drag->fixed = trace == 0 ? 1 : 0;
    drag->before = view->position.alignment;
    drag->ticks_per_px = 1 / pos.px_per_tick;
    assert(trace < view->trace_count && drag->fixed < view->trace_count);
    view_get_range(view, drag->fixed, &drag->range_begin, &drag->range_end);
    history_record(view); /* the view before, to be restored by an undo */
    vec_clear(&drag->begins);
    for (uint32_t t = 0; t < view->trace_count; t++) {
        vec_push(&drag->begins, view_trace(view, t)->map.begin);
        vec_push(&view->position.alignments, 0);
    }
    if (drag->begins.bytes.failed || view->position.alignments.bytes.failed) {
        view->input.pointer.drag = DRAG_NONE;
        return;
    }
    view->position.alignment = (uint32_t)(vec_count(&view->position.alignments) / view->trace_count);
    drag->current = view->position.alignment;
    fill_anchors(view, 0);
}

void align_drag_update(View *view)
{
    const double limit = 0x1p60;
    const double moved =
        (view->input.pointer.x - view->input.pointer.down_x) * view->input.align_drag.ticks_per_px;
    if (!drag_is_valid(view)) {
        view->input.pointer.drag = DRAG_NONE;
        return;
    }
    fill_anchors(view, (int64_t)fmax(fmin(moved, limit), -limit));
    use_in_drag(view, view->position.alignment);
}

void align_drag_end(View *view)
{
    if (drag_is_valid(view)) history_record(view);
}

void align_drag_cancel(View *view)
{
    if (drag_is_valid(view)) use_in_drag(view, view->input.align_drag.before);
}
