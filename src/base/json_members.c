#include "base/json_members.h"

#include "base/ascii.h"
#include "base/utf8.h"

#include <string.h>

static bool open_container(StringView json, char bracket, JsonMembers *members)
{
    const uint8_t *at = (const uint8_t *)json.bytes, *end = at + json.size;
    while (at < end && ascii_is_space((char)*at))
        at++;
    if (at == end || *at != (uint8_t)bracket) return false;
    members->items = (JsonItems){ .at = at + 1, .end = end, .is_object = bracket == '{' };
    return true;
}

/* Returns the text of a value: of a string with its quotes. */
static StringView text_of(const JsonValue *value)
{
    const size_t quote = value->kind == JSON_STRING;
    return (StringView){ (const char *)value->at - quote, value->size + 2 * quote };
}

static void skip(StringView *text, size_t size)
{
    text->bytes += size;
    text->size -= size;
}

bool json_members_open(StringView json, JsonMembers *members)
{
    return open_container(json, '{', members);
}

bool json_members_next(JsonMembers *members, StringView *key, StringView *value)
{
    JsonValue name, content;
    if (!json_items_next(&members->items, &name, &content) || name.kind != JSON_STRING) return false;
    *key = text_of(&name);
    *value = text_of(&content);
    const char *after_key = key->bytes + key->size; /* the scanner does not demand the colon */
    return memchr(after_key, ':', (size_t)(value->bytes - after_key)) != NULL;
}

bool json_elements_open(StringView json, JsonMembers *elements)
{
    return open_container(json, '[', elements);
}

bool json_elements_next(JsonMembers *elements, StringView *value)
{
    JsonValue none, content;
    if (!json_items_next(&elements->items, &none, &content)) return false;
    *value = text_of(&content);
    return true;
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

void json_plain_append(StringView value, Bytes *out)
{
    if (value.size > 0 && value.bytes[0] == '"')
        json_text_append(value, out);
    else
        bytes_append(out, value.bytes, value.size);
}
