/* format/go/kept.h - Trace.kept of a Go trace: where its parts stand in the input, so that a moment can be read again.
 *
 * Some bytes for each generation (1.22 and later) or batch (before), never for an event. What is made of it: ends.h. */
#ifndef FORMAT_GO_KEPT_H
#define FORMAT_GO_KEPT_H
#include "format/go/go_trace.h"

typedef struct GoKeptGeneration {
    uint64_t offset; /* in the input, of its first byte */
    int64_t  time;   /* ns: when it begins */
} GoKeptGeneration;

/* A run of records of one processor, as V1Segment. */
typedef struct GoKeptSegment {
    uint64_t begin, end, ticks;
    int64_t  p;
} GoKeptSegment;

typedef struct GoKept {
    Arena          arena; /* it lies in it */
    GoVersion      version;
    bool           is_v2;
    ArenaList      generations; /* GoKeptGeneration, in the order of the input */
    uint64_t       end;         /* offset behind the last one that was read */
    GoKeptSegment *segments; /* in the order of the input: so are those of a processor in the order of time */
    uint32_t       segment_count;
    uint64_t stacks_begin, stacks_end; /* where strings and stacks of frames stand; both 0: there are none */
    uint64_t first_ticks;
    double   ns_per_tick;
} GoKept;

/* NULL when out of memory. Release it with go_kept_release, unless builder_keep has it. */
GoKept *go_kept_create(void) WARN_UNUSED;
void    go_kept_release(void *kept);
/* trace->generation begins, at this time. False when out of memory. */
bool go_kept_generation(GoKept *kept, const GoTrace *trace, int64_t time) WARN_UNUSED;
/* Behind the last event of a trace of 1.5 to 1.21. False when out of memory. */
bool go_kept_segments(GoKept *kept, const GoV1 *v1) WARN_UNUSED;

#endif
