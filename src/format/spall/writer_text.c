#include "format/spall/writer_text.h"

#include "base/json_members.h"
#include "base/utf8.h"
#include "format/spall/layout.h"

#include <string.h>

static const char REPLACEMENT[] = "\xef\xbf\xbd";

StringView spall_text(StringView text, Bytes *scratch, bool *cut)
{
    if (UNLIKELY(text.size > 0 && memchr(text.bytes, '\0', text.size) != NULL)) {
        bytes_clear(scratch);
        for (size_t i = 0; i < text.size && scratch->size <= LAYOUT_MAX_TEXT; i++) {
            bool is_nul = text.bytes[i] == '\0';
            bytes_append(scratch, is_nul ? REPLACEMENT : text.bytes + i, is_nul ? 3 : 1);
        }
        text = bytes_view(scratch);
        *cut = true;
    }
    if (LIKELY(text.size <= LAYOUT_MAX_TEXT)) return text;
    *cut = true;
    text.size = utf8_cut(text.bytes, text.size, LAYOUT_MAX_TEXT);
    return text;
}

StringView spall_args(const Bytes *json, Bytes *scratch)
{
    StringView  all = bytes_view(json), key, value, more;
    JsonMembers members;
    bool        is_text = json_members_open(all, &members) && json_members_next(&members, &key, &value) &&
                   string_equal(key, STRING_LITERAL("\"args\"")) && value.bytes[0] == '"' &&
                   !json_members_next(&members, &more, &more);
    if (!is_text) return all;
    bytes_clear(scratch);
    json_text_append(value, scratch);
    if (scratch->failed) return all;
    return scratch->size == 0 ? STRING_LITERAL("") : bytes_view(scratch);
}
