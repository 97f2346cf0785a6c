#include "analysis/compare.h"

#include "analysis/group_scan.h"
#include "analysis/ranks.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static const double DISCOVERY_RATE = 0.05;

/* ---- pairs of rows ---- */

/* Returns the name of a row as a text. */
static StringView name_of(const Comparison *comparison, CompareSide side, const CallRow *row)
{
    return string_table_view(comparison->profiles[side]->strings, row->name);
}

/* Returns the id of a name of B in A. *found is false where A does not have it. */
static StringId name_in_a(const Comparison *comparison, const CallRow *row, bool *found)
{
    *found = true;
    if (row->name.index == STRING_NONE.index) return STRING_NONE;
    const StringView text = name_of(comparison, SIDE_B, row);
    const StringId   same = string_table_find(comparison->profiles[SIDE_A]->strings, text.bytes, text.size);
    *found = same.index != STRING_NONE.index;
    return same;
}

/* Writes for each row of B the index + 1 of the row of A with its name; 0 if A does not have it. */
static bool pair_names(Comparison *comparison, uint32_t *same)
{
    const CallProfile *a = comparison->profiles[SIDE_A], *b = comparison->profiles[SIDE_B];
    /* by name */
    uint32_t *rows = ARENA_ARRAY(&comparison->arena, uint32_t, (size_t)string_table_count(a->strings) + 1);
    if (rows == NULL) return false;
    for (uint32_t i = 0; i < a->row_count; i++)
        rows[a->rows[i].name.index] = i + 1;
    for (uint32_t i = 0; i < b->row_count; i++) {
        bool           found;
        const StringId name = name_in_a(comparison, &b->rows[i], &found);
        same[i] = found ? rows[name.index] : 0;
    }
    return true;
}

/* The same for paths. Row i of a profile is node i + 1 of its paths. */
static bool pair_paths(Comparison *comparison, uint32_t *same)
{
    const CallProfile *a = comparison->profiles[SIDE_A], *b = comparison->profiles[SIDE_B];
    uint32_t          *nodes = ARENA_ARRAY(&comparison->arena, uint32_t, b->paths.node_count);
    if (nodes == NULL) return false;
    flame_pair_paths(&b->paths, &a->paths, nodes);
    for (uint32_t i = 0; i < b->row_count; i++)
        same[i] = nodes[i + 1] == FLAME_NONE ? 0 : nodes[i + 1];
    return true;
}

/* Makes the rows: those of A, then the rows that only B has. */
static bool join(Comparison *comparison)
{
    const CallProfile *a = comparison->profiles[SIDE_A], *b = comparison->profiles[SIDE_B];
    uint32_t          *same = ARENA_ARRAY(&comparison->arena, uint32_t, (size_t)b->row_count + 1);
    comparison->rows = ARENA_ARRAY(&comparison->arena, CompareRow, (size_t)a->row_count + b->row_count + 1);
    if (same == NULL || comparison->rows == NULL) return false;
    if (!(comparison->by == COMPARE_BY_PATH ? pair_paths : pair_names)(comparison, same)) return false;
    for (uint32_t i = 0; i < a->row_count; i++)
        comparison->rows[i] = (CompareRow){ .sides = { &a->rows[i], NULL } };
    comparison->row_count = a->row_count;
    for (uint32_t i = 0; i < b->row_count; i++) {
        const uint32_t row = same[i] != 0 ? same[i] - 1 : comparison->row_count++;
        assert(comparison->rows[row].sides[SIDE_B] == NULL);
        comparison->rows[row].sides[SIDE_B] = &b->rows[i];
    }
    return true;
}

/* ---- verdicts ---- */

/* True if both traces have enough calls of a row for the test. */
static bool is_tested(const CompareRow *row)
{
    const CallRow *a = row->sides[SIDE_A], *b = row->sides[SIDE_B];
    return a != NULL && b != NULL && a->count >= RANK_LEAST && b->count >= RANK_LEAST;
}

/* Returns k: the test compares batches of 2^k calls, the largest size for which both traces have all of their batches. */
static uint32_t batch_size_of(const CompareRow *row)
{
    const uint32_t a = call_row_sizes(row->sides[SIDE_A]), b = call_row_sizes(row->sides[SIDE_B]);
    return (a < b ? a : b) - 1;
}

static void test_row(const Comparison *comparison, CompareRow *row)
{
    const uint32_t k = batch_size_of(row);
    double         values[SIDE_COUNT][RANK_MOST];
    uint32_t       counts[SIDE_COUNT];
    for (CompareSide side = SIDE_A; side < SIDE_COUNT; side++) {
        const CallRow *calls = row->sides[side];
        counts[side] = call_row_batches(calls);
        for (uint32_t i = 0; i < counts[side]; i++)
            values[side][i] = (double)calls->sums[k * counts[side] + i] *
                              clock_ns_per_tick(&comparison->profiles[side]->clock);
    }
    const RankTest test = rank_test(values[SIDE_A], counts[SIDE_A], values[SIDE_B], counts[SIDE_B]);
    row->p = test.p;
    row->verdict = test.b_is_above > 0.5 ? VERDICT_SLOWER : VERDICT_FASTER;
}

typedef struct Tested {
    double   p;
    uint32_t row;
} Tested;

static int compare_tested(const void *left, const void *right)
{
    const Tested *a = (const Tested *)left, *b = (const Tested *)right;
    if (a->p < b->p || a->p > b->p) return a->p < b->p ? -1 : 1;
    return a->row < b->row ? -1 : 1;
}

/* Adjusts the p-values of the tested rows; those with too high a rate become noise. */
static bool adjust(Comparison *comparison)
{
    Tested  *tested = ARENA_ARRAY(&comparison->arena, Tested, (size_t)comparison->row_count + 1);
    double  *rates = ARENA_ARRAY(&comparison->arena, double, (size_t)comparison->row_count + 1);
    uint32_t count = 0;
    if (tested == NULL || rates == NULL) return false;
    for (uint32_t i = 0; i < comparison->row_count; i++)
        if (is_tested(&comparison->rows[i])) tested[count++] = (Tested){ comparison->rows[i].p, i };
    if (count > 0) qsort(tested, count, sizeof *tested, compare_tested);
    for (uint32_t i = 0; i < count; i++)
        rates[i] = tested[i].p;
    rank_adjust(rates, count);
    for (uint32_t i = 0; i < count; i++) {
        CompareRow *row = &comparison->rows[tested[i].row];
        row->q = rates[i];
        if (row->q >= DISCOVERY_RATE) row->verdict = VERDICT_NOISE;
    }
    return true;
}

static bool judge(Comparison *comparison)
{
    for (uint32_t i = 0; i < comparison->row_count; i++) {
        CompareRow *row = &comparison->rows[i];
        row->p = row->q = 1;
        row->verdict = row->sides[SIDE_A] == NULL   ? VERDICT_NEW
                       : row->sides[SIDE_B] == NULL ? VERDICT_GONE
                                                    : VERDICT_FEW;
        if (is_tested(row)) test_row(comparison, row);
    }
    if (!adjust(comparison)) return false;
    for (uint32_t i = 0; i < comparison->row_count; i++)
        comparison->verdicts[comparison->rows[i].verdict]++;
    return true;
}

/* ---- the whole ---- */

bool compare_is_possible(const Clock *a, const Clock *b)
{
    const bool has_time = clock_has_time(a);
    return has_time == clock_has_time(b) && (has_time || a->kind == b->kind);
}

/* Compares the profiles of a comparison that has nothing else yet. */
static bool compare(Comparison *comparison, Err *err)
{
    const CallProfile *const *profiles = comparison->profiles;
    assert(profiles[SIDE_A]->by == profiles[SIDE_B]->by);
    assert(compare_is_possible(&profiles[SIDE_A]->clock, &profiles[SIDE_B]->clock));
    comparison->by = profiles[SIDE_A]->by;
    comparison->arena = arena_create(0);
    return (join(comparison) && judge(comparison) && compare_sort(comparison, MEASURE_SELF)) ||
           err_set(err, ERR_MEMORY, "out of memory for the comparison");
}

bool compare_profiles(const CallProfile *a, const CallProfile *b, Comparison *comparison, Err *err)
{
    *comparison = (Comparison){ .profiles = { a, b } };
    return compare(comparison, err);
}

bool compare_traces(const CompareInput inputs[SIDE_COUNT], CompareBy by, Comparison *comparison, Err *err)
{
    *comparison = (Comparison){ .rows = NULL };
    for (CompareSide side = SIDE_A; side < SIDE_COUNT; side++) {
        comparison->profiles[side] = &comparison->made[side];
        if (!call_profile_make(inputs[side].trace, &inputs[side].query, by, &comparison->made[side], err))
            return false;
    }
    return compare(comparison, err);
}

void compare_release(Comparison *comparison)
{
    for (CompareSide side = SIDE_A; side < SIDE_COUNT; side++)
        call_profile_release(&comparison->made[side]);
    arena_release(&comparison->arena);
    *comparison = (Comparison){ .rows = NULL };
}

bool compare_first_slice(const Trace *trace, const StatsQuery *query, StringView name, int64_t *begin_tick)
{
    const uint64_t columns = SCAN_COLUMN(SCAN_SLICE_BEGIN);
    const StringId id = string_table_find(trace->strings, name.bytes, name.size);
    StatsQuery     by_name = *query;
    Arena          arena = arena_create(0);
    GroupScan      groups;
    Err            err;
    bool           is_found = false;
    by_name.by = STATS_BY_NAME;
    const bool begun = group_scan_begin(&groups, trace, &by_name, columns, &arena, &err);
    for (const ScanBatch *batch; begun && (batch = group_scan_next(&groups)) != NULL;) {
        const int64_t *begins = batch->columns[SCAN_SLICE_BEGIN].i64;
        for (uint32_t i = 0; i < batch->count; i++) {
            if (id.index == 0 || groups.keys[i] != id.index || (is_found && begins[i] >= *begin_tick))
                continue;
            *begin_tick = begins[i];
            is_found = true;
        }
    }
    const bool done = group_scan_end(&groups, &err);
    arena_release(&arena);
    return done && is_found;
}

/* ---- numbers and names ---- */

static double ticks_of(const CallRow *row, Measure measure)
{
    switch (measure) {
    case MEASURE_SELF:
        return (double)row->self;
    case MEASURE_TOTAL:
        return (double)row->total;
    case MEASURE_COUNT:
        return (double)row->count;
    case MEASURE_AVERAGE:
        return (double)row->total / (double)row->count;
    case MEASURE_SELF_AVERAGE:
        return (double)row->self / (double)row->count;
    case MEASURE_P50:
        return (double)row->p50;
    case MEASURE_P99:
        return (double)row->p99;
    case MEASURES:
        break;
    }
    return 0;
}

double compare_value(const Comparison *comparison, const CompareRow *row, CompareSide side, Measure measure)
{
    if (row->sides[side] == NULL) return 0;
    const double value = ticks_of(row->sides[side], measure);
    return measure == MEASURE_COUNT ? value : value * clock_ns_per_tick(&comparison->profiles[side]->clock);
}

double compare_change(const Comparison *comparison, const CompareRow *row, Measure measure)
{
    return compare_value(comparison, row, SIDE_B, measure) - compare_value(comparison, row, SIDE_A, measure);
}

double compare_percent(const Comparison *comparison, const CompareRow *row, Measure measure)
{
    const double before = compare_value(comparison, row, SIDE_A, measure);
    if (row->sides[SIDE_B] == NULL) return (double)NAN;
    return before > 0 ? 100 * compare_change(comparison, row, measure) / before : (double)NAN;
}

/* Appends the names of a path, outermost first. */
static void put_path(const Flame *paths, uint32_t node, Bytes *out)
{
    uint32_t frames[COMPARE_MOST_FRAMES], count = 0;
    for (; node != 0 && count < COMPARE_MOST_FRAMES; node = paths->nodes[node].parent)
        frames[count++] = node;
    while (count > 0) {
        const StringView name = string_table_view(paths->strings, paths->nodes[frames[--count]].name);
        bytes_append(out, name.bytes, name.size);
        if (name.size == 0) bytes_append_text(out, "(none)");
        if (count > 0) bytes_append_text(out, ";");
    }
}

static CompareSide side_of(const CompareRow *row)
{
    return row->sides[SIDE_A] != NULL ? SIDE_A : SIDE_B;
}

StringView compare_name(const Comparison *comparison, const CompareRow *row)
{
    return name_of(comparison, side_of(row), row->sides[side_of(row)]);
}

void compare_put_name(const Comparison *comparison, const CompareRow *row, Bytes *out)
{
    if (comparison->by == COMPARE_BY_PATH) {
        const CompareSide side = side_of(row);
        put_path(&comparison->profiles[side]->paths, row->sides[side]->path, out);
        return;
    }
    const StringView name = compare_name(comparison, row);
    bytes_append(out, name.bytes, name.size);
}

const char *compare_verdict_name(Verdict verdict)
{
    static const char *const NAMES[] = { "slower", "faster", "noise", "few", "new", "gone" };
    return NAMES[verdict];
}

const char *compare_measure_name(Measure measure)
{
    static const char *const NAMES[] = { "self", "total", "count", "average", "self_average", "p50", "p99" };
    return NAMES[measure];
}

/* ---- the order ---- */

typedef struct SortedRow {
    CompareRow row;
    double     effect;
    StringView name; /* by path that of the innermost frame */
    uint32_t   path; /* 0 by name */
} SortedRow;

static int compare_rows(const void *left, const void *right)
{
    const SortedRow *a = (const SortedRow *)left, *b = (const SortedRow *)right;
    if (a->effect > b->effect || a->effect < b->effect) return a->effect > b->effect ? -1 : 1;
    const int order = string_compare(a->name, b->name);
    if (order != 0) return order;
    const bool in_a = a->row.sides[SIDE_A] != NULL, other_in_a = b->row.sides[SIDE_A] != NULL;
    if (in_a != other_in_a) return in_a ? -1 : 1;
    if (a->path != b->path) return a->path < b->path ? -1 : 1;
    /* The empty name is one of its own, and comes after slices without a name. */
    return a->row.sides[in_a ? SIDE_A : SIDE_B]->name.index < b->row.sides[in_a ? SIDE_A : SIDE_B]->name.index
               ? -1
               : 1;
}

bool compare_sort(Comparison *comparison, Measure by)
{
    const uint32_t count = comparison->row_count;
    SortedRow     *sorted = ARENA_ARRAY(&comparison->arena, SortedRow, (size_t)count + 1);
    if (sorted == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        const CompareRow *row = &comparison->rows[i];
        const CompareSide side = row->sides[SIDE_A] != NULL ? SIDE_A : SIDE_B;
        sorted[i] = (SortedRow){ .row = *row,
                                 .effect = fabs(compare_change(comparison, row, by)),
                                 .name = name_of(comparison, side, row->sides[side]),
                                 .path = row->sides[side]->path };
    }
    if (count > 0) qsort(sorted, count, sizeof *sorted, compare_rows);
    for (uint32_t i = 0; i < count; i++)
        comparison->rows[i] = sorted[i].row;
    return true;
}
