/* Asynchronous slices of a trace that grows: async.c makes the units of a strand from its last quiet moment on. */
#include "trace/live/live_state.h"
#include "trace/make/async.h"

/* Of an AsyncEvent's place. */
enum {
    PLACE_FRESH = 1 << 8, /* it has come since its strand's units were made */
    PLACE_KEPT = 1 << 9   /* an end without a begin, which is kept as such */
};

static AsyncKind kind_of(const AsyncEvent *event)
{
    return (AsyncKind)(event->place >> ASYNC_PLACE_KIND_SHIFT & 3);
}

/* ---- units ---- */

static LiveMember member_of(const AsyncStrands *strands, CpuCursor *cpu, const AsyncMember *member)
{
    const Interval      *interval = &member->interval;
    const IntervalExtra *extra = interval->extra == 0 ? NULL : &strands->extras.items[interval->extra - 1];
    const uint32_t       flags = (uint32_t)(interval->place & 0xff);
    return (LiveMember){ .slice = { .begin = interval->begin,
                                    .end = interval->end,
                                    .offset = place_offset(interval->place),
                                    .end_offset = flags & SLICE_END_SOURCE ? extra->end_offset : 0,
                                    .label = interval->label,
                                    .flags = flags,
                                    .thread = interval->event,
                                    .stack = extra == NULL ? 0 : extra->stack,
                                    .end_stack = extra == NULL ? 0 : extra->end_stack,
                                    .cpu = cpu_of_interval(cpu, interval,
                                                           extra == NULL ? 0 : extra->end_offset) },
                         .depth = interval->row,
                         .is_instant = (interval->place & ASYNC_INSTANT_INTERVAL) != 0 };
}

static bool take_units(LiveTrace *live, LiveUnits *units, const AsyncStrands *strands, uint32_t strand,
                       Bytes *made)
{
    const AsyncUnit   *found = strands->units.items;
    const AsyncMember *members = strands->members.items;
    const Bytes       *notes = &VECTOR(units->strands, const LiveStrand)[strand].cpu;
    CpuCursor          cpu = { VECTOR(*notes, const CpuTime), VECTOR_COUNT(*notes, CpuTime), 0 };
    for (size_t i = 0; i < vec_count(&strands->units); i++) {
        const uint32_t group = live_group_get(live, units, found[i].process, found[i].label);
        if (group == UINT32_MAX) return false;
        const LiveUnitMade unit = { group,
                                    { .begin = found[i].begin,
                                      .end = found[i].end,
                                      .offset = found[i].offset,
                                      .strand = strand,
                                      .changed = UINT32_MAX,
                                      .label = found[i].label } };
        bytes_append(made, &unit, sizeof unit);
        if (made->failed) return false;
    }
    for (size_t i = 0; i < vec_count(&strands->members); i++) {
        const LiveMember member = member_of(strands, &cpu, &members[i]);
        Bytes           *list = &VECTOR(*made, LiveUnitMade)[members[i].unit].unit.members;
        bytes_append(list, &member, sizeof member);
        if (list->failed) return false;
    }
    return true;
}

/* Finds the moments at which nothing is open. Intervals are in order of their begins, as events. */
static void find_quiets(LiveTrace *live, LiveStrand *strand, uint32_t first, const AsyncStrands *strands)
{
    const AsyncEvent *events = VECTOR(strand->events, const AsyncEvent);
    const Interval   *intervals = strands->intervals.items;
    const uint32_t    count = (uint32_t)VECTOR_COUNT(strand->events, AsyncEvent);
    int64_t           until = INT64_MIN;
    size_t            next = 0;
    strand->has_open = false;
    for (uint32_t i = first; i < count; i++) {
        if (i > first && !strand->has_open && events[i].tick > until && events[i].tick > events[i - 1].tick)
            live_strand_quiet(live, strand, i);
        if (kind_of(&events[i]) == ASYNC_END) continue;
        const Interval *interval = &intervals[next++];
        if (interval->place & SLICE_UNFINISHED) strand->has_open = true;
        if (interval->end > until) until = interval->end;
    }
}

/* What was found of an end: that it has no begin, or has one by now. */
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

static bool keep_ends(LiveTrace *live, const LiveStrand *strand, uint32_t first, const AsyncStrands *strands)
{
    AsyncEvent         *events = VECTOR(strand->events, AsyncEvent);
    const UnmatchedEnd *end = strands->work.unmatched; /* the last first */
    for (size_t i = VECTOR_COUNT(strand->events, AsyncEvent); i-- > first;) {
        const bool is_kept = end != NULL && end->offset == place_offset(events[i].place);
        if (is_kept) end = end->next;
        if (kind_of(&events[i]) == ASYNC_END && !keep_end(live, &events[i], is_kept)) return false;
        events[i].place &= ~(uint64_t)PLACE_FRESH;
    }
    return true;
}

static bool make(LiveTrace *live, LiveUnits *units, uint32_t index, uint32_t first, Bytes *made)
{
    LiveStrand       *strand = &VECTOR(units->strands, LiveStrand)[index];
    const AsyncEvent *events = VECTOR(strand->events, const AsyncEvent);
    const size_t      count = VECTOR_COUNT(strand->events, AsyncEvent) - first;
    AsyncStrands     *strands = &live->async_strands;
    async_strands_clear(strands);
    arena_clear(&live->workspace.results);
    if (!async_add_strand(strands, events + first, count) || live->workspace.failed) return false;
    find_quiets(live, strand, first, strands);
    return keep_ends(live, strand, first, strands) && take_units(live, units, strands, index, made);
}

/* ---- taking in ---- */

static int compare(const LiveTrace *live, const LiveUnit *a, const LiveUnit *b)
{
    (void)live;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

void live_async_prepare(LiveTrace *live)
{
    live->async = (LiveUnits){ .kind = TRACK_ASYNC,
                               .event_size = sizeof(AsyncEvent),
                               .make = make,
                               .compare = compare,
                               .group_of = { .arena = &live->own } };
    live->async_strands = (AsyncStrands){ .finish = live->finish, .ws = &live->workspace };
}

bool live_async_absorb(LiveTrace *live)
{
    const AsyncEvent *events = live->builder->async.events.items;
    for (size_t i = 0; i < vec_count(&live->builder->async.events); i++) {
        AsyncEvent event = events[i];
        event.place |= PLACE_FRESH;
        if (kind_of(&event) != ASYNC_END) live->event_count++;
        if (!live_strand_add(live, &live->async, event.strand, &event) ||
            !live_strand_note_cpu(live, &live->async, event.strand, place_offset(event.place)))
            return false;
    }
    return live_strands_make(live, &live->async) && live_units_lay_out(live, &live->async);
}
