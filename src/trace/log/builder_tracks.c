/* The processes and threads of a builder. */
#include "base/hash.h"
#include "trace/log/builder_log.h"

#include <assert.h>
#include <string.h>

static bool ident_equal(Ident a, Ident b)
{
    return a.kind == b.kind && a.bits == b.bits;
}

static uint64_t hash_of_ident(const TraceBuilder *builder, Ident ident)
{
    return hash_pair(ident.bits, ident.kind, builder->hash_key);
}

static uint64_t process_hash(const void *context, uint32_t index)
{
    const TraceBuilder *builder = context;
    return hash_of_ident(builder, builder->processes.all.items[index].pid);
}

void builder_set_tracks_most(TraceBuilder *builder, uint32_t most)
{
    builder->limits.tracks = most;
}

/* Returns the id of the process or thread for all others, because there is no room for another one. */
static Ident rest_ident(TraceBuilder *builder)
{
    if (builder->limits.rest.index == 0) {
        builder->limits.rest =
            string_table_intern(builder->strings, BUILDER_REST_ID, strlen(BUILDER_REST_ID));
        builder_warn(builder, "threads-not-kept", builder_read_pos(builder),
                     "different processes or threads fill the memory reserved for them: events of later ones "
                     "are on one "
                     "track for all of them, but the recording has their ids");
    }
    if (builder->limits.rest.index == 0) builder->failed = true;
    return ident_text(builder->limits.rest);
}

static bool is_rest(const TraceBuilder *builder, Ident ident)
{
    return builder->limits.rest.index != 0 && ident_equal(ident, ident_text(builder->limits.rest));
}

/* True if a new process or thread must be replaced by the one for all others. */
static bool has_no_room(const TraceBuilder *builder, size_t count, Ident ident)
{
    return builder->limits.tracks != 0 && count > builder->limits.tracks && !builder->failed &&
           !is_rest(builder, ident);
}

ProcessId builder_process(TraceBuilder *builder, Ident pid)
{
    uint32_t          found;
    const ProcessLog *known = builder->processes.all.items;
    HASH_FIND(&builder->processes.map, hash_of_ident(builder, pid), found,
              ident_equal(known[found].pid, pid));
    if (found != 0) return (ProcessId){ found };
    size_t index = vec_count(&builder->processes.all);
    if (UNLIKELY(has_no_room(builder, index, pid))) return builder_process(builder, rest_ident(builder));
    if (index > PROCESSES_MOST) builder->failed = true;
    ProcessLog *process = builder->failed ? NULL : builder_add(builder, &builder->processes.all);
    if (process == NULL) return PROCESS_NONE;
    process->pid = pid;
    process->other_max = INT64_MIN;
    if (!builder_index_add(builder, &builder->processes.map, (uint32_t)index, process_hash))
        return PROCESS_NONE;
    return (ProcessId){ (uint32_t)index };
}

static uint64_t hash_of_thread(const TraceBuilder *builder, uint32_t process, Ident tid)
{
    return hash_pair(hash_of_ident(builder, tid), process, builder->hash_key);
}

static uint64_t thread_hash(const void *context, uint32_t index)
{
    const TraceBuilder *builder = context;
    const ThreadEntry  *thread = &builder->threads.all.items[index];
    return hash_of_thread(builder, thread->process, thread_tid(thread));
}

static TrackId add_thread(TraceBuilder *builder, ProcessId process, Ident tid)
{
    const size_t  index = vec_count(&builder->threads.all);
    ThreadEvents *events = builder_add(builder, &builder->threads.events);
    ThreadEntry  *thread = builder_add(builder, &builder->threads.all);
    if (events == NULL || thread == NULL) return TRACK_NONE;
    *thread = (ThreadEntry){ .tid_bits = tid.bits,
                             .tid_kind = (uint32_t)tid.kind & 3,
                             .process = process.index & PROCESSES_MOST };
    if (builder->logs_marks) builder_open_log(builder, events);
    return (TrackId){ (uint32_t)index };
}

TrackId builder_thread(TraceBuilder *builder, ProcessId process, Ident tid)
{
    uint32_t           found;
    const ThreadEntry *known = builder->threads.all.items;
    HASH_FIND(&builder->threads.map, hash_of_thread(builder, process.index, tid), found,
              known[found].process == process.index && ident_equal(thread_tid(&known[found]), tid));
    if (found != 0) return (TrackId){ found };
    if (UNLIKELY(has_no_room(builder, vec_count(&builder->threads.all), tid)))
        return builder_thread(builder, process, rest_ident(builder));
    TrackId made = add_thread(builder, process, tid);
    if (made.index == 0) return TRACK_NONE;
    return builder_index_add(builder, &builder->threads.map, made.index, thread_hash) ? made : TRACK_NONE;
}

TrackId builder_states(TraceBuilder *builder, TrackId thread)
{
    const uint32_t    states = builder_thread_log(builder, thread)->states;
    const ThreadEntry entry = *builder_thread_entry(builder, thread);
    if (states != 0 || thread.index == 0) return (TrackId){ states };
    TrackId made = add_thread(builder, thread_process(&entry), thread_tid(&entry));
    if (made.index == 0) return TRACK_NONE;
    builder_thread_log(builder, made)->is_states = true;
    builder_thread_log(builder, thread)->states = made.index;
    return made;
}

ProcessLog *builder_process_log(TraceBuilder *builder, ProcessId process)
{
    assert(process.index < vec_count(&builder->processes.all));
    return &builder->processes.all.items[process.index];
}

ProcessInstants *builder_process_instants(TraceBuilder *builder, ProcessId process)
{
    ProcessLog *log = builder_process_log(builder, process);
    if (log->instants == NULL) log->instants = ARENA_NEW(&builder->own, ProcessInstants);
    if (log->instants != NULL) return log->instants;
    builder->failed = true;
    return builder->processes.all.items[0].instants;
}

static uint64_t tid_hash(const void *context, uint32_t index)
{
    const TraceBuilder *builder = context;
    return hash_of_ident(builder, thread_tid(&builder->threads.all.items[index]));
}

/* Returns the first thread with an id, if it is in tid_map; 0 = none. */
static uint32_t find_tid(const TraceBuilder *builder, Ident tid)
{
    uint32_t           found;
    const ThreadEntry *known = builder->threads.all.items;
    HASH_FIND(&builder->threads.tid_map, hash_of_ident(builder, tid), found,
              ident_equal(thread_tid(&known[found]), tid));
    return found;
}

TrackId builder_find_thread(TraceBuilder *builder, Ident tid)
{
    uint32_t count = (uint32_t)vec_count(&builder->threads.all);
    while (builder->threads.tids_mapped + 1 < count) { /* the threads that were added since the last call */
        uint32_t index = ++builder->threads.tids_mapped;
        if (find_tid(builder, thread_tid(&builder->threads.all.items[index])) != 0) continue;
        if (!builder_index_add(builder, &builder->threads.tid_map, index, tid_hash)) return TRACK_NONE;
    }
    return (TrackId){ find_tid(builder, tid) };
}

void builder_name_process(TraceBuilder *builder, ProcessId process, StringId name)
{
    ProcessLog *log = builder_process_log(builder, process);
    if (!is_rest(builder, log->pid)) log->name = name;
}

void builder_name_thread(TraceBuilder *builder, TrackId thread, StringId name)
{
    ThreadEntry *entry = builder_thread_entry(builder, thread);
    if (!is_rest(builder, thread_tid(entry))) entry->name = name;
}

void builder_sort_process(TraceBuilder *builder, ProcessId process, double sort_index)
{
    ProcessLog *log = builder_process_log(builder, process);
    log->sort_index = sort_index;
}

void builder_place_process(TraceBuilder *builder, ProcessId process, uint8_t perspectives)
{
    builder_process_log(builder, process)->perspectives = perspectives;
}

void builder_call_threads(TraceBuilder *builder, ProcessId process, StringId noun)
{
    builder_process_log(builder, process)->thread_noun = noun;
}

void builder_share_lanes(TraceBuilder *builder, ProcessId process, int64_t more)
{
    builder_process_log(builder, process)->sharing_threads += more;
}

void builder_sort_thread(TraceBuilder *builder, TrackId thread, double sort_index)
{
    ThreadLog *log = builder_thread_log(builder, thread);
    log->sort_index = sort_index;
    log->has_sort_index = true;
}

void builder_divide_by(TraceBuilder *builder, TrackId thread)
{
    builder_thread_log(builder, thread)->divides = true;
}

EventRecord first_event_record(const FirstEvents *events, uint32_t index)
{
    const FirstEventsChunk *chunk = events->chunks.items[index / FIRST_EVENTS_CHUNK];
    const FirstEvent       *event = &chunk->events[index % FIRST_EVENTS_CHUNK];
    return (EventRecord){ .tick = first_event_tick(event),
                          .duration = event->duration,
                          .offset = chunk->offset + event->offset,
                          .label = event->label,
                          .event = chunk->event + event->event,
                          .bits = event->bits };
}

/* Returns the chunk of the next first event, which is `record`; NULL when out of memory. An event too far behind the first
 * one of the last chunk begins a new one. */
static FirstEventsChunk *first_events_chunk(FirstEvents *events, const EventRecord *record)
{
    FirstEventsChunk *chunk = events->count == 0 ? NULL : events->chunks.items[events->chunks.count - 1];
    const bool        is_near = chunk != NULL && record->offset - chunk->offset <= UINT32_MAX &&
                         record->event - chunk->event <= UINT16_MAX;
    if (is_near && events->count % FIRST_EVENTS_CHUNK != 0) return chunk;
    chunk = ARENA_NEW(&events->arena, FirstEventsChunk);
    FirstEventsChunk **place = chunk == NULL ? NULL : ARENA_LIST_PUSH(&events->chunks, &events->arena);
    if (place == NULL) return NULL;
    *place = chunk;
    chunk->offset = record->offset;
    chunk->event = record->event;
    events->count = (uint32_t)(events->chunks.count - 1) * FIRST_EVENTS_CHUNK;
    if (events->count == 0) events->count = 1; /* index 0 is unused */
    return chunk;
}

/* True if an event can be one of the first: it is not before the first one of the last chunk. So chunks are full, or the
 * input between them is much longer than a chunk. */
static bool first_event_fits(const FirstEvents *events, const EventRecord *record)
{
    const FirstEventsChunk *chunk =
        events->count == 0 ? NULL : events->chunks.items[events->chunks.count - 1];
    return record->duration <= UINT32_MAX && events->count < THREAD_HAS_LOG - 2 * FIRST_EVENTS_CHUNK &&
           (chunk == NULL ||
            (record->offset >= chunk->offset && record->event - chunk->event <= INT32_MAX)); /* modulo 2^32 */
}

/* Counts an event that was stored at `index`. */
static void count_first(FirstEvents *events, ThreadEvents *thread, uint32_t index, const EventRecord *record,
                        FirstKind kind)
{
    const int64_t  end_tick = (int64_t)((uint64_t)record->tick + record->duration);
    const unsigned is_begin = (record->bits & PLACE_END) == 0;
    if (record->tick < events->min_tick) events->min_tick = record->tick;
    if (end_tick > events->max_tick) events->max_tick = end_tick;
    thread->at = index;
    thread->count++;
    thread->begins = (uint8_t)(thread->begins + is_begin);
    thread->sources = (uint8_t)(thread->sources + (is_begin && (record->bits & PLACE_DETAILS)));
    thread->kind = (uint8_t)kind;
}

bool builder_keep_first(TraceBuilder *builder, ThreadEvents *thread, const EventRecord *record,
                        FirstKind kind)
{
    FirstEvents *events = &builder->threads.first_events;
    FirstEvent  *before = thread->at == 0 ? NULL : first_event_at(events, thread->at);
    if (before != NULL && (thread->count == FIRST_EVENTS_MOST || thread->kind != kind)) return false;
    if (before != NULL && kind == FIRST_MARK && record->tick < first_event_tick(before)) return false;
    if (!first_event_fits(events, record)) return false;
    const FirstEventsChunk *chunk = first_events_chunk(events, record);
    if (chunk == NULL) {
        builder->failed = true;
        return true;
    }
    const uint32_t index = events->count++;
    *first_event_at(events, index) =
        (FirstEvent){ .tick = { (uint32_t)record->tick, (uint32_t)((uint64_t)record->tick >> 32) },
                      .duration = (uint32_t)record->duration,
                      .label = record->label,
                      .next = before == NULL ? index : before->next,
                      .offset = (uint32_t)(record->offset - chunk->offset),
                      .event = (uint16_t)(record->event - chunk->event),
                      .bits = (uint16_t)record->bits };
    if (before != NULL) before->next = index;
    count_first(events, thread, index, record, kind);
    return true;
}

void thread_range(const TraceBuilder *builder, size_t index, int64_t *min_tick, int64_t *max_tick)
{
    const FirstEvents *all = &builder->threads.first_events;
    const ThreadEvents events = builder->threads.events.items[index];
    const ThreadLog   *log = thread_events_log(builder, events);
    *min_tick = log == NULL ? INT64_MAX : log->min_tick;
    *max_tick = log == NULL ? INT64_MIN : log->max_tick;
    for (uint32_t i = thread_events_first(all, events); i != 0; i = thread_events_next(all, events, i)) {
        const FirstEvent *event = first_event_at(all, i);
        const int64_t     begin = first_event_tick(event), end = (int64_t)((uint64_t)begin + event->duration);
        if (begin < *min_tick) *min_tick = begin;
        if (end > *max_tick) *max_tick = end;
    }
}

const ThreadLog *thread_log_counts(const TraceBuilder *builder, uint32_t index, ThreadLog *made)
{
    const ThreadEvents events = builder->threads.events.items[index];
    const ThreadLog   *log = thread_events_log(builder, events);
    if (log != NULL) return log;
    *made = (ThreadLog){ .logs_marks = true,
                         .has_events = events.at != 0,
                         .last_mark_tick = INT64_MIN,
                         .begin_count = events.begins,
                         .source_count = events.sources };
    return made;
}

ThreadLog *thread_log_read(const TraceBuilder *builder, uint32_t index, ThreadLog *made, Arena *scratch)
{
    const FirstEvents *all = &builder->threads.first_events;
    const ThreadEvents events = builder->threads.events.items[index];
    ThreadLog *const   log = thread_events_log(builder, events);
    if (log != NULL) return log;
    thread_log_counts(builder, index, made);
    thread_range(builder, index, &made->min_tick, &made->max_tick);
    if (events.kind == FIRST_COMPLETE) { /* FIRST_MARK if there is no event */
        made->begin_count = 0;
        made->completes = ARENA_NEW(scratch, EventLog);
        if (made->completes == NULL) return NULL;
        made->completes->has_durations = true;
    }
    EventLog *to = made->completes != NULL ? made->completes : &made->marks;
    for (uint32_t i = thread_events_first(all, events); i != 0; i = thread_events_next(all, events, i)) {
        const EventRecord record = first_event_record(all, i);
        if (!event_log_append(to, scratch, &record)) return NULL;
    }
    return made;
}

InstantLog *builder_instants(TraceBuilder *builder, TrackId thread, InstantScope scope)
{
    if (scope == INSTANT_GLOBAL) return &builder->global.instants;
    if (scope == INSTANT_THREAD) return &builder_thread_log(builder, thread)->instants;
    return &builder_process_instants(builder, thread_process(builder_thread_entry(builder, thread)))->events;
}
