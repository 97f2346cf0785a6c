/* app/server/handler.h - answers one HTTP request: a file of the page, or a request of the session. Does not
 * use sockets.
 *
 * Every path begins with a secret of 128 random bits, except those of the page of a link:
 *
 *   /, /link.js         a page without data: it goes to the page below if the storage of the browser has the secret
 *
 *   /SECRET/            the page (index.html), with the theme of the stored settings, and its other files. The page has a
 *                       Link header with its first requests, so that the browser sends them before its script runs
 *   /SECRET/api/REQUEST a request of app/session/session.h, GET or HEAD; requests that start or stop work, or have a body,
 *                       are POST only. The body of `sql` is the statement, that of `compare` and `flame-change` a profile
 *   /SECRET/first       the answers to all requests with which the page begins, each with its size (u32) before it: `status`, the
 *                       given view file (empty without one), the settings, and if trace 0 is a loaded file `outline`, `info`,
 *                       `categories` and the first page of `labels`. It may wait until that file is loaded (held_requests.h)
 *   /SECRET/recent      the recent files (recent_files.h); POST to recent/add with the number of a trace: its file is one;
 *                       recent/open with a path of the list: opens it; recent/clear
 *   /SECRET/marks/ID    the stored marks of the trace with this identity (stored_files.h): GET, or POST to replace them
 *   /SECRET/settings    the stored settings of the user, in the same way
 *
 * A web page in the user's browser may try to reach the server. So a request must name this machine as its
 * host (127.0.0.1 or localhost, any port, because of tunnels), and its origin, if it has one, must be that
 * host. Every other request is answered with 403 or 404 without further information. */
#ifndef APP_SERVER_HANDLER_H
#define APP_SERVER_HANDLER_H
#include "app/server/token.h"
#include "app/session/session.h"

typedef enum {
    HTTP_OK = 200,
    HTTP_ACCEPTED = 202,
    HTTP_NOT_MODIFIED = 304,
    HTTP_BAD_REQUEST = 400,
    HTTP_FORBIDDEN = 403,
    HTTP_NOT_FOUND = 404,
    HTTP_METHOD_NOT_ALLOWED = 405,
    HTTP_CONFLICT = 409,
    HTTP_INTERNAL_SERVER_ERROR = 500,
    HTTP_SERVICE_UNAVAILABLE = 503
} HttpStatus;

typedef struct Handler {
    Session   *session; /* borrowed */
    Token      secret;
    StringView view; /* borrowed */
} Handler;

/* A received request; all texts end with a NUL. */
typedef struct HttpRequest {
    const char *method;
    const char *target;                        /* path and query, not decoded */
    const char *host, *origin, *if_none_match; /* values of the headers of these names, or NULL */
    StringView  body;                          /* of a POST; "" = none */
} HttpRequest;

enum { REPLY_ETAG_BYTES = 48 };
typedef struct Reply {
    HttpStatus  status;
    const char *content_type;           /* or NULL */
    const char *cache;                  /* Cache-Control */
    const char *allow;                  /* or NULL */
    const char *link;                   /* the requests that will follow, as links of RFC 8288; or NULL */
    char        etag[REPLY_ETAG_BYTES]; /* with quotes; "" = none */
    const void *bytes;                  /* the body: static, or that of `owned` */
    size_t      size;
    Bytes       owned; /* empty for a static body */
} Reply;

/* Answers a request. Any thread. Release the reply after use. */
void handler_reply(const Handler *handler, const HttpRequest *request, Reply *reply);
void reply_release(Reply *reply);
/* True if a target begins with the secret, as that of every allowed request does. */
bool handler_is_secret(const Handler *handler, const char *target);
/* True if the request may be held until the first trace is loaded. The target begins with the secret. */
bool handler_waits(const char *target);
/* Returns the limit on the body of a request, in bytes. The target begins with the secret. */
size_t handler_most_body(const char *target);

#endif
