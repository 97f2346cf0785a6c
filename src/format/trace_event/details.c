#include "format/trace_event/details.h"

#include "format/trace_event/event.h"
#include "format/trace_event/text.h"

#include <string.h>

/* Values by key, in the order in which the keys first came; the last value of a key counts. */
typedef struct ValueTable {
    Arena       *arena;  /* borrowed */
    StringTable *keys;   /* in arena; its ids are indices into values, from 1 */
    JsonValue   *values; /* in arena */
    size_t       capacity;
} ValueTable;

static bool table_init(ValueTable *table, Arena *arena)
{
    *table = (ValueTable){ .arena = arena, .keys = string_table_create(arena) };
    return table->keys != NULL;
}

static bool table_reserve(ValueTable *table, size_t count)
{
    if (count <= table->capacity) return true;
    size_t     capacity = count * 2;
    JsonValue *values = ARENA_ARRAY(table->arena, JsonValue, capacity);
    if (values == NULL) return false;
    if (table->capacity > 0) memcpy(values, table->values, table->capacity * sizeof values[0]);
    table->values = values;
    table->capacity = capacity;
    return true;
}

static bool table_put(ValueTable *table, const char *key, size_t key_size, const JsonValue *value)
{
    StringId id = string_table_intern(table->keys, key, key_size);
    if (id.index == 0 || !table_reserve(table, (size_t)id.index + 1)) return false;
    table->values[id.index] = *value;
    return true;
}

static bool table_put_value(ValueTable *table, const JsonValue *key, const JsonValue *value)
{
    Bytes      text = { 0 };
    TextDamage damage = { 0 };
    text_append(key, &text, &damage);
    bool done =
        !text.failed && table_put(table, text.data == NULL ? "" : (const char *)text.data, text.size, value);
    bytes_release(&text);
    return done;
}

static const JsonValue *table_find(const ValueTable *table, StringView key)
{
    StringId id = string_table_find(table->keys, key.bytes, key.size);
    return id.index == 0 ? NULL : &table->values[id.index];
}

static bool values_equal(const JsonValue *a, const JsonValue *b)
{
    return a->kind == b->kind && a->size == b->size && memcmp(a->at, b->at, a->size) == 0;
}

/* What one event brings: its arguments, and its members without a column. */
typedef struct EventValues {
    ValueTable other;
    uint8_t    phase;
} EventValues;

static bool take_args(ValueTable *args, const JsonValue *value)
{
    if (value->kind != JSON_OBJECT) return table_put(args, "args", 4, value);
    JsonItems items = json_items(value);
    JsonValue key, member;
    while (json_items_next(&items, &key, &member)) {
        if (!table_put_value(args, &key, &member)) return false;
    }
    if (!items.failed) return true;
    JsonValue rest = { items.at, (size_t)(items.end - items.at), JSON_WORD, false };
    return table_put(args, "?", 1, &rest);
}

static bool take_members(EventValues *event, ValueTable *args, const JsonValue *object)
{
    JsonItems items = json_items(object);
    JsonValue key, value;
    while (json_items_next(&items, &key, &value)) {
        EventKey which = event_key(&key);
        if (!event_key_is_extra(which, &value, event->phase)) continue;
        if (!(which == KEY_ARGS ? take_args(args, &value) : table_put_value(&event->other, &key, &value)))
            return false;
    }
    return true;
}

/* Takes the event at the start of `bytes` apart. Without bytes it brings nothing. */
static bool take_event(EventValues *event, ValueTable *args, const EventBytes *bytes, Arena *arena, Err *err)
{
    if (!table_init(&event->other, arena)) return err_set(err, ERR_MEMORY, "out of memory");
    if (bytes == NULL || bytes->bytes == NULL) return true;
    RawEvent       raw;
    const uint8_t *stop, *end = bytes->bytes + bytes->size;
    ScanResult     result = SCAN_BROKEN;
    if (bytes->size == 0)
        result = SCAN_MORE;
    else if (*bytes->bytes == '{')
        result = event_parse(bytes->bytes, end, &raw, &stop);
    if (result == SCAN_MORE)
        return err_set_at(err, ERR_TRUNCATED, bytes->offset, ERR_NOWHERE,
                          "the event goes on behind these bytes");
    if (result == SCAN_BROKEN)
        return err_set_at(err, ERR_CORRUPT, bytes->offset, ERR_NOWHERE, "no event can be read here");
    event->phase = raw.phase;
    JsonValue object = { bytes->bytes, (size_t)(stop - bytes->bytes), JSON_OBJECT, false };
    if (!take_members(event, args, &object)) return err_set(err, ERR_MEMORY, "out of memory");
    return true;
}

/* -- output -- */

static void table_write(JsonWriter *writer, const ValueTable *table)
{
    for (uint32_t i = 1; i <= string_table_count(table->keys); i++) {
        json_key_bytes(writer, string_table_view(table->keys, (StringId){ i }));
        text_write_json(writer, &table->values[i]);
    }
}

/* The end's members that the begin has not, or has otherwise. */
static void end_write(JsonWriter *writer, const ValueTable *begin, const ValueTable *end)
{
    bool is_open = false;
    for (uint32_t i = 1; i <= string_table_count(end->keys); i++) {
        StringView       key = string_table_view(end->keys, (StringId){ i });
        const JsonValue *same = table_find(begin, key);
        if (same != NULL && values_equal(same, &end->values[i])) continue;
        if (!is_open) {
            json_key(writer, "end");
            json_object_begin(writer);
            is_open = true;
        }
        json_key_bytes(writer, key);
        text_write_json(writer, &end->values[i]);
    }
    if (is_open) json_object_end(writer);
}

static void args_write(Bytes *out, const ValueTable *args)
{
    if (string_table_count(args->keys) == 0) return;
    JsonWriter writer = json_writer_to(out, 0);
    json_object_begin(&writer);
    table_write(&writer, args);
    json_object_end(&writer);
}

static void other_write(Bytes *out, const ValueTable *begin, const ValueTable *end)
{
    JsonWriter writer = json_writer_to(out, 0);
    json_object_begin(&writer);
    table_write(&writer, begin);
    end_write(&writer, begin, end);
    json_object_end(&writer);
    if (out->size == 2) bytes_clear(out); /* nothing but the braces */
}

bool trace_event_details(const Trace *trace, const EventBytes *begin, const EventBytes *end,
                         EventDetails *details, Err *err)
{
    (void)trace; /* the versions differ around the events only */
    Arena       arena = arena_create(0);
    EventValues events[2] = { 0 };
    ValueTable  args;
    bool        done = table_init(&args, &arena) || err_set(err, ERR_MEMORY, "out of memory");
    done = done && take_event(&events[0], &args, begin, &arena, err) &&
           take_event(&events[1], &args, end, &arena, err);
    if (done) {
        /* The end may come alone, when the begin has no more to say. */
        bool              end_only = events[0].phase == 'E';
        const ValueTable *of_begin = &events[end_only ? 1 : 0].other,
                         *of_end = &events[end_only ? 0 : 1].other;
        args_write(&details->args, &args);
        other_write(&details->other, of_begin, of_end);
        if (details->args.failed || details->other.failed) done = err_set(err, ERR_MEMORY, "out of memory");
    }
    arena_release(&arena);
    return done;
}
