/* base/json_scan.h - finds the ends of JSON values, many bytes at a time.
 *
 * The functions do not decode, do not allocate, and read only bytes of [at, end). A scan that reaches `end` returns
 * JSON_SCAN_MORE: the value may continue in later bytes. The result depends only on the bytes up to *stop, so it is the same
 * for any chunking.
 *
 * Sixteen bytes are compared at a time (block16.h). AVX2 is not used: it saves 1 % of parsing short events and 3 to 7 % of
 * parsing Chromium's events with long arguments, half of that in a whole load, which does not justify a second copy of the
 * code. */
#ifndef BASE_JSON_SCAN_H
#define BASE_JSON_SCAN_H
#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef enum {
    JSON_SCAN_DONE,
    JSON_SCAN_MORE,  /* the bytes end inside the value */
    JSON_SCAN_BROKEN /* not JSON, not even in the accepted variants; *stop is the place of the error */
} JsonScan;

typedef enum {
    JSON_NOTHING,
    JSON_STRING,
    JSON_NUMBER, /* begins with a digit, a sign or a point; may be invalid */
    JSON_WORD,   /* true, null, NaN, ... */
    JSON_OBJECT,
    JSON_ARRAY
} JsonKind;

/* The extent of a value in the input. */
typedef struct JsonValue {
    const uint8_t *at;   /* borrowed; for a string the text between the quotes */
    size_t         size; /* in bytes */
    JsonKind       kind;
    bool           escaped; /* a string with at least one backslash */
} JsonValue;

/* Scans the string whose opening quote is before `at`. Sets *stop to its closing quote. */
JsonScan json_scan_string(const uint8_t *at, const uint8_t *end, const uint8_t **stop, bool *escaped);

/* Scans the object or array whose bracket is at `at`. Sets *stop to the byte after its closing bracket. Brackets are
 * counted, not matched by kind. The byte after a string must be one that may follow a string; so an unescaped quote is
 * detected at once and does not swap the text inside and outside of strings. */
JsonScan json_scan_container(const uint8_t *at, const uint8_t *end, const uint8_t **stop);
/* The same with the instructions that every processor has: json_scan_container uses others where it finds them. */
JsonScan json_scan_container_by_16(const uint8_t *at, const uint8_t *end, const uint8_t **stop);

/* Scans any value that begins at `at` (without white space before it). Sets *stop to the byte after it. */
JsonScan json_scan_value(const uint8_t *at, const uint8_t *end, JsonValue *value, const uint8_t **stop);

/* Scans the comment whose slash is at `at`. Sets *stop to the byte after it. A line comment ends before its line
 * break. */
JsonScan json_scan_comment(const uint8_t *at, const uint8_t *end, const uint8_t **stop);

/* Skips white space and comments. Sets *comments if it finds a comment. An unclosed comment, or a slash as the last
 * byte, is JSON_SCAN_MORE. Control characters count as white space. */
JsonScan json_scan_space(const uint8_t *at, const uint8_t *end, const uint8_t **stop, bool *comments);

/* Scans the key that begins at `at`, the colon, and the white space and comments around it. Sets *stop to the first byte
 * of the value, which is before `end`. */
JsonScan json_scan_key(const uint8_t *at, const uint8_t *end, JsonValue *key, const uint8_t **stop);

/* Steps through the members of an object, or the items of an array, that json_scan_value found. */
typedef struct JsonItems {
    const uint8_t *at, *end;
    bool           is_object;
    bool           failed; /* the rest is not valid */
} JsonItems;

JsonItems json_items(const JsonValue *container);
/* Returns the next member or item; false after the last. `key` is JSON_NOTHING for the items of an array. Skips
 * commas and comments between them. */
bool json_items_next(JsonItems *items, JsonValue *key, JsonValue *value);

/* Finds the member `name` of `object`; of equal keys the last. False if it is absent or `object` is not an object. */
bool json_find(const JsonValue *object, const char *name, JsonValue *found);

/* True if the value is exactly this word or string (without escapes). Inline, so that the length of a literal is
 * known. */
static inline bool json_is(const JsonValue *value, JsonKind kind, const char *text)
{
    return value->kind == kind && value->size == strlen(text) && memcmp(value->at, text, value->size) == 0;
}

#endif
