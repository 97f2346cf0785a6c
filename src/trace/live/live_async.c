/* Asynchronous slices of a growing trace: the events of each async id. All of them are kept, because a late event
 * changes the slices made of earlier ones. A new event changes slices from the last synchronisation point of its id on,
 * at which no slice is open. live_groups.c lays out their tracks again from there on, with the slices that async.c makes
 * of the changed ids, and of the other ids on these tracks. */
#include "trace/live/live_state.h"

/* Bits of AsyncEvent.place. */
enum {
    PLACE_KEPT = 1 << 9,   /* an unmatched end, kept as a raw event */
    PLACE_UNSEEN = 1 << 10 /* no slices were made of it yet */
};

static AsyncEvent *events_of(const LiveId *id)
{
    return VECTOR(id->events, AsyncEvent);
}

static size_t event_count(const LiveId *id)
{
    return VECTOR_COUNT(id->events, AsyncEvent);
}

/* ---- events ---- */

static bool make_pending(LiveTrace *live, uint32_t index)
{
    LiveId *id = live_id_at(live, index);
    if (id->is_pending) return true;
    id->is_pending = true;
    return live_append(live, &live->async.pending, &index, sizeof index);
}

/* Returns the index of the first event after `tick`. */
static size_t place_behind(const LiveId *id, int64_t tick)
{
    const AsyncEvent *events = events_of(id);
    const size_t      count = event_count(id);
    size_t            low = 0;
    if (count > 0 && events[count - 1].tick <= tick) return count; /* the most frequent case */
    LOWER_BOUND(size_t, low, count, i, events[i].tick <= tick);
    return low;
}

/* Returns the event of the last synchronisation point. */
static uint32_t last_sync(const LiveId *id)
{
    const size_t count = VECTOR_COUNT(id->sync_points, uint32_t);
    return count == 0 ? 0 : VECTOR(id->sync_points, const uint32_t)[count - 1];
}

/* Inserts an event in order of time. */
static bool insert_event(LiveTrace *live, LiveId *id, const AsyncEvent *event)
{
    const size_t count = event_count(id), at = place_behind(id, event->tick);
    if (!live_append(live, &id->events, event, sizeof *event)) return false;
    AsyncEvent *place = events_of(id) + at;
    memmove(place + 1, place, (count - at) * sizeof *place);
    *place = *event;
    while (id->sync_points.size > 0 && last_sync(id) >= at)
        id->sync_points.size -= sizeof(uint32_t);
    id->is_marked = false;
    id->has_inserted = true;
    return true;
}

enum { MUCH = 1 << 12 }; /* events of an id */

/* Adds an event. Those of an id that has many to be made again wait until they are many, too. */
static bool add_event(LiveTrace *live, const AsyncEvent *fed)
{
    const LiveId none = { .group = UINT32_MAX };
    AsyncEvent   event = *fed;
    while (VECTOR_COUNT(live->async.ids, LiveId) <= event.async_id)
        if (!live_append(live, &live->async.ids, &none, sizeof none)) return false;
    LiveId *id = live_id_at(live, event.async_id);
    event.place |= PLACE_UNSEEN;
    live->async.bytes += sizeof event;
    if (async_kind(&event) != ASYNC_END) live->event_count++;
    const bool waits = id->fresh.size > 0 || event_count(id) - last_sync(id) > MUCH;
    return (waits ? live_append(live, &id->fresh, &event, sizeof event) : insert_event(live, id, &event)) &&
           make_pending(live, event.async_id);
}

/* Copies the CPU time of the event at `offset` from the builder's CPU times of the current absorb, if it is known. */
static bool note_cpu(LiveTrace *live, uint32_t index, uint64_t offset)
{
    const CpuTime *note = cpu_find(&live->now.cpu_times, offset);
    LiveId        *id = live_id_at(live, index);
    if (note == NULL) return true;
    if (!live_append(live, &id->cpu, note, sizeof *note)) return false;
    live->async.bytes += sizeof *note;
    CpuTime *times = VECTOR(id->cpu, CpuTime);
    for (size_t i = VECTOR_COUNT(id->cpu, CpuTime) - 1; i > 0 && times[i - 1].offset > times[i].offset; i--) {
        const CpuTime later = times[i - 1];
        times[i - 1] = times[i];
        times[i] = later;
    }
    return true;
}

static bool take_events(LiveTrace *live)
{
    const AsyncEvent *events = live->builder->async.events.items;
    for (size_t i = 0; i < vec_count(&live->builder->async.events); i++)
        if (!add_event(live, &events[i]) ||
            !note_cpu(live, events[i].async_id, place_offset(events[i].place)))
            return false;
    return true;
}

CpuCursor live_async_cpu(const LiveTrace *live, uint32_t id)
{
    return live_cpu_cursor(&live_id_at(live, id)->cpu);
}

/* ---- ids that are made again ---- */

/* Returns the event of the last synchronisation point up to `tick`. */
static uint32_t first_event(const LiveId *id, int64_t tick)
{
    const uint32_t   *sync_points = VECTOR(id->sync_points, const uint32_t);
    const AsyncEvent *events = events_of(id);
    size_t            low = 0;
    LOWER_BOUND(size_t, low, VECTOR_COUNT(id->sync_points, uint32_t), i, events[sync_points[i]].tick <= tick);
    return low == 0 ? 0 : sync_points[low - 1];
}

size_t live_async_count_from(const LiveTrace *live, uint32_t id, int64_t tick)
{
    return event_count(live_id_at(live, id)) - first_event(live_id_at(live, id), tick);
}

bool live_async_choose(LiveTrace *live, uint32_t index, int64_t tick)
{
    LiveId        *id = live_id_at(live, index);
    const uint32_t first = first_event(id, tick);
    if (id->is_chosen) {
        if (first < id->first) id->first = first;
        return true;
    }
    id->is_chosen = true;
    id->first = first;
    return live_append(live, &live->async.chosen, &index, sizeof index);
}

/* True if the change of an id is the end of one slice, alone since no slice was open. */
static bool only_ends(const LiveId *id, size_t first)
{
    const AsyncEvent *events = events_of(id);
    return event_count(id) - first == 2 && async_kind(&events[first]) == ASYNC_BEGIN &&
           async_kind(&events[first + 1]) == ASYNC_END && !(events[first].place & PLACE_UNSEEN) &&
           (events[first + 1].place & PLACE_UNSEEN);
}

/* Has the tracks laid out again from each event of an id on with which a tree of theirs may begin. */
static void mark_groups(LiveTrace *live, LiveId *id, size_t first)
{
    const AsyncEvent *events = events_of(id);
    const bool        ends = only_ends(id, first);
    const int64_t     drawn = live->async.drawn_to;
    bool              any = false;
    id->group = UINT32_MAX;
    for (size_t i = first; i < event_count(id); i++) {
        if (async_kind(&events[i]) == ASYNC_END) continue;
        const int64_t  end = ends && events[first + 1].tick < drawn ? events[first + 1].tick : drawn;
        const uint32_t group = live_group_mark(live, &events[i], ends ? end : events[i].tick);
        id->group = any && group != id->group ? UINT32_MAX : group;
        any = true;
    }
}

/* Inserts the new events of an id, and marks its tracks, or lets it wait for more events. */
static bool mark_id(LiveTrace *live, LiveId *id, bool *any_waits)
{
    const AsyncEvent *fresh = VECTOR(id->fresh, const AsyncEvent);
    const size_t      count = VECTOR_COUNT(id->fresh, AsyncEvent);
    if (!id->has_inserted && live_postpones(live, count, event_count(id) - last_sync(id), MUCH)) {
        *any_waits = true;
        return true;
    }
    for (size_t i = 0; i < count; i++)
        if (!insert_event(live, id, &fresh[i])) return false;
    bytes_release(&id->fresh);
    if (!id->is_marked) mark_groups(live, id, last_sync(id));
    id->is_marked = true;
    return true;
}

/* Chooses the tracks and ids that are made again now. */
static bool choose(LiveTrace *live)
{
    const uint32_t *pending = VECTOR(live->async.pending, const uint32_t);
    const size_t    count = VECTOR_COUNT(live->async.pending, uint32_t);
    bool            any_waits = false;
    for (size_t i = 0; i < count; i++)
        if (!mark_id(live, live_id_at(live, pending[i]), &any_waits)) return false;
    if (!live_groups_choose(live, any_waits)) return false;
    for (size_t i = 0; i < count; i++) {
        const LiveId *id = live_id_at(live, pending[i]);
        const bool    waits = id->group != UINT32_MAX && live_group_waits(live, id->group);
        if (id->is_marked && !waits && !live_async_choose(live, pending[i], INT64_MAX)) return false;
    }
    return true;
}

/* Marks the ids with unfinished slices as pending that a move of the end of the trace changes: an event is there. */
static bool stretch_open(LiveTrace *live)
{
    uint32_t     *open = VECTOR(live->async.open, uint32_t);
    const int64_t drawn = live->async.drawn_to, end = live->trace.end_tick, edge = drawn < end ? drawn : end;
    size_t        kept = 0;
    for (size_t i = 0; i < VECTOR_COUNT(live->async.open, uint32_t); i++) {
        LiveId *id = live_id_at(live, open[i]);
        id->is_open_listed = id->has_open;
        if (!id->has_open) continue;
        open[kept++] = open[i];
        if (drawn != end && event_count(id) > 0 && events_of(id)[event_count(id) - 1].tick >= edge &&
            !make_pending(live, open[i]))
            return false;
    }
    live->async.open.size = kept * sizeof *open;
    return true;
}

/* ---- trees of an id ---- */

/* Finds the synchronisation points. The intervals are in the order of their begin events. */
static bool find_sync_points(LiveTrace *live, uint32_t index)
{
    LiveId           *id = live_id_at(live, index);
    const uint32_t    known = last_sync(id);
    const AsyncEvent *events = events_of(id);
    const Interval   *intervals = live->async.made.intervals.items;
    int64_t           until = INT64_MIN;
    size_t            next = 0;
    id->has_open = false;
    for (uint32_t i = id->first; i < event_count(id); i++) {
        const LiveSync sync = { index, i };
        if (i > known && !id->has_open && events[i].tick > until && events[i].tick > events[i - 1].tick &&
            !live_append(live, &live->async.syncs, &sync, sizeof sync))
            return false;
        if (async_kind(&events[i]) == ASYNC_END) continue;
        const Interval *interval = &intervals[next++];
        if (interval->place & SLICE_UNFINISHED) id->has_open = true;
        if (interval->end > until) until = interval->end;
    }
    if (!id->has_open || id->is_open_listed) return true;
    id->is_open_listed = true;
    return live_append(live, &live->async.open, &index, sizeof index);
}

/* Records that an end event is unmatched (is_kept), or is paired now. */
static bool keep_end(LiveTrace *live, AsyncEvent *event, bool is_kept)
{
    const uint64_t offset = place_offset(event->place);
    const LiveEnd  end = { .event = { .tick = event->tick,
                                      .offset = offset,
                                      .thread = event->thread,
                                      .label = event->label,
                                      .kind = event->kind,
                                      .has_tick = true },
                           .is_kept = is_kept };
    const bool     was_kept = (event->place & PLACE_KEPT) != 0;
    if (is_kept == was_kept) return true;
    event->place ^= PLACE_KEPT;
    if (is_kept && (event->place & PLACE_UNSEEN)) {
        const EventPos pos = { offset, builder_event_number(live->builder, offset, event->event) };
        builder_warn(live->builder, "unmatched-async-end", pos,
                     "an asynchronous end without an open begin of its id and name: kept, but not drawn");
    }
    return live_others_end(live, &end);
}

static bool keep_ends(LiveTrace *live, const LiveId *id)
{
    AsyncEvent         *events = events_of(id);
    const UnmatchedEnd *end = live->async.made.work.unmatched; /* in reverse order */
    for (size_t i = event_count(id); i-- > id->first;) {
        const bool is_kept = end != NULL && end->offset == place_offset(events[i].place);
        if (is_kept) end = end->next;
        if (async_kind(&events[i]) == ASYNC_END && !keep_end(live, &events[i], is_kept)) return false;
        events[i].place &= ~(uint64_t)PLACE_UNSEEN;
    }
    return true;
}

/* Makes the trees of an id from its first event that counts on. */
static bool make_id(LiveTrace *live, uint32_t index)
{
    AsyncMaker  *made = &live->async.made;
    LiveId      *id = live_id_at(live, index);
    const size_t count = event_count(id) - id->first;
    made->end = live->trace.end_tick;
    made->work = (TrackWork){ .warnings = NULL };
    live->async.steps += count;
    arena_clear(&live->workspace.results);
    const size_t first_tree = vec_count(&made->trees);
    if (count > 0 && !async_add_id(made, events_of(id) + id->first, count)) return false;
    for (size_t i = first_tree; i < vec_count(&made->trees); i++) {
        AsyncTree *tree = &made->trees.items[i];
        tree->id = index;
        tree->group = live_group_get(live, tree->process, tree->label);
        if (tree->group == UINT32_MAX) return false;
    }
    return !live->workspace.failed &&
           (!id->is_marked || (find_sync_points(live, index) && keep_ends(live, id)));
}

/* ---- an absorb ---- */

/* The slices of the chosen ids are in the rows, except those of tracks that wait for more changes. */
static bool settle_ids(LiveTrace *live)
{
    LiveAsync      *async = &live->async;
    const LiveSync *syncs = VECTOR(async->syncs, const LiveSync);
    uint32_t       *pending = VECTOR(async->pending, uint32_t);
    size_t          kept = 0;
    for (size_t i = 0; i < vec_count(&async->made.trees); i++) {
        const AsyncTree *tree = &async->made.trees.items[i];
        if (live_group_waits(live, tree->group)) live_id_at(live, tree->id)->is_chosen = false;
    }
    for (size_t i = 0; i < VECTOR_COUNT(async->syncs, LiveSync); i++)
        if (live_id_at(live, syncs[i].id)->is_chosen &&
            !live_append(live, &live_id_at(live, syncs[i].id)->sync_points, &syncs[i].event,
                         sizeof syncs[i].event))
            return false;
    for (size_t i = 0; i < VECTOR_COUNT(async->pending, uint32_t); i++) {
        LiveId *id = live_id_at(live, pending[i]);
        if (id->is_chosen && id->is_marked) {
            id->is_marked = id->has_inserted = false;
            id->is_pending = id->fresh.size > 0;
        }
        if (id->is_pending) pending[kept++] = pending[i];
    }
    async->pending.size = kept * sizeof *pending;
    return true;
}

/* Makes the changed ids and their tracks again, and forgets the trees. */
static bool update(LiveTrace *live)
{
    LiveAsync *async = &live->async;
    bool       done = choose(live);
    for (size_t i = 0; done && i < VECTOR_COUNT(async->chosen, uint32_t); i++)
        done = make_id(live, VECTOR(async->chosen, const uint32_t)[i]);
    done = done && live_groups_put(live) && settle_ids(live);
    for (size_t i = 0; i < VECTOR_COUNT(async->chosen, uint32_t); i++)
        live_id_at(live, VECTOR(async->chosen, const uint32_t)[i])->is_chosen = false;
    bytes_clear(&async->chosen);
    bytes_clear(&async->syncs);
    async_maker_clear(&async->made);
    if (!done) live->failed = true;
    return done;
}

void live_async_prepare(LiveTrace *live)
{
    live->async.group_of.arena = &live->own;
    live->async.made = (AsyncMaker){ .finish = live->finish, .ws = &live->workspace };
    live->async.kept_from = INT64_MIN;
}

bool live_async_absorb(LiveTrace *live)
{
    live_groups_allow(live, vec_count(&live->builder->async.events));
    return take_events(live) && stretch_open(live) && update(live);
}

/* ---- removal, conversion of ticks, release ---- */

static void take_first(Bytes *list, size_t size)
{
    if (size == 0) return;
    list->size -= size;
    memmove(list->data, list->data + size, list->size);
}

/* Removes the events before the last synchronisation point up to `tick`. */
static void drop_first(LiveTrace *live, LiveId *id, int64_t tick)
{
    uint32_t      *sync_points = VECTOR(id->sync_points, uint32_t);
    const size_t   count = event_count(id), sync_count = VECTOR_COUNT(id->sync_points, uint32_t);
    const uint32_t first = first_event(id, tick);
    size_t         kept = 0;
    if (first == 0) return;
    for (size_t i = 0; i < sync_count; i++)
        if (sync_points[i] > first) sync_points[kept++] = sync_points[i] - first;
    id->sync_points.size = kept * sizeof *sync_points;
    take_first(&id->events, first * sizeof(AsyncEvent));
    const size_t notes = VECTOR_COUNT(id->cpu, CpuTime), most = 2 * (count - first);
    const size_t old = notes > most ? notes - most : 0; /* they are ordered by offset, not by time */
    take_first(&id->cpu, old * sizeof(CpuTime));
    live->async.bytes -= first * sizeof(AsyncEvent) + old * sizeof(CpuTime);
}

/* Removes most events of an id that is open for long and has very many. Its first event and those from `tick` on stay. */
static bool thin(LiveTrace *live, uint32_t index, int64_t tick)
{
    enum { SHARE = 16 };
    LiveId      *id = live_id_at(live, index);
    const size_t behind = tick == INT64_MIN ? 0 : place_behind(id, tick - 1);
    if (id->events.size <= live->options.keep_bytes / SHARE || behind < 2) return true;
    mark_groups(live, id, 0);
    id->sync_points.size = 0;
    const size_t gone = behind - 1;
    memmove(events_of(id) + 1, events_of(id) + 1 + gone, (event_count(id) - 1 - gone) * sizeof(AsyncEvent));
    id->events.size -= gone * sizeof(AsyncEvent);
    live->async.bytes -= gone * sizeof(AsyncEvent);
    return make_pending(live, index);
}

/* Removes an id, and its slices that have not ended. */
static bool drop_id(LiveTrace *live, uint32_t index)
{
    LiveAsync *async = &live->async;
    LiveId    *id = live_id_at(live, index);
    if (id->has_open) mark_groups(live, id, last_sync(id));
    async->bytes -= id->events.size + id->cpu.size;
    bytes_release(&id->events);
    bytes_release(&id->sync_points);
    bytes_release(&id->cpu);
    bytes_append(&async->dropped, &index, sizeof index);
    async->dropped.failed = false; /* out of memory: its index is not used again */
    return !id->has_open || make_pending(live, index);
}

static bool drop_ids(LiveTrace *live, int64_t tick, bool at_once)
{
    for (uint32_t i = 0; i < VECTOR_COUNT(live->async.ids, LiveId); i++) {
        LiveId      *id = live_id_at(live, i);
        const size_t count = event_count(id);
        if (count == 0) continue;
        if (id->is_pending || (id->has_open && !at_once) || events_of(id)[count - 1].tick >= tick) {
            drop_first(live, id, tick);
            if (at_once && !thin(live, i, tick)) return false;
        } else if (!drop_id(live, i)) {
            return false;
        }
    }
    return true;
}

bool live_async_drop(LiveTrace *live, int64_t tick, bool at_once)
{
    const bool settles = live->now.settles;
    bool       done = true, is_worth_it;
    if (!live_groups_drop(live, tick, at_once, &is_worth_it)) return false;
    if (!is_worth_it) return true;
    if (tick > live->async.kept_from) live->async.kept_from = tick;
    live->now.settles = true;
    done = drop_ids(live, tick, at_once) && update(live);
    live->now.settles = settles;
    return done;
}

void live_async_free_ids(LiveTrace *live)
{
    enum { LEAST = 1024, SHARE = 4 };
    LiveAsync   *async = &live->async;
    uint32_t    *dropped = VECTOR(async->dropped, uint32_t);
    const size_t count = VECTOR_COUNT(async->dropped, uint32_t);
    size_t       kept = 0;
    if (count < LEAST || count < VECTOR_COUNT(async->ids, LiveId) / SHARE) return;
    for (size_t i = 0; i < count; i++) {
        LiveId *id = live_id_at(live, dropped[i]);
        if (id->events.size > 0 || id->is_pending || id->is_freed) continue; /* it is in use again */
        id->is_freed = true;
        dropped[kept++] = dropped[i];
    }
    for (size_t i = 0; i < kept; i++)
        live_id_at(live, dropped[i])->is_freed = false;
    builder_free_async_ids(live->builder, dropped, kept);
    if (live->builder->failed) live->failed = true;
    bytes_clear(&async->dropped);
}

void live_async_convert(LiveTrace *live, ClockConversion *conversion)
{
    LiveAsync *async = &live->async;
    for (uint32_t i = 0; i < VECTOR_COUNT(async->ids, LiveId); i++) {
        CONVERT_TICKS(live_id_at(live, i)->events, AsyncEvent, tick, conversion);
        CONVERT_TICKS(live_id_at(live, i)->fresh, AsyncEvent, tick, conversion);
        live_id_at(live, i)->sync_points.size = 0; /* events around them may be at one tick now */
    }
    for (size_t i = 0; i < VECTOR_COUNT(async->groups, LiveGroup); i++)
        live_convert_tick(conversion, &VECTOR(async->groups, LiveGroup)[i].from);
    live_convert_tick(conversion, &async->drawn_to);
    live_convert_tick(conversion, &async->kept_from);
}

void live_async_release(LiveTrace *live)
{
    LiveAsync *async = &live->async;
    Bytes     *lists[] = { &async->ids,    &async->pending, &async->open,  &async->dropped,
                           &async->groups, &async->chosen,  &async->found, &async->syncs };
    for (uint32_t i = 0; i < VECTOR_COUNT(async->ids, LiveId); i++) {
        bytes_release(&live_id_at(live, i)->events);
        bytes_release(&live_id_at(live, i)->fresh);
        bytes_release(&live_id_at(live, i)->sync_points);
        bytes_release(&live_id_at(live, i)->cpu);
    }
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        bytes_release(lists[i]);
    async_maker_release(&async->made);
}
