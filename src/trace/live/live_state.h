/* trace/live/live_state.h - the state that the parts of a growing trace share. For src/trace only.
 *
 *   live.c           absorbs new events, keeps the time range, drops the oldest events
 *   live_columns.c   the columns, and the memory that they take
 *   live_row.c       rows that grow: their places in the columns, their index
 *   live_pair.c      takes the events of a thread; pair.c makes slices of them
 *   live_track.c     puts the slices and instants of a thread into rows; nest.c assigns these
 *   live_async.c     asynchronous slices: the events of each id
 *   live_groups.c    tracks of asynchronous slices
 *   live_objects.c   objects
 *   live_counters.c  values of counters
 *   live_samples.c   samples of stacks
 *   live_flows.c     flows
 *   live_others.c    raw events
 *   live_marks.c     instants of processes and of the trace, and instants that show other events
 *   live_contexts.c  active contexts, memory dumps, clock syncs
 *   live_shape.c     the order of processes, tracks and rows
 *   live_copy.c      a copy of the trace, which does not grow */
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
#include "trace/make/profile.h"
#include "trace/make/rescale.h"

/* The items and the number of items of a Bytes that holds an array. */
#define VECTOR(bytes, Type) ((Type *)(void *)(bytes).data)
#define VECTOR_COUNT(bytes, Type) ((bytes).size / sizeof(Type))

/* The properties of a slice of a growing trace. */
typedef struct LiveSlice {
    int64_t  begin, end;
    uint64_t offset, end_offset; /* the latter with SLICE_END_SOURCE */
    uint32_t label;
    uint32_t flags;    /* SLICE_, without SLICE_LONG */
    uint16_t level;    /* see LiveColumns.levels */
    bool     replaces; /* another version of this slice: see INTERVAL_REPLACES */
    uint32_t order;    /* among slices that are laid out together: of two versions the greater one counts */
    /* the builder's id of the thread that began an asynchronous slice or an object; 0 for other slices */
    uint32_t thread;
    uint32_t stack, end_stack;
    uint64_t cpu; /* as SliceColumns.cpu */
    uint32_t id;  /* of an asynchronous slice: its async id */
} LiveSlice;

/* The properties of an instant. */
typedef struct LiveInstant {
    InstantMark mark;
    uint32_t    stack;
    uint32_t    id; /* as LiveSlice.id */
} LiveInstant;

/* The spaces of items: see live_space.h. */
typedef enum {
    SPACE_SLICES,
    SPACE_INSTANTS,
    SPACE_SAMPLES,
    SPACE_PROFILES,
    SPACE_COUNT,
    SPACE_LONG = SPACE_COUNT /* of long durations: without rows */
} SpaceKind;

/* The place of a row's slices, instants or samples, or of a sampler's samples of stacks: pointers to its members. */
typedef struct LivePart {
    SpaceKind kind;
    uint32_t  node_share; /* items of a node of the index, if there is one */
    uint64_t *first;
    uint32_t *count, *room;
    uint32_t *changed;    /* as LiveRow.changed_slice; NULL = no index */
    uint32_t *first_node; /* NULL = no nodes */
} LivePart;

/* A row, and the state of its index. */
typedef struct LiveRow {
    Row       row;
    RowExtras extras;
    uint32_t  place; /* index into Trace.rows; UINT32_MAX = not there, because it is empty */
    /* The first items that the indexes do not cover yet; UINT32_MAX = all are covered. */
    uint32_t changed_slice, changed_sample, changed_instant;
} LiveRow;

/* The unmatched end events of a thread. */
typedef struct LiveUnmatched {
    uint64_t count;
    uint64_t first_offset, first_event; /* of the first one in the input */
} LiveUnmatched;

/* The events since the names of end events were found to have no meaning, and the state of the thread before them: see
 * live_pair.c. */
typedef struct LiveDoubt {
    bool          is_active;
    LiveUnmatched unmatched;
    Bytes         open;  /* PairedSlice[] */
    Bytes         marks; /* EventRecord[] */
    Bytes         ends;  /* LiveEnd[]: the unmatched ends among `marks` */
} LiveDoubt;

typedef struct LiveTrack {
    TrackKind     kind;
    uint32_t      source; /* the builder's thread, process or counter */
    uint32_t      track;  /* index into Trace.tracks; 0 = not there yet */
    PairState     pairing;
    LiveUnmatched unmatched;
    LiveDoubt     doubt;
    Bytes         cpu;                   /* CpuTime[]: of the events of `pairing` and `doubt`, by offset */
    Bytes         rows;                  /* LiveRow[], by lane and depth */
    Bytes         fresh, fresh_instants; /* LiveSlice[], InstantPlace[]: not in the rows yet */
    size_t        known_depth;           /* number of the first open slices that are not in `fresh` */
    int64_t       from; /* slices from here on must be laid out again; INT64_MAX = none must */
    uint64_t      slice_count, instant_count, sample_count;
    uint64_t      endless_count; /* number of complete events without an end */
    int64_t       drawn_to;      /* the end of unfinished slices at the last absorb */
    bool          any_complete;
    double        least, greatest; /* of a counter's values */
    SampleSums    sums;            /* of its series, without late_samples values that arrived late */
    uint64_t      late_samples;
    uint32_t      series_count;
    bool          changed;
    uint64_t      version;    /* as TrackExtras.version: the number of absorbs that changed the track */
    bool          is_removed; /* all its events were removed; a new event brings the track back */
} LiveTrack;

/* All events of one async id. */
typedef struct LiveId {
    Bytes    events;      /* AsyncEvent[], by time, then place in the input */
    Bytes    fresh;       /* AsyncEvent[]: new ones that wait to be inserted, in order of arrival */
    Bytes    sync_points; /* uint32_t[]: events before which no slice is open; the event before is earlier */
    Bytes    cpu;         /* CpuTime[]: notes on its events, by offset */
    uint32_t search;      /* LiveAsync.searches of the last search that found the id ... */
    int64_t  need;        /* ... and the begin of its earliest tree there */
    uint32_t first;       /* with is_chosen: the first event of which trees are made */
    uint32_t group; /* with is_marked: the group of its trees; UINT32_MAX = there are several, or new ones */
    bool     is_pending;   /* its slices in the rows are not up to date */
    bool     is_marked;    /* `events` has all changes to make, and LiveGroup.from of its tracks are set */
    bool     is_chosen;    /* its trees are made in this absorb */
    bool     has_inserted; /* `events` has new ones */
    bool     has_open, is_open_listed, is_freed;
} LiveId;

/* A new synchronisation point of an id. */
typedef struct LiveSync {
    uint32_t id, event;
} LiveSync;

/* An unmatched end event, or one that was unmatched and has since been paired. */
typedef struct LiveEnd {
    OtherEvent event; /* with the builder's thread */
    bool       is_kept;
    uint32_t   order; /* among those of its event, while they are sorted */
} LiveEnd;

/* A track of asynchronous slices. */
typedef struct LiveGroup {
    uint32_t process, label; /* of the builder */
    int64_t  from;           /* slices from here on must be laid out again; INT64_MAX = none must */
    bool     is_chosen;      /* it is laid out in this absorb */
} LiveGroup;

typedef struct LiveSampler {
    uint64_t first; /* into ProfileColumns */
    uint32_t count, room;
    uint64_t median;         /* of the intervals between samples */
    uint32_t median_of;      /* the number of samples from which `median` was computed */
    int64_t  from;           /* slices from here on are not up to date; INT64_MAX = all are */
    uint64_t fresh;          /* number of samples since the slices were up to date */
    int64_t  end, drawn_end; /* the end of the last sample; that end in the slices */
    /* from here on samples have stacks that are not known yet; the first of these stacks */
    int64_t  unsettled_from;
    uint32_t unsettled_stack;
    int64_t  outer_from; /* as SampleWalk.outer_from */
} LiveSampler;

/* Asynchronous slices. */
typedef struct LiveAsync {
    Bytes      ids;       /* LiveId[], by the builder's async id */
    Bytes      pending;   /* uint32_t[]: ids with is_pending */
    Bytes      open;      /* uint32_t[]: ids with unfinished slices */
    Bytes      dropped;   /* uint32_t[]: ids without events, because these were removed */
    Bytes      tracks;    /* LiveTrack[] */
    Bytes      groups;    /* LiveGroup[], with the indices of `tracks` */
    IdMap      group_of;  /* by process and label: 1 + the index of the group */
    int64_t    drawn_to;  /* the end of unfinished slices in the rows */
    int64_t    kept_from; /* slices that ended before were removed; INT64_MIN = none were */
    AsyncMaker made;      /* the trees of the chosen ids */
    Bytes      chosen;    /* uint32_t[]: ids with is_chosen */
    Bytes      syncs;     /* LiveSync[]: of the chosen ids */
    Bytes      found;     /* uint32_t[]: ids of the last search */
    uint32_t   searches;
    uint64_t   credit; /* the number of events that large changes may make again */
    uint64_t   bytes;  /* of events and CPU times */
    uint64_t   steps;  /* the number of events that were made, repetitions included: the tests bound it */
} LiveAsync;

/* The memory of the columns, and the columns that Trace and LivePlaces do not have. */
typedef struct LiveColumns {
    void  *memory; /* owned, reserved: all columns */
    size_t bytes;
    /* the places of rows, and of samplers in ProfileColumns (SPACE_PROFILES) */
    LiveSpace spaces[SPACE_COUNT];
    uint16_t *levels; /* by slice: 1 + the number of open slices at its begin event; 0 = a complete event */
    uint32_t *slice_ids, *instant_ids; /* by slice, instant: as LiveSlice.id */
    double   *weights;                 /* by place of ProfileColumns */
    uint32_t *given_stacks;            /* likewise: the builder's stack, which may be unknown so far */
    Bytes     long_free;               /* uint32_t[]: free places in LivePlaces.long_durations */
    uint32_t  long_used;
    /* the optional columns that are written; has_rows is always set */
    bool has_rows, has_end_sources, has_levels, has_threads, has_stacks, has_instant_stacks, has_objects,
        has_ids;
} LiveColumns;

/* Samples of stacks. */
typedef struct LiveSamplers {
    Bytes      all, tracks; /* LiveSampler[], LiveTrack[]: by the builder's sampler */
    SampleWalk walk;
} LiveSamplers;

typedef struct LiveFlows {
    size_t   known;  /* number of the builder's events that earlier absorbs have seen */
    Arena    tables; /* of the arrows: cleared before these are made again */
    int64_t  from;   /* the earliest event without an arrow so far; INT64_MAX = none */
    uint64_t hidden; /* number of the first events that have no arrows now */
} LiveFlows;

/* Raw events. */
typedef struct LiveRaw {
    size_t   known;          /* number of the builder's events that earlier absorbs have seen */
    Bytes    ends;           /* LiveEnd[]: of the current absorb */
    uint64_t timeless_count; /* number of events without a timestamp */
    int64_t  from;           /* events before this tick were removed, if were_dropped */
    bool     were_dropped;
} LiveRaw;

/* Contexts, memory dumps and clock syncs. */
typedef struct LiveContexts {
    size_t       known;  /* number of the builder's events that earlier absorbs have seen */
    ContextsMade made;   /* of all events before made.first_fresh */
    Arena        tables; /* of `made`: cleared before the contexts are made again */
    int64_t      from;   /* the earliest event that is not in `made`; INT64_MAX = none */
    bool         moved;  /* the tracks have no reference to the new contexts yet */
} LiveContexts;

typedef struct LiveObjects {
    size_t  sorted_count; /* number of the builder's events that are in order of time */
    size_t  made_count;   /* number of the first events that have lives */
    int64_t made_end,
        drawn_to;           /* the end of the trace when the lives were made; of lives that have not ended */
    Bytes     tracks;       /* LiveTrack[] */
    IdMap     track_of;     /* by process and type: 1 + the index of the track */
    uint32_t *group_tracks; /* the track, by group of Finish.objects */
    Arena     tables;       /* of these groups and of the trace: cleared before they are made again */
    bool      moved;        /* the tables do not have the places of the lives yet */
    bool      were_dropped; /* events were removed */
} LiveObjects;

/* The processes, tracks and rows of the trace: see live_shape.c. */
typedef struct LiveShape {
    Arena    arena;      /* cleared before they are made again */
    uint64_t hash;       /* of names and order */
    bool     is_stale;   /* they must be made again */
    Bytes    series_row; /* uint32_t[]: the row, by the builder's series */
} LiveShape;

/* The current absorb. */
typedef struct LiveNow {
    LiveChange *change;
    CpuCursor   cpu_times; /* over the builder's CPU times */
    bool        settles;   /* it also makes the postponed changes */
} LiveNow;

/* The threads. */
typedef struct LiveThreads {
    Bytes    tracks;            /* LiveTrack[]: by the builder's thread, [0] unused */
    Bytes    spare;             /* the memory of LiveTrack.fresh of a track that needs none now */
    uint64_t doubt_bytes;       /* of LiveDoubt.marks */
    bool     unmatched_changed; /* LiveTrack.unmatched of a thread has changed */
} LiveThreads;

/* The instants of processes and of the trace. */
typedef struct LiveMarks {
    Bytes tracks[MARKS_KINDS]; /* LiveTrack[]: by the builder's process; [0]: of the trace */
    Bytes moments;             /* InstantMark[]: instants outside the time range of the trace */
} LiveMarks;

/* The removal of the oldest events. */
typedef struct LiveKept {
    int64_t  from;       /* the trace has no slices that ended before */
    int64_t  aside_from; /* contexts, flows and dumps before this tick were removed */
    uint64_t dropped_count;
    bool     exceeds; /* the trace needs more than keep_bytes after all droppable data was dropped */
} LiveKept;

struct LiveTrace {
    Arena          own; /* holds this struct */
    TraceBuilder  *builder;
    Trace          trace;
    LivePlaces     places;
    LiveOptions    options;
    LiveColumns    columns;
    struct Filter *followers; /* see LivePlaces */
    LiveThreads    threads;
    LiveMarks      marks;
    Bytes          counters; /* LiveTrack[]: by the builder's counter */
    LiveAsync      async;
    LiveObjects    objects;
    LiveSamplers   samplers;
    LiveFlows      flows;
    LiveRaw        raw;
    LiveContexts   contexts;
    LiveShape      shape;
    LiveNow        now;
    LiveKept       kept;
    Finish        *finish;  /* the state that async.c and objects.c use */
    Arena          scratch; /* cleared by each absorb */
    Workspace      workspace;
    uint64_t       event_count;
    bool           failed;
};

/* ---- live.c ---- */

/* A walk over all tracks, initially zeroed. live_track_next returns NULL at the end. */
typedef struct TrackWalk {
    size_t list, next;
} TrackWalk;
LiveTrack *live_track_next(LiveTrace *live, TrackWalk *walk);
/* Releases the lists of a track. */
void live_track_release(LiveTrace *live, LiveTrack *track);
/* Appends tracks until there are `count`. */
bool live_tracks_grow(LiveTrace *live, Bytes *tracks, size_t count) WARN_UNUSED;
/* Returns the number of slices, instants and samples of a track before `tick`. */
uint64_t live_track_count_old(const LiveTrace *live, const LiveTrack *track, int64_t tick);
/* Removes them. at_once: memory is short. */
bool live_track_drop(LiveTrace *live, LiveTrack *track, int64_t tick, bool at_once) WARN_UNUSED;
/* Converts a tick to another clock. INT64_MIN and INT64_MAX stay: they mean none. */
void live_convert_tick(ClockConversion *conversion, int64_t *tick);

/* ---- live_columns.c ---- */

/* The nodes of a row begin at a sixteenth of its place. Rooms are multiples of 32 items, so this leaves two nodes for
 * each 32 items, which are enough for all levels. */
enum { NODE_SHARE = 16 };

bool live_columns_reserve(LiveTrace *live) WARN_UNUSED;
void live_columns_release(LiveTrace *live);
/* Returns memory of the columns that no row uses to the system, when that is worth the time. */
void live_columns_trim(LiveTrace *live);
/* Counts the memory of columns that came into use since the last call. Returns false at the memory limit. */
bool live_columns_count(LiveTrace *live) WARN_UNUSED;
/* Returns the bytes of the items that rows have, and those of all items that are in memory. */
uint64_t live_columns_taken(const LiveTrace *live);
uint64_t live_columns_held(const LiveTrace *live);
/* Moves `count` items in all columns that are present. The two ranges may overlap within one room. */
void live_items_move(LiveTrace *live, SpaceKind kind, uint64_t from, uint64_t to, uint32_t count);
/* Sets the duration of a slice. Out of memory: live->failed. */
void live_duration_set(LiveTrace *live, uint64_t slice, uint64_t duration);
/* Frees the place of the duration of a slice that is removed. */
void live_duration_give(LiveTrace *live, uint64_t slice);
/* The memory of a copy of the columns. */
typedef struct ColumnsCopy {
    void  *items, *zeros; /* those of all columns without items that are written so far */
    size_t size, zeros_size;
} ColumnsCopy;
/* Copies the columns and sets the pointers to them in `to`. False: out of memory. Release the copy in either case. */
bool live_columns_copy(const LiveTrace *live, LiveTrace *to, ColumnsCopy *copy) WARN_UNUSED;
void live_columns_copy_release(ColumnsCopy *copy); /* a zeroed one is allowed */

/* ---- live_row.c ---- */

/* Returns the row of a lane and depth, created on first use. NULL (and live->failed) when out of memory. The pointer
 * is valid until the next row is created. */
LiveRow *live_row_get(LiveTrace *live, LiveTrack *track, uint32_t lane, uint32_t depth);
/* As live_row_get, but returns NULL if the row does not exist. */
LiveRow *live_row_find(const LiveTrack *track, uint32_t lane, uint32_t depth);
/* Inserts an item without values before item `at`. The part moves if it has no room. */
bool live_part_insert(LiveTrace *live, const LivePart *part, uint32_t at) WARN_UNUSED;
/* Removes the first items, and releases their memory. */
bool      live_part_drop(LiveTrace *live, const LivePart *part, uint32_t count) WARN_UNUSED;
LiveSlice live_slice_at(const LiveTrace *live, const LiveRow *row, uint32_t i);
/* Sets all properties of slice i except its begin and offset. */
void live_slice_rewrite(LiveTrace *live, LiveRow *row, uint32_t i, const LiveSlice *slice);
/* Sets the properties of slice i that differ, except its begin and offset, and records the change. */
void live_slice_update(LiveTrace *live, LiveTrack *track, LiveRow *row, uint32_t i, const LiveSlice *slice);
/* Removes the slices from `count` on. */
void live_slices_cut(LiveTrace *live, LiveRow *row, uint32_t count);
/* Extends the slices that have not ended and are the last ones of their rows before `tick` to `end`. One inside a
 * finished slice waits to be laid out again. */
void live_rows_stretch(LiveTrace *live, LiveTrack *track, int64_t tick, int64_t end);
/* Inserts an instant in order of time, after those of the same tick. */
bool        live_instant_add(LiveTrace *live, LiveRow *row, const LiveInstant *instant) WARN_UNUSED;
void        live_instants_cut(LiveRow *row, uint32_t count);
LiveInstant live_instant_at(const LiveTrace *live, const LiveRow *row, uint32_t i);
/* Items that are put into rows, if they begin at `from` or later. */
typedef struct PutItems {
    const LiveSlice     *slices; /* by Interval.extra - 1; NULL = they are made of intervals and `extras` */
    const IntervalExtra *extras;
    const uint32_t      *ids, *instant_ids; /* their async ids; NULL = they have none */
    int64_t              from;
} PutItems;
/* Returns the slice of an interval; id: its async id. */
LiveSlice live_put_slice(LiveTrace *live, const PutItems *items, const Interval *interval, uint32_t id);
/* Appends the slices and adds the instants of `work` to the rows of a track. False (and live->failed): out of memory. */
bool live_rows_put(LiveTrace *live, LiveTrack *track, const TrackWork *work,
                   const PutItems *items) WARN_UNUSED;
/* Replaces the slices and instants of a track from PutItems.from on, which have not changed up to a difference. False (and
 * live->failed): out of memory. */
bool live_group_put(LiveTrace *live, LiveTrack *track, const SliceGroup *group,
                    const PutItems *items) WARN_UNUSED;
bool live_sample_add(LiveTrace *live, LiveRow *row, int64_t tick, double value) WARN_UNUSED;
/* Removes the first slices, instants and samples, and releases their memory. */
bool live_row_drop(LiveTrace *live, LiveRow *row, uint32_t slices, uint32_t instants,
                   uint32_t samples) WARN_UNUSED;
/* Removes empty rows and releases their memory. */
void live_rows_tidy(LiveTrace *live, LiveTrack *track);
/* Converts all times of the row to another clock. */
void live_row_convert(LiveTrace *live, LiveRow *row, ClockConversion *conversion);
/* Updates the index of the row. */
void live_row_index(LiveTrace *live, LiveRow *row);

/* ---- live_counters.c ---- */

bool live_counters_absorb(LiveTrace *live) WARN_UNUSED;
/* Sets TrackExtras.held_to of all counters. Call it after live_shape_make. */
bool live_counters_end(LiveTrace *live) WARN_UNUSED;

/* ---- live_pair.c ---- */

/* Returns the slice of an interval; cpu: of its events. */
LiveSlice live_slice_of(LiveTrace *live, const Interval *interval, const IntervalExtra *extra,
                        CpuCursor *cpu);
/* Takes the new begin, end and complete events of the thread, whose unfinished slices end at `end`. Their slices are in
 * LiveTrack.fresh afterwards, or finished in the rows. False (and live->failed): out of memory. */
bool live_events_take(LiveTrace *live, LiveTrack *track, ThreadLog *thread, int64_t end) WARN_UNUSED;
/* Updates the warning about unmatched ends, after LiveTrace.unmatched_changed was set. */
void live_warn_unmatched(LiveTrace *live);
/* Removes the events that could be paired again, because some of their slices were removed. */
bool live_doubt_forget(LiveTrace *live, LiveTrack *track) WARN_UNUSED;
void live_pairing_convert(LiveTrack *track, ClockConversion *conversion);
void live_pairing_release(LiveTrace *live, LiveTrack *track);

/* ---- live_track.c ---- */

/* Adds the new events of the builder's thread to the rows, and extends unfinished slices to the end of the trace, or of
 * the thread. False (and live->failed): out of memory. */
bool live_thread_absorb(LiveTrace *live, LiveTrack *track, ThreadLog *thread) WARN_UNUSED;
/* Removes the slices and instants of a track from `tick` on from its rows. */
void live_track_cut(LiveTrace *live, LiveTrack *track, int64_t tick);
/* Releases the memory of a track without events, until a new event arrives. */
void live_track_empty(LiveTrace *live, LiveTrack *track);
/* Converts all times of the track to another clock. */
void live_track_convert(LiveTrace *live, LiveTrack *track, ClockConversion *conversion);

/* ---- live_async.c ---- */

void live_async_prepare(LiveTrace *live);
/* Takes the builder's new asynchronous events. */
bool live_async_absorb(LiveTrace *live) WARN_UNUSED;
/* Removes the slices that ended before `tick`, and the events of ids that ended, once they are a quarter. at_once: at once,
 * and also those of open ids without a later event, and most events of an id that has very many. */
bool live_async_drop(LiveTrace *live, int64_t tick, bool at_once) WARN_UNUSED;
/* Returns the indices of removed ids to the builder, if they are many. */
void live_async_free_ids(LiveTrace *live);
/* Converts all ticks to another clock, except those of the tracks. */
void live_async_convert(LiveTrace *live, ClockConversion *conversion);
void live_async_release(LiveTrace *live); /* without the tracks */
/* Returns the CPU times of the events of an id. */
CpuCursor live_async_cpu(const LiveTrace *live, uint32_t id);
/* Returns the number of events from which the trees of an id are made that begin at `tick` or later. */
size_t live_async_count_from(const LiveTrace *live, uint32_t id, int64_t tick);
/* Has these trees made in this absorb. */
bool live_async_choose(LiveTrace *live, uint32_t id, int64_t tick) WARN_UNUSED;

/* ---- live_groups.c ---- */

/* Returns the group of a process and label, created on first use. UINT32_MAX (and live->failed): out of memory. */
uint32_t live_group_get(LiveTrace *live, uint32_t process, uint32_t label);
/* Has the group with trees that begin with such an event laid out again from `tick` on. Returns it; UINT32_MAX: no tree
 * began so yet. */
uint32_t live_group_mark(LiveTrace *live, const AsyncEvent *event, int64_t tick);
/* True if a change of the group waits for more. */
bool live_group_waits(const LiveTrace *live, uint32_t group);
/* Counts new events, for the decision which changes wait. */
void live_groups_allow(LiveTrace *live, uint64_t fresh);
/* Chooses the groups that are laid out now, and the ids of their trees. any_waits: an id waits. */
bool live_groups_choose(LiveTrace *live, bool any_waits) WARN_UNUSED;
/* Lays out the chosen groups with the trees of LiveAsync.made. Extends unfinished slices to the end of the trace. */
bool live_groups_put(LiveTrace *live) WARN_UNUSED;
/* Removes the slices and instants before `tick` from the rows, if that is worth it. */
bool live_groups_drop(LiveTrace *live, int64_t tick, bool at_once, bool *is_worth_it) WARN_UNUSED;

/* ---- live_objects.c ---- */

/* Takes the builder's new events of objects. */
bool live_objects_absorb(LiveTrace *live) WARN_UNUSED;
/* Sets the places of lives and snapshots in the tables. Call it after live_shape_make. */
bool live_objects_settle(LiveTrace *live) WARN_UNUSED;
/* Removes the lives that ended before `tick`, and the older snapshots of the others except the last one. at_once: also
 * if there are few, and lives that have not ended and have no later event. */
bool live_objects_drop(LiveTrace *live, int64_t tick, bool at_once) WARN_UNUSED;
void live_objects_release(LiveTrace *live); /* without the tracks */

/* ---- live_flows.c ---- */

/* Takes the builder's new events of flows. */
void live_flows_take(LiveTrace *live);
/* Makes the arrows. Call it after all slices are in their rows. */
bool live_flows_bind(LiveTrace *live) WARN_UNUSED;
/* Removes the events before `tick`. */
void live_flows_drop(LiveTrace *live, int64_t tick);
void live_flows_release(LiveTrace *live);

/* ---- live_others.c ---- */

/* Takes the builder's new raw events. */
void live_others_take(LiveTrace *live);
/* Records that an end event is unmatched, or is not unmatched any more. The last call for an event counts. */
bool live_others_end(LiveTrace *live, const LiveEnd *end) WARN_UNUSED;
/* Inserts the unmatched ends into the raw events, and removes the paired ones. */
bool live_others_settle(LiveTrace *live) WARN_UNUSED;
/* Removes the raw events before `tick`, and the first ones without a timestamp if these are too many. */
void live_others_drop(LiveTrace *live, int64_t tick, bool at_once);
/* ---- live_marks.c ---- */

bool live_marks_absorb(LiveTrace *live) WARN_UNUSED;

/* ---- live_contexts.c ---- */

/* Makes the contexts again, if there are new ones. */
bool live_contexts_absorb(LiveTrace *live) WARN_UNUSED;
/* Assigns the contexts to the tracks. Call it after live_shape_make. */
bool live_contexts_place(LiveTrace *live) WARN_UNUSED;
/* Removes older contexts, dumps and clock syncs, after those of the tracks. at_once: memory is short. */
bool     live_contexts_drop(LiveTrace *live, int64_t tick, bool at_once) WARN_UNUSED;
void     live_contexts_convert(LiveTrace *live, ClockConversion *conversion);
void     live_contexts_release(LiveTrace *live);
uint64_t live_contexts_bytes(const LiveTrace *live);

/* ---- live_samples.c ---- */

/* Takes the builder's new samples of stacks. *end becomes the end of the last sample, if that is later. */
bool live_samples_take(LiveTrace *live, int64_t *end) WARN_UNUSED;
/* Makes slices of the samples. */
bool live_samples_absorb(LiveTrace *live) WARN_UNUSED;
/* Removes the samples of a sampler before `tick`, except the last of them, which still holds at `tick`. */
bool live_samples_drop(LiveTrace *live, uint32_t sampler, int64_t tick) WARN_UNUSED;
void live_samples_convert(LiveTrace *live, ClockConversion *conversion);
void live_samples_release(LiveTrace *live); /* without the tracks */

/* ---- live_shape.c ---- */

/* True if names, the order or the set of tracks and rows have changed since the last call. */
bool live_shape_changed(LiveTrace *live);
/* Makes the processes, tracks and rows of the trace again. */
bool live_shape_make(LiveTrace *live) WARN_UNUSED;
/* Copies changed rows (or all) to the trace, and updates the counts. False: live_shape_make is necessary. */
bool live_shape_update(LiveTrace *live, bool all) WARN_UNUSED;

static inline LiveId *live_id_at(const LiveTrace *live, uint32_t id)
{
    return &VECTOR(live->async.ids, LiveId)[id];
}

/* Returns a cursor over a list of CpuTime. */
static inline CpuCursor live_cpu_cursor(const Bytes *times)
{
    return (CpuCursor){ VECTOR(*times, const CpuTime), VECTOR_COUNT(*times, CpuTime), 0 };
}

static inline LiveRow *live_rows(const LiveTrack *track)
{
    return VECTOR(track->rows, LiveRow);
}

static inline uint32_t live_row_count(const LiveTrack *track)
{
    return (uint32_t)VECTOR_COUNT(track->rows, LiveRow);
}

enum { MUCH_TO_LAY_OUT = 1 << 14 }; /* slices of a track */

/* True if a change should wait for more: `fresh` new items require `again` items to be made again, more than `much`. */
static inline bool live_postpones(const LiveTrace *live, uint64_t fresh, uint64_t again, uint64_t much)
{
    enum { SHARE = 8 };
    return !live->now.settles && again > much && fresh < again / SHARE;
}

/* Appends an item. False (and live->failed) when out of memory. */
static inline bool live_append(LiveTrace *live, Bytes *list, const void *item, size_t size)
{
    bytes_append(list, item, size);
    if (list->failed) live->failed = true;
    return !list->failed;
}

/* Records a change of the track from `tick` on. */
static inline void live_note_change(LiveTrace *live, LiveTrack *track, int64_t tick)
{
    track->changed = true;
    live->now.change->any = true;
    if (tick < live->now.change->from_tick) live->now.change->from_tick = tick;
}

#endif
