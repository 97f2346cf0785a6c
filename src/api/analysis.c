/* Flame graphs and comparisons. */
#include "analysis/compare.h"
#include "analysis/flame.h"
#include "api/api.h"

#include <assert.h>

static_assert((int)VARVE_SLOWER == (int)VERDICT_SLOWER && (int)VARVE_GONE == (int)VERDICT_GONE &&
                  (int)VARVE_GONE + 1 == (int)VERDICT_COUNT,
              "VarveVerdict has the values of Verdict");

/* -- flame graphs -- */

struct VarveFlame {
    Arena           arena; /* holds this too */
    VarveFlameNode *nodes;
    uint32_t        node_count;
};

/* Writes the nodes of a tree in the order of a walk. */
static bool flame_write(VarveFlame *flame, const Trace *trace, const Flame *tree, FlameWeight by, Err *err)
{
    FlameLayout layout;
    if (!flame_layout(tree, by, &flame->arena, &layout, err)) return false;
    uint32_t *places = ARENA_ARRAY(&flame->arena, uint32_t, tree->node_count);
    flame->nodes = ARENA_ARRAY(&flame->arena, VarveFlameNode, tree->node_count);
    if (places == NULL || flame->nodes == NULL)
        return err_set(err, ERR_MEMORY, "out of memory for the flame graph");
    for (FlameWalk walk = flame_walk(&layout); flame_walk_next(&walk);) {
        const FlameNode *node = &tree->nodes[walk.node];
        places[walk.node] = flame->node_count;
        flame->nodes[flame->node_count++] =
            (VarveFlameNode){ .name = api_text(trace_string(trace, node->name)),
                              .parent = walk.depth == 0 ? UINT32_MAX : places[node->parent],
                              .depth = walk.depth,
                              .count = node->count,
                              .total_ns = clock_span_to_ns(&trace->clock, layout.sum[walk.node]),
                              .self_ns = clock_span_to_ns(&trace->clock, layout.own[walk.node]) };
    }
    return true;
}

static bool flame_fill(VarveFlame *flame, const Trace *trace, const VarvePart *part, VarveFlameOrder order,
                       Err *err)
{
    const bool       is_inverted = order == VARVE_FLAME_INVERTED;
    const FlameShape shape = { .tree = is_inverted ? FLAME_INVERTED : FLAME_CALLS, .by = FLAME_SELF };
    const bool       has_tracks = part != NULL && (part->thread != NULL || part->track_id != 0);
    Flame            calls = { 0 }, made = { 0 };
    const Flame     *shown;
    TracePart        found;
    FlameQuery       query = { .roots = FLAME_TOGETHER };
    if (!api_part(trace, part, &flame->arena, &found, err)) return false;
    query.part = found;
    /* as `varve flame`: other tracks overlap in time and count only when they are chosen */
    query.part.kinds = has_tracks ? 0 : 1U << TRACK_THREAD | 1U << TRACK_SAMPLES;
    const bool is_done = flame_create(trace->strings, &calls, err) &&
                         flame_add_slices(&calls, trace, &query, err) &&
                         flame_shaped(&calls, &shape, &made, &shown, err) &&
                         flame_write(flame, trace, shown, is_inverted ? FLAME_SELF : FLAME_TOTAL, err);
    flame_release(&made);
    flame_release(&calls);
    return is_done;
}

VarveFlame *varve_flame_open(const VarveTrace *trace, const VarvePart *part, VarveFlameOrder order,
                             VarveError *error)
{
    Err         err = API_ERR;
    Arena       arena = arena_create(0);
    VarveFlame *flame = ARENA_NEW(&arena, VarveFlame);
    if (flame == NULL) {
        (void)api_no_memory(error);
        return NULL;
    }
    flame->arena = arena;
    if (flame_fill(flame, trace->loaded.trace, part, order, &err)) return flame;
    (void)api_fail(&err, error);
    varve_flame_close(flame);
    return NULL;
}

void varve_flame_close(VarveFlame *flame)
{
    if (flame == NULL) return;
    Arena arena = flame->arena;
    arena_release(&arena);
}

const VarveFlameNode *varve_flame_nodes(const VarveFlame *flame, uint32_t *node_count)
{
    *node_count = flame->node_count;
    return flame->nodes;
}

/* -- comparison -- */

struct VarveDiff {
    Arena         arena; /* holds this too */
    VarveDiffRow *rows;
    uint32_t      row_count;
};

static VarveDiffSide diff_side(const Comparison *comparison, const CompareRow *row, CompareSide side)
{
    if (row->sides[side] == NULL) return (VarveDiffSide){ .count = 0 };
    return (VarveDiffSide){ .count = row->sides[side]->count,
                            .total_ns = compare_value(comparison, row, side, MEASURE_TOTAL),
                            .self_ns = compare_value(comparison, row, side, MEASURE_SELF),
                            .average_ns = compare_value(comparison, row, side, MEASURE_AVERAGE),
                            .self_average_ns = compare_value(comparison, row, side, MEASURE_SELF_AVERAGE),
                            .p50_ns = compare_value(comparison, row, side, MEASURE_P50),
                            .p99_ns = compare_value(comparison, row, side, MEASURE_P99) };
}

static bool diff_write(VarveDiff *diff, const Comparison *comparison, Err *err)
{
    Bytes name = { 0 };
    bool  failed = false;
    diff->rows = ARENA_ARRAY(&diff->arena, VarveDiffRow, (size_t)comparison->row_count + 1);
    if (diff->rows == NULL) return err_set(err, ERR_MEMORY, "out of memory for the comparison");
    for (uint32_t i = 0; i < comparison->row_count; i++) {
        const CompareRow *row = &comparison->rows[i];
        bytes_clear(&name);
        compare_put_name(comparison, row, &name);
        diff->rows[i] = (VarveDiffRow){ .name = api_text_copy(&diff->arena, &name, &failed),
                                        .verdict = (VarveVerdict)row->verdict,
                                        .a = diff_side(comparison, row, SIDE_A),
                                        .b = diff_side(comparison, row, SIDE_B),
                                        .self_change_ns = compare_change(comparison, row, MEASURE_SELF),
                                        .p_adjusted = row->q };
    }
    diff->row_count = comparison->row_count;
    bytes_release(&name);
    return !failed || err_set(err, ERR_MEMORY, "out of memory for the comparison");
}

static bool diff_fill(VarveDiff *diff, CompareInput inputs[SIDE_COUNT], const VarvePart *const *parts,
                      VarveDiffBy by, Err *err)
{
    Comparison comparison = { 0 };
    if (!compare_is_possible(&inputs[SIDE_A].trace->clock, &inputs[SIDE_B].trace->clock))
        return err_set(err, ERR_USAGE, "one trace has times and the other does not: they cannot be compared");
    for (unsigned side = 0; side < SIDE_COUNT; side++) {
        TracePart found;
        if (!api_part(inputs[side].trace, parts[side], &diff->arena, &found, err)) return false;
        inputs[side].query.part = found;
    }
    const bool is_done = compare_traces(inputs, by == VARVE_DIFF_BY_PATH ? COMPARE_BY_PATH : COMPARE_BY_NAME,
                                        &comparison, err) &&
                         diff_write(diff, &comparison, err);
    compare_release(&comparison);
    return is_done;
}

VarveDiff *varve_diff_open(const VarveTrace *a, const VarvePart *part_a, const VarveTrace *b,
                           const VarvePart *part_b, VarveDiffBy by, VarveError *error)
{
    CompareInput inputs[SIDE_COUNT] = {
        [SIDE_A] = { .trace = a->loaded.trace }, [SIDE_B] = { .trace = b->loaded.trace }
    };
    const VarvePart *parts[SIDE_COUNT] = { part_a, part_b };
    Err              err = API_ERR;
    Arena            arena = arena_create(0);
    VarveDiff       *diff = ARENA_NEW(&arena, VarveDiff);
    if (diff == NULL) {
        (void)api_no_memory(error);
        return NULL;
    }
    diff->arena = arena;
    if (diff_fill(diff, inputs, parts, by, &err)) return diff;
    (void)api_fail(&err, error);
    varve_diff_close(diff);
    return NULL;
}

void varve_diff_close(VarveDiff *diff)
{
    if (diff == NULL) return;
    Arena arena = diff->arena;
    arena_release(&arena);
}

const VarveDiffRow *varve_diff_rows(const VarveDiff *diff, uint32_t *row_count)
{
    *row_count = diff->row_count;
    return diff->rows;
}
