/* trace/outline.h - the properties of a trace that the view needs before its first tile, as bytes: the clock, processes,
 * tracks, rows, labels and the overview for the minimap. Reading needs no Trace, so view/ can use it.
 *
 * An outline is a header and four arrays of fixed records, little-endian; texts are references into one text
 * block. Layout in outline.c. Labels come in pages, because a trace may have millions of names. */
#ifndef TRACE_OUTLINE_H
#define TRACE_OUTLINE_H
#include "base/arena.h"
#include "base/err.h"
#include "base/string_table.h"
#include "trace/clock.h"

enum { OUTLINE_LABEL_PAGE = 4096 };

typedef struct OutlineProcess {
    StringView title;       /* "srv (PID 7)" */
    StringView labels;      /* free text beside it */
    StringView thread_noun; /* the kind of its tracks, in the singular; empty: threads */
    uint32_t   sharing_threads; /* by how many they are more than the tracks of threads */
    uint32_t   first_track; /* index into tracks[] */
    uint32_t   track_count;
    uint64_t   key;          /* of its id: tells it again in a later outline of the trace, whatever it is called there */
    uint8_t    perspectives; /* bit i: it is seen from Outline.perspectives[i]; 0: from all */
    bool       has_events;
} OutlineProcess;

enum { OUTLINE_PERSPECTIVES = 8 };

typedef struct OutlineTrack {
    StringView title;
    uint32_t
        kind; /* TrackKind: 0 thread, 1 instants of the process, 2 of the trace, 3 asynchronous slices, 4 a counter,
                * 5 samples of a thread, 6 states of a thread, 7 objects, 8 memory dumps */
    uint32_t id;      /* as in TileKey.track */
    uint64_t key;     /* as that of a process; of its id, or of its name where it has none */
    uint64_t version; /* another one when anything in its tiles has changed but arrows; 0 = the trace does not grow */
    uint32_t process; /* index into processes[]; UINT32_MAX = none */
    uint32_t row_count;
    uint32_t first_row; /* index into rows[] */
    uint64_t slice_count, instant_count, sample_count;
    double   least, greatest; /* counters: range of the drawn values, the sum of all series when stacked */
    bool     is_stacked;
    bool     counts_bytes; /* of a counter */
    uint64_t held_to; /* of a counter: the last values hold to this offset; UINT64_MAX = to the trace's end */
    bool     divides; /* lines through all tracks where its slices begin */
    bool     has_events;
} OutlineTrack;

typedef struct OutlineRow {
    uint32_t   lane, depth;
    uint64_t   slice_count, sample_count;
    StringView series; /* of a counter: its name ... */
    uint32_t   colour; /* ... and colour: 0xRRGGBBFF; 0 = the view's choice */
} OutlineRow;

typedef struct Outline {
    Clock           clock;
    int64_t         begin_tick; /* tick of offset 0 */
    uint64_t        lead;       /* ticks that tiles count before it (trace/tile.h); with span less than 2^63, or 0 */
    int64_t         begin_unix_ns; /* of a trace that is received: the wall-clock time at which its begin arrived;
                                    * 0 = not known */
    uint64_t        span;       /* ticks from first to last event; 0 = none or one moment */
    uint64_t        slice_count, flow_count;
    uint32_t        label_count; /* label ids run from 1 to this */
    uint32_t        warning_count;
    bool            complete, has_time;
    bool            has_window; /* only a part of the trace was asked for: */
    uint64_t        window_begin, window_end; /* in ticks from begin_tick, at most span; 0 without one */
    StringView      name;   /* of the file */
    StringView      hidden; /* the categories hidden at first, as a set (trace/categories.h) */
    StringView      perspectives[OUTLINE_PERSPECTIVES]; /* ways to look at the same events, by name */
    uint32_t        perspective_count;
    uint8_t         perspectives_made; /* bit i: the tracks of perspective i are loaded */
    OutlineProcess *processes; /* all in the arena given to outline_open */
    uint32_t        process_count;
    OutlineTrack   *tracks;
    uint32_t        track_count;
    OutlineRow     *rows;
    uint32_t        row_count;
} Outline;

/* Decodes; views point into `bytes`, which must stay. False: not an outline. */
bool outline_open(const void *bytes, size_t size, Arena *arena, Outline *outline) WARN_UNUSED;

/* A page of labels: ids [page * 4096, page * 4096 + count). Id 0 is the empty label. */
typedef struct LabelText {
    StringView name, category;
    uint32_t   colour; /* 0xRRGGBBFF; 0 = the view's choice; OUTLINE_RECEDES = LABEL_RECEDES of trace.h */
} LabelText;
#define OUTLINE_RECEDES ((uint32_t)1)
/* labels[OUTLINE_LABEL_PAGE] is filled; views point into `bytes`. Returns the count, or 0 when malformed. */
uint32_t label_page_open(const void *bytes, size_t size, LabelText *labels) WARN_UNUSED;

/* The overview: `bucket_count` equal parts of the trace's span, each with the load of the threads and its dominant label. */
typedef struct OverviewBucket {
    uint16_t busy;  /* 0..65535: time covered by slices of all rows, relative to the fullest bucket */
    uint32_t label; /* the label with the largest part, deeper rows weighted more */
} OverviewBucket;
/* *filter: the number of the filter it is of; 0 = none. */
uint32_t overview_open(const void *bytes, size_t size, OverviewBucket *buckets, uint32_t capacity,
                       uint32_t *filter) WARN_UNUSED;

/* The visible events of a track under a filter. */
typedef struct VisibleTrack {
    uint32_t row_count; /* up to the last that holds something visible */
    uint64_t slice_count, instant_count;
} VisibleTrack;
/* One for each track of the outline, in its order; false when the bytes are not of so many. */
bool visible_open(const void *bytes, size_t size, VisibleTrack *tracks, uint32_t track_count,
                  uint32_t *filter) WARN_UNUSED;

#endif
