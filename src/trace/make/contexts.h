/* trace/make/contexts.h - the active contexts of threads: from the builder's log to Trace.records.contexts,
 * and other properties of a trace that are not on tracks. For src/trace only. */
#ifndef TRACE_MAKE_CONTEXTS_H
#define TRACE_MAKE_CONTEXTS_H
#include "trace/make/finish.h"

/* The contexts of one thread: adjacent, by time of entry. */
typedef struct ContextRange {
    uint32_t thread; /* of the builder */
    uint32_t first, count;
} ContextRange;

typedef struct ContextsMade {
    const ContextEvent *events; /* in the order of the input; borrowed */
    size_t              event_count;
    size_t              first_fresh; /* events from this one on are reported if they are unmatched */
    Arena              *arena;       /* for `contexts` */
    Arena              *work_arena;  /* for `entries` and `ranges` */
    Context            *contexts;    /* by the builder's thread, which need not be the order of tracks */
    uint32_t           *entries;     /* by context: the event that enters it */
    ContextRange       *ranges;      /* by the builder's thread */
    uint32_t            count, range_count;
} ContextsMade;

/* Pairs the events: fills everything from `contexts` on, and adds to finish->context_warnings. Context.thread is the
 * builder's until contexts_place. False when out of memory. */
bool contexts_make(Finish *finish, ContextsMade *made) WARN_UNUSED;
/* Makes them the trace's: threads become tracks, 0 for those without a track. Call it after each layout. False when out
 * of memory. */
bool contexts_place(const Finish *finish, const ContextsMade *made) WARN_UNUSED;

/* Fills TraceRecords.contexts, dump_parts and clock_syncs, after the layout. False when out of memory. */
bool contexts_collect(Finish *finish) WARN_UNUSED;

#endif
