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

/* A column has a unique name in its table, and one line of documentation. */
TEST(columns_are_documented)
{
    for (int table = 0; table < SCAN_TABLE_COUNT; table++) {
        uint32_t          count;
        const ScanColumn *columns = scan_columns((ScanTable)table, &count);
        CHECK(count > 0);
        for (uint32_t i = 0; i < count; i++) {
            CHECK(columns[i].name != NULL && columns[i].help != NULL);
            CHECK(strchr(columns[i].help, '\n') == NULL);
            for (uint32_t k = 0; k < i; k++)
                CHECK(strcmp(columns[i].name, columns[k].name) != 0);
        }
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
          TEST_CASE(apitrace_fixtures), TEST_CASE(cpuprofile_fixtures), TEST_CASE(columns_are_documented),
          TEST_CASE(out_of_memory_is_an_error))
