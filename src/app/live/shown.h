/* app/live/shown.h - the data of a sender as a growing trace of the session.
 *
 * The session's readers and the receiver exclude each other (app/session/live_source.h). The trace shares the tables of the
 * builder, so the stream may be pushed only between shown_begin and shown_end. */
#ifndef APP_LIVE_SHOWN_H
#define APP_LIVE_SHOWN_H
#include "app/session/live_source.h"
#include "format/stream.h"

typedef struct ShowRules {
    Session *session;             /* borrowed; NULL = no viewer */
    uint64_t keep_bytes, keep_ns; /* of one sender; 0 = no limit. budget.h limits all together */
} ShowRules;

typedef struct Shown Shown;

/* Adds the stream's trace to the session, and takes the ownership of its builder, also on failure. `store`
 * reads the received bytes; it is not closed. Must outlive the session. NULL: err filled. */
Shown *shown_create(const ShowRules *rules, Stream *stream, const char *name, const InputStore *store,
                    Err *err) WARN_UNUSED;
/* False: a request has been reading for patience_ms; try again later. */
bool shown_begin(Shown *shown, unsigned patience_ms) WARN_UNUSED;
/* SHOW_ALL: includes late events that change large parts; used in pauses and at the end. False: the trace cannot grow
 * any further (err). */
typedef enum { SHOW_NEWS, SHOW_ALL } ShowRule;
bool     shown_end(Shown *shown, ShowRule rule, Err *err) WARN_UNUSED;
void     shown_report(Shown *shown, LiveState state, uint64_t bytes, const ReadLosses *losses);
uint64_t shown_events(const Shown *shown);        /* processed so far */
unsigned shown_request_count(const Shown *shown); /* the number of requests about it */
/* Return the bytes of its columns and index; set their limit from the next shown_end. */
uint64_t shown_column_bytes(const Shown *shown);
void     shown_keep_columns(Shown *shown, uint64_t bytes);
/* Returns the bytes of memory that its columns take, with free rooms: a part of memory_held(). */
uint64_t shown_column_memory(const Shown *shown);
uint64_t shown_held_bytes(const Shown *shown); /* of its builder */
bool     shown_exceeds(const Shown *shown);    /* as live_exceeds */
/* Returns the bytes of memory of its tracks, rows and tables, without the columns. */
uint64_t     shown_table_bytes(const Shown *shown);
const Trace *shown_trace(const Shown *shown);
void         shown_destroy(Shown *shown); /* NULL is allowed */

#endif
