#include "base/hash_index.h"

static void place(HashIndex *index, uint64_t hash, uint32_t item)
{
    uint32_t at = (uint32_t)hash & (index->capacity - 1);
    while (index->slots[at] != 0)
        at = (at + 1) & (index->capacity - 1);
    index->slots[at] = item;
}

static bool grow(HashIndex *index, Arena *arena, HashOfItem hash_of, const void *context)
{
    enum { FIRST_CAPACITY = 64 };
    const HashIndex old = *index;
    const uint32_t  capacity = old.capacity == 0 ? FIRST_CAPACITY : old.capacity * 2;
    uint32_t       *slots = capacity == 0 ? NULL : (uint32_t *)arena_push_own(arena, capacity, sizeof *slots);
    if (slots == NULL) return false;
    index->slots = slots;
    index->capacity = capacity;
    for (uint32_t i = 0; i < old.capacity; i++) {
        if (old.slots[i] != 0) place(index, hash_of(context, old.slots[i]), old.slots[i]);
    }
    arena_give_back(arena, old.slots, old.capacity, sizeof *slots);
    return true;
}

bool hash_index_add(HashIndex *index, Arena *arena, uint32_t item, HashOfItem hash_of, const void *context)
{
    if (index->count >= index->capacity / 2 && !grow(index, arena, hash_of, context)) return false;
    place(index, hash_of(context, item), item);
    index->count++;
    return true;
}

void hash_index_clear(HashIndex *index)
{
    if (index->capacity > 0) memset(index->slots, 0, index->capacity * sizeof *index->slots);
    index->count = 0;
}

void hash_index_release(HashIndex *index, Arena *arena)
{
    arena_give_back(arena, index->slots, index->capacity, sizeof *index->slots);
    *index = (HashIndex){ .slots = NULL };
}

uint32_t hash_index_longest_run(const HashIndex *index)
{
    uint32_t longest = 0, run = 0;
    for (uint64_t i = 0; i < 2 * (uint64_t)index->capacity; i++) { /* twice: a run may go over the end */
        run = index->slots[i & (index->capacity - 1)] == 0 ? 0 : run + 1;
        if (run > longest) longest = run;
    }
    return longest;
}
