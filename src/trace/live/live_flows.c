/* Arrows of a growing trace. Each new slice can change the slice that an arrow is bound to, and the ids of slices. So
 * the latest events of flows are matched and bound again at each absorb, by flow_build.c as in a load. At the end this
 * is done for all events. */
#include "trace/live/live_state.h"
#include "trace/make/flow_log.h"
#include "trace/store/columns.h"
#include "trace/store/flows.h"

enum { MOST_EVENTS = 1 << 15 }; /* binding them takes a few milliseconds */

void live_flows_take(LiveTrace *live)
{
    const FlowEvent *events = live->builder->flows.events.items;
    const size_t     count = vec_count(&live->builder->flows.events);
    for (size_t i = live->flows.known; i < count; i++)
        if (events[i].tick < live->flows.from) live->flows.from = events[i].tick;
    live->flows.known = count;
}

/* Records a change from the begin of the earliest arrow that reaches a changed part. */
static void note_arrows(LiveTrace *live)
{
    const Trace  *trace = &live->trace;
    const int64_t from =
        live->flows.from < live->now.change->from_tick ? live->flows.from : live->now.change->from_tick;
    int64_t earliest = from;
    for (uint64_t i = 0; i < trace->flows.count; i++) {
        const int64_t a = trace_flow_tick(trace, i, FLOW_FROM), b = trace_flow_tick(trace, i, FLOW_TO);
        const int64_t first = a < b ? a : b, last = a < b ? b : a;
        if (last >= from && first < earliest) earliest = first;
    }
    live->now.change->any = true;
    live->now.change->from_tick = earliest;
}

bool live_flows_bind(LiveTrace *live)
{
    TraceBuilder *builder = live->builder;
    const Bytes   log = builder->flows.events.bytes;
    const size_t  count = VECTOR_COUNT(log, FlowEvent);
    const bool    any_new = live->flows.from < INT64_MAX, is_whole = live->flows.hidden == 0;
    if (!any_new && (count == 0 || !live->now.change->any) && (is_whole || !live->now.settles)) return true;
    const size_t first = live->now.settles || count <= MOST_EVENTS ? 0 : count - MOST_EVENTS;
    const Arena  arena = builder->arena;
    columns_release(&live->trace, COLUMNS_FLOWS);
    live->trace.flows = (FlowColumns){ .count = 0 };
    arena_clear(&live->flows.tables);
    builder->arena = live->flows.tables; /* the arrows live until they are made again */
    builder->flows.events.bytes = (Bytes){ .size = (count - first) * sizeof(FlowEvent) };
    if (count > 0) builder->flows.events.bytes.data = log.data + first * sizeof(FlowEvent);
    const bool done = flows_build(live->finish);
    live->flows.tables = builder->arena;
    builder->arena = arena;
    builder->flows.events.bytes = log;
    arrow_log_clear(&builder->flows.arrows);
    arena_clear(&builder->log_arena);
    live->flows.hidden = first;
    if (done) note_arrows(live);
    live->flows.from = INT64_MAX;
    if (!done) live->failed = true;
    return done;
}

void live_flows_drop(LiveTrace *live, int64_t tick)
{
    FlowEvent *events = live->builder->flows.events.items;
    size_t     kept = 0;
    for (size_t i = 0; i < vec_count(&live->builder->flows.events); i++)
        if (events[i].tick >= tick) events[kept++] = events[i];
    live->builder->flows.events.bytes.size = kept * sizeof *events;
    live->flows.known = kept;
}

void live_flows_release(LiveTrace *live)
{
    columns_release(&live->trace, COLUMNS_FLOWS);
    arena_release(&live->flows.tables);
    workspace_release(&live->finish->workspaces[0]);
}
