#include "base/string_table.h"

#include "base/checked.h"
#include "base/hash.h"

#include <assert.h>
#include <string.h>

enum { CHUNK_BITS = 7, CHUNK_TEXTS = 1 << CHUNK_BITS, FIRST_SLOTS = 64, FIRST_CHUNKS = 4 };
static const size_t   FIRST_POOL_BYTES = 2048, LARGEST_POOL_BYTES = (size_t)64 << 10;
static const uint32_t COUNT_MAX = UINT32_MAX - 1;

/* A slot has all that a look-up of a short string needs, so that one in a large table costs one cache line. That of a long
 * string costs two. The low bits of the tag select the slot. */
enum { SHORT_BYTES = 19, LONG_TEXT = UINT8_MAX };
typedef struct Slot {
    uint32_t id;  /* 0 = free */
    uint32_t tag; /* of the hash: its low half */
    uint32_t note;
    uint8_t  size;
    char     bytes[SHORT_BYTES]; /* of size LONG_TEXT: begins with a pointer to the string */
} Slot;
static_assert(sizeof(Slot) == 32, "two slots fill a cache line");

struct StringTable {
    Arena   *arena; /* borrowed; the arrays below are allocated in it */
    uint64_t key;   /* of the hash */
    Slot    *slots; /* slot_count of them, a power of two; at most 3/4 are used */
    size_t   slot_count;
    Slot    *last; /* of the string interned last; NULL = none */
    /* string of id n: chunks[(n - 1) >> CHUNK_BITS][(n - 1) % CHUNK_TEXTS]; its size as a size_t is in front of it, and a
     * zero byte behind it */
    const char ***chunks;
    size_t        chunk_room; /* pointers that fit in `chunks` */
    size_t        chunk_count;
    uint32_t      count;
    char         *pool; /* free bytes for short strings, packed without the arena's alignment */
    size_t        pool_left;
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

static Slot *slots_create(StringTable *table, size_t count)
{
    Slot *slots = (Slot *)arena_push_own(table->arena, count, sizeof *slots);
    if (slots != NULL) table->held_bytes += count * sizeof *slots;
    return slots;
}

StringTable *string_table_create(Arena *arena)
{
    StringTable *table = ARENA_NEW(arena, StringTable);
    if (table == NULL) return NULL;
    table->arena = arena;
    table->key = hash_random_key();
    table->held_bytes = sizeof *table;
    table->slots = slots_create(table, FIRST_SLOTS);
    table->slot_count = FIRST_SLOTS;
    table->chunks = (const char ***)table_push(table, FIRST_CHUNKS, sizeof *table->chunks);
    table->chunk_room = FIRST_CHUNKS;
    return table->slots == NULL || table->chunks == NULL ? NULL : table;
}

static inline const char **text_of(const StringTable *table, uint32_t id)
{
    uint32_t index = id - 1;
    return &table->chunks[index >> CHUNK_BITS][index % CHUNK_TEXTS];
}

static inline StringView text_view(const char *text)
{
    size_t size;
    memcpy(&size, text - sizeof size, sizeof size);
    return (StringView){ text, size };
}

static inline bool slot_has(const Slot *slot, const char *bytes, size_t size)
{
    const char *text;
    if (slot->size != LONG_TEXT)
        return slot->size == size && (size == 0 || memcmp(slot->bytes, bytes, size) == 0);
    memcpy(&text, slot->bytes, sizeof text);
    return string_equal(text_view(text), (StringView){ bytes, size });
}

static void slot_fill(Slot *slot, uint32_t id, uint32_t tag, const char *text, size_t size)
{
    *slot = (Slot){ .id = id, .tag = tag, .size = size <= SHORT_BYTES ? (uint8_t)size : LONG_TEXT };
    if (size <= SHORT_BYTES)
        memcpy(slot->bytes, text, size);
    else
        memcpy(slot->bytes, &text, sizeof text);
}

/* Returns the slot of these bytes, or the free slot for them. */
static ALWAYS_INLINE Slot *slot_find(const StringTable *table, const char *bytes, size_t size, uint64_t hash)
{
    const size_t   mask = table->slot_count - 1;
    const uint32_t tag = (uint32_t)hash;
    for (size_t at = tag & mask;; at = (at + 1) & mask) {
        Slot *slot = &table->slots[at];
        if (slot->id == 0 || (slot->tag == tag && slot_has(slot, bytes, size))) return slot;
    }
}

/* Doubles the number of slots. */
static bool slots_double(StringTable *table)
{
    size_t slot_count;
    if (!size_mul(table->slot_count, 2, &slot_count)) return false;
    Slot *slots = slots_create(table, slot_count);
    if (slots == NULL) return false;
    const size_t mask = slot_count - 1;
    for (size_t i = 0; i < table->slot_count; i++) {
        const Slot *slot = &table->slots[i];
        size_t      at = slot->tag & mask;
        if (slot->id == 0) continue;
        while (slots[at].id != 0)
            at = (at + 1) & mask;
        slots[at] = *slot;
    }
    table->held_bytes -= table->slot_count * sizeof *slots;
    arena_give_back(table->arena, table->slots, table->slot_count, sizeof *slots);
    table->slots = slots;
    table->slot_count = slot_count;
    return true;
}

static bool chunk_add(StringTable *table)
{
    if (table->chunk_count == table->chunk_room) {
        const char ***chunks = (const char ***)table_push(table, table->chunk_room * 2, sizeof *chunks);
        if (chunks == NULL) return false;
        memcpy(chunks, table->chunks, table->chunk_count * sizeof *chunks);
        table->chunks = chunks;
        table->chunk_room *= 2;
    }
    const char **chunk = (const char **)table_push(table, CHUNK_TEXTS, sizeof *chunk);
    if (chunk == NULL) return false;
    table->chunks[table->chunk_count++] = chunk;
    return true;
}

/* Returns bytes for a string with its size and its zero byte. */
static char *text_room(StringTable *table, size_t size)
{
    if (size > LARGEST_POOL_BYTES / 8) {
        char *room = (char *)arena_push_raw(table->arena, 1, size);
        if (room != NULL) table->held_bytes += size;
        return room;
    }
    if (table->pool_left < size) {
        size_t pool_size = table->pool_size == 0 ? FIRST_POOL_BYTES : 2 * table->pool_size;
        while (pool_size < size)
            pool_size *= 2;
        if (pool_size > LARGEST_POOL_BYTES) pool_size = LARGEST_POOL_BYTES;
        char *pool = (char *)arena_push_raw(table->arena, 1, pool_size);
        if (pool == NULL) return NULL;
        table->pool = pool;
        table->pool_left = table->pool_size = pool_size;
        table->held_bytes += pool_size;
    }
    char *room = table->pool;
    table->pool += size;
    table->pool_left -= size;
    return room;
}

static const char *text_copy(StringTable *table, const char *bytes, size_t size)
{
    size_t total;
    char  *room = size_add(size, sizeof size + 1, &total) ? text_room(table, total) : NULL;
    if (room == NULL) return NULL;
    memcpy(room, &size, sizeof size);
    if (size > 0) memcpy(room + sizeof size, bytes, size);
    room[sizeof size + size] = '\0';
    return room + sizeof size;
}

StringId string_table_intern(StringTable *table, const char *bytes, size_t size)
{
    uint64_t hash = hash_bytes(bytes, size, table->key);
    Slot    *slot = slot_find(table, bytes, size, hash);
    table->last = slot;
    if (LIKELY(slot->id != 0)) return (StringId){ slot->id };

    if (table->count == COUNT_MAX) return STRING_NONE;
    if (table->count >= table->slot_count / 4 * 3) {
        if (!slots_double(table)) return STRING_NONE;
        table->last = slot = slot_find(table, bytes, size, hash);
    }
    if (table->count >> CHUNK_BITS == table->chunk_count && !chunk_add(table)) return STRING_NONE;
    const char *text = text_copy(table, bytes, size);
    if (text == NULL) return STRING_NONE;

    uint32_t id = ++table->count;
    *text_of(table, id) = text;
    slot_fill(slot, id, (uint32_t)hash, text, size);
    return (StringId){ id };
}

uint32_t *string_table_note(StringTable *table, StringId id)
{
    return id.index != 0 && table->last != NULL && table->last->id == id.index ? &table->last->note : NULL;
}

StringId string_table_find(const StringTable *table, const char *bytes, size_t size)
{
    return (StringId){ slot_find(table, bytes, size, hash_bytes(bytes, size, table->key))->id };
}

StringView string_table_view(const StringTable *table, StringId id)
{
    if (id.index == 0) return (StringView){ "", 0 };
    assert(id.index <= table->count);
    return text_view(*text_of(table, id.index));
}

/* The table replaces its chunks when they are full, and keeps the old ones: a string stays where it is. */
StringTable *string_table_copy(const StringTable *table, Arena *arena)
{
    StringTable *copy = ARENA_NEW(arena, StringTable);
    Slot        *slots = ARENA_ARRAY(arena, Slot, table->slot_count);
    if (copy == NULL || slots == NULL) return NULL;
    memcpy(slots, table->slots, table->slot_count * sizeof *slots);
    *copy = *table;
    copy->arena = arena;
    copy->slots = slots;
    copy->last = NULL;
    return copy;
}

uint32_t string_table_count(const StringTable *table)
{
    return table->count;
}

size_t string_table_bytes(const StringTable *table)
{
    return table->held_bytes;
}
