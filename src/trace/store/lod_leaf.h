/* trace/store/lod_leaf.h - the summaries of leaves whose slices all have durations below 2^32: nearly all
 * of them. For src/trace only.
 *
 * add_slice (lod.c) has unpredictable branches for each slice. These functions have none. They compare
 * several leaves at once in vector lanes (lod_lanes.h), in about the time of one. */
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

/* Pieces of a whole leaf: ranges of its slices, ascending and disjoint. */
typedef struct LeafPieces {
    LeafSlices         slices;
    uint32_t           first;     /* index of the first slice of the leaf, for `longest` */
    uint32_t           begins;    /* bit i: a piece begins at slice i */
    uint32_t           ends;      /* bit i: a piece ends behind slice i */
    LodSummary *const *summaries; /* out: of each piece, in order */
} LeafPieces;

/* Writes the summaries of the pieces of `count` leaves, from 1 to LOD_LEAVES_AT_ONCE, without flags. */
enum { LOD_LEAVES_AT_ONCE = 8 };
void lod_leaf_pieces(const LeafPieces *leaves, uint32_t count);
/* As lod_leaf_pieces, by instructions that every processor has: for its tests. */
void lod_leaf_pieces_by_4(const LeafPieces *leaves, uint32_t count);

#endif
