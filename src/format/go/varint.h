/* format/go/varint.h - unsigned LEB128, as both generations of Go traces write every number.
 *
 * Over-long encodings are normal (a batch's size always takes ten bytes). An eleventh byte is an error in both; bits
 * beyond 64 are an error in v2 and dropped in v1, as in Go's own readers. Failure is the cursor's. */
#ifndef FORMAT_GO_VARINT_H
#define FORMAT_GO_VARINT_H
#include "base/cursor.h"

typedef enum { VARINT_DROP_EXCESS /* v1 */, VARINT_REFUSE_EXCESS /* v2 */ } VarintRule;

uint64_t cursor_varint_long(ByteCursor *c, VarintRule rule); /* cursor_varint beyond the first byte */

static inline uint64_t cursor_varint(ByteCursor *c, VarintRule rule)
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

/* Past a number, whatever it is; false, and the cursor failed, if it does not end within ten bytes. */
static inline bool cursor_skip_varint(ByteCursor *c)
{
    for (unsigned i = 0; i < 10; i++) {
        if (cursor_u8(c) < 0x80) return !c->failed;
    }
    c->failed = true;
    return false;
}

#endif
