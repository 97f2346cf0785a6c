#include "format/label_cache.h"

#include "base/bits.h"
#include "base/hash.h"

#include <string.h>

/* The raw bytes of a name, followed by those of its category. */
typedef struct Spelling {
    const char *bytes; /* in the cache's arena */
    uint64_t    hash;
    uint32_t    name_size, category_size;
    uint8_t     has_name, has_category;
    LabelId     label;
} Spelling;

struct LabelCache {
    Arena *arena;
    const Spelling **
        recent; /* the latest one found, by a cheap hash; NULL = none. Earlier slots stay in the arena, too. */
    unsigned  recent_bits; /* of the hash */
    Spelling *slots;       /* open addressing; bytes NULL = empty */
    size_t    capacity;    /* a power of two */
    size_t    count;
    size_t    text_bytes;
    uint64_t  key; /* of the hash */
};

enum { FIRST_CAPACITY = 256, MOST_SPELLINGS = 1 << 18, MOST_TEXT_BYTES = 16 << 20 };
/* At most so many that they fit into the processor's cache. */
enum { FIRST_RECENT_BITS = 9, MOST_RECENT_BITS = 13 };

/* Makes room for recent spellings. False when out of memory. */
static bool make_recent(LabelCache *cache, unsigned bits)
{
    const Spelling **recent = ARENA_ARRAY(cache->arena, const Spelling *, (size_t)1 << bits);
    if (recent == NULL) return false;
    cache->recent = recent;
    cache->recent_bits = bits;
    return true;
}

LabelCache *label_cache_create(Arena *arena)
{
    LabelCache *cache = ARENA_NEW(arena, LabelCache);
    if (cache == NULL) return NULL;
    *cache = (LabelCache){ .arena = arena, .capacity = FIRST_CAPACITY, .key = hash_random_key() };
    cache->slots = ARENA_ARRAY(arena, Spelling, FIRST_CAPACITY);
    return cache->slots == NULL || !make_recent(cache, FIRST_RECENT_BITS) ? NULL : cache;
}

static uint64_t spelling_hash(const LabelCache *cache, const char *name, size_t name_size,
                              const char *category, size_t category_size)
{
    uint64_t hash = hash_bytes(name == NULL ? "" : name, name_size, cache->key + (name != NULL));
    return category == NULL ? hash : hash_bytes(category, category_size, hash);
}

/* Returns `size` (0..8) bytes as a number, read as two words that may overlap. */
static inline uint64_t load_few(const char *at, size_t size)
{
    uint32_t first = 0, last = 0;
    if (size >= 4) {
        memcpy(&first, at, 4);
        memcpy(&last, at + size - 4, 4);
    } else if (size > 0) {
        first = (uint8_t)at[0] | (uint32_t)(uint8_t)at[size / 2] << 8;
        last = (uint8_t)at[size - 1];
    }
    return (uint64_t)last << 32 | first;
}

static inline bool same(const char *a, const char *b, size_t size)
{
    if (size <= 8) return load_few(a, size) == load_few(b, size);
    if (size > 16) return memcmp(a, b, size) == 0;
    return bits_load_u64(a) == bits_load_u64(b) && bits_load_u64(a + size - 8) == bits_load_u64(b + size - 8);
}

static inline bool spelling_is(const Spelling *spelling, const char *name, size_t name_size,
                               const char *category, size_t category_size)
{
    return spelling->name_size == name_size && spelling->category_size == category_size &&
           spelling->has_name == (name != NULL) && spelling->has_category == (category != NULL) &&
           same(spelling->bytes, name, name_size) &&
           same(spelling->bytes + name_size, category, category_size);
}

/* Returns the place in `recent` of a spelling, by the first and last bytes of its name. */
static inline size_t recent_of(const LabelCache *cache, const char *name, size_t name_size,
                               size_t category_size)
{
    const uint64_t first = name_size > 8 ? bits_load_u64(name) : load_few(name, name_size);
    const uint64_t last = name_size > 8 ? bits_load_u64(name + name_size - 8) : 0;
    const uint64_t mixed = (first + name_size) * HASH_ODD_1 ^ (last + category_size) * HASH_ODD_2;
    return (size_t)((mixed * HASH_ODD_1) >> (64 - cache->recent_bits));
}

static const Spelling *spelling_find(LabelCache *cache, const char *name, size_t name_size,
                                     const char *category, size_t category_size)
{
    uint64_t hash = spelling_hash(cache, name, name_size, category, category_size);
    for (size_t at = (size_t)hash & (cache->capacity - 1);; at = (at + 1) & (cache->capacity - 1)) {
        const Spelling *spelling = &cache->slots[at];
        if (spelling->bytes == NULL) return NULL;
        if (spelling->hash == hash && spelling_is(spelling, name, name_size, category, category_size))
            return spelling;
    }
}

/* The rest of label_cache_find, apart, because it needs many registers. */
static NOINLINE const LabelId *find_by_hash(LabelCache *cache, const Spelling **recent, const char *name,
                                            size_t name_size, const char *category, size_t category_size)
{
    const Spelling *found = spelling_find(cache, name, name_size, category, category_size);
    if (found == NULL) return NULL;
    *recent = found;
    return &found->label;
}

const LabelId *label_cache_find(LabelCache *cache, const char *name, size_t name_size, const char *category,
                                size_t category_size)
{
    const Spelling **recent = &cache->recent[recent_of(cache, name, name_size, category_size)];
    if (LIKELY(*recent != NULL) && spelling_is(*recent, name, name_size, category, category_size))
        return &(*recent)->label;
    return find_by_hash(cache, recent, name, name_size, category, category_size);
}

static void insert(LabelCache *cache, Spelling spelling)
{
    size_t at = (size_t)spelling.hash & (cache->capacity - 1);
    while (cache->slots[at].bytes != NULL)
        at = (at + 1) & (cache->capacity - 1);
    cache->slots[at] = spelling;
}

static bool grow(LabelCache *cache)
{
    if (cache->count + 1 <= cache->capacity / 2) return true;
    Spelling *old = cache->slots;
    size_t    old_capacity = cache->capacity;
    Spelling *slots = ARENA_ARRAY(cache->arena, Spelling, old_capacity * 2);
    if (slots == NULL) return false;
    if (cache->recent_bits < MOST_RECENT_BITS && !make_recent(cache, cache->recent_bits + 1)) return false;
    cache->slots = slots;
    cache->capacity = old_capacity * 2;
    for (size_t i = 0; i < old_capacity; i++) {
        if (old[i].bytes != NULL) insert(cache, old[i]);
    }
    return true;
}

bool label_cache_is_full(const LabelCache *cache)
{
    return cache->count >= MOST_SPELLINGS || cache->text_bytes >= MOST_TEXT_BYTES;
}

bool label_cache_put(LabelCache *cache, const char *name, size_t name_size, const char *category,
                     size_t category_size, LabelId label)
{
    if (name_size > UINT32_MAX || category_size > UINT32_MAX) return false;
    if (label_cache_is_full(cache)) return true;
    if (!grow(cache)) return false;
    char *bytes = (char *)arena_push_raw(cache->arena, name_size + category_size, 1);
    if (bytes == NULL) return false;
    if (name_size > 0) memcpy(bytes, name, name_size);
    if (category_size > 0) memcpy(bytes + name_size, category, category_size);
    insert(cache, (Spelling){ .bytes = bytes,
                              .hash = spelling_hash(cache, name, name_size, category, category_size),
                              .name_size = (uint32_t)name_size,
                              .category_size = (uint32_t)category_size,
                              .has_name = name != NULL,
                              .has_category = category != NULL,
                              .label = label });
    cache->count++;
    cache->text_bytes += name_size + category_size;
    return true;
}
