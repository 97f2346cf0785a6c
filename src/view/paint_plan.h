/* view/paint_plan.h - the shapes of a draw list, grouped by the fastest way in which a graphics card paints them.
 *
 * A graphics card paints most shapes as quads: the shape is in the list four times, once for each corner. A dense timeline has
 * thousands of rectangles of one colour on whole pixels, for which there are faster ways:
 *   - a ground is a large opaque one: a part of the canvas is cleared with its colour;
 *   - a strip is many small ones that are close together: one quad, whose pixels have their colours in a texture.
 * The runs of a plan, in order, paint the pixels that the shapes of the list paint in order. */
#ifndef VIEW_PAINT_PLAN_H
#define VIEW_PAINT_PLAN_H
#include "base/vec.h"
#include "view/draw_list.h"

typedef enum {
    PAINT_SHAPES, /* quads of any shapes */
    PAINT_RECTS,  /* quads of rectangles without a hatch */
    PAINT_BARE,   /* quads of rectangles of one colour on whole pixels */
    PAINT_GROUND, /* one shape */
    PAINT_STRIPS
} PaintKind;

typedef struct PaintRun {
    uint32_t kind;         /* PaintKind */
    uint32_t batch;        /* of the draw list */
    uint32_t first, count; /* quads or strips; PAINT_GROUND: the index of the shape, and 1 */
} PaintRun;

enum { PAINT_TEXEL_COLUMNS = 2048 };

typedef struct PaintStrip {
    float x, y, w, h; /* device pixels; x and w are whole */
    float u, v;       /* column and row of its first texel */
    float
        step; /* rows of texels for a row of pixels: 0 = a column of pixels has one colour, 1 = each pixel has its own */
} PaintStrip;

/* The arrays belong to the plan. */
typedef struct PaintList {
    PaintRun   *runs; /* in the order of the batches */
    uint32_t    run_count;
    DrawShape  *corners; /* four for each quad */
    uint32_t    quad_count;
    PaintStrip *strip_corners; /* four for each strip */
    uint32_t    strip_count;
    uint32_t   *texels; /* rows of PAINT_TEXEL_COLUMNS colours as in DrawShape; 0 = empty */
    uint32_t    texel_rows;
} PaintList;

/* The buffers are reused for each frame. A zeroed plan is valid. */
typedef struct PaintPlan {
    VEC(PaintRun) runs;
    VEC(DrawShape) corners;
    VEC(PaintStrip) strip_corners;
    VEC(uint32_t) texels;
    uint32_t  texel_rows, texel_column; /* texel_column: the first free one of the last row */
    PaintList list;
} PaintPlan;

/* Returns the list for the shapes of `frame`, valid until the next call; NULL when out of memory. */
const PaintList *paint_plan_make(PaintPlan *plan, const DrawList *frame);
void             paint_plan_release(PaintPlan *plan);

#endif
