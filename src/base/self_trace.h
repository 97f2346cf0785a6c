/* base/self_trace.h - the slices of Varve's own work, which `--self-trace=FILE` records. */
#ifndef BASE_SELF_TRACE_H
#define BASE_SELF_TRACE_H
#include "base/attr.h"

#include <stddef.h>

typedef struct SelfTrace {
    void (*begin)(const char *name); /* begins a slice of the calling thread; copies the name */
    void (*end)(void);               /* ends the latest one */
} SelfTrace;

/* The recorder, or NULL: nothing is recorded. A program sets it once, while it has one thread; the libraries and the
 * browser never do. */
extern const SelfTrace *self_trace;

static inline char self_slice_begin(const char *name)
{
    if (UNLIKELY(self_trace != NULL)) self_trace->begin(name);
    return 0;
}

static inline void self_slice_end(const char *unused)
{
    (void)unused;
    if (UNLIKELY(self_trace != NULL)) self_trace->end();
}

/* A slice from here to the end of the block; at most one in a block. */
#define SELF_SLICE(name)                                                                                     \
    const char self_slice_ __attribute__((cleanup(self_slice_end), unused)) = self_slice_begin(name)

#endif
