/* format/trace_event/read/counter.h - counters (C): each member of an event's arguments is a value of one series.
 *
 * A counter belongs to a process and is identified by name and id. */
#ifndef FORMAT_TRACE_EVENT_READ_COUNTER_H
#define FORMAT_TRACE_EVENT_READ_COUNTER_H
#include "format/trace_event/read/emit.h"

void counter_emit(Emitter *emitter, const RawEvent *event, int64_t tick, EventPos pos);

#endif
