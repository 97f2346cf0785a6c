#include "trace/make/lane_heap.h"

#include "base/heap.h"

static bool frees_before(const HeapLane *a, const HeapLane *b)
{
    return a->free_at != b->free_at ? a->free_at < b->free_at : a->lane < b->lane;
}

void lane_heap_push(LaneHeap *heap, HeapLane lane)
{
    heap->lanes[heap->count] = lane;
    HEAP_RISE(HeapLane, heap->lanes, heap->count, frees_before);
    heap->count++;
}

void lane_heap_take_first(LaneHeap *heap, int64_t until)
{
    heap->lanes[0].free_at = until;
    HEAP_SINK(HeapLane, heap->lanes, heap->count, 0, frees_before);
}

void lane_heap_remove_first(LaneHeap *heap)
{
    heap->lanes[0] = heap->lanes[--heap->count];
    HEAP_SINK(HeapLane, heap->lanes, heap->count, 0, frees_before);
}

uint32_t lane_set_take(LaneSet *lanes, int64_t begin, int64_t end)
{
    int64_t  until = end == begin && end < INT64_MAX ? end + 1 : end;
    uint32_t near = lanes->count < LANES_SEARCHED ? lanes->count : LANES_SEARCHED;
    for (uint32_t lane = 0; lane < near; lane++) {
        if (lanes->free_at[lane] > begin) continue;
        lanes->free_at[lane] = until;
        return lane;
    }
    if (lanes->far.count > 0 && lanes->far.lanes[0].free_at <= begin) {
        uint32_t lane = lanes->far.lanes[0].lane;
        lane_heap_take_first(&lanes->far, until);
        return lane;
    }
    uint32_t lane = lanes->count++;
    if (lane < LANES_SEARCHED) {
        lanes->free_at[lane] = until;
    } else {
        lane_heap_push(&lanes->far, (HeapLane){ until, lane });
    }
    return lane;
}
