/* format/trace_event/ids.h - what events are matched by: ids of asynchronous slices, flows, objects. */
#ifndef FORMAT_TRACE_EVENT_IDS_H
#define FORMAT_TRACE_EVENT_IDS_H
#include "format/trace_event/emit.h"

/* The member of `object` that is called `name`; of equal keys the last. */
bool id_member(const JsonValue *object, const char *name, JsonValue *found);

/* How far an id reaches: all processes, or the event's own. */
typedef enum { ID_NONE, ID_GLOBAL, ID_LOCAL } IdReach;
IdReach id_find(const RawEvent *event, JsonValue *id);

/* Appends to emitter->text: the text of an id (a string as it is, a number in decimal); that of a member, if
 * the event has it, and a zero byte. */
void id_append(Emitter *emitter, const JsonValue *id);
void id_append_part(Emitter *emitter, const RawEvent *event, EventKey key);

/* The value's text as a string of the trace. Changes emitter->text. */
StringId id_intern(Emitter *emitter, const JsonValue *value);

/* The number an id is: decimal digits, or hexadecimal ones behind 0x, as a number or a string. */
bool id_number(const JsonValue *id, uint64_t *number);

#endif
