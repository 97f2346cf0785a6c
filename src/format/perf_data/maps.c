#include "format/perf_data/maps.h"

#include "base/search.h"

#include <assert.h>
#include <string.h>

/* Limits, so that a hostile file does not cost quadratic time or memory: the maps of a process (Linux allows 65,530, and few
 * programs have more than some thousand), and of all tables that are copied after a fork. */
enum { MOST_MAPS = 1 << 14, MOST_COPIED = 1 << 19 };

static Arena *arena_of(PerfMaps *maps)
{
    return maps->table_of.arena;
}

static PerfMapTable *find_table(const PerfMaps *maps, uint32_t pid)
{
    const uint32_t found = id_map_find(&maps->table_of, pid);
    return found == 0 ? NULL : maps->tables.items[found - 1];
}

/* Makes `table` that of a process. */
static void set_table(PerfMaps *maps, uint32_t pid, PerfMapTable *table)
{
    const uint32_t found = id_map_find(&maps->table_of, pid);
    table->users++;
    if (found != 0) {
        maps->tables.items[found - 1]->users--;
        maps->tables.items[found - 1] = table;
        return;
    }
    PerfMapTable **added = ARENA_LIST_PUSH(&maps->tables, arena_of(maps));
    if (added == NULL || !id_map_put(&maps->table_of, pid, (uint32_t)maps->tables.count))
        maps->failed = true;
    else
        *added = table;
}

/* Makes room for one more map in a table, which gets memory of its own. */
static bool reserve(PerfMaps *maps, PerfMapTable *table, uint32_t count)
{
    enum { LEAST = 16 };
    if (count <= table->capacity) return true;
    uint32_t capacity = table->capacity < LEAST ? LEAST : table->capacity;
    while (capacity < count)
        capacity *= 2;
    PerfMap *items = ARENA_ARRAY(arena_of(maps), PerfMap, capacity);
    if (items == NULL) {
        maps->failed = true;
        return false;
    }
    if (table->count > 0) memcpy(items, table->items, table->count * sizeof *items);
    table->items = items;
    table->capacity = capacity;
    return true;
}

/* Returns the table of a process alone. A shared one is copied; *is_left: too much was copied already, and the new one is empty.
 * NULL: out of memory. */
static PerfMapTable *own_table(PerfMaps *maps, uint32_t pid, bool *is_left)
{
    PerfMapTable *shared = find_table(maps, pid);
    *is_left = false;
    if (shared != NULL && shared->users == 1) return shared;
    PerfMapTable *own = ARENA_NEW(arena_of(maps), PerfMapTable);
    if (own == NULL) {
        maps->failed = true;
        return NULL;
    }
    *is_left = shared != NULL && maps->copied + shared->count > MOST_COPIED;
    if (shared != NULL && !*is_left && reserve(maps, own, shared->count)) {
        maps->copied += shared->count;
        own->count = shared->count;
        if (own->count > 0) memcpy(own->items, shared->items, own->count * sizeof *own->items);
    }
    set_table(maps, pid, own);
    return maps->failed ? NULL : own;
}

/* Returns the index of the first map that ends behind an address. */
static uint32_t first_behind(const PerfMapTable *table, uint64_t address)
{
    uint32_t low = 0;
    LOWER_BOUND(uint32_t, low, table->count, i, table->items[i].end <= address);
    return low;
}

bool perf_maps_add(PerfMaps *maps, uint32_t pid, const PerfMap *map)
{
    if (map->end <= map->begin) return true;
    bool          is_left;
    PerfMapTable *table = own_table(maps, pid, &is_left);
    if (table == NULL) return true;
    const uint32_t first = first_behind(table, map->begin);
    uint32_t       last = first, made = 0;
    PerfMap        parts[3]; /* the map, and the remaining parts of the maps at its ends */
    while (last < table->count && table->items[last].begin < map->end)
        last++;
    if (first < last && table->items[first].begin < map->begin) {
        parts[made] = table->items[first];
        parts[made++].end = map->begin;
    }
    parts[made++] = *map;
    if (first < last && table->items[last - 1].end > map->end) {
        parts[made] = table->items[last - 1];
        parts[made].offset += map->end - parts[made].begin;
        parts[made++].begin = map->end;
    }
    const uint32_t count = table->count - (last - first) + made;
    if (count > MOST_MAPS) return false;
    if (!reserve(maps, table, count)) return true;
    memmove(table->items + first + made, table->items + last, (table->count - last) * sizeof *table->items);
    memcpy(table->items + first, parts, made * sizeof *parts);
    table->count = count;
    assert(table->users == 1);
    return !is_left;
}

void perf_maps_fork(PerfMaps *maps, uint32_t pid, uint32_t parent)
{
    PerfMapTable *table = find_table(maps, parent);
    if (pid != parent && table != NULL && table != find_table(maps, pid)) set_table(maps, pid, table);
}

void perf_maps_clear(PerfMaps *maps, uint32_t pid)
{
    PerfMapTable *table = find_table(maps, pid);
    if (table == NULL || table->count == 0) return;
    if (table->users == 1) {
        table->count = 0;
        return;
    }
    PerfMapTable *own = ARENA_NEW(arena_of(maps), PerfMapTable);
    if (own == NULL)
        maps->failed = true;
    else
        set_table(maps, pid, own);
}

const PerfMap *perf_maps_find(const PerfMaps *maps, uint32_t pid, uint64_t address)
{
    const PerfMapTable *table = find_table(maps, pid);
    if (table == NULL) return NULL;
    const uint32_t at = first_behind(table, address);
    return at < table->count && table->items[at].begin <= address ? &table->items[at] : NULL;
}
