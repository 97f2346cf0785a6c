/* The processes, tracks and rows of a growing trace, in display order. */
#include "trace/live/live_state.h"

#include "base/compare.h"
#include "trace/make/counters.h"
#include "trace/make/track_order.h"

#include <stdlib.h>

static LiveTrack *thread_track(const LiveTrace *live, uint32_t thread)
{
    return &VECTOR(live->threads.tracks, LiveTrack)[thread];
}

static LiveTrack *counter_track(const LiveTrace *live, uint32_t counter)
{
    return &VECTOR(live->counters, LiveTrack)[counter];
}

/* ---- changes ---- */

static uint64_t mix_double(uint64_t mark, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return hash_mix(mark, bits);
}

/* Returns a hash of the names and the order in the outline, without the rows: they set LiveShape.is_stale. */
static uint64_t mark_of_shape(const LiveTrace *live)
{
    const TraceBuilder *builder = live->builder;
    const ProcessLog   *processes = builder->processes.all.items;
    uint64_t            mark = vec_count(&builder->counters.series);
    for (size_t i = 1; i < vec_count(&builder->processes.all); i++) {
        const ProcessLog *p = &processes[i];
        mark = hash_mix(mark, (uint64_t)p->name.index << 32 | p->labels.index);
        mark = hash_mix(mark, (uint64_t)p->thread_noun.index << 8 | p->perspectives);
        mark = mix_double(hash_mix(mark, process_sharing_threads(p)), p->sort_index);
    }
    for (size_t i = 1; i < vec_count(&builder->threads.all); i++) {
        const ThreadLog *t = thread_log_at(builder, i);
        const StringId   name = builder->threads.all.items[i].name;
        mark = hash_mix(mark, (uint64_t)name.index << 2 | (t->has_events ? 1u : 0) | (t->divides ? 2u : 0));
        mark = mix_double(hash_mix(mark, t->states), t->sort_index);
    }
    return mark;
}

bool live_shape_changed(LiveTrace *live)
{
    const uint64_t mark = mark_of_shape(live);
    const bool     changed = live->shape.is_stale || mark != live->shape.hash || live->trace.tracks == NULL;
    live->shape.hash = mark;
    return changed;
}

/* ---- rows ---- */

static bool is_empty(const LiveRow *row)
{
    return row->row.slice_count == 0 && row->row.extras->instant_count == 0 &&
           row->row.extras->sample_count == 0;
}

/* Copies a row and its extras to its place. */
static void copy_row(Trace *trace, const LiveRow *row)
{
    Row             *to = &trace->rows[row->place];
    RowExtras *const own = to->extras;
    *to = row->row;
    *own = *row->row.extras;
    to->extras = own;
}

static void put_rows(Trace *trace, LiveTrack *source, uint32_t index)
{
    trace->tracks[index].first_row = trace->row_count;
    source->track = index;
    for (uint32_t r = 0; r < live_row_count(source); r++) {
        LiveRow *row = &live_rows(source)[r];
        row->place = UINT32_MAX;
        if (is_empty(row)) continue;
        row->place = trace->row_count;
        row->row.track = index;
        trace->row_count++;
        copy_row(trace, row);
    }
}

/* ---- the groups and counts that layout_tracks needs ---- */

static bool count_marks(LiveTrace *live)
{
    const size_t count = vec_count(&live->builder->processes.all);
    for (int kind = 0; kind < MARKS_KINDS; kind++) {
        uint64_t *counts = ARENA_ARRAY(&live->scratch, uint64_t, count);
        if (counts == NULL) return false;
        for (size_t i = 0; i < count; i++)
            counts[i] = VECTOR(live->marks.tracks[kind], const LiveTrack)[i].instant_count;
        live->finish->mark_counts[kind] = counts;
    }
    return true;
}

static bool list_samplers(LiveTrace *live)
{
    const uint32_t most = (uint32_t)VECTOR_COUNT(live->samplers.all, LiveSampler);
    ProfileGroups *result = &live->finish->profiles;
    *result = (ProfileGroups){ .groups = ARENA_ARRAY(&live->scratch, ProfileGroup, most) };
    if (result->groups == NULL) return false;
    for (uint32_t i = 1; i < most; i++) {
        const uint32_t count = VECTOR(live->samplers.all, const LiveSampler)[i].count;
        if (count > 0)
            result->groups[result->count++] = (ProfileGroup){ .sampler = i, .sample_count = count };
    }
    return profile_sort_groups(live->builder, &live->scratch, result->groups, result->count);
}

/* True if all events of a thread and of its states were removed. */
static bool has_gone(const LiveTrace *live, uint32_t thread)
{
    const uint32_t states = thread_log_at(live->builder, thread)->states;
    return thread_track(live, thread)->is_removed && (states == 0 || thread_track(live, states)->is_removed);
}

/* Hides the threads without events, unless there are samples of their stacks. */
static bool hide_threads(LiveTrace *live)
{
    const size_t         count = vec_count(&live->builder->threads.all);
    bool                *hidden = ARENA_ARRAY(&live->scratch, bool, count);
    const ProfileGroups *profiles = &live->finish->profiles;
    if (hidden == NULL) return false;
    for (uint32_t i = 1; i < count; i++)
        hidden[i] = has_gone(live, i);
    for (uint32_t i = 0; i < profiles->count; i++)
        hidden[profiles->groups[i].thread] = false;
    live->finish->hidden_threads = hidden;
    return true;
}

/* Groups of asynchronous slices in display order. */
typedef struct GroupOrder {
    TrackName name; /* of a process; key: the label */
    uint32_t  index;
} GroupOrder;

/* Fills Finish.async, and *indices with the index of each of its groups in LiveAsync. */
static bool order_groups(LiveTrace *live, uint32_t **indices)
{
    const LiveAsync *async = &live->async;
    SliceGroups     *result = &live->finish->async;
    const LiveGroup *groups = VECTOR(async->groups, const LiveGroup);
    const Label     *labels = live->builder->labels.all.items;
    const size_t     all = VECTOR_COUNT(async->groups, LiveGroup);
    GroupOrder      *order = ARENA_ARRAY(&live->scratch, GroupOrder, all);
    *indices = ARENA_ARRAY(&live->scratch, uint32_t, all);
    *result = (SliceGroups){ .groups = ARENA_ARRAY(&live->scratch, SliceGroup, all) };
    if (order == NULL || *indices == NULL || result->groups == NULL) return false;
    for (uint32_t i = 0; i < all; i++) {
        const LiveTrack *track = &VECTOR(async->tracks, const LiveTrack)[i];
        if (track->slice_count + track->instant_count == 0) continue;
        const StringView name = string_table_view(live->builder->strings, labels[groups[i].label].name);
        order[result->count++] = (GroupOrder){ { groups[i].process, groups[i].label, name }, i };
    }
    if (result->count > 1) qsort(order, result->count, sizeof *order, compare_track_names);
    for (uint32_t i = 0; i < result->count; i++) {
        result->groups[i] = (SliceGroup){ .process = order[i].name.owner, .label = order[i].name.key };
        (*indices)[i] = order[i].index;
    }
    return true;
}

/* Finish.objects is filled already. */
static bool fill_groups(LiveTrace *live, uint32_t **async_groups)
{
    Finish *finish = live->finish;
    finish->counters = (CounterGroups){ .count = 0 };
    finish->held_to = counters_held_to(live->builder, &live->scratch);
    return finish->held_to != NULL && count_marks(live) && list_samplers(live) && hide_threads(live) &&
           counters_order(live->builder, &live->scratch, &finish->counters) &&
           order_groups(live, async_groups);
}

/* ---- tracks and rows ---- */

/* Returns the rows of track `index` of the trace. */
static LiveTrack *source_of(const LiveTrace *live, const uint32_t *async_groups, uint32_t index)
{
    const Finish  *finish = live->finish;
    const Track   *track = &live->trace.tracks[index];
    const uint32_t source = finish->source_index[index];
    switch (track->kind) {
    case TRACK_THREAD:
    case TRACK_STATES:
        return thread_track(live, source);
    case TRACK_COUNTER:
        return counter_track(live, finish->counters.groups[source].counter);
    case TRACK_SAMPLES:
        return &VECTOR(live->samplers.tracks, LiveTrack)[finish->profiles.groups[source].sampler];
    case TRACK_ASYNC:
        return &VECTOR(live->async.tracks, LiveTrack)[async_groups[source]];
    case TRACK_OBJECTS:
        return &VECTOR(live->objects.tracks, LiveTrack)[live->objects.group_tracks[source]];
    case TRACK_DUMPS:
        return &VECTOR(live->marks.tracks[MARKS_DUMPS], LiveTrack)[source];
    case TRACK_PROCESS_INSTANTS:
    case TRACK_GLOBAL_INSTANTS:
        break;
    }
    return &VECTOR(live->marks.tracks[track->is_derived ? MARKS_DERIVED : MARKS_EVENTS], LiveTrack)[source];
}

/* Makes processes and tracks as for a loaded trace, in the arena of the shape. */
static bool make_tracks(LiveTrace *live)
{
    TraceBuilder *builder = live->builder;
    Trace        *trace = &live->trace;
    const Arena   arena = builder->arena;
    builder->arena = live->shape.arena;
    const bool done = layout_tracks(live->finish);
    live->shape.arena = builder->arena;
    builder->arena = arena;
    trace->slices.source_count = trace->slices.async_thread_count =
        0; /* in a growing trace they are by slice */
    return done;
}

static uint64_t count_rows(LiveTrace *live)
{
    TrackWalk walk = { 0 };
    uint64_t  rows = 0;
    for (const LiveTrack *track; (track = live_track_next(live, &walk)) != NULL;)
        rows += live_row_count(track);
    return rows;
}

typedef struct RowPlace {
    uint64_t first;
    uint32_t row;
} RowPlace;

/* Lists the rows with a room, in the order of the rooms. */
static bool order_rows(LiveTrace *live, bool of_instants, uint32_t **rows, uint32_t *count)
{
    const Trace *trace = &live->trace;
    RowPlace    *places = ARENA_ARRAY(&live->scratch, RowPlace, trace->row_count);
    uint32_t     n = 0;
    *rows = ARENA_ARRAY(&live->shape.arena, uint32_t, trace->row_count);
    if (places == NULL || *rows == NULL) return false;
    for (uint32_t r = 0; r < trace->row_count; r++) {
        const Row *row = &trace->rows[r];
        if ((of_instants ? row->extras->instant_room : row->extras->series != 0 ? 0 : row->extras->room) == 0)
            continue;
        places[n++] = (RowPlace){ of_instants ? row->extras->first_instant : row->first_slice, r };
    }
    if (n > 1) qsort(places, n, sizeof *places, compare_first_u64);
    for (uint32_t i = 0; i < n; i++)
        (*rows)[i] = places[i].row;
    *count = n;
    return true;
}

/* Fills Trace.series: by the builder's series. False when out of memory. */
static bool list_series(LiveTrace *live)
{
    const SeriesLog *logs = live->builder->counters.series.items;
    const size_t     count = vec_count(&live->builder->counters.series);
    RowSeries       *series = ARENA_ARRAY(&live->shape.arena, RowSeries, count + 1);
    live->trace.series = series;
    for (size_t i = 1; series != NULL && i < count; i++)
        series[i] = (RowSeries){ .name = logs[i].name, .colour = logs[i].colour };
    return series != NULL;
}

/* Makes `count` rows and their extras. False when out of memory. */
static bool list_rows(LiveTrace *live, size_t count)
{
    Row       *rows = ARENA_ARRAY(&live->shape.arena, Row, count);
    RowExtras *extras = ARENA_ARRAY(&live->shape.arena, RowExtras, count);
    live->trace.rows = rows;
    for (size_t i = 0; rows != NULL && extras != NULL && i < count; i++)
        rows[i].extras = &extras[i];
    return rows != NULL && extras != NULL;
}

static bool make_all(LiveTrace *live)
{
    Trace         *trace = &live->trace;
    uint32_t      *async_groups;
    const uint64_t rows = count_rows(live);
    if (rows >= UINT32_MAX || !list_rows(live, (size_t)rows) || !list_series(live) ||
        !fill_groups(live, &async_groups) || !make_tracks(live))
        return false;
    live->places.track_of = live->finish->track_of;
    live->places.thread_count = (uint32_t)vec_count(&live->builder->threads.all);
    for (uint32_t i = 1; i <= trace->track_count; i++) {
        if (track_add_extras(&trace->tracks[i], &live->shape.arena) == NULL) return false;
        put_rows(trace, source_of(live, async_groups, i), i);
    }
    trace->tracks[trace->track_count + 1].first_row = trace->row_count;
    return order_rows(live, false, &trace->index.slice_rows, &trace->index.slice_row_count) &&
           order_rows(live, true, &trace->index.instant_rows, &trace->index.instant_row_count);
}

/* Marks all tracks and rows as absent from the trace. */
static void displace(LiveTrace *live)
{
    TrackWalk walk = { 0 };
    for (LiveTrack *track; (track = live_track_next(live, &walk)) != NULL;) {
        track->track = 0;
        for (uint32_t r = 0; r < live_row_count(track); r++)
            live_rows(track)[r].place = UINT32_MAX;
    }
}

bool live_shape_make(LiveTrace *live)
{
    Trace *trace = &live->trace;
    displace(live);
    arena_clear(&live->shape.arena);
    trace->process_count = trace->track_count = trace->row_count = 0;
    trace->counts.threads = trace->counts.active_processes = trace->counts.counters =
        trace->counts.sample_tracks = 0;
    trace->index.slice_row_count = trace->index.instant_row_count = 0;
    if (make_all(live)) return true;
    trace->process_count = trace->track_count = trace->row_count = 0;
    live->failed = true;
    return false;
}

/* ---- updates ---- */

static void update_counter(const LiveTrack *source, const Track *track)
{
    if (source->kind != TRACK_COUNTER) return;
    const bool   any = source->least <= source->greatest;
    TrackExtras *counter = track->extras;
    counter->least = any && source->least < 0 ? source->least : 0;
    counter->greatest = any && source->greatest > 0 ? source->greatest : 0;
    counter->is_stacked = any && source->least >= 0 && track_row_count(track) > 1;
    const double total = sample_sums_greatest(&source->sums);
    if (counter->is_stacked && total > counter->greatest) counter->greatest = total;
}

/* Copies a track to the trace. False: a row has become empty, or is not empty any more. */
static bool update_track(LiveTrace *live, LiveTrack *source)
{
    const LiveSampler *sampler =
        source->kind == TRACK_SAMPLES ? &VECTOR(live->samplers.all, const LiveSampler)[source->source] : NULL;
    if (source->track == 0)
        return (sampler == NULL || sampler->count == 0) && source->slice_count == 0 &&
               source->instant_count == 0 && source->sample_count == 0;
    Track *track = &live->trace.tracks[source->track];
    track->extras->sample_count = source->sample_count;
    track->extras->version = source->version;
    track->extras->first_async = track->extras->first_life = track_first_slice(&live->trace, track);
    track->extras->first_snapshot = track_first_instant(&live->trace, track);
    if (sampler != NULL) track->extras->first_profile = sampler->first;
    if (sampler != NULL) track->extras->profile_count = sampler->count;
    update_counter(source, track);
    for (uint32_t r = 0; r < live_row_count(source); r++) {
        LiveRow *row = &live_rows(source)[r];
        if ((row->place == UINT32_MAX) != is_empty(row)) return false;
        if (is_empty(row)) continue;
        row->row.track = source->track;
        copy_row(&live->trace, row);
    }
    return true;
}

/* Adds a track to the counts of the trace. */
static void count_track(LiveTrace *live, const LiveTrack *source)
{
    Trace *trace = &live->trace;
    if (source->kind == TRACK_THREAD)
        trace->counts.unfinished += source->pairing.depth + source->endless_count;
    if (source->kind == TRACK_STATES) trace->counts.states += source->slice_count;
    if (source->kind == TRACK_SAMPLES) trace->counts.sample_slices += source->slice_count;
    if (trace->tracks[source->track].is_derived) trace->counts.derived_instants += source->instant_count;
    if (source->kind == TRACK_ASYNC) trace->counts.async_slices += source->slice_count;
    if (source->kind == TRACK_ASYNC) trace->counts.async_instants += source->instant_count;
    if (source->kind == TRACK_SAMPLES)
        trace->profile.hole_count -= VECTOR(live->samplers.all, const LiveSampler)[source->source].count;
    trace->slices.hole_count -= source->slice_count;
    trace->instants.hole_count -= source->instant_count;
    trace->samples.hole_count -= source->sample_count;
}

bool live_shape_update(LiveTrace *live, bool all)
{
    Trace           *trace = &live->trace;
    const LiveSpace *spaces = live->columns.spaces;
    TrackWalk        walk = { 0 };
    trace->slices.count = trace->slices.hole_count = spaces[SPACE_SLICES].used;
    trace->instants.count = trace->instants.hole_count = spaces[SPACE_INSTANTS].used;
    trace->samples.count = trace->samples.hole_count = spaces[SPACE_SAMPLES].used;
    trace->profile.count = trace->profile.hole_count = spaces[SPACE_PROFILES].used;
    trace->counts.unfinished = trace->counts.states = trace->counts.sample_slices = 0;
    trace->counts.async_slices = trace->counts.async_instants = trace->counts.derived_instants = 0;
    for (LiveTrack *source; (source = live_track_next(live, &walk)) != NULL;) {
        if ((source->changed || all) && !update_track(live, source)) return false;
        count_track(live, source);
    }
    trace->counts.max_depth = 0;
    for (uint32_t r = 0; r < trace->row_count; r++) {
        const Row *row = &trace->rows[r];
        if (row->slice_count == 0 || trace->tracks[row->track].kind != TRACK_THREAD) continue;
        if (row->depth + 1 > trace->counts.max_depth) trace->counts.max_depth = row->depth + 1;
    }
    return true;
}
