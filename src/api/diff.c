/* Comparisons. */
#include "analysis/compare.h"
#include "api/api.h"

#include <assert.h>

static_assert((int)VARVE_SLOWER == (int)VERDICT_SLOWER && (int)VARVE_GONE == (int)VERDICT_GONE &&
                  (int)VARVE_GONE + 1 == (int)VERDICT_COUNT,
              "VarveVerdict has the values of Verdict");

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
    VarveDiff *diff = API_HANDLE(VarveDiff, error);
    if (diff == NULL) return NULL;
    if (diff_fill(diff, inputs, parts, by, &err)) return diff;
    (void)api_fail(&err, error);
    varve_diff_close(diff);
    return NULL;
}

void varve_diff_close(VarveDiff *diff)
{
    api_handle_release(diff);
}

const VarveDiffRow *varve_diff_rows(const VarveDiff *diff, uint32_t *row_count)
{
    *row_count = diff->row_count;
    return diff->rows;
}
