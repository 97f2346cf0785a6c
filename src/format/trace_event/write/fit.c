#include "format/trace_event/write/fit.h"

JsonItems json_members_of(const Bytes *object)
{
    JsonValue value = { object->data, object->size, JSON_OBJECT, false };
    return json_items(&value);
}

static void value_append(const JsonValue *value, Bytes *out)
{
    const bool is_string = value->kind == JSON_STRING; /* the extent is without the quotes */
    bytes_append(out, is_string ? value->at - 1 : value->at, value->size + (is_string ? 2 : 0));
}

void json_member_append(const JsonValue *key, const JsonValue *value, Bytes *out)
{
    if (out->size > 0 && out->data[out->size - 1] != '{') bytes_append(out, ",", 1);
    value_append(key, out);
    bytes_append(out, ":", 1);
    value_append(value, out);
}

void writer_member_append(const JsonValue *key, const JsonValue *value, Bytes *out)
{
    static const JsonValue STACK = { (const uint8_t *)"\"inline_stack\"" + 1, 12, JSON_STRING, false },
                           ESTACK = { (const uint8_t *)"\"inline_estack\"" + 1, 13, JSON_STRING, false };
    const EventKey which = event_key(key);
    json_member_append(which == KEY_STACK ? &STACK : which == KEY_ESTACK ? &ESTACK : key, value, out);
}

static bool is_odd(EventKey key, const JsonValue *value)
{
    FineTime time;
    switch (key) {
    case KEY_TS:
    case KEY_DUR:
    case KEY_TTS:
    case KEY_TDUR:
        return json_micros(value, &time) != NUMBER_OK;
    case KEY_PH:
    case KEY_S:
        return value->size != 1;
    default:
        return false;
    }
}

MemberKeys writer_member_keys(const Bytes *object)
{
    MemberKeys keys = { 0, 0 };
    JsonItems  items = json_members_of(object);
    JsonValue  key, value;
    while (json_items_next(&items, &key, &value)) {
        EventKey which = event_key(&key);
        if (which >= KEY_COUNT) continue;
        keys.all |= 1u << which;
        if (is_odd(which, &value)) keys.odd |= 1u << which;
    }
    return keys;
}

bool writer_fit_metadata(StringView name, Bytes *args)
{
    if (!string_equal(name, STRING_LITERAL("process_name")) &&
        !string_equal(name, STRING_LITERAL("thread_name")))
        return true;
    if (args->size < 2 || args->data[0] != '{') return false;
    JsonValue object = { args->data, args->size, JSON_OBJECT, false }, key, value, last;
    if (!json_find(&object, "name", &last)) return false;
    if (last.kind == JSON_STRING) return true;
    if (last.kind != JSON_NUMBER) return false;
    Bytes text = { 0 };
    bytes_append_text(&text, "{\"name\":\"");
    bytes_append(&text, last.at, last.size);
    bytes_append_text(&text, "\"");
    JsonItems items = json_items(&object);
    while (json_items_next(&items, &key, &value)) {
        if (!json_is(&key, JSON_STRING, "name")) json_member_append(&key, &value, &text);
    }
    bytes_append_text(&text, "}");
    bytes_clear(args);
    bytes_append(args, text.data, text.size);
    args->failed |= text.failed;
    bytes_release(&text);
    return true;
}
