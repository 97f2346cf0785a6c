/* trace/store/lane_walk.h - the begins and ends of the slices of one lane, nested and in order of time.
 *
 *     LaneWalk walk;
 *     lane_walk_open(&walk, trace, first_row, levels);
 *     for (LaneEvent event; lane_walk_next(&walk, &event);) ...
 *
 * A lane is the rows of one (track, lane): its slices nest. Only slices in the trace's window are visited; a slice outside
 * the window has no child inside. Memory: one level for each row of the lane. */
#ifndef TRACE_STORE_LANE_WALK_H
#define TRACE_STORE_LANE_WALK_H
#include "trace/store/trace.h"

/* An open slice, and the slices of the row below inside it. */
typedef struct LaneLevel {
    uint64_t slice;
    uint64_t next, end; /* slices of this row in the same parent that have not begun yet */
    uint32_t from;      /* for trace_slice_children_from */
} LaneLevel;

typedef struct LaneWalk {
    const Trace *trace;     /* borrowed */
    LaneLevel   *levels;    /* borrowed */
    uint32_t     first_row; /* row of depth 0 */
    uint32_t     depth;     /* number of open slices */
    uint32_t     waiting;   /* number of levels that have more slices to begin */
} LaneWalk;

typedef struct LaneEvent {
    uint64_t slice;
    uint32_t depth; /* of the slice: the number of open slices around it */
    bool     is_begin;
} LaneEvent;

/* Returns the number of levels that a walk over any lane of the trace needs. O(rows). */
size_t lane_walk_levels(const Trace *trace);
/* Begins a walk over the lane whose row of depth 0 is `first_row`. The levels are zeroed or those of another walk. */
void lane_walk_open(LaneWalk *walk, const Trace *trace, uint32_t first_row, LaneLevel *levels);
/* Moves to the next begin or end. False after the last end. */
bool lane_walk_next(LaneWalk *walk, LaneEvent *event);

#endif
