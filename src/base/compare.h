/* base/compare.h - compares numbers for a sort: negative, 0 or positive. */
#ifndef BASE_COMPARE_H
#define BASE_COMPARE_H
#include <stdint.h>

static inline int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static inline int compare_i64(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Compare two items by the number at their begin, for qsort and bsearch. */
static inline int compare_first_u64(const void *left, const void *right)
{
    return compare_u64(*(const uint64_t *)left, *(const uint64_t *)right);
}

static inline int compare_first_u32(const void *left, const void *right)
{
    return compare_u64(*(const uint32_t *)left, *(const uint32_t *)right);
}

#endif
