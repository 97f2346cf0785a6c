#include "analysis/argument_keys.h"
#include "analysis/percentiles.h"
#include "analysis/stats.h"

#include "analysis/random_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sets the ticks of a slice in the range; false if no tick of it is inside. Independent of the tested code: does not
 * clip first. */
static bool inside(const Trace *trace, uint64_t slice, const StatsQuery *q, uint64_t *ticks)
{
    int64_t begin = trace_slice_begin(trace, slice), end = trace_slice_end(trace, slice);
    *ticks = 0;
    if (begin == end) return q->part.begin_tick <= begin && begin < q->part.end_tick;
    for (int64_t tick = begin; tick < end; tick++) {
        if (q->part.begin_tick <= tick && tick < q->part.end_tick) ++*ticks;
    }
    return *ticks > 0;
}

static bool track_asked(const StatsQuery *q, uint32_t track)
{
    if (q->part.tracks == NULL) return true;
    for (uint32_t i = 0; i < q->part.track_count; i++) {
        if (q->part.tracks[i] == track) return true;
    }
    return false;
}

/* Self time, slice by slice and child by child. */
static uint64_t self_inside(const Trace *trace, uint64_t slice, uint64_t own, const StatsQuery *q)
{
    uint64_t first = 0;
    uint64_t count = trace_slice_children(trace, trace_slice_row(trace, slice), slice, &first);
    for (uint64_t child = first; child < first + count; child++) {
        uint64_t ticks;
        if (inside(trace, child, q, &ticks)) own -= ticks;
    }
    return own;
}

static int compare_u64(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* True if a slice belongs to the row by its key. */
static bool is_of_row(const Trace *trace, uint64_t slice, const StatsRow *row, const StatsQuery *q)
{
    const Label *label = &trace->labels[trace_slice_label(trace, slice)];
    if (q->by == STATS_BY_TRACK) return trace->rows[trace_slice_row(trace, slice)].track == row->track;
    return (q->by == STATS_BY_NAME ? label->name : label->category).index == row->name.index;
}

/* The shortest length that `percent` of a hundred do not exceed, by counting. */
static uint64_t percentile_of(uint64_t *lengths, size_t count, unsigned percent)
{
    qsort(lengths, count, sizeof *lengths, compare_u64);
    size_t i = 0;
    while ((i + 1) * 100 < count * percent)
        i++;
    return lengths[i];
}

static StatsRow row_by_scan(const Trace *trace, const StatsRow *key, const StatsQuery *q)
{
    StatsRow row = { .name = key->name, .track = key->track, .min = UINT64_MAX };
    Bytes    lengths = { NULL, 0, 0, false };
    for (uint64_t slice = 0; slice < trace->slices.count; slice++) {
        uint64_t ticks;
        if (!is_of_row(trace, slice, key, q)) continue;
        if (!track_asked(q, trace->rows[trace_slice_row(trace, slice)].track)) continue;
        if (!inside(trace, slice, q, &ticks)) continue;
        row.count++;
        row.total += ticks;
        row.self += self_inside(trace, slice, ticks, q);
        if (ticks < row.min) row.min = ticks;
        if (ticks > row.max) row.max = ticks;
        bytes_append(&lengths, &ticks, sizeof ticks);
    }
    CHECK(row.count > 0);
    row.p50 = percentile_of((uint64_t *)(void *)lengths.data, (size_t)row.count, 50);
    row.p90 = percentile_of((uint64_t *)(void *)lengths.data, (size_t)row.count, 90);
    row.p95 = percentile_of((uint64_t *)(void *)lengths.data, (size_t)row.count, 95);
    row.p99 = percentile_of((uint64_t *)(void *)lengths.data, (size_t)row.count, 99);
    bytes_release(&lengths);
    return row;
}

static void check_row(const Trace *trace, const StatsRow *row, const StatsQuery *q)
{
    StatsRow expected = row_by_scan(trace, row, q);
    uint64_t ticks;
    CHECK_UINT(row->count, expected.count);
    CHECK_UINT(row->total, expected.total);
    CHECK_UINT(row->self, expected.self);
    CHECK_UINT(row->min, expected.min);
    CHECK_UINT(row->max, expected.max);
    CHECK_UINT(row->p50, expected.p50);
    CHECK_UINT(row->p90, expected.p90);
    CHECK_UINT(row->p95, expected.p95);
    CHECK_UINT(row->p99, expected.p99);
    CHECK(inside(trace, row->longest, q, &ticks));
    CHECK_UINT(ticks, row->max);
    CHECK(is_of_row(trace, row->longest, row, q));
    if (q->by == STATS_BY_NAME) CHECK_UINT(trace->labels[row->label].name.index, row->name.index);
}

/* Every row is right, no row is missing, and they are in order. */
static void check_grouped(const Trace *trace, const StatsQuery *q)
{
    Arena      arena = { 0 };
    StatsTable table;
    Err        err;
    CHECK_DONE(stats_tally(trace, q, &arena, &table, &err), err);
    uint64_t slices = 0, self = 0, all = 0;
    for (uint32_t i = 0; i < table.row_count; i++) {
        check_row(trace, &table.rows[i], q);
        slices += table.rows[i].count;
        self += table.rows[i].self;
        if (i > 0) CHECK(table.rows[i - 1].total >= table.rows[i].total);
    }
    for (uint64_t slice = 0; slice < trace->slices.count; slice++) {
        uint64_t ticks;
        if (track_asked(q, trace->rows[trace_slice_row(trace, slice)].track) &&
            inside(trace, slice, q, &ticks))
            all++;
    }
    CHECK_UINT(slices, all);
    CHECK_UINT(table.slice_count, all);
    CHECK_UINT(table.self_ticks, self);
    arena_release(&arena);
}

/* Checks a query with every kind of row. */
static void check_query(const Trace *trace, const StatsQuery *q)
{
    StatsQuery query = *q;
    for (unsigned by = STATS_BY_NAME; by <= STATS_BY_TRACK; by++) {
        query.by = (StatsGroup)by;
        check_grouped(trace, &query);
    }
}

TEST(stats_equal_a_scan_of_every_slice)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        TestRandom random = { seed };
        Trace     *trace = random_trace(&random, 1 + (uint32_t)test_random_below(&random, 120), 200);
        check_query(trace, &(StatsQuery){ .part.begin_tick = INT64_MIN, .part.end_tick = INT64_MAX });
        for (int i = 0; i < 12; i++) {
            uint32_t tracks[2] = { 1 + (uint32_t)test_random_below(&random, 3), 99 };
            int64_t  begin = 990 + (int64_t)test_random_below(&random, 220);
            check_query(trace,
                        &(StatsQuery){ .part.begin_tick = begin,
                                       .part.end_tick = begin + (int64_t)test_random_below(&random, 60),
                                       .part.tracks = i % 2 == 0 ? NULL : tracks,
                                       .part.track_count = 2 });
        }
        trace_release(trace);
    }
}

TEST(stats_of_neighbouring_ranges_add_up)
{
    TestRandom random = { 7 };
    Trace     *trace = random_trace(&random, 200, 300);
    Arena      arena = { 0 };
    uint64_t   parts = 0;
    StatsTable table;
    Err        err;
    for (int64_t tick = 900; tick < 2000; tick += 10) {
        StatsQuery part = { .part.begin_tick = tick, .part.end_tick = tick + 10 };
        CHECK_DONE(stats_tally(trace, &part, &arena, &table, &err), err);
        parts += table.self_ticks;
    }
    StatsQuery whole = { .part.begin_tick = 900, .part.end_tick = 2000 };
    CHECK_DONE(stats_tally(trace, &whole, &arena, &table, &err), err);
    CHECK(parts > 0);
    CHECK_UINT(table.self_ticks, parts);
    arena_release(&arena);
    trace_release(trace);
}

enum { ARGUMENT_SLICES = 6000 };

/* Slices of 1, 2, ... ticks, one after the other. Each has arguments. */
static Trace *trace_with_arguments(void)
{
    TraceBuilder *builder = builder_create("test", 0);
    Err           err;
    builder_set_clock(builder, clock_ns());
    const TrackId thread = builder_thread(builder, builder_process(builder, ident_int(1)), ident_int(1));
    const LabelId label = builder_label(builder, builder_string(builder, "f", 1), STRING_NONE);
    int64_t       tick = 0;
    for (uint32_t i = 0; i < ARGUMENT_SLICES; tick += i++ + 1)
        builder_complete(builder, thread, tick, tick + i + 1, label, (EventPos){ .offset = i, .event = i },
                         EVENT_DETAILS);
    Trace *trace = builder_finish(builder, 1, NULL, &err);
    CHECK_DONE(trace != NULL, err);
    builder_destroy(builder);
    return trace;
}

/* Six kinds of events in turn: a text of its own for every slice, another key, a value that is not a text, a field that is not an
 * argument, an event that cannot be read, and JSON that ends early. */
static bool read_arguments(void *context, const OrderedEvent *event, StringView *args, StringView *other)
{
    static const char *const ARGS[] = { NULL, "{\"j\":1}", "{\"j\":{\"k\":2},\"k\":[1,{\"k\":2}],\"k\":3}",
                                        "",   "",          "{\"k\":" };
    char                    *text = context;
    const size_t             kind = event->id % 6;
    if (kind == 4) return false;
    *args = (StringView){ ARGS[kind], ARGS[kind] == NULL ? 0 : strlen(ARGS[kind]) };
    if (kind == 0)
        *args = (StringView){ text, (size_t)sprintf(text, "{\"k\":\"v\\u0031%u\"}", (unsigned)event->id) };
    *other = kind == 3 ? STRING_LITERAL("{\"k\":\"field\"}") : STRING_LITERAL("");
    return true;
}

static void check_argument_rows(const Trace *trace, const StatsQuery *q, const StatsTable *table)
{
    uint32_t texts = 0;
    for (uint32_t i = 0; i < table->row_count; i++) {
        const StatsRow *row = &table->rows[i];
        Bytes           name = { 0 };
        stats_append_name(trace, q, row, &name);
        bytes_append(&name, "", 1);
        if (strcmp((const char *)name.data, "[1,{\"k\":2}]") == 0 ||
            strcmp((const char *)name.data, "field") == 0) {
            CHECK_UINT(row->count, ARGUMENT_SLICES / 6);
        } else {
            char expected[24];
            (void)snprintf(expected, sizeof expected, "v1%u", (unsigned)row->longest);
            CHECK_STRING((const char *)name.data, expected);
            CHECK_UINT(row->count, 1);
            CHECK_UINT(row->total, row->longest + 1);
            texts++;
        }
        bytes_release(&name);
    }
    CHECK_UINT(texts, ARGUMENT_SLICES / 6);
    CHECK_UINT(table->row_count, texts + 2);
}

TEST(stats_by_argument_have_a_row_for_each_value)
{
    Trace            *trace = trace_with_arguments();
    char              text[64];
    const EventSource source = { .read = read_arguments, .context = text };
    StatsQuery all = { .part.begin_tick = INT64_MIN, .part.end_tick = INT64_MAX, .by = STATS_BY_ARGUMENT };
    for (uint64_t n = 0;; n++) {
        Arena        arena = { 0 };
        ArgumentKeys keys;
        StatsTable   table;
        Err          err;
        memory_fail_after(n);
        bool done = argument_keys_open(&keys, trace, STRING_LITERAL("k"), &source, &arena) ||
                    err_set(&err, ERR_MEMORY, "out of memory for the keys");
        all.argument = &keys;
        done = done && stats_tally(trace, &all, &arena, &table, &err);
        memory_fail_after(UINT64_MAX);
        if (done) check_argument_rows(trace, &all, &table);
        if (!done) CHECK_INT(err.code, ERR_MEMORY);
        argument_keys_release(&keys);
        arena_release(&arena);
        if (done) break;
        CHECK(n < 200);
    }
    trace_release(trace);
}

TEST(stats_of_nothing_are_empty)
{
    TestRandom random = { 3 };
    Trace     *trace = random_trace(&random, 30, 100);
    Arena      arena = { 0 };
    StatsTable table;
    Err        err;
    uint32_t   none = 0;
    StatsQuery queries[] = { { .part.begin_tick = 1050, .part.end_tick = 1050 },
                             { .part.begin_tick = 1060, .part.end_tick = 1050 },
                             { .part.begin_tick = -500, .part.end_tick = 1000 },
                             { .part.begin_tick = INT64_MIN,
                               .part.end_tick = INT64_MAX,
                               .part.tracks = &none,
                               .part.track_count = 1 } };
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        CHECK_DONE(stats_tally(trace, &queries[i], &arena, &table, &err), err);
        CHECK_UINT(table.row_count, 0);
        CHECK_UINT(table.slice_count, 0);
    }
    arena_release(&arena);
    trace_release(trace);
}

TEST(stats_fail_when_memory_is_out)
{
    TestRandom random = { 4 };
    Trace     *trace = random_trace(&random, 50, 100);
    StatsTable table;
    Err        err;
    StatsQuery all = { .part.begin_tick = INT64_MIN, .part.end_tick = INT64_MAX };
    for (uint64_t n = 0;; n++) {
        Arena fresh = { 0 };
        memory_fail_after(n);
        bool done = stats_tally(trace, &all, &fresh, &table, &err);
        memory_fail_after(UINT64_MAX);
        arena_release(&fresh);
        if (done) break;
        CHECK_INT(err.code, ERR_MEMORY);
        CHECK(n < 100);
    }
    trace_release(trace);
}

/* Returns a trace of two names, with `count` slices each: the lengths of name n are (n + 1) * unit * (1 to count), in a mixed
 * order. */
static Trace *trace_of_lengths(uint32_t count, int64_t unit)
{
    TraceBuilder *builder = builder_create("test", 0);
    CHECK(builder != NULL);
    builder_set_clock(builder, clock_ns());
    const TrackId thread = builder_thread(builder, builder_process(builder, ident_int(1)), ident_int(1));
    int64_t       tick = 0;
    for (uint32_t i = 0; i < 2 * count; i++) {
        const uint32_t name = i % 2;
        const int64_t  length = (name + 1) * unit * (1 + i / 2 * 7 % count);
        const LabelId  label =
            builder_label(builder, builder_string(builder, name == 0 ? "a" : "b", 1), STRING_NONE);
        builder_complete(builder, thread, tick, tick + length, label, (EventPos){ .offset = i, .event = i },
                         0);
        tick += length;
    }
    Err    err;
    Trace *trace = builder_finish(builder, 1, NULL, &err);
    CHECK_DONE(trace != NULL, err);
    builder_destroy(builder);
    return trace;
}

/* Lengths of 32 bits and of more, in several batches. */
TEST(percentiles_of_long_slices_are_exact)
{
    enum { COUNT = 5000 };
    for (unsigned shift = 0; shift <= 30; shift += 10) {
        const int64_t unit = INT64_C(1) << shift;
        Trace        *trace = trace_of_lengths(COUNT, unit);
        StatsQuery    query = { .part.begin_tick = INT64_MIN, .part.end_tick = INT64_MAX };
        Arena         arena = { 0 };
        StatsTable    table;
        Err           err;
        CHECK_DONE(stats_tally(trace, &query, &arena, &table, &err), err);
        CHECK_UINT(table.row_count, 2);
        for (uint32_t i = 0; i < table.row_count; i++) {
            const uint64_t step =
                (uint64_t)(i == 0 ? 2 * unit : unit); /* the row of the greater total is first */
            CHECK_UINT(table.rows[i].count, COUNT);
            CHECK_UINT(table.rows[i].max, COUNT * step);
            CHECK_UINT(table.rows[i].p50, COUNT / 2 * step);
            CHECK_UINT(table.rows[i].p99, COUNT / 100 * 99 * step);
        }
        arena_release(&arena);
        trace_release(trace);
    }
}

/* Few and many, small and large: equal to the percentiles of a sorted list. */
TEST(percentiles_are_those_of_sorted_values)
{
    static const unsigned PERCENTS[] = { 1, 50, 95, 99, 100 };
    TestRandom            random = { 11 };
    for (size_t count = 1; count < 3000; count += count < 70 ? 1 : 101) {
        /* up to 2^64, 2^51, 2^30, and of similar size */
        static const unsigned LEAST_SHIFTS[] = { 0, 13, 34, 61 };
        const unsigned        least_shift = LEAST_SHIFTS[count % 4];
        uint64_t              values[3000], sorted[3000], found[5];
        for (size_t i = 0; i < count; i++)
            values[i] = sorted[i] =
                test_random(&random) >> (least_shift + test_random_below(&random, 64 - least_shift));
        percentiles_find(values, count, PERCENTS, 5, found);
        for (size_t i = 0; i < 5; i++)
            CHECK_UINT(found[i], percentile_of(sorted, count, PERCENTS[i]));
    }
}

TEST_MAIN("stats", TEST_CASE(percentiles_are_those_of_sorted_values),
          TEST_CASE(stats_equal_a_scan_of_every_slice), TEST_CASE(stats_of_neighbouring_ranges_add_up),
          TEST_CASE(stats_by_argument_have_a_row_for_each_value), TEST_CASE(stats_of_nothing_are_empty),
          TEST_CASE(stats_fail_when_memory_is_out), TEST_CASE(percentiles_of_long_slices_are_exact))
