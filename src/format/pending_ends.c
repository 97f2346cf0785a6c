#include "format/pending_ends.h"

static bool end_before(const PendingEnd *a, const PendingEnd *b)
{
    if (a->tick != b->tick) return a->tick < b->tick;
    return a->rank != b->rank ? a->rank < b->rank : a->slice < b->slice;
}

static size_t end_count(const Bytes *ends)
{
    return ends->size / sizeof(PendingEnd);
}

void pending_end_push(Bytes *ends, PendingEnd end)
{
    bytes_append(ends, &end, sizeof end);
    if (ends->failed) return;
    PendingEnd *heap = (PendingEnd *)(void *)ends->data;
    size_t      at = end_count(ends) - 1;
    for (; at > 0 && end_before(&end, &heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = end;
}

const PendingEnd *pending_end_first(const Bytes *ends)
{
    return end_count(ends) == 0 ? NULL : (const PendingEnd *)(const void *)ends->data;
}

PendingEnd pending_end_pop(Bytes *ends)
{
    PendingEnd *heap = (PendingEnd *)(void *)ends->data;
    PendingEnd  first = heap[0], moved = heap[end_count(ends) - 1];
    ends->size -= sizeof moved;
    size_t count = end_count(ends), at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= count) break;
        if (child + 1 < count && end_before(&heap[child + 1], &heap[child])) child++;
        if (!end_before(&heap[child], &moved)) break;
        heap[at] = heap[child];
        at = child;
    }
    if (count > 0) heap[at] = moved;
    return first;
}
