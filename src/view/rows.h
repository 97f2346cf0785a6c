/* view/rows.h - slices, instants and arrows of a row as the picture has them. */
#ifndef VIEW_ROWS_H
#define VIEW_ROWS_H
#include "base/vec.h"
#include "view/frame.h"
#include "view/trace_view.h"

typedef struct ValueColumn ValueColumn; /* view/counter.h */
typedef struct BuiltRow    BuiltRow;    /* view/built_rows.h */

/* The slices in pixel columns [x0, x1) of a row: one, or several that share a column. Runs never overlap. */
typedef struct Run {
    int32_t  x0, x1;
    uint64_t slice, begin, extent;
    uint64_t longest, longest_ticks;
    double   covered; /* ticks */
    uint32_t count, label, flags;
    double   weight; /* ticks of the slices with `label` */
} Run;
typedef VEC(Run) Runs;

/* The instants that share a column. */
typedef struct Mark {
    int32_t  x;
    uint64_t instant, tick;
    uint32_t count, label;
} Mark;
typedef VEC(Mark) Marks;

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

typedef struct RowName {
    uint32_t trace, track, band; /* track: its id */
    uint32_t row;                /* of the band */
} RowName;

typedef struct RowScratch {
    VEC(TileSource) sources; /* of `name` without its row */
    RowName   name;
    uint64_t  state;   /* of the rows of `sources`, see BuiltRow */
    BuiltRow *row;     /* of the last runs_build or runs_build_marks */
    Bytes     columns; /* uint8_t[] */
    VEC(ValueColumn) values;
    VEC(double) totals;  /* sums of stacked series, by column */
    VEC(FlowLine) flows; /* being collected (view/draw_flows.c) */
    VEC(FlowLine) drawn; /* of the last frame, the topmost last */
    size_t   drawn_all;  /* the first lines in `drawn`; the others are those of the selected slice */
    uint64_t noted;      /* the number of arrows in the note of the frame; 0: it has no note */
} RowScratch;

#endif
