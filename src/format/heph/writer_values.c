#include "format/heph/writer_values.h"

#include "format/heph/types.h"
#include "format/heph/writer_packet.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t EXACT_DOUBLES = UINT64_C(1) << 53;

typedef struct JsonScalar {
    uint8_t  type; /* HEPH_UNSIGNED to HEPH_STRING; 0 = another kind of value */
    uint64_t bits;
    bool     is_whole_double; /* an integer that a double represents exactly */
} JsonScalar;

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Reads decimal digits. False if the text has other characters or exceeds 64 bits. */
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

/* Reads the text of any JSON number as the nearest double. False if it exceeds the range of doubles. */
static bool read_nearest_double(HephValues *values, StringView text, uint64_t *bits)
{
    bytes_clear(&values->number);
    bytes_append(&values->number, text.bytes, text.size);
    const char *number = bytes_text(&values->number);
    double      value = number == NULL ? 0 : strtod(number, NULL);
    *bits = bits_of(value);
    return isfinite(value);
}

/* Reads a number with a fraction or an exponent, or -0. */
static JsonScalar read_double(HephValues *values, StringView text)
{
    JsonScalar scalar = { .type = HEPH_DOUBLE };
    if (memchr(text.bytes, '.', text.size) == NULL && memchr(text.bytes, 'e', text.size) == NULL &&
        memchr(text.bytes, 'E', text.size) == NULL && !string_equal(text, STRING_LITERAL("-0")))
        return (JsonScalar){ 0 }; /* a double would lose its last digits */
    return read_nearest_double(values, text, &scalar.bits) ? scalar : (JsonScalar){ 0 };
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
    return values->text.size == 0 ? STRING_LITERAL("") : bytes_view(&values->text);
}

/* Reads a scalar of this type; *bits is not set for a string. False if the JSON is not such a value. */
static bool read_as(HephValues *values, uint8_t type, StringView json, uint64_t *bits)
{
    const JsonScalar scalar = read_scalar(values, json);
    *bits = scalar.bits;
    switch (type) {
    case HEPH_UNSIGNED:
    case HEPH_STRING:
        return scalar.type == type;
    case HEPH_SIGNED:
        return scalar.type == HEPH_SIGNED || (scalar.type == HEPH_UNSIGNED && scalar.bits <= INT64_MAX);
    case HEPH_DOUBLE:
        if (scalar.type == HEPH_STRING) return heph_double_read(heph_unquote(values, json), bits);
        return scalar.type == HEPH_DOUBLE || (scalar.type != 0 && read_nearest_double(values, json, bits));
    default:
        return false;
    }
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
    uint8_t type; /* of its elements; 0 = not an array */
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
        assert(scalar.type <= HEPH_STRING);
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

/* Returns the shape of an array whose elements are all of `type`; a shape of type 0 if `json` is not such an array. */
static ArrayShape shape_as(HephValues *values, uint8_t type, StringView json)
{
    assert(type != 0 && type <= HEPH_STRING);
    JsonMembers elements;
    StringView  element;
    ArrayShape  shape = { .type = type };
    uint64_t    bits;
    if (!json_elements_open(json, &elements)) return (ArrayShape){ 0 };
    for (; json_elements_next(&elements, &element); shape.count++) {
        if (!read_as(values, type, element, &bits)) return (ArrayShape){ 0 };
    }
    return shape;
}

/* -- attributes -- */

/* Returns the bits of the next NaN. */
static uint64_t next_nan(HephValues *values)
{
    StringView element;
    uint64_t   bits;
    bool       is_known = json_elements_next(&values->nans, &element) &&
                    heph_nan_bits_read(heph_unquote(values, element), &bits);
    return is_known ? bits : HEPH_NAN_BITS;
}

/* Appends a value without its type byte. read_as has accepted it. */
static void put_plain(HephValues *values, uint8_t type, StringView json, Bytes *out)
{
    uint64_t bits;
    if (type == HEPH_STRING) {
        put_string(values, heph_unquote(values, json), out);
        return;
    }
    (void)read_as(values, type, json, &bits);
    heph_put_u64(out, type == HEPH_DOUBLE && heph_is_nan(bits) ? next_nan(values) : bits);
}

static void put_array(HephValues *values, StringView json, ArrayShape shape, Bytes *out)
{
    assert(shape.type != 0 && (shape.type & HEPH_ARRAY) == 0);
    JsonMembers elements;
    StringView  element;
    size_t      count = shape.count < HEPH_MOST_ELEMENTS ? shape.count : HEPH_MOST_ELEMENTS;
    values->cut_arrays += count < shape.count;
    heph_put_u8(out, shape.type | HEPH_ARRAY);
    heph_put_u16(out, (uint16_t)count);
    bool more = json_elements_open(json, &elements);
    for (size_t i = 0; more && i < count && json_elements_next(&elements, &element); i++)
        put_plain(values, shape.type, element, out);
}

/* Appends type and value. `declared` is the requested type, 0 = any; it is ignored if the value does not fit. */
static void put_value(HephValues *values, StringView json, uint8_t declared, Bytes *out)
{
    const bool is_array = (declared & HEPH_ARRAY) != 0;
    uint64_t   bits;
    uint8_t    type = declared != 0 && !is_array && read_as(values, declared, json, &bits)
                          ? declared
                          : read_scalar(values, json).type;
    if (type != 0) {
        heph_put_u8(out, type);
        put_plain(values, type, json, out);
        return;
    }
    ArrayShape shape = { 0 };
    if (is_array) shape = shape_as(values, declared & (uint8_t)~HEPH_ARRAY, json);
    if (shape.type == 0) shape = shape_of(values, json);
    if (shape.type != 0)
        put_array(values, json, shape, out);
    else
        put_as_text(values, json, out);
}

/* The declared types after the last one that was found. */
typedef struct DeclaredTypes {
    JsonMembers next;
    unsigned    misses;
} DeclaredTypes;

/* Returns the type declared for `key` (with its quotes), 0 = none. Types are in the order of the arguments. After
 * MISSES_MOST arguments without a type it stops searching. */
static uint8_t declared_type(DeclaredTypes *types, StringView key)
{
    enum { MISSES_MOST = 16 };
    JsonMembers ahead = types->next;
    StringView  name, type;
    if (types->misses > MISSES_MOST) return 0;
    while (json_members_next(&ahead, &name, &type)) {
        if (!string_equal(name, key)) continue;
        types->next = ahead;
        return type.size < 2 ? 0 : heph_type_named((StringView){ type.bytes + 1, type.size - 2 });
    }
    types->misses++;
    return 0;
}

/* Returns the member `name` of a JSON object; empty if the object does not have it. */
static StringView member_of(HephValues *values, StringView json, const char *name)
{
    JsonMembers members;
    StringView  key, value;
    if (!json_members_open(json, &members)) return STRING_LITERAL("");
    while (json_members_next(&members, &key, &value)) {
        if (string_equal(heph_unquote(values, key), c_string_view(name))) return value;
    }
    return STRING_LITERAL("");
}

void heph_put_attributes(HephValues *values, StringView json, StringView beside, Bytes *out)
{
    JsonMembers   members;
    DeclaredTypes declared = { .misses = 0 };
    StringView    key, value;
    if (json.size == 0) return;
    if (!json_elements_open(member_of(values, beside, HEPH_NANS_KEY), &values->nans))
        values->nans = (JsonMembers){ .items = { .at = NULL } };
    if (!json_members_open(json, &members)) {
        put_string(values, STRING_LITERAL("args"), out);
        put_value(values, json, 0, out);
        return;
    }
    const bool has_types = json_members_open(member_of(values, beside, HEPH_TYPES_KEY), &declared.next);
    while (json_members_next(&members, &key, &value)) {
        put_string(values, heph_unquote(values, key), out);
        put_value(values, value, has_types ? declared_type(&declared, key) : 0, out);
    }
}

void heph_values_release(HephValues *values)
{
    bytes_release(&values->text);
    bytes_release(&values->number);
}
