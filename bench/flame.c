/* varve-bench-flame [SLICES] - adds up the call tree of a made trace, and prints the seconds of one core (CPU time, the
 * least of five runs). Below 0.5 s for 10,000,000 slices in a release build.
 *
 * The trace has one thread whose slices nest 20 deep, 10,000,000 of them if not said. A function calls one of three
 * others on the first eight levels and the same one below: some 30,000 call paths. */
#include "analysis/flame.h"
#include "trace/builder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { DEPTH = 20, BRANCHING_DEPTH = 8, CHOICES = 3, RUNS = 5 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* The label of a choice on a level, "f12_1". */
static LabelId label_of(TraceBuilder *builder, unsigned depth, unsigned choice)
{
    char      name[32];
    const int size = snprintf(name, sizeof name, "f%u_%u", depth, choice);
    return builder_label(builder, builder_string(builder, name, (size_t)size), STRING_NONE);
}

/* A walk up and down between the levels; each step begins or ends a slice. NULL when out of memory. */
static Trace *make_trace(uint64_t slices, Err *err)
{
    TraceBuilder *builder = builder_create("bench", 0);
    if (builder == NULL) return NULL;
    LabelId labels[DEPTH][CHOICES];
    for (unsigned depth = 0; depth < DEPTH; depth++)
        for (unsigned choice = 0; choice < CHOICES; choice++)
            labels[depth][choice] = label_of(builder, depth, choice);
    const TrackId thread = builder_thread(builder, builder_process(builder, ident_int(1)), ident_int(1));
    uint64_t      state = 1, event = 0;
    unsigned      depth = 0;
    int64_t       tick = 0;
    for (uint64_t begun = 0; begun < slices || depth > 0; event++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const unsigned random = (unsigned)(state >> 40);
        const EventPos pos = { event, event };
        tick += 1 + (int64_t)(random % 100);
        if (begun < slices && depth < DEPTH && (depth == 0 || random / 100 % 8 < 5)) {
            const unsigned choice = depth < BRANCHING_DEPTH ? random / 800 % CHOICES : 0;
            builder_begin(builder, thread, tick, labels[depth++][choice], pos, 0);
            begun++;
        } else {
            builder_end(builder, thread, tick, LABEL_NONE, pos, 0);
            depth--;
        }
    }
    Trace *trace = builder_finish(builder, 1, NULL, err);
    builder_destroy(builder);
    return trace;
}

int main(int count, char **words)
{
    const uint64_t slices = count > 1 ? strtoull(words[1], NULL, 10) : 10000000;
    Err            err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    Trace         *trace = make_trace(slices, &err);
    double         least = 0;
    if (trace == NULL) return 1;
    for (int run = 0; run < RUNS; run++) {
        const FlameQuery query = { .begin_tick = INT64_MIN, .end_tick = INT64_MAX };
        Flame            flame;
        const double     begin = now();
        if (!flame_create(trace->strings, &flame, &err) || !flame_add_slices(&flame, trace, &query, NULL, &err))
            return 1;
        const double seconds = now() - begin;
        if (run == 0 || seconds < least) least = seconds;
        if (run == RUNS - 1)
            printf("%" PRIu64 " slices, %" PRIu32 " frames: %.3f s\n", trace_slice_count(trace), flame.node_count - 1,
                   least);
        flame_release(&flame);
    }
    trace_release(trace);
    return 0;
}
