/* The arrows of a scan. */
#include "trace/scan/scan_table.h"
#include "trace/store/flows.h"

#include <assert.h>

ItemRange scan_flows_of_row(const Trace *trace, const TickRange *range, const Row *row)
{
    if (trace->flows.count == 0) return (ItemRange){ 0, 0 };
    const ItemRange slices = range_slices(trace, range, row);
    const FlowRange flows = flows_of_slices(trace, slices.first, slices.end, FLOW_FROM);
    return (ItemRange){ flows.first, flows.first + flows.count };
}

ItemRange scan_flows_of_track(const Trace *trace, const TickRange *range, const Track *track)
{
    (void)range;
    const FlowRange flows =
        flows_of_track(trace, (uint32_t)(track - trace->tracks), FLOW_FROM, 0, UINT64_MAX);
    return (ItemRange){ flows.first, flows.first + flows.count };
}

bool scan_keeps_flow(const ScanScope *scope, uint64_t flow)
{
    if (scan_hides_label(scope, scope->trace->flows.label[flow])) return false;
    const FlowEnd ends[2] = { trace_flow_end(scope->trace, flow, FLOW_FROM),
                              trace_flow_end(scope->trace, flow, FLOW_TO) };
    return scope->track_counts[ends[0].track] != 0 && scope->track_counts[ends[1].track] != 0 &&
           range_has_flow(scope->trace, &scope->range, ends);
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

const void *scan_flows_column(const ScanScope *scope, unsigned column, uint64_t first)
{
    const FlowColumns *flows = &scope->trace->flows;
    return column == SCAN_FLOW_LABEL   ? (const void *)(flows->label + first)
           : column == SCAN_FLOW_FLAGS ? (const void *)(flows->flags + first)
                                       : NULL;
}

void scan_fill_flows(const ScanScope *scope, unsigned column, const ScanPart *part, ScanOut out)
{
    const Trace *trace = scope->trace;
    static_assert(FLOW_NO_SLICE == UINT64_MAX, "SCAN_NULL_MAX");
    switch (column) {
    case SCAN_FLOW_ID:
        scan_fill_ids(part, out.u64);
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
    case SCAN_FLOW_NAME:
    case SCAN_FLOW_CATEGORY:
        for (uint32_t i = 0; i < part->count; i++)
            out.u32[i] = trace->flows.label[part_item(part, i)];
        scan_labels_to_texts(trace, column == SCAN_FLOW_NAME, out.u32, part->count);
        break;
    default:
        assert(false);
    }
}
