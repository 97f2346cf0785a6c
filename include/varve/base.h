/* varve/base.h - the version, errors, texts, buffers and progress. A part of varve/varve.h. */
#ifndef VARVE_BASE_H
#define VARVE_BASE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VARVE_VERSION_MAJOR 0
#define VARVE_VERSION_MINOR 1
#define VARVE_VERSION_PATCH 0
#define VARVE_VERSION "0.1.0" /* as text */

#if defined __GNUC__
#define VARVE_API __attribute__((visibility("default")))
#else
#define VARVE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- basics ---- */

/* Returns the version of the library at run time: "0.1.0". Any thread. */
VARVE_API const char *varve_version(void);

typedef enum VarveCode {
    VARVE_OK,
    VARVE_ERROR_INPUT,     /* an input cannot be opened or read */
    VARVE_ERROR_OUTPUT,    /* an output cannot be written */
    VARVE_ERROR_MEMORY,    /* out of memory */
    VARVE_ERROR_TRUNCATED, /* the input ends inside a record */
    VARVE_ERROR_CORRUPT,   /* the input contradicts its format */
    VARVE_ERROR_VERSION,   /* a known format in an unknown version */
    VARVE_ERROR_LIMIT,     /* more items than can be counted */
    VARVE_ERROR_UNKNOWN, /* no known format; or DuckDB was not found, or the library was built without this function */
    VARVE_ERROR_CANCELLED, /* by varve_progress_cancel */
    VARVE_ERROR_USAGE      /* an argument is invalid */
} VarveCode;

#define VARVE_NOWHERE UINT64_MAX
#define VARVE_MESSAGE_BYTES 256

typedef struct VarveError {
    VarveCode code;
    uint64_t  byte_offset; /* of the bad record in the decompressed input; VARVE_NOWHERE = none */
    uint64_t  event_index; /* from 0; VARVE_NOWHERE = none */
    char      message[VARVE_MESSAGE_BYTES]; /* one line of UTF-8 with a zero byte */
} VarveError;

typedef struct VarveText {
    const char *bytes; /* never NULL */
    size_t      size_bytes;
} VarveText;

/* Memory that a function fills and you release. Zero it before the first use. */
typedef struct VarveBytes {
    unsigned char *bytes;
    size_t         size_bytes;
    size_t         capacity_bytes;
} VarveBytes;

/* Releases the memory and zeroes the struct. */
VARVE_API void varve_bytes_release(VarveBytes *bytes);

/* The progress of a long function, and its cancellation, from another thread. */
typedef struct VarveProgress VarveProgress;

/* Returns NULL when out of memory. It must outlive the functions that it is passed to. */
VARVE_API VarveProgress *varve_progress_open(void);
VARVE_API void           varve_progress_close(VarveProgress *progress);
/* Makes the function that has this progress end soon with VARVE_ERROR_CANCELLED. Any thread, signal handlers too. */
VARVE_API void varve_progress_cancel(VarveProgress *progress);
/* Takes the cancellation back, for the next function. Any thread. */
VARVE_API void varve_progress_restart(VarveProgress *progress);
/* Returns the finished share of the current phase, 0 to 1; -1 if its length is not known (a pipe). Any thread. */
VARVE_API double varve_progress_share(const VarveProgress *progress);

/* The colours of pictures. */
typedef enum VarveTheme { VARVE_LIGHT, VARVE_DARK } VarveTheme;

#ifdef __cplusplus
}
#endif
#endif
