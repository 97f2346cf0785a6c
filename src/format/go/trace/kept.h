/* format/go/trace/kept.h - Trace.source.kept of a Go trace: the offsets of its parts, to read a moment again.
 *
 * It has a few bytes for each generation (1.22 and later) or batch (before), and no bytes for events. ends.h uses
 * it. */
#ifndef FORMAT_GO_TRACE_KEPT_H
#define FORMAT_GO_TRACE_KEPT_H
#include "format/go/trace/go_trace.h"

typedef struct GoKeptGeneration {
    uint64_t offset; /* of its first byte in the input */
    int64_t  time;   /* ns: its begin */
} GoKeptGeneration;

/* The records of a processor between two batches, like V1Segment. */
typedef struct GoKeptSegment {
    uint64_t begin, end, ticks;
    int64_t  p;
} GoKeptSegment;

typedef struct GoKept {
    Arena     arena; /* holds the GoKept itself */
    GoVersion version;
    bool      is_v2;
    ARENA_LIST(GoKeptGeneration) generations; /* in the order of the input */
    uint64_t       end;                       /* offset of the end of the last one read */
    GoKeptSegment *segments; /* in the order of the input, hence by time for each processor */
    uint32_t       segment_count;
    uint64_t       stacks_begin,
        stacks_end; /* offsets of the strings and stacks of frames; both 0: there is no such part */
    uint64_t first_ticks;
    double   ns_per_tick;
} GoKept;

/* Creates an empty one; NULL when out of memory. Release it with go_kept_release, unless builder_keep owns it. */
GoKept *go_kept_create(void) WARN_UNUSED;
void    go_kept_release(void *context);
/* Adds trace->generation, which begins at this time. False when out of memory. */
bool go_kept_generation(GoKept *kept, const GoTrace *trace, int64_t time) WARN_UNUSED;
/* Adds the segments after the last event of a trace of 1.5 to 1.21. False when out of memory. */
bool go_kept_segments(GoKept *kept, const GoV1 *v1) WARN_UNUSED;

#endif
