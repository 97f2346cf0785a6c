/* view/layout.h - the positions of rows. */
#ifndef VIEW_LAYOUT_H
#define VIEW_LAYOUT_H
#include "view/view_state.h"

static const double ROW_PX = 18, ROW_COMPACT_PX = 9, ROW_ROOMY_PX = 22, ROW_GAP_PX = 1, HEADER_PX = 20,
                    TRACK_PAD_PX = 3;
static const double MORE_ROWS_PX =
    14; /* of the line below the rows of a track that is limited to some of them */
static const double STRIP_PX = 11, STRIP_COMPACT_PX = 6; /* of instants */
static const double COUNTER_PX = 44, COUNTER_COMPACT_PX = 24, COUNTER_ROOMY_PX = 64;
static const double COLUMN_MIN_PX = 120, COLUMN_MAX_PX = 480, COLUMN_DEFAULT_PX = 220, COLUMN_RAIL_PX = 4;
static const double FLASH_MS = 900; /* of a row after a jump to it */
static const double MINIMAP_PX = 40, RULER_PX = 42, SCROLLBAR_PX = 10;

void              layout_build(View *view); /* does nothing unless it is stale */
const LayoutItem *layout_item(const View *view, uint32_t item);
/* The pinned items at the top, which do not scroll, or the others below them. */
typedef enum { LAYOUT_SCROLLED, LAYOUT_PINNED } LayoutSection;
typedef struct SectionExtent {
    uint32_t first, end;  /* its items */
    double   top, bottom; /* on the screen, in device pixels */
    double   scroll_px;   /* CSS pixels above its top on the screen */
} SectionExtent;
typedef struct SeenItems {
    uint32_t first, end;
} SeenItems;
LayoutSection layout_section_of(const View *view, uint32_t item);
SectionExtent layout_section_extent(const View *view, LayoutSection section);
/* Returns the first item of the section that ends below y (CSS pixels in its section); the section's end if there is no
 * such item. */
uint32_t layout_find(const View *view, double y, LayoutSection section);
/* Returns the items of the section that are on the screen, or within a margin (CSS pixels) above or below. */
SeenItems layout_seen(const View *view, LayoutSection section, double margin_px);
/* Returns the item of a track, of a counter that of its chart; UINT32_MAX if it is not shown. */
uint32_t layout_track_item(const View *view, uint32_t trace, uint32_t track);
/* Returns the item of a trace's header; UINT32_MAX if it is not shown. */
uint32_t layout_trace_item(const View *view, uint32_t trace);
/* Returns the item of a process's header; UINT32_MAX if it is not shown. */
uint32_t layout_process_item(const View *view, uint32_t trace, uint32_t process);
/* Returns the item of the header of a group by name; UINT32_MAX if it is not shown. */
uint32_t layout_group_item(const View *view, uint32_t trace, uint32_t group);
/* Returns the item of the header of a track's process, or group by name; UINT32_MAX if it is not shown. */
uint32_t layout_header_item(const View *view, uint32_t trace, uint32_t track);
double   layout_row_height(const View *view, const TraceView *trace, uint32_t track); /* without the gap */
double   layout_common_height(const View *view); /* of tracks without a height of their own */
/* Returns the distance from a track item's top to its rows: a header is above them if the label column is closed. */
double layout_rows_top(const View *view);
/* Returns the height of the strip for instants above the bars of a row; 0 = the row has only slices or only instants. */
double layout_strip(const View *view, const TraceView *trace, uint32_t track, uint32_t row);
/* Returns the distance from a track item's top to a row with its strip; to the end of the last one for a later row. */
double layout_row_top(const View *view, const TraceView *trace, uint32_t track, uint32_t row);
/* Returns the row at a distance from the item's top; the number of shown rows for a greater one. */
uint32_t layout_row_at(const View *view, const TraceView *trace, uint32_t track, double y);
/* The position of a row in device pixels. */
typedef struct RowExtent {
    double strip_y, strip_h; /* strip_h = 0: no strip */
    double y, height;        /* of its bars */
} RowExtent;
/* Returns the position of a row of a track's item, whose top is at y_px CSS pixels. */
RowExtent layout_row_extent(const View *view, const LayoutItem *item, double y_px, uint32_t row);
bool      layout_column_is_open(const View *view);
/* Returns the top of an item on the screen, in CSS pixels. */
double layout_item_screen_y(const View *view, uint32_t item);
/* Returns the header that stays at the top of the scrolled section, at *y on the screen, while rows of its process are
 * visible and it is scrolled out; else, and for the pinned section, UINT32_MAX. */
uint32_t layout_sticky_header(const View *view, LayoutSection section, double *y);
/* Returns the top of the part of a section that is not below the header at its top, in device pixels. */
double   layout_seen_top(const View *view, LayoutSection section);
Geometry layout_geometry(const View *view);
double   layout_scroll_max(const View *view);
/* Sets Position.waiting_px as far as the rows and the size allow. The wait ends when it is reached and the rows are final. */
void layout_resume_scroll(View *view);
/* Filters the tracks by a text in their titles, without a step of the history. */
void layout_set_filter(View *view, const char *pattern);
/* True if a track passes the filter and is not hidden. */
bool layout_filter_finds(const View *view);
/* Opens a closed item, closes an open one. */
void layout_toggle(View *view, const LayoutItem *item);
bool layout_track_shows(const View *view, const TraceView *trace, uint32_t track);
/* Tracks without events are shown only in a trace that has no others. */
typedef enum { EMPTY_TRACKS_HIDDEN, EMPTY_TRACKS_SHOWN } LayoutEmptyTracks;
LayoutEmptyTracks layout_empty_tracks(const TraceView *trace);
/* True for a track that has a place among the rows, unless the user hides it. */
bool layout_track_has_rows(const OutlineTrack *track, LayoutEmptyTracks empty);

#endif
