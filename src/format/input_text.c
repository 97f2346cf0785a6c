#include "format/input_text.h"

#include "base/utf8.h"

StringId input_text_intern(TraceBuilder *builder, StringView text, const char *noun, EventPos pos,
                           bool *out_of_memory)
{
    if (utf8_valid_prefix(text.bytes, text.size) == text.size)
        return builder_string(builder, text.bytes, text.size);
    Bytes        repaired = { 0 };
    StringId     id = STRING_NONE;
    const size_t replaced = utf8_append_repaired(&repaired, text.bytes, text.size);
    builder_warn(builder, "invalid-utf8", pos, "%s is not UTF-8: %zu part%s replaced by U+FFFD", noun,
                 replaced, replaced == 1 ? "" : "s");
    if (repaired.failed)
        *out_of_memory = true;
    else
        id = builder_string(builder, (const char *)repaired.data, repaired.size);
    bytes_release(&repaired);
    return id;
}
