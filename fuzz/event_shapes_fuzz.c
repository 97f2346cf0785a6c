/* The fast parser of events: event_parse_shaped gives the same event as event_parse, for every event of the input and every
 * table of links that the events before it leave. The builder calls depend on the event only.
 *
 * Input: any bytes. Each '{' after the first '[', outside of the events before it, is taken for the begin of an event. */
#include "fuzz.h"

#include "format/trace_event/common/event_shapes.h"

#include <string.h>

enum { MOST_FAILURES = 256 }; /* each may read the whole rest of the input */

static bool same_value(const JsonValue *a, const JsonValue *b)
{
    return a->at == b->at && a->size == b->size && a->kind == b->kind && a->escaped == b->escaped;
}

/* True if the exact decoder reads the value as the integer. */
static bool is_integer(const JsonValue *value, int64_t integer)
{
    bool     negative;
    uint64_t magnitude;
    return value->kind == JSON_NUMBER &&
           number_integer(value->at, value->size, &negative, &magnitude) == NUMBER_OK && !negative &&
           magnitude == (uint64_t)integer;
}

/* Compares a member that both events have. `slow` has no numbers in number[]. */
static void compare_member(const RawEvent *slow, const RawEvent *fast, EventKey key)
{
    if (key == KEY_PH && event_is_quick(fast, key)) {
        expect(slow->phase == fast->phase && slow->phase != 0, "another phase");
    } else if (!event_is_quick(fast, key)) {
        expect(same_value(&slow->value[key], &fast->value[key]), "another value");
    } else if (key == KEY_PID || key == KEY_TID) {
        expect(is_integer(&slow->value[key], fast->number[key]), "another id");
    } else {
        FineTime time;
        expect(json_micros(&slow->value[key], &time) == NUMBER_OK, "a time that is not one");
        expect(time.ns == fast->number[key] && time.ps == 0, "another time");
    }
}

static void compare(const RawEvent *slow, const RawEvent *fast)
{
    expect(slow->quick == 0 && slow->seen == fast->seen, "other keys are seen");
    expect(slow->other_keys == fast->other_keys && slow->comments == fast->comments &&
               slow->trace_events == fast->trace_events && slow->phase == fast->phase,
           "another property");
    for (int key = 0; key < KEY_COUNT; key++) {
        if (event_has(slow, (EventKey)key)) compare_member(slow, fast, (EventKey)key);
    }
    expect(event_has_extra(slow) == event_has_extra(fast), "other members are extra");
    if (event_is_plain_and_quick(fast))
        expect(event_has_extra_args(fast) == event_has_extra(fast), "a plain event has extra members");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t NOTHING[1] = { 0 };
    const uint8_t       *at = size == 0 ? NOTHING : data, *end = at + size;
    EventShapes         *shapes = (EventShapes *)calloc(1, sizeof *shapes);
    const uint8_t       *list = (const uint8_t *)memchr(at, '[', size);
    expect(shapes != NULL, "out of memory");
    if (list != NULL) at = list;
    for (size_t failures = 0; failures < MOST_FAILURES && at < end;) {
        if (*at != '{') {
            at++;
            continue;
        }
        RawEvent       slow, fast;
        const uint8_t *slow_stop = at, *fast_stop = at;
        const JsonScan result = event_parse(at, end, &slow, &slow_stop);
        expect(event_parse_shaped(shapes, at, end, &fast, &fast_stop) == result, "another result");
        if (result != JSON_SCAN_MORE) expect(fast_stop == slow_stop, "another end");
        if (result == JSON_SCAN_DONE) compare(&slow, &fast);
        failures += result != JSON_SCAN_DONE;
        at = result == JSON_SCAN_DONE ? slow_stop : at + 1;
    }
    free(shapes);
    return 0;
}
