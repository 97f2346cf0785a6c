/* The order of a trace's tracks, and their places in the columns. */
#include "base/search.h"
#include "trace/make/async.h"
#include "trace/make/contexts.h"
#include "trace/make/counters.h"
#include "trace/make/objects.h"
#include "trace/make/profile.h"
#include "trace/make/track_order.h"
#include "trace/store/columns.h"

#include <stdlib.h>
#include <string.h>

/* Stores the start of the next track, `index`, in the columns. False when out of memory. */
static bool add_start(Finish *finish, uint32_t index)
{
    const Trace     *trace = finish->trace;
    const TrackStart start = { trace->slices.count, trace->instants.count, trace->slices.source_count };
    StartsBlock     *block = &finish->starts[index / STARTS_BLOCK];
    const uint32_t   i = index % STARTS_BLOCK;
    if (i == 0) block->base = start;
    const TrackStart base = block->base;
    const TrackStart from = { start.slice - base.slice, start.instant - base.instant,
                              start.source - base.source };
    if (block->far == NULL && (from.slice | from.instant | from.source) > UINT16_MAX) {
        block->far = ARENA_ARRAY(&finish->builder->log_arena, TrackStart, STARTS_BLOCK);
        if (block->far == NULL) return false;
        for (uint32_t j = 0; j < i; j++)
            block->far[j] =
                (TrackStart){ base.slice + block->near[j].slice, base.instant + block->near[j].instant,
                              base.source + block->near[j].source };
    }
    if (block->far != NULL) {
        block->far[i] = start;
    } else {
        block->near[i].slice = (uint16_t)from.slice;
        block->near[i].instant = (uint16_t)from.instant;
        block->near[i].source = (uint16_t)from.source;
    }
    return true;
}

/* Appends a track, which begins in the columns at the end of the previous one. `source`: see Finish.source_index. */
static uint32_t add_track(Finish *finish, uint32_t source, const Track *track)
{
    Trace         *trace = finish->trace;
    const uint32_t index = ++trace->track_count;
    trace->tracks[index] = *track;
    finish->source_index[index] = source;
    if (!add_start(finish, index)) finish->builder->failed = true;
    return index;
}

/* Creates the extras of a track. */
static void add_extras(Finish *finish, uint32_t track, const TrackExtras *extras)
{
    TrackExtras *added = track_add_extras(&finish->trace->tracks[track], &finish->builder->arena);
    if (added == NULL) {
        finish->builder->failed = true;
    } else {
        *added = *extras;
    }
}

/* Appends the track of a log and returns its index. `named`: the thread itself, whose states the log may hold. */
static uint32_t lay_out_log(Finish *finish, TrackKind kind, uint32_t thread_index, const ThreadLog *thread,
                            uint32_t named_index)
{
    Trace             *trace = finish->trace;
    const ThreadEntry *named = builder_thread_entry(finish->builder, (TrackId){ named_index });
    const ThreadLog   *named_log = builder_log_of(finish->builder, named_index);
    const uint32_t     index = add_track(finish, thread_index,
                                         &(Track){ .kind = kind,
                                                   .process = { trace->process_count },
                                                   .tid_kind = thread_tid(named).kind,
                                                   .tid_bits = named->tid_bits,
                                                   .name = named->name,
                                                   .has_events = thread->has_events });
    trace->slices.count += thread->begin_count + thread_complete_count(thread);
    trace->slices.source_count += thread->source_count;
    trace->instants.count += thread->instants.count;
    if (named_log != NULL && named_log->sort_index != 0)
        add_extras(finish, index, &(TrackExtras){ .sort_index = named_log->sort_index });
    finish->track_of[thread_index] = index;
    return index;
}

/* Appends the track of a thread, with the track of its states above it. */
static void lay_out_thread(Finish *finish, uint32_t thread_index)
{
    Trace           *trace = finish->trace;
    ThreadLog        made, made_states;
    const ThreadLog *thread = thread_log_counts(finish->builder, thread_index, &made), *states = NULL;
    if (thread->states != 0) {
        states = thread_log_counts(finish->builder, thread->states, &made_states);
        lay_out_log(finish, TRACK_STATES, thread->states, states, thread_index);
        trace->counts.states += states->begin_count + thread_complete_count(states);
    }
    uint32_t track = lay_out_log(finish, TRACK_THREAD, thread_index, thread, thread_index);
    if (thread->has_events || (states != NULL && states->has_events)) {
        trace->tracks[track].has_events = true;
        trace->tracks[track].divides = thread->divides;
        trace->counts.threads += thread->divides ? 0 : 1; /* a track of frames is not a thread */
        trace->processes[trace->process_count].has_events = true;
    }
}

/* Appends the track for the instants of a kind of a process, or (0) of the trace, if there are any. */
static void lay_out_marks(Finish *finish, MarksKind kind, uint32_t process_index)
{
    Trace         *trace = finish->trace;
    const uint64_t count = finish->mark_counts[kind] == NULL ? 0 : finish->mark_counts[kind][process_index];
    if (count == 0) return;
    add_track(finish, process_index,
              &(Track){ .kind = process_index == 0    ? TRACK_GLOBAL_INSTANTS
                                : kind == MARKS_DUMPS ? TRACK_DUMPS
                                                      : TRACK_PROCESS_INSTANTS,
                        .process = { process_index == 0 ? 0 : trace->process_count },
                        .is_derived = kind != MARKS_EVENTS,
                        .has_events = true });
    trace->instants.count += count;
    if (kind != MARKS_EVENTS) trace->counts.derived_instants += count;
}

/* Returns the first group of a process by binary search; any number if it has none. */
static uint32_t first_group_of(const SliceGroups *groups, uint32_t process)
{
    uint32_t low = 0;
    LOWER_BOUND(uint32_t, low, groups->count, i, groups->groups[i].process < process);
    return low;
}

static void lay_out_group(Finish *finish, TrackKind kind, const SliceGroup *group, uint32_t group_index)
{
    Trace         *trace = finish->trace;
    const Label   *labels = finish->builder->labels.all.items;
    const uint32_t index = add_track(finish, group_index,
                                     &(Track){ .kind = kind,
                                               .process = { trace->process_count },
                                               .name = labels[group->label].name,
                                               .is_derived = kind == TRACK_OBJECTS,
                                               .has_events = true });
    add_extras(finish, index,
               &(TrackExtras){ .category = labels[group->label].category,
                               .first_async = trace->slices.async_thread_count,
                               .first_life = finish->placed_life_count,
                               .first_snapshot = finish->placed_snapshot_count });
    trace->slices.count += group->interval_count;
    trace->slices.async_thread_count += group->interval_count;
    trace->slices.source_count += group->source_count;
    trace->instants.count += group->instant_count;
}

/* Appends the tracks of asynchronous slices of a process. */
static void lay_out_async(Finish *finish, uint32_t process)
{
    const SliceGroups *async = &finish->async;
    uint32_t           first = first_group_of(async, process);
    for (uint32_t i = first; i < async->count && async->groups[i].process == process; i++) {
        lay_out_group(finish, TRACK_ASYNC, &async->groups[i], i);
        finish->trace->counts.async_slices += async->groups[i].interval_count;
        finish->trace->counts.async_instants += async->groups[i].instant_count;
    }
}

static void lay_out_objects(Finish *finish, uint32_t process)
{
    const SliceGroups *objects = &finish->objects;
    Trace             *trace = finish->trace;
    uint32_t           first = first_group_of(objects, process);
    for (uint32_t i = first; i < objects->count && objects->groups[i].process == process; i++) {
        lay_out_group(finish, TRACK_OBJECTS, &objects->groups[i], i);
        finish->placed_life_count += objects->groups[i].interval_count;
        finish->placed_snapshot_count += objects->groups[i].instant_count;
        trace->counts.derived_instants += objects->groups[i].instant_count;
    }
}

static uint32_t first_counter_of(const Finish *finish, uint32_t process)
{
    uint32_t low = 0;
    LOWER_BOUND(uint32_t, low, finish->counters.count, i, finish->counters.groups[i].process < process);
    return low;
}

/* Appends the track of a counter. `held_to`: see TrackExtras. */
static void lay_out_counter(Finish *finish, uint32_t group_index, int64_t held_to)
{
    Trace              *trace = finish->trace;
    const CounterGroup *group = &finish->counters.groups[group_index];
    const CounterLog   *counter = &finish->builder->counters.all.items[group->counter];
    const uint32_t      index = add_track(finish, group_index,
                                          &(Track){ .kind = TRACK_COUNTER,
                                                    .process = { trace->process_count },
                                                    .name = counter->title,
                                                    .has_events = true });
    add_extras(
        finish, index,
        &(TrackExtras){ .category = counter->category,
                        .first_sample = trace->samples.count,
                        .sample_count = group->sample_count,
                        .counts_bytes = counter_counts_bytes(finish->builder, &finish->counters, group),
                        .shares_chart = counter->shares_chart,
                        .held_to = held_to });
    trace->samples.count += group->sample_count;
    trace->counts.counters++;
}

static void lay_out_profile(Finish *finish, uint32_t group_index, uint32_t thread_track)
{
    Trace              *trace = finish->trace;
    const ProfileGroup *group = &finish->profiles.groups[group_index];
    const SamplerLog   *sampler = &finish->builder->profile.samplers.items[group->sampler];
    const uint32_t      index = add_track(finish, group_index,
                                          &(Track){ .kind = TRACK_SAMPLES,
                                                    .process = { trace->process_count },
                                                    .tid_kind = trace->tracks[thread_track].tid_kind,
                                                    .tid_bits = trace->tracks[thread_track].tid_bits,
                                                    .name = sampler->name,
                                                    .is_derived = true,
                                                    .has_events = true });
    add_extras(finish, index,
               &(TrackExtras){ .thread = thread_track,
                               .first_profile = trace->profile.count,
                               .profile_count = group->sample_count });
    trace->slices.count += vec_count(&group->intervals);
    trace->counts.sample_slices += vec_count(&group->intervals);
    trace->counts.sample_tracks++;
    trace->profile.count += group->sample_count;
}

/* Appends the tracks of a thread, followed by those of its samplers. */
static void lay_out_thread_group(Finish *finish, uint32_t thread_index)
{
    if (finish->hidden_threads != NULL && finish->hidden_threads[thread_index]) return;
    lay_out_thread(finish, thread_index);
    uint32_t track = finish->trace->track_count;
    for (uint32_t i = profiles_first_of(finish, thread_index);
         i < finish->profiles.count && finish->profiles.groups[i].thread == thread_index; i++)
        lay_out_profile(finish, i, track);
}

/* True if the process has counters or asynchronous slices, which need no thread. */
static bool process_has_tracks(const Trace *trace, const Process *process)
{
    for (uint32_t i = 0; i < process->track_count; i++) {
        const TrackKind kind = trace->tracks[process->first_track + i].kind;
        if (kind == TRACK_ASYNC || kind == TRACK_COUNTER) return true;
    }
    return false;
}

static void lay_out_process(Finish *finish, uint32_t index, const uint32_t *threads, uint32_t thread_count)
{
    Trace            *trace = finish->trace;
    const ProcessLog *log = &finish->builder->processes.all.items[index];
    Process          *process = &trace->processes[++trace->process_count];
    *process = (Process){ .pid = log->pid,
                          .name = log->name,
                          .labels = log->labels,
                          .thread_noun = log->thread_noun,
                          .sort_index = log->sort_index,
                          .sharing_threads = process_sharing_threads(log),
                          .first_track = trace->track_count + 1,
                          .perspectives = log->perspectives };
    finish->process_of[index] = trace->process_count;
    lay_out_marks(finish, MARKS_EVENTS, index);
    lay_out_marks(finish, MARKS_DERIVED, index);
    lay_out_marks(finish, MARKS_DUMPS, index);
    lay_out_objects(finish, index);
    for (uint32_t i = first_counter_of(finish, index);
         i < finish->counters.count && finish->counters.groups[i].process == index; i++)
        lay_out_counter(finish, i, finish->held_to[index]);
    for (uint32_t i = 0; i < thread_count; i++)
        lay_out_thread_group(finish, threads[i]);
    lay_out_async(finish, index);
    process->track_count = trace->track_count + 1 - process->first_track;
    process->has_events |= process_has_tracks(trace, process);
    trace->counts.threads += process->sharing_threads;
    if (process->has_events) trace->counts.active_processes++;
}

/* Returns the number of instants in the log of a process, or (0) of the trace. */
static uint64_t logged_marks(const TraceBuilder *builder, MarksKind kind, size_t process)
{
    if (process == 0) {
        return kind == MARKS_EVENTS    ? builder->global.instants.count
               : kind == MARKS_DERIVED ? builder->global.moments.count
                                       : 0;
    }
    const ProcessInstants *of = process_instants(&builder->processes.all.items[process]);
    return kind == MARKS_EVENTS    ? of->events.count
           : kind == MARKS_DERIVED ? of->derived.count
                                   : of->dumps.count;
}

/* Counts the instants in the logs of processes and of the trace. A trace may have millions of processes, most of them
 * without instants, so that a kind without any has no counts. False when out of memory. */
static bool count_marks(Finish *finish)
{
    TraceBuilder *builder = finish->builder;
    const size_t  count = vec_count(&builder->processes.all);
    for (int i = 0; i < MARKS_KINDS; i++) {
        const MarksKind kind = (MarksKind)i;
        size_t          first = 0;
        while (first < count && logged_marks(builder, kind, first) == 0)
            first++;
        if (first == count) continue;
        finish->mark_counts[kind] = ARENA_ARRAY(&builder->log_arena, uint64_t, count);
        if (finish->mark_counts[kind] == NULL) return false;
        for (size_t process = first; process < count; process++)
            finish->mark_counts[kind][process] = logged_marks(builder, kind, process);
    }
    return true;
}

/* Returns the number of tracks for the instants of processes and of the trace. */
static size_t count_mark_tracks(const Finish *finish)
{
    const size_t processes = vec_count(&finish->builder->processes.all);
    size_t       count = 0;
    for (int kind = 0; kind < MARKS_KINDS; kind++)
        for (size_t i = 0; finish->mark_counts[kind] != NULL && i < processes; i++)
            count += finish->mark_counts[kind][i] > 0;
    return count;
}

/* Appends the tracks of all processes in display order, which is computed in `scratch`. False when out of memory. */
static bool lay_out_processes(Finish *finish, Arena *scratch)
{
    const TraceBuilder *builder = finish->builder;
    uint32_t           *processes, *threads, *first_thread;
    if (!order_processes(builder, scratch, &processes) ||
        !order_threads(builder, scratch, &threads, &first_thread))
        return false;
    for (size_t i = 0; i + 1 < vec_count(&builder->processes.all); i++) {
        const uint32_t p = processes[i], first = first_thread[p];
        lay_out_process(finish, p, threads + first, first_thread[p + 1] - first);
    }
    return true;
}

bool layout_tracks(Finish *finish)
{
    TraceBuilder *builder = finish->builder;
    Trace        *trace = finish->trace;
    size_t        thread_count = vec_count(&builder->threads.all);
    size_t        process_count = vec_count(&builder->processes.all);
    size_t        most_tracks = thread_count + count_mark_tracks(finish) + finish->async.count +
                         finish->counters.count + finish->objects.count + finish->profiles.count;
    Arena *arena = &builder->log_arena, scratch = arena_create(0);
    Arena *maps =
        finish->is_growing ? &builder->arena : arena; /* a growing trace uses them until its next layout */
    trace->processes = ARENA_ARRAY(&builder->arena, Process, process_count);
    trace->tracks = ARENA_ARRAY(&builder->arena, Track, most_tracks + 1);
    finish->source_index_count = most_tracks;
    finish->source_index = (uint32_t *)arena_push_own(arena, most_tracks, sizeof *finish->source_index);
    finish->starts = ARENA_ARRAY(arena, StartsBlock, most_tracks / STARTS_BLOCK + 2);
    finish->track_of = ARENA_ARRAY(maps, uint32_t, thread_count);
    finish->process_of = ARENA_ARRAY(maps, uint32_t, process_count);
    if (trace->processes == NULL || trace->tracks == NULL || finish->source_index == NULL ||
        finish->starts == NULL || finish->track_of == NULL || finish->process_of == NULL ||
        most_tracks > UINT32_MAX)
        return false;
    lay_out_marks(finish, MARKS_EVENTS, 0);
    lay_out_marks(finish, MARKS_DERIVED, 0);
    const bool done = lay_out_processes(finish, &scratch);
    arena_release(&scratch);
    return done && add_start(finish, trace->track_count + 1) && !builder->failed;
}

static bool lay_out(Finish *finish)
{
    const TraceBuilder *builder = finish->builder;
    Trace              *trace = finish->trace;
    if (!count_marks(finish) || !layout_tracks(finish)) return false;
    trace->slices.has_cpu = builder->cpu_times.bytes.size > 0;
    trace->slices.has_high_labels = vec_count(&builder->labels.all) > (size_t)UINT16_MAX + 1;
    trace->slices.has_far_sources = builder->input.bytes > UINT32_MAX;
    trace->slices.source_rank_count = trace->slices.source_count == 0 ? 0 : (trace->slices.count + 63) / 64;
    return true;
}

bool builder_time_range(const TraceBuilder *builder, int64_t *begin, int64_t *end)
{
    const FirstEvents   *first = &builder->threads.first_events;
    const BuilderGlobal *global = &builder->global;
    *begin = global->min_tick < first->min_tick ? global->min_tick : first->min_tick;
    *end = global->max_tick > first->max_tick ? global->max_tick : first->max_tick;
    for (size_t i = 1; i < vec_count(&builder->threads.logs); i++) { /* [0] is that of no thread */
        const ThreadLog *log = builder->threads.logs.items[i];
        if (log->min_tick < *begin) *begin = log->min_tick;
        if (log->max_tick > *end) *end = log->max_tick;
    }
    return *begin <= *end;
}

static void find_time_range(Finish *finish)
{
    Trace  *trace = finish->trace;
    int64_t begin, end;
    trace->has_time = builder_time_range(finish->builder, &begin, &end);
    trace->begin_tick = trace->has_time ? begin : 0;
    trace->end_tick = trace->has_time ? end : 0;
}

static void drop_moments_outside(Finish *finish)
{
    InstantLog *moments = &finish->builder->global.moments;
    moments->count = 0;
    for (InstantChunk *chunk = moments->first; chunk != NULL; chunk = chunk->next) {
        uint64_t kept = 0;
        for (uint64_t i = 0; i < chunk->count; i++) {
            int64_t tick = chunk->marks[i].tick;
            if (tick >= finish->trace->begin_tick && tick <= finish->trace->end_tick &&
                finish->trace->has_time)
                chunk->marks[kept++] = chunk->marks[i];
        }
        chunk->count = kept;
        moments->count += kept;
    }
}

bool layout_trace(Finish *finish)
{
    TraceBuilder      *builder = finish->builder;
    const ObjectSource objects = { builder->objects.events.items, vec_count(&builder->objects.events),
                                   &builder->log_arena, &builder->arena };
    if (!profiles_prepare(finish)) return false;
    find_time_range(finish);
    drop_moments_outside(finish);
    if (!async_prepare(finish) || !counters_prepare(finish) || !objects_prepare(finish, &objects) ||
        !lay_out(finish))
        return false;
    objects_settle(finish);
    if (!contexts_collect(finish)) return false;
    vec_release(&builder->threads.all); /* the tracks have copies of the ids and names */
    const uint64_t limit = builder->limits.memory;
    if (limit != 0 && columns_bytes(finish->trace, COLUMNS_ALL) > limit) return false;
    return columns_map(finish->trace, COLUMNS_EVENTS);
}
