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

/* A heap; its failure is sticky. */
typedef VEC(PendingEnd) PendingEnds;

void              pending_end_push(PendingEnds *ends, PendingEnd end);
const PendingEnd *pending_end_first(const PendingEnds *ends); /* the least end; NULL = the heap is empty */
/* Removes the least end; the heap must not be empty. */
PendingEnd pending_end_pop(PendingEnds *ends);

#endif
