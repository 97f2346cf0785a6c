/* paint/png.h - writes a picture as PNG (ISO/IEC 15948): 8 bits of red, green and blue a pixel.
 *
 * Most rows of a timeline equal the row above. Such rows are zeros with the filter Up; runs of four and more are joined of pieces
 * that are compressed once. A row that has more than half of the bytes of the row above has this filter, too; the others have
 * none, because their long runs of a colour compress as well as differences. Level 2 of zlib takes two thirds of the time of
 * level 3, for half a percent more bytes.
 *
 * Bands of 128 rows are compressed independently, by several threads. Their height is fixed, so the file does not depend on the
 * number of threads. */
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

/* Appends the file to `out`, with up to `threads` threads. False when out of memory. */
bool png_write(const Pixels *pixels, unsigned threads, Bytes *out, Err *err) WARN_UNUSED;

#endif
