/* format/trace_event/metadata.h - M events: what processes and threads are called and how they are sorted. */
#ifndef FORMAT_TRACE_EVENT_METADATA_H
#define FORMAT_TRACE_EVENT_METADATA_H
#include "format/trace_event/emit.h"

/* Tells the builder what the event says; reports it when that is nothing. Kinds that are only information are left
 * to `dump`. */
void metadata_apply(Emitter *emitter, const RawEvent *event, LabelId label, EventPos pos);

#endif
