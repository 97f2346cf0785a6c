/* trace/trace.h - a finished trace: immutable, columnar, safe to read from any number of threads.
 *
 * What there is: processes own tracks; a track is a thread (slices and thread instants) or the place for the
 * instants of a whole process or of the whole trace. The slices of a track lie in rows: a row is one (lane,
 * depth) of one track, holds slices that never overlap, sorted by begin. Lane 0 is the thread itself; lanes
 * 1, 2, ... take slices that overlap without nesting. Depth counts from 0 inside a lane, and the parent of a
 * slice is the slice of the row above (same lane, depth - 1) that holds its begin: it is not stored.
 *
 * Columns are flat arrays over all slices, in the order track, row, begin; every range below is
 * [first, first + count). A plain slice costs 17 bytes here and some 1.7 in the level-of-detail index. */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H
#include "base/arena.h"
#include "base/err.h"
#include "base/string_table.h"
#include "trace/clock.h"
#include "trace/stacks.h"

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

/* A process or thread id as the source wrote it. Numbers and texts are separate spaces. */
typedef enum { IDENT_NONE, IDENT_INT, IDENT_UINT, IDENT_TEXT } IdentKind;
typedef struct Ident {
    IdentKind kind;
    uint64_t  bits; /* IDENT_INT: an int64_t; IDENT_UINT: a number above INT64_MAX; IDENT_TEXT: a StringId */
} Ident;

Ident ident_int(int64_t value);
Ident ident_uint(uint64_t value); /* IDENT_INT when it fits, so that equal numbers are equal idents */
Ident ident_text(StringId text);

/* A name with its category and colour: what two slices share that look the same. */
typedef struct Label {
    StringId name; /* STRING_NONE = the event has none */
    StringId category;
    uint32_t colour; /* LABEL_COLOUR(0xRRGGBB) as the source asks for; 0 = it does not: the view chooses */
    /* Slices and instants of this label show events that other slices and instants of the trace show as well: they
     * are drawn, but statistics, `dump` and the writers leave them out. */
    bool is_repeat;
} Label;

/* The colour of a label that says that nothing happens: its slices recede towards the canvas, and cover
 * nothing where the time is summed up that something takes (lod.h). */
#define LABEL_RECEDES ((uint32_t)1)
#define LABEL_COLOUR(rgb) ((uint32_t)(rgb) << 8 | 0xFF)

typedef struct Process {
    Ident    pid;
    StringId name;        /* STRING_NONE = unnamed */
    StringId labels;      /* free text beside the name, or STRING_NONE */
    StringId thread_noun; /* what its threads are, in the singular: "goroutine"; STRING_NONE = threads */
    double   sort_index;  /* as the source asks; 0 when it does not */
    uint32_t sharing_threads; /* by how many its threads are more than its tracks of them: some share one */
    uint32_t first_track; /* into Trace.tracks: a process's tracks are neighbours, in display order */
    uint32_t track_count;
    uint8_t  perspectives; /* bit i: it is seen from Trace.perspectives[i]; 0: from all */
    bool     has_events;   /* false: known from metadata alone */
} Process;

enum { PERSPECTIVES_MAX = 8 };

typedef enum {
    TRACK_THREAD,
    TRACK_PROCESS_INSTANTS, /* instants of scope process; one row */
    TRACK_GLOBAL_INSTANTS,  /* instants of scope global; one row; its process is PROCESS_NONE */
    TRACK_ASYNC,            /* asynchronous slices of one name, begun on any thread of the process */
    TRACK_COUNTER,          /* values over time: each row is one series, and has samples instead of slices */
    TRACK_SAMPLES, /* where a thread stood, as a sampler saw it: a slice is a frame that stayed on the stack */
    TRACK_STATES,  /* what a thread is doing, over time: slices named for states */
    TRACK_OBJECTS, /* a process's objects of one type: their lives are slices, their snapshots instants */
    TRACK_DUMPS    /* memory dumps of a process: instants, on one row */
} TrackKind;

/* Properties that few threads have, and those of other kinds of tracks. A trace may have millions of threads. */
typedef struct TrackExtras {
    double   sort_index;    /* as the source asks; 0 when it does not */
    StringId category;      /* TRACK_ASYNC: that of its outermost slices; TRACK_COUNTER, TRACK_OBJECTS: its own */
    uint32_t thread;        /* TRACK_SAMPLES: the track of the thread; read by track_thread */
    uint64_t first_async;   /* TRACK_ASYNC, TRACK_OBJECTS: into SliceColumns.async_thread */
    uint64_t first_life;    /* TRACK_OBJECTS: into ObjectColumns.life_of_slice */
    uint64_t first_snapshot; /* TRACK_OBJECTS: into ObjectColumns.life_of_snapshot */
    uint64_t first_profile, profile_count; /* TRACK_SAMPLES: into ProfileColumns */
    uint64_t first_sample, sample_count;   /* TRACK_COUNTER: into SampleColumns */
    double   least, greatest;   /* TRACK_COUNTER: range of the values as drawn: of their sum if is_stacked */
    int64_t  held_to;           /* TRACK_COUNTER: the last values hold to this tick; INT64_MAX = to the trace's end */
    bool     is_stacked;        /* TRACK_COUNTER: it has several series and no negative value */
    bool     counts_bytes;      /* TRACK_COUNTER: the values are bytes */
    uint32_t first_context, context_count; /* TRACK_THREAD: into Trace.contexts */
    StackRange *stacks; /* by StackKind, in the arena; NULL = no stacks: track_stacks */
    uint64_t version; /* of a trace that grows: changes when anything of the track has changed, ids included */
} TrackExtras;

typedef struct Track {
    TrackExtras *extras;  /* in the arena; NULL = all of them are 0: read by track_extras */
    Ident        tid;     /* IDENT_NONE unless TRACK_THREAD, TRACK_STATES or TRACK_SAMPLES */
    ProcessId    process;
    StringId     name; /* TRACK_ASYNC: that of its outermost slices; TRACK_OBJECTS: the type */
    uint32_t     first_row, row_count; /* lane by lane, by depth within */
    TrackKind    kind;
    bool is_derived; /* its slices and instants show events that are in Trace.others: statistics leave them out */
    bool divides;    /* its slices divide the whole trace: the frames of a capture */
    bool has_events; /* false: known from metadata alone */
} Track;
static_assert(sizeof(void *) != 8 || sizeof(Track) == 48, "a trace may have millions of threads");

static inline const TrackExtras *track_extras(const Track *track)
{
    static const TrackExtras NONE = { 0 };
    return track->extras == NULL ? &NONE : track->extras;
}
/* Returns the extras of a track to be changed, made in `arena` when it has none yet. NULL when out of memory. */
TrackExtras *track_add_extras(Track *track, Arena *arena);

/* Columns of stacks: SliceColumns.stack, .end_stack, InstantColumns.stack. */
typedef enum { STACKS_OF_BEGINS, STACKS_OF_ENDS, STACKS_OF_INSTANTS, STACK_KINDS } StackKind;
/* Returns the part of such a column that is the track's. */
static inline const StackRange *track_stacks(const Track *track, StackKind kind)
{
    static const StackRange NONE = { 0 };
    const StackRange       *stacks = track_extras(track)->stacks;
    return stacks == NULL ? &NONE : &stacks[kind];
}

typedef struct Row {
    uint32_t track; /* index into Trace.tracks, from 1 */
    uint32_t lane, depth;
    uint32_t slice_count; /* a row holds fewer than 2^32 slices */
    uint64_t first_slice;
    uint64_t first_instant;
    uint64_t first_sample;
    uint32_t instant_count;
    uint32_t sample_count; /* a row has slices or samples, not both */
    uint32_t room; /* of a trace that grows: places of the row from first_slice, or first_sample, on; else 0 */
    uint32_t instant_room; /* likewise, from first_instant on */
    uint32_t first_node;   /* into the level-of-detail index (trace/lod.h) */
    uint32_t series;       /* TRACK_COUNTER: into Trace.series; else 0 */
} Row;

/* What a row of samples shows. */
typedef struct RowSeries {
    StringId name;
    uint32_t colour;     /* as Label.colour */
    uint64_t first_node; /* into the index of samples (trace/sample_index.h); unused in a trace that grows */
} RowSeries;

/* Bits of SliceColumns.flags */
enum {
    SLICE_UNFINISHED = 1 << 0, /* never ended: it is drawn to the end of the trace or thread */
    SLICE_NO_END = 1 << 1,     /* ended only because one around it did */
    SLICE_REPAIRED = 1 << 2,   /* its times had to be changed: negative duration, time travel, out of range */
    SLICE_SOURCE = 1 << 3,     /* the source holds more about its begin: trace_slice_source */
    SLICE_END_SOURCE = 1 << 4, /* ... and about its end: trace_slice_end_source */
    SLICE_LONG = 1 << 5        /* longer than a u32: the duration stands in long_durations */
};

/* A value that few slices have; sorted by slice. */
typedef struct SparseValue {
    uint64_t slice;
    uint64_t value;
} SparseValue;

typedef struct SliceColumns {
    uint64_t  count;
    int64_t  *begin_tick;
    uint32_t *duration; /* ticks; UINT32_MAX with SLICE_LONG */
    uint32_t *label;    /* LabelId.index */
    uint8_t  *flags;
    uint32_t *source; /* input offsets, one for each slice with SLICE_SOURCE, in slice order; or they are in */
    uint64_t *far_source;
    bool      has_far_sources; /* ... this: the input has 4 GiB and more, or nobody said how much it has */
    uint64_t  source_count;
    uint64_t *source_rank; /* per 64 slices: the number of slices with a source before them */
    uint64_t  source_rank_count; /* 0 when no slice has one */
    uint32_t *
        async_thread; /* one for each slice on a TRACK_ASYNC or TRACK_OBJECTS: the thread that began it, as its track */
    uint64_t     async_thread_count;
    uint64_t    *cpu; /* ns of its thread's CPU time, plus 1; 0 = not known. NULL when no slice's is */
    SparseValue *end_source;
    uint64_t     end_source_count;
    SparseValue *long_durations;
    uint64_t     long_count;
    StackColumn  stack, end_stack; /* at its begin, at its end: trace/stacks.h */
} SliceColumns;

typedef enum { INSTANT_THREAD, INSTANT_PROCESS, INSTANT_GLOBAL } InstantScope;

typedef struct InstantColumns {
    uint64_t    count;
    int64_t    *tick; /* sorted within a row */
    uint32_t   *label;
    uint32_t   *thread; /* track index of the thread that wrote it */
    uint8_t    *scope;  /* InstantScope */
    uint64_t   *source; /* input offset + 1; 0 = the source holds nothing more */
    StackColumn stack;
} InstantColumns;

/* Values of counters. A value holds from its tick to the next one's; NaN is a gap. */
typedef struct SampleColumns {
    uint64_t count;
    int64_t *tick; /* sorted within a row; of equal ones the last counts */
    double  *value;
} SampleColumns;

/* Samples of where threads stood, as they were taken. The slices of their tracks are made of them. */
typedef struct ProfileColumns {
    uint64_t  count;
    int64_t  *tick;   /* sorted within a track */
    uint32_t *stack;  /* StackId.index; 0 = not known */
    double   *weight; /* NULL: each weighs 1 */
    bool      has_weights;
} ProfileColumns;

/* What goes by one id in one process. Ids are used again: an object has one or more lives, one after the other. */
typedef struct Object {
    uint32_t process;
    StringId scope, id; /* two objects may have the same id in different scopes */
    uint32_t first_life, life_count;
} Object;

typedef struct ObjectLife {
    uint32_t object;    /* into ObjectColumns.objects */
    StringId base_type; /* as its snapshots say, or STRING_NONE */
    uint64_t slice;     /* on a TRACK_OBJECTS */
    uint64_t first_snapshot;
    uint32_t snapshot_count;
    bool     is_created; /* its creation stands in the source; else it is known from its first event */
} ObjectLife;

typedef struct ObjectColumns {
    Object     *objects; /* sorted by process, scope and id (their numbers, not their texts) */
    uint32_t    object_count;
    ObjectLife *lives; /* by object, then time */
    uint32_t    life_count;
    uint64_t   *snapshots; /* instants, by life, then time */
    uint64_t    snapshot_count;
    uint32_t   *life_of_slice, *life_of_snapshot; /* in the order of the columns, see TrackExtras.first_life */
} ObjectColumns;

/* A context is active on a thread during [begin_tick, end_tick): what begins there then belongs to it. */
typedef struct Context {
    uint32_t thread; /* its track */
    uint32_t label;
    StringId scope, id;
    int64_t  begin_tick, end_tick; /* INT64_MAX = never left */
} Context;

/* The contexts of a thread, by begin. */
typedef struct ContextList {
    const Context *contexts;
    uint32_t       count;
} ContextList;

/* Which memory dump of all processes one of a process belongs to. */
typedef struct DumpPart {
    uint64_t offset; /* of its event */
    StringId id;
} DumpPart;

/* Where two clocks were compared. */
typedef struct ClockSync {
    int64_t  tick;
    StringId id;         /* what the other clock's mark goes by, or STRING_NONE */
    StringId issue_time; /* when it was asked for, as the source writes it, or STRING_NONE */
} ClockSync;

/* Bits of FlowColumns.flags */
enum {
    FLOW_BACKWARDS = 1 << 0,    /* it ends before it begins */
    FLOW_FROM_UNBOUND = 1 << 1, /* `from` is a track, not a slice */
    FLOW_TO_UNBOUND = 1 << 2
};

/* Ticks of the other ends of some arrows. */
typedef struct FlowReach {
    int64_t least, greatest;
} FlowReach;

/* Arrows between slices; trace/flows.h reads them. Sorted by FLOW_FROM_UNBOUND, from, from_offset. */
typedef struct FlowColumns {
    uint64_t  count;     /* fewer than 2^32 */
    uint32_t *from, *to; /* slices */
    uint32_t *from_offset,
        *to_offset;            /* ticks from the slice's begin, unbound: from the trace's; UINT32_MAX: */
    SparseValue *long_offsets; /* ... it stands here, if it is as long; slice = 2 * arrow + FlowSide */
    uint64_t     long_count;
    uint32_t    *label;
    uint8_t     *flags;
    uint32_t    *by_to; /* all arrows, sorted by FLOW_TO_UNBOUND, to, to_offset */
    FlowReach   *reach[2]; /* by FlowSide: of each 64 arrows in its order (trace/flow_reach.h) */
} FlowColumns;

/* An event the engine keeps but does not draw: metadata, phases it does not show yet, and ends without a begin. In file
 * order. */
typedef struct OtherEvent {
    int64_t  tick; /* only if has_tick */
    uint64_t offset;
    uint32_t thread; /* track index; 0 = none */
    uint32_t label;
    uint16_t kind; /* index into Trace.event_kinds */
    bool     has_tick;
    bool     is_metadata; /* it does not count for the time range, nor as an event of its thread */
    bool     is_part;     /* of something that needs all its parts: it is in every range (trace/window.h) */
} OtherEvent;

/* How many events of one kind the source holds, by the format's own name for the kind. */
typedef struct EventKindCount {
    StringId name;
    uint64_t count;
} EventKindCount;

typedef struct Warning {
    const char *kind; /* static: "unmatched-end" */
    uint64_t    count;
    Err         first; /* offset, event and message of the first; code is unused */
} Warning;

/* Something the source says about the whole trace: a top-level key. In file order. */
typedef struct Property {
    StringId    key;
    const char *json; /* the value: valid JSON, in the trace's arena */
    size_t      size;
} Property;

/* Of a trace that grows (trace/live.h): its rows lie anywhere in the columns, with room behind them, so that
 * what holds of tracks' ranges does not; all that is
 * said of rows does. What else goes by ranges of tracks goes by slice or instant: SliceColumns.async_thread,
 * ObjectColumns.life_of_slice, life_of_snapshot. */
typedef struct LivePlaces {
    uint32_t       *rows_by_slice, *rows_by_instant; /* those that have room for any, by where it begins */
    uint32_t        slice_rows, instant_rows;
    uint64_t       *source;                     /* by slice: where in the input its begin stands */
    uint64_t       *end_source;                 /* by slice, where it has SLICE_END_SOURCE */
    uint64_t       *long_durations;             /* of a slice with SLICE_LONG: [duration column] */
    uint32_t       *stack, *end_stack, *instant_stack; /* by slice, by instant: StackId.index, 0 = none */
    uint64_t        slice_capacity, instant_capacity;  /* of the columns: places there may ever be */
    struct Filter **followers; /* filters that are kept up to date with it (trace/filter.h): a list */
    const uint32_t *track_of; /* by what InstantColumns.thread, SliceColumns.async_thread, OtherEvent.thread
                               * and Context.thread hold: the track */
    uint32_t           thread_count;  /* of track_of */
    const uint32_t    *thread_of;     /* the other way round; 0 = it is no thread's */
    const ContextList *contexts;  /* in the place of Trace.contexts: by what thread_of gives ... */
    uint32_t           context_lists; /* ... below this: others have none */
    /* Of the columns' counts, those that are nobody's. */
    uint64_t slice_holes, instant_holes, sample_holes, profile_holes;
} LivePlaces;

typedef struct LodIndex    LodIndex;
typedef struct SampleIndex SampleIndex;

struct Trace {
    Arena        arena; /* everything but the columns */
    StringTable *strings;
    Label       *labels;      /* [0] is none */
    uint32_t     label_count; /* ids run from 1 to this */
    uint32_t idle_label; /* the one with LABEL_RECEDES, the last if there are several; UINT32_MAX = none */
    Process     *processes;   /* [0] is none */
    uint32_t     process_count;
    const char  *perspectives[PERSPECTIVES_MAX]; /* static names of the ways to look at the same events */
    uint32_t     perspective_count;
    uint8_t  perspectives_made; /* bit i: what only perspective i shows is there; the others were left out */
    uint8_t  perspective_counted; /* bit i: of several perspectives this one counts; 0 = there are none */
    Track   *tracks;            /* [0] is none; grouped by process, both in display order */
    uint32_t track_count;
    Row     *rows; /* from 0 */
    uint32_t row_count;
    RowSeries *series; /* [0] is none */
    SliceColumns      slices;
    InstantColumns    instants;
    SampleColumns     samples;
    StackTable        stacks;
    ProfileColumns    profile;
    FlowColumns       flows;
    uint32_t          counter_count; /* tracks of kind TRACK_COUNTER */
    ObjectColumns     objects;
    Context          *contexts; /* a thread's stand together, by begin: trace_contexts */
    uint32_t          context_count;
    DumpPart         *dump_parts; /* in file order */
    uint32_t          dump_count;
    ClockSync        *clock_syncs; /* in file order */
    uint32_t          clock_sync_count;
    OtherEvent       *others;
    uint64_t          other_count;
    EventKindCount   *event_kinds;
    uint32_t          event_kind_count;
    Warning          *warnings; /* by first appearance */
    uint32_t          warning_count;
    Property         *properties;
    uint32_t          property_count;
    const LivePlaces *live; /* NULL = it does not grow */
    LodIndex         *lod;
    SampleIndex      *sample_index;   /* NULL = no counter needs one */
    const char       *format_name;    /* static, the reader's */
    const char       *format_version; /* in arena; "" = none */
    const char       *process_word;   /* static: what those without a name are called, before their id */
    const char       *thread_word;
    bool              complete; /* false: the input ended early or part of it was not decoded */
    Clock             clock;
    bool              has_time;              /* false: no event has a time; begin and end are 0 */
    int64_t           begin_tick, end_tick;  /* first and last time of any event but metadata; begin <= end */
    uint64_t          lead; /* of one that grows: ticks from where tiles count to begin_tick (trace/tile.h); else 0 */
    bool              has_window;            /* only a part of it was asked for: */
    const uint8_t *window_tracks; /* by track: nonzero = in the cut (trace/window.h); NULL = all are */
    int64_t           window_begin, window_end; /* both inside. What goes on in it may have begun before */
    uint64_t          async_slice_count;     /* of slices.count, those on a TRACK_ASYNC */
    uint64_t          sample_slice_count;    /* of slices.count, those on a TRACK_SAMPLES */
    uint32_t          sample_track_count;    /* tracks of kind TRACK_SAMPLES */
    uint64_t          async_instant_count;   /* of instants.count, those on a TRACK_ASYNC */
    uint64_t          state_count;           /* of slices.count, those on a TRACK_STATES */
    uint64_t          derived_instant_count; /* of instants.count, those on tracks that are derived */
    uint64_t          unfinished_count;      /* on threads */
    uint32_t          thread_count;          /* threads with events; without those that divide */
    uint32_t          active_process_count;  /* processes with events */
    uint32_t          max_depth; /* deepest nesting on a thread: 0 = no slices, 1 = no slice inside another */
    void             *kept;      /* what the reader keeps for its `details` (builder_keep), or NULL */
    void (*release_kept)(void *kept);
};

void trace_release(Trace *trace);

/* Of values by slice: how many are of slices before `slice`; the value of `slice`, or NULL. */
uint64_t trace_sparse_before(const SparseValue *values, uint64_t count, uint64_t slice);
const SparseValue *trace_find_sparse(const SparseValue *values, uint64_t count, uint64_t slice);
/* Duration in ticks of slice `slice` (< slices.count). */
uint64_t trace_slice_duration(const Trace *trace, uint64_t slice);
/* begin + duration, saturated. */
int64_t trace_slice_end(const Trace *trace, uint64_t slice);
/* The track of the thread it was begun on. */
uint32_t trace_slice_thread(const Trace *trace, uint64_t slice);
/* Slices, instants: how many there are. (The columns' counts are bounds of their ids: of a trace that grows
 * not every id below is one.) */
uint64_t trace_slice_count(const Trace *trace);
uint64_t trace_instant_count(const Trace *trace);
/* Values of counters. */
uint64_t trace_sample_count(const Trace *trace);
/* Samples of where threads stood. */
uint64_t trace_stack_sample_count(const Trace *trace);
bool     trace_has_slice(const Trace *trace, uint64_t slice);
bool     trace_has_instant(const Trace *trace, uint64_t instant);
/* Slices of threads' nesting; instants of threads, of processes and of the whole trace. */
uint64_t trace_thread_slice_count(const Trace *trace);
uint64_t trace_plain_instant_count(const Trace *trace);
/* The track of the thread that wrote an instant; 0 = not known. */
uint32_t trace_instant_thread(const Trace *trace, uint64_t instant);
/* The track of the thread that an event is of which is not drawn; 0 = none. */
uint32_t trace_other_thread(const Trace *trace, const OtherEvent *other);
/* What contexts a thread (its track) was in. */
ContextList trace_contexts(const Trace *trace, uint32_t thread);
/* The row of a slice; O(log rows). */
uint32_t trace_slice_row(const Trace *trace, uint64_t slice);
/* The row an instant stands in; O(log rows). */
uint32_t trace_instant_row(const Trace *trace, uint64_t instant);
/* The slice's parent in *parent; false at depth 0. `row` must be its row. */
bool trace_slice_parent(const Trace *trace, uint32_t row, uint64_t slice, uint64_t *parent);
/* Direct children: [*first, *first + returned count) in the row below. */
uint64_t trace_slice_children(const Trace *trace, uint32_t row, uint64_t slice, uint64_t *first);
/* Duration without the direct children; clipped, never negative. O(children). */
uint64_t trace_slice_self(const Trace *trace, uint32_t row, uint64_t slice);
/* CPU time its thread had between its begin and its end, in ns, and that without its direct children's; false
 * when it is not known, of the slice or of a child. */
bool trace_slice_cpu(const Trace *trace, uint64_t slice, uint64_t *ns);
/* True if the CPU time of any slice is known. */
static inline bool trace_has_cpu_times(const Trace *trace)
{
    return trace->slices.cpu != NULL;
}
bool trace_slice_cpu_self(const Trace *trace, uint32_t row, uint64_t slice, uint64_t *ns);
/* Where in the input the slice's begin (or its end's own event) stands; false if there is nothing more to know. */
bool trace_slice_source(const Trace *trace, uint64_t slice, uint64_t *offset);
bool trace_slice_end_source(const Trace *trace, uint64_t slice, uint64_t *offset);
/* An entry of SliceColumns.source. */
static inline uint64_t slice_source_at(const SliceColumns *slices, uint64_t at)
{
    return slices->has_far_sources ? slices->far_source[at] : slices->source[at];
}
/* Return the range of a track in the columns: its rows lie there one behind the other, and tell it. Of a trace that
 * grows only the counts are known, in time linear in the rows of the track. */
uint64_t track_first_slice(const Trace *trace, const Track *track);
uint64_t track_slice_count(const Trace *trace, const Track *track);
uint64_t track_first_instant(const Trace *trace, const Track *track);
uint64_t track_instant_count(const Trace *trace, const Track *track);
/* Returns the number of lanes of a track: 1 + those for overlapping slices. */
uint32_t track_lane_count(const Trace *trace, const Track *track);
/* Returns the track of the thread that a TRACK_THREAD, TRACK_STATES or TRACK_SAMPLES belongs to; else 0. */
uint32_t track_thread(const Trace *trace, uint32_t track);
/* The row of (track, lane, depth), or UINT32_MAX. */
uint32_t trace_find_row(const Trace *trace, uint32_t track, uint32_t lane, uint32_t depth);
/* The first of `count` ticks, which never fall, that is not before `tick`; `count` when all are. */
uint32_t ticks_lower_bound(const int64_t *ticks, uint32_t count, int64_t tick);
/* The row's first slice that begins at or after `tick`, its first instant and its first sample there, as
 * indices into the row (its count = none). */
uint32_t row_lower_bound(const Trace *trace, const Row *row, int64_t tick);
uint32_t row_instant_bound(const Trace *trace, const Row *row, int64_t tick);
uint32_t row_sample_bound(const Trace *trace, const Row *row, int64_t tick);
/* The row's slice that holds `tick` (begin <= tick < end), or UINT32_MAX. */
uint32_t row_slice_at(const Trace *trace, const Row *row, int64_t tick);

StringView trace_string(const Trace *trace, StringId id);
StringView trace_label_name(const Trace *trace, uint32_t label);
StringView trace_label_category(const Trace *trace, uint32_t label);
/* True if some label has is_repeat. O(labels). */
bool trace_has_repeats(const Trace *trace);
/* True if the slice or instant shows an event that another one shows as well: Label.is_repeat. */
static inline bool trace_repeats_slice(const Trace *trace, uint64_t slice)
{
    return trace->labels[trace->slices.label[slice]].is_repeat;
}
static inline bool trace_repeats_instant(const Trace *trace, uint64_t instant)
{
    return trace->labels[trace->instants.label[instant]].is_repeat;
}
/* A process or thread id as text ("7", "-1", "gpu"), appended to `out`; nothing for IDENT_NONE. */
void trace_ident_append(const Trace *trace, Ident ident, Bytes *out);
/* What people call it: the name, with the id behind it; "Thread 7" when it has no name. Appended to `out`. */
#define TITLE_PROCESS "Process" /* or what the format calls them: Trace.process_word, thread_word */
#define TITLE_THREAD "Thread"
void trace_track_title(const Trace *trace, uint32_t track, Bytes *out);
/* How many threads go by one noun. */
typedef struct ThreadCount {
    StringId noun; /* Process.thread_noun */
    uint32_t count;
} ThreadCount;
/* The threads with events by what they are called, in the order of the processes: the first `capacity`
 * nouns. Gives their number. */
uint32_t trace_count_threads(const Trace *trace, ThreadCount *counts, uint32_t capacity);
void trace_process_title(const Trace *trace, uint32_t process, Bytes *out);
/* Appends the names of the perspectives that the trace was made for, with ", " between; nothing if its format has
 * none. */
void trace_perspectives_append(const Trace *trace, Bytes *out);

/* Bytes of memory the columns and the index hold. */
uint64_t trace_column_bytes(const Trace *trace);
uint64_t trace_index_bytes(const Trace *trace);

/* Verifies every invariant stated here and in trace/lod.h. For tests and fuzzing. */
bool trace_check(const Trace *trace, Err *err) WARN_UNUSED;

#endif
