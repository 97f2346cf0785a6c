/* server.h in a build without libmicrohttpd. */
#include "app/server/server.h"

Server *server_start(const ServerOptions *options, Err *err)
{
    (void)options;
    (void)err_set(err, ERR_UNKNOWN, "this build has no viewer (-Dminimal=true)");
    return NULL;
}

void server_stop(Server *server)
{
    (void)server;
}

const char *server_url(const Server *server)
{
    (void)server;
    return "";
}
