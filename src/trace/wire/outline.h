/* trace/wire/outline.h - the properties of a trace that the view needs before its first tile, as bytes: the clock, processes,
 * tracks, rows, labels and the overview for the minimap. Reading needs no Trace, so view/ can use it.
 *
 * An outline is a header and four arrays of fixed records, little-endian; texts are references into one text
 * block. Layout in outline.c. Labels come in pages, because a trace may have millions of names. */
#ifndef TRACE_WIRE_OUTLINE_H
#define TRACE_WIRE_OUTLINE_H
#include "base/arena.h"
#include "base/err.h"
#include "base/string_view.h"
#include "trace/store/clock.h"

enum { OUTLINE_LABEL_PAGE = 4096 };

typedef struct OutlineProcess {
    StringView title;           /* "srv (PID 7)" */
    StringView labels;          /* additional text next to it */
    StringView thread_noun;     /* the kind of its tracks, in the singular; empty: "thread" */
    uint32_t   sharing_threads; /* the number of its tracks minus the number of their threads */
    uint32_t   first_track;     /* index into tracks[] */
    uint32_t   track_count;
    uint64_t   key;          /* of its id, which identifies it in later outlines */
    uint8_t    perspectives; /* bit i: it is visible in Outline.perspectives[i]; 0: in all */
    bool       has_events;
} OutlineProcess;

enum { OUTLINE_PERSPECTIVES = 8 };

/* The values of TrackKind (trace/store/trace.h). */
typedef enum {
    TRACK_KIND_THREAD,
    TRACK_KIND_PROCESS_INSTANTS,
    TRACK_KIND_GLOBAL_INSTANTS,
    TRACK_KIND_ASYNC,
    TRACK_KIND_COUNTER,
    TRACK_KIND_SAMPLES,
    TRACK_KIND_STATES,
    TRACK_KIND_OBJECTS,
    TRACK_KIND_DUMPS
} OutlineTrackKind;

typedef struct OutlineTrack {
    StringView title;
    uint32_t   kind;    /* OutlineTrackKind */
    uint32_t   id;      /* as in TileKey.track */
    uint64_t   key;     /* as that of a process; of its id, or of its name if it has no id */
    uint64_t   version; /* changes when its tiles change, except for arrows; 0 = the trace does not grow */
    uint32_t   process; /* index into processes[]; UINT32_MAX = none */
    uint32_t   row_count;
    uint32_t   first_row; /* index into rows[] */
    uint64_t   slice_count, instant_count, sample_count;
    double     least, greatest; /* counters: range of the drawn values, the sum of all series when stacked */
    bool       is_stacked;
    bool       counts_bytes; /* of a counter */
    bool       shares_chart; /* with the other counters of its process that have this flag */
    /* of a counter: the last values are valid until this offset; UINT64_MAX = the trace's end */
    uint64_t held_to;
    uint64_t first_tick; /* offset of its first event; UINT64_MAX: it has no events */
    uint64_t busy_ticks; /* sum over its outermost slices, without idle ones */
    bool     divides;    /* a line through all tracks at the begin of each of its slices */
    bool     has_events;
} OutlineTrack;

typedef struct OutlineRow {
    uint32_t   lane, depth;
    uint64_t   slice_count, instant_count, sample_count;
    StringView series; /* of a counter: its name ... */
    uint32_t   colour; /* ... and colour: 0xRRGGBBFF; 0 = the view's choice */
} OutlineRow;

typedef struct Outline {
    Clock    clock;
    int64_t  begin_tick; /* tick of offset 0 */
    uint64_t lead;       /* ticks before it in tiles (trace/wire/tile.h); with span less than 2^63, or 0 */
    /* of a growing trace: the wall-clock time at which its begin arrived; 0 = unknown */
    int64_t         begin_unix_ns;
    uint64_t        span; /* ticks from first to last event; 0 = no event or a single time */
    uint64_t        slice_count, flow_count;
    uint32_t        label_count; /* label ids run from 1 to this */
    uint32_t        warning_count;
    bool            complete, has_time;
    bool            has_window;               /* only a part of the trace was requested: */
    uint64_t        window_begin, window_end; /* in ticks from begin_tick, at most span; 0 without a window */
    StringView      name;                     /* of the file */
    StringView      hidden; /* the initially hidden categories, as a set (trace/store/categories.h) */
    StringView      perspectives[OUTLINE_PERSPECTIVES]; /* names of the views of the same events */
    uint32_t        perspective_count;
    uint8_t         perspectives_made; /* bit i: the tracks of perspective i are loaded */
    OutlineProcess *processes;         /* all in the arena given to outline_open */
    uint32_t        process_count;
    OutlineTrack   *tracks;
    uint32_t        track_count;
    OutlineRow     *rows;
    uint32_t        row_count;
} Outline;

/* Decodes an outline into the arena, with copies of its texts. */
bool outline_open(const void *bytes, size_t size, Arena *arena, Outline *outline, Err *err) WARN_UNUSED;

/* A page of labels: ids [page * 4096, page * 4096 + count). Id 0 is the empty label. */
typedef struct LabelText {
    StringView name, category;
    uint32_t   colour; /* 0xRRGGBBFF; 0 = the view's choice; OUTLINE_RECEDES = LABEL_RECEDES of trace.h */
} LabelText;
#define OUTLINE_RECEDES ((uint32_t)1)
/* Decodes a page into labels[OUTLINE_LABEL_PAGE]; texts point into `bytes`. Returns the count, or 0 when malformed. */
uint32_t label_page_open(const void *bytes, size_t size, LabelText *labels) WARN_UNUSED;

/* The overview: `bucket_count` equal parts of the trace's span, each with the load of the threads and its dominant label. */
typedef struct OverviewBucket {
    uint16_t busy;  /* 0..65535: time covered by slices of all rows, relative to the fullest bucket */
    uint32_t label; /* the label with the largest part, deeper rows weighted more */
} OverviewBucket;
/* Decodes an overview. *filter: the number of its filter; 0 = none. */
uint32_t overview_open(const void *bytes, size_t size, OverviewBucket *buckets, uint32_t capacity,
                       uint32_t *filter) WARN_UNUSED;

/* The visible events of a track under a filter. */
typedef struct VisibleTrack {
    uint32_t row_count; /* up to the last one with a visible event */
    uint64_t slice_count, instant_count;
} VisibleTrack;
/* Decodes one item for each track of the outline, in its order; false if the number differs. */
bool visible_open(const void *bytes, size_t size, VisibleTrack *tracks, uint32_t track_count,
                  uint32_t *filter) WARN_UNUSED;

#endif
