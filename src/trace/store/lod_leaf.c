#include "trace/store/lod_leaf.h"

#include <string.h>

LodSummary lod_leaf(const LeafSlices *slices, uint32_t count)
{
    uint64_t covered = 0, w0 = 0, w1 = 0, w2 = 0;
    uint32_t l0 = 0, l1 = 0, l2 = 0, longest = 0, longest_ticks = slices->durations[0];
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t duration = slices->durations[i], label = slices->labels[i];
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

/* ---- four side by side ---- */

/* One number of each leaf. The compared values are below 2^31, because all processors can compare signed numbers. */
typedef uint32_t Lanes __attribute__((vector_size(sizeof(uint32_t) * LOD_LEAVES_AT_ONCE)));
typedef int32_t  SignedLanes __attribute__((vector_size(sizeof(Lanes))));

/* Limit on the durations, so that the sum of a leaf stays below 2^31. */
enum { LANE_DURATIONS = (1 << 30) / LOD_LEAF_SLICES };

typedef struct LeafLanes {
    Lanes covered, longest, longest_ticks, all_durations, idle;
    Lanes label[LOD_CANDIDATES], weight[LOD_CANDIDATES];
} LeafLanes;

/* Returns all ones for each lane with a < b. */
static ALWAYS_INLINE Lanes is_less(Lanes a, Lanes b)
{
    return (Lanes)((SignedLanes)a < (SignedLanes)b);
}

static ALWAYS_INLINE Lanes is_same(Lanes a, Lanes b)
{
    return (Lanes)(a == b);
}

static ALWAYS_INLINE Lanes choose(Lanes condition, Lanes yes, Lanes no)
{
    return (condition & yes) | (~condition & no);
}

static ALWAYS_INLINE Lanes least_of(Lanes a, Lanes b)
{
    return choose(is_less(a, b), a, b);
}

static ALWAYS_INLINE bool is_any(Lanes lanes)
{
    typedef uint64_t Halves __attribute__((vector_size(sizeof(Lanes))));
    const Halves     halves = (Halves)lanes;
    return (halves[0] | halves[1]) != 0;
}

/* Transposes four numbers of each of four leaves: lanes[i] gets the i-th ones. */
static ALWAYS_INLINE void load_lanes(const uint32_t *column, Lanes lanes[4])
{
    Lanes leaf[LOD_LEAVES_AT_ONCE];
    for (size_t i = 0; i < LOD_LEAVES_AT_ONCE; i++)
        memcpy(&leaf[i], column + i * LOD_LEAF_SLICES, sizeof leaf[i]);
    const Lanes low01 = __builtin_shufflevector(leaf[0], leaf[1], 0, 4, 1, 5);
    const Lanes high01 = __builtin_shufflevector(leaf[0], leaf[1], 2, 6, 3, 7);
    const Lanes low23 = __builtin_shufflevector(leaf[2], leaf[3], 0, 4, 1, 5);
    const Lanes high23 = __builtin_shufflevector(leaf[2], leaf[3], 2, 6, 3, 7);
    lanes[0] = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
    lanes[1] = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
    lanes[2] = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
    lanes[3] = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
}

/* Adds a slice of each leaf as lod_leaf does. */
static ALWAYS_INLINE void add_lanes(LeafLanes *l, Lanes duration, Lanes label, uint32_t index)
{
    const Lanes zero = { 0 }, counted = duration & ~is_same(label, l->idle), weight = counted + 1;
    const Lanes is_longer = is_less(l->longest_ticks, duration);
    l->covered += counted;
    l->all_durations |= duration;
    l->longest = choose(is_longer, zero + index, l->longest);
    l->longest_ticks = choose(is_longer, duration, l->longest_ticks);
    const Lanes is0 = is_same(label, l->label[0]), is1 = ~is0 & is_same(label, l->label[1]);
    const Lanes is2 = ~(is0 | is1) & is_same(label, l->label[2]);
    const Lanes missed = weight & ~(is0 | is1 | is2);
    l->weight[0] += is0 & weight;
    l->weight[1] += is1 & weight;
    l->weight[2] += is2 & weight;
    if (!is_any(missed)) return; /* usually all leaves have few labels, or all have many */
    const Lanes least = least_of(least_of(l->weight[0], l->weight[1]), l->weight[2]);
    const Lanes lost = least_of(missed, least), left = missed - lost;
    const Lanes any = is_less(zero, left);
    const Lanes take0 = any & is_same(l->weight[0], least);
    const Lanes take1 = any & ~take0 & is_same(l->weight[1], least);
    const Lanes take2 = any & ~(take0 | take1);
    l->weight[0] = choose(take0, left, l->weight[0] - lost);
    l->weight[1] = choose(take1, left, l->weight[1] - lost);
    l->weight[2] = choose(take2, left, l->weight[2] - lost);
    l->label[0] = choose(take0, label, l->label[0]);
    l->label[1] = choose(take1, label, l->label[1]);
    l->label[2] = choose(take2, label, l->label[2]);
}

static LodSummary summary_of_lane(const LeafLanes *l, unsigned lane)
{
    LodSummary summary = { .count = LOD_LEAF_SLICES,
                           .covered = l->covered[lane],
                           .longest = l->longest[lane],
                           .longest_ticks = l->longest_ticks[lane] };
    for (size_t i = 0; i < LOD_CANDIDATES; i++) {
        summary.label[i] = l->label[i][lane];
        summary.weight[i] = l->weight[i][lane];
    }
    return summary;
}

void lod_leaves(const LeafSlices *slices, LodSummary leaves[LOD_LEAVES_AT_ONCE])
{
    enum { STEP = 4 };
    const Lanes zero = { 0 };
    LeafLanes   l = { .idle = zero + slices->idle_label, .longest_ticks = zero - 1 };
    for (uint32_t i = 0; i < LOD_LEAF_SLICES; i += STEP) {
        Lanes durations[STEP], labels[STEP];
        load_lanes(slices->durations + i, durations);
        load_lanes(slices->labels + i, labels);
        for (uint32_t j = 0; j < STEP; j++)
            add_lanes(&l, durations[j], labels[j], i + j);
    }
    bool fits = true;
    for (unsigned lane = 0; lane < LOD_LEAVES_AT_ONCE; lane++) {
        fits &= l.all_durations[lane] < LANE_DURATIONS;
        leaves[lane] = summary_of_lane(&l, lane);
    }
    if (fits) return;
    for (unsigned lane = 0; lane < LOD_LEAVES_AT_ONCE; lane++) {
        const size_t     at = (size_t)lane * LOD_LEAF_SLICES;
        const LeafSlices leaf = { slices->durations + at, slices->labels + at, slices->idle_label };
        leaves[lane] = lod_leaf(&leaf, LOD_LEAF_SLICES);
    }
}
