#include "format/line_text.h"

#include "base/ascii.h"

#include <string.h>

bool line_is_word(char c)
{
    return ascii_is_alnum(c) || c == '_';
}

StringView line_part(StringView text, size_t begin, size_t end)
{
    return (StringView){ text.bytes + begin, end - begin };
}

bool line_next(StringView *text, StringView *line)
{
    const char *end = text->size == 0 ? NULL : (const char *)memchr(text->bytes, '\n', text->size);
    if (end == NULL) return false;
    *line = (StringView){ text->bytes, (size_t)(end - text->bytes) };
    *text = line_part(*text, line->size + 1, text->size);
    return true;
}

bool line_starts_with(StringView text, StringView start)
{
    return text.size >= start.size && memcmp(text.bytes, start.bytes, start.size) == 0;
}

StringView line_trim(StringView text)
{
    while (text.size > 0 && (text.bytes[0] == ' ' || text.bytes[0] == '\t'))
        text = line_part(text, 1, text.size);
    while (text.size > 0 && memchr(" \t\r", text.bytes[text.size - 1], 3) != NULL)
        text.size--;
    return text;
}

bool line_number(StringView text, int64_t *number)
{
    bool     negative = text.size > 0 && text.bytes[0] == '-';
    size_t   at = negative ? 1 : 0;
    uint64_t magnitude = 0;
    if (at == text.size || text.size > 19 + at) return false;
    for (; at < text.size; at++) {
        if (!ascii_is_digit(text.bytes[at])) return false;
        magnitude = magnitude * 10 + (uint64_t)(text.bytes[at] - '0'); /* below 10^19 */
    }
    if (magnitude > INT64_MAX) return false;
    *number = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

bool line_seconds(StringView text, int64_t *ns)
{
    const char *point = text.size == 0 ? NULL : memchr(text.bytes, '.', text.size);
    size_t      whole = point == NULL ? text.size : (size_t)(point - text.bytes);
    int64_t     seconds, fraction = 0;
    if (!line_number(line_part(text, 0, whole), &seconds) || seconds < 0 ||
        seconds > INT64_MAX / 1000000000 - 1)
        return false;
    for (size_t i = 0; i < 9; i++) {
        size_t at = whole + 1 + i;
        if (at < text.size && !ascii_is_digit(text.bytes[at])) return false;
        fraction = fraction * 10 + (at < text.size ? text.bytes[at] - '0' : 0);
    }
    *ns = seconds * 1000000000 + fraction;
    return true;
}

/* Returns the begin of the next field from `at` on: a word and "=" at the text's begin or after a blank. */
static size_t field_begin(StringView text, size_t at)
{
    while (at < text.size) {
        size_t word = at;
        while (word < text.size && line_is_word(text.bytes[word]))
            word++;
        if (word > at && word < text.size && text.bytes[word] == '=' &&
            (at == 0 || text.bytes[at - 1] == ' '))
            return at;
        at = word > at ? word : at + 1;
    }
    return text.size;
}

bool line_next_field(StringView *text, LineField *field)
{
    size_t begin = field_begin(*text, 0);
    if (begin == text->size) return false;
    const char *sign = memchr(text->bytes + begin, '=', text->size - begin);
    size_t      value = (size_t)(sign - text->bytes) + 1, end = field_begin(*text, value);
    field->key = line_part(*text, begin, value - 1);
    field->value = line_trim(line_part(*text, value, end));
    if (field->value.size >= 3 && memcmp(field->value.bytes + field->value.size - 3, "==>", 3) == 0)
        field->value = line_trim(line_part(field->value, 0, field->value.size - 3));
    *text = line_part(*text, end, text->size);
    return true;
}

void line_put_value(JsonWriter *w, StringView value)
{
    int64_t number;
    bool    is_plain = value.size > 0 && (value.size == 1 || value.bytes[0] != '0') && value.bytes[0] != '-';
    if (is_plain && line_number(value, &number))
        json_i64(w, number);
    else
        json_string_bytes(w, value); /* keeps the spelling of values like "003" */
}

void line_put_fields(JsonWriter *w, StringView text)
{
    LineField field;
    while (line_next_field(&text, &field)) {
        json_key_bytes(w, field.key);
        line_put_value(w, field.value);
    }
}
