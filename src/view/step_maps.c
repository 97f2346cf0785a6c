#include "view/step_maps.h"

#include "view/data.h"

StepMaps step_maps_find(const View *view, uint32_t trace)
{
    const History *history = &view->position.history;
    StepMaps       found = { .now = view_trace(view, trace)->map };
    Arena          scratch = arena_create(0);
    AxisMap       *maps = ARENA_ARRAY(&scratch, AxisMap, view->trace_count);
    uint64_t       extent;
    found.are_known = maps != NULL;
    for (int i = 0; i < history->count && found.are_known; i++) {
        found.are_known = view_find_axis(view, history->visits[i].alignment, maps, &extent);
        if (found.are_known) found.steps[i] = maps[trace];
    }
    arena_release(&scratch);
    return found;
}

void step_maps_move_position(const AxisMap *before, const AxisMap *after, CameraPos *pos)
{
    const int64_t offset = axis_to_offset(before, pos->tick), at = axis_from_signed(before, offset);
    const double  rest = pos->tick >= at ? (double)((uint64_t)pos->tick - (uint64_t)at)
                                         : -(double)((uint64_t)at - (uint64_t)pos->tick);
    const double  ratio =
        ((double)after->den / (double)after->num) / ((double)before->den / (double)before->num);
    const double ticks = (rest + pos->frac) * ratio;
    *pos = (CameraPos){ axis_from_signed(after, offset), 0, pos->px_per_tick / ratio };
    camera_advance(pos, ticks);
}

void step_maps_move(View *view, const StepMaps *before, const StepMaps *after, bool counted_calls)
{
    History *history = &view->position.history;
    if (!before->are_known || !after->are_known) {
        *history = (History){ .pending = true };
        return;
    }
    /* Steps on the other axis of captures have a range of that axis. */
    for (int i = 0; i < history->count; i++)
        if (history->visits[i].counts_calls == counted_calls)
            step_maps_move_position(&before->steps[i], &after->steps[i], &history->visits[i].pos);
}
