/* paint/raster.h - fills rectangles of whole pixels in an image of Cairo. Nearly all shapes of a timeline are such
 * rectangles, and Cairo takes thousands of instructions for each. The pixels are the same as Cairo's. */
#ifndef PAINT_RASTER_H
#define PAINT_RASTER_H
#include "view/draw_list.h"

#include <cairo.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rows of a picture, as an image of Cairo. */
typedef struct RasterImage {
    cairo_surface_t *surface; /* borrowed: CAIRO_FORMAT_RGB24; NULL = the picture has no pixels */
    int              first;   /* its first row, of the picture */
} RasterImage;

/* A part of an image: only its pixels are changed. */
typedef struct Raster {
    RasterImage image;
    int         left, top, right, bottom; /* of the picture */
    uint8_t    *pixels; /* of the image while rectangles are filled; NULL = Cairo may draw */
    ptrdiff_t   stride;
} Raster;

/* Returns the part of an image within the clip of a batch. Without an image if the clip has parts of pixels. */
Raster raster_clipped(RasterImage image, const DrawBatch *batch);
/* Fills a shape. False: it has parts of pixels, round corners or a gradient, and Cairo must fill it. */
bool raster_fill(Raster *raster, const DrawShape *shape);
/* Draws the edge of a shape. False: as raster_fill. */
bool raster_edge(Raster *raster, const DrawShape *shape);
/* Passes the changed pixels to Cairo. Call it before Cairo draws, and after the last rectangle. */
void raster_leave(Raster *raster);

#endif
