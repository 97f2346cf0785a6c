/* trace/wire/moments.h - the parts of a range of time in which some events begin, as one bit for each part.
 *
 * The bytes: u32 MOMENTS_MAGIC, u32 level, u64 begin, u32 buckets, then (buckets + 7) / 8 bytes; bucket i is bit i % 8 of
 * byte i / 8. Little-endian. */
#ifndef TRACE_WIRE_MOMENTS_H
#define TRACE_WIRE_MOMENTS_H
#include "base/arena.h"

enum { MOMENTS_BUCKETS_MAX = 65536, MOMENTS_LEVEL_MAX = 63 };

/* Bucket i is the time from begin + (i << level) on, 1 << level ticks long. */
typedef struct Moments {
    uint64_t       begin; /* ticks from the trace's begin */
    uint32_t       level;
    uint32_t       buckets; /* 1 to MOMENTS_BUCKETS_MAX */
    const uint8_t *bits;    /* borrowed */
} Moments;

static inline size_t moments_bytes(uint32_t buckets)
{
    return ((size_t)buckets + 7) / 8;
}

void moments_encode(const Moments *moments, Bytes *out);
/* Decodes; `bits` points into the bytes. False: malformed. */
bool moments_open(const void *bytes, size_t size, Moments *moments) WARN_UNUSED;

#endif
