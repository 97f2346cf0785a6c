#include "format/heph/writer_values.h"

#include "base/json_members.h"
#include "format/heph/writer_packet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t EXACT_DOUBLES = UINT64_C(1) << 53;

typedef struct JsonScalar {
    uint8_t  type; /* HEPH_UNSIGNED to HEPH_STRING; 0 = none of them */
    uint64_t bits;
    bool     is_whole_double; /* an integer that a double holds too */
} JsonScalar;

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Digits alone: false when there are others, or too many of them. */
static bool read_digits(StringView text, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < text.size; i++) {
        unsigned digit = (unsigned)(uint8_t)text.bytes[i] - '0';
        if (digit > 9 || *value > (UINT64_MAX - digit) / 10) return false;
        *value = *value * 10 + digit;
    }
    return true;
}

/* A number with a fraction or an exponent, and -0. */
static JsonScalar read_double(HephValues *values, StringView text)
{
    if (memchr(text.bytes, '.', text.size) == NULL && memchr(text.bytes, 'e', text.size) == NULL &&
        memchr(text.bytes, 'E', text.size) == NULL && !string_equal(text, STRING_LITERAL("-0")))
        return (JsonScalar){ 0 }; /* a double would round its last digits away */
    bytes_clear(&values->number);
    bytes_append(&values->number, text.bytes, text.size);
    bytes_append(&values->number, "", 1);
    double value = values->number.failed ? 0 : strtod((const char *)values->number.data, NULL);
    if (!isfinite(value)) return (JsonScalar){ 0 };
    return (JsonScalar){ .type = HEPH_DOUBLE, .bits = bits_of(value) };
}

static JsonScalar read_scalar(HephValues *values, StringView json)
{
    char     first = json.bytes[0];
    bool     is_negative = first == '-';
    uint64_t magnitude;
    if (first == '"') return (JsonScalar){ .type = HEPH_STRING };
    if (!is_negative && (first < '0' || first > '9')) return (JsonScalar){ 0 };
    StringView digits = { json.bytes + is_negative, json.size - is_negative };
    if (!read_digits(digits, &magnitude) || (is_negative && (magnitude == 0 || magnitude - 1 > INT64_MAX)))
        return read_double(values, json);
    return (JsonScalar){ .type = is_negative ? HEPH_SIGNED : HEPH_UNSIGNED,
                         .bits = is_negative ? 0 - magnitude : magnitude,
                         .is_whole_double = magnitude <= EXACT_DOUBLES };
}

StringView heph_unquote(HephValues *values, StringView quoted)
{
    bytes_clear(&values->text);
    json_text_append(quoted, &values->text);
    return values->text.size == 0 ? STRING_LITERAL("")
                                  : (StringView){ (const char *)values->text.data, values->text.size };
}

static void put_string(HephValues *values, StringView text, Bytes *out)
{
    if (!heph_put_text(out, text)) values->cut_texts++;
    if (values->text.failed || values->number.failed) out->failed = true;
}

static void put_as_text(HephValues *values, StringView json, Bytes *out)
{
    heph_put_u8(out, HEPH_STRING);
    put_string(values, json, out);
    values->as_texts++;
}

/* -- arrays -- */

typedef struct ArrayShape {
    uint8_t type; /* of its elements; 0 = no array */
    size_t  count;
} ArrayShape;

static ArrayShape shape_of(HephValues *values, StringView json)
{
    JsonMembers elements;
    StringView  element;
    size_t      count = 0, of_type[HEPH_STRING + 1] = { 0 };
    bool        fits_signed = true, fits_double = true;
    if (!json_elements_open(json, &elements)) return (ArrayShape){ 0 };
    for (; json_elements_next(&elements, &element); count++) {
        JsonScalar scalar = read_scalar(values, element);
        of_type[scalar.type]++;
        if (scalar.type == HEPH_UNSIGNED && scalar.bits > INT64_MAX) fits_signed = false;
        if (scalar.type != HEPH_DOUBLE && !scalar.is_whole_double) fits_double = false;
    }
    uint8_t type = 0;
    if (of_type[HEPH_UNSIGNED] == count)
        type = HEPH_UNSIGNED;
    else if (of_type[HEPH_STRING] == count)
        type = HEPH_STRING;
    else if (of_type[HEPH_UNSIGNED] + of_type[HEPH_SIGNED] == count)
        type = fits_signed ? HEPH_SIGNED : 0;
    else if (fits_double)
        type = HEPH_DOUBLE;
    return (ArrayShape){ type, count };
}

static uint64_t as_double(JsonScalar scalar)
{
    if (scalar.type == HEPH_DOUBLE) return scalar.bits;
    return bits_of(scalar.type == HEPH_SIGNED ? (double)(int64_t)scalar.bits : (double)scalar.bits);
}

static void put_array(HephValues *values, StringView json, ArrayShape shape, Bytes *out)
{
    JsonMembers elements;
    StringView  element;
    size_t      count = shape.count < HEPH_MOST_ELEMENTS ? shape.count : HEPH_MOST_ELEMENTS;
    values->cut_arrays += count < shape.count;
    heph_put_u8(out, shape.type | HEPH_ARRAY);
    heph_put_u16(out, (uint16_t)count);
    bool more = json_elements_open(json, &elements);
    for (size_t i = 0; more && i < count && json_elements_next(&elements, &element); i++) {
        JsonScalar scalar = read_scalar(values, element);
        if (shape.type == HEPH_STRING)
            put_string(values, heph_unquote(values, element), out);
        else
            heph_put_u64(out, shape.type == HEPH_DOUBLE ? as_double(scalar) : scalar.bits);
    }
}

/* -- attributes -- */

/* Type and value. */
static void put_value(HephValues *values, StringView json, Bytes *out)
{
    JsonScalar scalar = read_scalar(values, json);
    if (scalar.type == HEPH_STRING) {
        heph_put_u8(out, HEPH_STRING);
        put_string(values, heph_unquote(values, json), out);
        return;
    }
    if (scalar.type != 0) {
        heph_put_u8(out, scalar.type);
        heph_put_u64(out, scalar.bits);
        return;
    }
    ArrayShape shape = shape_of(values, json);
    if (shape.type != 0)
        put_array(values, json, shape, out);
    else
        put_as_text(values, json, out);
}

void heph_put_attributes(HephValues *values, StringView json, Bytes *out)
{
    JsonMembers members;
    StringView  key, value;
    if (json.size == 0) return;
    if (!json_members_open(json, &members)) {
        put_string(values, STRING_LITERAL("args"), out);
        put_value(values, json, out);
        return;
    }
    while (json_members_next(&members, &key, &value)) {
        put_string(values, heph_unquote(values, key), out);
        put_value(values, value, out);
    }
}

void heph_values_release(HephValues *values)
{
    bytes_release(&values->text);
    bytes_release(&values->number);
}
