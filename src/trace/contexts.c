#include "trace/contexts.h"

#include <string.h>

static uint32_t thread_of(const void *events, uint64_t index)
{
    return ((const ContextEvent *)events)[index].thread;
}

/* ---- one thread ---- */

enum { MOST_SEARCHED = 4096 };

/* The innermost context of this name and id, closed; false when there is none. */
static bool leave(ContextWalk *walk, const ContextEvent *event)
{
    const Label   *labels = walk->labels;
    uint32_t      *open = walk->open;
    const uint32_t count = walk->open_count, last = count > MOST_SEARCHED ? count - MOST_SEARCHED : 0;
    for (uint32_t i = count; i-- > last;) {
        Context *context = &walk->made[open[i]];
        if (labels[context->label].name.index != labels[event->label].name.index ||
            context->id.index != event->id.index || context->scope.index != event->scope.index)
            continue;
        context->end_tick = event->tick;
        memmove(open + i, open + i + 1, (count - i - 1) * sizeof *open);
        walk->open_count--;
        return true;
    }
    return false;
}

bool context_step(ContextWalk *walk, const ContextEvent *event)
{
    if (event->kind == CONTEXT_LEFT) return leave(walk, event);
    walk->open[walk->open_count++] = walk->made_count;
    walk->made[walk->made_count++] = (Context){ .thread = event->thread,
                                                .label = event->label,
                                                .scope = event->scope,
                                                .id = event->id,
                                                .begin_tick = event->tick,
                                                .end_tick = INT64_MAX };
    return true;
}

/* ---- all of them ---- */

typedef struct Contexts {
    Finish     *finish;
    Workspace  *ws;
    TrackWork   work; /* collects warnings */
    ContextWalk walk;
} Contexts;

static void do_thread(Contexts *c, const ContextEvent *events, const SortKey *order, size_t count)
{
    Finish        *finish = c->finish;
    const uint32_t first = c->walk.made_count, track = finish->track_of[events[order[0].index].thread];
    c->walk.open_count = 0;
    for (size_t i = 0; i < count; i++) {
        const ContextEvent *event = &events[order[i].index];
        if (!context_step(&c->walk, event))
            workspace_warn(c->ws, &c->work, "unmatched-context", event->offset, event->event,
                           UNMATCHED_CONTEXT);
    }
    for (uint32_t i = first; i < c->walk.made_count; i++)
        c->walk.made[i].thread = track;
    finish->trace->tracks[track].first_context = first;
    finish->trace->tracks[track].context_count = c->walk.made_count - first;
}

/* Contexts by the builder's threads, which need not be the order of tracks. */
static bool make_contexts(Contexts *c)
{
    TraceBuilder       *builder = c->finish->builder;
    Trace              *trace = c->finish->trace;
    const ContextEvent *fed = VECTOR(builder->context_events, const ContextEvent);
    size_t              count = VECTOR_COUNT(builder->context_events, ContextEvent);
    SortKey            *keys = (SortKey *)workspace_pages(c->ws, &c->ws->keys, count, sizeof(SortKey));
    trace->contexts = ARENA_ARRAY(&builder->arena, Context, count);
    c->walk = (ContextWalk){ .labels = VECTOR(builder->labels, const Label),
                             .made = trace->contexts,
                             .open = ARENA_ARRAY(&builder->log_arena, uint32_t, count) };
    if (keys == NULL || c->walk.made == NULL || c->walk.open == NULL || count >= UINT32_MAX) return false;
    for (size_t i = 0; i < count; i++)
        keys[i] = (SortKey){ (uint64_t)fed[i].tick - (uint64_t)trace->begin_tick, i };
    SortKey *order = workspace_sort_groups(c->ws, keys, count, thread_of, fed);
    if (order == NULL) return false;
    for (size_t first = 0; first < count;) {
        size_t last = first + 1;
        while (last < count && order[last].key == order[first].key)
            last++;
        do_thread(c, fed, order + first, last - first);
        first = last;
    }
    trace->context_count = c->walk.made_count;
    return !c->ws->failed;
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
    if (builder->context_events.failed) return false;
    if (builder->context_events.size == 0) return true;
    Contexts c = { .finish = finish, .ws = &finish->workspaces[0] };
    bool     done = make_contexts(&c);
    finish->context_warnings = c.work.warnings;
    return done;
}
