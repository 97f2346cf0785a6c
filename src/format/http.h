/* format/http.h - the bytes of an HTTP or HTTPS address, read from the first to the last, or by ranges. For src/format only.
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
#include "format/ranges.h"

typedef struct HttpSource HttpSource;

/* Sends the request and waits for the head of the answer. The source is in `arena`. `progress` may be NULL; it must
 * outlive the source, and cancels it. NULL: err filled, with the status of the server or the reason of the failure. */
HttpSource *http_open(Arena *arena, const char *address, const Progress *progress, Err *err);
/* Returns the size in bytes that the server has announced; 0 = unknown. */
uint64_t http_size(const HttpSource *source);
/* Reads up to `size` (> 0) bytes; *got == 0: the end. False: the transfer ended early; err has the number of bytes. */
bool http_read(HttpSource *source, void *buffer, size_t size, size_t *got, Err *err) WARN_UNUSED;
void http_close(HttpSource *source); /* accepts NULL */

/* Opens the address for reading by ranges: requests its first RANGE_PROBE_BYTES bytes, or all of a shorter file, into `probe`; *got:
 * their number. `shown` is the address for errors. `progress` may be NULL; it must outlive the source, which the caller closes. False: err
 * filled; also if the server sends no ranges. */
bool http_ranges_open(const char *address, const char *shown, const Progress *progress, RangeSource *source,
                      uint8_t *probe, size_t *got, Err *err) WARN_UNUSED;

#endif
