#include "trace/make/objects.h"

#include "base/vec.h"
#include "trace/make/lane_heap.h"

#include <stdlib.h>
#include <string.h>

/* A future life. */
typedef struct ObjectLifeMade {
    int64_t  begin, end;
    uint64_t offset;      /* of its creation, if is_created; otherwise of its first event */
    uint64_t place_flags; /* SLICE_ */
    uint64_t first_snapshot;
    uint32_t snapshot_count;
    uint32_t object, thread, event;
    uint32_t label; /* its first label, whose name is the type */
    uint32_t extra; /* as of an interval */
    StringId category, base_type;
    bool     is_created;
} ObjectLifeMade;

typedef struct ObjectSnapshot {
    int64_t  tick;
    uint64_t offset;
    uint32_t label, thread;
} ObjectSnapshot;

typedef struct ObjectsMade {
    Finish             *finish;
    Workspace          *ws;
    const ObjectSource *source;
    VEC(ObjectLifeMade) lives;     /* by object, then time */
    VEC(ObjectSnapshot) snapshots; /* by life, then time */
    IntervalExtras extras;
    Bytes          text;
    TrackWork      work; /* collects warnings */
    bool           failed;
} ObjectsMade;

static ObjectLifeMade *last_life(ObjectsMade *o)
{
    return vec_last(&o->lives);
}

/* ---- events to lives ---- */

static StringId category_of(const ObjectsMade *o, uint32_t label)
{
    return o->finish->builder->labels.all.items[label].category;
}

static void begin_life(ObjectsMade *o, const ObjectEvent *event)
{
    bool           is_created = event->kind == OBJECT_CREATED;
    ObjectLifeMade life = { .begin = event->tick,
                            .end = o->finish->trace->end_tick,
                            .offset = event->offset,
                            .place_flags = SLICE_UNFINISHED | (is_created ? (uint64_t)SLICE_SOURCE : 0),
                            .first_snapshot = vec_count(&o->snapshots),
                            .object = event->object,
                            .thread = event->thread,
                            .event = event->event,
                            .label = event->label,
                            .category = category_of(o, event->label),
                            .is_created = is_created };
    vec_push(&o->lives, life);
    if (o->lives.bytes.failed) o->failed = true;
}

static void end_life(ObjectsMade *o, const ObjectEvent *event)
{
    ObjectLifeMade *life = last_life(o);
    life->end = event->tick;
    life->place_flags &= ~(uint64_t)SLICE_UNFINISHED;
    if (event->kind == OBJECT_DELETED) {
        IntervalExtra extra = { .end_offset = event->offset };
        vec_push(&o->extras, extra);
        if (o->extras.bytes.failed) o->failed = true;
        life->extra = (uint32_t)vec_count(&o->extras);
        life->place_flags |= SLICE_END_SOURCE;
    } else {
        life->place_flags |= SLICE_NO_END;
        workspace_warn(o->ws, &o->work, "object-created-twice", event->offset, event->event,
                       "an object is created (N) while one of its id is alive: that one's life ends there");
    }
}

static void add_snapshot(ObjectsMade *o, const ObjectEvent *event)
{
    ObjectLifeMade *life = last_life(o);
    StringId category = event->note.category.index != 0 ? event->note.category : category_of(o, event->label);
    ObjectSnapshot snapshot = { event->tick, event->offset, event->label, event->thread };
    vec_push(&o->snapshots, snapshot);
    if (o->snapshots.bytes.failed) o->failed = true;
    life->snapshot_count++;
    if (category.index != 0) life->category = category;
    if (event->note.base_type.index != 0) life->base_type = event->note.base_type;
}

/* Adds all events of one object, in order: `order` gives them. */
static bool add_object(ObjectsMade *o, const ObjectEvent *fed, const SortKey *order, size_t count)
{
    bool is_alive = false;
    for (size_t i = 0; i < count && !o->failed; i++) {
        const ObjectEvent *event = &fed[order[i].index];
        if (is_alive && event->kind == OBJECT_CREATED) {
            end_life(o, event);
            is_alive = false;
        }
        if (!is_alive) begin_life(o, event);
        if (o->failed) return false;
        if (event->kind == OBJECT_SNAPSHOT) add_snapshot(o, event);
        if (event->kind == OBJECT_DELETED) end_life(o, event);
        is_alive = event->kind != OBJECT_DELETED;
    }
    return !o->failed;
}

static uint64_t object_of(const TraceBuilder *builder, const void *event)
{
    (void)builder;
    return ((const ObjectEvent *)event)->object;
}

static bool make_lives(ObjectsMade *o)
{
    const ObjectEvent *fed = o->source->events;
    size_t             count = o->source->count;
    const SortKey *order = workspace_sort_items(o->ws, &(SortItems){ fed, count, sizeof *fed, object_of });
    if (order == NULL) return false;
    for (size_t first = 0, end; first < count; first = end) {
        end = sort_group_end(order, first, count);
        if (!add_object(o, fed, order + first, end - first)) return false;
    }
    return !o->failed && !o->ws->failed;
}

/* ---- lives to tracks ---- */

typedef struct LifeOrder {
    StringView type, id, scope;
    uint32_t   process, type_id, life;
    int64_t    begin, end;
} LifeOrder;

static int compare_lives(const void *left, const void *right)
{
    const LifeOrder *a = (const LifeOrder *)left, *b = (const LifeOrder *)right;
    if (a->process != b->process) return a->process < b->process ? -1 : 1;
    if (a->type_id != b->type_id) {
        int by_type = string_compare_natural(a->type, b->type);
        return by_type != 0 ? by_type : a->type_id < b->type_id ? -1 : 1;
    }
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    if (a->end != b->end) return a->end > b->end ? -1 : 1;
    int by_id = string_compare_natural(a->id, b->id);
    if (by_id == 0) by_id = string_compare_natural(a->scope, b->scope);
    if (by_id != 0) return by_id;
    return (a->life > b->life) - (a->life < b->life);
}

/* Returns the process whose track shows it: an id can be shared by all processes. */
static uint32_t process_of(const TraceBuilder *builder, const ObjectLifeMade *life)
{
    ProcessId process = builder->objects.all.items[life->object].process;
    if (process.index == 0) process = thread_process(&builder->threads.all.items[life->thread]);
    return process.index;
}

static LifeOrder *order_lives(ObjectsMade *o)
{
    const TraceBuilder *builder = o->finish->builder;
    size_t              count = vec_count(&o->lives);
    LifeOrder          *order = ARENA_ARRAY(o->source->groups, LifeOrder, count);
    if (order == NULL) return NULL;
    for (size_t i = 0; i < count; i++) {
        const ObjectLifeMade *life = &o->lives.items[i];
        StringId              type = builder->labels.all.items[life->label].name;
        const ObjectKey      *key = &builder->objects.all.items[life->object];
        order[i] = (LifeOrder){ .type = string_table_view(builder->strings, type),
                                .id = string_table_view(builder->strings, key->id),
                                .scope = string_table_view(builder->strings, key->scope),
                                .process = process_of(builder, life),
                                .type_id = type.index,
                                .life = (uint32_t)i,
                                .begin = life->begin,
                                .end = life->end };
    }
    if (count > 0) qsort(order, count, sizeof *order, compare_lives);
    return order;
}

/* Returns a label such as "Layer 0x1000": names differ, but have the same colour. */
static uint32_t label_of(ObjectsMade *made, const ObjectLifeMade *life)
{
    TraceBuilder *builder = made->finish->builder;
    StringView parts[] = { string_table_view(builder->strings, builder->labels.all.items[life->label].name),
                           string_table_view(builder->strings, builder->objects.all.items[life->object].id) };
    bytes_clear(&made->text);
    bytes_append(&made->text, parts[0].bytes, parts[0].size);
    if (parts[0].size > 0 && parts[1].size > 0) bytes_append(&made->text, " ", 1);
    bytes_append(&made->text, parts[1].bytes, parts[1].size);
    if (made->text.failed) made->failed = true;
    if (made->failed) return 0;
    StringId name = made->text.size == 0
                        ? STRING_NONE
                        : builder_string(builder, (const char *)made->text.data, made->text.size);
    LabelId  label = builder_label(builder, name, life->category);
    uint32_t colour = builder->labels.all.items[life->label].colour;
    return colour == 0 ? label.index : builder_colour_label(builder, label, colour).index;
}

static void put_snapshots(ObjectsMade *o, SliceGroup *group, const ObjectLifeMade *life, uint32_t index,
                          uint32_t lane)
{
    for (uint64_t i = 0; i < life->snapshot_count; i++) {
        const ObjectSnapshot *snapshot = &o->snapshots.items[life->first_snapshot + i];
        uint64_t              place =
            snapshot->offset << PLACE_BITS | PLACE_DETAILS | (uint64_t)INSTANT_PROCESS << PLACE_SCOPE_SHIFT;
        InstantMark mark = { snapshot->tick, place, snapshot->label, snapshot->thread };
        group->snapshot_lives[group->instant_count] = index;
        group->instants[group->instant_count++] = (InstantPlace){ .mark = mark, .row = lane };
    }
    group->rows[lane].instant_count += life->snapshot_count;
}

static void put_life(ObjectsMade *o, SliceGroup *group, const ObjectLifeMade *life, uint32_t index,
                     uint32_t lane)
{
    group->lives[group->interval_count] = index;
    group->intervals[group->interval_count++] =
        (Interval){ .begin = life->begin,
                    .end = life->end,
                    .place = life->offset << PLACE_BITS | life->place_flags,
                    .label = label_of(o, life),
                    .event = life->thread,
                    .extra = life->extra,
                    .row = lane };
    group->rows[lane].slice_count++;
    group->source_count += life->is_created;
    put_snapshots(o, group, life, index, lane);
}

/* Lays out the track of one type in one process. */
static bool lay_out_type(ObjectsMade *o, SliceGroup *group, const LifeOrder *order, size_t count)
{
    Arena                *arena = o->source->groups;
    const ObjectLifeMade *lives = o->lives.items;
    size_t                snapshots = 0;
    arena_clear(&o->ws->scratch);
    LaneSet   lanes = { .far = { .lanes = ARENA_ARRAY(&o->ws->scratch, HeapLane, count) } };
    uint32_t *lane_of = ARENA_ARRAY(&o->ws->scratch, uint32_t, count);
    if (lanes.far.lanes == NULL || lane_of == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        lane_of[i] = lane_set_take(&lanes, order[i].begin, order[i].end);
        snapshots += lives[order[i].life].snapshot_count;
    }
    *group = (SliceGroup){ .process = order[0].process,
                           .label = lives[order[0].life].label,
                           .row_count = lanes.count,
                           .lane_count = lanes.count };
    group->rows = ARENA_ARRAY(arena, WorkRow, lanes.count);
    group->intervals = ARENA_ARRAY(arena, Interval, count);
    group->lives = ARENA_ARRAY(arena, uint32_t, count);
    group->instants = ARENA_ARRAY(arena, InstantPlace, snapshots);
    group->snapshot_lives = ARENA_ARRAY(arena, uint32_t, snapshots);
    if (group->rows == NULL || group->intervals == NULL || group->lives == NULL || group->instants == NULL ||
        group->snapshot_lives == NULL)
        return false;
    for (uint32_t lane = 0; lane < lanes.count; lane++)
        group->rows[lane].lane = lane;
    for (size_t i = 0; i < count; i++)
        put_life(o, group, &lives[order[i].life], order[i].life, lane_of[i]);
    return !o->failed;
}

static bool make_groups(ObjectsMade *o)
{
    Arena       *arena = o->source->groups;
    SliceGroups *result = &o->finish->objects;
    size_t       count = vec_count(&o->lives);
    LifeOrder   *order = order_lives(o);
    result->groups = ARENA_ARRAY(arena, SliceGroup, count);
    result->extras = vec_copy(&o->extras, arena);
    if (order == NULL || result->groups == NULL || result->extras == NULL) return false;
    for (size_t first = 0; first < count;) {
        size_t last = first + 1;
        while (last < count && order[last].process == order[first].process &&
               order[last].type_id == order[first].type_id)
            last++;
        if (!lay_out_type(o, &result->groups[result->count++], order + first, last - first)) return false;
        first = last;
    }
    return true;
}

/* ---- the trace's tables ---- */

/* Makes the columns of the items, which a growing trace has already. */
static bool make_columns(ObjectsMade *o, ObjectColumns *columns)
{
    if (o->finish->is_growing) return true;
    columns->life_of_slice = ARENA_ARRAY(o->source->tables, uint32_t, columns->life_count);
    columns->life_of_snapshot = ARENA_ARRAY(o->source->tables, uint32_t, (size_t)columns->snapshot_count);
    return columns->life_of_slice != NULL && columns->life_of_snapshot != NULL;
}

static bool keep_lives(ObjectsMade *o)
{
    Arena         *arena = o->source->tables;
    ObjectColumns *columns = &o->finish->trace->objects;
    size_t         count = vec_count(&o->lives);
    if (count >= UINT32_MAX) return false;
    columns->life_count = (uint32_t)count;
    columns->snapshot_count = vec_count(&o->snapshots);
    columns->lives = ARENA_ARRAY(arena, ObjectLife, count);
    columns->snapshots = ARENA_ARRAY(arena, uint64_t, (size_t)columns->snapshot_count);
    columns->objects = ARENA_ARRAY(arena, Object, count);
    uint32_t *objects = o->finish->objects.object_of_life = ARENA_ARRAY(o->source->groups, uint32_t, count);
    if (columns->lives == NULL || columns->snapshots == NULL || columns->objects == NULL || objects == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        const ObjectLifeMade *life = &o->lives.items[i];
        objects[i] = life->object;
        columns->lives[i] = (ObjectLife){ .base_type = life->base_type,
                                          .first_snapshot = life->first_snapshot,
                                          .snapshot_count = life->snapshot_count,
                                          .is_created = life->is_created };
    }
    return make_columns(o, columns);
}

static void release(ObjectsMade *made)
{
    vec_release(&made->lives);
    vec_release(&made->snapshots);
    vec_release(&made->extras);
    bytes_release(&made->text);
}

bool objects_prepare(Finish *finish, const ObjectSource *source)
{
    ObjectsMade o = { .finish = finish, .ws = &finish->workspaces[0], .source = source };
    if (finish->builder->objects.events.bytes.failed || finish->builder->objects.all.bytes.failed)
        return false;
    if (source->count == 0) return true;
    const bool done = make_lives(&o) && make_groups(&o) && keep_lives(&o);
    finish->objects.warnings = o.work.warnings;
    release(&o);
    return done && !finish->builder->failed;
}

static int compare_objects(const void *left, const void *right)
{
    const Object *a = (const Object *)left, *b = (const Object *)right;
    if (a->process != b->process) return a->process < b->process ? -1 : 1;
    if (a->scope.index != b->scope.index) return a->scope.index < b->scope.index ? -1 : 1;
    return (a->id.index > b->id.index) - (a->id.index < b->id.index);
}

void objects_settle(Finish *finish)
{
    ObjectColumns   *columns = &finish->trace->objects;
    const ObjectKey *keys = finish->builder->objects.all.items;
    const uint32_t  *objects = finish->objects.object_of_life;
    columns->object_count = 0;
    for (uint32_t i = 0; i < columns->life_count; i++) {
        const ObjectKey *key = &keys[objects[i]];
        if (i == 0 || objects[i] != objects[i - 1]) {
            columns->objects[columns->object_count++] =
                (Object){ .process = finish->process_of[key->process.index],
                          .scope = key->scope,
                          .id = key->id,
                          .first_life = i };
        }
        columns->objects[columns->object_count - 1].life_count++;
    }
    if (columns->object_count > 0)
        qsort(columns->objects, columns->object_count, sizeof *columns->objects, compare_objects);
    for (uint32_t i = 0; i < columns->object_count; i++) {
        const Object *object = &columns->objects[i];
        for (uint32_t life = object->first_life; life < object->first_life + object->life_count; life++)
            columns->lives[life].object = i;
    }
}

void objects_place(ObjectColumns *columns, const SliceGroup *group, const ObjectPlaces *places)
{
    for (size_t i = 0; i < group->interval_count; i++) {
        const uint64_t slice = places->next_slice[group->intervals[i].row]++;
        columns->lives[group->lives[i]].slice = slice;
        columns->life_of_slice[slice + places->slice_shift] = group->lives[i];
    }
    uint64_t nth = 0; /* in its life: the snapshots of a life are adjacent */
    for (size_t i = 0; i < group->instant_count; i++) {
        const uint32_t life = group->snapshot_lives[i];
        const uint64_t instant = places->next_instant[group->instants[i].row]++;
        nth = i > 0 && group->snapshot_lives[i - 1] == life ? nth + 1 : 0;
        columns->snapshots[columns->lives[life].first_snapshot + nth] = instant;
        columns->life_of_snapshot[instant + places->instant_shift] = life;
    }
}
