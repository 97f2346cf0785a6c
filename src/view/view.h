/* view/view.h - the timeline as a pure program: outlines, tiles and input in; draw lists and wishes out.
 *
 * No platform calls, no clock (time comes with each call), no threads, no GPU; the same inputs give the same draw
 * list, natively and in the browser. The host feeds it and asks:
 *
 *   input  -> view_pointer, view_wheel, view_key, view_command
 *   data   -> view_add_trace, view_put_tile, view_put_labels, view_put_overview, view_put_details
 *   wishes <- view_next_wish: what it wants fetched, most urgent first, each once until it is put or has failed
 *   frame  <- view_step says whether anything changed; view_draw gives the draw list
 *   news   <- view_next_event: what the page around the canvas must know
 *
 * Until a tile arrives its coarser ancestor is drawn. Lengths that come in are CSS pixels; the draw list is in device
 * pixels. Times that go out are offsets in ticks from a trace's begin, exact; the shared axis of several traces is
 * the view's own affair (view/axis.h). */
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H
#include "trace/outline.h"
#include "trace/tile.h"
#include "view/draw_list.h"

typedef struct View View;

/* NULL when out of memory. cache_bytes bounds the tiles that are kept (0 = 256 MiB). */
View *view_create(size_t cache_bytes) WARN_UNUSED;
void  view_destroy(View *view);

typedef enum { THEME_DARK, THEME_LIGHT } Theme;
void view_resize(View *view, double width, double height, double device_pixels_per_px);
void view_set_theme(View *view, Theme theme);

typedef enum {
    VIEW_REDUCED_MOTION = 1 << 0, /* no animation: every change is at once */
    VIEW_DRAG_PANS = 1 << 1,      /* drag pans and Shift+drag selects, not the other way round */
    VIEW_WHEEL_ZOOMS = 1 << 2,    /* the wheel zooms and Ctrl+wheel scrolls */
    VIEW_COMPACT = 1 << 3,        /* 9 px rows without text */
    VIEW_STATIC = 1 << 4          /* a picture: no hover, no hints, everything final */
} ViewOption;
void     view_set_options(View *view, unsigned options);
unsigned view_options(const View *view);

/* ---- data ---- */

/* Traces are numbered 0, 1, ... in the order they are added, as the session numbers them. `bytes` are copied. */
bool view_add_trace(View *view, const void *outline, size_t size, Err *err) WARN_UNUSED;
/* A trace that grows: its outline as it is now. What stands wholly before `from`, in ticks from its begin, is
 * as it was; with tracks or rows that are new between others nothing counts as that, whatever `from` says:
 * view_numbering is another then, and answers to wishes for tiles and counts of before must not be put.
 * Camera, scroll, closed groups and the selection stay where they are; what was drawn of it is drawn on until
 * the answers to the wishes that follow have come. When it fails all is as before. */
bool view_update_outline(View *view, uint32_t trace, const void *outline, size_t size, uint64_t from,
                         Err *err) WARN_UNUSED;
/* Whether more is to come. The latest time of what grows is kept in sight until the camera is moved away from
 * it by hand; the command "go-end" brings it back. */
typedef enum { VIEW_IS_WHOLE, VIEW_GROWS } ViewGrowth;
void view_set_growing(View *view, uint32_t trace, ViewGrowth growth);
uint32_t view_numbering(const View *view, uint32_t trace);
bool view_follows(const View *view);
/* Puts another trace of the same file in the place of one: made for another perspective. What is selected
 * or marked in that place is forgotten, what it stands on stays; groups of the same name stay closed. When
 * it fails all is as it was. */
bool view_replace_trace(View *view, uint32_t trace, const void *outline, size_t size, Err *err) WARN_UNUSED;
/* Forgets all traces; camera and selection too. */
void view_clear(View *view);
/* Copied. False (and nothing happens) for bytes that are not a tile, page or overview. */
bool view_put_tile(View *view, uint32_t trace, const void *bytes, size_t size);
bool view_put_labels(View *view, uint32_t trace, uint32_t page, const void *bytes, size_t size);
bool view_put_overview(View *view, uint32_t trace, const void *bytes, size_t size);
bool view_put_visible(View *view, uint32_t trace, const void *bytes, size_t size);
/* Lines for the hovered slice's tooltip ("key\tvalue\n"...), answering WISH_DETAILS. */
void view_put_details(View *view, uint32_t trace, uint64_t slice, const char *lines, size_t size);

/* The same for the hovered arrow, answering WISH_FLOW_DETAILS. */
void view_put_flow_details(View *view, uint32_t trace, uint64_t flow, const char *lines, size_t size);

typedef enum {
    WISH_OVERVIEW,
    WISH_LABELS,
    WISH_TILE,
    WISH_DETAILS,
    WISH_VISIBLE,
    WISH_FLOW_DETAILS
} WishKind;
typedef struct ViewWish {
    WishKind kind;
    uint32_t trace;
    TileKey  tile;  /* WISH_TILE */
    uint32_t page;  /* WISH_LABELS; WISH_OVERVIEW: the number of buckets */
    uint64_t slice; /* WISH_DETAILS; WISH_FLOW_DETAILS: the arrow */
    uint32_t
        filter; /* WISH_TILE, _OVERVIEW, _VISIBLE: of what view_filter_text(filter) leaves; 0 = of everything */
} ViewWish;
/* False when nothing is wanted. A wish counts as under way until answered by its put or view_wish_failed. */
bool view_next_wish(View *view, ViewWish *wish);
void view_wish_failed(View *view, const ViewWish *wish);
/* True while what is on the screen is not yet the finest data for it. */
bool view_is_waiting(const View *view);

/* ---- input ---- */

enum { MOD_SHIFT = 1 << 0, MOD_CTRL = 1 << 1, MOD_ALT = 1 << 2, MOD_META = 1 << 3 };
/* POINTER_CANCEL ends a drag, and releases keys that are held: send it when the window loses the focus, too. */
typedef enum { POINTER_MOVE, POINTER_DOWN, POINTER_UP, POINTER_LEAVE, POINTER_CANCEL } PointerKind;
enum { BUTTON_LEFT = 0, BUTTON_MIDDLE = 1, BUTTON_RIGHT = 2 };
typedef struct PointerInput {
    PointerKind kind;
    double      x, y;      /* CSS pixels from the canvas's top left */
    int         button;    /* for DOWN and UP */
    unsigned    modifiers; /* MOD_ */
    int         clicks;    /* for DOWN: 1, 2 = double */
    bool        touch;     /* one finger pans */
} PointerInput;
void view_pointer(View *view, const PointerInput *input, double now_ms);
/* Pixels as the browser reports them (lines and pages already turned into pixels). A pinch comes with MOD_CTRL. */
void view_wheel(View *view, double x, double y, double delta_x, double delta_y, unsigned modifiers,
                double now_ms);
/* `key` is the browser's KeyboardEvent.code for letters, digits and named keys ("KeyW", "ArrowLeft",
 * "Digit0", "Escape", "Equal"), or .key for signs that move between layouts ("?", "/", "+", "-", "[", "]",
 * ",", "."). True if it meant something: the host then stops the browser from using it. Held keys (W, A,
 * S, D) move until released. */
typedef enum { KEY_DOWN, KEY_REPEAT, KEY_UP } KeyKind;
bool view_key(View *view, KeyKind kind, const char *key, unsigned modifiers, double now_ms);

/* The table behind keys, palette and help: one row per command (view/commands.c). */
typedef struct Command {
    const char *name;  /* stable: "zoom-in" */
    const char *title; /* "Zoom in at the pointer" */
    const char *group; /* "Move", "Select", ... */
    const char *keys;  /* as shown in help: "W  +" */
    bool        host;  /* carried out by the page: arrives there as VIEW_EVENT_COMMAND */
} Command;
const Command *view_command_at(size_t i); /* NULL behind the last */
bool           view_command(View *view, const char *name, double now_ms);

/* ---- frame ---- */

/* Advances animation to now_ms. True when the next view_draw would differ from the last. */
bool view_step(View *view, double now_ms);
/* True while an animation runs: call view_step again next frame. */
bool view_is_moving(const View *view);
/* Valid until the next call of view_draw or view_destroy. NULL when out of memory. */
const DrawList *view_draw(View *view);
/* Tile entries looked at by the last view_draw: bounded by pixels and rows. */
uint64_t view_entries_drawn(const View *view);

/* ---- state ---- */

/* The visible range, in ticks of `trace` from its begin; may reach outside the trace. Exact integers. */
void view_get_range(const View *view, uint32_t trace, int64_t *begin, int64_t *end);
void view_set_range(View *view, uint32_t trace, int64_t begin, int64_t end, double now_ms);
/* Finds a time of day (trace/wall_time.h) in ticks of `trace` from its begin: below 0 before it. */
typedef enum { DAY_FOUND, DAY_NO_TIME /* the text is something else */, DAY_UNKNOWN /* the trace does not say it */ } DayFinding;
DayFinding view_find_time_of_day(const View *view, uint32_t trace, const char *text, size_t size,
                                 int64_t *offset);
/* Rows are scrolled by CSS pixels. */
double view_scroll(const View *view);
void   view_set_scroll(View *view, double px);
/* How high all content is: for pictures that show all of it. */
double view_content_height(const View *view);

/* Where a slice lies, as the session's /api/near and /api/slice say it. */
typedef struct SlicePlace {
    uint32_t trace, track, row; /* track id; row within the track */
    uint64_t slice;
    uint64_t begin, extent; /* ticks from the trace's begin */
    uint32_t label;
} SlicePlace;
/* The length of a trace in ticks; 0 for one that is not there. */
uint64_t view_span(const View *view, uint32_t trace);
/* A time of a trace, or a length, in ticks (a time: from the trace's begin) with all digits, as tooltips write it.
 * Returns the size, 0 for a trace that is not there. */
enum { VIEW_TIME_TEXT = 64 };
size_t view_time_text(const View *view, uint32_t trace, uint64_t ticks, char out[VIEW_TIME_TEXT]);
size_t view_length_text(const View *view, uint32_t trace, uint64_t ticks, char out[VIEW_TIME_TEXT]);

/* Selects it and brings it into view (opening its group). NULL: selects nothing. */
void view_select(View *view, const SlicePlace *place, double now_ms);

/* The selected slice has another id or length by now: nothing is brought into view. */
void view_reselect(View *view, const SlicePlace *place);

/* An instant, of which trace, track, row and begin are given. */
void view_select_instant(View *view, const SlicePlace *place, double now_ms);

/* Only tracks whose title or process title holds `pattern` (case-insensitive; "" = all). */
void view_filter_tracks(View *view, const char *pattern);
/* Hides categories of a trace: a set as trace/categories.h writes it, "" = none. Tiles, overview and counts
 * are wished for anew; until they come the old ones are drawn. At first hidden is what the outline says.
 * False for a text that is no set. */
bool view_set_hidden(View *view, uint32_t trace, const char *set, size_t size);
/* What is hidden now; valid until the trace is cleared. */
StringView view_hidden(const View *view, uint32_t trace);
/* What the filter of a wish hides. */
StringView view_filter_text(const View *view, uint32_t trace, uint32_t filter);
/* Where the traces show the same events in several ways, one can be shown alone: processes that belong to
 * others only are left out, and cost nothing. A name of view_perspectives, without regard to case; "" = all.
 * False for one no trace has. */
bool view_set_perspective(View *view, const char *name, size_t size);
/* As the trace spells it; "" = all. */
const char *view_perspective(const View *view);
/* Whether the trace was made without what the perspective at hand shows: it can be replaced by one that has it. */
bool view_lacks(const View *view, uint32_t trace);
/* The names that there are in any trace, a line feed between them, appended. */
void view_perspectives(const View *view, Bytes *out);
/* A slice or an instant that a search found; its track by id. */
typedef struct FoundEvent {
    uint64_t begin, extent; /* ticks from the trace's begin */
    uint32_t track, row;
    uint32_t is_instant; /* 0 or 1 */
    uint32_t reserved;
} FoundEvent;

/* What a search found in a trace: events, in any order, and labels all of whose slices are found, listed or
 * not. They are underlined, events have ticks in the ruler, and the other slices of all traces recede.
 * Copied; no events and no labels: nothing was found. False when out of memory. */
bool view_set_found(View *view, uint32_t trace, const FoundEvent *events, size_t count,
                    const uint32_t *labels, size_t label_count);
/* All slices of this name look selected, others recede; name NULL: none. */
void view_highlight_name(View *view, uint32_t trace, uint32_t label);

typedef enum {
    VIEW_EVENT_SELECT,  /* slice (place) or nothing (has_place false) is selected now */
    VIEW_EVENT_INSTANT, /* instant `instant` of trace `trace` was clicked */
    VIEW_EVENT_AREA,    /* the selected area changed: trace, begin, end, tracks, of the first trace that has
                         * tracks in it (of others view_area_in tells); begin == end: none */
    VIEW_EVENT_RANGE,   /* the camera came to rest somewhere else */
    VIEW_EVENT_NEAR,    /* the selection should move: ask /api/near with `command` ("parent", "next", ...) */
    VIEW_EVENT_COMMAND, /* the page should carry out `command` */
    VIEW_EVENT_CURSOR,  /* the mouse cursor should be `command` ("default", "grabbing", "ew-resize", ...) */
    VIEW_EVENT_PROCESS, /* the header of process `process` of trace `trace` was clicked */
    VIEW_EVENT_TRACK,   /* somebody asks about track `track` (an id): its title was clicked */
    VIEW_EVENT_PERSPECTIVE, /* view_perspective has changed */
    VIEW_EVENT_FOLLOW,      /* view_follows has changed */
    VIEW_EVENT_MOVED,       /* the selected slice stands at `place` now, where its trace is numbered anew; it may
                             * have another id, too: ask for the slice there, then view_reselect */
    VIEW_EVENT_ROWS, /* the rows were laid out anew: view_shown_json may give something else */
    VIEW_EVENT_FLOW /* arrow `flow` of trace `trace` was clicked: its end `command` ("from" or "to") is wanted */
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
    /* VIEW_EVENT_SELECT: false when several slices share the pixel: place.slice is the longest of them, the rest of
     * place what the pixel shows. The host fetches the slice and calls view_select with its own place. */
    bool exact;
} ViewEvent;
bool view_next_event(View *view, ViewEvent *event);
/* The part of the selected area that lies in a trace, as VIEW_EVENT_AREA tells it; false: none of its tracks does. */
bool view_area_in(View *view, uint32_t trace, ViewEvent *event);

/* What was done to the rows, as JSON:
 *   {"filter", "tracks", "rows", "has_events", "marks": [{"mark", "count", "rows": [{"trace", "is_process", "index", "title"}]}]}
 * tracks: how many pass the filter; rows: those and the headers of groups; has_events: some trace has an event to draw.
 * Marks are "isolated", "hidden" and "pinned", those
 * that some row has; of the rows up to three are listed. */
void view_shown_json(View *view, Bytes *out);
/* Takes a mark off every row, or off one that view_shown_json lists. */
void view_unmark_all(View *view, const char *mark);
void view_unmark_process(View *view, const char *mark, uint32_t trace, uint32_t process);
void view_unmark_track(View *view, const char *mark, uint32_t trace, uint32_t track);
/* The visible rows as JSON for the accessible twin: at most 200 items of
 * {"id", "level", "expanded", "title", "focused", "cells":[{"slice", "name", "begin", "duration"}]}. */
void view_rows_json(View *view, Bytes *out);
/* Everything a link must hold (range, scroll, closed groups, selection) as one short text, and back. */
void view_save_state(const View *view, Bytes *out);
bool view_load_state(View *view, const char *text, size_t size);

#endif
