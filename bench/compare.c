/* varve-bench-compare [SLICES] - compares two made traces (nested_trace.h) of 10,000,000 slices each unless SLICES says
 * otherwise, by name and by call path. Prints the seconds of one core: CPU time, the least of three runs. */
#include "analysis/compare.h"
#include "nested_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RUNS = 3 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static bool measure(const CompareInput inputs[SIDE_COUNT], CompareBy by, Err *err)
{
    double   least = 0;
    uint32_t rows = 0;
    for (int run = 0; run < RUNS; run++) {
        Comparison   comparison;
        const double begin = now();
        const bool   done = compare_traces(inputs, by, &comparison, err);
        const double seconds = now() - begin;
        if (done) rows = comparison.row_count;
        compare_release(&comparison);
        if (!done) return false;
        if (run == 0 || seconds < least) least = seconds;
    }
    printf("%" PRIu64 " and %" PRIu64 " slices, %" PRIu32 " %s: %.3f s\n",
           trace_slice_count(inputs[SIDE_A].trace), trace_slice_count(inputs[SIDE_B].trace), rows,
           by == COMPARE_BY_NAME ? "names" : "call paths", least);
    return true;
}

int main(int count, char **words)
{
    const uint64_t   slices = count > 1 ? strtoull(words[1], NULL, 10) : 10000000;
    const StatsQuery all = { .part.begin_tick = INT64_MIN, .part.end_tick = INT64_MAX };
    Err              err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    Trace           *a = nested_trace_make(slices, 1, &err), *b = nested_trace_make(slices, 2, &err);
    if (a == NULL || b == NULL) return 1;
    const CompareInput inputs[SIDE_COUNT] = { { a, all }, { b, all } };
    const bool done = measure(inputs, COMPARE_BY_NAME, &err) && measure(inputs, COMPARE_BY_PATH, &err);
    trace_release(a);
    trace_release(b);
    return done ? 0 : 1;
}
