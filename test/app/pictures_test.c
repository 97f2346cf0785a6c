/* The output of `varve render` for a trace of each kind, in dark and light: as a draw list, byte for byte, and as
 * pixels. */
#include "paint/picture.h"

#include "paint/paint.h"
#include "support/golden.h"
#include "support/png_read.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH_PX = 1000 };

static const char *const THEMES[] = { [THEME_DARK] = "dark", [THEME_LIGHT] = "light" };

/* -- pixels -- */

static cairo_surface_t *decode(const Bytes *png)
{
    cairo_surface_t *image = png_read(png);
    CHECK(cairo_image_surface_get_format(image) == CAIRO_FORMAT_RGB24 ||
          cairo_image_surface_get_format(image) == CAIRO_FORMAT_ARGB32);
    return image;
}

/* Letters may have slightly different edges with another FreeType; nothing else may differ. */
static void check_alike(cairo_surface_t *ours, cairo_surface_t *golden, const char *path)
{
    enum { FAR = 64, FAR_PIXELS_IN_10000 = 20 };
    int width = cairo_image_surface_get_width(golden), height = cairo_image_surface_get_height(golden);
    CHECK_INT(cairo_image_surface_get_width(ours), width);
    CHECK_INT(cairo_image_surface_get_height(ours), height);
    uint64_t far = 0;
    for (int y = 0; y < height; y++) {
        const uint8_t *a = cairo_image_surface_get_data(ours) + y * cairo_image_surface_get_stride(ours);
        const uint8_t *b = cairo_image_surface_get_data(golden) + y * cairo_image_surface_get_stride(golden);
        for (int x = 0; x < width; x++) {
            int most = 0;
            for (int byte = 0; byte < 4; byte++) { /* the fourth byte is unused, and the same in all */
                int apart = abs(a[4 * x + byte] - b[4 * x + byte]);
                if (apart > most) most = apart;
            }
            far += most > FAR;
        }
    }
    if (far * 10000 > (uint64_t)width * (uint64_t)height * FAR_PIXELS_IN_10000)
        fail_msg("%s: %llu pixels differ (VARVE_UPDATE_GOLDEN=1 accepts them)", path,
                 (unsigned long long)far);
}

static void check_pixels(const char *path, const Bytes *png)
{
    const char *update = getenv("VARVE_UPDATE_GOLDEN");
    if (update != NULL && strcmp(update, "1") == 0) {
        golden_check(path, png->data, png->size);
        return;
    }
    Bytes expected = { 0 };
    fixture_read(path, &expected);
    cairo_surface_t *ours = decode(png), *golden = decode(&expected);
    check_alike(ours, golden, path);
    cairo_surface_destroy(ours);
    cairo_surface_destroy(golden);
    bytes_release(&expected);
}

/* -- pictures -- */

static void check_picture(const Loaded *loaded, const char *name, Theme theme)
{
    PictureOptions  options = { .width_px = WIDTH_PX, .scale = 1, .theme = theme, .threads = 2 };
    PaintFonts      fonts = paint_fonts();
    Bytes           text = { 0 }, png = { 0 };
    char            path[128];
    Err             err;
    ViewLoaded      shown;
    const DrawList *list;
    View           *view = picture_create(loaded, 1, &options, &list, &shown, &err);
    view_loaded_release(&shown);
    CHECK_DONE(view != NULL, err);
    draw_list_print(list, &text);
    CHECK_DONE(paint_png(list, &fonts, 1, &png, &err), err);
    snprintf(path, sizeof path, "trace_event/pictures/%s-%s.png", name, THEMES[theme]);
    check_pixels(path, &png);
    snprintf(path, sizeof path, "trace_event/pictures/%s-%s.txt", name, THEMES[theme]);
    golden_check(path, text.data, text.size);
    bytes_release(&text);
    bytes_release(&png);
    view_destroy(view);
}

static void check_pictures(const char *trace, const char *name, size_t warnings)
{
    char        relative[128], path[4096];
    LoadOptions options = { 0 };
    Loaded      loaded;
    Err         err;
    snprintf(relative, sizeof relative, "trace_event/%s.json", trace);
    fixture_path(relative, path, sizeof path);
    CHECK_DONE(load_file(path, &options, &loaded, &err), err);
    CHECK_UINT(loaded.trace->records.warning_count, warnings);
    for (int theme = 0; theme < (int)(sizeof THEMES / sizeof THEMES[0]); theme++)
        check_picture(&loaded, name, (Theme)theme);
    loaded_release(&loaded);
}

TEST(counters_of_several_series)
{
    check_pictures("pictures/counters", "counters", 0);
}

TEST(nested_asynchronous_slices_that_overlap)
{
    check_pictures("pictures/async", "async", 0);
}

TEST(flows_across_processes)
{
    check_pictures("pictures/flows", "flows", 0);
}

TEST(objects_with_snapshots)
{
    check_pictures("pictures/objects", "objects", 0);
}

TEST(instants_of_three_scopes)
{
    check_pictures("pictures/instants", "instants", 0);
}

TEST(samples_of_v8)
{
    check_pictures("v8_chromium", "samples", 0);
}

TEST(overlapping_slices_in_lanes)
{
    check_pictures("pictures/overlap", "overlap", 1);
}

TEST_MAIN("app/pictures", TEST_CASE(counters_of_several_series),
          TEST_CASE(nested_asynchronous_slices_that_overlap), TEST_CASE(flows_across_processes),
          TEST_CASE(objects_with_snapshots), TEST_CASE(instants_of_three_scopes), TEST_CASE(samples_of_v8),
          TEST_CASE(overlapping_slices_in_lanes))
