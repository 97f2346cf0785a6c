#include "trace/store/object_find.h"

#include "base/search.h"

static int compare_key(const Object *object, uint32_t process, StringId scope, StringId id)
{
    if (object->process != process) return object->process < process ? -1 : 1;
    if (object->scope.index != scope.index) return object->scope.index < scope.index ? -1 : 1;
    return (object->id.index > id.index) - (object->id.index < id.index);
}

const Object *object_find(const Trace *trace, uint32_t process, StringId scope, StringId id)
{
    const Object  *objects = trace->objects.objects;
    const uint32_t count = trace->objects.object_count;
    uint32_t       low = 0;
    LOWER_BOUND(uint32_t, low, count, i, compare_key(&objects[i], process, scope, id) < 0);
    return low < count && compare_key(&objects[low], process, scope, id) == 0 ? &objects[low] : NULL;
}

static int64_t life_begin(const Trace *trace, uint32_t life)
{
    return trace_slice_begin(trace, trace->objects.lives[life].slice);
}

uint32_t object_life_at(const Trace *trace, const Object *object, int64_t tick)
{
    /* invariant: lives before `low` begin at or before the time */
    uint32_t low = 0;
    LOWER_BOUND(uint32_t, low, object->life_count, i, life_begin(trace, object->first_life + i) <= tick);
    if (low == 0) return LIFE_NONE;
    uint32_t life = object->first_life + low - 1;
    uint64_t slice = trace->objects.lives[life].slice;
    bool     goes_on = (trace->slices.flags[slice] & SLICE_UNFINISHED) != 0;
    return goes_on || tick < trace_slice_end(trace, slice) ? life : LIFE_NONE;
}

uint64_t object_snapshot_at(const Trace *trace, uint32_t life, int64_t tick)
{
    const ObjectLife *lived = &trace->objects.lives[life];
    const uint64_t   *snapshots = trace->objects.snapshots + lived->first_snapshot;
    uint32_t          low = 0, high = lived->snapshot_count;
    if (high == 0) return SNAPSHOT_NONE;
    LOWER_BOUND(uint32_t, low, high, i, trace->instants.tick[snapshots[i]] <= tick);
    return snapshots[low == 0 ? 0 : low - 1];
}

uint32_t object_life_of_slice(const Trace *trace, uint64_t slice)
{
    const Track *track = &trace->tracks[trace->rows[trace_slice_row(trace, slice)].track];
    if (track->kind != TRACK_OBJECTS) return LIFE_NONE;
    return trace->objects
        .life_of_slice[track_extras(track)->first_life + slice - track_first_slice(trace, track)];
}

uint32_t object_life_of_instant(const Trace *trace, uint64_t instant)
{
    const Track *track = &trace->tracks[trace->rows[trace_instant_row(trace, instant)].track];
    if (track->kind != TRACK_OBJECTS) return LIFE_NONE;
    return trace->objects
        .life_of_snapshot[track_extras(track)->first_snapshot + instant - track_first_instant(trace, track)];
}

const Context *context_next(const Trace *trace, uint32_t thread, int64_t tick, uint32_t *at)
{
    const ContextList list = trace_contexts(trace, thread);
    while (*at < list.count && list.contexts[*at].begin_tick <= tick) {
        const Context *context = &list.contexts[(*at)++];
        if (tick < context->end_tick) return context;
    }
    return NULL;
}

StringId dump_id_at(const Trace *trace, uint64_t offset)
{
    uint32_t low = 0;
    LOWER_BOUND(uint32_t, low, trace->records.dump_count, i, trace->records.dump_parts[i].offset < offset);
    if (low == trace->records.dump_count || trace->records.dump_parts[low].offset != offset)
        return STRING_NONE;
    return trace->records.dump_parts[low].id;
}
