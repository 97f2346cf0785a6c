/* paint/paint.h - paints a draw list as PNG, SVG or PDF with Cairo.
 *
 * The same list gives the same bytes: the output has no times and no random ids. Glyphs are from Inter, which is
 * built into the program, at positions of view/text.h, as in the browser. Characters that Inter does not have use a
 * font of the system. */
#ifndef PAINT_PAINT_H
#define PAINT_PAINT_H
#include "base/err.h"
#include "view/draw_list.h"

/* Font files (TrueType, OpenType, WOFF2), one for each FontFace. */
typedef struct PaintFonts {
    const uint8_t *bytes[FONT_COUNT]; /* borrowed; must outlive the call */
    size_t         size[FONT_COUNT];
} PaintFonts;

/* Returns the fonts that are built into the program. */
PaintFonts paint_fonts(void);

/* Append the picture to `out`. A PNG has the size of the list in device pixels; more than 32767 in a direction is ERR_LIMIT. Up to
 * `threads` threads make it, and their number does not change it. The size of an SVG or PDF in px (1/96 inch) is that size divided
 * by `device_pixels_per_px`. */
bool paint_png(const DrawList *list, const PaintFonts *fonts, unsigned threads, Bytes *out,
               Err *err) WARN_UNUSED;
bool paint_svg(const DrawList *list, double device_pixels_per_px, const PaintFonts *fonts, Bytes *out,
               Err *err) WARN_UNUSED;
bool paint_pdf(const DrawList *list, double device_pixels_per_px, const PaintFonts *fonts, Bytes *out,
               Err *err) WARN_UNUSED;

#endif
