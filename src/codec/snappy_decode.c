/* Decodes Snappy blocks. */
#include "codec/snappy.h"

#include "base/bits.h"
#include "base/cursor.h"

/* Elements, by the two low bits of the first byte:
 *
 *   0  literal: length - 1 in the upper six bits; the values 60 to 63 mean that it is in the next 1 to 4 bytes
 *   1  copy: length - 4 in bits 2-4, offset in bits 5-7 and one byte
 *   2  copy: length - 1 in the upper six bits, offset in two bytes
 *   3  copy: as 2, offset in four bytes */
typedef struct Part {
    ByteCursor in;
    uint8_t   *out;
    size_t     size, room;
    bool       is_damaged;
} Part;

/* -- elements far from both ends -- */

/* The most bytes that are read or written at once: those of a copy or a short literal, rounded up. */
enum { NEAR_END = 80 };

/* Copies `length` (1..64) bytes, and up to 15 bytes behind them. The bytes are not closer than 16. */
static inline void copy_apart(uint8_t *to, const uint8_t *from, size_t length)
{
    for (size_t i = 0; i < length; i += 16)
        memcpy(to + i, from + i, 16);
}

/* Copies `length` (1..64) bytes from `offset` (1..15) bytes before, and some behind them: the bytes of the offset again and again. */
static void copy_near(uint8_t *to, size_t offset, size_t length)
{
    const uint8_t *const end = to + length, *const from = to - offset;
    for (; offset < 8 && to < end;
         to += offset, offset *= 2) { /* of the eight bytes the first `offset` are those of the copy */
        uint64_t bytes;
        memcpy(&bytes, from, sizeof bytes);
        memcpy(to, &bytes, sizeof bytes);
    }
    for (; to < end; to += 8)
        memcpy(to, to - offset, 8);
}

/* Decodes elements until one is near an end of the block or of the output, is a long literal, or is damaged. */
static void decode_inner(Part *p)
{
    const uint8_t *at = p->in.bytes + p->in.at, *const end = p->in.bytes + p->in.size;
    uint8_t *to = p->out + p->size, *const room_end = p->out + p->room;
    while (end - at > NEAR_END && room_end - to > NEAR_END) {
        const uint8_t tag = at[0], upper = tag >> 2;
        if ((tag & 3) == 0) {
            if (upper >= 60) break;
            copy_apart(to, at + 1, (size_t)upper + 1);
            to += upper + 1;
            at += upper + 2;
            continue;
        }
        const bool   is_short = (tag & 3) == 1;
        const size_t length = is_short ? (size_t)(upper & 7) + 4 : (size_t)upper + 1;
        const size_t offset = is_short         ? (size_t)(tag >> 5) << 8 | at[1]
                              : (tag & 3) == 2 ? bits_load_u16(at + 1)
                                               : bits_load_u32(at + 1);
        if (offset == 0 || offset > (size_t)(to - p->out)) break;
        if (offset >= 16)
            copy_apart(to, to - offset, length);
        else
            copy_near(to, offset, length);
        to += length;
        at += is_short ? 2 : (tag & 3) == 2 ? 3 : 5;
    }
    p->in.at = (size_t)(at - p->in.bytes);
    p->size = (size_t)(to - p->out);
}

/* -- any elements -- */

static uint32_t little_endian(ByteCursor *c, unsigned bytes)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint32_t)cursor_u8(c) << (8 * i);
    return value;
}

static bool part_literal(Part *p, uint8_t tag)
{
    uint32_t length = tag >> 2;
    if (length >= 60) length = little_endian(&p->in, length - 59);
    size_t there = cursor_left(&p->in), wanted = (size_t)length + 1;
    if (p->in.failed || wanted == 0) return false;
    bool whole = wanted <= there && wanted <= p->room - p->size;
    if (wanted > there) wanted = there;
    if (wanted > p->room - p->size) wanted = p->room - p->size;
    const uint8_t *bytes = cursor_take(&p->in, wanted);
    if (bytes != NULL && wanted > 0) memcpy(p->out + p->size, bytes, wanted);
    p->size += wanted;
    return whole;
}

static bool part_copy(Part *p, uint8_t tag)
{
    bool     is_short = (tag & 3) == 1;
    size_t   length = is_short ? (size_t)(tag >> 2 & 7) + 4 : (size_t)(tag >> 2) + 1;
    uint32_t high = is_short ? (uint32_t)(tag >> 5) << 8 : 0;
    uint32_t offset = high | little_endian(&p->in, is_short ? 1 : (tag & 3) == 2 ? 2 : 4);
    if (p->in.failed || offset == 0 || offset > p->size || length > p->room - p->size) return false;
    for (size_t i = 0; i < length; i++, p->size++) /* byte by byte: source and destination may overlap */
        p->out[p->size] = p->out[p->size - offset];
    return true;
}

/* Decodes elements up to the end, or to one that is damaged or cut off. */
static void decode(Part *p)
{
    while (cursor_u8(&p->in) & 0x80) { /* skips the varint: the caller knows the plain size */
    }
    while (cursor_left(&p->in) > 0) {
        decode_inner(p);
        const uint8_t tag = cursor_u8(&p->in);
        if (!((tag & 3) == 0 ? part_literal(p, tag) : part_copy(p, tag))) {
            p->is_damaged = true;
            break;
        }
    }
}

size_t snappy_decode_part(const uint8_t *block, size_t size, uint8_t *out, size_t plain_size)
{
    Part p = { .in = cursor_over(block, size, 0), .out = out, .room = plain_size };
    decode(&p);
    return p.size;
}

bool snappy_decode(const uint8_t *block, size_t size, uint8_t *out, size_t plain_size)
{
    Part p = { .in = cursor_over(block, size, 0), .out = out, .room = plain_size };
    decode(&p);
    return p.size == plain_size && !p.is_damaged && !p.in.failed;
}
