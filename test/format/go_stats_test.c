/* Statistics of Go traces: invariants, profiles, utilisation, damage. */
#include "format/go/stats/pprof.h"
#include "format/go/stats/stats.h"
#include "format/go_support.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const NAMES[] = {
    "go119_chans.trace",         "go119_net.trace",   "go119_syscalls.trace",
    "go122_chans.trace",         "go123_iter.trace",  "go125_annot_cpuprofile.trace",
    "go126_cgo.trace",           "go126_chans.trace", "go119_annot_cpuprofile.trace",
    "canned_http_1_9_good.trace"
};
enum { NAME_COUNT = sizeof NAMES / sizeof NAMES[0] };

static GoStats stats_of(const char *name, const GoStatsRequest *request)
{
    GoStats stats;
    Bytes   file = { 0 };
    Err     err;
    go_file_read(name, &file);
    CHECK_DONE(go_stats_bytes(file.data, file.size, request, &stats, &err), err);
    bytes_release(&file);
    return stats;
}

static GoStatsRequest usual(void)
{
    return (GoStatsRequest){ .util = GO_UTIL_USUAL, .is_from_begin = true };
}

/* -- goroutines -- */

TEST(a_goroutine_does_one_thing_at_a_time)
{
    GoStatsRequest request = usual();
    for (size_t i = 0; i < NAME_COUNT; i++) {
        GoStats stats = stats_of(NAMES[i], &request);
        CHECK(stats.goroutine_count > 3);
        for (uint32_t g = 0; g < stats.goroutine_count; g++) {
            const GoGoroutine *row = &stats.goroutines[g];
            int64_t            sum = 0, waits = 0;
            for (int time = 0; time < GO_TIME_EXCLUSIVE_COUNT; time++)
                sum += row->of[time];
            for (uint32_t part = row->waits; part != 0; part = stats.parts[part - 1].next)
                waits += stats.parts[part - 1].ns;
            CHECK_INT(sum, row->total);
            CHECK_INT(waits, row->of[GO_TIME_NETWORK] + row->of[GO_TIME_SYNC] + row->of[GO_TIME_OTHER]);
        }
        go_stats_release(&stats);
    }
}

/* In v1, a goroutine may be waiting during the whole trace; Go's tool reports that it waits for a processor. */
TEST(who_waits_from_the_begin_waits)
{
    GoStatsRequest ours = usual(), of_go = usual();
    of_go.rules = GO_RULES_OF_GO;
    GoStats stats = stats_of("go119_tiny.trace", &ours), upstream = stats_of("go119_tiny.trace", &of_go);
    bool    found = false;
    CHECK_UINT(stats.goroutine_count, upstream.goroutine_count);
    for (uint32_t i = 0; i < stats.goroutine_count; i++) {
        const GoGoroutine *row = &stats.goroutines[i];
        if (row->has_started || row->of[GO_TIME_OTHER] == 0) continue;
        found = true;
        CHECK_INT(row->of[GO_TIME_OTHER], row->total);
        CHECK_INT(upstream.goroutines[i].of[GO_TIME_SCHEDULER], row->total);
        CHECK(go_stats_text(&stats, row->name).size > 0); /* from the stack of its creation */
        CHECK_UINT(go_stats_text(&upstream, upstream.goroutines[i].name).size, 0);
    }
    CHECK(found);
    go_stats_release(&stats);
    go_stats_release(&upstream);
}

/* Times of a range and of the rest add up to those of the whole. */
TEST(ranges_add_up)
{
    GoStatsRequest whole = usual();
    for (size_t i = 0; i < NAME_COUNT; i++) {
        GoStats        all = stats_of(NAMES[i], &whole);
        int64_t        middle = (all.trace_end - all.trace_begin) / 3;
        GoStatsRequest first = {
            .util = GO_UTIL_USUAL, .has_range = true, .is_from_begin = true, .end = middle
        };
        GoStatsRequest rest = {
            .util = GO_UTIL_USUAL, .has_range = true, .begin = all.trace_begin + middle, .end = INT64_MAX
        };
        GoStats a = stats_of(NAMES[i], &first), b = stats_of(NAMES[i], &rest);
        CHECK_INT(a.end, b.begin);
        CHECK_UINT(a.goroutine_count, all.goroutine_count);
        for (uint32_t g = 0; g < all.goroutine_count; g++) {
            CHECK_INT(a.goroutines[g].total + b.goroutines[g].total, all.goroutines[g].total);
            for (int time = 0; time < GO_TIME_COUNT; time++)
                CHECK_INT(a.goroutines[g].of[time] + b.goroutines[g].of[time], all.goroutines[g].of[time]);
            CHECK_UINT(a.goroutines[g].start_count + b.goroutines[g].start_count,
                       all.goroutines[g].start_count);
        }
        CHECK_UINT(a.node_count, all.node_count);
        for (uint32_t n = 0; n < all.node_count; n++) {
            for (int p = 0; p < GO_PROFILE_COUNT; p++)
                CHECK_INT(a.nodes[n].ns[p] + b.nodes[n].ns[p], all.nodes[n].ns[p]);
        }
        go_stats_release(&a);
        go_stats_release(&b);
        go_stats_release(&all);
    }
}

TEST(functions_are_sums_of_goroutines)
{
    GoStatsRequest request = usual();
    GoStats        stats = stats_of("go126_chans.trace", &request);
    uint64_t       count = 0;
    for (uint32_t i = 0; i < stats.function_count; i++) {
        const GoFunction *function = &stats.functions[i];
        int64_t           execution = 0;
        for (uint32_t g = 0; g < stats.goroutine_count; g++) {
            if (stats.goroutines[g].name.index == function->name.index)
                execution += stats.goroutines[g].of[GO_TIME_EXECUTION];
        }
        CHECK_INT(function->of[GO_TIME_EXECUTION], execution);
        CHECK(i == 0 || execution <= stats.functions[i - 1].of[GO_TIME_EXECUTION]);
        count += function->count;
    }
    CHECK_UINT(count, stats.goroutine_count);
    go_stats_release(&stats);
}

TEST(sums_of_times_saturate)
{
    GoStatsRequest request = usual();
    GoStats        stats = stats_of("odd_sum_beyond_64_bits.trace", &request);
    int64_t        longest = 0;
    CHECK(stats.function_count > 0);
    for (uint32_t i = 0; i < stats.function_count; i++) {
        const GoFunction *function = &stats.functions[i];
        if (function->total > longest) longest = function->total;
        for (int time = 0; time < GO_TIME_COUNT; time++)
            CHECK(function->of[time] >= 0 && function->of[time] <= function->total);
    }
    CHECK_INT(longest, INT64_MAX); /* 24 goroutines, several of which live for 2^62 ns */
    go_stats_release(&stats);
}

/* -- profiles -- */

/* The contents of a profile, added up. */
typedef struct Read {
    uint64_t samples, locations, functions, strings, count;
    int64_t  ns;
    uint64_t greatest_location, greatest_string;
} Read;

static uint64_t take_varint(const uint8_t **at, const uint8_t *end)
{
    uint64_t value = 0;
    for (unsigned shift = 0; *at < end; shift += 7) {
        uint8_t byte = *(*at)++;
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) return value;
    }
    CHECK(*at < end); /* it is truncated */
    return 0;
}

/* Reads the next field: its number, and its value or its bytes. */
static unsigned take_field(const uint8_t **at, const uint8_t *end, uint64_t *value, const uint8_t **bytes)
{
    uint64_t key = take_varint(at, end);
    *value = take_varint(at, end);
    *bytes = *at;
    if ((key & 7) == 2) {
        CHECK(*value <= (uint64_t)(end - *at));
        *at += *value;
    } else {
        CHECK_UINT(key & 7, 0);
    }
    return (unsigned)(key >> 3);
}

static void read_sample(Read *read, const uint8_t *at, const uint8_t *end)
{
    uint64_t       size;
    const uint8_t *bytes;
    CHECK_UINT(take_field(&at, end, &size, &bytes), 1);
    for (const uint8_t *location = bytes; location < bytes + size;) {
        uint64_t id = take_varint(&location, bytes + size);
        if (id > read->greatest_location) read->greatest_location = id;
        CHECK(id > 0);
    }
    CHECK_UINT(take_field(&at, end, &size, &bytes), 2);
    const uint8_t *values = bytes;
    read->count += take_varint(&values, bytes + size);
    read->ns += (int64_t)take_varint(&values, bytes + size);
    CHECK(values == bytes + size && at == end);
    read->samples++;
}

static Read read_profile(const Bytes *profile)
{
    Read           read = { 0 };
    const uint8_t *at = profile->data, *end = at + profile->size, *bytes;
    uint64_t       value;
    while (at < end) {
        switch (take_field(&at, end, &value, &bytes)) {
        case 2:
            read_sample(&read, bytes, bytes + value);
            break;
        case 4:
            read.locations++;
            break;
        case 5: {
            const uint8_t *inside = bytes, *text;
            uint64_t       name;
            read.functions++;
            CHECK_UINT(take_field(&inside, bytes + value, &name, &text), 1);
            CHECK_UINT(name, read.functions);
            CHECK_UINT(take_field(&inside, bytes + value, &name, &text), 2);
            if (name > read.greatest_string) read.greatest_string = name;
            break;
        }
        case 6:
            if (read.strings++ == 0) CHECK_UINT(value, 0);
            break;
        default:
            break;
        }
    }
    return read;
}

TEST(profiles_hold_what_the_stacks_hold)
{
    GoStatsRequest request = { .util = GO_UTIL_USUAL, .rules = GO_RULES_OF_GO };
    GoStats        stats = stats_of("go119_net.trace", &request);
    /* the sums of `go tool pprof -top` over the output of `go tool trace -pprof` of Go 1.19 */
    static const int64_t NS_OF_GO[GO_PROFILE_COUNT] = { 10897522, 3708976, 0, 2504099 };
    for (int profile = 0; profile < GO_PROFILE_COUNT; profile++) {
        Bytes    out = { 0 };
        uint64_t samples = 0, count = 0;
        int64_t  ns = 0;
        CHECK(go_pprof_write(&stats, (GoProfile)profile, &out));
        Read read = read_profile(&out);
        for (uint32_t i = 1; i < stats.node_count; i++) {
            CHECK(stats.nodes[i].parent < i);
            samples += stats.nodes[i].count[profile] > 0;
            count += stats.nodes[i].count[profile];
            ns += stats.nodes[i].ns[profile];
        }
        CHECK_UINT(read.samples, samples);
        CHECK_UINT(read.count, count);
        CHECK_INT(read.ns, ns);
        CHECK_UINT(read.locations, stats.frame_count - 1);
        CHECK_UINT(read.functions, stats.frame_count - 1);
        CHECK(read.greatest_location <= read.locations && read.greatest_string < read.strings);
        CHECK_INT(read.ns, NS_OF_GO[profile]);
        bytes_release(&out);
    }
    go_stats_release(&stats);
}

/* The sums of the output of `go tool trace -pprof` of Go 1.26. */
TEST(profiles_of_later_versions_are_those_of_go)
{
    static const struct {
        const char *file;
        struct {
            uint64_t stacks, count;
            int64_t  ns;
        } of[GO_PROFILE_COUNT];
        uint64_t stackless; /* of "sched" */
    } FILES[] = {
        { "go126_mixed.trace",
          { { 11, 202, 285967488 },
            { 73, 722, 609412930 },
            { 137, 1249, 73936833 },
            { 138, 2916, 351682969 } },
          464 },
        { "go122_chans.trace",
          { { 0, 0, 0 }, { 6, 120, 3634368 }, { 1, 1, 14528 }, { 9, 189, 7722368 } },
          11 },
        { "go126_chans.trace",
          { { 0, 0, 0 }, { 7, 99, 3298050 }, { 2, 2, 152064 }, { 9, 169, 3791486 } },
          11 },
    };
    GoStatsRequest request = { .util = GO_UTIL_USUAL, .rules = GO_RULES_OF_GO };
    for (size_t f = 0; f < sizeof FILES / sizeof FILES[0]; f++) {
        GoStats stats = stats_of(FILES[f].file, &request);
        for (int profile = 0; profile < GO_PROFILE_COUNT; profile++) {
            Bytes out = { 0 };
            CHECK(go_pprof_write(&stats, (GoProfile)profile, &out));
            Read read = read_profile(&out);
            CHECK_UINT(read.samples, FILES[f].of[profile].stacks);
            CHECK_UINT(read.count, FILES[f].of[profile].count);
            CHECK_INT(read.ns, FILES[f].of[profile].ns);
            bytes_release(&out);
        }
        CHECK_UINT(stats.nodes[0].count[GO_PROFILE_SCHED], FILES[f].stackless);
        go_stats_release(&stats);
    }
}

/* Here a profile contains all waits, also those without a stack, and before the first run. */
TEST(a_profile_adds_up_to_the_time_of_goroutines)
{
    GoStatsRequest request = { .util = GO_UTIL_USUAL };
    GoStats        stats = stats_of("go126_chans.trace", &request);
    int64_t        of_stacks = 0, of_goroutines = 0;
    for (uint32_t i = 0; i < stats.node_count; i++)
        of_stacks += stats.nodes[i].ns[GO_PROFILE_SCHED];
    for (uint32_t i = 0; i < stats.goroutine_count; i++)
        of_goroutines += stats.goroutines[i].of[GO_TIME_SCHEDULER];
    CHECK(of_stacks > 0);
    CHECK_INT(of_stacks, of_goroutines);
    go_stats_release(&stats);
}

/* -- tasks and regions -- */

static const GoUserType *find_type(const GoStats *stats, const char *name, bool is_task)
{
    for (uint32_t i = 0; i < stats->type_count; i++) {
        if (stats->types[i].is_task == is_task &&
            strcmp(go_stats_text(stats, stats->types[i].name).bytes, name) == 0)
            return &stats->types[i];
    }
    return NULL;
}

TEST(tasks_and_regions_have_their_durations)
{
    GoStatsRequest    request = usual();
    GoStats           stats = stats_of("go126_annot_cpuprofile.trace", &request);
    const GoUserType *task = find_type(&stats, "order", true), *left = find_type(&stats, "left open", false);
    const GoUserType *never = find_type(&stats, "never ended", true),
                     *charge = find_type(&stats, "charge", false);
    CHECK(task != NULL && task->count == 8 && task->open_count == 0);
    CHECK(0 < task->min && task->min <= task->p50 && task->p50 <= task->p90 && task->p90 <= task->p99 &&
          task->p99 <= task->max && task->max <= task->total);
    CHECK(never != NULL && never->count == 0 && never->open_count == 1);
    CHECK(left != NULL && left->count == 0 && left->open_count > 0);
    CHECK(charge != NULL && charge->of[GO_TIME_EXECUTION] > 0);
    for (uint32_t i = 0; i < stats.type_count; i++) {
        uint64_t in_buckets = 0;
        int64_t  of = 0;
        for (int bucket = 0; bucket < 64; bucket++)
            in_buckets += stats.types[i].buckets[bucket];
        CHECK_UINT(in_buckets, stats.types[i].count);
        for (int time = 0; time < GO_TIME_EXCLUSIVE_COUNT; time++)
            of += stats.types[i].of[time];
        if (!stats.types[i].is_task)
            CHECK_INT(of, stats.types[i].total); /* its goroutine was always in some state */
    }
    go_stats_release(&stats);
}

/* -- utilisation -- */

static MmuStep         STEPS[] = { { 0, 1 }, { 100, 0 }, { 110, 1 }, { 200, 0.5 }, { 300, 1 }, { 1000, 0 } };
static const MmuSeries SERIES = { STEPS, 6, 6 };

TEST(the_worst_window_is_found)
{
    MmuWindow worst;
    CHECK(mmu_of(&SERIES, 1, 10, &worst) <= 0);
    CHECK_INT(worst.begin, 100);
    CHECK(fabs(mmu_of(&SERIES, 1, 20, NULL) - 0.5) < 1e-12);    /* 100 to 120 */
    CHECK(fabs(mmu_of(&SERIES, 1, 200, &worst) - 0.7) < 1e-12); /* 100 to 300: 90 + 50 of 200 */
    CHECK_INT(worst.begin, 100);
    CHECK(fabs(mmu_of(&SERIES, 1, 1000, NULL) - 0.94) < 1e-12);
    CHECK(fabs(mmu_of(&SERIES, 1, 5000, NULL) - 0.94) < 1e-12); /* as long as all of it */
    CHECK(fabs(mmu_of(NULL, 0, 10, NULL) - 1) < 1e-12);
}

/* Windows found by brute force are not worse. */
TEST(no_window_is_worse)
{
    for (int64_t window = 1; window <= 1000; window += 37) {
        double least = 1;
        for (int64_t begin = 0; begin + window <= 1000; begin++) {
            double sum = 0;
            for (int64_t at = begin; at < begin + window; at++) {
                int step = 0;
                while (STEPS[step + 1].time <= at)
                    step++;
                sum += STEPS[step].share;
            }
            if (sum / (double)window < least) least = sum / (double)window;
        }
        CHECK(fabs(mmu_of(&SERIES, 1, window, NULL) - least) < 1e-9);
    }
}

TEST(a_series_is_cut)
{
    Arena     arena = arena_create(0);
    MmuSeries cut;
    CHECK(mmu_clip(&arena, &SERIES, 105, 250, &cut));
    CHECK_UINT(cut.count, 4);
    CHECK_INT(cut.steps[0].time, 105);
    CHECK(cut.steps[0].share <= 0 && cut.steps[3].time == 250);
    CHECK(mmu_clip(&arena, &SERIES, 2000, 3000, &cut));
    CHECK_UINT(cut.count, 0);
    arena_release(&arena);
}

/* Each processor has at most the utilisation of all, and stops affect all. */
TEST(utilisation_by_processor)
{
    GoStatsRequest request = usual();
    GoStats        machine = stats_of("go126_mixed.trace", &request);
    request.util |= GO_UTIL_PER_PROC;
    GoStats each = stats_of("go126_mixed.trace", &request);
    CHECK_UINT(machine.series_count, 1);
    CHECK(each.series_count >= 4);
    for (uint32_t i = 0; i < each.series_count; i++) {
        CHECK(each.series[i].count >= 2);
        for (uint32_t step = 1; step < each.series[i].count; step++)
            CHECK(each.series[i].steps[step].time > each.series[i].steps[step - 1].time);
    }
    CHECK(mmu_of(each.series, each.series_count, 10000000, NULL) <=
          mmu_of(machine.series, 1, 10000000, NULL));
    CHECK_UINT(machine.gc.finished_count, 11); /* as in facts.json */
    CHECK_INT(machine.gc.mark_ns, 34490176);
    CHECK_INT(machine.gc.stw_ns, 9891840);
    CHECK_UINT(machine.gc.assist_count, 151);
    CHECK_UINT(machine.gc.stw_count, 27);
    CHECK(machine.gc.heap_max > machine.gc.heap_min && machine.gc.heap_min > 0);
    go_stats_release(&machine);
    go_stats_release(&each);
}

/* -- damaged files -- */

TEST(every_prefix_has_answers)
{
    static const char *const SMALL[] = { "go119_tiny.trace", "go122_annot_cpuprofile.trace",
                                         "go126_cgo.trace" };
    GoStatsRequest           request = usual();
    for (size_t i = 0; i < sizeof SMALL / sizeof SMALL[0]; i++) {
        Bytes file = { 0 };
        go_file_read(SMALL[i], &file);
        for (size_t size = 0; size < file.size; size++) {
            GoStats stats;
            Err     err;
            bool    done = go_stats_bytes(file.data, size, &request, &stats, &err);
            CHECK(done == (size >= 16));
            /* only the last generation has an end */
            if (done && i == 2 && size > 16) CHECK(!stats.complete);
            for (uint32_t g = 0; g < stats.goroutine_count; g++)
                CHECK(stats.goroutines[g].total >= 0);
            go_stats_release(&stats);
        }
        bytes_release(&file);
    }
}

TEST(memory_may_end_anywhere)
{
    GoStatsRequest request = usual();
    Bytes          file = { 0 };
    bool           done = false;
    go_file_read("go126_chans.trace", &file);
    for (uint64_t n = 0; !done; n++) {
        GoStats stats;
        Err     err;
        memory_fail_after(n);
        done = go_stats_bytes(file.data, file.size, &request, &stats, &err);
        memory_fail_after(UINT64_MAX);
        if (!done) CHECK_INT(err.code, ERR_MEMORY);
        go_stats_release(&stats);
        CHECK(n < 10000);
    }
    bytes_release(&file);
}

TEST(other_bytes_are_refused)
{
    GoStatsRequest request = usual();
    GoStats        stats;
    Err            err;
    CHECK(!go_stats_bytes("{\"traceEvents\":[]}   ", 20, &request, &stats, &err));
    CHECK_INT(err.code, ERR_UNKNOWN);
    go_stats_release(&stats);
}

TEST_MAIN("go_stats", TEST_CASE(a_goroutine_does_one_thing_at_a_time),
          TEST_CASE(who_waits_from_the_begin_waits), TEST_CASE(ranges_add_up),
          TEST_CASE(functions_are_sums_of_goroutines), TEST_CASE(sums_of_times_saturate),
          TEST_CASE(profiles_hold_what_the_stacks_hold),
          TEST_CASE(profiles_of_later_versions_are_those_of_go),
          TEST_CASE(a_profile_adds_up_to_the_time_of_goroutines),
          TEST_CASE(tasks_and_regions_have_their_durations), TEST_CASE(the_worst_window_is_found),
          TEST_CASE(no_window_is_worse), TEST_CASE(a_series_is_cut), TEST_CASE(utilisation_by_processor),
          TEST_CASE(every_prefix_has_answers), TEST_CASE(memory_may_end_anywhere),
          TEST_CASE(other_bytes_are_refused))
