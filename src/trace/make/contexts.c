#include "trace/make/contexts.h"

#include "base/bits.h"
#include "base/hash.h"

#include <string.h>

static uint32_t thread_of(const void *events, uint64_t index)
{
    return ((const ContextEvent *)events)[index].thread;
}

/* ---- pairing ---- */

/* The events of one context have equal keys. */
typedef struct ContextKey {
    uint32_t thread, name, scope, id;
} ContextKey;

static ContextKey key_of(const ContextWalk *walk, const Context *context)
{
    return (ContextKey){ context->thread, walk->labels[context->label].name.index, context->scope.index,
                         context->id.index };
}

/* Returns the bucket of a key. */
static uint32_t *bucket_of(const ContextWalk *walk, ContextKey key)
{
    return &walk->buckets[hash_bytes(&key, sizeof key, walk->key) & (walk->bucket_count - 1)];
}

/* Makes made[i] the latest open context of its bucket. */
static void index_context(ContextWalk *walk, uint32_t i)
{
    uint32_t *bucket = bucket_of(walk, key_of(walk, &walk->made[i]));
    walk->previous[i] = *bucket;
    *bucket = i + 1;
}

/* Closes the innermost open context of the key. False if no such context is open. */
static bool leave(ContextWalk *walk, ContextKey key, int64_t tick)
{
    for (uint32_t *link = bucket_of(walk, key); *link != 0; link = &walk->previous[*link - 1]) {
        const uint32_t   i = *link - 1;
        const ContextKey open = key_of(walk, &walk->made[i]);
        if (memcmp(&open, &key, sizeof key) != 0) continue;
        walk->made[i].end_tick = tick;
        *link = walk->previous[i];
        walk->previous[i] = CONTEXT_CLOSED;
        walk->open_count--;
        return true;
    }
    return false;
}

bool context_step(ContextWalk *walk, const ContextEvent *event)
{
    const Context context = { .thread = event->thread,
                              .label = event->label,
                              .scope = event->scope,
                              .id = event->id,
                              .begin_tick = event->tick,
                              .end_tick = INT64_MAX };
    if (event->kind == CONTEXT_LEFT) return leave(walk, key_of(walk, &context), event->tick);
    walk->made[walk->made_count] = context;
    index_context(walk, walk->made_count++);
    walk->open_count++;
    return true;
}

void context_index(ContextWalk *walk)
{
    for (uint32_t i = 0; i < walk->made_count; i++)
        if (walk->previous[i] != CONTEXT_CLOSED) index_context(walk, i);
}

void context_rewind(ContextWalk *walk)
{
    memset(walk->buckets, 0, walk->bucket_count * sizeof *walk->buckets);
    walk->made_count = walk->open_count = 0;
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
    for (size_t i = 0; i < count; i++) {
        const ContextEvent *event = &events[order[i].index];
        if (!context_step(&c->walk, event))
            workspace_warn(c->ws, &c->work, "unmatched-context", event->offset, event->event,
                           UNMATCHED_CONTEXT);
    }
    if (c->walk.made_count == first) return;
    TrackExtras *extras = track_add_extras(&finish->trace->tracks[track], &finish->builder->arena);
    if (extras == NULL) {
        c->ws->failed = true;
        return;
    }
    extras->first_context = first;
    extras->context_count = c->walk.made_count - first;
}

/* Returns the number of buckets for a number of context events, of which about half enter a context. */
static uint32_t buckets_for(size_t events)
{
    return UINT32_C(1) << bits_highest_u64(events);
}

/* Makes the contexts of all threads, ordered by the builder's thread, which need not be the order of tracks. */
static bool make_contexts(Contexts *c)
{
    TraceBuilder       *builder = c->finish->builder;
    Trace              *trace = c->finish->trace;
    const ContextEvent *fed = builder->objects.contexts.items;
    size_t              count = vec_count(&builder->objects.contexts);
    SortKey            *keys = (SortKey *)workspace_pages(c->ws, &c->ws->keys, count, sizeof(SortKey));
    if (keys == NULL || count >= UINT32_MAX) return false;
    trace->records.contexts = ARENA_ARRAY(&builder->arena, Context, count);
    c->walk = (ContextWalk){ .labels = builder->labels.all.items,
                             .made = trace->records.contexts,
                             .previous = ARENA_ARRAY(&builder->log_arena, uint32_t, count),
                             .buckets = ARENA_ARRAY(&builder->log_arena, uint32_t, buckets_for(count)),
                             .bucket_count = buckets_for(count),
                             .key = hash_random_key() };
    if (c->walk.made == NULL || c->walk.previous == NULL || c->walk.buckets == NULL) return false;
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
    trace->records.context_count = c->walk.made_count;
    for (uint32_t i = 0; i < trace->records.context_count; i++)
        trace->records.contexts[i].thread = c->finish->track_of[trace->records.contexts[i].thread];
    return !c->ws->failed;
}

bool contexts_collect(Finish *finish)
{
    TraceBuilder *builder = finish->builder;
    Trace        *trace = finish->trace;
    trace->records.dump_parts = vec_copy(&builder->objects.dump_parts, &builder->arena);
    trace->records.clock_syncs = vec_copy(&builder->records.clock_syncs, &builder->arena);
    if (trace->records.dump_parts == NULL || trace->records.clock_syncs == NULL) return false;
    trace->records.dump_count = (uint32_t)vec_count(&builder->objects.dump_parts);
    trace->records.clock_sync_count = (uint32_t)vec_count(&builder->records.clock_syncs);
    if (builder->objects.contexts.bytes.failed) return false;
    if (builder->objects.contexts.bytes.size == 0) return true;
    Contexts c = { .finish = finish, .ws = &finish->workspaces[0] };
    bool     done = make_contexts(&c);
    finish->context_warnings = c.work.warnings;
    return done;
}
