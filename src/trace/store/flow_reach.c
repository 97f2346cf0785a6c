/* Finds flows that pass over a time range: both ends are outside, one on either side. The flows of each
 * side are in blocks, in order, and each block has the range of their other ends. Blocks without a passing
 * flow are skipped. */
#include "trace/store/flow_reach.h"

#include "trace/store/columns.h"

static FlowSide other_side(FlowSide side)
{
    return side == FLOW_TO ? FLOW_FROM : FLOW_TO;
}

static FlowReach reach_of_block(const Trace *trace, FlowSide side, uint64_t block)
{
    FlowRange all = { side, 0, trace->flows.count };
    uint64_t  first = block * REACH_FLOWS, end = first + REACH_FLOWS;
    FlowReach reach = { INT64_MAX, INT64_MIN };
    if (end > all.count) end = all.count;
    for (uint64_t i = first; i < end; i++) {
        int64_t tick = trace_flow_tick(trace, flow_at(trace, all, i), other_side(side));
        if (tick < reach.least) reach.least = tick;
        if (tick > reach.greatest) reach.greatest = tick;
    }
    return reach;
}

bool flows_map(Trace *trace)
{
    FlowColumns *flows = &trace->flows;
    flows->reach_count = (flows->count + REACH_FLOWS - 1) / REACH_FLOWS;
    if (!columns_map(trace, COLUMNS_FLOWS)) return false;
    for (uint64_t i = 0; i < flows->reach_count; i++)
        flows->reach[FLOW_FROM][i] = flows->reach[FLOW_TO][i] = (FlowReach){ INT64_MAX, INT64_MIN };
    return true;
}

void flow_reach_again(Trace *trace, FlowSide side, uint64_t first, uint64_t end)
{
    if (first / REACH_FLOWS == (end - 1) / REACH_FLOWS) return;
    for (uint64_t block = first / REACH_FLOWS; block * REACH_FLOWS < end; block++)
        trace->flows.reach[side][block] = reach_of_block(trace, side, block);
}

bool flow_reach_check(const Trace *trace)
{
    for (int s = 0; s < 2; s++)
        for (uint64_t i = 0; i < trace->flows.reach_count; i++) {
            FlowReach reach = reach_of_block(trace, (FlowSide)s, i), *said = &trace->flows.reach[s][i];
            if (said->least != reach.least || said->greatest != reach.greatest) return false;
        }
    return true;
}

uint64_t flows_next_reaching(const Trace *trace, FlowRange range, uint64_t at, FlowTowards towards,
                             int64_t tick)
{
    const FlowReach *reach = trace->flows.reach[range.side];
    while (at < range.count) {
        uint64_t         position = range.first + at;
        const FlowReach *block = &reach[position / REACH_FLOWS];
        if (towards == FLOW_BEHIND ? block->greatest < tick : block->least >= tick) {
            at += REACH_FLOWS - position % REACH_FLOWS;
            continue;
        }
        int64_t far = trace_flow_tick(trace, flow_at(trace, range, at), other_side(range.side));
        if (towards == FLOW_BEHIND ? far >= tick : far < tick) return at;
        at++;
    }
    return range.count;
}
