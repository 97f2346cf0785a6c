#include "trace/live_space.h"

#include <assert.h>
#include <stdlib.h>

/* Rooms are 32, 64, 96 items, then four sizes to a doubling: 128, 160, 192, 224, 256, 320 ... */
enum { SMALL_CLASSES = 3, FIRST_POWER = 7, STEPS = 4, LAST_POWER = 31 };

static unsigned power_of(uint32_t room)
{
    unsigned power = FIRST_POWER;
    while (power < LAST_POWER && room >> (power + 1) != 0)
        power++;
    return power;
}

static unsigned class_of(uint32_t room)
{
    if (room < 1u << FIRST_POWER) return room / SPACE_LEAST - 1;
    unsigned power = power_of(room);
    return SMALL_CLASSES + (power - FIRST_POWER) * STEPS + ((room >> (power - 2)) & (STEPS - 1));
}

static uint32_t room_of(unsigned class)
{
    if (class < SMALL_CLASSES) return (class + 1) * SPACE_LEAST;
    const unsigned power = FIRST_POWER + (class - SMALL_CLASSES) / STEPS, step = (class - SMALL_CLASSES) % STEPS;
    return (STEPS + step) << (power - 2);
}

uint32_t space_room_for(uint32_t count)
{
    static_assert(SMALL_CLASSES + (LAST_POWER - FIRST_POWER + 1) * STEPS <= SPACE_CLASSES,
                  "a class for each");
    if (count <= 1u << FIRST_POWER)
        return count == 0 ? SPACE_LEAST : (count + SPACE_LEAST - 1) / SPACE_LEAST * SPACE_LEAST;
    const uint32_t step = 1u << (power_of(count) - 2);
    return count > UINT32_MAX - step ? 0 : (count + step - 1) / step * step;
}

bool space_take(LiveSpace *space, uint32_t room, uint64_t *first)
{
    Bytes *free = &space->free[class_of(room)];
    if (free->size > 0) {
        free->size -= sizeof *first;
        memcpy(first, free->data + free->size, sizeof *first);
    } else {
        if (room > space->capacity - space->used) return false;
        *first = space->used;
        space->used += room;
    }
    space->taken += room;
    return true;
}

void space_give(LiveSpace *space, uint32_t room, uint64_t first)
{
    if (room == 0) return;
    Bytes *free = &space->free[class_of(room)];
    bytes_append(free, &first, sizeof first);
    free->failed = false; /* if there was no memory to note it, the room is lost: no more */
    space->taken -= room;
    space->given += room;
}

static int by_first(const void *a, const void *b)
{
    const uint64_t x = ((const SpaceRun *)a)->first, y = ((const SpaceRun *)b)->first;
    return x < y ? -1 : x > y;
}

/* Makes one of runs that touch each other. Returns how many are left. */
static size_t merge_runs(SpaceRun *runs, size_t count)
{
    size_t last = 0;
    for (size_t i = 1; i < count; i++) {
        if (runs[last].first + runs[last].count == runs[i].first)
            runs[last].count += runs[i].count;
        else
            runs[++last] = runs[i];
    }
    return count == 0 ? 0 : last + 1;
}

void space_free_runs(LiveSpace *space, Bytes *runs)
{
    space->given = 0;
    for (unsigned class = 0; class < SPACE_CLASSES; class++) {
        const Bytes    *free = &space->free[class];
        const uint64_t *firsts = (const uint64_t *)(const void *)free->data;
        for (size_t i = 0; i < free->size / sizeof *firsts; i++) {
            const SpaceRun run = { firsts[i], room_of(class) };
            bytes_append(runs, &run, sizeof run);
        }
    }
    if (runs->failed || runs->size == 0) return;
    SpaceRun    *items = (SpaceRun *)(void *)runs->data;
    const size_t count = runs->size / sizeof *items;
    qsort(items, count, sizeof *items, by_first);
    runs->size = merge_runs(items, count) * sizeof *items;
}

bool space_is_trim_due(const LiveSpace *space)
{
    enum { WORTH_IT = 4096 }; /* items */
    return space->given > WORTH_IT && space->given > space->taken / 4;
}

void space_release(LiveSpace *space)
{
    for (unsigned i = 0; i < SPACE_CLASSES; i++)
        bytes_release(&space->free[i]);
}
