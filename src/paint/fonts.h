/* paint/fonts.h - finds a glyph for a code point, in Inter or else in a font of the system. */
#ifndef PAINT_FONTS_H
#define PAINT_FONTS_H
#include "paint/paint.h"

#include <cairo.h>

typedef struct FontSet FontSet;

/* Opens the fonts with up to `threads` threads (0 = default). Returns NULL with err on failure. The caller frees the set with
 * font_set_destroy. */
FontSet *font_set_create(const PaintFonts *fonts, unsigned threads, Err *err) WARN_UNUSED;
void     font_set_destroy(FontSet *set);

typedef struct FontGlyph {
    cairo_font_face_t *face;  /* owned by the set; NULL: no font on this system has the code point */
    unsigned long      index; /* of the glyph in `face` */
    bool               is_fallback;
} FontGlyph;
FontGlyph font_set_glyph(FontSet *set, FontFace face, uint32_t code_point);

#endif
