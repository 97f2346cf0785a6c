/* trace/make/stack_columns.h - stacks: from the builder's log to the tables and the columns of the trace. For src/trace
 * only. */
#ifndef TRACE_MAKE_STACK_COLUMNS_H
#define TRACE_MAKE_STACK_COLUMNS_H
#include "trace/store/stacks.h"

typedef struct Workspace Workspace;
typedef struct Finish    Finish;

/* The stacks of a track's items: by item, 0 = none; NULL if no item has one. In the workspace's pages. */
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

/* Moves the builder's tables to the trace; stacks of builder_stack_later are replaced by their definitions.
 * False when out of memory. */
bool stacks_settle(Finish *finish) WARN_UNUSED;
/* Joins the packed stacks of all tracks to the trace's columns. False when out of memory. */
bool stacks_collect(Finish *finish) WARN_UNUSED;

#endif
