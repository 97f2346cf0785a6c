/* format/go/common/vector.h - arrays that grow in an arena and return their old memory to it. */
#ifndef FORMAT_GO_COMMON_VECTOR_H
#define FORMAT_GO_COMMON_VECTOR_H
#include "base/arena.h"

/* Returns an array of more than `count` items that begins with the *capacity items of `items` (NULL if *capacity is 0),
 * and sets *capacity. This is `items` itself if it has room; else a copy that is larger by half or more, with the new
 * items zeroed. `count` may be any index: a sparse array grows beyond its old end. After a copy, pointers into `items`
 * are invalid. NULL when out of memory; `items` is then unchanged. */
static inline void *vector_grow(Arena *arena, void *items, uint32_t count, uint32_t *capacity,
                                size_t item_size)
{
    enum { FIRST = 16, MANY = 1 << 12 };
    if (count < *capacity) return items;
    if (count > UINT32_MAX / 2) return NULL;
    uint32_t more = count < FIRST / 2 ? FIRST : count < MANY ? count * 2 : count + count / 2;
    uint8_t *grown = (uint8_t *)arena_push_own(arena, more, item_size);
    if (grown == NULL) return NULL;
    if (items != NULL) memcpy(grown, items, (size_t)*capacity * item_size);
    arena_give_back(arena, items, *capacity, item_size);
    *capacity = more;
    return grown;
}

#endif
