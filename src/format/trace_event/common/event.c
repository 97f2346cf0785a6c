#include "format/trace_event/common/event.h"

#include "base/bits.h"
#include "format/trace_event/common/text.h"

#include <string.h>

/* -- fast path for the common spelling -- */

static inline uint64_t load_u64le(const uint8_t *at)
{
    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
           (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 | (uint64_t)at[7] << 56;
}

/* Returns the number of digits at the start of eight bytes, the lowest byte first. */
static inline unsigned digits_in_u64(uint64_t bytes)
{
    uint64_t digits = bytes ^ 0x3030303030303030u;
    uint64_t others = ((digits & 0x7f7f7f7f7f7f7f7fu) + 0x7676767676767676u) | digits;
    others &= 0x8080808080808080u;
    return others == 0 ? 8 : bits_lowest_u64(others) / 8;
}

/* Returns the value of the first `count` (1..8) digits of eight bytes. Shifts them so that zeros precede them. */
static inline uint64_t digits_value(uint64_t bytes, unsigned count)
{
    uint64_t digits = (bytes ^ 0x3030303030303030u) << (64 - 8 * count);
    digits = digits * 10 + (digits >> 8); /* pairs, in bytes 0, 2, 4, 6 */
    uint64_t low = (digits & 0x000000ff000000ffu) * (100 + ((uint64_t)1000000 << 32));
    uint64_t high = (digits >> 16 & 0x000000ff000000ffu) * (1 + ((uint64_t)10000 << 32));
    return (low + high) >> 32;
}

static inline bool ends_number(uint8_t c)
{
    return c == ',' || c == '}' || c <= ' ';
}

static const uint64_t POWERS_OF_10[8] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000 };

enum { QUICK_BYTES = 40 }; /* the most bytes that the functions below read */

/* Reads an integer of up to 15 digits at `at`. Returns the byte after it, or NULL. */
static inline const uint8_t *quick_digits(const uint8_t *at, int64_t *value)
{
    uint64_t bytes = load_u64le(at);
    unsigned count = digits_in_u64(bytes);
    if (count == 0 || (count > 1 && *at == '0')) return NULL;
    uint64_t whole = digits_value(bytes, count);
    at += count;
    if (count == 8) {
        bytes = load_u64le(at);
        count = digits_in_u64(bytes);
        if (count == 8) return NULL;
        if (count > 0) {
            whole = whole * POWERS_OF_10[count] + digits_value(bytes, count);
            at += count;
        }
    }
    *value = (int64_t)whole;
    return at;
}

/* Reads microseconds as ns, with up to six decimals of which the last three are zeros ("%f" writes six). Returns the
 * byte after them, or NULL. */
static inline const uint8_t *quick_micros(const uint8_t *at, int64_t *ns)
{
    int64_t whole;
    at = quick_digits(at, &whole);
    if (at == NULL) return NULL;
    *ns = whole * 1000;
    if (*at == '.') {
        uint64_t bytes = load_u64le(at + 1);
        unsigned count = digits_in_u64(bytes);
        if (count == 0 || count > 6) return NULL;
        uint64_t fraction = digits_value(bytes, count);
        if (count <= 3) {
            fraction *= POWERS_OF_10[3 - count];
        } else {
            uint64_t unit = POWERS_OF_10[count - 3];
            if (fraction % unit != 0) return NULL;
            fraction /= unit;
        }
        *ns += (int64_t)fraction;
        at += 1 + count;
    }
    return ends_number(*at) ? at : NULL;
}

static inline const uint8_t *quick_integer(const uint8_t *at, int64_t *value)
{
    at = quick_digits(at, value);
    return at != NULL && ends_number(*at) ? at : NULL;
}

#define KEY4(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

/* Reads the key whose opening quote is at `at`; eight bytes are readable. Returns the byte after its colon, or NULL
 * if it is not a frequent key in its usual spelling. */
static inline const uint8_t *quick_key(const uint8_t *at, EventKey *key)
{
    unsigned size; /* of the name */
    switch (KEY4(at[1], at[2], at[3], at[4])) {
    case KEY4('p', 'h', '"', ':'):
        *key = KEY_PH;
        return at + 5;
    case KEY4('t', 's', '"', ':'):
        *key = KEY_TS;
        return at + 5;
    case KEY4('p', 'i', 'd', '"'):
        *key = KEY_PID;
        size = 3;
        break;
    case KEY4('t', 'i', 'd', '"'):
        *key = KEY_TID;
        size = 3;
        break;
    case KEY4('d', 'u', 'r', '"'):
        *key = KEY_DUR;
        size = 3;
        break;
    case KEY4('c', 'a', 't', '"'):
        *key = KEY_CAT;
        size = 3;
        break;
    case KEY4('n', 'a', 'm', 'e'):
        *key = KEY_NAME;
        size = 4;
        break;
    case KEY4('a', 'r', 'g', 's'):
        *key = KEY_ARGS;
        size = 4;
        break;
    default:
        return NULL;
    }
    if (at[1 + size] != '"' || at[2 + size] != ':') return NULL;
    return at + 3 + size;
}

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

static void event_note(RawEvent *event, EventKey key, const JsonValue *value)
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

/* Reads a member in any spelling, or the closing brace (*stop is then at it). */
static JsonScan member_parse(const uint8_t *at, const uint8_t *end, RawEvent *event, const uint8_t **stop)
{
    JsonValue key, value;
    JsonScan  result = json_scan_space(at, end, stop, &event->comments);
    if (result != JSON_SCAN_DONE) return result;
    if (*stop == end) return JSON_SCAN_MORE;
    if (**stop == '}') return JSON_SCAN_DONE;
    if (**stop != '"') return JSON_SCAN_BROKEN;
    result = json_scan_value(*stop, end, &key, stop);
    if (result == JSON_SCAN_DONE) result = json_scan_space(*stop, end, stop, &event->comments);
    if (result != JSON_SCAN_DONE) return result;
    if (*stop == end) return JSON_SCAN_MORE;
    if (**stop != ':') return JSON_SCAN_BROKEN;
    EventKey which = event_key(&key);
    if (which == KEY_TRACE_EVENTS) event->trace_events = true; /* set before the whole list is available */
    result = json_scan_space(*stop + 1, end, stop, &event->comments);
    if (result == JSON_SCAN_DONE) result = json_scan_value(*stop, end, &value, stop);
    if (result == JSON_SCAN_DONE) event_note(event, which, &value);
    return result;
}

/* Reads a member in the usual spelling. Returns the byte after it, or NULL without a change of `event`. At least
 * QUICK_BYTES are readable. */
static inline const uint8_t *quick_member(const uint8_t *at, const uint8_t *end, RawEvent *event)
{
    EventKey key = KEY_OTHER;
    at = quick_key(at, &key);
    if (at == NULL) return NULL;
    if (*at == ' ') at++;
    switch (key) {
    case KEY_TS:
    case KEY_DUR:
        at = quick_micros(at, &event->number[key]);
        break;
    case KEY_PID:
    case KEY_TID:
        at = quick_integer(at, &event->number[key]);
        break;
    case KEY_PH:
        if (at[0] != '"' || at[2] != '"' || at[1] >= 0x80 || at[1] == '\\' || at[1] == '"') return NULL;
        event->phase = at[1];
        event->value[key] = (JsonValue){ at + 1, 1, JSON_STRING, false };
        event->seen |= 1u << key;
        return at + 3;
    default: {
        JsonValue *value = &event->value[key];
        if (*at == '"') {
            const uint8_t *stop;
            if (json_scan_string(at + 1, end, &stop, &value->escaped) != JSON_SCAN_DONE) return NULL;
            value->at = at + 1;
            value->size = (size_t)(stop - at - 1);
            value->kind = JSON_STRING;
            event->seen |= 1u << key;
            return stop + 1;
        }
        if (*at != '{' || json_scan_value(at, end, value, &at) != JSON_SCAN_DONE) return NULL;
        event->seen |= 1u << key;
        return at;
    }
    }
    if (at == NULL) return NULL;
    event->quick |= 1u << key;
    event->seen |= 1u << key;
    return at;
}

JsonScan event_parse(const uint8_t *at, const uint8_t *end, RawEvent *event, const uint8_t **stop)
{
    event->seen = event->quick = 0;
    event->other_keys = event->comments = event->trace_events = false;
    event->phase = 0;
    at++;
    for (;;) {
        const uint8_t *behind = NULL;
        if (LIKELY(end - at >= QUICK_BYTES && *at == '"')) behind = quick_member(at, end, event);
        if (LIKELY(behind != NULL)) {
            at = behind;
        } else {
            JsonScan result = member_parse(at, end, event, stop);
            if (result != JSON_SCAN_DONE) return result;
            at = *stop;
        }
        if (UNLIKELY(at == end || (*at != ',' && *at != '}'))) {
            JsonScan result = json_scan_space(at, end, stop, &event->comments);
            if (result != JSON_SCAN_DONE) return result;
            at = *stop;
            if (at == end) return JSON_SCAN_MORE;
            if (*at != ',' && *at != '}') return JSON_SCAN_BROKEN;
        }
        if (*at++ == '}') break;
        if (LIKELY(at < end) && *at == ' ') at++; /* Python's json.dump */
    }
    *stop = at;
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

NumberResult event_time(const RawEvent *event, EventKey key, FineTime *time)
{
    *time = (FineTime){ 0 };
    if (!event_has(event, key)) return NUMBER_INVALID;
    if (!event_is_quick(event, key)) return json_micros(&event->value[key], time);
    time->ns = event->number[key];
    return NUMBER_OK;
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

bool event_has_extra(const RawEvent *event)
{
    if (event->other_keys) return true;
    const uint8_t phase = event_column_phase(event);
    uint32_t      plain = 1u << KEY_NAME | 1u << KEY_CAT | 1u << KEY_PID | 1u << KEY_TID;
    if (event->phase != 0) plain |= 1u << KEY_PH | 1u << KEY_TS;
    if (phase == 'X') plain |= 1u << KEY_DUR;
    bool quick_ids =
        (event->seen & ~event->quick & (1u << KEY_PID | 1u << KEY_TID | 1u << KEY_TS | 1u << KEY_DUR)) == 0;
    if (LIKELY(quick_ids && (event->seen & ~plain) == 0 && event->phase != 'M' && event->phase != 'm'))
        return false;
    for (int key = 0; key < KEY_COUNT; key++) {
        if (!event_has(event, (EventKey)key)) continue;
        if (!event_is_quick(event, (EventKey)key)) {
            if (event_key_is_extra((EventKey)key, &event->value[key], phase)) return true;
        } else if (key == KEY_DUR || key == KEY_TS) {
            bool has_column = key == KEY_DUR ? phase == 'X' : event->phase != 'M' && event->phase != 'm';
            if (!has_column && event->number[key] != 0) return true;
        }
    }
    return false;
}
