/* format/line_text.h - numbers, times and fields in the lines of text that tracers of Linux print. */
#ifndef FORMAT_LINE_TEXT_H
#define FORMAT_LINE_TEXT_H
#include "base/json_writer.h"

/* True for letters, digits and '_'. */
bool line_is_word(char c);
/* Returns the bytes [begin, end) of a text. */
StringView line_part(StringView text, size_t begin, size_t end);
/* Removes the next line from *text. False if no line feed is left. */
bool line_next(StringView *text, StringView *line);
/* True if the text begins with `start`, of which each byte counts. */
bool line_starts_with(StringView text, StringView start);
/* Returns the text without the blanks around it. */
StringView line_trim(StringView text);
/* Reads decimal digits with an optional minus sign. False if the text is not a number of 64 bits. */
bool line_number(StringView text, int64_t *number);
/* Reads seconds ("62990.351230") as ns. Digits after the ninth decimal are ignored. False if the text is not such a time. */
bool line_seconds(StringView text, int64_t *ns);

/* A field "key=value". */
typedef struct LineField {
    StringView key, value;
} LineField;

/* Removes the next field from *text. Its value extends to the next field, so names of tasks may contain blanks. False
 * at the end. */
bool line_next_field(StringView *text, LineField *field);
/* Writes a value: a number if that keeps its spelling, else a string ("003"). */
void line_put_value(JsonWriter *w, StringView value);
/* Writes the fields of a text as members of the open object. */
void line_put_fields(JsonWriter *w, StringView text);

#endif
