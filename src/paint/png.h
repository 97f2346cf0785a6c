/* paint/png.h - writes a picture as PNG (ISO/IEC 15948): 8 bits of red, green and blue a pixel.
 *
 * Most rows of a timeline equal the row above. Such rows are zeros with the filter Up; runs of four and more are joined of pieces
 * that are compressed once. A row that has more than half of the bytes of the row above has this filter, too; the others have
 * none, because their long runs of a colour compress as well as differences. Level 2 of zlib takes two thirds of the time of
 * level 3, for half a percent more bytes.
 *
 * Bands of 128 rows are painted and compressed independently, by several threads, in pixels that fit into a cache. Their height
 * is fixed, so the file does not depend on the number of threads. */
#ifndef PAINT_PNG_H
#define PAINT_PNG_H
#include "base/arena.h"
#include "base/err.h"

/* A picture whose rows are painted when they are compressed. */
typedef struct PngPicture {
    uint32_t width, height;
    /* Paints rows [first, end), as Cairo stores them (CAIRO_FORMAT_RGB24): 0x00RRGGBB in the byte order of the machine, `width`
     * pixels a row, at any values. Several threads call it at the same time. False: err filled. */
    bool (*paint)(const void *context, uint32_t first, uint32_t end, uint32_t *pixels, Err *err);
    const void *context;
} PngPicture;

/* Appends the file to `out`, with up to `threads` threads (0 = default). False: err filled, by `paint` or when out of memory. */
bool png_write(const PngPicture *picture, unsigned threads, Bytes *out, Err *err) WARN_UNUSED;

#endif
