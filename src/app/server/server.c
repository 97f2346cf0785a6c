#include "app/server/server.h"

#include "app/server/site.h"
#include "app/server/token.h"
#include "base/thread.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

enum {
    MAX_POOL = 8,
    MAX_CONNECTIONS = 64,
    TIMEOUT_S = 30,
    CONNECTION_BYTES = 512 * 1024, /* a request for many tiles or tracks is long */
    MAX_UPLOAD_BYTES = 64 * 1024,
    URL_TEXT = 96
};

static const char API_PREFIX[] = "api/";

struct Server {
    Arena              arena; /* the server itself */
    Session           *session;
    struct MHD_Daemon *daemon;
    Token              secret;
    char               url[URL_TEXT];
};

/* One request from its first line to its last byte. */
typedef struct Exchange {
    Arena  arena;  /* the exchange itself */
    char  *target; /* the request's target as it came: path and query, still encoded */
    size_t uploaded;
    bool   headers_seen;
} Exchange;

/* -- replies -- */

static const struct {
    const char *name, *value;
} ALWAYS[] = {
    { "Content-Security-Policy",
      "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; "
      "img-src 'self' data: blob:; font-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; "
      "frame-ancestors 'none'" },
    { "X-Content-Type-Options", "nosniff" },
    { "Referrer-Policy", "no-referrer" },
    { "Cross-Origin-Opener-Policy", "same-origin" },
    { "Cross-Origin-Resource-Policy", "same-origin" },
};

typedef struct Reply {
    unsigned                    http_status;
    const char                 *content_type;
    const char                 *cache;            /* Cache-Control */
    const char                 *etag;             /* with quotes, or NULL */
    const char                 *allow;            /* or NULL */
    const void                 *bytes;
    size_t                      size;
    enum MHD_ResponseMemoryMode memory;
} Reply;

static void header_add(struct MHD_Response *response, const char *name, const char *value)
{
    if (value != NULL) (void)MHD_add_response_header(response, name, value);
}

static enum MHD_Result reply_send(struct MHD_Connection *connection, const Reply *reply)
{
    union {
        const void *read;
        void       *passed;
    } bytes = { reply->bytes }; /* the library's signature is older than const */
    struct MHD_Response *response = MHD_create_response_from_buffer(reply->size, bytes.passed, reply->memory);
    if (response == NULL) return MHD_NO;
    for (size_t i = 0; i < sizeof ALWAYS / sizeof ALWAYS[0]; i++)
        header_add(response, ALWAYS[i].name, ALWAYS[i].value);
    header_add(response, MHD_HTTP_HEADER_CONTENT_TYPE, reply->content_type);
    header_add(response, MHD_HTTP_HEADER_CACHE_CONTROL, reply->cache);
    header_add(response, MHD_HTTP_HEADER_ETAG, reply->etag);
    header_add(response, MHD_HTTP_HEADER_ALLOW, reply->allow);
    enum MHD_Result result = MHD_queue_response(connection, reply->http_status, response);
    MHD_destroy_response(response);
    return result;
}

static Reply reply_text(unsigned http_status, const char *text)
{
    return (Reply){ .http_status = http_status,
                    .content_type = "text/plain; charset=utf-8",
                    .cache = "no-store",
                    .bytes = text,
                    .size = strlen(text),
                    .memory = MHD_RESPMEM_PERSISTENT };
}

static enum MHD_Result send_text(struct MHD_Connection *connection, unsigned http_status, const char *text)
{
    Reply reply = reply_text(http_status, text);
    return reply_send(connection, &reply);
}

static const char *header_of(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* Turns a reply that the browser has already into a 304. */
static void reply_if_changed(struct MHD_Connection *connection, Reply *reply)
{
    const char *known = header_of(connection, MHD_HTTP_HEADER_IF_NONE_MATCH);
    if (known == NULL || reply->etag == NULL) return;
    if (strcmp(known, "*") != 0 && strstr(known, reply->etag) == NULL) return;
    reply->http_status = MHD_HTTP_NOT_MODIFIED;
    reply->content_type = NULL;
    reply->size = 0;
}

/* -- who may ask -- */

/* True for "NAME" and "NAME:PORT". */
static bool host_is(const char *host, const char *name)
{
    size_t size = strlen(name);
    if (strncmp(host, name, size) != 0) return false;
    return host[size] == '\0' ||
           (host[size] == ':' && strspn(host + size + 1, "0123456789") == strlen(host + size + 1));
}

/* A name that resolves to this machine by the attacker's doing (DNS rebinding) is not one of these. */
static bool host_is_here(const char *host)
{
    return host != NULL && (host_is(host, "127.0.0.1") || host_is(host, "localhost"));
}

static bool origin_is_here(const char *origin, const char *host)
{
    static const char SCHEME[] = "http://";
    if (origin == NULL) return true; /* navigation, or no browser */
    return strncmp(origin, SCHEME, sizeof SCHEME - 1) == 0 && strcmp(origin + sizeof SCHEME - 1, host) == 0;
}

static bool may_ask(struct MHD_Connection *connection)
{
    const char *host = header_of(connection, MHD_HTTP_HEADER_HOST);
    return host_is_here(host) && origin_is_here(header_of(connection, MHD_HTTP_HEADER_ORIGIN), host);
}

/* -- the page -- */

static const struct {
    const char *suffix, *type;
} CONTENT_TYPES[] = { { ".html", "text/html; charset=utf-8" },
                      { ".js", "text/javascript; charset=utf-8" },
                      { ".css", "text/css; charset=utf-8" },
                      { ".wasm", "application/wasm" },
                      { ".json", "application/json" },
                      { ".webmanifest", "application/manifest+json" },
                      { ".svg", "image/svg+xml" },
                      { ".png", "image/png" },
                      { ".ico", "image/x-icon" },
                      { ".woff2", "font/woff2" },
                      { ".ttf", "font/ttf" },
                      { ".txt", "text/plain; charset=utf-8" } };

static const char *content_type_of(const char *path)
{
    size_t size = strlen(path);
    for (size_t i = 0; i < sizeof CONTENT_TYPES / sizeof CONTENT_TYPES[0]; i++) {
        size_t suffix = strlen(CONTENT_TYPES[i].suffix);
        if (size > suffix && strcmp(path + size - suffix, CONTENT_TYPES[i].suffix) == 0)
            return CONTENT_TYPES[i].type;
    }
    return "application/octet-stream";
}

/* `size` bytes of `path`: what stands before the query. */
static const SiteFile *site_find(const char *path, size_t size)
{
    if (size == 0) return site_find("index.html", strlen("index.html"));
    for (const SiteFile *file = SITE_FILES; file->path != NULL; file++) {
        if (strlen(file->path) == size && memcmp(file->path, path, size) == 0) return file;
    }
    return NULL;
}

static enum MHD_Result send_page(struct MHD_Connection *connection, const char *path)
{
    size_t          size = strcspn(path, "?");
    const SiteFile *file = site_find(path, size);
    if (file == NULL && SITE_FILES[0].path == NULL && size == 0) {
        return send_text(
            connection, MHD_HTTP_NOT_FOUND,
            "This build of varve has no viewer: it was configured with -Dweb=disabled. Its requests "
            "answer under api/ here, and `varve info`, `dump` and `render` do without.\n");
    }
    if (file == NULL) return send_text(connection, MHD_HTTP_NOT_FOUND, "There is no such file.\n");
    char etag[40];
    (void)snprintf(etag, sizeof etag, "\"%s\"", file->tag);
    Reply reply = { .http_status = MHD_HTTP_OK,
                    .content_type = content_type_of(file->path),
                    .cache = "no-cache",
                    .etag = etag,
                    .bytes = file->bytes,
                    .size = file->size,
                    .memory = MHD_RESPMEM_PERSISTENT };
    reply_if_changed(connection, &reply);
    return reply_send(connection, &reply);
}

/* -- the session -- */

static unsigned http_status_of(SessionStatus status)
{
    switch (status) {
    case SESSION_OK:
        return MHD_HTTP_OK;
    case SESSION_NOT_READY:
        return MHD_HTTP_SERVICE_UNAVAILABLE;
    case SESSION_BAD_REQUEST:
        return MHD_HTTP_BAD_REQUEST;
    case SESSION_NOT_FOUND:
        return MHD_HTTP_NOT_FOUND;
    case SESSION_MOVED:
        return MHD_HTTP_CONFLICT;
    case SESSION_FAILED:
        break;
    }
    return MHD_HTTP_INTERNAL_SERVER_ERROR;
}

static enum MHD_Result send_answer(const Server *server, struct MHD_Connection *connection,
                                   const char *request)
{
    Answer answer = session_answer(server->session, request);
    char   etag[24];
    (void)snprintf(etag, sizeof etag, "\"%016" PRIx64 "\"", answer.tag);
    Reply reply = { .http_status = http_status_of(answer.status),
                    .content_type = answer.content_type,
                    .cache = answer.immutable ? "private, max-age=31536000, immutable" : "no-store",
                    .etag = answer.immutable ? etag : NULL,
                    .bytes = answer.body.size == 0 ? "" : (const void *)answer.body.data,
                    .size = answer.body.size,
                    .memory = MHD_RESPMEM_MUST_COPY };
    reply_if_changed(connection, &reply);
    enum MHD_Result result = reply_send(connection, &reply);
    bytes_release(&answer.body);
    return result;
}

static bool request_is(const char *request, const char *name)
{
    size_t size = strlen(name);
    return strncmp(request, name, size) == 0 && (request[size] == '\0' || request[size] == '?');
}

/* -- one request -- */

static enum MHD_Result send_wrong_method(struct MHD_Connection *connection, const char *allow)
{
    Reply reply = reply_text(MHD_HTTP_METHOD_NOT_ALLOWED, "This cannot be done here.\n");
    reply.allow = allow;
    return reply_send(connection, &reply);
}

static enum MHD_Result exchange_reply(Server *server, struct MHD_Connection *connection,
                                      const Exchange *exchange, const char *method)
{
    bool reads = strcmp(method, MHD_HTTP_METHOD_GET) == 0 || strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
    bool posts = strcmp(method, MHD_HTTP_METHOD_POST) == 0;
    if (!reads && !posts) return send_wrong_method(connection, "GET, HEAD");
    if (!may_ask(connection))
        return send_text(connection, MHD_HTTP_FORBIDDEN, "This server answers to this machine alone.\n");

    const char *path = exchange->target[0] == '/' ? exchange->target + 1 : exchange->target;
    if (!token_starts(&server->secret, path) || path[TOKEN_TEXT] != '/')
        return send_text(connection, MHD_HTTP_FORBIDDEN, "Open the address that varve printed, all of it.\n");
    path += TOKEN_TEXT + 1;

    bool is_api = strncmp(path, API_PREFIX, sizeof API_PREFIX - 1) == 0;
    const char *request = path + sizeof API_PREFIX - 1; /* if is_api */
    bool        acts = is_api && (request_is(request, "cancel") || request_is(request, "look"));
    if (acts != posts) return send_wrong_method(connection, acts ? "POST" : "GET, HEAD");
    return is_api ? send_answer(server, connection, path + sizeof API_PREFIX - 1)
                  : send_page(connection, path);
}

/* Called by the library with the target as it came, before anything is decoded. */
static void *exchange_begin(void *context, const char *target, struct MHD_Connection *connection)
{
    (void)context;
    (void)connection;
    Arena     arena = arena_create(0);
    Exchange *exchange = ARENA_NEW(&arena, Exchange);
    char     *copy = arena_push_copy(&arena, target, strlen(target));
    if (exchange == NULL || copy == NULL) {
        arena_release(&arena);
        return NULL;
    }
    *exchange = (Exchange){ .arena = arena, .target = copy };
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
    Arena arena = exchange->arena; /* the exchange lives in it */
    arena_release(&arena);
    *slot = NULL;
}

/* Called by the library once for the headers, for each piece of a body, and once more when all is there. */
static enum MHD_Result exchange_step(void *context, struct MHD_Connection *connection, const char *url,
                                     const char *method, const char *version, const char *upload,
                                     size_t *upload_size, void **slot)
{
    (void)url;
    (void)version;
    (void)upload;
    Exchange *exchange = *slot;
    if (exchange == NULL) return MHD_NO;
    if (!exchange->headers_seen) {
        exchange->headers_seen = true;
        return MHD_YES;
    }
    if (*upload_size > 0) { /* no request has a body that means anything */
        exchange->uploaded += *upload_size;
        *upload_size = 0;
        return exchange->uploaded > MAX_UPLOAD_BYTES ? MHD_NO : MHD_YES;
    }
    return exchange_reply(context, connection, exchange, method);
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
        MHD_USE_AUTO_INTERNAL_THREAD, port, NULL, NULL, exchange_step, server, MHD_OPTION_SOCK_ADDR, &address,
        MHD_OPTION_URI_LOG_CALLBACK, exchange_begin, NULL, MHD_OPTION_NOTIFY_COMPLETED, exchange_end, NULL,
        MHD_OPTION_THREAD_POOL_SIZE, pool_size(), MHD_OPTION_CONNECTION_LIMIT, (unsigned)MAX_CONNECTIONS,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)TIMEOUT_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)CONNECTION_BYTES, MHD_OPTION_END);
    if (server->daemon == NULL) {
        const char *why = errno == 0 ? "the port is taken" : strerror(errno);
        return err_set(err, ERR_IO, "cannot serve on port %u of 127.0.0.1: %s", (unsigned)port, why);
    }
    return true;
}

Server *server_start(Session *session, uint16_t port, Err *err)
{
    Arena   arena = arena_create(0);
    Server *server = ARENA_NEW(&arena, Server);
    if (server == NULL) {
        (void)err_set(err, ERR_MEMORY, "out of memory for the server");
        return NULL;
    }
    server->arena = arena;
    server->session = session;
    if (!token_create(&server->secret, err) || !daemon_start(server, port, err)) {
        arena_release(&arena);
        return NULL;
    }
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT);
    unsigned                    bound = info == NULL ? port : info->port;
    (void)snprintf(server->url, sizeof server->url, "http://127.0.0.1:%u/%s/", bound, server->secret.text);
    return server;
}

void server_stop(Server *server)
{
    if (server == NULL) return;
    MHD_stop_daemon(server->daemon);
    Arena arena = server->arena; /* the server lives in it */
    arena_release(&arena);
}

const char *server_url(const Server *server)
{
    return server->url;
}
