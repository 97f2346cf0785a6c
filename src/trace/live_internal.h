/* trace/live_internal.h - what the rooms of a growing trace share. For src/trace only.
 *
 *   live.c        the whole: absorbing, the time range, letting go of the oldest
 *   live_row.c    rows that grow: places in the columns, their index
 *   live_track.c  what a thread was fed -> rows
 *   live_shape.c  processes, tracks and rows in the order in which they stand */
#ifndef TRACE_LIVE_INTERNAL_H
#define TRACE_LIVE_INTERNAL_H
#include "trace/finish.h"
#include "trace/live.h"
#include "trace/live_space.h"
#include "trace/rescale.h"

/* A row as the trace has it, and what it will need. */
typedef struct LiveRow {
    Row      row;
    uint32_t place; /* in Trace.rows; UINT32_MAX = it is empty and stands nowhere */
    uint32_t changed_slice,
        changed_sample; /* the first whose nodes are not up to date; UINT32_MAX = all are */
} LiveRow;

/* A begin whose end has not come. Its slice is the last of row `level`, or, once the track nests by containment, wherever. */
typedef struct LiveOpen {
    int64_t  tick;
    uint64_t offset;
    uint32_t label;
    uint32_t flags; /* SLICE_ */
} LiveOpen;

/* How a track's slices find their rows. */
typedef enum {
    LIVE_BY_MARKS, /* begins and ends in order: a slice's row is how many were open around it */
    LIVE_BY_TIME   /* there are completes: by what contains what */
} LiveNesting;

typedef struct LiveTrack {
    TrackKind   kind;
    uint32_t    source; /* the builder's thread, process or counter */
    uint32_t    track;  /* in the trace, once it has a place there */
    LiveNesting nesting;
    Bytes       rows;                  /* LiveRow[], by lane and depth */
    Bytes       open;                  /* LiveOpen[] */
    Bytes       fresh, fresh_instants; /* LiveSlice[], InstantMark[]: not in the rows yet */
    uint64_t    slice_count, instant_count, sample_count;
    int64_t     last_mark_tick;
    uint64_t    endless_count; /* completes that have no end ... */
    int64_t     endless_from;  /* ... and the earliest of them */
    bool        any_mark, any_named_end;
    double      least, greatest; /* of a counter's values, and of their sums in order of time */
    double      total, greatest_total;
    bool        changed;
} LiveTrack;

struct LiveTrace {
    Arena         own; /* holds this struct */
    TraceBuilder *builder;
    Trace         trace;
    LivePlaces    places;
    LiveOptions   options;
    LiveSpace     slices, instants, samples;
    uint16_t     *levels;    /* by slice: 1 + how many begins were open around it; 0 = a complete */
    Bytes         long_free; /* uint32_t[]: places in places.long_durations that are free */
    uint32_t      long_used;
    Bytes         tracks; /* LiveTrack[]: by the builder's thread, [0] unused */
    Bytes process_marks; /* LiveTrack[]: instants of a process, by the builder's process; [0]: of the trace */
    Bytes counters;      /* LiveTrack[]: by the builder's counter */
    Bytes series_row;    /* uint32_t[]: by the builder's series: its row */
    Bytes series_value;  /* double[]: by the builder's series: the latest */
    Arena shape;         /* processes, tracks, rows; made anew with the shape */
    Arena scratch;       /* cleared by each absorb */
    Workspace   workspace;
    LiveChange *change;     /* of the absorb that goes on */
    uint64_t    shape_mark; /* of names and order: see live_shape.c */
    uint32_t   *track_of;   /* by the builder's thread */
    int64_t     kept_from;  /* what ended before was let go, or never was */
    uint64_t    event_count, dropped_count, unshown_count;
    bool        has_end_sources, has_levels;
    bool        reshape, settles, failed;
    bool        end_moved; /* in the absorb that goes on */
};

/* ---- live_row.c ---- */

bool live_columns_reserve(LiveTrace *live) WARN_UNUSED;
void live_columns_release(LiveTrace *live);
/* The row of a lane and depth, made when it is new. NULL (and live->failed) when out of memory. Good until the next is made. */
LiveRow *live_row_get(LiveTrace *live, LiveTrack *track, uint32_t lane, uint32_t depth);
/* What a slice of a growing trace is made of. */
typedef struct LiveSlice {
    int64_t  begin, end;
    uint64_t offset, end_offset; /* the latter with SLICE_END_SOURCE */
    uint32_t label;
    uint32_t flags; /* SLICE_, without SLICE_LONG */
    uint16_t level; /* see LiveTrace.levels */
} LiveSlice;
bool      live_slice_append(LiveTrace *live, LiveRow *row, const LiveSlice *slice) WARN_UNUSED;
LiveSlice live_slice_at(const LiveTrace *live, const LiveRow *row, uint32_t i);
/* flags: as LiveSlice.flags; end_offset: with SLICE_END_SOURCE. */
void live_slice_set_end(LiveTrace *live, LiveRow *row, uint32_t i, int64_t end, uint32_t flags,
                        uint64_t end_offset);
/* Forgets the slices from `count` on. */
void live_slices_cut(LiveTrace *live, LiveRow *row, uint32_t count);
/* At the place where its tick belongs, behind those of the same tick. */
bool        live_instant_add(LiveTrace *live, LiveRow *row, const InstantMark *mark) WARN_UNUSED;
void        live_instants_cut(LiveRow *row, uint32_t count);
InstantMark live_instant_at(const LiveTrace *live, const LiveRow *row, uint32_t i);
bool        live_sample_add(LiveTrace *live, LiveRow *row, int64_t tick, double value) WARN_UNUSED;
/* Lets go of the first so many of each; the memory goes back. */
bool live_row_drop(LiveTrace *live, LiveRow *row, uint32_t slices, uint32_t instants,
                   uint32_t samples) WARN_UNUSED;
/* Expresses all its times in another clock. */
void live_row_convert(LiveTrace *live, LiveRow *row, ClockConversion *conversion);
/* Brings the row's index up to date. */
void live_row_index(LiveTrace *live, LiveRow *row);

/* ---- live_track.c ---- */

/* Takes in what the builder's thread was fed. False (and live->failed): out of memory. */
bool live_thread_absorb(LiveTrace *live, LiveTrack *track, const ThreadLog *thread) WARN_UNUSED;
/* Expresses all times of the track in another clock. */
void live_track_convert(LiveTrace *live, LiveTrack *track, ClockConversion *conversion);
/* Slices that have no end yet reach to the end of the trace, or of the thread. */
void live_thread_stretch(LiveTrace *live, LiveTrack *track, const ThreadLog *thread);

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

/* The earliest moment of which something has changed. */
static inline void live_note_change(LiveTrace *live, LiveTrack *track, int64_t tick)
{
    track->changed = true;
    live->change->any = true;
    if (tick < live->change->from_tick) live->change->from_tick = tick;
}

#endif
