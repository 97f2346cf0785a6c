/* format/trace_event/flow.h - flows: s, t and f events, and slices that carry bind_id. */
#ifndef FORMAT_TRACE_EVENT_FLOW_H
#define FORMAT_TRACE_EVENT_FLOW_H
#include "format/trace_event/emit.h"

/* Passes an s, t or f event with a time to the builder as an end of an arrow. The caller keeps the raw event. */
void flow_emit(Emitter *emitter, const RawEvent *event, TrackId thread, int64_t tick, LabelId label,
               EventPos pos);
/* The second version: a slice that is part of a flow itself, begun at `tick` and fed with EVENT_DETAILS; or a
 * mark, which is no slice. Does nothing for an event without flow_in and flow_out. */
typedef enum { FLOW_ON_SLICE, FLOW_ON_MARK } FlowPlace;
void flow_emit_bound(Emitter *emitter, const RawEvent *event, FlowPlace place, TrackId thread, int64_t tick,
                     EventPos pos);

#endif
