/* format/trace_event/kept.h - what is drawn of events that the trace keeps as they are: objects (N O D),
 * contexts, memory dumps (v V), clock comparisons (c) (format page, sections 11 and 14).
 *
 * The event itself goes to builder_other beside. */
#ifndef FORMAT_TRACE_EVENT_KEPT_H
#define FORMAT_TRACE_EVENT_KEPT_H
#include "format/trace_event/emit.h"

/* For these phases only. */
void kept_emit(Emitter *emitter, const RawEvent *event, TrackId thread, int64_t tick, LabelId label,
               EventPos pos);

#endif
