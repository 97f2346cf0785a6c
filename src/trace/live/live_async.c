/* Asynchronous slices of a growing trace. The events of each async id are kept, because a late event changes the slices
 * made of them. async.c makes the trees of an id from its last synchronisation point on twice: as they are in the rows,
 * of the older events, and as they are now. The difference tells from which tick on a track is laid out again. */
#include "trace/live/live_state.h"

/* Bits of AsyncEvent.place. */
enum {
    PLACE_FRESH = 1 << 8,  /* its slices are not in the rows */
    PLACE_KEPT = 1 << 9,   /* an unmatched end, kept as a raw event */
    PLACE_UNSEEN = 1 << 10 /* no slices were made of it yet */
};

static AsyncKind kind_of(const AsyncEvent *event)
{
    return (AsyncKind)(event->place >> ASYNC_PLACE_KIND_SHIFT & 3);
}

static LiveId *id_at(const LiveTrace *live, uint32_t id)
{
    return &VECTOR(live->async.ids, LiveId)[id];
}

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
    LiveId *id = id_at(live, index);
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

/* Inserts an event in order of time. */
static bool add_event(LiveTrace *live, const AsyncEvent *event)
{
    const LiveId none = { .removed_to = INT64_MIN };
    while (VECTOR_COUNT(live->async.ids, LiveId) <= event->async_id)
        if (!live_append(live, &live->async.ids, &none, sizeof none)) return false;
    LiveId      *id = id_at(live, event->async_id);
    const size_t count = event_count(id), at = place_behind(id, event->tick);
    if (!live_append(live, &id->events, event, sizeof *event)) return false;
    AsyncEvent *place = events_of(id) + at;
    memmove(place + 1, place, (count - at) * sizeof *place);
    *place = *event;
    place->place |= PLACE_FRESH | PLACE_UNSEEN;
    const uint32_t *sync_points = VECTOR(id->sync_points, const uint32_t);
    while (id->sync_points.size > 0 && sync_points[VECTOR_COUNT(id->sync_points, uint32_t) - 1] >= at)
        id->sync_points.size -= sizeof *sync_points;
    id->fresh++;
    live->async.bytes += sizeof *event;
    if (kind_of(event) != ASYNC_END) live->event_count++;
    return make_pending(live, event->async_id);
}

/* Copies the CPU time of the event at `offset` from the builder's CPU times of the current absorb, if it is known. */
static bool note_cpu(LiveTrace *live, uint32_t index, uint64_t offset)
{
    const CpuTime *note = cpu_find(&live->now.cpu_times, offset);
    LiveId        *id = id_at(live, index);
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

/* ---- the difference ---- */

/* The trees and members of an id in a maker. */
typedef struct Part {
    const AsyncMaker *maker;
    size_t            tree, member; /* the first ones */
} Part;

static Part part_of(const AsyncMaker *maker)
{
    return (Part){ maker, vec_count(&maker->trees), vec_count(&maker->members) };
}

static bool stand_alike(const Part *was, const AsyncMember *a, const Part *made, const AsyncMember *b)
{
    const uint64_t place = a->interval.place ^ b->interval.place;
    return a->interval.begin == b->interval.begin && place_offset(place) == 0 &&
           (place & ASYNC_INSTANT_INTERVAL) == 0 && a->interval.row == b->interval.row &&
           a->tree - was->tree == b->tree - made->tree &&
           was->maker->trees.items[a->tree].group == made->maker->trees.items[b->tree].group;
}

static const IntervalExtra *extra_of(const Part *part, const AsyncMember *member)
{
    static const IntervalExtra NONE;
    const uint32_t             extra = member->interval.extra;
    return extra == 0 ? &NONE : &part->maker->extras.items[extra - 1];
}

/* True if they have equal properties. Slices that have not ended may have different ends. */
static bool are_equal(const Part *was, const AsyncMember *a, const Part *made, const AsyncMember *b)
{
    const Interval      *i = &a->interval, *j = &b->interval;
    const IntervalExtra *x = extra_of(was, a), *y = extra_of(made, b);
    return i->place == j->place && (i->end == j->end || (i->place & SLICE_UNFINISHED)) &&
           i->label == j->label && i->event == j->event && x->end_offset == y->end_offset &&
           x->stack == y->stack && x->end_stack == y->end_stack;
}

static int64_t end_of(const LiveTrace *live, const AsyncMember *member)
{
    const int64_t drawn = live->async.drawn_to, end = live->trace.end_tick;
    if (!(member->interval.place & SLICE_UNFINISHED)) return member->interval.end;
    return drawn < end ? drawn : end;
}

/* Has the group of the member laid out again from `tick` on. */
static void lay_out_from(LiveTrace *live, const Part *part, const AsyncMember *member, int64_t tick)
{
    LiveGroup *group = &VECTOR(live->async.groups, LiveGroup)[part->maker->trees.items[member->tree].group];
    if (tick < group->from) group->from = tick;
}

static void compare(LiveTrace *live, const Part *was, const Part *made)
{
    const size_t old_count = vec_count(&was->maker->members) - was->member,
                 new_count = vec_count(&made->maker->members) - made->member;
    const AsyncMember *old = old_count == 0 ? NULL : was->maker->members.items + was->member,
                      *new = new_count == 0 ? NULL : made->maker->members.items + made->member;
    size_t i = 0;
    for (; i < old_count && i < new_count && stand_alike(was, &old[i], made, &new[i]); i++) {
        if (are_equal(was, &old[i], made, &new[i])) continue;
        if (old[i].interval.place & ASYNC_INSTANT_INTERVAL) break;
        const int64_t a = end_of(live, &old[i]), b = end_of(live, &new[i]);
        lay_out_from(live, made, &new[i], a < b ? a : b);
    }
    for (size_t n = i; n < old_count; n++)
        lay_out_from(live, was, &old[n], old[n].interval.begin);
    for (size_t n = i; n < new_count; n++)
        lay_out_from(live, made, &new[n], new[n].interval.begin);
}

/* ---- trees of an id ---- */

/* Returns the first event of the part that is made again. */
static uint32_t first_again(const LiveId *id)
{
    const size_t count = VECTOR_COUNT(id->sync_points, uint32_t);
    return count == 0 ? 0 : VECTOR(id->sync_points, const uint32_t)[count - 1];
}

/* Makes the trees of an id as they are in the rows. */
static bool make_was(LiveTrace *live, const LiveId *id, uint32_t first)
{
    AsyncMaker       *was = &live->async.was;
    const AsyncEvent *events = events_of(id);
    AsyncEvent *older = (AsyncEvent *)arena_push_raw(&live->scratch, event_count(id) - first, sizeof *older);
    size_t      count = 0;
    if (older == NULL) return false;
    for (size_t i = first; i < event_count(id); i++)
        if (!(events[i].place & PLACE_FRESH)) older[count++] = events[i];
    was->end = id->made_end;
    was->work = (TrackWork){ .warnings = NULL };
    return count == 0 || async_add_id(was, older, count);
}

static bool set_groups(LiveTrace *live, const Part *part, uint32_t index)
{
    AsyncTree *trees = part->maker->trees.items;
    for (size_t i = part->tree; i < vec_count(&part->maker->trees); i++) {
        trees[i].id = index;
        trees[i].group = live_group_get(live, trees[i].process, trees[i].label);
        if (trees[i].group == UINT32_MAX) return false;
    }
    return true;
}

/* Finds the synchronisation points. The intervals are in the order of their begin events. */
static bool find_sync_points(LiveTrace *live, uint32_t index, uint32_t first)
{
    LiveId           *id = id_at(live, index);
    const AsyncEvent *events = events_of(id);
    const Interval   *intervals = live->async.made.intervals.items;
    int64_t           until = INT64_MIN;
    size_t            next = 0;
    id->has_open = false;
    for (uint32_t i = first; i < event_count(id); i++) {
        const LiveSync sync = { index, i };
        if (i > first && !id->has_open && events[i].tick > until && events[i].tick > events[i - 1].tick &&
            !live_append(live, &live->async.syncs, &sync, sizeof sync))
            return false;
        if (kind_of(&events[i]) == ASYNC_END) continue;
        const Interval *interval = &intervals[next++];
        if (interval->place & SLICE_UNFINISHED) id->has_open = true;
        if (interval->end > until) until = interval->end;
    }
    return true;
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

static bool keep_ends(LiveTrace *live, const LiveId *id, uint32_t first)
{
    AsyncEvent         *events = events_of(id);
    const UnmatchedEnd *end = live->async.made.work.unmatched; /* in reverse order */
    for (size_t i = event_count(id); i-- > first;) {
        const bool is_kept = end != NULL && end->offset == place_offset(events[i].place);
        if (is_kept) end = end->next;
        if (kind_of(&events[i]) == ASYNC_END && !keep_end(live, &events[i], is_kept)) return false;
        events[i].place &= ~(uint64_t)PLACE_UNSEEN;
    }
    return true;
}

/* Makes the trees of an id as they are now: of its first `count` events. `was`: those of the rows. */
static bool make_now(LiveTrace *live, uint32_t index, uint32_t first, const Part *was)
{
    LiveAsync *async = &live->async;
    const Part made = part_of(&async->made);
    LiveId    *id = id_at(live, index);
    async->made.end = live->trace.end_tick;
    async->made.work = (TrackWork){ .warnings = NULL };
    vec_clear(&async->made.intervals);
    id->made_from = event_count(id) == 0 ? INT64_MIN : events_of(id)[first].tick;
    if (event_count(id) > first &&
        !async_add_id(&async->made, events_of(id) + first, event_count(id) - first))
        return false;
    if (live->workspace.failed || !set_groups(live, was, index) || !set_groups(live, &made, index) ||
        !find_sync_points(live, index, first) || !keep_ends(live, id, first))
        return false;
    compare(live, was, &made);
    id->is_made = true;
    async->fresh += id->fresh;
    return live_append(live, &async->made_ids, &index, sizeof index);
}

static bool make_id(LiveTrace *live, uint32_t index)
{
    const LiveId  *id = id_at(live, index);
    const uint32_t first = first_again(id);
    const Part     was = part_of(&live->async.was);
    arena_clear(&live->workspace.results);
    return make_was(live, id, first) && make_now(live, index, first, &was);
}

/* ---- an absorb ---- */

/* Marks the ids with unfinished slices as pending that a move of the end of the trace changes: an event is there. */
static bool stretch_open(LiveTrace *live)
{
    const uint32_t *open = VECTOR(live->async.open, const uint32_t);
    const int64_t drawn = live->async.drawn_to, end = live->trace.end_tick, edge = drawn < end ? drawn : end;
    for (size_t i = 0; drawn != end && i < VECTOR_COUNT(live->async.open, uint32_t); i++) {
        const LiveId *id = id_at(live, open[i]);
        if (event_count(id) > 0 && events_of(id)[event_count(id) - 1].tick >= edge &&
            !make_pending(live, open[i]))
            return false;
    }
    return true;
}

/* Updates the list of ids with unfinished slices. */
static bool note_open(LiveTrace *live)
{
    const uint32_t *made = VECTOR(live->async.made_ids, const uint32_t);
    for (size_t i = 0; i < VECTOR_COUNT(live->async.made_ids, uint32_t); i++) {
        LiveId *id = id_at(live, made[i]);
        if (!id->has_open || id->is_open_listed) continue;
        if (!live_append(live, &live->async.open, &made[i], sizeof made[i])) return false;
        id->is_open_listed = true;
    }
    uint32_t *open = VECTOR(live->async.open, uint32_t);
    size_t    kept = 0;
    for (size_t i = 0; i < VECTOR_COUNT(live->async.open, uint32_t); i++) {
        LiveId *id = id_at(live, open[i]);
        id->is_open_listed = id->has_open;
        if (id->has_open) open[kept++] = open[i];
    }
    live->async.open.size = kept * sizeof *open;
    return true;
}

/* The slices of the made ids are in the rows. */
static bool settle_ids(LiveTrace *live)
{
    const LiveSync *syncs = VECTOR(live->async.syncs, const LiveSync);
    const uint32_t *made = VECTOR(live->async.made_ids, const uint32_t);
    for (size_t i = 0; i < VECTOR_COUNT(live->async.made_ids, uint32_t); i++) {
        LiveId *id = id_at(live, made[i]);
        for (size_t n = first_again(id); n < event_count(id); n++)
            events_of(id)[n].place &= ~(uint64_t)PLACE_FRESH;
        id->made_end = live->trace.end_tick;
        id->fresh = 0;
        id->is_pending = false;
    }
    for (size_t i = 0; i < VECTOR_COUNT(live->async.syncs, LiveSync); i++)
        if (!live_append(live, &id_at(live, syncs[i].id)->sync_points, &syncs[i].event,
                         sizeof syncs[i].event))
            return false;
    return note_open(live);
}

/* Lays out the made ids, unless they wait for more changes, and forgets their trees. */
static bool lay_out(LiveTrace *live)
{
    LiveAsync *async = &live->async;
    bool       is_done = false, done = live_trees_lay_out(live, &is_done);
    if (done && is_done) done = settle_ids(live);
    for (size_t i = 0; i < VECTOR_COUNT(async->made_ids, uint32_t); i++)
        id_at(live, VECTOR(async->made_ids, const uint32_t)[i])->is_made = false;
    uint32_t *pending = VECTOR(async->pending, uint32_t);
    size_t    kept = 0;
    for (size_t i = 0; i < VECTOR_COUNT(async->pending, uint32_t); i++)
        if (id_at(live, pending[i])->is_pending) pending[kept++] = pending[i];
    async->pending.size = kept * sizeof *pending;
    bytes_clear(&async->made_ids);
    bytes_clear(&async->syncs);
    async_maker_clear(&async->was);
    async_maker_clear(&async->made);
    async->fresh = 0;
    if (!done) live->failed = true;
    return done;
}

void live_async_prepare(LiveTrace *live)
{
    const AsyncMaker maker = { .finish = live->finish, .ws = &live->workspace };
    live->async.group_of.arena = &live->own;
    live->async.was = live->async.made = live->async.all = maker;
}

bool live_async_absorb(LiveTrace *live)
{
    enum { MUCH = 1 << 12 }; /* events of an id */
    const AsyncEvent *events = live->builder->async.events.items;
    for (size_t i = 0; i < vec_count(&live->builder->async.events); i++)
        if (!add_event(live, &events[i]) ||
            !note_cpu(live, events[i].async_id, place_offset(events[i].place)))
            return false;
    if (!stretch_open(live)) return false;
    const uint32_t *pending = VECTOR(live->async.pending, const uint32_t);
    for (size_t i = 0; i < VECTOR_COUNT(live->async.pending, uint32_t); i++) {
        const LiveId *id = id_at(live, pending[i]);
        if (live_postpones(live, id->fresh, event_count(id) - first_again(id), MUCH)) continue;
        if (!make_id(live, pending[i])) return false;
    }
    return lay_out(live);
}

/* ---- removal, conversion of ticks, release ---- */

static void take_first(Bytes *list, size_t size)
{
    if (size == 0) return;
    list->size -= size;
    memmove(list->data, list->data + size, list->size);
}

/* Records that the events before `tick` are removed. A later event at such a tick is behind them in the input. */
static void note_removed(LiveId *id, int64_t tick)
{
    const AsyncEvent *events = events_of(id);
    if (tick > id->removed_to) id->removed_to = tick;
    for (size_t i = 0; i < event_count(id); i++)
        if (place_offset(events[i].place) > id->removed_offset)
            id->removed_offset = place_offset(events[i].place);
}

/* Removes the events before the last synchronisation point up to `tick` once they are a quarter of them. */
static void drop_first(LiveTrace *live, LiveId *id, int64_t tick, bool at_once)
{
    enum { SHARE = 4 };
    uint32_t    *sync_points = VECTOR(id->sync_points, uint32_t);
    const size_t count = event_count(id), sync_count = VECTOR_COUNT(id->sync_points, uint32_t);
    size_t       low = 0, kept = 0;
    LOWER_BOUND(size_t, low, sync_count, i, events_of(id)[sync_points[i]].tick <= tick);
    const size_t first = low == 0 ? 0 : sync_points[low - 1];
    if (first == 0 || (!at_once && first < count / SHARE) || events_of(id)[first].tick < id->removed_to)
        return;
    note_removed(id, events_of(id)[first].tick);
    for (size_t i = 0; i < sync_count; i++)
        if (sync_points[i] > first) sync_points[kept++] = sync_points[i] - (uint32_t)first;
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
    LiveId      *id = id_at(live, index);
    const size_t behind = tick == INT64_MIN ? 0 : place_behind(id, tick - 1);
    const Part   was = part_of(&live->async.was);
    if (id->events.size <= live->options.keep_bytes / SHARE || behind < 2) return true;
    id->sync_points.size = 0;
    arena_clear(&live->workspace.results);
    if (!make_was(live, id, 0)) return false;
    const size_t gone = behind - 1;
    memmove(events_of(id) + 1, events_of(id) + 1 + gone, (event_count(id) - 1 - gone) * sizeof(AsyncEvent));
    id->events.size -= gone * sizeof(AsyncEvent);
    live->async.bytes -= gone * sizeof(AsyncEvent);
    return make_now(live, index, 0, &was);
}

/* Removes an id, and its slices that have not ended. */
static bool drop_id(LiveTrace *live, uint32_t index)
{
    LiveAsync *async = &live->async;
    LiveId    *id = id_at(live, index);
    const Part was = part_of(&async->was);
    const bool has_open = id->has_open;
    arena_clear(&live->workspace.results);
    if (has_open && !make_was(live, id, first_again(id))) return false;
    if (!has_open) note_removed(id, events_of(id)[event_count(id) - 1].tick + 1);
    async->bytes -= id->events.size + id->cpu.size;
    bytes_release(&id->events);
    bytes_release(&id->sync_points);
    bytes_release(&id->cpu);
    bytes_append(&async->dropped, &index, sizeof index);
    async->dropped.failed = false; /* out of memory: its index is not used again */
    return !has_open || make_now(live, index, 0, &was);
}

bool live_async_drop(LiveTrace *live, int64_t tick, bool at_once)
{
    const bool settles = live->now.settles;
    for (uint32_t i = 0; i < VECTOR_COUNT(live->async.ids, LiveId); i++) {
        LiveId      *id = id_at(live, i);
        const size_t count = event_count(id);
        if (count == 0) continue;
        if (id->is_pending || (id->has_open && !at_once) || events_of(id)[count - 1].tick >= tick) {
            drop_first(live, id, tick, at_once);
            if (at_once && !thin(live, i, tick)) return false;
        } else if (!drop_id(live, i)) {
            return false;
        }
    }
    live->now.settles = true;
    const bool done = lay_out(live);
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
        LiveId *id = id_at(live, dropped[i]);
        if (id->events.size > 0 || id->is_pending || id->is_freed) continue; /* it is in use again */
        id->is_freed = true;
        dropped[kept++] = dropped[i];
    }
    for (size_t i = 0; i < kept; i++)
        id_at(live, dropped[i])->is_freed = false;
    builder_free_async_ids(live->builder, dropped, kept);
    if (live->builder->failed) live->failed = true;
    bytes_clear(&async->dropped);
}

void live_async_convert(LiveTrace *live, ClockConversion *conversion)
{
    for (uint32_t i = 0; i < VECTOR_COUNT(live->async.ids, LiveId); i++) {
        CONVERT_TICKS(id_at(live, i)->events, AsyncEvent, tick, conversion);
        live_convert_tick(conversion, &id_at(live, i)->made_end);
        live_convert_tick(conversion, &id_at(live, i)->removed_to);
    }
    for (size_t i = 0; i < VECTOR_COUNT(live->async.groups, LiveGroup); i++) {
        LiveGroup *group = &VECTOR(live->async.groups, LiveGroup)[i];
        live_convert_tick(conversion, &group->from);
        live_convert_tick(conversion, &group->kept_from);
    }
    live_convert_tick(conversion, &live->async.drawn_to);
}

void live_async_release(LiveTrace *live)
{
    LiveAsync *async = &live->async;
    Bytes     *lists[] = { &async->ids,    &async->pending,  &async->open,  &async->dropped,
                           &async->groups, &async->made_ids, &async->syncs, &async->slices };
    for (uint32_t i = 0; i < VECTOR_COUNT(async->ids, LiveId); i++) {
        bytes_release(&id_at(live, i)->events);
        bytes_release(&id_at(live, i)->sync_points);
        bytes_release(&id_at(live, i)->cpu);
    }
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        bytes_release(lists[i]);
    async_maker_release(&async->was);
    async_maker_release(&async->made);
    async_maker_release(&async->all);
}
