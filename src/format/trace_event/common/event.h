/* format/trace_event/common/event.h - parses the JSON of one event in one pass.
 *
 * The result is the extents of the values. Keys may come in any order; of equal keys the last is used. event_parse is the
 * definition; event_shapes.h has a faster parser with the same result. */
#ifndef FORMAT_TRACE_EVENT_COMMON_EVENT_H
#define FORMAT_TRACE_EVENT_COMMON_EVENT_H
#include "base/json_scan.h"
#include "format/trace_event/common/number.h"

/* The keys that the reader uses. The numbers come first. */
typedef enum {
    KEY_TS,
    KEY_DUR,
    KEY_TTS,
    KEY_TDUR,
    KEY_PID,
    KEY_TID,
    KEY_NUMBER_COUNT,
    KEY_PH = KEY_NUMBER_COUNT,
    KEY_NAME,
    KEY_CAT,
    KEY_ARGS,
    KEY_S,
    KEY_ID,
    KEY_ID2,
    KEY_SCOPE,
    KEY_CNAME,
    KEY_ASYNC_TTS,
    KEY_END,
    KEY_BP,
    KEY_BIND_ID,
    KEY_FLOW_IN,
    KEY_FLOW_OUT,
    KEY_SF,
    KEY_ESF,
    KEY_STACK,
    KEY_ESTACK,
    KEY_COUNT,
    KEY_OTHER = KEY_COUNT,
    KEY_TRACE_EVENTS /* not of an event but of the object around the list */
} EventKey;

typedef struct RawEvent {
    uint32_t  seen;                     /* bit per EventKey below KEY_COUNT: value[] is set */
    uint32_t  quick;                    /* bit per EventKey: number[] is set instead, or for KEY_PH `phase` */
    bool      other_keys;               /* it has other keys */
    bool      comments;                 /* it has comments between its keys */
    bool      trace_events;             /* it has the key `traceEvents` */
    uint8_t   phase;                    /* the letter of `ph` if it is one ASCII character, else 0 */
    int64_t   number[KEY_NUMBER_COUNT]; /* times: ns; pid, tid: as written */
    JsonValue value[KEY_COUNT];
} RawEvent;

static inline bool event_has(const RawEvent *event, EventKey key)
{
    return (event->seen >> key & 1) != 0;
}

static inline bool event_is_quick(const RawEvent *event, EventKey key)
{
    return (event->quick >> key & 1) != 0;
}

/* Parses the object at `at` (*at is '{'). Sets *stop to the byte after it, or to the place of an error. */
JsonScan event_parse(const uint8_t *at, const uint8_t *end, RawEvent *event, const uint8_t **stop);

/* A member of an event. */
typedef struct EventMember {
    EventKey  key;
    JsonValue spelling; /* the key as written */
    JsonValue value;    /* JSON_NOTHING: the closing brace in place of a member */
} EventMember;

static inline void event_clear(RawEvent *event)
{
    event->seen = event->quick = 0;
    event->other_keys = event->comments = event->trace_events = false;
    event->phase = 0;
}

/* Reads and notes the next member of the event that begins at `begin`, in any spelling. `at` is the opening brace, or after a
 * value. Sets *stop to the byte after the member. At the closing brace it reads JSON_NOTHING and sets *stop to the brace. */
JsonScan event_next_member(const uint8_t *begin, const uint8_t *at, const uint8_t *end, RawEvent *event,
                           EventMember *member, const uint8_t **stop);
/* Notes a member in `event`: the last of equal keys is used. */
void event_note_member(RawEvent *event, EventKey key, const JsonValue *value);

/* Returns the EventKey of a key; decodes escapes. */
EventKey event_key(const JsonValue *key);

/* True for a T event with a duration and without an id: the state of a thread, not a step of an asynchronous slice. */
static inline bool event_is_state(const RawEvent *event)
{
    return event->phase == 'T' && event_has(event, KEY_DUR) && !event_has(event, KEY_ID) &&
           !event_has(event, KEY_ID2);
}

/* Returns the phase that has the same columns: 'X' for a state, else the event's phase. */
static inline uint8_t event_column_phase(const RawEvent *event)
{
    return UNLIKELY(event_is_state(event)) ? 'X' : event->phase;
}

/* Returns the phase whose columns hold the event: 0 for a slice or an instant without a valid time, which is not in a
 * column. */
uint8_t event_detail_phase(const RawEvent *event);

/* True if a member of an event of this column phase (0 = unknown) is not stored in a column of the trace. */
bool event_key_is_extra(EventKey key, const JsonValue *value, uint8_t phase);
/* True if any member of the event is not stored in a column. */
bool event_has_extra(const RawEvent *event);

/* True for the most frequent events: a begin, an end or a complete with times in number[], of which each member is stored in a
 * column, except perhaps `args`. */
static inline bool event_is_plain_and_quick(const RawEvent *event)
{
    enum { IS_KIND = 1 << KEY_COUNT };
    /* by phase: its times in number[] */
    static const uint32_t TIMES[256] = { ['B'] = IS_KIND | 1 << KEY_TS,
                                         ['E'] = IS_KIND | 1 << KEY_TS,
                                         ['X'] = IS_KIND | 1 << KEY_TS | 1 << KEY_DUR };
    const uint32_t        ids = 1u << KEY_PID | 1u << KEY_TID;
    const uint32_t        others = 1u << KEY_PH | 1u << KEY_NAME | 1u << KEY_CAT | 1u << KEY_ARGS;
    const uint32_t        times = (event->quick & ~(ids | others)) | IS_KIND;
    return ((times ^ TIMES[event->phase]) | ((event->seen ^ event->quick) & ~others) | event->other_keys |
            event->comments) == 0;
}

/* event_has_extra for such an event. */
static inline bool event_has_extra_args(const RawEvent *event)
{
    return event_has(event, KEY_ARGS) && event_key_is_extra(KEY_ARGS, &event->value[KEY_ARGS], event->phase);
}

/* Reads a value in microseconds. A string holding a number counts as that number. */
NumberResult json_micros(const JsonValue *value, FineTime *time);

/* Reads ts, dur, tts or tdur. */
static inline NumberResult event_time(const RawEvent *event, EventKey key, FineTime *time)
{
    *time = (FineTime){ 0 };
    if (!event_has(event, key)) return NUMBER_INVALID;
    if (UNLIKELY(!event_is_quick(event, key))) return json_micros(&event->value[key], time);
    time->ns = event->number[key];
    return NUMBER_OK;
}

#endif
