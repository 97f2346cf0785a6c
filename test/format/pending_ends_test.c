/* The heap of the ends of open slices: src/format/pending_ends.c. */
#include "format/pending_ends.h"

#include "support/test.h"

enum { COUNT = 2000 };

static bool comes_before(const PendingEnd *a, const PendingEnd *b)
{
    if (a->tick != b->tick) return a->tick < b->tick;
    return a->rank != b->rank ? a->rank < b->rank : a->slice < b->slice;
}

/* Returns the index of the least of `count` ends. */
static size_t least_of(const PendingEnd *ends, size_t count)
{
    size_t least = 0;
    for (size_t i = 1; i < count; i++)
        least = comes_before(&ends[i], &ends[least]) ? i : least;
    return least;
}

TEST(ends_are_removed_in_order)
{
    PendingEnds ends = { .first_is_free = false };
    PendingEnd  open[COUNT];
    size_t      count = 0;
    TestRandom  random = { 7 };
    CHECK(pending_end_first(&ends) == NULL);
    for (uint64_t slice = 0; slice < COUNT || count > 0;) {
        if (slice < COUNT && (count == 0 || test_random_below(&random, 5) < 3)) {
            open[count] = (PendingEnd){ .tick = (int64_t)test_random_below(&random, 50) - 25,
                                        .rank = test_random_below(&random, 3),
                                        .slice = slice,
                                        .place = (uint32_t)slice + 1 };
            pending_end_push(&ends, &open[count++]);
            slice++;
        } else {
            const size_t     least = least_of(open, count);
            const PendingEnd taken = pending_end_pop(&ends);
            CHECK(taken.slice == open[least].slice && taken.place == open[least].place);
            open[least] = open[--count];
        }
        const PendingEnd *first = pending_end_first(&ends);
        CHECK((first == NULL) == (count == 0));
        CHECK(first == NULL || first->slice == open[least_of(open, count)].slice);
    }
    CHECK(!ends.heap.bytes.failed);
    vec_release(&ends.heap);
}

TEST_MAIN("pending_ends", TEST_CASE(ends_are_removed_in_order))
