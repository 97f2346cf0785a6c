/* analysis/find_offset.h - the event at a position of the input, for warnings.
 *
 * Finds the event with the greatest known offset that is not above the wanted one: the event itself, or one before it. A trace
 * has the offsets of events with arguments or other details, and of raw events (TraceRecords.others). Of a slice both its begin and
 * its end count. Events with equal offsets show the same event of the input: a slice wins over an instant, and both over a raw
 * event. */
#ifndef ANALYSIS_FIND_OFFSET_H
#define ANALYSIS_FIND_OFFSET_H
#include "trace/store/event_order.h"

typedef struct FoundOffset {
    bool      found; /* else no event with a known offset is at or before it */
    bool      exact; /* the event is at this offset */
    OrderKind kind;  /* ORDER_SLICE, ORDER_INSTANT, ORDER_OTHER */
    uint64_t  id;
    uint64_t  offset; /* of the event */
} FoundOffset;

typedef struct FindOffset FindOffset;

/* Prepares the search, which lives in `arena`. The trace must outlive it. NULL: err filled. */
FindOffset *find_offset_begin(const Trace *trace, uint64_t offset, Arena *arena, Err *err) WARN_UNUSED;
/* Compares about `events` more events. *share gets the part of the work that is done, 0 to 1; 1: *result is final. False: err
 * filled. */
bool find_offset_step(FindOffset *find, uint64_t events, double *share, FoundOffset *result,
                      Err *err) WARN_UNUSED;

#endif
