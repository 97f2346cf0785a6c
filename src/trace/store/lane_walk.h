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

/* A row of the lane. */
typedef struct LaneLevel {
    uint64_t next;     /* the first slice that has not begun */
    uint64_t end;      /* of the slices in the window */
    uint64_t row_end;  /* of all slices */
    int64_t  tick;     /* begin of `next`, if next < row_end */
    int64_t  end_tick; /* of the open slice, which is the one before `next` */
    bool     has_next; /* `next` is in the window and begins inside the open slice of the row above */
} LaneLevel;

typedef struct LaneWalk {
    const Trace *trace; /* borrowed */
    /* Borrowed. The first one is above the row of depth 0, the last one below all rows; both are empty. */
    LaneLevel *levels;
    uint32_t   depth;   /* number of open slices */
    uint32_t   waiting; /* number of levels with has_next, of the open slices */
} LaneWalk;

typedef struct LaneEvent {
    uint64_t slice;
    int64_t  tick;
    uint32_t depth; /* of the slice: the number of open slices around it */
    bool     is_begin;
} LaneEvent;

/* Returns the number of levels that a walk over any lane of the trace needs. O(rows). */
size_t lane_walk_levels(const Trace *trace);
/* Begins a walk over the lane whose row of depth 0 is `first_row`. O(rows of the lane). */
void lane_walk_open(LaneWalk *walk, const Trace *trace, uint32_t first_row, LaneLevel *levels);
/* Moves to the next begin or end. False after the last end. */
bool lane_walk_next(LaneWalk *walk, LaneEvent *event);

#endif
