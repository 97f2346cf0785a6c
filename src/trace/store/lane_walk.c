#include "trace/store/lane_walk.h"

#include "trace/store/window.h"

size_t lane_walk_levels(const Trace *trace)
{
    uint32_t deepest = 0;
    for (uint32_t row = 0; row < trace->row_count; row++)
        if (trace->rows[row].depth > deepest) deepest = trace->rows[row].depth;
    return (size_t)deepest + 2;
}

static void push_level(LaneWalk *walk, uint64_t first, uint64_t end)
{
    LaneLevel *level = &walk->levels[walk->depth];
    level->next = first;
    level->end = end < first ? first : end;
    if (first < end) walk->waiting++;
}

void lane_walk_open(LaneWalk *walk, const Trace *trace, uint32_t first_row, LaneLevel *levels)
{
    const RowWindow all = row_window(trace, &trace->rows[first_row]);
    *walk = (LaneWalk){ .trace = trace, .levels = levels, .first_row = first_row };
    push_level(walk, all.first_slice, all.slice_end);
}

/* Opens the level of the children of a slice that are in the window. */
static void push_children(LaneWalk *walk, uint64_t slice)
{
    const Trace   *trace = walk->trace;
    const uint32_t row = walk->first_row + walk->depth;
    uint32_t      *from = &walk->levels[walk->depth].from;
    uint64_t first, count = trace_slice_children_from(trace, row, slice, from, &first), end = first + count;
    if (count > 0) {
        const RowWindow below = row_window(trace, &trace->rows[row + 1]);
        if (first < below.first_slice) first = below.first_slice;
        if (end > below.slice_end) end = below.slice_end;
    }
    walk->depth++;
    push_level(walk, first, end);
}

bool lane_walk_next(LaneWalk *walk, LaneEvent *event)
{
    LaneLevel *level = &walk->levels[walk->depth];
    if (level->next < level->end) {
        *event = (LaneEvent){ .slice = level->next++, .depth = walk->depth, .is_begin = true };
        level->slice = event->slice;
        if (level->next == level->end) walk->waiting--;
        push_children(walk, event->slice);
        return true;
    }
    if (walk->depth == 0) return false;
    walk->depth--;
    *event = (LaneEvent){ .slice = walk->levels[walk->depth].slice, .depth = walk->depth, .is_begin = false };
    return true;
}
