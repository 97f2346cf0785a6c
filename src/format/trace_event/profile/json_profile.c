#include "format/trace_event/profile/json_profile.h"

#include "base/utf8.h"
#include "format/trace_event/common/text.h"

#include <string.h>

static size_t skip_blanks(const uint8_t *head, size_t size, size_t at)
{
    while (at < size && head[at] <= ' ')
        at++;
    return at;
}

size_t head_first_key(const uint8_t *head, size_t size)
{
    const size_t at = skip_blanks(head, size, size >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
    return at == size || head[at] != '{' ? size : skip_blanks(head, size, at + 1);
}

bool head_holds(const uint8_t *head, size_t size, const char *text)
{
    size_t length = strlen(text);
    for (size_t at = 0; at + length <= size; at++) {
        if (head[at] == (uint8_t)text[0] && memcmp(head + at, text, length) == 0) return true;
    }
    return false;
}

bool head_begins(const uint8_t *head, size_t size, const char *text)
{
    size_t length = strlen(text);
    return size >= length && memcmp(head, text, length) == 0;
}

StringId profile_string(TraceBuilder *builder, const JsonValue *value, const char *otherwise)
{
    TextDamage damage = { 0 };
    Bytes      text = { .data = NULL };
    StringId   id = STRING_NONE;
    if (value->kind == JSON_STRING && !value->escaped && value->size > 0 &&
        utf8_valid_prefix(value->at, value->size) == value->size)
        return builder_string(builder, (const char *)value->at, value->size);
    if (value->kind == JSON_STRING && value->size > 0)
        text_append(value, &text, &damage);
    else
        bytes_append_text(&text, otherwise);
    if (text.size > 0) id = builder_string(builder, (const char *)text.data, text.size);
    bytes_release(&text);
    return id;
}

bool profile_property(TraceBuilder *builder, const char *prefix, const JsonValue *key, const JsonValue *value)
{
    Bytes      name = { .data = NULL }, json = { .data = NULL };
    TextDamage damage = { 0 };
    JsonWriter writer = json_writer_to(&json, 0);
    bytes_append_text(&name, prefix);
    text_append(key, &name, &damage);
    text_write_json(&writer, value);
    const bool is_done = !name.failed && !json.failed;
    if (is_done) {
        StringId id = builder_string(builder, name.data == NULL ? "" : (const char *)name.data, name.size);
        builder_property(builder, id, (const char *)json.data, json.size);
    }
    bytes_release(&name);
    bytes_release(&json);
    return is_done;
}
