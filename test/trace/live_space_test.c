/* Places in columns that grow: src/trace/live/live_space.c. */
#include "trace/live/live_space.h"

#include "support/test.h"

enum { ROOMS = 24, ITEM_BYTES = 10 };

/* Takes rooms of sizes from a row that grows, as one stretch from 0 on. */
static uint64_t take_rooms(LiveSpace *space, uint32_t rooms[ROOMS], uint64_t firsts[ROOMS])
{
    uint32_t items = 1;
    for (size_t i = 0; i < ROOMS; i++) {
        rooms[i] = space_room_for(items);
        CHECK(rooms[i] >= items && space_take(space, rooms[i], &firsts[i]));
        items = rooms[i] + rooms[i] / 2 + 1;
    }
    return space->used;
}

TEST(long_free_runs_are_merged_and_in_order)
{
    LiveSpace space = { .capacity = UINT64_C(1) << 33, .item_bytes = ITEM_BYTES };
    uint32_t  rooms[ROOMS];
    uint64_t  firsts[ROOMS], used = take_rooms(&space, rooms, firsts);
    Bytes     runs = { .data = NULL };
    CHECK(!space_is_trim_due(&space));
    for (size_t i = ROOMS; i-- > 0;)
        if (i != 20) space_give(&space, rooms[i], firsts[i]);
    CHECK(space_is_trim_due(&space));
    CHECK_UINT(space.taken, rooms[20]);
    space_trim(&space, &runs);
    CHECK(!space_is_trim_due(&space));
    CHECK_UINT(runs.size, 2 * sizeof(SpaceRun));
    const SpaceRun *run = (const SpaceRun *)(const void *)runs.data;
    CHECK_UINT(run[0].first, 0);
    CHECK_UINT(run[0].count, firsts[20]);
    CHECK_UINT(run[1].first, firsts[20] + rooms[20]);
    CHECK_UINT(run[1].first + run[1].count, used);
    bytes_release(&runs);
    space_release(&space);
}

TEST(merged_rooms_are_used_again_in_parts)
{
    LiveSpace space = { .capacity = UINT64_C(1) << 33, .item_bytes = ITEM_BYTES };
    uint32_t  rooms[ROOMS];
    uint64_t  firsts[ROOMS], used = take_rooms(&space, rooms, firsts), end = 0, again;
    Bytes     runs = { .data = NULL };
    for (size_t i = 0; i < ROOMS; i++)
        space_give(&space, rooms[i], firsts[i]);
    space_trim(&space, &runs);
    bytes_release(&runs);
    while (space.taken + SPACE_LEAST <= used) { /* each place once, none beyond */
        CHECK(space_take(&space, SPACE_LEAST, &again));
        if (again + SPACE_LEAST > end) end = again + SPACE_LEAST;
    }
    CHECK_UINT(space.used, used);
    CHECK_UINT(end, used);
    CHECK(space_take(&space, SPACE_LEAST, &again));
    CHECK_UINT(again, used);
    space_release(&space);
}

TEST(what_is_in_memory_counts)
{
    LiveSpace      space = { .capacity = UINT64_C(1) << 33, .item_bytes = ITEM_BYTES };
    const uint64_t before = memory_held();
    uint32_t       rooms[ROOMS];
    uint64_t       firsts[ROOMS], used = take_rooms(&space, rooms, firsts), first;
    Bytes          runs = { .data = NULL };
    CHECK_UINT(memory_held() - before, used * ITEM_BYTES);
    CHECK(space_set_item_bytes(&space, 2 * ITEM_BYTES));
    CHECK_UINT(memory_held() - before, used * ITEM_BYTES * 2);
    for (size_t i = 0; i < ROOMS; i++)
        space_give(&space, rooms[i], firsts[i]);
    space_trim(&space, &runs);
    bytes_release(&runs);
    CHECK(space.counted <= 2048); /* but for the pages at the ends of the run */

    memory_set_limit(memory_held() + 1024 * ITEM_BYTES * 2);
    CHECK(space_take(&space, 1024, &first) && first < used);
    CHECK(!space_take(&space, 1024, &first));
    memory_set_limit(0);
    CHECK(space_take(&space, 1024, &first));
    space_release(&space);
    CHECK_UINT(memory_held(), before);
}

TEST_MAIN("live_space", TEST_CASE(long_free_runs_are_merged_and_in_order),
          TEST_CASE(merged_rooms_are_used_again_in_parts), TEST_CASE(what_is_in_memory_counts))
