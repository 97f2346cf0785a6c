/* base/err.h - the error that a failed function reports.
 *
 * A function that can fail returns bool (true = done), takes `Err *err` as its last parameter and writes it only on
 * failure. `message` does not contain the offset or the event: err_format prints them from their fields. */
#ifndef BASE_ERR_H
#define BASE_ERR_H
#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    ERR_NONE,
    ERR_IO,        /* opening or reading an input failed; the message is the system's */
    ERR_OUTPUT,    /* writing an output failed; the message is the system's */
    ERR_MEMORY,    /* out of memory, or over a limit set by the user */
    ERR_TRUNCATED, /* the input ends inside a record */
    ERR_CORRUPT,   /* the input contradicts its format */
    ERR_VERSION,   /* a known format in an unsupported version */
    ERR_LIMIT,     /* more items than the engine can count */
    ERR_UNKNOWN,   /* no known format was recognised */
    ERR_CANCELLED, /* the user cancelled the operation */
    ERR_USAGE      /* an invalid request or argument */
} ErrCode;

#define ERR_NOWHERE UINT64_MAX

typedef struct Err {
    ErrCode  code;
    uint64_t offset;       /* of the bad record's first byte in the decompressed input; ERR_NOWHERE = none */
    uint64_t event;        /* index of the event being decoded, from 0; ERR_NOWHERE = none */
    char     message[192]; /* one line of valid UTF-8: the value found and the value expected */
} Err;

/* Fills `err` (may be NULL) without offset or event. Always returns false, so that a caller can write
 * `return err_set(err, ERR_IO, "...")`. */
bool err_set(Err *err, ErrCode code, const char *format, ...) PRINTF_LIKE(3, 4);
/* As err_set, with the offset and the event. */
bool err_set_at(Err *err, ErrCode code, uint64_t offset, uint64_t event, const char *format, ...)
    PRINTF_LIKE(5, 6);

/* Writes "MESSAGE (byte N, event M)" into `out`, without the numbers that are ERR_NOWHERE. Truncates at a code point;
 * always terminates. Returns the length written, less than `size`. */
size_t err_format(const Err *err, char *out, size_t size);

/* Returns a short stable name: "io", "memory", ... */
const char *err_code_name(ErrCode code);

#endif
