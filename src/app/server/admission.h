/* app/server/admission.h - limits the connections that have not sent the viewer's secret.
 *
 * Such a connection is pending. There are at most ADMISSION_PENDING: a new one replaces the oldest. Each has
 * ADMISSION_MS from its begin to send the secret, whatever else it sends. So slow or idle connections of
 * other programs cannot exclude the user's browser, however many there are. */
#ifndef APP_SERVER_ADMISSION_H
#define APP_SERVER_ADMISSION_H
#include "base/err.h"

enum { ADMISSION_PENDING = 32, ADMISSION_MS = 10000 };

typedef struct Admission Admission;

/* Starts a thread. NULL: err filled. */
Admission *admission_create(Err *err) WARN_UNUSED;
/* Call after all connections have ended. NULL is allowed. */
void admission_destroy(Admission *admission);

/* Registers a new connection. `key` is unique among the open connections; `fd` is its socket, which may be
 * shut down here, but is closed by the caller. Any thread. */
void admission_begin(Admission *admission, const void *key, int fd);
/* Ends the pending state of a connection that has sent the secret or ends: its socket is not used any more.
 * Does nothing for a connection that is not pending. Any thread. */
void admission_leave(Admission *admission, const void *key);

#endif
