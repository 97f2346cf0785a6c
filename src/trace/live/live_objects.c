/* Objects of a growing trace: objects.c makes the lives of an object from its last deletion on. The tables of objects
 * are made again after a change; of very many objects, only after many changes. */
#include "trace/live/live_state.h"
#include "trace/store/object_find.h"

#include <stdlib.h>

/* ---- lives as trees ---- */

static LiveMember slice_of(ObjectsMade *made, const ObjectLifeMade *life)
{
    const uint32_t flags = (uint32_t)(life->place_flags & 0xff);
    return (LiveMember){ .slice = { .begin = life->begin,
                                    .end = life->end,
                                    .offset = life->offset,
                                    .end_offset = flags & SLICE_END_SOURCE
                                                      ? made->extras.items[life->extra - 1].end_offset
                                                      : 0,
                                    .label = object_label_of(made, life),
                                    .flags = flags,
                                    .thread = life->thread } };
}

static LiveMember snapshot_of(const ObjectSnapshot *snapshot)
{
    return (LiveMember){ .slice = { .begin = snapshot->tick,
                                    .end = snapshot->tick,
                                    .offset = snapshot->offset,
                                    .label = snapshot->label,
                                    .flags = SLICE_SOURCE,
                                    .thread = snapshot->thread },
                         .is_instant = true };
}

static bool take_life(LiveTrace *live, LiveTrees *trees, uint32_t id, const ObjectLifeMade *life, Bytes *list)
{
    ObjectsMade *made = &live->object_work.made;
    const Label *label = &live->builder->labels.all.items[life->label];
    LiveTreeMade tree = { live_group_get(live, trees, object_process_of(live->builder, life),
                                         label->name.index),
                          { .begin = life->begin,
                            .end = life->end,
                            .offset = life->offset,
                            .id = id,
                            .changed = UINT32_MAX,
                            .label = life->label,
                            .base_type = life->base_type,
                            .is_created = life->is_created } };
    if (tree.group == UINT32_MAX) return false;
    const LiveMember root = slice_of(made, life);
    Bytes           *members = &tree.tree.members;
    bytes_append(members, &root, sizeof root);
    for (uint64_t i = 0; i < life->snapshot_count; i++) {
        const LiveMember member = snapshot_of(&made->snapshots.items[life->first_snapshot + i]);
        bytes_append(members, &member, sizeof member);
    }
    if (!members->failed) bytes_append(list, &tree, sizeof tree);
    if (!members->failed && !list->failed) return !made->failed;
    bytes_release(members);
    return false;
}

/* Finds the synchronisation points: the events after the deletion of the object, at a later tick. */
static void find_sync_points(LiveTrace *live, LiveId *id, uint32_t first)
{
    const ObjectEvent *events = VECTOR(id->events, const ObjectEvent);
    const uint32_t     count = (uint32_t)VECTOR_COUNT(id->events, ObjectEvent);
    for (uint32_t i = first + 1; i < count; i++)
        if (events[i - 1].kind == OBJECT_DELETED && events[i].tick > events[i - 1].tick)
            live_id_add_sync_point(live, id, i);
    id->has_open = count > 0 && events[count - 1].kind != OBJECT_DELETED;
}

static bool make(LiveTrace *live, LiveTrees *trees, uint32_t index, uint32_t first, Bytes *list)
{
    LiveId            *id = &VECTOR(trees->ids, LiveId)[index];
    const ObjectEvent *events = VECTOR(id->events, const ObjectEvent) + first;
    const size_t       count = VECTOR_COUNT(id->events, ObjectEvent) - first;
    ObjectsMade       *made = &live->object_work.made;
    SortKey           *order =
        (SortKey *)workspace_pages(&live->workspace, &live->workspace.keys, count, sizeof(SortKey));
    vec_clear(&made->lives);
    vec_clear(&made->snapshots);
    vec_clear(&made->extras);
    made->work = (TrackWork){ .warnings = NULL };
    arena_clear(&live->workspace.results);
    if (order == NULL) return false;
    for (size_t i = 0; i < count; i++)
        order[i].index = i;
    if (!objects_add(made, events, order, count)) return false;
    find_sync_points(live, id, first);
    for (size_t i = 0; i < vec_count(&made->lives); i++)
        if (!take_life(live, trees, index, &made->lives.items[i], list)) return false;
    return true;
}

static int compare(const LiveTrace *live, const LiveTree *a, const LiveTree *b)
{
    const TraceBuilder *builder = live->builder;
    const ObjectKey    *keys = builder->objects.all.items;
    const ObjectKey    *left = &keys[a->id], *right = &keys[b->id];
    int                 order = string_compare_natural(string_table_view(builder->strings, left->id),
                                                       string_table_view(builder->strings, right->id));
    if (order == 0)
        order = string_compare_natural(string_table_view(builder->strings, left->scope),
                                       string_table_view(builder->strings, right->scope));
    if (order != 0) return order;
    if (a->id != b->id) return a->id < b->id ? -1 : 1;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

/* ---- new events ---- */

void live_objects_prepare(LiveTrace *live)
{
    live->objects = (LiveTrees){ .kind = TRACK_OBJECTS,
                                 .event_size = sizeof(ObjectEvent),
                                 .make = make,
                                 .compare = compare,
                                 .group_of = { .arena = &live->own } };
    live->object_work.made = (ObjectsMade){ .finish = live->finish, .ws = &live->workspace };
}

/* True if the new events wait, because the tables of many objects would be made again. */
static bool is_postponed(const LiveTrace *live)
{
    enum { MUCH = 1 << 14, SHARE = 8 };
    const uint64_t known = live->objects.bytes / sizeof(ObjectEvent);
    return !live->now.settles && known > MUCH &&
           VECTOR_COUNT(live->object_work.backlog, ObjectEvent) < known / SHARE;
}

bool live_objects_absorb(LiveTrace *live)
{
    const Bytes *fed = &live->builder->objects.events.bytes;
    bytes_append(&live->object_work.backlog, fed->data, fed->size);
    if (live->object_work.backlog.failed) live->failed = true;
    if (live->failed || is_postponed(live)) return !live->failed;
    const ObjectEvent *events = VECTOR(live->object_work.backlog, const ObjectEvent);
    for (size_t i = 0; i < VECTOR_COUNT(live->object_work.backlog, ObjectEvent); i++)
        if (!live_id_add(live, &live->objects, events[i].object, &events[i])) return false;
    bytes_clear(&live->object_work.backlog);
    return live_ids_make(live, &live->objects) && live_trees_lay_out(live, &live->objects);
}

/* ---- tables ---- */

/* Returns the id of a tree's outermost slice; UINT64_MAX if it was removed. */
static uint64_t slice_place(const LiveTrace *live, const LiveTrack *track, const LiveTree *tree)
{
    const Trace   *trace = &live->trace;
    const LiveRow *row = live_row_find(track, tree->lane, 0);
    if (row == NULL) return UINT64_MAX;
    for (uint32_t i = row_lower_bound(trace, &row->row, tree->begin); i < row->row.slice_count; i++) {
        const uint64_t at = row->row.first_slice + i;
        if (trace->slices.begin_tick[at] != tree->begin) break;
        if (live->places.source[at] == tree->offset) return at;
    }
    return UINT64_MAX;
}

static uint64_t instant_place(const LiveTrace *live, const LiveTrack *track, const LiveTree *tree,
                              const LiveSlice *snapshot)
{
    const Trace   *trace = &live->trace;
    const LiveRow *row = live_row_find(track, tree->lane, 0);
    if (row == NULL) return UINT64_MAX;
    for (uint32_t i = row_instant_bound(trace, &row->row, snapshot->begin);
         i < row->row.extras->instant_count; i++) {
        const uint64_t at = row->row.extras->first_instant + i;
        if (trace->instants.tick[at] != snapshot->begin) break;
        if (trace->instants.source[at] == snapshot->offset + 1) return at;
    }
    return UINT64_MAX;
}

static void forget_lives(LiveTrace *live)
{
    const LiveTrack *tracks = VECTOR(live->objects.tracks, const LiveTrack);
    for (size_t t = 0; t < VECTOR_COUNT(live->objects.tracks, LiveTrack); t++) {
        for (uint32_t r = 0; r < live_row_count(&tracks[t]); r++) {
            const Row *row = &live_rows(&tracks[t])[r].row;
            for (uint32_t i = 0; i < row->slice_count; i++)
                live->trace.objects.life_of_slice[row->first_slice + i] = LIFE_NONE;
            for (uint32_t i = 0; i < row->extras->instant_count; i++)
                live->trace.objects.life_of_snapshot[row->extras->first_instant + i] = LIFE_NONE;
        }
    }
}

static void put_life(LiveTrace *live, const TreeRef *ref, uint32_t object)
{
    ObjectColumns   *columns = &live->trace.objects;
    const LiveTree  *tree = live_tree_find(&live->objects, ref);
    const LiveTrack *track = &VECTOR(live->objects.tracks, const LiveTrack)[ref->group];
    const uint64_t   slice = tree == NULL ? UINT64_MAX : slice_place(live, track, tree);
    if (slice == UINT64_MAX) return;
    const LiveMember *members = VECTOR(tree->members, const LiveMember);
    const uint32_t    index = columns->life_count++;
    ObjectLife       *life = &columns->lives[index];
    *life = (ObjectLife){ .object = object,
                          .base_type = tree->base_type,
                          .slice = slice,
                          .first_snapshot = columns->snapshot_count,
                          .is_created = tree->is_created };
    columns->life_of_slice[slice] = index;
    for (size_t i = 1; i < VECTOR_COUNT(tree->members, LiveMember); i++) {
        const uint64_t instant = instant_place(live, track, tree, &members[i].slice);
        if (instant == UINT64_MAX) continue;
        columns->snapshots[columns->snapshot_count++] = instant;
        columns->life_of_snapshot[instant] = index;
        life->snapshot_count++;
    }
    columns->objects[object].life_count++;
}

static bool make_room(LiveTrace *live)
{
    ObjectColumns *columns = &live->trace.objects;
    size_t         lives = 0, snapshots = 0;
    for (size_t t = 0; t < VECTOR_COUNT(live->objects.tracks, LiveTrack); t++) {
        const LiveTrack *track = &VECTOR(live->objects.tracks, const LiveTrack)[t];
        lives += (size_t)track->slice_count;
        snapshots += (size_t)track->instant_count;
    }
    arena_clear(&live->object_work.tables);
    columns->object_count = columns->life_count = 0;
    columns->snapshot_count = 0;
    columns->objects = ARENA_ARRAY(&live->object_work.tables, Object, lives);
    columns->lives = ARENA_ARRAY(&live->object_work.tables, ObjectLife, lives);
    columns->snapshots = ARENA_ARRAY(&live->object_work.tables, uint64_t, snapshots);
    return lives < UINT32_MAX && columns->objects != NULL && columns->lives != NULL &&
           columns->snapshots != NULL;
}

bool live_objects_settle(LiveTrace *live)
{
    ObjectColumns   *columns = &live->trace.objects;
    const LiveId    *ids = VECTOR(live->objects.ids, const LiveId);
    const ObjectKey *keys = live->builder->objects.all.items;
    if (!make_room(live)) {
        live->failed = true;
        return false;
    }
    forget_lives(live);
    for (size_t s = 0; s < VECTOR_COUNT(live->objects.ids, LiveId); s++) {
        const TreeRef *refs = VECTOR(ids[s].refs, const TreeRef);
        const size_t   count = VECTOR_COUNT(ids[s].refs, TreeRef);
        if (count == 0) continue;
        const uint32_t object = columns->object_count;
        Object         made = { .process = live->shape.process_of[keys[s].process.index],
                                .scope = keys[s].scope,
                                .id = keys[s].id,
                                .first_life = columns->life_count };
        const uint32_t lives = columns->life_count;
        columns->objects[object] = made;
        for (size_t i = 0; i < count; i++)
            put_life(live, &refs[i], object);
        if (columns->life_count > lives) columns->object_count++;
    }
    objects_sort(columns);
    return true;
}
