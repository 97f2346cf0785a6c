#include "format/spall/text.h"

#include "format/input_text.h"

static size_t shown_size(SpallText text)
{
    const uint8_t *name = text.bytes;
    size_t         size = text.size;
    while (size > 0 && name[size - 1] == 0)
        size--;
    if (text.size != text.most) return size;
    for (size_t back = 1; back <= 3 && back <= size; back++) {
        uint8_t byte = name[size - back];
        if ((byte & 0xC0) == 0x80) continue;
        size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
        return length > back ? size - back : size;
    }
    return size;
}

StringId spall_intern_text(TraceBuilder *builder, SpallText text, EventPos pos, bool *out_of_memory)
{
    const StringView shown = { (const char *)text.bytes, shown_size(text) };
    return input_text_intern(builder, shown, "name", pos, out_of_memory);
}
