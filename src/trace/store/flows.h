/* trace/store/flows.h - flows: arrows from a tick of one slice to a tick of another.
 *
 * A flow has two ends. An end is bound to a slice, or, without a slice at its tick, only to a track. Flows are in the
 * order of their begins: bound ones by slice and then time, unbound ones after them by track and then time. Slices are
 * stored row by row, so the flows that leave a row in a time range are adjacent; FlowColumns.by_to is the same order
 * for their ends. So both directions are found by binary search, and a flow takes 25 bytes.
 *
 * Slices from the 2^32nd on have no flows. */
#ifndef TRACE_STORE_FLOWS_H
#define TRACE_STORE_FLOWS_H
#include "trace/store/filter.h"
#include "trace/store/trace.h"

#define FLOW_NO_SLICE UINT64_MAX
/* The limit on slices with flows. */
#define FLOW_SLICE_END UINT32_MAX

typedef struct FlowEnd {
    int64_t  tick;  /* in the slice, its end included */
    uint64_t slice; /* FLOW_NO_SLICE: unbound */
    uint32_t track;
    uint32_t row; /* within the track; 0 when unbound */
} FlowEnd;

/* Returns an end of arrow `flow` (< flows.count). O(log rows). */
typedef enum { FLOW_FROM, FLOW_TO } FlowSide;
FlowEnd trace_flow_end(const Trace *trace, uint64_t flow, FlowSide side);
/* Returns its time only. */
int64_t trace_flow_tick(const Trace *trace, uint64_t flow, FlowSide side);

/* A range of arrows in the order of one side: [first, first + count). */
typedef struct FlowRange {
    FlowSide side;
    uint64_t first, count;
} FlowRange;

/* Returns the arrows that begin (FLOW_FROM) or end in a slice, by time. O(log arrows). */
FlowRange flows_of_slice(const Trace *trace, uint64_t slice, FlowSide side);
/* Returns the flows that begin or end in the slices [first, end), which are adjacent in a row; by slice, then time. */
FlowRange flows_of_slices(const Trace *trace, uint64_t first, uint64_t end, FlowSide side);
/* Returns the flows that begin or end in a row from tick offset `begin` to before `end` (from the trace's begin). */
FlowRange flows_of_row(const Trace *trace, uint32_t row, FlowSide side, uint64_t begin, uint64_t end);
/* Returns the flows of an unbound end on a track in the same way. */
FlowRange flows_of_track(const Trace *trace, uint32_t track, FlowSide side, uint64_t begin, uint64_t end);
/* Returns arrow `i` (< count) of a range. */
uint64_t flow_at(const Trace *trace, FlowRange range, uint64_t i);

/* Finds the target of `]` (FLOW_TO) or `[` (FLOW_FROM) from a slice: the earliest slice at the other end of one of its
 * flows (of the first 65536). If the flows of a thread are bound to its states, the flows of the states during the slice
 * count. `[` from a state without a flow leads to the slice that ended it (that woke
 * the thread), or else to the origin of the unbroken states before it. */
bool flows_follow(const Trace *trace, uint64_t slice, FlowSide towards, uint64_t *found);

/* The position of a walk along arrows: it went from slice `hub` to `last`. */
typedef struct FlowWalk {
    bool     is_set;  /* it has begun */
    FlowSide towards; /* FLOW_TO: along the arrows; FLOW_FROM: against them */
    uint64_t hub, last;
} FlowWalk;

/* Makes a step from a slice: as flows_follow, but if several arrows leave a slice, each is used in rotation. From the
 * hub, the next step leads to the slice after `last` in order of time, and after the last to the first; so does a step
 * from `last` if it has no arrow in that direction. The step back from `last` leads to the hub, whatever other arrows
 * lead there; from a hub with one arrow only, `last` is then the hub. Skips slices that the filter (NULL = none) hides.
 * False if no arrow leads to a slice. Updates `walk`; it contains slices of the trace. */
bool flows_step(const Trace *trace, const Filter *filter, uint64_t slice, FlowSide towards, FlowWalk *walk,
                uint64_t *found);

/* Checks every invariant of the columns, for trace_check. */
bool flows_check(const Trace *trace, Err *err) WARN_UNUSED;

#endif
