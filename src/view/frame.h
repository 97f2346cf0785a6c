/* view/frame.h - builds a draw list from layers. A layer has curves, then shapes, then texts, and a clip. */
#ifndef VIEW_FRAME_H
#define VIEW_FRAME_H
#include "base/vec.h"
#include "view/text.h"

#include <string.h>

typedef struct Rect {
    double x, y, w, h;
} Rect;

/* The buffers are reused for each frame. */
typedef struct Frame {
    VEC(DrawShape) shapes;
    VEC(DrawText) texts;
    VEC(DrawCurve) curves;
    VEC(DrawBatch) batches;
    VEC(DrawBatch) held; /* texts of layers since frame_hold_texts */
    bool     holds_texts;
    Bytes    text;
    Rect     clip;
    uint32_t layer_shape, layer_text, layer_curve; /* begin of the layer */
    DrawList list;
} Frame;

void frame_begin(Frame *frame, double width, double height, uint32_t background);
/* Ends the layer before. Later items are painted over it, clipped to `clip`. */
void frame_layer(Frame *frame, Rect clip);
/* Begins to hold back the texts of layers. frame_put_texts paints them, in their order and with their clips, over all
 * layers in between. */
void frame_hold_texts(Frame *frame);
void frame_put_texts(Frame *frame);
/* Returns the list; NULL when out of memory. */
const DrawList *frame_end(Frame *frame);
void            frame_release(Frame *frame);

/* Add an item, unless it is outside the layer's clip. */
void frame_shape(Frame *frame, const DrawShape *shape);
void frame_curve(Frame *frame, const DrawCurve *curve);
/* Adds a rectangle with the radius, the fill and the edge of `look`. */
void frame_box(Frame *frame, Rect box, const DrawShape *look);
/* Adds a rectangle, cut to the clip. */
void frame_rect(Frame *frame, double x, double y, double w, double h, uint32_t fill);
void frame_mark(Frame *frame, DrawShapeKind kind, Rect box, uint32_t fill, uint32_t edge, double edge_px);

typedef struct TextStyle {
    FontFace face;
    double   size_px;
    uint32_t colour;
} TextStyle;
void frame_text(Frame *frame, const TextStyle *style, double x, double baseline, double max_w,
                const char *text, size_t size);
/* Adds a text, cut with an ellipsis to max_w. Returns the width. */
double frame_text_cut(Frame *frame, const TextStyle *style, double x, double baseline, double max_w,
                      const char *text, size_t size);

#endif
