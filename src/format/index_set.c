#include "format/index_set.h"

#include <string.h>

bool index_set_add(IndexSet *set, uint32_t index, bool *failed)
{
    size_t word = index / 64;
    if (word >= set->words) {
        size_t    words = word * 2 + 16;
        uint64_t *bits = ARENA_ARRAY(set->arena, uint64_t, words);
        if (bits == NULL) {
            *failed = true;
            return false;
        }
        if (set->words > 0) memcpy(bits, set->bits, set->words * sizeof bits[0]);
        set->bits = bits;
        set->words = words;
    }
    uint64_t bit = (uint64_t)1 << index % 64;
    if ((set->bits[word] & bit) != 0) return false;
    set->bits[word] |= bit;
    return true;
}
