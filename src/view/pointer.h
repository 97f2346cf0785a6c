/* view/pointer.h - the item under the pointer, and drags. */
#ifndef VIEW_POINTER_H
#define VIEW_POINTER_H
#include "base/vec.h"
#include "view/rows.h"

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
    DRAG_COLUMN,
    DRAG_ROW,
    DRAG_TRACE
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
    bool     has_flow;               /* excludes all other hits */
    FlowLine flow;
    uint32_t note;        /* the id of the note whose flag is hit; 0 = none */
    bool     has_more;    /* the line below the rows of a limited track */
    bool     has_counter; /* the item is a counter; `tick` and `column` are set */
    uint64_t tick;
    int32_t  column;
} Hit;

typedef struct Pointer {
    bool     inside;
    double   x, y; /* CSS pixels */
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
    bool       has_slice;
    bool       is_mark;  /* has_slice: `event` is an instant */
    bool       has_flow; /* `event` is an arrow */
    uint32_t   trace, label;
    EventPlace event;
    bool       has_counter;
    uint32_t   counter_trace, counter; /* index in the outline */
    double     since_ms;
    bool       tooltip; /* the delay is over */
} Hover;

typedef struct AreaTrack {
    uint32_t trace, track; /* index in the outline */
} AreaTrack;

typedef struct Area {
    bool    is_set;
    int64_t begin, end; /* axis ticks, begin <= end */
    VEC(AreaTrack) tracks;
} Area;

/* An area of one trace that is outlined, besides the selected one. */
typedef struct KeptArea {
    uint32_t trace;
    uint64_t begin, end;  /* ticks from the begin of the trace */
    VEC(uint32_t) tracks; /* ids; empty = no area */
} KeptArea;

#endif
