#include "trace/live/live_space.h"

#include "base/compare.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Rooms are 32, 64, 96 items, then four sizes to a doubling: 128, 160, 192, 224, 256, 320 ... */
enum { SMALL_CLASSES = 3, FIRST_POWER = 7, STEPS = 4, LAST_POWER = 31 };
static_assert(SMALL_CLASSES + (LAST_POWER - FIRST_POWER + 1) * STEPS <= SPACE_CLASSES, "a class for each");

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
    const unsigned power = FIRST_POWER + (class - SMALL_CLASSES) / STEPS,
                   step = (class - SMALL_CLASSES) % STEPS;
    return (STEPS + step) << (power - 2);
}

uint32_t space_room_for(uint32_t count)
{
    if (count <= 1u << FIRST_POWER)
        return count == 0 ? SPACE_LEAST : (count + SPACE_LEAST - 1) / SPACE_LEAST * SPACE_LEAST;
    const uint32_t step = 1u << (power_of(count) - 2);
    return count > UINT32_MAX - step ? 0 : (count + step - 1) / step * step;
}

/* ---- the memory of items ---- */

static bool count_items(LiveSpace *space, uint64_t items)
{
    if (!memory_count((size_t)items * space->item_bytes)) return false;
    space->counted += items;
    return true;
}

bool space_set_item_bytes(LiveSpace *space, uint32_t item_bytes)
{
    const uint32_t before = space->item_bytes;
    if (item_bytes > before && !memory_count((size_t)space->counted * (item_bytes - before))) return false;
    if (item_bytes < before) memory_uncount((size_t)space->counted * (before - item_bytes));
    space->item_bytes = item_bytes;
    return true;
}

/* ---- free rooms ---- */

/* Appends the items [first, first + count) to lists of free rooms, as rooms that are as large as possible. */
static void add_rooms(Bytes *lists, uint64_t first, uint64_t count)
{
    assert(first % SPACE_LEAST == 0 && count % SPACE_LEAST == 0);
    while (count > 0) {
        unsigned class = class_of(count > UINT32_MAX ? UINT32_MAX : (uint32_t)count);
        bytes_append(&lists[class], &first, sizeof first);
        lists[class].failed = false; /* out of memory: the room is not used again */
        first += room_of(class);
        count -= room_of(class);
    }
}

/* Takes the smallest free room of the lists that is large enough. The rest of it stays free. Returns false if every room is
 * too small. */
static bool take_room(Bytes *lists, uint32_t room, uint64_t *first)
{
    for (unsigned class = class_of(room); class < SPACE_CLASSES; class ++) {
        Bytes *list = &lists[class];
        if (list->size == 0) continue;
        list->size -= sizeof *first;
        memcpy(first, list->data + list->size, sizeof *first);
        add_rooms(lists, *first + room, room_of(class) - room);
        return true;
    }
    return false;
}

bool space_take(LiveSpace *space, uint32_t room, uint64_t *first)
{
    assert(room > 0 && room == room_of(class_of(room)));
    if (!take_room(space->free, room, first)) {
        if (!count_items(space, room)) return false;
        if (!take_room(space->cold, room, first)) {
            if (room > space->capacity - space->used) {
                space->counted -= room;
                memory_uncount((size_t)room * space->item_bytes);
                return false;
            }
            *first = space->used;
            space->used += room;
        }
    }
    space->taken += room;
    return true;
}

void space_give(LiveSpace *space, uint32_t room, uint64_t first)
{
    if (room == 0) return;
    add_rooms(space->free, first, room);
    space->taken -= room;
    space->given += room;
}

/* ---- long runs ---- */

/* Merges adjacent runs. Returns the number of runs that are left. */
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

static void append_rooms(const Bytes *lists, Bytes *runs)
{
    for (unsigned class = 0; class < SPACE_CLASSES; class ++) {
        const uint64_t *firsts = (const uint64_t *)(const void *)lists[class].data;
        for (size_t i = 0; i < lists[class].size / sizeof *firsts; i++) {
            const SpaceRun run = { firsts[i], room_of(class) };
            bytes_append(runs, &run, sizeof run);
        }
    }
}

void space_trim(LiveSpace *space, Bytes *runs)
{
    enum {
        LONG = 4096, /* items: at least a page of each column */
        EDGES = 1024 /* items at the ends of a run, in pages that stay in memory */
    };
    append_rooms(space->free, runs);
    append_rooms(space->cold, runs);
    if (runs->failed || runs->size == 0) return;
    SpaceRun    *items = (SpaceRun *)(void *)runs->data;
    const size_t count = runs->size / sizeof *items;
    qsort(items, count, sizeof *items, compare_first_u64);
    const size_t merged = merge_runs(items, count);
    for (unsigned class = 0; class < SPACE_CLASSES; class ++)
        space->free[class].size = space->cold[class].size = 0;
    size_t   long_count = 0;
    uint64_t counted = space->used;
    for (size_t i = 0; i < merged; i++) {
        const bool is_long = items[i].count >= LONG;
        add_rooms(is_long ? space->cold : space->free, items[i].first, items[i].count);
        if (!is_long) continue;
        counted -= items[i].count - EDGES;
        items[long_count++] = items[i];
    }
    runs->size = long_count * sizeof *items;
    space->given = 0;
    if (counted < space->counted) {
        memory_uncount((size_t)(space->counted - counted) * space->item_bytes);
        space->counted = counted;
    }
}

bool space_is_trim_due(const LiveSpace *space)
{
    enum { WORTH_IT = 4096 }; /* items */
    return space->given > WORTH_IT && space->given > space->taken / 4;
}

void space_release(LiveSpace *space)
{
    for (unsigned i = 0; i < SPACE_CLASSES; i++) {
        bytes_release(&space->free[i]);
        bytes_release(&space->cold[i]);
    }
    memory_uncount((size_t)space->counted * space->item_bytes);
    space->counted = 0;
}
