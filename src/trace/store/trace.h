/* trace/store/trace.h - a finished trace: immutable, columnar, safe to read from any number of threads.
 *
 * Processes own tracks. A track is a thread (slices and thread instants), or has the instants of a process or of the
 * whole trace, or is of another TrackKind. The slices of a track are in rows: a row is one (lane, depth) of one track
 * and has slices that never overlap, sorted by begin. Lane 0 is the thread itself; lanes 1, 2, ... have the slices that
 * overlap without nesting. Depth counts from 0 in each lane. The parent of a slice is not stored: it is the slice of
 * the row above (same lane, depth - 1) that contains its begin.
 *
 * Columns are flat arrays over all slices, in the order track, row, begin; every range below is [first, first + count).
 * A plain slice takes 11.3 bytes here and some 1.7 in the level-of-detail index. */
#ifndef TRACE_STORE_TRACE_H
#define TRACE_STORE_TRACE_H
#include "base/arena.h"
#include "base/err.h"
#include "base/string_table.h"
#include "trace/store/clock.h"
#include "trace/store/stacks.h"

#include <assert.h>

/* Handles. Index 0 is "none". */
typedef struct {
    uint32_t index;
} ProcessId;
typedef struct {
    uint32_t index;
} TrackId;
typedef struct {
    uint32_t index;
} LabelId;

#define PROCESS_NONE ((ProcessId){ 0 })
#define TRACK_NONE ((TrackId){ 0 })
#define LABEL_NONE ((LabelId){ 0 })

/* A process or thread id as in the input. Numbers and texts are separate spaces. */
typedef enum { IDENT_NONE, IDENT_INT, IDENT_UINT, IDENT_TEXT } IdentKind;
typedef struct Ident {
    IdentKind kind;
    uint64_t  bits; /* IDENT_INT: an int64_t; IDENT_UINT: a number above INT64_MAX; IDENT_TEXT: a StringId */
} Ident;

Ident ident_int(int64_t value);
Ident ident_uint(uint64_t value); /* IDENT_INT if it fits, so that equal numbers are equal idents */
Ident ident_text(StringId text);

/* A name with its category and colour, shared by many slices. */
typedef struct Label {
    StringId name; /* STRING_NONE = no name */
    StringId category;
    uint32_t colour; /* LABEL_COLOUR(0xRRGGBB) as in the input; 0 = chosen by the view */
    /* Slices and instants of this label show events that other slices and instants of the trace also show: they are
     * drawn, but omitted by statistics, `dump` and the writers. */
    bool is_repeat;
} Label;

/* The colour of a label for idle time: its slices are drawn in a faint colour, and do not count as covered time
 * (lod.h). */
#define LABEL_RECEDES ((uint32_t)1)
#define LABEL_COLOUR(rgb) ((uint32_t)(rgb) << 8 | 0xFF)

typedef struct Process {
    Ident    pid;
    StringId name;        /* STRING_NONE = unnamed */
    StringId labels;      /* additional text, or STRING_NONE */
    StringId thread_noun; /* the kind of its threads in the singular: "goroutine"; STRING_NONE = "thread" */
    double   sort_index;  /* as in the input; 0 = none */
    /* number of its threads minus number of their tracks: some threads share a track */
    uint32_t sharing_threads;
    uint32_t first_track; /* into Trace.tracks: the tracks of a process are adjacent, in display order */
    uint32_t track_count;
    uint8_t  perspectives; /* bit i: it is visible in Trace.perspectives; 0: in all */
    bool     has_events;   /* false: known only from metadata */
} Process;

enum { PERSPECTIVES_MAX = 8 };

typedef enum {
    TRACK_THREAD,
    TRACK_PROCESS_INSTANTS, /* instants of scope process; one row */
    TRACK_GLOBAL_INSTANTS,  /* instants of scope global; one row; its process is PROCESS_NONE */
    TRACK_ASYNC,            /* asynchronous slices of one name, begun on any thread of the process */
    TRACK_COUNTER,          /* values over time: each row is one series, and has samples instead of slices */
    TRACK_SAMPLES,          /* sampled stacks of a thread: a slice is a frame that stayed on the stack */
    TRACK_STATES,           /* the states of a thread over time: slices with the names of states */
    TRACK_OBJECTS, /* a process's objects of one type: their lives are slices, their snapshots instants */
    TRACK_DUMPS    /* memory dumps of a process: instants, on one row */
} TrackKind;

/* Properties of few threads, and of other kinds of tracks. Separate, because a trace may have millions of threads. */
typedef struct TrackExtras {
    double sort_index; /* as in the input; 0 = none */
    /* TRACK_ASYNC: that of its outermost slices; TRACK_COUNTER, TRACK_OBJECTS: its own */
    StringId category;
    uint32_t thread; /* TRACK_SAMPLES: the track of the thread; read by track_thread */
    /* The items for the first slice (or instant) of the track, track_first_slice: those of the others are as far from it as
     * their ids. */
    uint64_t first_async;                  /* TRACK_ASYNC, TRACK_OBJECTS: into SliceColumns.async_thread */
    uint64_t first_life;                   /* TRACK_OBJECTS: into ObjectColumns.life_of_slice */
    uint64_t first_snapshot;               /* TRACK_OBJECTS: into ObjectColumns.life_of_snapshot */
    uint64_t first_profile, profile_count; /* TRACK_SAMPLES: into ProfileColumns */
    uint64_t first_sample, sample_count;   /* TRACK_COUNTER: into SampleColumns */
    double   least, greatest; /* TRACK_COUNTER: range of the drawn values: of their sum if is_stacked */
    int64_t  held_to;         /* TRACK_COUNTER: end of the last values; INT64_MAX = the trace's end */
    bool     is_stacked;      /* TRACK_COUNTER: it has several series and no negative value */
    bool     counts_bytes;    /* TRACK_COUNTER: the values are bytes */
    bool
        shares_chart; /* TRACK_COUNTER: belongs to one chart with the others of its process that have this flag */
    uint32_t    first_context, context_count; /* TRACK_THREAD: into TraceRecords.contexts */
    StackRange *stacks;  /* by StackKind, in the arena; NULL = no stacks: read by track_stacks */
    uint64_t    version; /* of a growing trace: changes with every change of the track, ids included */
} TrackExtras;

/* The rows of a track end at the first row of the next track: Trace.tracks has one more item behind the last track. */
typedef struct Track {
    TrackExtras *extras;   /* in the arena; NULL = all are 0: read by track_extras */
    uint64_t     tid_bits; /* Ident.bits: read by track_tid */
    ProcessId    process;
    StringId     name;      /* TRACK_ASYNC: that of its outermost slices; TRACK_OBJECTS: the type */
    uint32_t     first_row; /* by lane, then by depth; their number: track_row_count */
    TrackKind    kind : 8;
    IdentKind    tid_kind : 8; /* IDENT_NONE unless TRACK_THREAD, TRACK_STATES or TRACK_SAMPLES */
    bool
        is_derived : 1; /* its slices and instants show events of TraceRecords.others: statistics omit them */
    bool divides : 1;   /* its slices divide the whole trace: the frames of a capture */
    bool has_events : 1; /* false: known only from metadata */
} Track;
static_assert(sizeof(void *) != 8 || sizeof(Track) == 32, "a trace may have millions of threads");

/* Returns the id of the thread that a track shows. */
static inline Ident track_tid(const Track *track)
{
    return (Ident){ track->tid_kind, track->tid_bits };
}
/* Returns the number of rows of a track. `track` points into Trace.tracks. */
static inline uint32_t track_row_count(const Track *track)
{
    return track[1].first_row - track[0].first_row;
}
static inline const TrackExtras *track_extras(const Track *track)
{
    static const TrackExtras NONE = { 0 };
    return track->extras == NULL ? &NONE : track->extras;
}
/* Returns the extras of a track for writing, created in `arena` on first use. NULL when out of memory. */
TrackExtras *track_add_extras(Track *track, Arena *arena);

/* Columns of stacks: SliceColumns.stack, .end_stack, InstantColumns.stack. */
typedef enum { STACKS_OF_BEGINS, STACKS_OF_ENDS, STACKS_OF_INSTANTS, STACK_KINDS } StackKind;
/* Returns the track's part of such a column. */
static inline const StackRange *track_stacks(const Track *track, StackKind kind)
{
    static const StackRange NONE = { 0 };
    const StackRange       *stacks = track_extras(track)->stacks;
    return stacks == NULL ? &NONE : &stacks[kind];
}

/* Returns the stack of a slice, or instant, of the track. */
StackId track_stack(const Trace *trace, const Track *track, StackKind kind, uint64_t item);

/* Properties that few rows have. A trace may have millions of rows. */
typedef struct RowExtras {
    uint64_t first_instant;
    uint64_t first_sample;
    uint32_t instant_count;
    uint32_t sample_count; /* a row has slices or samples, not both */
    /* of a growing trace: capacity of the row from first_slice, or first_sample, on; otherwise 0 */
    uint32_t room;
    uint32_t instant_room; /* of a growing trace: capacity from first_instant on; otherwise 0 */
    /* if the row has nodes: into the level-of-detail index (trace/store/lod.h), or that of samples (sample_index.h) */
    uint32_t first_node;
    uint32_t series; /* TRACK_COUNTER: into Trace.series; otherwise 0 */
} RowExtras;

typedef struct Row {
    RowExtras *extras; /* in the arena; NULL = all are 0: read by row_extras */
    uint64_t   first_slice;
    uint32_t   slice_count; /* a row holds fewer than 2^32 slices */
    uint32_t   track;       /* index into Trace.tracks, from 1 */
    uint32_t   lane, depth;
} Row;
static_assert(sizeof(void *) != 8 || sizeof(Row) == 32, "a trace may have millions of rows");

static inline const RowExtras *row_extras(const Row *row)
{
    static const RowExtras NONE = { 0 };
    return row->extras == NULL ? &NONE : row->extras;
}

/* Returns the extras of a row to be changed, made in `arena` when it has none yet. NULL when out of memory. */
RowExtras *row_add_extras(Row *row, Arena *arena);

/* The series of a row of samples. */
typedef struct RowSeries {
    StringId name;
    uint32_t colour; /* as Label.colour */
} RowSeries;

/* Bits of SliceColumns.flags */
enum {
    SLICE_UNFINISHED = 1 << 0, /* without an end: drawn to the end of the trace or thread */
    SLICE_NO_END = 1 << 1,     /* closed by the end of a slice around it */
    SLICE_REPAIRED = 1 << 2,   /* its times were changed: negative duration, time travel, out of range */
    SLICE_SOURCE = 1 << 3,     /* the input has details of its begin: trace_slice_source */
    SLICE_END_SOURCE = 1 << 4, /* ... and of its end: trace_slice_end_source */
    SLICE_LONG = 1 << 5        /* longer than a u32: the duration is in long_durations */
};

/* A value that few slices have; sorted by slice. */
typedef struct SparseValue {
    uint64_t slice;
    uint64_t value;
} SparseValue;

/* The number of adjacent slice ids whose begins are stored together. */
enum { BEGIN_BLOCK_SLICES = 64 };

/* The begins of BEGIN_BLOCK_SLICES slices. */
typedef struct BeginBlock {
    int64_t base; /* the earliest begin */
    uint64_t
        high; /* 0 if all distances have 32 bits; else 1 + the index of its first item in SliceColumns.begin_high */
} BeginBlock;

typedef struct SliceColumns {
    uint64_t count;      /* ids are less */
    uint64_t hole_count; /* ids below without a slice: 0 in a loaded trace. Likewise in the other columns */
    /* Begins are read by trace_slice_begin. While a trace is made, and in a growing trace, they are here: */
    int64_t *begin_tick;
    /* ... in a loaded trace here, and begin_tick is NULL (trace/store/begins.h). A word is the lower half of the distance of
     * a begin from the base of its block; begin_high has the upper halves of the blocks that need them. */
    BeginBlock *begin_blocks;
    uint64_t    begin_block_count;
    uint32_t   *begin_words;
    uint64_t    begin_word_count; /* `count`, or 0 */
    uint32_t   *begin_high;
    uint64_t    begin_high_count;
    uint32_t   *duration; /* ticks; UINT32_MAX with SLICE_LONG */
    /* LabelId.index, read by trace_slice_label: the lower 16 bits, and the upper ones if the trace has so many labels */
    uint16_t *label, *high_label;
    bool      has_high_labels;
    uint8_t  *flags;
    /* input offsets, one for each slice with SLICE_SOURCE, in slice order; or they are in */
    uint32_t *source;
    uint64_t *far_source;
    bool      has_far_sources; /* ... this: the input has 4 GiB or more, or its size was unknown */
    uint64_t  source_count;
    uint64_t *source_rank;       /* per 64 slices: the number of slices with a source before them */
    uint64_t  source_rank_count; /* 0 if no slice has one */
    /* for each slice on a TRACK_ASYNC or TRACK_OBJECTS: the track of its thread */
    uint32_t    *async_thread;
    uint64_t     async_thread_count;
    uint64_t    *cpu;     /* ns of its thread's CPU time, plus 1; 0 = unknown. Read it only with has_cpu */
    bool         has_cpu; /* some are known */
    SparseValue *end_source;
    uint64_t     end_source_count;
    SparseValue *long_durations;
    uint64_t     long_count;
    StackColumn  stack, end_stack; /* at its begin, at its end: trace/store/stacks.h */
} SliceColumns;

typedef enum { INSTANT_THREAD, INSTANT_PROCESS, INSTANT_GLOBAL } InstantScope;

typedef struct InstantColumns {
    uint64_t    count, hole_count;
    int64_t    *tick; /* sorted within a row */
    uint32_t   *label;
    uint32_t   *thread; /* track index of the thread of the event */
    uint8_t    *scope;  /* InstantScope */
    uint64_t   *source; /* input offset + 1; 0 = the input has no details */
    StackColumn stack;
} InstantColumns;

/* Values of counters. A value is valid from its tick to the next one's; NaN is a gap. */
typedef struct SampleColumns {
    uint64_t count, hole_count;
    int64_t *tick; /* sorted within a row; the last of several at one tick is valid */
    double  *value;
} SampleColumns;

/* Samples of the stacks of threads. The slices of their tracks are made of them. */
typedef struct ProfileColumns {
    uint64_t  count, hole_count;
    int64_t  *tick;   /* sorted within a track */
    uint32_t *stack;  /* StackId.index; 0 = unknown */
    double   *weight; /* NULL: all are 1 */
    bool      has_weights;
} ProfileColumns;

/* An object: an id in a process. Ids are reused: an object has one or more lives, one after the other. */
typedef struct Object {
    uint32_t process;
    StringId scope, id; /* two objects may have the same id in different scopes */
    uint32_t first_life, life_count;
} Object;

typedef struct ObjectLife {
    uint32_t object;    /* into ObjectColumns.objects */
    StringId base_type; /* from its snapshots, or STRING_NONE */
    uint64_t slice;     /* on a TRACK_OBJECTS */
    uint64_t first_snapshot;
    uint32_t snapshot_count;
    bool     is_created; /* its creation is in the input; otherwise it is known from its first event */
} ObjectLife;

typedef struct ObjectColumns {
    Object     *objects; /* sorted by process, scope and id (their numbers, not their texts) */
    uint32_t    object_count;
    ObjectLife *lives; /* by object, then time */
    uint32_t    life_count;
    uint64_t   *snapshots; /* instants, by life, then time */
    uint64_t    snapshot_count;
    /* in the order of the columns: see TrackExtras.first_life */
    uint32_t *life_of_slice, *life_of_snapshot;
} ObjectColumns;

/* A context that is active on a thread during [begin_tick, end_tick): events that begin there belong to it. */
typedef struct Context {
    uint32_t thread; /* its track; 0 = it has none, because everything on it was removed */
    uint32_t label;
    StringId scope, id;
    int64_t  begin_tick, end_tick; /* end_tick INT64_MAX = never left */
} Context;

/* The contexts of a thread, by begin. */
typedef struct ContextList {
    const Context *contexts;
    uint32_t       count;
} ContextList;

/* The part of a memory dump in a process: the id of the dump. */
typedef struct DumpPart {
    uint64_t offset; /* of its event */
    StringId id;
} DumpPart;

/* A comparison of two clocks. */
typedef struct ClockSync {
    int64_t  tick;
    StringId id;         /* the name of the sync event in the other trace, or STRING_NONE */
    StringId issue_time; /* the time of its request, as in the input, or STRING_NONE */
} ClockSync;

/* Bits of FlowColumns.flags */
enum {
    FLOW_BACKWARDS = 1 << 0,    /* it ends before it begins */
    FLOW_FROM_UNBOUND = 1 << 1, /* `from` is a track, not a slice */
    FLOW_TO_UNBOUND = 1 << 2
};

/* The range of the ticks of the other ends of some arrows. */
typedef struct FlowReach {
    int64_t least, greatest;
} FlowReach;

/* Arrows between slices; trace/store/flows.h reads them. Sorted by FLOW_FROM_UNBOUND, from, from_offset. */
typedef struct FlowColumns {
    uint64_t  count;     /* fewer than 2^32 */
    uint32_t *from, *to; /* slices */
    uint32_t *from_offset,
        *to_offset;            /* ticks from the slice's begin, or, unbound, from the trace's; UINT32_MAX: */
    SparseValue *long_offsets; /* ... it is here if it is as long; slice = 2 * arrow + FlowSide */
    uint64_t     long_count;
    uint32_t    *label;
    uint8_t     *flags;
    uint32_t    *by_to;    /* all arrows, sorted by FLOW_TO_UNBOUND, to, to_offset */
    FlowReach   *reach[2]; /* by FlowSide: for each 64 arrows in its order (trace/store/flow_reach.h) */
    uint64_t     reach_count;
} FlowColumns;

/* A raw event, which is kept but not drawn: metadata, phases without a display, and ends without a begin. In file
 * order. */
typedef struct OtherEvent {
    int64_t  tick; /* only if has_tick */
    uint64_t offset;
    uint32_t thread; /* track index; 0 = none */
    uint32_t label;
    uint16_t kind; /* index into TraceRecords.event_kinds */
    bool     has_tick;
    bool     is_metadata; /* it does not count for the time range, nor as an event of its thread */
    bool     is_part;     /* of data that needs all its parts: it is in every range (trace/store/window.h) */
} OtherEvent;

/* The number of events of one kind in the input, with the format's name for the kind. */
typedef struct EventKindCount {
    StringId name;
    uint64_t count;
} EventKindCount;

typedef struct Warning {
    const char *kind; /* static: "unmatched-end" */
    uint64_t    count;
    Err         first; /* offset, event and message of the first one; code is unused */
} Warning;

/* A top-level key of the file, about the whole trace. In file order. */
typedef struct Property {
    StringId    key;
    const char *json; /* the value: valid JSON, in the trace's arena */
    size_t      size;
} Property;

/* The columns of a growing trace (trace/live/live.h): its rows are anywhere in the columns, with room for more, so that a
 * track is not a range of the columns; a row is. The columns here have an item for each slice, or instant, and those of a
 * loaded trace have one for each value. */
typedef struct LivePlaces {
    uint64_t       *source;              /* by slice: input offset of its begin */
    uint64_t       *end_source;          /* by slice with SLICE_END_SOURCE: input offset of its end */
    uint64_t       *long_durations;      /* of slices with SLICE_LONG: by the duration column */
    uint32_t       *stacks[STACK_KINDS]; /* by slice, by slice, by instant: StackId.index, 0 = none */
    uint64_t        slice_capacity, instant_capacity; /* of the columns: limit on the items */
    struct Filter **followers;    /* a list of the filters that follow the trace (trace/store/filter.h) */
    const uint32_t *track_of;     /* the track for a thread in the columns `thread`, `async_thread` */
    uint32_t        thread_count; /* of track_of */
} LivePlaces;

typedef struct LodIndex    LodIndex;
typedef struct SampleIndex SampleIndex;

/* The same events can be shown in several ways: the threads, the processors, ... of a Go trace. */
typedef struct TracePerspectives {
    const char *names[PERSPECTIVES_MAX]; /* static */
    uint32_t    count;
    uint8_t     made;    /* bit i: the data that only perspective i shows was loaded */
    uint8_t     counted; /* bit i: the perspective that counts; 0 = there are no perspectives */
} TracePerspectives;

/* Events and facts of the input that are not drawn. */
typedef struct TraceRecords {
    Context        *contexts; /* those of a thread are adjacent, by begin: trace_contexts */
    uint32_t        context_count;
    DumpPart       *dump_parts; /* in file order */
    uint32_t        dump_count;
    ClockSync      *clock_syncs; /* in file order */
    uint32_t        clock_sync_count;
    OtherEvent     *others;
    uint64_t        other_count;
    EventKindCount *event_kinds;
    uint32_t        event_kind_count;
    Warning        *warnings; /* by first appearance */
    uint32_t        warning_count;
    Property       *properties;
    uint32_t        property_count;
} TraceRecords;

/* Data that is computed from the columns. */
typedef struct TraceIndex {
    LodIndex    *lod;
    SampleIndex *samples; /* NULL = unnecessary for all counters */
    /* The rows with slices and the rows with instants, in the order of these in the columns; in a loaded trace that
     * is the order of the rows. In a growing trace also rows that only have room for some. */
    uint32_t *slice_rows; /* NULL = all rows */
    uint32_t  slice_row_count;
    uint32_t *instant_rows;
    uint32_t  instant_row_count;
} TraceIndex;

/* The input and its format. */
typedef struct TraceSource {
    const char *format_name;    /* static, the reader's */
    const char *format_version; /* in the trace's arena; "" = none */
    /* static: the word before the id of processes and threads without a name */
    const char *process_word, *thread_word;
    bool        complete; /* false: the input ended early or part of it was not decoded */
    void       *kept;     /* the reader's data for `details` (builder_keep), or NULL */
    void (*release_kept)(void *kept);
} TraceSource;

/* The bytes of a file in which columns are. Zeroed: all columns are pages of memory_map. */
typedef struct TraceMapping {
    void  *bytes;
    size_t size;
    size_t room;                               /* bytes to release */
    void (*release)(void *bytes, size_t room); /* NULL: borrowed */
} TraceMapping;

static inline void mapping_release(TraceMapping *mapping)
{
    if (mapping->release != NULL) mapping->release(mapping->bytes, mapping->room);
    mapping->release = NULL;
}

/* Frees pages of memory_map, unless they are in the mapping. */
static inline void mapping_unmap(const TraceMapping *mapping, void *items, size_t size)
{
    const uintptr_t first = (uintptr_t)mapping->bytes, at = (uintptr_t)items;
    if (at < first || at - first >= mapping->size) memory_unmap(items, size);
}

/* The part of the input that was requested. */
typedef struct TraceWindow {
    bool           is_set;     /* only a part was requested: */
    bool           is_open;    /* the range goes on after Trace.end_tick; `end` is end_tick */
    const uint8_t *tracks;     /* by track: nonzero = in the cut (trace/store/window.h); NULL = all are */
    int64_t        begin, end; /* both included. Slices in it may have begun before */
} TraceWindow;

typedef struct TraceCounts {
    uint64_t async_slices;     /* of slices.count, those on a TRACK_ASYNC */
    uint64_t sample_slices;    /* of slices.count, those on a TRACK_SAMPLES */
    uint64_t states;           /* of slices.count, those on a TRACK_STATES */
    uint64_t async_instants;   /* of instants.count, those on a TRACK_ASYNC */
    uint64_t derived_instants; /* of instants.count, those on derived tracks */
    uint64_t unfinished;       /* on threads */
    uint32_t counters;         /* tracks of kind TRACK_COUNTER */
    uint32_t sample_tracks;    /* tracks of kind TRACK_SAMPLES */
    uint32_t threads;          /* threads with events; without tracks that divide */
    uint32_t active_processes; /* processes with events */
    uint32_t max_depth;        /* deepest nesting on a thread: 0 = no slices, 1 = no nested slice */
} TraceCounts;

struct Trace {
    Arena        arena; /* holds everything except the columns */
    TraceMapping mapping;
    StringTable *strings;
    Label       *labels;      /* [0] is unused */
    uint32_t     label_count; /* ids run from 1 to this */
    uint32_t idle_label; /* the label with LABEL_RECEDES, the last if there are several; UINT32_MAX = none */
    Process *processes;  /* [0] is unused */
    uint32_t process_count;
    TracePerspectives perspectives;
    Track         *tracks; /* [0] is unused; grouped by process, both in display order; one more: see Track */
    uint32_t       track_count;
    Row           *rows; /* from 0 */
    uint32_t       row_count;
    RowSeries     *series; /* [0] is unused */
    SliceColumns   slices;
    InstantColumns instants;
    SampleColumns  samples;
    StackTable     stacks;
    ProfileColumns profile;
    FlowColumns    flows;
    ObjectColumns  objects;
    TraceRecords   records;
    TraceIndex     index;
    TraceCounts    counts;
    TraceSource    source;
    const LivePlaces *live; /* NULL = it does not grow */
    Clock             clock;
    bool              has_time; /* false: no event has a time; begin and end are 0 */
    /* first and last time of all events except metadata; begin <= end */
    int64_t     begin_tick, end_tick;
    uint64_t    lead; /* of a growing trace: ticks from the tiles' grid to begin_tick; else 0 */
    TraceWindow window;
};

void trace_release(Trace *trace);

/* Return the number of values of slices before `slice`; the value of `slice`, or NULL. */
uint64_t           trace_sparse_before(const SparseValue *values, uint64_t count, uint64_t slice);
const SparseValue *trace_find_sparse(const SparseValue *values, uint64_t count, uint64_t slice);
/* Returns the duration of a slice with SLICE_LONG. */
uint64_t trace_long_duration(const Trace *trace, uint64_t slice);
/* Returns the begin of a slice. trace/store/begins.h has it for loops over many slices. */
int64_t trace_slice_begin(const Trace *trace, uint64_t slice);
/* Returns the begin of slice `index` of a row. */
static inline int64_t row_slice_begin(const Trace *trace, const Row *row, uint32_t index)
{
    return trace_slice_begin(trace, row->first_slice + index);
}
/* Returns the LabelId.index of a slice. */
static inline uint32_t trace_slice_label(const Trace *trace, uint64_t slice)
{
    const SliceColumns *slices = &trace->slices;
    const uint32_t      low = slices->label[slice];
    return UNLIKELY(slices->has_high_labels) ? low | (uint32_t)slices->high_label[slice] << 16 : low;
}
/* Sets the label of a slice. With labels above UINT16_MAX there must be has_high_labels. */
static inline void slice_set_label(SliceColumns *slices, uint64_t slice, uint32_t label)
{
    assert(label <= UINT16_MAX || slices->has_high_labels);
    slices->label[slice] = (uint16_t)label;
    if (UNLIKELY(slices->has_high_labels)) slices->high_label[slice] = (uint16_t)(label >> 16);
}
/* Returns the duration in ticks of slice `slice` (< slices.count). */
static inline uint64_t trace_slice_duration(const Trace *trace, uint64_t slice)
{
    assert(slice < trace->slices.count);
    if (UNLIKELY(trace->slices.flags[slice] & SLICE_LONG)) return trace_long_duration(trace, slice);
    return trace->slices.duration[slice];
}
/* Returns the end of a slice with this begin. This is the end in the input, which fits: the unsigned arithmetic cannot
 * overflow. */
static inline int64_t trace_slice_end_from(const Trace *trace, uint64_t slice, int64_t begin)
{
    return (int64_t)((uint64_t)begin + trace_slice_duration(trace, slice));
}
static inline int64_t trace_slice_end(const Trace *trace, uint64_t slice)
{
    return trace_slice_end_from(trace, slice, trace_slice_begin(trace, slice));
}
/* Returns the track of the thread on which it began. `row` must be its row. */
uint32_t trace_slice_thread(const Trace *trace, uint64_t slice);
uint32_t trace_row_slice_thread(const Trace *trace, uint32_t row, uint64_t slice);
/* Return the numbers of slices and of instants. (The columns' counts are limits on their ids: in a growing trace not
 * every id below is in use.) */
uint64_t trace_slice_count(const Trace *trace);
uint64_t trace_instant_count(const Trace *trace);
/* Returns the number of values of counters. */
uint64_t trace_sample_count(const Trace *trace);
/* Returns the number of samples of stacks. */
uint64_t trace_stack_sample_count(const Trace *trace);
bool     trace_has_slice(const Trace *trace, uint64_t slice);
bool     trace_has_instant(const Trace *trace, uint64_t instant);
/* Return the numbers of nested slices of threads, and of instants of threads, of processes and of the whole trace. */
uint64_t trace_thread_slice_count(const Trace *trace);
uint64_t trace_plain_instant_count(const Trace *trace);
/* Returns the track of the thread of an instant; 0 = unknown. */
uint32_t trace_instant_thread(const Trace *trace, uint64_t instant);
/* Returns the track of the thread of a raw event; 0 = none. */
uint32_t trace_other_thread(const Trace *trace, const OtherEvent *other);
/* Returns the contexts of a thread (its track). */
ContextList trace_contexts(const Trace *trace, uint32_t thread);
/* Returns the ticks from the trace's begin to a tick at or after it. */
static inline uint64_t trace_since_begin(const Trace *trace, int64_t tick)
{
    return (uint64_t)tick - (uint64_t)trace->begin_tick;
}
/* Returns the tick at a number of ticks after the trace's begin. */
static inline int64_t trace_tick_at(const Trace *trace, uint64_t since_begin)
{
    return (int64_t)((uint64_t)trace->begin_tick + since_begin);
}
/* Returns the ticks from the trace's begin to its end. */
static inline uint64_t trace_span(const Trace *trace)
{
    return trace_since_begin(trace, trace->end_tick);
}
/* Returns the row of a slice; O(log rows). */
uint32_t trace_slice_row(const Trace *trace, uint64_t slice);
/* Returns the row of an instant; O(log rows). */
uint32_t trace_instant_row(const Trace *trace, uint64_t instant);
/* Finds the slice's parent; false at depth 0. `row` must be its row. */
bool trace_slice_parent(const Trace *trace, uint32_t row, uint64_t slice, uint64_t *parent);
/* Finds the direct children: [*first, *first + returned count) in the row below. */
uint64_t trace_slice_children(const Trace *trace, uint32_t row, uint64_t slice, uint64_t *first);
/* The same for many slices of a row in ascending order, without a search for each. *from is an index into the row below:
 * 0 at first, then the value that the last call for the row left there. Another value costs time only. */
uint64_t trace_slice_children_from(const Trace *trace, uint32_t row, uint64_t slice, uint32_t *from,
                                   uint64_t *first);
/* Returns the duration without the direct children, at least 0. O(children). */
uint64_t trace_slice_self(const Trace *trace, uint32_t row, uint64_t slice);
/* The same with *from as in trace_slice_children_from. */
uint64_t trace_slice_self_from(const Trace *trace, uint32_t row, uint64_t slice, uint32_t *from);
/* Returns the CPU time of its thread between its begin and its end, in ns, and the same without that of its direct
 * children; false if it is unknown for the slice or a child. */
bool trace_slice_cpu(const Trace *trace, uint64_t slice, uint64_t *ns);
/* True if the CPU time of any slice is known. */
static inline bool trace_has_cpu_times(const Trace *trace)
{
    return trace->slices.has_cpu;
}
bool trace_slice_cpu_self(const Trace *trace, uint32_t row, uint64_t slice, uint64_t *ns);
/* Finds the input offset of the slice's begin (or of its end event); false if the input has no details. */
bool trace_slice_source(const Trace *trace, uint64_t slice, uint64_t *offset);
bool trace_slice_end_source(const Trace *trace, uint64_t slice, uint64_t *offset);
/* Returns an entry of SliceColumns.source. */
static inline uint64_t slice_source_at(const SliceColumns *slices, uint64_t at)
{
    return slices->has_far_sources ? slices->far_source[at] : slices->source[at];
}
/* Return the range of a track in the columns, in which its rows are adjacent. In a growing trace they are not: there the
 * first ones are those of its first row. The counts take time linear in the rows of the track. */
uint64_t track_first_slice(const Trace *trace, const Track *track);
uint64_t track_slice_count(const Trace *trace, const Track *track);
uint64_t track_first_instant(const Trace *trace, const Track *track);
uint64_t track_instant_count(const Trace *trace, const Track *track);
/* Returns the number of lanes of a track: 1 + those for overlapping slices. */
uint32_t track_lane_count(const Trace *trace, const Track *track);
/* Returns the track of the thread of a TRACK_THREAD, TRACK_STATES or TRACK_SAMPLES; otherwise 0. */
uint32_t track_thread(const Trace *trace, uint32_t track);
/* Returns the row of (track, lane, depth), or UINT32_MAX. */
uint32_t trace_find_row(const Trace *trace, uint32_t track, uint32_t lane, uint32_t depth);
/* Returns the index of the first of `count` ascending ticks at or after `tick`; `count` if all are before it. */
uint32_t ticks_lower_bound(const int64_t *ticks, uint32_t count, int64_t tick);
/* Return the row's first slice that begins at or after `tick`, its first instant and its first sample there, as indices
 * into the row (its count = none). */
uint32_t row_lower_bound(const Trace *trace, const Row *row, int64_t tick);
uint32_t row_instant_bound(const Trace *trace, const Row *row, int64_t tick);
uint32_t row_sample_bound(const Trace *trace, const Row *row, int64_t tick);
/* Returns the row's slice with begin <= tick < end, or UINT32_MAX. */
uint32_t row_slice_at(const Trace *trace, const Row *row, int64_t tick);

StringView trace_string(const Trace *trace, StringId id);
StringView trace_label_name(const Trace *trace, uint32_t label);
StringView trace_label_category(const Trace *trace, uint32_t label);
/* True if a label has is_repeat. O(labels). */
bool trace_has_repeats(const Trace *trace);
/* True if the slice or instant shows an event that another one also shows: Label.is_repeat. */
static inline bool trace_repeats_slice(const Trace *trace, uint64_t slice)
{
    return trace->labels[trace_slice_label(trace, slice)].is_repeat;
}
static inline bool trace_repeats_instant(const Trace *trace, uint64_t instant)
{
    return trace->labels[trace->instants.label[instant]].is_repeat;
}
/* Appends a process or thread id as text ("7", "-1", "gpu"); nothing for IDENT_NONE. */
void trace_ident_append(const Trace *trace, Ident ident, Bytes *out);
/* Append the displayed title: the name followed by the id; "Thread 7" without a name. */
#define TITLE_PROCESS "Process" /* the default of Trace.source.process_word, thread_word */
#define TITLE_THREAD "Thread"
void trace_track_title(const Trace *trace, uint32_t track, Bytes *out);
/* The number of threads with one noun. */
typedef struct ThreadCount {
    StringId noun; /* Process.thread_noun */
    uint32_t count;
} ThreadCount;
/* Counts the threads with events by noun, in the order of the processes, for the first `capacity` nouns. Returns the
 * number of nouns. */
uint32_t trace_count_threads(const Trace *trace, ThreadCount *counts, uint32_t capacity);
void     trace_process_title(const Trace *trace, uint32_t process, Bytes *out);
/* Appends the names of the perspectives for which the trace was made, separated by ", "; nothing if its format has
 * none. */
void trace_perspectives_append(const Trace *trace, Bytes *out);

/* Returns the bytes of memory of the columns and the index. */
uint64_t trace_column_bytes(const Trace *trace);
uint64_t trace_index_bytes(const Trace *trace);

/* Verifies every invariant in this header and in trace/store/lod.h. For tests and fuzzing. */
bool trace_check(const Trace *trace, Err *err) WARN_UNUSED;
/* As trace_check, without the index, in time linear in the trace. For a trace out of an untrusted file: the columns have
 * their numbers of items, and the members of tables are limited by trace/file/tables.c; all else is checked here. */
bool trace_check_rows(const Trace *trace, Err *err) WARN_UNUSED;

#endif
