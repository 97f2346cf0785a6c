/* analysis/lengths.h - the lengths of the slices of one group, appended one by one while all groups are read together.
 *
 * A list has blocks of 32-bit words, each about twice as long as the block before, until they take about 8 or 16 KiB. A
 * length of LENGTHS_LONG and more takes three words of one block: LENGTHS_LONG, its low and its high half. A zeroed list is
 * empty. The blocks live in the arena of the caller. */
#ifndef ANALYSIS_LENGTHS_H
#define ANALYSIS_LENGTHS_H
#include "base/arena.h"

#define LENGTHS_LONG UINT32_MAX

typedef struct Lengths {
    uint32_t *at, *end; /* of the newest block: the next word, and the end of its words */
} Lengths;

/* lengths_append, out of line: begins a block, or appends a long length. */
bool lengths_append_slow(Lengths *lengths, Arena *arena, uint64_t length) WARN_UNUSED;

/* Appends a length. False when out of memory. */
WARN_UNUSED static inline bool lengths_append(Lengths *lengths, Arena *arena, uint64_t length)
{
    if (UNLIKELY(length >= LENGTHS_LONG || lengths->at == lengths->end))
        return lengths_append_slow(lengths, arena, length);
    /* the lists of many names write to more lines than the nearest cache has */
    PREFETCH((const void *)((uintptr_t)lengths->at + 64));
    *lengths->at++ = (uint32_t)length;
    return true;
}

/* Returns the number of words of a list: at least the number of lengths. */
uint64_t lengths_words(const Lengths *lengths);
/* Copies the lengths in the order in which they were appended. `out` has room for lengths_words numbers. Returns the
 * number of lengths. */
uint64_t lengths_copy(const Lengths *lengths, uint64_t *out);

#endif
