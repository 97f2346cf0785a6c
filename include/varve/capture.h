/* varve/capture.h - apitrace captures as files: frames, parts, other containers, differences. A part of varve/varve.h. */
#ifndef VARVE_CAPTURE_H
#define VARVE_CAPTURE_H
#include <varve/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- captures ----
 *
 * These functions read captures from files and make no trace; of a trace, varve_rows_open reads the tables `call` and `frame`. `fault` gets the first
 * fault of a damaged capture, whose part before it is used; otherwise its code is VARVE_OK. It may be NULL. A set of calls or frames is "10-20,99,draw", as in
 * docs/trim.md. thread_count is as in VarveOptions. Any thread. */

/* The purposes of calls. */
typedef enum VarveFamily {
    VARVE_FAMILY_STATE, /* any other function */
    VARVE_FAMILY_DRAW,
    VARVE_FAMILY_UPLOAD,
    VARVE_FAMILY_QUERY,
    VARVE_FAMILY_SYNC,
    VARVE_FAMILY_FRAME_END,
    VARVE_FAMILY_MARKER,
    VARVE_FAMILY_CONTEXT,
    VARVE_FAMILY_MEMORY
} VarveFamily;
#define VARVE_FAMILIES 9

/* Returns the name: "draw", static. */
VARVE_API const char *varve_family_name(VarveFamily family);

typedef struct VarveFrame {
    uint64_t index;      /* from 0 */
    uint64_t first_call; /* its number */
    uint64_t call_count, incomplete_call_count;
    uint64_t family_counts[VARVE_FAMILIES]; /* calls by VarveFamily */
    uint64_t redundant_count;               /* calls that set a state again */
    uint64_t upload_bytes;                  /* in arguments */
    bool     is_ended;                      /* false: the last one, which no call ended */
} VarveFrame;

/* Receives a frame. False: no more frames are read. */
typedef bool VarveFrameReceiver(void *context, const VarveFrame *frame);

/* Passes the statistics of each frame, in order. */
VARVE_API bool varve_capture_frames(const char *path, uint32_t thread_count, VarveFrameReceiver *receiver,
                                    void *context, VarveError *fault, VarveError *error);

typedef struct VarveTrim {
    const char *calls;  /* a set; NULL = all */
    const char *frames; /* a set; NULL = all */
    bool        has_thread;
    uint32_t    thread; /* with has_thread: only calls of this thread */
    uint64_t    reserved[4];
} VarveTrim;

/* Writes the chosen calls as a capture, numbered anew in the order in which they return. VARVE_ERROR_USAGE: a set has wrong syntax. */
VARVE_API bool varve_capture_trim(const char *path, const VarveTrim *trim, const char *out_path,
                                  uint32_t thread_count, VarveError *fault, VarveError *error);

/* Compressions of captures. The calls of the first two can be read from any place. */
typedef enum VarveContainer {
    VARVE_CONTAINER_SNAPPY,
    VARVE_CONTAINER_ZSTD,
    VARVE_CONTAINER_GZIP,
    VARVE_CONTAINER_BROTLI
} VarveContainer;

/* Returns the name: "snappy", static. */
VARVE_API const char *varve_container_name(VarveContainer container);
/* Writes the same calls with another compression. `level` < 0 is the usual one. VARVE_ERROR_USAGE: there is no such level. */
VARVE_API bool varve_capture_repack(const char *path, VarveContainer container, int level,
                                    const char *out_path, uint32_t thread_count, VarveError *fault,
                                    VarveError *error);

typedef enum VarveAddressUse { VARVE_ADDRESSES_COMPARED, VARVE_ADDRESSES_EQUAL } VarveAddressUse;
typedef enum VarveCallChoice { VARVE_CALLS_OF_INTEREST, VARVE_CALLS_ALL } VarveCallChoice;

typedef struct VarveCallDiff {
    VarveAddressUse addresses; /* VARVE_ADDRESSES_EQUAL: all pointers and handles count as equal */
    VarveCallChoice choice;    /* VARVE_CALLS_ALL: also calls of little interest */
    const char     *calls;     /* a set, of both; NULL = all */
    /* Receives each line, until it returns false: '-' is a call of A only, '+' of B only, '@' the position: "10,2 12,1". NULL = the lines are
     * counted only */
    bool (*line)(void *context, char mark, VarveText text);
    void    *context;
    uint64_t reserved[4];
} VarveCallDiff;

/* Compares two captures call by call. Fills *differing_count, the number of calls that one has alone, and faults[0] of A and [1] of B, unless
 * `faults` is NULL. */
VARVE_API bool varve_capture_diff(const char *path_a, const char *path_b, const VarveCallDiff *diff,
                                  uint32_t thread_count, uint64_t *differing_count, VarveError faults[2],
                                  VarveError *error);

#ifdef __cplusplus
}
#endif
#endif
