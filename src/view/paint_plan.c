#include "view/paint_plan.h"

#include <assert.h>
#include <math.h>

/* If shapes and rectangles alternate more often, the calls cost more than they save. */
enum { MOST_CHANGES = 16 };
/* A rectangle of at least this number of pixels can be a ground. */
static const float GROUND_PX = 4000;
/* At least this number of rectangles become a strip, or a run of their own. */
enum { MANY = 32 };
/* The limits on the height of a strip whose pixels have their own colours, and on the pixels for each of its rectangles. */
enum { MOST_STRIP_ROWS = 128, MOST_RECT_PX = 64 };

/* ---- kinds of shapes ---- */

static bool is_whole(float length)
{
    return length == floorf(length);
}

static bool is_opaque(const DrawShape *shape)
{
    return (shape->fill & 255) == 255;
}

/* True if a shape is a rectangle of one colour without a border, whose sides are on whole columns of pixels. */
static bool is_on_columns(const DrawShape *shape)
{
    return shape->kind == DRAW_RECT && shape->style == 0 && (shape->edge & 255) == 0 && shape->radius == 0 &&
           is_whole(shape->x) && is_whole(shape->w);
}

static bool is_bare(const DrawShape *shape)
{
    return is_on_columns(shape) && is_whole(shape->y) && is_whole(shape->h);
}

static PaintKind kind_of(const DrawShape *shape)
{
    if (shape->kind != DRAW_RECT || (shape->style & DRAW_HATCH) != 0) return PAINT_SHAPES;
    const bool is_ground = is_opaque(shape) && shape->w * shape->h >= GROUND_PX && is_bare(shape);
    return is_ground ? PAINT_GROUND : PAINT_RECTS;
}

/* Returns the number of rectangles on whole columns at the start, with the same top and height, from left to right. */
static uint32_t strip_length(const DrawShape *shapes, uint32_t count)
{
    float    right = shapes->x;
    uint32_t i = 0;
    for (; i < count; i++) {
        const DrawShape *shape = &shapes[i];
        if (shape->y != shapes->y || shape->h != shapes->h || shape->x < right || !is_on_columns(shape))
            break;
        right = shape->x + shape->w;
        if (right - shapes->x > (float)PAINT_TEXEL_COLUMNS) break;
    }
    return i;
}

/* Returns the number of bare rectangles at the start, before the first ground and before a row that is a strip. */
static uint32_t bare_length(const DrawShape *shapes, uint32_t count)
{
    uint32_t i = 0;
    for (; i < count; i++) {
        const DrawShape *shape = &shapes[i];
        if (!is_bare(shape) || kind_of(shape) != PAINT_RECTS) break;
        const bool is_new_row = i > 0 && (shape->y != shape[-1].y || shape->h != shape[-1].h);
        if (is_new_row && strip_length(shape, count - i) >= MANY) break;
    }
    return i;
}

/* ---- runs ---- */

/* Appends items to the runs. Returns true if they begin a run, because those before are of another kind. */
static bool add_run(PaintPlan *plan, PaintRun run)
{
    PaintRun *last = vec_count(&plan->runs) > 0 ? vec_last(&plan->runs) : NULL;
    if (last != NULL && last->kind == run.kind && last->batch == run.batch && run.kind != PAINT_GROUND) {
        assert(last->first + last->count == run.first);
        last->count += run.count;
        return false;
    }
    vec_push(&plan->runs, run);
    return true;
}

static bool add_quads(PaintPlan *plan, PaintKind kind, uint32_t batch, const DrawShape *shapes,
                      uint32_t count)
{
    const uint32_t first = (uint32_t)vec_count(&plan->corners) / 4;
    DrawShape     *corners = vec_reserve(&plan->corners, 4 * (size_t)count);
    if (corners == NULL) return false;
    for (uint32_t i = 0; i < count; i++, corners += 4)
        corners[0] = corners[1] = corners[2] = corners[3] = shapes[i];
    vec_grow(&plan->corners, 4 * (size_t)count);
    return add_run(plan, (PaintRun){ kind, batch, first, count });
}

/* Appends a strip and returns its texels, empty; NULL when out of memory. `box`: its sides. `rows`: of texels. */
static uint32_t *add_strip(PaintPlan *plan, uint32_t batch, const DrawShape *box, uint32_t rows)
{
    const uint32_t first = (uint32_t)vec_count(&plan->strip_corners) / 4, w = (uint32_t)box->w;
    PaintStrip    *corners = vec_reserve(&plan->strip_corners, 4);
    assert(w <= PAINT_TEXEL_COLUMNS);
    if (rows > 1 || w > PAINT_TEXEL_COLUMNS - plan->texel_column) {
        if (!vec_extend(&plan->texels.bytes, sizeof(uint32_t) * PAINT_TEXEL_COLUMNS * rows)) return NULL;
        plan->texel_rows += rows;
        plan->texel_column = 0;
    }
    if (corners == NULL) return NULL;
    const uint32_t u = plan->texel_column, v = plan->texel_rows - rows;
    corners[0] = (PaintStrip){ box->x, box->y, box->w, box->h, (float)u, (float)v, rows > 1 ? 1 : 0 };
    corners[1] = corners[2] = corners[3] = corners[0];
    vec_grow(&plan->strip_corners, 4);
    plan->texel_column = rows > 1 ? PAINT_TEXEL_COLUMNS : u + w;
    add_run(plan, (PaintRun){ PAINT_STRIPS, batch, first, 1 });
    return plan->texels.items + (size_t)v * PAINT_TEXEL_COLUMNS + u;
}

static void add_row(PaintPlan *plan, uint32_t batch, const DrawShape *shapes, uint32_t count)
{
    DrawShape box = shapes[0];
    box.w = shapes[count - 1].x + shapes[count - 1].w - box.x;
    uint32_t *const texels = add_strip(plan, batch, &box, 1);
    for (uint32_t i = 0; texels != NULL && i < count; i++) {
        const uint32_t left = (uint32_t)(shapes[i].x - box.x), right = left + (uint32_t)shapes[i].w;
        for (uint32_t column = left; column < right; column++)
            texels[column] = shapes[i].fill;
    }
}

/* Finds the bounding box of bare rectangles. False: they are not opaque, or not close enough together for a strip. */
static bool find_box(const DrawShape *shapes, uint32_t count, DrawShape *box)
{
    float left = INFINITY, top = INFINITY, right = -INFINITY, bottom = -INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        const DrawShape *shape = &shapes[i];
        if (!is_opaque(shape)) return false;
        left = fminf(left, shape->x);
        top = fminf(top, shape->y);
        right = fmaxf(right, shape->x + shape->w);
        bottom = fmaxf(bottom, shape->y + shape->h);
    }
    *box = (DrawShape){ .x = left, .y = top, .w = right - left, .h = bottom - top };
    return box->w <= (float)PAINT_TEXEL_COLUMNS && box->h <= (float)MOST_STRIP_ROWS &&
           box->w * box->h <= (float)MOST_RECT_PX * (float)count;
}

static void add_block(PaintPlan *plan, uint32_t batch, const DrawShape *shapes, uint32_t count)
{
    DrawShape box;
    if (!find_box(shapes, count, &box)) {
        add_quads(plan, PAINT_BARE, batch, shapes, count);
        return;
    }
    uint32_t *const texels = add_strip(plan, batch, &box, (uint32_t)box.h);
    for (uint32_t i = 0; texels != NULL && i < count; i++) {
        const uint32_t left = (uint32_t)(shapes[i].x - box.x), right = left + (uint32_t)shapes[i].w;
        const uint32_t top = (uint32_t)(shapes[i].y - box.y), bottom = top + (uint32_t)shapes[i].h;
        for (uint32_t row = top; row < bottom; row++) {
            for (uint32_t column = left; column < right; column++)
                texels[(size_t)row * PAINT_TEXEL_COLUMNS + column] = shapes[i].fill;
        }
    }
}

/* Makes the runs of rectangles between other shapes, from run `first` on, runs of shapes. */
static void join_quads(PaintPlan *plan, size_t first)
{
    const size_t end = vec_count(&plan->runs);
    size_t       kept = first;
    for (size_t i = first; i < end; i++) {
        PaintRun run = plan->runs.items[i];
        if (run.kind == PAINT_RECTS) run.kind = PAINT_SHAPES;
        PaintRun *last = kept > first ? &plan->runs.items[kept - 1] : NULL;
        if (last != NULL && run.kind == PAINT_SHAPES && last->kind == PAINT_SHAPES)
            last->count += run.count;
        else
            plan->runs.items[kept++] = run;
    }
    vec_cut(&plan->runs, kept);
}

/* Adds the next shapes of a batch in one way. Returns their number; counts a new run of PAINT_SHAPES in *changes. */
static uint32_t plan_next(PaintPlan *plan, uint32_t batch, uint32_t first, const DrawShape *shapes,
                          uint32_t count, uint32_t *changes)
{
    const uint32_t strip = strip_length(shapes, count);
    if (strip >= MANY) {
        add_row(plan, batch, shapes, strip);
        return strip;
    }
    const uint32_t bare = bare_length(shapes, count);
    if (bare >= MANY) {
        add_block(plan, batch, shapes, bare);
        return bare;
    }
    const PaintKind kind = kind_of(shapes);
    if (kind == PAINT_GROUND) {
        add_run(plan, (PaintRun){ PAINT_GROUND, batch, first, 1 });
        return 1;
    }
    const uint32_t alike =
        strip < bare ? strip : bare; /* rectangles as the first one, whose lengths are known */
    const uint32_t size = alike == 0 ? 1 : alike;
    const bool     is_change = add_quads(plan, kind, batch, shapes, size);
    *changes += is_change && kind == PAINT_SHAPES;
    return size;
}

static void plan_batch(PaintPlan *plan, const DrawList *frame, uint32_t batch)
{
    const uint32_t end = frame->batches[batch].first + frame->batches[batch].count;
    const size_t   first_run = vec_count(&plan->runs);
    uint32_t       changes = 0;
    assert(end <= frame->shape_count);
    for (uint32_t i = frame->batches[batch].first; i < end;)
        i += plan_next(plan, batch, i, &frame->shapes[i], end - i, &changes);
    if (changes > MOST_CHANGES) join_quads(plan, first_run);
}

const PaintList *paint_plan_make(PaintPlan *plan, const DrawList *frame)
{
    vec_clear(&plan->runs);
    vec_clear(&plan->corners);
    vec_clear(&plan->strip_corners);
    vec_clear(&plan->texels);
    plan->texel_rows = 0;
    plan->texel_column = PAINT_TEXEL_COLUMNS; /* there is no row yet */
    for (uint32_t i = 0; i < frame->batch_count; i++) {
        if (frame->batches[i].kind == DRAW_SHAPES) plan_batch(plan, frame, i);
    }
    if (plan->runs.bytes.failed || plan->corners.bytes.failed || plan->strip_corners.bytes.failed ||
        plan->texels.bytes.failed) {
        paint_plan_release(plan);
        return NULL;
    }
    plan->list = (PaintList){ .runs = plan->runs.items,
                              .run_count = (uint32_t)vec_count(&plan->runs),
                              .corners = plan->corners.items,
                              .quad_count = (uint32_t)vec_count(&plan->corners) / 4,
                              .strip_corners = plan->strip_corners.items,
                              .strip_count = (uint32_t)vec_count(&plan->strip_corners) / 4,
                              .texels = plan->texels.items,
                              .texel_rows = plan->texel_rows };
    return &plan->list;
}

void paint_plan_release(PaintPlan *plan)
{
    vec_release(&plan->runs);
    vec_release(&plan->corners);
    vec_release(&plan->strip_corners);
    vec_release(&plan->texels);
}
