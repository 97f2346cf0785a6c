/* format/trace_event/v8_code.h - samples as V8 wrote them until 2015: `V8Sample` events with bare addresses, and
 * `JitCodeAdded`, `JitCodeMoved` events that say which function's code stood where, and when. */
#ifndef FORMAT_TRACE_EVENT_V8_CODE_H
#define FORMAT_TRACE_EVENT_V8_CODE_H
#include "format/trace_event/event.h"
#include "trace/builder.h"

typedef struct Emitter Emitter;

/* Any of those events. */
void v8_code_take(Emitter *emitter, const RawEvent *event, FineTime time, EventPos pos);
/* At the end of the input: in order of time, addresses become functions. */
void v8_code_finish(Emitter *emitter);

#endif
