/* format/trace_event/profile/json_profile.h - shared by the readers of profiles in JSON.
 *
 * A file is one JSON object. Its members are read one by one, and the items of its lists too, as their bytes arrive. So the complete
 * items of a truncated file are shown. */
#ifndef FORMAT_TRACE_EVENT_PROFILE_JSON_PROFILE_H
#define FORMAT_TRACE_EVENT_PROFILE_JSON_PROFILE_H
#include "base/json_scan.h"
#include "format/reader.h"
#include "trace/log/builder.h"

/* Returns the offset of the first key, or whatever follows the brace of an object; `size` if the input does not begin with an
 * object or is cut there. */
size_t head_first_key(const uint8_t *head, size_t size);
/* True if the bytes contain the text, or begin with it. */
bool head_holds(const uint8_t *head, size_t size, const char *text);
bool head_begins(const uint8_t *head, size_t size, const char *text);

/* Returns the highest confidence of `of_member` in the members of the outermost object, up to the one in which the head ends; 0 if
 * it returns a negative number for any. It gets a key, and the first byte of its value. */
int json_profile_probe(const uint8_t *head, size_t size,
                       int (*of_member)(const JsonValue *key, const uint8_t *at, const uint8_t *end));

/* Returns the text of a JSON_STRING, repaired; `otherwise` for an empty string and any other value. */
StringId profile_string(TraceBuilder *builder, const JsonValue *value, const char *otherwise);
/* Returns the JSON value of an event for its details. False: err filled. */
bool profile_value(const EventBytes *event, JsonValue *value, Err *err) WARN_UNUSED;
/* Adds a member of the file as a property of the trace, its key after `prefix`. False when out of memory. */
bool profile_property(TraceBuilder *builder, const char *prefix, const JsonValue *key,
                      const JsonValue *value) WARN_UNUSED;

/* ---- the walk over the file ---- */

/* In an object that is read member by member, or in a list that is read item by item. */
typedef enum { WALK_START, WALK_OBJECT, WALK_LIST, WALK_END } WalkPlace;

typedef struct JsonWalk JsonWalk;

/* The functions of a reader, and its messages. */
typedef struct JsonWalkRules {
    const char *no_object, *no_format, *truncated, *after_end;
    /* Enters the object or list at `bracket`, the value of a key. Returns the place in it; WALK_START: it is read as one value. */
    WalkPlace (*enter)(JsonWalk *walk, const JsonValue *key, const uint8_t *bracket);
    void (*take_member)(JsonWalk *walk, const JsonValue *key, const JsonValue *value);
    /* Reads items of a list in their usual spelling, and the commas after them. False: the next one has another spelling. */
    bool (*take_usual)(JsonWalk *walk);
    void (*take_item)(JsonWalk *walk, const JsonValue *value, uint64_t offset);
    /* Leaves the object or list of walk->place. Returns the place around it. */
    WalkPlace (*leave)(JsonWalk *walk);
    /* True if the file had the members of the format. */
    bool (*is_format)(const JsonWalk *walk);
    /* Passes the file to the builder at the end of the input. */
    void (*finish)(JsonWalk *walk);
} JsonWalkRules;

/* The first member of the state of a reader. */
struct JsonWalk {
    const JsonWalkRules *rules;
    TraceBuilder        *builder;          /* borrowed */
    const uint64_t      *event_count;      /* of the reader */
    const bool          *failed;           /* of the reader: out of memory */
    const uint8_t       *begin, *at, *end; /* the current bytes */
    uint64_t             base;             /* offset of `begin` in the input */
    WalkPlace            place;
    bool                 is_broken, told_trailing;
};

uint64_t json_walk_offset(const JsonWalk *walk, const uint8_t *at);
/* Warns with the number of the next event. */
void json_walk_warn(JsonWalk *walk, const char *kind, uint64_t offset, const char *what);
/* A FormatReader.read whose state is a JsonWalk. */
bool json_walk_read(void *state, const uint8_t *bytes, size_t size, InputState input, size_t *used,
                    Err *err) WARN_UNUSED;

#endif
