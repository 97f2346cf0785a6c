/* analysis/find_scan.h - reads the slices and instants that a search or a name chooses, without their arguments, in steps.
 *
 * Slices come before instants, each in the order of a scan (trace/scan/scan.h). */
#ifndef ANALYSIS_FIND_SCAN_H
#define ANALYSIS_FIND_SCAN_H
#include "analysis/find_pattern.h"
#include "trace/store/event_order.h"
#include "trace/store/filter.h"

/* A slice or an instant. */
typedef struct FindEvent {
    OrderKind kind; /* ORDER_SLICE, ORDER_INSTANT */
    uint64_t  id;
} FindEvent;

typedef struct FindScanQuery {
    const FindPattern *pattern; /* borrowed; NULL: see `name` */
    uint32_t           name;    /* without a pattern: the events with the name of this label */
    const Filter      *filter;  /* hidden events are left out; NULL = nothing is hidden */
    /* both included; a slice that only touches the range is in it. INT64_MIN and INT64_MAX: everything */
    int64_t begin_tick, end_tick;
} FindScanQuery;

typedef struct FindScan FindScan;
/* Receives a match and its begin. */
typedef void (*FindScanTake)(void *to, FindEvent event, int64_t tick);

/* Prepares the scan, which lives in `arena`. The trace and the pattern must outlive it; the filter need not. NULL: err
 * filled. */
FindScan *find_scan_begin(const Trace *trace, const FindScanQuery *query, Arena *arena, Err *err) WARN_UNUSED;
/* Compares about `events` more labels, slices and instants, and passes the matches to `take`. *share gets the part of the
 * work that is done, 0 to 1; 1: the scan has ended. False: err filled, ERR_USAGE (a regular expression gives up) or
 * ERR_MEMORY. */
bool find_scan_step(FindScan *scan, uint64_t events, FindScanTake take, void *to, double *share,
                    Err *err) WARN_UNUSED;
void find_scan_release(FindScan *scan); /* NULL is allowed; the memory is in the arena */

#endif
