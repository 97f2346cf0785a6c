#include "trace/store/lane_walk.h"

#include "trace/store/begins.h"
#include "trace/store/window.h"

size_t lane_walk_levels(const Trace *trace)
{
    uint32_t deepest = 0;
    for (uint32_t row = 0; row < trace->row_count; row++)
        if (trace->rows[row].depth > deepest) deepest = trace->rows[row].depth;
    return (size_t)deepest + 3;
}

static void look(const Trace *trace, LaneLevel *level)
{
    if (level->next < level->row_end) level->tick = begins_at(&trace->slices, level->next);
}

/* Sets has_next. The parent of a slice is the last slice of the row above that does not begin behind it. */
static void update(LaneWalk *walk, LaneLevel *level)
{
    const LaneLevel *above = level - 1;
    level->has_next =
        level->next < level->end && (above->next == above->row_end || level->tick < above->tick);
    walk->waiting += level->has_next;
}

void lane_walk_open(LaneWalk *walk, const Trace *trace, uint32_t first_row, LaneLevel *levels)
{
    const Row *rows = trace->rows + first_row, *end = trace->rows + trace->row_count, *row = rows;
    LaneLevel *level = levels;
    *walk = (LaneWalk){ .trace = trace, .levels = levels };
    *level++ = (LaneLevel){ .next = 0 };
    for (; row < end && row->track == rows->track && row->lane == rows->lane; row++, level++) {
        const RowWindow window = row_window(trace, row);
        *level = (LaneLevel){ .next = window.first_slice,
                              .end = window.slice_end,
                              .row_end = row->first_slice + row->slice_count };
        look(trace, level);
    }
    *level = (LaneLevel){ .next = 0 };
    update(walk, levels + 1);
}

bool lane_walk_next(LaneWalk *walk, LaneEvent *event)
{
    LaneLevel *level = &walk->levels[walk->depth + 1];
    if (level->has_next) {
        *event = (LaneEvent){
            .slice = level->next++, .tick = level->tick, .depth = walk->depth, .is_begin = true
        };
        level->end_tick = trace_slice_end_from(walk->trace, event->slice, event->tick);
        look(walk->trace, level);
        walk->waiting--;
        update(walk, level);
        update(walk, level + 1);
        walk->depth++;
        return true;
    }
    if (walk->depth == 0) return false;
    level--;
    walk->depth--;
    *event = (LaneEvent){ .slice = level->next - 1, .tick = level->end_tick, .depth = walk->depth };
    return true;
}
