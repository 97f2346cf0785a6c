#include "view/frame.h"

#include <assert.h>
#include <math.h>

void frame_begin(Frame *frame, double width, double height, uint32_t background)
{
    vec_clear(&frame->shapes);
    vec_clear(&frame->texts);
    vec_clear(&frame->curves);
    vec_clear(&frame->batches);
    vec_clear(&frame->held);
    frame->holds_texts = false;
    bytes_clear(&frame->text);
    assert(width >= 0 && height >= 0);
    frame->layer_shape = frame->layer_text = frame->layer_curve = 0;
    frame->clip = (Rect){ 0, 0, width, height };
    frame->list = (DrawList){ .width = (float)width, .height = (float)height, .background = background };
}

static uint32_t shape_count(const Frame *frame)
{
    return (uint32_t)vec_count(&frame->shapes);
}

static uint32_t text_count(const Frame *frame)
{
    return (uint32_t)vec_count(&frame->texts);
}

static uint32_t curve_count(const Frame *frame)
{
    return (uint32_t)vec_count(&frame->curves);
}

static void add_batch(Frame *frame, DrawBatchKind kind, uint32_t first, uint32_t end)
{
    assert(first <= end);
    if (first == end || frame->clip.w <= 0 || frame->clip.h <= 0) return;
    DrawBatch batch = { .kind = kind,
                        .first = first,
                        .count = end - first,
                        .clip_x = (float)frame->clip.x,
                        .clip_y = (float)frame->clip.y,
                        .clip_w = (float)frame->clip.w,
                        .clip_h = (float)frame->clip.h };
    if (kind == DRAW_TEXTS && frame->holds_texts)
        vec_push(&frame->held, batch);
    else
        vec_push(&frame->batches, batch);
}

void frame_layer(Frame *frame, Rect clip)
{
    add_batch(frame, DRAW_CURVES, frame->layer_curve, curve_count(frame));
    add_batch(frame, DRAW_SHAPES, frame->layer_shape, shape_count(frame));
    add_batch(frame, DRAW_TEXTS, frame->layer_text, text_count(frame));
    frame->layer_shape = shape_count(frame);
    frame->layer_text = text_count(frame);
    frame->layer_curve = curve_count(frame);
    frame->clip = clip;
}

void frame_hold_texts(Frame *frame)
{
    frame_layer(frame, frame->clip);
    frame->holds_texts = true;
}

void frame_put_texts(Frame *frame)
{
    frame_layer(frame, frame->clip);
    frame->holds_texts = false;
    for (size_t i = 0; i < vec_count(&frame->held); i++)
        vec_push(&frame->batches, frame->held.items[i]);
    vec_clear(&frame->held);
}

const DrawList *frame_end(Frame *frame)
{
    frame_layer(frame, frame->clip);
    if (frame->shapes.bytes.failed || frame->texts.bytes.failed || frame->curves.bytes.failed ||
        frame->batches.bytes.failed || frame->held.bytes.failed || frame->text.failed) {
        frame_release(frame);
        return NULL;
    }
    DrawList *list = &frame->list;
    assert(frame->text.size <= UINT32_MAX);
    list->shapes = frame->shapes.items;
    list->shape_count = shape_count(frame);
    list->texts = frame->texts.items;
    list->text_count = text_count(frame);
    list->curves = frame->curves.items;
    list->curve_count = curve_count(frame);
    list->batches = frame->batches.items;
    list->batch_count = (uint32_t)vec_count(&frame->batches);
    list->text = (char *)frame->text.data;
    list->text_bytes = (uint32_t)frame->text.size;
    return list;
}

void frame_release(Frame *frame)
{
    vec_release(&frame->shapes);
    vec_release(&frame->texts);
    vec_release(&frame->curves);
    vec_release(&frame->batches);
    vec_release(&frame->held);
    bytes_release(&frame->text);
}

/* True if a part is visible. Also keeps NaN out of the list. */
static bool is_in_clip(const Frame *frame, double x, double y, double w, double h)
{
    const Rect *clip = &frame->clip;
    return w > 0 && h > 0 && x < clip->x + clip->w && y < clip->y + clip->h && x + w > clip->x &&
           y + h > clip->y;
}

void frame_shape(Frame *frame, const DrawShape *shape)
{
    if (is_in_clip(frame, (double)shape->x, (double)shape->y, (double)shape->w, (double)shape->h))
        vec_push(&frame->shapes, *shape);
}

void frame_curve(Frame *frame, const DrawCurve *curve)
{
    double x0 = (double)curve->x0, x1 = (double)curve->x1, bend = (double)curve->bend;
    double half = (double)curve->width / 2 + 1;
    double left = fmin(x0, x1 - bend), right = fmax(x0 + bend, x1);
    double top = fmin((double)curve->y0, (double)curve->y1),
           bottom = fmax((double)curve->y0, (double)curve->y1);
    if (is_in_clip(frame, left - half, top - half, right - left + 2 * half, bottom - top + 2 * half))
        vec_push(&frame->curves, *curve);
}

void frame_rect(Frame *frame, double x, double y, double w, double h, uint32_t fill)
{
    if (!is_in_clip(frame, x, y, w, h) || (fill & 0xFF) == 0) return;
    const Rect *clip = &frame->clip;
    double      right = x + w, bottom = y + h;
    if (right > clip->x + clip->w) right = clip->x + clip->w;
    if (bottom > clip->y + clip->h) bottom = clip->y + clip->h;
    if (x < clip->x) x = clip->x;
    if (y < clip->y) y = clip->y;
    frame_shape(frame, &(DrawShape){ .x = (float)x,
                                     .y = (float)y,
                                     .w = (float)(right - x),
                                     .h = (float)(bottom - y),
                                     .fill = fill,
                                     .kind = DRAW_RECT });
}

void frame_box(Frame *frame, Rect box, const DrawShape *look)
{
    DrawShape shape = *look;
    shape.kind = DRAW_RECT;
    shape.x = (float)box.x;
    shape.y = (float)box.y;
    shape.w = (float)box.w;
    shape.h = (float)box.h;
    frame_shape(frame, &shape);
}

void frame_mark(Frame *frame, DrawShapeKind kind, Rect box, uint32_t fill, uint32_t edge, double edge_px)
{
    frame_shape(frame, &(DrawShape){ .x = (float)box.x,
                                     .y = (float)box.y,
                                     .w = (float)box.w,
                                     .h = (float)box.h,
                                     .fill = fill,
                                     .edge = edge,
                                     .edge_px = (float)edge_px,
                                     .kind = (uint16_t)kind });
}

/* Adds a text item: the bytes of frame->text from `offset` on. */
static void add_text(Frame *frame, const TextStyle *style, double x, double baseline, double max_w,
                     size_t offset)
{
    DrawText item = { .x = (float)x,
                      .baseline = (float)baseline,
                      .max_w = (float)max_w,
                      .size_px = (float)style->size_px,
                      .colour = style->colour,
                      .face = style->face,
                      .offset = (uint32_t)offset,
                      .length = (uint32_t)(frame->text.size - offset) };
    if (item.length > 0 && is_in_clip(frame, x, baseline - style->size_px, max_w, 1.5 * style->size_px))
        vec_push(&frame->texts, item);
}

void frame_text(Frame *frame, const TextStyle *style, double x, double baseline, double max_w,
                const char *text, size_t size)
{
    size_t offset = frame->text.size;
    bytes_append(&frame->text, text, size);
    add_text(frame, style, x, baseline, max_w, offset);
}

double frame_text_cut(Frame *frame, const TextStyle *style, double x, double baseline, double max_w,
                      const char *text, size_t size)
{
    if (max_w <= 0) return 0;
    double width = text_width(style->face, style->size_px, text, size);
    if (width <= max_w) {
        frame_text(frame, style, x, baseline, max_w, text, size);
        return width;
    }
    uint64_t units = (uint64_t)(max_w / style->size_px * TEXT_UNITS_PER_EM);
    uint64_t dots = text_advance(style->face, 0x2026);
    if (units < dots) return 0;
    size_t kept = text_prefix(style->face, text, size, units - dots);
    while (kept > 0 && text[kept - 1] == ' ')
        kept--;
    if (kept == 0) return 0;
    size_t offset = frame->text.size;
    bytes_append(&frame->text, text, kept);
    bytes_append_text(&frame->text, "\xE2\x80\xA6");
    add_text(frame, style, x, baseline, max_w, offset);
    return max_w;
}
