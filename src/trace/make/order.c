/* Puts the intervals and the instants of a track in order.
 *
 * Order of intervals: by begin; the longer first; then in file order, or against it (TieRule). Slices made of begin and end
 * events with equal begins are in file order: a slice that was closed before another began does not contain it. */
#include "base/vec.h"
#include "trace/make/finish.h"
#include "trace/make/run_sort.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- equal begins ---- */

typedef struct TieItem {
    int64_t  key;   /* an end: greater goes first */
    uint64_t order; /* then the lesser */
    uint32_t event; /* of the interval */
    uint32_t index; /* in TrackWork.intervals */
} TieItem;

static int compare_ties(const void *left, const void *right)
{
    const TieItem *a = (const TieItem *)left, *b = (const TieItem *)right;
    if (a->key != b->key) return a->key > b->key ? -1 : 1;
    if (a->order != b->order) return a->order < b->order ? -1 : 1;
    /* Files have only one record at an offset; this keeps the order total in any case. */
    return (a->event > b->event) - (a->event < b->event);
}

/* Orders the indices of intervals with the same begin. A paired one is treated as ending with the last of the paired ones after it,
 * so that these stay in file order, with completes between them. */
static void order_ties(Workspace *ws, const Interval *intervals, uint32_t *order, size_t count)
{
    TieItem *items = (TieItem *)arena_push_raw(&ws->scratch, count, sizeof(TieItem));
    if (items == NULL) {
        ws->failed = true;
        return;
    }
    int64_t        latest = INT64_MIN;
    const uint64_t reversed = ws->builder->rules.ties == TIES_LATER_OUTSIDE ? UINT64_MAX : 0;
    for (size_t i = count; i-- > 0;) {
        const Interval *interval = &intervals[order[i]];
        int64_t         key = interval->end;
        if (interval->place & INTERVAL_PAIRED) {
            if (key > latest) latest = key;
            key = latest;
        }
        items[i] = (TieItem){ key, place_offset(interval->place) ^ reversed, interval->event, order[i] };
    }
    qsort(items, count, sizeof *items, compare_ties);
    for (size_t i = 0; i < count; i++)
        order[i] = items[i].index;
}

static void order_all_ties(Workspace *ws, const TrackWork *work)
{
    const Interval *const intervals = work->intervals;
    uint32_t *const       order = work->order;
    const size_t          count = work->interval_count;
    for (size_t last = 1; last < count; last++) {
        const size_t    first = last - 1;
        const Interval *interval = &intervals[order[first]];
        const int64_t   begin = interval->begin;
        uint64_t        all = interval->place;
        if (LIKELY(intervals[order[last]].begin != begin)) continue;
        for (; last < count && (interval = &intervals[order[last]])->begin == begin; last++)
            all &= interval->place;
        if (!(all & INTERVAL_PAIRED)) order_ties(ws, intervals, order + first, last - first);
    }
}

/* ---- all ---- */

/* True if all intervals are in order of begin. The paired ones are: where the others follow is compared first. */
static bool is_in_order_of_begin(const TrackWork *work)
{
    const Interval *const intervals = work->intervals;
    const size_t          count = work->interval_count, paired = work->paired_count;
    assert(paired < count);
    if (paired > 0 && intervals[paired].begin < intervals[paired - 1].begin) return false;
    for (size_t i = 1; i < count; i++) {
        if (intervals[i].begin < intervals[i - 1].begin) return false;
    }
    return true;
}

/* Sorts the completes and merges them with the paired intervals: fills work->order. Sets *has_ties if a complete begins with another
 * interval. Returns false when out of memory. */
static bool merge_completes(Workspace *ws, const TrackWork *work, bool *has_ties)
{
    const size_t count = work->interval_count, paired_count = work->paired_count,
                 complete_count = count - paired_count;
    const Interval *const intervals = work->intervals;
    SortKey *const  sorted = (SortKey *)workspace_pages(ws, &ws->sorted, complete_count, sizeof *sorted);
    uint32_t *const order = work->order;
    RunSort         completes;
    if (sorted == NULL ||
        !run_sort_places(ws, &completes, intervals + paired_count, sorted, complete_count, sizeof(Interval)))
        return false;
    size_t  n = 0, paired = 0;
    int64_t before = INT64_MIN; /* of the latest begin */
    for (const SortKey *complete;
         (complete = (const SortKey *)run_sort_next(&completes, sizeof *complete)) != NULL;) {
        const int64_t begin = (int64_t)complete->key;
        for (; paired < paired_count && intervals[paired].begin <= begin; paired++) {
            before = intervals[paired].begin;
            order[n++] = (uint32_t)paired;
        }
        *has_ties |= begin == before;
        before = begin;
        order[n++] = (uint32_t)(paired_count + complete->index);
    }
    for (; paired < paired_count; paired++)
        order[n++] = (uint32_t)paired;
    assert(n == count);
    return true;
}

void order_intervals(Workspace *ws, TrackWork *work)
{
    const size_t count = work->interval_count;
    if (work->paired_count == count) return; /* begins came in order, equal times in file order */
    work->order = (uint32_t *)workspace_pages(ws, &ws->order, count, sizeof *work->order);
    if (work->order == NULL) return;
    bool has_ties = true;
    if (is_in_order_of_begin(work)) {
        for (size_t i = 0; i < count; i++)
            work->order[i] = (uint32_t)i;
    } else {
        has_ties = false;
        if (!merge_completes(ws, work, &has_ties)) return;
    }
    if (has_ties) order_all_ties(ws, work);
}

/* Lists the instants of the thread's log. */
static void list_instants(Workspace *ws, TrackWork *work)
{
    const InstantLog *log = &work->thread->instants;
    StackCursor       stacks = stack_cursor_over(ws->builder, log->stacks);
    const size_t      count = (size_t)log->count;
    InstantPlace *places = (InstantPlace *)workspace_pages(ws, &ws->instants, count, sizeof(InstantPlace));
    work->instants = places;
    work->instant_count = places == NULL ? 0 : count;
    size_t n = 0;
    for (const InstantChunk *chunk = log->first; places != NULL && chunk != NULL; chunk = chunk->next)
        for (uint64_t i = 0; i < chunk->count; i++, n++)
            places[n] = (InstantPlace){ .mark = chunk->marks[i], .stack = stack_cursor_take(&stacks, n) };
}

void order_instants(Workspace *ws, TrackWork *work)
{
    if (work->instants == NULL && work->thread->instants.count > 0) list_instants(ws, work);
    const size_t  count = work->instant_count;
    InstantPlace *places = work->instants;
    size_t        sorted = 1;
    while (sorted < count && places[sorted - 1].mark.tick <= places[sorted].mark.tick)
        sorted++;
    if (sorted >= count) return;
    void *swap = workspace_pages(ws, &ws->sorted, count, sizeof *places);
    void *result = swap == NULL ? NULL : run_sort_array(ws, places, swap, count, sizeof *places);
    if (result != NULL) work->instants = (InstantPlace *)result;
}
