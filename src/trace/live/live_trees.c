/* Tracks of asynchronous trees, which may overlap: each tree gets the first free lane, in order of begin.
 *
 * The lane of a tree depends only on the trees before it; the rows of the lanes tell when each lane becomes free. So
 * after a change, the trees from its tick on are taken out of the rows, put in order by async.c together with the
 * changed ones, and put back. Trees that begin before that tick keep their lanes. */
#include "trace/live/live_state.h"
#include "trace/make/lane_heap.h"

#include <stdlib.h>

static LiveTrack *track_at(const LiveTrace *live, uint32_t group)
{
    return &VECTOR(live->async.tracks, LiveTrack)[group];
}

static LiveGroup *group_at(const LiveTrace *live, uint32_t group)
{
    return &VECTOR(live->async.groups, LiveGroup)[group];
}

static uint32_t group_count(const LiveTrace *live)
{
    return (uint32_t)VECTOR_COUNT(live->async.groups, LiveGroup);
}

uint32_t live_group_get(LiveTrace *live, uint32_t process, uint32_t label)
{
    LiveAsync      *async = &live->async;
    const uint64_t  id = (uint64_t)process << 32 | label;
    const uint32_t  known = id_map_find(&async->group_of, id);
    const uint32_t  index = group_count(live);
    const LiveGroup group = { .process = process, .label = label, .from = INT64_MAX, .kept_from = INT64_MIN };
    const LiveTrack track = { .kind = TRACK_ASYNC, .source = index };
    if (known != 0) return known - 1;
    if (!live_append(live, &async->groups, &group, sizeof group) ||
        !live_append(live, &async->tracks, &track, sizeof track))
        return UINT32_MAX;
    if (!id_map_put(&async->group_of, id, index + 1)) {
        live->failed = true;
        return UINT32_MAX;
    }
    live->shape.is_stale = live->columns.has_ids = true;
    return index;
}

/* ---- the changed trees ---- */

/* The trees of LiveAsync.made, by group, then begin, with the members of each together. */
typedef struct Changed {
    AsyncTree   *trees;
    AsyncMember *members;
    size_t      *first, *end; /* by group: its trees */
} Changed;

static bool order_changed(LiveTrace *live, Changed *changed)
{
    const size_t count = vec_count(&live->async.made.trees);
    changed->first = ARENA_ARRAY(&live->scratch, size_t, group_count(live));
    changed->end = ARENA_ARRAY(&live->scratch, size_t, group_count(live));
    changed->trees = async_order(&live->async.made, &changed->members);
    if (changed->trees == NULL || changed->first == NULL || changed->end == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        AsyncTree *tree = &changed->trees[i];
        tree->lane = UINT32_MAX;
        if (changed->end[tree->group] == 0) changed->first[tree->group] = i;
        changed->end[tree->group] = i + 1;
    }
    return true;
}

/* Returns the changed tree with this begin event; NULL if the group has no such tree. */
static AsyncTree *find_changed(LiveTrace *live, const Changed *changed, uint32_t group, int64_t begin,
                               uint64_t offset)
{
    AsyncTree   *trees = changed->trees;
    const size_t end = changed->end[group];
    size_t       low = changed->first[group];
    LOWER_BOUND(size_t, low, end, i, trees[i].begin < begin);
    for (; low < end && trees[low].begin == begin; low++) {
        live->async.steps++;
        if (trees[low].offset == offset) return &trees[low];
    }
    return NULL;
}

/* True if the tree with this first slice, or instant, is made again. */
static bool is_made(const LiveTrace *live, const LiveSlice *root)
{
    const LiveId *id = &VECTOR(live->async.ids, const LiveId)[root->id];
    return id->is_made && root->begin >= id->made_from &&
           (root->begin >= id->removed_to || root->offset > id->removed_offset);
}

/* ---- the tick from which on a group is laid out ---- */

/* A tree that begins before a tick and reaches it: at most one in each lane. */
typedef struct Crossing {
    LiveSlice  root;
    int64_t    new_end;
    uint32_t   lane;
    AsyncTree *tree; /* if it is made again */
} Crossing;

typedef struct CrossingList {
    Crossing *items; /* by lane */
    size_t    count;
} CrossingList;

static bool find_crossing(LiveTrace *live, const Changed *changed, uint32_t group, int64_t tick,
                          CrossingList *list)
{
    const LiveTrack *track = track_at(live, group);
    *list = (CrossingList){ .items = (Crossing *)arena_push_raw(&live->scratch, live_row_count(track),
                                                                sizeof(Crossing)) };
    if (list->items == NULL) return false;
    for (uint32_t r = 0; r < live_row_count(track); r++) {
        const LiveRow *row = &live_rows(track)[r];
        const uint32_t before = row->row.depth > 0 ? 0 : row_lower_bound(&live->trace, &row->row, tick);
        if (before == 0) continue;
        const LiveSlice root = live_slice_at(live, row, before - 1);
        if (!(root.flags & SLICE_UNFINISHED) && root.end < tick) continue;
        Crossing *item = &list->items[list->count++];
        *item = (Crossing){ .root = root, .lane = row->row.lane };
        if (is_made(live, &root)) item->tree = find_changed(live, changed, group, root.begin, root.offset);
        item->new_end = item->tree != NULL                    ? item->tree->end
                        : item->root.flags & SLICE_UNFINISHED ? live->trace.end_tick
                                                              : item->root.end;
    }
    return true;
}

static int compare_crossing(const void *left, const void *right)
{
    const Crossing *a = (const Crossing *)left, *b = (const Crossing *)right;
    if (a->root.begin != b->root.begin) return a->root.begin < b->root.begin ? -1 : 1;
    if (a->root.end != b->root.end) return a->root.end > b->root.end ? -1 : 1;
    return (a->root.offset > b->root.offset) - (a->root.offset < b->root.offset);
}

/* Returns the earliest tick at which trees begin whose order changes with their ends; INT64_MAX if there are no such trees. */
static int64_t changed_order(const CrossingList *list)
{
    if (list->count > 1) qsort(list->items, list->count, sizeof *list->items, compare_crossing);
    for (size_t i = 1; i < list->count; i++) {
        const Crossing *a = &list->items[i - 1], *b = &list->items[i];
        if (a->root.begin != b->root.begin) continue;
        if (a->new_end < b->new_end || (a->new_end == b->new_end && a->root.offset > b->root.offset))
            return a->root.begin;
    }
    return INT64_MAX;
}

/* Has a group laid out from the first slice or instant on that a move of the end of the trace changes. */
static bool find_from(LiveTrace *live, const Changed *changed, uint32_t index)
{
    LiveGroup       *group = group_at(live, index);
    const LiveTrack *track = track_at(live, index);
    const int64_t    drawn = live->async.drawn_to, end = live->trace.end_tick;
    const int64_t    edge = drawn == end ? INT64_MAX : drawn < end ? drawn : end;
    for (uint32_t r = 0; edge < INT64_MAX && r < live_row_count(track); r++) {
        const Row     *row = &live_rows(track)[r].row;
        const uint32_t instants = row->extras->instant_count;
        if ((row->slice_count > 0 &&
             live->trace.slices.begin_tick[row->first_slice + row->slice_count - 1] >= edge) ||
            (instants > 0 && live->trace.instants.tick[row->extras->first_instant + instants - 1] >= edge))
            group->from = edge < group->from ? edge : group->from;
    }
    const int64_t tick = edge < group->from ? edge : group->from;
    CrossingList  list;
    if (tick == INT64_MAX) return true;
    if (!find_crossing(live, changed, index, tick, &list)) return false;
    const int64_t from = changed_order(&list);
    if (from < group->from) group->from = from;
    return true;
}

/* Returns the number of slices and instants from `tick` on. */
static size_t items_from(const LiveTrace *live, const LiveTrack *track, int64_t tick)
{
    size_t count = 0;
    for (uint32_t r = 0; r < live_row_count(track); r++) {
        const Row *row = &live_rows(track)[r].row;
        count += row->slice_count - row_lower_bound(&live->trace, row, tick);
        count += row->extras->instant_count - row_instant_bound(&live->trace, row, tick);
    }
    return count;
}

/* ---- out of the rows ---- */

static bool add_tree(LiveTrace *live, uint32_t group, const AsyncTree *tree)
{
    const LiveGroup *of = group_at(live, group);
    AsyncTree        added = *tree;
    added.process = of->process;
    added.label = of->label;
    added.count = 0;
    vec_push(&live->async.all.trees, added);
    return !live->async.all.trees.bytes.failed;
}

/* Adds a slice or instant to a tree of LiveAsync.all. */
static bool add_member(LiveTrace *live, const LiveSlice *slice, uint32_t depth, uint64_t instant, size_t tree)
{
    const AsyncMember member = { .interval = { .begin = slice->begin,
                                               .end = slice->end,
                                               .place = slice->offset << PLACE_BITS | instant,
                                               .row = depth,
                                               .extra =
                                                   (uint32_t)VECTOR_COUNT(live->async.slices, LiveSlice) },
                                 .tree = tree };
    AsyncMaker       *all = &live->async.all;
    all->trees.items[tree].count++;
    vec_push(&all->members, member);
    return !all->members.bytes.failed && live_append(live, &live->async.slices, slice, sizeof *slice);
}

/* The begin of a tree in a lane: one that is taken out, or the crossing one before these. */
typedef struct Root {
    int64_t  begin;
    uint64_t offset;
    uint32_t id;
    size_t   tree; /* in LiveAsync.all; SIZE_MAX = it is made again */
} Root;

static bool add_root(LiveTrace *live, uint32_t group, const LiveSlice *slice, uint32_t lane, Bytes *roots)
{
    const size_t    index = vec_count(&live->async.all.trees);
    const bool      is_changed = is_made(live, slice);
    const Root      root = { slice->begin, slice->offset, slice->id, is_changed ? SIZE_MAX : index };
    const AsyncTree tree = {
        .begin = slice->begin, .end = slice->end, .offset = slice->offset, .lane = lane
    };
    return live_append(live, roots, &root, sizeof root) && (is_changed || add_tree(live, group, &tree));
}

/* Returns an instant of a row as a slice without length. */
static LiveSlice instant_slice(const LiveTrace *live, const LiveRow *row, uint32_t i)
{
    const LiveInstant instant = live_instant_at(live, row, i);
    return (LiveSlice){ .begin = instant.mark.tick,
                        .end = instant.mark.tick,
                        .offset = live->columns.instant_offsets[row->row.extras->first_instant + i],
                        .label = instant.mark.label,
                        .flags = instant.mark.place & PLACE_DETAILS ? SLICE_SOURCE : 0,
                        .thread = instant.mark.thread,
                        .stack = instant.stack,
                        .id = instant.id };
}

/* True if the item is inside a root, or in a later one. */
static bool reaches(const Root *root, const LiveSlice *item)
{
    return item->begin > root->begin ||
           (item->begin == root->begin && item->id == root->id && item->offset >= root->offset);
}

/* Takes the slices (SPACE_SLICES) or instants of a row from `tick` on. */
static bool take_items(LiveTrace *live, const LiveRow *row, SpaceKind kind, int64_t tick, Bytes *roots)
{
    const bool     of_instants = kind == SPACE_INSTANTS;
    const uint32_t count = of_instants ? row->row.extras->instant_count : row->row.slice_count;
    uint32_t       i = of_instants ? row_instant_bound(&live->trace, &row->row, tick)
                                   : row_lower_bound(&live->trace, &row->row, tick);
    const Root    *at = VECTOR(*roots, const Root), *last = at + VECTOR_COUNT(*roots, Root) - 1;
    for (; i < count; i++) {
        LiveSlice item = of_instants ? instant_slice(live, row, i) : live_slice_at(live, row, i);
        if (item.flags & SLICE_UNFINISHED) item.end = live->trace.end_tick;
        while (at < last && reaches(at + 1, &item))
            at++;
        if (at->tree == SIZE_MAX) continue;
        if (!add_member(live, &item, row->row.depth, of_instants ? (uint64_t)ASYNC_INSTANT_INTERVAL : 0,
                        at->tree))
            return false;
    }
    return true;
}

/* Lists the roots of a lane from `tick` on, in order of begin. */
static bool list_roots(LiveTrace *live, uint32_t group, const LiveRow *row, int64_t tick, Bytes *roots)
{
    const uint32_t slices = row->row.slice_count, instants = row->row.extras->instant_count;
    uint32_t       s = row_lower_bound(&live->trace, &row->row, tick);
    uint32_t       n = row_instant_bound(&live->trace, &row->row, tick);
    while (s < slices || n < instants) {
        LiveSlice  slice = s < slices ? live_slice_at(live, row, s) : (LiveSlice){ .begin = INT64_MAX };
        LiveSlice  instant = n < instants ? instant_slice(live, row, n) : (LiveSlice){ .begin = INT64_MAX };
        const bool is_slice = n == instants || (s < slices && slice.begin <= instant.begin);
        LiveSlice *root = is_slice ? &slice : &instant;
        if (root->flags & SLICE_UNFINISHED) root->end = live->trace.end_tick;
        if (!add_root(live, group, root, UINT32_MAX, roots)) return false;
        s += is_slice;
        n += !is_slice;
    }
    return true;
}

/* Takes the trees from `tick` on out of the rows, and the parts from there on of the crossing ones. */
static bool take_out(LiveTrace *live, uint32_t group, int64_t tick, const CrossingList *list)
{
    LiveTrack *track = track_at(live, group);
    Bytes      roots = { .data = NULL };
    bool       done = true;
    size_t     c = 0;
    for (uint32_t r = 0; done && r < live_row_count(track); r++) {
        const LiveRow *row = &live_rows(track)[r];
        if (row->row.depth == 0) {
            const Root none = { .begin = INT64_MIN, .tree = SIZE_MAX };
            bytes_clear(&roots);
            done = c < list->count && list->items[c].lane == row->row.lane
                       ? add_root(live, group, &list->items[c++].root, row->row.lane, &roots)
                       : live_append(live, &roots, &none, sizeof none);
            done = done && list_roots(live, group, row, tick, &roots);
        }
        done = done && take_items(live, row, SPACE_SLICES, tick, &roots) &&
               take_items(live, row, SPACE_INSTANTS, tick, &roots);
    }
    bytes_release(&roots);
    live_track_cut(live, track, tick);
    return done;
}

/* ---- into the rows ---- */

static LiveSlice slice_of(LiveTrace *live, const AsyncTree *tree, const AsyncMember *member)
{
    const Interval      *interval = &member->interval;
    const IntervalExtra *extra =
        interval->extra == 0 ? NULL : &live->async.made.extras.items[interval->extra - 1];
    const Bytes *notes = &VECTOR(live->async.ids, const LiveId)[tree->id].cpu;
    CpuCursor    cpu = { VECTOR(*notes, const CpuTime), VECTOR_COUNT(*notes, CpuTime), 0 };
    LiveSlice    slice = live_slice_of(live, interval, extra, &cpu);
    slice.thread = interval->event;
    slice.level = 0;
    slice.id = tree->id;
    return slice;
}

/* Updates a slice that stays in its row. */
static void rewrite_slice(LiveTrace *live, LiveTrack *track, uint32_t lane, uint32_t depth,
                          const LiveSlice *slice)
{
    LiveRow *row = live_row_find(track, lane, depth);
    if (row == NULL) return;
    for (uint32_t i = row_lower_bound(&live->trace, &row->row, slice->begin); i < row->row.slice_count; i++) {
        const uint64_t at = row->row.first_slice + i;
        if (live->trace.slices.begin_tick[at] != slice->begin) return; /* it was removed */
        if (live->places.source[at] != slice->offset) continue;
        live_slice_update(live, track, row, i, slice);
        return;
    }
}

/* Adds the items of a changed tree from `tick` on to LiveAsync.all. Updates the earlier ones in the rows. */
static bool add_changed(LiveTrace *live, uint32_t group, const Changed *changed, const AsyncTree *tree,
                        int64_t tick)
{
    const size_t index = vec_count(&live->async.all.trees);
    if (tree->begin < tick && tree->lane == UINT32_MAX) return true; /* it ended before, or was removed */
    if (!add_tree(live, group, tree)) return false;
    for (size_t i = tree->first; i < tree->first + tree->count; i++) {
        const AsyncMember *member = &changed->members[i];
        const uint64_t     instant = member->interval.place & ASYNC_INSTANT_INTERVAL;
        const LiveSlice    slice = slice_of(live, tree, member);
        if (slice.begin < tick) {
            if (!instant)
                rewrite_slice(live, track_at(live, group), tree->lane, member->interval.row, &slice);
        } else if (slice.end >= group_at(live, group)->kept_from &&
                   !add_member(live, &slice, member->interval.row, instant, index)) {
            return false;
        }
    }
    return true;
}

/* Returns the tick from which on a lane is free after its trees before `tick`. */
static int64_t lane_free_at(const LiveTrace *live, const LiveRow *row, int64_t tick)
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
    if (instants > 0) {
        const int64_t instant = trace->instants.tick[row->row.extras->first_instant + instants - 1] + 1;
        if (instant > free_at) free_at = instant;
    }
    return free_at;
}

/* Sets the lanes to their state before `tick`. */
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
        const int64_t  free_at = lane_free_at(live, &rows[r], tick);
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

static bool put_member(LiveTrace *live, LiveTrack *track, uint32_t lane, const AsyncMember *member)
{
    const LiveSlice *s = &VECTOR(live->async.slices, const LiveSlice)[member->interval.extra];
    LiveRow         *row = live_row_get(live, track, lane, member->interval.row);
    if (row == NULL) return false;
    if (!(member->interval.place & ASYNC_INSTANT_INTERVAL)) {
        track->slice_count++;
        return live_slice_append(live, row, s);
    }
    const LiveInstant instant = { .mark = { s->begin,
                                            s->offset << PLACE_BITS |
                                                (uint64_t)INSTANT_THREAD << PLACE_SCOPE_SHIFT |
                                                (s->flags & SLICE_SOURCE ? (uint64_t)PLACE_DETAILS : 0),
                                            s->label, s->thread },
                                  .stack = s->stack,
                                  .id = s->id };
    track->instant_count++;
    return live_instant_add(live, row, &instant);
}

/* Puts the trees of LiveAsync.all into the rows. */
static bool put_back(LiveTrace *live, uint32_t group, LaneSet *lanes)
{
    AsyncMember     *members;
    const size_t     count = vec_count(&live->async.all.trees);
    const AsyncTree *trees = async_order(&live->async.all, &members);
    if (trees == NULL) return false;
    for (size_t t = 0; t < count; t++) {
        const AsyncTree *tree = &trees[t];
        const uint32_t   lane =
            tree->lane != UINT32_MAX ? tree->lane : lane_set_take(lanes, tree->begin, tree->end);
        for (size_t i = tree->first; i < tree->first + tree->count; i++)
            if (!put_member(live, track_at(live, group), lane, &members[i])) return false;
    }
    return true;
}

static bool lay_out(LiveTrace *live, const Changed *changed, uint32_t index)
{
    LiveGroup    *group = group_at(live, index);
    const int64_t tick = group->from;
    CrossingList  list;
    LaneSet       lanes;
    const size_t  first = changed->first[index], end = changed->end[index];
    async_maker_clear(&live->async.all);
    bytes_clear(&live->async.slices);
    if (!find_crossing(live, changed, index, tick, &list)) return false;
    for (size_t i = 0; i < list.count; i++)
        if (list.items[i].tree != NULL) list.items[i].tree->lane = list.items[i].lane;
    live_note_change(live, track_at(live, index), tick);
    for (size_t i = first; i < end; i++)
        if (!add_changed(live, index, changed, &changed->trees[i], tick)) return false;
    live_rows_stretch(live, track_at(live, index), tick, live->trace.end_tick);
    const size_t more = items_from(live, track_at(live, index), tick) + (end - first);
    if (!lanes_before(live, group, track_at(live, index), more, tick, &lanes) ||
        !take_out(live, index, tick, &list) || !put_back(live, index, &lanes))
        return false;
    group->from = INT64_MAX;
    return true;
}

bool live_trees_lay_out(LiveTrace *live, bool *is_done)
{
    Changed  changed;
    uint64_t again = 0;
    if (!order_changed(live, &changed)) return false;
    for (uint32_t i = 0; i < group_count(live); i++) {
        if (!find_from(live, &changed, i)) return false;
        if (group_at(live, i)->from < INT64_MAX)
            again += items_from(live, track_at(live, i), group_at(live, i)->from);
    }
    *is_done = !live_postpones(live, live->async.fresh, again, MUCH_TO_LAY_OUT);
    for (uint32_t i = 0; i < group_count(live); i++) {
        if (*is_done && group_at(live, i)->from < INT64_MAX && !lay_out(live, &changed, i)) return false;
        if (live->async.drawn_to != live->trace.end_tick)
            live_rows_stretch(live, track_at(live, i), INT64_MAX, live->trace.end_tick);
    }
    live->async.drawn_to = live->trace.end_tick;
    return true;
}
