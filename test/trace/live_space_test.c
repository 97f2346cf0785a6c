/* Places in columns that grow: src/trace/live_space.c. */
#include "trace/live_space.h"

#include "support/test.h"

/* Takes rooms of a growing row, `count` of them, as one range from 0 on. */
static uint64_t take_rooms(LiveSpace *space, uint32_t *rooms, uint64_t *firsts, size_t count)
{
    uint32_t items = 1;
    for (size_t i = 0; i < count; i++) {
        rooms[i] = space_room_for(items);
        CHECK(rooms[i] >= items && space_take(space, rooms[i], &firsts[i]));
        items = rooms[i] + rooms[i] / 2 + 1;
    }
    return space->used;
}

TEST(free_runs_are_merged_and_in_order)
{
    enum { ROOMS = 24 };
    LiveSpace space = { .capacity = UINT64_C(1) << 33 };
    uint32_t  rooms[ROOMS];
    uint64_t  firsts[ROOMS], used = take_rooms(&space, rooms, firsts, ROOMS);
    Bytes     runs = { .data = NULL };
    CHECK(!space_is_trim_due(&space));
    for (size_t i = ROOMS; i-- > 0;)
        if (i != 10) space_give(&space, rooms[i], firsts[i]);
    CHECK(space_is_trim_due(&space));
    CHECK_UINT(space.taken, rooms[10]);
    space_free_runs(&space, &runs);
    CHECK(!space_is_trim_due(&space));
    CHECK_UINT(runs.size, 2 * sizeof(SpaceRun));
    const SpaceRun *run = (const SpaceRun *)(const void *)runs.data;
    CHECK_UINT(run[0].first, 0);
    CHECK_UINT(run[0].count, firsts[10]);
    CHECK_UINT(run[1].first, firsts[10] + rooms[10]);
    CHECK_UINT(run[1].first + run[1].count, used);

    uint64_t again; /* rooms are reused as before */
    CHECK(space_take(&space, rooms[20], &again));
    CHECK_UINT(again, firsts[20]);
    CHECK_UINT(space.used, used);
    bytes_release(&runs);
    space_release(&space);
}

TEST_MAIN("live_space", TEST_CASE(free_runs_are_merged_and_in_order))
