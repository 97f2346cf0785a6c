/* trace/live_space.h - places in columns that grow, given out in rooms of some sizes. For src/trace only.
 *
 * A row moves when it has outgrown its room, into one half as large again, so that an item is moved as often
 * as a vector's would be. Room that is given back is used again for rows of the same size. All begin at
 * multiples of SPACE_LEAST. */
#ifndef TRACE_LIVE_SPACE_H
#define TRACE_LIVE_SPACE_H
#include "base/arena.h"

enum { SPACE_LEAST = 32, SPACE_CLASSES = 104 };

typedef struct LiveSpace {
    uint64_t capacity, used;      /* of the columns, in items; what was ever given out lies below `used` */
    uint64_t taken;               /* in use now */
    uint64_t given;               /* items of rooms that were given back since the last space_free_runs */
    Bytes    free[SPACE_CLASSES]; /* uint64_t[]: first items of rooms of a size */
} LiveSpace;

/* The least room for `count` items: at most a quarter more. 0: there are too many. */
uint32_t space_room_for(uint32_t count);
/* False: nothing is left. */
bool space_take(LiveSpace *space, uint32_t room, uint64_t *first) WARN_UNUSED;
void space_give(LiveSpace *space, uint32_t room, uint64_t first);
/* Appends every stretch of items below `used` that no row uses, in order: SpaceRun[]. Takes a sort of the free rooms. Where
 * memory is out, runs->failed. */
typedef struct SpaceRun {
    uint64_t first, count;
} SpaceRun;
void space_free_runs(LiveSpace *space, Bytes *runs);
/* True if so many items were given back since then that another call is worth its time. */
bool space_is_trim_due(const LiveSpace *space);
void space_release(LiveSpace *space);

#endif
