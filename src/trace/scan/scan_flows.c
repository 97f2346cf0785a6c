/* The arrows of a scan. */
#include "trace/scan/scan_table.h"
#include "trace/store/flows.h"

#include <assert.h>

/* Returns the arrows that begin in the row's slices of the range. */
ScanRun scan_flows_of_row(const ScanScope *scope, const Row *row)
{
    if (scope->trace->flows.count == 0) return (ScanRun){ .first = 0 };
    const ScanRun   slices = scan_slices_of_row(scope, row);
    const FlowRange range = flows_of_slices(scope->trace, slices.first, slices.end, FLOW_FROM);
    return (ScanRun){ .first = range.first, .end = range.first + range.count };
}

/* Returns the arrows that begin on the track, but in no slice. */
ScanRun scan_flows_of_track(const ScanScope *scope, const Track *track)
{
    const uint32_t  id = (uint32_t)(track - scope->trace->tracks);
    const FlowRange range = flows_of_track(scope->trace, id, FLOW_FROM, 0, UINT64_MAX);
    return (ScanRun){ .first = range.first, .end = range.first + range.count };
}

static bool range_meets(const ScanQuery *query, int64_t begin, int64_t end)
{
    if (query->edges == SCAN_CLOSED) return begin <= query->end_tick && end >= query->begin_tick;
    return begin < query->end_tick && (end > query->begin_tick || begin >= query->begin_tick);
}

static bool end_is_inside(const ScanScope *scope, const FlowEnd *end)
{
    const Trace *trace = scope->trace;
    if (scope->track_counts[end->track] == 0) return false;
    if (end->slice == FLOW_NO_SLICE) return true;
    return range_meets(&scope->query, trace_slice_begin(trace, end->slice),
                       trace_slice_end(trace, end->slice));
}

bool scan_keeps_flow(const ScanScope *scope, uint64_t flow)
{
    if (scan_hides_label(scope, scope->trace->flows.label[flow])) return false;
    const FlowEnd from = trace_flow_end(scope->trace, flow, FLOW_FROM),
                  to = trace_flow_end(scope->trace, flow, FLOW_TO);
    const int64_t later = from.tick > to.tick ? from.tick : to.tick;
    return range_meets(&scope->query, later, later) && end_is_inside(scope, &from) &&
           end_is_inside(scope, &to);
}

static void fill_ends(const Trace *trace, unsigned column, const ScanPart *part, ScanOut out)
{
    const bool     is_from = column == SCAN_FLOW_FROM || column == SCAN_FLOW_FROM_TRACK;
    const FlowSide side = is_from ? FLOW_FROM : FLOW_TO;
    for (uint32_t i = 0; i < part->count; i++) {
        const FlowEnd end = trace_flow_end(trace, part_item(part, i), side);
        if (column == SCAN_FLOW_FROM || column == SCAN_FLOW_TO) {
            out.u64[i] = end.slice;
        } else {
            out.u32[i] = end.track;
        }
    }
}

static void fill_texts(const Trace *trace, unsigned column, const ScanPart *part, uint32_t *out)
{
    for (uint32_t i = 0; i < part->count; i++) {
        const Label *label = &trace->labels[trace->flows.label[part_item(part, i)]];
        out[i] = column == SCAN_FLOW_NAME ? label->name.index : label->category.index;
    }
}

void scan_fill_flows(const ScanScope *scope, unsigned column, const ScanPart *part, ScanOut out)
{
    const Trace *trace = scope->trace;
    static_assert(FLOW_NO_SLICE == UINT64_MAX, "SCAN_NULL_MAX");
    switch (column) {
    case SCAN_FLOW_ID:
        for (uint32_t i = 0; i < part->count; i++)
            out.u64[i] = part_item(part, i);
        break;
    case SCAN_FLOW_FROM_TICK:
    case SCAN_FLOW_TO_TICK:
        for (uint32_t i = 0; i < part->count; i++)
            out.i64[i] = trace_flow_tick(trace, part_item(part, i),
                                         column == SCAN_FLOW_FROM_TICK ? FLOW_FROM : FLOW_TO);
        break;
    case SCAN_FLOW_FROM:
    case SCAN_FLOW_TO:
    case SCAN_FLOW_FROM_TRACK:
    case SCAN_FLOW_TO_TRACK:
        fill_ends(trace, column, part, out);
        break;
    case SCAN_FLOW_LABEL:
        scan_gather(out, part, trace->flows.label, SCAN_U32);
        break;
    case SCAN_FLOW_NAME:
    case SCAN_FLOW_CATEGORY:
        fill_texts(trace, column, part, out.u32);
        break;
    case SCAN_FLOW_FLAGS:
        scan_gather(out, part, trace->flows.flags, SCAN_U8);
        break;
    default:
        assert(false);
    }
}
