/* Comparisons. */
#include "analysis/argument_keys.h"
#include "api/api.h"
#include "base/checked.h"
#include "export/compare_json.h"
#include "export/event_reader.h"
#include "trace/store/time_spec.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static_assert((int)VARVE_SLOWER == (int)VERDICT_SLOWER && (int)VARVE_GONE == (int)VERDICT_GONE &&
                  sizeof((VarveDiffTotals){ 0 }.row_counts) / sizeof(uint32_t) == (size_t)VERDICT_COUNT,
              "VarveVerdict has the values of Verdict");
static_assert((int)VARVE_MEASURE_SELF == (int)MEASURE_SELF && (int)VARVE_MEASURE_P99 + 1 == (int)MEASURES,
              "VarveMeasure has the values of Measure");
static_assert((int)VARVE_DIFF_BY_ARGUMENT == (int)COMPARE_BY_ARGUMENT,
              "VarveDiffBy has the values of CompareBy");

struct VarveDiff {
    Arena             arena; /* holds this too */
    const VarveTrace *traces[SIDE_COUNT];
    Comparison        comparison;
    const char       *argument;            /* in arena; NULL = the rows are not by argument */
    EventReader       readers[SIDE_COUNT]; /* for `keys` */
    ArgumentKeys      keys[SIDE_COUNT];
    VarveDiffRow     *rows; /* made by the first varve_diff_rows */
};

/* -- the comparison -- */

/* Sets the range of a query, whose times count from the first slice of the name. */
static bool align(const Loaded *loaded, const char *name, const char *range, StatsQuery *query, Err *err)
{
    const Trace *trace = loaded->trace;
    int64_t      first, begin, end;
    if (!compare_first_slice(trace, query, c_string_view(name), &first))
        return err_set(err, ERR_UNKNOWN, "no slice of %.100s has this name", loaded->name);
    if (range == NULL) return true;
    const TimeAxis axis = { &trace->clock, first, (uint64_t)trace->end_tick - (uint64_t)first };
    if (!time_range_find(range, &axis, &begin, &end, err)) {
        const Err fault = *err;
        return err_set(err, fault.code, "%.100s: %s", loaded->name, fault.message);
    }
    query->part.begin_tick = first + begin;
    query->part.end_tick = i64_add_saturated(first, end);
    return true;
}

/* Finds the slices of a part. */
static bool choose(VarveDiff *diff, const Loaded *loaded, const VarvePart *part, const char *name,
                   StatsQuery *query, Err *err)
{
    VarvePart whole = part == NULL ? (VarvePart){ .range = NULL } : *part;
    if (name != NULL) whole.range = NULL;
    return api_part(loaded->trace, &whole, &diff->arena, &query->part, err) &&
           (name == NULL || align(loaded, name, part == NULL ? NULL : part->range, query, err));
}

/* Opens the keys of the argument in one trace. */
static bool open_keys(VarveDiff *diff, CompareSide side, StatsQuery *query, Err *err)
{
    const Loaded *loaded = &diff->traces[side]->loaded;
    query->argument = &diff->keys[side];
    return (event_reader_open(&diff->readers[side], loaded, NULL) &&
            argument_keys_open(&diff->keys[side], loaded->trace, c_string_view(diff->argument),
                               &diff->readers[side].source, &diff->arena)) ||
           err_set(err, ERR_MEMORY, "out of memory for the comparison");
}

static bool diff_fill(VarveDiff *diff, const VarvePart *const *parts, const VarveDiffOptions *options,
                      Err *err)
{
    CompareInput inputs[SIDE_COUNT] = { 0 };
    if ((unsigned)options->by > VARVE_DIFF_BY_ARGUMENT || (unsigned)options->sort > VARVE_MEASURE_P99)
        return err_set(err, ERR_USAGE, "the options of the comparison have an unknown value");
    if (options->by == VARVE_DIFF_BY_ARGUMENT) {
        if (options->argument == NULL)
            return err_set(err, ERR_USAGE, "VARVE_DIFF_BY_ARGUMENT needs the key of an argument");
        diff->argument = arena_push_copy(&diff->arena, options->argument, strlen(options->argument));
        if (diff->argument == NULL) return err_set(err, ERR_MEMORY, "out of memory for the comparison");
    }
    for (CompareSide side = SIDE_A; side < SIDE_COUNT; side++)
        inputs[side].trace = diff->traces[side]->loaded.trace;
    if (!compare_is_possible(&inputs[SIDE_A].trace->clock, &inputs[SIDE_B].trace->clock))
        return err_set(err, ERR_USAGE, "one trace has times and the other does not: they cannot be compared");
    for (CompareSide side = SIDE_A; side < SIDE_COUNT; side++)
        if (!choose(diff, &diff->traces[side]->loaded, parts[side], options->align, &inputs[side].query,
                    err) ||
            (diff->argument != NULL && !open_keys(diff, side, &inputs[side].query, err)))
            return false;
    return compare_traces(inputs, (CompareBy)options->by, &diff->comparison, err) &&
           (options->sort == VARVE_MEASURE_SELF || /* the order of compare_traces */
            compare_sort(&diff->comparison, (Measure)options->sort) ||
            err_set(err, ERR_MEMORY, "out of memory for the comparison"));
}

VarveDiff *varve_diff_open(const VarveTrace *a, const VarvePart *part_a, const VarveTrace *b,
                           const VarvePart *part_b, const VarveDiffOptions *options, VarveError *error)
{
    static const VarveDiffOptions BY_NAME = { .by = VARVE_DIFF_BY_NAME };
    const VarvePart              *parts[SIDE_COUNT] = { part_a, part_b };
    Err                           err = API_ERR;
    VarveDiff                    *diff = API_HANDLE(VarveDiff, error);
    if (diff == NULL) return NULL;
    diff->traces[SIDE_A] = a;
    diff->traces[SIDE_B] = b;
    if (diff_fill(diff, parts, options == NULL ? &BY_NAME : options, &err)) return diff;
    (void)api_fail(&err, error);
    varve_diff_close(diff);
    return NULL;
}

void varve_diff_close(VarveDiff *diff)
{
    if (diff != NULL) compare_release(&diff->comparison);
    for (CompareSide side = SIDE_A; diff != NULL && side < SIDE_COUNT; side++) {
        argument_keys_release(&diff->keys[side]);
        event_reader_release(&diff->readers[side]);
    }
    api_handle_release(diff);
}

/* -- its rows -- */

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

const VarveDiffRow *varve_diff_rows(VarveDiff *diff, uint32_t *row_count)
{
    const Comparison *comparison = &diff->comparison;
    *row_count = 0;
    if (diff->rows == NULL) {
        VarveDiffRow *rows = ARENA_ARRAY(&diff->arena, VarveDiffRow, (size_t)comparison->row_count + 1);
        if (rows == NULL) return NULL;
        for (uint32_t i = 0; i < comparison->row_count; i++) {
            const CompareRow *row = &comparison->rows[i];
            rows[i] = (VarveDiffRow){ .name = api_text(compare_name(comparison, row)),
                                      .verdict = (VarveVerdict)row->verdict,
                                      .a = diff_side(comparison, row, SIDE_A),
                                      .b = diff_side(comparison, row, SIDE_B),
                                      .self_change_ns = compare_change(comparison, row, MEASURE_SELF),
                                      .p = row->p,
                                      .p_adjusted = row->q };
        }
        diff->rows = rows;
    }
    *row_count = comparison->row_count;
    return diff->rows;
}

bool varve_diff_path(const VarveDiff *diff, uint32_t row, VarveBytes *out, VarveError *error)
{
    Err   err = API_ERR;
    Bytes made = { 0 };
    if (row >= diff->comparison.row_count)
        return err_set(&err, ERR_USAGE, "there is no row %u of the comparison", row) || api_fail(&err, error);
    compare_put_name(&diff->comparison, &diff->comparison.rows[row], &made);
    return api_give_text(&made, out, error);
}

void varve_diff_totals(const VarveDiff *diff, VarveDiffTotals *totals)
{
    const CallProfile *a = diff->comparison.profiles[SIDE_A], *b = diff->comparison.profiles[SIDE_B];
    *totals = (VarveDiffTotals){ a->slice_count, b->slice_count, a->perspective, b->perspective, { 0 } };
    memcpy(totals->row_counts, diff->comparison.verdicts, sizeof totals->row_counts);
}

bool varve_diff_json(const VarveDiff *diff, uint64_t row_most, double limit_percent, VarveBytes *out,
                     VarveError *error)
{
    const CompareOut rows = { .comparison = &diff->comparison,
                              .argument = diff->argument,
                              .files = { diff->traces[SIDE_A]->loaded.name,
                                         diff->traces[SIDE_B]->loaded.name },
                              .top = row_most,
                              .fail_above = limit_percent };
    Bytes            made = { 0 };
    compare_put_json(&rows, &made);
    return api_give_text(&made, out, error);
}

/* -- values -- */

const char *varve_verdict_name(VarveVerdict verdict)
{
    return compare_verdict_name((Verdict)verdict);
}

const char *varve_measure_name(VarveMeasure measure)
{
    return compare_measure_name((Measure)measure);
}

double varve_diff_value(const VarveDiffSide *side, VarveMeasure measure)
{
    const double values[MEASURES] = { [MEASURE_SELF] = side->self_ns,
                                      [MEASURE_TOTAL] = side->total_ns,
                                      [MEASURE_COUNT] = (double)side->count,
                                      [MEASURE_AVERAGE] = side->average_ns,
                                      [MEASURE_SELF_AVERAGE] = side->self_average_ns,
                                      [MEASURE_P50] = side->p50_ns,
                                      [MEASURE_P99] = side->p99_ns };
    return values[measure];
}

double varve_diff_percent(const VarveDiffRow *row, VarveMeasure measure)
{
    const double before = varve_diff_value(&row->a, measure), after = varve_diff_value(&row->b, measure);
    return row->b.count > 0 && before > 0 ? 100 * (after - before) / before : (double)NAN;
}
