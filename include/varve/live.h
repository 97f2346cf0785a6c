/* varve/live.h - input that is read while it is written. A part of varve/varve.h. */
#ifndef VARVE_LIVE_H
#define VARVE_LIVE_H
#include <varve/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- live input ---- */

typedef struct VarveLive VarveLive;

typedef struct VarveLiveOptions {
    const char *format;  /* NULL = by the first bytes */
    uint64_t keep_bytes; /* limit on the memory of the trace's events: the oldest are dropped; 0 = no limit */
    uint64_t keep_ns;    /* of time before the latest event; 0 = no limit */
    VarveDetailUse
        details; /* VARVE_DETAILS_KEPT: the pushed bytes are stored in a temporary file, for varve_details */
    uint64_t reserved[5];
} VarveLiveOptions;

/* Opens an input that is pushed in pieces: a growing file, a pipe, a socket. `options` may be NULL. */
VARVE_API VarveLive *varve_live_open(const char *name, const VarveLiveOptions *options, VarveError *error);
VARVE_API void       varve_live_close(VarveLive *live);
/* Adds the next bytes to the trace. Close the rows, statistics and other handles of the trace before; the trace of varve_live_trace
 * stays valid. False: the input cannot be read further; the trace has the events before. */
VARVE_API bool varve_live_push(VarveLive *live, const void *bytes, size_t size_bytes, VarveError *error);
/* Ends the input: a record that is cut off becomes a warning. */
VARVE_API bool varve_live_end(VarveLive *live, VarveError *error);
/* Returns the trace with all events so far, for all functions above; NULL until the format is recognised. It
 * belongs to `live`: do not close it. Its ids are valid until the next push. */
VARVE_API const VarveTrace *varve_live_trace(const VarveLive *live);

#ifdef __cplusplus
}
#endif
#endif
