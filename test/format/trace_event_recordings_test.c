/* Recordings of real programs: counts, threads, names and time ranges, counted by an independent script. */
#include "format/load.h"
#include "support/golden.h"
#include "trace_event_support.h"

#include <stdio.h>
#include <string.h>

typedef struct Recording {
    const char *file;
    const char *version;
    uint64_t    begins, completes, instants; /* as counted by ph; instants are i, I and R */
    uint32_t    threads;
    int64_t     begin_ns, end_ns;
    uint32_t    names; /* distinct, of B and X; 0 = unknown */
    uint64_t    unfinished, unmatched, broken;
    bool        complete;
} Recording;

static const Recording RECORDINGS[] = {
    { "chromium_startup.json.gz", "object", 33, 48505, 3244, 76, 1101342834000, 1103510624000, 487, 33, 0, 0,
      true },
    { "chromium_devtools.json.gz", "object", 27, 20927, 1018, 30, 1750504248000, 1751493404000, 86, 27, 0, 0,
      true },
    { "clang_time_trace.json.gz", "object", 0, 13974, 0, 95, 0, 12505351000, 165, 0, 0, 0, true },
    { "lld_time_trace.json", "object", 0, 160, 0, 31, 0, 118136000, 60, 0, 0, 0, true },
    { "node_trace_events.json", "object", 111, 188, 12, 6, 1277539503000, 1278214629000, 19, 0, 0, 0, true },
    { "node_trace_default.log", "object", 2, 9, 6, 1, 1280047825000, 1280152927000, 9, 0, 0, 0, true },
    { "uftrace_chrome.json", "object", 927, 0, 0, 3, 1285167903291, 1285168553591, 18, 0, 0, 0, true },
    { "uftrace_libcalls.json", "object", 576, 0, 0, 1, 1285522064630, 1285522708720, 52, 0, 6, 0, true },
    { "cmake_google_trace.json.gz", "array", 7960, 0, 0, 1, 1236914308000, 1239410478000, 72, 0, 0, 0, true },
    { "tsc_generate_trace.json", "array", 610, 531, 0, 1, 385413287, 6489488963, 17, 0, 0, 0, true },
    { "spall_h_json.json", "object", 181, 0, 0, 2, 1801728118542, 1801728417162, 8, 1, 0, 0, true },
    { "spall_h_json_badescape.json", "object", 179, 0, 0, 2, 1542879043421, 1542879930750, 10, 1, 10, 10,
      false },
    { "heph_convert_trace.json", "object", 0, 804, 0, 4, 1795224894464422000, 1795224894470936000, 14, 0, 0,
      0, true },
    { "heph_convert_trace_badescape.json", "object", 0, 809, 0, 4, 1795224894464422000, 1795224894470936000,
      15, 0, 0, 12, false },
};

static void load_recording(const char *file, Loaded *loaded)
{
    char relative[256], path[4096];
    Err  err = { 0 };
    int  length = snprintf(relative, sizeof relative, "trace_event/recordings/%s", file);
    CHECK(length > 0 && (size_t)length < sizeof relative);
    fixture_path(relative, path, sizeof path);
    LoadOptions options = { .threads = 1 };
    CHECK_DONE(load_file(path, &options, loaded, &err), err);
    CHECK_DONE(trace_check(loaded->trace, &err), err);
}

static uint32_t distinct_names(const Trace *trace)
{
    Arena        arena = arena_create(0);
    StringTable *names = string_table_create(&arena);
    CHECK(names != NULL);
    for (uint64_t i = 0; i < trace->slices.count; i++) {
        uint32_t track = trace->rows[trace_slice_row(trace, i)].track;
        if (trace->tracks[track].kind == TRACK_ASYNC) continue; /* the README counts names of B and X */
        StringView name = trace_label_name(trace, trace_slice_label(trace, i));
        (void)string_table_intern(names, name.bytes, name.size);
    }
    uint32_t count = string_table_count(names);
    arena_release(&arena);
    return count;
}

static void check_recording(const Recording *recording, const Trace *trace)
{
    CHECK_STRING(trace->source.format_version, recording->version);
    CHECK_UINT(event_count(trace, "B"), recording->begins);
    CHECK_UINT(event_count(trace, "X"), recording->completes);
    CHECK_UINT(trace->slices.count - trace->counts.async_slices, recording->begins + recording->completes);
    CHECK_UINT(trace->instants.count - trace->counts.async_instants, recording->instants);
    CHECK_UINT(trace->counts.threads, recording->threads);
    CHECK_UINT(distinct_names(trace), recording->names);
    CHECK_UINT(warning_count(trace, "unfinished-slice", NULL), recording->unfinished);
    CHECK_UINT(warning_count(trace, "unmatched-end", NULL), recording->unmatched);
    CHECK_UINT(warning_count(trace, "broken-event", NULL), recording->broken);
    CHECK_INT(clock_to_ns(&trace->clock, trace->begin_tick), recording->begin_ns);
    CHECK_INT(clock_to_ns(&trace->clock, trace->end_tick), recording->end_ns);
    CHECK_INT(trace->source.complete, recording->complete);
}

static void check_details(const Loaded *loaded)
{
    for (uint64_t i = 0; i < loaded->trace->slices.count; i += 7) {
        EventDetails details = { 0 };
        Err          err = { 0 };
        CHECK_DONE(load_slice_details(loaded, i, &details, &err), err);
        bytes_release(&details.args);
        bytes_release(&details.other);
    }
}

TEST(recordings_have_the_facts_of_their_readme)
{
    for (size_t i = 0; i < sizeof RECORDINGS / sizeof RECORDINGS[0]; i++) {
        Loaded loaded;
        load_recording(RECORDINGS[i].file, &loaded);
        print_message("# %s\n", RECORDINGS[i].file);
        check_recording(&RECORDINGS[i], loaded.trace);
        check_details(&loaded);
        loaded_release(&loaded);
    }
}

TEST(recordings_are_clean_unless_their_writer_is_not)
{
    static const char *const CLEAN[] = { "clang_time_trace.json.gz", "lld_time_trace.json",
                                         "uftrace_chrome.json", "cmake_google_trace.json.gz" };
    for (size_t i = 0; i < sizeof CLEAN / sizeof CLEAN[0]; i++) {
        Loaded loaded;
        load_recording(CLEAN[i], &loaded);
        if (loaded.trace->records.warning_count > 0) {
            fail_msg("%s: %s: %s", CLEAN[i], loaded.trace->records.warnings[0].kind,
                     loaded.trace->records.warnings[0].first.message);
        }
        loaded_release(&loaded);
    }
}

/* From its README and a count of its lists. */
TEST(cpu_profiles_are_distinguished)
{
    Loaded loaded;
    load_recording("node_small.cpuprofile", &loaded);
    const Trace *trace = loaded.trace;
    CHECK_STRING(trace->source.format_name, "cpuprofile");
    CHECK_UINT(event_count(trace, "node"), 100);
    CHECK_UINT(event_count(trace, "sample"), 129);
    CHECK_UINT(trace->profile.count, 129);
    CHECK_INT(trace->profile.tick[0], 1280253493000);
    CHECK_INT(trace->profile.tick[128], 1280400538000);
    CHECK_UINT(trace->records.warning_count, 0);
    loaded_release(&loaded);
}

TEST_MAIN("trace_event_recordings", TEST_CASE(recordings_have_the_facts_of_their_readme),
          TEST_CASE(recordings_are_clean_unless_their_writer_is_not),
          TEST_CASE(cpu_profiles_are_distinguished))
