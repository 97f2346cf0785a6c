#include "paint/fonts.h"

#include "base/thread.h"
#include "view/text.h"

#include <cairo-ft.h>
#include <fontconfig/fontconfig.h>
#include <ft2build.h>
#include FT_FREETYPE_H
#include <string.h>

enum { FALLBACKS_MAX = 32, FALLBACK_CACHE = 1024 };

typedef struct FallbackFont {
    cairo_font_face_t *cairo; /* owned */
    FT_Face            ft;    /* owned by the library */
    char               file[512];
    int                index;
} FallbackFont;

/* The fallback font of a code point: an index into fallbacks + 1; 0 = no font has it. */
typedef struct FallbackEntry {
    uint32_t code_point, font;
} FallbackEntry;

struct FontSet {
    Arena              arena;                 /* the FontSet itself is allocated in it */
    FT_Library         library;               /* of the fonts of the system */
    FT_Library         libraries[FONT_COUNT]; /* of one font each, because threads open them */
    FT_Face            ft[FONT_COUNT];
    cairo_font_face_t *cairo[FONT_COUNT];
    FcConfig          *config; /* the system's configuration, loaded on first use */
    FallbackFont       fallbacks[FALLBACKS_MAX];
    uint32_t           fallback_count;
    FallbackEntry      entries[FALLBACK_CACHE];
};

static cairo_font_face_t *cairo_face(FT_Face face)
{
    return cairo_ft_font_face_create_for_ft_face(face, FT_LOAD_NO_HINTING | FT_LOAD_COLOR);
}

typedef struct FontOpening {
    FontSet          *set;
    const PaintFonts *fonts;
} FontOpening;

/* Opens a font of the program. Most of the time is its decompression. */
static void open_font(void *context, size_t i)
{
    const FontOpening *opening = context;
    FontSet           *set = opening->set;
    if (FT_Init_FreeType(&set->libraries[i]) != 0 ||
        FT_New_Memory_Face(set->libraries[i], opening->fonts->bytes[i], (FT_Long)opening->fonts->size[i], 0,
                           &set->ft[i]) != 0)
        set->ft[i] = NULL;
}

FontSet *font_set_create(const PaintFonts *fonts, unsigned threads, Err *err)
{
    Arena    arena = arena_create(0);
    FontSet *set = ARENA_NEW(&arena, FontSet);
    if (set == NULL || FT_Init_FreeType(&set->library) != 0) {
        arena_release(&arena);
        (void)err_set(err, ERR_MEMORY, "no memory for fonts");
        return NULL;
    }
    set->arena = arena;
    thread_run(threads, FONT_COUNT, open_font, &(FontOpening){ set, fonts });
    for (int i = 0; i < FONT_COUNT; i++) {
        if (set->ft[i] == NULL) {
            /* FreeType reports most failed allocations as an unknown format. */
            (void)err_set(err, ERR_CORRUPT,
                          "font %d of the painter cannot be read: damaged, or out of memory", i);
            font_set_destroy(set);
            return NULL;
        }
        set->cairo[i] = cairo_face(set->ft[i]);
    }
    return set;
}

void font_set_destroy(FontSet *set)
{
    for (int i = 0; i < FONT_COUNT; i++)
        if (set->cairo[i] != NULL) cairo_font_face_destroy(set->cairo[i]);
    for (uint32_t i = 0; i < set->fallback_count; i++)
        cairo_font_face_destroy(set->fallbacks[i].cairo);
    /* Cairo's own cache of scaled fonts still holds our faces. */
    cairo_debug_reset_static_data();
    for (int i = 0; i < FONT_COUNT; i++)
        if (set->libraries[i] != NULL) FT_Done_FreeType(set->libraries[i]);
    FT_Done_FreeType(set->library);
    if (set->config != NULL) FcConfigDestroy(set->config);
    Arena arena = set->arena;
    arena_release(&arena);
}

/* Finds the system's best sans-serif font with the code point. False if no font has it. */
static bool match_font(FontSet *set, uint32_t code_point, char file[512], int *index)
{
    if (set->config == NULL) set->config = FcInitLoadConfigAndFonts();
    FcPattern *pattern = FcPatternCreate();
    FcCharSet *charset = FcCharSetCreate();
    FcCharSetAddChar(charset, code_point);
    FcPatternAddCharSet(pattern, FC_CHARSET, charset);
    FcPatternAddString(pattern, FC_FAMILY, (const FcChar8 *)"sans-serif");
    FcConfigSubstitute(set->config, pattern, FcMatchPattern);
    FcDefaultSubstitute(pattern);
    FcResult   result;
    FcPattern *match = FcFontMatch(set->config, pattern, &result);
    FcChar8   *name = NULL;
    FcCharSet *has = NULL;
    bool       found = match != NULL && FcPatternGetString(match, FC_FILE, 0, &name) == FcResultMatch &&
                 FcPatternGetCharSet(match, FC_CHARSET, 0, &has) == FcResultMatch &&
                 FcCharSetHasChar(has, code_point) && strlen((const char *)name) < 512;
    if (found) {
        strcpy(file, (const char *)name);
        if (FcPatternGetInteger(match, FC_INDEX, 0, index) != FcResultMatch) *index = 0;
    }
    if (match != NULL) FcPatternDestroy(match);
    FcCharSetDestroy(charset);
    FcPatternDestroy(pattern);
    return found;
}

/* Returns the index of a fallback font in fallbacks + 1; opens a new one. 0 if it cannot be opened. */
static uint32_t open_fallback(FontSet *set, const char *file, int index)
{
    for (uint32_t i = 0; i < set->fallback_count; i++)
        if (set->fallbacks[i].index == index && strcmp(set->fallbacks[i].file, file) == 0) return i + 1;
    if (set->fallback_count == FALLBACKS_MAX) return 0;
    FallbackFont *font = &set->fallbacks[set->fallback_count];
    if (FT_New_Face(set->library, file, index, &font->ft) != 0) return 0;
    if (FT_HAS_FIXED_SIZES(font->ft)) FT_Select_Size(font->ft, 0); /* bitmap fonts: emoji */
    font->cairo = cairo_face(font->ft);
    strcpy(font->file, file);
    font->index = index;
    return ++set->fallback_count;
}

static uint32_t fallback_font(FontSet *set, uint32_t code_point)
{
    FallbackEntry *entry = &set->entries[code_point % FALLBACK_CACHE];
    if (entry->code_point == code_point) return entry->font;
    char file[512];
    int  index;
    entry->code_point = code_point;
    entry->font = match_font(set, code_point, file, &index) ? open_fallback(set, file, index) : 0;
    return entry->font;
}

FontGlyph font_set_glyph(FontSet *set, FontFace face, uint32_t code_point)
{
    FT_UInt index = FT_Get_Char_Index(set->ft[face], code_point);
    if (index != 0) return (FontGlyph){ .face = set->cairo[face], .index = index };
    if (code_point <= 0x20 || text_advance(face, code_point) == 0) return (FontGlyph){ 0 };
    uint32_t number = fallback_font(set, code_point);
    if (number == 0) return (FontGlyph){ 0 };
    const FallbackFont *font = &set->fallbacks[number - 1];
    return (FontGlyph){ .face = font->cairo,
                        .index = FT_Get_Char_Index(font->ft, code_point),
                        .is_fallback = true };
}
