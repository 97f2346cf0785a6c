#include "base/index_sort.h"

#include <string.h>

typedef struct IndexOrder {
    IndexCompare compare;
    const void  *context;
} IndexOrder;

/* Merges the sorted lists [0, left_count) and [left_count, count) of `indices`. The left one is copied to `swap`. */
static void merge(const IndexOrder *order, uint32_t *indices, size_t left_count, size_t count, uint32_t *swap)
{
    if (order->compare(order->context, indices[left_count - 1], indices[left_count]) <= 0) return;
    memcpy(swap, indices, left_count * sizeof *indices);
    size_t left = 0, right = left_count;
    for (size_t at = 0; left < left_count; at++) {
        const bool takes_right =
            right < count && order->compare(order->context, swap[left], indices[right]) > 0;
        indices[at] = takes_right ? indices[right++] : swap[left++];
    }
}

/* Sorts by halves. The depth of the recursion is log2(count). */
static void sort(const IndexOrder *order, uint32_t *indices, size_t count, uint32_t *swap)
{
    if (count < 2) return;
    const size_t half = (count + 1) / 2;
    sort(order, indices, half, swap);
    sort(order, indices + half, count - half, swap);
    merge(order, indices, half, count, swap);
}

void index_sort(uint32_t *indices, size_t count, uint32_t *swap, IndexCompare compare, const void *context)
{
    const IndexOrder order = { compare, context };
    sort(&order, indices, count, swap);
}

static size_t end_of(const IndexSorting *sorting, size_t begin)
{
    return sorting->count - begin > sorting->width ? begin + sorting->width : sorting->count;
}

static void begin_pair(IndexSorting *sorting, size_t begin)
{
    sorting->begin = sorting->left = begin;
    sorting->right = end_of(sorting, begin);
}

IndexSorting index_sorting_begin(uint32_t *indices, uint32_t *room, size_t count)
{
    IndexSorting sorting = { .indices = indices, .room = room, .count = count, .width = 1 };
    begin_pair(&sorting, 0);
    return sorting;
}

/* Begins the next pair of lists, or the next pass. */
static void end_pair(IndexSorting *sorting, size_t end)
{
    if (end < sorting->count) {
        begin_pair(sorting, end);
        return;
    }
    uint32_t *sorted = sorting->room;
    sorting->room = sorting->indices;
    sorting->indices = sorted;
    sorting->width = sorting->count - sorting->width > sorting->width ? 2 * sorting->width : sorting->count;
    begin_pair(sorting, 0);
}

bool index_sorting_step(IndexSorting *sorting, IndexCompare compare, const void *context, size_t *budget)
{
    while (sorting->width < sorting->count) {
        const size_t    middle = end_of(sorting, sorting->begin), end = end_of(sorting, middle);
        const uint32_t *from = sorting->indices;
        for (; sorting->left < middle || sorting->right < end; --*budget) {
            if (*budget == 0) return false;
            const bool takes_right =
                sorting->left == middle ||
                (sorting->right < end && compare(context, from[sorting->left], from[sorting->right]) > 0);
            sorting->room[sorting->left + sorting->right - middle] =
                from[takes_right ? sorting->right : sorting->left];
            sorting->right += takes_right;
            sorting->left += !takes_right;
        }
        end_pair(sorting, end);
    }
    return true;
}
