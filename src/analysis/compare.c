#include "analysis/compare.h"

#include "analysis/group_scan.h"
#include "analysis/ranks.h"
#include "base/checked.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static const double DISCOVERY_RATE = 0.05;

static bool no_memory(Err *err)
{
    return err_set(err, ERR_MEMORY, "out of memory for the comparison");
}

/* ---- pairs of rows ---- */

/* Rows by the key of group_scan.h. */
typedef struct RowMap {
    uint32_t *rows; /* in arena: index into the rows + 1; 0 = none */
    uint32_t  key_count;
} RowMap;

typedef struct Compare {
    Comparison *comparison;
    StatsQuery  queries[SIDE_COUNT];
    StatsTable  tables[SIDE_COUNT];
    RowMap      maps[SIDE_COUNT];
    Progress   *progress;
} Compare;

static uint32_t key_of(CompareBy by, const StatsRow *row)
{
    return by == COMPARE_BY_PATH ? row->path : row->name.index;
}

static bool tally_side(Compare *compare, CompareSide side, Err *err)
{
    Comparison  *comparison = compare->comparison;
    const Trace *trace = comparison->traces[side];
    StatsQuery  *query = &compare->queries[side];
    StatsTable  *table = &compare->tables[side];
    query->by = comparison->by == COMPARE_BY_PATH ? STATS_BY_PATH : STATS_BY_NAME;
    query->with_percentiles = true;
    query->paths = &comparison->paths[side];
    if (query->by == STATS_BY_PATH && !flame_create(trace->strings, query->paths, err)) return false;
    if (!stats_tally(trace, query, &comparison->arena, table, compare->progress, err)) return false;
    comparison->slice_count[side] = table->slice_count;
    comparison->perspective[side] = table->perspective;
    RowMap *map = &compare->maps[side];
    map->key_count =
        query->by == STATS_BY_PATH ? query->paths->node_count : string_table_count(trace->strings) + 1;
    map->rows = ARENA_ARRAY(&comparison->arena, uint32_t, map->key_count);
    return map->rows != NULL || no_memory(err);
}

/* Returns the id of a name of B in A. *found is false where A does not have it. */
static StringId name_in_a(const Comparison *comparison, StringId name, bool *found)
{
    *found = true;
    if (name.index == STRING_NONE.index) return STRING_NONE;
    const StringView text = trace_string(comparison->traces[SIDE_B], name);
    const StringId   same = string_table_find(comparison->traces[SIDE_A]->strings, text.bytes, text.size);
    *found = same.index != STRING_NONE.index;
    return same;
}

/* Returns the index + 1 of the row of A that belongs to a row of B; 0 if A does not have it. */
static uint32_t row_in_a(const Compare *compare, const StatsRow *row, const uint32_t *same_paths)
{
    bool     found = true;
    uint32_t key = same_paths == NULL ? name_in_a(compare->comparison, row->name, &found).index
                                      : same_paths[row->path];
    return found && key != FLAME_NONE ? compare->maps[SIDE_A].rows[key] : 0;
}

/* Makes the rows: those of A, then the rows that only B has. */
static bool join(Compare *compare, Err *err)
{
    Comparison       *comparison = compare->comparison;
    const StatsTable *a = &compare->tables[SIDE_A], *b = &compare->tables[SIDE_B];
    uint32_t         *same = NULL;
    comparison->rows = ARENA_ARRAY(&comparison->arena, CompareRow, (size_t)a->row_count + b->row_count);
    if (comparison->rows == NULL) return no_memory(err);
    if (comparison->by == COMPARE_BY_PATH) {
        same = ARENA_ARRAY(&comparison->arena, uint32_t, comparison->paths[SIDE_B].node_count);
        if (same == NULL) return no_memory(err);
        flame_pair_paths(&comparison->paths[SIDE_B], &comparison->paths[SIDE_A], same);
    }
    for (uint32_t i = 0; i < a->row_count; i++) {
        comparison->rows[i] = (CompareRow){ .sides = { &a->rows[i], NULL } };
        compare->maps[SIDE_A].rows[key_of(comparison->by, &a->rows[i])] = i + 1;
    }
    comparison->row_count = a->row_count;
    for (uint32_t i = 0; i < b->row_count; i++) {
        uint32_t row = row_in_a(compare, &b->rows[i], same);
        if (row == 0) row = ++comparison->row_count;
        assert(comparison->rows[row - 1].sides[SIDE_B] == NULL);
        comparison->rows[row - 1].sides[SIDE_B] = &b->rows[i];
        compare->maps[SIDE_B].rows[key_of(comparison->by, &b->rows[i])] = row;
    }
    return true;
}

/* ---- batches of calls ---- */

/* Sums of self times of batches of consecutive calls of one row in one trace. */
typedef struct Batches {
    uint64_t *sums;     /* in arena, of `count` batches; NULL: the row is not tested */
    uint64_t  calls;    /* of the row */
    uint64_t  size;     /* calls of a batch */
    uint64_t  seen;     /* calls so far */
    uint32_t  count;    /* at most RANK_MOST */
    uint32_t  batch;    /* the current one */
} Batches;

static bool batches_plan(Compare *compare, CompareSide side, Batches *batches)
{
    const Comparison *comparison = compare->comparison;
    for (uint32_t i = 0; i < comparison->row_count; i++) {
        const CompareRow *row = &comparison->rows[i];
        const StatsRow   *a = row->sides[SIDE_A], *b = row->sides[SIDE_B];
        if (a == NULL || b == NULL || a->count < RANK_LEAST || b->count < RANK_LEAST) continue;
        const uint64_t calls = row->sides[side]->count, fewer = a->count < b->count ? a->count : b->count;
        const uint64_t size = fewer < RANK_MOST ? 1 : fewer / RANK_MOST;
        const uint32_t count = calls / size < RANK_MOST ? (uint32_t)(calls / size) : RANK_MOST;
        batches[i] = (Batches){ .calls = calls, .size = size, .count = count };
        batches[i].sums = ARENA_ARRAY(&compare->comparison->arena, uint64_t, count);
        if (batches[i].sums == NULL) return false;
    }
    return true;
}

/* Adds the next call. Batch i begins at call i * calls / count. */
static void batches_add(Batches *batches, uint64_t self)
{
    const uint64_t call = batches->seen++;
    if (batches->batch == batches->count) return;
    const uint64_t begin = batches->batch * batches->calls / batches->count;
    if (call < begin) return;
    u64_accumulate(&batches->sums[batches->batch], self);
    if (call + 1 == begin + batches->size) batches->batch++;
}

static bool batches_fill(Compare *compare, CompareSide side, Batches *batches, Err *err)
{
    const Comparison *comparison = compare->comparison;
    const RowMap     *map = &compare->maps[side];
    Arena             arena = arena_create(0);
    GroupScan         groups;
    const bool begun = group_scan_begin(&groups, comparison->traces[side], &compare->queries[side],
                                        SCAN_COLUMN(SCAN_SLICE_SELF), &arena, compare->progress, err);
    for (const ScanBatch *batch; begun && (batch = group_scan_next(&groups)) != NULL;) {
        const uint64_t *self = batch->columns[SCAN_SLICE_SELF].u64;
        for (uint32_t i = 0; i < batch->count; i++) {
            if (groups.keys[i] == GROUP_HIDDEN) continue;
            assert(groups.keys[i] < map->key_count && map->rows[groups.keys[i]] != 0);
            Batches *of_row = &batches[map->rows[groups.keys[i]] - 1];
            if (of_row->sums != NULL) batches_add(of_row, self[i]);
        }
    }
    const bool done = group_scan_end(&groups, compare->progress, err);
    arena_release(&arena);
    return done;
}

/* ---- verdicts ---- */

static void test_row(const Comparison *comparison, Batches *const batches[SIDE_COUNT], uint32_t i)
{
    double      values[SIDE_COUNT][RANK_MOST];
    CompareRow *row = &comparison->rows[i];
    for (unsigned side = 0; side < SIDE_COUNT; side++) {
        const Batches *of_row = &batches[side][i];
        assert(of_row->batch == of_row->count);
        for (uint32_t k = 0; k < of_row->count; k++)
            values[side][k] = (double)of_row->sums[k] * clock_ns_per_tick(&comparison->traces[side]->clock);
    }
    const RankTest test = rank_test(values[SIDE_A], batches[SIDE_A][i].count, values[SIDE_B], batches[SIDE_B][i].count);
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
static bool adjust(Comparison *comparison, const Batches *batches)
{
    Tested  *tested = ARENA_ARRAY(&comparison->arena, Tested, comparison->row_count);
    double  *rates = ARENA_ARRAY(&comparison->arena, double, comparison->row_count);
    uint32_t count = 0;
    if (tested == NULL || rates == NULL) return false;
    for (uint32_t i = 0; i < comparison->row_count; i++)
        if (batches[i].sums != NULL) tested[count++] = (Tested){ comparison->rows[i].p, i };
    qsort(tested, count, sizeof *tested, compare_tested);
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

static bool judge(Compare *compare, Err *err)
{
    Comparison *comparison = compare->comparison;
    Batches    *batches[SIDE_COUNT];
    for (CompareSide side = SIDE_A; side < SIDE_COUNT; side++) {
        batches[side] = ARENA_ARRAY(&comparison->arena, Batches, comparison->row_count);
        if (batches[side] == NULL || !batches_plan(compare, side, batches[side])) return no_memory(err);
        if (!batches_fill(compare, side, batches[side], err)) return false;
    }
    for (uint32_t i = 0; i < comparison->row_count; i++) {
        CompareRow *row = &comparison->rows[i];
        row->p = row->q = 1;
        row->verdict = row->sides[SIDE_A] == NULL ? VERDICT_NEW : row->sides[SIDE_B] == NULL ? VERDICT_GONE : VERDICT_FEW;
        if (batches[SIDE_A][i].sums != NULL) test_row(comparison, batches, i);
    }
    if (!adjust(comparison, batches[SIDE_A])) return no_memory(err);
    for (uint32_t i = 0; i < comparison->row_count; i++)
        comparison->verdicts[comparison->rows[i].verdict]++;
    return true;
}

/* ---- the whole ---- */

bool compare_is_possible(const Trace *a, const Trace *b)
{
    const bool has_time = clock_has_time(&a->clock);
    return has_time == clock_has_time(&b->clock) && (has_time || a->clock.kind == b->clock.kind);
}

bool compare_traces(const CompareInput inputs[SIDE_COUNT], CompareBy by, Comparison *comparison, Progress *progress,
                    Err *err)
{
    Compare compare = { .comparison = comparison, .progress = progress };
    *comparison = (Comparison){ .by = by, .arena = arena_create(0) };
    assert(compare_is_possible(inputs[SIDE_A].trace, inputs[SIDE_B].trace));
    for (CompareSide side = SIDE_A; side < SIDE_COUNT; side++) {
        comparison->traces[side] = inputs[side].trace;
        compare.queries[side] = inputs[side].query;
        if (!tally_side(&compare, side, err)) return false;
    }
    if (!join(&compare, err) || !judge(&compare, err)) return false;
    return compare_sort(comparison, MEASURE_SELF) || no_memory(err);
}

void compare_release(Comparison *comparison)
{
    for (unsigned side = 0; side < SIDE_COUNT; side++)
        flame_release(&comparison->paths[side]);
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
    const bool begun = group_scan_begin(&groups, trace, &by_name, columns, &arena, NULL, &err);
    for (const ScanBatch *batch; begun && (batch = group_scan_next(&groups)) != NULL;) {
        const int64_t *begins = batch->columns[SCAN_SLICE_BEGIN].i64;
        for (uint32_t i = 0; i < batch->count; i++) {
            if (id.index == 0 || groups.keys[i] != id.index || (is_found && begins[i] >= *begin_tick)) continue;
            *begin_tick = begins[i];
            is_found = true;
        }
    }
    const bool done = group_scan_end(&groups, NULL, &err);
    arena_release(&arena);
    return done && is_found;
}

/* ---- numbers and names ---- */

static double ticks_of(const StatsRow *row, Measure measure)
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
    return measure == MEASURE_COUNT ? value : value * clock_ns_per_tick(&comparison->traces[side]->clock);
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

void compare_put_name(const Comparison *comparison, const CompareRow *row, Bytes *out)
{
    const CompareSide side = row->sides[SIDE_A] != NULL ? SIDE_A : SIDE_B;
    if (comparison->by == COMPARE_BY_PATH) {
        put_path(&comparison->paths[side], row->sides[side]->path, out);
        return;
    }
    const StringView name = trace_string(comparison->traces[side], row->sides[side]->name);
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
    const size_t shorter = a->name.size < b->name.size ? a->name.size : b->name.size;
    const int    order = shorter == 0 ? 0 : memcmp(a->name.bytes, b->name.bytes, shorter);
    if (order != 0) return order;
    if (a->name.size != b->name.size) return a->name.size < b->name.size ? -1 : 1;
    const bool in_a = a->row.sides[SIDE_A] != NULL, other_in_a = b->row.sides[SIDE_A] != NULL;
    if (in_a != other_in_a) return in_a ? -1 : 1;
    if (a->path != b->path) return a->path < b->path ? -1 : 1;
    /* The empty name is one of its own, and comes after slices without a name. */
    return a->row.sides[in_a ? SIDE_A : SIDE_B]->name.index < b->row.sides[in_a ? SIDE_A : SIDE_B]->name.index ? -1 : 1;
}

bool compare_sort(Comparison *comparison, Measure by)
{
    const uint32_t count = comparison->row_count;
    SortedRow     *sorted = ARENA_ARRAY(&comparison->arena, SortedRow, count);
    if (sorted == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        const CompareRow *row = &comparison->rows[i];
        const CompareSide side = row->sides[SIDE_A] != NULL ? SIDE_A : SIDE_B;
        sorted[i] = (SortedRow){ .row = *row,
                                 .effect = fabs(compare_change(comparison, row, by)),
                                 .name = trace_string(comparison->traces[side], row->sides[side]->name),
                                 .path = row->sides[side]->path };
    }
    if (count > 0) qsort(sorted, count, sizeof *sorted, compare_rows);
    for (uint32_t i = 0; i < count; i++)
        comparison->rows[i] = sorted[i].row;
    return true;
}
