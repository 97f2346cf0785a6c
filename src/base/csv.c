#include "base/csv.h"

static bool needs_quotes(StringView text)
{
    for (size_t i = 0; i < text.size; i++) {
        const char c = text.bytes[i];
        if (c == ',' || c == '"' || c == '\r' || c == '\n' || c == '\0') return true;
    }
    return text.size == 0;
}

void csv_append_field(StringView text, Bytes *out)
{
    if (!needs_quotes(text)) {
        bytes_append(out, text.bytes, text.size);
        return;
    }
    bytes_append(out, "\"", 1);
    for (size_t i = 0; i < text.size; i++) {
        if (text.bytes[i] == '"') bytes_append(out, "\"", 1);
        bytes_append(out, &text.bytes[i], 1);
    }
    bytes_append(out, "\"", 1);
}
