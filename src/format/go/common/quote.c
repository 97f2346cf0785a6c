#include "format/go/common/quote.h"

#include "base/utf8.h"

/* Unprintable characters above ASCII, like in strconv.IsPrint: controls, spaces, format characters, private use.
 * Without its table of unassigned characters, which changes with each version of Go. */
static const struct {
    uint32_t first, last;
} HIDDEN[] = {
    { 0x80, 0xa0 },     { 0xad, 0xad },       { 0x600, 0x605 },      { 0x61c, 0x61c },   { 0x6dd, 0x6dd },
    { 0x70f, 0x70f },   { 0x1680, 0x1680 },   { 0x180e, 0x180e },    { 0x2000, 0x200f }, { 0x2028, 0x202f },
    { 0x205f, 0x206f }, { 0x3000, 0x3000 },   { 0xd800, 0xf8ff },    { 0xfeff, 0xfeff }, { 0xfff0, 0xfffb },
    { 0xfffe, 0xffff }, { 0xe0001, 0xe007f }, { 0xf0000, 0x10ffff },
};

static bool is_hidden(uint32_t c)
{
    for (size_t i = 0; i < sizeof HIDDEN / sizeof HIDDEN[0]; i++) {
        if (c >= HIDDEN[i].first && c <= HIDDEN[i].last) return true;
    }
    return false;
}

/* Appends a byte below 0x80 that is not printed unchanged. */
static void append_ascii(uint8_t c, Bytes *out)
{
    static const char ESCAPES[] = "abtnvfr"; /* 7 to 13 */
    if (c == '"' || c == '\\') {
        bytes_printf(out, "\\%c", c);
    } else if (c >= 7 && c <= 13) {
        bytes_printf(out, "\\%c", ESCAPES[c - 7]);
    } else {
        bytes_printf(out, "\\x%02x", c);
    }
}

/* Returns the number of bytes at the begin of a text that are printed unchanged. */
static size_t plain_bytes(const uint8_t *bytes, size_t size)
{
    size_t count = 0;
    while (count < size && bytes[count] >= 0x20 && bytes[count] < 0x7f && bytes[count] != '"' &&
           bytes[count] != '\\')
        count++;
    return count;
}

void go_quoted_append(StringView text, Bytes *out)
{
    const uint8_t *bytes = (const uint8_t *)text.bytes;
    bytes_append_text(out, "\"");
    for (size_t at = 0, used = 1; at < text.size; at += used) {
        used = plain_bytes(bytes + at, text.size - at);
        bytes_append(out, bytes + at, used);
        if (used > 0) continue;
        used = 1;
        if (bytes[at] < 0x80) {
            append_ascii(bytes[at], out);
            continue;
        }
        uint32_t c = utf8_decode(bytes + at, text.size - at, &used);
        if (utf8_valid_prefix(bytes + at, used) != used) {
            for (size_t i = 0; i < used; i++)
                bytes_printf(out, "\\x%02x", bytes[at + i]);
        } else if (is_hidden(c)) {
            bytes_printf(out, c > 0xffff ? "\\U%08x" : "\\u%04x", c);
        } else {
            bytes_append(out, bytes + at, used);
        }
    }
    bytes_append_text(out, "\"");
}

void go_unsigned_append(const char *before, uint64_t value, Bytes *out)
{
    bytes_append_text(out, before);
    bytes_append_u64(out, value);
}

void go_number_append(const char *before, int64_t value, Bytes *out)
{
    bytes_append_text(out, before);
    if (value < 0) bytes_append(out, "-", 1);
    bytes_append_u64(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}
