#include "paint/paint.h"

#include "base/self_trace.h"
#include "paint/list_painter.h"
#include "paint/png.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <string.h>

enum { PNG_MAX_PX = 32767 };

static cairo_status_t append(void *out, const unsigned char *data, unsigned size)
{
    bytes_append(out, data, size);
    return ((Bytes *)out)->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

static bool status_ok(cairo_status_t status, Err *err)
{
    if (status == CAIRO_STATUS_SUCCESS) return true;
    return err_set(err, status == CAIRO_STATUS_NO_MEMORY ? ERR_MEMORY : ERR_IO, "painting failed: %s",
                   cairo_status_to_string(status));
}

/* Paints onto a surface with `units_per_px` units per device pixel. Destroys the surface before the fonts that it
 * uses. */
static bool paint_surface(cairo_surface_t *surface, const DrawList *list, double units_per_px,
                          const PaintFonts *files, Err *err)
{
    ListPainter painter = { .list = NULL };
    if (!status_ok(cairo_surface_status(surface), err) || !list_painter_open(&painter, list, files, 1, err)) {
        cairo_surface_destroy(surface);
        list_painter_close(&painter);
        return false;
    }
    cairo_t *cr = cairo_create(surface);
    cairo_scale(cr, units_per_px, units_per_px);
    list_paint(&painter, cr);
    cairo_status_t status = cairo_status(cr);
    cairo_destroy(cr);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    list_painter_close(&painter);
    return status_ok(status, err);
}

/* Paints rows of a PNG. */
static bool paint_rows(const void *context, uint32_t first, uint32_t end, uint32_t *pixels, Err *err)
{
    const ListPainter *painter = context;
    const int          width = (int)painter->list->width;
    cairo_surface_t   *surface = cairo_image_surface_create_for_data(
        (unsigned char *)pixels, CAIRO_FORMAT_RGB24, width, (int)(end - first), width * (int)sizeof *pixels);
    cairo_t *cr = cairo_create(surface);
    list_paint_rows(painter, cr, (RasterImage){ surface, (int)first });
    const cairo_status_t status = cairo_status(cr);
    cairo_surface_flush(surface);
    cairo_destroy(cr);
    cairo_surface_destroy(surface);
    return status_ok(status, err);
}

bool paint_png(const DrawList *list, const PaintFonts *files, unsigned threads, Bytes *out, Err *err)
{
    SELF_SLICE("write PNG");
    const float max_px = (float)PNG_MAX_PX;
    if (!(list->width >= 1 && list->width <= max_px && list->height >= 1 && list->height <= max_px))
        return err_set(err, ERR_LIMIT, "a PNG is 1 to %d pixels wide and high; this would be %.0f x %.0f",
                       PNG_MAX_PX, (double)list->width, (double)list->height);
    ListPainter painter;
    bool        done = list_painter_open(&painter, list, files, threads, err);
    if (done) {
        const PngPicture picture = { .width = (uint32_t)list->width,
                                     .height = (uint32_t)list->height,
                                     .paint = paint_rows,
                                     .context = &painter };
        done = png_write(&picture, threads, out, err);
    }
    list_painter_close(&painter);
    return done;
}

/* Copies an SVG and sets the number of its surface to 1. Cairo numbers surfaces by a counter of the process. */
static void renumber_surfaces(Bytes *out, const Bytes *svg)
{
    static const char prefix[] = "\"surface";
    const char       *at = (const char *)svg->data, *end = at + svg->size;
    const size_t      length = sizeof prefix - 1;
    while (at < end) {
        const char *next = memchr(at, '"', (size_t)(end - at));
        if (next == NULL || (size_t)(end - next) < length) break;
        size_t copied = memcmp(next, prefix, length) == 0 ? length : 1;
        bytes_append(out, at, (size_t)(next - at) + copied);
        at = next + copied;
        if (copied == 1) continue;
        bytes_append_text(out, "1");
        while (at < end && *at >= '0' && *at <= '9')
            at++;
    }
    bytes_append(out, at, (size_t)(end - at));
}

bool paint_svg(const DrawList *list, double device_pixels_per_px, const PaintFonts *files, Bytes *out,
               Err *err)
{
    SELF_SLICE("write SVG");
    double           per_px = 1 / device_pixels_per_px;
    Bytes            svg = { 0 };
    cairo_surface_t *surface = cairo_svg_surface_create_for_stream(append, &svg, (double)list->width * per_px,
                                                                   (double)list->height * per_px);
    if (cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS)
        cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
    bool done = paint_surface(surface, list, per_px, files, err);
    if (done) renumber_surfaces(out, &svg);
    bytes_release(&svg);
    if (done && out->failed) return err_set(err, ERR_MEMORY, "no memory for the picture");
    return done;
}

bool paint_pdf(const DrawList *list, double device_pixels_per_px, const PaintFonts *files, Bytes *out,
               Err *err)
{
    SELF_SLICE("write PDF");
    double           points = 0.75 / device_pixels_per_px; /* a point is 1/72 inch, a px 1/96 */
    cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(append, out, (double)list->width * points,
                                                                   (double)list->height * points);
    if (cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS)
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "1970-01-01T00:00:00Z");
    return paint_surface(surface, list, points, files, err);
}
