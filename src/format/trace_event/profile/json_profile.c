#include "format/trace_event/profile/json_profile.h"

#include "base/utf8.h"
#include "format/trace_event/common/text.h"

#include <assert.h>
#include <string.h>

static size_t skip_blanks(const uint8_t *head, size_t size, size_t at)
{
    while (at < size && head[at] <= ' ')
        at++;
    return at;
}

size_t head_first_key(const uint8_t *head, size_t size)
{
    const size_t at = skip_blanks(head, size, size >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
    return at == size || head[at] != '{' ? size : skip_blanks(head, size, at + 1);
}

bool head_holds(const uint8_t *head, size_t size, const char *text)
{
    size_t length = strlen(text);
    for (size_t at = 0; at + length <= size; at++) {
        if (head[at] == (uint8_t)text[0] && memcmp(head + at, text, length) == 0) return true;
    }
    return false;
}

bool head_begins(const uint8_t *head, size_t size, const char *text)
{
    size_t length = strlen(text);
    return size >= length && memcmp(head, text, length) == 0;
}

int json_profile_probe(const uint8_t *head, size_t size,
                       int (*of_member)(const JsonValue *key, const uint8_t *at, const uint8_t *end))
{
    const uint8_t *at = head + head_first_key(head, size), *const end = head + size;
    int best = 0;
    while (at < end && *at == '"') {
        JsonValue key, value;
        bool      comments;
        if (json_scan_key(at, end, &key, &at) != JSON_SCAN_DONE) break;
        const int sure = of_member(&key, at, end);
        if (sure < 0) return 0;
        if (sure > best) best = sure;
        if (json_scan_value(at, end, &value, &at) != JSON_SCAN_DONE ||
            json_scan_space(at, end, &at, &comments) != JSON_SCAN_DONE || at == end || *at != ',' ||
            json_scan_space(at + 1, end, &at, &comments) != JSON_SCAN_DONE)
            break;
    }
    return best;
}

StringId profile_string(TraceBuilder *builder, const JsonValue *value, const char *otherwise)
{
    TextDamage damage = { 0 };
    Bytes      text = { .data = NULL };
    StringId   id = STRING_NONE;
    if (value->kind == JSON_STRING && !value->escaped && value->size > 0 &&
        utf8_valid_prefix(value->at, value->size) == value->size)
        return builder_string(builder, (const char *)value->at, value->size);
    if (value->kind == JSON_STRING && value->size > 0)
        text_append(value, &text, &damage);
    else
        bytes_append_text(&text, otherwise);
    if (text.size > 0) id = builder_string(builder, (const char *)text.data, text.size);
    bytes_release(&text);
    return id;
}

bool profile_property(TraceBuilder *builder, const char *prefix, const JsonValue *key, const JsonValue *value)
{
    Bytes      name = { .data = NULL }, json = { .data = NULL };
    TextDamage damage = { 0 };
    JsonWriter writer = json_writer_to(&json, 0);
    bytes_append_text(&name, prefix);
    text_append(key, &name, &damage);
    text_write_json(&writer, value);
    const bool is_done = !name.failed && !json.failed;
    if (is_done) {
        StringId id = builder_string(builder, name.data == NULL ? "" : (const char *)name.data, name.size);
        builder_property(builder, id, (const char *)json.data, json.size);
    }
    bytes_release(&name);
    bytes_release(&json);
    return is_done;
}

bool profile_value(const EventBytes *event, JsonValue *value, Err *err)
{
    const uint8_t *stop;
    const JsonScan result = json_scan_value(event->bytes, event->bytes + event->size, value, &stop);
    if (result == JSON_SCAN_MORE)
        return err_set_at(err, ERR_TRUNCATED, event->offset, ERR_NOWHERE, "the input ends inside an item");
    return result == JSON_SCAN_DONE ||
           err_set_at(err, ERR_CORRUPT, event->offset, ERR_NOWHERE, "this is not a JSON value");
}

/* ---- the walk over the file ---- */

uint64_t json_walk_offset(const JsonWalk *walk, const uint8_t *at)
{
    assert(at >= walk->begin && at <= walk->end);
    return walk->base + (uint64_t)(at - walk->begin);
}

void json_walk_warn(JsonWalk *walk, const char *kind, uint64_t offset, const char *what)
{
    builder_warn(walk->builder, kind, (EventPos){ offset, *walk->event_count }, "%s", what);
}

/* Handles the result of a scan that is not complete. False: more bytes are needed. */
static bool stop_at(JsonWalk *walk, JsonScan result, const uint8_t *stop)
{
    if (result == JSON_SCAN_MORE) return false;
    json_walk_warn(walk, "broken", json_walk_offset(walk, stop), "not JSON: the rest is not read");
    builder_set_incomplete(walk->builder);
    walk->place = WALK_END;
    walk->is_broken = true;
    walk->at = walk->end;
    return true;
}

/* Reads the next items of a list, or its end. False: more bytes are needed. */
static bool step_list(JsonWalk *walk)
{
    JsonValue      value;
    const uint8_t *stop = walk->at;
    if (walk->rules->take_usual(walk)) return true;
    if (*walk->at == ']' || *walk->at == ',') {
        if (*walk->at++ == ']') walk->place = walk->rules->leave(walk);
        return true;
    }
    const JsonScan result = json_scan_value(walk->at, walk->end, &value, &stop);
    if (result != JSON_SCAN_DONE) return stop_at(walk, result, stop);
    walk->rules->take_item(walk, &value, json_walk_offset(walk, walk->at));
    walk->at = stop;
    return true;
}

/* Reads a key, and its value or the opening bracket of its value. False: more bytes are needed. */
static bool take_member(JsonWalk *walk)
{
    JsonValue      key, value;
    const uint8_t *stop = walk->at;
    JsonScan       result = json_scan_key(walk->at, walk->end, &key, &stop);
    if (result == JSON_SCAN_DONE && (*stop == '{' || *stop == '[')) {
        const WalkPlace inside = walk->rules->enter(walk, &key, stop);
        if (inside != WALK_START) {
            walk->place = inside;
            walk->at = stop + 1;
            return true;
        }
    }
    if (result == JSON_SCAN_DONE) result = json_scan_value(stop, walk->end, &value, &stop);
    if (result != JSON_SCAN_DONE) return stop_at(walk, result, stop);
    walk->rules->take_member(walk, &key, &value);
    walk->at = stop;
    return true;
}

static bool step_object(JsonWalk *walk)
{
    switch (*walk->at) {
    case '}':
        walk->place = walk->rules->leave(walk);
        walk->at++;
        return true;
    case ',':
        walk->at++;
        return true;
    case '"':
        return take_member(walk);
    default:
        return stop_at(walk, JSON_SCAN_BROKEN, walk->at);
    }
}

/* Reads the complete members and items of the current bytes. */
static bool step_all(JsonWalk *walk, Err *err)
{
    bool comments = false, more = true;
    while (more && walk->at < walk->end && !*walk->failed) {
        if (json_scan_space(walk->at, walk->end, &walk->at, &comments) != JSON_SCAN_DONE ||
            walk->at == walk->end)
            return true;
        switch (walk->place) {
        case WALK_START:
            if (*walk->at != '{')
                return err_set_at(err, ERR_UNKNOWN, json_walk_offset(walk, walk->at), ERR_NOWHERE, "%s",
                                  walk->rules->no_object);
            walk->at++;
            walk->place = WALK_OBJECT;
            break;
        case WALK_OBJECT:
            more = step_object(walk);
            break;
        case WALK_LIST:
            more = step_list(walk);
            break;
        case WALK_END:
            if (!walk->is_broken && !walk->told_trailing)
                json_walk_warn(walk, "text-after-end", json_walk_offset(walk, walk->at),
                               walk->rules->after_end);
            walk->told_trailing = true;
            walk->at = walk->end;
            break;
        }
    }
    return true;
}

static bool finish(JsonWalk *walk, Err *err)
{
    if (!walk->rules->is_format(walk)) return err_set(err, ERR_UNKNOWN, "%s", walk->rules->no_format);
    if (walk->place != WALK_END) {
        json_walk_warn(walk, "truncated", json_walk_offset(walk, walk->at), walk->rules->truncated);
        builder_set_incomplete(walk->builder);
    }
    walk->rules->finish(walk);
    return true;
}

bool json_walk_read(void *state, const uint8_t *bytes, size_t size, InputState input, size_t *used, Err *err)
{
    static const uint8_t EMPTY[1] = { 0 };
    JsonWalk            *walk = (JsonWalk *)state;
    bool                 done = true;
    if (size == 0) bytes = EMPTY; /* pointer arithmetic on NULL is undefined */
    walk->begin = walk->at = bytes;
    walk->end = bytes + size;
    *used = 0;
    if (walk->place == WALK_START && walk->base == 0) {
        if (size < 3 && input == INPUT_CONTINUES) return true;
        if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) walk->at += 3;
    }
    if (!step_all(walk, err)) return false;
    if (input == INPUT_ENDS) done = finish(walk, err);
    *used = input == INPUT_ENDS ? size : (size_t)(walk->at - bytes);
    walk->base += *used;
    return *walk->failed ? err_set(err, ERR_MEMORY, "out of memory") : done;
}
