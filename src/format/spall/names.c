#include "format/spall/names.h"

uint32_t name_cache_fetch(NameCache *cache, CachedName *place, const uint8_t *name, size_t size)
{
    CachedName *second = &cache->places[(size_t)(place - cache->places) ^ 1];
    if (second->size == size && size <= NAME_CACHE_BYTES && memcmp(second->bytes, name, size) == 0) {
        return second->label;
    }
    const LabelId *label = label_cache_find(cache->labels, (const char *)name, size, NULL, 0);
    if (label == NULL) return 0;
    if (size <= NAME_CACHE_BYTES) {
        if (place->label != 0 && second->label == 0) place = second;
        *place = (CachedName){ .label = label->index, .size = (uint32_t)size };
        memcpy(place->bytes, name, size);
    }
    return label->index;
}
