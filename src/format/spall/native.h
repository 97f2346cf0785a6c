/* format/spall/native.h - reads native streams ("auto-tracing", magic 0xABADF00D), written by spall_native_auto.h.
 * Calls are identified by the addresses of functions. For format/spall only.
 *
 *   native         header, buffers, damage          native_record   the records
 *   native_names   addresses to names               native_details  details of a record
 *
 * A record is a difference from the previous record and cannot be decoded alone. The reader leaves a NativeKept with
 * the trace: the decoding state at about every 2,000th byte, and the executable for source lines. */
#ifndef FORMAT_SPALL_NATIVE_H
#define FORMAT_SPALL_NATIVE_H
#include "base/vec.h"
#include "format/reader.h"
#include "format/spall/native_record.h"

enum { NATIVE_MARK_BYTES = 2048 };

/* The decoding state before the record at `offset`. */
typedef struct NativeSite {
    uint64_t    offset;
    NativeState state;
} NativeSite;

/* Trace.source.kept of a native stream. */
typedef struct NativeKept {
    Arena               arena; /* the NativeKept itself is allocated in it */
    const NativeLayout *layout;
    Symbols            *symbols; /* owned; NULL = the executable was not found or is not usable */
    uint64_t            bias;    /* address in the executable minus address in memory */
    VEC(NativeSite) marks;       /* sorted by offset; empty if records are not packed */
    /* During reading: the states after the records of the batch that is being passed to the builder. */
    NativeSite recent[MARK_BATCH];
    size_t     recent_count;
} NativeKept;

typedef struct NativeReader NativeReader;

/* Creates a reader in `arena`; `context` is copied. NULL when out of memory. */
NativeReader *native_open(Arena *arena, TraceBuilder *builder, const ReadContext *context);
/* As FormatReader.read, details and lead. The first call of native_read gets the start of the file. */
bool native_read(NativeReader *reader, const uint8_t *bytes, size_t size, InputState input, size_t *used,
                 Err *err);
bool native_details(const Trace *trace, const EventBytes *begin, const EventBytes *end, EventDetails *details,
                    Err *err);
uint64_t native_lead(const Trace *trace, uint64_t offset);

#endif
