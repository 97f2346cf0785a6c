#include "base/id_map.h"

#include "base/hash.h"
#include "base/string_view.h"

#include <assert.h>

static uint32_t home_of(const IdMap *map, uint64_t id)
{
    return (uint32_t)hash_pair(id, 0, map->key) & (map->capacity - 1);
}

uint32_t id_map_find_slow(const IdMap *map, uint64_t id)
{
    uint32_t mask = map->capacity - 1;
    for (uint32_t at = home_of(map, id);; at = (at + 1) & mask) {
        const IdSlot *slot = &map->slots[at];
        if (slot->value == 0 || slot->id == id) return slot->value;
    }
}

static void place(IdMap *map, uint64_t id, uint32_t value)
{
    uint32_t mask = map->capacity - 1, at = home_of(map, id);
    while (map->slots[at].value != 0)
        at = (at + 1) & mask;
    map->slots[at] = (IdSlot){ id, value };
}

static bool grow(IdMap *map)
{
    enum { FIRST = 64 };
    uint32_t old_capacity = map->capacity;
    IdSlot  *old = map->slots;
    if (old_capacity > UINT32_MAX / 2) return false;
    uint32_t capacity = old_capacity == 0 ? FIRST : old_capacity * 2;
    IdSlot  *slots = (IdSlot *)arena_push_own(map->arena, capacity, sizeof *slots);
    if (slots == NULL) return false;
    if (map->key == 0) map->key = hash_random_key() | 1;
    map->slots = slots;
    map->capacity = capacity;
    for (uint32_t i = 0; i < old_capacity; i++) {
        if (old[i].value != 0) place(map, old[i].id, old[i].value);
    }
    arena_give_back(map->arena, old, old_capacity, sizeof *old);
    return true;
}

/* Doubles the dense array until it includes `id`, which is below ID_MAP_DENSE. */
static bool grow_dense(IdMap *map, uint64_t id)
{
    enum { FIRST = 64 };
    uint32_t count = map->dense_count == 0 ? FIRST : map->dense_count;
    while (count <= id)
        count *= 2;
    uint32_t *dense = (uint32_t *)arena_push_own(map->arena, count, sizeof *dense);
    if (dense == NULL) return false;
    if (map->dense != NULL) memcpy(dense, map->dense, map->dense_count * sizeof *dense);
    arena_give_back(map->arena, map->dense, map->dense_count, sizeof *dense);
    map->dense = dense;
    map->dense_count = count;
    return true;
}

bool id_map_put(IdMap *map, uint64_t id, uint32_t value)
{
    assert(value != 0 && id_map_find(map, id) == 0);
    if (id < ID_MAP_DENSE) {
        if (id >= map->dense_count && !grow_dense(map, id)) return false;
        map->dense[id] = value;
        return true;
    }
    if (map->count >= map->capacity / 8 * 5 && !grow(map)) return false;
    place(map, id, value);
    map->count++;
    return true;
}

/* Moves later slots of the probe sequence into the gap, so that no search meets an empty slot too early. */
static void close_gap(IdMap *map, uint32_t gap)
{
    uint32_t mask = map->capacity - 1;
    for (uint32_t at = (gap + 1) & mask; map->slots[at].value != 0; at = (at + 1) & mask) {
        uint32_t home = home_of(map, map->slots[at].id);
        if (((at - home) & mask) < ((at - gap) & mask)) continue;
        map->slots[gap] = map->slots[at];
        gap = at;
    }
    map->slots[gap].value = 0;
    map->count--;
}

void id_map_remove(IdMap *map, uint64_t id)
{
    if (id < ID_MAP_DENSE) {
        if (id < map->dense_count) map->dense[id] = 0;
        return;
    }
    if (map->count == 0) return;
    uint32_t mask = map->capacity - 1, at = home_of(map, id);
    while (map->slots[at].value != 0 && map->slots[at].id != id)
        at = (at + 1) & mask;
    if (map->slots[at].value != 0) close_gap(map, at);
}

void id_map_clear(IdMap *map)
{
    if (map->dense != NULL) memset(map->dense, 0, map->dense_count * sizeof *map->dense);
    if (map->capacity > 0) memset(map->slots, 0, map->capacity * sizeof *map->slots);
    map->count = 0;
}
