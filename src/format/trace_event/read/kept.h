/* format/trace_event/read/kept.h - draws raw events: objects (N O D), contexts, memory dumps (v V), clock syncs (c).
 *
 * The caller also passes the event itself to builder_other. */
#ifndef FORMAT_TRACE_EVENT_READ_KEPT_H
#define FORMAT_TRACE_EVENT_READ_KEPT_H
#include "format/trace_event/read/emit.h"

/* Passes an event of one of these phases to the builder. */
void kept_emit(Emitter *emitter, const RawEvent *event, const EventHead *head);

#endif
