#include "view/camera.h"

#include "base/checked.h"

#include <assert.h>
#include <math.h>

static const double  SPRING_PER_MS = 0.0395; /* (1 + wt) e^-wt = 0.05 at wt = 4.74, t = 120 ms */
static const double  MAX_PX_PER_TICK = 256;
static const double  GLIDE_KEPT_PER_MS = 0.995;
static const int64_t FARTHEST = INT64_MAX / 4 * 3;

void camera_advance(CameraPos *pos, double ticks)
{
    double  sum = pos->frac + ticks;
    double  whole = floor(sum);
    int64_t step;
    if (!(whole > -0x1p62)) /* also for NaN */
        step = INT64_MIN / 2;
    else if (!(whole < 0x1p62))
        step = INT64_MAX / 2;
    else
        step = (int64_t)whole;
    const double  frac = sum - whole;
    const int64_t tick = i64_add_saturated(pos->tick, step);
    const bool    is_far = tick < -FARTHEST || tick > FARTHEST;
    pos->tick = tick < -FARTHEST ? -FARTHEST : tick > FARTHEST ? FARTHEST : tick;
    pos->frac = !is_far && frac >= 0 && frac < 1 ? frac : 0;
}

double camera_x(const CameraPos *pos, int64_t tick)
{
    /* |tick|, |pos->tick| < 2^63 * 3/4: the difference may exceed int64, so it is unsigned. */
    double ticks = tick >= pos->tick ? (double)((uint64_t)tick - (uint64_t)pos->tick)
                                     : -(double)((uint64_t)pos->tick - (uint64_t)tick);
    return (ticks - pos->frac) * pos->px_per_tick;
}

int64_t camera_tick(const CameraPos *pos, double px)
{
    assert(pos->px_per_tick > 0);
    CameraPos at = *pos;
    camera_advance(&at, px / pos->px_per_tick);
    return at.tick;
}

static double ticks_between(const CameraPos *from, const CameraPos *to)
{
    double whole = to->tick >= from->tick ? (double)((uint64_t)to->tick - (uint64_t)from->tick)
                                          : -(double)((uint64_t)from->tick - (uint64_t)to->tick);
    return whole + (to->frac - from->frac);
}

static double span_of(const Camera *camera, const CameraPos *pos)
{
    assert(pos->px_per_tick > 0);
    return camera->width_px / pos->px_per_tick;
}

static double shown_extent(const Camera *camera)
{
    double extent = (double)camera->extent;
    return extent < 10 ? 10 : extent; /* a trace of one moment has a visible width, too */
}

CameraPos camera_now(const Camera *camera)
{
    CameraPos pos = camera->target;
    if (camera->left.error == 0 && camera->span.error == 0) return pos;
    double span = span_of(camera, &pos) + camera->span.error;
    double least = camera->width_px / MAX_PX_PER_TICK;
    if (span < least) span = least;
    camera_advance(&pos, camera->left.error);
    pos.px_per_tick = camera->width_px / span;
    return pos;
}

CameraPos camera_range(const Camera *camera, int64_t begin, double begin_frac, double ticks)
{
    CameraPos pos = { .tick = begin, .frac = 0, .px_per_tick = camera->width_px / (ticks > 0 ? ticks : 1) };
    camera_advance(&pos, begin_frac);
    return pos;
}

CameraPos camera_fit(const Camera *camera)
{
    double    extent = shown_extent(camera);
    double    margin = camera->extent < 10 ? (10 - (double)camera->extent) / 2 : extent * 0.01;
    CameraPos pos = { .tick = 0, .px_per_tick = camera->width_px / (extent + extent * 0.02) };
    camera_advance(&pos, -margin);
    return pos;
}

bool camera_shows_all(const Camera *camera)
{
    return camera_x(&camera->target, 0) >= 0 &&
           camera_x(&camera->target, (int64_t)camera->extent) <= camera->width_px;
}

static CameraPos clamp(const Camera *camera, CameraPos pos)
{
    double extent = shown_extent(camera);
    double least = camera->width_px / (extent * 1.25);
    if (!(pos.px_per_tick < MAX_PX_PER_TICK)) pos.px_per_tick = MAX_PX_PER_TICK;
    if (!(pos.px_per_tick > least)) pos.px_per_tick = least < MAX_PX_PER_TICK ? least : MAX_PX_PER_TICK;
    /* At least a tenth of the plot shows a part of the axis. */
    double    span = span_of(camera, &pos), most = span * 0.9;
    CameraPos lowest = { .tick = 0, .px_per_tick = pos.px_per_tick };
    CameraPos highest = { .tick = (int64_t)camera->extent, .px_per_tick = pos.px_per_tick };
    camera_advance(&lowest, -most);
    camera_advance(&highest, most - span);
    if (ticks_between(&lowest, &pos) < 0) return lowest;
    if (ticks_between(&highest, &pos) > 0) return highest;
    return pos;
}

void camera_settle(Camera *camera)
{
    camera->left = camera->span = (Spring){ 0, 0 };
    camera->glide_px_per_ms = 0;
}

void camera_go(Camera *camera, CameraPos target, CameraMotion motion)
{
    assert(camera->width_px > 0);
    CameraPos before = camera->target;
    target = clamp(camera, target);
    camera->target = target;
    if (motion == CAMERA_JUMPS) {
        camera_settle(camera);
        return;
    }
    camera->left.error += ticks_between(&target, &before);
    camera->span.error += span_of(camera, &before) - span_of(camera, &target);
}

void camera_pan(Camera *camera, double px, CameraMotion motion)
{
    CameraPos pos = camera->target;
    camera_advance(&pos, px / pos.px_per_tick);
    camera_go(camera, pos, motion);
}

void camera_zoom(Camera *camera, double anchor_px, double factor, CameraMotion motion)
{
    CameraPos pos = camera->target, limited = camera->target;
    limited.px_per_tick *= factor;
    double zoom = clamp(camera, limited)
                      .px_per_tick; /* limit the zoom first, so that a zoom at the limit does not pan */
    camera_advance(&pos, anchor_px / pos.px_per_tick - anchor_px / zoom);
    pos.px_per_tick = zoom;
    camera_go(camera, pos, motion);
}

void camera_set_width(Camera *camera, double width_px)
{
    if (camera->width_px > 0) camera->target.px_per_tick *= width_px / camera->width_px;
    camera->width_px = width_px;
    if (camera->target.px_per_tick > 0) camera->target = clamp(camera, camera->target);
}

static void spring_step(Spring *spring, double ms)
{
    spring->speed -= (2 * SPRING_PER_MS * spring->speed + SPRING_PER_MS * SPRING_PER_MS * spring->error) * ms;
    spring->error += spring->speed * ms;
}

bool camera_is_moving(const Camera *camera)
{
    return camera->left.error != 0 || camera->span.error != 0 || camera->glide_px_per_ms != 0;
}

bool camera_step(Camera *camera, double dt_ms)
{
    if (!camera_is_moving(camera)) return false;
    int steps = dt_ms > 250 ? 250 : (int)dt_ms;
    if (steps < 1) steps = 1;
    double glide = 0;
    for (int i = 0; i < steps; i++) {
        spring_step(&camera->left, 1);
        spring_step(&camera->span, 1);
        glide += camera->glide_px_per_ms;
        camera->glide_px_per_ms *= GLIDE_KEPT_PER_MS;
    }
    if (glide != 0) {
        CameraPos pos = camera->target;
        camera_advance(&pos, glide / pos.px_per_tick);
        CameraPos held = clamp(camera, pos);
        if (held.tick != pos.tick || fabs(camera->glide_px_per_ms) < 0.02) camera->glide_px_per_ms = 0;
        camera->target = held;
    }
    CameraPos now = camera_now(camera);
    double    nearly = 0.1 / now.px_per_tick; /* a tenth of a pixel */
    double    speed = fabs(camera->left.speed) + fabs(camera->span.speed);
    if (fabs(camera->left.error) < nearly && fabs(camera->span.error) < nearly && speed < nearly)
        camera->left = camera->span = (Spring){ 0, 0 };
    return camera_is_moving(camera);
}
