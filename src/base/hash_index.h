/* base/hash_index.h - finds the items of an array by hash.
 *
 * The index holds the numbers of items, from 1; the items stay in an array of the caller. It uses open addressing with
 * linear probing. The index does not store hashes: when it grows, it computes them again from the items. A slot has four
 * bytes, because a trace may have millions of threads.
 *
 * Numbers and texts from an input are hashed with a random key, so that an input cannot choose ids that collide.
 * Nothing depends on the order of the slots: the order of items is that of the caller's array. */
#ifndef BASE_HASH_INDEX_H
#define BASE_HASH_INDEX_H
#include "base/arena.h"
#include "base/hash.h"

/* A zeroed index is empty. */
typedef struct HashIndex {
    uint32_t *slots;    /* item numbers, in the arena of hash_index_add; 0 = free */
    uint32_t  capacity; /* a power of two, or 0 */
    uint32_t  count;    /* at most half of the capacity */
} HashIndex;

/* Returns the hash of an item that is in the index. */
typedef uint64_t (*HashOfItem)(const void *context, uint32_t item);

/* Adds an item (> 0) that the index does not contain. Returns false and changes nothing when out of memory. All calls
 * for an index have the same arena, and hash_of(context, item) is always the same for an item. */
bool hash_index_add(HashIndex *index, Arena *arena, uint32_t item, HashOfItem hash_of,
                    const void *context) WARN_UNUSED;
/* Removes all items and keeps the memory. */
void hash_index_clear(HashIndex *index);
/* Frees the memory, as arena_give_back. */
void hash_index_release(HashIndex *index, Arena *arena);
/* Returns the length of the longest run of used slots: a search reads at most one slot more. For tests. */
uint32_t hash_index_longest_run(const HashIndex *index);

/* Sets `item` (uint32_t) to the item with this hash for which `is_equal` is true, or to 0. `is_equal` is an expression of
 * `item`. It is a macro, because the condition reads the caller's variables. It contains no jump out of the macro. */
#define HASH_FIND(index, hash, item, is_equal)                                                               \
    do {                                                                                                     \
        const HashIndex *index_ = (index);                                                                   \
        (item) = 0;                                                                                          \
        for (uint32_t at_ = (uint32_t)(hash); index_->capacity != 0; at_++) {                                \
            (item) = index_->slots[at_ & (index_->capacity - 1)];                                            \
            if ((item) == 0 || (is_equal)) break;                                                            \
        }                                                                                                    \
    } while (0)

#endif
