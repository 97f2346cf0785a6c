/* trace/make/lane_heap.h - finds the first free one of many lanes. For src/trace only.
 *
 * An overlapping slice goes to the first free one of a few lanes. Beyond those, a search of all lanes would be slow, so
 * this heap gives the lane that has been free longest. */
#ifndef TRACE_MAKE_LANE_HEAP_H
#define TRACE_MAKE_LANE_HEAP_H
#include "base/attr.h"

#include <stdbool.h>
#include <stdint.h>

/* The number of lanes that are searched for the first free one. */
enum { LANES_SEARCHED = 64 };

typedef struct HeapLane {
    int64_t  free_at; /* the lane is free from here on */
    uint32_t lane;
} HeapLane;

typedef struct LaneHeap {
    /* the caller's, with room for all lanes that will be pushed; [0] is the first to be free */
    HeapLane *lanes;
    uint32_t  count;
} LaneHeap;

/* Lanes for slices in order of their begin. Zeroed except for far.lanes. */
typedef struct LaneSet {
    int64_t  free_at[LANES_SEARCHED]; /* of the first lanes */
    LaneHeap far;                     /* of the others */
    uint32_t count;
} LaneSet;

/* Assigns the first lane that is free during [begin, end). Two instants at the same time need two lanes. */
uint32_t lane_set_take(LaneSet *lanes, int64_t begin, int64_t end);

/* Adds a lane. Among lanes that are free at the same time the lowest is first. */
void lane_heap_push(LaneHeap *heap, HeapLane lane);
/* Assigns the first lane until a time. */
void lane_heap_take_first(LaneHeap *heap, int64_t until);
/* Removes the first lane. */
void lane_heap_remove_first(LaneHeap *heap);

#endif
