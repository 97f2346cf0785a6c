/* A trace that grows against the one that is built of the same events at once. */
#include "live_support.h"
#include "support/test.h"

enum { MOST_OPS = 4000 };

/* Streams of many seeds: of the short ones what has come is compared on the way, too. */
static void grow(Story story, uint64_t prime, uint64_t seeds)
{
    static Op ops[MOST_OPS];
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        random_start(seed * prime);
        const size_t    most = seed % 6 == 0 ? 3000 : 10 + random_below(150);
        const bool      odd = seed % 2 == 1;
        const MatchRule match = story == STORY_MARKS && odd ? MATCH_BY_TIME_AND_NAME : MATCH_IN_FILE_ORDER;
        const TieRule   ties = story == STORY_COMPLETES && !odd ? TIES_LATER_OUTSIDE : TIES_EARLIER_OUTSIDE;
        const size_t    count = story_tell(story, seed, ops, most);
        ops_grow(ops, count, match, ties, seed % 6 == 0 ? 0 : 4);
    }
}

TEST(begins_and_ends_grow_as_they_are_built)
{
    grow(STORY_MARKS, 7919, 60);
}

TEST(completes_grow_as_they_are_built)
{
    grow(STORY_COMPLETES, 104729, 60);
}

TEST(both_on_one_thread_grow_as_they_are_built)
{
    grow(STORY_MIXED, 1299709, 60);
}

TEST(asynchronous_slices_grow_as_they_are_built)
{
    grow(STORY_ASYNC, 15485863, 120);
}

TEST(objects_grow_as_they_are_built)
{
    grow(STORY_OBJECTS, 32452843, 120);
}

TEST(samples_grow_as_they_are_built)
{
    grow(STORY_SAMPLES, 49979687, 120);
}

TEST(arrows_grow_as_they_are_built)
{
    grow(STORY_FLOWS, 86028121, 120);
}

TEST(contexts_grow_as_they_are_built)
{
    grow(STORY_CONTEXTS, 67867967, 120);
}

TEST(dumps_and_what_is_marked_grow_as_they_are_built)
{
    grow(STORY_KEPT, 982451653, 120);
}

TEST_MAIN("live_grow", TEST_CASE(begins_and_ends_grow_as_they_are_built),
          TEST_CASE(completes_grow_as_they_are_built), TEST_CASE(both_on_one_thread_grow_as_they_are_built),
          TEST_CASE(asynchronous_slices_grow_as_they_are_built), TEST_CASE(objects_grow_as_they_are_built),
          TEST_CASE(samples_grow_as_they_are_built), TEST_CASE(arrows_grow_as_they_are_built),
          TEST_CASE(contexts_grow_as_they_are_built),
          TEST_CASE(dumps_and_what_is_marked_grow_as_they_are_built))
