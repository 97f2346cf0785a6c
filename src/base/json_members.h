/* base/json_members.h - the members of a JSON object, or the elements of an array, one after the
 * other, as pieces of its text.
 *
 * For arguments, which readers give as valid JSON: values stay as the source wrote them, so that no number is
 * rounded. A text that is not valid JSON ends the walk early and reads nothing outside itself. */
#ifndef BASE_JSON_MEMBERS_H
#define BASE_JSON_MEMBERS_H
#include "base/arena.h"
#include "base/string_table.h"

typedef struct JsonMembers {
    StringView rest; /* what is not yet walked */
} JsonMembers;

/* False when `json` is no object. */
bool json_members_open(StringView json, JsonMembers *members) WARN_UNUSED;
/* The next member: its key and its value as they stand in the text, the key with its quotes. False at the end. */
bool json_members_next(JsonMembers *members, StringView *key, StringView *value) WARN_UNUSED;

/* The same for the elements of an array. */
bool json_elements_open(StringView json, JsonMembers *elements) WARN_UNUSED;
bool json_elements_next(JsonMembers *elements, StringView *value) WARN_UNUSED;

/* Appends what a JSON string (with its quotes) says as UTF-8. */
void json_text_append(StringView quoted, Bytes *out);

#endif
