/* Decodes the first part of a Snappy block. */
#include "codec/snappy.h"

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
} Part;

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

size_t snappy_decode_part(const uint8_t *block, size_t size, uint8_t *out, size_t plain_size)
{
    Part p = { .in = cursor_over(block, size, 0), .out = out, .room = plain_size };
    while (cursor_u8(&p.in) & 0x80) { /* skips the varint: the caller knows the plain size */
    }
    while (cursor_left(&p.in) > 0) {
        uint8_t tag = cursor_u8(&p.in);
        if (!((tag & 3) == 0 ? part_literal(&p, tag) : part_copy(&p, tag))) break;
    }
    return p.size;
}
