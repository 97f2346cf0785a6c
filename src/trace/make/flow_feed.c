#include "trace/log/own_flows.h"
#include "trace/make/flow_log.h"

#include <assert.h>

FlowId builder_flow(TraceBuilder *builder, ProcessId process, StringId key, StringId alias)
{
    const FlowLog flow = { process, key, alias };
    return (FlowId){ builder_find_or_add(builder, &builder->flows.map, &builder->flows.ids.bytes, &flow,
                                         sizeof flow) };
}

FlowId builder_add_flow(TraceBuilder *builder)
{
    if (builder->failed || builder_add_numbered(builder, &builder->flows.ids) == NULL) return (FlowId){ 0 };
    return (FlowId){ builder_last_index(&builder->flows.ids) };
}

void builder_flow_event(TraceBuilder *builder, FlowId flow, FlowRole role, FlowBinding binding,
                        const EventHead *head)
{
    if (flow.index == 0 || is_observed(builder)) return;
    FlowEvent *event = builder_add(builder, &builder->flows.events);
    if (event == NULL) return;
    uint64_t place =
        head->pos.offset << PLACE_BITS | (uint64_t)binding << FLOW_BINDING_SHIFT | (uint64_t)role;
    *event = (FlowEvent){ head->tick,        place,
                          flow.index,        head->thread.index,
                          head->label.index, (uint32_t)head->pos.event };
    builder_note_time(builder, head->tick);
}

void builder_arrow(TraceBuilder *builder, FlowPoint from, FlowPoint to, LabelId label)
{
    assert(from.binding != FLOW_BIND_SLICE && to.binding != FLOW_BIND_SLICE);
    if (is_observed(builder)) return;
    if (UNLIKELY(!arrow_log_put(&builder->flows.arrows, from, to, label.index)) &&
        !arrow_log_add(&builder->flows.arrows, &builder->log_arena, from, to, label.index))
        builder->failed = true;
    builder_thread_log(builder, from.thread)->has_events = true;
    builder_thread_log(builder, to.thread)->has_events = true;
    builder_note_time(builder, from.tick);
    builder_note_time(builder, to.tick);
}

void builder_thin_arrows(TraceBuilder *builder)
{
    if (!arrow_log_thin(&builder->flows.arrows, &builder->log_arena)) builder->failed = true;
}
