/* format/trace_event/sample.h - samples of threads: `P` events, the list `samples`, V8's profiles in chunks and whole.
 *
 * Profiles come in pieces, from other threads than the sampled one, not in order; the list `samples` may
 * name threads by their number alone and stand before the events. So all are collected first, and given
 * to the builder at the end. */
#ifndef FORMAT_TRACE_EVENT_SAMPLE_H
#define FORMAT_TRACE_EVENT_SAMPLE_H
#include "format/trace_event/event.h"
#include "trace/builder.h"

typedef struct Emitter Emitter;

typedef struct SampleLog {
    ArenaList listed;    /* ListedSample[]: of `samples` */
    ArenaList streams;   /* ProfileStream[] */
    uint32_t *stream_of; /* by StrandId: 1 + index into streams */
    uint32_t  stream_of_count;
    ArenaList code; /* CodeEvent[]: of the old way of V8 */
} SampleLog;

/* Takes a `P` event, an event called CpuProfile or one about V8's code. `time` is its own; NULL: it has none. Returns
 * OTHER_PART for an event that others need: the parts of a profile, and the names of code. */
OtherClass sample_emit(Emitter *emitter, const RawEvent *event, const FineTime *time, EventPos pos);
/* Whether an event of another phase is to go there as well. */
bool sample_is_wanted(const RawEvent *event);
/* Takes the list under the key `samples`, whose value begins at `pos`. Each item is an event of the kind "sample". */
void sample_take_list(Emitter *emitter, const JsonValue *list, EventPos pos);
/* At the end of the input. */
void sample_finish(Emitter *emitter);

#endif
