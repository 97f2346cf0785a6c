/* paint/png.h - writes a picture as PNG (ISO/IEC 15948): 8 bits of red, green and blue a pixel.
 *
 * Most rows of a timeline equal the row above. These are written with the filter Up, as zeros; the others without a filter,
 * because their long runs of a colour compress as well as differences. At level 3 of zlib, the last one without lazy matches,
 * files have 90 to 114 % of the size of libpng's, which tries all filters for each row, in a sixth of the time. */
#ifndef PAINT_PNG_H
#define PAINT_PNG_H
#include "base/arena.h"
#include "base/err.h"

/* Pixels as Cairo stores them (CAIRO_FORMAT_RGB24): 0x00RRGGBB in the byte order of the machine. */
typedef struct Pixels {
    const uint8_t *bytes;  /* borrowed */
    size_t         stride; /* bytes from row to row */
    uint32_t       width, height;
} Pixels;

/* Appends the file to `out`. False when out of memory. */
bool png_write(const Pixels *pixels, Bytes *out, Err *err) WARN_UNUSED;

#endif
