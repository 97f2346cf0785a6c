#include "trace/store/lod.h"

#include "base/checked.h"
#include "base/self_trace.h"
#include "base/thread.h"
#include "trace/store/lod_tree.h"

#include <assert.h>
#include <string.h>

enum { JOB_LEAVES = 1024 };

/* ---- summaries ---- */

/* The candidates of a summary, in registers. */
typedef struct Candidates {
    uint64_t w0, w1, w2;
    uint32_t l0, l1, l2;
} Candidates;

static ALWAYS_INLINE Candidates candidates_of(const LodSummary *summary)
{
    return (Candidates){ summary->weight[0], summary->weight[1], summary->weight[2],
                         summary->label[0],  summary->label[1],  summary->label[2] };
}

static ALWAYS_INLINE void candidates_store(const Candidates *c, LodSummary *summary)
{
    summary->weight[0] = c->w0;
    summary->weight[1] = c->w1;
    summary->weight[2] = c->w2;
    summary->label[0] = c->l0;
    summary->label[1] = c->l1;
    summary->label[2] = c->l2;
}

/* Returns all bits if true, otherwise none: the conditions of a summary are too random for the branch prediction. */
static ALWAYS_INLINE uint64_t bits_if(bool is_true)
{
    return 0 - (uint64_t)is_true;
}

/* Adds a weight to a candidate. Weights saturate: the durations of a row may add up to 64 bits, and each weight is 1
 * more. */
static ALWAYS_INLINE void add_candidate(Candidates *c, uint32_t label, uint64_t weight)
{
    if (weight == 0) return;
    if (c->l0 == label && c->w0 > 0) {
        c->w0 = u64_add_saturated(c->w0, weight);
    } else if (c->l1 == label && c->w1 > 0) {
        c->w1 = u64_add_saturated(c->w1, weight);
    } else if (c->l2 == label && c->w2 > 0) {
        c->w2 = u64_add_saturated(c->w2, weight);
    } else {
        /* Subtracts the same weight from each candidate and the new label, which keeps the error limit: 0 if a candidate
         * is empty. Then the first candidate without weight takes the rest. */
        const uint64_t least01 = c->w0 < c->w1 ? c->w0 : c->w1, least = least01 < c->w2 ? least01 : c->w2;
        const uint64_t lost = weight < least ? weight : least, left = weight - lost;
        c->w0 -= lost;
        c->w1 -= lost;
        c->w2 -= lost;
        const uint64_t any = bits_if(left > 0);
        const uint64_t take0 = any & bits_if(c->w0 == 0), take1 = any & ~take0 & bits_if(c->w1 == 0);
        const uint64_t take2 = any & ~(take0 | take1);
        c->w0 |= take0 & left;
        c->w1 |= take1 & left;
        c->w2 |= take2 & left;
        c->l0 ^= (uint32_t)take0 & (c->l0 ^ label);
        c->l1 ^= (uint32_t)take1 & (c->l1 ^ label);
        c->l2 ^= (uint32_t)take2 & (c->l2 ^ label);
    }
}

static void add_slice(const Trace *trace, const Row *row, uint32_t i, LodSummary *summary)
{
    uint64_t slice = row->first_slice + i;
    uint64_t duration = trace_slice_duration(trace, slice);
    if (summary->count == 0 || duration > summary->longest_ticks) {
        summary->longest = i;
        summary->longest_ticks = duration;
    }
    summary->count++;
    uint32_t label = trace_slice_label(trace, slice);
    uint64_t counted = label == trace->idle_label ? 0 : duration;
    summary->covered += counted;
    summary->flags |= trace->slices.flags[slice] & LOD_FLAGS;
    Candidates candidates = candidates_of(summary);
    add_candidate(&candidates, label, u64_add_saturated(counted, 1));
    candidates_store(&candidates, summary);
}

void lod_merge(LodSummary *into, const LodSummary *other)
{
    if (other->count == 0) return;
    if (into->count == 0 && other->weight[0] != 0 && other->weight[1] != 0 && other->weight[2] != 0) {
        *into = *other;
        return;
    }
    const uint64_t longer = bits_if((into->count == 0) | (other->longest_ticks > into->longest_ticks));
    into->longest ^= (uint32_t)longer & (into->longest ^ other->longest);
    into->longest_ticks ^= longer & (into->longest_ticks ^ other->longest_ticks);
    into->count += other->count;
    into->covered += other->covered;
    into->flags |= other->flags;
    Candidates candidates = candidates_of(into);
    for (int i = 0; i < LOD_CANDIDATES; i++)
        add_candidate(&candidates, other->label[i], other->weight[i]);
    candidates_store(&candidates, into);
}

uint32_t lod_dominant(const LodSummary *summary, uint32_t otherwise)
{
    uint32_t label = otherwise;
    uint64_t weight = 0;
    for (int i = 0; i < LOD_CANDIDATES; i++) {
        const uint64_t better = bits_if(
            (summary->weight[i] != 0) &
            ((summary->weight[i] > weight) | ((summary->weight[i] == weight) & (summary->label[i] < label))));
        label ^= (uint32_t)better & (label ^ summary->label[i]);
        weight ^= better & (weight ^ summary->weight[i]);
    }
    return label;
}

uint32_t lod_row_dominant(const Trace *trace, const Row *row, const LodSummary *summary)
{
    if (summary->count == 0) return 0;
    return lod_dominant(summary, trace_slice_label(trace, row->first_slice + summary->longest));
}

/* ---- the tree ---- */

static uint64_t row_node_count(const Row *row)
{
    uint64_t total = 0;
    for (uint64_t level = leaf_room(row); level > 0; level = parents_of(level))
        total += level;
    return total;
}

static void node_store(LodIndex *index, uint64_t at, const LodSummary *summary)
{
    LodNode *node = &index->nodes[at];
    node->covered = summary->covered;
    node->longest = summary->longest;
    for (int i = 0; i < LOD_CANDIDATES; i++) {
        node->label[i] = summary->label[i];
        node->weight[i] = summary->weight[i];
    }
    index->flags[at] = (uint8_t)summary->flags;
    if (index->hidden != NULL) index->visible[at] = (uint32_t)summary->count;
}

/* Returns the summary of node `at`, which covers `count` slices. */
static LodSummary node_load(const Trace *trace, const LodIndex *index, const Row *row, uint64_t at,
                            uint64_t count)
{
    const LodNode *node = &index->nodes[at];
    if (index->hidden != NULL) count = index->visible[at];
    if (count == 0) return (LodSummary){ .count = 0 };
    LodSummary summary = { .count = count,
                           .covered = node->covered,
                           .longest = node->longest,
                           .longest_ticks = trace_slice_duration(trace, row->first_slice + node->longest),
                           .flags = index->flags[at] };
    for (int i = 0; i < LOD_CANDIDATES; i++) {
        summary.label[i] = node->label[i];
        summary.weight[i] = node->weight[i];
    }
    return summary;
}

typedef struct LodJob {
    uint32_t row;
    uint32_t leaves;
    uint64_t first_leaf;
} LodJob;

typedef struct LodBuild {
    const Trace     *trace;
    LodIndex        *index;
    LodJob          *jobs;
    Progress        *progress;
    _Atomic uint64_t done;
} LodBuild;

/* Summarises the visible slices of a leaf. */
static LodSummary summarise_visible(const Trace *trace, const uint8_t *hidden, const Row *row, uint32_t first,
                                    uint32_t count)
{
    LodSummary summary = { .count = 0 };
    for (uint32_t i = first; i < first + count; i++)
        if (!hidden[trace_slice_label(trace, row->first_slice + i)]) add_slice(trace, row, i, &summary);
    return summary;
}

/* Returns the union of the flags of some slices. */
static uint32_t any_flags(const Trace *trace, uint64_t at, uint32_t count)
{
    uint32_t flags = 0;
    for (uint32_t i = 0; i < count; i++)
        flags |= trace->slices.flags[at + i];
    return flags;
}

static LodSummary summarise_leaf(const Trace *trace, const LodIndex *index, const Row *row, uint32_t first,
                                 uint32_t count)
{
    const uint64_t at = row->first_slice + first;
    if (index != NULL && index->hidden != NULL)
        return summarise_visible(trace, index->hidden, row, first, count);
    const uint32_t flags = any_flags(trace, at, count);
    LodSummary     summary = { .count = 0 };
    if (!(flags & SLICE_LONG)) {
        const LeafSlices slices = leaf_slices(trace, at);
        summary = lod_leaf(&slices, count);
        summary.longest += first;
        summary.flags = flags & LOD_FLAGS;
        return summary;
    }
    for (uint32_t i = 0; i < count; i++)
        add_slice(trace, row, first + i, &summary);
    return summary;
}

/* Builds several leaves from `leaf` on if all are full and simple; false if they must be built one by one. */
static bool build_leaves_at_once(const LodBuild *build, const Row *row, uint64_t leaf)
{
    enum { SLICES = LOD_LEAVES_AT_ONCE * LOD_LEAF_SLICES };
    const uint64_t first = leaf * LOD_LEAF_SLICES, at = row->first_slice + first;
    LodPiece       pieces[LOD_LEAVES_AT_ONCE], *written[LOD_LEAVES_AT_ONCE];
    LeafPieces     leaves[LOD_LEAVES_AT_ONCE];
    if (build->index->hidden != NULL || row->slice_count - first < SLICES) return false;
    if (any_flags(build->trace, at, SLICES) & (SLICE_LONG | LOD_FLAGS)) return false;
    for (uint32_t i = 0; i < LOD_LEAVES_AT_ONCE; i++) {
        written[i] = &pieces[i];
        leaves[i] = (LeafPieces){ .slices = leaf_slices(build->trace, at + (uint64_t)i * LOD_LEAF_SLICES),
                                  .first = (uint32_t)first + i * LOD_LEAF_SLICES,
                                  .begins = 1,
                                  .ends = UINT32_C(1) << (LOD_LEAF_SLICES - 1),
                                  .pieces = &written[i] };
    }
    lod_leaf_pieces(leaves, LOD_LEAVES_AT_ONCE);
    for (uint32_t i = 0; i < LOD_LEAVES_AT_ONCE; i++) {
        LodSummary summary;
        if (pieces[i].covered == LOD_PIECE_LARGE)
            summary = summarise_leaf(build->trace, NULL, row, leaves[i].first, LOD_LEAF_SLICES);
        else
            lod_set_summary(&summary, &pieces[i], LOD_LEAF_SLICES, pieces[i].covered, 0);
        node_store(build->index, row_extras(row)->first_node + leaf + i, &summary);
    }
    return true;
}

static void build_leaves(void *context, size_t job_index)
{
    SELF_SLICE("index");
    LodBuild      *build = (LodBuild *)context;
    const LodJob  *job = &build->jobs[job_index];
    const Row     *row = &build->trace->rows[job->row];
    const uint64_t last = job->first_leaf + job->leaves;
    if (progress_cancelled(build->progress)) return;
    for (uint64_t leaf = job->first_leaf; leaf < last;) {
        if (last - leaf >= LOD_LEAVES_AT_ONCE && build_leaves_at_once(build, row, leaf)) {
            leaf += LOD_LEAVES_AT_ONCE;
            continue;
        }
        LodSummary summary =
            summarise_leaf(build->trace, build->index, row, (uint32_t)(leaf * LOD_LEAF_SLICES),
                           (uint32_t)slices_under(row, 0, leaf));
        node_store(build->index, row_extras(row)->first_node + leaf, &summary);
        leaf++;
    }
    uint64_t slices = (uint64_t)job->leaves * LOD_LEAF_SLICES;
    progress_set(build->progress, atomic_fetch_add(&build->done, slices) + slices);
}

/* Builds the nodes above the leaves, except nodes whose leaves are all before `first_leaf`. */
static void build_upper_levels(const Trace *trace, LodIndex *index, const Row *row, uint64_t first_leaf)
{
    uint64_t below = row_extras(row)->first_node, below_count = leaf_count(row), below_room = leaf_room(row);
    uint64_t first = first_leaf;
    for (unsigned level = 1; below_room > 1 && below_count > 0; level++) {
        uint64_t at = below + below_room, count = (below_count + LOD_FANOUT - 1) / LOD_FANOUT;
        first /= LOD_FANOUT;
        for (uint64_t node = first; node < count; node++) {
            LodSummary summary = { .count = 0 };
            uint64_t   last = (node + 1) * LOD_FANOUT < below_count ? (node + 1) * LOD_FANOUT : below_count;
            for (uint64_t child = node * LOD_FANOUT; child < last; child++) {
                LodSummary part =
                    node_load(trace, index, row, below + child, slices_under(row, level - 1, child));
                lod_merge(&summary, &part);
            }
            node_store(index, at + node, &summary);
        }
        below = at;
        below_count = count;
        below_room = parents_of(below_room);
    }
}

/* Assigns each row that has nodes its position in the index. *nodes: their number; a number above UINT32_MAX is too
 * large. False when out of memory. */
static bool place_rows(Trace *trace, uint64_t *nodes)
{
    *nodes = 0;
    for (uint32_t r = 0; r < trace->row_count && *nodes <= UINT32_MAX; r++) {
        Row           *row = &trace->rows[r];
        const uint64_t count = row_node_count(row);
        if (count == 0) continue;
        RowExtras *extras = row_add_extras(row, &trace->arena);
        if (extras == NULL) return false;
        extras->first_node = (uint32_t)*nodes;
        *nodes += count;
    }
    return true;
}

static bool plan_jobs(const Trace *trace, Arena *scratch, LodJob **jobs, size_t *job_count)
{
    size_t count = 0;
    for (uint32_t r = 0; r < trace->row_count; r++)
        count += (size_t)((leaf_count(&trace->rows[r]) + JOB_LEAVES - 1) / JOB_LEAVES);
    *jobs = ARENA_ARRAY(scratch, LodJob, count);
    *job_count = count;
    if (*jobs == NULL) return false;
    size_t next = 0;
    for (uint32_t r = 0; r < trace->row_count; r++) {
        uint64_t leaves = leaf_count(&trace->rows[r]);
        for (uint64_t first = 0; first < leaves; first += JOB_LEAVES) {
            uint64_t here = leaves - first < JOB_LEAVES ? leaves - first : JOB_LEAVES;
            (*jobs)[next++] = (LodJob){ r, (uint32_t)here, first };
        }
    }
    return true;
}

/* Allocates `count` nodes, or if the index grows, reserves them. */
static bool take_nodes(LodIndex *index, uint64_t count)
{
    void *(*const allocate)(size_t size) = index->grows ? memory_reserve : memory_map;
    if (count > SIZE_MAX / sizeof(LodNode)) return false;
    index->count = count;
    if (count == 0) return true;
    index->nodes = (LodNode *)allocate((size_t)count * sizeof(LodNode));
    index->flags = (uint8_t *)allocate((size_t)count);
    if (index->hidden != NULL) index->visible = (uint32_t *)allocate((size_t)count * sizeof(uint32_t));
    return index->nodes != NULL && index->flags != NULL && (index->hidden == NULL || index->visible != NULL);
}

/* Fills an index with allocated nodes. */
static bool fill_index(const Trace *trace, LodIndex *index, unsigned threads, Progress *progress, Err *err)
{
    Arena    scratch = arena_create(0);
    LodBuild build = { .trace = trace, .index = index, .progress = progress };
    size_t   job_count;
    bool     done = plan_jobs(trace, &scratch, &build.jobs, &job_count);
    if (!done) {
        err_set(err, ERR_MEMORY, "out of memory for the level-of-detail index");
    } else {
        thread_run(threads, job_count, build_leaves, &build);
        for (uint32_t r = 0; r < trace->row_count; r++)
            build_upper_levels(trace, index, &trace->rows[r], 0);
        if (progress_cancelled(progress)) done = err_set(err, ERR_CANCELLED, "cancelled");
    }
    arena_release(&scratch);
    return done;
}

bool lod_build(Trace *trace, unsigned threads, Progress *progress, Err *err)
{
    SELF_SLICE("level of detail");
    progress_phase(progress, PROGRESS_INDEXING, trace->slices.count);
    uint64_t nodes;
    trace->index.lod = ARENA_NEW(&trace->arena, LodIndex);
    if (trace->index.lod == NULL || !place_rows(trace, &nodes) || nodes > UINT32_MAX ||
        !take_nodes(trace->index.lod, nodes))
        return err_set(err, ERR_MEMORY, "out of memory for the level-of-detail index");
    return fill_index(trace, trace->index.lod, threads, progress, err);
}

LodIndex *lod_build_hidden(const Trace *trace, const uint8_t *hidden, unsigned threads, Progress *progress,
                           Err *err)
{
    Arena     arena = arena_create(0);
    LodIndex *index = ARENA_NEW(&arena, LodIndex);
    if (index == NULL) {
        err_set(err, ERR_MEMORY, "out of memory for the level-of-detail index");
        arena_release(&arena);
        return NULL;
    }
    const LodIndex *whole = trace->index.lod;
    *index = (LodIndex){ .hidden = hidden, .arena = arena, .grows = whole->grows };
    bool done = take_nodes(index, whole->count) ||
                err_set(err, ERR_MEMORY, "out of memory for the level-of-detail index");
    if (done && fill_index(trace, index, threads, progress, err)) return index;
    lod_destroy(index);
    return NULL;
}

bool lod_reserve(Trace *trace, uint64_t nodes)
{
    LodIndex *index = ARENA_NEW(&trace->arena, LodIndex);
    trace->index.lod = index;
    if (index == NULL) return false;
    index->grows = true;
    return take_nodes(index, nodes);
}

static void update(const Trace *trace, LodIndex *index, const Row *row, uint32_t first)
{
    const uint64_t leaves = leaf_count(row);
    for (uint64_t leaf = first / LOD_LEAF_SLICES; leaf < leaves; leaf++) {
        LodSummary summary = summarise_leaf(trace, index, row, (uint32_t)(leaf * LOD_LEAF_SLICES),
                                            (uint32_t)slices_under(row, 0, leaf));
        node_store(index, row_extras(row)->first_node + leaf, &summary);
    }
    build_upper_levels(trace, index, row, first / LOD_LEAF_SLICES);
}

void lod_update(Trace *trace, const Row *row, uint32_t first)
{
    update(trace, trace->index.lod, row, first);
}

void lod_update_hidden(const Trace *trace, LodIndex *index, const Row *row, uint32_t first, LodReads *reads)
{
    const uint64_t leaves = leaf_count(row), from = first / LOD_LEAF_SLICES;
    update(trace, index, row, first);
    if (reads == NULL || leaves <= from) return;
    reads->slices += row->slice_count - from * LOD_LEAF_SLICES;
    for (uint64_t level = leaves, at = from; level > 1; level = parents_of(level), at /= LOD_FANOUT)
        reads->nodes += level - at / LOD_FANOUT * LOD_FANOUT;
}

void lod_set_hidden(LodIndex *index, const uint8_t *hidden)
{
    index->hidden = hidden;
}

void lod_discard(Trace *trace, uint64_t first, uint64_t count)
{
    memory_discard(trace->index.lod->nodes + first, (size_t)count * sizeof(LodNode));
    memory_discard(trace->index.lod->flags + first, (size_t)count);
}

void lod_release(LodIndex *index)
{
    if (index == NULL) return;
    if (index->grows) {
        memory_unreserve(index->nodes, (size_t)index->count * sizeof(LodNode));
        memory_unreserve(index->flags, (size_t)index->count);
        memory_unreserve(index->visible, (size_t)index->count * sizeof(uint32_t));
    } else {
        mapping_unmap(&index->mapping, index->nodes, (size_t)index->count * sizeof(LodNode));
        mapping_unmap(&index->mapping, index->flags, (size_t)index->count);
        memory_unmap(index->visible, (size_t)index->count * sizeof(uint32_t));
    }
    index->nodes = NULL;
    index->flags = NULL;
    index->visible = NULL;
    index->count = 0;
}

void lod_destroy(LodIndex *index)
{
    if (index == NULL) return;
    lod_release(index);
    Arena arena = index->arena; /* the arena holds the index itself */
    arena_release(&arena);
}

LodArrays lod_arrays(const LodIndex *index)
{
    if (index == NULL) return (LodArrays){ .count = 0 };
    return (LodArrays){ index->nodes, index->flags, index->count };
}

/* True if the nodes of a row name slices below them and known labels. */
static bool nodes_are_sound(const Trace *trace, const LodNode *nodes, const Row *row)
{
    uint64_t at = row_extras(row)->first_node;
    unsigned level = 0;
    for (uint64_t count = leaf_count(row); count > 0; count = parents_of(count), level++) {
        const uint64_t span = level_span(level);
        for (uint64_t i = 0; i < count; i++, at++) {
            const LodNode *node = &nodes[at];
            uint32_t       label = 0;
            for (int c = 0; c < LOD_CANDIDATES; c++)
                if (node->label[c] > label) label = node->label[c];
            if (label > trace->label_count || node->longest < i * span || node->longest >= (i + 1) * span ||
                node->longest >= row->slice_count)
                return false;
        }
    }
    return true;
}

bool lod_adopt(Trace *trace, LodArrays arrays, Err *err)
{
    uint64_t  nodes = 0;
    LodIndex *index = ARENA_NEW(&trace->arena, LodIndex);
    if (index == NULL) {
        mapping_unmap(&trace->mapping, arrays.nodes, (size_t)arrays.count * sizeof(LodNode));
        mapping_unmap(&trace->mapping, arrays.flags, (size_t)arrays.count);
        return err_set(err, ERR_MEMORY, "out of memory for the level-of-detail index");
    }
    *index = (LodIndex){ .nodes = (LodNode *)arrays.nodes,
                         .flags = arrays.flags,
                         .count = arrays.count,
                         .mapping = trace->mapping };
    trace->index.lod = index;
    if (!place_rows(trace, &nodes))
        return err_set(err, ERR_MEMORY, "out of memory for the level-of-detail index");
    if (nodes != arrays.count)
        return err_set(err, ERR_CORRUPT, "lod.node: %llu nodes, expected %llu",
                       (unsigned long long)arrays.count, (unsigned long long)nodes);
    for (uint32_t r = 0; r < trace->row_count; r++) {
        if (!nodes_are_sound(trace, index->nodes, &trace->rows[r]))
            return err_set(err, ERR_CORRUPT, "lod.node: a node of row %u names no slice or label of it", r);
    }
    return true;
}

uint64_t lod_bytes(const LodIndex *index)
{
    return index == NULL ? 0 : index->count * (sizeof(LodNode) + (index->hidden == NULL ? 1 : 5));
}

/* ---- queries ---- */

LodSummary lod_summarise(const Trace *trace, const Row *row, uint32_t first, uint32_t last, LodReads *reads)
{
    return lod_summarise_by(trace, trace->index.lod, row, first, last, reads);
}

LodSummary lod_summarise_by(const Trace *trace, const LodIndex *index, const Row *row, uint32_t first,
                            uint32_t last, LodReads *reads)
{
    assert(first <= last && last <= row->slice_count);
    LodSummary summary = { .count = 0 };
    while (first < last) {
        NodeRef ref;
        if (largest_node(row, first, last, &ref)) {
            LodSummary part = node_load(trace, index, row, ref.at, ref.count);
            lod_merge(&summary, &part);
            first += (uint32_t)ref.count;
            if (reads != NULL) reads->nodes++;
        } else {
            uint32_t   count = LOD_LEAF_SLICES - first % LOD_LEAF_SLICES; /* up to the next begin of a node */
            LodSummary part;
            if (count > last - first) count = last - first;
            part = summarise_leaf(trace, index, row, first, count);
            lod_merge(&summary, &part);
            first += count;
            if (reads != NULL) reads->slices += count;
        }
    }
    return summary;
}
