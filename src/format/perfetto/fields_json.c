#include "format/perfetto/fields_json.h"

#include "base/utf8.h"

#include <stdio.h>

/* Limits on the levels of messages, and on the fields of one: others are written as bytes. */
enum { MOST_LEVELS = 8, MOST_FIELDS = 128, MOST_MESSAGE_BYTES = 64 << 10, SHOWN_BYTES = 32 };

static void put_message(JsonWriter *w, StringView message, int level);

/* Writes the size and the first bytes as members of the open object. */
static void put_bytes(JsonWriter *w, StringView bytes)
{
    char         hex[2 * SHOWN_BYTES];
    const size_t shown = bytes.size < SHOWN_BYTES ? bytes.size : SHOWN_BYTES;
    for (size_t i = 0; i < shown; i++) {
        const uint8_t byte = (uint8_t)bytes.bytes[i];
        hex[2 * i] = "0123456789abcdef"[byte >> 4];
        hex[2 * i + 1] = "0123456789abcdef"[byte & 15];
    }
    json_put_u64(w, "bytes", bytes.size);
    json_put_view(w, "hex", (StringView){ hex, 2 * shown });
}

void fields_json_bytes(JsonWriter *w, StringView bytes)
{
    json_object_begin(w);
    put_bytes(w, bytes);
    json_object_end(w);
}

static bool is_text(StringView bytes)
{
    if (utf8_valid_prefix(bytes.bytes, bytes.size) != bytes.size) return false;
    for (size_t i = 0; i < bytes.size; i++)
        if ((uint8_t)bytes.bytes[i] < 0x20 || bytes.bytes[i] == 0x7f) return false;
    return true;
}

static bool is_message(StringView bytes)
{
    ByteCursor c = wire_message(bytes);
    WireField  field;
    size_t     count = 0;
    if (bytes.size > MOST_MESSAGE_BYTES) return false;
    while (count <= MOST_FIELDS && wire_next(&c, &field))
        count++;
    return !c.failed && count > 0 && count <= MOST_FIELDS;
}

static void put_value(JsonWriter *w, const WireField *field, int level)
{
    if (field->type != WIRE_BYTES) {
        if (field->value > INT64_MAX)
            json_i64(w, (int64_t)field->value);
        else
            json_u64(w, field->value);
    } else if (is_text(field->bytes)) {
        json_string_bytes(w, field->bytes);
    } else if (level < MOST_LEVELS && is_message(field->bytes)) {
        put_message(w, field->bytes, level + 1);
    } else {
        fields_json_bytes(w, field->bytes);
    }
}

/* Returns the number of fields with a number in the fields from the cursor on. */
static size_t count_of(ByteCursor c, uint32_t number)
{
    WireField field;
    size_t    count = 0;
    while (wire_next(&c, &field))
        count += field.number == number;
    return count;
}

/* True if a field with the number is before offset `at` of the message. */
static bool was_before(StringView message, size_t at, uint32_t number)
{
    ByteCursor c = cursor_over(message.bytes, at, 0);
    return count_of(c, number) > 0;
}

/* Writes the fields of a message as members of the open object. The message has few of them: is_message. */
static void put_members(JsonWriter *w, StringView message, int level)
{
    ByteCursor c = wire_message(message);
    WireField  field;
    for (size_t at = 0; wire_next(&c, &field); at = c.at) {
        if (was_before(message, at, field.number)) continue;
        char       key[24];
        ByteCursor rest = c;
        (void)snprintf(key, sizeof key, "field %u", (unsigned)field.number);
        json_key(w, key);
        const bool is_array = count_of(rest, field.number) > 0;
        if (is_array) json_array_begin(w);
        put_value(w, &field, level);
        for (WireField more; is_array && wire_next(&rest, &more);)
            if (more.number == field.number) put_value(w, &more, level);
        if (is_array) json_array_end(w);
    }
}

static void put_message(JsonWriter *w, StringView message, int level)
{
    json_object_begin(w);
    put_members(w, message, level);
    json_object_end(w);
}

void fields_json_message(JsonWriter *w, StringView message)
{
    json_object_begin(w);
    fields_json_members(w, message);
    json_object_end(w);
}

void fields_json_members(JsonWriter *w, StringView message)
{
    if (message.size == 0 || is_message(message))
        put_members(w, message, 0);
    else
        put_bytes(w, message);
}

void fields_json_value(JsonWriter *w, const WireField *field)
{
    put_value(w, field, 0);
}
