/* format/trace_event/read/metadata.h - M events: names and sort order of processes and threads. */
#ifndef FORMAT_TRACE_EVENT_READ_METADATA_H
#define FORMAT_TRACE_EVENT_READ_METADATA_H
#include "format/trace_event/read/emit.h"

/* True if the event only gives the source id of a process or thread (source_ids.h). Then it stores the id, and the
 * event is not part of the trace. */
bool metadata_is_source_id(Emitter *emitter, const RawEvent *event);

/* Passes the metadata to the builder; warns if its value is not usable. Kinds that are only information are for
 * `dump`. */
void metadata_apply(Emitter *emitter, const RawEvent *event, LabelId label, EventPos pos);

#endif
