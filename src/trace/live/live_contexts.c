/* Contexts of a growing trace, and its other data without a track: ids of memory dumps, clock syncs, instants after
 * the last event.
 *
 * The events of contexts stay in the list of the builder; contexts.c makes the contexts again from all of them. A context that is not left
 * stays, unless memory is short and such contexts fill an eighth of it. */
#include "trace/live/live_state.h"

#include "base/compare.h"

#include <stdlib.h>

static size_t event_count(const LiveTrace *live)
{
    return vec_count(&live->builder->objects.contexts);
}

/* ---- new events ---- */

/* Makes the contexts of all events. Later events are fresh. */
static bool make(LiveTrace *live)
{
    TraceBuilder *builder = live->builder;
    ContextsMade *made = &live->contexts.made;
    Finish       *finish = live->finish;
    arena_clear(&live->contexts.tables);
    arena_clear(&finish->workspaces[0].results);
    finish->context_warnings = NULL;
    made->arena = made->work_arena = &live->contexts.tables;
    made->events = builder->objects.contexts.items;
    made->event_count = event_count(live);
    live->contexts.moved = true;
    if (!contexts_make(finish, made)) {
        live->failed = true;
        return false;
    }
    made->first_fresh = made->event_count;
    for (const TrackWarning *w = finish->context_warnings; w != NULL; w = w->next)
        builder_add_warning(builder, &w->warning);
    return !builder->failed;
}

bool live_contexts_absorb(LiveTrace *live)
{
    enum {
        MUCH = 1 << 14,
        PART = 8
    }; /* make contexts again if a 64th of the events is new: a few milliseconds for 100,000 */
    const ContextEvent *events = live->builder->objects.contexts.items;
    for (size_t i = live->contexts.known; i < event_count(live); i++)
        if (events[i].tick < live->contexts.from) live->contexts.from = events[i].tick;
    live->contexts.known = event_count(live);
    const size_t fresh = event_count(live) - live->contexts.made.first_fresh;
    if (fresh == 0 || live_postpones(live, PART * fresh, event_count(live), MUCH)) return true;
    live->now.change->any = true;
    if (live->contexts.from < live->now.change->from_tick) live->now.change->from_tick = live->contexts.from;
    live->contexts.from = INT64_MAX;
    return make(live);
}

bool live_contexts_place(LiveTrace *live)
{
    if (!live->contexts.moved && !live->now.change->shape) return true;
    live->contexts.moved = false;
    if (contexts_place(live->finish, &live->contexts.made)) return true;
    live->failed = true;
    return false;
}

/* ---- removal of old events ---- */

/* True if contexts that are not left fill more than an eighth of keep_bytes. There are usually few. */
static bool are_open_ones_many(const LiveTrace *live)
{
    enum { SHARE = 8, OPEN_BYTES = sizeof(ContextEvent) + sizeof(Context) };
    const Context *contexts = live->contexts.made.contexts;
    uint64_t       open = 0;
    for (uint32_t i = 0; i < live->contexts.made.count; i++)
        open += contexts[i].end_tick == INT64_MAX;
    return open * OPEN_BYTES > live->options.keep_bytes / SHARE;
}

/* Removes the events before `tick`, except the entries of contexts that were left later, or are not left. Entries of
 * the latter are removed if memory is short because of them. */
static bool drop_contexts(LiveTrace *live, int64_t tick, bool at_once)
{
    const ContextsMade *made = &live->contexts.made;
    const bool          open_go = at_once && are_open_ones_many(live);
    ContextEvent       *events = live->builder->objects.contexts.items;
    size_t              kept = 0;
    bool               *stays = ARENA_ARRAY(&live->scratch, bool, event_count(live));
    if (stays == NULL) return false;
    for (size_t i = 0; i < event_count(live); i++)
        stays[i] = events[i].tick >= tick || i >= made->first_fresh;
    for (uint32_t i = 0; i < made->count; i++) {
        const bool is_open = made->contexts[i].end_tick == INT64_MAX;
        if (is_open ? !open_go : made->contexts[i].end_tick >= tick) stays[made->entries[i]] = true;
    }
    for (size_t i = 0; i < event_count(live); i++)
        if (stays[i]) events[kept++] = events[i];
    if (kept == event_count(live)) return true;
    live->contexts.made.first_fresh -= event_count(live) - kept;
    live->contexts.known = kept;
    live->builder->objects.contexts.bytes.size = kept * sizeof *events;
    if (kept == 0) vec_release(&live->builder->objects.contexts);
    return make(live);
}

/* Returns the offsets of the dumps whose instants still exist, in order; NULL when out of memory. */
static const uint64_t *marked_dumps(LiveTrace *live, size_t *count)
{
    const LiveTrack *tracks = VECTOR(live->marks.tracks[MARKS_DUMPS], const LiveTrack);
    const size_t     track_count = VECTOR_COUNT(live->marks.tracks[MARKS_DUMPS], LiveTrack);
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
    if (*count > 1) qsort(offsets, *count, sizeof *offsets, compare_first_u64);
    return offsets;
}

static bool drop_dumps(LiveTrace *live)
{
    DumpPart       *parts = live->builder->objects.dump_parts.items;
    size_t          kept = 0, at = 0, count;
    const uint64_t *marked = marked_dumps(live, &count);
    if (marked == NULL) return false;
    for (size_t i = 0; i < vec_count(&live->builder->objects.dump_parts); i++) { /* these are in order, too */
        while (at < count && marked[at] < parts[i].offset)
            at++;
        if (at < count && marked[at] == parts[i].offset) parts[kept++] = parts[i];
    }
    live->builder->objects.dump_parts.bytes.size = kept * sizeof *parts;
    return true;
}

static void drop_clock_syncs(LiveTrace *live, int64_t tick)
{
    ClockSync *syncs = live->builder->records.clock_syncs.items;
    size_t     kept = 0;
    for (size_t i = 0; i < vec_count(&live->builder->records.clock_syncs); i++)
        if (syncs[i].tick >= tick) syncs[kept++] = syncs[i];
    live->builder->records.clock_syncs.bytes.size = kept * sizeof *syncs;
}

/* Removes the instants before `tick`. at_once: memory is short, and the waiting ones are removed as well if they are
 * many. */
static void drop_moments(LiveTrace *live, int64_t tick, bool at_once)
{
    enum { MOST_WAITING = 1 << 12 };
    InstantMark *moments = VECTOR(live->marks.moments, InstantMark);
    size_t       kept = 0;
    for (size_t i = 0; i < VECTOR_COUNT(live->marks.moments, InstantMark); i++)
        if (moments[i].tick >= tick) moments[kept++] = moments[i];
    live->marks.moments.size = at_once && kept > MOST_WAITING ? 0 : kept * sizeof *moments;
}

bool live_contexts_drop(LiveTrace *live, int64_t tick, bool at_once)
{
    drop_clock_syncs(live, tick);
    drop_moments(live, tick, at_once);
    const bool done = drop_contexts(live, tick, at_once) && drop_dumps(live);
    if (!done) live->failed = true;
    return done;
}

/* ---- conversion of ticks, release ---- */

void live_contexts_convert(LiveTrace *live, ClockConversion *conversion)
{
    Context *contexts = live->contexts.made.contexts;
    for (uint32_t i = 0; i < live->contexts.made.count; i++) {
        clock_convert(conversion, &contexts[i].begin_tick);
        live_convert_tick(conversion, &contexts[i].end_tick);
    }
    live_convert_tick(conversion, &live->contexts.from);
    CONVERT_TICKS(live->marks.moments, InstantMark, tick, conversion);
}

void live_contexts_release(LiveTrace *live)
{
    arena_release(&live->contexts.tables);
}

uint64_t live_contexts_bytes(const LiveTrace *live)
{
    const TraceBuilder *builder = live->builder;
    return builder->objects.contexts.bytes.size + live->contexts.made.count * sizeof(Context) +
           builder->objects.dump_parts.bytes.size + builder->records.clock_syncs.bytes.size +
           live->marks.moments.size;
}
