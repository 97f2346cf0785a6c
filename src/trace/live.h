/* trace/live.h - a trace that grows while it is read: the same Trace, changed in place.
 *
 * A reader feeds a builder as ever; now and then live_absorb takes in what was fed and brings the trace up to
 * date. It is appended: of a row that got slices only its end is written, and of its level-of-detail index
 * the nodes at its end on each level. Where something late arrives that lies around, or before, what is there
 * already (a slice that is written when it ends, around those inside it), the track is laid out anew from the
 * last moment before it at which nothing was open.
 *
 * Everything that a finished trace has is there: what it shows on tracks, with all that details tell of it,
 * arrows, contexts, and what it keeps beside them. Where very much would have to be laid out anew for little,
 * that waits for more, or for live_settle. Arrows are made of the latest 2^15 events of flows, and of all by
 * live_settle. A begin or an end that is earlier than the one before it on its thread is shown at that one's
 * time, with a warning: only the finished trace sorts them.
 *
 * What is open outlives what it was opened before. With keep_bytes asynchronous slices and objects that are
 * open for ever, because their ends were lost, go as well, and so do contexts that are never left when they
 * fill an eighth of it. Of what goes by one id and is open while more than a sixteenth of it is said, the
 * begin stays, and the latest.
 *
 * One thread feeds and absorbs. Others may read the trace in between: a lock above keeps them apart from
 * both, because names and labels lie where the builder keeps them. Ids (of slices, rows, tracks) hold until
 * an absorb after which `shape` is set. */
#ifndef TRACE_LIVE_H
#define TRACE_LIVE_H
#include "trace/builder.h"

typedef struct LiveTrace LiveTrace;

/* With either, there is a bound to new names as well (a quarter of keep_bytes, 1 to 256 MiB:
 * builder_set_names_most), to processes and threads (one for each 4 KiB of keep_bytes, 1,024 to 65,536:
 * builder_set_tracks_most) and to ids of asynchronous slices of which something is left (one for each 128 bytes,
 * 16,384 to 2^20: builder_set_strands_most). */
typedef struct LiveOptions {
    uint64_t keep_bytes; /* of columns and index; 0 = no bound */
    uint64_t keep_ns;    /* of time before the latest event; 0 = no bound */
} LiveOptions;

/* What an absorb changed. */
typedef struct LiveChange {
    bool     any;
    bool     shape; /* processes, tracks, rows, names, or where slices stand: more than counts and the span */
    int64_t  from_tick; /* what stands wholly before it is as it was, unless `shape` */
    uint64_t dropped;   /* slices and instants that were let go to keep to the options */
} LiveChange;

/* Takes the builder over, also when it fails; the reader goes on feeding it. NULL: err filled (no memory, or
 * there is no address space to grow in, as in a browser). */
LiveTrace *live_create(TraceBuilder *builder, const LiveOptions *options, Err *err) WARN_UNUSED;
/* False: out of memory, or the builder's limit; the trace stays as it was after the last one that
 * succeeded, and grows no more. */
bool live_absorb(LiveTrace *live, LiveChange *change, Err *err) WARN_UNUSED;
/* The same, and takes in also what was put off because much would have had to be laid out anew for it: when
 * nothing more will come, or nothing has come for a while. */
bool live_settle(LiveTrace *live, LiveChange *change, Err *err) WARN_UNUSED;
/* The same address for life. It holds nothing before the first absorb. Not to be released. */
Trace *live_trace(LiveTrace *live);
/* Slices and instants taken in, and those dropped since. */
uint64_t live_event_count(const LiveTrace *live);
uint64_t live_dropped_count(const LiveTrace *live);
/* Events that are not shown now, but will be by live_settle: earlier ones of flows. */
uint64_t live_unshown_count(const LiveTrace *live);
/* Sets LiveOptions.keep_bytes anew. The next live_absorb keeps to it; the bounds of names, threads and ids stay. */
void live_set_keep_bytes(LiveTrace *live, uint64_t keep_bytes);
/* Bytes of columns and index that are in use. */
uint64_t live_bytes(const LiveTrace *live);
/* True if the latest live_absorb left more than keep_bytes, because what is open cannot be let go. */
bool live_exceeds(const LiveTrace *live);
/* Returns the bytes of memory that tracks, rows and the tables about them take, beside the columns. */
uint64_t live_table_bytes(LiveTrace *live);
void     live_destroy(LiveTrace *live); /* NULL is allowed */

#endif
