/* view/draw_list.h - a frame as flat arrays, for the painters of the browser, PNG, SVG and PDF.
 *
 * Lengths are device pixels, y downwards. Colours are 0xRRGGBBAA, not premultiplied. A frame is its batches in order. A
 * batch paints `count` items of one kind from `first` on, clipped to a rectangle. The painters of the browser read the
 * structs from memory, by the layouts that web/border.mjs generates. */
#ifndef VIEW_DRAW_LIST_H
#define VIEW_DRAW_LIST_H
#include "base/arena.h"

typedef enum {
    DRAW_RECT,
    DRAW_DIAMOND,       /* inscribed in the rectangle */
    DRAW_TRIANGLE_DOWN, /* its base is the top edge */
    DRAW_TRIANGLE_RIGHT /* marks a closed group; its base is the left edge */
} DrawShapeKind;

enum {
    DRAW_FADE_RIGHT = 1 << 0, /* the last 12 px (at most half) fade out: an unfinished slice */
    DRAW_HATCH = 1 << 1       /* a diagonal hatch in the top right corner: repaired or overlapping */
};

typedef struct DrawShape {
    float    x, y, w, h;
    uint32_t fill; /* alpha 0 = none */
    uint32_t edge; /* stroke drawn inside the shape; alpha 0 = none */
    float    edge_px;
    float    radius; /* DRAW_RECT only */
    uint16_t kind;   /* DrawShapeKind */
    uint16_t style;
} DrawShape;

typedef enum { FONT_REGULAR, FONT_MEDIUM, FONT_COUNT } FontFace;

/* One line of text, cut to its room. All painters advance its glyphs by the table of view/text.h. */
typedef struct DrawText {
    float    x, baseline; /* the pen at the start */
    float    max_w;       /* clip at x + max_w, because a fallback font may be wider */
    float    size_px;
    uint32_t colour;
    uint32_t face;           /* FontFace */
    uint32_t offset, length; /* UTF-8 bytes in DrawList.text */
} DrawText;

/* A curve between two points that leaves the first and enters the second horizontally, to the right: a cubic Bezier
 * curve with the control points (x0 + bend, y0) and (x1 - bend, y1). */
typedef struct DrawCurve {
    float    x0, y0, x1, y1;
    float    bend; /* >= 0 */
    float    width;
    uint32_t colour;
} DrawCurve;

typedef enum { DRAW_SHAPES, DRAW_TEXTS, DRAW_CURVES } DrawBatchKind;

typedef struct DrawBatch {
    uint32_t kind;
    uint32_t first, count;
    float    clip_x, clip_y, clip_w, clip_h;
} DrawBatch;

typedef struct DrawList {
    float      width, height; /* of the frame */
    uint32_t   background;
    DrawShape *shapes; /* arrays in the frame's arena */
    uint32_t   shape_count;
    DrawText  *texts;
    uint32_t   text_count;
    DrawBatch *batches;
    uint32_t   batch_count;
    char      *text;
    uint32_t   text_bytes;
    DrawCurve *curves;
    uint32_t   curve_count;
} DrawList;

/* Appends the list as text, one item a line, for golden files. */
void draw_list_print(const DrawList *list, Bytes *out);

#endif
