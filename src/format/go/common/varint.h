/* format/go/common/varint.h - unsigned LEB128, the encoding of all numbers in Go traces.
 *
 * Over-long encodings are normal: a batch's size always takes ten bytes. An eleventh byte is an error in both formats.
 * Bits beyond 64 are an error in v2 (ULEB_REFUSE_EXCESS) and ignored in v1 (ULEB_DROP_EXCESS), as in Go's own readers. Errors set the cursor's `failed`. */
#ifndef FORMAT_GO_COMMON_VARINT_H
#define FORMAT_GO_COMMON_VARINT_H
#include "base/cursor.h"

uint64_t cursor_varint_long(ByteCursor *c, UlebRule rule); /* cursor_varint for more than one byte */

static inline uint64_t cursor_varint(ByteCursor *c, UlebRule rule)
{
    if (LIKELY(c->at < c->size && !c->failed)) {
        uint8_t byte = c->bytes[c->at];
        if (LIKELY(byte < 0x80)) {
            c->at++;
            return byte;
        }
    }
    return cursor_varint_long(c, rule);
}

/* Reads `count` numbers; unreadable ones are 0. The loop handles up to three bytes, which most numbers have. */
static inline void cursor_varints(ByteCursor *c, UlebRule rule, uint64_t *numbers, unsigned count)
{
    enum { ROOM = 3 };
    unsigned       i = 0;
    const uint8_t *bytes = c->bytes;
    size_t         at = c->at, size = c->failed ? 0 : c->size;
    while (i < count && at < size && size - at >= ROOM) {
        uint32_t first = bytes[at], second, third;
        if (LIKELY(first < 0x80)) {
            numbers[i++] = first;
            at += 1;
        } else if ((second = bytes[at + 1]) < 0x80) {
            numbers[i++] = (first & 0x7f) | second << 7;
            at += 2;
        } else if ((third = bytes[at + 2]) < 0x80) {
            numbers[i++] = (first & 0x7f) | (second & 0x7f) << 7 | third << 14;
            at += 3;
        } else {
            break;
        }
    }
    c->at = at;
    for (; i < count; i++)
        numbers[i] = cursor_varint(c, rule);
}

/* Reads a number of at most four bytes, the usual case, where four bytes are readable. Returns its end; NULL, with
 * *number undefined, if it is longer. Each length has a branch: these predict well, so the next read does not wait for
 * the length. */
static ALWAYS_INLINE const uint8_t *varint_brief(const uint8_t *at, uint64_t *number)
{
    uint32_t value = at[0];
    if (LIKELY(value < 0x80)) {
        *number = value;
        return at + 1;
    }
    value = (value & 0x7f) | (uint32_t)at[1] << 7;
    if (LIKELY(at[1] < 0x80)) {
        *number = value;
        return at + 2;
    }
    value = (value & 0x3fff) | (uint32_t)at[2] << 14;
    if (LIKELY(at[2] < 0x80)) {
        *number = value;
        return at + 3;
    }
    *number = (value & 0x1fffff) | (uint32_t)at[3] << 21;
    return LIKELY(at[3] < 0x80) ? at + 4 : NULL;
}

/* Skips a number. False, with the cursor failed, if it does not end within ten bytes. */
static inline bool cursor_skip_varint(ByteCursor *c)
{
    for (unsigned i = 0; i < 10; i++) {
        if (cursor_u8(c) < 0x80) return !c->failed;
    }
    c->failed = true;
    return false;
}

#endif
