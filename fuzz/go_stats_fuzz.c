/* Statistics of Go traces on any bytes. Input: a byte of options, 16 bytes of a range, then the trace.
 * Sums of times never wrap, and every index in the answer is inside its table. */
#include "fuzz.h"

#include "format/go/stats/stats.h"

#include <string.h>

enum { OPTION_BYTES = 17, OPTION_OF_GO = 1, OPTION_RANGE = 2, OPTION_FROM_BEGIN = 4 };

static void check_times(const int64_t times[GO_TIME_COUNT], int64_t total)
{
    expect(total >= 0, "a negative total");
    for (int time = 0; time < GO_TIME_COUNT; time++)
        expect(times[time] >= 0, "a negative time");
}

static void check_gc(const GoGc *gc)
{
    const int64_t sums[] = { gc->mark_ns,      gc->stw_ns,        gc->assist_ns, gc->sweep_ns,
                             gc->dedicated_ns, gc->fractional_ns, gc->idle_ns };
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++)
        expect(sums[i] >= 0, "a negative sum of the collector");
    for (uint32_t i = 0; i < gc->cycle_count; i++)
        expect(gc->cycles[i].stw_ns >= 0 && gc->cycles[i].assist_ns >= 0, "a negative sum of a cycle");
    for (uint32_t i = 0; i < gc->stop_count; i++)
        expect(gc->stops[i].total >= gc->stops[i].max && gc->stops[i].max >= 0, "a stop");
}

static void check_stacks(const GoStats *stats)
{
    for (uint32_t i = 0; i < stats->node_count; i++)
        for (int profile = 0; profile < GO_PROFILE_COUNT; profile++)
            expect(stats->nodes[i].ns[profile] >= 0, "a negative wait");
}

static void check_stats(const GoStats *stats)
{
    for (uint32_t i = 0; i < stats->goroutine_count; i++)
        check_times(stats->goroutines[i].of, stats->goroutines[i].total);
    for (uint32_t i = 0; i < stats->function_count; i++) {
        const GoFunction *function = &stats->functions[i];
        expect(function->first < stats->goroutine_count, "a function's goroutine");
        check_times(function->of, function->total);
    }
    for (uint32_t i = 0; i < stats->type_count; i++) {
        const GoUserType *type = &stats->types[i];
        expect(type->min <= type->p50 && type->p50 <= type->p99 && type->p99 <= type->max, "percentiles");
        expect(type->total >= 0, "a negative total of a task or region");
    }
    check_stacks(stats);
    check_gc(&stats->gc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    GoStats stats;
    Err     err;
    int64_t bounds[2];
    if (size < OPTION_BYTES) return 0;
    memcpy(bounds, data + 1, sizeof bounds);
    GoStatsRequest request = { .rules = data[0] & OPTION_OF_GO ? GO_RULES_OF_GO : GO_RULES_OURS,
                               .util = data[0] >> 3,
                               .has_range = (data[0] & OPTION_RANGE) != 0 && bounds[0] < bounds[1],
                               .is_from_begin = (data[0] & OPTION_FROM_BEGIN) != 0,
                               .begin = bounds[0],
                               .end = bounds[1] };
    if (go_stats_bytes(data + OPTION_BYTES, size - OPTION_BYTES, &request, &stats, &err)) check_stats(&stats);
    go_stats_release(&stats);
    return 0;
}
