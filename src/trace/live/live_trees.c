/* Tracks of trees that may overlap: each tree gets the first free lane, in order of begin.
 *
 * The lane of a tree depends only on the trees before it; the rows of the lanes tell when each lane becomes free. So
 * after a change, the trees from its tick on are removed from the rows and inserted again. */
#include "trace/live/live_state.h"
#include "trace/make/lane_heap.h"

static LiveTrack *track_at(const LiveTrees *trees, uint32_t group)
{
    return &VECTOR(trees->tracks, LiveTrack)[group];
}

static LiveGroup *group_at(const LiveTrees *trees, uint32_t group)
{
    return &VECTOR(trees->groups, LiveGroup)[group];
}

static LiveTree *trees_of(const LiveGroup *group)
{
    return VECTOR(group->trees, LiveTree);
}

static size_t tree_count(const LiveGroup *group)
{
    return VECTOR_COUNT(group->trees, LiveTree);
}

/* ---- groups ---- */

uint32_t live_group_get(LiveTrace *live, LiveTrees *trees, uint32_t process, uint32_t key)
{
    const uint64_t id = (uint64_t)process << 32 | key;
    const uint32_t known = id_map_find(&trees->group_of, id);
    if (known != 0) return known - 1;
    const uint32_t  index = (uint32_t)VECTOR_COUNT(trees->groups, LiveGroup);
    const LiveGroup group = { .process = process, .key = key, .from = INT64_MAX, .kept_from = INT64_MIN };
    const LiveTrack track = { .kind = trees->kind, .source = index };
    if (!live_append(live, &trees->groups, &group, sizeof group) ||
        !live_append(live, &trees->tracks, &track, sizeof track))
        return UINT32_MAX;
    if (!id_map_put(&trees->group_of, id, index + 1)) {
        live->failed = true;
        return UINT32_MAX;
    }
    live->shape.is_stale = true;
    if (trees->kind == TRACK_OBJECTS) live->columns.has_objects = true;
    return index;
}

/* ---- trees ---- */

static uint64_t tree_bytes(const LiveTree *tree)
{
    return sizeof *tree + tree->members.size;
}

/* Orders trees for the assignment of lanes: the earlier begin first, then the longer tree. */
static int compare_trees(const LiveTrace *live, const LiveTrees *trees, const LiveTree *a, const LiveTree *b)
{
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    if (a->end != b->end) return a->end > b->end ? -1 : 1;
    return trees->compare(live, a, b);
}

/* Returns the index of the first tree that begins at or after the tick. */
static size_t first_from(const LiveGroup *group, int64_t tick)
{
    const LiveTree *list = trees_of(group);
    size_t          low = 0;
    LOWER_BOUND(size_t, low, tree_count(group), i, list[i].begin < tick);
    return low;
}

static bool is_tree(const LiveGroup *group, size_t i, int64_t begin, uint64_t offset)
{
    return i < tree_count(group) && trees_of(group)[i].begin == begin && trees_of(group)[i].offset == offset;
}

/* Returns the index of a tree; SIZE_MAX if the group has no such tree. Compares the neighbours of the last found tree
 * first, because trees of one tick are usually looked up in their order, ascending or descending. */
static size_t find_tree(LiveTrees *trees, LiveGroup *group, int64_t begin, uint64_t offset)
{
    const LiveTree *list = trees_of(group);
    const size_t    near[] = { group->found + 1, group->found, group->found - 1 };
    for (size_t n = 0; n < sizeof near / sizeof near[0]; n++)
        if (is_tree(group, near[n], begin, offset)) return group->found = near[n];
    for (size_t i = first_from(group, begin); i < tree_count(group) && list[i].begin == begin; i++) {
        trees->steps++;
        if (list[i].offset == offset) return group->found = i;
    }
    return SIZE_MAX;
}

LiveTree *live_tree_find(LiveTrees *trees, const TreeRef *ref)
{
    LiveGroup   *group = group_at(trees, ref->group);
    const size_t i = find_tree(trees, group, ref->begin, ref->offset);
    return i == SIZE_MAX ? NULL : &trees_of(group)[i];
}

static void lay_out_from(LiveGroup *group, int64_t tick)
{
    if (tick < group->from) group->from = tick;
    group->fresh++;
}

static bool insert_tree(LiveTrace *live, LiveTrees *trees, LiveGroup *group, const LiveTree *tree)
{
    if (!live_append(live, &group->trees, tree, sizeof *tree)) return false;
    LiveTree *list = trees_of(group);
    size_t    at = 0, last = tree_count(group) - 1;
    if (last > 0 && compare_trees(live, trees, &list[last - 1], tree) <= 0)
        at = last; /* the most frequent case */
    LOWER_BOUND(size_t, at, last, i, compare_trees(live, trees, &list[i], tree) <= 0);
    memmove(list + at + 1, list + at, (last - at) * sizeof *list);
    list[at] = *tree;
    return true;
}

static void take_tree(LiveGroup *group, size_t i)
{
    LiveTree *list = trees_of(group);
    memmove(list + i, list + i + 1, (tree_count(group) - i - 1) * sizeof *list);
    group->trees.size -= sizeof *list;
}

bool live_tree_add(LiveTrace *live, LiveTrees *trees, uint32_t group_index, LiveTree *tree)
{
    LiveGroup *group = group_at(trees, group_index);
    tree->lane = tree->changed = UINT32_MAX;
    if (group->trees.size == 0) group->label = tree->label;
    lay_out_from(group, tree->begin);
    trees->bytes += tree_bytes(tree);
    if (insert_tree(live, trees, group, tree)) return true;
    bytes_release(&tree->members);
    return false;
}

void live_tree_remove(LiveTrace *live, LiveTrees *trees, uint32_t group_index, const TreeRef *ref)
{
    (void)live;
    LiveGroup   *group = group_at(trees, group_index);
    const size_t i = find_tree(trees, group, ref->begin, ref->offset);
    if (i == SIZE_MAX) return; /* it was removed */
    lay_out_from(group, ref->begin);
    trees->bytes -= tree_bytes(&trees_of(group)[i]);
    bytes_release(&trees_of(group)[i].members);
    take_tree(group, i);
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

/* Records the members that have changed and keep their places. Returns the tick from which on the members differ. */
static int64_t compare_members(const LiveTree *was, LiveTree *now)
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

static bool is_in_order(const LiveTrace *live, const LiveTrees *trees, const LiveGroup *group, size_t i)
{
    const LiveTree *list = trees_of(group);
    return (i == 0 || compare_trees(live, trees, &list[i - 1], &list[i]) <= 0) &&
           (i + 1 == tree_count(group) || compare_trees(live, trees, &list[i], &list[i + 1]) <= 0);
}

bool live_tree_change(LiveTrace *live, LiveTrees *trees, const TreeRef *ref, LiveTree *tree)
{
    LiveGroup   *group = group_at(trees, ref->group);
    const size_t i = find_tree(trees, group, ref->begin, ref->offset);
    if (i == SIZE_MAX) return live_tree_add(live, trees, ref->group, tree);
    LiveTree     *was = &trees_of(group)[i];
    int64_t       from = compare_members(was, tree);
    const int64_t earlier = was->end < tree->end ? was->end : tree->end;
    const bool has_moved = was->end != tree->end, was_listed = was->root_changed || was->changed < UINT32_MAX;
    if (has_moved && earlier < from) from = earlier;
    tree->lane = was->lane;
    trees->bytes += tree_bytes(tree) - tree_bytes(was);
    bytes_release(&was->members);
    *was = *tree;
    if (has_moved && !is_in_order(live, trees, group, i)) {
        take_tree(group, i);
        from = tree->begin;
        if (!insert_tree(live, trees, group, tree)) {
            bytes_release(&tree->members);
            return false;
        }
    }
    if (from < INT64_MAX) lay_out_from(group, from);
    const bool is_listed = tree->root_changed || tree->changed < UINT32_MAX;
    return was_listed || !is_listed || live_append(live, &group->rewritten, ref, sizeof *ref);
}

/* ---- lanes ---- */

/* Returns the tick from which on a lane is free after its trees before `tick`. */
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
    if (instants > 0 && track->kind != TRACK_OBJECTS) { /* snapshots are inside the life of their object */
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

/* Inserts the members of the tree from `tick` on into the rows of its lane, except removed ones. */
static bool put_tree(LiveTrace *live, const LiveGroup *group, LiveTrack *track, const LiveTree *tree,
                     int64_t tick)
{
    const LiveMember *members = VECTOR(tree->members, const LiveMember);
    for (size_t i = 0; i < VECTOR_COUNT(tree->members, LiveMember); i++)
        if (members[i].slice.begin >= tick && members[i].slice.end >= group->kept_from &&
            !put_member(live, track, tree->lane, &members[i]))
            return false;
    return true;
}

/* Updates a slice that stays in its row. */
static void rewrite_slice(LiveTrace *live, LiveTrack *track, uint32_t lane, const LiveMember *member)
{
    LiveRow *row = live_row_find(track, lane, member->depth);
    if (row == NULL) return;
    for (uint32_t i = row_lower_bound(&live->trace, &row->row, member->slice.begin); i < row->row.slice_count;
         i++) {
        const LiveSlice was = live_slice_at(live, row, i);
        if (was.begin != member->slice.begin) return; /* it was removed */
        if (was.offset != member->slice.offset) continue;
        if (slices_equal(&was, &member->slice)) return;
        const bool    only_longer = (was.flags & member->slice.flags & SLICE_UNFINISHED) != 0;
        const int64_t earlier = was.end < member->slice.end ? was.end : member->slice.end;
        live_note_change(live, track, only_longer ? earlier : was.begin);
        live_slice_rewrite(live, row, i, &member->slice);
        return;
    }
}

/* Updates the changed members of trees that begin before `tick`. */
static void rewrite_trees(LiveTrace *live, LiveTrees *trees, LiveGroup *group, LiveTrack *track, int64_t tick)
{
    const TreeRef *refs = VECTOR(group->rewritten, const TreeRef);
    for (size_t r = 0; r < VECTOR_COUNT(group->rewritten, TreeRef); r++) {
        const size_t at = find_tree(trees, group, refs[r].begin, refs[r].offset);
        if (at == SIZE_MAX) continue;
        LiveTree         *tree = &trees_of(group)[at];
        const LiveMember *members = VECTOR(tree->members, const LiveMember);
        const size_t      count = VECTOR_COUNT(tree->members, LiveMember);
        if (tree->root_changed && tree->begin < tick) rewrite_slice(live, track, tree->lane, &members[0]);
        for (size_t i = tree->changed; i < count && members[i].slice.begin < tick; i++)
            if (!members[i].is_instant) rewrite_slice(live, track, tree->lane, &members[i]);
        tree->root_changed = false;
        tree->changed = UINT32_MAX;
    }
    bytes_clear(&group->rewritten);
}

/* Finds the trees that begin before `tick` and reach it, at most one in each lane. */
static bool find_crossing(LiveTrace *live, LiveTrees *trees, LiveGroup *group, const LiveTrack *track,
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
            find_tree(trees, group, live->trace.slices.begin_tick[last], live->places.source[last]);
        if (i != SIZE_MAX) (*crossing)[(*count)++] = i;
    }
    return true;
}

static bool lay_out(LiveTrace *live, LiveTrees *trees, uint32_t index)
{
    LiveGroup    *group = group_at(trees, index);
    LiveTrack    *track = track_at(trees, index);
    LiveTree     *list = trees_of(group);
    const int64_t tick = group->from;
    const size_t  first = first_from(group, tick), count = tree_count(group);
    LaneSet       lanes;
    size_t       *crossing, crossing_count;
    if (live_postpones(live, group->fresh, count - first, MUCH_TO_LAY_OUT)) return true;
    rewrite_trees(live, trees, group, track, tick);
    if (tick == INT64_MAX) return true;
    if (!lanes_before(live, group, track, count - first, tick, &lanes) ||
        !find_crossing(live, trees, group, track, tick, &crossing, &crossing_count))
        return false;
    live_track_cut(live, track, tick);
    live_note_change(live, track, tick);
    for (size_t i = 0; i < crossing_count; i++)
        if (!put_tree(live, group, track, &list[crossing[i]], tick)) return false;
    for (size_t i = first; i < count; i++) {
        list[i].lane = lane_set_take(&lanes, list[i].begin, list[i].end);
        if (!put_tree(live, group, track, &list[i], list[i].begin)) return false;
    }
    group->from = INT64_MAX;
    group->fresh = 0;
    return true;
}

bool live_trees_lay_out(LiveTrace *live, LiveTrees *trees)
{
    for (uint32_t i = 0; i < VECTOR_COUNT(trees->groups, LiveGroup); i++) {
        const LiveGroup *group = group_at(trees, i);
        if ((group->from == INT64_MAX && group->rewritten.size == 0) || lay_out(live, trees, i)) continue;
        live->failed = true;
        return false;
    }
    return true;
}

void live_group_drop(LiveTrees *trees, uint32_t index, int64_t tick)
{
    LiveGroup *group = group_at(trees, index);
    LiveTree  *list = trees_of(group);
    size_t     kept = 0;
    if (tick > group->kept_from) group->kept_from = tick;
    for (size_t i = 0; i < tree_count(group); i++) {
        if (list[i].end >= tick) {
            list[kept++] = list[i];
            continue;
        }
        trees->bytes -= tree_bytes(&list[i]);
        bytes_release(&list[i].members);
    }
    group->trees.size = kept * sizeof *list;
}
