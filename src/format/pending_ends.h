/* format/pending_ends.h - a heap of the ends of open slices, for writers that write a trace in order of time. */
#ifndef FORMAT_PENDING_ENDS_H
#define FORMAT_PENDING_ENDS_H
#include "base/vec.h"

/* The end of an open slice. Ends are ordered by tick, then rank, then slice. */
typedef struct PendingEnd {
    int64_t  tick;
    uint64_t rank;
    uint64_t slice;
    uint32_t place; /* for the writer's use: a track or row */
    bool     is_async;
} PendingEnd;

/* The open slices. An end is usually added after one was removed, so the place of that one stays free until then. */
typedef struct PendingEnds {
    VEC(PendingEnd) heap; /* its failure is sticky */
    bool first_is_free;   /* heap.items[0] is removed */
} PendingEnds;

void              pending_end_push(PendingEnds *ends, const PendingEnd *end);
const PendingEnd *pending_end_first(const PendingEnds *ends); /* the least end; NULL = no slice is open */
/* Removes the least end; there must be one. */
PendingEnd pending_end_pop(PendingEnds *ends);

#endif
