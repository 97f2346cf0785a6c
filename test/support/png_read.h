/* support/png_read.h - decodes a PNG with Cairo, for tests that link it. */
#ifndef SUPPORT_PNG_READ_H
#define SUPPORT_PNG_READ_H
#include "support/test.h"

#include <cairo.h>
#include <string.h>

/* The bytes that are not decoded yet. */
typedef struct PngBytes {
    const uint8_t *bytes;
    size_t         size;
} PngBytes;

static inline cairo_status_t png_bytes_take(void *from, unsigned char *out, unsigned size)
{
    PngBytes *left = from;
    if (left->size < size) return CAIRO_STATUS_READ_ERROR;
    memcpy(out, left->bytes, size);
    left->bytes += size;
    left->size -= size;
    return CAIRO_STATUS_SUCCESS;
}

/* Returns the image; the caller releases it with cairo_surface_destroy. A failure is a failed check. */
static inline cairo_surface_t *png_read(const Bytes *png)
{
    PngBytes         left = { png->data, png->size };
    cairo_surface_t *image = cairo_image_surface_create_from_png_stream(png_bytes_take, &left);
    CHECK_INT(cairo_surface_status(image), CAIRO_STATUS_SUCCESS);
    return image;
}

#endif
