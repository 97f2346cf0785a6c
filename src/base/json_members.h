/* base/json_members.h - iterates over the members of a JSON object or the elements of an array, as slices of the text.
 *
 * It is used for arguments, which readers provide as valid JSON. Values stay as the source wrote them, so that no
 * number is rounded. Text that is not valid JSON may end the iteration early; no byte outside the text is read. */
#ifndef BASE_JSON_MEMBERS_H
#define BASE_JSON_MEMBERS_H
#include "base/arena.h"
#include "base/json_scan.h"
#include "base/string_view.h"

typedef struct JsonMembers {
    JsonItems items; /* the text after the last member; borrowed */
} JsonMembers;

/* Starts at the first member. Returns false if `json` does not begin with "{". */
bool json_members_open(StringView json, JsonMembers *members) WARN_UNUSED;
/* Sets *key (with its quotes) and *value to the text of the next member. Returns false at the end. */
bool json_members_next(JsonMembers *members, StringView *key, StringView *value) WARN_UNUSED;

/* As above, for the elements of an array. */
bool json_elements_open(StringView json, JsonMembers *elements) WARN_UNUSED;
bool json_elements_next(JsonMembers *elements, StringView *value) WARN_UNUSED;

/* Appends the decoded text of a JSON string (with its quotes) as UTF-8. */
void json_text_append(StringView quoted, Bytes *out);
/* Appends a string as json_text_append, any other value unchanged. */
void json_plain_append(StringView value, Bytes *out);

#endif
