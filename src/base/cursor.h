/* base/cursor.h - reads integers from untrusted bytes.
 *
 * Every binary reader decodes through a ByteCursor, without casts of input to structs and without pointer arithmetic of
 * its own. Failure is sticky: the first read past the end sets `failed` and does not advance; it and all later reads
 * return 0. So a decoder reads all fields of a record and checks `failed` once, after the last field.
 *
 * A cursor owns nothing: the bytes must outlive the cursor and the pointers that cursor_take returns.
 * The functions are inline because the `.spall` reader spends most of its time in them. */
#ifndef BASE_CURSOR_H
#define BASE_CURSOR_H
#include "base/attr.h"
#include "base/bits.h"

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

/* Returns the offset of the next byte in the whole input. */
static inline uint64_t cursor_offset(const ByteCursor *c)
{
    return c->origin + c->at;
}

/* Returns the number of readable bytes; 0 after a failure. */
static inline size_t cursor_left(const ByteCursor *c)
{
    return c->failed ? 0 : c->size - c->at;
}

/* Returns a pointer to the next `size` bytes and advances; NULL if fewer are left. `size` may come from the input. */
static inline const uint8_t *cursor_take(ByteCursor *c, size_t size)
{
    if (UNLIKELY(size > cursor_left(c))) { /* `at + size` could overflow */
        c->failed = true;
        return NULL;
    }
    const uint8_t *taken = c->bytes + c->at;
    c->at += size;
    return taken;
}

/* True if `count` items of `item_size` (> 0) bytes fit into the remaining bytes. Check this before allocating an array
 * whose count comes from the input. The division cannot overflow. */
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
    return bits_load_u16(b);
}

static inline uint32_t cursor_u32le(ByteCursor *c)
{
    const uint8_t *b = cursor_take(c, 4);
    if (b == NULL) return 0;
    return bits_load_u32(b);
}

static inline uint64_t cursor_u64le(ByteCursor *c)
{
    const uint8_t *b = cursor_take(c, 8);
    if (b == NULL) return 0;
    return bits_load_u64(b);
}

typedef enum { ULEB_REFUSE_EXCESS, ULEB_DROP_EXCESS } UlebRule; /* of the bits beyond 64 */

/* Reads an unsigned LEB128 number: 7-bit groups, least significant first, bit 7 set on all bytes but the last. Fails
 * if it has more than ten bytes, or more than 64 bits with ULEB_REFUSE_EXCESS. */
static inline uint64_t cursor_uleb_as(ByteCursor *c, UlebRule rule)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        uint8_t byte = cursor_u8(c);
        if (shift == 63 && byte > 1 && (rule == ULEB_REFUSE_EXCESS || byte >= 0x80)) break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (LIKELY(byte < 0x80)) return c->failed ? 0 : value;
    }
    c->failed = true;
    return 0;
}

static inline uint64_t cursor_uleb(ByteCursor *c)
{
    return cursor_uleb_as(c, ULEB_REFUSE_EXCESS);
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

static inline double cursor_f64le(ByteCursor *c)
{
    const uint8_t *b = cursor_take(c, 8);
    return b == NULL ? 0 : bits_load_f64(b);
}

#endif
