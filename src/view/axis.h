/* view/axis.h - the common time axis of all open traces, and exact conversion of ticks to pixels.
 *
 * The axis counts ticks of the finest clock (for one trace: its own), or a power of two of them if the span would
 * exceed 2^62. Traces are aligned
 *
 *   - by wall-clock time, if all have it;
 *   - if each trace has it or is received: likewise, with the arrival of the begin as the wall-clock time of a trace
 *     without one. If their clocks agree with that within AXIS_ARRIVAL_NS, the clocks are used: they are more exact;
 *   - by their clocks, if these have a common range of time;
 *   - else by their begins, at 0;
 *   - or as the user aligns them, by a moment of each (axis_build_by_anchors). */
#ifndef VIEW_AXIS_H
#define VIEW_AXIS_H
#include "trace/wire/outline.h"
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
    int64_t      begin_unix_ns; /* as in Outline */
} AxisInput;

/* Limit on the delay between the recording and the arrival of a received trace. */
#define AXIS_ARRIVAL_NS INT64_C(2000000000)

/* Fills maps[count]. Returns the axis's extent. */
uint64_t axis_build(const AxisInput *inputs, uint32_t count, AxisMap *maps);
/* The same, but the traces are aligned by anchors[count]: these tick offsets have one position on the axis. */
uint64_t axis_build_by_anchors(const AxisInput *inputs, uint32_t count, const uint64_t *anchors,
                               AxisMap *maps);
/* Converts a trace's tick offset to an axis position, rounded to nearest, saturated. */
int64_t axis_from_offset(const AxisMap *map, uint64_t offset);
/* As axis_from_offset; the offset may be before the trace's begin. */
int64_t axis_from_signed(const AxisMap *map, int64_t offset);
/* Converts an axis position to a tick offset, which may be negative; saturated. */
int64_t axis_to_offset(const AxisMap *map, int64_t axis);

/* The position of a trace's tick offsets on the screen: tick `base` is base_px device pixels from the plot's left
 * edge. */
typedef struct TickScale {
    uint64_t base;
    double   base_px, px_per_tick;
} TickScale;
TickScale tick_scale(const AxisMap *map, const CameraPos *pos, double device_pixels_per_px);
double    tick_scale_x(const TickScale *scale, uint64_t offset);
/* Returns the offset at x, rounded down, saturated at 0 and UINT64_MAX. */
uint64_t tick_scale_offset(const TickScale *scale, double x);

#endif
