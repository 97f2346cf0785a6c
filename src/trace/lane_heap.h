/* trace/lane_heap.h - which of many lanes is free first. For src/trace only.
 *
 * What overlaps is put on the first of a few lanes that takes it; beyond those, searching each would cost more than
 * tidiness is worth, and the lane that is free longest is taken from here. */
#ifndef TRACE_LANE_HEAP_H
#define TRACE_LANE_HEAP_H
#include "base/attr.h"

#include <stdbool.h>
#include <stdint.h>

/* So many lanes are searched for the first fit. */
enum { LANES_SEARCHED = 64 };

typedef struct HeapLane {
    int64_t  free_at; /* nothing lies on it from here on */
    uint32_t lane;
} HeapLane;

typedef struct LaneHeap {
    HeapLane *lanes; /* the caller's, with room for all lanes that will be pushed; [0] is free first */
    uint32_t  count;
} LaneHeap;

/* Lanes for things that come in order of their begin. Zeroed, but for far.lanes. */
typedef struct LaneSet {
    int64_t  free_at[LANES_SEARCHED]; /* of the first lanes */
    LaneHeap far;                     /* of the others */
    uint32_t count;
} LaneSet;

/* The first lane that is free during [begin, end), taken for it. Two moments at the same time are two marks beside each
 * other. */
uint32_t lane_set_take(LaneSet *lanes, int64_t begin, int64_t end);

/* Among lanes that are free at the same time the lowest comes first. */
void lane_heap_push(LaneHeap *heap, HeapLane lane);
/* The first lane is taken until then. */
void lane_heap_take_first(LaneHeap *heap, int64_t until);
/* The first lane is none any more. */
void lane_heap_remove_first(LaneHeap *heap);

#endif
