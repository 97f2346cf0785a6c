#include "format/trace_event/profile/v8_profile.h"

#include "base/block16.h"
#include "format/trace_event/profile/json_profile.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void v8_profile_open(V8Profile *profile, Arena *arena, TraceBuilder *builder)
{
    *profile = (V8Profile){ .builder = builder, .arena = arena, .by_id = { .arena = arena } };
}

/* ---- the table ---- */

uint32_t v8_profile_node_of_id(V8Profile *profile, uint64_t id)
{
    const uint32_t found = id_map_find(&profile->by_id, id);
    if (found != 0) return found;
    const uint32_t index = profile->count == 0 ? 1 : profile->count;
    V8Node *nodes = arena_grow(profile->arena, profile->nodes, index, &profile->capacity, sizeof *nodes);
    if (nodes != NULL) profile->nodes = nodes;
    if (nodes == NULL || !id_map_put(&profile->by_id, id, index)) {
        profile->failed = true;
        return 0;
    }
    nodes[index] = (V8Node){ .id = id };
    profile->count = index + 1;
    return index;
}

/* Reads a number of digits only, as V8 writes all but -1. */
static inline bool plain_integer(const JsonValue *value, int64_t *integer)
{
    enum { MOST_DIGITS = 15 };
    if (value->kind != JSON_NUMBER || value->size > MOST_DIGITS || (value->size > 1 && value->at[0] == '0'))
        return false;
    *integer = 0;
    for (size_t i = 0; i < value->size; i++) {
        if (value->at[i] < '0' || value->at[i] > '9') return false;
        *integer = *integer * 10 + (value->at[i] - '0');
    }
    return true;
}

static bool integer_of(const JsonValue *value, int64_t *integer)
{
    bool     negative;
    uint64_t magnitude;
    if (LIKELY(plain_integer(value, integer))) return true;
    if (value->kind != JSON_NUMBER && value->kind != JSON_STRING) return false;
    if (number_integer(value->at, value->size, &negative, &magnitude) > NUMBER_ODD) return false;
    if (magnitude > (uint64_t)INT64_MAX) return false;
    *integer = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

uint32_t v8_profile_find_node(V8Profile *profile, const JsonValue *id)
{
    int64_t number;
    return integer_of(id, &number) ? v8_profile_node_of_id(profile, (uint64_t)number) : 0;
}

/* ---- nodes ---- */

static void take_call_frame(V8NodeText *text, const JsonValue *key, const JsonValue *value)
{
    if (json_is(key, JSON_STRING, "functionName")) text->function = *value;
    if (json_is(key, JSON_STRING, "url")) text->url = *value;
    if (json_is(key, JSON_STRING, "lineNumber")) text->line = *value;
    if (json_is(key, JSON_STRING, "columnNumber")) text->column = *value;
}

static void take_member(V8NodeText *text, const JsonValue *key, const JsonValue *value)
{
    if (json_is(key, JSON_STRING, "id")) text->id = *value;
    if (json_is(key, JSON_STRING, "parent")) text->parent = *value;
    if (json_is(key, JSON_STRING, "children")) text->children = *value;
    if (json_is(key, JSON_STRING, "hitCount")) text->hits = *value;
    take_call_frame(text, key, value);
}

V8NodeText v8_node_text(const JsonValue *node)
{
    V8NodeText text = { 0 };
    JsonItems  items = json_items(node), frame_items;
    JsonValue  key, value, frame_key, frame_value;
    if (node->kind != JSON_OBJECT) return text;
    while (json_items_next(&items, &key, &value)) {
        take_member(&text, &key, &value);
        if (!json_is(&key, JSON_STRING, "callFrame") || value.kind != JSON_OBJECT) continue;
        frame_items = json_items(&value);
        while (json_items_next(&frame_items, &frame_key, &frame_value))
            take_call_frame(&text, &frame_key, &frame_value);
    }
    return text;
}

/* ---- the usual spelling ---- */

/* Reads the string whose quote is at `at`. Returns the byte after it; NULL if it is not one, has an escape, or is cut. */
static inline const uint8_t *usual_string(const uint8_t *at, const uint8_t *end, JsonValue *value)
{
    if (at == end || *at != '"') return NULL;
    const uint8_t *stop = block_find_quote(at + 1, end);
    if (stop == end || *stop != '"') return NULL;
    *value = (JsonValue){ at + 1, (size_t)(stop - at - 1), JSON_STRING, false };
    return stop + 1;
}

/* Reads a key and its colon. */
static inline const uint8_t *usual_key(const uint8_t *at, const uint8_t *end, JsonValue *key)
{
    at = usual_string(at, end, key);
    return at == NULL || at == end || *at != ':' ? NULL : at + 1;
}

static const uint8_t *usual_value(const uint8_t *at, const uint8_t *end, JsonValue *value)
{
    const uint8_t *stop = at;
    if (at == end) return NULL;
    if (*at == '"') return usual_string(at, end, value);
    if (*at == '[' || *at == '{')
        return json_scan_value(at, end, value, &stop) == JSON_SCAN_DONE ? stop : NULL;
    if (*stop == '-') stop++;
    while (stop < end && *stop >= '0' && *stop <= '9')
        stop++;
    if (stop == at || stop == end || (*stop != ',' && *stop != '}')) return NULL;
    *value = (JsonValue){ at, (size_t)(stop - at), JSON_NUMBER, false };
    return stop;
}

/* Reads the members of an object after its brace; those of callFrame, too, if it is a node. */
typedef enum { MEMBERS_OF_FRAME, MEMBERS_OF_NODE } MembersOf;

static ALWAYS_INLINE const uint8_t *usual_members(const uint8_t *at, const uint8_t *end, V8NodeText *text,
                                                  MembersOf of);

/* Apart, because it is called by itself: of a frame it calls nothing. */
static const uint8_t *usual_frame(const uint8_t *at, const uint8_t *end, V8NodeText *text)
{
    return usual_members(at, end, text, MEMBERS_OF_FRAME);
}

static ALWAYS_INLINE const uint8_t *usual_members(const uint8_t *at, const uint8_t *end, V8NodeText *text,
                                                  MembersOf of)
{
    for (;; at++) {
        JsonValue key, value;
        at = usual_key(at, end, &key);
        if (at == NULL || at == end) return NULL;
        if (of == MEMBERS_OF_NODE && *at == '{' && json_is(&key, JSON_STRING, "callFrame")) {
            at = usual_frame(at + 1, end, text);
        } else {
            at = usual_value(at, end, &value);
            if (at != NULL && of == MEMBERS_OF_FRAME) take_call_frame(text, &key, &value);
            if (at != NULL && of == MEMBERS_OF_NODE) take_member(text, &key, &value);
        }
        if (at == NULL || at == end) return NULL;
        if (*at == '}') return at + 1;
        if (*at != ',') return NULL;
    }
}

bool v8_node_text_usual(const uint8_t *at, const uint8_t *end, V8NodeText *text, const uint8_t **stop)
{
    *text = (V8NodeText){ 0 };
    if (at == end || *at != '{') return false;
    at = usual_members(at + 1, end, text, MEMBERS_OF_NODE);
    if (at == NULL) return false;
    *stop = at;
    return true;
}

/* ---- frames ---- */

/* Returns a line or column from 1; V8 counts from 0, and -1 means unknown. */
static uint32_t place_of(const JsonValue *value)
{
    int64_t number;
    if (!integer_of(value, &number) || number < 0 || number >= UINT32_MAX) return 0;
    return (uint32_t)number + 1;
}

static void link_children(V8Profile *profile, uint32_t parent, const JsonValue *children)
{
    JsonItems items = json_items(children);
    JsonValue key, child;
    while (json_items_next(&items, &key, &child)) {
        uint32_t index = v8_profile_find_node(profile, &child);
        assert(index < profile->count && parent < profile->count);
        if (index != 0 && index != parent) profile->nodes[index].parent = parent;
    }
}

uint32_t v8_profile_add_node(V8Profile *profile, const V8NodeText *text)
{
    uint32_t index = v8_profile_find_node(profile, &text->id);
    if (index == 0) return 0;
    uint32_t parent = v8_profile_find_node(profile, &text->parent);
    int64_t  hits;
    if (integer_of(&text->hits, &hits) && hits > 0) profile->nodes[index].hits = (uint64_t)hits;
    if (parent != 0 && parent != index) profile->nodes[index].parent = parent;
    if (text->children.kind == JSON_ARRAY) link_children(profile, index, &text->children);
    StringId name = profile_string(profile->builder, &text->function, "(anonymous)");
    profile->nodes[index].name = name;
    bool is_root = parent == 0 && json_is(&text->function, JSON_STRING, "(root)");
    if (is_root || profile->failed) return index;
    StackFrame frame = { .function = name,
                         .file = profile_string(profile->builder, &text->url, ""),
                         .line = place_of(&text->line),
                         .column = place_of(&text->column),
                         .flags =
                             json_is(&text->function, JSON_STRING, "(idle)") ? (uint32_t)FRAME_IDLE : 0 };
    profile->nodes[index].frame = builder_frame(profile->builder, &frame);
    profile->nodes[index].is_idle = (frame.flags & FRAME_IDLE) != 0;
    profile->nodes[index].is_collector = json_is(&text->function, JSON_STRING, "(garbage collector)");
    return index;
}

/* ---- stacks ---- */

static StackId stack_of(V8Profile *profile, uint32_t index)
{
    V8Node  *nodes = profile->nodes;
    uint32_t at = index, top = 0; /* top: the last visited node without a stack */
    while (at != 0 && !nodes[at].has_stack && !nodes[at].is_visited) { /* is_visited: a cycle */
        nodes[at].is_visited = true;
        nodes[at].down = top;
        top = at;
        at = nodes[at].parent;
    }
    StackId stack = at != 0 && nodes[at].has_stack ? nodes[at].stack : STACK_NONE;
    for (; top != 0; top = nodes[top].down) {
        stack = builder_stack(profile->builder, stack, nodes[top].frame);
        nodes[top].stack = stack;
        nodes[top].has_stack = true;
        nodes[top].is_visited = false;
    }
    return stack;
}

StackId v8_profile_next_stack(V8Profile *profile, uint32_t index)
{
    const V8Node *node = index == 0 ? NULL : &profile->nodes[index];
    if (node != NULL && node->is_collector)
        return builder_stack(profile->builder, profile->before, node->frame);
    StackId stack = node == NULL ? STACK_NONE : stack_of(profile, index);
    profile->before = node == NULL || node->is_idle ? STACK_NONE : stack;
    return stack;
}

/* ---- times ---- */

bool v8_samples_add_up(V8Sample *samples, size_t count, FineTime *start)
{
    bool fits = true;
    for (size_t i = 0; i < count; i++) {
        FineTime sum;
        fits = fits && fine_time_add(*start, samples[i].time, &sum);
        if (fits) *start = sum;
        samples[i].time = *start;
    }
    return fits;
}

static int compare_samples(const void *left, const void *right)
{
    const V8Sample *a = (const V8Sample *)left, *b = (const V8Sample *)right;
    if (a->time.ns != b->time.ns) return a->time.ns < b->time.ns ? -1 : 1;
    if (a->time.ps != b->time.ps) return a->time.ps < b->time.ps ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

void v8_samples_sort(V8Sample *samples, size_t count)
{
    size_t sorted = 1; /* usually all */
    while (sorted < count && compare_samples(&samples[sorted - 1], &samples[sorted]) <= 0)
        sorted++;
    if (sorted < count) qsort(samples, count, sizeof *samples, compare_samples);
}
