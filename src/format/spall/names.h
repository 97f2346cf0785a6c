/* format/spall/names.h - a small cache in front of the LabelCache, for the inner loop of a load.
 *
 * Looks up names of up to NAME_CACHE_BYTES bytes without a branch on their length: the order of names is
 * unpredictable, and a misprediction costs more than the look-up. A name has two neighbouring entries. If both hold
 * other names, it is looked up in the LabelCache and replaces the first one. */
#ifndef FORMAT_SPALL_NAMES_H
#define FORMAT_SPALL_NAMES_H
#include "format/label_cache.h"
#include "format/spall/layout.h"

#include <string.h>

enum { NAME_CACHE_BYTES = 48, NAME_CACHE_PLACES = 16384, NAME_CACHE_LINE = 64 };

/* An entry: the size of a cache line and aligned to it, so that a look-up touches one line. */
typedef struct CachedName {
    uint32_t label; /* LabelId.index; 0 = empty */
    uint32_t size;
    uint8_t  bytes[NAME_CACHE_BYTES]; /* `size` bytes, then zeros */
    uint8_t  unused[NAME_CACHE_LINE - NAME_CACHE_BYTES - 8];
} CachedName;

typedef struct NameCache {
    LabelCache *labels; /* borrowed */
    CachedName *places; /* NAME_CACHE_PLACES */
} NameCache;

/* Allocates the cache in `arena`. False when out of memory. */
bool name_cache_open(NameCache *cache, LabelCache *labels, Arena *arena) WARN_UNUSED;

/* The slow path of name_cache_find. */
uint32_t name_cache_fetch(const NameCache *cache, CachedName *place, const uint8_t *name, size_t size);

/* Ones, then zeros: the bytes from NAME_CACHE_BYTES - size on mask a name of `size` bytes. */
extern const uint8_t NAME_CACHE_MASKS[2 * NAME_CACHE_BYTES];

typedef uint64_t NamePart __attribute__((vector_size(16)));

static inline NamePart name_part(const uint8_t *bytes)
{
    NamePart part;
    memcpy(&part, bytes, sizeof part);
    return part;
}

/* Returns the first of a name's two entries and prefetches it; the caller reads it later. NAME_CACHE_BYTES must be
 * readable at `name` for any size. */
static inline CachedName *name_cache_place(const NameCache *cache, const uint8_t *name, size_t size)
{
    if (UNLIKELY(size > NAME_CACHE_BYTES)) return cache->places;
    const uint64_t mask = bits_load_u64(NAME_CACHE_MASKS + (NAME_CACHE_BYTES - size));
    const size_t   tail = (size < 8 ? 8 : size) - 8; /* the last word ends with the name */
    const uint64_t first = bits_load_u64(name) & mask, last = bits_load_u64(name + tail) & mask;
    const uint64_t mixed = (first ^ (last << 23 | last >> 41) ^ size) * UINT64_C(0x9E3779B97F4A7C15);
    return &cache->places[mixed >> 50];
}

/* Returns the label of a name with the entry `place`, 0 if this spelling has no label yet. */
static inline uint32_t name_cache_find(const NameCache *cache, CachedName *place, const uint8_t *name,
                                       size_t size)
{
    if (UNLIKELY(size > NAME_CACHE_BYTES)) return name_cache_fetch(cache, place, name, size);
    const uint8_t *mask = NAME_CACHE_MASKS + (NAME_CACHE_BYTES - size);
    const NamePart differ = ((name_part(name) ^ name_part(place->bytes)) & name_part(mask)) |
                            ((name_part(name + 16) ^ name_part(place->bytes + 16)) & name_part(mask + 16)) |
                            ((name_part(name + 32) ^ name_part(place->bytes + 32)) & name_part(mask + 32));
    return LIKELY((differ[0] | differ[1] | (place->size ^ size)) == 0)
               ? place->label
               : name_cache_fetch(cache, place, name, size);
}

#endif
