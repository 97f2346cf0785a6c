/* trace/make/contexts.h - the active contexts of threads: from the builder's log to Trace.records.contexts,
 * and other properties of a trace that are not on tracks. For src/trace only. */
#ifndef TRACE_MAKE_CONTEXTS_H
#define TRACE_MAKE_CONTEXTS_H
#include "trace/make/finish.h"

/* State while the context events of threads are paired in time order. The open contexts are in a hash table by thread,
 * name, scope and id. The caller owns all arrays. */
typedef struct ContextWalk {
    const Label *labels; /* the builder's */
    Context     *made;   /* by time of entry; has room for all entries; Context.thread is the builder's */
    /* By index into `made`, with the same room: 1 + the index of the previous open context of the same bucket, 0 = none.
     * CONTEXT_CLOSED if the context is not open. */
    uint32_t *previous;
    uint32_t *buckets;      /* 1 + the index of the latest open context, 0 = none */
    uint32_t  bucket_count; /* a power of two */
    uint32_t  made_count, open_count;
    uint64_t  key; /* of the hash: random, so that a file cannot choose names and ids that share a bucket */
} ContextWalk;

#define CONTEXT_CLOSED UINT32_MAX

/* Enters a context, or closes the innermost open context of the same name, scope and id. False if no such context is
 * open. */
bool context_step(ContextWalk *walk, const ContextEvent *event) WARN_UNUSED;
/* Fills the buckets, which are zeroed, with the open contexts. */
void context_index(ContextWalk *walk);
/* Removes all contexts. */
void context_rewind(ContextWalk *walk);
#define UNMATCHED_CONTEXT "a context is left that its thread has not entered"

/* After the layout: threads become tracks. False when out of memory. */
bool contexts_collect(Finish *finish) WARN_UNUSED;

#endif
