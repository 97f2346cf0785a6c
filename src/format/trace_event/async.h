/* format/trace_event/async.h - asynchronous events: b n e, and the older S T p F.
 *
 * What they are matched by (format page, sections 9 and 15): nestable ones by category, id and its scope,
 * legacy ones by name and id. An id holds across processes unless it is an id2.local. A legacy slice's steps
 * become slices inside it. */
#ifndef FORMAT_TRACE_EVENT_ASYNC_H
#define FORMAT_TRACE_EVENT_ASYNC_H
#include "format/trace_event/emit.h"

/* The pictures of one event at `tick` on `thread`. False when it has no id: it is then none of these. */
bool async_emit(Emitter *emitter, const RawEvent *event, uint16_t kind, TrackId thread, int64_t tick,
                LabelId label, EventPos pos);

#endif
