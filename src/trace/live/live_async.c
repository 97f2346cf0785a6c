/* Asynchronous slices of a growing trace: async.c makes the trees of an id from its last synchronisation point on. */
#include "trace/live/live_state.h"
#include "trace/make/async.h"

/* Bits of AsyncEvent.place. */
enum {
    PLACE_FRESH = 1 << 8, /* it arrived after the trees of its id were made */
    PLACE_KEPT = 1 << 9   /* an unmatched end, kept as a raw event */
};

static AsyncKind kind_of(const AsyncEvent *event)
{
    return (AsyncKind)(event->place >> ASYNC_PLACE_KIND_SHIFT & 3);
}

/* ---- trees ---- */

static LiveMember member_of(LiveTrace *live, const AsyncMaker *maker, CpuCursor *cpu,
                            const AsyncMember *member)
{
    const Interval      *interval = &member->interval;
    const IntervalExtra *extra = interval->extra == 0 ? NULL : &maker->extras.items[interval->extra - 1];
    LiveMember           made = { .slice = live_slice_of(live, interval, extra, cpu),
                                  .depth = interval->row,
                                  .is_instant = (interval->place & ASYNC_INSTANT_INTERVAL) != 0 };
    made.slice.thread = interval->event;
    made.slice.level = 0;
    return made;
}

static bool take_trees(LiveTrace *live, LiveTrees *trees, const AsyncMaker *maker, uint32_t id, Bytes *made)
{
    const AsyncTree   *found = maker->trees.items;
    const AsyncMember *members = maker->members.items;
    const Bytes       *notes = &VECTOR(trees->ids, const LiveId)[id].cpu;
    CpuCursor          cpu = { VECTOR(*notes, const CpuTime), VECTOR_COUNT(*notes, CpuTime), 0 };
    for (size_t i = 0; i < vec_count(&maker->trees); i++) {
        const uint32_t group = live_group_get(live, trees, found[i].process, found[i].label);
        if (group == UINT32_MAX) return false;
        const LiveTreeMade tree = { group,
                                    { .begin = found[i].begin,
                                      .end = found[i].end,
                                      .offset = found[i].offset,
                                      .id = id,
                                      .changed = UINT32_MAX,
                                      .label = found[i].label } };
        bytes_append(made, &tree, sizeof tree);
        if (made->failed) return false;
    }
    for (size_t i = 0; i < vec_count(&maker->members); i++) {
        const LiveMember member = member_of(live, maker, &cpu, &members[i]);
        Bytes           *list = &VECTOR(*made, LiveTreeMade)[members[i].tree].tree.members;
        bytes_append(list, &member, sizeof member);
        if (list->failed) return false;
    }
    return true;
}

/* Finds the synchronisation points. The intervals are in the order of their begin events. */
static void find_sync_points(LiveTrace *live, LiveId *id, uint32_t first, const AsyncMaker *maker)
{
    const AsyncEvent *events = VECTOR(id->events, const AsyncEvent);
    const Interval   *intervals = maker->intervals.items;
    const uint32_t    count = (uint32_t)VECTOR_COUNT(id->events, AsyncEvent);
    int64_t           until = INT64_MIN;
    size_t            next = 0;
    id->has_open = false;
    for (uint32_t i = first; i < count; i++) {
        if (i > first && !id->has_open && events[i].tick > until && events[i].tick > events[i - 1].tick)
            live_id_add_sync_point(live, id, i);
        if (kind_of(&events[i]) == ASYNC_END) continue;
        const Interval *interval = &intervals[next++];
        if (interval->place & SLICE_UNFINISHED) id->has_open = true;
        if (interval->end > until) until = interval->end;
    }
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
    if (is_kept && (event->place & PLACE_FRESH)) {
        const EventPos pos = { offset, builder_event_number(live->builder, offset, event->event) };
        builder_warn(live->builder, "unmatched-async-end", pos,
                     "an asynchronous end without an open begin of its id and name: kept, but not drawn");
    }
    return live_others_end(live, &end);
}

static bool keep_ends(LiveTrace *live, const LiveId *id, uint32_t first, const AsyncMaker *maker)
{
    AsyncEvent         *events = VECTOR(id->events, AsyncEvent);
    const UnmatchedEnd *end = maker->work.unmatched; /* in reverse order */
    for (size_t i = VECTOR_COUNT(id->events, AsyncEvent); i-- > first;) {
        const bool is_kept = end != NULL && end->offset == place_offset(events[i].place);
        if (is_kept) end = end->next;
        if (kind_of(&events[i]) == ASYNC_END && !keep_end(live, &events[i], is_kept)) return false;
        events[i].place &= ~(uint64_t)PLACE_FRESH;
    }
    return true;
}

static bool make(LiveTrace *live, LiveTrees *trees, uint32_t index, uint32_t first, Bytes *made)
{
    LiveId           *id = &VECTOR(trees->ids, LiveId)[index];
    const AsyncEvent *events = VECTOR(id->events, const AsyncEvent);
    const size_t      count = VECTOR_COUNT(id->events, AsyncEvent) - first;
    AsyncMaker       *maker = &live->async_maker;
    async_maker_clear(maker);
    arena_clear(&live->workspace.results);
    if (!async_add_id(maker, events + first, count) || live->workspace.failed) return false;
    find_sync_points(live, id, first, maker);
    return keep_ends(live, id, first, maker) && take_trees(live, trees, maker, index, made);
}

/* ---- new events ---- */

static int compare(const LiveTrace *live, const LiveTree *a, const LiveTree *b)
{
    (void)live;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

void live_async_prepare(LiveTrace *live)
{
    live->async = (LiveTrees){ .kind = TRACK_ASYNC,
                               .event_size = sizeof(AsyncEvent),
                               .make = make,
                               .compare = compare,
                               .group_of = { .arena = &live->own } };
    live->async_maker = (AsyncMaker){ .finish = live->finish, .ws = &live->workspace };
}

bool live_async_absorb(LiveTrace *live)
{
    const AsyncEvent *events = live->builder->async.events.items;
    for (size_t i = 0; i < vec_count(&live->builder->async.events); i++) {
        AsyncEvent event = events[i];
        event.place |= PLACE_FRESH;
        if (kind_of(&event) != ASYNC_END) live->event_count++;
        if (!live_id_add(live, &live->async, event.async_id, &event) ||
            !live_id_note_cpu(live, &live->async, event.async_id, place_offset(event.place)))
            return false;
    }
    return live_ids_make(live, &live->async) && live_trees_lay_out(live, &live->async);
}
