/* session_support.h - a session over a small trace, and checks of its answers. */
#ifndef TEST_APP_SESSION_SUPPORT_H
#define TEST_APP_SESSION_SUPPORT_H
#include "app/session/session.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Process 7, srv: on thread 1, main, f (which has args) contains two slices g; h overlaps f and is on another lane; the
 * instant mark belongs to the process. On thread 2, io has no end. */
extern const char SESSION_SAMPLE[];

/* Returns a session with the one trace of the JSON text, loaded by one thread. */
Session *session_of(const char *json);
/* Sends a request and checks the status. Returns the answer's text, in the caller's buffer `text`. */
const char *ask(Session *session, const char *request, SessionStatus expected, char *text, size_t size);
/* True if the answer to the request contains this piece; prints the answer otherwise. */
bool answers_with(Session *session, const char *request, const char *piece);
/* Returns the id of the n-th slice of a name, in order of begin. */
uint64_t slice_of(Session *session, const char *name, int n);

#endif
