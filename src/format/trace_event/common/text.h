/* format/trace_event/common/text.h - decodes strings to valid UTF-8, and converts lenient JSON to valid JSON. */
#ifndef FORMAT_TRACE_EVENT_COMMON_TEXT_H
#define FORMAT_TRACE_EVENT_COMMON_TEXT_H
#include "base/json_scan.h"
#include "base/json_writer.h"

/* Counts of repairs in strings. The functions add to them. */
typedef struct TextDamage {
    /* invalid escapes, kept with their backslash: programs write Windows paths unescaped */
    uint64_t bad_escapes;
    uint64_t bad_encoding; /* invalid UTF-8 and unpaired surrogates, replaced by U+FFFD */
} TextDamage;

/* Appends the decoded text of a JSON_STRING, or the unchanged bytes of any other value. */
void text_append(const JsonValue *value, Bytes *out, TextDamage *damage);

/* Writes the value as valid JSON: numbers unchanged, strings repaired, words that are not JSON (NaN) as strings, values
 * that are nested too deeply as a string of their text. Does not recurse. */
void text_write_json(JsonWriter *writer, const JsonValue *value);

#endif
