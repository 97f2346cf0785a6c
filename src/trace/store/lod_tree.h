/* trace/store/lod_tree.h - the nodes of the level-of-detail index, and their places. For src/trace/store/lod*.c only. */
#ifndef TRACE_STORE_LOD_TREE_H
#define TRACE_STORE_LOD_TREE_H
#include "trace/store/lod_leaf.h"

#include <assert.h>

/* The stored part of a LodSummary: count follows from the position of the node, longest_ticks from the slice. */
typedef struct LodNode {
    uint64_t covered;
    uint64_t weight[LOD_CANDIDATES];
    uint32_t label[LOD_CANDIDATES];
    uint32_t longest;
} LodNode;
static_assert(sizeof(LodNode) == LOD_NODE_BYTES, "files have nodes of this form");

/* The flags of slices that a summary has. */
enum { LOD_FLAGS = SLICE_UNFINISHED | SLICE_NO_END | SLICE_REPAIRED };

struct LodIndex {
    LodNode       *nodes; /* owned; by row, then by level */
    uint8_t       *flags; /* owned; by node */
    uint64_t       count;
    const uint8_t *hidden;  /* by label: borrowed; NULL = the trace's own index, of all slices */
    uint32_t      *visible; /* owned, only with `hidden`: the number of visible slices of each node */
    Arena          arena;   /* only with `hidden`: holds this struct */
    bool           grows;   /* nodes and flags are reserved, not mapped */
    TraceMapping   mapping; /* the trace's: nodes and flags may be in it */
};

/* Returns the number of slices that determines the positions of a row's levels: in a growing row its capacity. */
static inline uint32_t slice_room(const Row *row)
{
    return row_extras(row)->room > row->slice_count ? row_extras(row)->room : row->slice_count;
}

static inline uint64_t leaves_of(const Row *row, uint32_t slices)
{
    if (slice_room(row) <= LOD_LEAF_SLICES) return 0;
    return ((uint64_t)slices + LOD_LEAF_SLICES - 1) / LOD_LEAF_SLICES;
}

static inline uint64_t leaf_count(const Row *row)
{
    return leaves_of(row, row->slice_count);
}

static inline uint64_t leaf_room(const Row *row)
{
    return leaves_of(row, slice_room(row));
}

static inline uint64_t parents_of(uint64_t nodes)
{
    return nodes <= 1 ? 0 : (nodes + LOD_FANOUT - 1) / LOD_FANOUT;
}

/* Returns the number of slices of a whole node of a level. */
static inline uint64_t level_span(unsigned level)
{
    return (uint64_t)LOD_LEAF_SLICES << (3 * level);
}

static inline uint64_t slices_under(const Row *row, unsigned level, uint64_t node)
{
    uint64_t first = node * level_span(level), last = first + level_span(level);
    return (last < row->slice_count ? last : row->slice_count) - first;
}

typedef struct NodeRef {
    uint64_t at;    /* in the index */
    uint64_t count; /* number of its slices */
} NodeRef;

/* Finds the largest node that begins at slice `first` and ends at `last` or before. */
static inline bool largest_node(const Row *row, uint32_t first, uint32_t last, NodeRef *found)
{
    if (first % LOD_LEAF_SLICES != 0) return false;
    uint64_t level_at = row_extras(row)->first_node, room = leaf_room(row);
    bool     any = false;
    for (unsigned level = 0; room > 0; level++) {
        if (first % level_span(level) != 0) break;
        uint64_t node = first / level_span(level);
        uint64_t count = slices_under(row, level, node);
        if (first + count > last) break;
        *found = (NodeRef){ level_at + node, count };
        any = true;
        level_at += room;
        room = parents_of(room);
    }
    return any;
}

static inline LeafSlices leaf_slices(const Trace *trace, uint64_t at)
{
    const SliceColumns *slices = &trace->slices;
    return (LeafSlices){ .durations = slices->duration + at,
                         .labels = slices->label + at,
                         .high_labels = slices->has_high_labels ? slices->high_label + at : NULL,
                         .idle_label = trace->idle_label };
}

/* Sets the summary of a piece of `count` slices, member by member: the reads of a copy would wait for the writes. */
static inline void lod_set_summary(LodSummary *summary, const LodPiece *piece, uint64_t count,
                                   uint64_t covered, uint32_t flags)
{
    summary->count = count;
    summary->covered = covered;
    summary->longest_ticks = piece->longest_ticks;
    summary->longest = piece->longest;
    summary->flags = flags;
    for (int i = 0; i < LOD_CANDIDATES; i++) {
        summary->label[i] = piece->label[i];
        summary->weight[i] = piece->weight[i];
    }
}

#endif
