/* format/http.h - the bytes of an HTTP or HTTPS address, read from the first to the last. For src/format only.
 *
 * libcurl does the transfer. It is loaded when the first address is opened: programs that open none do not need it.
 * http_curl.c implements this; http_none.c replaces it in the browser build and in the minimal library, which open no
 * addresses.
 *
 * Redirects are followed, but not from HTTPS to HTTP. A transfer without a byte for 60 seconds fails. The proxies of the
 * environment (https_proxy) are used. One thread at a time. */
#ifndef FORMAT_HTTP_H
#define FORMAT_HTTP_H
#include "base/arena.h"
#include "base/err.h"
#include "base/progress.h"

typedef struct HttpSource HttpSource;

/* Sends the request and waits for the head of the answer. The source is in `arena`. `progress` may be NULL; it must
 * outlive the source, and cancels it. NULL: err filled, with the status of the server or the reason of the failure. */
HttpSource *http_open(Arena *arena, const char *address, const Progress *progress, Err *err);
/* Returns the size in bytes that the server has announced; 0 = unknown. */
uint64_t http_size(const HttpSource *source);
/* Reads up to `size` (> 0) bytes; *got == 0: the end. False: the transfer ended early; err has the number of bytes. */
bool http_read(HttpSource *source, void *buffer, size_t size, size_t *got, Err *err) WARN_UNUSED;
void http_close(HttpSource *source); /* accepts NULL */

#endif
