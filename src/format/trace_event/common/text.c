#include "format/trace_event/common/text.h"

#include "base/utf8.h"
#include "format/trace_event/common/number.h"

/* -- strings -- */

/* Returns the value of the four hexadecimal digits at `at`, or -1. */
static int32_t hex4(const uint8_t *at, const uint8_t *end)
{
    if (end - at < 4) return -1;
    int32_t value = 0;
    for (int i = 0; i < 4; i++) {
        int32_t c = at[i], digit;
        if (c >= '0' && c <= '9')
            digit = c - '0';
        else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
            digit = (c | 0x20) - 'a' + 10;
        else
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

static void code_point_append(Bytes *out, uint32_t code_point)
{
    char   bytes[4];
    size_t size = utf8_encode(code_point, bytes);
    bytes_append(out, bytes, size);
}

/* Decodes the escape after "\u". Returns the number of bytes used, 0 if the escape is not valid. */
static size_t unicode_escape(const uint8_t *at, const uint8_t *end, Bytes *out, TextDamage *damage)
{
    int32_t unit = hex4(at, end);
    if (unit < 0) return 0;
    if (unit >= 0xd800 && unit < 0xdc00 && end - at >= 10 && at[4] == '\\' && at[5] == 'u') {
        int32_t low = hex4(at + 6, end);
        if (low >= 0xdc00 && low < 0xe000) {
            code_point_append(out, (uint32_t)(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00)));
            return 10;
        }
    }
    if (unit >= 0xd800 && unit < 0xe000) {
        damage->bad_encoding++;
        unit = 0xfffd;
    }
    code_point_append(out, (uint32_t)unit);
    return 4;
}

/* Decodes the escape after a backslash. Returns the number of bytes used, 0 if the escape is not valid. */
static size_t escape_append(const uint8_t *at, const uint8_t *end, Bytes *out, TextDamage *damage)
{
    static const char FROM[] = "\"\\/bfnrt", TO[] = "\"\\/\b\f\n\r\t";
    if (at == end) return 0;
    for (size_t i = 0; FROM[i] != '\0'; i++) {
        if (*at != (uint8_t)FROM[i]) continue;
        bytes_append(out, &TO[i], 1);
        return 1;
    }
    if (*at != 'u') return 0;
    size_t used = unicode_escape(at + 1, end, out, damage);
    return used == 0 ? 0 : used + 1;
}

void text_append(const JsonValue *value, Bytes *out, TextDamage *damage)
{
    if (value->size == 0) return; /* value->at may be NULL */
    const uint8_t *at = value->at, *end = value->at + value->size;
    if (LIKELY(!value->escaped && utf8_is_ascii(at, value->size))) {
        bytes_append(out, at, value->size);
        return;
    }
    if (!value->escaped) {
        damage->bad_encoding += utf8_append_repaired(out, at, value->size);
        return;
    }
    while (at < end) {
        const uint8_t *plain = at;
        while (at < end && *at != '\\')
            at++;
        damage->bad_encoding += utf8_append_repaired(out, plain, (size_t)(at - plain));
        if (at == end) return;
        size_t used = escape_append(at + 1, end, out, damage);
        if (used == 0) {
            damage->bad_escapes++;
            bytes_append(out, at, 1);
        }
        at += 1 + used;
    }
}

/* -- values -- */

static void string_write(JsonWriter *writer, const JsonValue *value, bool is_key)
{
    if (!value->escaped) { /* the writer repairs UTF-8 like text_append */
        StringView plain = { (const char *)value->at, value->size };
        if (is_key)
            json_key_bytes(writer, plain);
        else
            json_string_bytes(writer, plain);
        return;
    }
    Bytes      text = { 0 };
    TextDamage damage = { 0 };
    text_append(value, &text, &damage);
    StringView view = bytes_view(&text);
    if (text.failed) writer->out->failed = true;
    if (is_key)
        json_key_bytes(writer, view);
    else
        json_string_bytes(writer, view);
    bytes_release(&text);
}

/* True for an integer that is valid JSON, as most numbers are. */
static bool is_plain_integer(const JsonValue *value)
{
    if (value->kind != JSON_NUMBER || (value->at[0] == '0' && value->size > 1)) return false;
    for (size_t i = 0; i < value->size; i++) {
        if (value->at[i] < '0' || value->at[i] > '9') return false;
    }
    return true;
}

static void scalar_write(JsonWriter *writer, const JsonValue *value)
{
    Bytes number = { 0 };
    if (json_is(value, JSON_WORD, "true"))
        json_bool(writer, true);
    else if (json_is(value, JSON_WORD, "false"))
        json_bool(writer, false);
    else if (json_is(value, JSON_WORD, "null"))
        json_null(writer);
    else if (is_plain_integer(value))
        json_raw(writer, (const char *)value->at, value->size);
    else if (value->kind == JSON_NUMBER && number_append_json(value->at, value->size, &number)) {
        if (number.failed) writer->out->failed = true;
        json_raw(writer, number.failed ? "0" : (const char *)number.data, number.failed ? 1 : number.size);
    } else {
        string_write(writer, value, false);
    }
    bytes_release(&number);
}

enum { DEPTH_LIMIT = JSON_MAX_DEPTH / 2 }; /* leaves room for the containers that the writer has open */

static bool is_container(const JsonValue *value)
{
    return value->kind == JSON_OBJECT || value->kind == JSON_ARRAY;
}

static void container_open(JsonWriter *writer, const JsonValue *value)
{
    if (value->kind == JSON_OBJECT)
        json_object_begin(writer);
    else
        json_array_begin(writer);
}

/* Closes a container. The invalid rest of a container is written as one text, so that no data is lost. */
static void container_close(JsonWriter *writer, const JsonItems *items)
{
    if (items->failed) {
        if (items->is_object) json_key(writer, "?");
        JsonValue rest = { items->at, (size_t)(items->end - items->at), JSON_WORD, false };
        string_write(writer, &rest, false);
    }
    if (items->is_object)
        json_object_end(writer);
    else
        json_array_end(writer);
}

void text_write_json(JsonWriter *writer, const JsonValue *value)
{
    JsonItems open[DEPTH_LIMIT];
    size_t    depth = 0;
    if (!is_container(value)) {
        scalar_write(writer, value);
        return;
    }
    container_open(writer, value);
    open[depth++] = json_items(value);
    while (depth > 0) {
        JsonItems *items = &open[depth - 1];
        JsonValue  key, item;
        if (!json_items_next(items, &key, &item)) {
            container_close(writer, items);
            depth--;
            continue;
        }
        if (items->is_object) string_write(writer, &key, true);
        if (!is_container(&item)) {
            scalar_write(writer, &item);
        } else if (depth == DEPTH_LIMIT) {
            string_write(writer, &item, false);
        } else {
            container_open(writer, &item);
            open[depth++] = json_items(&item);
        }
    }
}
