#include "format/heph/names.h"

#include <string.h>

bool heph_name_decode(const HephOption *option, HephName *name)
{
    ByteCursor cursor = cursor_over(option->value.bytes, option->value.size, 0);
    name->is_substream = string_equal(option->name, STRING_LITERAL(HEPH_SUBSTREAM_NAME));
    if (!name->is_substream && !string_equal(option->name, STRING_LITERAL(HEPH_STREAM_NAME))) return false;
    name->stream = cursor_u32be(&cursor);
    name->substream = name->is_substream ? cursor_u64be(&cursor) : 0;
    name->text = heph_string_next(&cursor);
    return !cursor.failed && cursor_left(&cursor) == 0;
}
