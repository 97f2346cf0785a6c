/* trace/trace_shapes.h - random traces of several shapes, for what reads traces: tiles, outlines, the index. */
#ifndef TRACE_SHAPES_H
#define TRACE_SHAPES_H
#include "trace/trace.h"

typedef enum {
    SHAPE_DENSE,  /* short slices side by side */
    SHAPE_SPARSE, /* short slices, long gaps of any magnitude */
    SHAPE_EMPTY,  /* slices of no length, many at one moment */
    SHAPE_VAST,   /* spans near 2^62 */
    SHAPE_NESTED, /* begins and ends, up to 80 deep */
    SHAPE_LANES,  /* overlaps: many lanes */
    SHAPE_COUNT
} TraceShape;

/* About `events` events, most on one thread; every fourth with flags; thread, process and global instants. */
Trace *shape_trace(TraceShape shape, uint64_t seed, unsigned events);

#endif
