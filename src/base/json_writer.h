/* base/json_writer.h - the only place where JSON is made, and the only escaper.
 *
 * Commas, colons and (if asked) line breaks are the writer's; the caller says what, not
 * how. Misuse (a value without a key in an object) is an assert. Strings that are not
 * valid UTF-8 get U+FFFD. Output goes to a Bytes, whose failure is sticky; nesting deeper
 * than JSON_MAX_DEPTH fails it too. */
#ifndef BASE_JSON_WRITER_H
#define BASE_JSON_WRITER_H
#include "base/arena.h"
#include "base/string_table.h"

#define JSON_MAX_DEPTH 64

typedef struct JsonWriter {
    Bytes *out;    /* borrowed */
    int    indent; /* spaces a level; 0 = all on one line */
    int    depth;
    bool   after_key;
    int    too_deep; /* containers open beyond JSON_MAX_DEPTH; the output has failed then */
    bool   has_items[JSON_MAX_DEPTH];
    bool   is_object[JSON_MAX_DEPTH]; /* else an array */
} JsonWriter;

JsonWriter json_writer_to(Bytes *out, int indent);
void       json_object_begin(JsonWriter *w);
void       json_object_end(JsonWriter *w);
void       json_array_begin(JsonWriter *w);
void       json_array_end(JsonWriter *w);
void       json_key(JsonWriter *w, const char *key); /* the program's own: nothing in it needs an escape */
void       json_key_bytes(JsonWriter *w, StringView key);
void       json_string(JsonWriter *w, const char *text);
void       json_string_bytes(JsonWriter *w, StringView text);
void       json_u64(JsonWriter *w, uint64_t value);
void       json_i64(JsonWriter *w, int64_t value);
void json_double(JsonWriter *w, double value); /* shortest text that reads back equal; null if not finite */
void json_bool(JsonWriter *w, bool value);
void json_null(JsonWriter *w);
/* Text that is already one valid JSON value. */
void json_raw(JsonWriter *w, const char *json, size_t size);
/* The inside of an object that is one already, without its braces: so many members of this one. */
void json_raw_members(JsonWriter *w, const char *json, size_t size);

/* key and value in one call */
void json_put_string(JsonWriter *w, const char *key, const char *text);
void json_put_view(JsonWriter *w, const char *key, StringView text);
void json_put_u64(JsonWriter *w, const char *key, uint64_t value);
void json_put_i64(JsonWriter *w, const char *key, int64_t value);
void json_put_double(JsonWriter *w, const char *key, double value);
void json_put_bool(JsonWriter *w, const char *key, bool value);

#endif
