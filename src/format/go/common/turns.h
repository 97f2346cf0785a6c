/* format/go/common/turns.h - the merge heap of streams, by the time of their next events. */
#ifndef FORMAT_GO_COMMON_TURNS_H
#define FORMAT_GO_COMMON_TURNS_H
#include "base/arena.h"

#include <assert.h>

/* A heap entry: a stream's next event. Ordered by time, then by `place`: its offset in the input, or a negative number
 * to come before all offsets. */
typedef struct Turn {
    int64_t  time;
    int64_t  place;
    uint32_t stream;
} Turn;

/* The heap, earliest first, in arrays of [count] in an arena; zeroed: empty. After the last entry are TURNS_BEHIND
 * entries with the maximal time, so that turns_go_on needs no bounds check. Each field has its own array: reading a
 * whole Turn just after its fields were written one by one would cause a store forwarding stall. */
typedef struct Turns {
    int64_t  *time;
    int64_t  *place;
    uint32_t *stream;
    uint32_t  count;
} Turns;

enum { TURNS_BEHIND = 1 };

static ALWAYS_INLINE void turns_put(Turns *turns, uint32_t i, Turn turn)
{
    turns->time[i] = turn.time;
    turns->place[i] = turn.place;
    turns->stream[i] = turn.stream;
}

static ALWAYS_INLINE Turn turns_at(const Turns *turns, uint32_t i)
{
    return (Turn){ turns->time[i], turns->place[i], turns->stream[i] };
}

static ALWAYS_INLINE bool turn_is_before(Turn a, Turn b)
{
    return a.time < b.time || (a.time == b.time && a.place < b.place);
}

static inline void turns_put_never(Turns *turns, uint32_t i)
{
    turns_put(turns, i, (Turn){ INT64_MAX, INT64_MAX, 0 });
}

/* Allocates the arrays for `count` streams. False when out of memory. */
static inline bool turns_create(Turns *turns, Arena *arena, uint32_t count)
{
    const size_t room = (size_t)count + TURNS_BEHIND;
    *turns = (Turns){ ARENA_ARRAY(arena, int64_t, room), ARENA_ARRAY(arena, int64_t, room),
                      ARENA_ARRAY(arena, uint32_t, room), 0 };
    if (turns->time == NULL || turns->place == NULL || turns->stream == NULL) return false;
    for (uint32_t i = 0; i < room; i++)
        turns_put_never(turns, i);
    return true;
}

/* Adds a stream that is not in the heap. */
static inline void turns_enter(Turns *turns, Turn turn)
{
    uint32_t i = turns->count++;
    for (; i > 0 && turn_is_before(turn, turns_at(turns, (i - 1) / 2)); i = (i - 1) / 2)
        turns_put(turns, i, turns_at(turns, (i - 1) / 2));
    turns_put(turns, i, turn);
}

/* Replaces the first entry: the first stream's next event. */
static ALWAYS_INLINE void turns_go_on(Turns *turns, Turn turn)
{
    const uint32_t count = turns->count;
    uint32_t       i = 0;
    for (uint32_t child = 1; child < count; child = 2 * i + 1) {
        if (turn_is_before(turns_at(turns, child + 1), turns_at(turns, child))) child++;
        if (turn_is_before(turn, turns_at(turns, child))) break;
        turns_put(turns, i, turns_at(turns, child));
        i = child;
    }
    turns_put(turns, i, turn);
}

/* Removes the first stream. */
static inline void turns_leave(Turns *turns)
{
    assert(turns->count > 0);
    const Turn last = turns_at(turns, --turns->count);
    turns_put_never(turns, turns->count);
    if (turns->count > 0) turns_go_on(turns, last);
}

#endif
