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

Raster raster_clipped(cairo_surface_t *image, const DrawBatch *batch)
{
    if (image == NULL || !is_whole(batch->clip_x) || !is_whole(batch->clip_y) || !is_whole(batch->clip_w) ||
        !is_whole(batch->clip_h))
        return (Raster){ .image = NULL };
    const int x = (int)batch->clip_x, y = (int)batch->clip_y;
    return (Raster){ .image = image,
                     .left = most_of(x, 0),
                     .top = most_of(y, 0),
                     .right = least_of(x + (int)batch->clip_w, cairo_image_surface_get_width(image)),
                     .bottom = least_of(y + (int)batch->clip_h, cairo_image_surface_get_height(image)) };
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
    cairo_surface_flush(raster->image);
    raster->pixels = cairo_image_surface_get_data(raster->image);
    raster->stride = cairo_image_surface_get_stride(raster->image);
}

void raster_leave(Raster *raster)
{
    if (raster->pixels == NULL) return;
    cairo_surface_mark_dirty(raster->image);
    raster->pixels = NULL;
}

bool raster_fill(Raster *raster, const DrawShape *shape)
{
    if (raster->image == NULL || shape->kind != DRAW_RECT || shape->radius > 0 ||
        (shape->style & DRAW_FADE_RIGHT) || !is_whole(shape->x) || !is_whole(shape->y) ||
        !is_whole(shape->w) || !is_whole(shape->h))
        return false;
    const int x = (int)shape->x, y = (int)shape->y;
    const int left = most_of(x, raster->left), right = least_of(x + (int)shape->w, raster->right);
    const int top = most_of(y, raster->top), bottom = least_of(y + (int)shape->h, raster->bottom);
    if (left >= right || top >= bottom) return true;
    enter(raster);
    const ptrdiff_t stride = raster->stride;
    uint8_t        *row = raster->pixels + top * stride + left * (ptrdiff_t)sizeof(uint32_t);
    const uint32_t  pixel = pixel_of(shape->fill);
    /* Cairo aligns its rows */
    if (right - left == 1) {
        fill_column(row, stride, bottom - top, pixel);
    } else {
        for (int at = top; at < bottom; at++, row += stride)
            fill_row((uint32_t *)(void *)row, right - left, pixel);
    }
    return true;
}
