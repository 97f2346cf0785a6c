/* base/index_sort.h - sorts indices of items by the items, which are not moved. */
#ifndef BASE_INDEX_SORT_H
#define BASE_INDEX_SORT_H
#include <stddef.h>
#include <stdint.h>

/* Compares two items: negative, 0 or positive, as for qsort. */
typedef int (*IndexCompare)(const void *context, uint32_t left, uint32_t right);

/* Sorts `count` indices stably. `swap` has room for (count + 1) / 2 indices. A list in order takes count - 1
 * comparisons, any other at most count * log2(count), rounded up. */
void index_sort(uint32_t *indices, size_t count, uint32_t *swap, IndexCompare compare, const void *context);

#endif
