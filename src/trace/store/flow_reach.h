/* trace/store/flow_reach.h - arrows that pass over a time range: one end before and one after it. For src/trace only. */
#ifndef TRACE_STORE_FLOW_REACH_H
#define TRACE_STORE_FLOW_REACH_H
#include "trace/store/flows.h"

/* Maps the columns for trace->flows.count arrows, with an empty index. False when out of memory. */
bool flows_map(Trace *trace) WARN_UNUSED;
/* Adds an arrow by its position in the order of a side, with the time of its other end. Call once for each arrow. */
enum { REACH_FLOWS = 64 };
static inline void flow_reach_note(FlowColumns *flows, FlowSide side, uint64_t position, int64_t tick)
{
    FlowReach *reach = &flows->reach[side][position / REACH_FLOWS];
    if (tick < reach->least) reach->least = tick;
    if (tick > reach->greatest) reach->greatest = tick;
}
/* Updates the index after flows in [first, end) have changed their order. */
void flow_reach_again(Trace *trace, FlowSide side, uint64_t first, uint64_t end);
bool flow_reach_check(const Trace *trace);

typedef enum { FLOW_BEFORE, FLOW_BEHIND } FlowTowards;

/* Searches the flows of the range from index `at` (< range.count) on. Returns the first flow whose other end is at
 * `tick` or later (FLOW_BEHIND) or earlier than `tick` (FLOW_BEFORE); range.count if no flow is found. */
uint64_t flows_next_reaching(const Trace *trace, FlowRange range, uint64_t at, FlowTowards towards,
                             int64_t tick);

#endif
