#include "format/spall/names.h"

#include <assert.h>

static_assert(sizeof(CachedName) == NAME_CACHE_LINE, "one line each");

bool name_cache_open(NameCache *cache, LabelCache *labels, Arena *arena)
{
    uint8_t *room = arena_push(arena, NAME_CACHE_PLACES + 1, sizeof(CachedName));
    if (room == NULL) return false;
    size_t beyond = (uintptr_t)room % NAME_CACHE_LINE;
    cache->labels = labels;
    cache->places = (CachedName *)(void *)(room + (NAME_CACHE_LINE - beyond) % NAME_CACHE_LINE);
    return true;
}

const uint8_t NAME_CACHE_MASKS[2 * NAME_CACHE_BYTES] = {
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF
};

uint32_t name_cache_fetch(const NameCache *cache, CachedName *place, const uint8_t *name, size_t size)
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
