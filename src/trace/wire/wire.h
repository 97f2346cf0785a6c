/* trace/wire/wire.h - little-endian integers in tiles and outlines. For src/trace only. */
#ifndef TRACE_WIRE_WIRE_H
#define TRACE_WIRE_WIRE_H
#include "base/arena.h"

#include <string.h>

static inline uint32_t wire_u32(const uint8_t *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline uint64_t wire_u64(const uint8_t *b)
{
    return (uint64_t)wire_u32(b) | (uint64_t)wire_u32(b + 4) << 32;
}

static inline void wire_set_u32(uint8_t *b, uint32_t value)
{
    b[0] = (uint8_t)value;
    b[1] = (uint8_t)(value >> 8);
    b[2] = (uint8_t)(value >> 16);
    b[3] = (uint8_t)(value >> 24);
}

static inline void wire_set_u64(uint8_t *b, uint64_t value)
{
    wire_set_u32(b, (uint32_t)value);
    wire_set_u32(b + 4, (uint32_t)(value >> 32));
}

static inline double wire_f64(const uint8_t *b)
{
    uint64_t bits = wire_u64(b);
    double   value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline void wire_put_u32(Bytes *out, uint32_t value)
{
    uint8_t b[4];
    wire_set_u32(b, value);
    bytes_append(out, b, sizeof b);
}

static inline void wire_put_u64(Bytes *out, uint64_t value)
{
    wire_put_u32(out, (uint32_t)value);
    wire_put_u32(out, (uint32_t)(value >> 32));
}

static inline void wire_put_f64(Bytes *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    wire_put_u64(out, bits);
}

#endif
