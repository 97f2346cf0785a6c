/* paint/list_painter.h - paints a draw list with Cairo, whole or some rows of pixels. */
#ifndef PAINT_LIST_PAINTER_H
#define PAINT_LIST_PAINTER_H
#include "paint/glyphs.h"
#include "paint/raster.h"

/* Rows of pixels: [top, bottom). */
typedef struct RowSpan {
    float top, bottom;
} RowSpan;

typedef struct ListPainter {
    const DrawList *list; /* borrowed */
    FontSet        *fonts;
    Glyphs          glyphs;
    VEC(RowSpan) groups; /* rows of adjacent shapes */
} ListPainter;

/* Opens the fonts with up to `threads` threads. False: err filled. Call list_painter_close in any case. */
bool list_painter_open(ListPainter *painter, const DrawList *list, const PaintFonts *files, unsigned threads,
                       Err *err) WARN_UNUSED;
void list_painter_close(ListPainter *painter);

/* Paints the list as lines and glyphs of fonts. */
void list_paint(const ListPainter *painter, cairo_t *cr);
/* Paints the rows of an image, of which `cr` is a context. Glyphs are painted as paths at their exact positions. Several threads
 * may paint images. */
void list_paint_rows(const ListPainter *painter, cairo_t *cr, RasterImage image);

#endif
