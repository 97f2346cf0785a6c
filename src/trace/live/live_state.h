/* trace/live/live_state.h - the state that the parts of a growing trace share. For src/trace only.
 *
 *   live.c           absorbs new events, keeps the time range, drops the oldest events
 *   live_row.c       rows that grow: their places in the columns, their index
 *   live_pair.c      pairs begin and end events of a thread
 *   live_track.c     makes the rows of a thread from its events
 *   live_units.c     assigns lanes to slices that may overlap
 *   live_strand.c    orders the events of one async id or object, and makes its slices
 *   live_async.c, live_objects.c   asynchronous slices, objects
 *   live_counters.c  values of counters
 *   live_samples.c   samples of stacks
 *   live_flows.c     flows
 *   live_others.c    raw events
 *   live_marks.c     instants of processes and of the trace, and instants that show other events
 *   live_contexts.c  active contexts, memory dumps, clock syncs
 *   live_shape.c     the order of processes, tracks and rows */
#ifndef TRACE_LIVE_LIVE_STATE_H
#define TRACE_LIVE_LIVE_STATE_H
#include "base/id_map.h"
#include "base/search.h"
#include "trace/live/live.h"
#include "trace/live/live_space.h"
#include "trace/make/async.h"
#include "trace/make/contexts.h"
#include "trace/make/counters.h"
#include "trace/make/cpu_time.h"
#include "trace/make/objects.h"
#include "trace/make/pairing.h"
#include "trace/make/rescale.h"

/* The items and the number of items of a Bytes that holds an array. */
#define VECTOR(bytes, Type) ((Type *)(void *)(bytes).data)
#define VECTOR_COUNT(bytes, Type) ((bytes).size / sizeof(Type))

/* What a slice of a growing trace is made of. */
typedef struct LiveSlice {
    int64_t  begin, end;
    uint64_t offset, end_offset; /* the latter with SLICE_END_SOURCE */
    uint32_t label;
    uint32_t flags;    /* SLICE_, without SLICE_LONG */
    uint16_t level;    /* see LiveTrace.levels */
    bool     replaces; /* another version of this slice: of the same begin event */
    uint32_t order;    /* among slices that are laid out together: of two versions the greater one counts */
    /* the builder's id of the thread that began an asynchronous slice or an object; 0 for other slices */
    uint32_t thread;
    uint32_t stack, end_stack;
    uint64_t cpu; /* as SliceColumns.cpu */
} LiveSlice;

/* An instant, likewise. */
typedef struct LiveInstant {
    InstantMark mark;
    uint32_t    stack;
    uint32_t    order; /* among those of its time, while they are sorted */
} LiveInstant;

/* A row as the trace has it, and what it will need. */
typedef struct LiveRow {
    Row      row;
    uint32_t place; /* in Trace.rows; UINT32_MAX = it is empty and stands nowhere */
    /* The first of which indices are not up to date; UINT32_MAX = all are. */
    uint32_t changed_slice, changed_sample, changed_instant;
} LiveRow;

/* A begin event whose end has not come. Its slice is the last one of row `level - 1`; while the track is laid out by
 * time it is in any row, or in none. An item of Pairing.open and Pairing.parted. */
typedef struct LiveOpen {
    PairingSlice slice;
    uint32_t     flags; /* SLICE_ */
    uint32_t     stack;
    uint16_t     level;    /* as LiveTrace.levels */
    bool         replaces; /* as LiveSlice.replaces */
    bool         has_cpu;
    CpuTime      cpu; /* if has_cpu */
    int64_t      tick;
    int64_t      end; /* of a parted one */
    uint64_t     offset;
} LiveOpen;

/* The ends of a thread that no begin belongs to. */
typedef struct LiveUnmatched {
    uint64_t count;
    uint64_t first_offset; /* of the one that is first in the input */
    uint32_t first_event;
} LiveUnmatched;

/* The begins and ends since a name without a meaning let an end close a slice, and the thread's state before them:
 * see live_pair.c. */
typedef struct LiveDoubt {
    bool          is_active;
    LiveUnmatched unmatched;
    Bytes         open;  /* LiveOpen[] */
    Bytes         marks; /* EventRecord[] */
    Bytes         cpu;   /* CpuTime[]: the notes on them */
} LiveDoubt;

/* What live_pair.c knows of a thread's ends beside Pairing. */
typedef struct LiveEnds {
    LiveSlice     outer; /* the slice of Pairing.parted[0], as it was closed */
    LiveUnmatched unmatched;
    LiveDoubt     doubt;
    uint32_t      nameless_name; /* with NAMELESS_YES: the StringId of the ends' name */
} LiveEnds;

/* How a track's slices find their rows. */
typedef enum {
    LIVE_BY_MARKS,     /* begins and ends in order: a slice's row is how many were open around it */
    LIVE_BY_TIME_ONCE, /* by what contains what, because slices that had an end have another one now */
    LIVE_BY_TIME       /* there are completes: by what contains what */
} LiveNesting;

typedef struct LiveTrack {
    TrackKind   kind;
    uint32_t    source; /* the builder's thread, process or counter */
    uint32_t    track;  /* in the trace, once it has a place there */
    LiveNesting nesting;
    Pairing     pairing; /* its items are LiveOpen */
    LiveEnds    ends;
    Bytes       rows;                  /* LiveRow[], by lane and depth */
    Bytes       fresh, fresh_instants; /* LiveSlice[], LiveInstant[]: not in the rows yet */
    uint64_t    slice_count, instant_count, sample_count;
    int64_t     last_mark_tick;
    uint64_t    endless_count; /* completes that have no end ... */
    int64_t     endless_from;  /* ... and the earliest of them */
    int64_t     drawn_to;      /* so far what has no end was drawn when the thread was last absorbed */
    bool        any_mark;
    bool        is_put_off;      /* there is something to lay out anew, once it is worth it */
    double      least, greatest; /* of a counter's values */
    SampleSums  sums;            /* of its series, but for so many values that came late */
    uint64_t    late_samples;
    uint32_t    series_count;
    bool        changed;
    uint64_t    version; /* as TrackExtras.version: so many absorbs have changed it */
    bool        let_go;  /* all it had: it stands nowhere, until something comes */
} LiveTrack;

/* What goes by one id: all asynchronous events of a strand, or all events of an object. */
typedef struct LiveStrand {
    Bytes    events; /* AsyncEvent[] or ObjectEvent[], by time, then place in the input */
    Bytes    refs;   /* UnitRef[]: its units, in order of begin */
    Bytes    quiets; /* uint32_t[]: events before which nothing is open, with an earlier moment before them */
    Bytes    cpu;    /* CpuTime[]: notes on its events, by offset */
    uint32_t fresh;  /* events since its units were made */
    bool     is_pending, has_open, is_open_listed, is_freed;
} LiveStrand;

/* An end without a begin, or one that was and has found it. */
typedef struct LiveEnd {
    OtherEvent event; /* with the builder's thread */
    bool       is_kept;
    uint32_t   order; /* among those of its event, while they are sorted */
} LiveEnd;

typedef struct UnitRef {
    int64_t  begin;
    uint64_t offset;
    uint32_t group;
} UnitRef;

/* A slice or instant of a unit. */
typedef struct LiveMember {
    LiveSlice slice; /* of an instant: begin, offset, label, thread, stack, and SLICE_SOURCE */
    uint32_t  depth;
    bool      is_instant;
} LiveMember;

/* An outermost slice, or instant, with all that stands on its lane because of it. */
typedef struct LiveUnit {
    int64_t  begin, end;
    uint64_t offset; /* of the outermost's begin */
    uint32_t strand;
    uint32_t lane;     /* UINT32_MAX = none yet */
    Bytes    members;  /* LiveMember[], by begin */
    bool root_changed; /* its slice in the row is not up to date, nor are those from members[changed] on */
    uint32_t changed;
    uint32_t label;      /* that of its group, if it is the first one */
    StringId base_type;  /* of an object's life */
    bool     is_created; /* likewise */
} LiveUnit;

/* Of a track, beside its rows: what they are made of. */
typedef struct LiveGroup {
    uint32_t process, key; /* the builder's process; a label, or the type of objects */
    Bytes    units;        /* LiveUnit[], in the order in which they choose their lanes */
    Bytes    rewritten;    /* UnitRef[]: units of which slices changed that stay where they are */
    int64_t  from;         /* what begins there or later must be laid out anew; INT64_MAX = nothing */
    uint64_t fresh;        /* units that changed since it was */
    size_t   found;        /* the unit that was looked up last */
    int64_t  kept_from;    /* what ended before was let go; INT64_MIN = nothing was */
    uint32_t label;        /* of the first unit: gives the track its name and category */
} LiveGroup;

typedef struct LiveSampler {
    uint64_t first; /* into ProfileColumns */
    uint32_t count, room;
    uint64_t median;         /* of the intervals between samples ... */
    uint32_t median_of;      /* ... when there were so many */
    int64_t  from;           /* slices that begin there or later are not up to date; INT64_MAX = all are */
    uint64_t fresh;          /* samples since they were */
    int64_t  end, drawn_end; /* until when the last one holds; and as its slices have it */
    /* from there on are samples of stacks that are not known yet, this one the first */
    int64_t  unsettled_from;
    uint32_t unsettled_stack;
    uint64_t steps;      /* taken to compare stacks */
    int64_t  outer_from; /* from there on only outer frames are drawn */
} LiveSampler;

enum { LIVE_OUTER_FRAMES = 64 };

typedef struct LiveStack {
    uint32_t depth;
    uint32_t outer; /* the part of it that has so many frames, if it has more */
} LiveStack;

typedef struct LiveUnits LiveUnits;
struct LiveUnits {
    TrackKind kind;
    size_t    event_size; /* of what strands are made of: it begins with its tick */
    /* Units of the strand's events from `first` on, as LiveUnitMade[], in order of begin. */
    bool (*make)(LiveTrace *live, LiveUnits *units, uint32_t strand, uint32_t first, Bytes *made);
    int (*compare)(const LiveTrace *live, const LiveUnit *a, const LiveUnit *b); /* of equal times */
    Bytes    strands;  /* LiveStrand[], by the builder's */
    Bytes    pending;  /* uint32_t[]: strands whose units are not up to date */
    Bytes    open;     /* uint32_t[]: strands with something that has no end */
    Bytes    dropped;  /* uint32_t[]: strands that were let go */
    Bytes    tracks;   /* LiveTrack[] ... */
    Bytes    groups;   /* ... and LiveGroup[], side by side */
    IdMap    group_of; /* by process and key: 1 + the index of the group */
    uint64_t bytes;    /* of events and units */
    uint64_t steps;    /* taken to find units among those of one tick: the tests bound them */
};

typedef struct LiveUnitMade {
    uint32_t group;
    LiveUnit unit;
} LiveUnitMade;

struct LiveTrace {
    Arena            own; /* holds this struct */
    TraceBuilder    *builder;
    Trace            trace;
    LivePlaces       places;
    LiveOptions      options;
    void            *columns; /* owned, reserved: the memory of all columns */
    size_t           columns_bytes;
    LiveSpace        slices, instants, samples;
    struct Filter   *followers; /* see LivePlaces */
    uint16_t        *levels;    /* by slice: 1 + how many begins were open around it; 0 = a complete */
    CpuCursor        cpu_times; /* over the builder's notes of the absorb that goes on */
    Bytes            long_free; /* uint32_t[]: places in places.long_durations that are free */
    uint32_t         long_used;
    Bytes            free_extras;        /* RowExtras *[]: in `own`, of rows that have gone */
    Bytes            tracks;             /* LiveTrack[]: by the builder's thread, [0] unused */
    Bytes            marks[MARKS_KINDS]; /* LiveTrack[]: by the builder's process; [0]: of the trace */
    Bytes            moments;            /* InstantMark[]: those outside the trace's time */
    Bytes            counters;           /* LiveTrack[]: by the builder's counter */
    LiveUnits        async, objects;
    Bytes            samplers, sampler_tracks; /* LiveSampler[], LiveTrack[]: by the builder's sampler */
    LiveSpace        profiles;                 /* places in ProfileColumns */
    double          *weights;                  /* its column of weights */
    uint32_t        *given_stacks;   /* by its places: the builder's stack, which may be a promise */
    Bytes            stack_depths;   /* LiveStack[], by stack */
    Bytes            frame_labels;   /* uint32_t[], by frame; 0 = not made yet */
    Bytes            flow_events;    /* FlowEvent[], as they came */
    Arena            flow_tables;    /* made anew with the arrows */
    int64_t          flows_from;     /* the earliest that has come since; INT64_MAX = none has */
    uint64_t         flows_hidden;   /* so many of the first have no arrows for now */
    Bytes            others;         /* OtherEvent[], by place in the input, with the builder's threads */
    Bytes            ends;           /* LiveEnd[]: of the absorb that goes on */
    uint64_t         timeless_count; /* of others, those that do not grow old */
    int64_t          others_from;    /* those before it were let go, if any were */
    Bytes            context_events; /* ContextEvent[], as they came */
    ContextsMade     contexts;       /* of all before contexts.first_fresh */
    Arena            context_tables; /* of `contexts`: made anew with them */
    int64_t          contexts_from;  /* the earliest event that is not in `contexts`; INT64_MAX = none */
    bool             contexts_moved; /* the tracks do not refer to `contexts` yet */
    Bytes            dump_parts, clock_syncs; /* as the trace has them */
    int64_t          aside_from;              /* from when on what stands beside the tracks was kept */
    Finish          *finish;                  /* what async.c and objects.c need of it */
    AsyncStrands     async_strands;
    ObjectsMade      objects_made;
    Bytes            object_backlog; /* ObjectEvent[]: taken in when there are enough of them */
    Arena            object_tables;  /* made anew when objects change */
    uint32_t        *process_of;     /* by the builder's process: the trace's */
    Bytes            series_row;     /* uint32_t[]: by the builder's series: its row */
    Arena            shape;          /* processes, tracks, rows; made anew with the shape */
    Arena            scratch;        /* cleared by each absorb */
    Workspace        workspace;
    LiveChange      *change;     /* of the absorb that goes on */
    ClockConversion *conversion; /* likewise, while ticks change */
    uint64_t         shape_mark; /* of names and order: see live_shape.c */
    uint32_t        *track_of;   /* by the builder's thread its track */
    int64_t          kept_from;  /* what ended before was let go, or never was */
    uint64_t         event_count, dropped_count;
    bool             exceeds; /* the trace needs more than keep_bytes after all droppable data was dropped */
    uint64_t         doubt_bytes;       /* of LiveDoubt.marks */
    bool             unmatched_changed; /* LiveEnds.unmatched of some track */
    bool             has_end_sources, has_levels, has_threads, has_stacks, has_instant_stacks;
    bool             reshape, settles, failed, others_were_dropped;
    bool             end_moved; /* in the absorb that goes on */
};

/* ---- live.c ---- */

/* All tracks there are: lists of LiveTrack. */
enum { TRACK_LISTS = 5 + MARKS_KINDS };
void live_track_lists(LiveTrace *live, Bytes *lists[TRACK_LISTS]);
/* As many tracks as the builder has things. */
bool live_tracks_grow(LiveTrace *live, Bytes *tracks, size_t count) WARN_UNUSED;

/* ---- live_row.c ---- */

bool live_columns_reserve(LiveTrace *live) WARN_UNUSED;
void live_columns_release(LiveTrace *live);
/* Returns memory of the columns that no row uses to the system, when that is worth the time. */
void live_columns_trim(LiveTrace *live);
/* Counts the memory of columns that came into use since the last call. Returns false at the memory limit. */
bool live_columns_count(LiveTrace *live) WARN_UNUSED;
/* Returns the bytes of the items that rows have, and those of all items that are in memory. */
uint64_t live_columns_taken(const LiveTrace *live);
uint64_t live_columns_held(const LiveTrace *live);
/* The row of a lane and depth, made when it is new. NULL (and live->failed) when out of memory.
 * Good until the next is made. */
LiveRow *live_row_get(LiveTrace *live, LiveTrack *track, uint32_t lane, uint32_t depth);
/* NULL: there is none. */
LiveRow  *live_row_find(const LiveTrack *track, uint32_t lane, uint32_t depth);
bool      live_slice_append(LiveTrace *live, LiveRow *row, const LiveSlice *slice) WARN_UNUSED;
LiveSlice live_slice_at(const LiveTrace *live, const LiveRow *row, uint32_t i);
/* flags: as LiveSlice.flags; end_offset: with SLICE_END_SOURCE. */
void live_slice_set_end(LiveTrace *live, LiveRow *row, uint32_t i, int64_t end, uint32_t flags,
                        uint64_t end_offset);
/* What its end says besides. */
void live_slice_set_details(LiveTrace *live, const LiveRow *row, uint32_t i, const LiveSlice *slice);
/* All but its begin and offset become what `slice` says. */
void live_slice_rewrite(LiveTrace *live, LiveRow *row, uint32_t i, const LiveSlice *slice);
/* Forgets the slices from `count` on. */
void live_slices_cut(LiveTrace *live, LiveRow *row, uint32_t count);
/* At the place where its tick belongs, behind those of the same tick. */
bool live_instant_add(LiveTrace *live, LiveRow *row, const InstantMark *mark, uint32_t stack) WARN_UNUSED;
void live_instants_cut(LiveRow *row, uint32_t count);
LiveInstant live_instant_at(const LiveTrace *live, const LiveRow *row, uint32_t i);
bool        live_sample_add(LiveTrace *live, LiveRow *row, int64_t tick, double value) WARN_UNUSED;
/* Lets go of the first so many of each; the memory goes back. */
bool live_row_drop(LiveTrace *live, LiveRow *row, uint32_t slices, uint32_t instants,
                   uint32_t samples) WARN_UNUSED;
/* Gives back what empty rows hold, and them. */
void live_rows_tidy(LiveTrace *live, LiveTrack *track);
/* Expresses all its times in another clock. */
void live_row_convert(LiveTrace *live, LiveRow *row, ClockConversion *conversion);
/* Brings the row's index up to date. */
void live_row_index(LiveTrace *live, LiveRow *row);

/* ---- live_counters.c ---- */

bool live_counters_absorb(LiveTrace *live) WARN_UNUSED;
/* Sets TrackExtras.held_to of all counters; after the tracks have their places. */
bool live_counters_end(LiveTrace *live) WARN_UNUSED;

/* ---- live_pair.c ---- */

/* The slice of a begin event without an end, drawn to `end`. */
LiveSlice live_slice_of_open(const LiveOpen *open, int64_t end);
/* The SLICE_ flags of PLACE_ bits. */
uint32_t live_slice_flags(uint32_t bits);
/* Takes in the thread's begin and end events. False (and live->failed): out of memory. */
bool live_marks_take(LiveTrace *live, LiveTrack *track, const ThreadLog *thread) WARN_UNUSED;
/* Brings the warning about unmatched ends up to date: LiveTrace.unmatched_changed. */
void live_warn_unmatched(LiveTrace *live);
/* Forgets the events that could be paired again: slices of theirs were let go. */
bool live_doubt_forget(LiveTrace *live, LiveTrack *track) WARN_UNUSED;
void live_pairing_convert(LiveTrack *track, ClockConversion *conversion);
void live_pairing_release(LiveTrace *live, LiveTrack *track);

/* ---- live_track.c ---- */

/* Takes in what the builder's thread was fed. False (and live->failed): out of memory. */
bool live_thread_absorb(LiveTrace *live, LiveTrack *track, const ThreadLog *thread) WARN_UNUSED;
/* Nothing of the track is left: gives back what it holds besides, until something comes. */
void live_track_empty(LiveTrace *live, LiveTrack *track);
/* Expresses all times of the track in another clock. */
void live_track_convert(LiveTrace *live, LiveTrack *track, ClockConversion *conversion);
/* Slices that have no end yet reach to the end of the trace, or of the thread. */
void live_thread_stretch(LiveTrace *live, LiveTrack *track, const ThreadLog *thread);

/* ---- live_units.c ---- */

/* The group of a process and key, made when it is new. UINT32_MAX (and live->failed): out of memory. */
uint32_t live_group_get(LiveTrace *live, LiveUnits *units, uint32_t process, uint32_t key);
/* Takes a unit over; what it changes is laid out by live_units_lay_out. */
bool live_unit_add(LiveTrace *live, LiveUnits *units, uint32_t group, LiveUnit *unit) WARN_UNUSED;
void live_unit_remove(LiveTrace *live, LiveUnits *units, uint32_t group, const UnitRef *ref);
/* The unit has become another of the same begin; `unit` is taken over. */
bool live_unit_change(LiveTrace *live, LiveUnits *units, const UnitRef *ref, LiveUnit *unit) WARN_UNUSED;
/* Lanes for what changed, and all behind it. */
bool live_units_lay_out(LiveTrace *live, LiveUnits *units) WARN_UNUSED;
/* NULL: it was let go. */
LiveUnit *live_unit_find(LiveUnits *units, const UnitRef *ref);
/* Lets go of the units of a group whose outermost slices, which ended before `tick`, have gone. */
void live_group_drop(LiveUnits *units, uint32_t index, int64_t tick);

/* ---- live_strand.c ---- */

/* Puts an event in its place. */
bool live_strand_add(LiveTrace *live, LiveUnits *units, uint32_t strand, const void *event) WARN_UNUSED;
/* What the builder noted of the CPU time of its event at `offset`, if anything, in the absorb that goes on. */
bool live_strand_note_cpu(LiveTrace *live, LiveUnits *units, uint32_t strand, uint64_t offset) WARN_UNUSED;
/* From event i on nothing that came before is open. In order, above the last one. */
void live_strand_quiet(LiveTrace *live, LiveStrand *strand, uint32_t i);
/* Makes the units of strands that got events, or have something open while the end of the trace has moved. */
bool live_strands_make(LiveTrace *live, LiveUnits *units) WARN_UNUSED;
/* Lets go of the events of strands that ended before, or also (at_once) of those that are open but have no
 * event since, and of the events in between of one that has very many. */
bool live_strands_drop(LiveTrace *live, LiveUnits *units, int64_t tick, bool at_once) WARN_UNUSED;
/* Gives their places back to the builder, once they are many. */
void live_strands_free(LiveTrace *live, LiveUnits *units);
/* But for the tracks. */
void live_units_convert(LiveUnits *units, ClockConversion *conversion);
void live_units_release(LiveUnits *units);

/* ---- live_async.c, live_objects.c ---- */

void live_async_prepare(LiveTrace *live);
bool live_async_absorb(LiveTrace *live) WARN_UNUSED;
void live_objects_prepare(LiveTrace *live);
bool live_objects_absorb(LiveTrace *live) WARN_UNUSED;
/* After the shape: the tables of objects. */
bool live_objects_settle(LiveTrace *live) WARN_UNUSED;

/* ---- live_flows.c ---- */

/* Takes in events of flows. */
bool live_flows_take(LiveTrace *live) WARN_UNUSED;
/* Makes arrows of them, once all else stands. */
bool live_flows_bind(LiveTrace *live) WARN_UNUSED;
/* Lets go of those before `tick`. */
void live_flows_drop(LiveTrace *live, int64_t tick);
void live_flows_convert(LiveTrace *live, ClockConversion *conversion);
void live_flows_release(LiveTrace *live);

/* ---- live_others.c ---- */

/* Takes in what the builder keeps. */
bool live_others_take(LiveTrace *live) WARN_UNUSED;
/* What was found of an end: the last word counts. */
bool live_others_end(LiveTrace *live, const LiveEnd *end) WARN_UNUSED;
/* Puts the ends among the others, once all were found. */
bool live_others_settle(LiveTrace *live) WARN_UNUSED;
/* Lets go of those before `tick`, and of the first of those without a time if they are too many. */
void live_others_drop(LiveTrace *live, int64_t tick, bool at_once);
void live_others_convert(LiveTrace *live, ClockConversion *conversion);
void live_others_release(LiveTrace *live);
/* ---- live_marks.c ---- */

bool live_marks_absorb(LiveTrace *live) WARN_UNUSED;

/* ---- live_contexts.c ---- */

/* Takes in contexts, and what else stands beside the tracks. */
bool live_contexts_absorb(LiveTrace *live) WARN_UNUSED;
/* Gives the tracks their contexts, once the tracks are there. */
bool live_contexts_place(LiveTrace *live) WARN_UNUSED;
/* Lets go of what is older, after the tracks have; at_once: memory is short. */
bool     live_contexts_drop(LiveTrace *live, int64_t tick, bool at_once) WARN_UNUSED;
void     live_contexts_convert(LiveTrace *live, ClockConversion *conversion);
void     live_contexts_release(LiveTrace *live);
uint64_t live_contexts_bytes(const LiveTrace *live);

/* ---- live_samples.c ---- */

/* Takes in what samplers saw; *end becomes that of what the last ones hold if that is later. */
bool live_samples_take(LiveTrace *live, int64_t *end) WARN_UNUSED;
/* Makes slices of it. */
bool live_samples_absorb(LiveTrace *live) WARN_UNUSED;
/* Lets go of the samples of a sampler before the last one before `tick`. */
bool live_samples_drop(LiveTrace *live, uint32_t sampler, int64_t tick) WARN_UNUSED;
void live_samples_convert(LiveTrace *live, ClockConversion *conversion);
void live_samples_release(LiveTrace *live); /* but for the tracks */

/* ---- live_shape.c ---- */

/* Whether names, order or what there is has changed since the last time. */
bool live_shape_changed(LiveTrace *live);
/* Makes the trace's processes, tracks and rows anew. */
bool live_shape_make(LiveTrace *live) WARN_UNUSED;
/* Copies what rows that changed (or all) have become, and counts. False: the shape must be made after all. */
bool live_shape_update(LiveTrace *live, bool all) WARN_UNUSED;

static inline LiveRow *live_rows(const LiveTrack *track)
{
    return VECTOR(track->rows, LiveRow);
}

static inline uint32_t live_row_count(const LiveTrack *track)
{
    return (uint32_t)VECTOR_COUNT(track->rows, LiveRow);
}

enum { MUCH_TO_LAY_OUT = 1 << 14 }; /* slices of a track */

/* Where there is much to make again for little that is new, not each time. */
static inline bool live_puts_off(const LiveTrace *live, uint64_t fresh, uint64_t again, uint64_t much)
{
    enum { SHARE = 8 };
    return !live->settles && again > much && fresh < again / SHARE;
}

/* False (and live->failed) when out of memory. */
static inline bool live_append(LiveTrace *live, Bytes *list, const void *item, size_t size)
{
    bytes_append(list, item, size);
    if (list->failed) live->failed = true;
    return !list->failed;
}

/* Of event i of a list of events of `size` bytes, whatever they are: they begin with their tick. */
static inline int64_t live_tick_at(const uint8_t *events, size_t size, size_t i)
{
    int64_t tick;
    memcpy(&tick, events + i * size, sizeof tick);
    return tick;
}

/* The first of `count` such events, in order of time, that is later than `tick`. */
static inline size_t live_place_behind(const uint8_t *events, size_t count, size_t size, int64_t tick)
{
    size_t low = 0;
    if (count > 0 && live_tick_at(events, size, count - 1) <= tick) return count; /* mostly */
    LOWER_BOUND(size_t, low, count, i, live_tick_at(events, size, i) <= tick);
    return low;
}

/* The earliest moment of which something has changed. */
static inline void live_note_change(LiveTrace *live, LiveTrack *track, int64_t tick)
{
    track->changed = true;
    live->change->any = true;
    if (tick < live->change->from_tick) live->change->from_tick = tick;
}

#endif
