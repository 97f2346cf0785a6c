/* format/spall/names.h - a small cache in front of the LabelCache, for the loop that a load spends its time in.
 *
 * Looks up names of up to NAME_CACHE_BYTES bytes without a branch that depends on their length: names come in no
 * order a processor could foresee, and each wrong guess costs it more than the look-up. A name has
 * two places side by side; one that finds others in both is looked up in the LabelCache and takes the first. */
#ifndef FORMAT_SPALL_NAMES_H
#define FORMAT_SPALL_NAMES_H
#include "format/label_cache.h"
#include "format/spall/layout.h"

#include <string.h>

enum { NAME_CACHE_BYTES = 48, NAME_CACHE_PLACES = 16384, NAME_CACHE_LINE = 64 };

/* As long as a line of the processor's cache and on one: a look-up touches no second. */
typedef struct CachedName {
    uint32_t label; /* LabelId.index; 0 = empty */
    uint32_t size;
    uint8_t  bytes[NAME_CACHE_BYTES]; /* `size` of them, zeros behind */
    uint8_t  unused[NAME_CACHE_LINE - NAME_CACHE_BYTES - 8];
} CachedName;

typedef struct NameCache {
    LabelCache *labels; /* borrowed */
    CachedName *places; /* NAME_CACHE_PLACES */
} NameCache;

/* In `arena`. False when out of memory. */
bool name_cache_open(NameCache *cache, LabelCache *labels, Arena *arena) WARN_UNUSED;

/* What the inline functions below leave to do. */
uint32_t name_cache_fetch(const NameCache *cache, CachedName *place, const uint8_t *name, size_t size);

/* Ones, then zeros: from NAME_CACHE_BYTES - size on they mask what belongs to a name. */
extern const uint8_t NAME_CACHE_MASKS[2 * NAME_CACHE_BYTES];

typedef uint64_t NamePart __attribute__((vector_size(16)));

static inline NamePart name_part(const uint8_t *bytes)
{
    NamePart part;
    memcpy(&part, bytes, sizeof part);
    return part;
}

/* Where a name is, if it is there: to be looked at a little later, when the processor has it at hand.
 * NAME_CACHE_BYTES can be read from `name` on, however short it is. */
static inline CachedName *name_cache_place(const NameCache *cache, const uint8_t *name, size_t size)
{
    if (UNLIKELY(size > NAME_CACHE_BYTES)) return cache->places;
    const uint8_t *mask = NAME_CACHE_MASKS + (NAME_CACHE_BYTES - size);
    const size_t   tail = size > 8 ? size - 8 : 0; /* the last word ends with the name */
    const uint64_t first = record_u64(name) & record_u64(mask), last = record_u64(name + tail);
    const uint64_t mixed = (first ^ ((last << 23 | last >> 41) & (0 - (uint64_t)(tail != 0))) ^ size) *
                           UINT64_C(0x9E3779B97F4A7C15);
    return &cache->places[mixed >> 50];
}

/* The label of a name whose place is this, 0 if none was made for this spelling yet. */
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
