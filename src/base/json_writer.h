/* base/json_writer.h - writes JSON. All JSON output of the program goes through it.
 *
 * The writer adds commas, colons, escapes and, with an indent, line breaks. Misuse, such as a value without a key in an
 * object, is an assert. Invalid UTF-8 becomes U+FFFD. The output is appended to a Bytes, whose failure is sticky;
 * nesting deeper than JSON_MAX_DEPTH sets the failure, too. */
#ifndef BASE_JSON_WRITER_H
#define BASE_JSON_WRITER_H
#include "base/string_view.h"

#define JSON_MAX_DEPTH 64
#define JSON_PRINTF_BYTES 95

typedef struct JsonWriter {
    Bytes *out;    /* borrowed */
    int    indent; /* spaces per level; 0 = one line */
    int    depth;
    bool   after_key;
    int    too_deep; /* number of open containers beyond JSON_MAX_DEPTH; if > 0 the output has failed */
    /* by level, a bit each; JSON_MAX_DEPTH bits keep the struct small: many values have a writer of their own */
    uint64_t has_items;
    uint64_t is_object; /* else an array */
} JsonWriter;

JsonWriter json_writer_to(Bytes *out, int indent);
void       json_object_begin(JsonWriter *w);
void       json_object_end(JsonWriter *w);
void       json_array_begin(JsonWriter *w);
void       json_array_end(JsonWriter *w);
void       json_key(JsonWriter *w, const char *key); /* a key that needs no escape */
void       json_key_bytes(JsonWriter *w, StringView key);
void       json_string(JsonWriter *w, const char *text); /* NULL gives null */
void       json_string_bytes(JsonWriter *w, StringView text);
/* Writes a string of at most JSON_PRINTF_BYTES, for example an id, or a number above 2^53. */
void json_string_printf(JsonWriter *w, const char *format, ...) PRINTF_LIKE(2, 3);
void json_u64(JsonWriter *w, uint64_t value);
void json_i64(JsonWriter *w, int64_t value);
void json_double(JsonWriter *w, double value); /* shortest text that reads back equal; null if not finite */
/* Writes that text of a finite number to `out`. Returns its length. */
enum { JSON_DOUBLE_TEXT = 48 };
size_t json_double_text(double value, char out[JSON_DOUBLE_TEXT]);
void   json_bool(JsonWriter *w, bool value);
void   json_null(JsonWriter *w);
/* Copies text that is one valid JSON value. */
void json_raw(JsonWriter *w, const char *json, size_t size);
/* Copies text that is the members of a JSON object, without its braces, into the open object. */
void json_raw_members(JsonWriter *w, const char *json, size_t size);

/* key and value in one call */
void json_put_string(JsonWriter *w, const char *key, const char *text);
void json_put_view(JsonWriter *w, const char *key, StringView text);
void json_put_u64(JsonWriter *w, const char *key, uint64_t value);
void json_put_i64(JsonWriter *w, const char *key, int64_t value);
void json_put_double(JsonWriter *w, const char *key, double value);
void json_put_bool(JsonWriter *w, const char *key, bool value);
/* As json_put_view; null if the text is empty. */
void json_put_view_or_null(JsonWriter *w, const char *key, StringView text);
void json_put_printf(JsonWriter *w, const char *key, const char *format, ...) PRINTF_LIKE(3, 4);
void json_put_null(JsonWriter *w, const char *key);
void json_put_raw(JsonWriter *w, const char *key, const char *json, size_t size);
/* key and begin of a container */
void json_put_object(JsonWriter *w, const char *key);
void json_put_array(JsonWriter *w, const char *key);

#endif
