/* Recordings of real producers, test/data/trace_event/producers: the facts of each, counted by an independent script,
 * and all warnings. */
#include "support/golden.h"
#include "trace_event_support.h"

#include <stdio.h>
#include <string.h>

typedef struct Producer {
    const char *file;
    const char *counts;  /* of each `ph`, in alphabetical order */
    unsigned    threads; /* pairs of pid and tid with events other than M */
    int64_t     begin_ns, end_ns;
    const char *warnings; /* each with its count; every one is correct for the file */
} Producer;

static const Producer PRODUCERS[] = {
    { "chromium_devtools", "I 9, M 8, P 5, R 13, X 33, b 9, e 9", 2, 26241754102000, 26242012531000, "" },
    { "chromium_startup", "B 36, I 10, M 90, R 14, X 229, b 12, e 15, f 17, s 18", 20, 24981380258000,
      24982952796000, "unfinished-slice 36, unmatched-flow 21, unmatched-async-end 4, unfinished-async 1" },
    { "clang_time_trace", "M 2, X 349, b 44, e 44", 133, 0, 1525923000, "" },
    { "cmake_google_trace", "B 41, E 39", 1, 26238609993000, 26238649061000, "unfinished-slice 2" },
    { "lld_time_trace", "M 2, X 46", 33, 0, 25168000, "" },
    { "node_trace_events", "B 6, E 6, I 6, M 18, X 43, b 61, e 61", 1, 40170800464000, 40170981289000, "" },
    { "tsc_generate_trace", "B 5, E 5, M 3, X 9", 1, 374227169, 499904166, "" },
    { "uftrace_chrome", "B 21, E 29, M 6", 3, 26287252147634, 26287324175633, "unmatched-end 8" },
    { "webpack_profiling_plugin", "B 69, E 69, I 2", 1, 26265085694000, 26265564272000, "" },
};

enum { PRODUCER_COUNT = sizeof PRODUCERS / sizeof PRODUCERS[0] };

static void counts_append(const Trace *trace, Bytes *out)
{
    for (char letter = '!'; letter < 0x7f; letter++) {
        const char name[2] = { letter, '\0' };
        uint64_t   count = event_count(trace, name);
        if (count > 0)
            bytes_printf(out, "%s%c %llu", out->size == 0 ? "" : ", ", letter, (unsigned long long)count);
    }
    bytes_append(out, "", 1);
}

/* Events that are not drawn yet are not faults of the file. */
static void warnings_append(const Trace *trace, Bytes *out)
{
    for (uint32_t i = 0; i < trace->records.warning_count; i++) {
        const Warning *warning = &trace->records.warnings[i];
        if (strstr(warning->kind, "-not-shown") != NULL) continue;
        bytes_printf(out, "%s%s %llu", out->size == 0 ? "" : ", ", warning->kind,
                     (unsigned long long)warning->count);
    }
    bytes_append(out, "", 1);
}

/* Threads of the file: tracks with events of their own. */
static unsigned thread_count(const Trace *trace)
{
    unsigned count = 0;
    for (uint32_t i = 1; i <= trace->track_count; i++)
        count += trace->tracks[i].kind == TRACK_THREAD && trace->tracks[i].has_events;
    return count;
}

static Trace *producer_load(const Producer *producer)
{
    char  path[128];
    Bytes file = { NULL, 0, 0, false };
    Err   err = { 0 };
    (void)snprintf(path, sizeof path, "trace_event/producers/%s.json", producer->file);
    fixture_read(path, &file);
    Trace *trace = trace_event_load(file.data, file.size, (Cuts){ 0 }, &err);
    CHECK_DONE(trace != NULL, err);
    CHECK_DONE(trace_check(trace, &err), err);
    bytes_release(&file);
    return trace;
}

TEST(recordings_have_their_facts)
{
    for (size_t i = 0; i < PRODUCER_COUNT; i++) {
        const Producer *producer = &PRODUCERS[i];
        Trace          *trace = producer_load(producer);
        Bytes           text = { NULL, 0, 0, false };
        print_message("# %s\n", producer->file);
        counts_append(trace, &text);
        CHECK_STRING((const char *)text.data, producer->counts);
        CHECK_UINT(thread_count(trace), producer->threads);
        CHECK_INT(trace->begin_tick, producer->begin_ns);
        CHECK_INT(trace->end_tick, producer->end_ns);
        CHECK(trace->source.complete);
        bytes_release(&text);
        trace_release(trace);
    }
}

TEST(recordings_have_no_warning_that_is_not_true)
{
    for (size_t i = 0; i < PRODUCER_COUNT; i++) {
        Trace *trace = producer_load(&PRODUCERS[i]);
        Bytes  text = { NULL, 0, 0, false };
        print_message("# %s\n", PRODUCERS[i].file);
        warnings_append(trace, &text);
        CHECK_STRING((const char *)text.data, PRODUCERS[i].warnings);
        bytes_release(&text);
        trace_release(trace);
    }
}

TEST_MAIN("trace_event_producers", TEST_CASE(recordings_have_their_facts),
          TEST_CASE(recordings_have_no_warning_that_is_not_true))
