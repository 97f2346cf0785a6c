#include "format/trace_event/common/event.h"

#include "base/bits.h"
#include "base/block16.h"
#include "base/hash.h"
#include "format/trace_event/common/text.h"

#include <string.h>

/* -- any spelling -- */

/* Returns the key of a text. Selects by size first, because most keys that come here are unknown. */
static EventKey key_of_text(const uint8_t *text, size_t size)
{
    switch (size) {
    case 1:
        return text[0] == 's' ? KEY_S : KEY_OTHER;
    case 2:
        if (memcmp(text, "ph", 2) == 0) return KEY_PH;
        if (memcmp(text, "id", 2) == 0) return KEY_ID;
        if (memcmp(text, "bp", 2) == 0) return KEY_BP;
        if (memcmp(text, "sf", 2) == 0) return KEY_SF;
        return memcmp(text, "ts", 2) == 0 ? KEY_TS : KEY_OTHER;
    case 3:
        if (memcmp(text, "pid", 3) == 0) return KEY_PID;
        if (memcmp(text, "tid", 3) == 0) return KEY_TID;
        if (memcmp(text, "cat", 3) == 0) return KEY_CAT;
        if (memcmp(text, "id2", 3) == 0) return KEY_ID2;
        if (memcmp(text, "esf", 3) == 0) return KEY_ESF;
        if (memcmp(text, "tts", 3) == 0) return KEY_TTS;
        if (memcmp(text, "end", 3) == 0) return KEY_END;
        return memcmp(text, "dur", 3) == 0 ? KEY_DUR : KEY_OTHER;
    case 4:
        if (memcmp(text, "name", 4) == 0) return KEY_NAME;
        if (memcmp(text, "args", 4) == 0) return KEY_ARGS;
        return memcmp(text, "tdur", 4) == 0 ? KEY_TDUR : KEY_OTHER;
    case 5:
        if (memcmp(text, "cname", 5) == 0) return KEY_CNAME;
        if (memcmp(text, "stack", 5) == 0) return KEY_STACK;
        return memcmp(text, "scope", 5) == 0 ? KEY_SCOPE : KEY_OTHER;
    case 6:
        return memcmp(text, "estack", 6) == 0 ? KEY_ESTACK : KEY_OTHER;
    case 7:
        if (memcmp(text, "bind_id", 7) == 0) return KEY_BIND_ID;
        return memcmp(text, "flow_in", 7) == 0 ? KEY_FLOW_IN : KEY_OTHER;
    case 8:
        return memcmp(text, "flow_out", 8) == 0 ? KEY_FLOW_OUT : KEY_OTHER;
    case 11:
        return memcmp(text, "traceEvents", 11) == 0 ? KEY_TRACE_EVENTS : KEY_OTHER;
    case 12: /* the names that our writer uses, because chrome://tracing rejects the usual ones */
        return memcmp(text, "inline_stack", 12) == 0 ? KEY_STACK : KEY_OTHER;
    case 13:
        if (memcmp(text, "inline_estack", 13) == 0) return KEY_ESTACK;
        return memcmp(text, "use_async_tts", 13) == 0 ? KEY_ASYNC_TTS : KEY_OTHER;
    default:
        return KEY_OTHER;
    }
}

EventKey event_key(const JsonValue *key)
{
    if (!key->escaped) return key_of_text(key->at, key->size);
    if (key->size > 6 * sizeof "use_async_tts") return KEY_OTHER; /* longer than the longest key as \uXXXX */
    Bytes      text = { 0 };
    TextDamage damage = { 0 };
    text_append(key, &text, &damage);
    EventKey found = text.failed || text.size == 0 ? KEY_OTHER : key_of_text(text.data, text.size);
    bytes_release(&text);
    return found;
}

void event_note_member(RawEvent *event, EventKey key, const JsonValue *value)
{
    if (key >= KEY_COUNT) {
        event->other_keys = true;
        return;
    }
    event->seen |= 1u << key;
    event->quick &= ~(1u << key);
    event->value[key] = *value;
    if (key == KEY_PH)
        event->phase =
            value->kind == JSON_STRING && value->size == 1 && value->at[0] < 0x80 ? value->at[0] : 0;
}

/* Reads a member in any spelling, or the closing brace (*stop is then at it), and notes it in `event`. */
static JsonScan member_parse(const uint8_t *at, const uint8_t *end, RawEvent *event, EventMember *member,
                             const uint8_t **stop)
{
    JsonScan result = json_scan_space(at, end, stop, &event->comments);
    member->value.kind = JSON_NOTHING;
    if (result != JSON_SCAN_DONE) return result;
    if (*stop == end) return JSON_SCAN_MORE;
    if (**stop == '}') return JSON_SCAN_DONE;
    if (**stop != '"') return JSON_SCAN_BROKEN;
    result = json_scan_value(*stop, end, &member->spelling, stop);
    if (result == JSON_SCAN_DONE) result = json_scan_space(*stop, end, stop, &event->comments);
    if (result != JSON_SCAN_DONE) return result;
    if (*stop == end) return JSON_SCAN_MORE;
    if (**stop != ':') return JSON_SCAN_BROKEN;
    member->key = event_key(&member->spelling);
    if (member->key == KEY_TRACE_EVENTS)
        event->trace_events = true; /* set before the whole list is available */
    result = json_scan_space(*stop + 1, end, stop, &event->comments);
    if (result == JSON_SCAN_DONE) result = json_scan_value(*stop, end, &member->value, stop);
    if (result == JSON_SCAN_DONE) event_note_member(event, member->key, &member->value);
    return result;
}

JsonScan event_next_member(const uint8_t *begin, const uint8_t *at, const uint8_t *end, RawEvent *event,
                           EventMember *member, const uint8_t **stop)
{
    if (at != begin) {
        JsonScan result = json_scan_space(at, end, stop, &event->comments);
        if (result != JSON_SCAN_DONE) return result;
        at = *stop;
        if (at == end) return JSON_SCAN_MORE;
        member->value.kind = JSON_NOTHING;
        if (*at == '}') return JSON_SCAN_DONE;
        if (*at != ',') return JSON_SCAN_BROKEN;
    }
    return member_parse(at + 1, end, event, member, stop);
}

JsonScan event_parse(const uint8_t *at, const uint8_t *end, RawEvent *event, const uint8_t **stop)
{
    const uint8_t *const begin = at;
    EventMember          member;
    event_clear(event);
    do {
        const JsonScan result = event_next_member(begin, at, end, event, &member, stop);
        if (result != JSON_SCAN_DONE) return result;
        at = *stop;
    } while (member.value.kind != JSON_NOTHING);
    *stop = at + 1; /* the brace */
    return JSON_SCAN_DONE;
}

/* -- values -- */

NumberResult json_micros(const JsonValue *value, FineTime *time)
{
    *time = (FineTime){ 0 };
    if (value->kind != JSON_STRING && value->kind != JSON_NUMBER) return NUMBER_INVALID;
    const uint8_t *at = value->at, *end = value->at + value->size;
    while (at < end && *at <= ' ') /* a number in a string may have spaces */
        at++;
    while (at < end && end[-1] <= ' ')
        end--;
    return number_micros(at, (size_t)(end - at), time);
}

static bool is_instant(uint8_t phase)
{
    return phase == 'i' || phase == 'I' || phase == 'R';
}

static bool is_readable_time(const JsonValue *value)
{
    FineTime time;
    return json_micros(value, &time) <= NUMBER_ODD;
}

static bool is_zero_time(const JsonValue *value)
{
    FineTime time;
    return json_micros(value, &time) <= NUMBER_ODD && time.ns == 0 && time.ps == 0;
}

static bool is_plain_duration(const JsonValue *value)
{
    FineTime time;
    return json_micros(value, &time) <= NUMBER_ODD && time.ns >= 0;
}

static bool is_scope(const JsonValue *value)
{
    return json_is(value, JSON_STRING, "t") || json_is(value, JSON_STRING, "p") ||
           json_is(value, JSON_STRING, "g");
}

bool event_key_is_extra(EventKey key, const JsonValue *value, uint8_t phase)
{
    switch (key) {
    case KEY_PH:
        return value->kind != JSON_STRING;
    case KEY_TS: /* the trace has no time of metadata, and an invalid time must stay visible */
        return phase == 'M' || phase == 'm' ? !is_zero_time(value) : !is_readable_time(value);
    case KEY_PID:
    case KEY_TID:
        return value->kind != JSON_NUMBER && value->kind != JSON_STRING && !json_is(value, JSON_WORD, "null");
    case KEY_NAME:
    case KEY_CAT:
        return false;
    case KEY_DUR:
        return phase == 'X' ? !is_plain_duration(value) : phase == 0 || !is_zero_time(value);
    case KEY_TDUR: /* Node.js writes "dur":0,"tdur":0 in every event */
        return phase == 'X' || phase == 0 || !is_zero_time(value);
    case KEY_ARGS: /* Chromium writes this text in place of private arguments */
        return !json_is(value, JSON_OBJECT, "{}") && !json_is(value, JSON_STRING, "__stripped__");
    case KEY_S:
        return !is_instant(phase) || !is_scope(value);
    case KEY_ID:
    case KEY_ID2:
    case KEY_SCOPE:
    case KEY_TTS: /* the CPU time is in a column */
    case KEY_ASYNC_TTS:
    case KEY_END:
    case KEY_CNAME: /* the colour has a column, the text does not */
    case KEY_BP:
    case KEY_BIND_ID:
    case KEY_FLOW_IN:
    case KEY_FLOW_OUT:
    case KEY_SF:
    case KEY_ESF:
    case KEY_STACK:
    case KEY_ESTACK:
    case KEY_OTHER:
    case KEY_TRACE_EVENTS:
        break;
    }
    return true;
}

uint8_t event_detail_phase(const RawEvent *event)
{
    FineTime      time;
    const uint8_t phase = event_column_phase(event);
    if (phase != 'X' && !is_instant(phase)) return phase;
    return event_time(event, KEY_TS, &time) <= NUMBER_ODD ? phase : 0;
}

/* The keys whose members no column holds, whatever their values. */
static const uint32_t EXTRA_KEYS = 1u << KEY_ID | 1u << KEY_ID2 | 1u << KEY_SCOPE | 1u << KEY_TTS |
                                   1u << KEY_ASYNC_TTS | 1u << KEY_END | 1u << KEY_CNAME | 1u << KEY_BP |
                                   1u << KEY_BIND_ID | 1u << KEY_FLOW_IN | 1u << KEY_FLOW_OUT | 1u << KEY_SF |
                                   1u << KEY_ESF | 1u << KEY_STACK | 1u << KEY_ESTACK;

/* True if the member is not stored in a column: event_key_is_extra for a value in number[], too. */
static bool member_is_extra(const RawEvent *event, EventKey key, uint8_t phase)
{
    if (!event_is_quick(event, key)) return event_key_is_extra(key, &event->value[key], phase);
    const bool is_zero = event->number[key] == 0;
    switch (key) {
    case KEY_TS:
        return (phase == 'M' || phase == 'm') && !is_zero;
    case KEY_DUR:
        return phase != 'X' && (phase == 0 || !is_zero);
    case KEY_TDUR:
        return phase == 'X' || phase == 0 || !is_zero;
    default:
        return false; /* pid and tid */
    }
}

bool event_has_extra(const RawEvent *event)
{
    if (event->other_keys || (event->seen & EXTRA_KEYS) != 0) return true;
    const uint8_t phase = event_column_phase(event);
    uint32_t      plain = 1u << KEY_NAME | 1u << KEY_CAT | (event->quick & (1u << KEY_PID | 1u << KEY_TID));
    if (phase != 0) plain |= 1u << KEY_PH;
    if (phase != 'M' && phase != 'm') plain |= event->quick & 1u << KEY_TS;
    if (phase == 'X') plain |= event->quick & 1u << KEY_DUR;
    for (uint32_t keys = event->seen & ~plain; keys != 0; keys &= keys - 1) {
        if (member_is_extra(event, (EventKey)bits_lowest_u64(keys), phase)) return true;
    }
    return false;
}
