/* app/server/held_requests.h - the first request of the page waits until the first trace is loaded.
 *
 * A small file is loaded while the browser starts the page. An answer after the load has all that the page needs for its first
 * picture. A held request uses no thread. It is answered HELD_MS after the start of the server at the latest, and later requests
 * are not held. */
#ifndef APP_SERVER_HELD_REQUESTS_H
#define APP_SERVER_HELD_REQUESTS_H
#include "app/session/session.h"

struct MHD_Connection;

enum { HELD_MS = 200, HELD_MOST = 16 /* others are answered at once */ };

typedef struct HeldRequests HeldRequests;

/* Starts a thread, if the first trace is a file that is being loaded. NULL: err filled. */
HeldRequests *held_requests_create(Session *session, Err *err) WARN_UNUSED;
/* Resumes all connections and holds no others: call it before the library is stopped. NULL is allowed. */
void held_requests_stop(HeldRequests *held);
/* Call after held_requests_stop, and after the library was stopped. NULL is allowed. */
void held_requests_destroy(HeldRequests *held);

/* Suspends a connection until its request can be answered; the library then calls its handler again. False: answer it now. Any
 * thread of the library. */
bool held_requests_take(HeldRequests *held, struct MHD_Connection *connection) WARN_UNUSED;

#endif
