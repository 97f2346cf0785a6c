/* A copy of a growing trace. */
#include "base/self_trace.h"
#include "trace/live/live_state.h"

struct LiveCopy {
    Arena       arena; /* holds this struct and the tables of the trace */
    LiveTrace   of;    /* only its trace, and its pointers to columns */
    ColumnsCopy columns;
};

static bool copy_items(Arena *arena, void **items, size_t count, size_t size)
{
    if (*items == NULL || count == 0) return true;
    void *copy = arena_push_raw(arena, count, size);
    if (copy != NULL) memcpy(copy, *items, count * size);
    *items = copy;
    return copy != NULL;
}

/* Replaces an array by a copy. False when out of memory. */
#define COPY(arena, items, count)                                                                            \
    copy_items(arena, (void **)(void *)&(items), (size_t)(count), sizeof *(items))

static bool copy_tracks(Trace *trace, Arena *arena)
{
    if (!COPY(arena, trace->tracks, trace->tracks == NULL ? 0 : (size_t)trace->track_count + 2)) return false;
    for (uint32_t t = 1; t <= trace->track_count; t++)
        if (!COPY(arena, trace->tracks[t].extras, 1)) return false;
    return true;
}

static bool copy_rows(Trace *trace, Arena *arena)
{
    const uint32_t count = trace->row_count;
    RowExtras     *extras = ARENA_ARRAY(arena, RowExtras, count);
    if (extras == NULL || !COPY(arena, trace->rows, count)) return false;
    for (uint32_t r = 0; r < count; r++) {
        extras[r] = *row_extras(&trace->rows[r]);
        trace->rows[r].extras = &extras[r];
    }
    TraceIndex *index = &trace->index;
    index->lod = NULL;
    index->samples = NULL;
    return COPY(arena, index->slice_rows, index->slice_row_count) &&
           COPY(arena, index->instant_rows, index->instant_row_count);
}

static bool copy_flows(FlowColumns *flows, Arena *arena)
{
    return COPY(arena, flows->from, flows->count) && COPY(arena, flows->to, flows->count) &&
           COPY(arena, flows->from_offset, flows->count) && COPY(arena, flows->to_offset, flows->count) &&
           COPY(arena, flows->long_offsets, flows->long_count) && COPY(arena, flows->label, flows->count) &&
           COPY(arena, flows->flags, flows->count) && COPY(arena, flows->by_to, flows->count) &&
           COPY(arena, flows->reach[0], flows->reach_count) &&
           COPY(arena, flows->reach[1], flows->reach_count);
}

static bool copy_records(TraceRecords *records, Arena *arena)
{
    return COPY(arena, records->contexts, records->context_count) &&
           COPY(arena, records->dump_parts, records->dump_count) &&
           COPY(arena, records->clock_syncs, records->clock_sync_count) &&
           COPY(arena, records->others, records->other_count) &&
           COPY(arena, records->event_kinds, records->event_kind_count) &&
           COPY(arena, records->warnings, records->warning_count) &&
           COPY(arena, records->properties, records->property_count);
}

static bool copy_objects(ObjectColumns *objects, Arena *arena)
{
    return COPY(arena, objects->objects, objects->object_count) &&
           COPY(arena, objects->lives, objects->life_count) &&
           COPY(arena, objects->snapshots, objects->snapshot_count);
}

static bool copy_tables(Trace *trace, size_t series_count, Arena *arena)
{
    StackTable *stacks = &trace->stacks;
    trace->strings = string_table_copy(trace->strings, arena);
    return trace->strings != NULL && COPY(arena, trace->labels, (size_t)trace->label_count + 1) &&
           COPY(arena, trace->processes, (size_t)trace->process_count + 1) &&
           COPY(arena, trace->series, series_count) &&
           COPY(arena, stacks->frames, (size_t)stacks->frame_count + 1) &&
           COPY(arena, stacks->stacks, (size_t)stacks->stack_count + 1) && copy_tracks(trace, arena) &&
           copy_rows(trace, arena) && copy_flows(&trace->flows, arena) &&
           copy_objects(&trace->objects, arena) && copy_records(&trace->records, arena);
}

LiveCopy *live_copy(const LiveTrace *live)
{
    SELF_SLICE("copy a growing trace");
    Arena     arena = arena_create(0);
    LiveCopy *copy = ARENA_NEW(&arena, LiveCopy);
    if (copy == NULL) return NULL;
    LiveTrace *of = &copy->of;
    copy->arena = arena;
    of->trace = live->trace;
    of->places = live->places;
    of->trace.arena = arena_create(0);
    of->trace.live = &of->places;
    of->places.followers = &of->followers;
    bool done = copy_tables(&of->trace, vec_count(&live->builder->counters.series), &copy->arena) &&
                COPY(&copy->arena, of->places.track_of, of->places.thread_count) &&
                live_columns_copy(live, of, &copy->columns);
    if (!done) {
        live_copy_release(copy);
        return NULL;
    }
    if (of->trace.profile.has_weights) of->trace.profile.weight = of->columns.weights;
    return copy;
}

Trace *live_copy_trace(LiveCopy *copy)
{
    return &copy->of.trace;
}

void live_copy_release(LiveCopy *copy)
{
    if (copy == NULL) return;
    live_columns_copy_release(&copy->columns);
    Arena arena = copy->arena; /* the struct is in it */
    arena_release(&arena);
}
