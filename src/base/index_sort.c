#include "base/index_sort.h"

#include <stdbool.h>
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
