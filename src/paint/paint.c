#include "paint/paint.h"

#include "base/self_trace.h"
#include "base/utf8.h"
#include "paint/fonts.h"
#include "paint/png.h"
#include "paint/shapes.h"
#include "view/text.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <string.h>

enum { PNG_MAX_PX = 32767 };

/* Glyphs of a run that share a font. */
typedef struct GlyphRun {
    cairo_glyph_t      glyphs[64];
    int                count;
    cairo_font_face_t *face;
    bool as_path; /* draws glyphs as paths at their exact positions; else they are moved to whole pixels */
} GlyphRun;

static void flush_glyphs(cairo_t *cr, GlyphRun *run, double size_px)
{
    if (run->count > 0) {
        cairo_set_font_face(cr, run->face);
        cairo_set_font_size(cr, size_px);
        if (run->as_path) {
            cairo_glyph_path(cr, run->glyphs, run->count);
            cairo_fill(cr);
        } else {
            cairo_show_glyphs(cr, run->glyphs, run->count);
        }
    }
    run->count = 0;
}

static void paint_text(cairo_t *cr, FontSet *fonts, const DrawList *list, const DrawText *text, bool as_paths)
{
    const char *bytes = list->text + text->offset;
    double      pen = (double)text->x, per_unit = (double)text->size_px / TEXT_UNITS_PER_EM;
    double      end = (double)text->x + (double)text->max_w;
    GlyphRun    run = { 0 };
    cairo_save(cr);
    paint_set_colour(cr, text->colour);
    if (text_width((FontFace)text->face, (double)text->size_px, bytes, text->length) > (double)text->max_w) {
        cairo_rectangle(cr, pen, 0, (double)text->max_w, (double)list->height);
        cairo_clip(cr);
    }
    for (size_t at = 0; at < text->length && pen < end;) {
        size_t    used;
        uint32_t  code_point = utf8_decode(bytes + at, text->length - at, &used);
        FontGlyph glyph = font_set_glyph(fonts, (FontFace)text->face, code_point);
        if (glyph.face != run.face || run.count == sizeof run.glyphs / sizeof run.glyphs[0])
            flush_glyphs(cr, &run, (double)text->size_px);
        run.face = glyph.face;
        run.as_path = as_paths && !glyph.stands_in;
        if (glyph.face != NULL)
            run.glyphs[run.count++] =
                (cairo_glyph_t){ glyph.index, pen + text_shift((FontFace)text->face, code_point) * per_unit,
                                 (double)text->baseline };
        pen += text_advance((FontFace)text->face, code_point) * per_unit;
        at += used;
    }
    flush_glyphs(cr, &run, (double)text->size_px);
    cairo_restore(cr);
}

/* Paints a list. `image`: the surface of `cr`, with a pixel for each unit; NULL = it has no pixels. */
static void paint_list(cairo_t *cr, cairo_surface_t *image, FontSet *fonts, const DrawList *list,
                       bool as_paths)
{
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(cr, options);
    cairo_font_options_destroy(options);
    paint_set_colour(cr, list->background);
    cairo_paint(cr);
    for (uint32_t b = 0; b < list->batch_count; b++) {
        const DrawBatch *batch = &list->batches[b];
        Raster           raster = raster_clipped(image, batch);
        cairo_save(cr);
        cairo_rectangle(cr, (double)batch->clip_x, (double)batch->clip_y, (double)batch->clip_w,
                        (double)batch->clip_h);
        cairo_clip(cr);
        for (uint32_t i = batch->first; i < batch->first + batch->count; i++) {
            if (batch->kind == DRAW_SHAPES)
                paint_shape(cr, &raster, &list->shapes[i]);
            else if (batch->kind == DRAW_CURVES)
                paint_curve(cr, &list->curves[i]);
            else
                paint_text(cr, fonts, list, &list->texts[i], as_paths);
        }
        raster_leave(&raster);
        cairo_restore(cr);
    }
}

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
static bool paint_surface(cairo_surface_t *surface, const DrawList *list, double units_per_px, bool as_paths,
                          const PaintFonts *files, Err *err)
{
    FontSet *fonts = status_ok(cairo_surface_status(surface), err) ? font_set_create(files, err) : NULL;
    if (fonts == NULL) {
        cairo_surface_destroy(surface);
        return false;
    }
    cairo_t *cr = cairo_create(surface);
    cairo_scale(cr, units_per_px, units_per_px);
    paint_list(cr, NULL, fonts, list, as_paths);
    cairo_status_t status = cairo_status(cr);
    cairo_destroy(cr);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    font_set_destroy(fonts);
    return status_ok(status, err);
}

bool paint_png(const DrawList *list, const PaintFonts *files, unsigned threads, Bytes *out, Err *err)
{
    SELF_SLICE("write PNG");
    const float max_px = (float)PNG_MAX_PX;
    if (!(list->width >= 1 && list->width <= max_px && list->height >= 1 && list->height <= max_px))
        return err_set(err, ERR_LIMIT, "a PNG is 1 to %d pixels wide and high; this would be %.0f x %.0f",
                       PNG_MAX_PX, (double)list->width, (double)list->height);
    FontSet *fonts = font_set_create(files, err);
    if (fonts == NULL) return false;
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)list->width, (int)list->height);
    cairo_t *cr = cairo_create(surface);
    paint_list(cr, surface, fonts, list, true);
    cairo_status_t status = cairo_status(cr);
    bool           done = status_ok(status, err);
    if (done) {
        cairo_surface_flush(surface);
        const Pixels pixels = { .bytes = cairo_image_surface_get_data(surface),
                                .stride = (size_t)cairo_image_surface_get_stride(surface),
                                .width = (uint32_t)list->width,
                                .height = (uint32_t)list->height };
        done = png_write(&pixels, threads, out, err);
    }
    cairo_destroy(cr);
    cairo_surface_destroy(surface);
    font_set_destroy(fonts);
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
    bool done = paint_surface(surface, list, per_px, false, files, err);
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
    return paint_surface(surface, list, points, false, files, err);
}
