/* trace/log/builder_log.h - the builder's storage of events until it makes the trace. For src/trace only.
 *
 * Each thread has its begins and ends in rows (trace/log/mark_rows.h), or in a log of packed records (trace/log/event_log.h) in
 * file order, like its other events. The memory is an arena with huge pages, so appending never copies. */
#ifndef TRACE_LOG_BUILDER_LOG_H
#define TRACE_LOG_BUILDER_LOG_H
#include "base/hash_index.h"
#include "base/vec.h"
#include "trace/log/arrow_log.h"
#include "trace/log/mark_rows.h"
#include "trace/log/observe.h"
#include "trace/log/records.h"
#include "trace/log/sample_log.h"
#include "trace/log/stack_log.h"

#include <assert.h>

/* The position and properties of an instant or an interval: input offset << 16 | bits. */
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

/* Instants in file order, not packed because they are few. */
typedef struct InstantLog {
    InstantChunk *first, *last; /* in the builder's log arena */
    uint64_t      count;
    EventLog     *stacks; /* entries of trace/log/stack_log.h; NULL = none */
} InstantLog;

typedef struct ThreadLog {
    double     sort_index;
    MarkRows  *rows;      /* its begins and ends if they are simple; NULL = none yet, or logs_marks */
    EventLog   marks;     /* if logs_marks */
    EventLog  *completes; /* NULL = none */
    EventLog  *mark_stacks, *complete_stacks; /* entries of trace/log/stack_log.h about them; NULL = none */
    InstantLog instants;                      /* of scope thread */
    uint64_t   begin_count;                   /* number of begin events */
    uint64_t   source_count;                  /* begins and completes with PLACE_DETAILS */
    int64_t    last_mark_tick;
    int64_t    min_tick, max_tick; /* of all its events; min > max = none yet */
    /* of the first begin or end before its predecessor in time, if is_unsorted */
    uint64_t unsorted_offset;
    uint32_t unsorted_event;
    bool     is_unsorted, has_sort_index, has_events;
    bool     logs_marks; /* its begins and ends are not simple: see builder_log_marks_of */
    bool     divides;    /* Track.divides */
    bool     is_states;  /* it holds the states of a thread */
    uint32_t states;     /* the log of this thread's states, or 0 */
} ThreadLog;

/* One of the first events of a thread, all of one kind: a thread with few events needs no log, which takes more than
 * 2 KB. */
typedef enum { FIRST_MARK, FIRST_COMPLETE } FirstKind;
typedef struct FirstEvent {
    uint32_t tick[2]; /* low and high half: a member of 64 bits would make the struct 4 bytes larger */
    uint32_t duration;
    uint32_t label;
    uint32_t next;   /* index of the thread's next event; of its last event: of its first one */
    uint32_t offset; /* bytes behind FirstEventsChunk.offset */
    uint16_t event;  /* events behind FirstEventsChunk.event */
    uint16_t bits;   /* PLACE_ */
} FirstEvent;
static_assert(sizeof(FirstEvent) == 28, "there may be millions");
enum { FIRST_EVENTS_MOST = 24 /* of a thread */, FIRST_EVENTS_CHUNK = 128 };

/* First events that follow each other in the input. */
typedef struct FirstEventsChunk {
    uint64_t   offset; /* of the first one of them */
    uint32_t   event;  /* of the first one of them, as EventRecord.event */
    FirstEvent events[FIRST_EVENTS_CHUNK];
} FirstEventsChunk;

/* The first events of all threads, in file order. Event i is in chunk i / FIRST_EVENTS_CHUNK. Index 0 is unused. */
typedef struct FirstEvents {
    Arena arena;
    ARENA_LIST(FirstEventsChunk *) chunks;
    uint32_t count;
    int64_t  min_tick, max_tick; /* of them; min > max = none yet */
} FirstEvents;

/* A thread. */
typedef struct ThreadEntry {
    uint64_t tid_bits;     /* Ident.bits: read by thread_tid */
    uint32_t process : 30; /* ProcessId.index: read by thread_process */
    uint32_t tid_kind : 2; /* IdentKind */
    StringId name;
} ThreadEntry;
static_assert(sizeof(ThreadEntry) == 16, "there may be millions");
enum { PROCESSES_MOST = (1 << 30) - 1 };

static inline Ident thread_tid(const ThreadEntry *thread)
{
    return (Ident){ (IdentKind)thread->tid_kind, thread->tid_bits };
}
static inline ProcessId thread_process(const ThreadEntry *thread)
{
    return (ProcessId){ thread->process };
}

/* The begins, ends and completes of a thread, and its log. A thread without a log has only its first events. */
typedef struct ThreadEvents {
    /* THREAD_HAS_LOG | index into TraceBuilder.threads.logs, or index of its last event; 0 = no events */
    uint32_t at;
    /* of a thread without a log: its events; its begins and completes; those of them with PLACE_DETAILS */
    uint8_t count, begins, sources;
    uint8_t kind; /* FirstKind of its events */
} ThreadEvents;
#define THREAD_HAS_LOG (UINT32_C(1) << 31)

/* The instants of a process. */
typedef struct ProcessInstants {
    InstantLog events;  /* of scope process */
    InstantLog derived; /* of scope process, of events that are also raw events */
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

/* The identity of an async id. */
typedef struct AsyncIdEntry {
    uint64_t  hash[2]; /* hash of its id */
    ProcessId process;
    uint32_t  epoch;   /* number of times that its index was reused */
    bool      is_free; /* its index is free */
    uint32_t  title;   /* the label of the tracks of its slices; 0 = that of the outermost slice */
} AsyncIdEntry;

typedef struct StackLog {
    VEC(StackFrame) frames; /* [0] is unused */
    VEC(Stack) stacks;      /* [0] is unused */
    HashIndex       frame_map, stack_map;
    size_t          promised_count; /* of stacks: STACK_PROMISED */
    const uint32_t *ids;            /* while finishing: the trace's stack of each; NULL = the same */
} StackLog;

/* The format's properties and rules: builder.h. */
typedef struct BuilderRules {
    const char    *format_name, *format_version;
    const char    *process_word, *thread_word; /* static */
    const char    *end_kind;                   /* static: the name of end events in the format */
    MatchRule      match;
    UnfinishedRule unfinished;
    TieRule        ties;
    OverlapRule    overlaps;
    EndlessRule    endless;
    bool           counters_end; /* builder_end_counters */
} BuilderRules;

typedef struct BuilderLimits {
    uint64_t memory;    /* bytes held by the builder; 0 = no limit */
    uint64_t names;     /* bytes of names; 0 = no limit */
    uint32_t tracks;    /* of processes, of threads; 0 = no limit */
    uint32_t async_ids; /* 0 = no limit */
    StringId rest;      /* the name used for all others above the limit, once it is needed */
} BuilderLimits;

typedef struct BuilderInput {
    uint64_t bytes;       /* UINT64_MAX = unknown */
    uint64_t read_offset; /* offset of the current block in the input */
} BuilderInput;

typedef struct BuilderLabels {
    VEC(Label) all; /* [0] unused */
    HashIndex map;
    StringId  empty; /* the empty string, once it exists */
    LabelId   idle;  /* Trace.idle_label */
} BuilderLabels;

typedef struct BuilderPerspectives {
    const char *names[PERSPECTIVES_MAX];
    uint32_t    count;
    const char *wanted; /* borrowed; NULL = all */
    uint8_t     made;
} BuilderPerspectives;

typedef struct BuilderProcesses {
    VEC(ProcessLog) all; /* [0] unused */
    HashIndex map;
} BuilderProcesses;

typedef struct BuilderThreads {
    VEC(ThreadEntry) all;     /* [0] none */
    VEC(ThreadEvents) events; /* for each of `all`; [0] has a log */
    VEC(ThreadLog *) logs;    /* in TraceBuilder.own */
    FirstEvents first_events;
    HashIndex   map, tid_map;
    uint32_t    tids_mapped; /* threads entered into tid_map, if first of their id */
} BuilderThreads;

typedef struct BuilderAsync {
    VEC(AsyncEvent) events;
    VEC(AsyncIdEntry) ids;  /* [0] unused */
    VEC(uint32_t) free_ids; /* free indices of it */
    HashIndex map;
} BuilderAsync;

typedef struct BuilderCounters {
    VEC(CounterLog) all;   /* [0] is unused */
    VEC(SeriesLog) series; /* [0] is unused */
    SampleLog samples;
    HashIndex map, series_map;
} BuilderCounters;

typedef struct BuilderProfile {
    StackLog stacks;
    VEC(SamplerLog) samplers; /* [0] is unused */
    VEC(StackSample) samples;
    HashIndex sampler_map;
} BuilderProfile;

typedef struct BuilderFlows {
    VEC(FlowLog) ids; /* [0] unused */
    VEC(FlowEvent) events;
    ArrowLog  arrows;
    HashIndex map;
} BuilderFlows;

typedef struct BuilderObjects {
    VEC(ObjectKey) all; /* [0] unused */
    VEC(ObjectEvent) events;
    VEC(ContextEvent) contexts;
    VEC(DumpPart) dump_parts;
    HashIndex map;
} BuilderObjects;

/* Events and facts that are not drawn. */
typedef struct BuilderRecords {
    VEC(OtherEvent) others;
    VEC(EventKindCount) kinds;
    VEC(Warning) warnings;
    VEC(Property) properties;
    VEC(ClockSync) clock_syncs;
    /* offset of the first event with the number 2^32, 2 * 2^32, ... */
    VEC(uint64_t) event_rollovers;
} BuilderRecords;

/* The range of time that was requested: builder_set_window. */
typedef struct BuilderWindow {
    bool    is_set, has_enough;
    int64_t begin, end;
} BuilderWindow;

/* Events of no process. */
typedef struct BuilderGlobal {
    InstantLog instants, moments;
    int64_t    min_tick, max_tick; /* of raw events with a time; min > max = none */
} BuilderGlobal;

struct TraceBuilder {
    Arena               own;       /* holds the builder itself */
    Arena               arena;     /* becomes the trace's */
    Arena               log_arena; /* the logs, released by builder_finish */
    RowSpace            row_space; /* in log_arena */
    StringTable        *strings;   /* in arena */
    uint64_t            hash_key;  /* of the indices by hash */
    Clock               clock;
    BuilderRules        rules;
    BuilderLimits       limits;
    BuilderInput        input;
    BuilderLabels       labels;
    BuilderPerspectives perspectives;
    BuilderProcesses    processes;
    BuilderThreads      threads;
    BuilderAsync        async;
    BuilderCounters     counters;
    BuilderProfile      profile;
    BuilderFlows        flows;
    BuilderObjects      objects;
    BuilderRecords      records;
    BuilderWindow       window;
    BuilderGlobal       global;
    VEC(CpuTime) cpu_times;
    EventObserver observer; /* event NULL = none: the trace is built */
    void         *kept;     /* owned until the trace owns it; NULL = no data */
    void (*release_kept)(void *kept);
    bool incomplete;
    bool logs_marks; /* of all threads */
    bool is_growing; /* see builder_set_growing */
    bool failed;
};

/* Appends a zeroed item to a vector of the builder and returns a pointer to it; NULL (and failed) when out of memory. */
#define builder_add(builder, v)                                                                              \
    (builder_extend((builder), &(v)->bytes, sizeof *(v)->items) ? vec_last(v) : NULL)
/* The same for a vector whose item 0 is unused: handles of its items are > 0 and fit into 32 bits. */
#define builder_add_numbered(builder, v)                                                                     \
    (builder_extend_numbered((builder), &(v)->bytes, sizeof *(v)->items) ? vec_last(v) : NULL)
/* Returns the index of the last item. */
#define builder_last_index(v) ((uint32_t)vec_count(v) - 1)
/* builder_extend, out of line: the vector grows. */
bool builder_extend_slow(TraceBuilder *builder, Bytes *vector, size_t item_size) WARN_UNUSED;
static inline WARN_UNUSED bool builder_extend(TraceBuilder *builder, Bytes *vector, size_t item_size)
{
    if (UNLIKELY(vector->failed || vector->capacity - vector->size < item_size))
        return builder_extend_slow(builder, vector, item_size);
    memset(vector->data + vector->size, 0, item_size);
    vector->size += item_size;
    return true;
}
bool builder_extend_numbered(TraceBuilder *builder, Bytes *vector, size_t item_size) WARN_UNUSED;

void                   builder_append_instant(TraceBuilder *builder, InstantLog *log, InstantMark mark);
static inline uint64_t thread_complete_count(const ThreadLog *thread)
{
    return thread->completes == NULL ? 0 : thread->completes->count;
}
/* Returns the record of a handle; that of index 0, which is unused, if its creation failed. */
static inline ThreadEntry *builder_thread_entry(const TraceBuilder *builder, TrackId thread)
{
    assert(thread.index < vec_count(&builder->threads.all));
    return &builder->threads.all.items[thread.index];
}
static inline ThreadEvents *builder_thread_events(const TraceBuilder *builder, TrackId thread)
{
    assert(thread.index < vec_count(&builder->threads.events));
    return &builder->threads.events.items[thread.index];
}
/* Returns the log of a thread; NULL = it has none. */
static ALWAYS_INLINE ThreadLog *thread_events_log(const TraceBuilder *builder, ThreadEvents events)
{
    if (UNLIKELY(!(events.at & THREAD_HAS_LOG))) return NULL;
    return builder->threads.logs.items[events.at & ~THREAD_HAS_LOG];
}
/* The same as thread_events_log for a thread. */
static inline ThreadLog *builder_log_of(const TraceBuilder *builder, size_t thread)
{
    return thread_events_log(builder, builder->threads.events.items[thread]);
}
/* Returns one of the first events of threads. */
static inline FirstEvent *first_event_at(const FirstEvents *events, uint32_t index)
{
    FirstEventsChunk **chunks = events->chunks.items;
    return &chunks[index / FIRST_EVENTS_CHUNK]->events[index % FIRST_EVENTS_CHUNK];
}
static inline int64_t first_event_tick(const FirstEvent *event)
{
    return (int64_t)((uint64_t)event->tick[1] << 32 | event->tick[0]);
}
/* Returns the index of the first event of a thread without a log; 0 = it has none, or a log. */
static inline uint32_t thread_events_first(const FirstEvents *all, ThreadEvents events)
{
    return events.at == 0 || events.at & THREAD_HAS_LOG ? 0 : first_event_at(all, events.at)->next;
}
/* Returns the index of the event of a thread after `index`; 0 = it is the last one. */
static inline uint32_t thread_events_next(const FirstEvents *all, ThreadEvents events, uint32_t index)
{
    return index == events.at ? 0 : first_event_at(all, index)->next;
}
/* Creates the log of a thread without one, and moves its first events to it. Returns the log of thread 0 when out of
 * memory. */
ThreadLog *builder_open_log(TraceBuilder *builder, ThreadEvents *events);
/* Stores an event as one of the first of a thread without a log. False: the event needs a log. */
bool builder_keep_first(TraceBuilder *builder, ThreadEvents *events, const EventRecord *record,
                        FirstKind kind);
/* Returns the record of one of the first events. */
EventRecord first_event_record(const FirstEvents *events, uint32_t index);
/* Adds a begin or end that was stored as one of the first. */
void builder_add_mark_again(TraceBuilder *builder, ThreadLog *log, const EventRecord *mark);
/* Returns the log of a thread, created on first use. */
static inline ThreadLog *builder_thread_log(TraceBuilder *builder, TrackId thread)
{
    ThreadEvents *events = builder_thread_events(builder, thread);
    ThreadLog    *log = thread_events_log(builder, *events);
    return LIKELY(log != NULL) ? log : builder_open_log(builder, events);
}
/* Marks a thread as one with events, unless it is the process itself. */
static inline void builder_note_thread(TraceBuilder *builder, TrackId thread)
{
    if (builder->threads.all.items[thread.index].tid_kind != IDENT_NONE)
        builder_thread_log(builder, thread)->has_events = true;
}
/* Returns the log of a thread that has one, as all threads of a growing trace do. */
static inline ThreadLog *thread_log_at(const TraceBuilder *builder, size_t index)
{
    ThreadLog *log = builder_log_of(builder, index);
    assert(log != NULL);
    return log;
}
/* Returns the log of a thread, for its counts and properties only; for a thread without one, *made has them. Its
 * begin_count includes completes then. */
const ThreadLog *thread_log_counts(const TraceBuilder *builder, uint32_t index, ThreadLog *made);
/* Returns the log of a thread for reading; for a thread without one, *made is filled with the help of `scratch`. NULL
 * when out of memory. */
ThreadLog *thread_log_read(const TraceBuilder *builder, uint32_t index, ThreadLog *made, Arena *scratch);
/* Sets the first and last time of a thread's events; min > max: it has no events. */
void thread_range(const TraceBuilder *builder, size_t index, int64_t *min_tick, int64_t *max_tick);
/* Returns the instants of a scope on a thread; for INSTANT_THREAD creates the thread's log. */
InstantLog *builder_instants(TraceBuilder *builder, TrackId thread, InstantScope scope);
ProcessLog *builder_process_log(TraceBuilder *builder, ProcessId process);
/* Returns the instants of a process for appending; when out of memory (and failed) those of process 0. */
ProcessInstants *builder_process_instants(TraceBuilder *builder, ProcessId process);

uint64_t hash_mix(uint64_t a, uint64_t b);
/* Adds an item to an index of the builder; the builder is the context of `hash_of`. Returns false (and failed) when out
 * of memory. */
bool builder_index_add(TraceBuilder *builder, HashIndex *index, uint32_t item,
                       HashOfItem hash_of) WARN_UNUSED;
/* Returns the index of the item of a vector that has the same two ids, of 32 bits each, in its first members; appends a copy of
 * `item` if the vector has no such item. Item 0 of the vector is unused. Returns 0 (and failed) when out of memory. */
uint32_t builder_find_or_add(TraceBuilder *builder, HashIndex *index, Bytes *vector, const void *item,
                             size_t item_size) WARN_UNUSED;

/* Returns the whole number of the event at `offset` whose low 32 bits are `low`. */
uint64_t builder_event_number(const TraceBuilder *builder, uint64_t offset, uint32_t low);

/* True if a begin and an end of these labels belong together: the same name, and the same category if both have
 * one. */
static inline bool labels_agree(const Label *begin, const Label *end)
{
    return begin->name.index == end->name.index && (begin->category.index == end->category.index ||
                                                    begin->category.index == 0 || end->category.index == 0);
}

/* True if an end event of label `end` closes a slice of label `begin` when that is the innermost open one. */
static inline bool end_agrees(const TraceBuilder *builder, uint32_t begin, uint32_t end)
{
    const Label *labels = builder->labels.all.items;
    return begin == end || builder->rules.match != MATCH_BY_TIME_AND_NAME || labels[end].name.index == 0 ||
           labels_agree(&labels[begin], &labels[end]);
}

/* Returns the PLACE_ bits of EVENT_ flags. */
static inline uint32_t place_bits(unsigned flags)
{
    static_assert(PLACE_DETAILS == EVENT_DETAILS << 1 && PLACE_NO_END == EVENT_NO_END << 1 &&
                      PLACE_REPAIRED == EVENT_REPAIRED << 1,
                  "a shift does it");
    return (flags & (EVENT_DETAILS | EVENT_NO_END | EVENT_REPAIRED)) << 1;
}

/* Records that the upper half of event numbers increases by 1 at the event at `offset`. */
void builder_note_rollover(TraceBuilder *builder, uint64_t offset);

/* Moves the thread's begins and ends from rows to its log, because they are not simple enough for rows. All later ones
 * go to the log, too. */
void                   builder_log_marks_of(TraceBuilder *builder, ThreadLog *thread);
static inline uint64_t thread_mark_count(const ThreadLog *thread)
{
    return thread->rows == NULL ? thread->marks.count : thread->rows->sidecar.count;
}

/* Records the stacks of changes, of which the first ends a slice by the thread's event `number`. */
void builder_note_changes(TraceBuilder *builder, ThreadLog *thread, uint64_t number,
                          const SliceChange *changes, size_t count);

/* Records the offset, once in 2^32 events, at which the upper half of event numbers changes. */
static inline void builder_note_rollovers(TraceBuilder *builder, EventPos pos)
{
    const uint64_t upper = pos.event >> 32;
    if (UNLIKELY(upper > 0) && upper > vec_count(&builder->records.event_rollovers))
        builder_note_rollover(builder, pos.offset);
}

/* Extends the range of a thread to an event. */
static inline void builder_note_range(ThreadLog *thread, int64_t tick, int64_t end_tick)
{
    if (tick < thread->min_tick) thread->min_tick = tick;
    if (end_tick > thread->max_tick) thread->max_tick = end_tick;
    thread->has_events = true;
}

/* Records the time and the number of an event of a thread. */
static inline void builder_note_event(TraceBuilder *builder, ThreadLog *thread, int64_t tick,
                                      int64_t end_tick, EventPos pos)
{
    builder_note_range(thread, tick, end_tick);
    builder_note_rollovers(builder, pos);
}

/* Sets the trace's references to the tables of the builder, which may move, and the description of its source. */
void builder_refer(const TraceBuilder *builder, Trace *trace);

/* True if events are only observed; the functions below pass them on. */
static inline bool is_observed(const TraceBuilder *builder)
{
    return builder->observer.event != NULL;
}
void observe_mark(const TraceBuilder *builder, TrackId thread, int64_t tick, uint32_t label, EventPos pos,
                  unsigned flags);
void observe_event(const TraceBuilder *builder, const ObservedEvent *event);

/* Records an event of `thread` that is not in its log. */
void builder_note_other(TraceBuilder *builder, TrackId thread, int64_t tick);

/* Extends the trace's range to a time outside the threads' logs. */
static inline void builder_note_time(TraceBuilder *builder, int64_t tick)
{
    if (tick < builder->global.min_tick) builder->global.min_tick = tick;
    if (tick > builder->global.max_tick) builder->global.max_tick = tick;
}

/* Sets the first and last time of all events except metadata; false: no event has a time. */
bool builder_time_range(const TraceBuilder *builder, int64_t *begin, int64_t *end);

/* Adds a warning with a count; the message of the first one is complete. */
void builder_add_warning(TraceBuilder *builder, const Warning *added);
/* Replaces the warning of the same kind, or removes it if the new count is 0. */
void builder_replace_warning(TraceBuilder *builder, const Warning *warning);

#endif
