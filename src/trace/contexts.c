#include "trace/contexts.h"

#include <string.h>

static uint32_t thread_of(const void *events, uint64_t index)
{
    return ((const ContextEvent *)events)[index].thread;
}

typedef struct Contexts {
    Finish    *finish;
    Workspace *ws;
    TrackWork  work; /* collects warnings */
    Bytes      open; /* uint32_t[]: the thread's contexts that are entered */
} Contexts;

/* The innermost context of this name and id, closed; false when there is none. */
static bool leave(Contexts *c, const ContextEvent *event)
{
    const Trace *trace = c->finish->trace;
    const Label *labels = VECTOR(c->finish->builder->labels, const Label);
    uint32_t    *open = VECTOR(c->open, uint32_t);
    size_t       count = VECTOR_COUNT(c->open, uint32_t);
    for (size_t i = count; i-- > 0;) {
        Context *context = &trace->contexts[open[i]];
        if (labels[context->label].name.index != labels[event->label].name.index ||
            context->id.index != event->id.index || context->scope.index != event->scope.index)
            continue;
        context->end_tick = event->tick;
        memmove(open + i, open + i + 1, (count - i - 1) * sizeof *open);
        c->open.size -= sizeof *open;
        return true;
    }
    return false;
}

static void do_thread(Contexts *c, const ContextEvent *events, const SortKey *order, size_t count)
{
    Trace *trace = c->finish->trace;
    bytes_clear(&c->open);
    for (size_t i = 0; i < count; i++) {
        const ContextEvent *event = &events[order[i].index];
        if (event->kind == CONTEXT_ENTERED) {
            uint32_t index = trace->context_count++;
            trace->contexts[index] = (Context){ .thread = c->finish->track_of[event->thread],
                                                .label = event->label,
                                                .scope = event->scope,
                                                .id = event->id,
                                                .begin_tick = event->tick,
                                                .end_tick = INT64_MAX };
            bytes_append(&c->open, &index, sizeof index);
        } else if (!leave(c, event)) {
            workspace_warn(c->ws, &c->work, "unmatched-context", event->offset, event->event,
                           "a context is left that its thread has not entered");
        }
    }
}

/* Contexts by the builder's threads, which need not be the order of tracks. */
static bool make_contexts(Contexts *c)
{
    TraceBuilder       *builder = c->finish->builder;
    const ContextEvent *fed = VECTOR(builder->context_events, const ContextEvent);
    size_t              count = VECTOR_COUNT(builder->context_events, ContextEvent);
    SortKey            *keys = (SortKey *)workspace_pages(c->ws, &c->ws->keys, count, sizeof(SortKey));
    c->finish->trace->contexts = ARENA_ARRAY(&builder->arena, Context, count);
    if (keys == NULL || c->finish->trace->contexts == NULL || count >= UINT32_MAX) return false;
    for (size_t i = 0; i < count; i++)
        keys[i] = (SortKey){ (uint64_t)fed[i].tick - (uint64_t)c->finish->trace->begin_tick, i };
    SortKey *order = workspace_sort_groups(c->ws, keys, count, thread_of, fed);
    if (order == NULL) return false;
    for (size_t first = 0; first < count;) {
        size_t last = first + 1;
        while (last < count && order[last].key == order[first].key)
            last++;
        do_thread(c, fed, order + first, last - first);
        first = last;
    }
    return !c->open.failed && !c->ws->failed;
}

static void *kept(Arena *arena, const Bytes *bytes)
{
    return bytes->failed ? NULL : arena_push_copy(arena, bytes->data, bytes->size);
}

bool contexts_collect(Finish *finish)
{
    TraceBuilder *builder = finish->builder;
    Trace        *trace = finish->trace;
    trace->dump_parts = (DumpPart *)kept(&builder->arena, &builder->dump_parts);
    trace->clock_syncs = (ClockSync *)kept(&builder->arena, &builder->clock_syncs);
    if (trace->dump_parts == NULL || trace->clock_syncs == NULL) return false;
    trace->dump_count = (uint32_t)VECTOR_COUNT(builder->dump_parts, DumpPart);
    trace->clock_sync_count = (uint32_t)VECTOR_COUNT(builder->clock_syncs, ClockSync);
    for (uint32_t i = 0; i < trace->clock_sync_count; i++)
        trace->clock_syncs[i].thread = finish->track_of[trace->clock_syncs[i].thread];
    if (builder->context_events.failed) return false;
    if (builder->context_events.size == 0) return true;
    Contexts c = { .finish = finish, .ws = &finish->workspaces[0] };
    bool     done = make_contexts(&c);
    finish->context_warnings = c.work.warnings;
    bytes_release(&c.open);
    return done;
}
