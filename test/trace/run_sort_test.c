/* Sorts items by time: src/trace/make/run_sort.c. */
#include "trace/make/run_sort.h"

#include "support/test.h"

#include <stdlib.h>
#include <string.h>

typedef struct Item {
    int64_t  tick;
    uint64_t number; /* in the input */
} Item;

static int by_tick_and_number(const void *left, const void *right)
{
    const Item *a = (const Item *)left, *b = (const Item *)right;
    if (a->tick != b->tick) return a->tick < b->tick ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* Sorts the places of the items, and compares them with the sorted items. */
static void check_places(Workspace *ws, const Item *items, const Item *expected, size_t count)
{
    SortKey *places = (SortKey *)calloc(count, sizeof *places);
    RunSort  runs;
    CHECK(places != NULL && run_sort_places(ws, &runs, items, places, count, sizeof *items));
    for (size_t i = 0; i < count; i++) {
        const SortKey *place = (const SortKey *)run_sort_next(&runs, sizeof *place);
        CHECK(place != NULL);
        if (place == NULL) break;
        CHECK((int64_t)place->key == expected[i].tick && place->index == expected[i].number);
    }
    CHECK(run_sort_next(&runs, sizeof *places) == NULL);
    free(places);
}

/* Sorts `count` items with these ticks, and compares the result with that of qsort. */
static void check_sort(const int64_t *ticks, size_t count)
{
    Workspace ws = { 0 };
    Item     *items = (Item *)calloc(count, sizeof *items), *swap = (Item *)calloc(count, sizeof *swap),
         *expected = (Item *)calloc(count, sizeof *expected);
    CHECK(items != NULL && swap != NULL && expected != NULL);
    for (size_t i = 0; i < count; i++)
        items[i] = expected[i] = (Item){ ticks[i], i };
    qsort(expected, count, sizeof *expected, by_tick_and_number);
    check_places(&ws, items, expected, count);
    const void *sorted = run_sort_array(&ws, items, swap, count, sizeof *items);
    CHECK(sorted == items || sorted == swap);
    CHECK(memcmp(sorted, expected, count * sizeof *expected) == 0);
    free(items);
    free(swap);
    free(expected);
    workspace_release(&ws);
}

/* Fills `ticks` with the begins of nested slices in the order of their ends, from `tick` on. Some begins are equal. */
static void fill_nested(TestRandom *random, int64_t *ticks, size_t count, int64_t tick)
{
    while (count > 0) {
        const size_t inside = test_random_size(random, count);
        fill_nested(random, ticks, inside, tick + (int64_t)test_random_below(random, 2));
        ticks[inside] = tick;
        tick += 2 * (int64_t)inside + (int64_t)test_random_below(random, 3);
        ticks += inside + 1;
        count -= inside + 1;
    }
}

TEST(nested_slices_in_the_order_of_their_ends)
{
    enum { MOST = 200 };
    TestRandom random = { 1 };
    for (int round = 0; round < 300; round++) {
        int64_t      ticks[MOST];
        const size_t count = 1 + test_random_size(&random, MOST);
        fill_nested(&random, ticks, count, INT64_MIN);
        check_sort(ticks, count);
        /* A slice at another place overlaps others. */
        ticks[test_random_size(&random, count)] += (int64_t)test_random_below(&random, 2 * MOST);
        check_sort(ticks, count);
    }
}

TEST(times_in_any_order)
{
    enum { MOST = 200 };
    TestRandom random = { 2 };
    for (int round = 0; round < 300; round++) {
        int64_t        ticks[MOST];
        const size_t   count = 1 + test_random_size(&random, MOST);
        const uint64_t bound = 1 + test_random_below(&random, 2 * MOST);
        for (size_t i = 0; i < count; i++)
            ticks[i] = (int64_t)test_random_below(&random, bound);
        check_sort(ticks, count);
        for (size_t i = 0; i < count; i++)
            ticks[i] = (int64_t)(count - i / 2);
        check_sort(ticks, count);
    }
}

TEST(several_runs_are_merged)
{
    enum { COUNT = 3 * RUN_ITEMS + 5 };
    TestRandom random = { 3 };
    int64_t   *ticks = (int64_t *)calloc(COUNT, sizeof *ticks);
    CHECK(ticks != NULL);
    for (size_t i = 0; i < COUNT; i++)
        ticks[i] = (int64_t)(i ^ 1) / 4; /* pairs in the order of their ends */
    check_sort(ticks, COUNT);
    ticks[0] = COUNT; /* a slice that begins after all others, in the first run */
    check_sort(ticks, COUNT);
    for (size_t i = 0; i < COUNT; i++)
        ticks[i] = (int64_t)test_random_below(&random, COUNT);
    check_sort(ticks, COUNT);
    free(ticks);
}

TEST_MAIN("run_sort", TEST_CASE(nested_slices_in_the_order_of_their_ends), TEST_CASE(times_in_any_order),
          TEST_CASE(several_runs_are_merged))
