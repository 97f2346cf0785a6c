/* trace/live/live_space.h - places in columns that grow, given out in rooms of some sizes. For src/trace only.
 *
 * A row that is full moves into a room that is half as large again, so that an item moves as often as in a vector. A free
 * room is used again, whole or in parts. All rooms begin at multiples of SPACE_LEAST.
 *
 * The items count as held memory (memory_count), except those of cold rooms: parts of long free runs, whose pages the
 * caller of space_trim returns to the system. They count again when they are taken. */
#ifndef TRACE_LIVE_LIVE_SPACE_H
#define TRACE_LIVE_LIVE_SPACE_H
#include "base/arena.h"

enum { SPACE_LEAST = 32, SPACE_CLASSES = 104 };

typedef struct LiveSpace {
    uint64_t capacity, used;      /* of the columns, in items; every room lies below `used` */
    uint64_t taken;               /* items in rooms that are in use */
    uint64_t given;               /* items of rooms that were freed since the last space_trim */
    uint64_t counted;             /* items that count as held memory */
    uint32_t item_bytes;          /* bytes of an item in all columns together */
    Bytes    free[SPACE_CLASSES]; /* uint64_t[]: first items of free rooms of a size */
    Bytes    cold[SPACE_CLASSES]; /* likewise: free rooms without memory */
} LiveSpace;

/* Returns the size of the smallest room for `count` items, at most a quarter more; 0 if `count` is too large. */
uint32_t space_room_for(uint32_t count);
/* Allocates a room. Returns false if the columns are full, or at the memory limit. */
bool space_take(LiveSpace *space, uint32_t room, uint64_t *first) WARN_UNUSED;
void space_give(LiveSpace *space, uint32_t room, uint64_t first);
/* Sets the bytes of an item, also for the items that count already. False: they would exceed the memory limit. */
bool space_set_item_bytes(LiveSpace *space, uint32_t item_bytes) WARN_UNUSED;

typedef struct SpaceRun {
    uint64_t first, count;
} SpaceRun;
/* Merges adjacent free rooms, and sorts them. Appends the long runs to `runs`, in order: SpaceRun[]. Their items no longer
 * count; the caller discards their pages. Out of memory: runs->failed, and nothing has changed. */
void space_trim(LiveSpace *space, Bytes *runs);
/* True if so many items were freed since the last space_trim that another call is worth its time. */
bool space_is_trim_due(const LiveSpace *space);
void space_release(LiveSpace *space);

#endif
