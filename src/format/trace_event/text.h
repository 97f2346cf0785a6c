/* format/trace_event/text.h - from the bytes between two quotes to valid UTF-8, and from lenient JSON to JSON. */
#ifndef FORMAT_TRACE_EVENT_TEXT_H
#define FORMAT_TRACE_EVENT_TEXT_H
#include "base/json_writer.h"
#include "format/trace_event/scan.h"

/* What a string needed repairing for. Counted up, not cleared. */
typedef struct TextDamage {
    uint64_t bad_escapes;  /* kept with their backslash: programs write Windows paths unescaped */
    uint64_t bad_encoding; /* bytes that are not UTF-8, and lone surrogates: now U+FFFD */
} TextDamage;

/* Appends the decoded text of a JSON_STRING; of any other value the bytes as they stand. */
void text_append(const JsonValue *value, Bytes *out, TextDamage *damage);

/* Writes the value as valid JSON: numbers as they were written, strings repaired, words that are no JSON (NaN) as
 * strings, what is nested too deeply as a string of its text. No recursion. */
void text_write_json(JsonWriter *writer, const JsonValue *value);

#endif
