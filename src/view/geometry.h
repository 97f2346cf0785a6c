/* view/geometry.h - the parts of the canvas. */
#ifndef VIEW_GEOMETRY_H
#define VIEW_GEOMETRY_H
#include <stdint.h>

/* All in device pixels. */
typedef struct Geometry {
    double  scale; /* device pixels a CSS pixel */
    double  width, height;
    double  plot_x; /* end of the label column, begin of the time axis */
    int32_t plot_w; /* columns of the time axis */
    double  minimap_h, ruler_y, ruler_h;
    double  strip_y, strip_h;   /* the flags of the notes, below the ruler; 0 = there are no notes */
    double  rows_y, rows_h;     /* the scrolled section */
    double  pinned_y, pinned_h; /* the pinned section, above it */
    double  scrollbar_w;
} Geometry;

#endif
