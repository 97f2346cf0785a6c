#include "format/trace_event/read/counter.h"

#include "format/trace_event/common/colour.h"
#include "format/trace_event/read/ids.h"
#include "format/trace_event/read/track.h"

#include <math.h>
#include <stdlib.h>

/* Returns the title of a counter: its name and, if it has one, its id. */
static StringId counter_title(Emitter *emitter, const RawEvent *event)
{
    TextDamage damage = { 0 };
    bytes_clear(&emitter->text);
    if (event_has(event, KEY_NAME)) text_append(&event->value[KEY_NAME], &emitter->text, &damage);
    if (event_has(event, KEY_ID)) {
        bytes_append_text(&emitter->text, " [");
        text_append(&event->value[KEY_ID], &emitter->text, &damage);
        bytes_append_text(&emitter->text, "]");
    }
    return emitter_intern_text(emitter);
}

/* Returns the value of a number, of a string with a number, of true or false; NaN for other values. */
static double counter_value(Emitter *emitter, const JsonValue *value)
{
    if (json_is(value, JSON_WORD, "true")) return 1;
    if (json_is(value, JSON_WORD, "false")) return 0;
    if (value->kind != JSON_NUMBER && value->kind != JSON_STRING) return NAN;
    TextDamage damage = { 0 };
    bytes_clear(&emitter->text);
    text_append(value, &emitter->text, &damage);
    const char *text = bytes_text(&emitter->text);
    if (text == NULL) {
        emitter->failed = true;
        return NAN;
    }
    char  *end;
    double number = strtod(text, &end);
    bool   whole = end != text && (size_t)(end - text) == emitter->text.size;
    return whole && isfinite(number) ? number : NAN;
}

void counter_emit(Emitter *emitter, const RawEvent *event, int64_t tick, EventPos pos)
{
    TraceBuilder    *builder = emitter->builder;
    const JsonValue *args = &event->value[KEY_ARGS];
    bool             has_values = event_has(event, KEY_ARGS) && args->kind == JSON_OBJECT;
    JsonItems        items;
    JsonValue        key, value;
    CounterId        counter = { 0 };
    uint32_t         colour = event_has(event, KEY_CNAME) ? colour_of_value(&event->value[KEY_CNAME]) : 0;
    bool             any = false;
    if (has_values) items = json_items(args);
    while (has_values && json_items_next(&items, &key, &value)) {
        if (!any) {
            StringId category =
                event_has(event, KEY_CAT) ? id_intern(emitter, &event->value[KEY_CAT]) : STRING_NONE;
            counter = builder_counter(builder, emitter_process(emitter, event), counter_title(emitter, event),
                                      category);
        }
        any = true;
        SeriesId series = builder_series(builder, counter, id_intern(emitter, &key), colour);
        double   number = counter_value(emitter, &value);
        if (isnan(number)) {
            builder_warn(builder, "bad-counter-value", pos,
                         "a counter's value is not a number: shown as a gap, kept for dump");
        }
        builder_sample(builder, series, tick, number);
    }
    if (!any) {
        builder_warn(builder, "counter-without-values", pos,
                     "a counter event (C) without values in \"args\": kept, but not drawn");
    }
}
