/* The alignment of several traces on the axis. */
#include "view/align.h"

#include "base/checked.h"
#include "view/data.h"
#include "view/select.h"

#include <assert.h>

const uint64_t *align_anchors(const View *view)
{
    if (view->position.alignment == 0) return NULL;
    assert((size_t)view->position.alignment * view->trace_count <= vec_count(&view->position.alignments));
    return view->position.alignments.items + (size_t)(view->position.alignment - 1) * view->trace_count;
}

void align_reset(View *view)
{
    vec_clear(&view->position.alignments);
    view->position.alignment = 0;
}

void align_shift(View *view, uint32_t trace, uint64_t later)
{
    uint64_t    *anchors = view->position.alignments.items;
    const size_t count = vec_count(&view->position.alignments);
    assert(trace < view->trace_count);
    for (size_t i = trace; i < count; i += view->trace_count)
        anchors[i] = u64_add_saturated(anchors[i], later);
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
    view_get_range(view, 0, &begin, &end);
    history_record(view); /* the view before, to be restored by an undo */
    if (anchors != NULL) {
        vec_append(&view->position.alignments, anchors, view->trace_count);
        if (view->position.alignments.bytes.failed) return false;
        alignment = (uint32_t)(vec_count(&view->position.alignments) / view->trace_count);
    }
    if (!align_use(view, alignment)) return false;
    view_set_range(view, 0, begin, end, view->now_ms);
    camera_settle(&view->position.camera);
    history_record(view);
    return true;
}
