/* trace/flow_reach.h - arrows that pass over a time, both ends outside of it. For src/trace only. */
#ifndef TRACE_FLOW_REACH_H
#define TRACE_FLOW_REACH_H
#include "trace/flows.h"

/* Over columns that are complete. False when out of memory. */
bool     flow_reach_build(Trace *trace) WARN_UNUSED;
void     flow_reach_release(Trace *trace);
uint64_t flow_reach_bytes(const Trace *trace);
bool     flow_reach_check(const Trace *trace);

/* The first arrow at or behind `at` (< range.count) of the range whose other end is at `tick` or later (FLOW_BEHIND), or before
 * it; range.count when there is none. */
typedef enum { FLOW_BEFORE, FLOW_BEHIND } FlowTowards;
uint64_t flows_next_reaching(const Trace *trace, FlowRange range, uint64_t at, FlowTowards towards,
                             int64_t tick);

#endif
