/* trace/store/lod_leaf.h - the summaries of leaves whose slices all have durations below 2^32: nearly all
 * of them. For src/trace only.
 *
 * add_slice (lod.c) has unpredictable branches for each slice. These functions have none. They compare
 * several leaves at once in vector lanes (lod_lanes.h), in about the time of one. */
#ifndef TRACE_STORE_LOD_LEAF_H
#define TRACE_STORE_LOD_LEAF_H
#include "trace/store/lod.h"

#include <string.h>

/* The columns of adjacent slices. */
typedef struct LeafSlices {
    const uint32_t *durations;
    const uint16_t *labels, *high_labels; /* as in SliceColumns; high_labels NULL = all are 0 */
    uint32_t        idle_label;
} LeafSlices;

/* Returns the summary of `count` slices, without flags; `longest` is relative to the first of them. */
LodSummary lod_leaf(const LeafSlices *slices, uint32_t count);

/* The summary of some slices in lanes of 32 bits, as in LodSummary. */
typedef struct LodPiece {
    uint32_t longest, longest_ticks; /* UINT32_MAX: there are no slices */
    uint32_t label[LOD_CANDIDATES], weight[LOD_CANDIDATES];
    uint32_t covered; /* LOD_PIECE_LARGE: a number is too large for a lane, and no member has a meaning */
} LodPiece;

#define LOD_PIECE_LARGE UINT32_MAX
/* The numbers of a piece, and the sum of its weights, are less. */
#define LOD_PIECE_LIMIT (UINT32_C(1) << 31)

/* Makes a piece without slices. */
static inline void lod_piece_empty(LodPiece *piece)
{
    memset(piece, 0, sizeof *piece);
    piece->longest_ticks = UINT32_MAX;
}

/* Pieces of a whole leaf: ranges of its slices, ascending and disjoint. */
typedef struct LeafPieces {
    LeafSlices       slices;
    uint32_t         first;  /* index of the first slice of the leaf, for `longest` */
    uint32_t         begins; /* bit i: a piece begins at slice i */
    uint32_t         ends;   /* bit i: a piece ends behind slice i */
    LodPiece *const *pieces; /* out: the summary of each piece, in order */
} LeafPieces;

enum { LOD_LEAVES_AT_ONCE = 8 };

/* Writes the summaries of the pieces of `count` leaves, from 1 to LOD_LEAVES_AT_ONCE. */
void lod_leaf_pieces(const LeafPieces *leaves, uint32_t count);
/* Adds to each of LOD_LEAVES_AT_ONCE pieces the piece of slices that follow, as lod_merge does, but for `covered` and the
 * order of the candidates. The sums must be below LOD_PIECE_LIMIT, otherwise the candidates have no meaning. */
void lod_pieces_add(LodPiece *pieces, const LodPiece *added);
/* As these two, by instructions that every processor has: for their tests. */
void lod_leaf_pieces_by_4(const LeafPieces *leaves, uint32_t count);
void lod_pieces_add_by_4(LodPiece *pieces, const LodPiece *added);

#endif
