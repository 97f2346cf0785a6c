/* app/session/live_source.h - a growing trace of a session.
 *
 * The receiver owns the trace; the session reads it on any thread and is notified of changes. The trace
 * changes only between live_source_begin and live_source_end, when no request reads it:
 *
 *     if (live_source_begin(source, 10)) {             short, because requests wait in the meantime
 *         live_absorb(live, &change, &err);
 *         live_source_end(source, &(SourceChange){ change.any, change.shape, change.from_tick });
 *     }                                                else: a long request is reading; continue to receive, and try again
 *     live_source_report(source, &report);             counters, after every change
 *
 * Every change is a new generation. A change of ids or names is a new shape: a request with ids of an older
 * shape (tracks, rows and slices) is refused (docs/PROTOCOL.md, `shape`). */
#ifndef APP_SESSION_LIVE_SOURCE_H
#define APP_SESSION_LIVE_SOURCE_H
#include "app/session/session.h"
#include "trace/live/live.h"

/* Announces that senders to `where` ("udp:127.0.0.1:5000, unix:trace.sock") may add traces at any time; `status` reports it,
 * also while there is no trace. `where` must outlive the session. Call before the first request. */
void session_listens(Session *session, const char *where);

typedef struct LiveSource LiveSource; /* owned by the session; valid until it is destroyed */

/* Adds a growing trace: `loaded` is like a finished load, with the present trace and a
 * store of the bytes received so far. The struct is copied; the receiver owns the memory it points to, which
 * must outlive the session. The trace keeps its address. `live`: the same trace, of which requests that take long make
 * copies; NULL = they exclude the receiver. One thread at a time adds traces to a session. Fails with ERR_MEMORY or ERR_LIMIT
 * (too many traces). */
LiveSource *session_add_live(Session *session, const Loaded *loaded, const LiveTrace *live,
                             Err *err) WARN_UNUSED;

/* True if another trace can be added; false for NULL. */
bool session_has_room(const Session *session);

/* As LiveChange of trace/live/live.h. */
typedef struct SourceChange {
    bool    any;
    bool    shape;     /* more than counts and the time range: processes, tracks, rows, names */
    int64_t from_tick; /* slices that end before it have not changed, unless `shape` */
} SourceChange;

/* Gives the caller exclusive access to the trace until live_source_end. False if requests read it for all of
 * this time (0 = do not wait): there is no access. One thread per source. */
bool live_source_begin(LiveSource *source, unsigned patience_ms) WARN_UNUSED;
void live_source_end(LiveSource *source, const SourceChange *change);

/* Sets the wall-clock time, in ns since 1970, at which the latest data arrived: it places the first event
 * with a time on the common axis (view/axis.h). Only the first call after that event has an effect. Call
 * between live_source_begin and live_source_end. */
void live_source_arrived(LiveSource *source, int64_t unix_ns);

typedef enum {
    LIVE_RECEIVING,
    LIVE_PAUSED, /* received data is not processed at the moment */
    LIVE_ENDED
} LiveState;

typedef struct LiveReport {
    LiveState state;
    uint64_t  bytes, events; /* received */
    uint64_t  lost;          /* events that were sent and not received, as far as known */
    uint64_t  skipped;       /* bytes that were not recognised */
    uint64_t  unshown;       /* events of flows without arrows so far */
    uint64_t  dropped;       /* slices and instants that were removed to limit memory */
} LiveReport;
/* Sets the counters of `status` and `changes`. Any thread. */
void live_source_report(LiveSource *source, const LiveReport *report);

/* Returns the number of requests about the trace so far (modulo 2^32): it increases as long as a page is
 * open. Any thread. */
unsigned live_source_request_count(const LiveSource *source);

#endif
