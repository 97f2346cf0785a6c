/* format/trace_event/read/ids.h - the ids by which events of asynchronous slices, flows and objects are matched. */
#ifndef FORMAT_TRACE_EVENT_READ_IDS_H
#define FORMAT_TRACE_EVENT_READ_IDS_H
#include "format/trace_event/read/emit.h"

/* Finds the member `name` of `object`; of equal keys the last. */
bool id_member(const JsonValue *object, const char *name, JsonValue *found);

/* The scope of an id: all processes, or the event's process. */
typedef enum { ID_NONE, ID_GLOBAL, ID_LOCAL } IdReach;
IdReach id_find(const RawEvent *event, JsonValue *id);

/* id_append: appends an id to emitter->text, a string unchanged, a number in decimal. id_append_part: appends a
 * member, if the event has it, and a zero byte. */
void id_append(Emitter *emitter, const JsonValue *id);
void id_append_part(Emitter *emitter, const RawEvent *event, EventKey key);

/* Interns the text of a value as a string of the trace. Changes emitter->text. */
StringId id_intern(Emitter *emitter, const JsonValue *value);

/* Reads an id as a number: decimal digits, or hexadecimal digits after 0x, as a JSON number or string. */
bool id_number(const JsonValue *id, uint64_t *number);

#endif
