/* app/server/server.h - a session over HTTP, for one user on this machine.
 *
 * It listens on 127.0.0.1 only. handler.h describes the requests and the access rules, admission.h the limit
 * on connections. */
#ifndef APP_SERVER_SERVER_H
#define APP_SERVER_SERVER_H
#include "app/session/session.h"

typedef struct Server Server;

/* All members are borrowed. */
typedef struct ServerOptions {
    Session   *session;
    uint16_t   port; /* 0 = any free port, with a new secret; else the secret is stored_secret_of the port */
    StringView view; /* the view file that the page applies first; empty = none */
} ServerOptions;

/* Starts a server with its own threads. NULL: err filled. */
Server *server_start(const ServerOptions *options, Err *err) WARN_UNUSED;
/* Ends every connection and waits for its threads. NULL is allowed. */
void server_stop(Server *server);

/* Returns "http://127.0.0.1:PORT/SECRET/", valid until server_stop. */
const char *server_url(const Server *server);

#endif
