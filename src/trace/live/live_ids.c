/* The events of async ids and objects. They are kept, because a late event changes the slices made of them, from the
 * last synchronisation point before it on. */
#include "trace/live/live_state.h"

#include <stdlib.h>

static LiveId *id_at(const LiveTrees *trees, uint32_t id)
{
    return &VECTOR(trees->ids, LiveId)[id];
}

static int64_t tick_at(const LiveTrees *trees, const LiveId *id, size_t i)
{
    return live_tick_at(id->events.data, trees->event_size, i);
}

static size_t event_count(const LiveTrees *trees, const LiveId *id)
{
    return id->events.size / trees->event_size;
}

/* ---- events ---- */

static bool make_pending(LiveTrace *live, LiveTrees *trees, uint32_t index)
{
    LiveId *id = id_at(trees, index);
    if (id->is_pending) return true;
    id->is_pending = true;
    return live_append(live, &trees->pending, &index, sizeof index);
}

static bool grow_ids(LiveTrace *live, LiveTrees *trees, uint32_t index)
{
    const LiveId none = { .fresh = 0 };
    while (VECTOR_COUNT(trees->ids, LiveId) <= index)
        if (!live_append(live, &trees->ids, &none, sizeof none)) return false;
    return true;
}

/* Returns the index of the first event after `tick`. */
static size_t place_behind(const LiveTrees *trees, const LiveId *id, int64_t tick)
{
    return live_place_behind(id->events.data, event_count(trees, id), trees->event_size, tick);
}

bool live_id_add(LiveTrace *live, LiveTrees *trees, uint32_t index, const void *event)
{
    const int64_t tick = live_tick_at(event, trees->event_size, 0);
    if (!grow_ids(live, trees, index)) return false;
    LiveId      *id = id_at(trees, index);
    const size_t count = event_count(trees, id), at = place_behind(trees, id, tick);
    if (!live_append(live, &id->events, event, trees->event_size)) return false;
    uint8_t *place = id->events.data + at * trees->event_size;
    memmove(place + trees->event_size, place, (count - at) * trees->event_size);
    memcpy(place, event, trees->event_size);
    const uint32_t *sync_points = VECTOR(id->sync_points, const uint32_t);
    while (id->sync_points.size > 0 && sync_points[VECTOR_COUNT(id->sync_points, uint32_t) - 1] >= at)
        id->sync_points.size -= sizeof *sync_points;
    id->fresh++;
    trees->bytes += trees->event_size;
    return make_pending(live, trees, index);
}

bool live_id_note_cpu(LiveTrace *live, LiveTrees *trees, uint32_t index, uint64_t offset)
{
    const CpuTime *note = cpu_find(&live->now.cpu_times, offset);
    LiveId        *id = id_at(trees, index);
    if (note == NULL) return true;
    if (!live_append(live, &id->cpu, note, sizeof *note)) return false;
    trees->bytes += sizeof *note;
    CpuTime *times = VECTOR(id->cpu, CpuTime);
    for (size_t i = VECTOR_COUNT(id->cpu, CpuTime) - 1; i > 0 && times[i - 1].offset > times[i].offset; i--) {
        const CpuTime later = times[i - 1];
        times[i - 1] = times[i];
        times[i] = later;
    }
    return true;
}

void live_id_add_sync_point(LiveTrace *live, LiveId *id, uint32_t i)
{
    const size_t count = VECTOR_COUNT(id->sync_points, uint32_t);
    if (count > 0 && VECTOR(id->sync_points, const uint32_t)[count - 1] >= i) return;
    if (!live_append(live, &id->sync_points, &i, sizeof i)) live->failed = true;
}

/* ---- trees of an id ---- */

static TreeRef ref_of(const LiveTreeMade *made)
{
    return (TreeRef){ made->tree.begin, made->tree.offset, made->group };
}

static int compare_refs(const TreeRef *a, const TreeRef *b)
{
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    if (a->offset != b->offset) return a->offset < b->offset ? -1 : 1;
    return (a->group > b->group) - (a->group < b->group);
}

static void release_made(Bytes *made)
{
    LiveTreeMade *items = VECTOR(*made, LiveTreeMade);
    for (size_t i = 0; i < VECTOR_COUNT(*made, LiveTreeMade); i++)
        bytes_release(&items[i].tree.members);
    bytes_release(made);
}

/* A made tree and its index in the list. */
typedef struct MadeRef {
    TreeRef ref;
    size_t  made;
} MadeRef;

static int compare_made(const void *left, const void *right)
{
    return compare_refs(&((const MadeRef *)left)->ref, &((const MadeRef *)right)->ref);
}

/* Returns the made trees in order of begin, then offset, then group; NULL when out of memory. */
static const MadeRef *order_made(LiveTrace *live, const Bytes *made)
{
    const LiveTreeMade *trees = VECTOR(*made, const LiveTreeMade);
    const size_t        count = VECTOR_COUNT(*made, LiveTreeMade);
    MadeRef            *order = ARENA_ARRAY(&live->scratch, MadeRef, count);
    if (order == NULL) return NULL;
    for (size_t i = 0; i < count; i++)
        order[i] = (MadeRef){ ref_of(&trees[i]), i };
    if (count > 1) qsort(order, count, sizeof *order, compare_made);
    return order;
}

/* Removes the old trees that are not among the new ones. Both are in order. From the last to the first, because later
 * trees of a group move when one is removed. */
static void remove_old(LiveTrace *live, LiveTrees *trees, const TreeRef *old, size_t old_count,
                       const MadeRef *new, size_t new_count)
{
    for (size_t i = old_count, n = new_count; i-- > 0;) {
        for (; n > 0 && compare_refs(&new[n - 1].ref, &old[i]) > 0; n--)
            trees->steps++;
        if (n == 0 || compare_refs(&new[n - 1].ref, &old[i]) != 0)
            live_tree_remove(live, trees, old[i].group, &old[i]);
    }
}

/* Replaces the id's trees from `first` on by the made ones. Trees that exist already are changed. Linear in their
 * number, except for sorting. */
static bool replace(LiveTrace *live, LiveTrees *trees, LiveId *id, size_t first, Bytes *made)
{
    const size_t   old_count = VECTOR_COUNT(id->refs, TreeRef) - first;
    const TreeRef *old = old_count == 0 ? NULL : VECTOR(id->refs, const TreeRef) + first;
    const size_t   new_count = VECTOR_COUNT(*made, LiveTreeMade);
    const MadeRef *new = order_made(live, made);
    if (new == NULL) return false;
    remove_old(live, trees, old, old_count, new, new_count);
    for (size_t i = 0, at = 0; i < new_count; i++) {
        const TreeRef *ref = &new[i].ref;
        LiveTree      *tree = &VECTOR(*made, LiveTreeMade)[new[i].made].tree;
        for (; at < old_count && compare_refs(&old[at], ref) < 0; at++)
            trees->steps++;
        const bool was = at < old_count && compare_refs(&old[at], ref) == 0;
        const bool done =
            was ? live_tree_change(live, trees, ref, tree) : live_tree_add(live, trees, ref->group, tree);
        tree->members = (Bytes){ .data = NULL }; /* the group owns them now */
        if (!done) return false;
    }
    id->refs.size = first * sizeof *old;
    for (size_t i = 0; i < new_count; i++)
        if (!live_append(live, &id->refs, &new[i].ref, sizeof new[i].ref)) return false;
    return true;
}

enum { MUCH_OF_AN_ID = 1 << 12 }; /* events */

/* Returns the first event of the part that is made again. */
static uint32_t first_again(const LiveId *id)
{
    const size_t count = VECTOR_COUNT(id->sync_points, uint32_t);
    return count == 0 ? 0 : VECTOR(id->sync_points, const uint32_t)[count - 1];
}

static size_t first_ref_from(const LiveId *id, int64_t tick)
{
    const TreeRef *refs = VECTOR(id->refs, const TreeRef);
    size_t         count = VECTOR_COUNT(id->refs, TreeRef);
    while (count > 0 && refs[count - 1].begin >= tick)
        count--;
    return count;
}

static bool make_id(LiveTrace *live, LiveTrees *trees, uint32_t index)
{
    LiveId        *id = id_at(trees, index);
    const uint32_t first = first_again(id);
    Bytes          made = { .data = NULL };
    if (event_count(trees, id) == 0) return true;
    const size_t first_ref = first_ref_from(id, tick_at(trees, id, first));
    bool         done = trees->make(live, trees, index, first, &made) && !made.failed &&
                replace(live, trees, id_at(trees, index), first_ref, &made);
    release_made(&made);
    id_at(trees, index)->fresh = 0;
    if (!done) live->failed = true;
    return done;
}

/* Marks the ids with unfinished slices as pending, if the end of the trace has moved. */
static bool stretch_open(LiveTrace *live, LiveTrees *trees)
{
    if (!live->now.end_moved) return true;
    const uint32_t *open = VECTOR(trees->open, const uint32_t);
    for (size_t i = 0; i < VECTOR_COUNT(trees->open, uint32_t); i++)
        if (!make_pending(live, trees, open[i])) return false;
    return true;
}

/* Updates the list of ids with unfinished slices. */
static bool note_open(LiveTrace *live, LiveTrees *trees, const uint32_t *made, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        LiveId *id = id_at(trees, made[i]);
        if (id->has_open && !id->is_open_listed) {
            if (!live_append(live, &trees->open, &made[i], sizeof made[i])) return false;
            id->is_open_listed = true;
        }
    }
    uint32_t *open = VECTOR(trees->open, uint32_t);
    size_t    kept = 0;
    for (size_t i = 0; i < VECTOR_COUNT(trees->open, uint32_t); i++) {
        LiveId *id = id_at(trees, open[i]);
        id->is_open_listed = id->has_open;
        if (id->has_open) open[kept++] = open[i];
    }
    trees->open.size = kept * sizeof *open;
    return true;
}

bool live_ids_make(LiveTrace *live, LiveTrees *trees)
{
    if (!stretch_open(live, trees)) return false;
    uint32_t    *pending = VECTOR(trees->pending, uint32_t);
    const size_t count = VECTOR_COUNT(trees->pending, uint32_t);
    size_t       kept = 0, made = 0;
    uint32_t    *list = ARENA_ARRAY(&live->scratch, uint32_t, count);
    if (list == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        LiveId *id = id_at(trees, pending[i]);
        if (live_postpones(live, id->fresh, event_count(trees, id) - first_again(id), MUCH_OF_AN_ID)) {
            pending[kept++] = pending[i];
            continue;
        }
        id->is_pending = false;
        if (!make_id(live, trees, pending[i])) return false;
        list[made++] = pending[i];
    }
    trees->pending.size = kept * sizeof *pending;
    return note_open(live, trees, list, made);
}

/* ---- removal, conversion of ticks, release ---- */

static void take_first(Bytes *list, size_t size)
{
    if (size == 0) return;
    list->size -= size;
    memmove(list->data, list->data + size, list->size);
}

/* Returns the number of events before the last synchronisation point up to `tick`. */
static size_t count_to_sync_point(const LiveTrees *trees, const LiveId *id, int64_t tick)
{
    const uint32_t *sync_points = VECTOR(id->sync_points, const uint32_t);
    size_t          low = 0;
    LOWER_BOUND(size_t, low, VECTOR_COUNT(id->sync_points, uint32_t), i,
                tick_at(trees, id, sync_points[i]) <= tick);
    return low == 0 ? 0 : sync_points[low - 1];
}

/* Removes the first events of an id that is still in use, once they are a quarter of them. */
static void drop_first(LiveTrees *trees, LiveId *id, int64_t tick, bool at_once)
{
    enum { SHARE = 4 };
    const size_t count = event_count(trees, id), first = count_to_sync_point(trees, id, tick);
    if (first == 0 || (!at_once && first < count / SHARE)) return;
    const size_t refs = first_ref_from(id, tick_at(trees, id, first));
    uint32_t    *sync_points = VECTOR(id->sync_points, uint32_t);
    size_t       kept = 0;
    for (size_t i = 0; i < VECTOR_COUNT(id->sync_points, uint32_t); i++)
        if (sync_points[i] > first) sync_points[kept++] = sync_points[i] - (uint32_t)first;
    id->sync_points.size = kept * sizeof *sync_points;
    trees->bytes -= first * trees->event_size;
    take_first(&id->events, first * trees->event_size);
    take_first(&id->refs, refs * sizeof(TreeRef));
    const size_t notes = VECTOR_COUNT(id->cpu, CpuTime), most = 2 * (count - first);
    const size_t old = notes > most ? notes - most : 0; /* they are ordered by offset, not by time */
    trees->bytes -= old * sizeof(CpuTime);
    take_first(&id->cpu, old * sizeof(CpuTime));
}

/* Removes most events of an id that is open for long and has very many, for example an object with a snapshot in each
 * frame. Its first event and those from `tick` on stay. */
static bool thin(LiveTrace *live, LiveTrees *trees, uint32_t index, int64_t tick)
{
    enum { SHARE = 16 };
    LiveId      *id = id_at(trees, index);
    const size_t size = trees->event_size, behind = tick == INT64_MIN ? 0 : place_behind(trees, id, tick - 1);
    if (id->events.size <= live->options.keep_bytes / SHARE || behind < 2) return true;
    const size_t gone = (behind - 1) * size;
    id->events.size -= gone;
    memmove(id->events.data + size, id->events.data + size + gone, id->events.size - size);
    id->sync_points.size = 0;
    trees->bytes -= gone;
    return make_id(live, trees, index);
}

bool live_ids_drop(LiveTrace *live, LiveTrees *trees, int64_t tick, bool at_once)
{
    for (uint32_t i = 0; i < VECTOR_COUNT(trees->ids, LiveId); i++) {
        LiveId        *id = id_at(trees, i);
        const size_t   count = event_count(trees, id);
        const TreeRef *refs = VECTOR(id->refs, const TreeRef);
        if (count == 0) continue;
        if (id->is_pending || (id->has_open && !at_once) || tick_at(trees, id, count - 1) >= tick) {
            drop_first(trees, id, tick, at_once);
            if (at_once && !thin(live, trees, i, tick)) return false;
            continue;
        }
        for (size_t r = 0; id->has_open && r < VECTOR_COUNT(id->refs, TreeRef); r++)
            live_tree_remove(live, trees, refs[r].group, &refs[r]);
        id->has_open = false;
        trees->bytes -= id->events.size;
        bytes_release(&id->events);
        bytes_release(&id->refs);
        bytes_release(&id->sync_points);
        trees->bytes -= id->cpu.size;
        bytes_release(&id->cpu);
        bytes_append(&trees->dropped, &i, sizeof i);
        trees->dropped.failed = false; /* out of memory: its index is not used again */
    }
    return true;
}

void live_ids_free(LiveTrace *live, LiveTrees *trees)
{
    enum { LEAST = 1024, SHARE = 4 };
    uint32_t    *dropped = VECTOR(trees->dropped, uint32_t);
    const size_t count = VECTOR_COUNT(trees->dropped, uint32_t);
    size_t       kept = 0;
    if (count < LEAST || count < VECTOR_COUNT(trees->ids, LiveId) / SHARE) return;
    for (size_t i = 0; i < count; i++) {
        LiveId *id = id_at(trees, dropped[i]);
        if (id->events.size > 0 || id->is_pending || id->is_freed) continue; /* it is in use again */
        id->is_freed = true;
        dropped[kept++] = dropped[i];
    }
    for (size_t i = 0; i < kept; i++)
        id_at(trees, dropped[i])->is_freed = false;
    builder_free_async_ids(live->builder, dropped, kept);
    if (live->builder->failed) live->failed = true;
    bytes_clear(&trees->dropped);
}

static void convert_group(LiveGroup *group, ClockConversion *conversion)
{
    for (size_t i = 0; i < VECTOR_COUNT(group->trees, LiveTree); i++) {
        LiveTree *tree = &VECTOR(group->trees, LiveTree)[i];
        clock_convert(conversion, &tree->begin);
        clock_convert(conversion, &tree->end);
        CONVERT_TICKS(tree->members, LiveMember, slice.begin, conversion);
        CONVERT_TICKS(tree->members, LiveMember, slice.end, conversion);
    }
    CONVERT_TICKS(group->rewritten, TreeRef, begin, conversion);
    live_convert_tick(conversion, &group->from);
    live_convert_tick(conversion, &group->kept_from);
}

void live_trees_convert(LiveTrees *trees, ClockConversion *conversion)
{
    for (uint32_t i = 0; i < VECTOR_COUNT(trees->ids, LiveId); i++) {
        live_convert_ticks(&id_at(trees, i)->events, trees->event_size, 0, conversion);
        CONVERT_TICKS(id_at(trees, i)->refs, TreeRef, begin, conversion);
    }
    for (uint32_t i = 0; i < VECTOR_COUNT(trees->groups, LiveGroup); i++)
        convert_group(&VECTOR(trees->groups, LiveGroup)[i], conversion);
}

void live_trees_release(LiveTrees *trees)
{
    for (uint32_t i = 0; i < VECTOR_COUNT(trees->ids, LiveId); i++) {
        LiveId *id = id_at(trees, i);
        bytes_release(&id->events);
        bytes_release(&id->refs);
        bytes_release(&id->sync_points);
        bytes_release(&id->cpu);
    }
    for (uint32_t i = 0; i < VECTOR_COUNT(trees->groups, LiveGroup); i++) {
        LiveGroup *group = &VECTOR(trees->groups, LiveGroup)[i];
        for (size_t u = 0; u < VECTOR_COUNT(group->trees, LiveTree); u++)
            bytes_release(&VECTOR(group->trees, LiveTree)[u].members);
        bytes_release(&group->trees);
        bytes_release(&group->rewritten);
    }
    bytes_release(&trees->ids);
    bytes_release(&trees->pending);
    bytes_release(&trees->open);
    bytes_release(&trees->dropped);
    bytes_release(&trees->groups);
}
