/* format/pending_ends.h - the ends of slices that were begun, for writers that go through a trace in order of time. */
#ifndef FORMAT_PENDING_ENDS_H
#define FORMAT_PENDING_ENDS_H
#include "base/arena.h"

/* An end that comes later than what is being written. */
typedef struct PendingEnd {
    int64_t  tick;
    uint64_t rank;  /* of several at one tick the least comes first, */
    uint64_t slice; /* then that of the first slice */
    uint32_t place; /* the writer's: a track, a row */
    bool     is_async;
} PendingEnd;

/* A heap in a Bytes, whose failure is sticky. */
void              pending_end_push(Bytes *ends, PendingEnd end);
const PendingEnd *pending_end_first(const Bytes *ends); /* NULL = there is none */
PendingEnd        pending_end_pop(Bytes *ends);         /* there must be one */

#endif
