#include "format/pending_ends.h"

#include "base/heap.h"

static bool end_before(const PendingEnd *a, const PendingEnd *b)
{
    if (a->tick != b->tick) return a->tick < b->tick;
    return a->rank != b->rank ? a->rank < b->rank : a->slice < b->slice;
}

void pending_end_push(PendingEnds *ends, PendingEnd end)
{
    vec_push(ends, end);
    if (!ends->bytes.failed) HEAP_RISE(PendingEnd, ends->items, vec_count(ends) - 1, end_before);
}

const PendingEnd *pending_end_first(const PendingEnds *ends)
{
    return vec_count(ends) == 0 ? NULL : ends->items;
}

PendingEnd pending_end_pop(PendingEnds *ends)
{
    const PendingEnd first = ends->items[0];
    ends->items[0] = *vec_last(ends);
    vec_cut(ends, vec_count(ends) - 1);
    HEAP_SINK(PendingEnd, ends->items, vec_count(ends), 0, end_before);
    return first;
}
