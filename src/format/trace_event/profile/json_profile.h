/* format/trace_event/profile/json_profile.h - shared by the readers of profiles in JSON. */
#ifndef FORMAT_TRACE_EVENT_PROFILE_JSON_PROFILE_H
#define FORMAT_TRACE_EVENT_PROFILE_JSON_PROFILE_H
#include "base/json_scan.h"
#include "trace/log/builder.h"

/* Returns the offset of the first key, or whatever follows the brace of an object; `size` if the input does not begin with an
 * object or is cut there. */
size_t head_first_key(const uint8_t *head, size_t size);
/* True if the bytes contain the text, or begin with it. */
bool head_holds(const uint8_t *head, size_t size, const char *text);
bool head_begins(const uint8_t *head, size_t size, const char *text);

/* Returns the text of a JSON_STRING, repaired; `otherwise` for an empty string and any other value. */
StringId profile_string(TraceBuilder *builder, const JsonValue *value, const char *otherwise);
/* Adds a member of the file as a property of the trace, its key after `prefix`. False when out of memory. */
bool profile_property(TraceBuilder *builder, const char *prefix, const JsonValue *key,
                      const JsonValue *value) WARN_UNUSED;

#endif
