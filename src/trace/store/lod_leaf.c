#include "trace/store/lod_leaf.h"

#include <assert.h>
#include <string.h>

LodSummary lod_leaf(const LeafSlices *slices, uint32_t count)
{
    uint64_t covered = 0, w0 = 0, w1 = 0, w2 = 0;
    uint32_t l0 = 0, l1 = 0, l2 = 0, longest = 0, longest_ticks = slices->durations[0];
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t duration = slices->durations[i];
        const uint32_t label =
            slices->labels[i] | (slices->high_labels == NULL ? 0 : (uint32_t)slices->high_labels[i] << 16);
        const uint32_t counted = label == slices->idle_label ? 0 : duration;
        const uint64_t weight = (uint64_t)counted + 1;
        covered += counted;
        longest = duration > longest_ticks ? i : longest;
        longest_ticks = duration > longest_ticks ? duration : longest_ticks;
        if (label == l0) {
            w0 += weight;
        } else if (label == l1) {
            w1 += weight;
        } else if (label == l2) {
            w2 += weight;
        } else {
            const uint64_t least = w0 < w1 ? (w0 < w2 ? w0 : w2) : (w1 < w2 ? w1 : w2);
            const uint64_t lost = weight < least ? weight : least, left = weight - lost;
            const bool     take0 = left > 0 && w0 == least, take1 = left > 0 && !take0 && w1 == least;
            const bool     take2 = left > 0 && !take0 && !take1;
            w0 = take0 ? left : w0 - lost;
            w1 = take1 ? left : w1 - lost;
            w2 = take2 ? left : w2 - lost;
            l0 = take0 ? label : l0;
            l1 = take1 ? label : l1;
            l2 = take2 ? label : l2;
        }
    }
    return (LodSummary){ .count = count,
                         .covered = covered,
                         .longest = longest,
                         .longest_ticks = longest_ticks,
                         .label = { l0, l1, l2 },
                         .weight = { w0, w1, w2 } };
}

/* ---- several leaves side by side ---- */

/* Marks the pieces of a leaf whose numbers are too large for a lane. */
static void mark_large(const LeafPieces *leaf)
{
    LodPiece *const *piece = leaf->pieces;
    for (uint32_t ends = leaf->ends; ends != 0; ends &= ends - 1)
        (*piece++)->covered = LOD_PIECE_LARGE;
}

#define LANE_COUNT 4
#define LANE_NAME(name) name##_by_4
#define LANE_TARGET
#include "trace/store/lod_lanes.h"
#undef LANE_COUNT
#undef LANE_NAME
#undef LANE_TARGET

/* The compiler can make functions for AVX2. The processor is asked at run time. */
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define LANE_COUNT 8
#define LANE_NAME(name) name##_by_8
#define LANE_TARGET __attribute__((target("avx2")))
#include "trace/store/lod_lanes.h"
#endif

void lod_leaf_pieces_by_4(const LeafPieces *leaves, uint32_t count)
{
    for (uint32_t at = 0; at < count; at += 4)
        leaf_pieces_by_4(leaves + at, count - at < 4 ? count - at : 4);
}

void lod_pieces_add_by_4(LodPiece *pieces, const LodPiece *added)
{
    for (uint32_t at = 0; at < LOD_LEAVES_AT_ONCE; at += 4)
        pieces_add_by_4(pieces + at, added + at);
}

void lod_leaf_pieces(const LeafPieces *leaves, uint32_t count)
{
#ifdef LANE_COUNT
    static_assert(LOD_LEAVES_AT_ONCE == LANE_COUNT, "all leaves are summed up at once");
    if (LIKELY(__builtin_cpu_supports("avx2") != 0)) {
        leaf_pieces_by_8(leaves, count);
        return;
    }
#endif
    lod_leaf_pieces_by_4(leaves, count);
}

void lod_pieces_add(LodPiece *pieces, const LodPiece *added)
{
#ifdef LANE_COUNT
    if (LIKELY(__builtin_cpu_supports("avx2") != 0)) {
        pieces_add_by_8(pieces, added);
        return;
    }
#endif
    lod_pieces_add_by_4(pieces, added);
}
