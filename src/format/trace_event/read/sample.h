/* format/trace_event/read/sample.h - samples of threads: `P` events, the list `samples`, V8's profiles as a whole or in
 * chunks.
 *
 * The chunks of a profile come from other threads than the sampled one, and not in order. The list `samples` may
 * identify threads by tid alone and may precede the events. So all samples are collected and passed to the builder at
 * the end. */
#ifndef FORMAT_TRACE_EVENT_READ_SAMPLE_H
#define FORMAT_TRACE_EVENT_READ_SAMPLE_H
#include "format/trace_event/common/event.h"
#include "trace/log/builder.h"

typedef struct Emitter       Emitter;
typedef struct CodeEvent     CodeEvent;
typedef struct ListedSample  ListedSample;
typedef struct ProfileStream ProfileStream;

typedef struct SampleLog {
    ARENA_LIST(ListedSample) listed; /* of `samples` */
    ARENA_LIST(ProfileStream) streams;
    uint32_t *stream_of; /* by AsyncId: 1 + index into streams */
    uint32_t  stream_of_count;
    ARENA_LIST(CodeEvent) code; /* of V8's old format */
} SampleLog;

/* Collects a `P` event, a CpuProfile event or an event about V8's code. `time` is the event's time; NULL = it has no
 * time. Returns OTHER_PART for an event that other events need: parts of a profile, and names of code. */
OtherClass sample_emit(Emitter *emitter, const RawEvent *event, const FineTime *time, EventPos pos);
/* True if an event of another phase must be passed to sample_emit. */
bool sample_is_wanted(const RawEvent *event);
/* Collects the list under the key `samples`, whose value begins at `pos`. Each item is an event of the kind "sample". Returns true if
 * there is one. */
bool sample_take_list(Emitter *emitter, const JsonValue *list, EventPos pos);
/* Passes all samples to the builder. Call it at the end of the input. */
void sample_finish(Emitter *emitter);

#endif
