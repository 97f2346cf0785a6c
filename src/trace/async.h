/* trace/async.h - asynchronous slices: from the builder's log to tracks. For src/trace only.
 *
 * A strand is everything that goes by one id: its begins and ends are matched among themselves, by name, and nest like
 * a thread's. A strand's outermost slices, with all that is inside them, are then units that stand beside those of
 * other strands: per process and name they share a track, each unit on the first lane that is free. */
#ifndef TRACE_ASYNC_H
#define TRACE_ASYNC_H
#include "trace/finish.h"

/* One event of the builder's log. */
typedef struct AsyncEvent {
    int64_t  tick;
    uint64_t place; /* as of an interval, with ASYNC_ bits */
    uint32_t label, event;
    uint32_t strand; /* index into TraceBuilder.strands */
    uint32_t thread; /* of the builder */
    uint16_t kind;   /* index into Trace.event_kinds */
    uint32_t stack;  /* of the builder; 0 = none */
} AsyncEvent;

enum { ASYNC_PLACE_KIND_SHIFT = 4 /* AsyncKind, 2 bits; below them PLACE_ */ };

/* Matches, nests and groups all asynchronous events: fills finish->async. The trace's time range must be known. False when
 * out of memory. */
bool async_prepare(Finish *finish) WARN_UNUSED;

#endif
