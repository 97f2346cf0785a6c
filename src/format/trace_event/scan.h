/* format/trace_event/scan.h - finding where JSON values end, many bytes at a time.
 *
 * Nothing here decodes, allocates or looks at a byte outside of [at, end). A scan that meets `end` says SCAN_MORE:
 * the value may go on in bytes that are not here yet. A scan's answer depends on the bytes up to *stop alone, so
 * that the same file cut in other chunks gives the same answers.
 *
 * Blocks of 16 bytes are compared with SSE2, NEON or WebAssembly's simd128 where the compiler has them, else byte
 * by byte. AVX2 was measured and left out: 1 % of the parse on short events, 3 to 7 % on Chromium's with their long
 * arguments, which is half of that in a whole load and not worth a second copy chosen at run time. */
#ifndef FORMAT_TRACE_EVENT_SCAN_H
#define FORMAT_TRACE_EVENT_SCAN_H
#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef enum {
    SCAN_DONE,
    SCAN_MORE,  /* the bytes end inside */
    SCAN_BROKEN /* this is not JSON, not even as people write it; *stop is where that shows */
} ScanResult;

typedef enum {
    JSON_NOTHING,
    JSON_STRING,
    JSON_NUMBER, /* begins with a digit, a sign or a point: may still be none */
    JSON_WORD,   /* true, null, NaN, ... */
    JSON_OBJECT,
    JSON_ARRAY
} JsonKind;

/* Where a value stands in the input. */
typedef struct JsonValue {
    const uint8_t *at;   /* borrowed; of a string, what is between the quotes */
    size_t         size; /* the same */
    JsonKind       kind;
    bool           escaped; /* a string with at least one backslash */
} JsonValue;

/* The string whose opening quote stands before `at`: *stop is its closing quote. */
ScanResult scan_string(const uint8_t *at, const uint8_t *end, const uint8_t **stop, bool *escaped);

/* The object or array whose bracket is at `at`: *stop is behind its closing bracket. Brackets are counted, not
 * matched by kind; a string must be followed by something that can follow one, so that an unescaped quote shows
 * at once and does not turn the file inside out. */
ScanResult scan_container(const uint8_t *at, const uint8_t *end, const uint8_t **stop);

/* Any value that begins at `at` (no white space before it); *stop is behind it. */
ScanResult scan_value(const uint8_t *at, const uint8_t *end, JsonValue *value, const uint8_t **stop);

/* The comment at `at`, where a slash stands: *stop is behind it. A line comment ends before its line break. */
ScanResult scan_comment(const uint8_t *at, const uint8_t *end, const uint8_t **stop);

/* Behind white space and comments; *comments is raised when there is one. A comment that is not closed, or a
 * slash at the very end, is SCAN_MORE. Control characters count as white space. */
ScanResult scan_space(const uint8_t *at, const uint8_t *end, const uint8_t **stop, bool *comments);

/* Steps through the members of an object, or the items of an array, that scan_value found. */
typedef struct JsonItems {
    const uint8_t *at, *end;
    bool           is_object;
    bool           failed; /* what is left could not be read */
} JsonItems;

JsonItems json_items(const JsonValue *container);
/* The next one; false behind the last. `key` is JSON_NOTHING for the items of an array. Commas and comments between
 * them are skipped as they come. */
bool json_items_next(JsonItems *items, JsonValue *key, JsonValue *value);

/* The member of `object` that is called `name`; of equal keys the last counts. False: it has none, or is no object. */
bool json_find(const JsonValue *object, const char *name, JsonValue *found);

/* True when the value is exactly this word or string (not escaped). Here, so that a literal's length is known. */
static inline bool json_is(const JsonValue *value, JsonKind kind, const char *text)
{
    return value->kind == kind && value->size == strlen(text) && memcmp(value->at, text, value->size) == 0;
}

#endif
