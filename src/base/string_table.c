#include "base/string_table.h"

#include "base/checked.h"
#include "base/hash.h"

#include <assert.h>
#include <string.h>

enum { CHUNK_BITS = 7, CHUNK_ENTRIES = 1 << CHUNK_BITS, FIRST_SLOTS = 64, FIRST_CHUNKS = 4 };
static const size_t   FIRST_POOL_BYTES = 2048, LARGEST_POOL_BYTES = (size_t)64 << 10;
static const uint32_t COUNT_MAX = UINT32_MAX - 1;

typedef struct Entry {
    const char *bytes; /* in the table's arena, followed by a zero byte */
    size_t      size;
    uint64_t    hash;
} Entry;

/* A slot has eight bytes, so that a probe of a large table costs one cache line. The low half of the hash selects the
 * slot. The high half is compared before the entry is read. */
typedef struct Slot {
    uint32_t id;  /* 0 = free */
    uint32_t tag; /* hash >> 32 */
} Slot;

struct StringTable {
    Arena   *arena; /* borrowed; the arrays below are allocated in it */
    uint64_t key;   /* of the hash */
    Slot    *slots; /* slot_count of them, a power of two; at most 3/4 are used */
    size_t   slot_count;
    Entry  **chunks;     /* entry of id n: chunks[(n - 1) >> CHUNK_BITS][(n - 1) % CHUNK_ENTRIES] */
    size_t   chunk_room; /* pointers that fit in `chunks` */
    size_t   chunk_count;
    uint32_t count;
    char    *pool; /* free bytes for short strings, packed without the arena's alignment */
    size_t   pool_left;
    /* of the current pool; each pool is twice as large as the one before, up to a limit */
    size_t pool_size;
    size_t held_bytes;
};

static void *table_push(StringTable *table, size_t count, size_t size)
{
    void *memory = arena_push(table->arena, count, size);
    if (memory != NULL) table->held_bytes += count * size;
    return memory;
}

StringTable *string_table_create(Arena *arena)
{
    StringTable *table = ARENA_NEW(arena, StringTable);
    if (table == NULL) return NULL;
    table->arena = arena;
    table->key = hash_random_key();
    table->held_bytes = sizeof *table;
    table->slots = (Slot *)table_push(table, FIRST_SLOTS, sizeof(Slot));
    table->slot_count = FIRST_SLOTS;
    table->chunks = (Entry **)table_push(table, FIRST_CHUNKS, sizeof(Entry *));
    table->chunk_room = FIRST_CHUNKS;
    return table->slots == NULL || table->chunks == NULL ? NULL : table;
}

static inline Entry *entry_of(const StringTable *table, uint32_t id)
{
    uint32_t index = id - 1;
    return &table->chunks[index >> CHUNK_BITS][index % CHUNK_ENTRIES];
}

/* Returns the slot of these bytes, or the free slot for them. */
static Slot *slot_find(const StringTable *table, const char *bytes, size_t size, uint64_t hash)
{
    const size_t   mask = table->slot_count - 1;
    const uint32_t tag = (uint32_t)(hash >> 32);
    for (size_t at = (size_t)hash & mask;; at = (at + 1) & mask) {
        Slot *slot = &table->slots[at];
        if (slot->id == 0) return slot;
        if (slot->tag != tag) continue;
        const Entry *entry = entry_of(table, slot->id);
        if (entry->size == size && (size == 0 || memcmp(entry->bytes, bytes, size) == 0)) return slot;
    }
}

/* Doubles the number of slots. The old arrays stay in the arena; together they are smaller than the new one. */
static bool slots_double(StringTable *table)
{
    size_t slot_count;
    if (!size_mul(table->slot_count, 2, &slot_count)) return false;
    Slot *slots = (Slot *)table_push(table, slot_count, sizeof(Slot));
    if (slots == NULL) return false;
    const size_t mask = slot_count - 1;
    for (uint32_t id = 1; id <= table->count; id++) {
        uint64_t hash = entry_of(table, id)->hash;
        size_t   at = (size_t)hash & mask;
        while (slots[at].id != 0)
            at = (at + 1) & mask;
        slots[at] = (Slot){ .id = id, .tag = (uint32_t)(hash >> 32) };
    }
    table->slots = slots;
    table->slot_count = slot_count;
    return true;
}

static bool chunk_add(StringTable *table)
{
    if (table->chunk_count == table->chunk_room) {
        Entry **chunks = (Entry **)table_push(table, table->chunk_room * 2, sizeof(Entry *));
        if (chunks == NULL) return false;
        memcpy(chunks, table->chunks, table->chunk_count * sizeof *chunks);
        table->chunks = chunks;
        table->chunk_room *= 2;
    }
    Entry *chunk = (Entry *)table_push(table, CHUNK_ENTRIES, sizeof(Entry));
    if (chunk == NULL) return false;
    table->chunks[table->chunk_count++] = chunk;
    return true;
}

static const char *pool_copy(StringTable *table, const char *bytes, size_t size)
{
    if (size >= LARGEST_POOL_BYTES / 8) {
        char *copy = arena_push_copy(table->arena, bytes, size);
        if (copy != NULL) table->held_bytes += size + 1;
        return copy;
    }
    if (table->pool_left < size + 1) {
        size_t pool_size = table->pool_size == 0 ? FIRST_POOL_BYTES : 2 * table->pool_size;
        while (pool_size < size + 1)
            pool_size *= 2;
        if (pool_size > LARGEST_POOL_BYTES) pool_size = LARGEST_POOL_BYTES;
        char *pool = (char *)arena_push_raw(table->arena, 1, pool_size);
        if (pool == NULL) return NULL;
        table->pool = pool;
        table->pool_left = table->pool_size = pool_size;
        table->held_bytes += pool_size;
    }
    char *copy = table->pool;
    if (size > 0) memcpy(copy, bytes, size);
    copy[size] = '\0';
    table->pool += size + 1;
    table->pool_left -= size + 1;
    return copy;
}

StringId string_table_intern(StringTable *table, const char *bytes, size_t size)
{
    uint64_t hash = hash_bytes(bytes, size, table->key);
    Slot    *slot = slot_find(table, bytes, size, hash);
    if (LIKELY(slot->id != 0)) return (StringId){ slot->id };

    if (table->count == COUNT_MAX) return STRING_NONE;
    if (table->count >= table->slot_count / 4 * 3) {
        if (!slots_double(table)) return STRING_NONE;
        slot = slot_find(table, bytes, size, hash);
    }
    if (table->count >> CHUNK_BITS == table->chunk_count && !chunk_add(table)) return STRING_NONE;
    const char *copy = pool_copy(table, bytes, size);
    if (copy == NULL) return STRING_NONE;

    uint32_t id = ++table->count;
    *entry_of(table, id) = (Entry){ .bytes = copy, .size = size, .hash = hash };
    *slot = (Slot){ .id = id, .tag = (uint32_t)(hash >> 32) };
    return (StringId){ id };
}

StringId string_table_find(const StringTable *table, const char *bytes, size_t size)
{
    return (StringId){ slot_find(table, bytes, size, hash_bytes(bytes, size, table->key))->id };
}

StringView string_table_view(const StringTable *table, StringId id)
{
    if (id.index == 0) return (StringView){ "", 0 };
    assert(id.index <= table->count);
    const Entry *entry = entry_of(table, id.index);
    return (StringView){ entry->bytes, entry->size };
}

uint32_t string_table_count(const StringTable *table)
{
    return table->count;
}

size_t string_table_bytes(const StringTable *table)
{
    return table->held_bytes;
}
