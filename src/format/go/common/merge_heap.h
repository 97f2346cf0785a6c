/* format/go/common/merge_heap.h - the merge heap of streams, by the time of their next events. */
#ifndef FORMAT_GO_COMMON_MERGE_HEAP_H
#define FORMAT_GO_COMMON_MERGE_HEAP_H
#include "base/arena.h"

#include <assert.h>

/* A heap entry: a stream's next event. Ordered by time, then by `place`: its offset in the input, or a negative number
 * to come before all offsets. */
typedef struct MergeEntry {
    int64_t  time;
    int64_t  place;
    uint32_t stream;
} MergeEntry;

/* The heap, earliest first, in arrays of [count] in an arena; zeroed: empty. After the last entry are MERGE_HEAP_BEHIND
 * entries with the maximal time, so that merge_heap_go_on needs no bounds check. Each field has its own array: reading a
 * whole MergeEntry just after its fields were written one by one would cause a store forwarding stall. */
typedef struct MergeHeap {
    int64_t  *time;
    int64_t  *place;
    uint32_t *stream;
    uint32_t  count;
} MergeHeap;

enum { MERGE_HEAP_BEHIND = 1 };

static ALWAYS_INLINE void merge_heap_put(MergeHeap *heap, uint32_t i, MergeEntry entry)
{
    heap->time[i] = entry.time;
    heap->place[i] = entry.place;
    heap->stream[i] = entry.stream;
}

static ALWAYS_INLINE MergeEntry merge_heap_at(const MergeHeap *heap, uint32_t i)
{
    return (MergeEntry){ heap->time[i], heap->place[i], heap->stream[i] };
}

static ALWAYS_INLINE bool merge_entry_is_before(MergeEntry a, MergeEntry b)
{
    return a.time < b.time || (a.time == b.time && a.place < b.place);
}

static inline void merge_heap_put_never(MergeHeap *heap, uint32_t i)
{
    merge_heap_put(heap, i, (MergeEntry){ INT64_MAX, INT64_MAX, 0 });
}

/* Allocates the arrays for `count` streams. False when out of memory. */
static inline bool merge_heap_create(MergeHeap *heap, Arena *arena, uint32_t count)
{
    const size_t room = (size_t)count + MERGE_HEAP_BEHIND;
    *heap = (MergeHeap){ ARENA_ARRAY(arena, int64_t, room), ARENA_ARRAY(arena, int64_t, room),
                         ARENA_ARRAY(arena, uint32_t, room), 0 };
    if (heap->time == NULL || heap->place == NULL || heap->stream == NULL) return false;
    for (uint32_t i = 0; i < room; i++)
        merge_heap_put_never(heap, i);
    return true;
}

/* Adds a stream that is not in the heap. */
static inline void merge_heap_enter(MergeHeap *heap, MergeEntry entry)
{
    uint32_t i = heap->count++;
    for (; i > 0 && merge_entry_is_before(entry, merge_heap_at(heap, (i - 1) / 2)); i = (i - 1) / 2)
        merge_heap_put(heap, i, merge_heap_at(heap, (i - 1) / 2));
    merge_heap_put(heap, i, entry);
}

/* Replaces the first entry: the first stream's next event. */
static ALWAYS_INLINE void merge_heap_go_on(MergeHeap *heap, MergeEntry entry)
{
    const uint32_t count = heap->count;
    uint32_t       i = 0;
    for (uint32_t child = 1; child < count; child = 2 * i + 1) {
        if (merge_entry_is_before(merge_heap_at(heap, child + 1), merge_heap_at(heap, child))) child++;
        if (merge_entry_is_before(entry, merge_heap_at(heap, child))) break;
        merge_heap_put(heap, i, merge_heap_at(heap, child));
        i = child;
    }
    merge_heap_put(heap, i, entry);
}

/* Removes the first stream. */
static inline void merge_heap_leave(MergeHeap *heap)
{
    assert(heap->count > 0);
    const MergeEntry last = merge_heap_at(heap, --heap->count);
    merge_heap_put_never(heap, heap->count);
    if (heap->count > 0) merge_heap_go_on(heap, last);
}

#endif
