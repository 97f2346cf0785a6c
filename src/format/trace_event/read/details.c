#include "format/trace_event/read/details.h"

#include "base/utf8.h"
#include "format/trace_event/common/event.h"
#include "format/trace_event/common/text.h"
#include "format/trace_event/read/ftrace.h"

#include <string.h>

typedef struct Member {
    StringView key; /* in the event's bytes, or decoded in the arena */
    JsonValue  value;
} Member;

/* Values by key, in the order of the first appearance of each key; the last value of a key is used. Up to FEW_MEMBERS
 * keys are compared one by one; more keys have an index. */
enum { FEW_MEMBERS = 16 };
typedef struct ValueTable {
    Arena       *arena;   /* borrowed */
    Member      *members; /* `few`, or in arena */
    size_t       count, capacity;
    StringTable *index; /* in arena, of all keys; id i is members[i - 1]. NULL = up to FEW_MEMBERS keys */
    Member       few[FEW_MEMBERS];
} ValueTable;

static void table_init(ValueTable *table, Arena *arena)
{
    table->arena = arena;
    table->members = table->few;
    table->count = 0;
    table->capacity = FEW_MEMBERS;
    table->index = NULL;
}

static Member *table_find(const ValueTable *table, StringView key)
{
    if (table->index != NULL) {
        StringId id = string_table_find(table->index, key.bytes, key.size);
        return id.index == 0 ? NULL : &table->members[id.index - 1];
    }
    for (size_t i = 0; i < table->count; i++) {
        if (string_equal(table->members[i].key, key)) return &table->members[i];
    }
    return NULL;
}

static bool table_grow(ValueTable *table)
{
    size_t  capacity = table->capacity * 2;
    Member *members = ARENA_ARRAY(table->arena, Member, capacity);
    if (members == NULL) return false;
    memcpy(members, table->members, table->count * sizeof members[0]);
    table->members = members;
    table->capacity = capacity;
    if (table->index != NULL) return true;
    table->index = string_table_create(table->arena);
    for (size_t i = 0; table->index != NULL && i < table->count; i++) {
        if (string_table_intern(table->index, members[i].key.bytes, members[i].key.size).index == 0)
            return false;
    }
    return table->index != NULL;
}

static bool table_put(ValueTable *table, StringView key, const JsonValue *value)
{
    Member *known = table_find(table, key);
    if (known != NULL) {
        known->value = *value;
        return true;
    }
    if (table->count == table->capacity && !table_grow(table)) return false;
    if (table->index != NULL && string_table_intern(table->index, key.bytes, key.size).index == 0)
        return false;
    table->members[table->count++] = (Member){ key, *value };
    return true;
}

static bool table_put_value(ValueTable *table, const JsonValue *key, const JsonValue *value)
{
    StringView view = { (const char *)key->at, key->size };
    if (!key->escaped && utf8_valid_prefix(key->at, key->size) == key->size)
        return table_put(table, view, value);
    Bytes      text = { 0 };
    TextDamage damage = { 0 };
    text_append(key, &text, &damage);
    view = (StringView){ arena_push_copy(table->arena, text.data, text.size), text.size };
    bool done = !text.failed && view.bytes != NULL && table_put(table, view, value);
    bytes_release(&text);
    return done;
}

static bool values_equal(const JsonValue *a, const JsonValue *b)
{
    return a->kind == b->kind && a->size == b->size && memcmp(a->at, b->at, a->size) == 0;
}

/* The members of an event without a column. Its arguments are in a separate table. */
typedef struct EventValues {
    ValueTable other;
    uint8_t    phase;
} EventValues;

static bool take_args(ValueTable *args, const JsonValue *value)
{
    if (value->kind != JSON_OBJECT) return table_put(args, STRING_LITERAL("args"), value);
    JsonItems items = json_items(value);
    JsonValue key, member;
    while (json_items_next(&items, &key, &member)) {
        if (!table_put_value(args, &key, &member)) return false;
    }
    if (!items.failed) return true;
    JsonValue rest = { items.at, (size_t)(items.end - items.at), JSON_WORD, false };
    return table_put(args, STRING_LITERAL("?"), &rest);
}

/* The members of an event, in the order of the file. */
typedef struct EventMembers {
    EventMember *items; /* `few`, or in an arena */
    size_t       count, capacity;
    EventMember  few[FEW_MEMBERS];
} EventMembers;

static bool members_grow(EventMembers *members, Arena *arena)
{
    EventMember *items = ARENA_ARRAY(arena, EventMember, members->capacity * 2);
    if (items == NULL) return false;
    memcpy(items, members->items, members->count * sizeof items[0]);
    members->items = items;
    members->capacity *= 2;
    return true;
}

/* Reads the members of the event at `at` as event_parse does. False when out of memory. */
static bool members_read(EventMembers *members, const uint8_t *at, const uint8_t *end, RawEvent *raw,
                         Arena *arena, JsonScan *result)
{
    const uint8_t *const begin = at;
    event_clear(raw);
    members->items = members->few;
    members->count = 0;
    members->capacity = FEW_MEMBERS;
    for (;;) {
        if (members->count == members->capacity && !members_grow(members, arena)) return false;
        EventMember *member = &members->items[members->count];
        *result = event_next_member(begin, at, end, raw, member, &at);
        if (*result != JSON_SCAN_DONE || member->value.kind == JSON_NOTHING) return true;
        members->count++;
    }
}

static bool take_members(EventValues *event, ValueTable *args, const EventMembers *members)
{
    static const JsonValue STACK = { (const uint8_t *)"\"stack\"" + 1, 5, JSON_STRING, false },
                           ESTACK = { (const uint8_t *)"\"estack\"" + 1, 6, JSON_STRING, false };
    for (size_t i = 0; i < members->count; i++) {
        const EventMember *member = &members->items[i];
        JsonValue          key = member->spelling;
        if (!event_key_is_extra(member->key, &member->value, event->phase)) continue;
        if (member->key == KEY_STACK) key = STACK; /* the key has several spellings */
        if (member->key == KEY_ESTACK) key = ESTACK;
        if (!(member->key == KEY_ARGS ? take_args(args, &member->value)
                                      : table_put_value(&event->other, &key, &member->value)))
            return false;
    }
    return true;
}

/* Decodes the event at the start of `bytes`. Without bytes both tables are empty. */
static bool take_event(EventValues *event, ValueTable *args, const EventBytes *bytes, Arena *arena, Err *err)
{
    table_init(&event->other, arena);
    event->phase = 0;
    if (bytes == NULL || bytes->bytes == NULL) return true;
    RawEvent     raw;
    EventMembers members;
    bool         has_room = true;
    JsonScan     result = JSON_SCAN_BROKEN;
    if (bytes->size == 0)
        result = JSON_SCAN_MORE;
    else if (*bytes->bytes == '{')
        has_room = members_read(&members, bytes->bytes, bytes->bytes + bytes->size, &raw, arena, &result);
    if (has_room && result == JSON_SCAN_MORE)
        return err_set_at(err, ERR_TRUNCATED, bytes->offset, ERR_NOWHERE,
                          "the event goes on behind these bytes");
    if (has_room && result == JSON_SCAN_BROKEN)
        return err_set_at(err, ERR_CORRUPT, bytes->offset, ERR_NOWHERE, "no event can be read here");
    if (has_room) event->phase = event_detail_phase(&raw);
    if (!has_room || !take_members(event, args, &members)) return err_set(err, ERR_MEMORY, "out of memory");
    return true;
}

/* -- output -- */

static void table_write(JsonWriter *writer, const ValueTable *table)
{
    for (size_t i = 0; i < table->count; i++) {
        json_key_bytes(writer, table->members[i].key);
        text_write_json(writer, &table->members[i].value);
    }
}

/* Writes the members of the end that the begin does not have or that differ from the begin's. */
static void end_write(JsonWriter *writer, const ValueTable *begin, const ValueTable *end)
{
    bool is_open = false;
    for (size_t i = 0; i < end->count; i++) {
        const Member *member = &end->members[i], *same = table_find(begin, member->key);
        if (same != NULL && values_equal(&same->value, &member->value)) continue;
        if (!is_open) {
            json_put_object(writer, "end");
            is_open = true;
        }
        json_key_bytes(writer, member->key);
        text_write_json(writer, &member->value);
    }
    if (is_open) json_object_end(writer);
}

static void args_write(Bytes *out, const ValueTable *args)
{
    if (args->count == 0) return;
    JsonWriter writer = json_writer_to(out, 0);
    json_object_begin(&writer);
    table_write(&writer, args);
    json_object_end(&writer);
}

static void other_write(Bytes *out, const ValueTable *begin, const ValueTable *end)
{
    if (begin->count + end->count == 0) return;
    JsonWriter writer = json_writer_to(out, 0);
    json_object_begin(&writer);
    table_write(&writer, begin);
    end_write(&writer, begin, end);
    json_object_end(&writer);
    if (out->size == 2) bytes_clear(out); /* only the braces */
}

bool trace_event_details(const Trace *trace, const EventBytes *begin, const EventBytes *end,
                         EventDetails *details, Err *err)
{
    (void)trace; /* the events are the same in all versions */
    if (ftrace_is_line(begin)) return ftrace_details(begin, end, details, err);
    if (ftrace_is_line(end)) end = NULL; /* a crafted file may have both kinds of event on one track */
    Arena       arena = arena_create(0);
    EventValues events[2];
    ValueTable  args;
    table_init(&args, &arena);
    bool done =
        take_event(&events[0], &args, begin, &arena, err) && take_event(&events[1], &args, end, &arena, err);
    if (done) {
        const uint8_t phase = events[0].phase;
        details->old_phase = phase != 0 && strchr("STpF", phase) != NULL ? (char)phase : '\0';
        args_write(&details->args, &args);
        other_write(&details->other, &events[0].other, &events[1].other);
        if (details->args.failed || details->other.failed) done = err_set(err, ERR_MEMORY, "out of memory");
    }
    arena_release(&arena);
    return done;
}
