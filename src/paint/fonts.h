/* paint/fonts.h - a glyph for every code point: Inter's, or that of a system font which has it. */
#ifndef PAINT_FONTS_H
#define PAINT_FONTS_H
#include "paint/paint.h"

#include <cairo.h>

typedef struct FontSet FontSet;

/* NULL: err filled. */
FontSet *font_set_create(const PaintFonts *fonts, Err *err) WARN_UNUSED;
void     font_set_destroy(FontSet *set);

typedef struct FontGlyph {
    cairo_font_face_t *face;  /* owned by the set; NULL: no font on this system has it */
    unsigned long      index; /* in that face */
    bool               stands_in;
} FontGlyph;
FontGlyph font_set_glyph(FontSet *set, FontFace face, uint32_t code_point);

#endif
