/* format/apitrace/values.h - values as JSON, and as plain text.
 *
 * Enums and bitmasks by their names, addresses in hexadecimal, a blob as {"bytes": its size, "hex": how it begins,
 * "blob": its number among those of the call}, what has two representations as {"text", "data"}; structs and arrays as
 * trees. Text that is no UTF-8 gets U+FFFD. */
#ifndef FORMAT_APITRACE_VALUES_H
#define FORMAT_APITRACE_VALUES_H
#include "base/json_writer.h"
#include "format/apitrace/call.h"

enum { BLOB_PREVIEW = 64, VALUE_FLOAT_TEXT = 32 };

/* The shortest decimal that is this float again, not its digits as a double; its length. 0: it is not finite. */
size_t value_print_float(uint32_t bits, char text[VALUE_FLOAT_TEXT]);

void value_write(Grammar *g, ByteCursor *c, JsonWriter *w);
/* Appends the text of a (wide) string as UTF-8. False: the value is none. */
bool value_append_text(Grammar *g, ByteCursor value, Bytes *out);

#endif
