/* The processes, tracks and rows of a growing trace, in the order in which they stand. */
#include "trace/live/live_internal.h"
#include "trace/make/counters.h"
#include "trace/make/profile.h"
#include "trace/make/track_order.h"

#include <stdlib.h>

static LiveTrack *thread_track(const LiveTrace *live, uint32_t thread)
{
    return &VECTOR(live->tracks, LiveTrack)[thread];
}

static LiveTrack *counter_track(const LiveTrace *live, uint32_t counter)
{
    return &VECTOR(live->counters, LiveTrack)[counter];
}

/* ---- has it changed? ---- */

static uint64_t mix_double(uint64_t mark, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return hash_mix(mark, bits);
}

/* Everything of names and order that the outline tells, but for the rows: those say so themselves. */
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
    const bool     changed = live->reshape || mark != live->shape_mark || live->trace.tracks == NULL;
    live->shape_mark = mark;
    return changed;
}

/* ---- making it ---- */

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

static void put_rows(Trace *trace, LiveTrack *source)
{
    Track *track = &trace->tracks[trace->track_count];
    track->first_row = trace->row_count;
    for (uint32_t r = 0; r < live_row_count(source); r++) {
        LiveRow *row = &live_rows(source)[r];
        row->place = UINT32_MAX;
        if (is_empty(row)) continue;
        row->place = trace->row_count;
        row->row.track = trace->track_count;
        trace->row_count++;
        copy_row(trace, row);
    }
}

/* Appends a track. Copies its extras into the track's place in the array of list_tracks. Returns the id of the track. */
static uint32_t put_track(Trace *trace, LiveTrack *source, const Track *track, const TrackExtras *extras)
{
    Track             *made = &trace->tracks[++trace->track_count];
    TrackExtras *const own = made->extras;
    *made = *track;
    *own = *extras;
    made->extras = own;
    source->track = trace->track_count;
    put_rows(trace, source);
    return trace->track_count;
}

/* Those of a process, or (0) of the trace. */
static void put_marks(LiveTrace *live, uint32_t process)
{
    Trace *trace = &live->trace;
    for (int kind = 0; kind < MARKS_KINDS; kind++) {
        LiveTrack *source = &VECTOR(live->marks[kind], LiveTrack)[process];
        if (source->instant_count == 0) continue;
        put_track(trace, source,
                  &(Track){ .kind = source->kind,
                            .process = { process == 0 ? 0 : trace->process_count },
                            .is_derived = kind != MARKS_EVENTS,
                            .has_events = true },
                  &(TrackExtras){ .version = 0 });
    }
}

static void put_counter(LiveTrace *live, const CounterGroups *counters, const CounterGroup *group)
{
    Trace            *trace = &live->trace;
    const CounterLog *counter = &live->builder->counters.all.items[group->counter];
    put_track(trace, counter_track(live, group->counter),
              &(Track){ .kind = TRACK_COUNTER,
                        .process = { trace->process_count },
                        .name = counter->title,
                        .has_events = true },
              &(TrackExtras){ .category = counter->category,
                              .counts_bytes = counter_counts_bytes(live->builder, counters, group),
                              .held_to = INT64_MAX });
    trace->counts.counters++;
}

static uint32_t put_log(LiveTrace *live, TrackKind kind, uint32_t thread_index, uint32_t named_index)
{
    Trace             *trace = &live->trace;
    const ThreadLog   *thread = thread_log_at(live->builder, thread_index);
    const ThreadEntry *named = &live->builder->threads.all.items[named_index];
    const uint32_t     track =
        put_track(trace, thread_track(live, thread_index),
                  &(Track){ .kind = kind,
                            .process = { trace->process_count },
                            .tid_kind = thread_tid(named).kind,
                            .tid_bits = named->tid_bits,
                            .name = named->name,
                            .divides = thread->divides,
                            .has_events = thread->has_events },
                  &(TrackExtras){ .sort_index = thread_log_at(live->builder, named_index)->sort_index });
    live->track_of[thread_index] = track;
    live->thread_of[track] = thread_index;
    return track;
}

/* Samplers in the order in which they stand below their threads. */
typedef struct SamplerOrder {
    StringView name;
    uint32_t   thread, sampler;
} SamplerOrder;

static int compare_samplers(const void *left, const void *right)
{
    const SamplerOrder *a = (const SamplerOrder *)left, *b = (const SamplerOrder *)right;
    if (a->thread != b->thread) return a->thread < b->thread ? -1 : 1;
    const int by_name = string_compare_natural(a->name, b->name);
    if (by_name != 0) return by_name;
    return (a->sampler > b->sampler) - (a->sampler < b->sampler);
}

static bool order_samplers(LiveTrace *live, SamplerOrder **order, size_t *count)
{
    const TraceBuilder *builder = live->builder;
    const SamplerLog   *samplers = builder->profile.samplers.items;
    *order = ARENA_ARRAY(&live->scratch, SamplerOrder, VECTOR_COUNT(live->samplers, LiveSampler));
    *count = 0;
    if (*order == NULL) return false;
    for (uint32_t i = 1; i < VECTOR_COUNT(live->samplers, LiveSampler); i++) {
        if (VECTOR(live->samplers, const LiveSampler)[i].count == 0) continue;
        (*order)[(*count)++] = (SamplerOrder){ .name = string_table_view(builder->strings, samplers[i].name),
                                               .thread = samplers[i].thread.index,
                                               .sampler = i };
    }
    if (*count > 1) qsort(*order, *count, sizeof **order, compare_samplers);
    return true;
}

/* The first sampler of a thread, or of one behind it. */
static size_t first_sampler_of(const SamplerOrder *order, size_t count, uint32_t thread)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (order[middle].thread < thread) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* What samplers saw of a thread, below it. */
static void put_samplers(LiveTrace *live, const SamplerOrder *order, size_t count, size_t first,
                         uint32_t thread)
{
    Trace         *trace = &live->trace;
    const uint32_t track = trace->track_count;
    for (size_t i = first; i < count && order[i].thread == thread; i++) {
        put_track(trace, &VECTOR(live->sampler_tracks, LiveTrack)[order[i].sampler],
                  &(Track){ .kind = TRACK_SAMPLES,
                            .process = { trace->process_count },
                            .tid_kind = trace->tracks[track].tid_kind,
                            .tid_bits = trace->tracks[track].tid_bits,
                            .name = live->builder->profile.samplers.items[order[i].sampler].name,
                            .is_derived = true,
                            .has_events = true },
                  &(TrackExtras){ .thread = track });
        trace->counts.sample_tracks++;
    }
}

/* All it had was let go. */
static bool has_gone(const LiveTrace *live, uint32_t thread_index)
{
    const uint32_t states = thread_log_at(live->builder, thread_index)->states;
    return thread_track(live, thread_index)->let_go && (states == 0 || thread_track(live, states)->let_go);
}

static void put_thread(LiveTrace *live, uint32_t thread_index)
{
    Trace           *trace = &live->trace;
    const ThreadLog *thread = thread_log_at(live->builder, thread_index);
    if (thread->states != 0) put_log(live, TRACK_STATES, thread->states, thread_index);
    const uint32_t track = put_log(live, TRACK_THREAD, thread_index, thread_index);
    if (!thread->has_events && !thread_log_at(live->builder, thread->states)->has_events) return;
    trace->tracks[track].has_events = true;
    trace->counts.threads += thread->divides ? 0 : 1;
    trace->processes[trace->process_count].has_events = true;
}

/* Groups in the order in which they stand. */
typedef struct GroupOrder {
    StringView name;
    uint32_t   process, key, index;
} GroupOrder;

/* What a process has besides threads, of all processes. */
typedef struct ShapeParts {
    SamplerOrder *samplers;
    size_t        sampler_count;
    CounterGroups counters;
    GroupOrder   *async, *objects;
    size_t        async_count, object_count;
} ShapeParts;

static int compare_groups(const void *left, const void *right)
{
    const GroupOrder *a = (const GroupOrder *)left, *b = (const GroupOrder *)right;
    if (a->process != b->process) return a->process < b->process ? -1 : 1;
    const int by_name = string_compare_natural(a->name, b->name);
    if (by_name != 0) return by_name;
    return (a->key > b->key) - (a->key < b->key);
}

static StringId group_name(const LiveTrace *live, const LiveUnits *units, const LiveGroup *group)
{
    if (units->kind == TRACK_OBJECTS) return (StringId){ group->key };
    return live->builder->labels.all.items[group->key].name;
}

static StringId group_category(const LiveTrace *live, const LiveUnits *units, const LiveGroup *group)
{
    if (units->kind == TRACK_ASYNC) return live->builder->labels.all.items[group->key].category;
    return group->units.size == 0 ? STRING_NONE : VECTOR(group->units, const LiveUnit)[0].category;
}

static bool order_groups(LiveTrace *live, const LiveUnits *units, GroupOrder **order, size_t *count)
{
    const LiveGroup *groups = VECTOR(units->groups, const LiveGroup);
    const size_t     all = VECTOR_COUNT(units->groups, LiveGroup);
    *order = ARENA_ARRAY(&live->scratch, GroupOrder, all);
    *count = 0;
    if (*order == NULL) return false;
    for (uint32_t i = 0; i < all; i++) {
        const LiveTrack *track = &VECTOR(units->tracks, const LiveTrack)[i];
        if (track->slice_count + track->instant_count == 0) continue;
        (*order)[(*count)++] = (GroupOrder){ .name = string_table_view(live->builder->strings,
                                                                       group_name(live, units, &groups[i])),
                                             .process = groups[i].process,
                                             .key = groups[i].key,
                                             .index = i };
    }
    if (*count > 1) qsort(*order, *count, sizeof **order, compare_groups);
    return true;
}

/* The groups of a process. */
static void put_groups(LiveTrace *live, LiveUnits *units, const GroupOrder *order, size_t count,
                       uint32_t process)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (order[middle].process < process) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < count && order[low].process == process; low++) {
        const LiveGroup *group = &VECTOR(units->groups, const LiveGroup)[order[low].index];
        put_track(&live->trace, &VECTOR(units->tracks, LiveTrack)[order[low].index],
                  &(Track){ .kind = units->kind,
                            .process = { live->trace.process_count },
                            .name = group_name(live, units, group),
                            .is_derived = units->kind == TRACK_OBJECTS,
                            .has_events = true },
                  &(TrackExtras){ .category = group_category(live, units, group) });
    }
}

static void put_process(LiveTrace *live, uint32_t index, const ShapeParts *parts, const uint32_t *threads,
                        uint32_t thread_count)
{
    Trace            *trace = &live->trace;
    const ProcessLog *log = &live->builder->processes.all.items[index];
    Process          *process = &trace->processes[++trace->process_count];
    *process = (Process){ .pid = log->pid,
                          .name = log->name,
                          .labels = log->labels,
                          .thread_noun = log->thread_noun,
                          .sort_index = log->sort_index,
                          .sharing_threads = process_sharing_threads(log),
                          .first_track = trace->track_count + 1,
                          .perspectives = log->perspectives };
    live->process_of[index] = trace->process_count;
    put_marks(live, index);
    const CounterGroups *counters = &parts->counters;
    put_groups(live, &live->objects, parts->objects, parts->object_count, index);
    for (uint32_t i = 0; i < counters->count; i++)
        if (counters->groups[i].process == index) put_counter(live, counters, &counters->groups[i]);
    for (uint32_t i = 0; i < thread_count; i++) {
        const uint32_t thread = threads[i];
        const size_t   first = first_sampler_of(parts->samplers, parts->sampler_count, thread);
        const bool     is_sampled = first < parts->sampler_count && parts->samplers[first].thread == thread;
        if (has_gone(live, thread) && !is_sampled) continue;
        put_thread(live, thread);
        put_samplers(live, parts->samplers, parts->sampler_count, first, thread);
    }
    put_groups(live, &live->async, parts->async, parts->async_count, index);
    process->track_count = trace->track_count + 1 - process->first_track;
    trace->counts.threads += process->sharing_threads;
    if (process->has_events) trace->counts.active_processes++;
}

static void count_all(LiveTrace *live, uint64_t *tracks, uint64_t *rows)
{
    Bytes *lists[TRACK_LISTS];
    live_track_lists(live, lists);
    *tracks = *rows = 0;
    for (size_t l = 0; l < TRACK_LISTS; l++) {
        *tracks += VECTOR_COUNT(*lists[l], LiveTrack);
        for (size_t i = 0; i < VECTOR_COUNT(*lists[l], LiveTrack); i++)
            *rows += live_row_count(&VECTOR(*lists[l], const LiveTrack)[i]);
    }
}

typedef struct RowPlace {
    uint64_t first;
    uint32_t row;
} RowPlace;

static int compare_places(const void *left, const void *right)
{
    const RowPlace *a = (const RowPlace *)left, *b = (const RowPlace *)right;
    return (a->first > b->first) - (a->first < b->first);
}

/* The rows that have room, by where it begins. */
static bool order_rows(LiveTrace *live, bool of_instants, uint32_t **rows, uint32_t *count)
{
    const Trace *trace = &live->trace;
    RowPlace    *places = ARENA_ARRAY(&live->scratch, RowPlace, trace->row_count);
    uint32_t     n = 0;
    *rows = ARENA_ARRAY(&live->shape, uint32_t, trace->row_count);
    if (places == NULL || *rows == NULL) return false;
    for (uint32_t r = 0; r < trace->row_count; r++) {
        const Row *row = &trace->rows[r];
        if ((of_instants ? row->extras->instant_room : row->extras->series != 0 ? 0 : row->extras->room) == 0)
            continue;
        places[n++] = (RowPlace){ of_instants ? row->extras->first_instant : row->first_slice, r };
    }
    if (n > 1) qsort(places, n, sizeof *places, compare_places);
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
    RowSeries       *series = ARENA_ARRAY(&live->shape, RowSeries, count + 1);
    live->trace.series = series;
    for (size_t i = 1; series != NULL && i < count; i++)
        series[i] = (RowSeries){ .name = logs[i].name, .colour = logs[i].colour };
    return series != NULL;
}

/* Makes the arrays of `count` tracks and of their extras; index 0 is not used. False when out of memory. */
static bool list_tracks(LiveTrace *live, size_t count)
{
    Track       *tracks = ARENA_ARRAY(&live->shape, Track, count + 2);
    TrackExtras *extras = ARENA_ARRAY(&live->shape, TrackExtras, count + 1);
    live->trace.tracks = tracks;
    for (size_t i = 0; tracks != NULL && extras != NULL && i <= count; i++)
        tracks[i].extras = &extras[i];
    return tracks != NULL && extras != NULL;
}

/* Makes `count` rows and their extras. False when out of memory. */
static bool list_rows(LiveTrace *live, size_t count)
{
    Row       *rows = ARENA_ARRAY(&live->shape, Row, count);
    RowExtras *extras = ARENA_ARRAY(&live->shape, RowExtras, count);
    live->trace.rows = rows;
    for (size_t i = 0; rows != NULL && extras != NULL && i < count; i++)
        rows[i].extras = &extras[i];
    return rows != NULL && extras != NULL;
}

static bool make_all(LiveTrace *live)
{
    const TraceBuilder *builder = live->builder;
    Trace              *trace = &live->trace;
    Arena              *arena = &live->shape;
    const size_t        process_count = vec_count(&builder->processes.all);
    const size_t        thread_count = vec_count(&builder->threads.all);
    ShapeParts          parts = { .async_count = 0 };
    uint32_t           *processes, *threads, *first_thread;
    uint64_t            tracks, rows;
    count_all(live, &tracks, &rows);
    if (rows >= UINT32_MAX || tracks >= UINT32_MAX) return false;
    trace->processes = ARENA_ARRAY(arena, Process, process_count);
    live->track_of = ARENA_ARRAY(arena, uint32_t, thread_count);
    live->thread_of = ARENA_ARRAY(arena, uint32_t, (size_t)tracks + 1);
    live->places.track_of = live->track_of;
    live->places.thread_count = (uint32_t)thread_count;
    live->places.thread_of = live->thread_of;
    live->process_of = ARENA_ARRAY(arena, uint32_t, process_count);
    if (trace->processes == NULL || !list_rows(live, (size_t)rows) || live->track_of == NULL ||
        live->thread_of == NULL || live->process_of == NULL || !list_tracks(live, (size_t)tracks) ||
        !list_series(live) || !order_processes(builder, &live->scratch, &processes) ||
        !order_threads(builder, &live->scratch, &threads, &first_thread) ||
        !counters_order(builder, &live->scratch, &parts.counters) ||
        !order_groups(live, &live->async, &parts.async, &parts.async_count) ||
        !order_samplers(live, &parts.samplers, &parts.sampler_count) ||
        !order_groups(live, &live->objects, &parts.objects, &parts.object_count))
        return false;
    put_marks(live, 0);
    for (size_t i = 0; i + 1 < process_count; i++) {
        const uint32_t p = processes[i];
        put_process(live, p, &parts, threads + first_thread[p], first_thread[p + 1] - first_thread[p]);
    }
    trace->tracks[trace->track_count + 1].first_row = trace->row_count;
    return order_rows(live, false, &trace->index.slice_rows, &trace->index.slice_row_count) &&
           order_rows(live, true, &trace->index.instant_rows, &trace->index.instant_row_count);
}

/* So that those that have nothing left are known to stand nowhere. */
static void displace(Bytes *tracks)
{
    for (size_t i = 0; i < VECTOR_COUNT(*tracks, LiveTrack); i++) {
        LiveTrack *track = &VECTOR(*tracks, LiveTrack)[i];
        track->track = 0;
        for (uint32_t r = 0; r < live_row_count(track); r++)
            live_rows(track)[r].place = UINT32_MAX;
    }
}

bool live_shape_make(LiveTrace *live)
{
    Trace *trace = &live->trace;
    Bytes *lists[TRACK_LISTS];
    live_track_lists(live, lists);
    for (size_t l = 0; l < TRACK_LISTS; l++)
        displace(lists[l]);
    arena_clear(&live->shape);
    trace->process_count = trace->track_count = trace->row_count = 0;
    trace->counts.threads = trace->counts.active_processes = trace->counts.counters =
        trace->counts.sample_tracks = 0;
    trace->index.slice_row_count = trace->index.instant_row_count = 0;
    if (make_all(live)) return true;
    trace->process_count = trace->track_count = trace->row_count = 0;
    live->failed = true;
    return false;
}

/* ---- keeping it up to date ---- */

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

/* False: a row that was empty is no more, or one is now. */
static bool update_track(LiveTrace *live, LiveTrack *source)
{
    const LiveSampler *sampler =
        source->kind == TRACK_SAMPLES ? &VECTOR(live->samplers, const LiveSampler)[source->source] : NULL;
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

static bool update_tracks(LiveTrace *live, Bytes *tracks, bool all)
{
    Trace *trace = &live->trace;
    for (size_t i = 0; i < VECTOR_COUNT(*tracks, LiveTrack); i++) {
        LiveTrack *source = &VECTOR(*tracks, LiveTrack)[i];
        if ((source->changed || all) && !update_track(live, source)) return false;
        if (source->kind == TRACK_THREAD)
            trace->counts.unfinished += source->pairing.depth + source->endless_count;
        if (source->kind == TRACK_STATES) trace->counts.states += source->slice_count;
        if (source->kind == TRACK_SAMPLES) trace->counts.sample_slices += source->slice_count;
        if (trace->tracks[source->track].is_derived) trace->counts.derived_instants += source->instant_count;
        if (source->kind == TRACK_ASYNC) trace->counts.async_slices += source->slice_count;
        if (source->kind == TRACK_ASYNC) trace->counts.async_instants += source->instant_count;
        if (source->kind == TRACK_SAMPLES)
            trace->profile.hole_count -= VECTOR(live->samplers, const LiveSampler)[source->source].count;
        trace->slices.hole_count -= source->slice_count;
        trace->instants.hole_count -= source->instant_count;
        trace->samples.hole_count -= source->sample_count;
    }
    return true;
}

bool live_shape_update(LiveTrace *live, bool all)
{
    Trace *trace = &live->trace;
    trace->slices.count = live->slices.used;
    trace->instants.count = live->instants.used;
    trace->samples.count = live->samples.used;
    trace->profile.count = live->profiles.used;
    trace->profile.hole_count = live->profiles.used;
    trace->slices.hole_count = live->slices.used;
    trace->instants.hole_count = live->instants.used;
    trace->samples.hole_count = live->samples.used;
    trace->counts.unfinished = trace->counts.states = 0;
    trace->counts.async_slices = trace->counts.async_instants = trace->counts.derived_instants = 0;
    trace->counts.sample_slices = 0;
    Bytes *lists[TRACK_LISTS];
    live_track_lists(live, lists);
    for (size_t l = 0; l < TRACK_LISTS; l++)
        if (!update_tracks(live, lists[l], all)) return false;
    trace->counts.max_depth = 0;
    for (uint32_t r = 0; r < trace->row_count; r++) {
        const Row *row = &trace->rows[r];
        if (row->slice_count == 0 || trace->tracks[row->track].kind != TRACK_THREAD) continue;
        if (row->depth + 1 > trace->counts.max_depth) trace->counts.max_depth = row->depth + 1;
    }
    return true;
}
