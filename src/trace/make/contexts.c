#include "trace/make/contexts.h"

#include "base/bits.h"
#include "base/hash.h"

#include <string.h>

static uint64_t thread_of(const TraceBuilder *builder, const void *event)
{
    (void)builder;
    return ((const ContextEvent *)event)->thread;
}

/* ---- pairing ---- */

/* State while the events of threads are paired in order of time. The open contexts are in a hash table by thread, name,
 * scope and id. */
typedef struct ContextWalk {
    const Label *labels; /* the builder's */
    Context     *made;   /* by time of entry; has room for all entries; Context.thread is the builder's */
    uint32_t *previous;  /* by open context: 1 + the index of the previous one of the same bucket, 0 = none */
    uint32_t *buckets;   /* 1 + the index of the latest open context, 0 = none */
    uint32_t  bucket_count; /* a power of two */
    uint32_t  made_count;
    uint64_t  key; /* of the hash: random, so that a file cannot choose names and ids that share a bucket */
} ContextWalk;

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

/* Appends an open context: it is the latest of its bucket. */
static void enter(ContextWalk *walk, const Context *context)
{
    uint32_t *bucket = bucket_of(walk, key_of(walk, context));
    walk->made[walk->made_count] = *context;
    walk->previous[walk->made_count] = *bucket;
    *bucket = ++walk->made_count;
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
        return true;
    }
    return false;
}

/* Enters a context, or closes the innermost open context of the same name, scope and id. False if no such context is
 * open. */
static bool step(ContextWalk *walk, const ContextEvent *event)
{
    const Context context = { .thread = event->thread,
                              .label = event->label,
                              .scope = event->scope,
                              .id = event->id,
                              .begin_tick = event->tick,
                              .end_tick = INT64_MAX };
    if (event->kind == CONTEXT_LEFT) return leave(walk, key_of(walk, &context), event->tick);
    enter(walk, &context);
    return true;
}

/* ---- all of them ---- */

/* Pairs the events of one thread, which `order` gives in order of time. */
static void make_thread(Finish *finish, ContextWalk *walk, ContextsMade *made, const SortKey *order,
                        size_t count)
{
    TrackWork      work = { .warnings = finish->context_warnings };
    const uint32_t first = walk->made_count;
    for (size_t i = 0; i < count; i++) {
        const ContextEvent *event = &made->events[order[i].index];
        if (event->kind == CONTEXT_ENTERED) made->entries[walk->made_count] = (uint32_t)order[i].index;
        if (!step(walk, event) && order[i].index >= made->first_fresh)
            workspace_warn(&finish->workspaces[0], &work, "unmatched-context", event->offset, event->event,
                           "a context is left that its thread has not entered");
    }
    finish->context_warnings = work.warnings;
    if (walk->made_count == first) return;
    made->ranges[made->range_count++] = (ContextRange){ .thread = made->events[order[0].index].thread,
                                                        .first = first,
                                                        .count = walk->made_count - first };
}

/* Returns the number of buckets for a number of context events, of which about half enter a context. */
static uint32_t buckets_for(size_t events)
{
    return UINT32_C(1) << bits_highest_u64(events);
}

/* Returns the number of different groups of sorted keys. */
static size_t count_groups(const SortKey *order, size_t count)
{
    size_t groups = 0;
    for (size_t first = 0; first < count; first = sort_group_end(order, first, count))
        groups++;
    return groups;
}

bool contexts_make(Finish *finish, ContextsMade *made)
{
    Workspace   *ws = &finish->workspaces[0];
    const size_t count = made->event_count;
    made->count = made->range_count = 0;
    if (count == 0) return true;
    if (count >= UINT32_MAX) return false;
    const SortKey *order =
        workspace_sort_items(ws, &(SortItems){ made->events, count, sizeof *made->events, thread_of });
    if (order == NULL) return false;
    arena_clear(&ws->scratch);
    ContextWalk walk = { .labels = finish->builder->labels.all.items,
                         .made = ARENA_ARRAY(made->arena, Context, count),
                         .previous = ARENA_ARRAY(&ws->scratch, uint32_t, count),
                         .buckets = ARENA_ARRAY(&ws->scratch, uint32_t, buckets_for(count)),
                         .bucket_count = buckets_for(count),
                         .key = hash_random_key() };
    made->contexts = walk.made;
    made->entries = ARENA_ARRAY(made->work_arena, uint32_t, count);
    made->ranges = ARENA_ARRAY(made->work_arena, ContextRange, count_groups(order, count));
    if (walk.made == NULL || walk.previous == NULL || walk.buckets == NULL || made->entries == NULL ||
        made->ranges == NULL)
        return false;
    for (size_t first = 0, end; first < count; first = end) {
        end = sort_group_end(order, first, count);
        make_thread(finish, &walk, made, order + first, end - first);
    }
    made->count = walk.made_count;
    return !ws->failed;
}

bool contexts_place(const Finish *finish, const ContextsMade *made)
{
    Trace *trace = finish->trace;
    trace->records.contexts = made->contexts;
    trace->records.context_count = made->count;
    for (uint32_t r = 0; r < made->range_count; r++) {
        const ContextRange *range = &made->ranges[r];
        const uint32_t      track = finish->track_of[range->thread];
        for (uint32_t i = range->first; i < range->first + range->count; i++)
            made->contexts[i].thread = track;
        if (track == 0) continue;
        TrackExtras *extras = track_add_extras(&trace->tracks[track], &finish->builder->arena);
        if (extras == NULL) return false;
        extras->first_context = range->first;
        extras->context_count = range->count;
    }
    return true;
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
    ContextsMade made = { .events = builder->objects.contexts.items,
                          .event_count = vec_count(&builder->objects.contexts),
                          .arena = &builder->arena,
                          .work_arena = &builder->log_arena };
    return contexts_make(finish, &made) && contexts_place(finish, &made);
}
