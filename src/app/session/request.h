/* app/session/request.h - parses "name?key=value&key=value" from untrusted bytes. */
#ifndef APP_SESSION_REQUEST_H
#define APP_SESSION_REQUEST_H
#include "base/arena.h"
#include "base/string_view.h"

enum { REQUEST_MAX_PARAMS = 16, REQUEST_MAX_BYTES = 256 * 1024 };

typedef struct RequestParam {
    StringView key, value; /* decoded, in the request's arena */
} RequestParam;

typedef struct Request {
    StringView   name;
    RequestParam params[REQUEST_MAX_PARAMS];
    uint32_t     param_count;
} Request;

/* Parses a request; its texts are copied into `arena`. Refuses a text with wrong percent-encoding or UTF-8,
 * with too many parameters or of excessive length: *problem is the reason (a static sentence). */
bool request_parse(const char *text, Arena *arena, Request *request, const char **problem) WARN_UNUSED;

/* Returns the value of a parameter (the last one of that name), or NULL. */
const StringView *request_param(const Request *request, const char *key);

#endif
