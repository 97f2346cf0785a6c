/* Tracks of what overlaps freely: each unit stands on the first lane that is free, in order of begin.
 *
 * Where a unit stands depends on those before it alone: what they leave of each lane is read off the lanes'
 * rows. So of a track that changed at some moment what begins later is taken out of the rows and put back. */
#include "trace/live/live_state.h"
#include "trace/make/lane_heap.h"

static LiveTrack *track_at(const LiveUnits *units, uint32_t group)
{
    return &VECTOR(units->tracks, LiveTrack)[group];
}

static LiveGroup *group_at(const LiveUnits *units, uint32_t group)
{
    return &VECTOR(units->groups, LiveGroup)[group];
}

static LiveUnit *units_of(const LiveGroup *group)
{
    return VECTOR(group->units, LiveUnit);
}

static size_t unit_count(const LiveGroup *group)
{
    return VECTOR_COUNT(group->units, LiveUnit);
}

/* ---- groups ---- */

uint32_t live_group_get(LiveTrace *live, LiveUnits *units, uint32_t process, uint32_t key)
{
    const uint64_t id = (uint64_t)process << 32 | key;
    const uint32_t known = id_map_find(&units->group_of, id);
    if (known != 0) return known - 1;
    const uint32_t  index = (uint32_t)VECTOR_COUNT(units->groups, LiveGroup);
    const LiveGroup group = { .process = process, .key = key, .from = INT64_MAX, .kept_from = INT64_MIN };
    const LiveTrack track = { .kind = units->kind, .source = index };
    if (!live_append(live, &units->groups, &group, sizeof group) ||
        !live_append(live, &units->tracks, &track, sizeof track))
        return UINT32_MAX;
    if (!id_map_put(&units->group_of, id, index + 1)) {
        live->failed = true;
        return UINT32_MAX;
    }
    live->reshape = true;
    return index;
}

/* ---- units ---- */

static uint64_t unit_bytes(const LiveUnit *unit)
{
    return sizeof *unit + unit->members.size;
}

/* Those that choose their lanes first: what begins earlier, then what is longer. */
static int compare_units(const LiveTrace *live, const LiveUnits *units, const LiveUnit *a, const LiveUnit *b)
{
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    if (a->end != b->end) return a->end > b->end ? -1 : 1;
    return units->compare(live, a, b);
}

/* The first unit that begins at or after the tick. */
static size_t first_from(const LiveGroup *group, int64_t tick)
{
    const LiveUnit *list = units_of(group);
    size_t          low = 0;
    LOWER_BOUND(size_t, low, unit_count(group), i, list[i].begin < tick);
    return low;
}

static bool is_unit(const LiveGroup *group, size_t i, int64_t begin, uint64_t offset)
{
    return i < unit_count(group) && units_of(group)[i].begin == begin && units_of(group)[i].offset == offset;
}

/* Returns the place of a unit; SIZE_MAX if the strand has no such unit. Units of one tick are mostly looked for in their order, from
 * the first to the last or from the last to the first: the neighbours of the last one that was found come first. */
static size_t find_unit(LiveUnits *units, LiveGroup *group, int64_t begin, uint64_t offset)
{
    const LiveUnit *list = units_of(group);
    const size_t    near[] = { group->found + 1, group->found, group->found - 1 };
    for (size_t n = 0; n < sizeof near / sizeof near[0]; n++)
        if (is_unit(group, near[n], begin, offset)) return group->found = near[n];
    for (size_t i = first_from(group, begin); i < unit_count(group) && list[i].begin == begin; i++) {
        units->steps++;
        if (list[i].offset == offset) return group->found = i;
    }
    return SIZE_MAX;
}

LiveUnit *live_unit_find(LiveUnits *units, const UnitRef *ref)
{
    LiveGroup   *group = group_at(units, ref->group);
    const size_t i = find_unit(units, group, ref->begin, ref->offset);
    return i == SIZE_MAX ? NULL : &units_of(group)[i];
}

static void lay_out_from(LiveGroup *group, int64_t tick)
{
    if (tick < group->from) group->from = tick;
    group->fresh++;
}

static bool insert_unit(LiveTrace *live, LiveUnits *units, LiveGroup *group, const LiveUnit *unit)
{
    if (!live_append(live, &group->units, unit, sizeof *unit)) return false;
    LiveUnit *list = units_of(group);
    size_t    at = 0, last = unit_count(group) - 1;
    if (last > 0 && compare_units(live, units, &list[last - 1], unit) <= 0) at = last; /* mostly */
    LOWER_BOUND(size_t, at, last, i, compare_units(live, units, &list[i], unit) <= 0);
    memmove(list + at + 1, list + at, (last - at) * sizeof *list);
    list[at] = *unit;
    return true;
}

static void take_unit(LiveGroup *group, size_t i)
{
    LiveUnit *list = units_of(group);
    memmove(list + i, list + i + 1, (unit_count(group) - i - 1) * sizeof *list);
    group->units.size -= sizeof *list;
}

bool live_unit_add(LiveTrace *live, LiveUnits *units, uint32_t group_index, LiveUnit *unit)
{
    LiveGroup *group = group_at(units, group_index);
    unit->lane = unit->changed = UINT32_MAX;
    if (group->units.size == 0) group->label = unit->label;
    lay_out_from(group, unit->begin);
    units->bytes += unit_bytes(unit);
    if (insert_unit(live, units, group, unit)) return true;
    bytes_release(&unit->members);
    return false;
}

void live_unit_remove(LiveTrace *live, LiveUnits *units, uint32_t group_index, const UnitRef *ref)
{
    (void)live;
    LiveGroup   *group = group_at(units, group_index);
    const size_t i = find_unit(units, group, ref->begin, ref->offset);
    if (i == SIZE_MAX) return; /* it was let go */
    lay_out_from(group, ref->begin);
    units->bytes -= unit_bytes(&units_of(group)[i]);
    bytes_release(&units_of(group)[i].members);
    take_unit(group, i);
}

static bool stand_alike(const LiveMember *a, const LiveMember *b)
{
    return a->slice.begin == b->slice.begin && a->slice.offset == b->slice.offset && a->depth == b->depth &&
           a->is_instant == b->is_instant;
}

static bool slices_equal(const LiveSlice *a, const LiveSlice *b)
{
    return a->end == b->end && a->end_offset == b->end_offset && a->label == b->label &&
           a->flags == b->flags && a->thread == b->thread && a->stack == b->stack &&
           a->end_stack == b->end_stack && a->cpu == b->cpu;
}

/* Notes what of the unit's members has become another and stays where it is; gives the moment from
 * which on others stand there. */
static int64_t compare_members(const LiveUnit *was, LiveUnit *now)
{
    const LiveMember *old = VECTOR(was->members, const LiveMember),
                     *new = VECTOR(now->members, const LiveMember);
    const size_t old_count = VECTOR_COUNT(was->members, LiveMember),
                 new_count = VECTOR_COUNT(now->members, LiveMember);
    int64_t from = INT64_MAX;
    size_t  i = 0;
    now->root_changed = was->root_changed;
    now->changed = was->changed;
    for (; i < old_count && i < new_count && stand_alike(&old[i], &new[i]); i++) {
        if (slices_equal(&old[i].slice, &new[i].slice)) continue;
        if (new[i].is_instant) break;
        if (i == 0) now->root_changed = true;
        if (i > 0 && i < now->changed) now->changed = (uint32_t)i;
    }
    if (i < old_count) from = old[i].slice.begin;
    if (i < new_count && new[i].slice.begin < from) from = new[i].slice.begin;
    return from;
}

static bool is_in_order(const LiveTrace *live, const LiveUnits *units, const LiveGroup *group, size_t i)
{
    const LiveUnit *list = units_of(group);
    return (i == 0 || compare_units(live, units, &list[i - 1], &list[i]) <= 0) &&
           (i + 1 == unit_count(group) || compare_units(live, units, &list[i], &list[i + 1]) <= 0);
}

bool live_unit_change(LiveTrace *live, LiveUnits *units, const UnitRef *ref, LiveUnit *unit)
{
    LiveGroup   *group = group_at(units, ref->group);
    const size_t i = find_unit(units, group, ref->begin, ref->offset);
    if (i == SIZE_MAX) return live_unit_add(live, units, ref->group, unit);
    LiveUnit     *was = &units_of(group)[i];
    int64_t       from = compare_members(was, unit);
    const int64_t earlier = was->end < unit->end ? was->end : unit->end;
    const bool has_moved = was->end != unit->end, was_listed = was->root_changed || was->changed < UINT32_MAX;
    if (has_moved && earlier < from) from = earlier;
    unit->lane = was->lane;
    units->bytes += unit_bytes(unit) - unit_bytes(was);
    bytes_release(&was->members);
    *was = *unit;
    if (has_moved && !is_in_order(live, units, group, i)) {
        take_unit(group, i);
        from = unit->begin;
        if (!insert_unit(live, units, group, unit)) {
            bytes_release(&unit->members);
            return false;
        }
    }
    if (from < INT64_MAX) lay_out_from(group, from);
    const bool is_listed = unit->root_changed || unit->changed < UINT32_MAX;
    return was_listed || !is_listed || live_append(live, &group->rewritten, ref, sizeof *ref);
}

/* ---- lanes ---- */

/* What the last of a lane's units before `tick` leave of it: from when on it is free. */
static int64_t lane_free_at(const LiveTrace *live, const LiveTrack *track, const LiveRow *row, int64_t tick)
{
    const Trace   *trace = &live->trace;
    const uint32_t slices = row_lower_bound(trace, &row->row, tick);
    const uint32_t instants = row_instant_bound(trace, &row->row, tick);
    int64_t        free_at = INT64_MIN;
    if (slices > 0) {
        const uint64_t last = row->row.first_slice + slices - 1;
        free_at = trace_slice_end(trace, last);
        if (free_at == trace->slices.begin_tick[last]) free_at++;
    }
    if (instants > 0 &&
        track->kind != TRACK_OBJECTS) { /* snapshots take no room beside their object's life */
        const int64_t instant = trace->instants.tick[row->row.extras->first_instant + instants - 1] + 1;
        if (instant > free_at) free_at = instant;
    }
    return free_at;
}

/* The lanes as they are before `tick`. */
static bool lanes_before(LiveTrace *live, const LiveGroup *group, const LiveTrack *track, size_t more,
                         int64_t tick, LaneSet *lanes)
{
    const LiveRow *rows = live_rows(track);
    *lanes =
        (LaneSet){ .far = { .lanes = ARENA_ARRAY(&live->scratch, HeapLane, live_row_count(track) + more) } };
    if (lanes->far.lanes == NULL) return false;
    for (int i = 0; i < LANES_SEARCHED; i++)
        lanes->free_at[i] = INT64_MIN;
    for (uint32_t r = 0; r < live_row_count(track); r++) {
        if (rows[r].row.depth > 0) continue;
        const uint32_t lane = rows[r].row.lane;
        const int64_t  free_at = lane_free_at(live, track, &rows[r], tick);
        const bool     is_empty = rows[r].row.slice_count == 0 && rows[r].row.extras->instant_count == 0;
        if (free_at == INT64_MIN && !(group->kept_from > INT64_MIN && is_empty)) continue;
        if (lane < LANES_SEARCHED) {
            lanes->free_at[lane] = free_at;
        } else {
            lane_heap_push(&lanes->far, (HeapLane){ free_at, lane });
        }
        lanes->count = lane + 1;
    }
    return true;
}

static bool put_member(LiveTrace *live, LiveTrack *track, uint32_t lane, const LiveMember *member)
{
    LiveRow *row = live_row_get(live, track, lane, member->depth);
    if (row == NULL) return false;
    if (!member->is_instant) {
        track->slice_count++;
        return live_slice_append(live, row, &member->slice);
    }
    const LiveSlice  *s = &member->slice;
    const uint64_t    scope = track->kind == TRACK_OBJECTS ? (uint64_t)INSTANT_PROCESS : INSTANT_THREAD;
    const InstantMark mark = { s->begin,
                               s->offset << PLACE_BITS | scope << PLACE_SCOPE_SHIFT |
                                   (s->flags & SLICE_SOURCE ? (uint64_t)PLACE_DETAILS : 0),
                               s->label, s->thread };
    track->instant_count++;
    return live_instant_add(live, row, &mark, s->stack);
}

/* Members of the unit from `tick` on into the rows of its lane, but for those that have been let go. */
static bool put_unit(LiveTrace *live, const LiveGroup *group, LiveTrack *track, const LiveUnit *unit,
                     int64_t tick)
{
    const LiveMember *members = VECTOR(unit->members, const LiveMember);
    for (size_t i = 0; i < VECTOR_COUNT(unit->members, LiveMember); i++)
        if (members[i].slice.begin >= tick && members[i].slice.end >= group->kept_from &&
            !put_member(live, track, unit->lane, &members[i]))
            return false;
    return true;
}

static void cut_from(LiveTrace *live, LiveTrack *track, int64_t tick)
{
    for (uint32_t r = 0; r < live_row_count(track); r++) {
        LiveRow       *row = &live_rows(track)[r];
        const uint32_t slices = row_lower_bound(&live->trace, &row->row, tick);
        const uint32_t instants = row_instant_bound(&live->trace, &row->row, tick);
        track->slice_count -= row->row.slice_count - slices;
        track->instant_count -= row->row.extras->instant_count - instants;
        live_slices_cut(live, row, slices);
        live_instants_cut(row, instants);
    }
}

/* A slice that stays in its row becomes what it is now. */
static void rewrite_slice(LiveTrace *live, LiveTrack *track, uint32_t lane, const LiveMember *member)
{
    LiveRow *row = live_row_find(track, lane, member->depth);
    if (row == NULL) return;
    for (uint32_t i = row_lower_bound(&live->trace, &row->row, member->slice.begin); i < row->row.slice_count;
         i++) {
        const LiveSlice was = live_slice_at(live, row, i);
        if (was.begin != member->slice.begin) return; /* it was let go */
        if (was.offset != member->slice.offset) continue;
        if (slices_equal(&was, &member->slice)) return;
        const bool    only_longer = (was.flags & member->slice.flags & SLICE_UNFINISHED) != 0;
        const int64_t earlier = was.end < member->slice.end ? was.end : member->slice.end;
        live_note_change(live, track, only_longer ? earlier : was.begin);
        live_slice_rewrite(live, row, i, &member->slice);
        return;
    }
}

/* What changed of units and stays, because it begins before `tick`. */
static void rewrite_units(LiveTrace *live, LiveUnits *units, LiveGroup *group, LiveTrack *track, int64_t tick)
{
    const UnitRef *refs = VECTOR(group->rewritten, const UnitRef);
    for (size_t r = 0; r < VECTOR_COUNT(group->rewritten, UnitRef); r++) {
        const size_t at = find_unit(units, group, refs[r].begin, refs[r].offset);
        if (at == SIZE_MAX) continue;
        LiveUnit         *unit = &units_of(group)[at];
        const LiveMember *members = VECTOR(unit->members, const LiveMember);
        const size_t      count = VECTOR_COUNT(unit->members, LiveMember);
        if (unit->root_changed && unit->begin < tick) rewrite_slice(live, track, unit->lane, &members[0]);
        for (size_t i = unit->changed; i < count && members[i].slice.begin < tick; i++)
            if (!members[i].is_instant) rewrite_slice(live, track, unit->lane, &members[i]);
        unit->root_changed = false;
        unit->changed = UINT32_MAX;
    }
    bytes_clear(&group->rewritten);
}

/* The units that begin before `tick` and reach it: at most one a lane. */
static bool find_crossing(LiveTrace *live, LiveUnits *units, LiveGroup *group, const LiveTrack *track,
                          int64_t tick, size_t **crossing, size_t *count)
{
    const LiveRow *rows = live_rows(track);
    *crossing = ARENA_ARRAY(&live->scratch, size_t, live_row_count(track));
    *count = 0;
    if (*crossing == NULL) return false;
    for (uint32_t r = 0; r < live_row_count(track); r++) {
        const Row     *row = &rows[r].row;
        const uint32_t before = row_lower_bound(&live->trace, row, tick);
        if (row->depth > 0 || before == 0) continue;
        const uint64_t last = row->first_slice + before - 1;
        if (trace_slice_end(&live->trace, last) < tick) continue;
        const size_t i =
            find_unit(units, group, live->trace.slices.begin_tick[last], live->places.source[last]);
        if (i != SIZE_MAX) (*crossing)[(*count)++] = i;
    }
    return true;
}

static bool lay_out(LiveTrace *live, LiveUnits *units, uint32_t index)
{
    LiveGroup    *group = group_at(units, index);
    LiveTrack    *track = track_at(units, index);
    LiveUnit     *list = units_of(group);
    const int64_t tick = group->from;
    const size_t  first = first_from(group, tick), count = unit_count(group);
    LaneSet       lanes;
    size_t       *crossing, crossing_count;
    if (live_puts_off(live, group->fresh, count - first, MUCH_TO_LAY_OUT)) return true;
    rewrite_units(live, units, group, track, tick);
    if (tick == INT64_MAX) return true;
    if (!lanes_before(live, group, track, count - first, tick, &lanes) ||
        !find_crossing(live, units, group, track, tick, &crossing, &crossing_count))
        return false;
    cut_from(live, track, tick);
    live_note_change(live, track, tick);
    for (size_t i = 0; i < crossing_count; i++)
        if (!put_unit(live, group, track, &list[crossing[i]], tick)) return false;
    for (size_t i = first; i < count; i++) {
        list[i].lane = lane_set_take(&lanes, list[i].begin, list[i].end);
        if (!put_unit(live, group, track, &list[i], list[i].begin)) return false;
    }
    group->from = INT64_MAX;
    group->fresh = 0;
    return true;
}

bool live_units_lay_out(LiveTrace *live, LiveUnits *units)
{
    for (uint32_t i = 0; i < VECTOR_COUNT(units->groups, LiveGroup); i++) {
        const LiveGroup *group = group_at(units, i);
        if ((group->from == INT64_MAX && group->rewritten.size == 0) || lay_out(live, units, i)) continue;
        live->failed = true;
        return false;
    }
    return true;
}

void live_group_drop(LiveUnits *units, uint32_t index, int64_t tick)
{
    LiveGroup *group = group_at(units, index);
    LiveUnit  *list = units_of(group);
    size_t     kept = 0;
    if (tick > group->kept_from) group->kept_from = tick;
    for (size_t i = 0; i < unit_count(group); i++) {
        if (list[i].end >= tick) {
            list[kept++] = list[i];
            continue;
        }
        units->bytes -= unit_bytes(&list[i]);
        bytes_release(&list[i].members);
    }
    group->units.size = kept * sizeof *list;
}
