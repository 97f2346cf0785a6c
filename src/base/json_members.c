#include "base/json_members.h"

#include "base/utf8.h"

#include <string.h>

static void skip(StringView *text, size_t size)
{
    text->bytes += size;
    text->size -= size;
}

static void skip_space(StringView *text)
{
    while (text->size > 0 && memchr(" \t\r\n", text->bytes[0], 4) != NULL)
        skip(text, 1);
}

static bool skip_sign(StringView *text, char sign)
{
    skip_space(text);
    if (text->size == 0 || text->bytes[0] != sign) return false;
    skip(text, 1);
    return true;
}

/* Returns the length of the string at the start of `text` including its quotes, 0 if there is no string. */
static size_t string_length(StringView text)
{
    if (text.size == 0 || text.bytes[0] != '"') return 0;
    for (size_t i = 1; i < text.size; i++) {
        if (text.bytes[i] == '\\')
            i++;
        else if (text.bytes[i] == '"')
            return i + 1;
    }
    return 0;
}

/* Returns the length of the value at the start of `text`: up to a comma or closing bracket at its own depth. */
static size_t value_length(StringView text)
{
    size_t depth = 0, at = 0;
    while (at < text.size) {
        char c = text.bytes[at];
        if (c == '"') {
            size_t length = string_length((StringView){ text.bytes + at, text.size - at });
            if (length == 0) return 0;
            at += length;
            continue;
        }
        bool closes = c == '}' || c == ']';
        if (depth == 0 && (closes || c == ',')) break;
        if (c == '{' || c == '[') depth++;
        if (closes) depth--;
        at++;
    }
    while (at > 0 && memchr(" \t\r\n", text.bytes[at - 1], 4) != NULL)
        at--;
    return at;
}

static bool take_value(StringView *rest, StringView *value)
{
    skip_space(rest);
    size_t size = value_length(*rest);
    if (size == 0) return false;
    *value = (StringView){ rest->bytes, size };
    skip(rest, size);
    return true;
}

bool json_members_open(StringView json, JsonMembers *members)
{
    members->rest = json;
    return skip_sign(&members->rest, '{');
}

bool json_members_next(JsonMembers *members, StringView *key, StringView *value)
{
    StringView *rest = &members->rest;
    (void)skip_sign(rest, ','); /* between members */
    skip_space(rest);
    size_t key_size = string_length(*rest);
    if (key_size == 0) return false;
    *key = (StringView){ rest->bytes, key_size };
    skip(rest, key_size);
    return skip_sign(rest, ':') && take_value(rest, value);
}

bool json_elements_open(StringView json, JsonMembers *elements)
{
    elements->rest = json;
    return skip_sign(&elements->rest, '[');
}

bool json_elements_next(JsonMembers *elements, StringView *value)
{
    (void)skip_sign(&elements->rest, ','); /* between elements */
    return take_value(&elements->rest, value);
}

/* -- escapes -- */

static bool hex4(StringView text, uint32_t *value)
{
    *value = 0;
    if (text.size < 4) return false;
    for (int i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdef";
        char        c = text.bytes[i];
        const char *digit = c == '\0' ? NULL : strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
        if (digit == NULL) return false;
        *value = *value * 16 + (uint32_t)(digit - digits);
    }
    return true;
}

/* Reads a code point after "\u". A surrogate pair takes the following escape too. Invalid escapes give U+FFFD. */
static uint32_t code_point_take(StringView *text)
{
    uint32_t high, low;
    if (!hex4(*text, &high)) return 0xfffd;
    skip(text, 4);
    if (high < 0xd800 || high > 0xdbff) return high;
    StringView next = *text;
    if (next.size < 6 || next.bytes[0] != '\\' || next.bytes[1] != 'u') return 0xfffd;
    skip(&next, 2);
    if (!hex4(next, &low) || low < 0xdc00 || low > 0xdfff) return 0xfffd;
    skip(text, 6);
    return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

static void escape_take(StringView *text, Bytes *out)
{
    static const char NAMES[] = "bfnrt", MEANT[] = "\b\f\n\r\t";
    char              c = text->bytes[0];
    skip(text, 1);
    if (c == 'u') {
        char utf8[4];
        bytes_append(out, utf8, utf8_encode(code_point_take(text), utf8));
        return;
    }
    const char *name = c == '\0' ? NULL : strchr(NAMES, c);
    bytes_append(out, name == NULL ? &c : &MEANT[name - NAMES], 1);
}

void json_text_append(StringView quoted, Bytes *out)
{
    if (quoted.size < 2) return;
    StringView text = { quoted.bytes + 1, quoted.size - 2 };
    while (text.size > 0) {
        const char *escape = memchr(text.bytes, '\\', text.size);
        size_t      plain = escape == NULL ? text.size : (size_t)(escape - text.bytes);
        bytes_append(out, text.bytes, plain);
        skip(&text, plain);
        if (text.size < 2) return;
        skip(&text, 1);
        escape_take(&text, out);
    }
}
