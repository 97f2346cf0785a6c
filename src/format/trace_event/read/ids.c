#include "format/trace_event/read/ids.h"
#include "base/ascii.h"

void id_append(Emitter *emitter, const JsonValue *id)
{
    TextDamage damage = { 0 };
    text_append(id, &emitter->text, &damage);
}

void id_append_part(Emitter *emitter, const RawEvent *event, EventKey key)
{
    if (event_has(event, key)) id_append(emitter, &event->value[key]);
    bytes_append(&emitter->text, "\0", 1);
}

StringId id_intern(Emitter *emitter, const JsonValue *value)
{
    bytes_clear(&emitter->text);
    id_append(emitter, value);
    return emitter_intern_text(emitter);
}

bool id_member(const JsonValue *object, const char *name, JsonValue *found)
{
    if (object->kind != JSON_OBJECT) return false;
    JsonItems items = json_items(object);
    JsonValue key, value;
    bool      any = false;
    while (json_items_next(&items, &key, &value)) {
        if (!json_is(&key, JSON_STRING, name)) continue;
        *found = value;
        any = true;
    }
    return any;
}

IdReach id_find(const RawEvent *event, JsonValue *id)
{
    if (event_has(event, KEY_ID2)) {
        if (id_member(&event->value[KEY_ID2], "local", id)) return ID_LOCAL;
        if (id_member(&event->value[KEY_ID2], "global", id)) return ID_GLOBAL;
    }
    if (!event_has(event, KEY_ID) || json_is(&event->value[KEY_ID], JSON_WORD, "null")) return ID_NONE;
    *id = event->value[KEY_ID];
    return ID_GLOBAL;
}

bool id_number(const JsonValue *id, uint64_t *number)
{
    if (id->kind != JSON_STRING && id->kind != JSON_NUMBER) return false;
    const uint8_t *at = id->at, *end = at + id->size;
    unsigned       base = 10;
    if (end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
        base = 16;
        at += 2;
    }
    if (at == end) return false;
    *number = 0;
    for (; at < end; at++) {
        unsigned digit = ascii_hex_value((char)*at);
        if (digit >= base || *number > (UINT64_MAX - digit) / base) return false;
        *number = *number * base + digit;
    }
    return true;
}
