/* view/trace_view.h - one trace of the view: outline, labels, overview, filters. */
#ifndef VIEW_TRACE_VIEW_H
#define VIEW_TRACE_VIEW_H
#include "base/index_sort.h"
#include "base/vec.h"
#include "view/axis.h"
#include "view/colour.h"
#include "view/label_fit.h"
#include "view/tile_cache.h"
#include "view/view.h"

typedef enum { DATA_UNKNOWN, DATA_UNDER_WAY, DATA_READY, DATA_FAILED } DataState;

typedef struct LabelPage {
    DataState  state;  /* of the complete page; some labels may be there before */
    bool       wanted; /* by the last frame */
    uint32_t   count;
    Arena      arena;                    /* for the fields below */
    LabelText *labels;                   /* [count] */
    uint8_t   *colours;                  /* of names; COLOUR_CUSTOM: see `custom` */
    uint8_t   *categories;               /* the colours of the categories */
    NameColour (*custom)[COLOUR_THEMES]; /* [count]; NULL if the trace chooses no colours on this page */
} LabelPage;

enum { COLOUR_CUSTOM = COLOUR_UNKNOWN + 1 };

/* Flags of a track or process, set by the user. If any has TRACK_ISOLATED, the others are not shown. */
typedef uint16_t RowFlags;
enum {
    TRACK_CLOSED = 1 << 0,
    TRACK_HIDDEN = 1 << 1,
    TRACK_PINNED = 1 << 2,
    TRACK_ISOLATED = 1 << 3,
    /* The height of its rows; 0: that of its process, or of all rows. */
    TRACK_COMPACT = 1 << 4,
    TRACK_ROOMY = 2 << 4,
    TRACK_NORMAL = 3 << 4,
    TRACK_HEIGHT = 3 << 4,      /* the bits of the three above */
    TRACK_LIMITED = 1 << 6,     /* only its first rows are shown (view/row_heights.h) */
    TRACK_SAME_SCALE = 1 << 7,  /* a counter: one scale with the others that have this flag */
    TRACK_GROUP_CLOSED = 1 << 8 /* its group by name is closed; all tracks of the group have it */
};

typedef struct TrackOrder {
    uint32_t id, index;
} TrackOrder;

typedef VEC(FoundEvent) FoundEvents;

/* Tracks whose events are drawn over other tracks (view/wide_tracks.h). */
typedef enum { WIDE_PROCESS_INSTANTS, WIDE_GLOBAL_INSTANTS, WIDE_BOUNDARIES, WIDE_TRACK_KINDS } WideTrackKind;
typedef struct WideTracks {
    uint32_t *tracks; /* [count] ascending */
    uint32_t  count;
} WideTracks;

/* The summary of a header: of a process, or of a group by name. Set by the layout. */
typedef struct HeadCounts {
    uint32_t tracks; /* of a process: the visible threads */
    uint64_t slices, instants, objects;
} HeadCounts;

typedef enum {
    ROWS_UNSORTED,
    ROWS_SORTING_TRACKS,
    ROWS_SORTING_GROUPS,
    ROWS_SORTED,
    ROWS_READY
} RowListsState;

/* Groups of tracks by name (view/name_groups.h). Arrays of [track_count] in the arena of the trace; NULL until they are needed. */
typedef struct NameGroups {
    uint32_t   *group_of; /* the first track of the group; UINT32_MAX = in no group */
    StringView *titles;   /* of a group, at its first track */
    uint32_t   *items;    /* the layout's item of a group; UINT32_MAX = not laid out */
    HeadCounts *counts;   /* of a group that is laid out */
} NameGroups;

/* The rows of a trace in the order of the picture (view/row_order.h). A head is a process, or with GROUPS_NAME a group by name. */
typedef struct RowLists {
    uint32_t *tracks; /* [track_count] from top to bottom; those of a head are in succession */
    uint32_t *
        head_at; /* [process_count or track_count] the place of the first track of a head in it, with groups */
    uint32_t     *sorted_tracks;
    uint32_t     *sorted_groups; /* [group_count] heads, and the number of heads + a track outside of them */
    uint32_t      group_count;
    uint64_t     *group_values; /* [process_count or track_count] */
    RowListsState state;
    IndexSorting  sorting; /* the work in progress */
    Arena         work;    /* its memory */
} RowLists;

/* The minimap's data of a trace. Spans are of the trace at the request. */
typedef struct TraceOverview {
    DataState state;
    VEC(OverviewBucket) buckets;
    uint64_t span, requested_span; /* of `buckets`; of the last request */
    double   requested_ms;         /* time of the last request */
    bool     is_stale;             /* the trace has grown since */
} TraceOverview;

typedef enum { MOMENTS_WHOLE, MOMENTS_NEAR, MOMENT_MAPS } MomentMapKind;

/* The buckets with events over the whole trace, or over the visible range and its surroundings (view/moments.h). */
typedef struct MomentMap {
    DataState state; /* of the request; `bits` may be of an earlier one */
    Bytes     bits;  /* as in Moments (trace/wire/moments.h); empty = none yet */
    uint64_t  begin;
    uint32_t  level, buckets;
    bool      is_wanted; /* by the last frame: */
    uint64_t  wanted_begin;
    uint32_t  wanted_level, wanted_buckets;
    double    requested_ms;
    bool      is_stale; /* the trace has grown since */
} MomentMap;

/* The times of a set of events of a trace. */
typedef struct TraceMoments {
    uint32_t  version; /* the number of the set; 0: none */
    uint32_t  label;   /* MOMENTS_NAMED: the events with its name */
    MomentMap maps[MOMENT_MAPS];
    VEC(uint64_t) ticks; /* of listed events, sorted; from the trace's begin */
} TraceMoments;

typedef struct TraceView {
    Arena         arena;
    Outline       outline;
    AxisMap       map;
    TickScale     scale; /* in the frame being drawn or hit */
    LabelPage    *pages;
    uint32_t      page_count;
    TraceOverview overview;
    bool          grows;
    uint32_t      numbering;     /* number of renumberings of tracks and rows */
    RowFlags     *track_flags;   /* [track_count] TRACK_* bits */
    RowFlags     *process_flags; /* [process_count] TRACK_* bits */
    WideTracks    wide[WIDE_TRACK_KINDS];
    uint32_t     *chart; /* [track_count] the chart of a counter (view/charts.h); of another track: itself */
    uint32_t   *chart_next; /* [track_count] the next counter of its chart; UINT32_MAX = it is the last one */
    HeadCounts *process_counts; /* [process_count] */
    uint32_t   *strips;         /* [row_count + 1] number of rows before it with a strip (layout_strip) */
    RowLists    lists;
    NameGroups  names;
    TrackOrder *by_id;         /* [track_count], sorted by id */
    uint32_t   *by_title;      /* view/row_titles.h; NULL until it is needed */
    uint32_t    item;          /* the layout's item of its header; UINT32_MAX = not laid out */
    uint32_t   *track_items;   /* [track_count] items of the layout; UINT32_MAX = not laid out */
    uint32_t   *process_items; /* [process_count] likewise */
    /* item n - 1 has the categories that filter n hides; texts in the arena */
    VEC(StringView) hidden_sets;
    uint32_t      filter;       /* the current filter; 0 = nothing is hidden */
    uint32_t      drawn_filter; /* the filter before: its tiles are drawn until those of `filter` arrive */
    DataState     visible_state;
    VisibleTrack *whole;        /* [track_count] the outline's values, without a filter */
    uint64_t     *long_ticks;   /* [track_count] duration from which a track's slices are rare; 0 = unknown */
    uint8_t       seen_from;    /* bit of the current perspective; 0: all */
    FoundEvents   found_events; /* sorted by track, row, kind, begin */
    VEC(uint32_t) found_labels; /* sorted */
    /* sorted likewise: the highlighted slices; empty = all of the label */
    FoundEvents  highlight_events;
    TraceMoments moments[MOMENTS_KINDS];
    bool         closed;
    char         identity[VIEW_IDENTITY + 1]; /* view_set_identity */
} TraceView;

/* A label of a trace. Label 0: none. */
typedef struct NameLabel {
    uint32_t trace, label;
} NameLabel;

#endif
