/* Writes src/view/text_table.h: how far the pen moves for every code point of the fonts that Varve draws with.
 *
 *   cc tools/gen-text-table.c $(pkg-config --cflags --libs freetype2) -o gen-text-table
 *   ./gen-text-table web/node_modules/inter-ui/web/Inter-Regular.woff2 \
 *                    web/node_modules/inter-ui/web/Inter-Medium.woff2 > src/view/text_table.h
 *
 * Advances are font units. Both fonts must have the same code points. Run it again when the fonts change; test/paint compares the table with them. */
#include <ft2build.h>
#include FT_FREETYPE_H
#include <stdio.h>

enum { FACES = 2, LAST = 0xFFFF };

static int has_glyph(FT_Face face, FT_ULong code_point)
{
    return FT_Get_Char_Index(face, code_point) != 0;
}

static int print_advances(FT_Face face)
{
    unsigned count = 0;
    printf("    {");
    for (FT_ULong c = 0x20; c <= LAST; c++) {
        if (!has_glyph(face, c)) continue;
        if (FT_Load_Char(face, c, FT_LOAD_NO_SCALE)) return 0;
        printf("%s%ld,", count++ % 18 == 0 ? "\n    " : " ", face->glyph->advance.x);
    }
    printf("\n    },\n");
    return 1;
}

static void print_ranges(FT_Face face)
{
    unsigned count = 0, first_advance = 0;
    printf("static const AdvanceRange RANGES[] = {");
    for (FT_ULong c = 0x20; c <= LAST;) {
        FT_ULong end = c;
        while (end <= LAST && has_glyph(face, end))
            end++;
        if (end == c) {
            c++;
            continue;
        }
        printf("%s{ 0x%lX, 0x%lX, %u },", count++ % 5 == 0 ? "\n    " : " ", c, end, first_advance);
        first_advance += (unsigned)(end - c);
        c = end;
    }
    printf("\n};\n");
}

int main(int argc, char **argv)
{
    FT_Library library;
    FT_Face    faces[FACES];
    unsigned   glyph_count = 0;
    if (argc != 1 + FACES || FT_Init_FreeType(&library)) return 1;
    for (int i = 0; i < FACES; i++)
        if (FT_New_Face(library, argv[1 + i], 0, &faces[i])) return 1;
    for (FT_ULong c = 0x20; c <= LAST; c++) {
        if (has_glyph(faces[0], c) != has_glyph(faces[1], c)) return 1;
        glyph_count += (unsigned)has_glyph(faces[0], c);
    }
    printf("/* Made by tools/gen-text-table.c from Inter's fonts; not to be edited. */\n\n/* clang-format "
           "off */\n\n");
    printf("enum { UNITS_PER_EM = %d };\n\n", faces[0]->units_per_EM);
    printf("/* [first, end) -> advances from index `at` on */\n"
           "typedef struct AdvanceRange {\n    uint16_t first, end, at;\n} AdvanceRange;\n\n");
    print_ranges(faces[0]);
    printf("\nstatic const uint16_t ADVANCES[FONT_COUNT][%u] = { /* regular, medium */\n", glyph_count);
    for (int i = 0; i < FACES; i++)
        if (!print_advances(faces[i])) return 1;
    printf("};\n");
    return 0;
}
