/* paint/paint.h - a draw list as a picture: PNG, SVG or PDF, by Cairo.
 *
 * The same list gives the same bytes: no times, no random ids. Glyphs come from Inter, which the
 * program carries, and are placed by view/text.h, as in the browser; for characters that Inter lacks a
 * font of the system stands in. */
#ifndef PAINT_PAINT_H
#define PAINT_PAINT_H
#include "base/err.h"
#include "view/draw_list.h"

/* Font files (TrueType, OpenType, WOFF2), one for each FontFace. */
typedef struct PaintFonts {
    const uint8_t *bytes[FONT_COUNT]; /* borrowed; must outlive the call */
    size_t         size[FONT_COUNT];
} PaintFonts;

/* The fonts built into the program. */
PaintFonts paint_fonts(void);

/* Appends the picture to `out`. A PNG is as many pixels as the list has device pixels; ERR_LIMIT beyond 32767 of them
 * either way. SVG and PDF are that size divided by `device_pixels_per_px` in px (1/96 inch). */
bool paint_png(const DrawList *list, const PaintFonts *fonts, Bytes *out, Err *err) WARN_UNUSED;
bool paint_svg(const DrawList *list, double device_pixels_per_px, const PaintFonts *fonts, Bytes *out,
               Err *err) WARN_UNUSED;
bool paint_pdf(const DrawList *list, double device_pixels_per_px, const PaintFonts *fonts, Bytes *out,
               Err *err) WARN_UNUSED;

#endif
