/* view/camera.h - which part of the time axis is seen, exactly, and how it moves there.
 *
 * A position is the axis tick at the plot's left edge as an integer and a fraction, and the zoom as CSS pixels a tick:
 * so a pixel is as exact at tick 2^62 as at tick 0. The axis runs from 0 to `extent` <= CAMERA_MAX_EXTENT.
 *
 * Motion: every change sets the target at once; what is seen differs from it by an error that a critically
 * damped spring takes to zero (95 % in 120 ms). Left edge and span share the spring's shape, so that the
 * anchor of a zoom stands still. */
#ifndef VIEW_CAMERA_H
#define VIEW_CAMERA_H
#include <stdbool.h>
#include <stdint.h>

#define CAMERA_MAX_EXTENT ((uint64_t)1 << 62)

typedef struct CameraPos {
    int64_t tick;
    double  frac; /* [0, 1): ticks */
    double  px_per_tick;
} CameraPos;

typedef struct Spring {
    double error, speed; /* ticks, ticks a ms */
} Spring;

typedef struct Camera {
    CameraPos target;
    Spring    left, span;
    double    glide_px_per_ms; /* what is left of a drag's speed */
    double    width_px;        /* of the plot, > 0 */
    uint64_t  extent;
} Camera;

typedef enum { CAMERA_GLIDES, CAMERA_JUMPS } CameraMotion;

/* What is seen now. */
CameraPos camera_now(const Camera *camera);
/* All of the axis, with a margin of 1 % on both sides. */
CameraPos camera_fit(const Camera *camera);
/* The range [begin, end) of axis ticks, end > begin; begin_frac adds to begin. */
CameraPos camera_range(const Camera *camera, int64_t begin, double begin_frac, double ticks);
void      camera_go(Camera *camera, CameraPos target, CameraMotion motion);
void      camera_pan(Camera *camera, double px, CameraMotion motion);
/* factor > 1 magnifies; the tick at anchor_px stays where it is. */
void camera_zoom(Camera *camera, double anchor_px, double factor, CameraMotion motion);
/* The plot changed its width: the range stays. */
void camera_set_width(Camera *camera, double width_px);
/* Advances by dt_ms; true while it still moves. */
bool camera_step(Camera *camera, double dt_ms);
bool camera_is_moving(const Camera *camera);
/* Ends all motion at the target. */
void camera_settle(Camera *camera);

/* Moves a position by ticks, keeping it in range of int64. */
void camera_advance(CameraPos *pos, double ticks);
/* Pixels from the plot's left edge of an axis tick. */
double camera_x(const CameraPos *pos, int64_t tick);
/* The axis tick at a pixel, rounded down. */
int64_t camera_tick(const CameraPos *pos, double px);

#endif
