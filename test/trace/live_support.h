/* live_support.h - events of every kind for growing traces, and a comparison of each with the trace that is built from
 * the same events at once. */
#ifndef TEST_TRACE_LIVE_SUPPORT_H
#define TEST_TRACE_LIVE_SUPPORT_H
#include "trace/live/live.h"

typedef enum {
    OP_BEGIN,
    OP_END,
    OP_COMPLETE,
    OP_ENDLESS,
    OP_INSTANT,
    OP_PROCESS_INSTANT,
    OP_GLOBAL_INSTANT,
    OP_SAMPLE,
    OP_NAME,
    OP_ASYNC_BEGIN,
    OP_ASYNC_END,
    OP_ASYNC_INSTANT,
    OP_OBJECT_CREATED,
    OP_OBJECT_SNAPSHOT,
    OP_OBJECT_DELETED,
    OP_STACK_SAMPLE,
    OP_SETTLE,
    OP_FLOW,       /* a separate event */
    OP_FLOW_SLICE, /* a slice that is a flow event */
    OP_CONTEXT_ENTERED,
    OP_CONTEXT_LEFT,
    OP_DUMP,
    OP_CLOCK_SYNC,
    OP_MOMENT
} OpKind;

typedef struct Op {
    OpKind   kind;
    int64_t  pid, tid, tick, end;
    unsigned name; /* 0 = none */
    unsigned flags;
    unsigned id; /* the id that connects events of several threads */
} Op;

/* Stacks of one builder that are used before they are defined. */
enum { PROMISES = 4 };
typedef struct Promises {
    StackId later[PROMISES];
    bool    is_kept[PROMISES];
} Promises;

void     random_start(uint64_t seed);
uint64_t random_below(uint64_t bound);

TraceBuilder *op_builder(MatchRule match, TieRule ties);
/* Adds one event: the `number`-th of its file. */
void op_apply(TraceBuilder *b, Promises *promises, const Op *op, uint64_t number);
/* Adds the events, absorbs at random times, and compares with the trace that is built at once: at the end and, usually
 * one time in `often`, in between (0: never). Copies of the trace stay as they are while it grows. */
void ops_grow(const Op *ops, size_t count, MatchRule match, TieRule ties, unsigned often);
/* Adds the events, absorbs after each `step` of them, and checks the trace often. Compares at the end with the trace that is built at
 * once. */
void ops_grow_in_steps(const Op *ops, size_t count, size_t step);
/* Adds a begin and its end, 5 ticks later; they take the next two numbers of *event. */
void begin_and_end(TraceBuilder *b, TrackId thread, LabelId label, int64_t tick, uint64_t *event);

/* Random streams of some kinds of events, on three threads of two processes; some are late, some are incomplete.
 * Details depend on the seed. */
typedef enum {
    STREAM_BEGIN_END,
    STREAM_COMPLETES,
    STREAM_MIXED,
    STREAM_ASYNC,
    STREAM_OBJECTS,
    STREAM_SAMPLES,
    STREAM_FLOWS,
    STREAM_CONTEXTS,
    STREAM_KEPT /* memory dumps, comparisons of clocks, moments */
} StreamKind;
enum { STREAM_KINDS = STREAM_KEPT + 1 };
size_t stream_make(StreamKind kind, uint64_t seed, Op *ops, size_t most);

#endif
