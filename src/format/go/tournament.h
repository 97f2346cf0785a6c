/* format/go/tournament.h - which of many streams has the earliest event: a tree of winners.
 *
 * Mostly the one that had the last event has the next, too: that takes one comparison. Else whose turn it is is a toss-up, and
 * nothing here branches on it: one stream's change goes up its own path to the root, a comparison without a jump a step. Streams
 * that have no event, or may not come, are out. */
#ifndef FORMAT_GO_TOURNAMENT_H
#define FORMAT_GO_TOURNAMENT_H
#include "base/arena.h"

/* By time, then place in the input. */
typedef struct TournamentKey {
    int64_t  time;
    uint64_t offset; /* UINT64_MAX, with the last time there is: it is out */
} TournamentKey;

/* Zeroed: nobody plays. */
typedef struct Tournament {
    TournamentKey *keys; /* [leaf_count], in an arena */
    uint32_t *winners;   /* [2 * leaf_count]: of node 1, the root, and so on; i has the children 2i, 2i + 1 */
    uint32_t  leaf_count; /* a power of two */
    TournamentKey second; /* the earliest of all but the winner's, if it is known; else before all */
} Tournament;

static const TournamentKey TOURNAMENT_OUT = { INT64_MAX, UINT64_MAX };
static const TournamentKey TOURNAMENT_UNKNOWN = { INT64_MIN, 0 };

/* Makes room for `count` streams, all of them out. False when out of memory. */
static inline bool tournament_create(Tournament *t, Arena *arena, uint32_t count)
{
    uint32_t leaves = 2;
    while (leaves < count) {
        if (leaves > UINT32_MAX / 4) return false;
        leaves *= 2;
    }
    TournamentKey *keys = ARENA_ARRAY(arena, TournamentKey, leaves);
    uint32_t      *winners = ARENA_ARRAY(arena, uint32_t, (size_t)leaves * 2);
    if (keys == NULL || winners == NULL) return false;
    *t = (Tournament){ keys, winners, leaves, TOURNAMENT_UNKNOWN };
    for (uint32_t i = 0; i < leaves; i++)
        keys[i] = TOURNAMENT_OUT;
    for (uint32_t node = 2 * leaves - 1; node > 0; node--)
        winners[node] = node >= leaves ? node - leaves : winners[2 * node];
    return true;
}

static inline uint32_t tournament_is_before(TournamentKey a, TournamentKey b)
{
    return (uint32_t)(a.time < b.time) | ((uint32_t)(a.time == b.time) & (uint32_t)(a.offset < b.offset));
}

/* Of a where `wins` is 0, of b where it is 1. */
static inline TournamentKey tournament_choose(TournamentKey a, TournamentKey b, uint32_t wins)
{
    const uint64_t mask = 0 - (uint64_t)wins;
    return (TournamentKey){ (int64_t)((uint64_t)a.time ^ (((uint64_t)a.time ^ (uint64_t)b.time) & mask)),
                            a.offset ^ ((a.offset ^ b.offset) & mask) };
}

/* Those the winner met on its way up. */
static inline void tournament_find_second(Tournament *t)
{
    TournamentKey second = TOURNAMENT_OUT;
    for (uint32_t node = t->leaf_count + t->winners[1]; node > 1; node /= 2) {
        const TournamentKey rival = t->keys[t->winners[node ^ 1]];
        second = tournament_choose(second, rival, tournament_is_before(rival, second));
    }
    t->second = second;
}

/* The stream has this key now. */
static inline void tournament_set(Tournament *t, uint32_t stream, TournamentKey key)
{
    uint32_t *const winners = t->winners;
    uint32_t        best = stream;
    t->keys[stream] = key;
    for (uint32_t node = t->leaf_count + stream; node > 1; node /= 2) {
        const uint32_t      other = winners[node ^ 1];
        const TournamentKey rival = t->keys[other];
        const uint32_t      wins = tournament_is_before(rival, key);
        key = tournament_choose(key, rival, wins);
        best ^= (best ^ other) & (0 - wins);
        winners[node / 2] = best;
    }
    t->second = TOURNAMENT_UNKNOWN;
}

/* The same for the winner: true if it still is. */
static inline bool tournament_go_on(Tournament *t, uint32_t winner, TournamentKey key)
{
    if (tournament_is_before(key, t->second)) {
        t->keys[winner] = key;
        return true;
    }
    tournament_set(t, winner, key);
    if (t->winners[1] != winner) return false;
    tournament_find_second(t);
    return true;
}

static inline void tournament_leave(Tournament *t, uint32_t stream)
{
    tournament_set(t, stream, TOURNAMENT_OUT);
}

/* The one that is first; if even that is out, nobody plays. */
static inline uint32_t tournament_first(const Tournament *t)
{
    return t->winners[1];
}
static inline bool tournament_is_empty(const Tournament *t, uint32_t first)
{
    return t->keys[first].offset == UINT64_MAX;
}

#endif
