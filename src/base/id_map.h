/* base/id_map.h - a map from 64-bit ids of the input to 32-bit values.
 *
 * Ids of threads and strings are usually small and dense, but a file may name 2^63. So no array is sized by an id. The
 * other ids are hashed with a random key, so that an input cannot choose ids that collide. Unlike base/hash_index.h it
 * stores the ids, so that a look-up reads no item, and it can remove an id. */
#ifndef BASE_ID_MAP_H
#define BASE_ID_MAP_H
#include "base/arena.h"

typedef struct IdSlot {
    uint64_t id;
    uint32_t value; /* 0 = empty */
} IdSlot;

enum { ID_MAP_DENSE = 4096 }; /* an array has the values of the ids below */

/* A zeroed map with an arena is valid and empty. */
typedef struct IdMap {
    Arena    *arena;       /* borrowed; holds the slots */
    uint32_t *dense;       /* values of small ids, [dense_count], in arena */
    uint32_t  dense_count; /* at most ID_MAP_DENSE */
    IdSlot   *slots;       /* in arena */
    uint32_t  capacity;    /* a power of two, or 0 */
    uint32_t  count;
    uint64_t  key;
} IdMap;

uint32_t id_map_find_slow(const IdMap *map, uint64_t id);
/* Returns the value of an id; 0 = none. */
static inline uint32_t id_map_find(const IdMap *map, uint64_t id)
{
    if (LIKELY(id < map->dense_count)) return map->dense[id];
    return map->count == 0 ? 0 : id_map_find_slow(map, id);
}
/* Sets the value (> 0) of an id without one. False when out of memory. */
bool id_map_put(IdMap *map, uint64_t id, uint32_t value) WARN_UNUSED;
/* Removes an id, if it has a value. */
void id_map_remove(IdMap *map, uint64_t id);
/* Removes all ids and keeps the memory. */
void id_map_clear(IdMap *map);

#endif
