/* The summaries of many parts of a row, as for the buckets of a tile. */
#include "trace/store/lod_tree.h"

#include <assert.h>
#include <string.h>

/* The parts of a row while they are summed up: each is a piece of a leaf, nodes, and another piece of a leaf. All may be
 * absent. The pieces of a few leaves wait until they are summed up together. */
typedef struct PartSums {
    const Trace    *trace;
    const LodIndex *index;
    const Row      *row;
    LodReads       *reads;
    LodPart         nodes[LOD_MOST_PARTS]; /* the slices whose nodes are not added yet */
    LodPiece        heads[LOD_MOST_PARTS], tails[LOD_MOST_PARTS];
    LeafPieces      leaves[LOD_LEAVES_AT_ONCE];
    uint32_t        leaf_count, piece_count;
    LodPiece       *pieces[2 * LOD_MOST_PARTS];
    uint64_t        covered[LOD_MOST_PARTS]; /* of the nodes */
    uint32_t        flags[LOD_MOST_PARTS];
} PartSums;

static void sum_pieces(PartSums *sums)
{
    if (sums->leaf_count > 0) lod_leaf_pieces(sums->leaves, sums->leaf_count);
    sums->leaf_count = 0;
}

/* True if the leaf is whole and its slices have no flag that a summary needs. */
static bool leaf_is_plain(const Trace *trace, const Row *row, uint32_t first)
{
    const uint8_t *flags = trace->slices.flags + row->first_slice + first;
    uint64_t       any = 0, eight;
    if (row->slice_count - first < LOD_LEAF_SLICES) return false;
    for (size_t i = 0; i < LOD_LEAF_SLICES; i += sizeof eight) {
        memcpy(&eight, flags + i, sizeof eight);
        any |= eight;
    }
    return (any & UINT64_C(0x0101010101010101) * (SLICE_LONG | LOD_FLAGS)) == 0;
}

/* Adds the piece [first, last), which is in one leaf, behind the earlier ones. */
static void add_piece(PartSums *sums, uint32_t first, uint32_t last, LodPiece *piece)
{
    const uint32_t leaf_first = first - first % LOD_LEAF_SLICES;
    if (sums->leaf_count == 0 || sums->leaves[sums->leaf_count - 1].first != leaf_first) {
        if (!leaf_is_plain(sums->trace, sums->row, leaf_first)) {
            piece->covered = LOD_PIECE_LARGE;
            return;
        }
        if (sums->leaf_count == LOD_LEAVES_AT_ONCE) sum_pieces(sums);
        sums->leaves[sums->leaf_count++] =
            (LeafPieces){ .slices = leaf_slices(sums->trace, sums->row->first_slice + leaf_first),
                          .first = leaf_first,
                          .pieces = &sums->pieces[sums->piece_count] };
        if (sums->reads != NULL) sums->reads->slices += LOD_LEAF_SLICES;
    }
    LeafPieces *leaf = &sums->leaves[sums->leaf_count - 1];
    leaf->begins |= UINT32_C(1) << (first - leaf_first);
    leaf->ends |= UINT32_C(1) << (last - 1 - leaf_first);
    sums->pieces[sums->piece_count++] = piece;
}

/* The nodes of a part. A piece of a leaf is before them, another one after them: each may be empty. If there are no
 * nodes, the piece before them may be followed by the piece after them. */
static LodPart nodes_of_part(const Row *row, bool has_nodes, LodPart part)
{
    const uint32_t before = part.first % LOD_LEAF_SLICES, left = before == 0 ? 0 : LOD_LEAF_SLICES - before;
    LodPart        nodes = part;
    if (!has_nodes || left >= part.last - part.first) {
        nodes.first = part.last;
    } else {
        nodes.first = part.first + left;
        if (part.last != row->slice_count) nodes.last -= part.last % LOD_LEAF_SLICES;
    }
    return nodes;
}

/* Makes a piece of the next node of part i. False if no node is left. */
static bool next_node(PartSums *sums, uint32_t i, LodPiece *piece)
{
    LodPart *part = &sums->nodes[i];
    NodeRef  ref;
    if (part->first == part->last || !largest_node(sums->row, part->first, part->last, &ref)) return false;
    const LodNode *node = &sums->index->nodes[ref.at];
    const uint64_t ticks = trace_slice_duration(sums->trace, sums->row->first_slice + node->longest);
    part->first += (uint32_t)ref.count;
    if (sums->reads != NULL) sums->reads->nodes++;
    if (node->covered >= LOD_PIECE_LIMIT || ticks >= LOD_PIECE_LIMIT)
        sums->tails[i].covered = LOD_PIECE_LARGE;
    sums->covered[i] += node->covered;
    sums->flags[i] |= sums->index->flags[ref.at];
    piece->longest = node->longest;
    piece->longest_ticks = (uint32_t)ticks;
    for (int c = 0; c < LOD_CANDIDATES; c++) {
        piece->label[c] = node->label[c];
        piece->weight[c] = (uint32_t)node->weight[c];
    }
    return true;
}

/* Sums up LOD_LEAVES_AT_ONCE parts from `at` on, whose pieces are summed up. */
static void join_parts(PartSums *sums, uint32_t at)
{
    for (bool any = true; any;) {
        LodPiece nodes[LOD_LEAVES_AT_ONCE];
        any = false;
        for (uint32_t i = 0; i < LOD_LEAVES_AT_ONCE; i++) {
            lod_piece_empty(&nodes[i]);
            any |= next_node(sums, at + i, &nodes[i]);
        }
        if (any) lod_pieces_add(&sums->heads[at], nodes);
    }
    lod_pieces_add(&sums->heads[at], &sums->tails[at]);
}

/* Sets the summary of part i. */
static void sum_part(const PartSums *sums, uint32_t i, LodPart part, LodSummary *summary)
{
    const uint32_t count = part.last - part.first;
    const uint64_t covered = sums->covered[i] + sums->heads[i].covered + sums->tails[i].covered;
    if (covered + count >= LOD_PIECE_LIMIT || sums->heads[i].covered == LOD_PIECE_LARGE ||
        sums->tails[i].covered == LOD_PIECE_LARGE)
        *summary = lod_summarise_by(sums->trace, sums->index, sums->row, part.first, part.last, sums->reads);
    else
        lod_set_summary(summary, &sums->heads[i], count, covered, sums->flags[i]);
}

void lod_prefetch(const Trace *trace, const Row *row, uint32_t border)
{
    const SliceColumns *s = &trace->slices;
    const uint64_t      first = row->first_slice + border - border % LOD_LEAF_SLICES;
    PREFETCH(&s->flags[first]);
    for (uint32_t i = 0; i < LOD_LEAF_SLICES; i += 16)
        PREFETCH(&s->duration[first + i]);
    PREFETCH(&s->label[first]);
    PREFETCH(&s->duration[first + LOD_LEAF_SLICES - 1]);
    PREFETCH(&s->label[first + LOD_LEAF_SLICES - 1]);
}

void lod_summarise_parts(const Trace *trace, const LodIndex *index, const Row *row, const LodPart *parts,
                         uint32_t count, LodSummary *summaries, LodReads *reads)
{
    PartSums sums;
    assert(count <= LOD_MOST_PARTS);
    if (index->hidden != NULL) {
        for (uint32_t i = 0; i < count; i++)
            summaries[i] = lod_summarise_by(trace, index, row, parts[i].first, parts[i].last, reads);
        return;
    }
    sums.trace = trace;
    sums.index = index;
    sums.row = row;
    sums.reads = reads;
    sums.leaf_count = sums.piece_count = 0;
    const bool     has_nodes = leaf_count(row) > 0;
    const uint32_t full = (count + LOD_LEAVES_AT_ONCE - 1) / LOD_LEAVES_AT_ONCE * LOD_LEAVES_AT_ONCE;
    for (uint32_t i = 0; i < full; i++) {
        lod_piece_empty(&sums.heads[i]);
        lod_piece_empty(&sums.tails[i]);
        sums.nodes[i] = (LodPart){ 0, 0 };
        sums.covered[i] = sums.flags[i] = 0;
        if (i >= count) continue;
        const LodPart nodes = nodes_of_part(row, has_nodes, parts[i]);
        if (nodes.first < nodes.last)
            PREFETCH(&index->nodes[row_extras(row)->first_node + nodes.first / LOD_LEAF_SLICES]);
        if (nodes.first > parts[i].first) add_piece(&sums, parts[i].first, nodes.first, &sums.heads[i]);
        if (nodes.last < parts[i].last) add_piece(&sums, nodes.last, parts[i].last, &sums.tails[i]);
        sums.nodes[i] = nodes;
    }
    sum_pieces(&sums);
    for (uint32_t i = 0; i < full; i += LOD_LEAVES_AT_ONCE)
        join_parts(&sums, i);
    for (uint32_t i = 0; i < count; i++)
        sum_part(&sums, i, parts[i], &summaries[i]);
}
