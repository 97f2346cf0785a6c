/* format/apitrace/stream.h - the calls of a capture one by one, each when it is complete, for the text and the tools.
 *
 * A call comes when it returns; those that never do come at the end, in the order in which they began. While
 * the calls of one block are worked on, the next block is taken apart and the one behind it decompressed, on
 * as many threads as there are. */
#ifndef FORMAT_APITRACE_STREAM_H
#define FORMAT_APITRACE_STREAM_H
#include "format/apitrace/call.h"
#include "format/input.h"

typedef struct CallBatch {
    Bytes memory; /* CallEvents[] */
    Bytes copies; /* uint8_t *[]: owned bytes of calls whose begin stood in an earlier block */
} CallBatch;

static inline size_t batch_count(const CallBatch *batch)
{
    return batch->memory.size / sizeof(CallEvents);
}

static inline const CallEvents *batch_call(const CallBatch *batch, size_t i)
{
    return (const CallEvents *)(const void *)batch->memory.data + i;
}

typedef struct CallStream {
    ApiHeader  header;
    Signatures sigs;
    Bytes      properties; /* the bytes of the properties, walked by api_property */
    uint64_t   call_count; /* begun so far */
    uint64_t   unknown_returns;
    bool       complete; /* the container and the stream ended where they should */
    bool       stopped;  /* by the consumer */
    Err        why;      /* not complete */
} CallStream;

/* What is done with the calls. All but `job` is called by one thread at a time; anything may be NULL but `job`. */
typedef struct CallConsumer {
    /* Once, as soon as the header is known. */
    bool (*header)(void *context, const CallStream *stream, Err *err);
    /* Whether the call is wanted at all: in the order of the stream, before the batch it is in. Beside the
     * jobs of the batch before. */
    bool (*wants)(void *context, const CallEvents *call);
    /* How many jobs the batch makes; it may be empty. */
    size_t (*begin)(void *context, const CallBatch *batch);
    /* Any thread. */
    void (*job)(void *context, const CallBatch *batch, size_t i);
    /* All were done. False: no more is wanted. */
    bool (*end)(void *context, const CallBatch *batch);
    void *context;
} CallConsumer;

/* Behind input_begin_part. True also for a damaged capture: see stream->complete. Release the
 * stream, also after a failure. */
bool call_stream_run(CallStream *stream, Arena *arena, Input *input, unsigned threads,
                     const CallConsumer *consumer, Err *err) WARN_UNUSED;
void call_stream_release(CallStream *stream);

/* The same step by step, for who has other things to do in between; a step is some MiB, and between two no
 * job is at work. Lives in `arena`; what is given must outlive it. NULL when out of memory. */
typedef struct CallRun CallRun;
CallRun               *call_run_create(CallStream *stream, Arena *arena, Input *input, unsigned threads,
                                       const CallConsumer *consumer) WARN_UNUSED;
/* *more false: that was the last one. False when it failed. */
bool call_run_step(CallRun *run, bool *more, Err *err) WARN_UNUSED;
void call_run_release(CallRun *run); /* NULL is allowed */

/* A grammar that looks up what the stream has defined so far. */
Grammar call_stream_grammar(const CallStream *stream);

#endif
