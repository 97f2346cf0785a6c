/* trace/store/lookup.h - the fields of one event, by its id.
 *
 * Only src/trace reads the columns of a trace (SliceColumns, InstantColumns, ...), so a change of the columns does not
 * reach other folders. Other code has five ways to read events:
 *   - batches of rows: trace/scan/scan.h;
 *   - all events of a trace in order of time: trace/store/event_order.h;
 *   - the nested slices of a lane: trace/store/lane_walk.h;
 *   - one event by the id that one of these ways returned: this header, and trace_slice_... and trace_instant_... in
 *     trace/store/trace.h.
 *   - objects, their lives and snapshots: trace/store/object_find.h.
 * tools/check-layers.py checks this rule.
 *
 * Each function takes constant time. An id must be one of the trace. Any thread may call these functions. */
#ifndef TRACE_STORE_LOOKUP_H
#define TRACE_STORE_LOOKUP_H
#include "trace/store/trace.h"

/* Returns SLICE_UNFINISHED | ... */
static inline uint8_t trace_slice_flags(const Trace *trace, uint64_t slice)
{
    return trace->slices.flags[slice];
}

/* True if the slice has no length. */
static inline bool trace_slice_is_empty(const Trace *trace, uint64_t slice)
{
    return trace->slices.duration[slice] == 0;
}

/* Returns a limit on the ids of slices, for arrays and sets by slice. */
static inline uint64_t trace_slice_bound(const Trace *trace)
{
    return trace->slices.count;
}

/* True if any slice has a stack at its end. */
static inline bool trace_has_end_stacks(const Trace *trace)
{
    return trace->slices.end_stack.count > 0;
}

static inline int64_t trace_instant_tick(const Trace *trace, uint64_t instant)
{
    return trace->instants.tick[instant];
}

/* Returns LabelId.index. */
static inline uint32_t trace_instant_label(const Trace *trace, uint64_t instant)
{
    return trace->instants.label[instant];
}

static inline InstantScope trace_instant_scope(const Trace *trace, uint64_t instant)
{
    return (InstantScope)trace->instants.scope[instant];
}

/* Return the tick and the value of sample `sample` of a counter: RowWindow.first_sample and so on. */
static inline int64_t trace_value_tick(const Trace *trace, uint64_t sample)
{
    return trace->samples.tick[sample];
}

static inline double trace_value(const Trace *trace, uint64_t sample)
{
    return trace->samples.value[sample];
}

/* Finds the input offset of an instant; false if the input has no details. */
static inline bool trace_instant_source(const Trace *trace, uint64_t instant, uint64_t *offset)
{
    const uint64_t source = trace->instants.source[instant];
    if (source != 0) *offset = source - 1;
    return source != 0;
}

/* Returns a limit on the ids of instants. */
static inline uint64_t trace_instant_bound(const Trace *trace)
{
    return trace->instants.count;
}

/* Returns LabelId.index. */
static inline uint32_t trace_flow_label(const Trace *trace, uint64_t flow)
{
    return trace->flows.label[flow];
}

/* True if the flow ends before it begins. */
static inline bool trace_flow_is_backwards(const Trace *trace, uint64_t flow)
{
    return (trace->flows.flags[flow] & FLOW_BACKWARDS) != 0;
}

static inline uint64_t trace_flow_count(const Trace *trace)
{
    return trace->flows.count;
}

#endif
