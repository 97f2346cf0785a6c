/* format/perfetto/fields_json.h - writes messages whose fields have no known names. For format/perfetto only.
 *
 * A message is an object: {"field 1": 5}. A field that occurs several times is an array. Bytes are a text if they are printable
 * UTF-8, else a message if they have its form, else {"bytes": size, "hex": "the first bytes"}. The form of the wire does not tell
 * signed numbers from unsigned ones, nor doubles from integers: numbers are written as they are on the wire, those of eight
 * bytes with their highest bit as negative. */
#ifndef FORMAT_PERFETTO_FIELDS_JSON_H
#define FORMAT_PERFETTO_FIELDS_JSON_H
#include "base/json_writer.h"
#include "format/wire.h"

/* Writes a message as a value, or as members of the open object. */
void fields_json_message(JsonWriter *w, StringView message);
void fields_json_members(JsonWriter *w, StringView message);
/* Writes the value of a field. */
void fields_json_value(JsonWriter *w, const WireField *field);
/* Writes bytes as {"bytes": size, "hex": "..."}. */
void fields_json_bytes(JsonWriter *w, StringView bytes);

#endif
