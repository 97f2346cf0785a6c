/* format/trace_event/read/v8_code.h - samples in V8's format until 2015: `V8Sample` events with addresses, and
 * `JitCodeAdded` and `JitCodeMoved` events with the function, address and time of code. */
#ifndef FORMAT_TRACE_EVENT_READ_V8_CODE_H
#define FORMAT_TRACE_EVENT_READ_V8_CODE_H
#include "format/trace_event/common/event.h"
#include "trace/log/builder.h"

typedef struct Emitter Emitter;

/* Collects one of these events. */
void v8_code_take(Emitter *emitter, const RawEvent *raw, FineTime time, EventPos pos);
/* Resolves the addresses in order of time and passes the samples to the builder. Call it at the end of the input. */
void v8_code_finish(Emitter *emitter);

#endif
