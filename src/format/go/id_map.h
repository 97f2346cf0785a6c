/* format/go/id_map.h - from the 64-bit ids of an input to small numbers of ours.
 *
 * Ids of goroutines, threads, strings are mostly small and dense, but nothing keeps a file from naming 2^63:
 * so nothing is ever sized by an id. Open addressing under a key the input's author cannot know. */
#ifndef FORMAT_GO_ID_MAP_H
#define FORMAT_GO_ID_MAP_H
#include "base/arena.h"

typedef struct IdSlot {
    uint64_t id;
    uint32_t value; /* 0 = empty */
} IdSlot;

enum { ID_MAP_DENSE = 4096 }; /* ids below it have their values in an array */

/* A zeroed map with an arena is valid and empty. */
typedef struct IdMap {
    Arena    *arena;       /* borrowed; holds the slots */
    uint32_t *dense;       /* [dense_count], the values of small ids; in arena */
    uint32_t  dense_count; /* at most ID_MAP_DENSE */
    IdSlot   *slots;       /* in arena */
    uint32_t  capacity;    /* a power of two, or 0 */
    uint32_t  count;
    uint64_t  key;
} IdMap;

uint32_t id_map_find_slow(const IdMap *map, uint64_t id);
/* The value of an id, 0 = none. */
static inline uint32_t id_map_find(const IdMap *map, uint64_t id)
{
    if (LIKELY(id < map->dense_count)) return map->dense[id];
    return map->count == 0 ? 0 : id_map_find_slow(map, id);
}
/* Sets the value (> 0) of an id that has none yet. False when out of memory. */
bool id_map_put(IdMap *map, uint64_t id, uint32_t value) WARN_UNUSED;
/* Forgets an id, if it has a value. */
void id_map_remove(IdMap *map, uint64_t id);
/* Forgets all, keeps the memory. */
void id_map_clear(IdMap *map);

#endif
