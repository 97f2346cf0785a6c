#include "paint/shapes.h"

static const double FADE_PX = 12, HATCH_PX = 4;
static const double QUARTER = 1.5707963267948966;

static void set_colour(cairo_t *cr, uint32_t rgba)
{
    cairo_set_source_rgba(cr, (rgba >> 24) / 255.0, (rgba >> 16 & 0xFF) / 255.0, (rgba >> 8 & 0xFF) / 255.0,
                          (rgba & 0xFF) / 255.0);
}

void paint_set_colour(cairo_t *cr, uint32_t rgba)
{
    set_colour(cr, rgba);
}

static void rounded_path(cairo_t *cr, double x, double y, double w, double h, double radius)
{
    double most = (w < h ? w : h) / 2;
    if (radius > most) radius = most;
    if (radius <= 0) {
        cairo_rectangle(cr, x, y, w, h);
        return;
    }
    cairo_new_sub_path(cr);
    cairo_arc(cr, x + w - radius, y + radius, radius, -QUARTER, 0);
    cairo_arc(cr, x + w - radius, y + h - radius, radius, 0, QUARTER);
    cairo_arc(cr, x + radius, y + h - radius, radius, QUARTER, 2 * QUARTER);
    cairo_arc(cr, x + radius, y + radius, radius, 2 * QUARTER, 3 * QUARTER);
    cairo_close_path(cr);
}

/* Sets the path to the shape's outline, `inset` pixels inside it. */
static void outline_path(cairo_t *cr, const DrawShape *shape, double inset)
{
    double x = (double)shape->x + inset, y = (double)shape->y + inset;
    double w = (double)shape->w - 2 * inset, h = (double)shape->h - 2 * inset;
    if (w <= 0 || h <= 0) return;
    switch ((DrawShapeKind)shape->kind) {
    case DRAW_RECT:
        rounded_path(cr, x, y, w, h, (double)shape->radius - inset);
        return;
    case DRAW_DIAMOND:
        cairo_move_to(cr, x + w / 2, y);
        cairo_line_to(cr, x + w, y + h / 2);
        cairo_line_to(cr, x + w / 2, y + h);
        cairo_line_to(cr, x, y + h / 2);
        break;
    case DRAW_TRIANGLE_DOWN:
        cairo_move_to(cr, x, y);
        cairo_line_to(cr, x + w, y);
        cairo_line_to(cr, x + w / 2, y + h);
        break;
    case DRAW_TRIANGLE_RIGHT:
        cairo_move_to(cr, x, y);
        cairo_line_to(cr, x + w, y + h / 2);
        cairo_line_to(cr, x, y + h);
        break;
    }
    cairo_close_path(cr);
}

/* Sets the colour; with DRAW_FADE_RIGHT as a gradient that fades out to the right. */
static void set_source(cairo_t *cr, const DrawShape *shape, uint32_t rgba)
{
    if ((shape->style & DRAW_FADE_RIGHT) == 0) {
        set_colour(cr, rgba);
        return;
    }
    double right = (double)shape->x + (double)shape->w, fade = (double)shape->w / 2;
    if (fade > FADE_PX) fade = FADE_PX;
    double r = (rgba >> 24) / 255.0, g = (rgba >> 16 & 0xFF) / 255.0, b = (rgba >> 8 & 0xFF) / 255.0;
    cairo_pattern_t *pattern = cairo_pattern_create_linear(right - fade, 0, right, 0);
    cairo_pattern_add_color_stop_rgba(pattern, 0, r, g, b, (rgba & 0xFF) / 255.0);
    cairo_pattern_add_color_stop_rgba(pattern, 1, r, g, b, 0);
    cairo_set_source(cr, pattern);
    cairo_pattern_destroy(pattern);
}

/* Paints diagonal stripes in the top right corner, darker than the fill. */
static void paint_hatch(cairo_t *cr, const DrawShape *shape)
{
    double x1 = (double)shape->x + (double)shape->w, y0 = (double)shape->y;
    double reach = (double)(shape->w < shape->h ? shape->w : shape->h);
    cairo_save(cr);
    cairo_move_to(cr, x1 - reach, y0);
    cairo_line_to(cr, x1, y0);
    cairo_line_to(cr, x1, y0 + reach);
    cairo_close_path(cr);
    cairo_clip(cr);
    cairo_set_source_rgba(cr, 0, 0, 0, 0.55);
    cairo_set_line_width(cr, HATCH_PX / 2 * 0.7);
    for (double at = -reach; at < reach; at += HATCH_PX) {
        cairo_move_to(cr, x1 - reach + at, y0);
        cairo_line_to(cr, x1 + at, y0 + reach);
    }
    cairo_stroke(cr);
    cairo_restore(cr);
}

void paint_curve(cairo_t *cr, const DrawCurve *curve)
{
    double x0 = (double)curve->x0, y0 = (double)curve->y0, x1 = (double)curve->x1, y1 = (double)curve->y1;
    double bend = (double)curve->bend;
    set_colour(cr, curve->colour);
    cairo_set_line_width(cr, (double)curve->width);
    cairo_move_to(cr, x0, y0);
    cairo_curve_to(cr, x0 + bend, y0, x1 - bend, y1, x1, y1);
    cairo_stroke(cr);
}

void paint_shape(cairo_t *cr, Raster *raster, const DrawShape *shape)
{
    if ((shape->fill & 0xFF) != 0) {
        if (!raster_fill(raster, shape)) {
            raster_leave(raster);
            outline_path(cr, shape, 0);
            set_source(cr, shape, shape->fill);
            cairo_fill(cr);
        }
        if (shape->style & DRAW_HATCH) {
            raster_leave(raster);
            paint_hatch(cr, shape);
        }
    }
    if ((shape->edge & 0xFF) != 0 && shape->edge_px > 0 && !raster_edge(raster, shape)) {
        raster_leave(raster);
        outline_path(cr, shape, (double)shape->edge_px / 2);
        set_source(cr, shape, shape->edge);
        cairo_set_line_width(cr, (double)shape->edge_px);
        cairo_stroke(cr);
    }
}
