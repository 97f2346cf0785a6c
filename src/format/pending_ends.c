#include "format/pending_ends.h"

#include "base/heap.h"

static bool end_before(const PendingEnd *a, const PendingEnd *b)
{
    if (a->tick != b->tick) return a->tick < b->tick;
    return a->rank != b->rank ? a->rank < b->rank : a->slice < b->slice;
}

void pending_end_push(PendingEnds *ends, const PendingEnd *end)
{
    if (ends->first_is_free) {
        HEAP_SINK_FROM(PendingEnd, ends->heap.items, vec_count(&ends->heap), 0, *end, end_before);
        ends->first_is_free = false;
    } else if (vec_add(&ends->heap) != NULL) {
        HEAP_RISE_FROM(PendingEnd, ends->heap.items, vec_count(&ends->heap) - 1, *end, end_before);
    }
}

const PendingEnd *pending_end_first(const PendingEnds *ends)
{
    const PendingEnd *items = ends->heap.items;
    const size_t      count = vec_count(&ends->heap);
    if (!ends->first_is_free) return count == 0 ? NULL : items;
    if (count <= 2) return count == 1 ? NULL : &items[1];
    return end_before(&items[2], &items[1]) ? &items[2] : &items[1];
}

PendingEnd pending_end_pop(PendingEnds *ends)
{
    if (ends->first_is_free) {
        const PendingEnd last = *vec_last(&ends->heap);
        vec_cut(&ends->heap, vec_count(&ends->heap) - 1);
        HEAP_SINK_FROM(PendingEnd, ends->heap.items, vec_count(&ends->heap), 0, last, end_before);
    }
    ends->first_is_free = true;
    return ends->heap.items[0];
}
