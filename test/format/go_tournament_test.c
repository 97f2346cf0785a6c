/* The tournament of streams, against a look at all of them. */
#include "format/go/tournament.h"
#include "support/test.h"

enum { MOST_STREAMS = 37, STEPS = 4000 };

/* Few different times, so that many are equal. */
static TournamentKey random_key(TestRandom *random, uint64_t *offset)
{
    if (test_random_below(random, 8) == 0) return TOURNAMENT_OUT;
    return (TournamentKey){ (int64_t)test_random_below(random, 16) - 8, ++*offset };
}

static bool is_before(TournamentKey a, TournamentKey b)
{
    return a.time != b.time ? a.time < b.time : a.offset < b.offset;
}

/* MOST_STREAMS: nobody plays. */
static uint32_t first_of(const TournamentKey *keys, uint32_t count)
{
    uint32_t first = MOST_STREAMS;
    for (uint32_t i = 0; i < count; i++) {
        bool plays = keys[i].offset != UINT64_MAX;
        if (plays && (first == MOST_STREAMS || is_before(keys[i], keys[first]))) first = i;
    }
    return first;
}

static void check_first(const Tournament *t, const TournamentKey *keys, uint32_t count)
{
    uint32_t first = tournament_first(t), wanted = first_of(keys, count);
    CHECK(tournament_is_empty(t, first) == (wanted == MOST_STREAMS));
    if (wanted != MOST_STREAMS) CHECK(first == wanted);
}

TEST(the_earliest_is_first)
{
    for (uint32_t count = 1; count <= MOST_STREAMS; count++) {
        Arena         arena = arena_create(0);
        Tournament    t = { .leaf_count = 0 };
        TournamentKey keys[MOST_STREAMS];
        TestRandom    random = { count };
        uint64_t      offset = 0;
        CHECK(tournament_create(&t, &arena, count));
        for (uint32_t i = 0; i < count; i++)
            keys[i] = TOURNAMENT_OUT;
        for (uint32_t step = 0; step < STEPS / count; step++) {
            check_first(&t, keys, count);
            uint32_t      first = tournament_first(&t);
            TournamentKey key = random_key(&random, &offset);
            bool          goes_on = test_random_below(&random, 2) == 0 && !tournament_is_empty(&t, first);
            uint32_t      stream = goes_on ? first : (uint32_t)test_random_below(&random, count);
            keys[stream] = key;
            if (!goes_on) {
                tournament_set(&t, stream, key);
            } else if (key.offset == UINT64_MAX) {
                tournament_leave(&t, stream);
            } else {
                CHECK(tournament_go_on(&t, stream, key) == (first_of(keys, count) == stream));
            }
        }
        arena_release(&arena);
    }
}

TEST(nobody_plays_where_there_are_no_streams)
{
    Arena      arena = arena_create(0);
    Tournament t = { .leaf_count = 0 };
    CHECK(tournament_create(&t, &arena, 0));
    CHECK(tournament_is_empty(&t, tournament_first(&t)));
    arena_release(&arena);
}

TEST_MAIN("go_tournament", TEST_CASE(the_earliest_is_first),
          TEST_CASE(nobody_plays_where_there_are_no_streams))
