#include "view/row_titles.h"

#include "base/index_sort.h"
#include "base/search.h"

#include <assert.h>

/* Items of the index: the processes, then the tracks. */
static uint32_t item_count(const Outline *outline)
{
    return outline->process_count + outline->track_count;
}

static RowTitle item_title(const Outline *outline, uint32_t item)
{
    assert(item < item_count(outline));
    if (item < outline->process_count)
        return (
            RowTitle){ .kind = ITEM_PROCESS, .has_process = true, .process = outline->processes[item].title };
    const OutlineTrack *track = &outline->tracks[item - outline->process_count];
    RowTitle            title = { .kind = ITEM_TRACK, .track = track->title };
    title.has_process = track->process < outline->process_count;
    if (title.has_process) title.process = outline->processes[track->process].title;
    return title;
}

static int compare_texts(StringView left, StringView right)
{
    const size_t size = left.size < right.size ? left.size : right.size;
    const int    order = size == 0 ? 0 : memcmp(left.bytes, right.bytes, size);
    if (order != 0) return order;
    return left.size < right.size ? -1 : left.size > right.size;
}

static int compare_titles(const RowTitle *left, const RowTitle *right)
{
    if (left->kind != right->kind) return left->kind < right->kind ? -1 : 1;
    if (left->has_process != right->has_process) return left->has_process ? 1 : -1;
    const int order = compare_texts(left->process, right->process);
    return order != 0 ? order : compare_texts(left->track, right->track);
}

static int compare_items(const void *context, uint32_t left, uint32_t right)
{
    const Outline *outline = context;
    const RowTitle a = item_title(outline, left), b = item_title(outline, right);
    return compare_titles(&a, &b);
}

bool row_titles_prepare(TraceView *trace)
{
    const uint32_t count = item_count(&trace->outline);
    if (trace->by_title != NULL || count == 0) return true;
    Arena     scratch = arena_create(0);
    uint32_t *order = ARENA_ARRAY(&trace->arena, uint32_t, count);
    uint32_t *swap = ARENA_ARRAY(&scratch, uint32_t, (size_t)count / 2 + 1);
    if (order != NULL && swap != NULL) {
        for (uint32_t i = 0; i < count; i++)
            order[i] = i;
        index_sort(order, count, swap, compare_items, &trace->outline);
        trace->by_title = order;
    }
    arena_release(&scratch);
    return trace->by_title != NULL;
}

/* Returns the place in the order of the first item whose title is not less than `title`. */
static uint32_t find_first(const TraceView *trace, const RowTitle *title)
{
    uint32_t low = 0, end = item_count(&trace->outline);
    while (low < end) {
        const uint32_t middle = low + (end - low) / 2;
        const RowTitle there = item_title(&trace->outline, trace->by_title[middle]);
        if (compare_titles(&there, title) < 0)
            low = middle + 1;
        else
            end = middle;
    }
    return low;
}

RowTitle row_title_of(const TraceView *trace, RowTarget row)
{
    const uint32_t item = row.kind == ITEM_PROCESS ? row.index : trace->outline.process_count + row.index;
    RowTitle       title = item_title(&trace->outline, item);
    uint32_t       first = find_first(trace, &title), at = first;
    /* Rows of one title are in the order of the outline. */
    LOWER_BOUND(uint32_t, at, item_count(&trace->outline), i,
                compare_items(&trace->outline, trace->by_title[i], item) == 0 && trace->by_title[i] < item);
    assert(trace->by_title[at] == item);
    title.nth = at - first + 1;
    return title;
}

bool row_title_find(const TraceView *trace, uint32_t index, const RowTitle *title, RowTarget *row)
{
    const uint32_t count = item_count(&trace->outline);
    if (count == 0 || title->nth == 0) return false;
    const uint32_t first = find_first(trace, title);
    if (title->nth > count - first) return false;
    const uint32_t item = trace->by_title[first + title->nth - 1];
    const RowTitle found = item_title(&trace->outline, item);
    if (compare_titles(&found, title) != 0) return false;
    const bool is_process = item < trace->outline.process_count;
    *row = (RowTarget){ is_process ? ITEM_PROCESS : ITEM_TRACK, index,
                        is_process ? item : item - trace->outline.process_count };
    return true;
}
