/* format/apitrace/stream.h - passes the complete calls of a capture one by one to the text form and the tools.
 *
 * A call is passed when it returns. Calls that never return are passed at the end, in the order in which they began.
 * While the calls of a block are processed, the next block is parsed and the one after it decompressed, on all
 * threads. */
#ifndef FORMAT_APITRACE_STREAM_H
#define FORMAT_APITRACE_STREAM_H
#include "base/vec.h"
#include "format/apitrace/call.h"
#include "format/input.h"

typedef struct CallBatch {
    VEC(CallEvents) events;
    VEC(uint8_t *) copies; /* owned bytes of calls that began in an earlier block */
} CallBatch;

static inline size_t batch_count(const CallBatch *batch)
{
    return vec_count(&batch->events);
}

static inline const CallEvents *batch_call(const CallBatch *batch, size_t i)
{
    return &batch->events.items[i];
}

typedef struct CallStream {
    ApiHeader  header;
    Signatures sigs;
    Bytes      properties; /* the bytes of the properties, for api_property */
    uint64_t   call_count; /* number of calls begun so far */
    bool       complete;   /* the container and the stream ended regularly */
    bool       stopped;    /* by the consumer */
    Err        why;        /* if not complete */
} CallStream;

/* The receiver of the calls. One thread at a time calls its functions, except `job`. All members except `job` may be
 * NULL. */
typedef struct CallConsumer {
    /* Called once, after the header was parsed. */
    bool (*header)(void *context, const CallStream *stream, Err *err);
    /* Returns false to leave out a call. Called in the order of the stream, before the call's batch, possibly at the
     * same time as the jobs of the previous batch. */
    bool (*wants)(void *context, const CallEvents *call);
    /* Returns the number of jobs for a batch. The batch may be empty. */
    size_t (*begin)(void *context, const CallBatch *batch);
    /* Does job i, on any thread. */
    void (*job)(void *context, const CallBatch *batch, size_t i);
    /* Called after all jobs of the batch. Returns false to stop. */
    bool (*end)(void *context, const CallBatch *batch);
    void *context;
} CallConsumer;

/* Passes all calls of the input to the consumer, after input_begin_part. Returns true also for a damaged capture: see
 * stream->complete. The caller releases the stream, also after a failure. */
bool call_stream_run(CallStream *stream, Arena *arena, Input *input, unsigned threads,
                     const CallConsumer *consumer, Err *err) WARN_UNUSED;
void call_stream_release(CallStream *stream);

/* As call_stream_run, in steps of some MiB. No job runs between two steps. The CallRun is allocated in `arena`; the
 * arguments must outlive it. NULL when out of memory. */
typedef struct CallRun CallRun;
CallRun               *call_run_create(CallStream *stream, Arena *arena, Input *input, unsigned threads,
                                       const CallConsumer *consumer) WARN_UNUSED;
/* Does a step. Sets *more to false after the last one. Returns false on failure. */
bool call_run_step(CallRun *run, bool *more, Err *err) WARN_UNUSED;
void call_run_release(CallRun *run); /* accepts NULL */

/* Returns a grammar with the definitions of the stream so far. */
Grammar call_stream_grammar(const CallStream *stream);

#endif
