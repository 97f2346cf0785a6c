/* view/colour.h - colours: 72 for names, and those of the user interface.
 *
 * The colour of a name is fixed: a name has the same colour in every trace, on every machine, in every version.
 *
 *   canonical name: the text without
 *     - UUIDs: 8-4-4-4-12 hexadecimal digits, with no letter or digit on either side;
 *     - "0x" or "0X" and the hexadecimal digits after it;
 *     - hexadecimal runs: 6 or more of [0-9a-fA-F], at least one a digit, no letter or digit on either side;
 *     - every other run of decimal digits;
 *   removed in this order, so that "req 17" and "req 18" have the same colour.
 *   hash: FNV-1a of its bytes in 64 bits (offset 14695981039346656037, prime 1099511628211), then
 *     h ^= h >> 33; h *= 0xff51afd7ed558ccd; h ^= h >> 33; h *= 0xc4ceb9fe1a85ec53; h ^= h >> 33
 *   hue: ((h >> 32) * 24) >> 32, counting from 0 degrees in steps of 15 of OKLCH's hue
 *   step: the lowest two bits: 0 = low, 1 = middle, 2 = high, 3 = middle
 *   colour = hue * 3 + step
 *
 * The sRGB values are in a table (colour_table.h), because libm differs between machines. In OKLCH they are
 *   fill   L .70 .74 .78 by step, C .11 (light theme: .11 .10 .10)
 *   edge   light: L .52 C .09, dark: L - .14 C .09; inside a bar's border
 *   hover  L + .05, C * .9
 *   dim    C * .35: dimmed bars keep their hue
 * each channel rounded half up to 8 bits. test/view recomputes them and checks the contrasts. */
#ifndef VIEW_COLOUR_H
#define VIEW_COLOUR_H
#include "view/view.h"

enum { COLOUR_HUES = 24, COLOUR_STEPS = 3, COLOUR_COUNT = COLOUR_HUES * COLOUR_STEPS, COLOUR_THEMES = 2 };
/* The colour of a name that has not arrived yet. */
enum { COLOUR_UNKNOWN = COLOUR_COUNT };

typedef struct NameColour {
    uint32_t fill, edge, hover, dim; /* 0xRRGGBBAA */
    uint32_t text;                   /* on the fill */
} NameColour;

/* Returns the colour, < COLOUR_COUNT, of a name. */
uint32_t colour_of_name(const char *name, size_t size);
/* Returns the colour of the title of a track or process: as of a name, but the whole title is hashed, because numbers tell
 * tracks apart. */
uint32_t colour_of_title(const char *title, size_t size);
/* Returns the hash above. */
uint64_t colour_hash(const char *name, size_t size);
/* Writes the name with # in place of each part that the hash leaves out. Returns the size, at most that of the name. */
size_t colour_plain_name(const char *name, size_t size, char *out);
/* Returns the look of a colour <= COLOUR_UNKNOWN. */
NameColour colour_look(Theme theme, uint32_t colour);

/* Returns the look of a colour chosen by the trace (0xRRGGBBFF). It keeps the hue, but becomes lighter or darker if it
 * is too close to the canvas. The text on it is dark or light, for the better contrast. */
NameColour colour_custom(Theme theme, uint32_t rgba);
/* In the place of a Label.colour, for colour_label: that of the state 0 to STATE_COUNT - 1, added to it. Colours of a
 * trace are larger: 0xRRGGBBFF. */
enum { COLOUR_OF_STATE = 2 };
/* Returns the look of a label that has a colour: Label.colour, not 0. */
NameColour colour_label(Theme theme, uint32_t colour);
/* Return the luminance of an opaque colour, 0 to 65535, and the contrast of two in hundredths (100 to 2100), as defined
 * by WCAG 2. */
uint32_t colour_luminance(uint32_t rgba);
uint32_t colour_contrast(uint32_t a, uint32_t b);

/* States of threads, with the same colours in every trace. */
typedef enum {
    STATE_RUNNING,
    STATE_RUNNABLE, /* ready, without a processor */
    STATE_SLEEPING, /* waits for work */
    STATE_BLOCKED,  /* waits for a resource */
    STATE_WAITS_IO,
    STATE_COLLECTING,
    STATE_COUNT
} ThreadState;
/* Returns the state for a name; STATE_COUNT: unknown, the colour is that of a name. */
ThreadState colour_state_of(const char *name, size_t size);
/* Returns the look of a state < STATE_COUNT. */
NameColour colour_state_look(Theme theme, ThreadState state);

typedef struct Palette {
    uint32_t canvas, panel, raised, rule, rule_faint, text, muted, accent, label, shadow, amber, selection;
} Palette;
const Palette *colour_palette(Theme theme);

/* Returns the colour with its alpha multiplied by `alpha` / 255. */
uint32_t colour_faded(uint32_t rgba, uint32_t alpha);
/* Opacity, of 255, of the canvas's colour over the area outside a selection: names there keep a contrast of 4.5:1. */
enum { COLOUR_VEIL = 48 };

#endif
