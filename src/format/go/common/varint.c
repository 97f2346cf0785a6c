#include "format/go/common/varint.h"

uint64_t cursor_varint_long(ByteCursor *c, VarintRule rule)
{
    enum { MOST_BYTES = 10 };
    uint64_t value = 0;
    for (unsigned i = 0; i < MOST_BYTES; i++) {
        uint8_t byte = cursor_u8(c);
        if (c->failed) return 0;
        if (i == MOST_BYTES - 1 && byte > 1 && (rule == VARINT_REFUSE_EXCESS || byte >= 0x80)) break;
        value |= (uint64_t)(byte & 0x7f) << (7 * i);
        if (byte < 0x80) return value;
    }
    c->failed = true;
    return 0;
}
