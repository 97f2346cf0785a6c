#include "format/spall/writer_text.h"

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
        text = (StringView){ (const char *)scratch->data, scratch->size };
        *cut = true;
    }
    if (LIKELY(text.size <= LAYOUT_MAX_TEXT)) return text;
    *cut = true;
    text.size = utf8_cut(text.bytes, text.size, LAYOUT_MAX_TEXT);
    return text;
}

static unsigned hex_value(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a' + 10);
}

/* Decodes a string of valid JSON up to its closing quote; what follows, or NULL at the end of the text. */
static const char *string_decode(const char *at, const char *end, Bytes *out)
{
    static const char ESCAPES[] = "\"\\/bfnrt", MEANINGS[] = "\"\\/\b\f\n\r\t";
    while (at < end && *at != '"') {
        const char *escape = *at != '\\' ? NULL : at + 1 < end ? strchr(ESCAPES, at[1]) : NULL;
        if (*at != '\\') {
            bytes_append(out, at++, 1);
        } else if (escape != NULL) {
            bytes_append(out, MEANINGS + (escape - ESCAPES), 1);
            at += 2;
        } else if (end - at >= 6) { /* \u: only control characters are written so, see base/json_writer.h */
            char     text[4];
            uint32_t code = 0;
            for (int i = 2; i < 6; i++)
                code = code << 4 | hex_value(at[i]);
            bytes_append(out, text, utf8_encode(code, text));
            at += 6;
        } else {
            return NULL;
        }
    }
    return at < end ? at + 1 : NULL;
}

StringView spall_args(const Bytes *json, Bytes *scratch)
{
    static const char KEY[] = "{\"args\":\"";
    const size_t      key_size = sizeof KEY - 1;
    StringView        all = { json->size == 0 ? "" : (const char *)json->data, json->size };
    if (all.size <= key_size || memcmp(all.bytes, KEY, key_size) != 0) return all;
    bytes_clear(scratch);
    const char *behind = string_decode(all.bytes + key_size, all.bytes + all.size, scratch);
    if (behind == NULL || scratch->failed || behind + 1 != all.bytes + all.size || *behind != '}') return all;
    return scratch->size == 0 ? STRING_LITERAL("")
                              : (StringView){ (const char *)scratch->data, scratch->size };
}
