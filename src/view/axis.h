/* view/axis.h - one time axis for all traces that are open, and pixels for ticks, exactly.
 *
 * The axis counts in ticks of the finest clock (for one trace: its own), or in a power of two of them where the span
 * would pass 2^62. Traces are laid over each other
 *
 *   - by wall-clock time, if all know it;
 *   - if all are received or know it: by the same, where the arrival of a trace's begin stands in for the wall-clock
 *     time that it does not know. Unless their clocks agree with that to AXIS_ARRIVAL_NS: then they are one clock, which
 *     is more exact than times of arrival;
 *   - by their clocks, if these agree on a common stretch of time;
 *   - else each begins at 0. */
#ifndef VIEW_AXIS_H
#define VIEW_AXIS_H
#include "trace/outline.h"
#include "view/camera.h"

/* ticks of the trace from its begin = (axis - begin) * num / den */
typedef struct AxisMap {
    int64_t  begin;
    uint64_t num, den;
} AxisMap;

typedef struct AxisInput {
    const Clock *clock; /* borrowed */
    int64_t      begin_tick;
    uint64_t     span;
    int64_t      begin_unix_ns; /* as Outline has it */
} AxisInput;

/* How much later than it was written a trace that is received may arrive. */
#define AXIS_ARRIVAL_NS INT64_C(2000000000)

/* Fills maps[count]; returns the axis's extent. */
uint64_t axis_build(const AxisInput *inputs, uint32_t count, AxisMap *maps);
/* The axis position of a trace's tick offset, rounded to the nearest, saturated. */
int64_t axis_from_offset(const AxisMap *map, uint64_t offset);
/* Ticks of the trace for a span of the axis. */
uint64_t axis_span_to_ticks(const AxisMap *map, uint64_t span);
/* The tick offset, which may be negative, of an axis position; saturated. */
int64_t axis_to_offset(const AxisMap *map, int64_t axis);

/* How one trace's tick offsets lie on the screen: tick `base` stands at base_px device pixels from the plot's left. */
typedef struct TickScale {
    uint64_t base;
    double   base_px, px_per_tick;
} TickScale;
TickScale tick_scale(const AxisMap *map, const CameraPos *pos, double device_pixels_per_px);
double    tick_scale_x(const TickScale *scale, uint64_t offset);
/* The offset at x, rounded down, saturated at 0 and UINT64_MAX. */
uint64_t tick_scale_offset(const TickScale *scale, double x);

#endif
