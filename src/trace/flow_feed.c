#include "trace/flow_log.h"

#include <assert.h>

static uint64_t flow_hash(const void *context, uint32_t index)
{
    const TraceBuilder *builder = context;
    const FlowLog      *flow = &VECTOR(builder->flows, const FlowLog)[index];
    return hash_pair(flow->key.index, flow->process.index, builder->hash_key);
}

FlowId builder_flow(TraceBuilder *builder, ProcessId process, StringId key, StringId alias)
{
    FlowId none = { 0 };
    if (builder->flows.size == 0 && vector_push(builder, &builder->flows, sizeof(FlowLog)) == NULL)
        return none;
    uint32_t       found;
    const FlowLog *known = VECTOR(builder->flows, const FlowLog);
    HASH_FIND(&builder->flow_map, hash_pair(key.index, process.index, builder->hash_key), found,
              known[found].process.index == process.index && known[found].key.index == key.index);
    if (found != 0) return (FlowId){ found };
    size_t   index = VECTOR_COUNT(builder->flows, FlowLog);
    FlowLog *flow = (FlowLog *)vector_push(builder, &builder->flows, sizeof(FlowLog));
    if (flow == NULL) return none;
    *flow = (FlowLog){ process, key, alias };
    if (!builder_index_add(builder, &builder->flow_map, (uint32_t)index, flow_hash)) return none;
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
