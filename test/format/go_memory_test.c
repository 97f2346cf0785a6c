/* The memory of a trace is proportional to the input, whatever its contents. */
#include "format/go_support.h"
#include "format/load.h"
#include "trace/store/flows.h"

#include <stdio.h>
#include <string.h>

static const uint64_t FIXED_BYTES = UINT64_C(64) << 20;
enum { BYTES_PER_INPUT_BYTE = 64 };

/* Returns the peak of memory while the trace was made. */
static uint64_t peak_of(const Bytes *file)
{
    Loaded      loaded;
    LoadOptions options = { .threads = 1 };
    Err         err;
    memory_watch();
    uint64_t before = memory_peak();
    if (load_bytes(file->data, file->size, "x.trace", &options, &loaded, &err)) loaded_release(&loaded);
    return memory_peak() - before;
}

TEST(memory_is_in_proportion_to_the_input)
{
    for (size_t i = 0; GO_FILES[i] != NULL; i++) {
        Bytes file = { 0 };
        go_file_read(GO_FILES[i], &file);
        CHECK(peak_of(&file) <= file.size * BYTES_PER_INPUT_BYTE + FIXED_BYTES);
        bytes_release(&file);
    }
}

static void put(Bytes *out, unsigned byte)
{
    uint8_t b = (uint8_t)byte;
    bytes_append(out, &b, 1);
}

static void put_number(Bytes *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        put(out, (unsigned)(value & 0x7f) | 0x80);
    put(out, (unsigned)value);
}

static void put_record(Bytes *out, unsigned type, const uint64_t *values, unsigned count)
{
    Bytes numbers = { 0 };
    for (unsigned i = 0; i < count; i++)
        put_number(&numbers, values[i]);
    put(out, type | (count < 4 ? count - 1 : 3) << 6);
    if (count >= 4) put_number(out, numbers.size);
    bytes_append(out, numbers.data, numbers.size);
    bytes_release(&numbers);
}
#define PUT_RECORD(out, type, ...)                                                                           \
    put_record(out, type, (const uint64_t[]){ __VA_ARGS__ },                                                 \
               sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

enum { BATCH = 1, FREQUENCY = 2, STACK = 3, CREATE = 13, END = 15, STRING = 37, START_LOCAL = 38 };
enum { PREEMPT = 18, UNBLOCK_LOCAL = 39, BLOCK_RECEIVE = 23 };
typedef enum { IDLE, IDLE_WITH_STACKS, RUNS_ONCE, RUNS_AND_WAITS } Life;

/* Appends goroutines from `first` on in the fewest bytes: no other input makes more tracks. */
static void put_goroutines(Bytes *file, uint32_t first, uint32_t count, Life life, uint64_t stack)
{
    for (uint32_t id = first; id < first + count; id++) {
        PUT_RECORD(file, CREATE, 1, id, stack, life == IDLE ? 0 : stack);
        if (life < RUNS_ONCE) continue;
        PUT_RECORD(file, START_LOCAL, 1, id);
        if (life == RUNS_ONCE) PUT_RECORD(file, END, 1);
        if (life == RUNS_AND_WAITS) PUT_RECORD(file, BLOCK_RECEIVE, 1, stack);
    }
}

static void put_header(Bytes *file)
{
    bytes_append(file, "go 1.19 trace\0\0\0", 16);
    PUT_RECORD(file, BATCH, 0, 0);
}

static void put_function(Bytes *file, unsigned id, const char *name)
{
    put(file, STRING), put(file, id), put_number(file, strlen(name));
    bytes_append(file, name, strlen(name));
    PUT_RECORD(file, STACK, id, 1, 4096, id, id, 12);
}

static void make_goroutines(Bytes *file, uint32_t count, Life life)
{
    put_header(file);
    put_goroutines(file, 1, count, life, life == IDLE ? 0 : 1);
    put_function(file, 1, "main.f");
    PUT_RECORD(file, FREQUENCY, 1000000000);
}

/* Checks that each additional goroutine takes no more than its bytes allow, however many there are: below this the
 * fixed part is sufficient. */
static void check_goroutines(Life life, uint32_t few, uint32_t many)
{
    uint64_t peaks[2], sizes[2];
    for (size_t i = 0; i < 2; i++) {
        Bytes file = { 0 };
        make_goroutines(&file, i == 0 ? few : many, life);
        CHECK(!file.failed);
        peaks[i] = peak_of(&file);
        sizes[i] = file.size;
        printf("# %u goroutines: %llu bytes, of %llu allowed\n", i == 0 ? few : many,
               (unsigned long long)peaks[i],
               (unsigned long long)(file.size * BYTES_PER_INPUT_BYTE + FIXED_BYTES));
        CHECK(peaks[i] <= file.size * BYTES_PER_INPUT_BYTE + FIXED_BYTES);
        bytes_release(&file);
    }
    printf("# %llu bytes a goroutine, of %llu\n", (unsigned long long)(peaks[1] - peaks[0]) / (many - few),
           (unsigned long long)(sizes[1] - sizes[0]) * BYTES_PER_INPUT_BYTE / (many - few));
    CHECK(peaks[1] - peaks[0] <= (sizes[1] - sizes[0]) * BYTES_PER_INPUT_BYTE);
}

TEST(a_goroutine_that_does_nothing_costs_little)
{
    check_goroutines(IDLE, 20000, 110000);
    check_goroutines(IDLE_WITH_STACKS, 20000, 110000);
}

TEST(a_goroutine_that_runs_once_costs_what_its_bytes_allow)
{
    check_goroutines(RUNS_ONCE, 20000, 110000);
    check_goroutines(RUNS_AND_WAITS, 20000, 110000);
}

static uint32_t count_threads(const Trace *trace, const char *process, const char *thread)
{
    uint32_t count = 0;
    for (uint32_t i = 1; i <= trace->track_count; i++) {
        const Track *track = &trace->tracks[i];
        StringView   group = trace_string(trace, trace->processes[track->process.index].name);
        if (track->kind != TRACK_THREAD || !string_equal(group, (StringView){ process, strlen(process) }))
            continue;
        count += thread == NULL ||
                 string_equal(trace_string(trace, track->name), (StringView){ thread, strlen(thread) });
    }
    return count;
}

TEST(many_that_never_ran_share_a_lane)
{
    enum { MANY = 12000, FEW = 100 };
    Bytes file = { 0 };
    Err   err;
    put_header(&file);
    put_goroutines(&file, 1, MANY, IDLE_WITH_STACKS, 1);
    put_goroutines(&file, MANY + 1, 1, RUNS_ONCE, 1);
    put_goroutines(&file, MANY + 2, FEW, IDLE_WITH_STACKS, 2);
    put_function(&file, 1, "main.f");
    put_function(&file, 2, "main.g");
    PUT_RECORD(&file, FREQUENCY, 1000000000);
    Built        built = go_built(file.data, file.size, 0);
    const Trace *trace = built.trace;
    CHECK_DONE(trace != NULL, built.err);
    CHECK_DONE(trace_check(trace, &err), err);
    CHECK_UINT(count_threads(trace, "main.f", NULL), 2);
    CHECK_UINT(count_threads(trace, "main.f", "G 12001"), 1);
    CHECK_UINT(count_threads(trace, "main.f", "12000 that never ran"), 1);
    CHECK_UINT(count_threads(trace, "main.g", NULL), FEW);
    uint64_t shared = 0;
    for (uint64_t i = 0; i < trace->slices.count; i++) {
        if (!string_equal(trace_label_name(trace, trace_slice_label(trace, i)),
                          STRING_LITERAL("12000 runnable")))
            continue;
        shared++;
        CHECK_INT(trace_slice_begin(trace, i), trace->begin_tick);
        CHECK_INT(trace_slice_begin(trace, i) + trace->slices.duration[i], trace->end_tick);
    }
    CHECK_UINT(shared, 1);
    trace_release(built.trace);
    bytes_release(&file);
}

/* Returns the trace of a file, or fails. */
static Built build(Bytes *file)
{
    Err   err;
    Built built = go_built(file->data, file->size, 0);
    CHECK_DONE(built.trace != NULL, built.err);
    CHECK_DONE(trace_check(built.trace, &err), err);
    CHECK_UINT(built.trace->records.warning_count, 0);
    return built;
}

static uint32_t count_goroutines(const Trace *trace)
{
    ThreadCount counts[8];
    uint32_t    known = trace_count_threads(trace, counts, 8);
    for (uint32_t i = 0; i < known; i++)
        if (string_equal(trace_string(trace, counts[i].noun), STRING_LITERAL("goroutine")))
            return counts[i].count;
    return 0;
}

/* Returns the number of slices of this name in the goroutines' groups; `last`: one of them. */
static uint32_t count_slices(const Trace *trace, const char *name, TrackKind kind, uint64_t *last)
{
    uint32_t count = 0;
    for (uint64_t i = 0; i < trace->slices.count; i++) {
        const Track *track = &trace->tracks[trace->rows[trace_slice_row(trace, i)].track];
        StringView   group = trace_string(trace, trace->processes[track->process.index].name);
        StringView   label = trace_label_name(trace, trace_slice_label(trace, i));
        if (track->kind != kind || !string_equal(group, STRING_LITERAL("main.f")) ||
            !string_equal(label, (StringView){ name, strlen(name) }))
            continue;
        count++;
        *last = i;
    }
    return count;
}

enum { OWN = 10000, SHARING = 500 };

/* Goroutine 1 starts others, one after the other, which end at once. */
TEST(short_lives_beyond_many_share_a_lane_and_have_their_names)
{
    Bytes file = { 0 };
    put_header(&file);
    PUT_RECORD(&file, CREATE, 1, 1, 1, 1);
    PUT_RECORD(&file, START_LOCAL, 1, 1);
    for (uint32_t id = 2; id <= OWN + SHARING; id++) {
        PUT_RECORD(&file, CREATE, 1, id, 1, 1);
        PUT_RECORD(&file, PREEMPT, 1, 1);
        PUT_RECORD(&file, START_LOCAL, 1, id);
        PUT_RECORD(&file, END, 1);
        PUT_RECORD(&file, START_LOCAL, 1, 1);
    }
    put_function(&file, 1, "main.f");
    PUT_RECORD(&file, FREQUENCY, 1000000000);
    Built        built = build(&file);
    const Trace *trace = built.trace;
    CHECK_UINT(count_threads(trace, "main.f", NULL), OWN + 1);
    CHECK_UINT(count_threads(trace, "main.f", "500 goroutines"), 1);
    CHECK_UINT(count_goroutines(trace), OWN + SHARING);
    uint64_t slice = 0, previous = 0;
    CHECK_UINT(count_slices(trace, "G10007 main.f", TRACK_THREAD, &slice), 1);
    CHECK_UINT(count_slices(trace, "G10006 main.f", TRACK_THREAD, &previous), 1);
    CHECK_UINT(trace_slice_row(trace, slice), trace_slice_row(trace, previous));
    CHECK_UINT(slice, previous + 1);
    CHECK(trace_slice_begin(trace, slice) >= trace_slice_end(trace, previous));
    /* each was started by goroutine 1: an arrow to where it becomes runnable, and one between runs
     * (of one P and one M) */
    uint32_t arrows = 0;
    for (uint64_t i = 0; i < trace->flows.count; i++) {
        FlowEnd      from = trace_flow_end(trace, i, FLOW_FROM), to = trace_flow_end(trace, i, FLOW_TO);
        const Track *track = &trace->tracks[to.track];
        if (track->kind != TRACK_STATES) continue;
        arrows++;
        CHECK(from.slice != FLOW_NO_SLICE && to.slice != FLOW_NO_SLICE);
        CHECK_INT(trace_slice_begin(trace, to.slice), to.tick);
        CHECK(string_equal(trace_label_name(trace, trace_slice_label(trace, to.slice)),
                           STRING_LITERAL("runnable")));
    }
    CHECK_UINT(arrows, OWN + SHARING - 1);
    trace_release(built.trace);
    bytes_release(&file);
}

/* More goroutines wait than there are lanes: a running one takes the lane of the one that has waited longest, which
 * gets a lane when it runs again. */
TEST(who_waits_gives_its_lane_to_who_runs)
{
    enum { MANY = OWN + 2000, AGAIN = OWN + 1 };
    Bytes file = { 0 };
    put_header(&file);
    put_goroutines(&file, 1, MANY, RUNS_AND_WAITS, 1);
    put_goroutines(&file, MANY + 1, 1, RUNS_AND_WAITS, 1);
    PUT_RECORD(&file, CREATE, 1, MANY + 2, 1, 1);
    PUT_RECORD(&file, START_LOCAL, 1, MANY + 2);
    PUT_RECORD(&file, UNBLOCK_LOCAL, 1, AGAIN, 1);
    PUT_RECORD(&file, END, 1);
    PUT_RECORD(&file, START_LOCAL, 1, AGAIN);
    PUT_RECORD(&file, END, 1);
    put_function(&file, 1, "main.f");
    PUT_RECORD(&file, FREQUENCY, 1000000000);
    Built        built = build(&file);
    const Trace *trace = built.trace;
    CHECK_UINT(count_goroutines(trace), MANY + 2);
    uint32_t lanes = count_threads(trace, "main.f", NULL) - OWN - 1;
    CHECK(lanes > 1 && lanes < 1500);
    uint64_t slice = 0;
    CHECK_UINT(count_slices(trace, "G10001 main.f", TRACK_THREAD, &slice), 2);
    CHECK_UINT(count_slices(trace, "G10002 main.f", TRACK_THREAD, &slice), 1);
    /* the lane of the one that ran again is free; all that wait without a lane are in the last one */
    char rest[40];
    snprintf(rest, sizeof rest, "%u others", MANY - OWN - (lanes - 1));
    CHECK_UINT(count_threads(trace, "main.f", rest), 1);
    snprintf(rest, sizeof rest, "%u chan receive", MANY - OWN - (lanes - 1));
    CHECK_UINT(count_slices(trace, rest, TRACK_STATES, &slice), 1);
    trace_release(built.trace);
    bytes_release(&file);
}

TEST_MAIN("go_memory", TEST_CASE(memory_is_in_proportion_to_the_input),
          TEST_CASE(a_goroutine_that_does_nothing_costs_little),
          TEST_CASE(a_goroutine_that_runs_once_costs_what_its_bytes_allow),
          TEST_CASE(many_that_never_ran_share_a_lane),
          TEST_CASE(short_lives_beyond_many_share_a_lane_and_have_their_names),
          TEST_CASE(who_waits_gives_its_lane_to_who_runs))
