/* format/index_set.h - a set of small numbers, such as the indices of threads. */
#ifndef FORMAT_INDEX_SET_H
#define FORMAT_INDEX_SET_H
#include "base/arena.h"

/* A set with an arena and zeros is valid and empty. */
typedef struct IndexSet {
    Arena    *arena; /* borrowed */
    uint64_t *bits;  /* in the arena */
    size_t    words;
} IndexSet;

/* Adds a number. Returns false if the set has it. When out of memory, sets *failed and returns false. */
bool index_set_add(IndexSet *set, uint32_t index, bool *failed);

#endif
