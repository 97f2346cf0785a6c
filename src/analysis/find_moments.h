/* analysis/find_moments.h - the times at which the events of a search or of a name begin, in buckets, in steps.
 *
 * The marks of the ruler and of the minimap: their size depends on the number of buckets, not on that of the events. */
#ifndef ANALYSIS_FIND_MOMENTS_H
#define ANALYSIS_FIND_MOMENTS_H
#include "analysis/find_scan.h"
#include "trace/wire/moments.h"

typedef struct FindMomentsQuery {
    const FindPattern *pattern; /* borrowed; NULL: see `name` */
    uint32_t           name;    /* without a pattern: the events with the name of this label */
    const Filter      *filter;  /* NULL = nothing is hidden */
    uint64_t           begin;   /* as in Moments */
    uint32_t           level, buckets;
} FindMomentsQuery;

typedef struct FindMoments FindMoments;

/* Prepares the search, which lives in `arena`. The trace and the pattern must outlive it; the filter need not. NULL: err
 * filled. */
FindMoments *find_moments_begin(const Trace *trace, const FindMomentsQuery *query, Arena *arena,
                                Err *err) WARN_UNUSED;
/* Compares about `events` more events. *share: as find_scan_step. False: err filled. */
bool find_moments_step(FindMoments *moments, uint64_t events, double *share, Err *err) WARN_UNUSED;
/* Returns the result of a complete search; its bits are in the arena. */
const Moments *find_moments_result(const FindMoments *moments);
void           find_moments_release(FindMoments *moments); /* NULL is allowed; the memory is in the arena */

#endif
