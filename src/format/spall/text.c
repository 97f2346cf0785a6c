#include "format/spall/text.h"

#include "base/utf8.h"

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
    size_t size = shown_size(text);
    if (utf8_valid_prefix(text.bytes, size) == size) {
        return builder_string(builder, (const char *)text.bytes, size);
    }
    Bytes  repaired = { 0 };
    size_t replaced = utf8_append_repaired(&repaired, text.bytes, size);
    builder_warn(builder, "invalid-utf8", pos, "name is not UTF-8: %zu part%s replaced by U+FFFD", replaced,
                 replaced == 1 ? "" : "s");
    StringId id = STRING_NONE;
    if (repaired.failed) {
        *out_of_memory = true;
    } else {
        id = builder_string(builder, (const char *)repaired.data, repaired.size);
    }
    bytes_release(&repaired);
    return id;
}
