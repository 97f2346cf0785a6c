/* view/view_state.h - the state of a view, in named parts.
 *
 * Lengths: fields named _px and all of Camera are in CSS pixels. Drawn items (Frame, Run, Geometry) are in device
 * pixels, whole numbers where edges must be sharp. */
#ifndef VIEW_VIEW_STATE_H
#define VIEW_VIEW_STATE_H
#include "base/vec.h"
#include "view/built_rows.h"
#include "view/camera.h"
#include "view/geometry.h"
#include "view/jump.h"
#include "view/keys.h"
#include "view/layout_items.h"
#include "view/pointer.h"
#include "view/time_text.h"

/* A scroll position as a row and the distance from its top edge: rows above it may appear or disappear. */
typedef struct TopItem {
    bool      is_set;
    RowTarget row;
    double    into_px;
} TopItem;

typedef struct Visit {
    CameraPos pos;
    double    scroll_px;    /* used if the top row is not shown */
    TopItem   top;          /* among the rows of this visit */
    uint32_t  alignment;    /* Position.alignment */
    uint32_t  notes;        /* notes_version */
    uint32_t  rows;         /* row_state */
    bool      counts_calls; /* view_counts_calls */
} Visit;

enum { HISTORY_MAX = 64, EVENTS_MAX = 64, FILTER_MAX = 128, DETAILS_MAX = 4096, PERSPECTIVE_MAX = 64 };

typedef struct History {
    Visit  visits[HISTORY_MAX];
    int    count, at; /* visits[at] is the current one */
    double rested_ms; /* time of the camera's last change */
    bool   pending;   /* the resting position is not recorded yet */
    bool
        waits; /* visits[at] is on the other axis of captures: the page replaces them, and the position then is that of the visit */
} History;

enum { HELD_ZOOM_IN = 1, HELD_ZOOM_OUT = 2, HELD_LEFT = 4, HELD_RIGHT = 8, HELD_SPACE = 16, HELD_BITS = 5 };
enum { COMMANDS_MAX = 128 };

/* The filter of view_filter_durations. */
typedef struct Durations {
    bool     is_set;
    uint32_t trace;
    uint64_t least_ticks, most_ticks; /* both included */
} Durations;

enum { SAFE_COLOURS = 8, RAMP_COLOURS = 8 };

/* The size of the canvas and the choices of the user about the picture. */
typedef struct Screen {
    double     width_px, height_px;
    double     scale;                     /* device pixels a CSS pixel */
    double     column_px, column_open_px; /* width of the label column, and its width when it was last open */
    Theme      theme;
    unsigned   options; /* VIEW_* bits */
    FlowMode   flow_mode;
    NameColour safe[SAFE_COLOURS], ramp[RAMP_COLOURS]; /* colour_mode_prepare */
    Geometry   geometry;                               /* of the frame being drawn or hit */
} Screen;

/* The visible range of the axis and of the rows. */
typedef struct Position {
    Camera camera;
    bool   is_set;     /* a range was chosen: the first trace does not set the camera */
    bool   was_moving; /* the camera, after the last step */
    bool   follows;    /* the latest time of growing traces stays visible */
    double scroll_px;  /* of the scrolled section */
    double
        waiting_px; /* a loaded scroll position that is not reached yet (layout_resume_scroll); below 0: none */
    double target_px;         /* the scroll position that scroll_px approaches */
    VEC(uint64_t) alignments; /* tick offsets with one position on the axis */
    uint32_t alignment;       /* the current one, from 1; 0: by the clocks */
    History  history;
} Position;

/* The row with buttons beside its title. */
typedef struct RowHead {
    bool      is_there;
    bool      is_visible; /* `place` is set */
    RowTarget row;
    Rect      place;    /* of the title in the label column, CSS pixels */
    RowFlags  flags;    /* TRACK_*; TRACK_PINNED of a group: all its tracks */
    bool      isolates; /* a row is isolated */
} RowHead;

/* A row that is being dragged (DRAG_ROW). */
typedef struct RowDrag {
    bool    has_target; /* `move` changes the order */
    RowMove move;
} RowDrag;

/* A trace that is being dragged against the others (DRAG_TRACE). */
typedef struct AlignDrag {
    uint32_t trace;
    uint32_t fixed;                  /* another trace: its visible range stays */
    int64_t  range_begin, range_end; /* of `fixed`, in ticks */
    uint32_t before, current;        /* Position.alignment before and during the drag */
    double   ticks_per_px;           /* of the axis */
    VEC(int64_t) begins;             /* of all traces on the axis at the begin of the drag */
} AlignDrag;

/* The state of pointer and keys. */
typedef struct Input {
    Pointer     pointer;
    Hover       hover;
    CommandKeys keys[COMMANDS_MAX];            /* of each command */
    unsigned    held;                          /* HELD_* bits */
    char        held_key[HELD_BITS][KEY_NAME]; /* the key of each bit */
    bool        held_fast;
    bool        has_alt;        /* Alt is held: the hovered name is highlighted */
    bool        space_was_used; /* for a drag: its release has no other effect */
    double      held_since_ms, held_seen_ms;
    bool keys_lead; /* the keyboard moved the focus after the last pointer motion: the focused row goes before
                            * the hovered one */
    const char *cursor;
    RowDrag     row_drag;
    AlignDrag   align_drag;
    RowHead     head;           /* as last reported to the page */
    double      menu_x, menu_y; /* the point of the last menu of a row, CSS pixels */
} Input;

typedef struct Selection {
    bool       has_slice;
    SlicePlace slice;       /* slice.track is the id */
    bool       has_instant; /* only row and time of its place count */
    SlicePlace instant;
    bool       has_focus;
    RowTarget  focus;    /* the row that has the keyboard focus */
    bool       flashes;  /* the focused row, after a jump to it */
    double     flash_ms; /* time of the jump */
    Area       area;
    KeptArea   kept;
} Selection;

typedef VEC(ViewNote) NoteList;

/* The flag of a note in sight. Device pixels from the canvas's left edge. */
typedef struct NoteFlag {
    const ViewNote *note;
    double          x0, x1; /* of its range */
    double          end;    /* of the room for its text */
} NoteFlag;

/* A list of notes; `number` is that of notes_version. */
typedef struct NotesVersion {
    uint32_t number; /* 0: unused */
    NoteList notes;
} NotesVersion;

enum { NOTES_VERSIONS = HISTORY_MAX + 2 }; /* those of the history, the current one and a new one */
typedef struct Notes {
    NotesVersion versions[NOTES_VERSIONS];
    uint32_t     current; /* the number of the version in use; 0: there are no notes */
    uint32_t     last;    /* the number of the latest version */
    uint32_t     last_id;
    uint32_t     selected; /* an id; 0: none */
    VEC(NoteFlag) flags;   /* of the frame being drawn or hit */
} Notes;

/* A row that differs from the others. */
typedef struct FlaggedRow {
    RowTarget row;
    RowFlags  flags; /* TRACK_* */
    uint32_t  chart; /* of a counter in the chart of another one; UINT32_MAX: in its own */
} FlaggedRow;

/* A state of the rows in the history (view/row_history.h). */
typedef struct RowState {
    uint32_t number; /* 0: unused */
    char     filter[FILTER_MAX];
    RowOrder order;
    uint32_t trace_count; /* at that time: traces after these stay as they are */
    VEC(FlaggedRow) rows;
} RowState;

enum { ROW_STATES = HISTORY_MAX + 2 }; /* those of the history, the current one and a new one */
typedef struct RowHistory {
    RowState states[ROW_STATES];
    uint32_t current; /* the number of the state of the current step; 0: none is stored */
    uint32_t last;    /* the number of the latest state */
    uint32_t typed;   /* the number of the state after the last change of the filter */
} RowHistory;

/* The slices that differ from the others in the picture. */
typedef struct Emphasis {
    bool      has_found; /* a trace has found events */
    bool      has_labels;
    NameLabel labels[2];  /* of two traces, or of one */
    bool      has_events; /* only highlight_events of the first one's trace, not all slices of the label */
    NameLabel pointed;    /* view_point_name; label 0: none */
    uint32_t  versions;   /* the number of sets in TraceMoments so far, of names */
    Durations durations;
} Emphasis;

/* The details of the hovered event, for the tooltip. */
typedef struct HoverDetails {
    ViewRequestKind kind;
    DataState       state;
    uint32_t        trace;
    EventPlace      event; /* id UINT64_MAX: none */
    char            text[DETAILS_MAX];
    size_t          size;
} HoverDetails;

/* The events for the page, a ring. */
typedef struct EventQueue {
    ViewEvent items[EVENTS_MAX];
    uint32_t  first, count;
    VEC(uint32_t) tracks; /* of the last event */
} EventQueue;

typedef struct Picture {
    bool       is_stale;
    bool       is_drawn; /* at least once since the last change of the data */
    double     frame_ms; /* recent time between frames of a moving camera */
    uint32_t   missing_pages;
    uint64_t   entries_drawn;
    RowScratch scratch;
    BuiltRows  built;
    Frame      frame;
} Picture;

struct View {
    Arena arena; /* this struct */
    VEC(TraceView) traces;
    uint32_t     trace_count;
    uint64_t     extent; /* of the axis */
    TileCache   *tiles;
    double       now_ms;
    char         filter[FILTER_MAX];
    char         perspective[PERSPECTIVE_MAX]; /* "": all */
    Screen       screen;
    Position     position;
    Layout       layout;
    RowOrder     order;
    Input        input;
    Selection    selection;
    Emphasis     emphasis;
    Notes        notes;
    HoverDetails details;
    EventQueue   events;
    JumpSearch   jumps;
    RowHistory   rows;
    Picture      picture;
};

#endif
