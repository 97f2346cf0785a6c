/* format/apitrace/values.h - values as JSON, and as plain text.
 *
 * Enums and bitmasks are written by their names, addresses in hexadecimal, structs and arrays as trees, a blob as {"bytes":
 * its size, "hex": how it begins, "blob": its number among those of the call}, a value with two representations as {"text",
 * "data"}. Text that is not UTF-8 gets U+FFFD. Two more objects hold the rest: the numbers of enums and bitmasks, and the
 * names of structs, each by the path of the value: "mode", "desc.Format", "attribs[2]". */
#ifndef FORMAT_APITRACE_VALUES_H
#define FORMAT_APITRACE_VALUES_H
#include "base/json_writer.h"
#include "format/apitrace/call.h"
#include "format/reader.h"

/* VALUE_PATH_MOST: a value whose path has more bytes has no note. */
enum { BLOB_PREVIEW = 64, VALUE_FLOAT_TEXT = 32, VALUE_PATH_MOST = 4096 };

/* Prints the shortest decimal that reads back as this float; returns its length. 0: it is not finite. */
size_t value_print_float(uint32_t bits, char text[VALUE_FLOAT_TEXT]);

/* An object of JSON by paths of values. */
typedef struct ValueNotes {
    Bytes      text; /* empty until the first note */
    JsonWriter writer;
} ValueNotes;

/* Writes the values of one call. The caller sets the first three members and blob_wanted, the others are zero. It must
 * not be moved: its writers point into it. */
typedef struct ValueWriter {
    Grammar    *g;   /* borrowed */
    JsonWriter *out; /* borrowed: an open object */
    BlobRule    blob_rule;
    uint64_t    blob_wanted; /* the number of a blob, + 1; 0 = none */
    uint64_t    blob_count;  /* written so far */
    StringView  blob;        /* the bytes of the wanted one, once it was written; borrowed from the stream */
    Bytes       path;        /* of the value at hand */
    ValueNotes  numbers, structs;
} ValueWriter;

/* Writes a value as the member `name` of the open object. */
void value_write(ValueWriter *v, StringView name, ByteCursor value);
/* Puts the members "numbers" and "structs", where there are any, into an object; once, behind the last value. */
void value_notes_put(ValueWriter *v, JsonWriter *w);
void value_writer_release(ValueWriter *v);

/* Appends the text of a (wide) string as UTF-8. False: the value is not a string. */
bool value_append_text(Grammar *g, ByteCursor value, Bytes *out);

#endif
