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
    Interval interval;
} TieItem;

static int compare_ties(const void *left, const void *right)
{
    const TieItem *a = (const TieItem *)left, *b = (const TieItem *)right;
    if (a->key != b->key) return a->key > b->key ? -1 : 1;
    if (a->order != b->order) return a->order < b->order ? -1 : 1;
    /* Files have only one record at an offset; this keeps the order total in any case. */
    return (a->interval.event > b->interval.event) - (a->interval.event < b->interval.event);
}

/* Orders intervals with the same begin. A paired one is treated as ending with the last of the paired ones after it, so
 * that these stay in file order, with completes between them. */
static void order_ties(Workspace *ws, Interval *intervals, size_t count)
{
    TieItem *items = (TieItem *)arena_push_raw(&ws->scratch, count, sizeof(TieItem));
    if (items == NULL) {
        ws->failed = true;
        return;
    }
    int64_t        latest = INT64_MIN;
    const uint64_t reversed = ws->builder->rules.ties == TIES_LATER_OUTSIDE ? UINT64_MAX : 0;
    for (size_t i = count; i-- > 0;) {
        int64_t key = intervals[i].end;
        if (intervals[i].place & INTERVAL_PAIRED) {
            if (key > latest) latest = key;
            key = latest;
        }
        items[i] = (TieItem){ key, place_offset(intervals[i].place) ^ reversed, intervals[i] };
    }
    qsort(items, count, sizeof *items, compare_ties);
    for (size_t i = 0; i < count; i++)
        intervals[i] = items[i].interval;
}

static void order_all_ties(Workspace *ws, Interval *intervals, size_t count)
{
    for (size_t last = 1; last < count; last++) {
        const size_t first = last - 1;
        if (LIKELY(intervals[last].begin != intervals[first].begin)) continue;
        bool all_paired = (intervals[first].place & INTERVAL_PAIRED) != 0;
        for (; last < count && intervals[last].begin == intervals[first].begin; last++)
            all_paired &= (intervals[last].place & INTERVAL_PAIRED) != 0;
        if (!all_paired) order_ties(ws, intervals + first, last - first);
    }
}

/* ---- all ---- */

static bool is_in_order_of_begin(const Interval *intervals, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (intervals[i].begin < intervals[i - 1].begin) return false;
    }
    return true;
}

/* Sorts the completes and merges them with the paired intervals, in place. Returns false when out of memory. */
static bool merge_completes(Workspace *ws, const TrackWork *work)
{
    const size_t    count = work->interval_count, paired_count = work->paired_count;
    const size_t    complete_count = count - paired_count;
    Interval *const intervals = work->intervals;
    const Interval *unsorted = work->completes_first ? intervals : intervals + paired_count;
    void *const     sorted = workspace_pages(ws, &ws->sorted, complete_count, sizeof(Interval));
    RunSort         completes;
    if (sorted == NULL || !run_sort_begin(ws, &completes, unsorted, sorted, complete_count, sizeof(Interval)))
        return false;
    if (!work->completes_first)
        memmove(intervals + complete_count, intervals, paired_count * sizeof *intervals);
    /* The result is written from the first place on. It is never ahead of the next paired interval: they differ by the
     * completes that remain. */
    const Interval *paired = intervals + complete_count, *const paired_end = intervals + count;
    Interval *to = intervals;
    for (const Interval *complete;
         (complete = (const Interval *)run_sort_next(&completes, sizeof *complete)) != NULL;) {
        while (paired < paired_end && paired->begin <= complete->begin)
            *to++ = *paired++;
        *to++ = *complete;
    }
    assert(to == paired);
    return true;
}

void order_intervals(Workspace *ws, TrackWork *work)
{
    const size_t count = work->interval_count;
    if (work->paired_count == count) return; /* begins came in order, equal times in file order */
    const bool in_order =
        (work->paired_count == 0 || !work->completes_first) && is_in_order_of_begin(work->intervals, count);
    if (!in_order && !merge_completes(ws, work)) return;
    order_all_ties(ws, work->intervals, count);
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
