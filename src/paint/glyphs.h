/* paint/glyphs.h - the glyphs of the texts of a draw list, at their positions. Several threads may read them. */
#ifndef PAINT_GLYPHS_H
#define PAINT_GLYPHS_H
#include "base/vec.h"
#include "paint/fonts.h"

enum { GLYPHS_MOST = 64 };

/* Adjacent glyphs of one font. */
typedef struct GlyphRun {
    uint32_t           text;         /* index in the list */
    uint32_t           first, count; /* in Glyphs.glyphs; count <= GLYPHS_MOST */
    cairo_font_face_t *face;         /* borrowed */
    bool               is_fallback;  /* a font of the system */
} GlyphRun;

typedef struct Glyphs {
    VEC(cairo_glyph_t) glyphs;
    VEC(GlyphRun) runs;    /* by text */
    VEC(uint32_t) by_text; /* the first run of each text; behind the last one the number of runs */
} Glyphs;

/* Finds the glyphs of all texts. False: err filled, out of memory. Release them in any case, before the fonts. */
bool glyphs_place(Glyphs *glyphs, FontSet *fonts, const DrawList *list, Err *err) WARN_UNUSED;
void glyphs_release(Glyphs *glyphs);

#endif
