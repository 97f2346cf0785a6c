/* format/trace_event/writer_fit.h - what a file of this format may say and viewers refuse: Spall gives up the
 * whole file at a time that is no number, a "ph" or "s" that is not one letter, or a name of a thread that is
 * no text; Perfetto at a number beyond a double. */
#ifndef FORMAT_TRACE_EVENT_WRITER_FIT_H
#define FORMAT_TRACE_EVENT_WRITER_FIT_H
#include "base/string_table.h"
#include "format/trace_event/event.h"

/* The members of a valid object; one of them, with the comma before it, as it stands there. */
JsonItems json_members_of(const Bytes *object);
void      json_member_append(const JsonValue *key, const JsonValue *value, Bytes *out);
/* The same of an event's members: chrome://tracing gives up at frames of its own ("stack"), which get another name. */
void writer_member_append(const JsonValue *key, const JsonValue *value, Bytes *out);

/* The members of an object, 1 << EventKey each: all that an event knows, and those that viewers would refuse. */
typedef struct MemberKeys {
    unsigned all, odd;
} MemberKeys;
MemberKeys writer_member_keys(const Bytes *object);

/* Whether a metadata event of this name can stand as it is: false for a name of a process or thread whose
 * "name" is no text. A number becomes one. *args: an object or nothing; changed. */
bool writer_fit_metadata(StringView name, Bytes *args);

#endif
