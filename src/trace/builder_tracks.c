/* The processes and threads of a builder. */
#include "trace/builder_log.h"

#include <assert.h>
#include <string.h>

static bool ident_equal(Ident a, Ident b)
{
    return a.kind == b.kind && a.bits == b.bits;
}

static uint64_t process_hash(const TraceBuilder *builder, uint32_t index)
{
    Ident pid = VECTOR(builder->processes, ProcessLog)[index].pid;
    return hash_mix(pid.bits, pid.kind);
}

void builder_set_tracks_most(TraceBuilder *builder, uint32_t most)
{
    builder->tracks_most = most;
}

/* There is no room for another process or thread: the one that stands for all others. */
static Ident rest_ident(TraceBuilder *builder)
{
    if (builder->rest.index == 0) {
        builder->rest = string_table_intern(builder->strings, BUILDER_REST_ID, strlen(BUILDER_REST_ID));
        builder_warn(
            builder, "threads-not-kept", builder_read_pos(builder),
            "processes or threads that are ever new fill the memory that is kept for them: what later ones "
            "do is shown on one track of all, the recording tells them apart");
    }
    if (builder->rest.index == 0) builder->failed = true;
    return ident_text(builder->rest);
}

static bool is_rest(const TraceBuilder *builder, Ident ident)
{
    return builder->rest.index != 0 && ident_equal(ident, ident_text(builder->rest));
}

/* Whether a new one has to do with the place of all others. */
static bool has_no_room(const TraceBuilder *builder, size_t count, Ident ident)
{
    return builder->tracks_most != 0 && count > builder->tracks_most && !builder->failed &&
           !is_rest(builder, ident);
}

ProcessId builder_process(TraceBuilder *builder, Ident pid)
{
    if (!index_map_reserve(builder, &builder->process_map, process_hash)) return PROCESS_NONE;
    IndexMap *map = &builder->process_map;
    uint32_t  at = (uint32_t)hash_mix(pid.bits, pid.kind) & (map->capacity - 1);
    for (; map->slots[at] != 0; at = (at + 1) & (map->capacity - 1)) {
        if (ident_equal(VECTOR(builder->processes, ProcessLog)[map->slots[at]].pid, pid)) {
            return (ProcessId){ map->slots[at] };
        }
    }
    size_t index = VECTOR_COUNT(builder->processes, ProcessLog);
    if (UNLIKELY(has_no_room(builder, index, pid))) return builder_process(builder, rest_ident(builder));
    ProcessLog *process = (ProcessLog *)vector_push(builder, &builder->processes, sizeof(ProcessLog));
    if (process == NULL) return PROCESS_NONE;
    process->pid = pid;
    process->other_max = INT64_MIN;
    map->slots[at] = (uint32_t)index;
    map->count++;
    return (ProcessId){ (uint32_t)index };
}

static uint64_t thread_hash(const TraceBuilder *builder, uint32_t index)
{
    const ThreadEntry *thread = &VECTOR(builder->threads, const ThreadEntry)[index];
    return hash_mix(hash_mix(thread->tid.bits, thread->tid.kind), thread->process.index);
}

static TrackId add_thread(TraceBuilder *builder, ProcessId process, Ident tid)
{
    size_t     index = VECTOR_COUNT(builder->threads, ThreadEntry);
    ThreadEntry *thread = (ThreadEntry *)vector_push(builder, &builder->threads, sizeof(ThreadEntry));
    if (thread == NULL) return TRACK_NONE;
    thread->process = process;
    thread->tid = tid;
    if (builder->logs_marks) builder_open_log(builder, thread);
    return (TrackId){ (uint32_t)index };
}

TrackId builder_thread(TraceBuilder *builder, ProcessId process, Ident tid)
{
    if (!index_map_reserve(builder, &builder->thread_map, thread_hash)) return TRACK_NONE;
    IndexMap *map = &builder->thread_map;
    uint32_t  at = (uint32_t)hash_mix(hash_mix(tid.bits, tid.kind), process.index) & (map->capacity - 1);
    for (; map->slots[at] != 0; at = (at + 1) & (map->capacity - 1)) {
        const ThreadEntry *known = &VECTOR(builder->threads, const ThreadEntry)[map->slots[at]];
        if (known->process.index == process.index && ident_equal(known->tid, tid)) {
            return (TrackId){ map->slots[at] };
        }
    }
    if (UNLIKELY(has_no_room(builder, VECTOR_COUNT(builder->threads, ThreadEntry), tid)))
        return builder_thread(builder, process, rest_ident(builder));
    TrackId made = add_thread(builder, process, tid);
    if (made.index == 0) return TRACK_NONE;
    map->slots[at] = made.index;
    map->count++;
    return made;
}

TrackId builder_states(TraceBuilder *builder, TrackId thread)
{
    const uint32_t    states = builder_thread_log(builder, thread)->states;
    const ThreadEntry entry = *builder_thread_entry(builder, thread);
    if (states != 0 || thread.index == 0) return (TrackId){ states };
    TrackId made = add_thread(builder, entry.process, entry.tid);
    if (made.index == 0) return TRACK_NONE;
    builder_thread_log(builder, made)->is_states = true;
    builder_thread_log(builder, thread)->states = made.index;
    return made;
}

ProcessLog *builder_process_log(TraceBuilder *builder, ProcessId process)
{
    assert(process.index < VECTOR_COUNT(builder->processes, ProcessLog));
    return &VECTOR(builder->processes, ProcessLog)[process.index];
}

static uint64_t tid_hash(const TraceBuilder *builder, uint32_t index)
{
    Ident tid = VECTOR(builder->threads, const ThreadEntry)[index].tid;
    return hash_mix(tid.bits, tid.kind);
}

/* The slot of a thread id in the map of first threads. */
static uint32_t *tid_slot(TraceBuilder *builder, Ident tid)
{
    IndexMap *map = &builder->tid_map;
    uint32_t  at = (uint32_t)hash_mix(tid.bits, tid.kind) & (map->capacity - 1);
    while (map->slots[at] != 0 &&
           !ident_equal(VECTOR(builder->threads, const ThreadEntry)[map->slots[at]].tid, tid))
        at = (at + 1) & (map->capacity - 1);
    return &map->slots[at];
}

TrackId builder_find_thread(TraceBuilder *builder, Ident tid)
{
    uint32_t count = (uint32_t)VECTOR_COUNT(builder->threads, ThreadEntry);
    while (builder->tids_mapped + 1 < count) { /* those that came since it was last asked */
        uint32_t index = ++builder->tids_mapped;
        if (!index_map_reserve(builder, &builder->tid_map, tid_hash)) return TRACK_NONE;
        uint32_t *slot = tid_slot(builder, VECTOR(builder->threads, const ThreadEntry)[index].tid);
        if (*slot != 0) continue;
        *slot = index;
        builder->tid_map.count++;
    }
    return builder->tid_map.capacity == 0 ? TRACK_NONE : (TrackId){ *tid_slot(builder, tid) };
}

void builder_name_process(TraceBuilder *builder, ProcessId process, StringId name)
{
    ProcessLog *log = builder_process_log(builder, process);
    if (!is_rest(builder, log->pid)) log->name = name;
}

void builder_name_thread(TraceBuilder *builder, TrackId thread, StringId name)
{
    ThreadEntry *entry = builder_thread_entry(builder, thread);
    if (!is_rest(builder, entry->tid)) entry->name = name;
}

void builder_sort_process(TraceBuilder *builder, ProcessId process, double sort_index)
{
    ProcessLog *log = builder_process_log(builder, process);
    log->sort_index = sort_index;
    log->has_sort_index = true;
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

bool builder_keep_first(TraceBuilder *builder, ThreadEntry *entry, const EventRecord *record, FirstKind kind)
{
    FirstEvent **link = &entry->first;
    unsigned     count = 0;
    for (; *link != NULL; link = &(*link)->next, count++) {
        const bool both_marks = kind == FIRST_MARK && first_kind(*link) == FIRST_MARK;
        if (both_marks && record->tick < (*link)->record.tick) return false;
    }
    if (count == FIRST_EVENTS_MOST) return false;
    *link = (FirstEvent *)arena_push_raw(&builder->log_arena, 1, sizeof(FirstEvent));
    if (*link == NULL) {
        builder->failed = true;
        return true;
    }
    **link = (FirstEvent){ .record = *record };
    (*link)->record.stack = (uint32_t)kind;
    return true;
}

void thread_range(const ThreadEntry *entry, int64_t *min_tick, int64_t *max_tick)
{
    *min_tick = entry->log == NULL ? INT64_MAX : entry->log->min_tick;
    *max_tick = entry->log == NULL ? INT64_MIN : entry->log->max_tick;
    for (const FirstEvent *event = entry->first; event != NULL; event = event->next) {
        const int64_t end = (int64_t)((uint64_t)event->record.tick + event->record.duration);
        if (event->record.tick < *min_tick) *min_tick = event->record.tick;
        if (end > *max_tick) *max_tick = end;
    }
}

ThreadLog *thread_log_read(const TraceBuilder *builder, uint32_t index, ThreadLog *made, Arena *scratch)
{
    const ThreadEntry *entry = &VECTOR(builder->threads, const ThreadEntry)[index];
    if (entry->log != NULL) return entry->log;
    *made = (ThreadLog){ .logs_marks = true, .has_events = entry->first != NULL, .last_mark_tick = INT64_MIN };
    thread_range(entry, &made->min_tick, &made->max_tick);
    for (const FirstEvent *event = entry->first; event != NULL; event = event->next) {
        const EventRecord *record = &event->record;
        EventLog          *log = &made->marks;
        if (first_kind(event) == FIRST_COMPLETE && made->completes == NULL) {
            made->completes = ARENA_NEW(scratch, EventLog);
            if (made->completes == NULL) return NULL;
            made->completes->has_durations = true;
        }
        if (first_kind(event) == FIRST_COMPLETE) log = made->completes;
        if (!event_log_append(log, scratch, record)) return NULL;
        if (record->bits & PLACE_END) continue;
        made->begin_count += first_kind(event) == FIRST_MARK;
        made->source_count += (record->bits & PLACE_DETAILS) != 0;
    }
    return made;
}

InstantLog *builder_instants(TraceBuilder *builder, TrackId thread, InstantScope scope)
{
    if (scope == INSTANT_GLOBAL) return &builder->global_instants;
    if (scope == INSTANT_THREAD) return &builder_thread_log(builder, thread)->instants;
    return &builder_process_log(builder, builder_thread_entry(builder, thread)->process)->instants;
}
