#include "base/json_writer.h"

#include "base/block16.h"
#include "base/utf8.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

JsonWriter json_writer_to(Bytes *out, int indent)
{
    return (JsonWriter){ .out = out, .indent = indent };
}

/* -- structure -- */

static_assert(JSON_MAX_DEPTH == 64, "a level has a bit");

/* Returns the bit of the innermost open container. */
static uint64_t level_bit(const JsonWriter *w)
{
    return UINT64_C(1) << (w->depth - 1);
}

static void line_break(JsonWriter *w)
{
    if (w->indent == 0) return;
    bytes_append(w->out, "\n", 1);
    for (int i = 0; i < w->depth * w->indent; i++)
        bytes_append(w->out, " ", 1);
}

/* Writes the comma and line break before an item of a container. */
static void item_begin(JsonWriter *w)
{
    if (w->depth > 0) {
        if ((w->has_items & level_bit(w)) != 0) bytes_append(w->out, ",", 1);
        line_break(w);
        w->has_items |= level_bit(w);
    }
}

static void value_begin(JsonWriter *w)
{
    if (w->after_key) {
        w->after_key = false;
        return;
    }
    assert(w->depth == 0 || (w->is_object & level_bit(w)) == 0); /* a value in an object needs a key */
    item_begin(w);
}

static void container_begin(JsonWriter *w, const char *bracket, bool is_object)
{
    value_begin(w);
    if (w->depth == JSON_MAX_DEPTH) {
        w->out->failed = true;
        w->too_deep++;
        return;
    }
    bytes_append(w->out, bracket, 1);
    w->depth++;
    w->has_items &= ~level_bit(w);
    w->is_object = is_object ? w->is_object | level_bit(w) : w->is_object & ~level_bit(w);
}

static void container_end(JsonWriter *w, const char *bracket, bool is_object)
{
    if (w->too_deep > 0) {
        w->too_deep--;
        return;
    }
    assert(w->depth > 0 && ((w->is_object & level_bit(w)) != 0) == is_object && !w->after_key);
    (void)is_object;
    const bool has_items = (w->has_items & level_bit(w)) != 0;
    w->depth--;
    if (has_items) line_break(w);
    bytes_append(w->out, bracket, 1);
}

void json_object_begin(JsonWriter *w)
{
    container_begin(w, "{", true);
}

void json_object_end(JsonWriter *w)
{
    container_end(w, "}", true);
}

void json_array_begin(JsonWriter *w)
{
    container_begin(w, "[", false);
}

void json_array_end(JsonWriter *w)
{
    container_end(w, "]", false);
}

/* -- strings -- */

static void escape_append(Bytes *out, unsigned char c)
{
    switch (c) {
    case '"':
        bytes_append(out, "\\\"", 2);
        return;
    case '\\':
        bytes_append(out, "\\\\", 2);
        return;
    case '\b':
        bytes_append(out, "\\b", 2);
        return;
    case '\f':
        bytes_append(out, "\\f", 2);
        return;
    case '\n':
        bytes_append(out, "\\n", 2);
        return;
    case '\r':
        bytes_append(out, "\\r", 2);
        return;
    case '\t':
        bytes_append(out, "\\t", 2);
        return;
    default:
        bytes_printf(out, "\\u%04x", (unsigned)c);
        return;
    }
}

/* Appends valid UTF-8. Escapes the characters that JSON forbids in a string, and DEL, which Perfetto rejects. */
static void escaped_append(Bytes *out, const char *text, size_t size)
{
    size_t plain = 0; /* start of the pending bytes that need no escape */
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        if (LIKELY(c >= 0x20 && c != '"' && c != '\\' && c != 0x7f)) continue;
        bytes_append(out, text + plain, i - plain);
        escape_append(out, c);
        plain = i + 1;
    }
    bytes_append(out, text + plain, size - plain);
}

/* Returns the number of bytes at the start of a text that are ASCII and need no escape. */
static size_t plain_prefix(const uint8_t *bytes, size_t size)
{
    size_t at = 0;
    for (; size - at >= sizeof(Block16); at += sizeof(Block16)) {
        const Block16  block = block_load(bytes + at);
        const uint64_t special = block_mask(block_or(
            block_at_most(block, 0x1f), block_or(block_equal(block, '"'), block_equal(block, '\\'))));
        const uint64_t odd = special | (block_mask(block_at_most(block, 0x7e)) ^ 0xffff);
        if (odd != 0) return at + bits_lowest_u64(odd);
    }
    while (at < size && bytes[at] >= 0x20 && bytes[at] < 0x7f && bytes[at] != '"' && bytes[at] != '\\')
        at++;
    return at;
}

static void quoted_append(Bytes *out, StringView text)
{
    if (plain_prefix((const uint8_t *)text.bytes, text.size) == text.size) { /* most texts */
        uint8_t *room = (uint8_t *)bytes_reserve(out, text.size + 2);
        if (room == NULL) return;
        room[0] = '"';
        if (text.size > 0) memcpy(room + 1, text.bytes, text.size);
        room[text.size + 1] = '"';
        out->size += text.size + 2;
        return;
    }
    bytes_append(out, "\"", 1);
    for (size_t at = 0; at < text.size;) {
        size_t valid = utf8_valid_prefix(text.bytes + at, text.size - at);
        escaped_append(out, text.bytes + at, valid);
        at += valid;
        if (at == text.size) break;
        size_t used;
        (void)utf8_decode(text.bytes + at, text.size - at, &used);
        bytes_append(out, "\xef\xbf\xbd", 3);
        at += used;
    }
    bytes_append(out, "\"", 1);
}

void json_key_bytes(JsonWriter *w, StringView key)
{
    assert(w->too_deep > 0 || (w->depth > 0 && (w->is_object & level_bit(w)) != 0));
    assert(!w->after_key);
    item_begin(w);
    quoted_append(w->out, key);
    bytes_append(w->out, ": ", w->indent > 0 ? 2 : 1);
    w->after_key = true;
}

void json_key(JsonWriter *w, const char *key)
{
    size_t size = strlen(key);
    assert(w->too_deep > 0 || (w->depth > 0 && (w->is_object & level_bit(w)) != 0));
    assert(!w->after_key);
    if (w->indent > 0) item_begin(w);
    uint8_t *room = (uint8_t *)bytes_reserve(w->out, size + 5);
    if (room != NULL) { /* one append per key: keys are half of most outputs */
        size_t at = 0;
        if (w->indent == 0 && w->depth > 0) {
            room[0] = ',';
            at = (w->has_items & level_bit(w)) != 0;
            w->has_items |= level_bit(w);
        }
        room[at++] = '"';
        memcpy(room + at, key, size);
        at += size;
        room[at++] = '"';
        room[at++] = ':';
        if (w->indent > 0) room[at++] = ' ';
        w->out->size += at;
    }
    w->after_key = true;
}

void json_raw_members(JsonWriter *w, const char *json, size_t size)
{
    assert(w->too_deep > 0 || (w->depth > 0 && (w->is_object & level_bit(w)) != 0 && !w->after_key));
    if (size == 0) return;
    item_begin(w);
    bytes_append(w->out, json, size);
}

void json_string_bytes(JsonWriter *w, StringView text)
{
    value_begin(w);
    quoted_append(w->out, text);
}

void json_string(JsonWriter *w, const char *text)
{
    if (text == NULL)
        json_null(w);
    else
        json_string_bytes(w, c_string_view(text));
}

/* -- other values -- */

void json_u64(JsonWriter *w, uint64_t value)
{
    value_begin(w);
    bytes_append_u64(w->out, value);
}

void json_i64(JsonWriter *w, int64_t value)
{
    if (value >= 0) {
        json_u64(w, (uint64_t)value);
        return;
    }
    value_begin(w);
    bytes_printf(w->out, "%" PRId64, value);
}

/* Replaces the locale's decimal separator, which may have several bytes, by a point. A program that embeds the engine
 * may have set a locale. Returns the new length. */
static size_t decimal_point_restore(char *text)
{
    size_t length = 0;
    for (const char *from = text; *from != '\0'; from++) {
        if (strchr("0123456789+-e", *from) != NULL) {
            text[length++] = *from;
        } else if (length == 0 || text[length - 1] != '.') {
            text[length++] = '.';
        }
    }
    return length;
}

size_t json_double_text(double value, char out[JSON_DOUBLE_TEXT])
{
    for (int precision = 15; precision <= 17; precision++) {
        (void)snprintf(out, JSON_DOUBLE_TEXT, "%.*g", precision, value);
        if (strtod(out, NULL) == value) break;
    }
    return decimal_point_restore(out);
}

void json_double(JsonWriter *w, double value)
{
    if (!isfinite(value)) {
        json_null(w);
        return;
    }
    char         text[JSON_DOUBLE_TEXT];
    const size_t size = json_double_text(value, text);
    value_begin(w);
    bytes_append(w->out, text, size);
}

void json_bool(JsonWriter *w, bool value)
{
    value_begin(w);
    bytes_append_text(w->out, value ? "true" : "false");
}

void json_null(JsonWriter *w)
{
    value_begin(w);
    bytes_append_text(w->out, "null");
}

void json_raw(JsonWriter *w, const char *json, size_t size)
{
    value_begin(w);
    bytes_append(w->out, json, size);
}

/* -- key and value -- */

void json_put_string(JsonWriter *w, const char *key, const char *text)
{
    json_key(w, key);
    json_string(w, text);
}

void json_put_view(JsonWriter *w, const char *key, StringView text)
{
    json_key(w, key);
    json_string_bytes(w, text);
}

void json_put_u64(JsonWriter *w, const char *key, uint64_t value)
{
    json_key(w, key);
    json_u64(w, value);
}

void json_put_i64(JsonWriter *w, const char *key, int64_t value)
{
    json_key(w, key);
    json_i64(w, value);
}

void json_put_double(JsonWriter *w, const char *key, double value)
{
    json_key(w, key);
    json_double(w, value);
}

void json_put_bool(JsonWriter *w, const char *key, bool value)
{
    json_key(w, key);
    json_bool(w, value);
}

void json_put_view_or_null(JsonWriter *w, const char *key, StringView text)
{
    json_key(w, key);
    if (text.size == 0)
        json_null(w);
    else
        json_string_bytes(w, text);
}

PRINTF_LIKE(2, 0) static void string_vprintf(JsonWriter *w, const char *format, va_list args)
{
    char      text[JSON_PRINTF_BYTES + 1];
    const int size = vsnprintf(text, sizeof text, format, args);
    assert(size >= 0 && size <= JSON_PRINTF_BYTES);
    json_string_bytes(w, (StringView){ text, (size_t)size });
}

void json_string_printf(JsonWriter *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    string_vprintf(w, format, args);
    va_end(args);
}

void json_put_printf(JsonWriter *w, const char *key, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    json_key(w, key);
    string_vprintf(w, format, args);
    va_end(args);
}

void json_put_null(JsonWriter *w, const char *key)
{
    json_key(w, key);
    json_null(w);
}

void json_put_raw(JsonWriter *w, const char *key, const char *json, size_t size)
{
    json_key(w, key);
    json_raw(w, json, size);
}

void json_put_object(JsonWriter *w, const char *key)
{
    json_key(w, key);
    json_object_begin(w);
}

void json_put_array(JsonWriter *w, const char *key)
{
    json_key(w, key);
    json_array_begin(w);
}
