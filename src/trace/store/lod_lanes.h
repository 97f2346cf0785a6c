/* trace/store/lod_lanes.h - sums up pieces of LANE_COUNT leaves at once, each in a lane of vectors. For lod_leaf.c, which
 * includes it once for each LANE_COUNT: 4 or, with AVX2, 8. LANE_NAME makes the names of the functions of this width
 * different from the others, LANE_TARGET is their attribute. No include guard for this reason.
 *
 * The lanes are 32-bit numbers below 2^31, because all processors can compare signed numbers. A leaf with larger ones is
 * summed up slice by slice. */

typedef uint32_t LANE_NAME(Lanes) __attribute__((vector_size(sizeof(uint32_t) * LANE_COUNT)));
typedef int32_t  LANE_NAME(SignedLanes) __attribute__((vector_size(sizeof(int32_t) * LANE_COUNT)));
#define Lanes LANE_NAME(Lanes)

typedef struct LANE_NAME(LeafLanes) {
    Lanes weights;  /* sum of the weights: the covered time + 1 for each slice */
    Lanes too_long; /* bit 31: a duration or a sum of weights reached 2^31 */
    Lanes count, longest, longest_ticks, idle;
    Lanes label[LOD_CANDIDATES], weight[LOD_CANDIDATES];
} LANE_NAME(LeafLanes);
#define LeafLanes LANE_NAME(LeafLanes)

/* ---- lanes ---- */

LANE_TARGET static ALWAYS_INLINE Lanes LANE_NAME(is_less)(Lanes a, Lanes b)
{
    return (Lanes)((LANE_NAME(SignedLanes))a < (LANE_NAME(SignedLanes))b);
}

LANE_TARGET static ALWAYS_INLINE Lanes LANE_NAME(is_same)(Lanes a, Lanes b)
{
    return (Lanes)(a == b);
}

#if LANE_COUNT == 8
LANE_TARGET static ALWAYS_INLINE Lanes LANE_NAME(choose)(Lanes condition, Lanes yes, Lanes no)
{
    return (Lanes)_mm256_blendv_epi8((__m256i)no, (__m256i)yes, (__m256i)condition);
}

LANE_TARGET static ALWAYS_INLINE Lanes LANE_NAME(least_of)(Lanes a, Lanes b)
{
    return (Lanes)_mm256_min_epu32((__m256i)a, (__m256i)b);
}

LANE_TARGET static ALWAYS_INLINE bool LANE_NAME(is_any)(Lanes lanes)
{
    return !_mm256_testz_si256((__m256i)lanes, (__m256i)lanes);
}

/* Reads a whole vector at once: as the compiler copies it, in halves, the reads of the copy would wait for the writes. */
LANE_TARGET static ALWAYS_INLINE Lanes LANE_NAME(read_lanes)(const uint32_t *from)
{
    return (Lanes)_mm256_loadu_si256((const __m256i_u *)from);
}
#else
static ALWAYS_INLINE Lanes LANE_NAME(choose)(Lanes condition, Lanes yes, Lanes no)
{
    return (condition & yes) | (~condition & no);
}

static ALWAYS_INLINE Lanes LANE_NAME(least_of)(Lanes a, Lanes b)
{
    return LANE_NAME(choose)(LANE_NAME(is_less)(a, b), a, b);
}

static ALWAYS_INLINE bool LANE_NAME(is_any)(Lanes lanes)
{
    typedef uint64_t Halves __attribute__((vector_size(sizeof(Lanes))));
    const Halves     halves = (Halves)lanes;
    return (halves[0] | halves[1]) != 0;
}

static ALWAYS_INLINE Lanes LANE_NAME(read_lanes)(const uint32_t *from)
{
    Lanes lanes;
    memcpy(&lanes, from, sizeof lanes);
    return lanes;
}
#endif

/* Transposes LANE_COUNT numbers of each column: lanes[i] gets the i-th ones. */
LANE_TARGET static ALWAYS_INLINE void LANE_NAME(load_lanes)(const uint32_t *const columns[LANE_COUNT],
                                                            uint32_t at, Lanes lanes[LANE_COUNT])
{
    Lanes in[LANE_COUNT], pairs[LANE_COUNT];
    for (size_t i = 0; i < LANE_COUNT; i++)
        in[i] = LANE_NAME(read_lanes)(columns[i] + at);
#if LANE_COUNT == 8
    Lanes fours[LANE_COUNT];
    for (size_t i = 0; i < LANE_COUNT; i += 2) {
        pairs[i] = __builtin_shufflevector(in[i], in[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        pairs[i + 1] = __builtin_shufflevector(in[i], in[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (size_t i = 0; i < LANE_COUNT; i += 4) {
        fours[i] = __builtin_shufflevector(pairs[i], pairs[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        fours[i + 1] = __builtin_shufflevector(pairs[i], pairs[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        fours[i + 2] = __builtin_shufflevector(pairs[i + 1], pairs[i + 3], 0, 1, 8, 9, 4, 5, 12, 13);
        fours[i + 3] = __builtin_shufflevector(pairs[i + 1], pairs[i + 3], 2, 3, 10, 11, 6, 7, 14, 15);
    }
    for (size_t i = 0; i < LANE_COUNT / 2; i++) {
        lanes[i] = __builtin_shufflevector(fours[i], fours[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        lanes[i + 4] = __builtin_shufflevector(fours[i], fours[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
#else
    for (size_t i = 0; i < LANE_COUNT; i += 2) {
        pairs[i] = __builtin_shufflevector(in[i], in[i + 1], 0, 4, 1, 5);
        pairs[i + 1] = __builtin_shufflevector(in[i], in[i + 1], 2, 6, 3, 7);
    }
    for (size_t i = 0; i < LANE_COUNT / 2; i++) {
        lanes[2 * i] = __builtin_shufflevector(pairs[i], pairs[i + 2], 0, 1, 4, 5);
        lanes[2 * i + 1] = __builtin_shufflevector(pairs[i], pairs[i + 2], 2, 3, 6, 7);
    }
#endif
}

/* ---- summaries ---- */

/* Empties the summaries of these lanes (all ones). */
LANE_TARGET static ALWAYS_INLINE void LANE_NAME(empty_lanes)(LeafLanes *l, Lanes which)
{
    l->weights &= ~which;
    l->count &= ~which;
    l->longest &= ~which;
    l->longest_ticks |= which; /* -1 */
    for (size_t i = 0; i < LOD_CANDIDATES; i++) {
        l->label[i] &= ~which;
        l->weight[i] &= ~which;
    }
}

/* Adds a slice of each leaf as lod_leaf does. */
LANE_TARGET static ALWAYS_INLINE void LANE_NAME(add_lanes)(LeafLanes *l, Lanes duration, Lanes label,
                                                           uint32_t index)
{
    const Lanes zero = { 0 };
    const Lanes counted = duration & ~LANE_NAME(is_same)(label, l->idle), weight = counted + 1;
    const Lanes is_longer = LANE_NAME(is_less)(l->longest_ticks, duration);
    l->weights += weight;
    l->count += 1;
    l->too_long |= duration | l->weights;
    l->longest = LANE_NAME(choose)(is_longer, zero + index, l->longest);
    l->longest_ticks = LANE_NAME(choose)(is_longer, duration, l->longest_ticks);
    const Lanes is0 = LANE_NAME(is_same)(label, l->label[0]);
    const Lanes is1 = ~is0 & LANE_NAME(is_same)(label, l->label[1]);
    const Lanes is2 = ~(is0 | is1) & LANE_NAME(is_same)(label, l->label[2]);
    const Lanes missed = weight & ~(is0 | is1 | is2);
    l->weight[0] += is0 & weight;
    l->weight[1] += is1 & weight;
    l->weight[2] += is2 & weight;
    if (!LANE_NAME(is_any)(missed)) return; /* usually all leaves have few labels, or all have many */
    const Lanes least = LANE_NAME(least_of)(LANE_NAME(least_of)(l->weight[0], l->weight[1]), l->weight[2]);
    const Lanes lost = LANE_NAME(least_of)(missed, least), left = missed - lost;
    const Lanes none = LANE_NAME(is_same)(left, zero);
    for (size_t i = 0; i < LOD_CANDIDATES; i++)
        l->weight[i] -= lost;
    /* If weight is left, the least candidate has none now. */
    const Lanes take0 = ~none & LANE_NAME(is_same)(l->weight[0], zero);
    const Lanes take1 = ~(none | take0) & LANE_NAME(is_same)(l->weight[1], zero);
    const Lanes take2 = ~(none | take0 | take1);
    l->weight[0] |= take0 & left;
    l->weight[1] |= take1 & left;
    l->weight[2] |= take2 & left;
    l->label[0] = LANE_NAME(choose)(take0, label, l->label[0]);
    l->label[1] = LANE_NAME(choose)(take1, label, l->label[1]);
    l->label[2] = LANE_NAME(choose)(take2, label, l->label[2]);
}

/* ---- pieces ---- */

/* The pieces of the leaves, by lane. */
typedef struct LANE_NAME(LanePieces) {
    Lanes              begins, ends;
    uint32_t           first[LANE_COUNT];
    LodSummary *const *next[LANE_COUNT]; /* of the piece that ends next */
} LANE_NAME(LanePieces);

/* Returns a bit for each lane with bit 31. */
LANE_TARGET static ALWAYS_INLINE uint32_t LANE_NAME(high_bits)(Lanes lanes)
{
#if LANE_COUNT == 8
    return (uint32_t)_mm256_movemask_ps((__m256)lanes);
#else
    return lanes[0] >> 31 | lanes[1] >> 31 << 1 | lanes[2] >> 31 << 2 | lanes[3] >> 31 << 3;
#endif
}

/* Writes the summaries of the pieces of the lanes with a bit in `which`. */
LANE_TARGET static ALWAYS_INLINE void LANE_NAME(end_pieces)(LANE_NAME(LanePieces) * pieces,
                                                            const LeafLanes *lanes, uint32_t which)
{
    LeafLanes l; /* in memory, so that the lanes can be read one by one while *lanes is in registers */
    memcpy(&l, lanes, sizeof l);
    for (; which != 0; which &= which - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(which);
        LodSummary    *summary = *pieces->next[lane]++;
        summary->count = l.count[lane];
        summary->covered = l.weights[lane] - l.count[lane];
        summary->longest_ticks = l.longest_ticks[lane];
        summary->longest = pieces->first[lane] + l.longest[lane];
        summary->flags = 0;
        for (size_t c = 0; c < LOD_CANDIDATES; c++) {
            summary->label[c] = l.label[c][lane];
            summary->weight[c] = l.weight[c][lane];
        }
    }
}

/* As lod_leaf_pieces, for at most LANE_COUNT leaves. */
LANE_TARGET static void LANE_NAME(leaf_pieces)(const LeafPieces *leaves, uint32_t count)
{
    const Lanes     zero = { 0 };
    LeafLanes       l = { .idle = zero + leaves[0].slices.idle_label, .longest_ticks = zero - 1 };
    Lanes           duration[LOD_LEAF_SLICES], label[LOD_LEAF_SLICES];
    const uint32_t *durations[LANE_COUNT], *labels[LANE_COUNT];
    LANE_NAME(LanePieces) pieces = { .begins = zero };
    uint64_t borders = UINT64_C(1) << LOD_LEAF_SLICES; /* bit i: a piece ends or begins before slice i */
    for (uint32_t lane = 0; lane < LANE_COUNT; lane++) {
        const LeafPieces *leaf = &leaves[lane < count ? lane : 0]; /* a lane without a leaf writes nothing */
        durations[lane] = leaf->slices.durations;
        labels[lane] = leaf->slices.labels;
        if (lane >= count) continue;
        pieces.begins[lane] = leaf->begins;
        pieces.ends[lane] = leaf->ends;
        pieces.first[lane] = leaf->first;
        pieces.next[lane] = leaf->summaries;
        borders |= leaf->begins | (uint64_t)leaf->ends << 1;
    }
    for (uint32_t i = 0; i < LOD_LEAF_SLICES; i += LANE_COUNT) {
        LANE_NAME(load_lanes)(durations, i, &duration[i]);
        LANE_NAME(load_lanes)(labels, i, &label[i]);
    }
    for (uint32_t i = 0; borders != 0; borders &= borders - 1) {
        const uint32_t border = (uint32_t)__builtin_ctzll(borders);
        for (; i < border; i++)
            LANE_NAME(add_lanes)(&l, duration[i], label[i], i);
        const uint32_t ended =
            border == 0 ? 0 : LANE_NAME(high_bits)(pieces.ends << (LOD_LEAF_SLICES - border));
        if (ended != 0) LANE_NAME(end_pieces)(&pieces, &l, ended);
        if (border < LOD_LEAF_SLICES) LANE_NAME(empty_lanes)(&l, zero - ((pieces.begins >> border) & 1));
    }
    for (uint32_t too_long = LANE_NAME(high_bits)(l.too_long) & ((1u << count) - 1); too_long != 0;
         too_long &= too_long - 1)
        sum_pieces_one_by_one(&leaves[__builtin_ctz(too_long)]);
}

#undef Lanes
#undef LeafLanes
