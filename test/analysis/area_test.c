#include "analysis/area.h"

#include "support/test.h"
#include "trace/log/builder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BEGIN = 1000, SPAN = 200, NAMES = 7 };

static StringId text(TraceBuilder *builder, const char *bytes)
{
    return builder_string(builder, bytes, strlen(bytes));
}

/* Returns a trace of instants n0 to n6 on two threads, and of two counters with two series: equal ticks, gaps, and a
 * series of one value. */
static Trace *trace_of_area(TestRandom *random)
{
    TraceBuilder *builder = builder_create("test", 0);
    Err           err;
    builder_set_clock(builder, clock_ns());
    const ProcessId process = builder_process(builder, ident_int(1));
    for (uint32_t i = 0; i < 60; i++) {
        char name[8];
        (void)snprintf(name, sizeof name, "n%u", (unsigned)test_random_below(random, NAMES));
        builder_instant(
            builder, builder_thread(builder, process, ident_int(i % 2)),
            BEGIN + (int64_t)test_random_below(random, SPAN),
            builder_label(builder, text(builder, name), text(builder, i % 3 == 0 ? "red" : "blue")),
            INSTANT_THREAD, (EventPos){ .offset = i, .event = i }, 0);
    }
    for (uint32_t c = 0; c < 2; c++) {
        const CounterId counter =
            builder_counter(builder, process, text(builder, c == 0 ? "c0" : "c1"), text(builder, "blue"));
        const SeriesId a = builder_series(builder, counter, text(builder, "a"), 0);
        const SeriesId b = builder_series(builder, counter, text(builder, "b"), 0);
        for (uint32_t i = 0; i < 40; i++) {
            const double value =
                test_random_below(random, 6) == 0 ? NAN : (double)test_random_below(random, 100) - 50;
            builder_sample(builder, a, BEGIN + (int64_t)test_random_below(random, SPAN), value);
        }
        builder_sample(builder, b, BEGIN + SPAN, 0.1);
    }
    Trace *trace = builder_finish(builder, 1, NULL, &err);
    CHECK_DONE(trace != NULL, err);
    builder_destroy(builder);
    return trace;
}

static const TracePart ALL = { .begin_tick = INT64_MIN, .end_tick = INT64_MAX };

/* Compares the rows of instants with all instants of the trace. */
static void check_instants(const Trace *trace, const TracePart *q, const AreaTable *table)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < table->instant_rows; i++) {
        const AreaInstants *row = &table->instants[i];
        uint64_t            count = 0;
        int64_t             first = INT64_MAX;
        for (uint64_t k = 0; k < trace->instants.count; k++) {
            const int64_t tick = trace->instants.tick[k];
            if (trace->labels[trace->instants.label[k]].name.index != row->name.index) continue;
            if (tick < q->begin_tick || tick >= q->end_tick) continue;
            count++;
            if (tick < first) first = tick;
        }
        CHECK_UINT(row->count, count);
        CHECK_INT(row->first_tick, first);
        CHECK_INT(trace->instants.tick[row->first], first);
        CHECK_UINT(trace->labels[row->label].name.index, row->name.index);
        if (i > 0) CHECK(row->count <= table->instants[i - 1].count);
        all += count;
    }
    for (uint64_t k = 0; k < trace->instants.count; k++)
        if (q->begin_tick <= trace->instants.tick[k] && trace->instants.tick[k] < q->end_tick) all--;
    CHECK_UINT(all, 0); /* no name is missing */
}

/* Compares a counter's row with the value that holds at each tick of the range. */
static void check_counter(const Trace *trace, const Row *row, const TracePart *q, const AreaCounter *found)
{
    const int64_t *ticks = trace->samples.tick + row_extras(row)->first_sample;
    const double  *values = trace->samples.value + row_extras(row)->first_sample;
    const int64_t  from = q->begin_tick < BEGIN ? BEGIN : q->begin_tick,
                  to = q->end_tick > BEGIN + SPAN ? BEGIN + SPAN : q->end_tick;
    double   sum = 0, least = INFINITY, greatest = -INFINITY;
    uint64_t time = 0;
    for (int64_t tick = from; tick < to; tick++) {
        double value = NAN;
        for (uint32_t i = 0; i < row_extras(row)->sample_count && ticks[i] <= tick; i++)
            value = values[i];
        if (isnan(value)) continue;
        sum += value;
        time++;
        least = fmin(least, value);
        greatest = fmax(greatest, value);
    }
    for (uint32_t i = 0; i < row_extras(row)->sample_count; i++) { /* values without length, too */
        if (ticks[i] < q->begin_tick || ticks[i] >= q->end_tick) continue;
        least = fmin(least, values[i]);
        greatest = fmax(greatest, values[i]);
    }
    CHECK_UINT(found->ticks, time);
    CHECK(found->count == 0 ? isnan(found->min) && isnan(found->max)
                            : found->min == least && found->max == greatest);
    CHECK(time == 0 ? isnan(found->average) : fabs(found->average - sum / (double)time) < 1e-9);
}

static void check_area(const Trace *trace, const TracePart *q)
{
    Arena     arena = { 0 };
    AreaTable table;
    Err       err;
    uint32_t  at = 0;
    CHECK_DONE(area_tally(trace, q, &arena, &table, &err), err);
    check_instants(trace, q, &table);
    for (uint32_t r = 0; r < trace->row_count; r++) {
        const Row *row = &trace->rows[r];
        if (row_extras(row)->sample_count == 0) continue;
        const bool is_met =
            at < table.counter_rows && table.counters[at].track == row->track &&
            table.counters[at].series.index == trace->series[row_extras(row)->series].name.index;
        if (is_met)
            check_counter(trace, row, q, &table.counters[at++]);
        else
            CHECK(trace->samples.tick[row_extras(row)->first_sample] >= q->end_tick ||
                  q->begin_tick >= q->end_tick || q->begin_tick >= BEGIN + SPAN);
    }
    CHECK_UINT(at, table.counter_rows);
    arena_release(&arena);
}

TEST(area_has_the_instants_and_values_of_a_scan)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        TestRandom random = { seed };
        Trace     *trace = trace_of_area(&random);
        TracePart  q = ALL;
        for (int i = 0; i < 20; i++) {
            check_area(trace, &q);
            q.begin_tick = BEGIN - 10 + (int64_t)test_random_below(&random, SPAN + 20);
            q.end_tick = q.begin_tick + (int64_t)test_random_below(&random, 120);
        }
        trace_release(trace);
    }
}

TEST(steps_make_the_same_table)
{
    TestRandom random = { 4 };
    Trace     *trace = trace_of_area(&random);
    Arena      arena = { 0 };
    AreaTable  whole, table;
    Err        err;
    double     share = 0, before = 0;
    uint32_t   steps = 0;
    CHECK_DONE(area_tally(trace, &ALL, &arena, &whole, &err), err);
    AreaCount *count = area_count_begin(trace, &ALL, &arena, &err);
    CHECK_DONE(count != NULL, err);
    for (; share < 1; steps++, before = share) {
        CHECK_DONE(area_count_step(count, 1, &share, &table, &err), err);
        CHECK(share >= before);
    }
    area_count_release(count);
    CHECK(steps > 2);
    CHECK_UINT(table.instant_count, 60);
    CHECK_UINT(table.instant_rows, whole.instant_rows);
    CHECK_UINT(table.counter_rows, whole.counter_rows);
    CHECK(memcmp(table.instants, whole.instants, whole.instant_rows * sizeof *whole.instants) == 0);
    CHECK(table.counters[1].average == 0.1 || isnan(table.counters[1].average));
    arena_release(&arena);
    trace_release(trace);
}

TEST(hidden_and_other_tracks_do_not_count)
{
    TestRandom random = { 5 };
    Trace     *trace = trace_of_area(&random);
    Arena      arena = { 0 };
    AreaTable  table;
    Err        err;
    TracePart  q = ALL;
    uint8_t   *labels = ARENA_ARRAY(&arena, uint8_t, (size_t)trace->label_count + 1);
    uint8_t   *tracks = ARENA_ARRAY(&arena, uint8_t, (size_t)trace->track_count + 1);
    uint32_t   one[1] = { 0 };
    for (uint32_t i = 1; i <= trace->label_count; i++)
        labels[i] = string_equal(trace_string(trace, trace->labels[i].category), STRING_LITERAL("blue"));
    for (uint32_t i = 1; i <= trace->track_count; i++) {
        tracks[i] = trace->tracks[i].kind == TRACK_COUNTER;
        if (trace->tracks[i].kind == TRACK_COUNTER) one[0] = i;
    }
    Filter *filter = filter_build(trace, labels, tracks, 1, NULL, &err);
    CHECK_DONE(filter != NULL, err);
    q.filter = filter;
    AreaCount *count = area_count_begin(trace, &q, &arena, &err);
    CHECK_DONE(count != NULL, err);
    filter_release(filter);
    double share = 0;
    while (share < 1)
        CHECK_DONE(area_count_step(count, 8, &share, &table, &err), err);
    area_count_release(count);
    CHECK_UINT(table.instant_count, 20);
    CHECK_UINT(table.counter_rows, 0);
    q = ALL;
    q.tracks = one;
    q.track_count = 1;
    CHECK_DONE(area_tally(trace, &q, &arena, &table, &err), err);
    CHECK_UINT(table.instant_rows, 0);
    CHECK_UINT(table.counter_rows, 2);
    arena_release(&arena);
    trace_release(trace);
}

TEST_MAIN("area", TEST_CASE(area_has_the_instants_and_values_of_a_scan), TEST_CASE(steps_make_the_same_table),
          TEST_CASE(hidden_and_other_tracks_do_not_count))
