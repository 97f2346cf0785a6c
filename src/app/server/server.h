/* app/server/server.h - a session over HTTP, for one person on this machine.
 *
 * It listens on 127.0.0.1 alone. handler.h says what it answers and to whom, admission.h how many connections it takes. */
#ifndef APP_SERVER_SERVER_H
#define APP_SERVER_SERVER_H
#include "app/session/session.h"

typedef struct Server Server;

/* Starts to serve from threads of its own. `session` is borrowed. port 0 = any free one. NULL: err filled. */
Server *server_start(Session *session, uint16_t port, Err *err) WARN_UNUSED;
/* Ends every connection and waits for its threads. NULL is allowed. */
void server_stop(Server *server);

/* "http://127.0.0.1:PORT/SECRET/": valid until server_stop. */
const char *server_url(const Server *server);

#endif
