#include "trace/flow_log.h"

#include <assert.h>

static uint64_t flow_hash(const TraceBuilder *builder, uint32_t index)
{
    FlowLog flow = VECTOR(builder->flows, FlowLog)[index];
    return hash_mix(flow.key.index, flow.process.index);
}

FlowId builder_flow(TraceBuilder *builder, ProcessId process, StringId key, StringId alias)
{
    FlowId none = { 0 };
    if (builder->flows.size == 0 && vector_push(builder, &builder->flows, sizeof(FlowLog)) == NULL)
        return none;
    if (!index_map_reserve(builder, &builder->flow_map, flow_hash)) return none;
    IndexMap *map = &builder->flow_map;
    uint32_t  at = (uint32_t)hash_mix(key.index, process.index) & (map->capacity - 1);
    for (; map->slots[at] != 0; at = (at + 1) & (map->capacity - 1)) {
        FlowLog known = VECTOR(builder->flows, FlowLog)[map->slots[at]];
        if (known.process.index == process.index && known.key.index == key.index)
            return (FlowId){ map->slots[at] };
    }
    size_t   index = VECTOR_COUNT(builder->flows, FlowLog);
    FlowLog *flow = (FlowLog *)vector_push(builder, &builder->flows, sizeof(FlowLog));
    if (flow == NULL) return none;
    *flow = (FlowLog){ process, key, alias };
    map->slots[at] = (uint32_t)index;
    map->count++;
    return (FlowId){ (uint32_t)index };
}

void builder_flow_event(TraceBuilder *builder, FlowId flow, FlowRole role, FlowBinding binding,
                        TrackId thread, int64_t tick, LabelId label, EventPos pos)
{
    if (flow.index == 0 || is_observed(builder)) return;
    FlowEvent *event = (FlowEvent *)vector_push(builder, &builder->flow_events, sizeof(FlowEvent));
    if (event == NULL) return;
    uint64_t place = pos.offset << PLACE_BITS | (uint64_t)binding << FLOW_BINDING_SHIFT | (uint64_t)role;
    *event = (FlowEvent){ tick, place, flow.index, thread.index, label.index, (uint32_t)pos.event };
    builder_note_time(builder, tick);
}

void builder_arrow(TraceBuilder *builder, FlowPoint from, FlowPoint to, LabelId label)
{
    assert(from.binding != FLOW_BIND_SLICE && to.binding != FLOW_BIND_SLICE);
    if (is_observed(builder)) return;
    if (UNLIKELY(!arrow_log_put(&builder->arrows, from, to, label.index)) &&
        !arrow_log_add(&builder->arrows, &builder->log_arena, from, to, label.index))
        builder->failed = true;
    builder_thread_log(builder, from.thread)->has_events = true;
    builder_thread_log(builder, to.thread)->has_events = true;
    builder_note_time(builder, from.tick);
    builder_note_time(builder, to.tick);
}

void builder_thin_arrows(TraceBuilder *builder)
{
    if (!arrow_log_thin(&builder->arrows, &builder->log_arena)) builder->failed = true;
}
