/* format/go/turns.h - which of many streams has the earliest event: a heap of those that can go on.
 *
 * Mostly the one that had the last event has the next ones, too: it goes on without a look here up to turns_limit. */
#ifndef FORMAT_GO_TURNS_H
#define FORMAT_GO_TURNS_H
#include "base/arena.h"

/* A stream's next event: by time, then place in the input. */
typedef struct Turn {
    int64_t  time;
    uint64_t offset;
    uint32_t stream;
} Turn;

/* Zeroed: nobody has a turn. */
typedef struct Turns {
    Turn      *
        heap; /* [count], in an arena; the first comes first. Behind it TURNS_BEHIND of TURN_NEVER, so that nobody has to look where
                    * it ends */
    uint32_t count;
} Turns;

enum { TURNS_BEHIND = 3 };
#define TURN_NEVER ((Turn){ INT64_MAX, UINT64_MAX, 0 })

/* Makes room for `count` streams. False when out of memory. */
static inline bool turns_create(Turns *turns, Arena *arena, uint32_t count)
{
    *turns = (Turns){ ARENA_ARRAY(arena, Turn, (size_t)count + TURNS_BEHIND), 0 };
    for (size_t i = 0; turns->heap != NULL && i < (size_t)count + TURNS_BEHIND; i++)
        turns->heap[i] = TURN_NEVER;
    return turns->heap != NULL;
}

static inline bool turn_is_before(const Turn *a, const Turn *b)
{
    return a->time < b->time || (a->time == b->time && a->offset < b->offset);
}

/* A stream that has no turn yet. */
static inline void turns_enter(Turns *turns, Turn turn)
{
    Turn *const heap = turns->heap;
    uint32_t    i = turns->count++;
    for (; i > 0 && turn_is_before(&turn, &heap[(i - 1) / 2]); i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = turn;
}

/* The first stream's turn is this one now. */
static inline void turns_go_on(Turns *turns, Turn turn)
{
    Turn *const    heap = turns->heap;
    const uint32_t count = turns->count;
    uint32_t       i = 0;
    for (uint32_t child = 1; child < count; child = 2 * i + 1) {
        child += turn_is_before(&heap[child + 1], &heap[child]) ? 1 : 0;
        if (turn_is_before(&turn, &heap[child])) break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = turn;
}

/* The first stream has no turn any more. */
static inline void turns_leave(Turns *turns)
{
    const Turn last = turns->heap[--turns->count];
    turns->heap[turns->count] = TURN_NEVER;
    if (turns->count > 0) turns_go_on(turns, last);
}

/* The first stream is first as long as its events are before this time. */
static inline int64_t turns_limit(const Turns *turns)
{
    const int64_t one = turns->heap[1].time, other = turns->heap[2].time;
    return one < other ? one : other;
}

#endif
