/* live_support.h - events of every kind for traces that grow, and what is asked of each such trace: that it
 * is the one that is built of the same events at once. */
#ifndef TEST_TRACE_LIVE_SUPPORT_H
#define TEST_TRACE_LIVE_SUPPORT_H
#include "trace/live.h"

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
    OP_FLOW,       /* an event of its own */
    OP_FLOW_SLICE, /* a slice that is one */
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
    unsigned id; /* what events of several threads go by */
} Op;

/* Stacks that are promised before they are known, of one builder. */
enum { PROMISES = 4 };
typedef struct Promises {
    StackId later[PROMISES];
    bool    is_kept[PROMISES];
} Promises;

void     random_start(uint64_t seed);
uint64_t random_below(uint64_t bound);

TraceBuilder *op_builder(MatchRule match, TieRule ties);
/* Feeds one event: the `number`-th of its file. */
void op_apply(TraceBuilder *b, Promises *promises, const Op *op, uint64_t number);
/* Feeds the events, absorbs at random moments, and compares with what is built at once: at the end and,
 * mostly one time in `often`, on the way (0: never). */
void ops_grow(const Op *ops, size_t count, MatchRule match, TieRule ties, unsigned often);
/* A begin and its end, 5 ticks later; they take the next two numbers of *event. */
void begin_and_end(TraceBuilder *b, TrackId thread, LabelId label, int64_t tick, uint64_t *event);

/* Random streams of some kinds of events, on three threads of two processes; some are late, some lack what
 * belongs to them. What is told varies with the seed. */
typedef enum {
    STORY_MARKS,
    STORY_COMPLETES,
    STORY_MIXED,
    STORY_ASYNC,
    STORY_OBJECTS,
    STORY_SAMPLES,
    STORY_FLOWS,
    STORY_CONTEXTS,
    STORY_KEPT /* memory dumps, comparisons of clocks, moments */
} Story;
enum { STORIES = STORY_KEPT + 1 };
size_t story_tell(Story story, uint64_t seed, Op *ops, size_t most);

#endif
