/* format/ranges.h - ranges of the bytes of an address, and the checks of a server's answers.
 *
 * The transfer is libcurl's (format/http.h) or the browser's (src/app/wasm). Both check each answer with
 * range_reply_check, so that all errors are the same. The file at the address must stay the same: an answer with another
 * size, ETag or time is refused. Requests have no If-Range: a server would answer it with the whole file, and in a page it needs
 * a permission of its own. */
#ifndef FORMAT_RANGES_H
#define FORMAT_RANGES_H
#include "base/arena.h"
#include "base/err.h"

/* The bytes of a file that are read by ranges. */
typedef struct RangeSource {
    /* Reads exactly `size` (> 0) bytes at `offset`, inside the file, with one request. False: err filled. One thread at a time. */
    bool (*read)(void *context, uint64_t offset, void *buffer, size_t size, Err *err);
    void (*close)(void *context); /* may be NULL */
    void    *context;             /* owned */
    uint64_t size;                /* of the file */
} RangeSource;

enum { RANGE_TAG_BYTES = 200, RANGE_PROBE_BYTES = 64 /* of the first request, at the begin */ };

/* The parts of an answer's head, "" = not given. A page sees some of them only if the server allows it. */
typedef struct RangeReply {
    uint32_t    status;
    uint64_t    received; /* bytes of the body; more than the requested ones need not be counted */
    const char *content_range, *etag, *last_modified;
} RangeReply;

/* A file at an address. */
typedef struct RangeTarget {
    const char *address;  /* shown in errors: without user and query */
    uint64_t    size;     /* 0 = unknown: set by the first checked answer */
    bool        is_known; /* the members below are set */
    char        etag[RANGE_TAG_BYTES], last_modified[RANGE_TAG_BYTES];
} RangeTarget;

/* Checks the answer to a request of bytes [offset, offset + size). False: err has the reason. */
bool range_reply_check(RangeTarget *target, uint64_t offset, size_t size, const RangeReply *reply,
                       Err *err) WARN_UNUSED;

#endif
