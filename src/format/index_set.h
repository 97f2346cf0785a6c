/* format/index_set.h - a set of small numbers, such as the indices of threads. */
#ifndef FORMAT_INDEX_SET_H
#define FORMAT_INDEX_SET_H
#include "base/arena.h"

/* A zeroed set is valid and empty. */
typedef struct IndexSet {
    uint64_t *bits; /* in the arena */
    size_t    words;
} IndexSet;

/* Adds a number. Returns false if the set has it. When out of memory, sets *failed and returns false. */
bool index_set_add(IndexSet *set, Arena *arena, uint32_t index, bool *failed);

#endif
