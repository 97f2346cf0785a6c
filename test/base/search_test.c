#include "base/search.h"
#include "support/test.h"

/* Returns the number of items below `value` by a linear scan. */
static uint32_t count_below(const uint32_t *items, uint32_t count, uint32_t value)
{
    uint32_t below = 0;
    while (below < count && items[below] < value)
        below++;
    return below;
}

TEST(lower_bound_finds_the_first_item_that_is_not_before)
{
    static const uint32_t ITEMS[] = { 1, 3, 3, 3, 7, 9, 9 };
    for (uint32_t count = 0; count <= 7; count++) {
        for (uint32_t value = 0; value <= 10; value++) {
            uint32_t low = 0;
            LOWER_BOUND(uint32_t, low, count, i, ITEMS[i] < value);
            CHECK(low == count_below(ITEMS, count, value));
        }
    }
}

TEST(lower_bound_searches_only_the_range)
{
    uint32_t low = 3;
    LOWER_BOUND(uint32_t, low, low + 2, i, i < 100);
    CHECK(low == 5);
    LOWER_BOUND(uint32_t, low, 2, i, i < 100); /* an empty range */
    CHECK(low == 5);
}

TEST(lower_bound_halves_the_range_without_overflow)
{
    uint64_t low = 0;
    unsigned steps = 0;
    LOWER_BOUND(uint64_t, low, UINT64_MAX, i, (steps++, i < UINT64_MAX - 1));
    CHECK(low == UINT64_MAX - 1);
    CHECK(steps <= 64);
}

TEST_MAIN("base/search", TEST_CASE(lower_bound_finds_the_first_item_that_is_not_before),
          TEST_CASE(lower_bound_searches_only_the_range),
          TEST_CASE(lower_bound_halves_the_range_without_overflow))
