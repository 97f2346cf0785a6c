#include "base/index_sort.h"
#include "support/test.h"

enum { MOST = 1000 };

typedef struct Keys {
    uint32_t values[MOST];
    size_t   comparisons;
} Keys;

static int compare_keys(const void *context, uint32_t left, uint32_t right)
{
    Keys *keys = *(Keys *const *)context;
    keys->comparisons++;
    return (keys->values[left] > keys->values[right]) - (keys->values[left] < keys->values[right]);
}

/* Sorts 0, 1, ... by their keys and checks the order, in which equal keys keep theirs. */
static void check_sort(Keys *keys, uint32_t count)
{
    uint32_t indices[MOST], swap[(MOST + 1) / 2];
    for (uint32_t i = 0; i < count; i++)
        indices[i] = i;
    keys->comparisons = 0;
    index_sort(indices, count, swap, compare_keys, &keys);
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t before = keys->values[indices[i - 1]], after = keys->values[indices[i]];
        CHECK(before < after || (before == after && indices[i - 1] < indices[i]));
    }
}

/* The same in steps of `budget` comparisons. */
static void check_steps(Keys *keys, uint32_t count, size_t budget)
{
    uint32_t indices[MOST], room[MOST];
    for (uint32_t i = 0; i < count; i++)
        indices[i] = i;
    IndexSorting sorting = index_sorting_begin(indices, room, count);
    for (size_t left = budget; !index_sorting_step(&sorting, compare_keys, &keys, &left); left = budget)
        CHECK_UINT(left, 0);
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t before = keys->values[sorting.indices[i - 1]],
                       after = keys->values[sorting.indices[i]];
        CHECK(before < after || (before == after && sorting.indices[i - 1] < sorting.indices[i]));
    }
}

TEST(any_count_is_sorted_stably)
{
    Keys       keys;
    TestRandom random = { 1 };
    for (uint32_t count = 0; count <= MOST; count += count < 40 ? 1 : 97) {
        for (uint32_t i = 0; i < count; i++)
            keys.values[i] = (uint32_t)test_random_below(&random, count / 2 + 1);
        check_steps(&keys, count, count % 3 + 1);
        check_steps(&keys, count, SIZE_MAX);
        check_sort(&keys, count);
        CHECK(keys.comparisons <= (size_t)count * 10); /* log2(1024) */
    }
}

TEST(a_sorted_list_costs_one_comparison_an_item)
{
    Keys keys;
    for (uint32_t i = 0; i < MOST; i++)
        keys.values[i] = i / 3;
    check_sort(&keys, MOST);
    CHECK_UINT(keys.comparisons, MOST - 1);
}

TEST_MAIN("base/index_sort", TEST_CASE(any_count_is_sorted_stably),
          TEST_CASE(a_sorted_list_costs_one_comparison_an_item))
