/* The plan of a frame paints the same pixels as its shapes, with fewer quads. */
#include "view/paint_plan.h"

#include "support/test.h"

#include <string.h>

enum { CANVAS_W = 320, CANVAS_H = 200 };

typedef struct Canvas {
    uint32_t pixels[CANVAS_H][CANVAS_W];
} Canvas;

static uint32_t below(TestRandom *random, uint32_t bound)
{
    return (uint32_t)test_random_below(random, bound);
}

/* Paints the pixels whose centres are in the box. The result shows the order: an opaque colour replaces the pixel, others
 * mix with it. */
static void paint_box(Canvas *canvas, float x, float y, float w, float h, uint32_t fill)
{
    for (int row = 0; row < CANVAS_H; row++) {
        if ((float)row + 0.5F < y || (float)row + 0.5F >= y + h) continue;
        for (int column = 0; column < CANVAS_W; column++) {
            if ((float)column + 0.5F < x || (float)column + 0.5F >= x + w) continue;
            uint32_t *pixel = &canvas->pixels[row][column];
            *pixel = (fill & 255) == 255 ? fill : *pixel * 31 + fill;
        }
    }
}

static void paint_shape(Canvas *canvas, const DrawShape *shape)
{
    paint_box(canvas, shape->x, shape->y, shape->w, shape->h, shape->fill);
    if ((shape->edge & 255) != 0) paint_box(canvas, shape->x, shape->y, 1, shape->h, shape->edge);
}

static void paint_strip(Canvas *canvas, const PaintList *list, const PaintStrip *strip)
{
    CHECK(strip->v < (float)list->texel_rows && strip->u + strip->w <= (float)PAINT_TEXEL_COLUMNS);
    CHECK(strip->step == 0 || strip->v + strip->h <= (float)list->texel_rows);
    for (int row = 0; row < CANVAS_H; row++) {
        const float centre = (float)row + 0.5F;
        if (centre < strip->y || centre >= strip->y + strip->h) continue;
        const uint32_t  v = (uint32_t)strip->v + (strip->step != 0 ? (uint32_t)(row - (int)strip->y) : 0);
        const uint32_t *texels = list->texels + (size_t)v * PAINT_TEXEL_COLUMNS + (uint32_t)strip->u;
        for (uint32_t column = 0; column < (uint32_t)strip->w; column++) {
            if (texels[column] != 0)
                paint_box(canvas, strip->x + (float)column, (float)row, 1, 1, texels[column]);
        }
    }
}

static void paint_run(Canvas *canvas, const DrawList *frame, const PaintList *list, const PaintRun *run)
{
    for (uint32_t i = run->first; i < run->first + run->count; i++) {
        if (run->kind == PAINT_GROUND) {
            paint_shape(canvas, &frame->shapes[i]);
        } else if (run->kind == PAINT_STRIPS) {
            paint_strip(canvas, list, &list->strip_corners[4 * (size_t)i]);
        } else {
            const DrawShape *corners = &list->corners[4 * (size_t)i];
            for (int corner = 1; corner < 4; corner++)
                CHECK(memcmp(&corners[corner], &corners[0], sizeof *corners) == 0);
            paint_shape(canvas, corners);
        }
    }
}

/* Checks that the plan paints the pixels of the frame's shapes. */
static const PaintList *check_plan(PaintPlan *plan, const DrawList *frame)
{
    static Canvas    expected, painted;
    const PaintList *list = paint_plan_make(plan, frame);
    CHECK(list != NULL);
    memset(&expected, 0, sizeof expected);
    memset(&painted, 0, sizeof painted);
    for (uint32_t i = 0; i < frame->batch_count; i++) {
        const DrawBatch *batch = &frame->batches[i];
        for (uint32_t k = batch->first; batch->kind == DRAW_SHAPES && k < batch->first + batch->count; k++)
            paint_shape(&expected, &frame->shapes[k]);
    }
    uint32_t batch = 0;
    for (uint32_t i = 0; i < list->run_count; i++) {
        CHECK(list->runs[i].batch >= batch && list->runs[i].count > 0);
        batch = list->runs[i].batch;
        paint_run(&painted, frame, list, &list->runs[i]);
    }
    CHECK(memcmp(&expected, &painted, sizeof expected) == 0);
    return list;
}

static DrawList frame_of(DrawShape *shapes, uint32_t count, DrawBatch *batch)
{
    *batch = (DrawBatch){ .kind = DRAW_SHAPES, .count = count };
    return (DrawList){ .shapes = shapes, .shape_count = count, .batches = batch, .batch_count = 1 };
}

TEST(rows_of_narrow_rectangles_are_painted_at_once)
{
    enum { ROWS = 10, COLUMNS = 300 };
    static DrawShape shapes[ROWS * COLUMNS];
    DrawBatch        batch;
    PaintPlan        plan = { .texel_rows = 0 };
    for (uint32_t i = 0; i < ROWS * COLUMNS; i++)
        shapes[i] = (DrawShape){ .x = (float)(i % COLUMNS),
                                 .y = (float)(i / COLUMNS) * 20.25F,
                                 .w = 1,
                                 .h = 17.5F,
                                 .fill = i << 8 | 255 };
    const DrawList   frame = frame_of(shapes, ROWS * COLUMNS, &batch);
    const PaintList *list = check_plan(&plan, &frame);
    CHECK_UINT(list->run_count, 1);
    CHECK_UINT(list->strip_count, ROWS);
    CHECK_UINT(list->quad_count, 0);
    CHECK_UINT(list->texel_rows, 2); /* 2048 columns have room for six rows */
    paint_plan_release(&plan);
}

TEST(small_rectangles_close_together_are_one_strip)
{
    enum { COUNT = 2000 };
    static DrawShape shapes[COUNT];
    DrawBatch        batch;
    PaintPlan        plan = { .texel_rows = 0 };
    TestRandom       random = { 1 };
    for (uint32_t i = 0; i < COUNT; i++) {
        shapes[i] = (DrawShape){ .x = (float)below(&random, 300),
                                 .y = (float)below(&random, 90),
                                 .w = (float)(1 + below(&random, 9)),
                                 .h = 2,
                                 .fill = i << 8 | 255 };
    }
    DrawList frame = frame_of(shapes, COUNT, &batch);
    CHECK_UINT(check_plan(&plan, &frame)->strip_count, 1);
    shapes[COUNT / 2].fill ^= 1; /* not opaque */
    const PaintList *list = check_plan(&plan, &frame);
    CHECK_UINT(list->strip_count, 0);
    CHECK_UINT(list->quad_count, COUNT);
    paint_plan_release(&plan);
}

TEST(shapes_that_alternate_with_rectangles_are_one_run)
{
    enum { COUNT = 100 };
    static DrawShape shapes[COUNT];
    DrawBatch        batch;
    PaintPlan        plan = { .texel_rows = 0 };
    for (uint32_t i = 0; i < COUNT; i++)
        shapes[i] = (DrawShape){ .x = (float)i * 2.5F,
                                 .y = 3,
                                 .w = 2,
                                 .h = 9,
                                 .fill = 0x102030FF,
                                 .kind = i % 2 == 0 ? DRAW_RECT : DRAW_DIAMOND };
    const DrawList   frame = frame_of(shapes, COUNT, &batch);
    const PaintList *list = check_plan(&plan, &frame);
    CHECK_UINT(list->run_count, 1);
    CHECK_UINT(list->runs[0].kind, PAINT_SHAPES);
    paint_plan_release(&plan);
}

/* Appends random shapes of one sort. */
static uint32_t add_shapes(TestRandom *random, DrawShape *shapes)
{
    const uint32_t sort = below(random, 6), count = sort < 2 ? 1 + below(random, 3) : below(random, 80);
    const float    y = (float)below(random, 150), part = (float)below(random, 4) / 4;
    uint32_t       right = below(random, 40);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t opaque = below(random, 12) == 0 ? 128 : 255;
        DrawShape     *shape = &shapes[i];
        *shape = (DrawShape){
            .x = (float)right, .y = y, .w = 1, .h = 12, .fill = (uint32_t)test_random(random) << 8 | opaque
        };
        right += 1 + below(random, 3);
        if (sort == 0) shape->w = 150; /* a ground */
        if (sort == 0) shape->h = 40;
        if (sort == 1) shape->kind = DRAW_DIAMOND;
        if (sort == 2) shape->y += part;                    /* a strip */
        if (sort == 3) shape->y += (float)below(random, 9); /* a block */
        if (sort == 4) shape->x += part;
        if (sort == 5) shape->edge = below(random, 3) * 255;
    }
    return count;
}

TEST(random_shapes_are_painted_in_their_order)
{
    enum { BATCHES = 3, SORTS = 8 };
    static DrawShape shapes[BATCHES * SORTS * 80];
    PaintPlan        plan = { .texel_rows = 0 };
    uint32_t         strips = 0, quads = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        TestRandom random = { seed };
        DrawBatch  batches[BATCHES + 1] = { { .kind = DRAW_TEXTS, .count = 7 } };
        DrawList   frame = { .shapes = shapes, .batches = batches, .batch_count = BATCHES + 1 };
        for (uint32_t i = 1; i <= BATCHES; i++) {
            batches[i] = (DrawBatch){ .kind = DRAW_SHAPES, .first = frame.shape_count };
            for (uint32_t sort = 0; sort < SORTS; sort++)
                frame.shape_count += add_shapes(&random, shapes + frame.shape_count);
            batches[i].count = frame.shape_count - batches[i].first;
        }
        const PaintList *list = check_plan(&plan, &frame);
        strips += list->strip_count;
        quads += list->quad_count;
    }
    CHECK(strips > 300 && quads > 3000);
    paint_plan_release(&plan);
}

TEST_MAIN("view/paint_plan", TEST_CASE(rows_of_narrow_rectangles_are_painted_at_once),
          TEST_CASE(small_rectangles_close_together_are_one_strip),
          TEST_CASE(shapes_that_alternate_with_rectangles_are_one_run),
          TEST_CASE(random_shapes_are_painted_in_their_order))
