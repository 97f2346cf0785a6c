#include "format/trace_event/common/event.h"

#include "base/bits.h"
#include "base/block16.h"
#include "base/hash.h"
#include "format/trace_event/common/text.h"

#include <string.h>

/* -- numbers in the common spelling -- */

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

/* Reads digits at `at` after the number `whole`, which has eight digits or is 0 without any; at most 15 digits
 * altogether. Returns the byte after them, or NULL. */
static inline const uint8_t *quick_digits(const uint8_t *at, uint64_t *whole)
{
    const uint64_t bytes = bits_load_u64(at);
    const unsigned count = digits_in_u64(bytes);
    if (UNLIKELY(count == 8)) return NULL;
    if (count > 0) *whole = *whole * POWERS_OF_10[count] + digits_value(bytes, count);
    return at + count;
}

/* Reads decimals at `at`, after the point: up to six of microseconds, of which the last three are zeros ("%f" writes
 * six). Adds them to *ns. Returns the byte after them, or NULL. */
static inline const uint8_t *quick_decimals(const uint8_t *at, int64_t *ns)
{
    const uint64_t bytes = bits_load_u64(at);
    const unsigned count = digits_in_u64(bytes);
    if (count == 0 || count > 6) return NULL;
    uint64_t fraction = digits_value(bytes, count);
    if (count <= 3) {
        fraction *= POWERS_OF_10[3 - count];
    } else {
        const uint64_t unit = POWERS_OF_10[count - 3];
        if (fraction % unit != 0) return NULL;
        fraction /= unit;
    }
    *ns += (int64_t)fraction;
    return at + count;
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

/* A member of an event. */
typedef struct Member {
    EventKey  key;
    JsonValue value; /* JSON_NOTHING: the closing brace in place of a member */
} Member;

/* Reads a member in any spelling, or the closing brace (*stop is then at it), and notes it in `event`. */
static JsonScan member_parse(const uint8_t *at, const uint8_t *end, RawEvent *event, Member *member,
                             const uint8_t **stop)
{
    JsonValue key;
    JsonScan  result = json_scan_space(at, end, stop, &event->comments);
    member->value.kind = JSON_NOTHING;
    if (result != JSON_SCAN_DONE) return result;
    if (*stop == end) return JSON_SCAN_MORE;
    if (**stop == '}') return JSON_SCAN_DONE;
    if (**stop != '"') return JSON_SCAN_BROKEN;
    result = json_scan_value(*stop, end, &key, stop);
    if (result == JSON_SCAN_DONE) result = json_scan_space(*stop, end, stop, &event->comments);
    if (result != JSON_SCAN_DONE) return result;
    if (*stop == end) return JSON_SCAN_MORE;
    if (**stop != ':') return JSON_SCAN_BROKEN;
    member->key = event_key(&key);
    if (member->key == KEY_TRACE_EVENTS)
        event->trace_events = true; /* set before the whole list is available */
    result = json_scan_space(*stop + 1, end, stop, &event->comments);
    if (result == JSON_SCAN_DONE) result = json_scan_value(*stop, end, &member->value, stop);
    if (result == JSON_SCAN_DONE) event_note(event, member->key, &member->value);
    return result;
}

/* Reads the next member of the event that begins at `begin`, in any spelling. `at` is the opening brace, or after a value. At the
 * closing brace it reads JSON_NOTHING and sets *stop to the brace. */
static JsonScan member_next(const uint8_t *begin, const uint8_t *at, const uint8_t *end, RawEvent *event,
                            Member *member, const uint8_t **stop)
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

static inline void event_clear(RawEvent *event)
{
    event->seen = event->quick = 0;
    event->other_keys = event->comments = event->trace_events = false;
    event->phase = 0;
}

JsonScan event_parse(const uint8_t *at, const uint8_t *end, RawEvent *event, const uint8_t **stop)
{
    const uint8_t *const begin = at;
    Member               member;
    event_clear(event);
    do {
        const JsonScan result = member_next(begin, at, end, event, &member, stop);
        if (result != JSON_SCAN_DONE) return result;
        at = *stop;
    } while (member.value.kind != JSON_NOTHING);
    *stop = at + 1; /* the brace */
    return JSON_SCAN_DONE;
}

/* -- events by links -- */

/* The form in which a link's value is read. */
typedef enum {
    FORM_UNKNOWN, /* of links[0] */
    FORM_MICROS,
    FORM_INTEGER,
    FORM_PHASE,  /* one character and its closing quote */
    FORM_STRING, /* the opening quote is part of the link, like the brackets of containers */
    FORM_CONTAINER,
    FORM_ANY
} ValueForm;

/* SHAPED_BYTES: the most bytes that are read without a check, a link and a number. */
enum { LINK_BYTES = 8 * LINK_WORDS, SHAPED_BYTES = LINK_BYTES + 40 };

static ValueForm form_of(const Member *member)
{
    switch (member->value.kind) {
    case JSON_STRING:
        return member->key == KEY_PH ? FORM_PHASE : FORM_STRING;
    case JSON_OBJECT:
    case JSON_ARRAY:
        return FORM_CONTAINER;
    case JSON_NOTHING:
    case JSON_NUMBER:
    case JSON_WORD:
        break;
    }
    if (member->key == KEY_PID || member->key == KEY_TID) return FORM_INTEGER;
    return member->key < KEY_NUMBER_COUNT ? FORM_MICROS : FORM_ANY;
}

/* Returns the number of bytes from `from`, after the value before the member, to its value as a link. */
static size_t link_size(const Member *member, const uint8_t *from)
{
    const bool is_container = member->value.kind == JSON_OBJECT || member->value.kind == JSON_ARRAY;
    return (size_t)(member->value.at - from) + (is_container ? 1 : 0);
}

/* Puts `slot` at the front of the links that follow `before`. */
static void link_follow(EventLink *before, uint8_t slot)
{
    size_t i = 0;
    while (i < LINK_NEXT - 1 && before->next[i] != slot)
        i++;
    memmove(before->next + 1, before->next, i);
    before->next[0] = slot;
}

/* Stores the link of a member that followed `before`. Returns it, or links[0] if it is not stored. */
static EventLink *link_add(EventShapes *shapes, EventLink *before, const uint8_t *from, const Member *member)
{
    const size_t size = link_size(member, from);
    if (size > LINK_BYTES || member->key == KEY_TRACE_EVENTS) return &shapes->links[0];
    uint8_t bytes[LINK_BYTES] = { 0 }, ones[LINK_BYTES] = { 0 };
    memcpy(bytes, from, size);
    memset(ones, 0xff, size);
    if (memchr(bytes, '/', size) != NULL) return &shapes->links[0]; /* comments are reported */
    EventLink made = { .size = (uint8_t)size,
                       .key = (uint8_t)member->key,
                       .key_bit = member->key < KEY_COUNT ? 1u << member->key : 0,
                       .form = (uint8_t)form_of(member),
                       .digits = 1 }; /* with digits_mask 0: no text is equal */
    for (size_t i = 0; i < LINK_WORDS; i++) {
        made.word[i] = bits_load_u64(bytes + 8 * i);
        made.mask[i] = bits_load_u64(ones + 8 * i);
    }
    /* The first links are apart, because a brace is an error after a value. */
    const uint64_t hash = hash_bytes(bytes, size, 0);
    const uint8_t  slot =
        (uint8_t)(before == &shapes->begin ? 1 + hash % (LINK_FIRSTS - 1)
                                           : LINK_FIRSTS + hash % (LINK_COUNT - LINK_FIRSTS));
    EventLink *link = &shapes->links[slot];
    if (link->size != size || memcmp(link->word, made.word, sizeof made.word) != 0) *link = made;
    link_follow(before, slot);
    return link;
}

static inline bool link_fits(const EventLink *link, const uint8_t *at)
{
    if (((bits_load_u64(at) ^ link->word[0]) & link->mask[0]) != 0) return false;
    if (link->size <= 8) return true;
    const uint64_t wrong = ((bits_load_u64(at + 8) ^ link->word[1]) & link->mask[1]) |
                           ((bits_load_u64(at + 16) ^ link->word[2]) & link->mask[2]);
    return wrong == 0;
}

/* Returns the link at `at`, which follows `before`; links[0] if it is not known. */
static inline EventLink *link_next(EventShapes *shapes, const EventLink *before, const uint8_t *at)
{
    for (size_t i = 0; i < LINK_NEXT; i++) {
        EventLink *link = &shapes->links[before->next[i]];
        if (link_fits(link, at)) return link; /* links[0] fits all bytes */
    }
    return &shapes->links[0];
}

/* Returns a mask of the first `count` (1..8) bytes of eight. */
static inline uint64_t first_bytes(unsigned count)
{
    return UINT64_MAX >> (64 - 8 * count);
}

/* Reads microseconds as ns. Returns the byte after them, or NULL. */
static inline const uint8_t *quick_micros(EventLink *link, const uint8_t *at, int64_t *ns)
{
    const uint64_t bytes = bits_load_u64(at);
    uint64_t       whole = (uint64_t)link->number;
    if ((bytes & link->digits_mask) == link->digits) {
        at = quick_digits(at + 8, &whole);
        if (at == NULL) return NULL;
    } else {
        const unsigned count = digits_in_u64(bytes);
        if (count == 0 || (count > 1 && *at == '0')) return NULL;
        whole = digits_value(bytes, count);
        at += count;
        if (count == 8) {
            link->digits_mask = UINT64_MAX;
            link->digits = bytes;
            link->number = (int64_t)whole;
            at = quick_digits(at, &whole);
            if (at == NULL) return NULL;
        }
    }
    *ns = (int64_t)whole * 1000;
    if (*at == '.') {
        at = quick_decimals(at + 1, ns);
        if (at == NULL) return NULL;
    }
    return ends_number(*at) ? at : NULL;
}

/* Reads an integer. Returns the byte after it, or NULL. */
static inline const uint8_t *quick_integer(EventLink *link, const uint8_t *at, int64_t *value)
{
    const uint64_t bytes = bits_load_u64(at);
    if ((bytes & link->digits_mask) == link->digits) {
        *value = link->number;
        return at + link->digit_count;
    }
    const unsigned count = digits_in_u64(bytes);
    if (count == 0 || (count > 1 && *at == '0')) return NULL;
    uint64_t       whole = digits_value(bytes, count);
    const uint8_t *stop = at + count;
    if (count == 8) stop = quick_digits(stop, &whole);
    if (stop == NULL || !ends_number(*stop)) return NULL;
    *value = (int64_t)whole;
    if (count == 8) return stop;
    link->digits_mask = first_bytes(count + 1);
    link->digits = bytes & link->digits_mask;
    link->digit_count = (uint8_t)count;
    link->number = (int64_t)whole;
    return stop;
}

static inline const uint8_t *number_note(RawEvent *event, const EventLink *link, const uint8_t *stop)
{
    event->quick |= link->key_bit;
    event->seen |= link->key_bit;
    return stop;
}

/* Reads the string at `at`, after its quote. Returns the byte after it, or NULL. */
static inline const uint8_t *string_take(const EventLink *link, const uint8_t *at, const uint8_t *end,
                                         RawEvent *event)
{
    const uint8_t *stop = block_find_quote(at, end);
    bool           escaped = false;
    if (UNLIKELY(stop == end)) return NULL;
    if (UNLIKELY(*stop == '\\') && json_scan_string(at, end, &stop, &escaped) != JSON_SCAN_DONE) return NULL;
    if (UNLIKELY(link->key >= KEY_COUNT)) {
        event->other_keys = true;
        return stop + 1;
    }
    event->value[link->key] = (JsonValue){ at, (size_t)(stop - at), JSON_STRING, escaped };
    event->seen |= link->key_bit;
    event->quick &= ~link->key_bit;
    return stop + 1;
}

/* Reads the value at `at`, which follows the link. Returns the byte after it, or NULL. */
static inline const uint8_t *value_take(EventLink *link, const uint8_t *at, const uint8_t *end,
                                        RawEvent *event)
{
    const EventKey key = (EventKey)link->key;
    const uint8_t *stop;
    JsonValue      value;
    switch ((ValueForm)link->form) {
    case FORM_UNKNOWN:
        return NULL;
    case FORM_MICROS:
        stop = quick_micros(link, at, &event->number[key]);
        if (LIKELY(stop != NULL)) return number_note(event, link, stop);
        break;
    case FORM_INTEGER:
        stop = quick_integer(link, at, &event->number[key]);
        if (LIKELY(stop != NULL)) return number_note(event, link, stop);
        break;
    case FORM_PHASE:
        if (UNLIKELY(at[1] != '"' || at[0] >= 0x80 || at[0] == '\\' || at[0] == '"')) return NULL;
        event->phase = at[0];
        event->value[key] = (JsonValue){ at, 1, JSON_STRING, false };
        event->seen |= link->key_bit;
        return at + 2;
    case FORM_STRING:
        return string_take(link, at, end, event);
    case FORM_CONTAINER:
        at--; /* its bracket */
        break;
    case FORM_ANY:
        break;
    }
    if (json_scan_value(at, end, &value, &stop) != JSON_SCAN_DONE) return NULL;
    event_note(event, key, &value);
    return stop;
}

JsonScan event_parse_shaped(EventShapes *shapes, const uint8_t *at, const uint8_t *end, RawEvent *event,
                            const uint8_t **stop)
{
    const uint8_t *const begin = at;
    const uint8_t *const shaped_end = end - at > SHAPED_BYTES ? end - SHAPED_BYTES : at;
    EventLink           *link = &shapes->begin;
    event_clear(event);
    for (;;) { /* `at` is the opening brace, or after a value */
        if (LIKELY(at < shaped_end)) {
            if (*at == '}') break;
            EventLink     *next = link_next(shapes, link, at);
            const uint8_t *behind = value_take(next, at + next->size, end, event);
            if (LIKELY(behind != NULL)) {
                at = behind;
                link = next;
                continue;
            }
        }
        const uint8_t *const from = at;
        Member               member;
        const JsonScan       result = member_next(begin, at, end, event, &member, stop);
        if (result != JSON_SCAN_DONE) return result;
        at = *stop;
        if (member.value.kind == JSON_NOTHING) break;
        link = link_add(shapes, link, from, &member);
    }
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
