/* trace/cpu_time.h - the CPU time of threads while a trace is made. For src/trace only.
 *
 * What has one is noted beside the logs, by the offset of its event: so events without cost nothing. */
#ifndef TRACE_CPU_TIME_H
#define TRACE_CPU_TIME_H
#include "trace/finish.h"

typedef struct CpuTime {
    uint64_t    offset; /* of the event */
    int64_t     ns;
    CpuTimeKind kind;
} CpuTime;

/* Puts the notes in order of offset, if they are not. */
void cpu_times_sort(TraceBuilder *builder);

/* Walks notes and slices of a track, which mostly come in the same order. */
typedef struct CpuCursor {
    const CpuTime *times;
    size_t         count, at;
} CpuCursor;

CpuCursor cpu_cursor_over(const TraceBuilder *builder);
/* The note of the event at `offset`; NULL when it has none. */
const CpuTime *cpu_find(CpuCursor *cursor, uint64_t offset);
/* As SliceColumns.cpu: what the notes at a begin and at its end (either may be NULL) say of the slice. */
uint64_t cpu_between(const CpuTime *begin, const CpuTime *end);
/* The same of an interval, and the offset of its end's event (if SLICE_END_SOURCE). */
uint64_t cpu_of_interval(CpuCursor *cursor, const Interval *interval, uint64_t end_offset);

#endif
