/* trace/make/stack_columns.h - stacks: from the builder's log to the tables and the columns of the trace. For src/trace
 * only. */
#ifndef TRACE_MAKE_STACK_COLUMNS_H
#define TRACE_MAKE_STACK_COLUMNS_H
#include "base/bits.h"
#include "trace/store/stacks.h"

typedef struct Workspace Workspace;
typedef struct Finish    Finish;

/* The stacks of a track's items: by item, 0 = none; NULL if no item has one, or they are packed as they are found. In the
 * workspace's pages. */
typedef struct TrackStacks {
    uint32_t *begins, *ends, *instants;
} TrackStacks;

/* A column of one track, without gaps, in the results arena. */
typedef struct PackedStacks {
    uint64_t *bits;
    uint32_t *ranks, *stacks;
    uint64_t  word_count, count;
} PackedStacks;

/* Packs the stacks of `count` items. items NULL: none. */
PackedStacks stacks_pack(Workspace *ws, const uint32_t *items, uint64_t count);

/* Begins to pack at most `most` stacks of `count` items, which follow in the order of the items. No place for them, and
 * ws->failed, when out of memory. */
PackedStacks stacks_pack_open(Workspace *ws, uint64_t count, uint64_t most);
/* Completes the column after the last stack. */
void stacks_pack_close(PackedStacks *packed);

/* Adds the stack of an item, 0 = none, or replaces it if the item is the last one. */
static inline void stacks_pack_put(PackedStacks *packed, uint64_t item, uint32_t stack)
{
    uint64_t *const word = &packed->bits[item / 64];
    const uint64_t  bit = (uint64_t)1 << item % 64;
    if (UNLIKELY(*word & bit)) packed->count--;
    *word = stack != 0 ? *word | bit : *word & ~bit;
    packed->stacks[packed->count] = stack; /* without a branch: a stack of 0 is overwritten */
    packed->count += stack != 0;
}

/* Moves the builder's tables to the trace; stacks of builder_stack_later are replaced by their definitions.
 * False when out of memory. */
bool stacks_settle(Finish *finish) WARN_UNUSED;
/* Joins the packed stacks of all tracks to the trace's columns. False when out of memory. */
bool stacks_collect(Finish *finish) WARN_UNUSED;

#endif
