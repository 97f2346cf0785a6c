/* format/trace_event/event.h - one event's bytes taken apart in one pass.
 *
 * Only extents are noted, in the order in which the keys come, `ph` first or last; of equal keys the last counts.
 * The common spelling of numbers is read on the way (`quick`), any other is left to number.h. */
#ifndef FORMAT_TRACE_EVENT_EVENT_H
#define FORMAT_TRACE_EVENT_EVENT_H
#include "format/trace_event/number.h"
#include "format/trace_event/scan.h"

/* The keys that mean something here. */
typedef enum {
    KEY_PH,
    KEY_TS,
    KEY_PID,
    KEY_TID,
    KEY_NAME,
    KEY_CAT,
    KEY_DUR,
    KEY_ARGS,
    KEY_S,
    KEY_TDUR,
    KEY_ID,
    KEY_ID2,
    KEY_SCOPE,
    KEY_CNAME,
    KEY_TTS,
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
    KEY_TRACE_EVENTS /* no event at all: the object around the list */
} EventKey;

typedef struct RawEvent {
    uint32_t  seen;                /* bit per EventKey below KEY_COUNT: value[] has it */
    uint32_t  quick;               /* bit: number[] has it instead */
    bool      other_keys;          /* keys besides those */
    bool      comments;            /* comments between its keys */
    bool      trace_events;        /* the key `traceEvents` stands in it */
    uint8_t   phase;               /* the letter of `ph` when it is one ASCII character, else 0 */
    int64_t   number[KEY_DUR + 1]; /* ts, dur: ns; pid, tid: as written */
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

/* Takes the object at `at` apart (*at is '{'). *stop is behind it, or where it breaks. */
ScanResult event_parse(const uint8_t *at, const uint8_t *end, RawEvent *event, const uint8_t **stop);

/* Which key this is, escapes decoded. */
EventKey event_key(const JsonValue *key);

/* T with a duration and without an id: the state of a thread, not a step of something asynchronous. */
static inline bool event_is_state(const RawEvent *event)
{
    return event->phase == 'T' && event_has(event, KEY_DUR) && !event_has(event, KEY_ID) &&
           !event_has(event, KEY_ID2);
}

/* The phase that has the same columns: of a state that of complete events, else its own. */
static inline uint8_t event_column_phase(const RawEvent *event)
{
    return UNLIKELY(event_is_state(event)) ? 'X' : event->phase;
}

/* Returns the phase whose columns hold what the event says: 0 for a slice or an instant without a readable time, which is
 * in no column. */
uint8_t event_detail_phase(const RawEvent *event);

/* Whether a member says something that has no column in the trace: for an event of this column phase (0 = unknown). */
bool event_key_is_extra(EventKey key, const JsonValue *value, uint8_t phase);
/* Whether any does. */
bool event_has_extra(const RawEvent *event);

/* ts, dur or tdur as a time. A string holding a number counts as that number. */
NumberResult event_time(const RawEvent *event, EventKey key, FineTime *time);
NumberResult json_micros(const JsonValue *value, FineTime *time);

#endif
