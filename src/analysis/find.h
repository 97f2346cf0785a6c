/* analysis/find.h - the next slice or instant that matches something.
 *
 * "Next" and "previous" are in the order of time; at equal times slices come before instants, each in the order of
 * their ids, which follow the rows of the trace. */
#ifndef ANALYSIS_FIND_H
#define ANALYSIS_FIND_H
#include "analysis/find_scan.h"

typedef enum { FIND_NEXT, FIND_PREVIOUS } FindMove;

typedef struct FindQuery {
    const FindPattern *pattern; /* borrowed */
    FindMove           move;
    bool               has_from;
    const Filter      *filter; /* hidden events are not found; NULL = nothing is hidden */
    /* the event to go on from; without it the first (FIND_NEXT) or last of all is found */
    FindEvent from;
} FindQuery;

typedef struct FindResult {
    bool      found;   /* else nothing in the trace matches */
    bool      wrapped; /* there was no more in that direction, it went on at the other end */
    FindEvent event;
    uint64_t  count; /* matches in the whole trace */
    uint64_t  index; /* place of `event` among them, from 1 */
} FindResult;

/* Finds events that match without their arguments. Looks at every slice and instant once. Fails with ERR_USAGE (a regular
 * expression gives up) or ERR_MEMORY. */
bool find_text(const Trace *trace, const FindQuery *query, FindResult *result, Err *err) WARN_UNUSED;

/* The same in steps: between two steps the caller can report the progress, or stop. */
typedef struct FindCount FindCount;
/* Prepares the search, which lives in `arena`. The trace and the pattern must outlive it; the filter need not. NULL: err
 * filled. */
FindCount *find_count_begin(const Trace *trace, const FindQuery *query, Arena *arena, Err *err) WARN_UNUSED;
/* Compares about `events` more labels, slices and instants. *share gets the part of the work that is done, 0 to 1;
 * 1: *result is set. False: err filled. */
bool find_count_step(FindCount *count, uint64_t events, double *share, FindResult *result,
                     Err *err) WARN_UNUSED;
void find_count_release(FindCount *count); /* NULL is allowed; the memory is in the arena */

/* Finds the nearest slice of the same name in the same track in that direction. False if the track has no further one.
 * Slices that the filter hides are passed over; NULL = no filter. */
bool find_same_name(const Trace *trace, const Filter *filter, uint64_t slice, FindMove move, uint64_t *found);

#endif
