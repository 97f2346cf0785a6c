/* Which context is active when on which thread, in a trace that grows, and the other things that are told of
 * a trace beside its tracks: memory dumps' ids, comparisons of clocks, moments that no event has reached yet.
 *
 * A thread's events are kept, with the contexts made of them. Events in order of time are paired on; if one comes late,
 * all of its thread are paired again. A context that
 * has not been left stays whatever its age, but for when memory is short and they fill a good part of it. */
#include "trace/live/live_state.h"

#include <stddef.h>
#include <stdlib.h>

static_assert(offsetof(ContextEvent, tick) == 0, "as live_tick_at has it");

static LiveContexts *contexts_at(const LiveTrace *live, uint32_t thread)
{
    return &VECTOR(live->contexts, LiveContexts)[thread];
}

static size_t event_count(const LiveContexts *c)
{
    return VECTOR_COUNT(c->events, ContextEvent);
}

static uint64_t bytes_of(const LiveContexts *c)
{
    return (uint64_t)c->events.size + c->fresh.size + c->made.size + c->previous.size + c->buckets.size;
}

/* What was made is what is read: it may have moved. */
static void publish(LiveTrace *live, uint32_t thread)
{
    const LiveContexts *c = contexts_at(live, thread);
    VECTOR(live->context_lists, ContextList)
    [thread] = (ContextList){ VECTOR(c->made, const Context), (uint32_t)VECTOR_COUNT(c->made, Context) };
}

/* ---- telling ---- */

static bool has_room(Bytes *list, size_t count, size_t size)
{
    return bytes_reserve(list, count * size) != NULL;
}

/* Returns the state after the events that were paired so far. It refers to the memory of `c`. */
static ContextWalk start_walk(const LiveTrace *live, const LiveContexts *c)
{
    return (ContextWalk){ .labels = live->builder->labels.all.items,
                          .made = VECTOR(c->made, Context),
                          .previous = VECTOR(c->previous, uint32_t),
                          .buckets = VECTOR(c->buckets, uint32_t),
                          .bucket_count = (uint32_t)VECTOR_COUNT(c->buckets, uint32_t),
                          .made_count = (uint32_t)VECTOR_COUNT(c->made, Context),
                          .open_count = c->open_count,
                          .key = live->context_key };
}

/* Stores the counts of the walk. */
static void end_walk(LiveContexts *c, const ContextWalk *walk)
{
    c->made.size = walk->made_count * sizeof *walk->made;
    c->previous.size = walk->made_count * sizeof *walk->previous;
    c->open_count = walk->open_count;
}

/* Makes at least `open` buckets, where `open` is the expected count of open contexts. False when out of memory. */
static bool reserve_buckets(const LiveTrace *live, LiveContexts *c, size_t open)
{
    enum { FEWEST = 4 };
    size_t count = FEWEST;
    while (count < open)
        count *= 2;
    if (count <= VECTOR_COUNT(c->buckets, uint32_t)) return true;
    Bytes buckets = { .data = NULL };
    if (!has_room(&buckets, count, sizeof(uint32_t))) return false;
    buckets.size = count * sizeof(uint32_t);
    memset(buckets.data, 0, buckets.size);
    bytes_release(&c->buckets);
    c->buckets = buckets;
    ContextWalk walk = start_walk(live, c);
    context_index(&walk);
    return true;
}

/* Pairs the thread's events from `first` on. There is room for all results. */
static void tell(LiveTrace *live, LiveContexts *c, size_t first)
{
    ContextEvent *events = VECTOR(c->events, ContextEvent);
    ContextWalk   walk = start_walk(live, c);
    for (size_t i = first; i < event_count(c); i++) {
        ContextEvent *event = &events[i];
        if (!context_step(&walk, event) && event->is_fresh) {
            const EventPos pos = { event->offset,
                                   builder_event_number(live->builder, event->offset, event->event) };
            builder_warn(live->builder, "unmatched-context", pos, UNMATCHED_CONTEXT);
        }
        event->is_fresh = false;
    }
    end_walk(c, &walk);
}

/* ---- taking in ---- */

/* The fresh ones in order of time, then of the input; NULL when out of memory. */
static const SortKey *order_fresh(LiveTrace *live, const LiveContexts *c)
{
    const ContextEvent *fresh = VECTOR(c->fresh, const ContextEvent);
    const size_t        count = VECTOR_COUNT(c->fresh, ContextEvent);
    Workspace          *ws = &live->workspace;
    SortKey            *keys = (SortKey *)workspace_pages(ws, &ws->keys, count, sizeof *keys);
    if (keys == NULL) return NULL;
    for (size_t i = 0; i < count; i++)
        keys[i] = (SortKey){ (uint64_t)fresh[i].tick - (uint64_t)INT64_MIN, i };
    return workspace_sort(ws, keys, count);
}

/* Puts the fresh ones among the events, of which those from `at` on are later than the first of them. */
static void merge(LiveContexts *c, const SortKey *order, size_t at)
{
    const ContextEvent *fresh = VECTOR(c->fresh, const ContextEvent);
    ContextEvent       *events = VECTOR(c->events, ContextEvent);
    size_t              left = VECTOR_COUNT(c->fresh, ContextEvent), old = event_count(c), to = old + left;
    c->events.size = to * sizeof *events;
    while (left > 0) {
        const ContextEvent *next = &fresh[order[left - 1].index];
        if (old > at && events[old - 1].tick > next->tick) {
            events[--to] = events[--old];
        } else {
            events[--to] = *next;
            left--;
        }
    }
    bytes_clear(&c->fresh);
}

/* Removes the results of all events. */
static void start_over(const LiveTrace *live, LiveContexts *c)
{
    ContextWalk walk = start_walk(live, c);
    context_rewind(&walk);
    end_walk(c, &walk);
}

enum { MUCH_TO_TELL = 1 << 14 }; /* events */

/* False (and live->failed): out of memory. *is_put_off: much would have to be told again for little. */
static bool take_fresh(LiveTrace *live, LiveContexts *c, bool *is_put_off)
{
    const size_t   count = event_count(c), fresh = VECTOR_COUNT(c->fresh, ContextEvent);
    const SortKey *order = order_fresh(live, c);
    if (order == NULL || count + fresh >= UINT32_MAX) return false;
    const int64_t tick = VECTOR(c->fresh, const ContextEvent)[order[0].index].tick;
    const size_t  at = live_place_behind(c->events.data, count, sizeof(ContextEvent), tick);
    const bool    is_late = at < count;
    const size_t  again = is_late ? count : 0;
    *is_put_off = live_puts_off(live, fresh, again, MUCH_TO_TELL);
    if (*is_put_off) return true;
    if (!has_room(&c->events, fresh, sizeof(ContextEvent)) || !has_room(&c->made, fresh, sizeof(Context)) ||
        !has_room(&c->previous, fresh, sizeof(uint32_t)) ||
        !reserve_buckets(live, c, c->open_count + fresh + again)) /* so many are open at most */
        return false;
    if (is_late) start_over(live, c);
    merge(c, order, at);
    tell(live, c, count - again);
    live->change->any = true;
    if (tick < live->change->from_tick) live->change->from_tick = tick;
    return true;
}

static bool take_event(LiveTrace *live, const ContextEvent *event)
{
    const LiveContexts none = { .events = { .data = NULL } };
    const ContextList  nothing = { .count = 0 };
    while (VECTOR_COUNT(live->context_lists, ContextList) <= event->thread)
        if (!live_append(live, &live->context_lists, &nothing, sizeof nothing)) return false;
    while (VECTOR_COUNT(live->contexts, LiveContexts) <= event->thread)
        if (!live_append(live, &live->contexts, &none, sizeof none)) return false;
    LiveContexts *c = contexts_at(live, event->thread);
    if (c->fresh.size == 0 &&
        !live_append(live, &live->context_threads, &event->thread, sizeof event->thread))
        return false;
    live->context_bytes += sizeof *event;
    return live_append(live, &c->fresh, event, sizeof *event);
}

/* Tells what is fresh of all threads. */
static bool tell_fresh(LiveTrace *live)
{
    uint32_t *threads = VECTOR(live->context_threads, uint32_t);
    size_t    kept = 0;
    for (size_t i = 0; i < VECTOR_COUNT(live->context_threads, uint32_t); i++) {
        LiveContexts  *c = contexts_at(live, threads[i]);
        const uint64_t before = bytes_of(c);
        bool           is_put_off = false;
        const bool     done = take_fresh(live, c, &is_put_off);
        publish(live, threads[i]);
        if (!done) {
            live->failed = true;
            return false;
        }
        live->context_bytes += bytes_of(c) - before;
        if (is_put_off) threads[kept++] = threads[i];
    }
    live->context_threads.size = kept * sizeof *threads;
    return true;
}

static void refer_to_lists(LiveTrace *live)
{
    Trace *trace = &live->trace;
    live->places.contexts = VECTOR(live->context_lists, const ContextList);
    live->places.context_lists = (uint32_t)VECTOR_COUNT(live->contexts, LiveContexts);
    trace->records.dump_parts = VECTOR(live->dump_parts, DumpPart);
    trace->records.dump_count = (uint32_t)VECTOR_COUNT(live->dump_parts, DumpPart);
    trace->records.clock_syncs = VECTOR(live->clock_syncs, ClockSync);
    trace->records.clock_sync_count = (uint32_t)VECTOR_COUNT(live->clock_syncs, ClockSync);
}

bool live_contexts_absorb(LiveTrace *live)
{
    const TraceBuilder *builder = live->builder;
    const ContextEvent *events = builder->objects.contexts.items;
    bool                done = true;
    for (size_t i = 0; done && i < vec_count(&builder->objects.contexts); i++)
        done = take_event(live, &events[i]);
    done = done && tell_fresh(live) &&
           live_append(live, &live->dump_parts, builder->objects.dump_parts.bytes.data,
                       builder->objects.dump_parts.bytes.size) &&
           live_append(live, &live->clock_syncs, builder->records.clock_syncs.bytes.data,
                       builder->records.clock_syncs.bytes.size);
    refer_to_lists(live);
    return done;
}

/* ---- letting go ---- */

/* Of contexts that were left before `tick`, and, if `open` says so, of those that were entered before and
 * never left. */
static void drop_contexts(LiveTrace *live, LiveContexts *c, int64_t tick, bool open)
{
    const Context *made = VECTOR(c->made, const Context);
    ContextEvent  *events = VECTOR(c->events, ContextEvent);
    const size_t   count = event_count(c);
    size_t         kept = 0;
    for (size_t i = 0; i < count; i++) {
        bool stays = events[i].tick >= tick;
        if (events[i].kind == CONTEXT_ENTERED) {
            const bool goes_open = open && made->end_tick == INT64_MAX && made->begin_tick < tick;
            stays = made->end_tick >= tick && !goes_open;
            made++;
        }
        if (stays) events[kept++] = events[i];
    }
    if (kept == count) return;
    c->events.size = kept * sizeof *events;
    start_over(live, c);
    tell(live, c, 0); /* no more are made, nor open at once, than there were */
    if (kept + c->fresh.size > 0) return;
    bytes_release(&c->events);
    bytes_release(&c->fresh);
    bytes_release(&c->made);
    bytes_release(&c->previous);
    bytes_release(&c->buckets);
}

/* Whether contexts that were never left, which mostly are few, fill a good part of what may be kept. */
static bool are_open_ones_many(const LiveTrace *live)
{
    enum { SHARE = 8, OPEN_BYTES = sizeof(ContextEvent) + sizeof(Context) + 2 * sizeof(uint32_t) };
    uint64_t open = 0;
    for (uint32_t i = 0; i < VECTOR_COUNT(live->contexts, LiveContexts); i++)
        open += contexts_at(live, i)->open_count;
    return open * OPEN_BYTES > live->options.keep_bytes / SHARE;
}

static void drop_all_contexts(LiveTrace *live, int64_t tick, bool at_once)
{
    const bool open = at_once && are_open_ones_many(live);
    for (uint32_t i = 0; i < VECTOR_COUNT(live->contexts, LiveContexts); i++) {
        LiveContexts  *c = contexts_at(live, i);
        const uint64_t before = bytes_of(c);
        drop_contexts(live, c, tick, open);
        publish(live, i);
        live->context_bytes += bytes_of(c) - before;
    }
}

static int compare_offsets(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Where the events of the dumps stand whose marks are still there, in order; NULL when out of memory. */
static const uint64_t *marked_dumps(LiveTrace *live, size_t *count)
{
    const LiveTrack *tracks = VECTOR(live->marks[MARKS_DUMPS], const LiveTrack);
    const size_t     track_count = VECTOR_COUNT(live->marks[MARKS_DUMPS], LiveTrack);
    size_t           all = 0;
    *count = 0;
    for (size_t i = 0; i < track_count; i++)
        all += (size_t)tracks[i].instant_count;
    uint64_t *offsets = ARENA_ARRAY(&live->scratch, uint64_t, all);
    for (size_t i = 0; offsets != NULL && i < track_count; i++) {
        const LiveRow *row = live_row_find(&tracks[i], 0, 0);
        for (uint32_t n = 0; row != NULL && n < row->row.extras->instant_count; n++)
            offsets[(*count)++] = live->trace.instants.source[row->row.extras->first_instant + n] - 1;
    }
    if (*count > 1) qsort(offsets, *count, sizeof *offsets, compare_offsets);
    return offsets;
}

static bool drop_dumps(LiveTrace *live)
{
    DumpPart       *parts = VECTOR(live->dump_parts, DumpPart);
    size_t          kept = 0, at = 0, count;
    const uint64_t *marked = marked_dumps(live, &count);
    if (marked == NULL) return false;
    for (size_t i = 0; i < VECTOR_COUNT(live->dump_parts, DumpPart); i++) { /* in order as well */
        while (at < count && marked[at] < parts[i].offset)
            at++;
        if (at < count && marked[at] == parts[i].offset) parts[kept++] = parts[i];
    }
    live->dump_parts.size = kept * sizeof *parts;
    return true;
}

static void drop_clock_syncs(LiveTrace *live, int64_t tick)
{
    ClockSync *syncs = VECTOR(live->clock_syncs, ClockSync);
    size_t     kept = 0;
    for (size_t i = 0; i < VECTOR_COUNT(live->clock_syncs, ClockSync); i++)
        if (syncs[i].tick >= tick) syncs[kept++] = syncs[i];
    live->clock_syncs.size = kept * sizeof *syncs;
}

/* Those behind the latest event may wait for ever: where memory is short only so many can. */
static void drop_moments(LiveTrace *live, int64_t tick, bool at_once)
{
    enum { MOST_WAITING = 1 << 12 };
    InstantMark *moments = VECTOR(live->moments, InstantMark);
    size_t       kept = 0;
    for (size_t i = 0; i < VECTOR_COUNT(live->moments, InstantMark); i++)
        if (moments[i].tick >= tick) moments[kept++] = moments[i];
    live->moments.size = at_once && kept > MOST_WAITING ? 0 : kept * sizeof *moments;
}

bool live_contexts_drop(LiveTrace *live, int64_t tick, bool at_once)
{
    drop_clock_syncs(live, tick);
    drop_moments(live, tick, at_once);
    drop_all_contexts(live, tick, at_once);
    const bool done = drop_dumps(live);
    refer_to_lists(live);
    if (!done) live->failed = true;
    return done;
}

/* ---- other ticks, release ---- */

static void convert_events(Bytes *list, ClockConversion *conversion)
{
    ContextEvent *events = VECTOR(*list, ContextEvent);
    for (size_t i = 0; i < VECTOR_COUNT(*list, ContextEvent); i++)
        clock_convert(conversion, &events[i].tick);
}

void live_contexts_convert(LiveTrace *live, ClockConversion *conversion)
{
    for (uint32_t i = 0; i < VECTOR_COUNT(live->contexts, LiveContexts); i++) {
        LiveContexts *c = contexts_at(live, i);
        Context      *made = VECTOR(c->made, Context);
        convert_events(&c->events, conversion);
        convert_events(&c->fresh, conversion);
        for (size_t m = 0; m < VECTOR_COUNT(c->made, Context); m++) {
            clock_convert(conversion, &made[m].begin_tick);
            if (made[m].end_tick < INT64_MAX) clock_convert(conversion, &made[m].end_tick);
        }
    }
    for (size_t i = 0; i < VECTOR_COUNT(live->clock_syncs, ClockSync); i++)
        clock_convert(conversion, &VECTOR(live->clock_syncs, ClockSync)[i].tick);
    for (size_t i = 0; i < VECTOR_COUNT(live->moments, InstantMark); i++)
        clock_convert(conversion, &VECTOR(live->moments, InstantMark)[i].tick);
}

void live_contexts_release(LiveTrace *live)
{
    for (uint32_t i = 0; i < VECTOR_COUNT(live->contexts, LiveContexts); i++) {
        LiveContexts *c = contexts_at(live, i);
        bytes_release(&c->events);
        bytes_release(&c->fresh);
        bytes_release(&c->made);
        bytes_release(&c->previous);
        bytes_release(&c->buckets);
    }
    bytes_release(&live->contexts);
    bytes_release(&live->context_lists);
    bytes_release(&live->context_threads);
    bytes_release(&live->dump_parts);
    bytes_release(&live->clock_syncs);
    bytes_release(&live->moments);
}

uint64_t live_contexts_bytes(const LiveTrace *live)
{
    return live->context_bytes + live->dump_parts.size + live->clock_syncs.size + live->moments.size;
}
