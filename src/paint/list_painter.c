#include "paint/list_painter.h"

#include "paint/shapes.h"
#include "view/text.h"

/* Groups of shapes outside the painted rows are skipped. */
enum { GROUP_SHAPES = 256 };

/* The reach of glyphs above and below their baseline, in ems: of the fonts of the program, and of those of the system. */
static const float REACH = 2, SYSTEM_REACH = 4;

/* The rows that are painted, and their image. Without an image the whole list is painted. */
typedef struct Canvas {
    const ListPainter *painter;
    cairo_t           *cr;
    RasterImage        image;
    RowSpan            rows;
} Canvas;

static bool is_outside(const Canvas *canvas, float top, float bottom)
{
    return canvas->image.surface != NULL && (bottom <= canvas->rows.top || top >= canvas->rows.bottom);
}

/* -- texts -- */

static void paint_run(const Canvas *canvas, const GlyphRun *run, float size_px)
{
    const cairo_glyph_t *glyphs = canvas->painter->glyphs.glyphs.items + run->first;
    const float baseline = (float)glyphs->y, reach = (run->is_fallback ? SYSTEM_REACH : REACH) * size_px;
    if (is_outside(canvas, baseline - reach, baseline + reach)) return;
    cairo_set_font_face(canvas->cr, run->face);
    cairo_set_font_size(canvas->cr, (double)size_px);
    if (canvas->image.surface != NULL && !run->is_fallback) {
        cairo_glyph_path(canvas->cr, glyphs, (int)run->count);
        cairo_fill(canvas->cr);
    } else { /* the glyphs are moved to whole pixels */
        cairo_show_glyphs(canvas->cr, glyphs, (int)run->count);
    }
}

static void paint_text(const Canvas *canvas, uint32_t index)
{
    const ListPainter *painter = canvas->painter;
    const DrawText    *text = &painter->list->texts[index];
    const uint32_t    *by_text = painter->glyphs.by_text.items;
    const char        *bytes = painter->list->text + text->offset;
    cairo_t           *cr = canvas->cr;
    if (is_outside(canvas, text->baseline - SYSTEM_REACH * text->size_px,
                   text->baseline + SYSTEM_REACH * text->size_px))
        return;
    cairo_save(cr);
    paint_set_colour(cr, text->colour);
    if (text_width((FontFace)text->face, (double)text->size_px, bytes, text->length) > (double)text->max_w) {
        cairo_rectangle(cr, (double)text->x, 0, (double)text->max_w, (double)painter->list->height);
        cairo_clip(cr);
    }
    for (uint32_t i = by_text[index]; i < by_text[index + 1]; i++)
        paint_run(canvas, &painter->glyphs.runs.items[i], text->size_px);
    cairo_restore(cr);
}

/* -- shapes and curves -- */

static void paint_curves(const Canvas *canvas, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        const DrawCurve *curve = &canvas->painter->list->curves[i];
        const float      top = curve->y0 < curve->y1 ? curve->y0 : curve->y1;
        const float      bottom = curve->y0 < curve->y1 ? curve->y1 : curve->y0;
        if (!is_outside(canvas, top - curve->width - 1, bottom + curve->width + 1))
            paint_curve(canvas->cr, curve);
    }
}

static void paint_shapes(const Canvas *canvas, Raster *raster, uint32_t first, uint32_t end)
{
    const ListPainter *painter = canvas->painter;
    for (uint32_t i = first; i < end; i++) {
        const RowSpan group = painter->groups.items[i / GROUP_SHAPES];
        if (is_outside(canvas, group.top, group.bottom)) {
            i |= GROUP_SHAPES - 1; /* the last shape of the group */
            continue;
        }
        const DrawShape *shape = &painter->list->shapes[i];
        if (!is_outside(canvas, shape->y - 1, shape->y + shape->h + 1))
            paint_shape(canvas->cr, raster, shape);
    }
    raster_leave(raster);
}

/* Finds the rows of each group of shapes. False when out of memory. */
static bool find_groups(ListPainter *painter)
{
    const DrawList *list = painter->list;
    for (uint32_t i = 0; i < list->shape_count; i++) {
        const float top = list->shapes[i].y - 1, bottom = list->shapes[i].y + list->shapes[i].h + 1;
        if (i % GROUP_SHAPES == 0) vec_push(&painter->groups, (RowSpan){ top, bottom });
        if (painter->groups.bytes.failed) return false;
        RowSpan *group = vec_last(&painter->groups);
        if (top < group->top) group->top = top;
        if (bottom > group->bottom) group->bottom = bottom;
    }
    return true;
}

/* -- the list -- */

static void paint_batch(const Canvas *canvas, const DrawBatch *batch)
{
    const uint32_t end = batch->first + batch->count;
    Raster         raster = raster_clipped(canvas->image, batch);
    if (is_outside(canvas, batch->clip_y, batch->clip_y + batch->clip_h)) return;
    cairo_save(canvas->cr);
    cairo_rectangle(canvas->cr, (double)batch->clip_x, (double)batch->clip_y, (double)batch->clip_w,
                    (double)batch->clip_h);
    cairo_clip(canvas->cr);
    switch ((DrawBatchKind)batch->kind) {
    case DRAW_SHAPES:
        paint_shapes(canvas, &raster, batch->first, end);
        break;
    case DRAW_CURVES:
        paint_curves(canvas, batch->first, end);
        break;
    case DRAW_TEXTS:
        for (uint32_t i = batch->first; i < end; i++)
            paint_text(canvas, i);
        break;
    }
    cairo_restore(canvas->cr);
}

static void paint(const Canvas *canvas)
{
    const DrawList       *list = canvas->painter->list;
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(canvas->cr, options);
    cairo_font_options_destroy(options);
    paint_set_colour(canvas->cr, list->background);
    cairo_paint(canvas->cr);
    for (uint32_t b = 0; b < list->batch_count; b++)
        paint_batch(canvas, &list->batches[b]);
}

void list_paint(const ListPainter *painter, cairo_t *cr)
{
    paint(&(Canvas){ .painter = painter, .cr = cr });
}

void list_paint_rows(const ListPainter *painter, cairo_t *cr, RasterImage image)
{
    const int height = cairo_image_surface_get_height(image.surface);
    cairo_translate(cr, 0, -image.first);
    paint(&(Canvas){ .painter = painter,
                     .cr = cr,
                     .image = image,
                     .rows = { (float)image.first, (float)(image.first + height) } });
}

bool list_painter_open(ListPainter *painter, const DrawList *list, const PaintFonts *files, unsigned threads,
                       Err *err)
{
    *painter = (ListPainter){ .list = list, .fonts = font_set_create(files, threads, err) };
    return painter->fonts != NULL && glyphs_place(&painter->glyphs, painter->fonts, list, err) &&
           (find_groups(painter) || err_set(err, ERR_MEMORY, "out of memory for the picture"));
}

void list_painter_close(ListPainter *painter)
{
    glyphs_release(&painter->glyphs);
    vec_release(&painter->groups);
    if (painter->fonts != NULL) font_set_destroy(painter->fonts);
}
