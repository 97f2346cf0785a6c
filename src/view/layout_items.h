/* view/layout_items.h - the rows of the tree from top to bottom. */
#ifndef VIEW_LAYOUT_ITEMS_H
#define VIEW_LAYOUT_ITEMS_H
#include "base/vec.h"
#include "view/view.h"

typedef enum { ITEM_TRACE, ITEM_PROCESS, ITEM_TRACK, ITEM_GROUP } ItemKind;

/* A row of the tree: a track, or the header of a process, of a group by name, or of a trace. */
typedef struct RowTarget {
    ItemKind kind;
    uint32_t trace;
    uint32_t
        index; /* of the process or track in the outline; of the first track of a group by name; 0 for a trace */
} RowTarget;

typedef enum { MOVE_BEFORE, MOVE_AFTER } MoveSide;

/* A row that the user has put beside another one of its list. */
typedef struct RowMove {
    RowTarget row, anchor;
    MoveSide  side;
} RowMove;

/* The order of the rows that the user has chosen. */
typedef struct RowOrder {
    RowSort   sort;
    RowGroups groups;
    VEC(RowMove) moves; /* in the order in which they were made */
} RowOrder;

/* An item in the column of rows. Heights and positions are CSS pixels from the top of its section. */
typedef struct LayoutItem {
    double   y;
    double   height;
    ItemKind kind;
    uint32_t trace;
    uint32_t index; /* as in RowTarget */
    bool     closed;
    bool     in_area; /* a track of the selected area; for the current frame */
} LayoutItem;

/* The range of values of a chart. least < greatest. */
typedef struct ValueScale {
    double least, greatest;
} ValueScale;

/* The unit of a counter's values. */
typedef enum { UNIT_NONE, UNIT_BYTES, COUNTER_UNITS } CounterUnit;

typedef struct Layout {
    VEC(LayoutItem) items;
    uint32_t   pinned; /* the first items, which are at the top and do not scroll */
    uint32_t   count;
    double     pinned_px, scrolled_px; /* heights of both sections */
    bool       stale;
    ValueScale same_scale[COUNTER_UNITS]; /* of the charts with TRACK_SAME_SCALE */
    bool       isolates;                  /* a track or process has TRACK_ISOLATED */
} Layout;

#endif
