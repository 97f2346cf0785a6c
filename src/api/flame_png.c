/* Flame graphs as a draw list, painted by the painter of `varve render`. */
#include "api/flame_png.h"
#include "paint/paint.h"
#include "view/colour.h"
#include "view/label_fit.h"

enum { ROW = 18, TOP = 28, MOST_ROWS = 1700 };
static const float WIDTH = 1600, PAD = 5, TEXT_SIZE = 11.5F, UNITS_PER_EM = TEXT_UNITS_PER_EM;

/* The picture during its construction. */
typedef struct Picture {
    const FlameOut *flame;
    DrawShape      *shapes;
    DrawText       *texts;
    uint32_t        shape_count, text_count;
    Bytes           text;
} Picture;

static void add_text(Picture *picture, StringView text, float x, float baseline, float width, uint32_t colour)
{
    picture->texts[picture->text_count++] = (DrawText){ .x = x,
                                                        .baseline = baseline,
                                                        .max_w = width,
                                                        .size_px = TEXT_SIZE,
                                                        .colour = colour,
                                                        .face = FONT_REGULAR,
                                                        .offset = (uint32_t)picture->text.size,
                                                        .length = (uint32_t)text.size };
    bytes_append(&picture->text, text.bytes, text.size);
}

static void add_box(Picture *picture, const FlameBox *box)
{
    Bytes       name = { 0 };
    const float x = (float)box->begin * WIDTH, width = (float)box->share * WIDTH;
    const float y = (float)(TOP + (int)box->depth * ROW);
    flame_put_name(picture->flame, box->node, &name);
    const NameColour colour = flame_colour(picture->flame, box->node, &name);
    picture->shapes[picture->shape_count++] = (DrawShape){
        .x = x, .y = y, .w = width > 1.5F ? width - 0.5F : width, .h = ROW - 1, .fill = colour.fill
    };
    const float pad = (float)label_pad_px((double)width);
    if (pad >= 0) {
        FittedLabel label;
        label_fit(FONT_REGULAR, (const char *)name.data, name.size,
                  (uint64_t)((width - 2 * pad) * UNITS_PER_EM / TEXT_SIZE), &label);
        if (label.size > 0)
            add_text(picture, (StringView){ label.text, label.size }, x + pad, y + 13, width - pad,
                     colour.text);
    }
    bytes_release(&name);
}

bool flame_put_png(const FlameOut *flame, Bytes *out, Err *err)
{
    const Palette *palette = colour_palette(flame->theme);
    Arena          arena = arena_create(0);
    uint32_t       count = 0, depth = 0;
    FlameBox      *boxes = flame_boxes(flame->layout, 0.25 / (double)WIDTH, MOST_ROWS, &arena, &count);
    Picture        picture = { .flame = flame };
    picture.shapes = ARENA_ARRAY(&arena, DrawShape, (size_t)count + 1);
    picture.texts = ARENA_ARRAY(&arena, DrawText, (size_t)count + 1);
    bool             done = boxes != NULL && picture.shapes != NULL && picture.texts != NULL;
    const StringView title = c_string_view(flame->title);
    if (done) add_text(&picture, title, PAD, 18, WIDTH - 2 * PAD, palette->text);
    for (uint32_t i = 0; done && i < count; i++) {
        add_box(&picture, &boxes[i]);
        if (boxes[i].depth > depth) depth = boxes[i].depth;
    }
    const float      height = (float)(TOP + ((int)depth + 1) * ROW) + PAD;
    DrawBatch        batches[] = { { DRAW_SHAPES, 0, picture.shape_count, 0, 0, WIDTH, height },
                                   { DRAW_TEXTS, 0, picture.text_count, 0, 0, WIDTH, height } };
    const DrawList   list = { .width = WIDTH,
                              .height = height,
                              .background = palette->canvas,
                              .shapes = picture.shapes,
                              .shape_count = picture.shape_count,
                              .texts = picture.texts,
                              .text_count = picture.text_count,
                              .batches = batches,
                              .batch_count = 2,
                              .text = (char *)picture.text.data,
                              .text_bytes = (uint32_t)picture.text.size };
    const PaintFonts fonts = paint_fonts();
    done = done && !picture.text.failed ? paint_png(&list, &fonts, 1, out, err)
                                        : err_set(err, ERR_MEMORY, "out of memory for the picture");
    bytes_release(&picture.text);
    arena_release(&arena);
    return done;
}
