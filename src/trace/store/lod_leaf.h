/* trace/store/lod_leaf.h - the summaries of leaves whose slices all have durations below 2^32: nearly all
 * of them. For src/trace only.
 *
 * add_slice (lod.c) has unpredictable branches for each slice. This version has none: it compares
 * four leaves at once in vector lanes, in about the time of one. */
#ifndef TRACE_STORE_LOD_LEAF_H
#define TRACE_STORE_LOD_LEAF_H
#include "trace/store/lod.h"

/* The columns of adjacent slices. */
typedef struct LeafSlices {
    const uint32_t *durations, *labels;
    uint32_t        idle_label;
} LeafSlices;

/* Returns the summary of `count` slices, without flags; `longest` is relative to the first of them. */
LodSummary lod_leaf(const LeafSlices *slices, uint32_t count);

/* Writes the summaries of LOD_LEAVES_AT_ONCE * LOD_LEAF_SLICES slices. */
enum { LOD_LEAVES_AT_ONCE = 4 };
void lod_leaves(const LeafSlices *slices, LodSummary leaves[LOD_LEAVES_AT_ONCE]);

#endif
