/* format/trace_event/metadata.h - M events: what processes and threads are called and how they are sorted. */
#ifndef FORMAT_TRACE_EVENT_METADATA_H
#define FORMAT_TRACE_EVENT_METADATA_H
#include "format/trace_event/emit.h"

/* Tells the builder what the event says; reports it when that is nothing. Kinds that are only information are left
 * to `dump`. */
/* Whether the event only says what an id stands for (source_ids.h). Then it is taken, and is no event of the trace. */
bool metadata_is_source_id(Emitter *emitter, const RawEvent *event);

void metadata_apply(Emitter *emitter, const RawEvent *event, LabelId label, EventPos pos);

#endif
