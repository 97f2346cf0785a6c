/* app/session/live_source.h - a growing trace of a session.
 *
 * The receiver owns the trace; the session reads it on any thread and is notified of changes. The trace changes only
 * between live_source_begin and live_source_end, when no request reads it:
 *
 *     if (live_source_begin(source, 10)) {             short: requests wait meanwhile
 *         live_absorb(live, &change, &err);
 *         live_source_end(source, &(SourceChange){ change.any, change.shape, change.from_tick });
 *     }                                                else: a request reads for long; continue to receive, and try again
 *     live_source_report(source, &report);             counters, after every change
 *
 * Every change is a new generation. A change of ids or names is a new shape: a request with ids of an older shape (tracks,
 * rows and slices) is refused (docs/PROTOCOL.md, `shape`). */
#ifndef APP_SESSION_LIVE_SOURCE_H
#define APP_SESSION_LIVE_SOURCE_H
#include "app/session/session.h"

/* Announces that senders to `where` ("udp:127.0.0.1:5000") may add more traces at any time: `status` reports it, also
 * while there is no trace. `where` must outlive the session. Call before the first request. */
void session_listens(Session *session, const char *where);

typedef struct LiveSource LiveSource; /* the session's; valid until it is destroyed */

/* Adds a growing trace: `loaded` is like a finished load, with the present trace and a
 * store of the bytes received so far. The struct is copied; the receiver owns the memory it points to, which
 * must outlive the session. The trace keeps its address. One thread at a time adds
 * traces to a session. Fails with ERR_MEMORY or ERR_LIMIT (too many traces). */
LiveSource *session_add_live(Session *session, const Loaded *loaded, Err *err) WARN_UNUSED;

/* Whether another trace can be added; false for NULL. */
bool session_has_room(const Session *session);

/* As LiveChange of trace/live.h. */
typedef struct SourceChange {
    bool any;
    bool shape; /* more than counts and the time range: processes, tracks, rows, names */
    int64_t from_tick; /* everything that ends before it is unchanged, unless `shape` */
} SourceChange;

/* From here to live_source_end the trace is the caller's alone. False when others read all that time (0 = do not wait):
 * nothing was begun. One thread per source. */
bool live_source_begin(LiveSource *source, unsigned patience_ms) WARN_UNUSED;
void live_source_end(LiveSource *source, const SourceChange *change);

/* Sets the wall-clock time, in ns since 1970, at which the latest data arrived: the first event with a time is
 * placed there on the common axis (view/axis.h). Only the first call after that event counts. Between live_source_begin
 * and live_source_end. */
void live_source_arrived(LiveSource *source, int64_t unix_ns);

typedef enum {
    LIVE_RECEIVING,
    LIVE_PAUSED,
    LIVE_ENDED
} LiveState; /* paused: received data is not processed at the moment */

typedef struct LiveReport {
    LiveState state;
    uint64_t  bytes, events; /* received */
    uint64_t  lost;          /* events that were sent and did not come, as far as they are known */
    uint64_t  skipped;       /* bytes that nothing was recognised in */
    uint64_t  unshown;       /* events of flows that have no arrows yet: they will once nothing more comes for a while */
    uint64_t  dropped;       /* slices and instants that were let go to keep memory bounded */
} LiveReport;
/* Sets the counters of `status` and `changes`. Any thread. */
void live_source_report(LiveSource *source, const LiveReport *report);

/* Returns the number of requests about the trace so far (modulo 2^32): a page is open as long as it increases. Any
 * thread. */
unsigned live_source_looks(const LiveSource *source);

#endif
