/* trace/builder_log.h - what the builder keeps of events until it makes the trace. For src/trace only.
 *
 * Each thread has its begins and ends in rows (trace/mark_rows.h), or in a log of packed records
 * (trace/event_log.h) in file order, as its other events; from an arena that asks for huge pages: appending
 * never copies. */
#ifndef TRACE_BUILDER_LOG_H
#define TRACE_BUILDER_LOG_H
#include "trace/arrow_log.h"
#include "trace/mark_rows.h"
#include "trace/observe.h"
#include "trace/sample_log.h"
#include "trace/stack_log.h"

#include <assert.h>

/* Where an instant or an interval stands and what it is: input offset << 16 | bits. */
enum { PLACE_SCOPE_SHIFT = 4 /* InstantScope, 2 bits */, PLACE_BITS = 16 };

static inline uint64_t place_offset(uint64_t place)
{
    return place >> PLACE_BITS;
}

typedef struct InstantMark {
    int64_t  tick;
    uint64_t place;
    uint32_t label;
    uint32_t thread; /* builder's index of the thread that wrote it */
} InstantMark;

typedef struct InstantChunk InstantChunk;
struct InstantChunk {
    InstantChunk *next;
    uint64_t      count, capacity;
    InstantMark   marks[];
};

/* Instants in file order: they are few, and are kept as they are. */
typedef struct InstantLog {
    InstantChunk *first, *last; /* in the builder's log arena */
    uint64_t      count;
    EventLog     *stacks; /* notes: trace/stack_log.h; NULL = none */
} InstantLog;

typedef struct ThreadLog {
    double     sort_index;
    MarkRows  *rows;      /* of its marks as long as they are simple; NULL = it has none yet, or logs_marks */
    EventLog   marks;     /* if logs_marks */
    EventLog  *completes; /* NULL = none */
    EventLog  *mark_stacks, *complete_stacks; /* notes on them: trace/stack_log.h; NULL = none */
    InstantLog instants;                      /* of scope thread */
    uint64_t   begin_count;                   /* marks that begin */
    uint64_t   source_count;                  /* begins and completes with PLACE_DETAILS */
    int64_t    last_mark_tick;
    int64_t    min_tick, max_tick; /* of all its events; min > max = none yet */
    uint64_t   unsorted_offset;    /* of the first mark earlier than the one before it, if is_unsorted */
    uint32_t   unsorted_event;
    bool       is_unsorted, has_sort_index, has_events;
    bool       logs_marks; /* they are not simple: see builder_log_marks_of */
    bool       divides;    /* Track.divides */
    bool       is_states;  /* it holds the states of a thread */
    uint32_t   states;     /* the log of this thread's states, or 0 */
} ThreadLog;

/* One of the first events of a thread: a thread with few of them needs no log. */
typedef enum { FIRST_MARK, FIRST_COMPLETE } FirstKind;
typedef struct FirstEvent {
    int64_t  tick;
    uint64_t place; /* input offset << PLACE_BITS | FirstKind << FIRST_KIND_SHIFT | PLACE_ bits */
    uint32_t duration;
    uint32_t label;
    uint32_t event; /* as EventRecord.event */
    uint32_t next;  /* index of the thread's next event; 0 = the last one */
} FirstEvent;
enum { FIRST_KIND_SHIFT = 8, FIRST_EVENTS_MOST = 2 /* of a thread */, FIRST_EVENTS_CHUNK = 128 };

/* The first events of all threads, in file order. Event i is in chunk i / FIRST_EVENTS_CHUNK. Index 0 is not used:
 * it ends the list of a thread. */
typedef struct FirstEvents {
    Arena     arena;
    ArenaList chunks; /* FirstEvent *[] */
    uint32_t  count;
} FirstEvents;

/* A thread. */
typedef struct ThreadEntry {
    Ident     tid;
    ProcessId process;
    StringId  name;
} ThreadEntry;

/* The begins, ends and completes of a thread, and the rest that its log holds. */
typedef struct ThreadEvents {
    ThreadLog *log;   /* in TraceBuilder.own; NULL = all events of the thread are in `first` */
    uint32_t   first; /* index into TraceBuilder.first_events, in file order; 0 = no first events, always with a log */
} ThreadEvents;

/* The instants of a process. */
typedef struct ProcessInstants {
    InstantLog events;  /* of scope process */
    InstantLog derived; /* likewise, of events that are kept as other events */
    InstantLog dumps;
} ProcessInstants;

typedef struct ProcessLog {
    Ident            pid;
    StringId         name, labels, thread_noun;
    uint8_t          perspectives;
    double           sort_index;
    int64_t          sharing_threads; /* Process.sharing_threads */
    int64_t          other_max;       /* latest event of the process in no thread's log; INT64_MIN = none */
    ProcessInstants *instants; /* in TraceBuilder.own; NULL = no instants; read it with process_instants */
} ProcessLog;

static inline const ProcessInstants *process_instants(const ProcessLog *log)
{
    static const ProcessInstants NONE = { .dumps = { .count = 0 } };
    return log->instants == NULL ? &NONE : log->instants;
}

static inline uint32_t process_sharing_threads(const ProcessLog *log)
{
    return log->sharing_threads < 0            ? 0
           : log->sharing_threads > UINT32_MAX ? UINT32_MAX
                                               : (uint32_t)log->sharing_threads;
}

/* What makes asynchronous events belong together. */
typedef struct Strand {
    uint64_t  hash[2]; /* of its id */
    ProcessId process;
    uint32_t  epoch;   /* how often its place was given away */
    bool      is_free; /* it is nobody's now */
} Strand;

typedef struct IndexMap { /* open addressing: hash -> index into an array of the builder's, 0 = empty */
    uint32_t *slots;      /* in TraceBuilder.own */
    uint32_t  capacity;   /* a power of two */
    uint32_t  count;
} IndexMap;

typedef struct StackLog {
    Bytes           frames, stacks; /* StackFrame[], Stack[], [0] none */
    IndexMap        frame_map, stack_map;
    size_t          promised_count; /* of stacks: STACK_PROMISED */
    const uint32_t *ids;            /* once finishing: the trace's stack of each; NULL = the same */
} StackLog;

struct TraceBuilder {
    Arena          own;       /* holds the builder itself */
    Arena          arena;     /* becomes the trace's */
    Arena          log_arena; /* the logs, released by builder_finish */
    RowSpace       row_space; /* in log_arena */
    StringTable   *strings;   /* in arena */
    const char    *format_name, *format_version;
    uint64_t       memory_limit;
    uint64_t       input_bytes; /* UINT64_MAX = unknown */
    uint64_t       read_offset; /* where the block that is being read begins in the input */
    Clock          clock;
    MatchRule      match;
    UnfinishedRule unfinished;
    TieRule        ties;
    OverlapRule    overlaps;
    const char    *process_word, *thread_word; /* static */
    EndlessRule    endless;
    Bytes          labels;     /* Label[], [0] none */
    LabelId        idle_label; /* Trace.idle_label */
    Bytes          processes;  /* ProcessLog[], [0] none */
    const char    *perspectives[PERSPECTIVES_MAX];
    uint32_t       perspective_count;
    const char    *wanted_perspective; /* borrowed; NULL = all */
    uint8_t        perspectives_made;
    Bytes          threads;          /* ThreadEntry[], [0] none */
    Bytes          thread_events;    /* ThreadEvents[], for each of `threads`; [0] has a log */
    FirstEvents    first_events;
    Bytes          others;           /* OtherEvent[] */
    Bytes          async_events;     /* AsyncEvent[]: trace/async.h */
    Bytes          strands;          /* Strand[], [0] none */
    Bytes          free_strands;     /* uint32_t[]: places among them */
    Bytes          counters, series; /* CounterLog[], SeriesLog[], [0] none: trace/counters.h */
    SampleLog      samples;
    StackLog       stacks;
    Bytes          samplers, stack_samples; /* SamplerLog[], [0] none; StackSample[]: trace/profile.h */
    Bytes          flows;                   /* FlowLog[], [0] none: trace/flow_log.h */
    Bytes          flow_events;             /* FlowEvent[] */
    ArrowLog       arrows;
    IndexMap       sampler_map, flow_map, tid_map;
    uint32_t       tids_mapped;    /* threads that are in tid_map, if they are the first of their id */
    Bytes          objects;        /* ObjectKey[], [0] none: trace/objects.h */
    Bytes          object_events;  /* ObjectEvent[] */
    Bytes          context_events; /* ContextEvent[]: trace/contexts.h */
    Bytes          dump_parts;     /* DumpPart[] */
    Bytes          clock_syncs;    /* ClockSync[] */
    Bytes          kinds;          /* EventKindCount[] */
    Bytes          warnings;       /* Warning[] */
    Bytes          properties;     /* Property[] */
    Bytes          cpu_times;      /* CpuTime[]: trace/cpu_time.h */
    Bytes          event_turns;    /* uint64_t[]: offset of the first event numbered 2^32, 2 * 2^32, ... */
    IndexMap       label_map, process_map, thread_map, strand_map, counter_map, series_map, object_map;
    InstantLog     global_instants, moments;
    int64_t        other_min, other_max; /* of other events with a time; min > max = none */
    EventObserver  observer;             /* event NULL = none: the trace is built */
    const char    *end_kind;             /* static: what the format calls an end */
    uint64_t       names_most;           /* bytes of names; 0 = no bound */
    uint32_t       tracks_most;          /* of processes, of threads; 0 = no bound */
    uint32_t       strands_most;         /* likewise */
    StringId       rest;                 /* what stands for the others goes by, once there are some */
    bool           has_colours;          /* some label asks for one */
    void          *kept;                 /* owned until it is the trace's; NULL = nothing */
    void (*release_kept)(void *kept);
    bool    incomplete;
    bool    logs_marks; /* of all threads */
    bool    has_window, has_enough;
    bool    counters_end; /* builder_end_counters */
    int64_t window_begin, window_end;
    bool    failed;
};

#define VECTOR(bytes, Type) ((Type *)(void *)(bytes).data)
#define VECTOR_COUNT(bytes, Type) ((bytes).size / sizeof(Type))

/* A zeroed item at the end of a vector; NULL (and failed) when out of memory. */
void *vector_push(TraceBuilder *builder, Bytes *vector, size_t item_size);

void builder_append_instant(TraceBuilder *builder, InstantLog *log, InstantMark mark);
/* A thread's completes, with room made for them; NULL (and failed) when out of memory. */
EventLog              *builder_completes(TraceBuilder *builder, ThreadLog *thread);
static inline uint64_t thread_complete_count(const ThreadLog *thread)
{
    return thread->completes == NULL ? 0 : thread->completes->count;
}
/* The record behind a handle; that of index 0, which nobody looks at, when making it had failed. */
static inline ThreadEntry *builder_thread_entry(const TraceBuilder *builder, TrackId thread)
{
    assert(thread.index < VECTOR_COUNT(builder->threads, ThreadEntry));
    return &VECTOR(builder->threads, ThreadEntry)[thread.index];
}
static inline ThreadEvents *builder_thread_events(const TraceBuilder *builder, TrackId thread)
{
    assert(thread.index < VECTOR_COUNT(builder->thread_events, ThreadEvents));
    return &VECTOR(builder->thread_events, ThreadEvents)[thread.index];
}
/* Returns one of the first events of a thread. */
static inline FirstEvent *first_event_at(const FirstEvents *events, uint32_t index)
{
    FirstEvent **chunks = (FirstEvent **)events->chunks.items;
    return &chunks[index / FIRST_EVENTS_CHUNK][index % FIRST_EVENTS_CHUNK];
}
/* Makes the log of a thread that has none, and moves its first events there. Returns the log of thread 0 when out of
 * memory. */
ThreadLog *builder_open_log(TraceBuilder *builder, ThreadEvents *events);
/* Keeps an event as one of the first of a thread without a log. False: the event needs a log. */
bool builder_keep_first(TraceBuilder *builder, ThreadEvents *events, const EventRecord *record, FirstKind kind);
/* Returns the record of such an event. */
EventRecord first_event_record(const FirstEvent *event);
static inline FirstKind first_event_kind(const FirstEvent *event)
{
    return event->place >> FIRST_KIND_SHIFT & 1 ? FIRST_COMPLETE : FIRST_MARK;
}
/* Adds a begin or end that was kept as one of the first. */
void builder_add_mark_again(TraceBuilder *builder, ThreadLog *log, const EventRecord *mark);
/* Returns the log of a thread, made when it has none. */
static inline ThreadLog *builder_thread_log(TraceBuilder *builder, TrackId thread)
{
    ThreadEvents *events = builder_thread_events(builder, thread);
    return LIKELY(events->log != NULL) ? events->log : builder_open_log(builder, events);
}
/* Returns the log of a thread that has one: each thread of a trace that grows. */
static inline ThreadLog *thread_log_at(const TraceBuilder *builder, size_t index)
{
    ThreadLog *log = VECTOR(builder->thread_events, const ThreadEvents)[index].log;
    assert(log != NULL);
    return log;
}
/* Returns the log of a thread to read from. That of a thread without one is filled in *made and `scratch`. NULL when out
 * of memory. */
ThreadLog *thread_log_read(const TraceBuilder *builder, uint32_t index, ThreadLog *made, Arena *scratch);
/* Gives the first and last time of a thread's events; min > max: it has none. */
void thread_range(const TraceBuilder *builder, size_t index, int64_t *min_tick, int64_t *max_tick);
/* Returns the instants of a scope on a thread; INSTANT_THREAD makes the thread's log. */
InstantLog *builder_instants(TraceBuilder *builder, TrackId thread, InstantScope scope);
ProcessLog *builder_process_log(TraceBuilder *builder, ProcessId process);
/* Returns the instants of a process to append to. When out of memory (and failed) these are those of process 0. */
ProcessInstants *builder_process_instants(TraceBuilder *builder, ProcessId process);

uint64_t hash_mix(uint64_t a, uint64_t b);
/* Makes room for one more; `rehash` gives the hash of an index already in the map. False (and
 * failed) when out of memory. */
bool index_map_reserve(TraceBuilder *builder, IndexMap *map,
                       uint64_t (*rehash)(const TraceBuilder *builder, uint32_t index)) WARN_UNUSED;

/* The whole number of the event at `offset` whose low 32 bits are `low`. */
uint64_t builder_event_number(const TraceBuilder *builder, uint64_t offset, uint32_t low);

/* PLACE_ bits of EVENT_ flags. */
static inline uint32_t place_bits(unsigned flags)
{
    static_assert(PLACE_DETAILS == EVENT_DETAILS << 1 && PLACE_NO_END == EVENT_NO_END << 1 &&
                      PLACE_REPAIRED == EVENT_REPAIRED << 1,
                  "a shift does it");
    return (flags & (EVENT_DETAILS | EVENT_NO_END | EVENT_REPAIRED)) << 1;
}

/* From the event at `offset` on, the upper half of an event's number is one more. */
void builder_note_turn(TraceBuilder *builder, uint64_t offset);

/* The thread's marks are not as simple as rows need them: those it has move to its log, and all others follow. */
void builder_log_marks_of(TraceBuilder *builder, ThreadLog *thread);
/* The same for all threads there are and will be. */
void                   builder_log_all_marks(TraceBuilder *builder);
static inline uint64_t thread_mark_count(const ThreadLog *thread)
{
    return thread->rows == NULL ? thread->marks.count : thread->rows->sidecar.count;
}

/* Notes, once in 2^32 events, where the upper half of an event's number changes. */
static inline void builder_note_turns(TraceBuilder *builder, EventPos pos)
{
    if (UNLIKELY(pos.event >> 32 > VECTOR_COUNT(builder->event_turns, uint64_t)))
        builder_note_turn(builder, pos.offset);
}

/* Widens the range of a thread to an event. */
static inline void builder_note_range(ThreadLog *thread, int64_t tick, int64_t end_tick)
{
    if (tick < thread->min_tick) thread->min_tick = tick;
    if (end_tick > thread->max_tick) thread->max_tick = end_tick;
    thread->has_events = true;
}

/* Notes an event of a thread: its time and its number. */
static inline void builder_note_event(TraceBuilder *builder, ThreadLog *thread, int64_t tick,
                                      int64_t end_tick, EventPos pos)
{
    builder_note_range(thread, tick, end_tick);
    builder_note_turns(builder, pos);
}

/* Whether events are only watched; then these hand them on. */
static inline bool is_observed(const TraceBuilder *builder)
{
    return builder->observer.event != NULL;
}
void observe_mark(const TraceBuilder *builder, TrackId thread, int64_t tick, uint32_t label, EventPos pos,
                  unsigned flags);
void observe_event(const TraceBuilder *builder, const ObservedEvent *event);

/* Notes an event of `thread` that is in no thread's log. */
void builder_note_other(TraceBuilder *builder, TrackId thread, int64_t tick);

/* Widens the trace's range to what belongs to no thread's log. */
static inline void builder_note_time(TraceBuilder *builder, int64_t tick)
{
    if (tick < builder->other_min) builder->other_min = tick;
    if (tick > builder->other_max) builder->other_max = tick;
}

/* The first and last time of all that was fed, metadata excepted; false: nothing has one. */
bool builder_time_range(const TraceBuilder *builder, int64_t *begin, int64_t *end);

/* A warning counted elsewhere, `count` times; first's message is complete. */
void builder_add_warning(TraceBuilder *builder, const Warning *warning);
/* Replaces the warning of the same kind, or removes it if the new count is 0. */
void builder_replace_warning(TraceBuilder *builder, const Warning *warning);

#endif
