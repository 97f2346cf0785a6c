/* trace/file/arrays.h - a finished trace as named arrays of numbers, for a file, and back.
 *
 * Every column of a trace is an array, and so is every member of its tables: tracks, rows, labels, ... An array has a
 * name, a type and a number of items, all items have the same size and are little-endian in memory (the host is
 * little-endian: arrays_host_is_supported). docs/formats/varve.md lists all arrays.
 *
 * arrays_put passes the arrays of a trace to the caller, one after the other. arrays_take makes a trace of arrays that
 * come from an untrusted file: every count, id and time is checked, in time linear in the trace. Columns are used where
 * the source has them, without a copy. */
#ifndef TRACE_FILE_ARRAYS_H
#define TRACE_FILE_ARRAYS_H
#include "trace/store/columns.h"

/* ASCENDING: most items differ little from the item before them. A hint for compression. */
typedef enum { ARRAY_UNORDERED, ARRAY_ASCENDING } ArrayOrder;

/* Names have at most this number of bytes. */
enum { ARRAY_NAME_BYTES = 40 };

typedef struct TraceArray {
    const char *name;
    ArrayType   type;
    ArrayOrder  order;
    const void *items; /* borrowed */
    uint64_t    count;
} TraceArray;

typedef bool (*PutArray)(void *context, const TraceArray *array, Err *err);

/* False on a big-endian host, where the arrays would need a conversion. */
bool arrays_host_is_supported(void);
/* Passes every array of a trace that does not grow, and that has items, to `put`. Returns false if `put` does, or when
 * out of memory. */
bool arrays_put(const Trace *trace, PutArray put, void *context, Err *err) WARN_UNUSED;

/* ARRAY_KEPT: the items stay valid as long as the trace: in its mapping (Trace.mapping), or in pages of memory_map that the
 * trace unmaps. ARRAY_READ: until arrays_take returns. */
typedef enum { ARRAY_READ, ARRAY_KEPT } ArrayUse;

/* The arrays of a file. */
typedef struct ArraySource {
    /* Sets the items and the count of the array with this name and type. Without such an array: NULL and 0. Items are
     * aligned to 8 bytes. False: err filled, nothing to release. */
    bool (*get)(void *context, TraceArray *array, ArrayUse use, Err *err);
    void        *context;
    TraceMapping mapping; /* the trace's, on success */
} ArraySource;

/* Returns the trace; the caller releases it with trace_release. NULL: ERR_CORRUPT, with the name of the first array that
 * contradicts another one, or ERR_MEMORY. On failure the caller releases the mapping. */
Trace *arrays_take(const ArraySource *source, Err *err) WARN_UNUSED;

#endif
