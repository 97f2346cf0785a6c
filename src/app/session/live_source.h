/* app/session/live_source.h - a trace that grows while it is looked at, as one more trace of a session.
 *
 * Whoever receives it keeps it: the session reads, on any thread, and is told what changed. So that neither
 * sees the other's half-done work, the trace changes between live_source_begin and live_source_end alone:
 *
 *     if (live_source_begin(source, 10)) {             short: nobody can look meanwhile
 *         live_absorb(live, &change, &err);
 *         live_source_end(source, &(SourceChange){ change.any, change.shape, change.from_tick });
 *     }                                                else: somebody reads for long; receive on, and try again
 *     live_source_report(source, &report);             counters, whenever there is news
 *
 * Every change that changes something is a generation, and those that renumber or name anything anew are a
 * new shape: what was learned of an older shape (ids of tracks, rows and slices) is refused when it is asked
 * for (session.h, `shape`). */
#ifndef APP_SESSION_LIVE_SOURCE_H
#define APP_SESSION_LIVE_SOURCE_H
#include "app/session/session.h"

/* More traces may be added at any time, by whoever sends to `where` ("udp:127.0.0.1:5000"): `status` says
 * so, and that there is something to wait for while there is none. `where` must outlive the session.
 * Before the session answers. */
void session_listens(Session *session, const char *where);

typedef struct LiveSource LiveSource; /* the session's; valid until it is destroyed */

/* Adds a trace that will grow: `loaded` is what a finished load would be, its trace that of the moment, its
 * store what has been received of it so far. The struct is copied; what it points to stays the receiver's,
 * must outlive the session, and is not released by it. The trace keeps its address. One thread at a time adds
 * traces to a session. Fails with ERR_MEMORY or ERR_LIMIT (too many traces). */
LiveSource *session_add_live(Session *session, const Loaded *loaded, Err *err) WARN_UNUSED;

/* Whether another trace can be added; false for NULL. */
bool session_has_room(const Session *session);

/* As LiveChange of trace/live.h. */
typedef struct SourceChange {
    bool any;
    bool shape; /* more than counts and the time range: processes, tracks, rows, names */
    int64_t from_tick; /* what stands wholly before it is as it was, unless `shape` */
} SourceChange;

/* From here to live_source_end the trace is the caller's alone. False when others read all that time (0 = do not wait):
 * nothing was begun. One thread per source. */
bool live_source_begin(LiveSource *source, unsigned patience_ms) WARN_UNUSED;
void live_source_end(LiveSource *source, const SourceChange *change);

/* Notes the wall-clock time, in ns since 1970, at which what came last has arrived: the first event with a time is
 * shown there on the common axis (view/axis.h). Only the first call after that event counts. Between live_source_begin
 * and live_source_end. */
void live_source_arrived(LiveSource *source, int64_t unix_ns);

typedef enum {
    LIVE_RECEIVING,
    LIVE_PAUSED,
    LIVE_ENDED
} LiveState; /* paused: nobody takes what is sent, for now */

typedef struct LiveReport {
    LiveState state;
    uint64_t  bytes, events; /* received */
    uint64_t  lost;          /* events that were sent and did not come, as far as they are known */
    uint64_t  skipped;       /* bytes that nothing was recognised in */
    uint64_t  unshown;       /* events of flows that have no arrows yet: they will once nothing more comes for a while */
    uint64_t  dropped;       /* slices and instants that were let go to keep memory bounded */
} LiveReport;
/* What `status` and `changes` say from now on. Any thread. */
void live_source_report(LiveSource *source, const LiveReport *report);

/* How many requests there were about it so far: somebody looks on as long as they become more
 * (modulo 2^32). Any thread. */
unsigned live_source_looks(const LiveSource *source);

#endif
