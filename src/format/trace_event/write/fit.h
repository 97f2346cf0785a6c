/* format/trace_event/write/fit.h - removes values that the format allows but viewers reject. Spall rejects the whole
 * file for a time that is not a number, a "ph" or "s" that is not one letter, or a thread's name that is not a text.
 * Perfetto rejects a number beyond the range of doubles, and the whole file for a thread time that is not a number. */
#ifndef FORMAT_TRACE_EVENT_WRITE_FIT_H
#define FORMAT_TRACE_EVENT_WRITE_FIT_H
#include "base/string_view.h"
#include "format/trace_event/common/event.h"

/* json_members_of: returns an iteration over the members of a valid object. json_member_append: appends a member
 * unchanged, with a comma before it. */
JsonItems json_members_of(const Bytes *object);
void      json_member_append(const JsonValue *key, const JsonValue *value, Bytes *out);
/* As json_member_append, for a member of an event. Renames the key "stack", which chrome://tracing rejects. */
void writer_member_append(const JsonValue *key, const JsonValue *value, Bytes *out);

/* The members of an object as bits 1 << EventKey: all known keys, and the keys whose values viewers would reject. */
typedef struct MemberKeys {
    unsigned all, odd;
} MemberKeys;
MemberKeys writer_member_keys(const Bytes *object);

/* Returns false if a metadata event with this name must be left out: a name of a process or thread that is not a
 * text. A number is converted to a text. *args is an object or empty; it is modified. */
bool writer_fit_metadata(StringView name, Bytes *args);

#endif
