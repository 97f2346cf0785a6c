#include "trace/wire/moments.h"

#include "trace/wire/wire.h"

#define MOMENTS_MAGIC UINT32_C(0x314f4d56) /* "VMO1" */

enum { HEADER_BYTES = 20 };

void moments_encode(const Moments *moments, Bytes *out)
{
    wire_put_u32(out, MOMENTS_MAGIC);
    wire_put_u32(out, moments->level);
    wire_put_u64(out, moments->begin);
    wire_put_u32(out, moments->buckets);
    bytes_append(out, moments->bits, moments_bytes(moments->buckets));
}

bool moments_open(const void *bytes, size_t size, Moments *moments)
{
    const uint8_t *at = bytes;
    if (size < HEADER_BYTES || bits_load_u32(at) != MOMENTS_MAGIC) return false;
    *moments = (Moments){ .level = bits_load_u32(at + 4),
                          .begin = bits_load_u64(at + 8),
                          .buckets = bits_load_u32(at + 16),
                          .bits = at + HEADER_BYTES };
    return moments->level <= MOMENTS_LEVEL_MAX && moments->buckets > 0 &&
           moments->buckets <= MOMENTS_BUCKETS_MAX && size == HEADER_BYTES + moments_bytes(moments->buckets);
}
