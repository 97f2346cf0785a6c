#include "paint/paint.h"

#include "paint/fonts.h"
#include "paint/list_painter.h"
#include "paint/png.h"
#include "paint/raster.h"
#include "support/png_read.h"
#include "support/test.h"
#include "view/text.h"

#include <ft2build.h>
#include FT_FREETYPE_H
#include <stdlib.h>
#include <string.h>

static char text[] = "push_back 0123456789 \xC2\xB5s \xE2\x80\xA6 \xE6\x97\xA5\xE6\x9C\xAC \xF0\x9F\x8E\x89";

static DrawList small_list(DrawShape *shapes, DrawText *texts, DrawBatch *batches)
{
    shapes[0] = (DrawShape){ .x = 10,
                             .y = 10,
                             .w = 100,
                             .h = 18,
                             .fill = 0xE48DA8FF,
                             .edge = 0xAC697EFF,
                             .edge_px = 1,
                             .radius = 2,
                             .kind = DRAW_RECT,
                             .style = DRAW_FADE_RIGHT | DRAW_HATCH };
    shapes[1] = (DrawShape){ .x = 10, .y = 40, .w = 9, .h = 9, .fill = 0x53A3F2FF, .kind = DRAW_DIAMOND };
    shapes[2] =
        (DrawShape){ .x = 30, .y = 40, .w = 9, .h = 8, .fill = 0x53A3F2FF, .kind = DRAW_TRIANGLE_DOWN };
    shapes[3] =
        (DrawShape){ .x = 50, .y = 40, .w = 8, .h = 9, .fill = 0x53A3F280, .kind = DRAW_TRIANGLE_RIGHT };
    shapes[4] = (DrawShape){ .x = 70, .y = 40, .w = 40, .h = 10, .fill = 0xFF0000FF, .kind = DRAW_RECT };
    texts[0] = (DrawText){ .x = 15,
                           .baseline = 70,
                           .max_w = 300,
                           .size_px = 12,
                           .colour = 0xE8EAEDFF,
                           .face = FONT_REGULAR,
                           .length = (uint32_t)strlen(text) };
    texts[1] = (DrawText){ .x = 15,
                           .baseline = 90,
                           .max_w = 30,
                           .size_px = 12,
                           .colour = 0xE8EAEDFF,
                           .face = FONT_MEDIUM,
                           .length = 9 };
    batches[0] = (DrawBatch){ DRAW_SHAPES, 0, 5, 0, 0, 100, 100 };
    batches[1] = (DrawBatch){ DRAW_TEXTS, 0, 2, 0, 0, 400, 100 };
    return (DrawList){ .width = 400,
                       .height = 100,
                       .background = 0x14161AFF,
                       .shapes = shapes,
                       .shape_count = 5,
                       .texts = texts,
                       .text_count = 2,
                       .batches = batches,
                       .batch_count = 2,
                       .text = text,
                       .text_bytes = (uint32_t)strlen(text) };
}

/* Checks that the channels of two images differ by `most` or less. */
static void check_same_pixels(cairo_surface_t *ours, cairo_surface_t *theirs, int most)
{
    const int width = cairo_image_surface_get_width(ours), height = cairo_image_surface_get_height(ours);
    for (int y = 0; y < height; y++) {
        const uint8_t *a = cairo_image_surface_get_data(ours) + y * cairo_image_surface_get_stride(ours);
        const uint8_t *b = cairo_image_surface_get_data(theirs) + y * cairo_image_surface_get_stride(theirs);
        for (int x = 0; x < width; x++) {
            uint32_t mine, other;
            memcpy(&mine, a + x * 4, sizeof mine);
            memcpy(&other, b + x * 4, sizeof other);
            for (int shift = 0; shift < 24; shift += 8)
                if (abs((int)(mine >> shift & 0xFF) - (int)(other >> shift & 0xFF)) > most)
                    fail_msg("pixel %d of row %d is %06X, not %06X", x, y, mine & 0xFFFFFF, other & 0xFFFFFF);
        }
    }
}

typedef bool Painter(const DrawList *list, double scale, const PaintFonts *fonts, Bytes *out, Err *err);

static bool png(const DrawList *list, double scale, const PaintFonts *fonts, Bytes *out, Err *err)
{
    (void)scale;
    return paint_png(list, fonts, 1, out, err);
}

/* Paints twice, each time from the start; the bytes are equal. */
static void paint_twice(Painter *painter, double scale, Bytes *out)
{
    DrawShape  shapes[5];
    DrawText   texts[2];
    DrawBatch  batches[2];
    DrawList   list = small_list(shapes, texts, batches);
    PaintFonts fonts = paint_fonts();
    Bytes      again = { 0 };
    Err        err;
    CHECK_DONE(painter(&list, scale, &fonts, out, &err), err);
    CHECK_DONE(painter(&list, scale, &fonts, &again, &err), err);
    CHECK(out->size == again.size && memcmp(out->data, again.data, out->size) == 0);
    bytes_release(&again);
}

TEST(a_png_is_the_size_of_the_list_and_the_same_each_time)
{
    Bytes out = { 0 };
    paint_twice(png, 1, &out);
    CHECK(out.size > 100);
    CHECK_BYTES(out.data, 8, "\x89PNG\r\n\x1A\n");
    CHECK_BYTES(out.data + 16, 8, "\0\0\1\x90\0\0\0\x64");
    bytes_release(&out);
}

/* Sets a row: noise, which does not compress, a copy of the row above, or a copy with few other pixels. From row 100 on most
 * rows are copies. */
static void fill_test_row(size_t y, TestRandom *random, const uint32_t *above, uint32_t *row, size_t width)
{
    const bool is_noise = y < 100 ? y % 3 == 0 : y == 170;
    const bool is_near = y == 40 || y == 101 || y == 125 || y == 160;
    for (size_t x = 0; x < width; x++) {
        const bool is_new = is_noise || (is_near && x % 16 == 3);
        row[x] = is_new ? (uint32_t)test_random(random) & 0xFFFFFF : above[x];
    }
}

enum { WIDTH = 301, HEIGHT = 270 };

static bool copy_rows(const void *context, uint32_t first, uint32_t end, uint32_t *pixels, Err *err)
{
    const uint32_t(*rows)[WIDTH] = context;
    (void)err;
    memcpy(pixels, rows[first], (end - first) * sizeof rows[0]);
    return true;
}

/* A decoder reads the pixels that were written, in several chunks and bands. The number of threads does not change the file. */
TEST(a_png_has_the_pixels_of_the_picture)
{
    static uint32_t pixels[HEIGHT][WIDTH];
    TestRandom      random = { 5 };
    Bytes           out = { 0 }, by_threads = { 0 };
    Err             err;
    for (size_t y = 0; y < HEIGHT; y++)
        fill_test_row(y, &random, y == 0 ? NULL : pixels[y - 1], pixels[y], WIDTH);
    const PngPicture picture = { WIDTH, HEIGHT, copy_rows, pixels };
    CHECK_DONE(png_write(&picture, 1, &out, &err), err);
    CHECK_DONE(png_write(&picture, 4, &by_threads, &err), err);
    CHECK(out.size == by_threads.size && memcmp(out.data, by_threads.data, out.size) == 0);
    cairo_surface_t *image = png_read(&out);
    CHECK_INT(cairo_image_surface_get_width(image), WIDTH);
    CHECK_INT(cairo_image_surface_get_height(image), HEIGHT);
    for (size_t y = 0; y < HEIGHT; y++) {
        const uint8_t *row =
            cairo_image_surface_get_data(image) + y * (size_t)cairo_image_surface_get_stride(image);
        for (size_t x = 0; x < WIDTH; x++) {
            uint32_t pixel;
            memcpy(&pixel, row + x * sizeof pixel, sizeof pixel);
            if ((pixel & 0xFFFFFF) != pixels[y][x]) fail_msg("pixel %zu of row %zu is %06X", x, y, pixel);
        }
    }
    cairo_surface_destroy(image);
    bytes_release(&out);
    bytes_release(&by_threads);
}

static bool refuse_rows(const void *context, uint32_t first, uint32_t end, uint32_t *pixels, Err *err)
{
    (void)context;
    (void)end;
    (void)pixels;
    return first < 200 || err_set(err, ERR_LIMIT, "row %u", (unsigned)first);
}

TEST(a_png_whose_rows_cannot_be_painted_is_refused)
{
    const PngPicture picture = { 8, 400, refuse_rows, NULL };
    Bytes            out = { 0 };
    Err              err;
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        CHECK(!png_write(&picture, threads, &out, &err));
        CHECK(err.code == ERR_LIMIT && strcmp(err.message, "row 255") == 0);
    }
    bytes_release(&out);
}

/* Fills a list with shapes, edges, texts and curves at random places, many of them at the borders of the parts of a PNG. */
static DrawList tall_list(TestRandom *random, Arena *arena)
{
    enum { SHAPES = 900, TEXTS = 60, CURVES = 40, WIDE = 200, HIGH = 400 };
    DrawList list = { .width = WIDE,
                      .height = HIGH,
                      .background = 0xFBFBFBFF,
                      .shapes = ARENA_ARRAY(arena, DrawShape, SHAPES),
                      .shape_count = SHAPES,
                      .texts = ARENA_ARRAY(arena, DrawText, TEXTS),
                      .text_count = TEXTS,
                      .batches = ARENA_ARRAY(arena, DrawBatch, 4),
                      .batch_count = 4,
                      .text = text,
                      .text_bytes = (uint32_t)strlen(text),
                      .curves = ARENA_ARRAY(arena, DrawCurve, CURVES),
                      .curve_count = CURVES };
    for (uint32_t i = 0; i < SHAPES; i++) {
        const float part = test_random_below(random, 3) == 0 ? 0.25F : 0;
        list.shapes[i] =
            (DrawShape){ .x = (float)test_random_below(random, WIDE) + part,
                         .y = (float)(i * HIGH / SHAPES) + (float)test_random_below(random, 20) - part,
                         .w = (float)test_random_below(random, 30),
                         .h = (float)test_random_below(random, 30),
                         .fill = (uint32_t)test_random_below(random, UINT64_C(1) << 32),
                         .edge = (uint32_t)test_random_below(random, UINT64_C(1) << 32),
                         .edge_px = (float)test_random_below(random, 3),
                         .radius = i % 7 == 0 ? 3 : 0,
                         .kind = i % 11 == 0 ? (uint16_t)(i / 11 % 4) : DRAW_RECT,
                         .style = i % 13 == 0 ? (uint16_t)(i / 13 % 4) : 0 };
    }
    for (uint32_t i = 0; i < TEXTS; i++)
        list.texts[i] = (DrawText){ .x = (float)test_random_below(random, WIDE),
                                    .baseline = (float)(i * HIGH / TEXTS),
                                    .max_w = (float)test_random_below(random, WIDE),
                                    .size_px = 12,
                                    .colour = 0x202124FF,
                                    .face = i % FONT_COUNT,
                                    .length = list.text_bytes };
    for (uint32_t i = 0; i < CURVES; i++)
        list.curves[i] = (DrawCurve){ (float)test_random_below(random, WIDE),
                                      (float)test_random_below(random, HIGH),
                                      (float)test_random_below(random, WIDE),
                                      (float)test_random_below(random, HIGH),
                                      20,
                                      1.5F,
                                      0x1A73E880 };
    list.batches[0] = (DrawBatch){ DRAW_SHAPES, 0, 300, 0, 0, WIDE, 200 };
    list.batches[1] = (DrawBatch){ DRAW_TEXTS, 0, TEXTS, 0, 0, WIDE, HIGH };
    list.batches[2] = (DrawBatch){ DRAW_SHAPES, 300, SHAPES - 300, 10, 100, WIDE, 290 };
    list.batches[3] = (DrawBatch){ DRAW_CURVES, 0, CURVES, 0, 0.5F, WIDE, HIGH };
    return list;
}

/* Paints all rows at once. */
static cairo_surface_t *paint_whole(const DrawList *list, const PaintFonts *fonts)
{
    ListPainter      painter;
    Err              err;
    cairo_surface_t *image =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)list->width, (int)list->height);
    cairo_t *cr = cairo_create(image);
    CHECK_DONE(list_painter_open(&painter, list, fonts, 1, &err), err);
    list_paint_rows(&painter, cr, (RasterImage){ image, 0 });
    cairo_destroy(cr);
    cairo_surface_flush(image);
    list_painter_close(&painter);
    return image;
}

TEST(a_png_painted_in_parts_is_the_whole_picture)
{
    Arena            arena = arena_create(0);
    TestRandom       random = { 11 };
    const DrawList   list = tall_list(&random, &arena);
    const PaintFonts fonts = paint_fonts();
    Bytes            out = { 0 }, by_threads = { 0 };
    Err              err;
    CHECK_DONE(paint_png(&list, &fonts, 1, &out, &err), err);
    CHECK_DONE(paint_png(&list, &fonts, 4, &by_threads, &err), err);
    CHECK(out.size == by_threads.size && memcmp(out.data, by_threads.data, out.size) == 0);
    cairo_surface_t *parts = png_read(&out), *whole = paint_whole(&list, &fonts);
    check_same_pixels(parts, whole, 1); /* Cairo rounds coverages at the border of an image in another way */
    cairo_surface_destroy(parts);
    cairo_surface_destroy(whole);
    bytes_release(&out);
    bytes_release(&by_threads);
    arena_release(&arena);
}

TEST(an_svg_is_the_same_each_time_and_knows_no_date)
{
    Bytes out = { 0 };
    paint_twice(paint_svg, 2, &out);
    bytes_append(&out, "", 1);
    CHECK(strstr((const char *)out.data, "width=\"200px\" height=\"50px\"") != NULL ||
          strstr((const char *)out.data, "width=\"200\" height=\"50\"") != NULL);
    bytes_release(&out);
}

TEST(a_pdf_is_the_same_each_time_and_carries_its_font)
{
    Bytes out = { 0 };
    paint_twice(paint_pdf, 1, &out);
    CHECK_BYTES(out.data, 5, "%PDF-");
    bool has_font = false, has_date = false;
    for (size_t i = 0; i + 13 < out.size; i++) {
        has_font |= memcmp(out.data + i, "Inter-Regular", 13) == 0;
        has_date |= memcmp(out.data + i, "1970010100000", 13) == 0;
    }
    CHECK(has_font && has_date);
    bytes_release(&out);
}

TEST(a_picture_too_large_is_refused_in_words)
{
    PaintFonts fonts = paint_fonts();
    DrawList   list = { .width = 40000, .height = 10 };
    Bytes      out = { 0 };
    Err        err;
    CHECK(!paint_png(&list, &fonts, 1, &out, &err));
    CHECK(err.code == ERR_LIMIT && strstr(err.message, "40000") != NULL);
    CHECK_UINT(out.size, 0);
}

TEST(fonts_that_are_none_are_refused)
{
    PaintFonts fonts = paint_fonts();
    DrawList   list = { .width = 10, .height = 10 };
    Bytes      out = { 0 };
    Err        err;
    fonts.bytes[FONT_MEDIUM] = (const uint8_t *)"no font";
    fonts.size[FONT_MEDIUM] = 7;
    CHECK(!paint_png(&list, &fonts, 1, &out, &err));
    CHECK(err.code == ERR_CORRUPT);
    bytes_release(&out);
}

/* The table in src/view equals the widths of the fonts. */
TEST(the_advance_table_is_that_of_the_fonts)
{
    PaintFonts fonts = paint_fonts();
    FT_Library library;
    CHECK(FT_Init_FreeType(&library) == 0);
    for (int f = 0; f < FONT_COUNT; f++) {
        FT_Face face;
        CHECK(FT_New_Memory_Face(library, fonts.bytes[f], (FT_Long)fonts.size[f], 0, &face) == 0);
        CHECK_INT(face->units_per_EM, TEXT_UNITS_PER_EM);
        for (uint32_t c = 0x20; c < 0x10000; c++) {
            FT_UInt glyph = FT_Get_Char_Index(face, c);
            CHECK((glyph != 0) == text_has_glyph((FontFace)f, c));
            if (glyph == 0 || text_advance((FontFace)f, c) == 0) continue;
            CHECK(FT_Load_Glyph(face, glyph, FT_LOAD_NO_SCALE) == 0);
            long room = (long)text_advance((FontFace)f, c) - 2 * (long)text_shift((FontFace)f, c);
            CHECK(labs(room - face->glyph->advance.x) <= 1);
        }
    }
    FT_Done_FreeType(library);
}

TEST(whole_rectangles_have_the_pixels_of_cairo)
{
    enum { SIDE = 40, ROUNDS = 20000 };
    TestRandom       random = { 3 };
    cairo_surface_t *ours = cairo_image_surface_create(CAIRO_FORMAT_RGB24, SIDE, SIDE);
    cairo_surface_t *theirs = cairo_image_surface_create(CAIRO_FORMAT_RGB24, SIDE, SIDE);
    cairo_t         *cr = cairo_create(theirs);
    for (int round = 0; round < ROUNDS; round++) {
        const DrawBatch batch = { .clip_x = (float)test_random_below(&random, 20) - 5,
                                  .clip_y = (float)test_random_below(&random, 20) - 5,
                                  .clip_w = (float)test_random_below(&random, 60),
                                  .clip_h = (float)test_random_below(&random, 60) };
        const DrawShape shape = { .x = (float)test_random_below(&random, 50) - 5,
                                  .y = (float)test_random_below(&random, 50) - 5,
                                  .w = (float)test_random_below(&random, 9),
                                  .h = (float)test_random_below(&random, 20),
                                  .fill = (uint32_t)test_random_below(&random, UINT64_C(1) << 32) |
                                          (test_random_below(&random, 4) == 0 ? 0xFF : 0),
                                  .edge = (uint32_t)test_random_below(&random, UINT64_C(1) << 32),
                                  .edge_px = (float)test_random_below(&random, 4),
                                  .kind = DRAW_RECT };
        const double    inset = (double)shape.edge_px / 2;
        Raster          raster = raster_clipped((RasterImage){ ours, 0 }, &batch);
        CHECK(raster_fill(&raster, &shape) && (inset == 0 || raster_edge(&raster, &shape)));
        raster_leave(&raster);
        cairo_save(cr);
        cairo_rectangle(cr, (double)batch.clip_x, (double)batch.clip_y, (double)batch.clip_w,
                        (double)batch.clip_h);
        cairo_clip(cr);
        cairo_set_source_rgba(cr, (shape.fill >> 24) / 255.0, (shape.fill >> 16 & 0xFF) / 255.0,
                              (shape.fill >> 8 & 0xFF) / 255.0, (shape.fill & 0xFF) / 255.0);
        cairo_rectangle(cr, (double)shape.x, (double)shape.y, (double)shape.w, (double)shape.h);
        cairo_fill(cr);
        cairo_set_source_rgba(cr, (shape.edge >> 24) / 255.0, (shape.edge >> 16 & 0xFF) / 255.0,
                              (shape.edge >> 8 & 0xFF) / 255.0, (shape.edge & 0xFF) / 255.0);
        cairo_set_line_width(cr, 2 * inset);
        if (inset > 0 && (double)shape.w > 2 * inset && (double)shape.h > 2 * inset)
            cairo_rectangle(cr, (double)shape.x + inset, (double)shape.y + inset, (double)shape.w - 2 * inset,
                            (double)shape.h - 2 * inset);
        cairo_stroke(cr);
        cairo_restore(cr);
    }
    cairo_surface_flush(theirs);
    check_same_pixels(ours, theirs, 0);
    /* Parts of pixels and other shapes are left to Cairo. */
    const DrawBatch batch = { .clip_w = SIDE, .clip_h = SIDE };
    Raster          raster = raster_clipped((RasterImage){ ours, 0 }, &batch);
    const DrawShape parts = { .x = 1.5F, .w = 2, .h = 2, .fill = 0xFF, .kind = DRAW_RECT };
    const DrawShape round = { .w = 9, .h = 9, .fill = 0xFF, .radius = 2, .kind = DRAW_RECT };
    const DrawShape diamond = { .w = 9, .h = 9, .fill = 0xFF, .kind = DRAW_DIAMOND };
    const DrawShape half = { .w = 9, .h = 9, .edge = 0xFF, .edge_px = 1.5F, .kind = DRAW_RECT };
    CHECK(!raster_fill(&raster, &parts) && !raster_fill(&raster, &round) && !raster_fill(&raster, &diamond));
    CHECK(!raster_edge(&raster, &half) && !raster_edge(&raster, &round));
    cairo_destroy(cr);
    cairo_surface_destroy(ours);
    cairo_surface_destroy(theirs);
}

TEST_MAIN("paint", TEST_CASE(a_png_is_the_size_of_the_list_and_the_same_each_time),
          TEST_CASE(a_png_has_the_pixels_of_the_picture),
          TEST_CASE(a_png_whose_rows_cannot_be_painted_is_refused),
          TEST_CASE(a_png_painted_in_parts_is_the_whole_picture),
          TEST_CASE(whole_rectangles_have_the_pixels_of_cairo),
          TEST_CASE(an_svg_is_the_same_each_time_and_knows_no_date),
          TEST_CASE(a_pdf_is_the_same_each_time_and_carries_its_font),
          TEST_CASE(a_picture_too_large_is_refused_in_words), TEST_CASE(fonts_that_are_none_are_refused),
          TEST_CASE(the_advance_table_is_that_of_the_fonts))
