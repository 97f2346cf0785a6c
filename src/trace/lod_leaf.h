/* trace/lod_leaf.h - the summaries of leaves none of whose slices is longer than a u32: nearly all
 * of them. For src/trace only.
 *
 * What add_slice (lod.c) does slice by slice is here one step of a chain of comparisons that nobody could
 * foresee. Four leaves side by side, a lane each, take hardly longer than one. */
#ifndef TRACE_LOD_LEAF_H
#define TRACE_LOD_LEAF_H
#include "trace/lod.h"

/* The columns of slices that stand side by side. */
typedef struct LeafSlices {
    const uint32_t *durations, *labels;
    uint32_t        idle_label;
} LeafSlices;

/* The summary of `count` slices, but for flags; `longest` counts from the first of them. */
LodSummary lod_leaf(const LeafSlices *slices, uint32_t count);

/* Those of LOD_LEAVES_AT_ONCE * LOD_LEAF_SLICES slices. */
enum { LOD_LEAVES_AT_ONCE = 4 };
void lod_leaves(const LeafSlices *slices, LodSummary leaves[LOD_LEAVES_AT_ONCE]);

#endif
