/* app/live/shown.h - what a sender sends, as a trace of the session that grows.
 *
 * The session's readers and the receiver exclude each other (app/session/live_source.h). The builder's tables
 * are the trace's own, so feeding is changing: the stream is pushed between shown_begin and shown_end alone. */
#ifndef APP_LIVE_SHOWN_H
#define APP_LIVE_SHOWN_H
#include "app/session/live_source.h"
#include "format/stream.h"

typedef struct ShowRules {
    Session *session;             /* borrowed; NULL = nothing is shown */
    uint64_t keep_bytes, keep_ns; /* of one sender; 0 = no bound. All together have another: budget.h */
} ShowRules;

typedef struct Shown Shown;

/* Adds the stream's trace to the session, and takes its builder over (so that it is gone when this fails). `store`
 * gives what was received; it is not closed. Outlives the session: destroy that first. NULL: err filled. */
Shown *shown_create(const ShowRules *rules, Stream *stream, const char *name, const InputStore *store,
                    Err *err) WARN_UNUSED;
/* False: somebody has been reading for so long; to be tried again. */
bool shown_begin(Shown *shown, unsigned patience_ms) WARN_UNUSED;
/* SHOW_ALL: also what was put off because it changes much; for when it is quiet, and at the end. False: the
 * trace grows no more (err). */
typedef enum { SHOW_NEWS, SHOW_ALL } ShowRule;
bool         shown_end(Shown *shown, ShowRule rule, Err *err) WARN_UNUSED;
void         shown_report(Shown *shown, LiveState state, uint64_t bytes, const ReadLosses *losses);
uint64_t     shown_events(const Shown *shown); /* taken in so far */
unsigned     shown_looks(const Shown *shown);  /* how often it was asked about */
/* Bytes of its columns and index, and the bound to them from the next shown_end on. */
uint64_t shown_column_bytes(const Shown *shown);
void     shown_keep_columns(Shown *shown, uint64_t bytes);
uint64_t shown_held_bytes(const Shown *shown); /* of its builder */
bool     shown_exceeds(const Shown *shown); /* as live_exceeds */
/* Returns the bytes of memory that its tracks, rows and tables take, beside the columns. */
uint64_t shown_table_bytes(const Shown *shown);
const Trace *shown_trace(const Shown *shown);
void         shown_destroy(Shown *shown); /* NULL is allowed */

#endif
