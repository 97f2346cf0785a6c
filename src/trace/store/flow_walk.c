/* Walks along arrows: forwards from a slice, back again, and to each of several targets in rotation. */
#include "trace/store/flows.h"

enum { MOST_LOOKED_AT = 1 << 16 };

static FlowSide other_side(FlowSide side)
{
    return side == FLOW_TO ? FLOW_FROM : FLOW_TO;
}

static bool shows(const Trace *trace, const Filter *filter, uint64_t slice)
{
    return filter == NULL || !filter_hides_label(filter, trace_slice_label(trace, slice));
}

static bool comes_before(const Trace *trace, uint64_t a, uint64_t b)
{
    int64_t begin_a = trace_slice_begin(trace, a), begin_b = trace_slice_begin(trace, b);
    return begin_a != begin_b ? begin_a < begin_b : a < b;
}

/* Finds the next slice after `after` in order of time, among the visible slices to which the hub's arrows lead; after
 * the last the first. False if no arrow leads to a slice. */
static bool find_behind(const Trace *trace, const Filter *filter, uint64_t hub, FlowSide towards,
                        uint64_t after, uint64_t *found)
{
    FlowRange range = flows_of_slice(trace, hub, other_side(towards));
    uint64_t  first = FLOW_NO_SLICE, next = FLOW_NO_SLICE;
    for (uint64_t i = 0; i < range.count && i < MOST_LOOKED_AT; i++) {
        uint64_t slice = trace_flow_end(trace, flow_at(trace, range, i), towards).slice;
        if (slice == FLOW_NO_SLICE || !shows(trace, filter, slice)) continue;
        if (first == FLOW_NO_SLICE || comes_before(trace, slice, first)) first = slice;
        if (!comes_before(trace, after, slice)) continue;
        if (next == FLOW_NO_SLICE || comes_before(trace, slice, next)) next = slice;
    }
    *found = next != FLOW_NO_SLICE ? next : first;
    return *found != FLOW_NO_SLICE;
}

static bool leads_to(const Trace *trace, uint64_t from, FlowSide towards, uint64_t slice)
{
    FlowRange range = flows_of_slice(trace, from, other_side(towards));
    for (uint64_t i = 0; i < range.count && i < MOST_LOOKED_AT; i++)
        if (trace_flow_end(trace, flow_at(trace, range, i), towards).slice == slice) return true;
    return false;
}

bool flows_step(const Trace *trace, const Filter *filter, uint64_t slice, FlowSide towards, FlowWalk *walk,
                uint64_t *found)
{
    bool came_here = walk->is_set && walk->last == slice, goes_on = walk->towards == towards;
    if (came_here && !goes_on && shows(trace, filter, walk->hub) &&
        leads_to(trace, slice, towards, walk->hub)) {
        uint64_t other = slice;
        *found = walk->hub; /* back to the hub: the next step from there leads to another slice, */
        (void)find_behind(trace, filter, walk->hub, walk->towards, slice, &other);
        if (other == slice) /* and if no other exists, to this one */
            *walk = (FlowWalk){ .is_set = true, .towards = towards, .hub = slice, .last = *found };
        return true;
    }
    if (walk->is_set && walk->hub == slice && goes_on &&
        find_behind(trace, filter, slice, towards, walk->last, found)) {
        walk->last = *found;
        return true;
    }
    if (flows_follow(trace, slice, towards, found) &&
        (shows(trace, filter, *found) || find_behind(trace, filter, slice, towards, *found, found))) {
        *walk = (FlowWalk){ .is_set = true, .towards = towards, .hub = slice, .last = *found };
        return true;
    }
    if (came_here && goes_on && find_behind(trace, filter, walk->hub, towards, slice, found) &&
        *found != slice) {
        walk->last = *found;
        return true;
    }
    return false;
}
