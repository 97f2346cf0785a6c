/* view/colour.h - colours: 72 for names, and those of everything around them.
 *
 * A name's colour is frozen: the same name has the same colour in every trace, on every machine, in every version.
 *
 *   canonical name: in order of the text, left out are
 *     - UUIDs: 8-4-4-4-12 hexadecimal digits, with no letter or digit on either side;
 *     - "0x" or "0X" and the hexadecimal digits behind it;
 *     - hexadecimal runs: 6 or more of [0-9a-fA-F], at least one a digit, no letter or digit on either side;
 *     - every other run of decimal digits;
 *   so that "req 17" and "req 18" look alike.
 *   hash: FNV-1a of its bytes in 64 bits (offset 14695981039346656037, prime 1099511628211), then
 *     h ^= h >> 33; h *= 0xff51afd7ed558ccd; h ^= h >> 33; h *= 0xc4ceb9fe1a85ec53; h ^= h >> 33
 *   hue: ((h >> 32) * 24) >> 32, counting from 0 degrees in steps of 15 of OKLCH's hue
 *   step: the lowest two bits: 0 = low, 1 = middle, 2 = high, 3 = middle
 *   colour = hue * 3 + step
 *
 * The sRGB values are a table (colour_table.h), not computed: libm differs between machines. In OKLCH they are
 *   fill   L .70 .74 .78 by step, C .11 (light theme: .11 .10 .10)
 *   edge   light: L .52 C .09, dark: L - .14 C .09; inside a bar's border
 *   hover  L + .05, C * .9
 *   dim    C * .35: what recedes keeps its hue
 * each channel rounded half up to 8 bits. test/view recomputes them and checks the contrasts. */
#ifndef VIEW_COLOUR_H
#define VIEW_COLOUR_H
#include "view/view.h"

enum { COLOUR_HUES = 24, COLOUR_STEPS = 3, COLOUR_COUNT = COLOUR_HUES * COLOUR_STEPS, COLOUR_THEMES = 2 };
/* Stands for a name that has not arrived yet. */
enum { COLOUR_UNKNOWN = COLOUR_COUNT };

typedef struct NameColour {
    uint32_t fill, edge, hover, dim; /* 0xRRGGBBAA */
    uint32_t text;                   /* upon the fill */
} NameColour;

/* The colour, < COLOUR_COUNT, of a name. */
uint32_t colour_of_name(const char *name, size_t size);
/* The hash above, for tests. */
uint64_t colour_hash(const char *name, size_t size);
/* colour <= COLOUR_UNKNOWN */
NameColour colour_look(Theme theme, uint32_t colour);

/* A colour that the trace itself asks for (0xRRGGBBFF): its hue stays, but it is made lighter or darker where it
 * could not be told from the canvas; text upon it is the darker or lighter of the two, whichever reads better. */
NameColour colour_asked(Theme theme, uint32_t rgba);
/* Of an opaque colour, 0 to 65535, and the contrast of two, in hundredths (100 to 2100), as WCAG 2 defines them. */
uint32_t colour_luminance(uint32_t rgba);
uint32_t colour_contrast(uint32_t a, uint32_t b);

/* States of threads have colours of their own, which say the same in every trace. */
typedef enum {
    STATE_RUNNING,
    STATE_RUNNABLE, /* it could, but has no processor */
    STATE_SLEEPING, /* it waits for something to do */
    STATE_BLOCKED,  /* it cannot go on */
    STATE_WAITS_IO,
    STATE_COLLECTING,
    STATE_COUNT
} ThreadState;
/* What a state's name says; STATE_COUNT: nothing known, and it is coloured like any name. */
ThreadState colour_state_of(const char *name, size_t size);
/* state < STATE_COUNT */
NameColour colour_state_look(Theme theme, ThreadState state);

typedef struct Palette {
    uint32_t canvas, panel, raised, rule, rule_faint, text, muted, accent, label, shadow, amber, selection;
} Palette;
const Palette *colour_palette(Theme theme);

/* The colour with its alpha multiplied by `alpha` of 255. */
uint32_t colour_faded(uint32_t rgba, uint32_t alpha);
/* Opacity, of 255, of the canvas's colour over what lies outside a selected area: names there keep 4.5:1. */
enum { COLOUR_VEIL = 48 };

#endif
