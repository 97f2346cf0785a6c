/* format/trace_event/read/flow.h - flows: s, t and f events, and slices with bind_id. */
#ifndef FORMAT_TRACE_EVENT_READ_FLOW_H
#define FORMAT_TRACE_EVENT_READ_FLOW_H
#include "format/trace_event/read/emit.h"

/* Passes an s, t or f event with a time to the builder as an end of an arrow. The caller keeps the raw event. */
void flow_emit(Emitter *emitter, const RawEvent *event, const EventHead *head);
/* Passes the second version of flows to the builder: a slice with bind_id, begun at `tick` with EVENT_DETAILS, or
 * another event with bind_id (FLOW_ON_MARK). Does nothing for an event without flow_in and flow_out. */
typedef enum { FLOW_ON_SLICE, FLOW_ON_MARK } FlowPlace;
void flow_emit_bound(Emitter *emitter, const RawEvent *event, FlowPlace place, const EventHead *head);

#endif
