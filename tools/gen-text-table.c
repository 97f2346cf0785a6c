/* Writes src/view/text_table.h: how far the pen moves for every code point of the fonts that Varve draws with.
 *
 *   cc tools/gen-text-table.c $(pkg-config --cflags --libs freetype2) -o gen-text-table
 *   ./gen-text-table web/node_modules/inter-ui/web/Inter-Regular.woff2 \
 *                    web/node_modules/inter-ui/web/Inter-Medium.woff2 > src/view/text_table.h
 *
 * Advances are font units. Run it again when the fonts change; test/paint compares the table with them. */
#include <ft2build.h>
#include FT_FREETYPE_H
#include <stdio.h>

enum { FACES = 2, LAST = 0xFFFF };

static int print_face(FT_Face face, const char *name)
{
    unsigned range_count = 0, glyph_count = 0;
    printf("static const uint16_t %s_ADVANCES[] = {", name);
    for (FT_ULong c = 0x20; c <= LAST; c++) {
        FT_UInt glyph = FT_Get_Char_Index(face, c);
        if (glyph == 0) continue;
        if (FT_Load_Glyph(face, glyph, FT_LOAD_NO_SCALE)) return 0;
        printf("%s%ld,", glyph_count++ % 18 == 0 ? "\n    " : " ", face->glyph->advance.x);
    }
    printf("\n};\n\nstatic const AdvanceRange %s_RANGES[] = {", name);
    unsigned first_advance = 0;
    for (FT_ULong c = 0x20; c <= LAST;) {
        FT_ULong end = c;
        while (end <= LAST && FT_Get_Char_Index(face, end) != 0)
            end++;
        if (end == c) {
            c++;
            continue;
        }
        printf("%s{ 0x%lX, 0x%lX, %u },", range_count++ % 5 == 0 ? "\n    " : " ", c, end, first_advance);
        first_advance += (unsigned)(end - c);
        c = end;
    }
    printf("\n};\n");
    return 1;
}

int main(int argc, char **argv)
{
    static const char *const names[FACES] = { "REGULAR", "MEDIUM" };
    FT_Library               library;
    if (argc != 1 + FACES || FT_Init_FreeType(&library)) return 1;
    printf("/* Made by tools/gen-text-table.c from Inter's fonts; not to be edited. */\n\n/* clang-format "
           "off */\n\n");
    printf("/* [first, end) -> advances from index `at` on */\n"
           "typedef struct AdvanceRange {\n    uint16_t first, end, at;\n} AdvanceRange;\n\n");
    for (int i = 0; i < FACES; i++) {
        FT_Face face;
        if (FT_New_Face(library, argv[1 + i], 0, &face)) return 1;
        if (i == 0) printf("enum { UNITS_PER_EM = %d };\n", face->units_per_EM);
        printf("\n");
        if (!print_face(face, names[i])) return 1;
        FT_Done_Face(face);
    }
    return 0;
}
