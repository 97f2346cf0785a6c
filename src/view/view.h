/* view/view.h - the timeline as a pure program: outlines, tiles and input in; draw lists and tile requests out.
 *
 * No platform calls, no clock (each call has the time), no threads, no GPU. The same inputs give the same draw list,
 * natively and in the browser. The host calls:
 *
 *   input    -> view_pointer, view_wheel, view_key, view_command
 *   data     -> view_add_trace, view_put_tile, view_put_labels, view_put_overview, view_put_details
 *   requests <- view_next_request: data to fetch, most urgent first, each once until it is put or has failed
 *   frame    <- view_step: did anything change; view_draw: the draw list
 *   events   <- view_next_event: changes that the page around the canvas needs
 *
 * Until a tile arrives its coarser ancestor is drawn. Input lengths are CSS pixels; the draw list is in device pixels.
 * Output times are exact offsets in ticks from a trace's begin; the common axis of several traces is internal
 * (view/axis.h). */
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H
#include "trace/wire/outline.h"
#include "trace/wire/tile.h"
#include "view/draw_list.h"

typedef struct View View;

/* Creates a view. NULL when out of memory. cache_bytes limits the loaded tiles (0 = 256 MiB). */
View *view_create(size_t cache_bytes) WARN_UNUSED;
void  view_destroy(View *view);

typedef enum { THEME_DARK, THEME_LIGHT } Theme;
/* Sets the size of the canvas in CSS pixels. The row of the selection stays in sight. */
void view_resize(View *view, double width, double height, double device_pixels_per_px);
void view_set_theme(View *view, Theme theme);

typedef enum {
    VIEW_REDUCED_MOTION = 1 << 0, /* no animation */
    VIEW_DRAG_PANS = 1 << 1,      /* drag pans and Shift+drag selects, instead of the reverse */
    VIEW_WHEEL_ZOOMS = 1 << 2,    /* the wheel zooms and Ctrl+wheel scrolls */
    VIEW_COMPACT = 1 << 3,        /* 9 px rows without text */
    VIEW_STATIC = 1 << 4,         /* a picture: no hover, no hints, final data */
    VIEW_ROOMY = 1 << 5,          /* 22 px rows; no effect together with VIEW_COMPACT */
    /* The colours of bars (view/colour_mode.h); 0: by name. */
    VIEW_BY_CATEGORY = 1 << 6,
    VIEW_BY_THREAD = 2 << 6,
    VIEW_BY_PROCESS = 3 << 6,
    VIEW_BY_DURATION = 4 << 6,
    VIEW_BY_FILE = 5 << 6,
    VIEW_COLOUR_BY = 7 << 6,    /* the bits of the five above */
    VIEW_SAFE_COLOURS = 1 << 9, /* for colour-blind people */
    /* The unit of all times; 0: the best one for each. Without effect in traces without time. */
    VIEW_IN_S = 1 << 10,
    VIEW_IN_MS = 2 << 10,
    VIEW_IN_US = 3 << 10,
    VIEW_IN_NS = 4 << 10,
    VIEW_UNIT = 7 << 10 /* the bits of the four above */
} ViewOption;
void     view_set_options(View *view, unsigned options);
unsigned view_options(const View *view);

/* The arrows drawn besides those of the selected slice: all if they are few; all; none. */
typedef enum { FLOWS_FEW, FLOWS_ALL, FLOWS_SELECTED, FLOW_MODES } FlowMode;
void view_set_flows(View *view, FlowMode flows);

/* The order of processes and tracks. SORT_DEFAULT: by the sort hints of the trace, then by name. SORT_BUSIEST: by the time in slices, descending. */
typedef enum { SORT_DEFAULT, SORT_NAME, SORT_FIRST, SORT_BUSIEST, ROW_SORTS } RowSort;
/* GROUPS_NAME: tracks of all processes with the same name, without numbers, are in one group. GROUPS_NONE: the tracks of all processes of
 * a trace are one list. */
typedef enum { GROUPS_PROCESS, GROUPS_NAME, GROUPS_NONE, ROW_GROUPINGS } RowGroups;
/* Choose the order, without a step of the history; rows that the user has moved return to their places. */
void view_sort_rows(View *view, RowSort sort);
void view_group_rows(View *view, RowGroups groups);

/* Draws counters of a process in one chart, in each process that has a counter of the first name: names, separated by commas. Without a
 * step of the history. False: a counter is missing. */
bool view_join_counters(View *view, const char *names);

/* ---- data ---- */

/* Adds a trace. Traces are numbered 0, 1, ... in this order, like in the session. `bytes` are copied. */
bool view_add_trace(View *view, const void *outline, size_t size, Err *err) WARN_UNUSED;
/* Replaces the outline of a growing trace. Content that ends before `from`, in ticks from the trace's begin, is
 * unchanged, unless tracks or rows were inserted between others: then view_numbering changes, everything may have
 * changed, and results of earlier requests for tiles and counts must not be put. Camera, scroll, closed groups and
 * selection stay. Old content is drawn until the results of the new requests arrive. Without effect on failure. */
bool view_update_outline(View *view, uint32_t trace, const void *outline, size_t size, uint64_t from,
                         Err *err) WARN_UNUSED;
/* Replaces a trace that is the begin of a file by the trace of the whole file, as view_update_outline does. All ids of
 * slices change. If the whole begin was visible, the whole trace is. */
bool view_complete_trace(View *view, uint32_t trace, const void *outline, size_t size, Err *err) WARN_UNUSED;
/* Sets if the trace grows. The latest time of growing traces stays visible until the user moves the camera away from
 * it; the command "go-end" returns to it. */
typedef enum { VIEW_IS_WHOLE, VIEW_GROWS } ViewGrowth;
void     view_set_growing(View *view, uint32_t trace, ViewGrowth growth);
uint32_t view_numbering(const View *view, uint32_t trace);
bool     view_follows(const View *view);
/* Replaces a trace by another one of the same file, for another perspective or on another axis. Clears its selection and highlight.
 * Processes and tracks that both have stay hidden, pinned, closed and in their order, also in the steps of the history. On failure
 * the trace stays. */
bool view_replace_trace(View *view, uint32_t trace, const void *outline, size_t size, Err *err) WARN_UNUSED;
/* Removes a trace; those after it get the next lower numbers. The visible range, the top row, the requests, the selection and the history
 * of the others stay: steps lose their parts about the trace, and steps without another part are removed. The host takes all events
 * before, because they have the old numbers. */
void view_remove_trace(View *view, uint32_t trace);
/* Removes all traces, and resets camera and selection. */
void view_clear(View *view);
/* Copy the bytes. False, without effect, if they are not a tile, page, overview or set of counts. */
bool view_put_tile(View *view, uint32_t trace, const void *bytes, size_t size);
/* As view_put_tile: takes the bytes, which become empty, instead of a copy. */
bool view_take_tile(View *view, uint32_t trace, Bytes *bytes);
bool view_put_labels(View *view, uint32_t trace, uint32_t page, const void *bytes, size_t size);
bool view_put_overview(View *view, uint32_t trace, const void *bytes, size_t size);
bool view_put_visible(View *view, uint32_t trace, const void *bytes, size_t size);
typedef enum {
    VIEW_REQUEST_OVERVIEW,
    VIEW_REQUEST_LABELS,
    VIEW_REQUEST_TILE,
    VIEW_REQUEST_DETAILS,
    VIEW_REQUEST_VISIBLE,
    VIEW_REQUEST_FLOW_DETAILS,
    VIEW_REQUEST_INSTANT_DETAILS,
    VIEW_REQUEST_MOMENTS
} ViewRequestKind;

/* An event for a tooltip. The ids of a growing trace change, and the tiles may be older than the trace. So the event is
 * found by its place; the id distinguishes events with the same place. */
typedef struct EventPlace {
    uint32_t track, row; /* id of the track; row within it. An arrow has the place of its begin */
    uint64_t begin;      /* ticks from the begin of the trace */
    uint64_t id;         /* of the slice, the arrow or the instant, in the tiles */
} EventPlace;

/* The events that have marks in the ruler and the minimap: those of a search (view_mark_search), or those with the name
 * that is pointed at, highlighted or selected. */
typedef enum { MOMENTS_FOUND, MOMENTS_NAMED, MOMENTS_KINDS } MomentsKind;
/* A request for buckets as in trace/wire/moments.h. */
typedef struct MomentsRequest {
    uint32_t kind; /* MomentsKind */
    uint32_t map;
    uint32_t version; /* MOMENTS_FOUND: the number of the search */
    uint32_t label;   /* MOMENTS_NAMED: the events with its name */
    uint64_t begin;
    uint32_t level, buckets;
} MomentsRequest;
typedef struct ViewRequest {
    ViewRequestKind kind;
    uint32_t        trace;
    TileKey         tile;  /* VIEW_REQUEST_TILE */
    uint32_t        page;  /* VIEW_REQUEST_LABELS; VIEW_REQUEST_OVERVIEW: the number of buckets */
    EventPlace      event; /* of the requests for details */
    uint32_t
        filter; /* of tiles, overview, visible, moments: view_filter_text has its categories; 0 = no filter */
    MomentsRequest moments; /* VIEW_REQUEST_MOMENTS */
} ViewRequest;
/* Takes the next request; false if no request is left. It is pending until its put function or view_request_failed. */
bool view_next_request(View *view, ViewRequest *request);
void view_request_failed(View *view, const ViewRequest *request);
/* Sets the lines of the hovered event's tooltip ("key\tvalue\n"...), the result of a request for details. No effect if
 * another event is hovered by now. */
void view_put_details(View *view, const ViewRequest *request, const char *lines, size_t size);
/* Stores the result of VIEW_REQUEST_MOMENTS. False: the bytes are malformed. */
bool view_put_moments(View *view, const ViewRequest *request, const void *bytes, size_t size);
/* True if the result is not of use any more: the host may stop the request. */
bool view_request_is_past(View *view, const ViewRequest *request);
/* True while finer data for the visible part is missing. */
bool view_is_waiting(const View *view);

/* ---- input ---- */

enum { MOD_SHIFT = 1 << 0, MOD_CTRL = 1 << 1, MOD_ALT = 1 << 2, MOD_META = 1 << 3 };
/* POINTER_CANCEL ends a drag and releases held keys. Send it also when the window loses the focus. */
typedef enum { POINTER_MOVE, POINTER_DOWN, POINTER_UP, POINTER_LEAVE, POINTER_CANCEL } PointerKind;
enum { BUTTON_LEFT = 0, BUTTON_MIDDLE = 1, BUTTON_RIGHT = 2 };
typedef struct PointerInput {
    PointerKind kind;
    double      x, y;      /* CSS pixels from the canvas's top left */
    int         button;    /* for DOWN and UP */
    unsigned    modifiers; /* MOD_* bits */
    int         clicks;    /* for DOWN: 1; 2 = double click */
    bool        touch;     /* one finger pans */
} PointerInput;
void view_pointer(View *view, const PointerInput *input, double now_ms);
/* Scrolls or zooms. The deltas are in pixels; the host converts lines and pages. A pinch has MOD_CTRL. */
void view_wheel(View *view, double x, double y, double delta_x, double delta_y, unsigned modifiers,
                double now_ms);
/* Handles a key. `key` is the browser's KeyboardEvent.code for letters, digits and named keys ("KeyW", "ArrowLeft",
 * "Digit0", "Escape", "Equal"), or .key for signs whose position depends on the layout ("?", "/", "+", "-", "[", "]",
 * ",", "."). True if the key was used; the host must then prevent the browser's default. Held keys of zoom and pan commands
 * move until released: KEY_UP needs the name of KEY_DOWN. */
typedef enum { KEY_DOWN, KEY_REPEAT, KEY_UP } KeyKind;
bool view_key(View *view, KeyKind kind, const char *key, unsigned modifiers, double now_ms);

/* The selection for which the keys of a command apply. Two commands can have the same key if one of them applies with and
 * the other one without a selected slice or instant. */
typedef enum { CONTEXT_ANY, CONTEXT_SELECTED, CONTEXT_UNSELECTED } KeyContext;
/* A row of the table of commands for keys, palette, help and settings (view/commands.c). */
typedef struct Command {
    const char *name;  /* stable: "zoom-in". The host has the text: "Zoom in at the pointer" (web/texts) */
    const char *group; /* "move", "select", ... */
    const char *keys;  /* the default keys: "W  +", with two spaces between alternatives */
    KeyContext  context;
    bool        host; /* the page executes it after VIEW_EVENT_COMMAND */
} Command;
const Command *view_command_at(size_t i); /* NULL after the last */
/* Gets and sets the keys of a command of this view (view/keys.h): at most four. Getting returns the size. ERR_USAGE for a text that
 * is not a key, and for keys of the browser. */
enum { COMMAND_KEYS_TEXT = 4 * 42 };
size_t view_command_keys(const View *view, size_t i, char out[COMMAND_KEYS_TEXT]);
bool   view_set_command_keys(View *view, size_t i, const char *keys, Err *err) WARN_UNUSED;
/* Writes the text of a key of view_key; 0: it has no text, so that it cannot be the key of a command. */
size_t view_key_text(const char *key, unsigned modifiers, char out[COMMAND_KEYS_TEXT]);
bool   view_command(View *view, const char *name, double now_ms);

/* ---- frame ---- */

/* Advances the animation to now_ms. True if the next view_draw differs from the last. */
bool view_step(View *view, double now_ms);
/* True while an animation runs: call view_step again in the next frame. */
bool view_is_moving(const View *view);
/* Returns the draw list, valid until the next view_draw or view_destroy. NULL when out of memory. */
const DrawList *view_draw(View *view);
/* Returns the tile entries read by the last view_draw: bounded by pixels and rows. */
uint64_t view_entries_drawn(const View *view);

/* ---- state ---- */

/* Get and set the visible range, in ticks of `trace` from its begin. Exact; may exceed the trace. */
void view_get_range(const View *view, uint32_t trace, int64_t *begin, int64_t *end);
void view_set_range(View *view, uint32_t trace, int64_t begin, int64_t end, double now_ms);
/* Converts a time of day (trace/store/wall_time.h) to ticks of `trace` from its begin; below 0 before it. */
typedef enum {
    DAY_FOUND,
    DAY_NO_TIME, /* not a time of day */
    DAY_UNKNOWN  /* the trace has no wall-clock time */
} DayFinding;
DayFinding view_find_time_of_day(const View *view, uint32_t trace, const char *text, size_t size,
                                 int64_t *offset);
/* Get and set the vertical scroll in CSS pixels. */
double view_scroll(const View *view);
void   view_set_scroll(View *view, double px);
/* Returns the height of all content, for pictures that show all of it. */
double view_content_height(const View *view);

/* The place of a slice, as in the session's /api/near and /api/slice. */
typedef struct SlicePlace {
    uint32_t trace, track, row; /* track id; row within the track */
    uint64_t slice;
    uint64_t begin, extent; /* ticks from the trace's begin */
    uint32_t label;
} SlicePlace;
/* Returns the length of a trace in ticks; 0 if it does not exist. */
uint64_t view_span(const View *view, uint32_t trace);
/* Format a time of a trace (from its begin) or a length, in ticks, with all digits, as in tooltips. Return the size; 0
 * if the trace does not exist. */
enum { VIEW_TIME_TEXT = 64 };
size_t view_time_text(const View *view, uint32_t trace, uint64_t ticks, char out[VIEW_TIME_TEXT]);
size_t view_length_text(const View *view, uint32_t trace, uint64_t ticks, char out[VIEW_TIME_TEXT]);

/* Selects a slice, opens its group and moves it into view. NULL: clears the selection. */
void view_select(View *view, const SlicePlace *place, double now_ms);

/* Updates the id or length of the selected slice, without moving the view. */
void view_reselect(View *view, const SlicePlace *place);

/* Selects an instant. Only trace, track, row and begin of the place are used. */
void view_select_instant(View *view, const SlicePlace *place, double now_ms);

/* Shows only tracks whose title or process title contains `pattern` (case-insensitive; "" = all). */
void view_filter_tracks(View *view, const char *pattern);
/* Hides categories of a trace: a set in the syntax of trace/store/categories.h, "" = none. Requests tiles, overview and
 * counts again; until they arrive the old ones are drawn. Initially the outline's set is hidden. False for an invalid
 * set. */
bool view_set_hidden(View *view, uint32_t trace, const char *set, size_t size);
/* Returns the hidden set, valid until the trace is removed. */
StringView view_hidden(const View *view, uint32_t trace);
/* Returns the set that the filter of a request hides. */
StringView view_filter_text(const View *view, uint32_t trace, uint32_t filter);
/* Selects a perspective, a name of view_perspectives, case-insensitive; "" = all. If traces show the same events in
 * several ways, processes of other perspectives are then not shown and not loaded. False if no trace has it. */
bool view_set_perspective(View *view, const char *name, size_t size);
/* Returns the perspective in the trace's spelling; "" = all. */
const char *view_perspective(const View *view);
/* True if the trace was loaded without the content of the current perspective, so that it must be replaced. */
bool view_lacks(const View *view, uint32_t trace);
/* The axis of a trace: of times, or of a capture, which counts events or calls of equal widths. */
typedef enum { VIEW_AXIS_TIME, VIEW_AXIS_EVENTS, VIEW_AXIS_CALLS } ViewAxis;
ViewAxis view_axis(const View *view, uint32_t trace);
/* True if a trace is on the axis of calls. */
bool view_counts_calls(const View *view);
/* Appends the names of the perspectives of all traces, separated by line feeds. */
void view_perspectives(const View *view, Bytes *out);
/* A slice or an instant found by a search, or a row of SQL. `track` is an id; 0: the event has only a tick in the ruler. */
typedef struct FoundEvent {
    uint64_t begin, extent; /* ticks from the trace's begin */
    uint32_t track, row;
    uint32_t is_instant; /* 0 or 1 */
    uint32_t reserved;
} FoundEvent;

/* Outlines an area of a trace besides the selected one: ticks from the begin of the trace, and ids of tracks. It replaces
 * the previous one. Without tracks it is removed. Ids that do not exist are not drawn. False when out of memory. */
bool view_keep_area(View *view, uint32_t trace, uint64_t begin, uint64_t end, const uint32_t *tracks,
                    uint32_t count);
/* Sets the results of a search in a trace: events in any order, and labels all of whose slices are found, listed or
 * not. They are underlined, events have ticks in the ruler, and other slices are dimmed in all traces. Copied. No
 * events and no labels: nothing was found. False when out of memory. */
bool view_set_found(View *view, uint32_t trace, const FoundEvent *events, size_t count,
                    const uint32_t *labels, size_t label_count);
/* Marks the matches by name of a search in ruler and minimap. `search`: the host's number of it, which requests of kind
 * MOMENTS_FOUND have; 0: none. */
void view_mark_search(View *view, uint32_t trace, uint32_t search);
/* Marks the events with the name of a label in ruler and minimap, in place of those with the name of the selected slice. Label
 * 0: ends this. */
void view_point_name(View *view, uint32_t trace, uint32_t label);
/* Highlights the slices of a label like selected ones, and dims the others. Label 0: none. */
void view_highlight_name(View *view, uint32_t trace, uint32_t label);
/* Highlights only these slices of the label, in any order; copied. False when out of memory. */
bool view_highlight_slices(View *view, uint32_t trace, uint32_t label, const FoundEvent *events,
                           size_t count);
/* Highlights also the slices of a label of another trace. */
void view_highlight_also(View *view, uint32_t trace, uint32_t label);
/* Dims the slices of the trace whose durations are not from least_ticks to most_ticks, and all slices of the other traces. A bar of
 * several slices counts by the longest one. Clipping by the selected area has no effect: durations are whole. The command
 * "deselect" ends the filter, with VIEW_EVENT_DURATIONS. */
void view_filter_durations(View *view, uint32_t trace, uint64_t least_ticks, uint64_t most_ticks);
void view_filter_no_durations(View *view);
/* Aligns the traces: the tick offsets anchors[trace], of all traces, get one position on the axis. NULL: by their clocks
 * (axis.h), which is also done when a trace is added. The visible range of the first trace stays; a view of
 * everything shows everything again. A step of the history: "undo-view" restores the alignment before. False when out of memory. */
bool view_align(View *view, const uint64_t *anchors, double now_ms);

/* ---- notes ---- */

/* A moment or a range of a trace with a text and a colour, made by the user. It is drawn as a flag below the ruler and in the
 * minimap, and as lines over the rows. Each change of the list is a step of the history, which "undo-view" takes back. */
enum { NOTE_TEXT = 240, NOTES_MAX = 4096, NOTE_COLOURS = 8 };
typedef struct ViewNote {
    uint32_t id; /* from 1; unique in a view */
    uint32_t trace;
    uint64_t begin, end; /* ticks from the trace's begin; equal: a moment */
    uint32_t colour;     /* < NOTE_COLOURS */
    uint32_t text_size;
    char     text[NOTE_TEXT]; /* UTF-8 */
} ViewNote;
/* Returns the notes, ordered by trace, begin and end; valid until the next change. */
const ViewNote *view_notes(const View *view, size_t *count);
/* Returns the id of the selected note; 0: none. */
uint32_t view_selected_note(const View *view);
void     view_select_note(View *view, uint32_t id);
/* Sets colour and text of a note; a longer text is cut. False if there is no such note, or when out of memory. */
bool view_change_note(View *view, uint32_t id, uint32_t colour, const char *text, size_t size);
/* Removes a note; no effect if there is no such note. */
void view_remove_note(View *view, uint32_t id);
/* Appends the notes as JSON: {"selected", "notes": [{"id", "trace", "begin", "end", "text", "colour"}], "colours": [{"name", "fill"}]}: ticks as
 * texts, the index of the colour, and its fill in the theme as "#rrggbb". */
void view_notes_json(const View *view, Bytes *out);

/* ---- view files (docs/view-files.md) ---- */

/* The identity of a trace's content in view files, at most VIEW_IDENTITY bytes; "" = unknown. */
enum { VIEW_IDENTITY = 32 };
void view_set_identity(View *view, uint32_t trace, const char *identity, size_t size);

/* The state of the page around the timeline, which the host stores in a view file; "" = none. */
typedef struct ViewPage {
    StringView panel, search, query;
    StringView slice; /* the name of the selected slice; with view_load: of the slice to select */
} ViewPage;

typedef enum {
    VIEW_FILE_MARKS = 1 << 0,   /* the notes */
    VIEW_FILE_STATE = 1 << 1,   /* range, rows, filters, selection, area, and the state of the page */
    VIEW_FILE_ONE_LINE = 1 << 2 /* for a link: without indentation */
} ViewFilePart;
#define VIEW_ALL_TRACES UINT32_MAX
typedef struct ViewSaving {
    unsigned parts; /* ViewFilePart bits */
    uint32_t trace; /* only this trace, or VIEW_ALL_TRACES */
    ViewPage page;
} ViewSaving;
/* Appends a view file. Equal views give equal bytes. When out of memory `out` has failed. */
void view_save(View *view, const ViewSaving *saving, Bytes *out);

/* VIEW_FILE_STORED: the file was kept for open traces; its notes replace theirs, and the history begins with them; other parts
 * are ignored. VIEW_FILE_OPENED: the user has opened the file or link. Its notes are added. If it has a state, it replaces the
 * state of the view. */
typedef enum { VIEW_FILE_STORED, VIEW_FILE_OPENED } ViewFileUse;
/* The result of view_load. Texts are valid until view_loaded_release. */
typedef struct ViewLoaded {
    Arena arena;
    bool  has_state;
    uint32_t
        other_traces; /* the number of applied traces of the file whose content differs from the open one's */
    uint32_t   unknown_traces; /* the number of traces of the file that are not open: their part is ignored */
    uint32_t   missing_rows;   /* the number of rows in the file that the open traces do not have */
    uint32_t   unknown_members;
    StringView first_unknown; /* the name of an unknown member */
    StringView name;          /* of the first trace of another content, or of an unknown one */
    double     scroll_px;     /* set it again when the rows are final: hidden categories change them */
    /* The selected slice or instant: the host finds the event at trace, track, row and begin, and calls
     * view_restore_slice, if it has the name page.slice or that is empty, or view_restore_instant. */
    bool       has_selection, selects_instant;
    bool       selects_sample; /* the instant is a sample: its track is a counter */
    SlicePlace selection;
    ViewPage   page;
} ViewLoaded;
/* Loads a view file. A trace of the file is the open one of the same identity; if an identity is not known, the one of the same
 * name; with VIEW_FILE_OPENED, if file and view have one trace each, that one. Rows are found by their titles. False for an
 * invalid file, or if no trace of it is open, with the offset in the text; nothing changes. */
bool view_load(View *view, const char *text, size_t size, ViewFileUse use, ViewLoaded *loaded,
               Err *err) WARN_UNUSED;
void view_loaded_release(ViewLoaded *loaded);
/* Select the event at ViewLoaded.selection without a motion of the view. */
void view_restore_slice(View *view, const SlicePlace *place);
void view_restore_instant(View *view, const SlicePlace *place);
/* The members of a view file that decide about the load of its traces. */
typedef struct ViewFileNeeds {
    StringView perspective; /* in the arena; "" = the file chooses none */
    ViewAxis   axis;        /* of captures: of events or of calls */
} ViewFileNeeds;
/* False for an invalid file. */
bool view_file_needs(const char *text, size_t size, Arena *arena, ViewFileNeeds *needs, Err *err) WARN_UNUSED;

typedef enum {
    VIEW_EVENT_SELECT,  /* the selected slice (place) changed; has_place false: none */
    VIEW_EVENT_INSTANT, /* instant `instant` of trace `trace` was clicked */
    VIEW_EVENT_AREA, /* the selected area changed: trace, begin, end, tracks of the first trace with tracks in it
                         * (view_area_in has the others); begin == end: none */
    VIEW_EVENT_RANGE,   /* the camera came to rest at another position */
    VIEW_EVENT_NEAR,    /* the selection should move: use /api/near with `command` ("parent", "next", ...) */
    VIEW_EVENT_COMMAND, /* the page should execute `command` */
    VIEW_EVENT_CURSOR,  /* the mouse cursor should be `command` ("default", "grabbing", "ew-resize", ...) */
    VIEW_EVENT_PROCESS, /* the header of process `process` of trace `trace` was clicked */
    VIEW_EVENT_TRACK,   /* details of track `track` (an id) are requested: its title was clicked */
    VIEW_EVENT_PERSPECTIVE, /* view_perspective has changed */
    VIEW_EVENT_FOLLOW,      /* view_follows has changed */
    VIEW_EVENT_MOVED, /* the selected slice is at `place` after a renumbering, perhaps with another id: request
                             * the slice there, then call view_reselect */
    VIEW_EVENT_ROWS,  /* the layout changed: view_shown_json may have changed */
    VIEW_EVENT_FLOW, /* arrow `flow` of trace `trace` was clicked: go to its end `command` ("from" or "to") */
    VIEW_EVENT_DURATIONS, /* a command ended view_filter_durations */
    VIEW_EVENT_HEAD,      /* view_head_json has changed */
    VIEW_EVENT_SAMPLE, /* counter place.track was clicked at place.begin: request the sample there, then call
                           * view_select_instant with its place */
    VIEW_EVENT_NOTES /* view_notes or view_selected_note changed. `command`: "show" if the user chose the note, "name" if
                           * it has just been made and needs a text; else "" */
} ViewEventKind;
typedef struct ViewEvent {
    ViewEventKind   kind;
    bool            has_place;
    SlicePlace      place;
    uint32_t        trace;
    uint64_t        instant;
    uint64_t        flow;
    uint32_t        process; /* index in the outline */
    uint32_t        track;
    int64_t         begin, end; /* VIEW_EVENT_AREA, in ticks of `trace` */
    const uint32_t *tracks;     /* VIEW_EVENT_AREA: ids, valid until the next event is taken */
    uint32_t        track_count;
    const char     *command; /* static */
    /* VIEW_EVENT_SELECT: false if several slices share the pixel. place.slice is the longest of them, the rest of place
     * is the pixel's. The host requests the slice and calls view_select with its place. */
    bool exact;
} ViewEvent;
bool view_next_event(View *view, ViewEvent *event);
/* Returns the part of the selected area in a trace, in the form of VIEW_EVENT_AREA. False if the area has no
 * tracks of the trace. */
bool view_area_in(View *view, uint32_t trace, ViewEvent *event);

/* Appends the state of the rows as JSON:
 *   {"filter", "tracks", "rows", "has_events", "sort", "groups", "column", "moved",
 *    "marks": [{"mark", "count", "rows": [{"trace", "is_process", "index", "title"}]}]}
 * tracks: the number that pass the filter; rows: these and the headers of groups; has_events: a trace has events to
 * draw; sort, groups: as in view files; column: the width of the label column in CSS
 * pixels, 0 = closed; moved: the number of moves of rows. The marks are "isolated", "hidden" and "pinned", if a row has them; each lists up to three rows. */
void view_shown_json(View *view, Bytes *out);
/* Remove a mark from all rows, or from a row in view_shown_json. */
void view_unmark_all(View *view, const char *mark);
void view_unmark_process(View *view, const char *mark, uint32_t trace, uint32_t process);
void view_unmark_track(View *view, const char *mark, uint32_t trace, uint32_t track);
/* Starts a search of traces, processes and tracks by their titles, for the jump list. A row matches if its title, or that of
 * its process, contains each word of the pattern (case-insensitive; "" = all). Hidden rows and rows excluded by the filter
 * match as well. view_find_rows_step examines a bounded number of rows; true while rows are left. */
void view_find_rows(View *view, const char *pattern);
bool view_find_rows_step(View *view);
/* Appends the result so far as JSON: {"count", "rows": [{"kind", "trace", "index", "title", "group", "noun"}]}: the number of
 * matches, and the best 100. kind: "trace", "process" or "track"; group: the title of its process; noun: "thread", "counter", ... */
void view_found_rows_json(const View *view, Bytes *out);
/* Shows row `found` of that list, scrolls to it, gives it the focus and lets it flash. No effect if the outline has changed
 * since: the search must then be repeated. */
void view_go_to_row(View *view, uint32_t found, double now_ms);
/* Goes to a track by its id in the same way. An unknown track changes nothing. */
void view_go_to_track(View *view, uint32_t trace, uint32_t track, double now_ms);
/* Appends the row under the pointer in the label column, or after a key the focused row, as JSON:
 *   {"kind", "title", "closed", "pinned", "isolates", "height", "limit", "chart", "same_scale", "menu_x", "menu_y", "place": {"x", "y", "width", "height"}}
 * {} if there is no such row. isolates: a row is isolated; height: of its rows, as in view files, "": that of all rows; limit: "limited" to
 * its first rows, "all", or "few": it has no more; chart: "none": not
 * a counter, "joined": with others in one chart, or "single"; menu_x, menu_y: the point for the command "row-menu"; place: of its
 * title in the label column, absent if it is not visible. Lengths are CSS pixels. */
void view_head_json(View *view, Bytes *out);
/* Gives the focus to the row of the last VIEW_EVENT_HEAD: commands for rows then act on it. */
void view_focus_head(View *view);
/* Appends the visible rows as JSON for the accessible mirror: at most 200 items of
 * {"id", "level", "expanded", "title", "focused", "cells":[{"slice", "name", "begin", "duration"}]}. */
void view_rows_json(View *view, Bytes *out);

#endif
