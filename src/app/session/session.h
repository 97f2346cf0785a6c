/* app/session/session.h - the engine behind one protocol: a request is a name with parameters, the answer is
 * bytes with a content type. HTTP (app/server) and the messages of a worker (app/wasm) transport both
 * unchanged.
 *
 * docs/PROTOCOL.md lists the requests, their parameters, the answers and the errors. */
#ifndef APP_SESSION_SESSION_H
#define APP_SESSION_SESSION_H
#include "format/load.h"
#include "format/varve/remote.h"

typedef struct Session Session;

enum { SESSION_MAX_TRACES = 64, SESSION_MAX_BODY = 1 << 20, SESSION_MAX_PROFILE = 64 << 20 };

typedef enum {
    SESSION_OK,
    /* a step of the work is done: send the same request again. The body is {"share": 0.25} */
    SESSION_RUNNING,
    SESSION_NOT_READY, /* the trace is still loading */
    SESSION_BAD_REQUEST,
    SESSION_NOT_FOUND,
    SESSION_MOVED, /* the ids of the request belong to an older shape of the trace */
    SESSION_FAILED /* out of memory, or the input could not be read again */
} SessionStatus;

typedef struct Answer {
    SessionStatus status;
    const char   *content_type; /* static */
    bool          immutable;
    uint64_t      tag;  /* of the trace; 0 = the request is not about a trace */
    Bytes         body; /* owned by the caller, which releases it; after a failure one line of text */
} Answer;

Session *session_create(void) WARN_UNUSED;
/* Cancels unfinished loads and waits for their threads. */
void session_destroy(Session *session);

/* Adds a finished load as the next trace and takes its ownership. False: out of memory; the caller still owns
 * `loaded`. */
bool session_add_loaded(Session *session, Loaded *loaded) WARN_UNUSED;
/* Adds a file that is read by ranges (format/varve/remote.h) as the next trace and takes its ownership. False: out of memory; the caller
 * still owns it. */
bool session_add_remote(Session *session, RemoteFile *remote, const char *name) WARN_UNUSED;
/* Answers a request `name?key=value` (percent-encoded, no leading slash). Any thread. */
Answer session_answer(Session *session, const char *request);
/* As session_answer, for a request with a body of at most SESSION_MAX_BODY bytes, of `compare` SESSION_MAX_PROFILE. */
Answer session_answer_body(Session *session, const char *request, StringView body);

#endif
