/* app/server/server.h - a session over HTTP, for one person on this machine.
 *
 * It listens on 127.0.0.1 alone. Every path begins with a secret of 128 random bits:
 *
 *   /SECRET/            the page (index.html) and the files beside it
 *   /SECRET/api/REQUEST a request of app/session/session.h, GET or HEAD; `cancel` and `look` are POST alone
 *
 * A web page that the user's browser shows may try to reach it: so a request must name this machine as its
 * host (127.0.0.1 or localhost, any port: it may come through a tunnel), and one that says where it comes
 * from must come from here. Everything else is answered 403 or 404 without a word about what there is. */
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
