/* Objects of a growing trace: objects.c makes the lives of all events again when there are new ones; of very many events,
 * only when there are many new ones. The rows keep the slices and instants that are the same. */
#include "trace/live/live_state.h"
#include "trace/make/run_sort.h"

/* ---- rows ---- */

static LiveTrack *track_at(const LiveTrace *live, uint32_t i)
{
    return &VECTOR(live->objects.tracks, LiveTrack)[i];
}

/* Returns the index of the track of a group, created on first use. UINT32_MAX: out of memory. */
static uint32_t track_of(LiveTrace *live, const SliceGroup *group)
{
    LiveObjects    *objects = &live->objects;
    const uint32_t  type = live->builder->labels.all.items[group->label].name.index;
    const uint64_t  id = (uint64_t)group->process << 32 | type;
    const uint32_t  known = id_map_find(&objects->track_of, id);
    const uint32_t  index = (uint32_t)VECTOR_COUNT(objects->tracks, LiveTrack);
    const LiveTrack track = { .kind = TRACK_OBJECTS, .source = index };
    if (known != 0) return known - 1;
    if (!live_append(live, &objects->tracks, &track, sizeof track) ||
        !id_map_put(&objects->track_of, id, index + 1))
        return UINT32_MAX;
    live->columns.has_objects = live->shape.is_stale = true;
    return index;
}

/* Puts all groups into the rows of their tracks, and empties the other tracks. */
static bool put_groups(LiveTrace *live)
{
    LiveObjects       *objects = &live->objects;
    const SliceGroups *groups = &live->finish->objects;
    objects->group_tracks = ARENA_ARRAY(&objects->tables, uint32_t, groups->count);
    if (objects->group_tracks == NULL) return false;
    for (uint32_t i = 0; i < groups->count; i++)
        if ((objects->group_tracks[i] = track_of(live, &groups->groups[i])) == UINT32_MAX) return false;
    const size_t            count = VECTOR_COUNT(objects->tracks, LiveTrack);
    const SliceGroup      **of_track = ARENA_ARRAY(&live->scratch, const SliceGroup *, count);
    static const SliceGroup NONE;
    if (of_track == NULL) return false;
    for (uint32_t i = 0; i < groups->count; i++)
        of_track[objects->group_tracks[i]] = &groups->groups[i];
    for (uint32_t i = 0; i < count; i++) {
        live_rows_stretch(live, track_at(live, i), INT64_MAX, live->trace.end_tick);
        if (!live_group_put(live, track_at(live, i), of_track[i] == NULL ? &NONE : of_track[i],
                            &(PutItems){ .extras = groups->extras, .from = INT64_MIN }))
            return false;
    }
    return true;
}

/* ---- lives ---- */

/* Shows how often an object was created twice. After a removal of events the count stays. */
static void warn(LiveTrace *live)
{
    const Warning       none = { .kind = "object-created-twice" };
    const TrackWarning *made = live->finish->objects.warnings;
    if (!live->objects.were_dropped)
        builder_replace_warning(live->builder, made == NULL ? &none : &made->warning);
}

static bool make(LiveTrace *live)
{
    LiveObjects  *objects = &live->objects;
    const size_t  count = vec_count(&live->builder->objects.events);
    ObjectColumns empty = { .life_of_slice = live->trace.objects.life_of_slice,
                            .life_of_snapshot = live->trace.objects.life_of_snapshot };
    arena_clear(&objects->tables);
    arena_clear(&live->finish->workspaces[0].results);
    live->finish->objects = (SliceGroups){ .count = 0 };
    live->trace.objects = empty;
    const bool done =
        objects_prepare(live->finish, &(ObjectSource){ live->builder->objects.events.items, count,
                                                       &objects->tables, &objects->tables }) &&
        put_groups(live);
    if (!done) live->failed = true;
    if (done) warn(live);
    objects->made_count = count;
    objects->made_end = objects->drawn_to = live->trace.end_tick;
    objects->moved = true;
    return done;
}

/* Brings the events in order of time, then of arrival. */
static bool sort_events(LiveTrace *live)
{
    enum { SIZE = sizeof(ObjectEvent) };
    Workspace         *ws = &live->workspace;
    Bytes             *list = &live->builder->objects.events.bytes;
    const ObjectEvent *events = VECTOR(*list, const ObjectEvent);
    const size_t       count = VECTOR_COUNT(*list, ObjectEvent);
    size_t             sorted = live->objects.sorted_count;
    live->objects.sorted_count = count;
    while (sorted < count && (sorted == 0 || events[sorted - 1].tick <= events[sorted].tick))
        sorted++;
    if (sorted == count) return true;
    void       *swap = workspace_pages(ws, &ws->sorted, count, SIZE);
    const void *result = swap == NULL ? NULL : run_sort_array(ws, list->data, swap, count, SIZE);
    if (result == swap && swap != NULL) memcpy(list->data, swap, list->size);
    return result != NULL;
}

bool live_objects_absorb(LiveTrace *live)
{
    enum { MUCH = 1 << 13 };
    LiveObjects  *objects = &live->objects;
    const int64_t end = live->trace.end_tick;
    if (!sort_events(live)) return false;
    const size_t count = vec_count(&live->builder->objects.events);
    const bool   is_old =
        count > objects->made_count || (live->now.settles && count > 0 && objects->made_end != end);
    if (is_old && !live_postpones(live, count - objects->made_count, count, MUCH)) return make(live);
    for (uint32_t i = 0; objects->drawn_to != end && i < VECTOR_COUNT(objects->tracks, LiveTrack); i++)
        live_rows_stretch(live, track_at(live, i), INT64_MAX, end);
    objects->drawn_to = end;
    return true;
}

/* ---- tables ---- */

/* Places the lives of a group. The lanes are the rows. */
static bool place(LiveTrace *live, const LiveTrack *track, const SliceGroup *group)
{
    const ObjectPlaces places = { ARENA_ARRAY(&live->scratch, uint64_t, group->row_count),
                                  ARENA_ARRAY(&live->scratch, uint64_t, group->row_count), 0, 0 };
    if (places.next_slice == NULL || places.next_instant == NULL) return false;
    for (uint32_t lane = 0; lane < group->row_count; lane++) {
        const Row *row = &live_row_find(track, lane, 0)->row;
        places.next_slice[lane] = row->first_slice;
        places.next_instant[lane] = row->extras->first_instant;
    }
    objects_place(&live->trace.objects, group, &places);
    return true;
}

bool live_objects_settle(LiveTrace *live)
{
    LiveObjects       *objects = &live->objects;
    const SliceGroups *groups = &live->finish->objects;
    for (uint32_t i = 0; i < groups->count; i++) {
        if (place(live, track_at(live, objects->group_tracks[i]), &groups->groups[i])) continue;
        live->failed = true;
        return false;
    }
    objects_settle(live->finish);
    objects->moved = false;
    return true;
}

/* ---- removal, conversion of ticks, release ---- */

/* The events of an object that stay, of those before a tick: 1 + their indices. */
typedef struct ObjectKept {
    size_t first, last; /* of the life that has not ended; 0 = none */
    bool   has_later;   /* events */
} ObjectKept;

/* Fills the table of objects. Returns the number of events before the tick. */
static size_t find_kept(const LiveTrace *live, int64_t tick, ObjectKept *kept)
{
    const ObjectEvent *events = live->builder->objects.events.items;
    const size_t       count = vec_count(&live->builder->objects.events);
    size_t             before = 0;
    for (; before < count && events[before].tick < tick; before++) {
        ObjectKept *object = &kept[events[before].object];
        if (object->first == 0 || events[before].kind == OBJECT_CREATED) object->first = before + 1;
        object->last = before + 1;
        if (events[before].kind == OBJECT_DELETED) *object = (ObjectKept){ .first = 0 };
    }
    for (size_t i = before; i < count; i++)
        kept[events[i].object].has_later = true;
    return before;
}

/* The last snapshot before `tick` stays, because it has the category and the base type. */
bool live_objects_drop(LiveTrace *live, int64_t tick, bool at_once)
{
    enum { SHARE = 4 };
    LiveObjects *objects = &live->objects;
    ObjectEvent *events = live->builder->objects.events.items;
    const size_t count = vec_count(&live->builder->objects.events);
    ObjectKept  *kept = ARENA_ARRAY(&live->scratch, ObjectKept, vec_count(&live->builder->objects.all));
    uint32_t    *stays = ARENA_ARRAY(&live->scratch, uint32_t, count);
    size_t       left = 0;
    if (kept == NULL || stays == NULL) return false;
    const size_t before = find_kept(live, tick, kept);
    for (size_t i = 0; i < count; i++) {
        const ObjectKept *object = &kept[events[i].object];
        const bool        is_life = object->has_later || !at_once;
        if (i >= before || (is_life && (object->first == i + 1 || object->last == i + 1)))
            stays[left++] = (uint32_t)i;
    }
    if (left == count || (!at_once && count - left < count / SHARE)) return true;
    for (size_t i = 0; i < left; i++)
        events[i] = events[stays[i]];
    live->builder->objects.events.bytes.size = left * sizeof *events;
    objects->sorted_count = left;
    objects->were_dropped = true;
    for (uint32_t i = 0; i < VECTOR_COUNT(objects->tracks, LiveTrack); i++) {
        live_track_cut(live, track_at(live, i), INT64_MIN); /* the rows begin again with little room */
        live_rows_tidy(live, track_at(live, i));
    }
    return make(live);
}

void live_objects_release(LiveTrace *live)
{
    arena_release(&live->objects.tables);
}
