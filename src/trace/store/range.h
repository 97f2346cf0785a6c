/* trace/store/range.h - the events of a row or track in a range of time: the rules of --range (trace/store/window.h) and of scans
 * (trace/scan/scan.h). */
#ifndef TRACE_STORE_RANGE_H
#define TRACE_STORE_RANGE_H
#include "trace/store/flows.h"
#include "trace/store/time_spec.h"

/* RANGE_HALF_OPEN: [begin, end). RANGE_CLOSED: both ends are included, and so is a slice that only touches the range. */
typedef enum { RANGE_HALF_OPEN, RANGE_CLOSED } RangeEdges;

typedef struct TickRange {
    int64_t    begin, end;
    RangeEdges edges;
} TickRange;

/* Items [first, end) of the columns. */
typedef struct ItemRange {
    uint64_t first, end;
} ItemRange;

/* Returns the axis by which the times of a range are found. */
TimeAxis trace_time_axis(const Trace *trace);
/* True if no tick is in the range. */
bool range_is_empty(const TickRange *range);
/* True if the later end of an arrow is in the range, and a part of the slices of both ends. */
bool range_has_flow(const Trace *trace, const TickRange *range, const FlowEnd ends[2]);

/* Return the items of a row in the range: its slices, its instants, and its values of a counter, including the value that is valid at
 * the begin. O(log items). */
ItemRange range_slices(const Trace *trace, const TickRange *range, const Row *row);
ItemRange range_instants(const Trace *trace, const TickRange *range, const Row *row);
ItemRange range_values(const Trace *trace, const TickRange *range, const Row *row);
/* Returns the samples of a TRACK_SAMPLES in the range, as items of ProfileColumns. */
ItemRange range_samples(const Trace *trace, const TickRange *range, const Track *track);

/* Returns the tick until which a value of a row is valid. */
int64_t row_value_end(const Trace *trace, const Row *row, uint64_t value);

#endif
