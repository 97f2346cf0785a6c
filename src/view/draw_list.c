#include "view/draw_list.h"

#include <assert.h>

/* Appends pixels in multiples of 1/64: exact in a float, and independent of the libc's rounding. */
static void print_px(Bytes *out, float px)
{
    double  scaled = (double)px * 64;
    int64_t parts = (int64_t)(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
    if (parts < 0) {
        bytes_append_text(out, "-");
        parts = -parts;
    }
    bytes_printf(out, "%lld", (long long)(parts / 64));
    int64_t rest = parts % 64 * 1000 / 64;
    if (rest != 0) bytes_printf(out, ".%03lld", (long long)rest);
}

static void print_pxs(Bytes *out, const float *px, int count)
{
    for (int i = 0; i < count; i++) {
        bytes_append_text(out, " ");
        print_px(out, px[i]);
    }
}

static void print_shape(const DrawShape *shape, Bytes *out)
{
    static const char *const kinds[] = { "rect", "diamond", "triangle-down", "triangle-right" };
    assert((size_t)shape->kind < sizeof kinds / sizeof kinds[0]);
    bytes_printf(out, "  %s", kinds[shape->kind]);
    print_pxs(out, (const float[]){ shape->x, shape->y, shape->w, shape->h }, 4);
    if ((shape->fill & 0xFF) != 0) bytes_printf(out, " fill #%08x", shape->fill);
    if ((shape->edge & 0xFF) != 0) {
        bytes_printf(out, " edge #%08x", shape->edge);
        print_pxs(out, &shape->edge_px, 1);
    }
    if (shape->radius > 0) {
        bytes_append_text(out, " radius");
        print_pxs(out, &shape->radius, 1);
    }
    if (shape->style & DRAW_FADE_RIGHT) bytes_append_text(out, " fade");
    if (shape->style & DRAW_HATCH) bytes_append_text(out, " hatch");
    bytes_append_text(out, "\n");
}

static void print_text(const DrawList *list, const DrawText *text, Bytes *out)
{
    bytes_printf(out, "  text");
    print_pxs(out, (const float[]){ text->x, text->baseline, text->max_w, text->size_px }, 4);
    bytes_printf(out, " #%08x %s \"", text->colour, text->face == FONT_MEDIUM ? "medium" : "regular");
    bytes_append(out, list->text + text->offset, text->length);
    bytes_append_text(out, "\"\n");
}

static void print_curve(const DrawCurve *curve, Bytes *out)
{
    bytes_append_text(out, "  curve");
    print_pxs(out, (const float[]){ curve->x0, curve->y0, curve->x1, curve->y1 }, 4);
    bytes_append_text(out, " bend");
    print_pxs(out, &curve->bend, 1);
    bytes_append_text(out, " width");
    print_pxs(out, &curve->width, 1);
    bytes_printf(out, " #%08x\n", curve->colour);
}

void draw_list_print(const DrawList *list, Bytes *out)
{
    bytes_append_text(out, "frame");
    print_pxs(out, (const float[]){ list->width, list->height }, 2);
    bytes_printf(out, " background #%08x\n", list->background);
    for (uint32_t b = 0; b < list->batch_count; b++) {
        const DrawBatch         *batch = &list->batches[b];
        static const char *const kinds[] = { "shapes", "texts", "curves" };
        assert((size_t)batch->kind < sizeof kinds / sizeof kinds[0]);
        bytes_printf(out, "%s clip", kinds[batch->kind]);
        print_pxs(out, &batch->clip_x, 1);
        print_pxs(out, &batch->clip_y, 1);
        print_pxs(out, &batch->clip_w, 1);
        print_pxs(out, &batch->clip_h, 1);
        bytes_append_text(out, "\n");
        for (uint32_t i = batch->first; i < batch->first + batch->count; i++) {
            if (batch->kind == DRAW_SHAPES)
                print_shape(&list->shapes[i], out);
            else if (batch->kind == DRAW_CURVES)
                print_curve(&list->curves[i], out);
            else
                print_text(list, &list->texts[i], out);
        }
    }
}
