/* Tracks of asynchronous trees, which may overlap: each tree has the first free lane, in order of begin.
 *
 * The lane of a tree depends only on the trees before it; the rows of the lanes tell when each lane becomes free. So
 * after a change at a tick, async.c lays out the track again from there on: the trees that begin there, and the parts of
 * the trees that reach that tick. These keep their lanes. */
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

static uint64_t group_key(uint32_t process, uint32_t label)
{
    return (uint64_t)process << 32 | label;
}

uint32_t live_group_get(LiveTrace *live, uint32_t process, uint32_t label)
{
    LiveAsync      *async = &live->async;
    const uint32_t  known = id_map_find(&async->group_of, group_key(process, label));
    const uint32_t  index = group_count(live);
    const LiveGroup group = { .process = process, .label = label, .from = INT64_MIN, .is_chosen = true };
    const LiveTrack track = { .kind = TRACK_ASYNC, .source = index };
    if (known != 0) return known - 1;
    if (!live_append(live, &async->groups, &group, sizeof group) ||
        !live_append(live, &async->tracks, &track, sizeof track))
        return UINT32_MAX;
    if (!id_map_put(&async->group_of, group_key(process, label), index + 1)) {
        live->failed = true;
        return UINT32_MAX;
    }
    live->shape.is_stale = live->columns.has_ids = true;
    return index;
}

static void note_from(LiveGroup *group, int64_t tick)
{
    if (tick < group->from) group->from = tick;
}

uint32_t live_group_mark(LiveTrace *live, const AsyncEvent *event, int64_t tick)
{
    TraceBuilder *builder = live->builder;
    uint32_t      label = event->label;
    if (builder->labels.all.items[label].colour != 0)
        label = builder_colour_label(builder, (LabelId){ label }, 0).index;
    const uint32_t process = builder->threads.all.items[event->thread].process;
    const uint32_t known = id_map_find(&live->async.group_of, group_key(process, label));
    if (known == 0) return UINT32_MAX;
    note_from(group_at(live, known - 1), tick);
    return known - 1;
}

bool live_group_waits(const LiveTrace *live, uint32_t group)
{
    return group_at(live, group)->from < INT64_MAX && !group_at(live, group)->is_chosen;
}

/* ---- the trees of a track from a tick on ---- */

/* A tree that begins before the tick and reaches it: at most one in each lane. */
typedef struct Crossing {
    int64_t  begin;
    uint64_t offset;
    uint32_t lane, id;
} Crossing;

/* Finds the first slice of the tree of a lane that begins before `tick` and reaches it. */
static bool find_crossing(const LiveTrace *live, const LiveRow *row, int64_t tick, LiveSlice *root)
{
    const uint32_t before = row_lower_bound(&live->trace, &row->row, tick);
    if (before == 0) return false;
    *root = live_slice_at(live, row, before - 1);
    return (root->flags & SLICE_UNFINISHED) || root->end >= tick;
}

static int compare_crossing(const void *left, const void *right)
{
    const Crossing *a = (const Crossing *)left, *b = (const Crossing *)right;
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

/* Lists them, by begin and offset. Returns their number; SIZE_MAX when out of memory. */
static size_t list_crossing(LiveTrace *live, const LiveTrack *track, int64_t tick, Crossing **items)
{
    size_t    count = 0;
    LiveSlice root;
    *items = ARENA_ARRAY(&live->scratch, Crossing, live_row_count(track));
    if (*items == NULL) return SIZE_MAX;
    for (uint32_t r = 0; r < live_row_count(track); r++) {
        const LiveRow *row = &live_rows(track)[r];
        if (row->row.depth > 0 || !find_crossing(live, row, tick, &root)) continue;
        (*items)[count++] = (Crossing){ root.begin, root.offset, row->row.lane, root.id };
    }
    if (count > 1) qsort(*items, count, sizeof **items, compare_crossing);
    return count;
}

/* Has a track laid out from the begin of crossing trees on that is the same if one of them changes: their order depends on
 * their ends. */
static bool find_ties(LiveTrace *live, uint32_t index)
{
    LiveGroup *group = group_at(live, index);
    for (int64_t tick = INT64_MAX; tick != group->from;) {
        Crossing    *items;
        const size_t count = list_crossing(live, track_at(live, index), tick = group->from, &items);
        if (count == SIZE_MAX) return false;
        for (size_t i = 1; i < count; i++)
            if (items[i].begin == items[i - 1].begin &&
                (live_id_at(live, items[i].id)->is_marked || live_id_at(live, items[i - 1].id)->is_marked))
                note_from(group, items[i].begin);
    }
    return true;
}

/* Has a track laid out from the first tree on that a move of the end of the trace changes: it begins there, or it ends
 * there, so that its order among trees with the same begin changes. */
static void find_edge(LiveTrace *live, uint32_t index)
{
    const LiveTrack *track = track_at(live, index);
    const int64_t drawn = live->async.drawn_to, end = live->trace.end_tick, edge = drawn < end ? drawn : end;
    LiveSlice     root;
    for (uint32_t r = 0; drawn != end && r < live_row_count(track); r++) {
        const LiveRow *row = &live_rows(track)[r];
        if (row->row.depth > 0) continue;
        if (row_lower_bound(&live->trace, &row->row, edge) < row->row.slice_count ||
            row_instant_bound(&live->trace, &row->row, edge) < row->row.extras->instant_count)
            note_from(group_at(live, index), edge);
        if (find_crossing(live, row, edge, &root) && !(root.flags & SLICE_UNFINISHED))
            note_from(group_at(live, index), root.begin);
    }
}

/* Lists an id whose trees must be made again, from the one that begins at `tick` on. */
static bool list_id(LiveTrace *live, uint32_t index, int64_t tick)
{
    LiveId *id = live_id_at(live, index);
    if (id->search == live->async.searches) {
        if (tick < id->need) id->need = tick;
        return true;
    }
    id->search = live->async.searches;
    id->need = tick;
    return live_append(live, &live->async.found, &index, sizeof index);
}

/* Lists the ids of the trees that begin at `tick` or later, or reach it. */
static bool list_ids(LiveTrace *live, const LiveTrack *track, int64_t tick)
{
    const LiveColumns *columns = &live->columns;
    LiveSlice          root;
    live->async.searches++;
    bytes_clear(&live->async.found);
    for (uint32_t r = 0; r < live_row_count(track); r++) {
        const LiveRow   *row = &live_rows(track)[r];
        const RowExtras *extras = row->row.extras;
        if (row->row.depth > 0) continue;
        if (find_crossing(live, row, tick, &root) && !list_id(live, root.id, root.begin)) return false;
        for (uint32_t i = row_lower_bound(&live->trace, &row->row, tick); i < row->row.slice_count; i++)
            if (!list_id(live, columns->slice_ids[row->row.first_slice + i], tick)) return false;
        for (uint32_t i = row_instant_bound(&live->trace, &row->row, tick); i < extras->instant_count; i++)
            if (!list_id(live, columns->instant_ids[extras->first_instant + i], tick)) return false;
    }
    return true;
}

/* ---- which tracks are laid out ---- */

enum { SHARE = 8, ALLOWED = 1 << 12 };

void live_groups_allow(LiveTrace *live, uint64_t fresh)
{
    live->async.credit += SHARE * fresh;
}

/* Chooses a track, and the ids of its trees, if it need not wait. */
static bool choose(LiveTrace *live, uint32_t index, uint64_t *allowed, bool *any_waits)
{
    LiveAsync *async = &live->async;
    LiveGroup *group = group_at(live, index);
    uint64_t   cost = 0;
    if (!find_ties(live, index) || !list_ids(live, track_at(live, index), group->from)) return false;
    const uint32_t *ids = VECTOR(async->found, const uint32_t);
    const size_t    count = VECTOR_COUNT(async->found, uint32_t);
    for (size_t i = 0; i < count; i++)
        cost += live_async_count_from(live, ids[i], live_id_at(live, ids[i])->need);
    uint64_t *const budget = cost <= *allowed || live->now.settles ? allowed : &async->credit;
    if (cost > *budget && !live->now.settles) {
        *any_waits = true;
        return true;
    }
    *budget -= cost < *budget ? cost : *budget;
    group->is_chosen = true;
    for (size_t i = 0; i < count; i++)
        if (!live_async_choose(live, ids[i], live_id_at(live, ids[i])->need)) return false;
    return true;
}

bool live_groups_choose(LiveTrace *live, bool any_waits)
{
    uint64_t allowed = ALLOWED;
    for (uint32_t i = 0; i < group_count(live); i++) {
        find_edge(live, i);
        if (group_at(live, i)->from < INT64_MAX && !choose(live, i, &allowed, &any_waits)) return false;
    }
    if (!any_waits) live->async.credit = 0;
    return true;
}

/* ---- into the rows ---- */

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

/* Sets the lanes of a track to their state before a tick. `more`: the number of trees that need a lane. */
static bool find_lanes(LiveTrace *live, const LiveTrack *track, int64_t tick, size_t more, LaneSet *lanes)
{
    const uint32_t count = live_row_count(track);
    const bool     were_dropped = live->async.kept_from > INT64_MIN;
    *lanes = (LaneSet){ .far = { .lanes = ARENA_ARRAY(&live->scratch, HeapLane, count + more) } };
    if (lanes->far.lanes == NULL) return false;
    for (int i = 0; i < LANES_SEARCHED; i++)
        lanes->free_at[i] = INT64_MIN;
    for (uint32_t r = 0; r < count; r++) {
        const LiveRow *row = &live_rows(track)[r];
        const uint32_t lane = row->row.lane;
        if (row->row.depth > 0) continue;
        const int64_t free_at = lane_free_at(live, row, tick);
        const bool    is_empty = row->row.slice_count == 0 && row->row.extras->instant_count == 0;
        if (free_at == INT64_MIN && !(were_dropped && is_empty)) continue;
        if (lane < LANES_SEARCHED) {
            lanes->free_at[lane] = free_at;
        } else {
            lane_heap_push(&lanes->far, (HeapLane){ free_at, lane });
        }
        lanes->count = lane + 1;
    }
    return true;
}

/* Updates a slice of a changed tree in its row. */
static void update_slice(LiveTrace *live, LiveTrack *track, const AsyncTree *tree, const Interval *interval)
{
    const PutItems  items = { .extras = live->async.made.extras.items, .ids = &tree->id };
    const LiveSlice slice = live_put_slice(live, &items, interval, tree->id);
    LiveRow        *row = live_row_find(track, tree->lane, interval->row);
    if (row == NULL) return;
    for (uint32_t i = row_lower_bound(&live->trace, &row->row, slice.begin); i < row->row.slice_count; i++) {
        const LiveSlice was = live_slice_at(live, row, i);
        if (was.begin != slice.begin) return; /* it was removed */
        if (was.offset != slice.offset) continue;
        live_slice_update(live, track, row, i, &slice);
        return;
    }
}

/* Removes the members of a tree that begin before `tick`, which are in the rows, and the removed ones. */
static void trim(LiveTrace *live, LiveTrack *track, AsyncTree *tree, AsyncMember *members, int64_t tick)
{
    const bool is_changed = live_id_at(live, tree->id)->is_marked;
    size_t     kept = tree->first;
    for (size_t i = tree->first; i < tree->first + tree->count; i++) {
        const Interval *interval = &members[i].interval;
        if (interval->begin >= tick) {
            if (interval->end >= live->async.kept_from) members[kept++] = members[i];
        } else if (is_changed && !(interval->place & ASYNC_INSTANT_INTERVAL)) {
            update_slice(live, track, tree, interval);
        }
    }
    tree->count = kept - tree->first;
}

/* Keeps the trees that are laid out again, with their members from `tick` on. Returns the number of trees, SIZE_MAX when out
 * of memory. */
static size_t keep_trees(LiveTrace *live, LiveTrack *track, int64_t tick, AsyncTree *trees, size_t count,
                         AsyncMember *members)
{
    Crossing    *crossing;
    const size_t crossing_count = list_crossing(live, track, tick, &crossing);
    size_t       kept = 0;
    if (crossing_count == SIZE_MAX) return SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        AsyncTree *tree = &trees[i];
        if (tree->begin < tick) {
            const Crossing  key = { .begin = tree->begin, .offset = tree->offset };
            const Crossing *found =
                (const Crossing *)bsearch(&key, crossing, crossing_count, sizeof key, compare_crossing);
            if (found == NULL) continue;
            tree->lane = found->lane;
        }
        trim(live, track, tree, members, tick);
        if (tree->count > 0) trees[kept++] = *tree;
    }
    return kept;
}

/* Lays out a track again from LiveGroup.from on. */
static bool put_group(LiveTrace *live, uint32_t index, AsyncTree *trees, size_t count, AsyncMember *members)
{
    AsyncMaker   *made = &live->async.made;
    LiveGroup    *group = group_at(live, index);
    LiveTrack    *track = track_at(live, index);
    SliceGroup    result = { .process = group->process, .label = group->label };
    LaneSet       lanes;
    const int64_t tick = group->from;
    live_rows_stretch(live, track, tick, live->trace.end_tick);
    count = keep_trees(live, track, tick, trees, count, members);
    if (count == SIZE_MAX || !find_lanes(live, track, tick, count, &lanes)) return false;
    arena_clear(&live->workspace.scratch);
    if (!async_make_group(made, &result, trees, count, members, &lanes)) return false;
    group->from = INT64_MAX;
    return live_group_put(live, track, &result,
                          &(PutItems){ .extras = made->extras.items,
                                       .ids = result.ids,
                                       .instant_ids = result.instant_ids,
                                       .from = tick });
}

/* Lays out the chosen tracks, whose trees are in the order of the groups' processes and names. */
static bool put_chosen(LiveTrace *live)
{
    AsyncMember *members;
    const size_t count = vec_count(&live->async.made.trees);
    AsyncTree   *trees = async_order(&live->async.made, &members);
    if (trees == NULL) return false;
    for (size_t first = 0, last; first < count; first = last) {
        const uint32_t index = trees[first].group;
        last = first + 1;
        while (last < count && trees[last].group == index)
            last++;
        if (!group_at(live, index)->is_chosen) continue;
        group_at(live, index)->is_chosen = false;
        if (!put_group(live, index, trees + first, last - first, members)) return false;
    }
    for (uint32_t i = 0; i < group_count(live); i++) {
        if (!group_at(live, i)->is_chosen) continue;
        group_at(live, i)->is_chosen = false; /* all its trees were removed */
        if (!put_group(live, i, trees, 0, NULL)) return false;
    }
    return true;
}

bool live_groups_put(LiveTrace *live)
{
    if (!put_chosen(live)) return false;
    /* Slices of a track that waits may overlap when they are longer. */
    for (uint32_t i = 0; i < group_count(live); i++)
        if (live->async.drawn_to != live->trace.end_tick && !live_group_waits(live, i))
            live_rows_stretch(live, track_at(live, i), INT64_MAX, live->trace.end_tick);
    live->async.drawn_to = live->trace.end_tick;
    return true;
}

/* ---- removal ---- */

bool live_groups_drop(LiveTrace *live, int64_t tick, bool at_once, bool *is_worth_it)
{
    uint64_t old_count = 0, all = 0;
    for (uint32_t i = 0; i < group_count(live); i++) {
        const LiveTrack *track = track_at(live, i);
        all += track->slice_count + track->instant_count;
        old_count += live_track_count_old(live, track, tick);
    }
    *is_worth_it = at_once || (old_count > 0 && old_count >= all / 4);
    for (uint32_t i = 0; *is_worth_it && i < group_count(live); i++)
        if (!live_track_drop(live, track_at(live, i), tick, at_once)) return false;
    return true;
}
