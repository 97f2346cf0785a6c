#include "trace/store/range.h"

#include "base/search.h"

TimeAxis trace_time_axis(const Trace *trace)
{
    return (TimeAxis){ &trace->clock, trace->begin_tick, trace_span(trace) };
}

bool range_is_empty(const TickRange *range)
{
    return range->edges == RANGE_CLOSED ? range->begin > range->end : range->begin >= range->end;
}

/* True if a part of an event from `begin` to `end` is in the range. */
static bool meets(const TickRange *range, int64_t begin, int64_t end)
{
    if (range->edges == RANGE_CLOSED) return begin <= range->end && end >= range->begin;
    return begin < range->end && (end > range->begin || begin >= range->begin);
}

static bool has_flow_end(const Trace *trace, const TickRange *range, const FlowEnd *end)
{
    return end->slice == FLOW_NO_SLICE ||
           meets(range, trace_slice_begin(trace, end->slice), trace_slice_end(trace, end->slice));
}

bool range_has_flow(const Trace *trace, const TickRange *range, const FlowEnd ends[2])
{
    const int64_t later = ends[0].tick > ends[1].tick ? ends[0].tick : ends[1].tick;
    return meets(range, later, later) && has_flow_end(trace, range, &ends[0]) &&
           has_flow_end(trace, range, &ends[1]);
}

/* Returns the items with ticks in the range, of `count` items from `first` on. bound(tick) is the number of items before a tick. */
static ItemRange between(const Trace *trace, const TickRange *range, const Row *row,
                         uint32_t (*bound)(const Trace *trace, const Row *row, int64_t tick), uint64_t first,
                         uint32_t count)
{
    const bool     closed = range->edges == RANGE_CLOSED;
    const uint32_t from = bound(trace, row, range->begin);
    const uint32_t end =
        closed && range->end == INT64_MAX ? count : bound(trace, row, range->end + (closed ? 1 : 0));
    return (ItemRange){ first + from, first + (end < from ? from : end) };
}

/* Slices of a row do not overlap, so at most one slice that begins before the range extends into it. With closed edges, slices that
 * end at the begin of the range are included. */
ItemRange range_slices(const Trace *trace, const TickRange *range, const Row *row)
{
    if (row->slice_count == 0) return (ItemRange){ row->first_slice, row->first_slice };
    ItemRange slices = between(trace, range, row, row_lower_bound, row->first_slice, row->slice_count);
    while (slices.first > row->first_slice) {
        const int64_t last = trace_slice_end(trace, slices.first - 1);
        if (range->edges == RANGE_CLOSED ? last < range->begin : last <= range->begin) break;
        slices.first--;
    }
    return slices;
}

ItemRange range_instants(const Trace *trace, const TickRange *range, const Row *row)
{
    const RowExtras *extras = row_extras(row);
    return between(trace, range, row, row_instant_bound, extras->first_instant, extras->instant_count);
}

int64_t row_value_end(const Trace *trace, const Row *row, uint64_t value)
{
    const int64_t *ticks = trace->samples.tick;
    if (value + 1 < row_extras(row)->first_sample + row_extras(row)->sample_count) return ticks[value + 1];
    const int64_t held_to = track_extras(&trace->tracks[row->track])->held_to;
    const int64_t end = held_to < trace->end_tick ? held_to : trace->end_tick;
    return end > ticks[value] ? end : ticks[value];
}

ItemRange range_values(const Trace *trace, const TickRange *range, const Row *row)
{
    const RowExtras *extras = row_extras(row);
    const uint64_t   count_end = extras->first_sample + extras->sample_count;
    ItemRange        values =
        between(trace, range, row, row_sample_bound, extras->first_sample, extras->sample_count);
    const bool is_set = values.first < count_end && trace->samples.tick[values.first] == range->begin;
    if (values.first > extras->first_sample && !is_set &&
        (range->edges == RANGE_CLOSED || row_value_end(trace, row, values.first - 1) > range->begin))
        values.first--;
    return values;
}

/* Returns the first sample of a track at or after `tick`. */
static uint64_t sample_bound(const Trace *trace, const Track *track, int64_t tick)
{
    const TrackExtras *extras = track_extras(track);
    uint64_t           low = extras->first_profile;
    LOWER_BOUND(uint64_t, low, low + extras->profile_count, i, trace->profile.tick[i] < tick);
    return low;
}

ItemRange range_samples(const Trace *trace, const TickRange *range, const Track *track)
{
    const TrackExtras *extras = track_extras(track);
    const bool         closed = range->edges == RANGE_CLOSED;
    const uint64_t     end = closed && range->end == INT64_MAX
                                 ? extras->first_profile + extras->profile_count
                                 : sample_bound(trace, track, range->end + (closed ? 1 : 0));
    return (ItemRange){ sample_bound(trace, track, range->begin), end };
}
