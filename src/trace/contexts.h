/* trace/contexts.h - which context is active when on which thread: from the builder's log to Trace.contexts, and the other
 * things that are told of a trace beside its tracks. For src/trace only. */
#ifndef TRACE_CONTEXTS_H
#define TRACE_CONTEXTS_H
#include "trace/finish.h"

typedef struct ContextEvent {
    int64_t  tick;
    uint64_t offset;
    uint32_t label, event;
    uint32_t thread; /* of the builder */
    StringId scope, id;
    uint32_t kind; /* ContextEventKind */
} ContextEvent;

/* After the layout: threads become tracks. False when out of memory. */
bool contexts_collect(Finish *finish) WARN_UNUSED;

#endif
