/* view/text.h - how wide text is: the advances of Inter, so that every painter places each glyph alike.
 *
 * A painter puts the pen at DrawText.x and, code point by code point, draws the glyph at pen + text_shift and moves
 * the pen by text_advance. No kerning, no ligatures. Digits are tabular: all advance by the width of the widest and
 * stand in the middle of it, so that numbers do not jitter. Code points that Inter lacks have a nominal advance (one
 * em if East Asian wide, nothing if combining) whatever font stands in. */
#ifndef VIEW_TEXT_H
#define VIEW_TEXT_H
#include "view/draw_list.h"

/* Units of an em; divide by it and multiply by DrawText.size_px for pixels. */
#define TEXT_UNITS_PER_EM 2048

/* Units the pen moves for a code point. */
uint32_t text_advance(FontFace face, uint32_t code_point);
/* Units between the pen and the glyph's own origin: not 0 for digits narrower than their cell. */
uint32_t text_shift(FontFace face, uint32_t code_point);
/* True if Inter has a glyph: else another font stands in. */
bool text_has_glyph(FontFace face, uint32_t code_point);

/* Width of UTF-8 text, in units and in pixels. */
uint64_t text_units(FontFace face, const char *text, size_t size);
double   text_width(FontFace face, double size_px, const char *text, size_t size);
/* How many bytes of the start of the text fit `units`, cut between characters (never before a combining mark). */
size_t text_prefix(FontFace face, const char *text, size_t size, uint64_t units);
/* The same from the end: where the longest end that fits begins. */
size_t text_suffix(FontFace face, const char *text, size_t size, uint64_t units);

#endif
