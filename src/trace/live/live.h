/* trace/live/live.h - a growing trace: the same Trace, changed in place.
 *
 * A reader feeds a builder as usual; from time to time live_absorb adds the new events to the
 * trace. New slices are appended: only the end of a row is written, and the nodes at the end of each level
 * of its level-of-detail index. If a late event is around, or before, existing slices
 * (a slice that is written when it ends, around those inside it), the track is laid out again from the begin of this
 * event on.
 *
 * A growing trace has all data of a finished trace: tracks, details, flows, contexts and raw events. If a small change
 * would require a large part to be laid out again,
 * it waits for more changes, or for live_settle. Flows are made of the latest 2^15 flow events, and by
 * live_settle of all. A begin or an end that is earlier than the one before it on its thread is shown at the time of that
 * one, with a warning: only the finished trace sorts them.
 *
 * Open slices are kept although slices before them were removed. With keep_bytes, asynchronous slices and objects that are
 * open for ever, because their ends were lost, are removed as well, and so are contexts that are never left when they
 * fill an eighth of it. If the open events of one id take more than a sixteenth of it, the
 * begin and the latest are kept.
 *
 * One thread feeds and absorbs. Others may read the trace in between. The caller's lock excludes them from
 * both, because the builder owns names and labels. Ids (of slices, rows, tracks) are valid until
 * an absorb after which `shape` is set. */
#ifndef TRACE_LIVE_LIVE_H
#define TRACE_LIVE_LIVE_H
#include "trace/log/builder.h"

typedef struct LiveTrace LiveTrace;

/* Either limit also bounds the new names (a quarter of keep_bytes, 1 to 256 MiB: builder_set_names_most), the
 * processes and threads (one for each 4 KiB of keep_bytes, 1,024 to 65,536: builder_set_tracks_most) and the async ids
 * in use (one for each 128 bytes, 16,384 to 2^20: builder_set_async_ids_most). */
typedef struct LiveOptions {
    uint64_t keep_bytes; /* of columns and index; 0 = no bound */
    uint64_t keep_ns;    /* of time before the latest event; 0 = no bound */
} LiveOptions;

/* Changes made by an absorb. */
typedef struct LiveChange {
    bool any;
    /* processes, tracks, rows, names, or positions of slices: more than counts and the span */
    bool     shape;
    int64_t  from_tick; /* everything that ends before it is unchanged, unless `shape` */
    uint64_t dropped;   /* slices and instants that were removed because of LiveOptions */
} LiveChange;

/* Takes ownership of the builder, also on failure; the reader continues to feed it. NULL: err filled (out of memory,
 * or out of address space, as in a browser). */
LiveTrace *live_create(TraceBuilder *builder, const LiveOptions *options, Err *err) WARN_UNUSED;
/* Adds the builder's new events to the trace. False: out of memory, or at the builder's limit. The trace then keeps
 * its state after the last call that succeeded, and does not grow any more. */
bool live_absorb(LiveTrace *live, LiveChange *change, Err *err) WARN_UNUSED;
/* As live_absorb, and also makes the postponed changes, which lay out a large part again. For the end and for pauses
 * of the input. */
bool live_settle(LiveTrace *live, LiveChange *change, Err *err) WARN_UNUSED;
/* Returns the trace, owned by `live`. The address never changes. The trace is empty before the first live_absorb. */
Trace *live_trace(LiveTrace *live);
/* Return the number of added slices and instants, and the number of removed ones. */
uint64_t live_event_count(const LiveTrace *live);
uint64_t live_dropped_count(const LiveTrace *live);
/* Returns the number of events that only live_settle will show: earlier events of flows. */
uint64_t live_unshown_count(const LiveTrace *live);
/* Changes LiveOptions.keep_bytes from the next live_absorb on. The limits of names, threads and ids stay. */
void live_set_keep_bytes(LiveTrace *live, uint64_t keep_bytes);
/* Returns the bytes of columns and index that are in use: LiveOptions.keep_bytes bounds them. */
uint64_t live_bytes(const LiveTrace *live);
/* Returns the bytes of memory that columns take in reserved address space: part of memory_held(). */
uint64_t live_column_bytes(const LiveTrace *live);
/* True if the latest live_absorb left more than keep_bytes, because open slices cannot be removed. */
bool live_exceeds(const LiveTrace *live);
/* Returns the bytes of memory that tracks, rows, asynchronous slices, objects, contexts and the tables about them take,
 * beside the columns and the builder. */
uint64_t live_table_bytes(LiveTrace *live);
void     live_destroy(LiveTrace *live); /* NULL is allowed */

/* A copy of the trace, which does not change: for readers that take longer than the trace can wait. Its ids are those of
 * the trace at the time of the copy. It has no level-of-detail index. `live` must outlive it: they share the texts. */
typedef struct LiveCopy LiveCopy;
/* Returns a copy. Other threads may read the trace meanwhile. NULL: out of memory. */
LiveCopy *live_copy(const LiveTrace *live) WARN_UNUSED;
Trace    *live_copy_trace(LiveCopy *copy);
void      live_copy_release(LiveCopy *copy); /* NULL is allowed */

#endif
