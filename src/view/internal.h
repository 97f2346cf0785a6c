/* view/internal.h - the state of a view, shared by the files of view/.
 *
 * Lengths: fields named _px and all of Camera are in CSS pixels. Drawn items (Frame, Run, Geometry) are in device
 * pixels, whole numbers where edges must be sharp. */
#ifndef VIEW_INTERNAL_H
#define VIEW_INTERNAL_H
#include "view/axis.h"
#include "view/camera.h"
#include "view/colour.h"
#include "view/frame.h"
#include "view/label_fit.h"
#include "view/tile_cache.h"
#include "view/time_text.h"
#include "view/view.h"

/* ---- the data of a trace ---- */

typedef enum { DATA_UNKNOWN, DATA_UNDER_WAY, DATA_READY, DATA_FAILED } DataState;

typedef struct LabelPage {
    DataState  state;  /* of the complete page; some labels may be there before */
    bool       wanted; /* by the last frame */
    uint32_t   count;
    Arena      arena;                   /* for the fields below */
    LabelText *labels;                  /* [count] */
    uint8_t   *colours;                 /* of names; COLOUR_ASKED: see `asked` */
    NameColour (*asked)[COLOUR_THEMES]; /* [count]; NULL if the trace chooses no colours on this page */
} LabelPage;

enum { COLOUR_ASKED = COLOUR_UNKNOWN + 1 };

/* The values of OutlineTrack.kind that the view distinguishes. */
enum {
    TRACK_KIND_THREAD = 0,
    TRACK_KIND_PROCESS_INSTANTS = 1,
    TRACK_KIND_GLOBAL_INSTANTS = 2,
    TRACK_KIND_COUNTER = 4,
    TRACK_KIND_STATES = 6,
    TRACK_KIND_OBJECTS = 7,
    TRACK_KIND_DUMPS = 8
};

/* Flags of a track or process, set by the user. If any has TRACK_ISOLATED, the others are not shown. */
enum { TRACK_CLOSED = 1 << 0, TRACK_HIDDEN = 1 << 1, TRACK_PINNED = 1 << 2, TRACK_ISOLATED = 1 << 3 };

typedef struct TrackOrder {
    uint32_t id, index;
} TrackOrder;

typedef struct TraceView {
    Arena           arena;
    Outline         outline;
    AxisMap         map;
    TickScale       scale; /* in the frame being drawn or hit */
    LabelPage      *pages;
    uint32_t        page_count;
    DataState       overview_state;
    Bytes           overview; /* OverviewBucket[] */
    uint64_t        overview_span, asked_span; /* span of the trace at the request: of `overview`, of the last
                                                * request */
    double          overview_ms;               /* time of the last request */
    bool            overview_is_stale;         /* the trace has grown since */
    bool            grows;
    uint32_t        numbering; /* number of renumberings of tracks and rows */
    uint8_t        *track_flags;     /* [track_count] TRACK_* bits */
    uint8_t        *process_flags;   /* [process_count] TRACK_* bits */
    uint32_t       *process_threads; /* [process_count] number of visible threads */
    TrackOrder     *by_id;           /* [track_count], sorted by id */
    uint32_t       *track_items;     /* [track_count] items of the layout; UINT32_MAX = not laid out */
    uint32_t       *process_items;   /* [process_count] likewise */
    Bytes           hidden_sets;     /* StringView[]: item n - 1 has the categories that filter n hides; texts in the
                                      * arena */
    uint32_t        filter;          /* the current filter; 0 = nothing is hidden */
    uint32_t  drawn_filter; /* the filter before: its tiles are drawn until those of `filter` arrive */
    DataState visible_state;
    VisibleTrack *whole;      /* [track_count] the outline's values, without a filter */
    uint64_t     *long_ticks; /* [track_count] duration from which a track's slices are rare; 0 = unknown */
    uint8_t       seen_from; /* bit of the current perspective; 0: all */
    Bytes         found_events; /* FoundEvent[], sorted by track, row, kind, begin */
    Bytes         found_labels; /* uint32_t[], sorted */
    Bytes         highlight_events; /* FoundEvent[], sorted likewise: the highlighted slices; empty = all of the label */
    bool          closed;
} TraceView;

/* A label of a trace. Label 0: none. */
typedef struct NameLabel {
    uint32_t trace, label;
} NameLabel;

/* ---- layout ---- */

typedef enum { ITEM_TRACE, ITEM_PROCESS, ITEM_TRACK } ItemKind;

/* A row of the tree: a track, or the header of a process or trace. */
typedef struct RowTarget {
    ItemKind kind;
    uint32_t trace;
    uint32_t index; /* of the process or track in the outline; 0 for a trace */
} RowTarget;

/* An item in the column of rows. Heights and positions are CSS pixels from the top of its section. */
typedef struct LayoutItem {
    double   y;
    double   height;
    ItemKind kind;
    uint32_t trace;
    uint32_t index; /* of the process or track in the outline */
    bool     closed;
    bool     in_area; /* a track of the selected area; for the current frame */
} LayoutItem;

typedef struct Layout {
    Bytes    items;  /* LayoutItem[] */
    uint32_t pinned; /* the first items, which are at the top and do not scroll */
    uint32_t count;
    double   pinned_px, scrolled_px; /* heights of both sections */
    bool     stale;
    bool     isolates; /* a track or process has TRACK_ISOLATED */
} Layout;

/* ---- the picture of one row ---- */

/* The slices in pixel columns [x0, x1) of a row: one, or several that share a column. Runs never overlap. */
typedef struct Run {
    int32_t  x0, x1;
    uint64_t slice, begin, extent;
    uint64_t longest, longest_ticks;
    double   covered; /* ticks */
    uint32_t count, label, flags;
    double   weight; /* ticks of the slices with `label` */
} Run;

/* The instants that share a column. */
typedef struct Mark {
    int32_t  x;
    uint64_t instant, tick;
    uint32_t count, label;
} Mark;

/* An arrow on the screen, in device pixels, from the middle of one row or closed group's header to another. */
typedef struct FlowLine {
    double   x0, y0, x1, y1;
    uint64_t count; /* number of arrows in the line */
    uint32_t trace;
    TileFlow flow; /* the first of them */
} FlowLine;

typedef enum { FLOW_END_FROM, FLOW_END_TO } FlowEndKind;

/* The part of a band that comes from one tile. */
typedef struct TileSource {
    Tile     tile;
    uint64_t begin, end; /* ticks, half-open */
} TileSource;

typedef struct RowScratch {
    Bytes sources; /* TileSource[] of `trace`, `track`, `band` */
    Bytes runs;    /* Run[] */
    Bytes marks;   /* Mark[] */
    Bytes columns; /* uint8_t[] */
    Bytes values;  /* ValueColumn[] (view/counter.h) */
    Bytes totals;  /* double[]: sums of stacked series, by column */
    Bytes flows;   /* FlowLine[] being collected (view/draw_flows.c) */
    Bytes drawn;   /* FlowLine[] of the last frame, the topmost last */
} RowScratch;

/* ---- geometry, in device pixels ---- */

typedef struct Geometry {
    double  scale; /* device pixels a CSS pixel */
    double  width, height;
    double  plot_x; /* end of the label column, begin of the time axis */
    int32_t plot_w; /* columns of the time axis */
    double  minimap_h, ruler_y, ruler_h;
    double  rows_y, rows_h;     /* the scrolled section */
    double  pinned_y, pinned_h; /* the pinned section, above it */
    double  scrollbar_w;
} Geometry;

/* ---- input ---- */

typedef enum {
    DRAG_NONE,
    DRAG_PENDING, /* pressed, not moved yet */
    DRAG_PAN,
    DRAG_AREA,
    DRAG_AREA_EDGE, /* of an existing area */
    DRAG_RULER,
    DRAG_MINIMAP_MOVE,
    DRAG_MINIMAP_LEFT,
    DRAG_MINIMAP_RIGHT,
    DRAG_MINIMAP_NEW,
    DRAG_SCROLLBAR,
    DRAG_COLUMN
} DragKind;

typedef enum {
    ZONE_NONE,
    ZONE_MINIMAP,
    ZONE_CORNER, /* left of the ruler and minimap */
    ZONE_RULER,
    ZONE_LABELS,
    ZONE_COLUMN_EDGE,
    ZONE_PLOT,
    ZONE_SCROLLBAR
} Zone;

typedef struct Hit {
    Zone     zone;
    bool     has_item;
    uint32_t item; /* index in the layout */
    bool     has_row;
    uint32_t row; /* in the item's track */
    bool     has_run;
    Run      run;
    Rect     bar; /* device pixels, if has_run or has_counter */
    bool     has_mark;
    Mark     mark;
    uint32_t mark_trace, mark_track; /* index of the track in the outline */
    bool     has_flow; /* excludes all other hits */
    FlowLine flow;
    bool     has_counter; /* the item is a counter; `tick` and `column` are set */
    uint64_t tick;
    int32_t  column;
} Hit;

typedef struct Pointer {
    bool     inside;
    double   x, y; /* CSS pixels */
    double   moved_ms;
    DragKind drag;
    DragKind pending; /* the drag after DRAG_PENDING */
    int      button;
    unsigned modifiers;
    double   down_x, down_y, last_x, last_y;
    double   grab;      /* a value kept during the drag: scroll, distance to an edge, ... */
    int64_t  grab_tick; /* axis tick at its begin */
    double   speed, last_ms;
} Pointer;

typedef struct Hover {
    bool     has_slice;
    bool     is_mark; /* `slice` is the number of an instant */
    uint32_t trace, label;
    uint64_t slice;
    bool     has_flow; /* `slice` is the id of an arrow of `trace` */
    bool     has_counter;
    uint32_t counter_trace, counter; /* index in the outline */
    double   since_ms;
    bool     tooltip; /* the delay is over */
} Hover;

typedef struct Area {
    bool    is_set;
    int64_t begin, end; /* axis ticks, begin <= end */
    Bytes   tracks;     /* AreaTrack[] */
} Area;

typedef struct AreaTrack {
    uint32_t trace, track; /* index in the outline */
} AreaTrack;

typedef struct Visit {
    CameraPos pos;
    double    scroll_px;
    uint32_t  alignment; /* View.alignment */
} Visit;

enum { HISTORY_MAX = 64, EVENTS_MAX = 64, FILTER_MAX = 128, DETAILS_MAX = 4096, PERSPECTIVE_MAX = 64 };

typedef struct History {
    Visit  visits[HISTORY_MAX];
    int    count, at; /* visits[at] is the current one */
    double rested_ms; /* time of the camera's last change */
    bool   pending;   /* the resting position is not recorded yet */
} History;

/* The arrows drawn besides those of the selected slice: all if they are few; all; none. */
typedef enum { FLOWS_FEW, FLOWS_ALL, FLOWS_SELECTED, FLOW_MODES } FlowMode;

enum { HELD_ZOOM_IN = 1, HELD_ZOOM_OUT = 2, HELD_LEFT = 4, HELD_RIGHT = 8, HELD_SPACE = 16 };

/* The filter of view_filter_durations. */
typedef struct Durations {
    bool     is_set;
    uint32_t trace;
    uint64_t least_ticks, most_ticks; /* both included */
} Durations;

struct View {
    Arena      arena;  /* this struct */
    Bytes      traces; /* TraceView[] */
    uint32_t   trace_count;
    uint64_t   extent; /* of the axis */
    TileCache *tiles;

    double   width_px, height_px, scale;
    double   column_px, column_open_px;
    Theme    theme;
    unsigned options;
    FlowMode flow_mode;
    Geometry geometry;

    Bytes    alignments; /* uint64_t[][trace_count]: tick offsets with one position on the axis */
    uint32_t alignment;  /* the current one, from 1; 0: by the clocks */
    Camera  camera;
    bool    camera_set; /* a range was chosen: the first trace does not set the camera */
    double  scroll_px;  /* of the scrolled section */
    bool    follows;    /* the latest time of growing traces stays visible */
    double  scroll_target_px;
    Layout  layout;
    char    filter[FILTER_MAX];
    char    perspective[PERSPECTIVE_MAX]; /* "": all */
    History history;

    Pointer  pointer;
    Hover    hover;
    unsigned held; /* HELD_* bits */
    bool     held_fast;
    bool     space_was_used; /* for a drag: its release has no other effect */
    double   held_since_ms, held_seen_ms;
    Area     area;

    bool       has_selection;
    SlicePlace selection;          /* selection.track is the id */
    bool       has_mark_selection; /* an instant is selected: only row and time of its place count */
    SlicePlace mark_selection;
    bool       has_focus;
    RowTarget  focus;      /* the row that has the keyboard focus */
    bool       keys_lead;  /* the keyboard moved the focus after the last pointer motion: the focused row goes before
                            * the hovered one */
    bool       has_found; /* a trace has found events */
    bool       has_highlight;
    NameLabel  highlights[2]; /* of two traces, or of one */
    bool       highlights_events; /* only highlight_events of the first one's trace, not all slices of the label */
    Durations  durations;

    bool      details_set; /* they belong to hover.slice of hover.trace */
    bool      details_of_flow;
    DataState details_state;
    uint64_t  details_slice;
    uint32_t  details_trace;
    char      details[DETAILS_MAX];
    size_t    details_size;

    ViewEvent   events[EVENTS_MAX];
    uint32_t    event_first, event_count;
    Bytes       event_tracks; /* uint32_t[] of the last event */
    const char *cursor;

    double   now_ms;
    double   frame_ms;   /* recent time between frames of a moving camera */
    bool     was_moving; /* the camera, after the last step */
    bool     dirty;
    bool     drawn; /* at least once since the last change of the data */
    uint32_t missing_pages;
    uint64_t entries_drawn;

    RowScratch scratch;
    Frame      frame;
};

/* ---- data.c: traces, labels, overviews ---- */

TraceView *view_trace(const View *view, uint32_t trace);
/* Return the label's name ("" until its page arrives) and its look in the view's theme. Request the page. */
StringView view_label_name(View *view, uint32_t trace, uint32_t label);
NameColour view_label_look(View *view, uint32_t trace, uint32_t label);
/* Returns the thread state that the label's name means; STATE_COUNT if unknown, or if the label has its own colour. */
ThreadState view_label_state(View *view, uint32_t trace, uint32_t label);
/* Returns the index in the outline of a track id; UINT32_MAX = unknown. */
uint32_t view_track_index(const TraceView *trace, uint32_t id);
void     view_data_begin_frame(View *view);
void     view_clear_data(View *view);
/* Reads an outline. The caller releases the trace on failure as well. */
bool view_trace_open(TraceView *trace, const void *bytes, size_t size, Err *err);
void view_trace_release(TraceView *trace);
/* Aligns all traces on one axis. */
bool view_build_axis(View *view, Err *err);
/* Returns the number of labels that page `page` should have. */
uint32_t view_page_labels(const TraceView *trace, uint32_t page);

/* ---- live.c ---- */

/* Keeps the latest time visible, if the view follows it. */
void live_follow(View *view);
/* Ends following if a camera motion by the user left the latest time. */
void live_look_away(View *view);
/* Starts following, if a trace grows. */
void live_start_following(View *view);
bool live_any_grows(const View *view);
/* Returns the pixels from the plot's left edge to the latest time. */
double live_latest_x(const View *view, const CameraPos *pos);
/* Clears selection, highlight and hover that refer to the trace. */
void view_forget_trace(View *view, uint32_t trace);

/* ---- hidden.c ---- */

/* Stores the counts without a filter, and applies the outline's filter. False when out of memory. */
bool hidden_init(TraceView *trace);
bool hidden_next_wish(TraceView *trace, uint32_t index, ViewWish *wish);
/* Copies the hidden categories to a later outline of the same trace. tracks[i] is the later index of track i. The old
 * counts hold until new ones arrive. False when out of memory. */
bool hidden_carry(const TraceView *before, TraceView *after, const uint32_t *tracks);

/* ---- perspective.c ---- */

/* Applies the perspective to a new trace. */
void perspective_apply(const View *view, TraceView *trace);
/* Chooses the perspective of an added trace, if it has only one and none is chosen yet. */
void perspective_begin(View *view, const Outline *outline);
bool perspective_shows(const TraceView *trace, uint32_t process);
/* Changes to a perspective that shows the process, unless the current one does. */
void perspective_reveal(View *view, const TraceView *trace, uint32_t process);
/* Changes to the next (1) or the previous one (-1), with "all" among them. */
void perspective_turn(View *view, int by);

/* ---- layout.c ---- */

static const double ROW_PX = 18, ROW_COMPACT_PX = 9, ROW_GAP_PX = 1, HEADER_PX = 20, TRACK_PAD_PX = 3;
static const double COUNTER_PX = 44, COUNTER_COMPACT_PX = 24;
static const double COLUMN_MIN_PX = 120, COLUMN_MAX_PX = 480, COLUMN_DEFAULT_PX = 220, COLUMN_RAIL_PX = 4;
static const double MINIMAP_PX = 40, RULER_PX = 42, SCROLLBAR_PX = 10;

void              layout_build(View *view); /* does nothing unless it is stale */
const LayoutItem *layout_item(const View *view, uint32_t item);
/* Returns the first item of the section that ends below y (CSS pixels in its section); the section's end if there is no
 * such item. */
uint32_t layout_find(const View *view, double y, bool pinned);
/* Returns the item of a track; UINT32_MAX if it is not shown. */
uint32_t layout_track_item(const View *view, uint32_t trace, uint32_t track);
/* Returns the item of a process's header; UINT32_MAX if it is not shown. */
uint32_t layout_process_item(const View *view, uint32_t trace, uint32_t process);
double   layout_row_height(const View *view); /* without the gap */
/* Returns the distance from a track item's top to its rows: a header is above them if the label column is closed. */
double layout_rows_top(const View *view);
bool   layout_column_is_open(const View *view);
/* Returns the top of an item on the screen, in CSS pixels. */
double layout_item_screen_y(const View *view, uint32_t item);
/* Returns the header that stays at the top of the scrolled section, at *y on the screen, while rows of its process are
 * visible and it is scrolled out; else UINT32_MAX. */
uint32_t layout_sticky_header(const View *view, double *y);
Geometry layout_geometry(const View *view);
double   layout_scroll_max(const View *view);
void     layout_close(View *view, const LayoutItem *item, bool closed);
bool     layout_track_shows(const View *view, const TraceView *trace, uint32_t track);

/* ---- shown.c: focused rows; hidden, pinned and isolated rows ---- */

/* Finds the row under the pointer, or the focused row. False if there is neither. */
bool shown_target(View *view, RowTarget *target);
bool shown_is_focus(const View *view, const LayoutItem *item);
/* Hides a row (TRACK_HIDDEN), isolates it or ends its isolation (TRACK_ISOLATED), or pins or unpins its tracks
 * (TRACK_PINNED). */
void shown_toggle(View *view, RowTarget target, uint8_t flag);
/* Shows all rows that are hidden or not isolated. */
void shown_reset(View *view);
/* Returns the layout's item of a row; UINT32_MAX if it is not shown. */
uint32_t shown_item(const View *view, RowTarget target);
void     shown_focus(View *view, RowTarget target);
/* Moves the focus by a number of rows and scrolls to it; without a focus, to the first visible row. */
void shown_move_focus(View *view, int by);
/* Selects the first visible slice of the focused track, or opens or closes the focused group. */
void shown_enter(View *view);

/* ---- runs.c ---- */

/* Updates the geometry and the scales of the traces to the camera. */
void runs_prepare(View *view);
/* Finds the tiles for a band of a track, in scratch.sources. */
void runs_find_sources(View *view, uint32_t trace, const OutlineTrack *track, uint32_t band);
/* Does the same as tile_cache_find, for tiles whose times count from the begin of the trace. */
bool view_find_tile(View *view, uint32_t trace, TileKey key, Tile *tile);
/* Learns the durations of the longest thousandth of a track's slices, from a tile over the whole trace. */
void runs_learn_lengths(TraceView *trace, const Tile *tile);
/* Fills scratch.runs and scratch.marks for a row of the band of the last runs_find_sources. */
void runs_build(View *view, uint32_t trace, uint32_t row_of_band);
/* Fills only scratch.marks. */
void runs_build_marks(View *view, uint32_t trace, uint32_t row_of_band);

/* ---- draw_flows.c ---- */

/* Returns the curve of a line without its colour. It leaves and enters rows at the side of the other end, away from the
 * names in the middle. */
DrawCurve flow_line_curve(const View *view, const FlowLine *line);
/* Returns the topmost line of the last frame within `reach` device pixels of a point, or NULL. */
const FlowLine *flow_line_at(const View *view, double x, double y, double reach);
/* Returns the end of the line that is farther from the point. */
FlowEndKind flow_far_end(const FlowLine *line, double x, double y);

/* ---- drawing: each function adds layers ---- */

void draw_grid(View *view, Frame *frame);
void draw_area_ground(View *view, Frame *frame); /* below the rows */
/* Returns the columns [x0, x1) of the selected area in device pixels, clipped a little outside the plot. */
void view_area_columns(const View *view, double *x0, double *x1);
void draw_rows(View *view, Frame *frame);
/* Draws the chart of a counter whose item's top is at y CSS pixels on the screen. */
void draw_counter(View *view, Frame *frame, const LayoutItem *item, double y_px);
void draw_boundaries(View *view, Frame *frame);
void draw_area(View *view, Frame *frame);   /* above the rows */
void draw_labels(View *view, Frame *frame); /* with the headers of groups */
void draw_flows(View *view, Frame *frame);
void draw_overlay(View *view, Frame *frame);
/* Draws the lines of a thread's instants over [top, bottom) (device pixels), the height of the thread's rows. Reads the
 * bands (trace/tile.h) that hold rows [first, end), the rows on the screen. */
void draw_thread_lines(View *view, Frame *frame, const LayoutItem *item, uint32_t first, uint32_t end,
                       double top, double bottom);
/* Draws the lines of instants of processes, over their tracks, and of global instants, over everything. */
void draw_wide_instants(View *view, Frame *frame);
/* Draws the name of an instant in the room right of its mark; false when the room is too small for it. */
bool draw_mark_name(View *view, Frame *frame, uint32_t colour, Rect room, StringView name);
void draw_ruler(View *view, Frame *frame);
void draw_minimap(View *view, Frame *frame);
void draw_tooltip(View *view, Frame *frame);

/* Converts CSS pixels to whole device pixels. */
double view_px(const View *view, double css_px);
/* Returns the visible range on the minimap, in device pixels. */
Rect view_minimap_window(const View *view);
/* Returns the thumb of the scrollbar; empty (h == 0) if everything is visible. */
Rect view_scroll_thumb(const View *view);
/* Returns the baseline that centres capitals of `size_px` in [y, y + h), on a whole pixel. */
double view_baseline(double y, double h, double size_px);
/* -- found.c: the results of a search -- */

/* The found or the highlighted events of one row, valid until they are set again. */
typedef struct FoundRow {
    const TraceView  *trace;
    const Bytes      *labels; /* uint32_t[], sorted: all slices of these labels; NULL = of none */
    const FoundEvent *slices, *instants; /* sorted by begin */
    size_t            slice_count, instant_count;
} FoundRow;

/* Returns the found events of a row. `track` is an index in the outline, `row` one of the track's. */
FoundRow found_row(View *view, uint32_t trace, uint32_t track, uint32_t row);
/* Returns the highlighted events of a row likewise. */
FoundRow highlight_row(View *view, uint32_t trace, uint32_t track, uint32_t row);
/* True if a slice of the run is among the events or labels. */
bool found_run(const FoundRow *row, const Run *run);
/* Draws lines under the found instants of a row that begins at y (device pixels). */
void draw_found_instants(View *view, Frame *frame, const FoundRow *found, double y, double height);
void draw_found_ticks(View *view, Frame *frame);

/* Sets the hovered or highlighted labels, which dim the others. False without such a label. */
bool view_emphasis(const View *view, NameLabel emphasis[2]);
bool view_interactive(const View *view);

/* Returns the ruler's units: those of the first trace's clock, on the axis. Needs a trace. */
TimeUnits view_time_units(const View *view);
/* Returns the device pixels from the plot's left edge to a number of units. */
double view_units_x(const View *view, const TimeUnits *units, uint64_t count);
/* Returns the axis position at a CSS pixel of the plot. */
int64_t view_axis_at(const View *view, double plot_x_px);

/* ---- hit.c ---- */

/* Returns the bar of a slice in device pixels, from its place. False if its row is not laid out (hidden, or in a closed
 * group). */
bool view_place_rect(const View *view, const SlicePlace *place, Rect *bar);

/* Finds the item under a point in CSS pixels. */
void view_hit(View *view, double x, double y, Hit *hit);
/* Updates the hover to a hit and its time. */
void view_hover_hit(View *view, const Hit *hit);

/* ---- view.c ---- */

CameraMotion view_motion(const View *view);
/* Handles a motion of the camera: a new resting position follows. */
void view_camera_changed(View *view);
void view_scroll_to(View *view, double px);
/* Sets the width of the label column. A small width closes it. */
void view_set_column(View *view, double px);

/* ---- align.c ---- */

/* Returns the tick offset of each trace that has the common position on the axis; NULL: the traces are aligned by their
 * clocks. */
const uint64_t *align_anchors(const View *view);
/* Aligns by clocks and forgets all alignments: the number of traces has changed. The axis is built by the caller. */
void align_reset(View *view);
/* Follows a trace whose begin is `later` ticks before the old one. */
void align_shift(View *view, uint32_t trace, uint64_t later);
/* Uses an alignment (View.alignment) and builds the axis. False when out of memory: nothing changes. */
bool align_use(View *view, uint32_t alignment);

/* ---- select.c: events, history, selection, area ---- */

void view_push_event(View *view, const ViewEvent *event);
void view_push_command(View *view, ViewEventKind kind, const char *command);
void view_push_area(View *view);
/* Requests the details of a track or process from the page. A trace has none. */
void view_push_about(View *view, RowTarget target);
void view_set_cursor(View *view, const char *cursor);
void history_record(View *view);
void history_go(View *view, int by);
void view_select_run(View *view, const Hit *hit);
/* Selects the first visible slice of a track's item, in its uppermost row with one. False if no slice is visible. */
bool view_select_first(View *view, uint32_t item);
void view_zoom_to_selection(View *view);
void view_fit_selection(View *view);
void view_area_from_selection(View *view);
void view_area_of_all(View *view);
/* Adds the tracks of items [first, end) of the layout to the area. Closed groups count with all their tracks. */
void view_area_add(View *view, uint32_t first, uint32_t end);
void view_clear_area(View *view);

/* ---- input.c, commands.c ---- */

void view_update_hover(View *view);
void step_held_keys(View *view, double dt_ms);
/* Returns the anchor of zooms by key: the pointer if it is in the plot, else the plot's middle. CSS pixels from its
 * left. */
double view_anchor(const View *view);

typedef enum { CONTEXT_ANY, CONTEXT_SELECTED, CONTEXT_UNSELECTED } KeyContext;
typedef struct KeyBinding {
    const char *key;
    unsigned    modifiers; /* exact, but Shift is ignored for signs ("?", "+"), because it depends on the keyboard
                            * layout */
} KeyBinding;
enum { BINDINGS_MAX = 4 };
/* Returns the bindings of command i, ended by a NULL key or BINDINGS_MAX. */
const KeyBinding *command_bindings(size_t i, KeyContext *context);
/* Returns the command for a key in the current context; NULL = none. */
const Command *command_for_key(const View *view, const char *key, unsigned modifiers);

#endif
