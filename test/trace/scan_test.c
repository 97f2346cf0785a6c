/* Scans: every table of every fixture and of random traces, compared with a complete pass. */
#include "scan_check.h"

#include "format/load.h"
#include "support/golden.h"
#include "trace_shapes.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

TEST(random_traces_of_all_shapes)
{
    for (int shape = 0; shape < SHAPE_COUNT; shape++) {
        TestRandom random = { (uint64_t)shape + 1 };
        for (unsigned events = 1; events <= 3000; events *= 6) {
            Trace *trace = shape_trace((TraceShape)shape, test_random(&random), events);
            scan_check(trace, &random, 30);
            trace_release(trace);
        }
    }
}

/* Loads and checks a file; files that are not traces are skipped. Returns 1 or 0. */
static size_t check_file(const char *path, TestRandom *random)
{
    const LoadOptions options = { .threads = 1 };
    Loaded            loaded;
    Err               err;
    if (!load_file(path, &options, &loaded, &err)) return 0;
    scan_check(loaded.trace, random, trace_slice_count(loaded.trace) > 5000 ? 4 : 20);
    loaded_release(&loaded);
    return 1;
}

static size_t check_folder(const char *folder, TestRandom *random)
{
    char   path[1024], file[2048];
    size_t count = 0;
    fixture_path(folder, path, sizeof path);
    DIR *directory = opendir(path);
    CHECK(directory != NULL);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        (void)snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        count += check_file(file, random);
    }
    (void)closedir(directory);
    return count;
}

static void check_fixtures(const char *folder, size_t least)
{
    TestRandom random = { 17 };
    CHECK(check_folder(folder, &random) >= least);
}

TEST(trace_event_fixtures)
{
    check_fixtures("trace_event", 60);
    check_fixtures("trace_event/producers", 3);
}

TEST(spall_fixtures)
{
    check_fixtures("spall", 20);
}

TEST(heph_fixtures)
{
    check_fixtures("heph", 20);
}

TEST(go_fixtures)
{
    check_fixtures("go", 20);
}

TEST(apitrace_fixtures)
{
    check_fixtures("apitrace", 10);
}

TEST(cpuprofile_fixtures)
{
    check_fixtures("cpuprofile", 3);
}

/* Adds a slice of `time` ticks. */
static void add_slice(TraceBuilder *builder, TrackId thread, int64_t begin, int64_t time)
{
    const LabelId label = builder_label(builder, builder_string(builder, "s", 1), STRING_NONE);
    builder_complete(builder, thread, begin, begin + time, label, (EventPos){ 0 }, 0);
}

enum { OUTER_SLICES = 3000, INNER_MOST = 5000, SELF_TICKS = 3 };

/* Returns the number of slices inside of outer slice i: mostly few, also more than the scan adds up at once. */
static uint32_t inner_count(uint32_t i)
{
    return i == 1234 ? INNER_MOST : i % 100 == 7 ? 40 : i % 5;
}

/* Returns a trace whose outer slices have inner ones of 1 and 2 ticks, and SELF_TICKS + i of their own. `gap` ticks are between
 * the outer slices. */
static Trace *trace_of_inner_slices(int64_t begin, int64_t gap)
{
    TraceBuilder *builder = builder_create("test", 0);
    CHECK(builder != NULL);
    const TrackId thread = builder_thread(builder, builder_process(builder, ident_int(1)), ident_int(1));
    for (uint32_t i = 0; i < OUTER_SLICES; i++) {
        const uint32_t inner = inner_count(i);
        const int64_t  time = (int64_t)inner / 2 * 3 + (int64_t)inner % 2 + SELF_TICKS + i;
        add_slice(builder, thread, begin, time);
        int64_t at = begin;
        for (uint32_t k = 0; k < inner; k++) {
            add_slice(builder, thread, at, k % 2 == 0 ? 1 : 2);
            at += k % 2 == 0 ? 1 : 2;
        }
        begin += time + gap;
    }
    Err    err;
    Trace *trace = builder_finish(builder, 1, NULL, &err);
    CHECK_DONE(trace != NULL, err);
    builder_destroy(builder);
    return trace;
}

TEST(self_times_of_many_slices)
{
    /* with 2^24 ticks some hundred begins are within 32 bits, with 2^28 seven, with 2^33 none */
    static const int64_t TIMES[][2] = { { 0, 0 },        { 1000000, 0 },
                                        { -1000000, 0 }, { -100000000, 1 << 24 },
                                        { 0, 1 << 28 },  { 5, INT64_C(1) << 33 } };
    for (size_t t = 0; t < sizeof TIMES / sizeof TIMES[0]; t++) {
        Trace    *trace = trace_of_inner_slices(TIMES[t][0], TIMES[t][1]);
        ScanQuery query =
            scan_query(SCAN_SLICES, SCAN_COLUMN(SCAN_SLICE_SELF) | SCAN_COLUMN(SCAN_SLICE_DEPTH));
        Arena    arena = arena_create(0);
        Err      err;
        Scan    *scan = scan_begin(trace, &query, &arena, &err);
        uint64_t outer = 0, inner_ticks = 0, all_inner = 0;
        CHECK_DONE(scan != NULL, err);
        for (const ScanBatch *batch; (batch = scan_next(scan)) != NULL;) {
            for (uint32_t i = 0; i < batch->count; i++) {
                const uint64_t self = batch->columns[SCAN_SLICE_SELF].u64[i];
                if (batch->columns[SCAN_SLICE_DEPTH].u32[i] > 0) {
                    inner_ticks += self;
                    continue;
                }
                CHECK_UINT(self, SELF_TICKS + outer);
                outer++;
            }
        }
        for (uint32_t i = 0; i < OUTER_SLICES; i++)
            all_inner += inner_count(i) / 2 * 3 + inner_count(i) % 2;
        CHECK_UINT(outer, OUTER_SLICES);
        CHECK_UINT(inner_ticks, all_inner);
        arena_release(&arena);
        trace_release(trace);
    }
}

TEST(out_of_memory_is_an_error)
{
    Trace    *trace = shape_trace(SHAPE_DENSE, 1, 10);
    ScanQuery query = scan_query(SCAN_SLICES, SCAN_COLUMN(SCAN_SLICE_BEGIN) | SCAN_COLUMN(SCAN_SLICE_SELF));
    for (size_t limit = 1; limit < 8192; limit *= 8) {
        Arena arena = arena_create(limit);
        Err   err;
        CHECK(scan_begin(trace, &query, &arena, &err) == NULL);
        CHECK(err.code == ERR_MEMORY);
        arena_release(&arena);
    }
    trace_release(trace);
}

TEST_MAIN("scan", TEST_CASE(random_traces_of_all_shapes), TEST_CASE(trace_event_fixtures),
          TEST_CASE(spall_fixtures), TEST_CASE(heph_fixtures), TEST_CASE(go_fixtures),
          TEST_CASE(apitrace_fixtures), TEST_CASE(cpuprofile_fixtures), TEST_CASE(self_times_of_many_slices),
          TEST_CASE(out_of_memory_is_an_error))
