/* trace/store/lod_lanes.h - sums up pieces of LANE_COUNT leaves at once, each in a lane of vectors. For lod_leaf.c, which
 * includes it once for each LANE_COUNT: 4 or, with AVX2, 8. LANE_NAME makes the names of the functions of this width
 * different from the others, LANE_TARGET is their attribute. No include guard for this reason.
 *
 * The lanes are 32-bit numbers below 2^31, because all processors can compare signed numbers. The pieces of a leaf with
 * larger ones are marked. */

typedef uint32_t LANE_NAME(Lanes) __attribute__((vector_size(sizeof(uint32_t) * LANE_COUNT)));
typedef int32_t  LANE_NAME(SignedLanes) __attribute__((vector_size(sizeof(int32_t) * LANE_COUNT)));
#define Lanes LANE_NAME(Lanes)

/* The summaries of pieces. */
typedef struct LANE_NAME(PieceLanes) {
    Lanes longest, longest_ticks; /* as the first members of LodPiece */
    Lanes label[LOD_CANDIDATES], weight[LOD_CANDIDATES];
} LANE_NAME(PieceLanes);
#define PieceLanes LANE_NAME(PieceLanes)

typedef struct LANE_NAME(LeafLanes) {
    PieceLanes pieces;
    Lanes      covered;
    Lanes      too_long; /* bit 30 or 31: a duration or a sum of durations reached 2^30 */
    Lanes      idle;
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

LANE_TARGET static ALWAYS_INLINE Lanes LANE_NAME(widen)(const uint16_t *from)
{
    return (Lanes)_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i_u *)(const void *)from));
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

static ALWAYS_INLINE Lanes LANE_NAME(widen)(const uint16_t *from)
{
    return (Lanes){ from[0], from[1], from[2], from[3] };
}
#endif

/* Transposes LANE_COUNT numbers of each column: lanes[i] gets the i-th ones. */
LANE_TARGET static ALWAYS_INLINE void LANE_NAME(transpose)(const Lanes in[LANE_COUNT],
                                                           Lanes       lanes[LANE_COUNT])
{
    Lanes pairs[LANE_COUNT];
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

/* Reads LANE_COUNT numbers of each column. */
LANE_TARGET static ALWAYS_INLINE void LANE_NAME(load_lanes)(const uint32_t *const columns[LANE_COUNT],
                                                            uint32_t at, Lanes lanes[LANE_COUNT])
{
    Lanes in[LANE_COUNT];
    for (size_t i = 0; i < LANE_COUNT; i++)
        in[i] = LANE_NAME(read_lanes)(columns[i] + at);
    LANE_NAME(transpose)(in, lanes);
}

/* As load_lanes, for numbers of 16 bits. */
LANE_TARGET static ALWAYS_INLINE void LANE_NAME(load_short)(const uint16_t *const columns[LANE_COUNT],
                                                            uint32_t at, Lanes lanes[LANE_COUNT])
{
    Lanes in[LANE_COUNT];
    for (size_t i = 0; i < LANE_COUNT; i++)
        in[i] = LANE_NAME(widen)(columns[i] + at);
    LANE_NAME(transpose)(in, lanes);
}

/* Adds the upper halves to the labels of the leaves: few traces have them. */
LANE_TARGET static void LANE_NAME(add_high_labels)(const LeafPieces *leaves, uint32_t count,
                                                   Lanes label[LOD_LEAF_SLICES])
{
    for (uint32_t lane = 0; lane < count; lane++)
        for (uint32_t i = 0; i < LOD_LEAF_SLICES; i++)
            label[i][lane] |= (uint32_t)leaves[lane].slices.high_labels[i] << 16;
}

/* ---- summaries ---- */

/* Empties the summaries of these lanes (all ones). */
LANE_TARGET static ALWAYS_INLINE void LANE_NAME(empty_lanes)(LeafLanes *l, Lanes which)
{
    l->covered &= ~which;
    l->pieces.longest &= ~which;
    l->pieces.longest_ticks |= which; /* -1 */
    for (size_t i = 0; i < LOD_CANDIDATES; i++) {
        l->pieces.label[i] &= ~which;
        l->pieces.weight[i] &= ~which;
    }
}

/* Takes `index` as the longest slice if `ticks` is more. */
LANE_TARGET static ALWAYS_INLINE void LANE_NAME(take_longest)(PieceLanes *l, Lanes index, Lanes ticks)
{
    const Lanes is_longer = LANE_NAME(is_less)(l->longest_ticks, ticks);
    l->longest = LANE_NAME(choose)(is_longer, index, l->longest);
    l->longest_ticks = LANE_NAME(choose)(is_longer, ticks, l->longest_ticks);
}

/* Adds a weight to the candidates as lod_leaf does; 0 changes nothing. */
LANE_TARGET static ALWAYS_INLINE void LANE_NAME(add_label)(PieceLanes *l, Lanes label, Lanes weight)
{
    const Lanes zero = { 0 };
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

/* Adds a slice of each leaf as lod_leaf does. */
LANE_TARGET static ALWAYS_INLINE void LANE_NAME(add_lanes)(LeafLanes *l, Lanes duration, Lanes label,
                                                           uint32_t index)
{
    const Lanes zero = { 0 };
    const Lanes counted = duration & ~LANE_NAME(is_same)(label, l->idle);
    l->covered += counted;
    l->too_long |= duration | l->covered;
    LANE_NAME(take_longest)(&l->pieces, zero + index, duration);
    LANE_NAME(add_label)(&l->pieces, label, counted + 1);
}

/* ---- pieces ---- */

/* The pieces of the leaves, by lane. */
typedef struct LANE_NAME(LanePieces) {
    Lanes            begins, ends;
    uint32_t         first[LANE_COUNT];
    LodPiece *const *next[LANE_COUNT]; /* of the piece that ends next */
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
        LodPiece      *piece = *pieces->next[lane]++;
        piece->covered = l.covered[lane];
        piece->longest_ticks = l.pieces.longest_ticks[lane];
        piece->longest = pieces->first[lane] + l.pieces.longest[lane];
        for (size_t c = 0; c < LOD_CANDIDATES; c++) {
            piece->label[c] = l.pieces.label[c][lane];
            piece->weight[c] = l.pieces.weight[c][lane];
        }
    }
}

/* As lod_leaf_pieces, for at most LANE_COUNT leaves. */
LANE_TARGET static void LANE_NAME(leaf_pieces)(const LeafPieces *leaves, uint32_t count)
{
    const Lanes     zero = { 0 };
    LeafLanes       l = { .idle = zero + leaves[0].slices.idle_label, .pieces.longest_ticks = zero - 1 };
    Lanes           duration[LOD_LEAF_SLICES], label[LOD_LEAF_SLICES];
    const uint32_t *durations[LANE_COUNT];
    const uint16_t *labels[LANE_COUNT];
    LANE_NAME(LanePieces) pieces;
    uint64_t borders = UINT64_C(1) << LOD_LEAF_SLICES; /* bit i: a piece ends or begins before slice i */
    pieces.begins = pieces.ends = zero;
    for (uint32_t lane = 0; lane < LANE_COUNT; lane++) {
        const LeafPieces *leaf = &leaves[lane < count ? lane : 0]; /* a lane without a leaf writes nothing */
        durations[lane] = leaf->slices.durations;
        labels[lane] = leaf->slices.labels;
        if (lane >= count) continue;
        pieces.begins[lane] = leaf->begins;
        pieces.ends[lane] = leaf->ends;
        pieces.first[lane] = leaf->first;
        pieces.next[lane] = leaf->pieces;
        borders |= leaf->begins | (uint64_t)leaf->ends << 1;
    }
    for (uint32_t i = 0; i < LOD_LEAF_SLICES; i += LANE_COUNT) {
        LANE_NAME(load_lanes)(durations, i, &duration[i]);
        LANE_NAME(load_short)(labels, i, &label[i]);
    }
    if (UNLIKELY(leaves[0].slices.high_labels != NULL)) LANE_NAME(add_high_labels)(leaves, count, label);
    for (uint32_t i = 0; borders != 0; borders &= borders - 1) {
        const uint32_t border = (uint32_t)__builtin_ctzll(borders);
        for (; i < border; i++)
            LANE_NAME(add_lanes)(&l, duration[i], label[i], i);
        const uint32_t ended =
            border == 0 ? 0 : LANE_NAME(high_bits)(pieces.ends << (LOD_LEAF_SLICES - border));
        if (ended != 0) LANE_NAME(end_pieces)(&pieces, &l, ended);
        if (border < LOD_LEAF_SLICES) LANE_NAME(empty_lanes)(&l, zero - ((pieces.begins >> border) & 1));
    }
    for (uint32_t too_long = LANE_NAME(high_bits)(l.too_long | l.too_long << 1) & ((1u << count) - 1);
         too_long != 0; too_long &= too_long - 1)
        mark_large(&leaves[__builtin_ctz(too_long)]);
}

enum { LANE_NAME(PIECE_LANES) = sizeof(PieceLanes) / sizeof(Lanes) };
#define PIECE_LANES LANE_NAME(PIECE_LANES)
static_assert(offsetof(LodPiece, covered) == PIECE_LANES * sizeof(uint32_t), "all but this member");

/* As lod_pieces_add, for LANE_COUNT pieces. */
LANE_TARGET static void LANE_NAME(pieces_add)(LodPiece *pieces, const LodPiece *added)
{
    Lanes           into[PIECE_LANES], from[PIECE_LANES];
    const uint32_t *into_rows[LANE_COUNT], *from_rows[LANE_COUNT];
    PieceLanes      l, other;
    for (uint32_t i = 0; i < LANE_COUNT; i++) {
        into_rows[i] = &pieces[i].longest;
        from_rows[i] = &added[i].longest;
    }
    for (uint32_t i = 0; i < PIECE_LANES; i += LANE_COUNT) {
        LANE_NAME(load_lanes)(into_rows, i, &into[i]);
        LANE_NAME(load_lanes)(from_rows, i, &from[i]);
    }
    memcpy(&l, into, sizeof l);
    memcpy(&other, from, sizeof other);
    LANE_NAME(take_longest)(&l, other.longest, other.longest_ticks);
    for (size_t c = 0; c < LOD_CANDIDATES; c++)
        LANE_NAME(add_label)(&l, other.label[c], other.weight[c]);
    memcpy(into, &l, sizeof l);
    for (uint32_t at = 0; at < PIECE_LANES; at += LANE_COUNT) {
        const uint32_t *columns[LANE_COUNT];
        for (uint32_t i = 0; i < LANE_COUNT; i++)
            columns[i] = (const uint32_t *)&into[at + i];
        LANE_NAME(load_lanes)(columns, 0, &from[at]);
        for (uint32_t i = 0; i < LANE_COUNT; i++)
            memcpy(&pieces[i].longest + at, &from[at + i], sizeof(Lanes));
    }
}

#undef PIECE_LANES
#undef PieceLanes
#undef Lanes
#undef LeafLanes
