#include "trace/make/cpu_time.h"

#include "base/compare.h"
#include "base/search.h"

#include <stdlib.h>

void builder_cpu_time(TraceBuilder *builder, TrackId thread, EventPos pos, CpuTimeKind kind, int64_t ns)
{
    if (is_observed(builder)) return;
    CpuTime *time = builder_add(builder, &builder->cpu_times);
    if (time == NULL) return;
    *time = (CpuTime){ pos.offset, ns, kind };
    if (thread.index < vec_count(&builder->threads.all))
        builder_log_marks_of(builder, builder_thread_log(builder, thread));
}

void cpu_times_sort(TraceBuilder *builder)
{
    CpuTime *times = builder->cpu_times.items;
    size_t   count = vec_count(&builder->cpu_times);
    for (size_t i = 1; i < count; i++) {
        if (times[i].offset >= times[i - 1].offset) continue;
        qsort(times, count, sizeof *times, compare_first_u64);
        return;
    }
}

CpuCursor cpu_cursor_over(const TraceBuilder *builder)
{
    return (CpuCursor){ builder->cpu_times.items, vec_count(&builder->cpu_times), 0 };
}

/* Returns the index of the first time at or after `offset`, which is usually near the cursor. */
static size_t first_at(const CpuCursor *cursor, uint64_t offset)
{
    enum { NEAR = 8 };
    const CpuTime *times = cursor->times;
    size_t         at = cursor->at < cursor->count ? cursor->at : cursor->count;
    const size_t   near_end = cursor->count - at < NEAR ? cursor->count : at + NEAR;
    if (at == 0 || times[at - 1].offset < offset) {
        while (at < near_end && times[at].offset < offset)
            at++;
        if (at < near_end || at == cursor->count) return at;
    }
    size_t low = 0;
    LOWER_BOUND(size_t, low, cursor->count, i, times[i].offset < offset);
    return low;
}

const CpuTime *cpu_find(CpuCursor *cursor, uint64_t offset)
{
    cursor->at = first_at(cursor, offset);
    if (cursor->at == cursor->count || cursor->times[cursor->at].offset != offset) return NULL;
    return &cursor->times[cursor->at++];
}

/* Returns SliceColumns.cpu of a slice from the CPU times at its begin and at its end (either may be NULL). */
static uint64_t cpu_between(const CpuTime *begin, const CpuTime *end)
{
    if (begin == NULL) return 0;
    if (begin->kind == CPU_LENGTH) return begin->ns < 0 ? 0 : (uint64_t)begin->ns + 1;
    if (end == NULL || end->kind != CPU_READING || end->ns < begin->ns) return 0;
    return (uint64_t)end->ns - (uint64_t)begin->ns + 1;
}

uint64_t cpu_of_interval(CpuCursor *cursor, const Interval *interval, uint64_t end_offset)
{
    const CpuTime *begin = cpu_find(cursor, place_offset(interval->place));
    if (begin == NULL) return 0;
    CpuCursor of_ends = *cursor;
    return cpu_between(begin, interval->place & SLICE_END_SOURCE ? cpu_find(&of_ends, end_offset) : NULL);
}
