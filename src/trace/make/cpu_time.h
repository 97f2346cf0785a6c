/* trace/make/cpu_time.h - the CPU time of threads while a trace is made. For src/trace only.
 *
 * CPU times are stored beside the logs, by the offset of their events, so that events without CPU time need no memory
 * for it. */
#ifndef TRACE_MAKE_CPU_TIME_H
#define TRACE_MAKE_CPU_TIME_H
#include "trace/make/finish.h"

/* Sorts the CPU times by offset, unless they are sorted. */
void cpu_times_sort(TraceBuilder *builder);

/* Walks the CPU times and the slices of a track, which are usually in the same order. */
typedef struct CpuCursor {
    const CpuTime *times;
    size_t         count, at;
} CpuCursor;

CpuCursor cpu_cursor_over(const TraceBuilder *builder);
/* Returns the CPU time of the event at `offset`; NULL if it has none. */
const CpuTime *cpu_find(CpuCursor *cursor, uint64_t offset);
/* Returns the same for an interval; end_offset: of its end event (if SLICE_END_SOURCE). */
uint64_t cpu_of_interval(CpuCursor *cursor, const Interval *interval, uint64_t end_offset);

#endif
