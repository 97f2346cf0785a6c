#include "trace/lane_heap.h"

static bool frees_before(HeapLane a, HeapLane b)
{
    return a.free_at != b.free_at ? a.free_at < b.free_at : a.lane < b.lane;
}

static void swap(LaneHeap *heap, uint32_t a, uint32_t b)
{
    HeapLane lane = heap->lanes[a];
    heap->lanes[a] = heap->lanes[b];
    heap->lanes[b] = lane;
}

void lane_heap_push(LaneHeap *heap, HeapLane lane)
{
    uint32_t at = heap->count++;
    heap->lanes[at] = lane;
    for (; at > 0 && frees_before(heap->lanes[at], heap->lanes[(at - 1) / 2]); at = (at - 1) / 2) {
        swap(heap, at, (at - 1) / 2);
    }
}

/* Restores the heap after a change of its first lane. */
static void sink_first(LaneHeap *heap)
{
    for (uint32_t at = 0;;) {
        uint32_t least = at, left = 2 * at + 1, right = left + 1;
        if (left < heap->count && frees_before(heap->lanes[left], heap->lanes[least])) least = left;
        if (right < heap->count && frees_before(heap->lanes[right], heap->lanes[least])) least = right;
        if (least == at) return;
        swap(heap, at, least);
        at = least;
    }
}

void lane_heap_take_first(LaneHeap *heap, int64_t until)
{
    heap->lanes[0].free_at = until;
    sink_first(heap);
}

void lane_heap_remove_first(LaneHeap *heap)
{
    heap->lanes[0] = heap->lanes[--heap->count];
    sink_first(heap);
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
