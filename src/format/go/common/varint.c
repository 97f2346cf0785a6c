#include "format/go/common/varint.h"

uint64_t cursor_varint_long(ByteCursor *c, UlebRule rule)
{
    return cursor_uleb_as(c, rule);
}
