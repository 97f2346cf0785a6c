#include "paint/glyphs.h"

#include "base/utf8.h"
#include "view/text.h"

/* Appends a glyph to the last run of its text, or to a new one. */
static void put_glyph(Glyphs *glyphs, uint32_t text, const FontGlyph *glyph, cairo_glyph_t placed)
{
    GlyphRun *run = vec_count(&glyphs->runs) == 0 ? NULL : vec_last(&glyphs->runs);
    if (run == NULL || run->text != text || run->face != glyph->face || run->count == GLYPHS_MOST) {
        const uint32_t first = (uint32_t)vec_count(&glyphs->glyphs);
        run = vec_add(&glyphs->runs);
        if (run == NULL) return;
        *run = (GlyphRun){ text, first, 0, glyph->face, glyph->is_fallback };
    }
    vec_push(&glyphs->glyphs, placed);
    run->count++;
}

static void place_text(Glyphs *glyphs, FontSet *fonts, const DrawList *list, uint32_t index)
{
    const DrawText *text = &list->texts[index];
    const FontFace  face = (FontFace)text->face;
    const char     *bytes = list->text + text->offset;
    const double    per_unit = (double)text->size_px / TEXT_UNITS_PER_EM;
    const double    end = (double)text->x + (double)text->max_w;
    double          pen = (double)text->x;
    for (size_t at = 0, used; at < text->length && pen < end; at += used) {
        const uint32_t  code_point = utf8_decode(bytes + at, text->length - at, &used);
        const FontGlyph glyph = font_set_glyph(fonts, face, code_point);
        if (glyph.face != NULL)
            put_glyph(glyphs, index, &glyph,
                      (cairo_glyph_t){ glyph.index, pen + text_shift(face, code_point) * per_unit,
                                       (double)text->baseline });
        pen += text_advance(face, code_point) * per_unit;
    }
}

bool glyphs_place(Glyphs *glyphs, FontSet *fonts, const DrawList *list, Err *err)
{
    for (uint32_t i = 0; i < list->text_count; i++) {
        vec_push(&glyphs->by_text, (uint32_t)vec_count(&glyphs->runs));
        place_text(glyphs, fonts, list, i);
    }
    vec_push(&glyphs->by_text, (uint32_t)vec_count(&glyphs->runs));
    return (!glyphs->glyphs.bytes.failed && !glyphs->runs.bytes.failed && !glyphs->by_text.bytes.failed) ||
           err_set(err, ERR_MEMORY, "out of memory for the texts of the picture");
}

void glyphs_release(Glyphs *glyphs)
{
    vec_release(&glyphs->glyphs);
    vec_release(&glyphs->runs);
    vec_release(&glyphs->by_text);
}
