/* base/err.h - the one way a function says what went wrong.
 *
 * A function that can fail returns bool (true = done), takes `Err *err` last and
 * writes it only when it fails. Format name, offset and event number are printed
 * from the fields by err_format and never pasted into `message` by hand. */
#ifndef BASE_ERR_H
#define BASE_ERR_H
#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    ERR_NONE,
    ERR_IO,        /* the system refused to open or read an input; the message has its words */
    ERR_OUTPUT,    /* the system refused to write an output; likewise */
    ERR_MEMORY,    /* out of memory, or over a limit set by the user */
    ERR_TRUNCATED, /* the input ends inside something */
    ERR_CORRUPT,   /* the input contradicts its format */
    ERR_VERSION,   /* a known format in a version that is not read */
    ERR_LIMIT,     /* more of something than the engine can number */
    ERR_UNKNOWN,   /* nothing in the input was recognised */
    ERR_CANCELLED, /* the user asked to stop */
    ERR_USAGE      /* a request or argument that makes no sense */
} ErrCode;

#define ERR_NOWHERE UINT64_MAX

typedef struct Err {
    ErrCode  code;
    uint64_t offset; /* byte in the (decompressed) input where the bad record starts; ERR_NOWHERE = none */
    uint64_t event;  /* index of the event being decoded, from 0; ERR_NOWHERE = none */
    char     message[192]; /* one line, valid UTF-8: what was found, what was expected */
} Err;

/* Fills `err` (which may be NULL) without offset or event. Returns false, so that
 * a failure reads `return err_set(err, ERR_IO, "...")`. */
bool err_set(Err *err, ErrCode code, const char *format, ...) PRINTF_LIKE(3, 4);
bool err_set_at(Err *err, ErrCode code, uint64_t offset, uint64_t event, const char *format, ...)
    PRINTF_LIKE(5, 6);

/* "MESSAGE (byte N, event M)", leaving out what is not known. Always terminated.
 * Returns the length written, less than `size`. */
size_t err_format(const Err *err, char *out, size_t size);

/* A short stable name: "io", "memory", ... */
const char *err_code_name(ErrCode code);

#endif
