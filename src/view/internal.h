/* view/internal.h - the state of a view, shared by the files of this floor.
 *
 * Lengths: fields named _px and everything in Camera are CSS pixels; what is drawn (Frame, Run, Geometry) is device
 * pixels, whole numbers wherever a picture must be crisp. */
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

/* ---- what is known of a trace ---- */

typedef enum { DATA_UNKNOWN, DATA_UNDER_WAY, DATA_READY, DATA_FAILED } DataState;

typedef struct LabelPage {
    DataState  state;  /* of all that the page should hold: fewer may be there before */
    bool       wanted; /* by the latest frame */
    uint32_t   count;
    Arena      arena;                   /* of what follows */
    LabelText *labels;                  /* [count] */
    uint8_t   *colours;                 /* of names; COLOUR_ASKED: `asked` has it */
    NameColour (*asked)[COLOUR_THEMES]; /* [count]; NULL when the trace asks for none on this page */
} LabelPage;

enum { COLOUR_ASKED = COLOUR_UNKNOWN + 1 };

/* Values of OutlineTrack.kind that the view tells apart. */
enum {
    TRACK_KIND_THREAD = 0,
    TRACK_KIND_PROCESS_INSTANTS = 1,
    TRACK_KIND_GLOBAL_INSTANTS = 2,
    TRACK_KIND_COUNTER = 4,
    TRACK_KIND_STATES = 6,
    TRACK_KIND_OBJECTS = 7,
    TRACK_KIND_DUMPS = 8
};

/* Of a track or process, by the user's choice. TRACK_ISOLATED: while any has it, all others are left out. */
enum { TRACK_CLOSED = 1 << 0, TRACK_HIDDEN = 1 << 1, TRACK_PINNED = 1 << 2, TRACK_ISOLATED = 1 << 3 };

typedef struct TrackOrder {
    uint32_t id, index;
} TrackOrder;

typedef struct TraceView {
    Arena           arena;
    Outline         outline;
    AxisMap         map;
    TickScale       scale; /* of the frame being drawn or hit */
    LabelPage      *pages;
    uint32_t        page_count;
    DataState       overview_state;
    Bytes           overview; /* OverviewBucket[] */
    uint64_t        overview_span, asked_span; /* of the trace when the overview was asked for: that at hand, the latest */
    double          overview_ms;               /* when the latest was asked for */
    bool            overview_is_stale;         /* the trace has grown since */
    bool            grows;
    uint32_t        numbering; /* how often tracks and rows were numbered anew */
    uint8_t        *track_flags;     /* [track_count] TRACK_ */
    uint8_t        *process_flags;   /* [process_count] TRACK_ */
    uint32_t       *process_threads; /* [process_count] threads that show */
    TrackOrder     *by_id;           /* [track_count], sorted by id */
    uint32_t       *track_items;     /* [track_count] of the layout; UINT32_MAX = not laid out */
    uint32_t       *process_items;   /* [process_count] likewise */
    Bytes           hidden_sets;     /* StringView[]: what filter n hides is [n - 1]; texts in the arena */
    uint32_t        filter;          /* what is hidden now; 0 = nothing */
    uint32_t  drawn_filter; /* that of before: its tiles are drawn while those of `filter` are on their way */
    DataState visible_state;
    VisibleTrack *whole;      /* [track_count] what the outline said of each track, without a filter */
    uint64_t     *long_ticks; /* [track_count] slices this long are a track's rare ones; 0 = not known yet */
    uint8_t       seen_from; /* bit of the perspective that is shown; 0: all are */
    Bytes         found_events; /* FoundEvent[], sorted by track, row, kind, begin */
    Bytes         found_labels; /* uint32_t[], sorted */
    bool          closed;
} TraceView;

/* ---- layout ---- */

typedef enum { ITEM_TRACE, ITEM_PROCESS, ITEM_TRACK } ItemKind;

/* A track, the header of a process, or the header of a trace. */
typedef struct RowTarget {
    ItemKind kind;
    uint32_t trace;
    uint32_t index; /* of the process or track in the outline; 0 for a trace */
} RowTarget;

/* One thing of the column of rows. Heights and positions are CSS pixels from the top of its section. */
typedef struct LayoutItem {
    double   y;
    double   height;
    ItemKind kind;
    uint32_t trace;
    uint32_t index; /* of the process or track in the outline */
    bool     closed;
    bool     in_area; /* a track of the selected area; in the frame being drawn */
} LayoutItem;

typedef struct Layout {
    Bytes    items;  /* LayoutItem[] */
    uint32_t pinned; /* so many stand at the top and do not scroll */
    uint32_t count;
    double   pinned_px, scrolled_px; /* heights of both sections */
    bool     stale;
    bool     isolates; /* some track or process is TRACK_ISOLATED */
} Layout;

/* ---- one row's pictures ---- */

/* What stands in pixel columns [x0, x1) of a row: a slice, or several that share a column. Runs never overlap. */
typedef struct Run {
    int32_t  x0, x1;
    uint64_t slice, begin, extent;
    uint64_t longest, longest_ticks;
    double   covered; /* ticks */
    uint32_t count, label, flags;
    double   weight; /* ticks behind `label` */
} Run;

/* Instants that share a column. */
typedef struct Mark {
    int32_t  x;
    uint64_t instant, tick;
    uint32_t count, label;
} Mark;

/* An arrow on the screen, in device pixels: from the middle of a row, or of a closed group's
 * header, to that of another. */
typedef struct FlowLine {
    double   x0, y0, x1, y1;
    uint64_t count; /* arrows that share the line */
    uint32_t trace;
    TileFlow flow; /* the first of them */
} FlowLine;

typedef enum { FLOW_END_FROM, FLOW_END_TO } FlowEndKind;

/* A stretch of a band that one tile shows. */
typedef struct TileSource {
    Tile     tile;
    uint64_t begin, end; /* ticks; end is inclusive of nothing behind it */
} TileSource;

typedef struct RowScratch {
    Bytes sources; /* TileSource[], of `trace`, `track`, `band` */
    Bytes runs;    /* Run[] */
    Bytes marks;   /* Mark[] */
    Bytes columns; /* uint8_t[] */
    Bytes values;  /* ValueColumn[] (view/counter.h) */
    Bytes totals;  /* double[]: of stacked series, by column */
    Bytes flows;   /* FlowLine[] that are gathered (view/draw_flows.c) */
    Bytes drawn;   /* FlowLine[] of the latest frame, the topmost last */
} RowScratch;

/* ---- where things are, in device pixels ---- */

typedef struct Geometry {
    double  scale; /* device pixels a CSS pixel */
    double  width, height;
    double  plot_x; /* the label column ends, the time axis begins */
    int32_t plot_w; /* columns of the time axis */
    double  minimap_h, ruler_y, ruler_h;
    double  rows_y, rows_h;     /* of the scrolled section */
    double  pinned_y, pinned_h; /* above it */
    double  scrollbar_w;
} Geometry;

/* ---- input ---- */

typedef enum {
    DRAG_NONE,
    DRAG_PENDING, /* pressed, not yet moved */
    DRAG_PAN,
    DRAG_AREA,
    DRAG_AREA_EDGE, /* of an area that stands */
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
    uint32_t item; /* of the layout */
    bool     has_row;
    uint32_t row; /* of the item's track */
    bool     has_run;
    Run      run;
    Rect     bar; /* device pixels, if has_run or has_counter */
    bool     has_mark;
    Mark     mark;
    uint32_t mark_trace, mark_track; /* index of the track in the outline */
    bool     has_flow; /* then nothing else is hit */
    FlowLine flow;
    bool     has_counter; /* the item is one; at the time `tick`, in the plot's column `column` */
    uint64_t tick;
    int32_t  column;
} Hit;

typedef struct Pointer {
    bool     inside;
    double   x, y; /* CSS pixels */
    double   moved_ms;
    DragKind drag;
    DragKind pending; /* what DRAG_PENDING becomes */
    int      button;
    unsigned modifiers;
    double   down_x, down_y, last_x, last_y;
    double   grab;      /* what the drag keeps: scroll, an edge's distance, ... */
    int64_t  grab_tick; /* axis tick where it began */
    double   speed, last_ms;
} Pointer;

typedef struct Hover {
    bool     has_slice;
    bool     is_mark; /* `slice` stands for an instant */
    uint32_t trace, label;
    uint64_t slice;
    bool     has_flow; /* `slice` is an arrow's id, of `trace` */
    bool     has_counter;
    uint32_t counter_trace, counter; /* index in the outline */
    double   since_ms;
    bool     tooltip; /* it has stayed long enough */
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
} Visit;

enum { HISTORY_MAX = 64, EVENTS_MAX = 64, FILTER_MAX = 128, DETAILS_MAX = 4096, PERSPECTIVE_MAX = 64 };

typedef struct History {
    Visit  visits[HISTORY_MAX];
    int    count, at; /* visits[at] is where we are */
    double rested_ms; /* when the camera last changed */
    bool   pending;   /* it rests somewhere that is not recorded yet */
} History;

/* Which arrows are drawn besides those of the selected slice: all when they are few, all, none. */
typedef enum { FLOWS_FEW, FLOWS_ALL, FLOWS_SELECTED, FLOW_MODES } FlowMode;

enum { HELD_ZOOM_IN = 1, HELD_ZOOM_OUT = 2, HELD_LEFT = 4, HELD_RIGHT = 8, HELD_SPACE = 16 };

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

    Camera  camera;
    bool    camera_set; /* a range was chosen: the first trace no longer decides */
    double  scroll_px;  /* of the scrolled section */
    bool    follows;    /* the latest time of what grows stays in sight */
    double  scroll_target_px;
    Layout  layout;
    char    filter[FILTER_MAX];
    char    perspective[PERSPECTIVE_MAX]; /* "": all */
    History history;

    Pointer  pointer;
    Hover    hover;
    unsigned held; /* HELD_ */
    bool     held_fast;
    bool     space_was_used; /* to pan: its release means nothing more */
    double   held_since_ms, held_seen_ms;
    Area     area;

    bool       has_selection;
    SlicePlace selection;          /* selection.track is the id */
    bool       has_mark_selection; /* an instant is selected: of the place only the row and the time count */
    SlicePlace mark_selection;
    bool       has_focus;
    RowTarget  focus;      /* the row the keyboard acts on */
    bool       keys_lead;  /* the keyboard moved the focus after the pointer moved: its row goes before the hovered one */
    bool       has_found; /* something, in some trace */
    bool       has_highlight;
    uint32_t   highlight_trace, highlight_label;

    bool      details_set; /* for hover.slice of hover.trace */
    bool      details_of_flow;
    DataState details_state;
    uint64_t  details_slice;
    uint32_t  details_trace;
    char      details[DETAILS_MAX];
    size_t    details_size;

    ViewEvent   events[EVENTS_MAX];
    uint32_t    event_first, event_count;
    Bytes       event_tracks; /* uint32_t[] of the event taken last */
    const char *cursor;

    double   now_ms;
    double   frame_ms;   /* from one frame of a moving camera to the next, of late */
    bool     was_moving; /* the camera, after the latest step */
    bool     dirty;
    bool     drawn; /* at least once since the data changed */
    uint32_t missing_pages;
    uint64_t entries_drawn;

    RowScratch scratch;
    Frame      frame;
};

/* ---- data.c: traces, labels, overviews ---- */

TraceView *view_trace(const View *view, uint32_t trace);
/* The label's name ("" until its page has come), and how it looks in the view's theme. Wants the page. */
StringView view_label_name(View *view, uint32_t trace, uint32_t label);
NameColour view_label_look(View *view, uint32_t trace, uint32_t label);
/* What it says as the name of a state; STATE_COUNT when that is nothing known, or it asks for a colour of its own. */
ThreadState view_label_state(View *view, uint32_t trace, uint32_t label);
/* Index in the outline of a track id; UINT32_MAX = no such. */
uint32_t view_track_index(const TraceView *trace, uint32_t id);
void     view_data_begin_frame(View *view);
void     view_clear_data(View *view);
/* Reads an outline; the trace must be released also when that fails. */
bool view_trace_open(TraceView *trace, const void *bytes, size_t size, Err *err);
void view_trace_release(TraceView *trace);
/* Lays all traces on one axis. */
bool view_build_axis(View *view, Err *err);
/* How many labels page `page` should hold. */
uint32_t view_page_labels(const TraceView *trace, uint32_t page);

/* ---- live.c ---- */

/* Keeps the latest time in sight, if it is followed. */
void live_follow(View *view);
/* The camera was moved by hand: does it still look at the latest time? */
void live_look_away(View *view);
/* From now on it follows; nothing where nothing grows. */
void live_start_following(View *view);
bool live_any_grows(const View *view);
/* Pixels from the plot's left of the latest time. */
double live_latest_x(const View *view, const CameraPos *pos);
/* What is selected, marked or pointed at there means nothing any more. */
void view_forget_trace(View *view, uint32_t trace);

/* ---- hidden.c ---- */

/* Counts of tracks as they are without a filter, and the filter that the outline asks for. False when out of memory. */
bool hidden_init(TraceView *trace);
bool hidden_next_wish(TraceView *trace, uint32_t index, ViewWish *wish);
/* A later outline of the same trace takes over what is hidden; tracks[i] is where track i stands in it. Until
 * the counts come anew those of before hold. False when out of memory. */
bool hidden_carry(const TraceView *before, TraceView *after, const uint32_t *tracks);

/* ---- perspective.c ---- */

/* For a trace that is new. */
void perspective_apply(const View *view, TraceView *trace);
/* Chooses the perspective of a trace that was added, if it has but one and nothing was chosen yet. */
void perspective_begin(View *view, const Outline *outline);
bool perspective_shows(const TraceView *trace, uint32_t process);
/* Changes to one that shows the process, if the present one does not. */
void perspective_reveal(View *view, const TraceView *trace, uint32_t process);
/* The next (by 1) or the one before (-1), `all` among them. */
void perspective_turn(View *view, int by);

/* ---- layout.c ---- */

static const double ROW_PX = 18, ROW_COMPACT_PX = 9, ROW_GAP_PX = 1, HEADER_PX = 20, TRACK_PAD_PX = 3;
static const double COUNTER_PX = 44, COUNTER_COMPACT_PX = 24;
static const double COLUMN_MIN_PX = 120, COLUMN_MAX_PX = 480, COLUMN_DEFAULT_PX = 220, COLUMN_RAIL_PX = 4;
static const double MINIMAP_PX = 40, RULER_PX = 42, SCROLLBAR_PX = 10;

void              layout_build(View *view); /* if it is stale */
const LayoutItem *layout_item(const View *view, uint32_t item);
/* The first item of the section that reaches below y (CSS pixels in its section); the section's end if none. */
uint32_t layout_find(const View *view, double y, bool pinned);
/* The item of a track; UINT32_MAX when it is not shown. */
uint32_t layout_track_item(const View *view, uint32_t trace, uint32_t track);
/* The header of a process, likewise. */
uint32_t layout_process_item(const View *view, uint32_t trace, uint32_t process);
double   layout_row_height(const View *view); /* without the gap */
/* Where the rows of a track item begin, from the item's top: a header lies above them when the label column is shut. */
double layout_rows_top(const View *view);
bool   layout_column_is_open(const View *view);
/* Top of an item on the screen, in CSS pixels. */
double layout_item_screen_y(const View *view, uint32_t item);
/* The header of the process whose rows are at the top of the scrolled section while it is itself scrolled out: it stays
 * there, at *y on the screen. UINT32_MAX when there is none. */
uint32_t layout_sticky_header(const View *view, double *y);
Geometry layout_geometry(const View *view);
double   layout_scroll_max(const View *view);
void     layout_close(View *view, const LayoutItem *item, bool closed);
bool     layout_track_shows(const View *view, const TraceView *trace, uint32_t track);

/* ---- shown.c: the rows that keys act on; hidden, pinned and isolated rows ---- */

/* The row under the pointer, or the focused one; false when there is neither. */
bool shown_target(View *view, RowTarget *target);
bool shown_is_focus(const View *view, const LayoutItem *item);
/* Hides a row (TRACK_HIDDEN), isolates it (TRACK_ISOLATED) or ends isolating, pins or unpins its tracks (TRACK_PINNED). */
void shown_toggle(View *view, RowTarget target, uint8_t flag);
/* Shows all rows that are hidden or not isolated. */
void shown_reset(View *view);
/* The layout's item of a row; UINT32_MAX when it is not shown. */
uint32_t shown_item(const View *view, RowTarget target);
void     shown_focus(View *view, RowTarget target);
/* Moves the focus by so many rows and scrolls to it; without a focus, to the first row in sight. */
void shown_move_focus(View *view, int by);
/* Selects the first slice in sight of the focused track, or opens or closes the focused group. */
void shown_enter(View *view);

/* ---- runs.c ---- */

/* Brings trace->scale and geometry up to date with the camera. */
void runs_prepare(View *view);
/* The tiles for a band of a track into scratch.sources. */
void runs_find_sources(View *view, uint32_t trace, const OutlineTrack *track, uint32_t band);
/* As tile_cache_find, for bytes that are read from the begin of the trace. */
bool view_find_tile(View *view, uint32_t trace, TileKey key, Tile *tile);
/* Learns from a tile over the whole trace which slices of its track are the longest thousandth. */
void runs_learn_lengths(TraceView *trace, const Tile *tile);
/* Fills scratch.runs and scratch.marks for a row of the band whose sources were found last. */
void runs_build(View *view, uint32_t trace, uint32_t row_of_band);
/* Fills scratch.marks alone. */
void runs_build_marks(View *view, uint32_t trace, uint32_t row_of_band);

/* ---- draw_flows.c ---- */

/* The curve of a line, as it is drawn: it leaves and enters rows at the side of the other end, clear of the
 * names in the middle. Colours are left out. */
DrawCurve flow_line_curve(const View *view, const FlowLine *line);
/* The topmost line of the latest frame that passes within `reach` device pixels of a point; NULL when there is none. */
const FlowLine *flow_line_at(const View *view, double x, double y, double reach);
/* The end of the line that is farther from the point. */
FlowEndKind flow_far_end(const FlowLine *line, double x, double y);

/* ---- drawing: each adds its layers ---- */

void draw_grid(View *view, Frame *frame);
void draw_area_ground(View *view, Frame *frame); /* below the rows ... */
/* Columns [x0, x1) of the selected area in device pixels, cut a little outside the plot. */
void view_area_columns(const View *view, double *x0, double *x1);
void draw_rows(View *view, Frame *frame);
/* The chart of a counter whose item's top is at y CSS pixels on the screen. */
void draw_counter(View *view, Frame *frame, const LayoutItem *item, double y_px);
void draw_boundaries(View *view, Frame *frame);
void draw_area(View *view, Frame *frame);   /* ... and above */
void draw_labels(View *view, Frame *frame); /* the label column and the headers of groups */
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

/* CSS pixels to whole device pixels. */
double view_px(const View *view, double css_px);
/* The seen range on the minimap, in device pixels. */
Rect view_minimap_window(const View *view);
/* The thumb of the scrollbar; empty (h == 0) when everything is seen. */
Rect view_scroll_thumb(const View *view);
/* Baseline that centres capitals of `size_px` in [y, y + h), on a whole pixel. */
double view_baseline(double y, double h, double size_px);
/* -- found.c: what a search found -- */

/* Of one row; pointers are good until view_set_found. */
typedef struct FoundRow {
    const TraceView  *trace;
    const FoundEvent *slices, *instants; /* by begin */
    size_t            slice_count, instant_count;
} FoundRow;

/* `track` is an index in the outline, `row` one of the track's. */
FoundRow found_row(View *view, uint32_t trace, uint32_t track, uint32_t row);
/* Whether a slice behind the run was found. */
bool found_run(const FoundRow *row, const Run *run);
/* Lines under the instants that were found, in a row that begins at y (device pixels). */
void draw_found_instants(View *view, Frame *frame, const FoundRow *found, double y, double height);
void draw_found_ticks(View *view, Frame *frame);

/* What dims other names: the hovered or highlighted one. */
bool view_emphasis(const View *view, uint32_t *trace, uint32_t *label);
bool view_interactive(const View *view);

/* The ruler's units: those of the first trace's clock, on the axis. Needs a trace. */
TimeUnits view_time_units(const View *view);
/* Pixels (device, from the plot's left) of a whole number of them. */
double view_units_x(const View *view, const TimeUnits *units, uint64_t count);
/* The axis position at a CSS pixel of the plot. */
int64_t view_axis_at(const View *view, double plot_x_px);

/* ---- hit.c ---- */

/* The bar of a slice in device pixels, from its place; false when its row is not laid out (hidden, in a
 * closed group). */
bool view_place_rect(const View *view, const SlicePlace *place, Rect *bar);

/* What lies under a point in CSS pixels. */
void view_hit(View *view, double x, double y, Hit *hit);
/* The hand is over it: what it is, and since when. */
void view_hover_hit(View *view, const Hit *hit);

/* ---- view.c ---- */

CameraMotion view_motion(const View *view);
/* After the camera was moved: it will rest somewhere new. */
void view_camera_changed(View *view);
void view_scroll_to(View *view, double px);
/* Width of the label column; small enough shuts it to a rail. */
void view_set_column(View *view, double px);

/* ---- select.c: events, history, selection, area ---- */

void view_push_event(View *view, const ViewEvent *event);
void view_push_command(View *view, ViewEventKind kind, const char *command);
void view_push_area(View *view);
/* Asks the page for the details of a track or process; a trace has none. */
void view_push_about(View *view, RowTarget target);
void view_set_cursor(View *view, const char *cursor);
void history_record(View *view);
void history_go(View *view, int by);
void view_select_run(View *view, const Hit *hit);
/* Selects the first slice in sight of a track's item, in its uppermost row that has one; false when none is in sight. */
bool view_select_first(View *view, uint32_t item);
void view_zoom_to_selection(View *view);
void view_fit_selection(View *view);
void view_area_from_selection(View *view);
void view_area_of_all(View *view);
/* Adds the tracks of items [first, end) of the layout to the area; closed groups count whole. */
void view_area_add(View *view, uint32_t first, uint32_t end);
void view_clear_area(View *view);

/* ---- input.c, commands.c ---- */

void view_update_hover(View *view);
void step_held_keys(View *view, double dt_ms);
/* Anchor of zooms by key: the pointer if it is over the plot, else the plot's middle. CSS pixels from its left. */
double view_anchor(const View *view);

typedef enum { CONTEXT_ANY, CONTEXT_SELECTED, CONTEXT_UNSELECTED } KeyContext;
typedef struct KeyBinding {
    const char *key;
    unsigned    modifiers; /* exact, but for signs ("?", "+"), where Shift is the layout's affair */
} KeyBinding;
enum { BINDINGS_MAX = 4 };
/* The bindings of command i; ended by a NULL key or BINDINGS_MAX. */
const KeyBinding *command_bindings(size_t i, KeyContext *context);
/* The command that a key means now; NULL = none. */
const Command *command_for_key(const View *view, const char *key, unsigned modifiers);

#endif
