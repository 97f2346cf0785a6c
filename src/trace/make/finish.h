/* trace/make/finish.h - the steps from a thread's logs to its part of the columns. For src/trace only.
 *
 *   direct.c  the fast path for threads with simple begins and ends, which are stored in rows already
 *   pair.c    otherwise: ends find their begins: begins, ends and completes -> intervals
 *   pairing.c the rules of pairing
 *   nest.c    intervals and instants in order -> lanes and depths -> rows
 *   few.c     the same for a thread with few simple begins and ends, which has no log
 *   nest_back.c  the same as pair.c and nest.c, for events that were written at their ends
 *   async.c, counters.c, objects.c   tracks that are not the nesting of a thread
 *   contexts.c  the active contexts of threads
 *   others.c  raw events, including ends without a begin
 *   layout.c  the order of processes and threads, and their places in the columns
 *   finish.c  runs all this for every thread and combines the results
 *
 * Threads are processed in parallel, each in one Workspace; data that outlives this step goes to its results arena. */
#ifndef TRACE_MAKE_FINISH_H
#define TRACE_MAKE_FINISH_H
#include "base/vec.h"
#include "trace/log/builder_log.h"
#include "trace/make/stack_columns.h"

#include <stdatomic.h>

/* Pages that are reused from track to track, because fresh memory is the most expensive resource. */
typedef struct Pages {
    void  *data;
    size_t size;
} Pages;

/* A future slice. The low bits of place are SLICE_ and INTERVAL_ flags. */
typedef struct Interval {
    int64_t  begin, end;
    uint64_t place;
    uint32_t label;
    uint32_t event;
    uint32_t extra; /* 1 + index into Workspace.extras; 0 = none */
    uint32_t row;   /* from pair.c: the number of open begins around it; from nest.c: its row */
} Interval;

/* Properties that few intervals have. */
typedef struct IntervalExtra {
    uint64_t end_offset; /* if SLICE_END_SOURCE */
    uint32_t stack, end_stack;
    uint32_t colour; /* as Label.colour: the colour of the end event */
} IntervalExtra;
typedef VEC(IntervalExtra) IntervalExtras;

enum {
    INTERVAL_PAIRED = 1 << 8,     /* made of a begin and an end, not of a complete event */
    INTERVAL_EXCHANGED = 1 << 10, /* END_EXCHANGED has changed it after its end */
    INTERVAL_REPLACES = 1 << 11   /* of a growing trace: another version of a slice of the same begin event */
};

/* The intervals of a track have 32-bit indices, and so have the slices of a row. */
#define MOST_INTERVALS UINT32_MAX

typedef struct InstantPlace {
    InstantMark mark;
    uint32_t    row;
    uint32_t    stack;
} InstantPlace;

typedef struct WorkRow {
    uint32_t lane, depth;
    uint64_t slice_count, instant_count, sample_count;
    StringId series; /* of a counter */
    uint32_t colour; /* of a counter */
} WorkRow;

typedef struct SortKey {
    uint64_t key;
    uint64_t index;
} SortKey;

/* Items to be sorted. Each begins with an int64_t, its time. */
typedef struct SortItems {
    const void *items;
    size_t      count, item_size;
    uint64_t (*group_of)(const TraceBuilder *builder, const void *item); /* NULL = there are no groups */
} SortItems;

/* Returns a number with the order of a tick, and the tick of such a number. */
static inline uint64_t tick_key(int64_t tick)
{
    return (uint64_t)tick ^ (uint64_t)INT64_MIN;
}

static inline int64_t tick_of_key(uint64_t key)
{
    return (int64_t)(key ^ (uint64_t)INT64_MIN);
}

typedef struct TrackWarning TrackWarning;
struct TrackWarning {
    TrackWarning *next;
    Warning       warning;
};

/* An end without a begin, a future raw event in Trace.records.others. */
typedef struct UnmatchedEnd UnmatchedEnd;
struct UnmatchedEnd {
    UnmatchedEnd *next;
    int64_t       tick;
    uint64_t      offset;
    uint32_t      label;
    uint32_t      track;          /* of the trace, once known */
    uint32_t      builder_thread; /* of asynchronous ones; 0 = the track of the end */
    /* of asynchronous ones: 1 + index into Trace.records.event_kinds; 0 = the format's kind of ends */
    uint32_t kind_plus_one;
};

/* A slice that is open while slices are nested. */
typedef struct OpenSlice {
    int64_t  begin, end;
    uint64_t place; /* as Interval.place */
    uint32_t level; /* of a paired slice: the number of open begins around it */
} OpenSlice;

/* A slice that is open where the nesting of a growing track continues. */
typedef struct NestOpen {
    OpenSlice slice;
    uint32_t  lane;
} NestOpen;

/* The input and the results of the work on one track. */
typedef struct TrackWork {
    /* input */
    ThreadLog *thread; /* its logs are empty after the intervals or the columns are made */
    int64_t    unfinished_end;
    bool       overlaps_are_fine; /* they need no warning */
    /* of a growing track: the slices that are open before the intervals, by lane, outermost first; of each lane from
     * LANES_SEARCHED on one slice, with the end of the last one there (INT64_MIN: none) */
    const NestOpen *open;
    size_t          open_count;
    uint32_t        open_lanes; /* number of lanes before the intervals */
    /* from pair.c */
    Interval *intervals; /* in the workspace */
    size_t    interval_count;
    size_t    paired_count; /* the first ones, in order of begin, are INTERVAL_PAIRED */
    uint64_t  unfinished_count;
    /* from order.c, in the workspace: the indices of the intervals in order; NULL = the intervals themselves are in order */
    uint32_t *order;
    /* from nest.c */
    InstantPlace
             *instants; /* in order of time; in the workspace, or of a growing track given, in any order */
    size_t    instant_count;
    WorkRow  *rows; /* in order of lane and depth; without those of far lanes: work_row */
    uint32_t  row_count;
    uint32_t  lane_count;       /* only from nest.c */
    uint32_t *far_slice_counts; /* in the results arena: of the one row of each far lane */
    uint32_t  far_count;
    /* from finish.c, in the results arena; slice ids are the trace's */
    SparseValue  *long_durations, *end_sources;
    SparseValue  *colours; /* colours of end events */
    uint64_t      long_count, end_source_count, colour_count;
    PackedStacks  stacks[3]; /* of begins, of ends, of instants */
    TrackWarning *warnings;
    UnmatchedEnd *unmatched; /* in the results arena, last one first */
    uint64_t      unmatched_count;
} TrackWork;

/* The stored row of a track without samples. */
typedef struct KeptRow {
    uint32_t lane, depth;
    uint32_t slice_count, instant_count;
} KeptRow;

/* The stored results of a track, in the results arena. Most tracks have only rows. */
typedef struct KeptTrack {
    TrackWork *work; /* all results; NULL = only the rows below */
    uint32_t   row_count;
    KeptRow    rows[]; /* if work is NULL */
} KeptTrack;

/* The heads of the lists of slices with one name, each as index + 1; 0 = the list is empty. */
typedef struct NameHead {
    uint32_t open, parted;
} NameHead;

typedef struct Workspace {
    const TraceBuilder *builder;
    Arena               results; /* lives until the trace is complete */
    Arena               scratch; /* cleared for each track */
    Pages intervals, sorted, order, keys, keys_swap, run, marks, instants, offsets, name_heads, begin_stacks,
        end_stacks, instant_stacks;
    PagePool       spare_pages; /* of rows that were copied to columns */
    IntervalExtras extras;      /* see Interval.extra */
    Bytes          open;        /* the memory of Pairing.open in pair.c */
    bool           failed;      /* out of memory */
} Workspace;

/* Values of few slices, in the order in which they are found. */
typedef VEC(SparseValue) SparseValues;
typedef struct SparseColumns {
    SparseValues longs, end_sources, colours;
} SparseColumns;

/* Returns at least count * size bytes, contents undefined; NULL and ws->failed when out of memory. */
void *workspace_pages(Workspace *ws, Pages *pages, size_t count, size_t size);
void  workspace_release_pages(Pages *pages);
/* Returns name_heads, by StringId. All are zero, and the caller must leave them zero. NULL and ws->failed when out of
 * memory. */
NameHead *workspace_name_heads(Workspace *ws);
/* Sorts stably by key; returns the array with the result (keys or the workspace's second one). NULL: out of memory. */
SortKey *workspace_sort(Workspace *ws, SortKey *keys, size_t count);
/* Sorts the indices of items by group, then by time, those of equal times by index. Returns keys in this order, whose key is the
 * group, or the time (tick_key) of items without groups: ws->keys or ws->keys_swap. NULL: out of memory. */
SortKey *workspace_sort_items(Workspace *ws, const SortItems *items);
/* As workspace_sort_items for the indices in `keys`, of ws->keys. Those of equal times stay in their order. */
SortKey *workspace_sort_indices(Workspace *ws, SortKey *keys, const SortItems *items);
/* Returns the index behind the keys that are equal to key `first`. */
size_t sort_group_end(const SortKey *keys, size_t first, size_t count);
#define END_NAME_MISMATCH                                                                                    \
    "an end names a slice that is not the innermost open one: those inside it end with it"
#define UNMATCHED_END "an end without an open begin: kept, but not drawn"
void workspace_warn(Workspace *ws, TrackWork *work, const char *kind, uint64_t offset, uint32_t event,
                    const char *format, ...) PRINTF_LIKE(6, 7);
/* Reports an end without a begin and stores it. */
void workspace_add_unmatched_end(Workspace *ws, TrackWork *work, const EventRecord *end);
/* Stores an end without a begin without a report; NULL when out of memory. */
UnmatchedEnd *workspace_keep_end(Workspace *ws, TrackWork *work, const EventRecord *end);
void          workspace_warn_unfinished(Workspace *ws, TrackWork *work, uint64_t offset, uint32_t event);
void          workspace_release(Workspace *ws);
void          workspace_release_scratch(Workspace *ws); /* all but the results */

/* Returns the interval's own extra, created on first use; NULL when out of memory. Valid until the next one is
 * created. */
IntervalExtra *interval_extra(IntervalExtras *extras, Interval *interval);

/* A track's part of the columns. */
typedef struct TrackPlace {
    uint64_t first_slice, slice_count;
    uint64_t first_instant, instant_count;
    uint64_t first_source, source_count; /* the offsets of the slices with details */
} TrackPlace;

/* The places for the offsets of a track's slices with details, by slice of the track: one of both, or none. */
typedef struct SourcePlaces {
    uint32_t *near;
    uint64_t *far;
    bool      are_columns; /* all slices have details: these are their places in SliceColumns */
} SourcePlaces;

static inline void source_put(const SourcePlaces *places, uint64_t local, uint64_t offset)
{
    if (places->near != NULL) {
        assert(offset <= UINT32_MAX);
        places->near[local] = (uint32_t)offset;
    } else if (places->far != NULL) {
        places->far[local] = offset;
    }
}

/* The destination of the slices and instants of a track. */
typedef struct TrackColumns {
    TrackPlace    place;
    SliceColumns *slices; /* of the trace */
    SourcePlaces  sources;
    TrackStacks   stacks;
    SparseColumns sparse;
} TrackColumns;

/* True if direct_track can process the thread's track; otherwise use pair_track and nest_track. It fills the track's
 * columns and work->rows. Uses up to `threads` threads if there is much work. */
bool direct_is_possible(const ThreadLog *thread);
/* True if direct_track packs the stacks itself: the slices are in one row, so their events are in the same order. */
bool direct_packs_stacks(const ThreadLog *thread);
void direct_track(Workspace *ws, TrackWork *work, TrackColumns *columns, unsigned threads);

/* The state while the trace is made. */
enum { MOST_WORKERS = 64 };

/* The layout of a future track: all asynchronous slices of one name in one process, or its objects of one type.
 * Everything is in the builder's log arena. */
typedef struct SliceGroup {
    uint32_t      process;   /* of the builder */
    uint32_t      label;     /* of the outermost slices; of objects one with the type as its name */
    Interval     *intervals; /* in row order of begin; event = the builder's thread of the begin */
    size_t        interval_count;
    InstantPlace *instants;
    size_t        instant_count;
    WorkRow      *rows;
    uint32_t      row_count, lane_count;
    uint64_t      source_count, unfinished_count;
    uint32_t     *lives, *snapshot_lives; /* of objects: the lives of its intervals and instants */
    uint32_t     *ids, *instant_ids;      /* of async slices of a growing trace: likewise, their async ids */
} SliceGroup;

typedef struct SliceGroups {
    SliceGroup    *groups; /* in the log arena; by the builder's process, then in display order */
    uint32_t       count;
    IntervalExtra *extras;         /* see Interval.extra */
    bool           has_stacks;     /* for any of them */
    uint32_t      *object_of_life; /* of objects: the builder's object, by life */
    TrackWarning  *warnings;
    UnmatchedEnd  *unmatched;
    uint64_t       unmatched_count;
} SliceGroups;

typedef struct CounterGroup CounterGroup; /* trace/make/counters.h */
typedef struct CounterGroups {
    CounterGroup *groups; /* in the log arena; by the builder's process, then in display order */
    uint32_t      count;
    uint32_t     *series; /* of all groups, in order of groups: indices into TraceBuilder.counters.series */
    uint64_t     *first_sample; /* by the builder's series, with one more at the end */
} CounterGroups;

typedef struct ProfileGroup ProfileGroup; /* trace/make/profile.h */
typedef struct ProfileGroups {
    ProfileGroup *groups; /* in the log arena; by the builder's thread, then name */
    uint32_t      count;
} ProfileGroups;

/* The tracks of instants that a process, or the whole trace, may have. */
typedef enum {
    MARKS_EVENTS,
    MARKS_DERIVED, /* of events that are kept as raw events; of the trace: its moments */
    MARKS_DUMPS    /* likewise, of memory dumps */
} MarksKind;
enum { MARKS_KINDS = 3 };

/* The begin of a track in the columns: slices, instants, sources. It is also the end of the previous track. */
typedef struct TrackStart {
    uint64_t slice, instant, source;
} TrackStart;

/* The starts of STARTS_BLOCK tracks that follow each other. Most traces of very many tracks have little in each. */
enum { STARTS_BLOCK = 32 };
typedef struct StartsBlock {
    TrackStart  base; /* of the block's first track */
    TrackStart *far;  /* of each of its tracks; NULL = they are in `near`, as distances from `base` */
    struct {
        uint16_t slice, instant, source;
    } near[STARTS_BLOCK];
} StartsBlock;

typedef struct Finish {
    TraceBuilder *builder;
    Trace        *trace;
    KeptTrack *
        *kept; /* by track of the trace; NULL = the track is plain: its slices and instants are in one row */
    /* by track of the trace: index of its thread or process in the builder, or of its group */
    uint32_t    *source_index;
    StartsBlock *starts;          /* by track of the trace, and one more with the ends of the last */
    size_t    source_index_count; /* places in source_index, which is released once the columns are filled */
    uint32_t *track_of;           /* by builder's thread: its track in the trace */
    uint32_t *process_of;         /* by builder's process: its number in the trace */
    TrackWarning *context_warnings;
    uint64_t      placed_life_count, placed_snapshot_count; /* laid out so far */
    Workspace     workspaces[MOST_WORKERS];
    atomic_bool   workspace_taken[MOST_WORKERS];
    unsigned      workers;
    SliceGroups   async, objects;
    CounterGroups counters;
    int64_t      *held_to; /* by builder's process: counters_held_to */
    ProfileGroups profiles;
    uint64_t     *mark_counts
        [MARKS_KINDS]; /* by builder's process, [0] of the trace: instants of its tracks; NULL = none */
    const bool *hidden_threads; /* by builder's thread: it gets no track; NULL = every thread gets one */
    /* the trace grows: unmatched events may still be matched, and are not reported */
    bool             is_growing;
    Progress        *progress;
    _Atomic uint64_t done_slices;
    atomic_bool      failed;
} Finish;

/* Returns the results of a track beside its rows; without any, a zeroed TrackWork. */
const TrackWork *finish_work(const Finish *finish, uint32_t track);

/* Decides the order of processes and threads, every track's range of slices and instants, and the trace's time range;
 * maps the columns. False when out of memory. */
bool layout_trace(Finish *finish) WARN_UNUSED;
/* The part of it that makes processes and tracks, without rows, of the groups and counts in `finish`; for growing traces,
 * too. Fills source_index, in the builder's log arena, track_of and process_of, there, or for a growing trace in the
 * builder's arena, and adds to the counts of the trace. False when out of memory. */
bool layout_tracks(Finish *finish) WARN_UNUSED;

/* Collects the raw events in file order: those added to the builder, with the builder's threads replaced by tracks, and
 * the ends without a begin. False when out of memory. */
bool others_collect(Finish *finish) WARN_UNUSED;

/* Returns the interval at place `i` of the order. */
static inline Interval *work_interval(const TrackWork *work, size_t i)
{
    return &work->intervals[work->order == NULL ? i : work->order[i]];
}

/* Fills work->intervals: exactly one for every begin and every complete. */
void pair_track(Workspace *ws, TrackWork *work);
/* Puts the intervals in order by begin and, if begins are equal, by nesting: read them by work_interval. */
void order_intervals(Workspace *ws, TrackWork *work);
/* Fills work->instants with those of the thread's log, unless they are given, and sorts them by time. */
void order_instants(Workspace *ws, TrackWork *work);
/* Sorts the intervals by nesting order, and places them and the instants in rows. */
void nest_track(Workspace *ws, TrackWork *work);
/* Does the work of pair_track and nest_track if the events of the thread were written at the times of their ends.
 * Returns false without an effect if they must do it. */
bool nest_track_back(Workspace *ws, TrackWork *work);
/* Does this for a thread that has no log, if its events are begins and ends, and each end closes the innermost slice. Sets
 * work->thread to `made`, which then has only counts. Returns false without an effect for other threads. */
bool few_track(Workspace *ws, TrackWork *work, uint32_t thread, ThreadLog *made);
/* Returns row `index` (< work->row_count) of a track. */
WorkRow work_row(const TrackWork *work, uint32_t index);

#endif
