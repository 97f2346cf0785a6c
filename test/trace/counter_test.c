/* Counters: order, ranges, the index of samples and their tiles, compared with a scan. */
#include "support/test.h"
#include "trace/log/builder.h"
#include "trace/store/sample_index.h"
#include "trace/wire/tile_encode.h"

#include <math.h>
#include <string.h>

static StringId text(TraceBuilder *builder, const char *name)
{
    return builder_string(builder, name, strlen(name));
}

static SeriesId series(TraceBuilder *builder, int64_t pid, const char *title, const char *name)
{
    ProcessId process = builder_process(builder, ident_int(pid));
    CounterId counter = builder_counter(builder, process, text(builder, title), STRING_NONE);
    return builder_series(builder, counter, text(builder, name), 0);
}

static Trace *finish(TraceBuilder *builder)
{
    Err    err;
    Trace *trace = builder_finish(builder, 1, NULL, &err);
    CHECK(trace != NULL);
    builder_destroy(builder);
    CHECK_DONE(trace_check(trace, &err), err);
    return trace;
}

TEST(counters_stand_in_order_with_series_as_they_came)
{
    TraceBuilder *builder = builder_create("test", 0);
    SeriesId      b = series(builder, 1, "mem 10", "b"), a = series(builder, 1, "mem 10", "a");
    SeriesId      other = series(builder, 1, "mem 9", "v");
    CHECK_UINT(series(builder, 1, "mem 10", "b").index, b.index);
    builder_sample(builder, a, 30, 2);
    builder_sample(builder, b, 20, 5);
    builder_sample(builder, b, 10, 1);
    builder_sample(builder, other, 15, -3);
    Trace *trace = finish(builder);
    CHECK_UINT(trace->counts.counters, 2);
    CHECK_INT(trace->begin_tick, 10);
    CHECK_INT(trace->end_tick, 30);
    const Track *first = &trace->tracks[1], *second = &trace->tracks[2];
    CHECK(string_equal(trace_string(trace, first->name), STRING_LITERAL("mem 9")));
    CHECK(!first->extras->is_stacked && first->extras->least == -3 && first->extras->greatest == 0);
    CHECK(second->extras->is_stacked && second->extras->least == 0 && second->extras->greatest == 7);
    CHECK_UINT(track_row_count(second), 2);
    const Row *row_b = &trace->rows[second->first_row], *row_a = row_b + 1;
    CHECK(string_equal(trace_string(trace, trace->series[row_extras(row_b)->series].name),
                       STRING_LITERAL("b")));
    CHECK_UINT(row_extras(row_b)->sample_count, 2);
    CHECK_UINT(row_extras(row_a)->sample_count, 1);
    CHECK_INT(trace->samples.tick[row_extras(row_b)->first_sample], 10); /* sorted */
    CHECK(trace->samples.value[row_extras(row_b)->first_sample + 1] == 5);
    trace_release(trace);
}

TEST(names_and_formats_show_that_values_are_bytes)
{
    static const struct {
        const char *title, *names[2];
        bool        expected;
    } CASES[] = {
        { "a 0", { "heap_bytes", NULL }, true },     { "a 1", { "heap_bytes", "stack_bytes" }, true },
        { "a 2", { "heap_bytes", "count" }, false }, { "a 3", { "usedBytes", NULL }, true },
        { "a 4", { "kilobytes", NULL }, false },     { "a 5", { "Bytes", NULL }, true },
        { "a 6", { "bytes read", NULL }, false },    { "a 7", { "KILOBYTES", NULL }, false },
        { "a 8", { "tes", NULL }, false },           { "rss bytes", { "", NULL }, true },
    };
    enum { COUNT = sizeof CASES / sizeof CASES[0] };
    TraceBuilder *builder = builder_create("test", 0);
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t k = 0; k < 2 && CASES[i].names[k] != NULL; k++)
            builder_sample(builder, series(builder, 1, CASES[i].title, CASES[i].names[k]), 10, 1);
    }
    ProcessId process = builder_process(builder, ident_int(1));
    CounterId formatted = builder_counter(builder, process, text(builder, "formatted"), STRING_NONE);
    builder_count_bytes(builder, formatted);
    builder_sample(builder, builder_series(builder, formatted, text(builder, "live"), 0), 10, 1);
    Trace *trace = finish(builder);
    CHECK_UINT(trace->counts.counters, COUNT + 1);
    for (uint32_t i = 1; i <= trace->track_count; i++) {
        StringView title = trace_string(trace, trace->tracks[i].name);
        bool       expected = string_equal(title, STRING_LITERAL("formatted"));
        for (size_t k = 0; k < COUNT; k++)
            expected |= CASES[k].expected && strlen(CASES[k].title) == title.size &&
                        memcmp(CASES[k].title, title.bytes, title.size) == 0;
        CHECK(trace->tracks[i].extras->counts_bytes == expected);
    }
    trace_release(trace);
}

TEST(a_counter_of_gaps_alone_has_a_range_all_the_same)
{
    TraceBuilder *builder = builder_create("test", 0);
    builder_sample(builder, series(builder, 1, "c", "v"), 1, (double)NAN);
    Trace *trace = finish(builder);
    CHECK(trace->tracks[1].extras->least == 0 && trace->tracks[1].extras->greatest == 0 &&
          !trace->tracks[1].extras->is_stacked);
    trace_release(trace);
}

/* Returns the greatest value, or sum of the series' values that are valid at the end of a tick: searched tick by
 * tick. */
static double greatest_sum(const Trace *trace)
{
    const Track *track = &trace->tracks[1];
    double       greatest = 0;
    for (uint64_t moment = 0; moment < trace->samples.count; moment++) {
        double sum = 0, alone = trace->samples.value[moment];
        for (uint32_t r = track->first_row; r < track->first_row + track_row_count(track); r++) {
            const Row *row = &trace->rows[r];
            double     value = 0;
            for (uint64_t i = row_extras(row)->first_sample;
                 i < row_extras(row)->first_sample + row_extras(row)->sample_count; i++)
                if (trace->samples.tick[i] <= trace->samples.tick[moment]) value = trace->samples.value[i];
            sum += isnan(value) ? 0 : value;
        }
        if (sum > greatest) greatest = sum;
        if (alone > greatest) greatest = alone;
    }
    return greatest;
}

TEST(the_range_of_stacked_series_is_that_of_their_sums)
{
    static const char *const NAMES[] = { "a", "b", "c", "d", "e", "f", "g" };
    for (uint64_t seed = 1; seed <= 20; seed++) {
        TestRandom     random = { seed };
        TraceBuilder  *builder = builder_create("test", 0);
        const uint64_t count = 2 + seed % 6, ticks = seed % 2 == 0 ? 10 : 200;
        for (uint64_t i = 0; i < 150; i++) { /* in any order, many at one time */
            SeriesId one = series(builder, 1, "c", NAMES[i < count ? i : test_random_below(&random, count)]);
            double   value =
                test_random_below(&random, 9) == 0 ? (double)NAN : (double)test_random_below(&random, 1000);
            builder_sample(builder, one, (int64_t)test_random_below(&random, ticks), value);
        }
        Trace *trace = finish(builder);
        CHECK(trace->tracks[1].extras->is_stacked && track_row_count(&trace->tracks[1]) == count);
        CHECK(trace->tracks[1].extras->greatest == greatest_sum(trace));
        trace_release(trace);
    }
}

static Trace *random_counter(uint64_t seed, unsigned count)
{
    TestRandom    random = { seed };
    TraceBuilder *builder = builder_create("test", 0);
    SeriesId      one = series(builder, 1, "c", "v");
    int64_t       tick = -1000;
    for (unsigned i = 0; i < count; i++) {
        tick += (int64_t)test_random_below(&random, test_random_below(&random, 10) == 0 ? 5000 : 4);
        double value = (double)test_random_below(&random, 1000) - 300;
        builder_sample(builder, one, tick, test_random_below(&random, 20) == 0 ? (double)NAN : value);
    }
    return finish(builder);
}

static SampleRange scan(const Trace *trace, uint64_t first, uint64_t last)
{
    SampleRange range = { NAN, NAN };
    for (uint64_t i = first; i < last; i++) {
        double value = trace->samples.value[i];
        if (isnan(value)) continue;
        if (isnan(range.least) || value < range.least) range.least = value;
        if (isnan(range.greatest) || value > range.greatest) range.greatest = value;
    }
    return range;
}

static bool same_number(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b;
}

TEST(ranges_equal_a_scan)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        Trace     *trace = random_counter(seed, 3000);
        TestRandom random = { seed + 100 };
        const Row *row = &trace->rows[0];
        for (unsigned i = 0; i < 2000; i++) {
            uint32_t first = (uint32_t)test_random_below(&random, row_extras(row)->sample_count);
            uint32_t last =
                first + (uint32_t)test_random_below(&random, row_extras(row)->sample_count - first + 1);
            LodReads    reads = { 0, 0 };
            SampleRange range = sample_range(trace, row, first, last, &reads),
                        expected = scan(trace, first, last);
            CHECK(same_number(range.least, expected.least) && same_number(range.greatest, expected.greatest));
            CHECK(reads.slices + reads.nodes <= 2 * (31 + 7 * 4));
        }
        trace_release(trace);
    }
}

/* Checks that every sample of the window is in exactly one entry, with its bucket's range and last value; the one
 * before it is first. */
static void check_tile(const Trace *trace, TileKey key)
{
    Bytes bytes = { NULL, 0, 0, false };
    Err   err;
    Tile  tile;
    CHECK_DONE(tile_encode(trace, key, &bytes, NULL, &err), err);
    CHECK(tile_open(bytes.data, bytes.size, &tile));
    TileRow  row = tile_row(&tile, 0);
    uint64_t begin = tile_window_begin(key), end = tile_window_end(key);
    uint64_t next = 0;
    while (next < trace->samples.count && (uint64_t)(trace->samples.tick[next] - trace->begin_tick) < begin)
        next++;
    for (uint32_t i = 0; i < row.sample_count; i++) {
        TileSample entry = tile_sample(&row, i);
        if (i == 0 && entry.tick < begin) {
            CHECK_UINT(entry.sample, next - 1);
            continue;
        }
        CHECK_UINT(entry.sample, next);
        CHECK_UINT(entry.tick, (uint64_t)(trace->samples.tick[next] - trace->begin_tick));
        uint64_t bucket = entry.tick >> key.level, last = next;
        while (last < trace->samples.count &&
               (uint64_t)(trace->samples.tick[last] - trace->begin_tick) < end &&
               (uint64_t)(trace->samples.tick[last] - trace->begin_tick) >> key.level == bucket)
            last++;
        SampleRange expected = scan(trace, next, last);
        CHECK_UINT(entry.count, last - next);
        CHECK(same_number(entry.least, expected.least) && same_number(entry.greatest, expected.greatest));
        CHECK(same_number(entry.last, trace->samples.value[last - 1]));
        next = last;
    }
    CHECK(next == trace->samples.count || (uint64_t)(trace->samples.tick[next] - trace->begin_tick) >= end);
    for (size_t size = 0; size < bytes.size; size++)
        CHECK(!tile_open(bytes.data, size, &tile));
    bytes_release(&bytes);
}

TEST(tiles_equal_a_scan_at_every_level)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        Trace   *trace = random_counter(seed, 400);
        uint64_t span = (uint64_t)(trace->end_tick - trace->begin_tick);
        for (uint32_t level = 0; level < 20; level++) {
            uint64_t last = span >> (level + TILE_BUCKET_BITS), step = last / 16 + 1;
            for (uint64_t index = 0; index <= last; index += step)
                check_tile(trace, (TileKey){ .track = 1, .band = 0, .level = level, .index = index });
        }
        trace_release(trace);
    }
}

TEST(a_clock_that_changes_takes_samples_along)
{
    TraceBuilder *builder = builder_create("test", 0);
    SeriesId      one = series(builder, 1, "c", "v");
    bool          rounded = true;
    builder_sample(builder, one, 7, 1);
    CHECK(builder_change_clock(builder, clock_ticks(1, 1000), &rounded) && !rounded);
    builder_sample(builder, one, 7001, 2);
    Trace *trace = finish(builder);
    CHECK_INT(trace->samples.tick[0], 7000);
    CHECK_INT(trace->end_tick, 7001);
    trace_release(trace);
}

TEST_MAIN("counter", TEST_CASE(counters_stand_in_order_with_series_as_they_came),
          TEST_CASE(names_and_formats_show_that_values_are_bytes),
          TEST_CASE(a_counter_of_gaps_alone_has_a_range_all_the_same),
          TEST_CASE(the_range_of_stacked_series_is_that_of_their_sums), TEST_CASE(ranges_equal_a_scan),
          TEST_CASE(tiles_equal_a_scan_at_every_level), TEST_CASE(a_clock_that_changes_takes_samples_along))
