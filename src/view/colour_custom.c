/* Colours chosen by a trace, adjusted for contrast with the canvas and with the text on them.
 *
 * All arithmetic is in integers: the same result on every machine. */
#include "view/colour.h"

/* The linear light of an sRGB channel, of 65535 (IEC 61966-2-1); test/view recomputes it. */
static const uint16_t LINEAR[256] = {
    /* clang-format off */
    0, 20, 40, 60, 80, 99, 119, 139, 159, 179, 199, 219, 241, 264, 288, 313,
    340, 367, 396, 427, 458, 491, 526, 562, 599, 637, 677, 718, 761, 805, 851, 898,
    947, 997, 1048, 1101, 1156, 1212, 1270, 1330, 1391, 1453, 1517, 1583, 1651, 1720, 1790, 1863,
    1937, 2013, 2090, 2170, 2250, 2333, 2418, 2504, 2592, 2681, 2773, 2866, 2961, 3058, 3157, 3258,
    3360, 3464, 3570, 3678, 3788, 3900, 4014, 4129, 4247, 4366, 4488, 4611, 4736, 4864, 4993, 5124,
    5257, 5392, 5530, 5669, 5810, 5953, 6099, 6246, 6395, 6547, 6700, 6856, 7014, 7174, 7335, 7500,
    7666, 7834, 8004, 8177, 8352, 8528, 8708, 8889, 9072, 9258, 9445, 9635, 9828, 10022, 10219, 10417,
    10619, 10822, 11028, 11235, 11446, 11658, 11873, 12090, 12309, 12530, 12754, 12980, 13209, 13440, 13673, 13909,
    14146, 14387, 14629, 14874, 15122, 15371, 15623, 15878, 16135, 16394, 16656, 16920, 17187, 17456, 17727, 18001,
    18277, 18556, 18837, 19121, 19407, 19696, 19987, 20281, 20577, 20876, 21177, 21481, 21787, 22096, 22407, 22721,
    23038, 23357, 23678, 24002, 24329, 24658, 24990, 25325, 25662, 26001, 26344, 26688, 27036, 27386, 27739, 28094,
    28452, 28813, 29176, 29542, 29911, 30282, 30656, 31033, 31412, 31794, 32179, 32567, 32957, 33350, 33745, 34143,
    34544, 34948, 35355, 35764, 36176, 36591, 37008, 37429, 37852, 38278, 38706, 39138, 39572, 40009, 40449, 40891,
    41337, 41785, 42236, 42690, 43147, 43606, 44069, 44534, 45002, 45473, 45947, 46423, 46903, 47385, 47871, 48359,
    48850, 49344, 49841, 50341, 50844, 51349, 51858, 52369, 52884, 53401, 53921, 54445, 54971, 55500, 56032, 56567,
    57105, 57646, 58190, 58737, 59287, 59840, 60396, 60955, 61517, 62082, 62650, 63221, 63795, 64372, 64952, 65535,
    /* clang-format on */
};

uint32_t colour_luminance(uint32_t rgba)
{
    return (2126 * (uint32_t)LINEAR[rgba >> 24] + 7152 * (uint32_t)LINEAR[rgba >> 16 & 0xFF] +
            722 * (uint32_t)LINEAR[rgba >> 8 & 0xFF]) /
           10000;
}

uint32_t colour_contrast(uint32_t a, uint32_t b)
{
    const uint32_t flare = 3277; /* 0.05 */
    uint32_t       x = colour_luminance(a) + flare, y = colour_luminance(b) + flare;
    return x > y ? x * 100 / y : y * 100 / x;
}

/* Mixes `share` / 64 of `other` into a colour. */
static uint32_t mixed(uint32_t rgba, uint32_t other, uint32_t share)
{
    uint32_t result = 0xFF;
    for (int shift = 8; shift < 32; shift += 8) {
        uint32_t a = rgba >> shift & 0xFF, b = other >> shift & 0xFF;
        result |= (a * (64 - share) + b * share + 32) / 64 << shift;
    }
    return result;
}

/* Mixes in the least of `other` that gives this contrast (in hundredths) with the ground. */
static uint32_t until_contrast(uint32_t rgba, uint32_t other, uint32_t ground, uint32_t contrast)
{
    uint32_t share = 0;
    while (share < 64 && colour_contrast(mixed(rgba, other, share), ground) < contrast)
        share++;
    return mixed(rgba, other, share);
}

static uint32_t grey_of(uint32_t rgba)
{
    uint32_t grey = (299 * (rgba >> 24) + 587 * (rgba >> 16 & 0xFF) + 114 * (rgba >> 8 & 0xFF) + 500) / 1000;
    return grey << 24 | grey << 16 | grey << 8 | 0xFF;
}

/* The contrast of text, in hundredths, on a bar, and on a dimmed one, so that 450 are left under the veil (COLOUR_VEIL). */
enum { ON_BAR = 450 };
static const uint32_t ON_DIM[COLOUR_THEMES] = { [THEME_DARK] = 640, [THEME_LIGHT] = 720 };

NameColour colour_custom(Theme theme, uint32_t rgba)
{
    const uint32_t BLACK = 0x000000FF, WHITE = 0xFFFFFFFF, DARK_TEXT = colour_palette(theme)->label;
    const uint32_t ground = colour_palette(theme)->canvas;
    NameColour     look;
    look.fill = theme == THEME_DARK ? until_contrast(rgba, WHITE, ground, 160)
                                    : until_contrast(rgba, BLACK, ground, 112);
    const bool dark_reads = colour_contrast(look.fill, DARK_TEXT) >= colour_contrast(look.fill, WHITE);
    look.text = dark_reads ? DARK_TEXT : WHITE;
    const uint32_t away = dark_reads ? WHITE : BLACK;
    look.fill = until_contrast(look.fill, away, look.text, ON_BAR);
    if (theme == THEME_DARK)
        look.edge =
            colour_luminance(look.fill) < 8000 ? mixed(look.fill, WHITE, 18) : mixed(look.fill, BLACK, 18);
    else /* on white the edge makes a bar or a thin stripe visible */
        look.edge = until_contrast(mixed(look.fill, BLACK, 18), BLACK, ground, 300);
    look.hover =
        colour_luminance(look.fill) > 45000 ? mixed(look.fill, BLACK, 8) : mixed(look.fill, WHITE, 12);
    look.hover = until_contrast(look.hover, away, look.text, ON_BAR);
    look.dim = until_contrast(mixed(look.fill, grey_of(look.fill), 42), away, look.text, ON_DIM[theme]);
    return look;
}
