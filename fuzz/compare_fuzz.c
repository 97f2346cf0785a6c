/* Comparisons of any two traces.
 *
 * Input: a byte of options, two bytes with the range of the first trace in 255ths of its time, two bytes with the size of
 * the first trace, then the first trace and the second one, each in any format. The rows must add up to the slices that
 * each trace alone has. A trace compared with itself must not differ, and two traces in the other order must give the
 * same rows with new and gone exchanged. */
#include "fuzz.h"

#include "analysis/compare.h"
#include "format/load.h"

#include <math.h>
#include <string.h>

enum { MOST_SLICES = 2048, MEMORY_LIMIT = 1 << 28, HEAD_BYTES = 5, BY_PATH = 1 << 0, HAS_RANGE = 1 << 1 };

/* False if memory ran out. */
static bool compare(const CompareInput *a, const CompareInput *b, CompareBy by, Comparison *comparison)
{
    const CompareInput inputs[SIDE_COUNT] = { *a, *b };
    Err                err;
    if (compare_traces(inputs, by, comparison, &err)) return true;
    expect(err.code == ERR_MEMORY, "a comparison failed");
    return false;
}

/* Returns the number of slices that count in a trace of a comparison. */
static uint64_t count_slices(const CompareInput *input)
{
    StatsQuery query = input->query;
    StatsTable table;
    Err        err;
    Arena      arena = arena_create(0);
    query.by = STATS_BY_CATEGORY;
    const uint64_t count =
        stats_tally(input->trace, &query, &arena, &table, &err) ? table.slice_count : UINT64_MAX;
    arena_release(&arena);
    return count;
}

static void check_side(const Comparison *c, const CompareInput *input, CompareSide side)
{
    uint64_t       count = 0;
    const uint64_t expected = count_slices(input);
    for (uint32_t i = 0; i < c->row_count; i++)
        if (c->rows[i].sides[side] != NULL) count += c->rows[i].sides[side]->count;
    expect(count == c->profiles[side]->slice_count, "the rows do not add up to the slices");
    expect(expected == UINT64_MAX || count == expected, "the rows do not hold every slice of a trace");
}

static void check_row(const Comparison *c, const CompareRow *row)
{
    const bool in_a = row->sides[SIDE_A] != NULL, in_b = row->sides[SIDE_B] != NULL;
    expect(in_a || in_b, "a row is in neither trace");
    expect((row->verdict == VERDICT_NEW) == !in_a && (row->verdict == VERDICT_GONE) == !in_b,
           "a row is new or gone");
    expect(row->p >= 0 && row->p <= row->q && row->q <= 1, "a p-value is out of range");
    for (Measure m = 0; m < MEASURES; m++) {
        const double percent = compare_percent(c, row, m);
        expect(isfinite(compare_change(c, row, m)), "a change is not a number");
        expect(isfinite(percent) || isnan(percent), "a change is infinite");
    }
}

static void check_comparison(const Comparison *c, const CompareInput *a, const CompareInput *b)
{
    uint32_t verdicts[VERDICT_COUNT] = { 0 };
    for (uint32_t i = 0; i < c->row_count; i++) {
        check_row(c, &c->rows[i]);
        verdicts[c->rows[i].verdict]++;
    }
    expect(memcmp(verdicts, c->verdicts, sizeof verdicts) == 0, "the verdicts are counted wrongly");
    check_side(c, a, SIDE_A);
    check_side(c, b, SIDE_B);
}

static void check_same(const CompareInput *input, CompareBy by)
{
    Comparison c;
    const bool is_done = compare(input, input, by, &c);
    for (uint32_t i = 0; is_done && i < c.row_count; i++) {
        const Verdict verdict = c.rows[i].verdict;
        expect(verdict == VERDICT_NOISE || verdict == VERDICT_FEW, "a trace differs from itself");
        for (Measure m = 0; m < MEASURES; m++)
            expect(compare_change(&c, &c.rows[i], m) == 0, "a number differs in one trace");
    }
    compare_release(&c);
}

static void check_exchanged(const Comparison *c, const CompareInput *a, const CompareInput *b)
{
    Comparison other;
    if (compare(b, a, c->by, &other)) {
        expect(other.row_count == c->row_count, "the order of the traces changes the rows");
        expect(other.verdicts[VERDICT_NEW] == c->verdicts[VERDICT_GONE] &&
                   other.verdicts[VERDICT_GONE] == c->verdicts[VERDICT_NEW] &&
                   other.verdicts[VERDICT_FEW] == c->verdicts[VERDICT_FEW],
               "the order of the traces changes the verdicts");
    }
    compare_release(&other);
}

static void compare_both(const CompareInput *a, const CompareInput *b, uint8_t options)
{
    const CompareBy by = (options & BY_PATH) != 0 ? COMPARE_BY_PATH : COMPARE_BY_NAME;
    Comparison      c;
    if (!compare_is_possible(&a->trace->clock, &b->trace->clock)) return;
    if (compare(a, b, by, &c)) {
        check_comparison(&c, a, b);
        check_exchanged(&c, a, b);
        for (Measure m = 0; m < MEASURES; m++)
            if (!compare_sort(&c, m)) break;
    }
    compare_release(&c);
    check_same(a, by);
}

/* Returns a query of the range of the input: a part of the trace in 255ths, or everything. */
static StatsQuery query_of(const Trace *trace, const uint8_t *head)
{
    const uint64_t part = ((uint64_t)trace->end_tick - (uint64_t)trace->begin_tick) / 255;
    if ((head[0] & HAS_RANGE) == 0)
        return (StatsQuery){ .part.begin_tick = INT64_MIN, .part.end_tick = INT64_MAX };
    return (StatsQuery){ .part.begin_tick = (int64_t)((uint64_t)trace->begin_tick + part * head[1]),
                         .part.end_tick = (int64_t)((uint64_t)trace->begin_tick + part * head[2]) };
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    LoadOptions options = { .threads = 1 };
    Loaded      a, b;
    Err         err;
    memory_set_limit(MEMORY_LIMIT);
    if (size < HEAD_BYTES) return 0;
    const size_t rest = size - HEAD_BYTES;
    size_t       first = (size_t)data[3] | (size_t)data[4] << 8;
    if (first > rest) first = rest;
    if (!load_bytes(data + HEAD_BYTES, first, "a", &options, &a, &err)) return 0;
    if (load_bytes(data + HEAD_BYTES + first, rest - first, "b", &options, &b, &err)) {
        const CompareInput inputs[SIDE_COUNT] = {
            { a.trace, query_of(a.trace, data) },
            { b.trace, { .part.begin_tick = INT64_MIN, .part.end_tick = INT64_MAX } },
        };
        if (a.trace->slices.count <= MOST_SLICES && b.trace->slices.count <= MOST_SLICES)
            compare_both(&inputs[SIDE_A], &inputs[SIDE_B], data[0]);
        loaded_release(&b);
    }
    loaded_release(&a);
    return 0;
}
