#include "view/text.h"

#include "base/search.h"
#include "base/utf8.h"
#include "view/text_table.h"

#include <assert.h>

static_assert(UNITS_PER_EM == TEXT_UNITS_PER_EM, "the table's em");

enum { RANGE_COUNT = sizeof RANGES / sizeof RANGES[0] };

/* Finds the advance of a glyph. False if the face does not have it. */
static bool find_advance(FontFace face, uint32_t code_point, uint32_t *advance)
{
    assert((size_t)face < FONT_COUNT);
    if (code_point < 0x7F && code_point >= 0x20) { /* the first range */
        *advance = ADVANCES[face][code_point - 0x20];
        return true;
    }
    size_t low = 0;
    LOWER_BOUND(size_t, low, RANGE_COUNT, i, RANGES[i].end <= code_point);
    if (low == RANGE_COUNT || code_point < RANGES[low].first) return false;
    *advance = ADVANCES[face][RANGES[low].at + (code_point - RANGES[low].first)];
    return true;
}

static bool is_digit(uint32_t code_point)
{
    return code_point >= '0' && code_point <= '9';
}

static uint32_t digit_cell(FontFace face)
{
    uint32_t widest = 0;
    for (uint32_t digit = '0'; digit <= '9'; digit++) {
        uint32_t advance = ADVANCES[face][digit - 0x20];
        if (advance > widest) widest = advance;
    }
    return widest;
}

/* Ranges without width, and of a full em, for characters that Inter lacks. Approximate, because a fallback font draws
 * them; all painters must only use the same widths. */
typedef struct CodeRange {
    uint32_t first, end;
} CodeRange;
static const CodeRange COMBINING[] = { { 0x0300, 0x0370 }, { 0x0483, 0x048A },   { 0x0591, 0x05BE },
                                       { 0x064B, 0x0660 }, { 0x1AB0, 0x1B00 },   { 0x1DC0, 0x1E00 },
                                       { 0x200B, 0x2010 }, { 0x20D0, 0x2100 },   { 0xFE00, 0xFE10 },
                                       { 0xFE20, 0xFE30 }, { 0x1F3FB, 0x1F400 }, { 0xE0000, 0xE01F0 } };
static const CodeRange WIDE[] = { { 0x1100, 0x1160 },   { 0x2E80, 0xA4D0 },   { 0xAC00, 0xD7A4 },
                                  { 0xF900, 0xFB00 },   { 0xFE30, 0xFE70 },   { 0xFF00, 0xFF61 },
                                  { 0xFFE0, 0xFFE7 },   { 0x16FE0, 0x18D00 }, { 0x1B000, 0x1B300 },
                                  { 0x1F000, 0x1FC00 }, { 0x20000, 0x3FFFE } };

static bool is_in(const CodeRange *ranges, size_t count, uint32_t code_point)
{
    for (size_t i = 0; i < count; i++)
        if (code_point >= ranges[i].first && code_point < ranges[i].end) return true;
    return false;
}

static bool is_combining(uint32_t code_point)
{
    return code_point >= 0x300 && is_in(COMBINING, sizeof COMBINING / sizeof COMBINING[0], code_point);
}

uint32_t text_advance(FontFace face, uint32_t code_point)
{
    uint32_t advance;
    if (is_digit(code_point)) return digit_cell(face);
    if (is_combining(code_point)) return 0;
    if (find_advance(face, code_point, &advance)) return advance;
    if (code_point < 0x20 || code_point == 0x7F) return 0;
    return is_in(WIDE, sizeof WIDE / sizeof WIDE[0], code_point) ? TEXT_UNITS_PER_EM
                                                                 : TEXT_UNITS_PER_EM * 5 / 8;
}

uint32_t text_shift(FontFace face, uint32_t code_point)
{
    if (!is_digit(code_point)) return 0;
    return (digit_cell(face) - ADVANCES[face][code_point - 0x20]) / 2;
}

bool text_has_glyph(FontFace face, uint32_t code_point)
{
    uint32_t advance;
    return find_advance(face, code_point, &advance);
}

uint64_t text_units(FontFace face, const char *text, size_t size)
{
    uint64_t units = 0;
    for (size_t at = 0; at < size;) {
        size_t used;
        units += text_advance(face, utf8_decode(text + at, size - at, &used));
        assert(used > 0 && used <= size - at);
        at += used;
    }
    return units;
}

double text_width(FontFace face, double size_px, const char *text, size_t size)
{
    return (double)text_units(face, text, size) * size_px / TEXT_UNITS_PER_EM;
}

size_t text_prefix(FontFace face, const char *text, size_t size, uint64_t units)
{
    uint64_t sum = 0;
    size_t   at = 0;
    while (at < size) {
        size_t used;
        sum += text_advance(face, utf8_decode(text + at, size - at, &used));
        if (sum > units) break;
        at += used;
    }
    return at;
}

size_t text_suffix(FontFace face, const char *text, size_t size, uint64_t units)
{
    uint64_t all = text_units(face, text, size);
    size_t   at = 0;
    while (at < size) {
        size_t   used;
        uint32_t code_point = utf8_decode(text + at, size - at, &used);
        if (all <= units && !is_combining(code_point)) break;
        all -= text_advance(face, code_point);
        at += used;
    }
    return at;
}
