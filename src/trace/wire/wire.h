/* trace/wire/wire.h - appends little-endian numbers to tiles and outlines; base/bits.h reads them. For src/trace only. */
#ifndef TRACE_WIRE_WIRE_H
#define TRACE_WIRE_WIRE_H
#include "base/arena.h"
#include "base/bits.h"

#include <string.h>

static inline void wire_put_u32(Bytes *out, uint32_t value)
{
    uint8_t b[4];
    bits_store_u32(b, value);
    bytes_append(out, b, sizeof b);
}

static inline void wire_put_u64(Bytes *out, uint64_t value)
{
    uint8_t b[8];
    bits_store_u64(b, value);
    bytes_append(out, b, sizeof b);
}

static inline void wire_put_f64(Bytes *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    wire_put_u64(out, bits);
}

#endif
