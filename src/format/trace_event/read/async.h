/* format/trace_event/read/async.h - asynchronous events: b n e, and the older S T p F.
 *
 * Matching: nestable events by category, id and scope of the id; legacy events by name
 * and id. An id is global to all processes unless it is an id2.local. The steps of a legacy slice become slices inside
 * it. */
#ifndef FORMAT_TRACE_EVENT_READ_ASYNC_H
#define FORMAT_TRACE_EVENT_READ_ASYNC_H
#include "format/trace_event/read/emit.h"

/* Passes an asynchronous event at `tick` on `thread` to the builder. False if it has no id; the caller keeps it as a
 * raw event. */
bool async_emit(Emitter *emitter, const RawEvent *event, uint16_t event_kind, const EventHead *head);

#endif
