#include "app/server/server.h"

#include "app/server/admission.h"
#include "app/server/handler.h"
#include "app/server/held_requests.h"
#include "app/server/site.h"
#include "app/server/stored_secret.h"
#include "base/thread.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

enum {
    MAX_POOL = 8,
    MAX_CONNECTIONS = 512, /* divided among the threads of the pool: each has more than ADMISSION_PENDING */
    TIMEOUT_S = 30,        /* of an idle connection */
    CONNECTION_BYTES = 512 * 1024, /* a request for many tiles or tracks is long */
    MAX_UNREAD_BYTES = 64 * 1024,  /* of the body of a request that does not use it */
    MAX_TARGET_BYTES = 300 * 1024, /* of a request; longer targets or more parameters leave the library */
    MAX_PARAMETERS = 1000,         /* no memory for an answer */
    URL_TEXT = 96,
    POLICY_TEXT = 512
};
static_assert(MAX_CONNECTIONS / MAX_POOL > ADMISSION_PENDING, "pending connections leave room for others");

struct Server {
    Arena              arena; /* holds the server itself */
    Handler            handler;
    Admission         *admission;
    HeldRequests      *held;
    struct MHD_Daemon *daemon;
    char               url[URL_TEXT];
};

/* One request and its reply. */
typedef struct Exchange {
    Arena  arena;  /* the exchange itself */
    char  *target; /* the request's target as received: path and query, still encoded */
    Bytes  body;   /* of a request with the secret */
    size_t uploaded;
    bool   has_secret;
    bool   headers_seen;
    bool   was_held;
} Exchange;

/* -- replies -- */

static const struct {
    const char *name, *value;
} ALWAYS[] = {
    { "X-Content-Type-Options", "nosniff" },
    { "Referrer-Policy", "no-referrer" },
    { "Cross-Origin-Opener-Policy", "same-origin" },
    { "Cross-Origin-Resource-Policy", "same-origin" },
};

static void header_add(struct MHD_Response *response, const char *name, const char *value)
{
    if (value != NULL) (void)MHD_add_response_header(response, name, value);
}

/* Adds the content security policy. Of the scripts in pages it allows the one of index.html. */
static void policy_add(struct MHD_Response *response)
{
    char      policy[POLICY_TEXT];
    const int size = snprintf(
        policy, sizeof policy,
        "default-src 'none'; script-src 'self' %s 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; "
        "img-src 'self' data: blob:; font-src 'self'; worker-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'",
        SITE_SCRIPT_HASH);
    assert(size > 0 && size < POLICY_TEXT);
    header_add(response, "Content-Security-Policy", policy);
}

static enum MHD_Result reply_send(struct MHD_Connection *connection, const Reply *reply)
{
    union {
        const void *read;
        void       *passed;
    } bytes = { reply->bytes }; /* the library's parameter is not const */
    const bool           is_static = reply->owned.data == NULL;
    struct MHD_Response *response = MHD_create_response_from_buffer(
        reply->size, bytes.passed, is_static ? MHD_RESPMEM_PERSISTENT : MHD_RESPMEM_MUST_COPY);
    if (response == NULL) return MHD_NO;
    for (size_t i = 0; i < sizeof ALWAYS / sizeof ALWAYS[0]; i++)
        header_add(response, ALWAYS[i].name, ALWAYS[i].value);
    policy_add(response);
    header_add(response, MHD_HTTP_HEADER_CONTENT_TYPE, reply->content_type);
    header_add(response, MHD_HTTP_HEADER_CACHE_CONTROL, reply->cache);
    header_add(response, MHD_HTTP_HEADER_ETAG, reply->etag[0] == '\0' ? NULL : reply->etag);
    header_add(response, MHD_HTTP_HEADER_ALLOW, reply->allow);
    header_add(response, "Link", reply->link);
    enum MHD_Result result = MHD_queue_response(connection, (unsigned)reply->status, response);
    MHD_destroy_response(response);
    return result;
}

static const char *header_of(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static enum MHD_Result exchange_reply(const Server *server, struct MHD_Connection *connection,
                                      const Exchange *exchange, const char *method)
{
    Reply             reply;
    const HttpRequest request = { .method = method,
                                  .target = exchange->target,
                                  .host = header_of(connection, MHD_HTTP_HEADER_HOST),
                                  .origin = header_of(connection, MHD_HTTP_HEADER_ORIGIN),
                                  .if_none_match = header_of(connection, MHD_HTTP_HEADER_IF_NONE_MATCH),
                                  .body = bytes_view(&exchange->body) };
    handler_reply(&server->handler, &request, &reply);
    enum MHD_Result result = reply_send(connection, &reply);
    reply_release(&reply);
    return result;
}

/* -- connections -- */

static int connection_fd(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

/* Called by the library when a connection begins and before its socket is closed. */
static void connection_notify(void *context, struct MHD_Connection *connection, void **slot,
                              enum MHD_ConnectionNotificationCode what)
{
    (void)slot;
    const Server *server = context;
    switch (what) {
    case MHD_CONNECTION_NOTIFY_STARTED:
        admission_begin(server->admission, connection, connection_fd(connection));
        break;
    case MHD_CONNECTION_NOTIFY_CLOSED:
        admission_leave(server->admission, connection);
        break;
    }
}

static bool is_too_large(const char *target)
{
    size_t count = 0;
    for (const char *at = target; count < MAX_PARAMETERS && (at = strchr(at, '&')) != NULL; at++)
        count++;
    return count == MAX_PARAMETERS || strlen(target) > MAX_TARGET_BYTES;
}

/* Writes an error to the socket directly, because the library would not answer. Further input of the
 * connection is dropped. */
static void refuse(struct MHD_Connection *connection)
{
    static const char ANSWER[] = "HTTP/1.1 414 URI Too Long\r\nContent-Type: text/plain; charset=utf-8\r\n"
                                 "Content-Length: 25\r\nConnection: close\r\n\r\n"
                                 "The request is too long.\n";
    const int         fd = connection_fd(connection);
    (void)send(fd, ANSWER, sizeof ANSWER - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)shutdown(fd, SHUT_WR);
}

/* -- one request -- */

/* Called by the library with the received target, before decoding. */
static void *exchange_begin(void *context, const char *target, struct MHD_Connection *connection)
{
    const Server *server = context;
    if (is_too_large(target)) {
        refuse(connection);
        return NULL;
    }
    const bool has_secret = handler_is_secret(&server->handler, target);
    if (has_secret) admission_leave(server->admission, connection);
    Arena     arena = arena_create(0);
    Exchange *exchange = ARENA_NEW(&arena, Exchange);
    char     *copy = arena_push_copy(&arena, target, strlen(target));
    if (exchange == NULL || copy == NULL) {
        arena_release(&arena);
        return NULL;
    }
    *exchange = (Exchange){ .arena = arena, .target = copy, .has_secret = has_secret };
    return exchange;
}

static void exchange_end(void *context, struct MHD_Connection *connection, void **slot,
                         enum MHD_RequestTerminationCode why)
{
    (void)context;
    (void)connection;
    (void)why;
    Exchange *exchange = *slot;
    if (exchange == NULL) return;
    bytes_release(&exchange->body);
    Arena arena = exchange->arena; /* the exchange lives in it */
    arena_release(&arena);
    *slot = NULL;
}

/* Appends a part of the body. False: it is too long. */
static bool take_body(Exchange *exchange, const char *upload, size_t size)
{
    const size_t most = exchange->has_secret ? handler_most_body(exchange->target) : MAX_UNREAD_BYTES;
    exchange->uploaded += size;
    if (exchange->uploaded > most) return false;
    if (exchange->has_secret) bytes_append(&exchange->body, upload, size);
    return !exchange->body.failed;
}

/* Called by the library once for the headers, for each part of a body, and once at the end. */
static enum MHD_Result exchange_step(void *context, struct MHD_Connection *connection, const char *url,
                                     const char *method, const char *version, const char *upload,
                                     size_t *upload_size, void **slot)
{
    (void)url;
    (void)version;
    Exchange *exchange = *slot;
    if (exchange == NULL) return MHD_NO;
    if (!exchange->headers_seen) {
        exchange->headers_seen = true;
        return MHD_YES;
    }
    if (*upload_size > 0) {
        const bool is_taken = take_body(exchange, upload, *upload_size);
        *upload_size = 0;
        return is_taken ? MHD_YES : MHD_NO;
    }
    const Server *server = context;
    if (exchange->has_secret && !exchange->was_held && handler_waits(exchange->target)) {
        exchange->was_held = true; /* the library calls again when it is resumed */
        if (held_requests_take(server->held, connection)) return MHD_YES;
    }
    return exchange_reply(server, connection, exchange, method);
}

/* -- life -- */

static unsigned pool_size(void)
{
    unsigned threads = thread_count_default();
    return threads < 2 ? 2 : threads > MAX_POOL ? MAX_POOL : threads;
}

static bool daemon_start(Server *server, uint16_t port, Err *err)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server->daemon = MHD_start_daemon(
        MHD_USE_AUTO_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, port, NULL, NULL, exchange_step, server,
        MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_URI_LOG_CALLBACK, exchange_begin, server,
        MHD_OPTION_NOTIFY_COMPLETED, exchange_end, NULL, MHD_OPTION_NOTIFY_CONNECTION, connection_notify,
        server, MHD_OPTION_THREAD_POOL_SIZE, pool_size(), MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)MAX_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)TIMEOUT_S,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES, MHD_OPTION_END);
    if (server->daemon == NULL) {
        const char *why = errno == 0 ? "the port is taken" : strerror(errno);
        return err_set(err, errno == ENOMEM ? ERR_MEMORY : ERR_IO, "cannot serve on port %u of 127.0.0.1: %s",
                       (unsigned)port, why);
    }
    return true;
}

static void release(Server *server)
{
    held_requests_stop(server->held);
    if (server->daemon != NULL) MHD_stop_daemon(server->daemon);
    held_requests_destroy(server->held);
    admission_destroy(server->admission);
    Arena arena = server->arena; /* the server lives in it */
    arena_release(&arena);
}

Server *server_start(const ServerOptions *options, Err *err)
{
    Arena   arena = arena_create(0);
    Server *server = ARENA_NEW(&arena, Server);
    if (server == NULL) {
        (void)err_set(err, ERR_MEMORY, "out of memory for the server");
        return NULL;
    }
    server->arena = arena;
    server->handler.session = options->session;
    server->handler.view = options->view;
    const bool has_secret = options->port == 0
                                ? token_create(&server->handler.secret, err)
                                : stored_secret_of(options->port, &server->handler.secret, err);
    if (has_secret) server->admission = admission_create(err);
    if (server->admission != NULL) server->held = held_requests_create(options->session, err);
    if (server->held == NULL || !daemon_start(server, options->port, err)) {
        release(server);
        return NULL;
    }
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT);
    unsigned                    bound = info == NULL ? options->port : info->port;
    (void)snprintf(server->url, sizeof server->url, "http://127.0.0.1:%u/%s/", bound,
                   server->handler.secret.text);
    return server;
}

void server_stop(Server *server)
{
    if (server != NULL) release(server);
}

const char *server_url(const Server *server)
{
    return server->url;
}
