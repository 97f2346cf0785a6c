/* trace/contexts.h - which context is active when on which thread: from the builder's log to Trace.contexts,
 * and the other things that are told of a trace beside its tracks. For src/trace only. */
#ifndef TRACE_CONTEXTS_H
#define TRACE_CONTEXTS_H
#include "trace/finish.h"

typedef struct ContextEvent {
    int64_t  tick;
    uint64_t offset;
    uint32_t label, event;
    uint32_t thread; /* of the builder */
    StringId scope, id;
    uint16_t kind;     /* ContextEventKind */
    bool     is_fresh; /* of a trace that grows: it has just come */
} ContextEvent;

/* What a thread is in while its events are told in order of time. */
typedef struct ContextWalk {
    const Label *labels; /* the builder's */
    Context     *made;   /* has room for those it enters; Context.thread is the builder's */
    uint32_t     made_count;
    uint32_t    *open; /* likewise: of `made`, those that are not left yet */
    uint32_t     open_count;
} ContextWalk;

/* False: a context is left that the thread has not entered, or that many others were entered since. */
bool context_step(ContextWalk *walk, const ContextEvent *event) WARN_UNUSED;
#define UNMATCHED_CONTEXT "a context is left that its thread has not entered"

/* After the layout: threads become tracks. False when out of memory. */
bool contexts_collect(Finish *finish) WARN_UNUSED;

#endif
