/* base/cursor.h - reads integers out of bytes nobody has vouched for.
 *
 * Every binary reader decodes through a ByteCursor and nothing else: no casts of
 * input to structs, no pointer arithmetic of its own. Failure is sticky: the first
 * read past the end sets `failed`, moves nothing, and it and all later reads give
 * zeros. So a record is decoded straight down and checked once, at its end.
 *
 * A cursor owns nothing: the bytes must outlive it and all that cursor_take gives.
 * The functions are inline because the `.spall` reader lives on them. */
#ifndef BASE_CURSOR_H
#define BASE_CURSOR_H
#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct ByteCursor {
    const uint8_t *bytes;
    size_t         size;   /* bytes readable from `bytes` */
    size_t         at;     /* next byte; invariant: at <= size */
    uint64_t       origin; /* input offset of bytes[0], for error messages */
    bool           failed;
} ByteCursor;

static inline ByteCursor cursor_over(const void *bytes, size_t size, uint64_t origin)
{
    return (ByteCursor){ .bytes = bytes, .size = size, .origin = origin };
}

/* Offset in the whole input of the next byte. */
static inline uint64_t cursor_offset(const ByteCursor *c)
{
    return c->origin + c->at;
}

/* Bytes still readable; 0 once failed. */
static inline size_t cursor_left(const ByteCursor *c)
{
    return c->failed ? 0 : c->size - c->at;
}

/* The next `size` bytes, not copied; NULL if fewer are left. `size` may come from the input. */
static inline const uint8_t *cursor_take(ByteCursor *c, size_t size)
{
    if (UNLIKELY(size > cursor_left(c))) { /* compare with what is left: `at + size` could wrap */
        c->failed = true;
        return NULL;
    }
    const uint8_t *taken = c->bytes + c->at;
    c->at += size;
    return taken;
}

/* True if `count` items of `item_size` (> 0) bytes can still follow: ask before sizing an
 * array by a count found in the input. Divides what is left, so it cannot overflow. */
static inline bool cursor_can_hold(const ByteCursor *c, uint64_t count, size_t item_size)
{
    return count <= cursor_left(c) / item_size;
}

static inline uint8_t cursor_u8(ByteCursor *c)
{
    const uint8_t *b = cursor_take(c, 1);
    return b == NULL ? 0 : b[0];
}

static inline uint16_t cursor_u16le(ByteCursor *c)
{
    const uint8_t *b = cursor_take(c, 2);
    if (b == NULL) return 0;
    return (uint16_t)(b[0] | b[1] << 8);
}

static inline uint32_t cursor_u32le(ByteCursor *c)
{
    const uint8_t *b = cursor_take(c, 4);
    if (b == NULL) return 0;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline uint64_t cursor_u64le(ByteCursor *c)
{
    const uint8_t *b = cursor_take(c, 8);
    if (b == NULL) return 0;
    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 |
           (uint64_t)b[4] << 32 | (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 | (uint64_t)b[7] << 56;
}

/* An unsigned number of 7-bit groups, least significant first, bit 7 set on all but the last byte: at most
 * ten bytes and 64 bits, else it fails. */
static inline uint64_t cursor_uleb(ByteCursor *c)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        uint8_t byte = cursor_u8(c);
        if (shift == 63 && byte > 1) break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (LIKELY(byte < 0x80)) return c->failed ? 0 : value;
    }
    c->failed = true;
    return 0;
}

static inline uint16_t cursor_u16be(ByteCursor *c)
{
    const uint8_t *b = cursor_take(c, 2);
    if (b == NULL) return 0;
    return (uint16_t)(b[0] << 8 | b[1]);
}

static inline uint32_t cursor_u32be(ByteCursor *c)
{
    const uint8_t *b = cursor_take(c, 4);
    if (b == NULL) return 0;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | (uint32_t)b[3];
}

static inline uint64_t cursor_u64be(ByteCursor *c)
{
    const uint8_t *b = cursor_take(c, 8);
    if (b == NULL) return 0;
    return (uint64_t)b[0] << 56 | (uint64_t)b[1] << 48 | (uint64_t)b[2] << 40 | (uint64_t)b[3] << 32 |
           (uint64_t)b[4] << 24 | (uint64_t)b[5] << 16 | (uint64_t)b[6] << 8 | (uint64_t)b[7];
}

static inline double cursor_f64be(ByteCursor *c)
{
    uint64_t bits = cursor_u64be(c);
    double   value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double cursor_f64le(ByteCursor *c)
{
    uint64_t bits = cursor_u64le(c);
    double   value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
