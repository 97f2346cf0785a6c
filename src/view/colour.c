#include "view/colour.h"

#include "base/ascii.h"
#include "base/hash.h"
#include "view/colour_table.h"

static const Palette PALETTES[COLOUR_THEMES] = {
    [THEME_DARK] = { .canvas = 0x14161AFF,
                     .panel = 0x1B1E23FF,
                     .raised = 0x24282FFF,
                     .rule = 0x2A2E35FF,
                     .rule_faint = 0x1E2127FF,
                     .text = 0xE8EAEDFF,
                     .muted = 0x9AA3ADFF,
                     .accent = 0x53A3F2FF,
                     .label = 0x060709FF,
                     .shadow = 0x00000073,
                     .amber = 0xF2B632FF,
                     .selection = 0x53A3F226 },
    [THEME_LIGHT] = { .canvas = 0xFBFBFCFF,
                      .panel = 0xF1F2F4FF,
                      .raised = 0xFFFFFFFF,
                      .rule = 0xD5D8DDFF,
                      .rule_faint = 0xE9EBEEFF,
                      .text = 0x14161AFF,
                      .muted = 0x4A525CFF,
                      .accent = 0x1B6EC2FF,
                      .label = 0x060709FF,
                      .shadow = 0x00000026,
                      .amber = 0xB26A00FF,
                      .selection = 0x1B6EC21F },
};

const Palette *colour_palette(Theme theme)
{
    return &PALETTES[theme];
}

NameColour colour_look(Theme theme, uint32_t colour)
{
    const uint32_t *rgb = NAME_COLOURS[theme][colour];
    return (NameColour){ rgb[0] << 8 | 0xFF, rgb[1] << 8 | 0xFF, rgb[2] << 8 | 0xFF, rgb[3] << 8 | 0xFF,
                         PALETTES[theme].label };
}

uint32_t colour_faded(uint32_t rgba, uint32_t alpha)
{
    return (rgba & 0xFFFFFF00u) | ((rgba & 0xFF) * alpha + 127) / 255;
}

static size_t hex_run(const char *text, size_t size)
{
    size_t n = 0;
    while (n < size && ascii_hex_value(text[n]) < 16)
        n++;
    return n;
}

/* Returns 36 if a UUID starts here, else 0. */
static size_t uuid_run(const char *text, size_t size)
{
    static const size_t groups[] = { 8, 4, 4, 4, 12 };
    size_t              at = 0;
    for (int g = 0; g < 5; g++) {
        if (g > 0 && (at >= size || text[at++] != '-')) return 0;
        if (hex_run(text + at, size - at) < groups[g]) return 0;
        at += groups[g];
    }
    return at < size && ascii_is_alnum(text[at]) ? 0 : at;
}

/* Returns the bytes at the start of the text that the canonical name excludes. `bounded`: no word character is before
 * it. */
static size_t dropped_run(const char *text, size_t size, bool bounded)
{
    if (bounded) {
        size_t uuid = uuid_run(text, size);
        if (uuid > 0) return uuid;
    }
    if (size > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') && ascii_hex_value(text[2]) < 16)
        return 2 + hex_run(text + 2, size - 2);
    size_t run = bounded ? hex_run(text, size) : 0;
    if (run >= 6 && (run == size || !ascii_is_alnum(text[run]))) {
        for (size_t i = 0; i < run; i++)
            if (ascii_is_digit(text[i])) return run;
    }
    run = 0;
    while (run < size && ascii_is_digit(text[run]))
        run++;
    return run;
}

static uint64_t mixed_hash(uint64_t hash)
{
    hash ^= hash >> 33;
    hash *= 0xff51afd7ed558ccdu;
    hash ^= hash >> 33;
    hash *= 0xc4ceb9fe1a85ec53u;
    return hash ^ hash >> 33;
}

uint64_t colour_hash(const char *name, size_t size)
{
    uint64_t hash = FNV1A_EMPTY;
    bool     bounded = true;
    for (size_t i = 0; i < size;) {
        size_t dropped = ascii_hex_value(name[i]) < 16 ? dropped_run(name + i, size - i, bounded) : 0;
        if (dropped > 0) {
            i += dropped;
            bounded = false;
            continue;
        }
        bounded = !ascii_is_alnum(name[i]);
        hash = fnv1a_add(hash, (uint8_t)name[i++]);
    }
    return mixed_hash(hash);
}

size_t colour_plain_name(const char *name, size_t size, char *out)
{
    size_t used = 0;
    bool   bounded = true;
    for (size_t i = 0; i < size;) {
        size_t dropped = ascii_hex_value(name[i]) < 16 ? dropped_run(name + i, size - i, bounded) : 0;
        bounded = dropped == 0 && !ascii_is_alnum(name[i]);
        out[used++] = dropped > 0 ? '#' : name[i];
        i += dropped > 0 ? dropped : 1;
    }
    return used;
}

static uint32_t colour_of_hash(uint64_t hash)
{
    static const uint32_t steps[] = { 0, 1, 2, 1 };
    return (uint32_t)((hash >> 32) * COLOUR_HUES >> 32) * COLOUR_STEPS + steps[hash & 3];
}

uint32_t colour_of_name(const char *name, size_t size)
{
    return colour_of_hash(colour_hash(name, size));
}

uint32_t colour_of_title(const char *title, size_t size)
{
    uint64_t hash = FNV1A_EMPTY;
    for (size_t i = 0; i < size; i++)
        hash = fnv1a_add(hash, (uint8_t)title[i]);
    return colour_of_hash(mixed_hash(hash));
}
