#include "analysis/histogram.h"

#include "analysis/random_trace.h"

/* Returns the part of a slice that lies in the range, in ticks; -1 if no moment of it does. */
static int64_t ticks_inside(const Trace *trace, uint64_t slice, const StatsQuery *q)
{
    const int64_t begin = trace_slice_begin(trace, slice), end = trace_slice_end(trace, slice);
    int64_t       ticks = 0;
    if (begin == end) return q->part.begin_tick <= begin && begin < q->part.end_tick ? 0 : -1;
    for (int64_t tick = begin; tick < end; tick++)
        if (q->part.begin_tick <= tick && tick < q->part.end_tick) ticks++;
    return ticks > 0 ? ticks : -1;
}

static bool is_in_subset(const Trace *trace, uint64_t slice, uint64_t ticks, const StatsSubset *subset)
{
    if (subset->has_group && trace->labels[trace_slice_label(trace, slice)].name.index != subset->key)
        return false;
    return !subset->has_durations || (subset->least_ticks <= ticks && ticks <= subset->most_ticks);
}

/* Compares each bin with all slices of the trace. */
static void check_histogram(const Trace *trace, const StatsQuery *q, HistogramScale scale)
{
    static Histogram h;
    Arena            arena = { 0 };
    Err              err;
    uint64_t         all = 0;
    CHECK_DONE(histogram_count(trace, q, scale, &arena, &h, &err), err);
    for (uint32_t i = 0; i < h.bin_count; i++) {
        uint64_t count = 0, total = 0;
        CHECK(h.bins[i].least <= h.bins[i].most);
        if (i > 0) CHECK_UINT(h.bins[i].least, h.bins[i - 1].most + 1);
        for (uint64_t slice = 0; slice < trace->slices.count; slice++) {
            const int64_t ticks = ticks_inside(trace, slice, q);
            if (ticks < (int64_t)h.bins[i].least || ticks > (int64_t)h.bins[i].most) continue;
            if (ticks < 0 || !is_in_subset(trace, slice, (uint64_t)ticks, &q->subset)) continue;
            count++;
            total += (uint64_t)ticks;
        }
        CHECK_UINT(h.bins[i].count, count);
        CHECK_UINT(h.bins[i].total, total);
        all += count;
    }
    for (uint64_t slice = 0; slice < trace->slices.count; slice++) {
        const int64_t ticks = ticks_inside(trace, slice, q);
        if (ticks >= 0 && is_in_subset(trace, slice, (uint64_t)ticks, &q->subset)) all--;
    }
    CHECK_UINT(all, 0); /* the bins have every slice once */
    if (h.bin_count > 0) {
        CHECK(h.bins[0].count > 0 && h.bins[h.bin_count - 1].count > 0);
        CHECK(h.bins[0].least <= h.min && h.max <= h.bins[h.bin_count - 1].most);
    }
    arena_release(&arena);
}

TEST(bins_have_the_slices_of_a_scan)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        TestRandom   random = { seed };
        Trace       *trace = random_trace(&random, 1 + (uint32_t)test_random_below(&random, 120), 200);
        StatsQuery   q = { .part.begin_tick = INT64_MIN, .part.end_tick = INT64_MAX };
        const Label *label = &trace->labels[trace_slice_label(trace, 0)];
        for (int i = 0; i < 12; i++) {
            check_histogram(trace, &q, HISTOGRAM_LOG);
            check_histogram(trace, &q, HISTOGRAM_LINEAR);
            q.part.begin_tick = 990 + (int64_t)test_random_below(&random, 220);
            q.part.end_tick = q.part.begin_tick + (int64_t)test_random_below(&random, 120);
            q.subset = (StatsSubset){ .has_group = i % 3 == 1,
                                      .by = STATS_BY_NAME,
                                      .key = label->name.index,
                                      .has_durations = i % 3 == 2,
                                      .least_ticks = 2,
                                      .most_ticks = 17 };
        }
        trace_release(trace);
    }
}

TEST(steps_count_what_one_call_counts)
{
    static Histogram whole, steps;
    TestRandom       random = { 7 };
    Trace           *trace = random_trace(&random, 120, 200);
    StatsQuery       q = { .part.begin_tick = INT64_MIN, .part.end_tick = INT64_MAX };
    for (int scale = HISTOGRAM_LOG; scale <= HISTOGRAM_LINEAR; scale++) {
        Arena  arena = { 0 };
        Err    err;
        double share = 0, before = -1;
        CHECK_DONE(histogram_count(trace, &q, (HistogramScale)scale, &arena, &whole, &err), err);
        HistogramCount *count = histogram_count_begin(trace, &q, (HistogramScale)scale, &arena, &steps, &err);
        CHECK(count != NULL);
        while (share < 1) {
            CHECK_DONE(histogram_count_step(count, 1, &share, &err), err);
            CHECK(share > before || share == 0.99);
            before = share;
        }
        CHECK_UINT(steps.count, whole.count);
        CHECK_UINT(steps.bin_count, whole.bin_count);
        for (uint32_t i = 0; i < whole.bin_count; i++)
            CHECK(steps.bins[i].least == whole.bins[i].least && steps.bins[i].count == whole.bins[i].count);
        arena_release(&arena);
    }
    trace_release(trace);
}

/* One tick is one nanosecond. */
TEST(edges_are_round_numbers)
{
    static const uint64_t EDGES[] = {
        0, 1, 2, 3, 4, 5, 7, 8, 10, 13, 16, 20, 25, 32, 40, 50, 63, 80, 100, 125
    };
    static Histogram h;
    TestRandom       random = { 5 };
    Trace           *trace = random_trace(&random, 120, 200);
    Arena            arena = { 0 };
    Err              err;
    StatsQuery       q = { .part.begin_tick = INT64_MIN, .part.end_tick = INT64_MAX };
    CHECK_DONE(histogram_count(trace, &q, HISTOGRAM_LOG, &arena, &h, &err), err);
    size_t first = 0;
    while (EDGES[first] < h.bins[0].least)
        first++;
    for (uint32_t i = 0; i < h.bin_count && first + i < sizeof EDGES / sizeof EDGES[0]; i++)
        CHECK_UINT(h.bins[i].least, EDGES[first + i]);
    CHECK_DONE(histogram_count(trace, &q, HISTOGRAM_LINEAR, &arena, &h, &err), err);
    CHECK(h.bin_count > 2 && h.bin_count <= HISTOGRAM_LINEAR_BINS);
    const uint64_t width = h.bins[1].most + 1 - h.bins[1].least;
    for (uint32_t i = 1; i < h.bin_count; i++)
        CHECK_UINT(h.bins[i].most + 1 - h.bins[i].least, width);
    arena_release(&arena);
    trace_release(trace);
}

TEST(nothing_has_no_bins)
{
    static Histogram h;
    TestRandom       random = { 3 };
    Trace           *trace = random_trace(&random, 30, 100);
    Arena            arena = { 0 };
    Err              err;
    StatsQuery       q = { .part.begin_tick = 1050, .part.end_tick = 1050 };
    CHECK_DONE(histogram_count(trace, &q, HISTOGRAM_LINEAR, &arena, &h, &err), err);
    CHECK_UINT(h.bin_count, 0);
    CHECK_UINT(h.count, 0);
    arena_release(&arena);
    trace_release(trace);
}

TEST_MAIN("histogram", TEST_CASE(bins_have_the_slices_of_a_scan), TEST_CASE(steps_count_what_one_call_counts),
          TEST_CASE(edges_are_round_numbers), TEST_CASE(nothing_has_no_bins))
