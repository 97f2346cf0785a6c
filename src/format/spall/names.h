/* format/spall/names.h - a small cache in front of the LabelCache, for the loop that a load spends its time in.
 *
 * Looks up names of up to NAME_CACHE_BYTES bytes without a branch that depends on their length: names come in no
 * order a processor could foresee, and each wrong guess costs it more than the look-up. A name has
 * two places side by side; one that finds others in both is looked up in the LabelCache and takes the first. */
#ifndef FORMAT_SPALL_NAMES_H
#define FORMAT_SPALL_NAMES_H
#include "format/label_cache.h"
#include "format/spall/layout.h"

enum { NAME_CACHE_BYTES = 40, NAME_CACHE_PLACES = 16384, NAME_CACHE_READABLE = 8 };

typedef struct CachedName {
    uint32_t label; /* LabelId.index; 0 = empty */
    uint32_t size;
    uint8_t  bytes[NAME_CACHE_BYTES]; /* `size` of them, zeros behind */
} CachedName;

typedef struct NameCache {
    LabelCache *labels; /* borrowed */
    CachedName  places[NAME_CACHE_PLACES];
} NameCache;

/* What the inline function below leaves to do. */
uint32_t name_cache_fetch(NameCache *cache, CachedName *place, const uint8_t *name, size_t size);

/* The label of a name, 0 if none was made for this spelling yet. At least NAME_CACHE_READABLE bytes can be read from
 * `name` on, however short it is. */
static inline uint32_t name_cache_find(NameCache *cache, const uint8_t *name, size_t size)
{
    const size_t   tail = size > 8 ? size - 8 : 0; /* the last word ends with the name */
    const uint64_t mask = size >= 8 ? UINT64_MAX : ((uint64_t)1 << (8 * size)) - 1;
    const uint64_t first = record_u64(name) & mask, last = record_u64(name + tail) & mask;
    const uint64_t mixed = (first ^ (last << 23 | last >> 41) ^ size) * UINT64_C(0x9E3779B97F4A7C15);
    CachedName    *place = &cache->places[mixed >> 50];
    if (UNLIKELY(place->size != size || size > NAME_CACHE_BYTES)) {
        return name_cache_fetch(cache, place, name, size);
    }
    /* Words at 8, 16 and 24 or, where the name ends before, its last word again. */
    const size_t at1 = tail < 8 ? tail : 8, at2 = tail < 16 ? tail : 16, at3 = tail < 24 ? tail : 24;
    uint64_t     differ = (first ^ record_u64(place->bytes)) | (last ^ record_u64(place->bytes + tail));
    differ |= (record_u64(name + at1) ^ record_u64(place->bytes + at1)) & mask;
    differ |= (record_u64(name + at2) ^ record_u64(place->bytes + at2)) & mask;
    differ |= (record_u64(name + at3) ^ record_u64(place->bytes + at3)) & mask;
    return LIKELY(differ == 0) ? place->label : name_cache_fetch(cache, place, name, size);
}

#endif
