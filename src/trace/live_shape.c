/* The processes, tracks and rows of a growing trace, in the order in which they stand. */
#include "trace/counters.h"
#include "trace/live_internal.h"
#include "trace/track_order.h"

#include <stdlib.h>

static LiveTrack *thread_track(const LiveTrace *live, uint32_t thread)
{
    return &VECTOR(live->tracks, LiveTrack)[thread];
}

static LiveTrack *process_marks(const LiveTrace *live, uint32_t process)
{
    return &VECTOR(live->process_marks, LiveTrack)[process];
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
    const ProcessLog   *processes = VECTOR(builder->processes, const ProcessLog);
    const ThreadLog    *threads = VECTOR(builder->threads, const ThreadLog);
    uint64_t            mark = VECTOR_COUNT(builder->series, SeriesLog);
    for (size_t i = 1; i < VECTOR_COUNT(builder->processes, ProcessLog); i++) {
        const ProcessLog *p = &processes[i];
        mark = hash_mix(mark, (uint64_t)p->name.index << 32 | p->labels.index);
        mark = hash_mix(mark, (uint64_t)p->thread_noun.index << 8 | p->perspectives);
        mark = mix_double(mark, p->sort_index);
    }
    for (size_t i = 1; i < VECTOR_COUNT(builder->threads, ThreadLog); i++) {
        const ThreadLog *t = &threads[i];
        mark =
            hash_mix(mark, (uint64_t)t->name.index << 2 | (t->has_events ? 1u : 0) | (t->divides ? 2u : 0));
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
    return row->row.slice_count == 0 && row->row.instant_count == 0 && row->row.sample_count == 0;
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
        trace->rows[trace->row_count++] = row->row;
        if (row->row.lane + 1 > track->lane_count) track->lane_count = row->row.lane + 1;
    }
    track->row_count = trace->row_count - track->first_row;
}

static uint32_t put_track(Trace *trace, LiveTrack *source, const Track *track)
{
    trace->tracks[++trace->track_count] = *track;
    source->track = trace->track_count;
    put_rows(trace, source);
    return trace->track_count;
}

static void put_marks(LiveTrace *live, TrackKind kind, uint32_t process)
{
    LiveTrack *source = process_marks(live, process);
    if (source->instant_count == 0) return;
    Trace *trace = &live->trace;
    put_track(trace, source,
              &(Track){ .kind = kind,
                        .process = { kind == TRACK_GLOBAL_INSTANTS ? 0 : trace->process_count },
                        .has_events = true });
}

static void put_counter(LiveTrace *live, const CounterGroups *counters, const CounterGroup *group)
{
    Trace            *trace = &live->trace;
    const CounterLog *counter = &VECTOR(live->builder->counters, const CounterLog)[group->counter];
    put_track(trace, counter_track(live, group->counter),
              &(Track){ .kind = TRACK_COUNTER,
                        .process = { trace->process_count },
                        .name = counter->title,
                        .category = counter->category,
                        .counts_bytes = counter_counts_bytes(live->builder, counters, group),
                        .has_events = true });
    trace->counter_count++;
}

static uint32_t put_log(LiveTrace *live, TrackKind kind, uint32_t thread_index, const ThreadLog *named)
{
    Trace           *trace = &live->trace;
    const ThreadLog *thread = &VECTOR(live->builder->threads, const ThreadLog)[thread_index];
    const uint32_t   track = put_track(trace, thread_track(live, thread_index),
                                       &(Track){ .kind = kind,
                                                 .process = { trace->process_count },
                                                 .tid = named->tid,
                                                 .name = named->name,
                                                 .sort_index = named->sort_index,
                                                 .divides = thread->divides,
                                                 .has_events = thread->has_events });
    live->track_of[thread_index] = track;
    return track;
}

static void put_thread(LiveTrace *live, uint32_t thread_index)
{
    Trace           *trace = &live->trace;
    const ThreadLog *threads = VECTOR(live->builder->threads, const ThreadLog);
    const ThreadLog *thread = &threads[thread_index];
    const uint32_t   states = thread->states == 0 ? 0 : put_log(live, TRACK_STATES, thread->states, thread);
    const uint32_t   track = put_log(live, TRACK_THREAD, thread_index, thread);
    if (states != 0) trace->tracks[states].thread = track;
    if (!thread->has_events && !threads[thread->states].has_events) return;
    trace->tracks[track].has_events = true;
    trace->thread_count++;
    trace->processes[trace->process_count].has_events = true;
}

static void put_process(LiveTrace *live, uint32_t index, const CounterGroups *counters,
                        const OrderItem *threads, uint32_t thread_count)
{
    Trace            *trace = &live->trace;
    const ProcessLog *log = &VECTOR(live->builder->processes, const ProcessLog)[index];
    Process          *process = &trace->processes[++trace->process_count];
    *process = (Process){ .pid = log->pid,
                          .name = log->name,
                          .labels = log->labels,
                          .thread_noun = log->thread_noun,
                          .sort_index = log->sort_index,
                          .first_track = trace->track_count + 1,
                          .perspectives = log->perspectives };
    put_marks(live, TRACK_PROCESS_INSTANTS, index);
    for (uint32_t i = 0; i < counters->count; i++)
        if (counters->groups[i].process == index) put_counter(live, counters, &counters->groups[i]);
    for (uint32_t i = 0; i < thread_count; i++)
        put_thread(live, threads[i].index);
    process->track_count = trace->track_count + 1 - process->first_track;
    if (process->has_events) trace->active_process_count++;
}

static uint64_t count_rows(const Bytes *tracks)
{
    uint64_t count = 0;
    for (size_t i = 0; i < VECTOR_COUNT(*tracks, LiveTrack); i++)
        count += live_row_count(&VECTOR(*tracks, const LiveTrack)[i]);
    return count;
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
        if ((of_instants ? row->instant_room : row->slice_room) == 0) continue;
        places[n++] = (RowPlace){ of_instants ? row->first_instant : row->first_slice, r };
    }
    if (n > 1) qsort(places, n, sizeof *places, compare_places);
    for (uint32_t i = 0; i < n; i++)
        (*rows)[i] = places[i].row;
    *count = n;
    return true;
}

static bool make_all(LiveTrace *live)
{
    const TraceBuilder *builder = live->builder;
    Trace              *trace = &live->trace;
    Arena              *arena = &live->shape;
    const size_t        process_count = VECTOR_COUNT(builder->processes, ProcessLog);
    const size_t        thread_count = VECTOR_COUNT(builder->threads, ThreadLog);
    const size_t        counter_count = VECTOR_COUNT(builder->counters, CounterLog);
    const uint64_t      rows =
        count_rows(&live->tracks) + count_rows(&live->process_marks) + count_rows(&live->counters);
    CounterGroups counters = { .groups = NULL };
    OrderItem    *processes, *threads;
    uint32_t     *first_thread;
    if (rows >= UINT32_MAX || process_count + thread_count + counter_count >= UINT32_MAX) return false;
    trace->processes = ARENA_ARRAY(arena, Process, process_count);
    trace->tracks = ARENA_ARRAY(arena, Track, process_count + thread_count + counter_count + 1);
    trace->rows = ARENA_ARRAY(arena, Row, (size_t)rows);
    live->track_of = ARENA_ARRAY(arena, uint32_t, thread_count);
    live->places.track_of = live->track_of;
    if (trace->processes == NULL || trace->tracks == NULL || trace->rows == NULL || live->track_of == NULL ||
        !order_processes(builder, &live->scratch, &processes) ||
        !order_threads(builder, &live->scratch, &threads, &first_thread) ||
        !counters_order(builder, &live->scratch, &counters))
        return false;
    put_marks(live, TRACK_GLOBAL_INSTANTS, 0);
    for (size_t i = 1; i < process_count; i++) {
        uint32_t p = processes[i].index;
        put_process(live, p, &counters, threads + first_thread[p], first_thread[p + 1] - first_thread[p]);
    }
    return order_rows(live, false, &live->places.rows_by_slice, &live->places.slice_rows) &&
           order_rows(live, true, &live->places.rows_by_instant, &live->places.instant_rows);
}

bool live_shape_make(LiveTrace *live)
{
    Trace *trace = &live->trace;
    arena_clear(&live->shape);
    trace->process_count = trace->track_count = trace->row_count = 0;
    trace->thread_count = trace->active_process_count = trace->counter_count = 0;
    live->places.slice_rows = live->places.instant_rows = 0;
    if (make_all(live)) return true;
    trace->process_count = trace->track_count = trace->row_count = 0;
    live->failed = true;
    return false;
}

/* ---- keeping it up to date ---- */

static void update_counter(const LiveTrack *source, Track *track)
{
    if (source->kind != TRACK_COUNTER) return;
    const bool any = source->least <= source->greatest;
    track->least = any && source->least < 0 ? source->least : 0;
    track->greatest = any && source->greatest > 0 ? source->greatest : 0;
    track->is_stacked = any && source->least >= 0 && track->row_count > 1;
    if (track->is_stacked && source->greatest_total > track->greatest)
        track->greatest = source->greatest_total;
}

/* False: a row that was empty is no more, or one is now. */
static bool update_track(LiveTrace *live, LiveTrack *source)
{
    if (source->track == 0)
        return source->slice_count == 0 && source->instant_count == 0 && source->sample_count == 0;
    Track *track = &live->trace.tracks[source->track];
    track->slice_count = source->slice_count;
    track->instant_count = source->instant_count;
    track->sample_count = source->sample_count;
    update_counter(source, track);
    for (uint32_t r = 0; r < live_row_count(source); r++) {
        LiveRow *row = &live_rows(source)[r];
        if ((row->place == UINT32_MAX) != is_empty(row)) return false;
        if (is_empty(row)) continue;
        row->row.track = source->track;
        live->trace.rows[row->place] = row->row;
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
            trace->unfinished_count += VECTOR_COUNT(source->open, LiveOpen) + source->endless_count;
        if (source->kind == TRACK_STATES) trace->state_count += source->slice_count;
        live->places.slice_holes -= source->slice_count;
        live->places.instant_holes -= source->instant_count;
    }
    return true;
}

bool live_shape_update(LiveTrace *live, bool all)
{
    Trace *trace = &live->trace;
    trace->slices.count = live->slices.used;
    trace->instants.count = live->instants.used;
    trace->samples.count = live->samples.used;
    live->places.slice_holes = live->slices.used;
    live->places.instant_holes = live->instants.used;
    trace->unfinished_count = trace->state_count = 0;
    if (!update_tracks(live, &live->tracks, all) || !update_tracks(live, &live->process_marks, all) ||
        !update_tracks(live, &live->counters, all))
        return false;
    trace->max_depth = 0;
    for (uint32_t r = 0; r < trace->row_count; r++) {
        const Row *row = &trace->rows[r];
        if (row->slice_count == 0 || trace->tracks[row->track].kind != TRACK_THREAD) continue;
        if (row->depth + 1 > trace->max_depth) trace->max_depth = row->depth + 1;
    }
    return true;
}
