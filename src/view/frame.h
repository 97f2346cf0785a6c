/* view/frame.h - builds a draw list: layers of curves with shapes and then texts over them, each clipped. */
#ifndef VIEW_FRAME_H
#define VIEW_FRAME_H
#include "view/text.h"

#include <string.h>

typedef struct Rect {
    double x, y, w, h;
} Rect;

/* The buffers are kept from frame to frame. */
typedef struct Frame {
    Bytes    shapes, texts, curves, batches, text;
    Rect     clip;
    uint32_t layer_shape, layer_text, layer_curve; /* where the layer began */
    DrawList list;
} Frame;

void frame_begin(Frame *frame, double width, double height, uint32_t background);
/* Ends the layer before; what follows is painted over it, clipped to `clip`. */
void frame_layer(Frame *frame, Rect clip);
/* NULL when memory ran out. */
const DrawList *frame_end(Frame *frame);
void            frame_release(Frame *frame);

/* What lies outside the layer's clip is left out. */
void frame_shape(Frame *frame, const DrawShape *shape);
void frame_curve(Frame *frame, const DrawCurve *curve);
/* Cut to the clip. */
void frame_rect(Frame *frame, double x, double y, double w, double h, uint32_t fill);
void frame_mark(Frame *frame, DrawShapeKind kind, Rect box, uint32_t fill, uint32_t edge, double edge_px);

typedef struct TextStyle {
    FontFace face;
    double   size_px;
    uint32_t colour;
} TextStyle;
void frame_text(Frame *frame, const TextStyle *style, double x, double baseline, double max_w,
                const char *text, size_t size);
/* Cut at its end with an ellipsis where it is wider than max_w. Returns the width. */
double frame_text_cut(Frame *frame, const TextStyle *style, double x, double baseline, double max_w,
                      const char *text, size_t size);
/* Ends at x. Returns its width. */
double frame_text_right(Frame *frame, const TextStyle *style, double x, double baseline, const char *text);

#endif
