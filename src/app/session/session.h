/* app/session/session.h - the engine behind one small protocol: a request is a path with a query, the answer is
 * bytes with a content type. HTTP (app/server) and a Worker's messages (app/wasm) carry it unchanged.
 *
 *   status                                    JSON: every trace's name, state, progress or error
 *   cancel?trace=0                            stops a load
 *   outline?trace=0                           trace/outline.h
 *   overview?trace=0&buckets=1024             trace/outline.h
 *   labels?trace=0&page=0                     trace/outline.h
 *   tiles?trace=0&keys=T.B.L.I,T.B.L.I,...    trace/tile.h, each tile preceded by its size (u32 little-endian; 0 = no such)
 *   slice?trace=0&id=5                        JSON: everything about a slice, its place and parents
 *   instant?trace=0&id=5                      JSON
 *   near?trace=0&id=5&move=parent             JSON: the place of a neighbour, or null.
 *                                             parent child next previous next-same previous-same
 *   stats?trace=0&begin=B&end=E&tracks=1,2    JSON: a table of names; begin and end in ticks from the trace's begin
 *   find?trace=0&text=foo&from=5&move=next    JSON: the place of the next slice whose name holds the text, and how many there are
 *   info?trace=0                              JSON: as `varve info --json`
 *
 * In JSON every tick, nanosecond and id is an exact integer in a string where it may pass 2^53; texts for people stand beside
 * them. Answers are deterministic and, but for status, immutable: they may be cached by the session's tag. */
#ifndef APP_SESSION_SESSION_H
#define APP_SESSION_SESSION_H
#include "format/load.h"

typedef struct Session Session;

typedef enum {
    SESSION_OK,
    SESSION_NOT_READY, /* the trace is still loading */
    SESSION_BAD_REQUEST,
    SESSION_NOT_FOUND,
    SESSION_FAILED /* out of memory, or the input could not be read again */
} SessionStatus;

typedef struct Answer {
    SessionStatus status;
    const char   *content_type; /* static */
    bool          immutable;
    Bytes         body; /* the caller's, released by it; for failures one line of text */
} Answer;

Session *session_create(void) WARN_UNUSED;
/* Cancels and joins what still loads. */
void session_destroy(Session *session);

/* Takes over a finished load (traces are numbered in this order). False when out of memory: `loaded` is then still the caller's. */
bool session_add_loaded(Session *session, Loaded *loaded) WARN_UNUSED;
/* Answers "DIR?QUERY" (percent-encoded, no leading slash). Any number of threads at once. */
Answer session_answer(Session *session, const char *request);

#endif
