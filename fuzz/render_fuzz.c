/* Pictures of any trace: loads the input in any format, lays it out, and paints it.
 *
 * Input: 8 bytes of options (theme, size, scale, range, arrows), then a trace in any format. The draw list must have
 * finite numbers, and the same list must give the same bytes. One input of eight is painted: painting reads the fonts anew,
 * which takes ten times as long as all the rest. */
#include "fuzz.h"

#include "paint/paint.h"
#include "paint/picture.h"

#include <math.h>
#include <string.h>

enum { OPTION_BYTES = 8, PAINT_ONE_OF = 8, MEMORY_LIMIT = 1 << 27 };

static void check_list(const DrawList *list)
{
    for (uint32_t i = 0; i < list->shape_count; i++) {
        const DrawShape *shape = &list->shapes[i];
        expect(isfinite(shape->x) && isfinite(shape->y) && shape->w >= 0 && shape->h >= 0, "a shape");
    }
    for (uint32_t i = 0; i < list->text_count; i++) {
        const DrawText *text = &list->texts[i];
        expect(text->offset <= list->text_bytes && text->length <= list->text_bytes - text->offset,
               "a text's bytes");
    }
}

static void paint(const DrawList *list, double scale, uint8_t kind)
{
    const PaintFonts fonts = paint_fonts();
    Bytes            first = { 0 }, second = { 0 };
    Err              err;
    if (kind % 8 == 0) {
        (void)!paint_png(list, &fonts, 1, &first, &err);
    } else if (paint_svg(list, scale, &fonts, &first, &err) &&
               paint_svg(list, scale, &fonts, &second, &err)) {
        expect(first.size == second.size && memcmp(first.data, second.data, first.size) == 0,
               "two pictures of one list differ");
    }
    bytes_release(&first);
    bytes_release(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const RANGES[] = { NULL, "0..10", "1us..", "..2ms", "100..100000000000000", "7..8" };
    static const char *const FLOWS[] = { NULL, "all", "none" };
    LoadOptions              load = { .threads = 1 };
    Loaded                   loaded;
    Err                      err;
    memory_set_limit(MEMORY_LIMIT);
    if (size < OPTION_BYTES ||
        !load_bytes(data + OPTION_BYTES, size - OPTION_BYTES, "fuzz", &load, &loaded, &err))
        return 0;
    PictureOptions  options = { .width_px = 40 + data[0] * 4,
                                .height_px = data[1] % 4 == 0 ? 0 : data[1] * 2 + 40,
                                .scale = 0.5 + data[2] / 128.0,
                                .theme = data[3] & 1 ? THEME_DARK : THEME_LIGHT,
                                .range = RANGES[data[4] % 6],
                                .flows = FLOWS[data[5] % 3],
                                .select_name = data[6] & 1 ? "a" : NULL,
                                .threads = 1 };
    ViewLoaded      shown;
    const DrawList *list;
    View           *view = picture_create(&loaded, 1, &options, &list, &shown, &err);
    view_loaded_release(&shown);
    if (list != NULL) {
        check_list(list);
        if (choose(data, size, PAINT_ONE_OF) == 0) paint(list, options.scale, data[7]);
    }
    view_destroy(view);
    loaded_release(&loaded);
    return 0;
}
