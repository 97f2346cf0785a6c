/* paint/shapes.h - paints the shapes of a draw list with Cairo. */
#ifndef PAINT_SHAPES_H
#define PAINT_SHAPES_H
#include "paint/raster.h"

void paint_set_colour(cairo_t *cr, uint32_t rgba);
void paint_curve(cairo_t *cr, const DrawCurve *curve);
void paint_shape(cairo_t *cr, Raster *raster, const DrawShape *shape);

#endif
