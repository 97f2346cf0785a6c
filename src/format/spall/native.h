/* format/spall/native.h - reads native streams ("auto-tracing", magic 0xABADF00D): those of
 * spall_native_auto.h, in which calls go by the addresses of functions. For format/spall only.
 *
 *   native         header, buffers, damage          native_record   the records
 *   native_names   addresses to names               native_details  what a record says beyond name and time
 *
 * Records are differences from the record before, so that one cannot be understood alone. The reader
 * leaves a NativeKept with the trace: what decoding was at every two thousandth byte or so, and the
 * executable for source lines. */
#ifndef FORMAT_SPALL_NATIVE_H
#define FORMAT_SPALL_NATIVE_H
#include "format/reader.h"
#include "format/spall/native_record.h"

enum { NATIVE_MARK_BYTES = 2048 };

/* What decoding is at the record at `offset`. */
typedef struct NativeSite {
    uint64_t    offset;
    NativeState state;
} NativeSite;

/* Trace.kept of a native stream. */
typedef struct NativeKept {
    Arena               arena; /* it lies in it */
    const NativeLayout *layout;
    Symbols            *symbols; /* owned; NULL = there is no executable, or it is not understood */
    uint64_t            bias;    /* an address in the executable is one in memory plus this */
    Bytes               marks;   /* NativeSite[] by offset: before records; empty where records stand alone */
    /* While reading: behind the records that are with the builder just now. */
    NativeSite recent[MARK_BATCH];
    size_t     recent_count;
} NativeKept;

typedef struct NativeReader NativeReader;

/* Lives in `arena`; `context` is copied. NULL: out of memory. */
NativeReader *native_open(Arena *arena, TraceBuilder *builder, const ReadContext *context);
/* As FormatReader.read, details and lead; the first call brings the start of the file. */
bool native_read(NativeReader *reader, const uint8_t *bytes, size_t size, InputState input, size_t *used,
                 Err *err);
bool native_details(const Trace *trace, const EventBytes *begin, const EventBytes *end, EventDetails *details,
                    Err *err);
uint64_t native_lead(const Trace *trace, uint64_t offset);

#endif
