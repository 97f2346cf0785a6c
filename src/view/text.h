/* view/text.h - widths of text: the advances of Inter, so that all painters place glyphs at the same positions.
 *
 * A painter sets the pen to DrawText.x. For each code point it draws the glyph at pen + text_shift and moves the pen by
 * text_advance. No kerning, no ligatures. Digits are tabular: each is centred in the width of the widest, so that
 * changing numbers do not move. Code points that Inter lacks have a nominal advance (one em if East Asian wide, zero if
 * combining), independent of the fallback font. */
#ifndef VIEW_TEXT_H
#define VIEW_TEXT_H
#include "view/draw_list.h"

/* Units of an em. Pixels = units / TEXT_UNITS_PER_EM * DrawText.size_px. */
#define TEXT_UNITS_PER_EM 2048

/* Returns the pen's advance for a code point, in units. */
uint32_t text_advance(FontFace face, uint32_t code_point);
/* Returns the units from the pen to the glyph's origin: not 0 for digits narrower than their cell. */
uint32_t text_shift(FontFace face, uint32_t code_point);
/* True if Inter has a glyph; otherwise a fallback font is used. */
bool text_has_glyph(FontFace face, uint32_t code_point);

/* Return the width of UTF-8 text, in units and in pixels. */
uint64_t text_units(FontFace face, const char *text, size_t size);
double   text_width(FontFace face, double size_px, const char *text, size_t size);
/* Returns the bytes at the start of the text that fit `units`, cut between characters, never before a combining
 * mark. */
size_t text_prefix(FontFace face, const char *text, size_t size, uint64_t units);
/* Returns the offset of the longest end of the text that fits `units`. */
size_t text_suffix(FontFace face, const char *text, size_t size, uint64_t units);

#endif
