#include "format/label_cache.h"

enum { FIRST_CAPACITY = 256, MOST_SPELLINGS = 1 << 18, MOST_TEXT_BYTES = 16 << 20 };
/* Few labels have few places. More have so many that labels seldom share one, and that they fit into the processor's cache. */
enum { FIRST_RECENT_BITS = 9, MOST_RECENT_BITS = 14 };

/* Makes room for recent spellings. False when out of memory. */
static bool make_recent(LabelCache *cache, unsigned bits)
{
    RecentLabel *recent = ARENA_ARRAY(cache->arena, RecentLabel, (size_t)1 << bits);
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
    cache->slots = ARENA_ARRAY(arena, LabelSpelling, FIRST_CAPACITY);
    return cache->slots == NULL || !make_recent(cache, FIRST_RECENT_BITS) ? NULL : cache;
}

static uint64_t spelling_hash(const LabelCache *cache, const char *name, size_t name_size,
                              const char *category, size_t category_size)
{
    uint64_t hash = hash_bytes(name == NULL ? "" : name, name_size, cache->key + (name != NULL));
    return category == NULL ? hash : hash_bytes(category, category_size, hash);
}

static const LabelSpelling *spelling_find(LabelCache *cache, const char *name, size_t name_size,
                                          const char *category, size_t category_size)
{
    const uint64_t hash = spelling_hash(cache, name, name_size, category, category_size);
    for (size_t at = (size_t)hash & (cache->capacity - 1);; at = (at + 1) & (cache->capacity - 1)) {
        const LabelSpelling *spelling = &cache->slots[at];
        if (spelling->bytes == NULL) return NULL;
        if (spelling->hash == hash && label_spelling_is(spelling, name, name_size, category, category_size))
            return spelling;
    }
}

const LabelId *label_cache_find_rest(LabelCache *cache, size_t place, const char *name, size_t name_size,
                                     const char *category, size_t category_size)
{
    const LabelWords   words = label_words(name, name_size, category, category_size);
    RecentLabel *const recent = &cache->recent[place], *const beside = &cache->recent[place ^ 1];
    if (label_is(beside, &words, name, name_size, category, category_size)) return &beside->label;
    const LabelSpelling *found = spelling_find(cache, name, name_size, category, category_size);
    if (found == NULL) return NULL;
    *beside = *recent;
    *recent = (RecentLabel){ words, found->bytes, found->label };
    return &recent->label;
}

static void insert(LabelCache *cache, LabelSpelling spelling)
{
    size_t at = (size_t)spelling.hash & (cache->capacity - 1);
    while (cache->slots[at].bytes != NULL)
        at = (at + 1) & (cache->capacity - 1);
    cache->slots[at] = spelling;
}

static bool grow(LabelCache *cache)
{
    if (cache->count + 1 <= cache->capacity / 2) return true;
    LabelSpelling *old = cache->slots;
    size_t         old_capacity = cache->capacity;
    LabelSpelling *slots = ARENA_ARRAY(cache->arena, LabelSpelling, old_capacity * 2);
    if (slots == NULL) return false;
    if (cache->recent_bits < MOST_RECENT_BITS && cache->count >= (size_t)1 << (cache->recent_bits - 2) &&
        !make_recent(cache, MOST_RECENT_BITS))
        return false;
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
    if (name_size >= UINT32_MAX - 1 || category_size >= UINT32_MAX - 1) return false; /* for label_sizes */
    if (label_cache_is_full(cache)) return true;
    if (!grow(cache)) return false;
    char *bytes = (char *)arena_push_raw(cache->arena, name_size + category_size, 1);
    if (bytes == NULL) return false;
    if (name_size > 0) memcpy(bytes, name, name_size);
    if (category_size > 0) memcpy(bytes + name_size, category, category_size);
    insert(cache, (LabelSpelling){ .bytes = bytes,
                                   .hash = spelling_hash(cache, name, name_size, category, category_size),
                                   .sizes = label_sizes(name, name_size, category, category_size),
                                   .label = label });
    cache->count++;
    cache->text_bytes += name_size + category_size;
    return true;
}
