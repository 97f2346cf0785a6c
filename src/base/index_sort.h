/* base/index_sort.h - sorts indices of items by the items, which are not moved. */
#ifndef BASE_INDEX_SORT_H
#define BASE_INDEX_SORT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Compares two items: negative, 0 or positive, as for qsort. */
typedef int (*IndexCompare)(const void *context, uint32_t left, uint32_t right);

/* Sorts `count` indices stably. `swap` has room for (count + 1) / 2 indices. A list in order takes count - 1
 * comparisons, any other at most count * log2(count), rounded up. */
void index_sort(uint32_t *indices, size_t count, uint32_t *swap, IndexCompare compare, const void *context);

/* The same sort in steps, for lists that take too long at once. */
typedef struct IndexSorting {
    uint32_t *indices, *room; /* the latter for `count` indices; after each pass they are exchanged */
    size_t    count;
    size_t    width; /* of the sorted lists of this pass */
    size_t    begin; /* of the pair of lists that is being merged */
    size_t    left, right;
} IndexSorting;

IndexSorting index_sorting_begin(uint32_t *indices, uint32_t *room, size_t count);
/* Does at most *budget comparisons and reduces *budget by them. True at the end: the result is in sorting->indices, which may be
 * the room of the begin. The items must not change between two steps. */
bool index_sorting_step(IndexSorting *sorting, IndexCompare compare, const void *context, size_t *budget);

#endif
