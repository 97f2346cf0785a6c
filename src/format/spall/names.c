#include "format/spall/names.h"

uint32_t name_cache_fetch(NameCache *cache, CachedName *place, const uint8_t *name, size_t size)
{
    const LabelId *label = label_cache_find(cache->labels, (const char *)name, size, NULL, 0);
    if (label == NULL) return 0;
    if (size <= NAME_CACHE_BYTES) {
        *place = (CachedName){ .label = label->index, .size = (uint32_t)size };
        memcpy(place->bytes, name, size);
    }
    return label->index;
}
