/* varve-bench-extremes [--scale=N] [NAME...] - traces with very large tables: a million threads, a million names, 100,000
 * arrows on the screen, a row of 100 million slices, calls nested 100,000 deep.
 *
 * Each trace is made in a process of its own, with a look-up of the thread and of the name for each slice, as in a reader
 * without a cache. Columns:
 *
 *   ns/event  processor time of all threads, from the first call of the builder to the finished trace, and its ratio to
 *             that of the ordinary trace
 *   MB        peak memory of the process, with the view
 *   open      view_add_trace and the first picture, without the encoding of the outline
 *   frame     view_step and view_draw while the view zooms, pans and scrolls, also from the first row to the last one:
 *             95 % of the frames; the longest one, and its ratio to 8 ms
 *   data      the longest answer to the requests of a frame: tiles encoded and decoded
 *   mirror    the longest list of accessible rows
 *   find      the longest step of a search for rows
 *
 * All times except ns/event are in ms. --scale=N divides all sizes by N. The row of 100 million slices takes 2 GB of memory,
 * the million threads 1.1 GB. */
#include "base/hash.h"
#include "trace/log/builder.h"
#include "view_frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const double FRAME_LIMIT_MS = 8;

/* The slices are towers: `depth` nested slices on one thread, then on the next one. */
typedef struct Extreme {
    const char *name;
    uint64_t    slices;
    uint32_t    threads, names, depth;
    uint32_t    arrows; /* from a tower to a later one on another thread */
} Extreme;

/* The first one is the ordinary trace. */
static const Extreme EXTREMES[] = {
    { "ordinary", 10000000, 8, 100, 4, 0 },  { "threads", 10000000, 1000000, 100, 4, 0 },
    { "names", 10000000, 8, 1000000, 4, 0 }, { "arrows", 800000, 40, 100, 4, 100000 },
    { "row", 100000000, 1, 100, 1, 0 },      { "depth", 10000000, 1, 100, 100000, 0 },
};

typedef struct Result {
    bool     done;
    uint64_t events;
    double   build_ns, peak_mb;
    double   open_ms, frame_ms, longest_frame_ms, longest_data_ms, mirror_ms, find_ms;
} Result;

static double process_cpu_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

typedef struct Making {
    TraceBuilder *builder;
    ProcessId     process;
    uint64_t      event;
    uint16_t      flow_kind;
} Making;

static EventPos next_pos(Making *making)
{
    const uint64_t event = making->event++;
    return (EventPos){ event, event };
}

/* Events are a tick apart. */
static int64_t now_of(const Making *making)
{
    return (int64_t)making->event;
}

static LabelId label_of(const Making *making, uint64_t name)
{
    char      text[32];
    const int size = snprintf(text, sizeof text, "function %" PRIu64, name);
    return builder_label(making->builder, builder_string(making->builder, text, (size_t)size), STRING_NONE);
}

static void add_arrow_end(Making *making, TrackId thread, uint64_t arrow, FlowRole role)
{
    char          key[32];
    const int     size = snprintf(key, sizeof key, "%" PRIu64, arrow);
    TraceBuilder *builder = making->builder;
    const FlowId  flow =
        builder_flow(builder, PROCESS_NONE, builder_string(builder, key, (size_t)size), STRING_NONE);
    const int64_t   tick = now_of(making);
    const EventHead head = { .thread = thread, .tick = tick, .pos = next_pos(making) };
    builder_flow_event(builder, flow, role, FLOW_BIND_ENCLOSING, &head);
    builder_other(builder, OTHER_EVENT, making->flow_kind, &head);
}

/* Adds the ends of arrows in a tower: arrow `tower` begins, and one of the 1000 arrows before it ends. */
static void add_arrows(Making *making, const Extreme *extreme, TrackId thread, uint64_t tower)
{
    enum { BLOCK = 1000, STRIDE = 7919 };
    if (tower < extreme->arrows) add_arrow_end(making, thread, tower, FLOW_START);
    if (tower < BLOCK) return;
    const uint64_t arrow = (tower / BLOCK - 1) * BLOCK + tower * STRIDE % BLOCK;
    if (arrow < extreme->arrows) add_arrow_end(making, thread, arrow, FLOW_FINISH);
}

static Trace *make_trace(const Extreme *extreme, Result *result, Err *err)
{
    Making making = { .builder = builder_create("bench", 0) };
    if (making.builder == NULL) return NULL;
    const double begin_ns = process_cpu_ns();
    making.process = builder_process(making.builder, ident_int(1));
    making.flow_kind = builder_event_kind(making.builder, "flow", 4);
    const uint64_t towers = extreme->slices / extreme->depth;
    TrackId        thread = TRACK_NONE;
    for (uint64_t tower = 0; tower < towers; tower++) {
        for (uint32_t level = 0; level < extreme->depth; level++) {
            const uint64_t slice = tower * extreme->depth + level;
            const LabelId  label = label_of(&making, hash_pair(slice, 0, 1) % extreme->names);
            const int64_t  tick = now_of(&making);
            thread = builder_thread(making.builder, making.process, ident_uint(tower % extreme->threads));
            builder_begin(making.builder, thread, tick, label, next_pos(&making), 0);
        }
        if (extreme->arrows > 0) add_arrows(&making, extreme, thread, tower);
        for (uint32_t level = 0; level < extreme->depth; level++) {
            const int64_t tick = now_of(&making);
            builder_end(making.builder, thread, tick, LABEL_NONE, next_pos(&making), 0);
        }
    }
    Trace *trace = builder_finish(making.builder, 0, NULL, err);
    builder_destroy(making.builder);
    result->events = making.event;
    result->build_ns = process_cpu_ns() - begin_ns;
    return trace;
}

static void keep_most(double *most, double value)
{
    if (value > *most) *most = value;
}

/* Measures the requests of the page beside a frame: the accessible rows, and a search for rows. */
static void measure_rows(BenchView *bench, Result *result)
{
    Bytes  out = { 0 };
    bool   more = true;
    double begin = bench_cpu_ms();
    view_rows_json(bench->view, &out);
    keep_most(&result->mirror_ms, bench_cpu_ms() - begin);
    bytes_release(&out);
    view_find_rows(bench->view, "thread 7");
    while (more) {
        begin = bench_cpu_ms();
        more = view_find_rows_step(bench->view);
        keep_most(&result->find_ms, bench_cpu_ms() - begin);
    }
}

static bool measure_movement(BenchView *bench, const BenchMovement *movement, Result *result, Err *err)
{
    BenchFrameTimes times;
    if (!bench_view_move(bench, movement, &times, err)) return false;
    keep_most(&result->frame_ms, times.frames[BENCH_FRAMES * 95 / 100]);
    keep_most(&result->longest_frame_ms, times.frames[BENCH_FRAMES - 1]);
    keep_most(&result->longest_data_ms, times.data[BENCH_FRAMES - 1]);
    measure_rows(bench, result);
    return true;
}

static double peak_mb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
#ifdef __APPLE__
    return (double)usage.ru_maxrss / 1e6;
#else
    return (double)usage.ru_maxrss * 1024 / 1e6;
#endif
}

static bool measure_view(const Trace *trace, Result *result, Err *err)
{
    BenchView bench;
    bool      done = bench_view_open(&bench, trace, err);
    result->open_ms = bench.open_ms;
    if (done) view_set_flows(bench.view, FLOWS_ALL);
    for (const BenchMovement *movement = BENCH_MOVEMENTS; movement->name != NULL && done; movement++)
        done = measure_movement(&bench, movement, result, err);
    if (done) {
        const double rows_px = view_content_height(bench.view) / ((double)BENCH_FRAMES * 0.9);
        done = measure_movement(&bench, &(BenchMovement){ "scroll all", NULL, rows_px }, result, err);
    }
    bench_view_release(&bench);
    return done;
}

static void measure(const Extreme *extreme, Result *result)
{
    Err    err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    Trace *trace = make_trace(extreme, result, &err);
    result->done = trace != NULL && measure_view(trace, result, &err);
    if (!result->done) fprintf(stderr, "varve-bench-extremes: %s: %s\n", extreme->name, err.message);
    trace_release(trace);
    result->peak_mb = peak_mb();
}

/* Measures in a process of its own. */
static bool measure_apart(const Extreme *extreme, Result *result)
{
    int ends[2], status;
    fflush(stdout);
    if (pipe(ends) != 0) return false;
    const pid_t child = fork();
    if (child == 0) {
        measure(extreme, result);
        _exit(write(ends[1], result, sizeof *result) == sizeof *result && result->done ? 0 : 1);
    }
    close(ends[1]);
    const bool got = child > 0 && read(ends[0], result, sizeof *result) == sizeof *result;
    close(ends[0]);
    return child > 0 && waitpid(child, &status, 0) == child && got && result->done;
}

static Extreme scaled(Extreme extreme, uint32_t scale)
{
    extreme.slices /= scale;
    if (extreme.threads > 1000) extreme.threads /= scale;
    if (extreme.names > 1000) extreme.names /= scale;
    if (extreme.depth > 1000) extreme.depth /= scale;
    extreme.arrows /= scale;
    return extreme;
}

static bool is_chosen(const char *name, int count, char **words)
{
    bool any = false;
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], name) == 0) return true;
        any = any || words[i][0] != '-';
    }
    return !any;
}

int main(int count, char **words)
{
    enum { EXTREME_COUNT = sizeof EXTREMES / sizeof EXTREMES[0] };
    uint32_t scale = 1;
    double   ordinary_ns = 0;
    for (int i = 1; i < count; i++)
        if (strncmp(words[i], "--scale=", 8) == 0) scale = (uint32_t)strtoul(words[i] + 8, NULL, 10);
    if (scale < 1 || scale > 1000) {
        fprintf(stderr, "varve-bench-extremes: --scale=N: expected 1 to 1000\n");
        return 2;
    }
    printf("%-9s %11s %9s %6s %6s %7s %7s %8s %6s %7s %7s %6s\n", "ms", "events", "ns/event", "ratio", "MB",
           "open", "frame", "longest", "of 8", "data", "mirror", "find");
    for (size_t i = 0; i < EXTREME_COUNT; i++) {
        const Extreme extreme = scaled(EXTREMES[i], scale);
        Result        result = { 0 };
        if (i > 0 && !is_chosen(extreme.name, count, words)) continue;
        if (!measure_apart(&extreme, &result)) return 1;
        const double ns = result.build_ns / (double)result.events;
        if (i == 0) ordinary_ns = ns;
        printf("%-9s %11" PRIu64 " %9.1f %6.2f %6.0f %7.1f %7.2f %8.2f %6.2f %7.2f %7.2f %6.2f\n",
               extreme.name, result.events, ns, ns / ordinary_ns, result.peak_mb, result.open_ms,
               result.frame_ms, result.longest_frame_ms, result.longest_frame_ms / FRAME_LIMIT_MS,
               result.longest_data_ms, result.mirror_ms, result.find_ms);
    }
    return 0;
}
