/* format/label_cache.h - finds the label of a name and a category by their raw bytes, with one look-up per event.
 *
 * A file may contain the same name millions of times, in the same bytes. The key is the raw bytes, including escapes
 * and invalid UTF-8, so that each spelling is decoded and interned once.
 *
 * The cache keeps at most 2^18 spellings and 16 MiB of text. Spellings after these are not cached. */
#ifndef FORMAT_LABEL_CACHE_H
#define FORMAT_LABEL_CACHE_H
#include "base/block16.h"
#include "base/hash.h"
#include "trace/log/builder.h"

/* The raw bytes of a name, followed by those of its category. */
typedef struct LabelSpelling {
    const char *bytes; /* in the cache's arena */
    uint64_t    hash;
    uint64_t    sizes; /* label_sizes */
    LabelId     label;
} LabelSpelling;

/* The sizes of a spelling and the words at the ends of its texts. They are all of a name of at most 16 bytes and a category of at
 * most 8. */
typedef struct LabelWords {
    uint64_t sizes; /* label_sizes */
    uint64_t first, last, category;
} LabelWords;

/* A spelling that was found lately. */
typedef struct RecentLabel {
    LabelWords  words; /* sizes 0: the place is free */
    const char *bytes; /* as LabelSpelling.bytes */
    LabelId     label;
} RecentLabel;

/* Its members are for label_cache.c, and for the inline functions here. */
typedef struct LabelCache {
    Arena *arena;
    /* by a cheap hash, at its place or the place beside it. Earlier places stay in the arena, too. */
    RecentLabel   *recent;
    unsigned       recent_bits; /* of the hash */
    LabelSpelling *slots;       /* open addressing; bytes NULL = empty */
    size_t         capacity;    /* a power of two */
    size_t         count;
    size_t         text_bytes;
    uint64_t       key; /* of the hash */
} LabelCache;

/* Creates a cache in `arena`; NULL when out of memory. */
LabelCache *label_cache_create(Arena *arena);
/* Returns the sizes of a name and a category in the halves of a number: 1 = NULL, else two more than the size. */
static inline uint64_t label_sizes(const char *name, size_t name_size, const char *category,
                                   size_t category_size)
{
    return (name_size + 1 + (name != NULL)) | (uint64_t)(category_size + 1 + (category != NULL)) << 32;
}

/* Returns `size` (0..8) bytes as a number, read as two words that may overlap. */
static inline uint64_t label_load_few(const char *at, size_t size)
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

/* True if two texts of the same size are equal. */
static inline bool label_same_bytes(const char *a, const char *b, size_t size)
{
    const uint8_t *x = (const uint8_t *)a, *y = (const uint8_t *)b;
    if (size <= 8) return label_load_few(a, size) == label_load_few(b, size);
    if (size <= 16)
        return bits_load_u64(x) == bits_load_u64(y) &&
               bits_load_u64(x + size - 8) == bits_load_u64(y + size - 8);
    Block16 same = block_same(block_load(x + size - 16), block_load(y + size - 16));
    for (size_t i = 0; i + 16 < size; i += 16)
        same = block_and(same, block_same(block_load(x + i), block_load(y + i)));
    return block_mask(same) == 0xffff;
}

static inline bool label_spelling_is(const LabelSpelling *spelling, const char *name, size_t name_size,
                                     const char *category, size_t category_size)
{
    return spelling->sizes == label_sizes(name, name_size, category, category_size) &&
           label_same_bytes(spelling->bytes, name, name_size) &&
           label_same_bytes(spelling->bytes + name_size, category, category_size);
}

static inline LabelWords label_words(const char *name, size_t name_size, const char *category,
                                     size_t category_size)
{
    return (LabelWords){
        .sizes = label_sizes(name, name_size, category, category_size),
        .first = name_size > 8 ? bits_load_u64(name) : label_load_few(name, name_size),
        .last = name_size > 8 ? bits_load_u64(name + name_size - 8) : 0,
        .category = category_size > 8 ? bits_load_u64(category) : label_load_few(category, category_size),
    };
}

/* True if the recent label has this spelling. */
static inline bool label_is(const RecentLabel *recent, const LabelWords *words, const char *name,
                            size_t name_size, const char *category, size_t category_size)
{
    const LabelWords *own = &recent->words;
    const uint64_t    other = (own->sizes ^ words->sizes) | (own->first ^ words->first) |
                           (own->last ^ words->last) | (own->category ^ words->category);
    return other == 0 && (name_size <= 16 || label_same_bytes(recent->bytes, name, name_size)) &&
           (category_size <= 8 || label_same_bytes(recent->bytes + name_size, category, category_size));
}

/* The rest of label_cache_find. */
const LabelId *label_cache_find_rest(LabelCache *cache, size_t place, const char *name, size_t name_size,
                                     const char *category, size_t category_size);

/* Returns the label of this spelling, or NULL if it is new. Then the caller decodes the texts, makes the label and
 * calls label_cache_put. `name` and `category` may be NULL with size 0, which differs from "" with size 0. The pointer is valid
 * until the next call. */
static inline const LabelId *label_cache_find(LabelCache *cache, const char *name, size_t name_size,
                                              const char *category, size_t category_size)
{
    const LabelWords words = label_words(name, name_size, category, category_size);
    const uint64_t   mixed = ((words.first + words.category) ^ words.last * HASH_ODD_2) * HASH_ODD_1;
    const size_t     place = (size_t)(mixed >> (64 - cache->recent_bits));
    if (LIKELY(label_is(&cache->recent[place], &words, name, name_size, category, category_size)))
        return &cache->recent[place].label;
    return label_cache_find_rest(cache, place, name, name_size, category, category_size);
}
/* Stores the label of a spelling for which label_cache_find returned NULL. Does nothing if the cache is full. Returns
 * false when out of memory. */
bool label_cache_put(LabelCache *cache, const char *name, size_t name_size, const char *category,
                     size_t category_size, LabelId label) WARN_UNUSED;
bool label_cache_is_full(const LabelCache *cache);

#endif
