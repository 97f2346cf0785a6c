#include "trace/store/flows.h"

#include "base/search.h"
#include "trace/store/flow_reach.h"

#include <assert.h>

enum { MOST_FOLLOWED = 1 << 16 };

/* ---- reading ---- */

static uint64_t offset_of_end(const FlowColumns *flows, uint64_t flow, FlowSide side)
{
    uint32_t offset = side == FLOW_FROM ? flows->from_offset[flow] : flows->to_offset[flow];
    if (LIKELY(offset < UINT32_MAX)) return offset;
    const SparseValue *value =
        trace_find_sparse(flows->long_offsets, flows->long_count, 2 * flow + (uint64_t)side);
    return value == NULL ? offset : value->value;
}

static bool is_unbound(const FlowColumns *flows, uint64_t flow, FlowSide side)
{
    return (flows->flags[flow] & (side == FLOW_FROM ? FLOW_FROM_UNBOUND : FLOW_TO_UNBOUND)) != 0;
}

static uint32_t ref_of(const FlowColumns *flows, uint64_t flow, FlowSide side)
{
    return side == FLOW_FROM ? flows->from[flow] : flows->to[flow];
}

int64_t trace_flow_tick(const Trace *trace, uint64_t flow, FlowSide side)
{
    const FlowColumns *flows = &trace->flows;
    assert(flow < flows->count);
    int64_t begin = is_unbound(flows, flow, side) ? trace->begin_tick
                                                  : trace_slice_begin(trace, ref_of(flows, flow, side));
    return (int64_t)((uint64_t)begin + offset_of_end(flows, flow, side));
}

FlowEnd trace_flow_end(const Trace *trace, uint64_t flow, FlowSide side)
{
    const FlowColumns *flows = &trace->flows;
    FlowEnd            end = { .tick = trace_flow_tick(trace, flow, side), .slice = FLOW_NO_SLICE };
    if (is_unbound(flows, flow, side)) {
        end.track = ref_of(flows, flow, side);
        return end;
    }
    end.slice = ref_of(flows, flow, side);
    uint32_t row = trace_slice_row(trace, end.slice);
    end.track = trace->rows[row].track;
    end.row = row - trace->tracks[end.track].first_row;
    return end;
}

uint64_t flow_at(const Trace *trace, FlowRange range, uint64_t i)
{
    assert(i < range.count);
    return range.side == FLOW_FROM ? range.first + i : trace->flows.by_to[range.first + i];
}

/* Returns the place of the arrow at a position in the order of a side. */
static uint64_t place_key(const FlowColumns *flows, FlowSide side, uint64_t position)
{
    uint64_t flow = side == FLOW_FROM ? position : flows->by_to[position];
    return (uint64_t)is_unbound(flows, flow, side) << 32 | ref_of(flows, flow, side);
}

/* Returns the first position whose key is at least `key`. */
static uint64_t lower_bound(const FlowColumns *flows, FlowSide side, uint64_t key)
{
    uint64_t low = 0;
    LOWER_BOUND(uint64_t, low, flows->count, i, place_key(flows, side, i) < key);
    return low;
}

static FlowRange range_of_keys(const Trace *trace, FlowSide side, uint64_t first, uint64_t end)
{
    uint64_t low = lower_bound(&trace->flows, side, first);
    return (FlowRange){ side, low, lower_bound(&trace->flows, side, end) - low };
}

/* Returns the ticks from the trace's begin to the arrow at `position` of a range. */
static uint64_t arrow_offset(const Trace *trace, FlowRange range, uint64_t position)
{
    return trace_since_begin(trace, trace_flow_tick(trace, flow_at(trace, range, position), range.side));
}

/* Returns the number of arrows of a range before `offset`; their times are ascending. */
static uint64_t count_before(const Trace *trace, FlowRange range, uint64_t offset)
{
    uint64_t low = 0;
    LOWER_BOUND(uint64_t, low, range.count, i, arrow_offset(trace, range, i) < offset);
    return low;
}

static FlowRange cut_to_time(const Trace *trace, FlowRange range, uint64_t begin, uint64_t end)
{
    uint64_t before = count_before(trace, range, begin);
    uint64_t by_end = end == UINT64_MAX ? range.count : count_before(trace, range, end);
    range.first += before;
    range.count = by_end > before ? by_end - before : 0;
    return range;
}

FlowRange flows_of_slice(const Trace *trace, uint64_t slice, FlowSide side)
{
    if (slice >= FLOW_SLICE_END) return (FlowRange){ side, 0, 0 };
    return range_of_keys(trace, side, slice, slice + 1);
}

FlowRange flows_of_slices(const Trace *trace, uint64_t first, uint64_t end, FlowSide side)
{
    if (first > FLOW_SLICE_END) first = FLOW_SLICE_END;
    if (end > FLOW_SLICE_END) end = FLOW_SLICE_END;
    return range_of_keys(trace, side, first, end);
}

FlowRange flows_of_row(const Trace *trace, uint32_t row, FlowSide side, uint64_t begin, uint64_t end)
{
    const Row *r = &trace->rows[row];
    return cut_to_time(trace, flows_of_slices(trace, r->first_slice, r->first_slice + r->slice_count, side),
                       begin, end);
}

FlowRange flows_of_track(const Trace *trace, uint32_t track, FlowSide side, uint64_t begin, uint64_t end)
{
    uint64_t key = UINT64_C(1) << 32 | track;
    return cut_to_time(trace, range_of_keys(trace, side, key, key + 1), begin, end);
}

/* Finds the earliest slice at the other end of a range's arrows. */
static bool earliest_of(const Trace *trace, FlowRange range, FlowSide towards, uint64_t *found)
{
    int64_t earliest = 0;
    bool    any = false;
    for (uint64_t i = 0; i < range.count && i < MOST_FOLLOWED; i++) {
        uint64_t flow = flow_at(trace, range, i);
        if (is_unbound(&trace->flows, flow, towards)) continue;
        int64_t tick = trace_flow_tick(trace, flow, towards);
        if (any && tick >= earliest) continue;
        any = true;
        earliest = tick;
        *found = ref_of(&trace->flows, flow, towards);
    }
    return any;
}

/* Steps back from a state: to the slice that ended it, if its arrow leads to the next state at the end of this one;
 * otherwise to the origin of the states that precede it without gaps. */
static bool follow_states(const Trace *trace, uint64_t slice, uint64_t *found)
{
    enum { MOST_STATES = 64 };
    const Row *row = &trace->rows[trace_slice_row(trace, slice)];
    uint64_t   next = slice + 1, first = row->first_slice, end = first + row->slice_count;
    if (next < end && trace_slice_end(trace, slice) == trace_slice_begin(trace, next) &&
        earliest_of(trace, flows_of_slice(trace, next, FLOW_TO), FLOW_FROM, found))
        return true;
    for (int i = 0; i < MOST_STATES && slice > first; i++, slice--) {
        if (trace_slice_end(trace, slice - 1) != trace_slice_begin(trace, slice)) return false;
        if (earliest_of(trace, flows_of_slice(trace, slice - 1, FLOW_TO), FLOW_FROM, found)) return true;
    }
    return false;
}

bool flows_follow(const Trace *trace, uint64_t slice, FlowSide towards, uint64_t *found)
{
    FlowSide side = towards == FLOW_TO ? FLOW_FROM : FLOW_TO;
    if (earliest_of(trace, flows_of_slice(trace, slice, side), towards, found)) return true;
    if (trace->flows.count == 0) return false;
    uint32_t     index = trace->rows[trace_slice_row(trace, slice)].track;
    const Track *track = &trace->tracks[index], *above = track - 1;
    if (track->kind == TRACK_STATES) return side == FLOW_TO && follow_states(trace, slice, found);
    if (track->kind != TRACK_THREAD || above->kind != TRACK_STATES || track_row_count(above) == 0)
        return false;
    uint64_t begin = trace_since_begin(trace, trace_slice_begin(trace, slice));
    uint64_t end = trace_since_begin(trace, trace_slice_end(trace, slice));
    return earliest_of(trace, flows_of_row(trace, above->first_row, side, begin, end), towards, found);
}

/* ---- checks ---- */

static bool fails(Err *err, const char *what, uint64_t index)
{
    return err_set(err, ERR_CORRUPT, "trace_check: %s (%llu)", what, (unsigned long long)index);
}

static bool check_end(const Trace *trace, uint64_t flow, FlowSide side, Err *err)
{
    const FlowColumns *flows = &trace->flows;
    uint32_t           ref = ref_of(flows, flow, side);
    if (is_unbound(flows, flow, side) ? ref == 0 || ref > trace->track_count : ref >= trace->slices.count)
        return fails(err, "an arrow's end at nothing", flow);
    int64_t tick = trace_flow_tick(trace, flow, side);
    if (tick < trace->begin_tick || tick > trace->end_tick)
        return fails(err, "an arrow outside the time", flow);
    if (!is_unbound(flows, flow, side) &&
        (tick < trace_slice_begin(trace, ref) || tick > trace_slice_end(trace, ref)))
        return fails(err, "an arrow's end outside its slice", flow);
    return true;
}

static bool check_order(const Trace *trace, FlowSide side, Err *err)
{
    const FlowColumns *flows = &trace->flows;
    FlowRange          all = { side, 0, flows->count };
    for (uint64_t i = 1; i < flows->count; i++) {
        uint64_t before = place_key(flows, side, i - 1), key = place_key(flows, side, i);
        int64_t  tick_before = trace_flow_tick(trace, flow_at(trace, all, i - 1), side);
        int64_t  tick = trace_flow_tick(trace, flow_at(trace, all, i), side);
        if (before > key || (before == key && tick_before > tick))
            return fails(err, "arrows out of order", i);
    }
    return true;
}

bool flows_check(const Trace *trace, Err *err)
{
    const FlowColumns *flows = &trace->flows;
    uint64_t           sum = 0, long_seen = 0;
    for (uint64_t i = 0; i < flows->count; i++) {
        if (flows->by_to[i] >= flows->count) return fails(err, "an arrow that there is not", i);
        sum += flows->by_to[i];
        if (flows->label[i] > trace->label_count) return fails(err, "an arrow with an unknown label", i);
        if (!check_end(trace, i, FLOW_FROM, err) || !check_end(trace, i, FLOW_TO, err)) return false;
        bool backwards = trace_flow_tick(trace, i, FLOW_TO) < trace_flow_tick(trace, i, FLOW_FROM);
        if (backwards != ((flows->flags[i] & FLOW_BACKWARDS) != 0))
            return fails(err, "an arrow's direction", i);
        long_seen += flows->from_offset[i] == UINT32_MAX;
        long_seen += flows->to_offset[i] == UINT32_MAX;
    }
    if (flows->count > 0 && sum != flows->count * (flows->count - 1) / 2)
        return fails(err, "arrows missing from the order of ends", sum);
    if (long_seen != flows->long_count) return fails(err, "long offsets of arrows", long_seen);
    if (flows->reach_count != (flows->count + REACH_FLOWS - 1) / REACH_FLOWS)
        return fails(err, "the blocks of arrows", flows->reach_count);
    if (!flow_reach_check(trace)) return fails(err, "how far arrows reach", flows->count);
    return check_order(trace, FLOW_FROM, err) && check_order(trace, FLOW_TO, err);
}
