/* app/server/admission.h - bounds the connections that have not shown the viewer's secret.
 *
 * Such a connection is pending. There are at most ADMISSION_PENDING: a new one makes the oldest go. And each has
 * ADMISSION_MS, counted from its begin whatever it sends, to show the secret. So slow or idle connections of others
 * never keep the user's browser out, however many there are. */
#ifndef APP_SERVER_ADMISSION_H
#define APP_SERVER_ADMISSION_H
#include "base/err.h"

enum { ADMISSION_PENDING = 32, ADMISSION_MS = 10000 };

typedef struct Admission Admission;

/* Starts a thread. NULL: err filled. */
Admission *admission_create(Err *err) WARN_UNUSED;
/* After all connections have ended. NULL is allowed. */
void admission_destroy(Admission *admission);

/* A connection has begun. `key` tells it from all others that are open; `fd` is its socket, which is shut down when it
 * must go, and stays the caller's to close. Any thread. */
void admission_begin(Admission *admission, const void *key, int fd);
/* It has shown the secret, or ends: it is pending no more and its socket is not touched any more. Does nothing for a
 * connection that is not pending. Any thread. */
void admission_leave(Admission *admission, const void *key);

#endif
