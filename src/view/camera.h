/* view/camera.h - the visible part of the time axis, exactly, and its motion.
 *
 * A position is the axis tick at the plot's left edge as an integer and a fraction, and the zoom in CSS pixels per
 * tick. So a pixel is as exact at tick 2^62 as at tick 0. The axis is from 0 to `extent` <= CAMERA_MAX_EXTENT.
 *
 * Motion: a change sets the target at once. The visible position differs from it by an error that a critically damped
 * spring reduces to zero (95 % in 120 ms). Left edge and span have the same spring, so that the anchor of a zoom does
 * not move. */
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
    double    glide_px_per_ms; /* remaining speed of a drag */
    double    width_px;        /* of the plot, > 0 */
    uint64_t  extent;
} Camera;

typedef enum { CAMERA_GLIDES, CAMERA_JUMPS } CameraMotion;

/* Returns the visible position. */
CameraPos camera_now(const Camera *camera);
/* Returns the position that shows all of the axis, with a margin of 1 % on both sides. */
CameraPos camera_fit(const Camera *camera);
/* True if the target shows all of the axis. */
bool camera_shows_all(const Camera *camera);
/* Returns the position for [begin, end) in axis ticks, end > begin; begin_frac adds to begin. */
CameraPos camera_range(const Camera *camera, int64_t begin, double begin_frac, double ticks);
void      camera_go(Camera *camera, CameraPos target, CameraMotion motion);
void      camera_pan(Camera *camera, double px, CameraMotion motion);
/* Zooms; factor > 1 magnifies. The tick at anchor_px stays in place. */
void camera_zoom(Camera *camera, double anchor_px, double factor, CameraMotion motion);
/* Sets the width of the plot and keeps the range. */
void camera_set_width(Camera *camera, double width_px);
/* Advances by dt_ms. True while it still moves. */
bool camera_step(Camera *camera, double dt_ms);
bool camera_is_moving(const Camera *camera);
/* Ends all motion at the target. */
void camera_settle(Camera *camera);

/* Moves a position by ticks, and keeps it in the range of int64. */
void camera_advance(CameraPos *pos, double ticks);
/* Returns the pixels from the plot's left edge to an axis tick. */
double camera_x(const CameraPos *pos, int64_t tick);
/* Returns the axis tick at a pixel, rounded down. */
int64_t camera_tick(const CameraPos *pos, double px);

#endif
