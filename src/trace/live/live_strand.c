/* What goes by one id. Its events are kept, because what arrives late can change what came of them: but only
 * from the last moment before it on at which nothing was open. */
#include "trace/live/live_state.h"

#include <stdlib.h>

static LiveStrand *strand_at(const LiveUnits *units, uint32_t strand)
{
    return &VECTOR(units->strands, LiveStrand)[strand];
}

static int64_t tick_at(const LiveUnits *units, const LiveStrand *strand, size_t i)
{
    return live_tick_at(strand->events.data, units->event_size, i);
}

static size_t event_count(const LiveUnits *units, const LiveStrand *strand)
{
    return strand->events.size / units->event_size;
}

/* ---- events ---- */

static bool make_pending(LiveTrace *live, LiveUnits *units, uint32_t index)
{
    LiveStrand *strand = strand_at(units, index);
    if (strand->is_pending) return true;
    strand->is_pending = true;
    return live_append(live, &units->pending, &index, sizeof index);
}

static bool grow_strands(LiveTrace *live, LiveUnits *units, uint32_t index)
{
    const LiveStrand none = { .fresh = 0 };
    while (VECTOR_COUNT(units->strands, LiveStrand) <= index)
        if (!live_append(live, &units->strands, &none, sizeof none)) return false;
    return true;
}

/* The first event that is later than `tick`. */
static size_t place_behind(const LiveUnits *units, const LiveStrand *strand, int64_t tick)
{
    return live_place_behind(strand->events.data, event_count(units, strand), units->event_size, tick);
}

bool live_strand_add(LiveTrace *live, LiveUnits *units, uint32_t index, const void *event)
{
    const int64_t tick = live_tick_at(event, units->event_size, 0);
    if (!grow_strands(live, units, index)) return false;
    LiveStrand  *strand = strand_at(units, index);
    const size_t count = event_count(units, strand), at = place_behind(units, strand, tick);
    if (!live_append(live, &strand->events, event, units->event_size)) return false;
    uint8_t *place = strand->events.data + at * units->event_size;
    memmove(place + units->event_size, place, (count - at) * units->event_size);
    memcpy(place, event, units->event_size);
    const uint32_t *quiets = VECTOR(strand->quiets, const uint32_t);
    while (strand->quiets.size > 0 && quiets[VECTOR_COUNT(strand->quiets, uint32_t) - 1] >= at)
        strand->quiets.size -= sizeof *quiets;
    strand->fresh++;
    units->bytes += units->event_size;
    return make_pending(live, units, index);
}

bool live_strand_note_cpu(LiveTrace *live, LiveUnits *units, uint32_t index, uint64_t offset)
{
    const CpuTime *note = cpu_find(&live->cpu_times, offset);
    LiveStrand    *strand = strand_at(units, index);
    if (note == NULL) return true;
    if (!live_append(live, &strand->cpu, note, sizeof *note)) return false;
    units->bytes += sizeof *note;
    CpuTime *times = VECTOR(strand->cpu, CpuTime);
    for (size_t i = VECTOR_COUNT(strand->cpu, CpuTime) - 1; i > 0 && times[i - 1].offset > times[i].offset;
         i--) {
        const CpuTime later = times[i - 1];
        times[i - 1] = times[i];
        times[i] = later;
    }
    return true;
}

void live_strand_quiet(LiveTrace *live, LiveStrand *strand, uint32_t i)
{
    const size_t count = VECTOR_COUNT(strand->quiets, uint32_t);
    if (count > 0 && VECTOR(strand->quiets, const uint32_t)[count - 1] >= i) return;
    if (!live_append(live, &strand->quiets, &i, sizeof i)) live->failed = true;
}

/* ---- their units ---- */

static UnitRef ref_of(const LiveUnitMade *made)
{
    return (UnitRef){ made->unit.begin, made->unit.offset, made->group };
}

static int compare_refs(const UnitRef *a, const UnitRef *b)
{
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    if (a->offset != b->offset) return a->offset < b->offset ? -1 : 1;
    return (a->group > b->group) - (a->group < b->group);
}

static void release_made(Bytes *made)
{
    LiveUnitMade *items = VECTOR(*made, LiveUnitMade);
    for (size_t i = 0; i < VECTOR_COUNT(*made, LiveUnitMade); i++)
        bytes_release(&items[i].unit.members);
    bytes_release(made);
}

/* A unit that was made, by its place in the list of them. */
typedef struct MadeRef {
    UnitRef ref;
    size_t  made;
} MadeRef;

static int compare_made(const void *left, const void *right)
{
    return compare_refs(&((const MadeRef *)left)->ref, &((const MadeRef *)right)->ref);
}

/* Returns the made units in order of begin, then offset, then group; NULL when out of memory. */
static const MadeRef *order_made(LiveTrace *live, const Bytes *made)
{
    const LiveUnitMade *units = VECTOR(*made, const LiveUnitMade);
    const size_t        count = VECTOR_COUNT(*made, LiveUnitMade);
    MadeRef            *order = ARENA_ARRAY(&live->scratch, MadeRef, count);
    if (order == NULL) return NULL;
    for (size_t i = 0; i < count; i++)
        order[i] = (MadeRef){ ref_of(&units[i]), i };
    if (count > 1) qsort(order, count, sizeof *order, compare_made);
    return order;
}

/* Removes the old units that are not among the new ones. Both are in order. From the last to the first, because later
 * units of a group move when one is removed. */
static void remove_old(LiveTrace *live, LiveUnits *units, const UnitRef *old, size_t old_count,
                       const MadeRef *new, size_t new_count)
{
    for (size_t i = old_count, n = new_count; i-- > 0;) {
        for (; n > 0 && compare_refs(&new[n - 1].ref, &old[i]) > 0; n--)
            units->steps++;
        if (n == 0 || compare_refs(&new[n - 1].ref, &old[i]) != 0)
            live_unit_remove(live, units, old[i].group, &old[i]);
    }
}

/* Puts the made units in the place of the strand's units from the `first` on. Units that are there already are
 * changed. Linear in their number, but for sorting. */
static bool replace(LiveTrace *live, LiveUnits *units, LiveStrand *strand, size_t first, Bytes *made)
{
    const size_t   old_count = VECTOR_COUNT(strand->refs, UnitRef) - first;
    const UnitRef *old = old_count == 0 ? NULL : VECTOR(strand->refs, const UnitRef) + first;
    const size_t   new_count = VECTOR_COUNT(*made, LiveUnitMade);
    const MadeRef *new = order_made(live, made);
    if (new == NULL) return false;
    remove_old(live, units, old, old_count, new, new_count);
    for (size_t i = 0, at = 0; i < new_count; i++) {
        const UnitRef *ref = &new[i].ref;
        LiveUnit      *unit = &VECTOR(*made, LiveUnitMade)[new[i].made].unit;
        for (; at < old_count && compare_refs(&old[at], ref) < 0; at++)
            units->steps++;
        const bool was = at < old_count && compare_refs(&old[at], ref) == 0;
        const bool done =
            was ? live_unit_change(live, units, ref, unit) : live_unit_add(live, units, ref->group, unit);
        unit->members = (Bytes){ .data = NULL }; /* they belong to the group now */
        if (!done) return false;
    }
    strand->refs.size = first * sizeof *old;
    for (size_t i = 0; i < new_count; i++)
        if (!live_append(live, &strand->refs, &new[i].ref, sizeof new[i].ref)) return false;
    return true;
}

enum { MUCH_OF_A_STRAND = 1 << 12 }; /* events */

/* The first event of the part that must be made again: everything before it stands. */
static uint32_t first_again(const LiveStrand *strand)
{
    const size_t count = VECTOR_COUNT(strand->quiets, uint32_t);
    return count == 0 ? 0 : VECTOR(strand->quiets, const uint32_t)[count - 1];
}

static size_t first_ref_from(const LiveStrand *strand, int64_t tick)
{
    const UnitRef *refs = VECTOR(strand->refs, const UnitRef);
    size_t         count = VECTOR_COUNT(strand->refs, UnitRef);
    while (count > 0 && refs[count - 1].begin >= tick)
        count--;
    return count;
}

static bool make_strand(LiveTrace *live, LiveUnits *units, uint32_t index)
{
    LiveStrand    *strand = strand_at(units, index);
    const uint32_t first = first_again(strand);
    Bytes          made = { .data = NULL };
    if (event_count(units, strand) == 0) return true;
    const size_t first_ref = first_ref_from(strand, tick_at(units, strand, first));
    bool         done = units->make(live, units, index, first, &made) && !made.failed &&
                replace(live, units, strand_at(units, index), first_ref, &made);
    release_made(&made);
    strand_at(units, index)->fresh = 0;
    if (!done) live->failed = true;
    return done;
}

/* What has no end reaches to that of the trace. */
static bool stretch_open(LiveTrace *live, LiveUnits *units)
{
    if (!live->end_moved) return true;
    const uint32_t *open = VECTOR(units->open, const uint32_t);
    for (size_t i = 0; i < VECTOR_COUNT(units->open, uint32_t); i++)
        if (!make_pending(live, units, open[i])) return false;
    return true;
}

/* Which strands have something open, of those that had and those that were made. */
static bool note_open(LiveTrace *live, LiveUnits *units, const uint32_t *made, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        LiveStrand *strand = strand_at(units, made[i]);
        if (strand->has_open && !strand->is_open_listed) {
            if (!live_append(live, &units->open, &made[i], sizeof made[i])) return false;
            strand->is_open_listed = true;
        }
    }
    uint32_t *open = VECTOR(units->open, uint32_t);
    size_t    kept = 0;
    for (size_t i = 0; i < VECTOR_COUNT(units->open, uint32_t); i++) {
        LiveStrand *strand = strand_at(units, open[i]);
        strand->is_open_listed = strand->has_open;
        if (strand->has_open) open[kept++] = open[i];
    }
    units->open.size = kept * sizeof *open;
    return true;
}

bool live_strands_make(LiveTrace *live, LiveUnits *units)
{
    if (!stretch_open(live, units)) return false;
    uint32_t    *pending = VECTOR(units->pending, uint32_t);
    const size_t count = VECTOR_COUNT(units->pending, uint32_t);
    size_t       kept = 0, made = 0;
    uint32_t    *list = ARENA_ARRAY(&live->scratch, uint32_t, count);
    if (list == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        LiveStrand *strand = strand_at(units, pending[i]);
        if (live_puts_off(live, strand->fresh, event_count(units, strand) - first_again(strand),
                          MUCH_OF_A_STRAND)) {
            pending[kept++] = pending[i];
            continue;
        }
        strand->is_pending = false;
        if (!make_strand(live, units, pending[i])) return false;
        list[made++] = pending[i];
    }
    units->pending.size = kept * sizeof *pending;
    return note_open(live, units, list, made);
}

/* ---- letting go, other ticks, release ---- */

static void take_first(Bytes *list, size_t size)
{
    if (size == 0) return;
    list->size -= size;
    memmove(list->data, list->data + size, list->size);
}

/* How many of the first events lie before the last quiet moment up to `tick`. */
static size_t count_quiet(const LiveUnits *units, const LiveStrand *strand, int64_t tick)
{
    const uint32_t *quiets = VECTOR(strand->quiets, const uint32_t);
    size_t          low = 0;
    LOWER_BOUND(size_t, low, VECTOR_COUNT(strand->quiets, uint32_t), i,
                tick_at(units, strand, quiets[i]) <= tick);
    return low == 0 ? 0 : quiets[low - 1];
}

/* An id that is used again and again goes on: what came of it before goes, once that is a good part. */
static void drop_first(LiveUnits *units, LiveStrand *strand, int64_t tick, bool at_once)
{
    enum { SHARE = 4 };
    const size_t count = event_count(units, strand), first = count_quiet(units, strand, tick);
    if (first == 0 || (!at_once && first < count / SHARE)) return;
    const size_t refs = first_ref_from(strand, tick_at(units, strand, first));
    uint32_t    *quiets = VECTOR(strand->quiets, uint32_t);
    size_t       kept = 0;
    for (size_t i = 0; i < VECTOR_COUNT(strand->quiets, uint32_t); i++)
        if (quiets[i] > first) quiets[kept++] = quiets[i] - (uint32_t)first;
    strand->quiets.size = kept * sizeof *quiets;
    units->bytes -= first * units->event_size;
    take_first(&strand->events, first * units->event_size);
    take_first(&strand->refs, refs * sizeof(UnitRef));
    const size_t notes = VECTOR_COUNT(strand->cpu, CpuTime), most = 2 * (count - first);
    const size_t old = notes > most ? notes - most : 0; /* they are by place in the input, not by time */
    units->bytes -= old * sizeof(CpuTime);
    take_first(&strand->cpu, old * sizeof(CpuTime));
}

/* One thing that is open for long and spoken of again and again (an object that is shown with each frame)
 * must not take the place of all else: its first event stays, and those from `tick` on. */
static bool thin(LiveTrace *live, LiveUnits *units, uint32_t index, int64_t tick)
{
    enum { SHARE = 16 };
    LiveStrand  *strand = strand_at(units, index);
    const size_t size = units->event_size,
                 behind = tick == INT64_MIN ? 0 : place_behind(units, strand, tick - 1);
    if (strand->events.size <= live->options.keep_bytes / SHARE || behind < 2) return true;
    const size_t gone = (behind - 1) * size;
    strand->events.size -= gone;
    memmove(strand->events.data + size, strand->events.data + size + gone, strand->events.size - size);
    strand->quiets.size = 0;
    units->bytes -= gone;
    return make_strand(live, units, index);
}

bool live_strands_drop(LiveTrace *live, LiveUnits *units, int64_t tick, bool at_once)
{
    for (uint32_t i = 0; i < VECTOR_COUNT(units->strands, LiveStrand); i++) {
        LiveStrand    *strand = strand_at(units, i);
        const size_t   count = event_count(units, strand);
        const UnitRef *refs = VECTOR(strand->refs, const UnitRef);
        if (count == 0) continue;
        if (strand->is_pending || (strand->has_open && !at_once) ||
            tick_at(units, strand, count - 1) >= tick) {
            drop_first(units, strand, tick, at_once);
            if (at_once && !thin(live, units, i, tick)) return false;
            continue;
        }
        for (size_t r = 0; strand->has_open && r < VECTOR_COUNT(strand->refs, UnitRef); r++)
            live_unit_remove(live, units, refs[r].group, &refs[r]);
        strand->has_open = false;
        units->bytes -= strand->events.size;
        bytes_release(&strand->events);
        bytes_release(&strand->refs);
        bytes_release(&strand->quiets);
        units->bytes -= strand->cpu.size;
        bytes_release(&strand->cpu);
        bytes_append(&units->dropped, &i, sizeof i);
        units->dropped.failed = false; /* then its place is lost: no more */
    }
    return true;
}

void live_strands_free(LiveTrace *live, LiveUnits *units)
{
    enum { LEAST = 1024, SHARE = 4 };
    uint32_t    *dropped = VECTOR(units->dropped, uint32_t);
    const size_t count = VECTOR_COUNT(units->dropped, uint32_t);
    size_t       kept = 0;
    if (count < LEAST || count < VECTOR_COUNT(units->strands, LiveStrand) / SHARE) return;
    for (size_t i = 0; i < count; i++) {
        LiveStrand *strand = strand_at(units, dropped[i]);
        if (strand->events.size > 0 || strand->is_pending || strand->is_freed)
            continue; /* it has come back */
        strand->is_freed = true;
        dropped[kept++] = dropped[i];
    }
    for (size_t i = 0; i < kept; i++)
        strand_at(units, dropped[i])->is_freed = false;
    builder_free_strands(live->builder, dropped, kept);
    if (live->builder->failed) live->failed = true;
    bytes_clear(&units->dropped);
}

static void convert_member(LiveMember *member, ClockConversion *conversion)
{
    clock_convert(conversion, &member->slice.begin);
    clock_convert(conversion, &member->slice.end);
}

static void convert_group(LiveGroup *group, ClockConversion *conversion)
{
    for (size_t i = 0; i < VECTOR_COUNT(group->units, LiveUnit); i++) {
        LiveUnit *unit = &VECTOR(group->units, LiveUnit)[i];
        clock_convert(conversion, &unit->begin);
        clock_convert(conversion, &unit->end);
        for (size_t m = 0; m < VECTOR_COUNT(unit->members, LiveMember); m++)
            convert_member(&VECTOR(unit->members, LiveMember)[m], conversion);
    }
    for (size_t i = 0; i < VECTOR_COUNT(group->rewritten, UnitRef); i++)
        clock_convert(conversion, &VECTOR(group->rewritten, UnitRef)[i].begin);
    if (group->from < INT64_MAX) clock_convert(conversion, &group->from);
    if (group->kept_from > INT64_MIN) clock_convert(conversion, &group->kept_from);
}

void live_units_convert(LiveUnits *units, ClockConversion *conversion)
{
    for (uint32_t i = 0; i < VECTOR_COUNT(units->strands, LiveStrand); i++) {
        LiveStrand *strand = strand_at(units, i);
        for (size_t e = 0; e < event_count(units, strand); e++) {
            int64_t tick = tick_at(units, strand, e);
            clock_convert(conversion, &tick);
            memcpy(strand->events.data + e * units->event_size, &tick, sizeof tick);
        }
        for (size_t r = 0; r < VECTOR_COUNT(strand->refs, UnitRef); r++)
            clock_convert(conversion, &VECTOR(strand->refs, UnitRef)[r].begin);
    }
    for (uint32_t i = 0; i < VECTOR_COUNT(units->groups, LiveGroup); i++)
        convert_group(&VECTOR(units->groups, LiveGroup)[i], conversion);
}

void live_units_release(LiveUnits *units)
{
    for (uint32_t i = 0; i < VECTOR_COUNT(units->strands, LiveStrand); i++) {
        LiveStrand *strand = strand_at(units, i);
        bytes_release(&strand->events);
        bytes_release(&strand->refs);
        bytes_release(&strand->quiets);
        bytes_release(&strand->cpu);
    }
    for (uint32_t i = 0; i < VECTOR_COUNT(units->groups, LiveGroup); i++) {
        LiveGroup *group = &VECTOR(units->groups, LiveGroup)[i];
        for (size_t u = 0; u < VECTOR_COUNT(group->units, LiveUnit); u++)
            bytes_release(&VECTOR(group->units, LiveUnit)[u].members);
        bytes_release(&group->units);
        bytes_release(&group->rewritten);
    }
    bytes_release(&units->strands);
    bytes_release(&units->pending);
    bytes_release(&units->open);
    bytes_release(&units->dropped);
    bytes_release(&units->groups);
}
