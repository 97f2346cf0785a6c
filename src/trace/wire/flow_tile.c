/* Tiles of flows: flows that begin or end in a band's rows during a window, or in one slice. */
#include "trace/wire/flow_tile.h"

#include "base/checked.h"
#include "trace/store/flow_reach.h"
#include "trace/wire/tile_layout.h"

enum {
    ROW_FLOWS = 64,     /* limit on the ends of a row in a window that are all written ... */
    GROUPS = 32,        /* ... with more ends, the window is divided into this number of groups: */
    GROUP_SAMPLES = 16, /* number of examined flows in each group */
    GROUP_FLOWS = 4,    /* flows that represent a group, each with another row at its other end */
    SLICE_FLOWS = 256,  /* limit on the arrows of one slice, for each side */
    FAR_SLICES = 32,    /* limit on the slices at the other ends ... */
    FAR_FLOWS = 8       /* ... and on their arrows */
};

static void put_end(const Trace *trace, const FlowEnd *end, Bytes *out)
{
    wire_put_u64(out, trace_since_begin(trace, end->tick) + trace->lead);
    wire_put_u32(out, end->track);
    wire_put_u32(out, end->row);
}

/* True if a slice at an end of the flow is hidden, or the label of the flow is. */
static bool is_hidden(const Trace *trace, const Filter *filter, uint64_t flow)
{
    if (filter == NULL) return false;
    if (filter_hides_label(filter, trace->flows.label[flow])) return true;
    for (int s = 0; s < 2; s++) {
        FlowEnd end = trace_flow_end(trace, flow, s == 0 ? FLOW_FROM : FLOW_TO);
        if (end.slice != FLOW_NO_SLICE && filter_hides_label(filter, trace_slice_label(trace, end.slice)))
            return true;
    }
    return false;
}

static void put_flow(const Trace *trace, const Filter *filter, uint64_t flow, uint64_t count, uint32_t flags,
                     Bytes *out)
{
    if (is_hidden(trace, filter, flow)) return;
    FlowEnd from = trace_flow_end(trace, flow, FLOW_FROM), to = trace_flow_end(trace, flow, FLOW_TO);
    if (trace->flows.flags[flow] & FLOW_BACKWARDS) flags |= TILE_FLOW_BACKWARDS;
    wire_put_u32(out, (uint32_t)flow);
    wire_put_u32(out, count > UINT32_MAX ? UINT32_MAX : (uint32_t)count);
    put_end(trace, &from, out);
    put_end(trace, &to, out);
    wire_put_u32(out, trace->flows.label[flow]);
    wire_put_u32(out, flags);
}

static uint32_t side_flags(FlowSide side)
{
    return side == FLOW_TO ? TILE_FLOW_IN : 0;
}

static void put_all(const Trace *trace, const Filter *filter, FlowRange range, Bytes *out)
{
    for (uint64_t i = 0; i < range.count; i++)
        put_flow(trace, filter, flow_at(trace, range, i), 1, side_flags(range.side), out);
}

/* Writes a few flows for a group, each with its share of the examined ones: the counts add up to range.count. */
static void put_group(const Trace *trace, const Filter *filter, FlowRange range, Bytes *out)
{
    struct {
        uint64_t flow, count;
        FlowEnd  far;
    } chosen[GROUP_FLOWS];
    FlowSide far = range.side == FLOW_FROM ? FLOW_TO : FLOW_FROM;
    uint64_t written = 0, seen = 0;
    int      count = 0;
    for (uint64_t i = 0; i < GROUP_SAMPLES; i++) {
        uint64_t flow = flow_at(trace, range, range.count / GROUP_SAMPLES * i);
        if (is_hidden(trace, filter, flow)) continue;
        FlowEnd end = trace_flow_end(trace, flow, far);
        int     at = 0;
        seen++;
        while (at < count && (chosen[at].far.track != end.track || chosen[at].far.row != end.row))
            at++;
        if (at == GROUP_FLOWS) at = GROUP_FLOWS - 1;
        if (at == count) {
            chosen[count].flow = flow;
            chosen[count].far = end;
            chosen[count++].count = 0;
        }
        chosen[at].count++;
    }
    for (int i = 1; i < count; i++) {
        chosen[i].count = chosen[i].count * (range.count / GROUP_SAMPLES);
        written += chosen[i].count;
    }
    if (count == 0) return;
    chosen[0].count = (seen == GROUP_SAMPLES ? range.count : range.count / GROUP_SAMPLES * seen) - written;
    for (int i = 0; i < count; i++)
        put_flow(trace, filter, chosen[i].flow, chosen[i].count, side_flags(range.side), out);
}

typedef FlowRange FindFlows(const Trace *trace, uint32_t of, FlowSide side, uint64_t begin, uint64_t end);

static void put_window(const Trace *trace, const Filter *filter, TileKey key, FindFlows *find, uint32_t of,
                       Bytes *out)
{
    uint64_t begin = tile_begin(key, trace->lead), end = tile_end(key, trace->lead);
    for (int s = 0; s < 2; s++) {
        FlowSide  side = s == 0 ? FLOW_FROM : FLOW_TO;
        FlowRange all = find(trace, of, side, begin, end);
        if (all.count <= ROW_FLOWS) {
            put_all(trace, filter, all, out);
            continue;
        }
        uint64_t part = (UINT64_C(1) << key.level) * (TILE_BUCKETS / GROUPS);
        for (uint64_t at = begin; at < end; at = u64_add_saturated(at, part)) {
            uint64_t  part_end = u64_add_saturated(at, part);
            FlowRange range = find(trace, of, side, at, part_end);
            if (range.count < GROUP_SAMPLES)
                put_all(trace, filter, range, out);
            else
                put_group(trace, filter, range, out);
        }
    }
}

/* ---- arrows that pass over the window ---- */

/* Arrows of a row (one side of it) that begin before the window and end after it, or the opposite. */
typedef struct Passing {
    FlowRange   range;
    FlowTowards towards;
    int64_t     tick;
} Passing;

static uint64_t next_passing(const Trace *trace, const Filter *filter, const Passing *passing, uint64_t at)
{
    for (;; at++) {
        at = flows_next_reaching(trace, passing->range, at, passing->towards, passing->tick);
        if (at == passing->range.count || !is_hidden(trace, filter, flow_at(trace, passing->range, at)))
            return at;
    }
}

/* Writes ROW_FLOWS flows, each with the number of flows that it represents: the counts are exact. */
static void put_passing(const Trace *trace, const Filter *filter, const Passing *passing, Bytes *out)
{
    uint64_t total = 0, end = passing->range.count;
    uint32_t flags = TILE_FLOW_OVER | side_flags(passing->range.side);
    for (uint64_t at = next_passing(trace, filter, passing, 0); at < end; total++)
        at = next_passing(trace, filter, passing, at + 1);
    uint64_t share = (total + ROW_FLOWS - 1) / ROW_FLOWS, seen = 0;
    for (uint64_t at = next_passing(trace, filter, passing, 0); at < end; seen++) {
        uint64_t left = total - seen;
        if (seen % share == 0)
            put_flow(trace, filter, flow_at(trace, passing->range, at), left < share ? left : share, flags,
                     out);
        at = next_passing(trace, filter, passing, at + 1);
    }
}

static void put_over(const Trace *trace, const Filter *filter, TileKey key, FindFlows *find, uint32_t of,
                     Bytes *out)
{
    uint64_t begin = tile_begin(key, trace->lead), end = tile_end(key, trace->lead);
    uint64_t span = trace_span(trace);
    if (begin == 0 || end > span) return; /* no arrow can end before or after it */
    int64_t begin_tick = trace_tick_at(trace, begin), end_tick = trace_tick_at(trace, end);
    for (int s = 0; s < 2; s++) {
        FlowSide side = s == 0 ? FLOW_FROM : FLOW_TO;
        Passing  before = { find(trace, of, side, 0, begin), FLOW_BEHIND, end_tick };
        Passing  behind = { find(trace, of, side, end, UINT64_MAX), FLOW_BEFORE, begin_tick };
        put_passing(trace, filter, &before, out);
        put_passing(trace, filter, &behind, out);
    }
}

static void put_row(const Trace *trace, const Filter *filter, TileKey key, FindFlows *find, uint32_t of,
                    Bytes *out)
{
    put_window(trace, filter, key, find, of, out);
    put_over(trace, filter, key, find, of, out);
}

static void put_band(const Trace *trace, const Filter *filter, TileKey key, Bytes *out)
{
    const Track *track = &trace->tracks[key.track];
    uint32_t     first = (key.band & ~TILE_FLOWS) * TILE_BAND_ROWS;
    for (uint32_t r = first; r < track_row_count(track) && r < first + TILE_BAND_ROWS; r++)
        put_row(trace, filter, key, flows_of_row, track->first_row + r, out);
    if (first == 0) put_row(trace, filter, key, flows_of_track, key.track, out);
}

/* Writes the flows of one side of a slice; the last one represents the rest. */
static uint64_t put_side(const Trace *trace, const Filter *filter, FlowRange range, uint64_t most,
                         uint32_t flags, Bytes *out)
{
    uint64_t written = range.count < most ? range.count : most;
    for (uint64_t i = 0; i < written; i++) {
        uint64_t count = i + 1 == written ? range.count - i : 1;
        put_flow(trace, filter, flow_at(trace, range, i), count, flags | side_flags(range.side), out);
    }
    return written;
}

static void put_slice(const Trace *trace, const Filter *filter, uint64_t slice, Bytes *out)
{
    for (int s = 0; s < 2; s++) {
        FlowSide  side = s == 0 ? FLOW_FROM : FLOW_TO, far = s == 0 ? FLOW_TO : FLOW_FROM;
        FlowRange range = flows_of_slice(trace, slice, side);
        uint64_t  written = put_side(trace, filter, range, SLICE_FLOWS, 0, out);
        for (uint64_t i = 0; i < written && i < FAR_SLICES; i++) {
            FlowEnd end = trace_flow_end(trace, flow_at(trace, range, i), far);
            if (end.slice == FLOW_NO_SLICE || end.slice == slice) continue;
            (void)put_side(trace, filter, flows_of_slice(trace, end.slice, side), FAR_FLOWS, TILE_FLOW_FAR,
                           out);
        }
    }
}

static bool key_is_valid(const Trace *trace, TileKey key)
{
    if (key.track == 0 || key.track > trace->track_count) return false;
    if (key.band == TILE_SLICE_FLOWS)
        return key.level == 0 && key.index < trace->slices.count &&
               trace->rows[trace_slice_row(trace, key.index)].track == key.track;
    uint32_t rows = track_row_count(&trace->tracks[key.track]), band = key.band & ~TILE_FLOWS;
    if (key.level > TILE_MAX_LEVEL || (band > 0 && band >= (rows + TILE_BAND_ROWS - 1) / TILE_BAND_ROWS))
        return false;
    return tile_window_end(key) > trace->lead && tile_begin(key, trace->lead) <= trace_span(trace);
}

bool flow_tile_encode(const Trace *trace, const Filter *filter, TileKey key, Bytes *out, Err *err)
{
    if (!key_is_valid(trace, key)) return err_set(err, ERR_USAGE, "there is no such tile");
    size_t start = out->size;
    tile_put_header(key, 0, out);
    if (key.band == TILE_SLICE_FLOWS)
        put_slice(trace, filter, key.index, out);
    else
        put_band(trace, filter, key, out);
    if (out->failed) return err_set(err, ERR_MEMORY, "out of memory for a tile");
    size_t count = (out->size - start - TILE_HEADER_BYTES) / TILE_FLOW_BYTES;
    bits_store_u32(out->data + start + TILE_FLOW_COUNT_AT, (uint32_t)count);
    return true;
}
