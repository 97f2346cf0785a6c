/* format/go/vector.h - arrays that grow in an arena and are used again: a reader has nobody to release others
 * for it. */
#ifndef FORMAT_GO_VECTOR_H
#define FORMAT_GO_VECTOR_H
#include "base/arena.h"

/* Returns an array of more than `count` items that begins with the *capacity items of `items` (NULL with *capacity 0:
 * none) and sets *capacity: `items` itself if it has room, else a copy that is larger by half or more and zeroed behind
 * them. `count` may be any index: a sparse array grows past its old end. A copy replaces `items`: pointers into it are
 * invalid. NULL when out of memory: `items` is unchanged. */
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
