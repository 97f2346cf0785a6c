#include "paint/raster.h"

#include <math.h>

static const float MOST_PX = 1 << 20; /* whole numbers up to it are exact, also their sums */

static bool is_whole(float number)
{
    return fabsf(number) <= MOST_PX && number == (float)(int)number;
}

static int most_of(int a, int b)
{
    return a > b ? a : b;
}

static int least_of(int a, int b)
{
    return a < b ? a : b;
}

Raster raster_clipped(RasterImage image, const DrawBatch *batch)
{
    if (image.surface == NULL || !is_whole(batch->clip_x) || !is_whole(batch->clip_y) ||
        !is_whole(batch->clip_w) || !is_whole(batch->clip_h))
        return (Raster){ .image = { NULL, 0 } };
    const int x = (int)batch->clip_x, y = (int)batch->clip_y;
    const int end = image.first + cairo_image_surface_get_height(image.surface);
    return (Raster){ .image = image,
                     .left = most_of(x, 0),
                     .top = most_of(y, image.first),
                     .right = least_of(x + (int)batch->clip_w, cairo_image_surface_get_width(image.surface)),
                     .bottom = least_of(y + (int)batch->clip_h, end) };
}

/* Returns the upper 8 bits of a channel. Cairo rounds channels to 16 bits. */
static uint32_t channel_of(double value)
{
    return (uint32_t)(value * 65535 + 0.5) >> 8;
}

/* Returns a pixel with the channels of `rgba`, multiplied by its alpha. */
static uint32_t pixel_of(uint32_t rgba)
{
    if ((rgba & 0xFF) == 0xFF) return 0xFF000000 | rgba >> 8;
    const double alpha = (rgba & 0xFF) / 255.0;
    return channel_of(alpha) << 24 | channel_of((rgba >> 24) / 255.0 * alpha) << 16 |
           channel_of((rgba >> 16 & 0xFF) / 255.0 * alpha) << 8 |
           channel_of((rgba >> 8 & 0xFF) / 255.0 * alpha);
}

/* Multiplies two channels, of 8 bits in 16, by share / 255, rounded. */
static uint32_t scale_channels(uint32_t channels, uint32_t share)
{
    const uint32_t product = channels * share + 0x800080;
    return (product + (product >> 8 & 0xFF00FF)) >> 8 & 0xFF00FF;
}

/* Returns `pixel` over another one. */
static uint32_t pixel_over(uint32_t below, uint32_t pixel)
{
    const uint32_t share = 0xFF - (pixel >> 24);
    return pixel + scale_channels(below & 0xFF00FF, share) +
           (scale_channels(below >> 8 & 0xFF00FF, share) << 8);
}

static bool is_opaque(uint32_t pixel)
{
    return pixel >> 24 == 0xFF;
}

/* Puts `pixel` over each of `count` pixels. */
static void fill_row(uint32_t *row, int count, uint32_t pixel)
{
    for (int x = 0; x < count; x++)
        row[x] = is_opaque(pixel) ? pixel : pixel_over(row[x], pixel);
}

/* Puts `pixel` over `count` pixels below each other: most of them are alike. */
static void fill_column(uint8_t *at, ptrdiff_t stride, int count, uint32_t pixel)
{
    uint32_t before = *(uint32_t *)(void *)at, after = pixel_over(before, pixel);
    for (; is_opaque(pixel) && count > 0; count--, at += stride)
        *(uint32_t *)(void *)at = pixel;
    for (int y = 0; y < count; y++, at += stride) {
        uint32_t *own = (uint32_t *)(void *)at;
        if (*own != before) {
            before = *own;
            after = pixel_over(before, pixel);
        }
        *own = after;
    }
}

/* Takes the pixels of the image from Cairo. */
static void enter(Raster *raster)
{
    if (raster->pixels != NULL) return;
    cairo_surface_flush(raster->image.surface);
    raster->pixels = cairo_image_surface_get_data(raster->image.surface);
    raster->stride = cairo_image_surface_get_stride(raster->image.surface);
}

void raster_leave(Raster *raster)
{
    if (raster->pixels == NULL) return;
    cairo_surface_mark_dirty(raster->image.surface);
    raster->pixels = NULL;
}

/* True if a shape is a rectangle of whole pixels. */
static bool is_plain(const Raster *raster, const DrawShape *shape)
{
    return raster->image.surface != NULL && shape->kind == DRAW_RECT && !(shape->radius > 0) &&
           (shape->style & DRAW_FADE_RIGHT) == 0 && is_whole(shape->x) && is_whole(shape->y) &&
           is_whole(shape->w) && is_whole(shape->h);
}

/* Puts `pixel` over a rectangle of the picture. */
static void fill(Raster *raster, int x, int y, int width, int height, uint32_t pixel)
{
    const int left = most_of(x, raster->left), right = least_of(x + width, raster->right);
    const int top = most_of(y, raster->top), bottom = least_of(y + height, raster->bottom);
    if (left >= right || top >= bottom) return;
    enter(raster);
    const ptrdiff_t stride = raster->stride;
    uint8_t *row = raster->pixels + (top - raster->image.first) * stride + left * (ptrdiff_t)sizeof pixel;
    /* Cairo aligns its rows */
    if (right - left == 1) {
        fill_column(row, stride, bottom - top, pixel);
    } else {
        for (int at = top; at < bottom; at++, row += stride)
            fill_row((uint32_t *)(void *)row, right - left, pixel);
    }
}

bool raster_fill(Raster *raster, const DrawShape *shape)
{
    if (!is_plain(raster, shape)) return false;
    fill(raster, (int)shape->x, (int)shape->y, (int)shape->w, (int)shape->h, pixel_of(shape->fill));
    return true;
}

bool raster_edge(Raster *raster, const DrawShape *shape)
{
    if (!is_plain(raster, shape) || !is_whole(shape->edge_px)) return false;
    const int x = (int)shape->x, y = (int)shape->y, w = (int)shape->w, h = (int)shape->h;
    const int edge = (int)shape->edge_px;
    if (w <= edge || h <= edge) return true; /* there is no room for it */
    const uint32_t pixel = pixel_of(shape->edge);
    if (w < 2 * edge || h < 2 * edge) { /* opposite edges touch */
        fill(raster, x, y, w, h, pixel);
        return true;
    }
    fill(raster, x, y, w, edge, pixel);
    fill(raster, x, y + edge, edge, h - 2 * edge, pixel);
    fill(raster, x + w - edge, y + edge, edge, h - 2 * edge, pixel);
    fill(raster, x, y + h - edge, w, edge, pixel);
    return true;
}
