/* trace/finish.h - the steps from a thread's logs to its part of the columns. For src/trace only.
 *
 *   direct.c  the short way for threads of begins and ends that are well matched: they stand in rows already
 *   pair.c    else: ends find their begins: marks and completes -> intervals
 *   pairing.c the rules by which it does so, which a growing trace follows too
 *   nest.c    intervals and instants in order -> lanes and depths -> rows
 *   async.c, counters.c, objects.c   what belongs to no thread's nesting
 *   contexts.c  which context is active when
 *   others.c  what is not drawn, ends without a begin among it
 *   layout.c  the order of processes and threads, and where in the columns each of them lies
 *   finish.c  runs all this for every thread and puts the results together
 *
 * Threads are worked on in parallel, each in one Workspace; what outlives the work goes to its results arena. */
#ifndef TRACE_FINISH_H
#define TRACE_FINISH_H
#include "trace/builder_log.h"

#include <stdatomic.h>

/* Pages that are kept from track to track: fresh memory is the dearest thing there is. */
typedef struct Pages {
    void  *data;
    size_t size;
} Pages;

/* A slice on its way. The low bits of place are SLICE_ flags and INTERVAL_PAIRED. */
typedef struct Interval {
    int64_t  begin, end;
    uint64_t place;
    uint32_t label;
    uint32_t event;
    uint32_t extra; /* 1 + index into Workspace.extras; 0 = none */
    uint32_t row;   /* from pair.c: how many begins were open around it; from nest.c: its row */
} Interval;

/* What few intervals have. */
typedef struct IntervalExtra {
    uint64_t end_offset; /* if SLICE_END_SOURCE */
    uint32_t stack, end_stack;
    uint32_t colour; /* as Label.colour: what the end's event asks for */
} IntervalExtra;

enum { INTERVAL_PAIRED = 1 << 8 /* made of a begin and an end, not a complete */ };

typedef struct InstantPlace {
    InstantMark mark;
    uint32_t    row;
    uint32_t    stack;
} InstantPlace;

typedef struct WorkRow {
    uint32_t lane, depth;
    uint64_t slice_count, instant_count, sample_count;
    StringId series; /* of a counter */
    uint32_t colour; /* likewise */
} WorkRow;

typedef struct SortKey {
    uint64_t key;
    uint64_t index;
} SortKey;

typedef struct TrackWarning TrackWarning;
struct TrackWarning {
    TrackWarning *next;
    Warning       warning;
};

/* An end without a begin, on its way to Trace.others. */
typedef struct UnmatchedEnd UnmatchedEnd;
struct UnmatchedEnd {
    UnmatchedEnd *next;
    int64_t       tick;
    uint64_t      offset;
    uint32_t      label;
    uint32_t      track;          /* of the trace, once known */
    uint32_t      builder_thread; /* of asynchronous ones; 0 = the track it was found on */
    uint32_t
        kind_plus_one; /* of asynchronous ones: 1 + index into Trace.event_kinds; 0 = the format's kind of end */
};

/* One track while it is worked on, and what comes of it. */
typedef struct TrackWork {
    /* in */
    ThreadLog *thread; /* its logs are empty once the intervals or the columns are made of them */
    int64_t    unfinished_end;
    bool       overlaps_are_fine; /* they are no anomaly */
    /* from pair.c */
    Interval *intervals; /* in the workspace */
    size_t    interval_count;
    size_t    paired_count; /* the first of them are INTERVAL_PAIRED, in order of begin */
    uint64_t  unfinished_count;
    /* from nest.c */
    InstantPlace *instants; /* in the workspace; in order of time */
    size_t        instant_count;
    WorkRow      *rows; /* in order of lane and depth; without those of far lanes: work_row */
    uint32_t      row_count;
    uint32_t      lane_count; /* only from nest.c */
    uint32_t     *far_slice_counts; /* in the results arena: of the one row of each far lane */
    uint32_t      far_count;
    /* from finish.c, in the results arena; slice ids are the trace's */
    SparseValue  *long_durations, *end_sources;
    SparseValue  *colours; /* asked for by the events of ends */
    uint64_t      long_count, end_source_count, colour_count;
    PackedStacks  stacks[3]; /* of begins, of ends, of instants */
    TrackWarning *warnings;
    UnmatchedEnd *unmatched; /* in the results arena, the last one first */
    uint64_t      unmatched_count;
} TrackWork;

/* The first slices of the lists of one name, each as one more than an index; 0 = the list is empty. */
typedef struct NameHead {
    uint32_t open, parted;
} NameHead;

typedef struct Workspace {
    const TraceBuilder *builder;
    Arena               results; /* lives until the trace is put together */
    Arena               scratch; /* cleared for each track */
    Pages intervals, sorted, keys, keys_swap, marks, instants, offsets, name_heads, begin_stacks, end_stacks,
        instant_stacks;
    PagePool spare_pages; /* of rows that have become columns */
    Bytes    extras;      /* IntervalExtra[]: see Interval.extra */
    Bytes    open;        /* the memory of Pairing.open in pair.c */
    bool     failed;      /* out of memory */
} Workspace;

/* Values that few slices have, as they are found: SparseValue[]. */
typedef struct SparseColumns {
    Bytes longs, end_sources, colours;
} SparseColumns;

/* At least count * size bytes, contents undefined; NULL and ws->failed when there are none. */
void *workspace_pages(Workspace *ws, Pages *pages, size_t count, size_t size);
/* Returns name_heads, by StringId. All are zero, and the caller leaves them zero. NULL and ws->failed when out of memory. */
NameHead *workspace_name_heads(Workspace *ws);
/* Sorts stably by key; gives the array (keys or the workspace's second one) that holds the result. NULL: memory. */
SortKey *workspace_sort(Workspace *ws, SortKey *keys, size_t count);
/* Sorts `count` keys, which stand in ws->keys and have times, by the group of their index, then time. */
SortKey *workspace_sort_groups(Workspace *ws, SortKey *keys, size_t count,
                               uint32_t (*group_of)(const void *items, uint64_t index), const void *items);
#define END_NAME_MISMATCH \
    "an end names a slice that is not the innermost open one: those inside it end with it"
#define UNMATCHED_END "an end without an open begin: kept, but not drawn"
void     workspace_warn(Workspace *ws, TrackWork *work, const char *kind, uint64_t offset, uint32_t event,
                        const char *format, ...) PRINTF_LIKE(6, 7);
/* Reports an end without a begin and keeps it. */
void workspace_add_unmatched_end(Workspace *ws, TrackWork *work, const EventRecord *end);
/* Only keeps it; NULL when out of memory. */
UnmatchedEnd *workspace_keep_end(Workspace *ws, TrackWork *work, const EventRecord *end);
void          workspace_warn_unfinished(Workspace *ws, TrackWork *work, uint64_t offset, uint32_t event);
void          workspace_release(Workspace *ws);
void          workspace_release_scratch(Workspace *ws); /* all but the results */

/* The interval's own extra, made when it has none; NULL when out of memory. Good until the next one is made. */
IntervalExtra *interval_extra(Bytes *extras, Interval *interval);

/* True if a begin and an end of these labels belong together: the same name, and the same category if both have
 * one. */
static inline bool labels_agree(const Label *begin, const Label *end)
{
    return begin->name.index == end->name.index && (begin->category.index == end->category.index ||
                                                    begin->category.index == 0 || end->category.index == 0);
}

/* The part of the columns that is a track's. */
typedef struct TrackPlace {
    uint64_t first_slice, slice_count;
    uint64_t first_instant, instant_count;
    uint64_t first_source;
} TrackPlace;

/* Where the offsets of a track's slices that have more to say go, by slice of the track: into the one
 * or the other, or nowhere. */
typedef struct SourcePlaces {
    uint32_t *near;
    uint64_t *far;
    bool      are_columns; /* all slices have one: these are their places in SliceColumns */
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

/* Whether direct_track can do the thread's track; else pair_track and nest_track must. It fills the track's
 * columns and work->rows, and puts the offsets of slices that have more to say into `sources`. On so many
 * threads, where there is much. */
bool direct_is_possible(const ThreadLog *thread);
void direct_track(Workspace *ws, TrackWork *work, const TrackPlace *place, SliceColumns *slices,
                  const SourcePlaces *sources, const TrackStacks *stacks, SparseColumns *sparse,
                  unsigned threads);

/* The trace while it is made. */
enum { MOST_WORKERS = 64 };

/* A track to be, laid out: all asynchronous slices of one name in one process, or its objects of one type.
 * Everything in the builder's log arena. */
typedef struct SliceGroup {
    uint32_t      process;   /* of the builder */
    uint32_t      label;     /* of the outermost slices; of objects one whose name is the type */
    Interval     *intervals; /* in row order of begin; event = the builder's thread of the begin */
    size_t        interval_count;
    InstantPlace *instants;
    size_t        instant_count;
    WorkRow      *rows;
    uint32_t      row_count, lane_count;
    uint64_t      source_count, unfinished_count;
    uint32_t     *lives, *snapshot_lives; /* of objects: whose intervals and instants they are */
} SliceGroup;

typedef struct SliceGroups {
    SliceGroup    *groups; /* in the log arena; by the builder's process, then in display order */
    uint32_t       count;
    IntervalExtra *extras;     /* see Interval.extra */
    bool           has_stacks; /* any of them */
    TrackWarning  *warnings;
    UnmatchedEnd  *unmatched;
    uint64_t       unmatched_count;
} SliceGroups;

typedef struct CounterGroup CounterGroup; /* trace/counters.h */
typedef struct CounterGroups {
    CounterGroup *groups; /* in the log arena; by the builder's process, then in display order */
    uint32_t      count;
    uint32_t     *series;       /* of all groups, each group's together: indices into TraceBuilder.series */
    uint64_t     *first_sample; /* by the builder's series; one more than there are */
} CounterGroups;

typedef struct ProfileGroup ProfileGroup; /* trace/profile.h */
typedef struct StackSample  StackSample;
typedef struct ProfileGroups {
    ProfileGroup *groups; /* in the log arena; by the builder's thread, then name */
    uint32_t      count;
} ProfileGroups;

/* Where a track begins in the columns: those of slices, of instants, of sources. The next track begins where it
 * ends. */
typedef struct TrackStart {
    uint64_t slice, instant, source;
} TrackStart;

typedef struct Finish {
    TraceBuilder *builder;
    Trace        *trace;
    TrackWork   **works; /* by track of the trace; NULL = the track is plain: see finish_work */
    uint32_t
        *source_index; /* by track of the trace: index of the builder's thread or process it shows, or of the
                       * group in async */
    TrackStart      *starts;     /* by track of the trace, and one more: the ends of the last */
    uint32_t        *track_of;   /* by builder's thread: its track in the trace */
    uint32_t        *process_of; /* by builder's process: its number in the trace */
    TrackWarning    *context_warnings;
    uint64_t         placed_life_count, placed_snapshot_count; /* laid out so far */
    Workspace        workspaces[MOST_WORKERS];
    atomic_bool      workspace_taken[MOST_WORKERS];
    unsigned         workers;
    SliceGroups      async, objects;
    CounterGroups    counters;
    int64_t         *held_to; /* by builder's process: counters_held_to */
    ProfileGroups    profiles;
    bool             is_growing; /* the trace: what finds nothing may find it yet, and is not reported */
    Progress        *progress;
    _Atomic uint64_t done_slices;
    atomic_bool      failed;
} Finish;

/* Returns the results of a track. A track whose slices and instants are all in one row, or that has none of either, and
 * that has nothing else to hand on, keeps no results: a zeroed TrackWork, without rows. */
const TrackWork *finish_work(const Finish *finish, uint32_t track);

/* Returns the place of a track; valid after layout_trace. */
TrackPlace track_place(const Finish *finish, uint32_t track);

/* Where the next slice (or instant) of each row goes, as an index into the trace; NULL and
 * ws->failed when out of memory. */
uint64_t *row_cursors(Workspace *ws, const TrackWork *work, const TrackPlace *place, bool of_instants);

/* Decides where everything goes: the order of processes and threads, every track's range of slices and
 * instants, and the trace's time range; maps the columns. False when out of memory. */
bool layout_trace(Finish *finish) WARN_UNUSED;
/* Zeroed pages for `count` items, NULL for none; *failed is set when there are none to be had. */
void *layout_map_column(uint64_t count, size_t item_size, bool *failed);

/* The events that are not drawn: those fed to the builder, with the builder's threads replaced by tracks, and the ends
 * without a begin, in file order. False when out of memory. */
bool others_collect(Finish *finish) WARN_UNUSED;

/* Fills work->intervals: every begin and every complete gives exactly one. */
void pair_track(Workspace *ws, TrackWork *work);
/* Fills work->instants: those of the thread, in order of time. */
void order_instants(Workspace *ws, TrackWork *work);
/* Sorts the intervals by nesting order, places them and the instants in rows. */
void nest_track(Workspace *ws, TrackWork *work);
/* Returns row `index` (< work->row_count) of a track. */
WorkRow work_row(const TrackWork *work, uint32_t index);

#endif
