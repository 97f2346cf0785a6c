/* varve-bench-flame [SLICES] - adds up the call tree of a made trace (nested_trace.h) of 10,000,000 slices unless
 * SLICES says otherwise. Prints the seconds of one core: CPU time, the least of five runs. Below 0.5 s for 10,000,000
 * slices in a release build. */
#include "analysis/flame.h"
#include "nested_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RUNS = 5 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int main(int count, char **words)
{
    const uint64_t slices = count > 1 ? strtoull(words[1], NULL, 10) : 10000000;
    Err            err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    Trace         *trace = nested_trace_make(slices, 1, &err);
    double         least = 0;
    if (trace == NULL) return 1;
    for (int run = 0; run < RUNS; run++) {
        const FlameQuery query = { .part.begin_tick = INT64_MIN, .part.end_tick = INT64_MAX };
        Flame            flame;
        const double     begin = now();
        if (!flame_create(trace->strings, &flame, &err) || !flame_add_slices(&flame, trace, &query, &err))
            return 1;
        const double seconds = now() - begin;
        if (run == 0 || seconds < least) least = seconds;
        if (run == RUNS - 1)
            printf("%" PRIu64 " slices, %" PRIu32 " frames: %.3f s\n", trace_slice_count(trace),
                   flame.node_count - 1, least);
        flame_release(&flame);
    }
    trace_release(trace);
    return 0;
}
