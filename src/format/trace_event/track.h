/* format/trace_event/track.h - from pid and tid, in all the ways they are written, to a thread of the trace. */
#ifndef FORMAT_TRACE_EVENT_TRACK_H
#define FORMAT_TRACE_EVENT_TRACK_H
#include "format/trace_event/emit.h"

/* The thread of the event's pid and tid. A missing pid is 0, a missing tid the pid. */
TrackId emitter_thread(Emitter *emitter, const RawEvent *event);
/* An id as pid and tid are read; IDENT_NONE: as if it were missing. */
Ident emitter_ident(Emitter *emitter, const JsonValue *value);
/* Adds a number to a set; false when it was there, or memory is out. */
bool index_set_add(Emitter *emitter, IndexSet *set, uint32_t index);
/* Its process. */
ProcessId emitter_process(Emitter *emitter, const RawEvent *event);
/* The event's pid, or its pid and tid, stands for this id from now on (source_ids.h); only if that is its
 * title, too, does it give it as its name. False when it cannot. */
bool emitter_add_source_id(Emitter *emitter, const RawEvent *event, bool is_thread, const JsonValue *value,
                           const JsonValue *title);

#endif
