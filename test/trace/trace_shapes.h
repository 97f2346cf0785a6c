/* trace/trace_shapes.h - random traces of several shapes, for tests of tiles, outlines and the index. */
#ifndef TRACE_SHAPES_H
#define TRACE_SHAPES_H
#include "trace/store/trace.h"

typedef enum {
    SHAPE_DENSE,  /* short, adjacent slices */
    SHAPE_SPARSE, /* short slices, long gaps of any magnitude */
    SHAPE_EMPTY,  /* slices of length 0, many at one time */
    SHAPE_VAST,   /* spans near 2^62 */
    SHAPE_BURSTS, /* some hundreds of adjacent slices, then a gap of more than 2^32 */
    SHAPE_NESTED, /* begins and ends, up to 80 deep */
    SHAPE_LANES,  /* overlaps: many lanes */
    SHAPE_COUNT
} TraceShape;

/* Returns a trace with about `events` events, most on one thread; every fourth with flags; thread, process and global
 * instants. */
Trace *shape_trace(TraceShape shape, uint64_t seed, unsigned events);

#endif
