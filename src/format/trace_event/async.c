#include "format/trace_event/async.h"

#include "format/trace_event/track.h"

#include <string.h>

/* A legacy slice takes steps that begin (T) or steps that end (p), not both. */
typedef enum { STEPS_NONE, STEPS_BEGIN, STEPS_END, STEPS_MIXED } StepKind;

struct LegacyStrand {
    bool     is_open;
    StepKind steps;
    LabelId  step;      /* STEPS_BEGIN: the one that is open */
    int64_t  last_tick; /* STEPS_END: where the next one begins */
};

/* ---- ids ---- */

/* The text of an id: a string as it is, a number in decimal. */
static void append_id(Emitter *emitter, const JsonValue *id)
{
    TextDamage damage = { 0 };
    text_append(id, &emitter->text, &damage);
}

/* The member of `object` that is called `name`. */
static bool find_member(const JsonValue *object, const char *name, JsonValue *found)
{
    if (object->kind != JSON_OBJECT) return false;
    JsonItems items = json_items(object);
    JsonValue key, value;
    bool      any = false;
    while (json_items_next(&items, &key, &value)) {
        if (!json_is(&key, JSON_STRING, name)) continue;
        *found = value; /* of equal keys the last counts */
        any = true;
    }
    return any;
}

typedef enum { ID_NONE, ID_GLOBAL, ID_LOCAL } IdReach;

static IdReach find_id(const RawEvent *event, JsonValue *id)
{
    if (event_has(event, KEY_ID2)) {
        if (find_member(&event->value[KEY_ID2], "local", id)) return ID_LOCAL;
        if (find_member(&event->value[KEY_ID2], "global", id)) return ID_GLOBAL;
    }
    if (!event_has(event, KEY_ID) || json_is(&event->value[KEY_ID], JSON_WORD, "null")) return ID_NONE;
    *id = event->value[KEY_ID];
    return ID_GLOBAL;
}

static void append_part(Emitter *emitter, const RawEvent *event, EventKey key)
{
    if (event_has(event, key)) append_id(emitter, &event->value[key]);
    bytes_append(&emitter->text, "\0", 1);
}

/* What the event is matched by. */
static bool find_strand(Emitter *emitter, const RawEvent *event, bool is_legacy, StrandId *strand)
{
    JsonValue id;
    IdReach   reach = find_id(event, &id);
    if (reach == ID_NONE) return false;
    bytes_clear(&emitter->text);
    bytes_append(&emitter->text, is_legacy ? "L" : "N", 1);
    append_part(emitter, event, is_legacy ? KEY_NAME : KEY_CAT);
    append_part(emitter, event, KEY_SCOPE);
    append_id(emitter, &id);
    StringId  key = emitter_intern_text(emitter);
    ProcessId process = reach == ID_LOCAL ? emitter_process(emitter, event) : PROCESS_NONE;
    *strand = builder_strand(emitter->builder, process, key);
    return true;
}

/* ---- legacy events ---- */

static LegacyStrand *legacy_strand(Emitter *emitter, StrandId strand)
{
    if (strand.index < emitter->legacy_capacity) return &emitter->legacy[strand.index];
    uint32_t capacity = emitter->legacy_capacity == 0 ? 64 : emitter->legacy_capacity;
    while (capacity <= strand.index && capacity <= UINT32_MAX / 2)
        capacity *= 2;
    LegacyStrand *states =
        capacity <= strand.index ? NULL : ARENA_ARRAY(emitter->arena, LegacyStrand, capacity);
    if (states == NULL) {
        emitter->failed = true;
        return NULL;
    }
    if (emitter->legacy != NULL) memcpy(states, emitter->legacy, emitter->legacy_capacity * sizeof *states);
    emitter->legacy = states;
    emitter->legacy_capacity = capacity;
    return &states[strand.index];
}

typedef struct Legacy {
    Emitter *emitter;
    StrandId strand;
    TrackId  thread;
    uint16_t kind;
    EventPos pos;
} Legacy;

static void legacy_put(const Legacy *legacy, AsyncKind async_kind, int64_t tick, LabelId label,
                       unsigned flags)
{
    builder_async(legacy->emitter->builder, async_kind, legacy->kind, legacy->strand, legacy->thread, tick,
                  label, legacy->pos, flags);
}

/* The step's name stands in its arguments. */
static LabelId step_label(Emitter *emitter, const RawEvent *event, LabelId otherwise)
{
    JsonValue step;
    if (!event_has(event, KEY_ARGS) || !find_member(&event->value[KEY_ARGS], "step", &step)) return otherwise;
    bytes_clear(&emitter->text);
    append_id(emitter, &step);
    return builder_label(emitter->builder, emitter_intern_text(emitter), STRING_NONE);
}

static void legacy_step(const Legacy *legacy, LegacyStrand *state, const RawEvent *event, int64_t tick,
                        LabelId label)
{
    StepKind steps = event->phase == 'T' ? STEPS_BEGIN : STEPS_END;
    LabelId  step = step_label(legacy->emitter, event, label);
    if (state->steps == STEPS_NONE) state->steps = steps;
    if (state->steps != steps) {
        builder_warn(legacy->emitter->builder, "mixed-steps", legacy->pos,
                     "steps that begin (T) and steps that end (p) in one slice: those that differ from the "
                     "first are marks");
        legacy_put(legacy, ASYNC_INSTANT, tick, step, EVENT_DETAILS);
        return;
    }
    if (steps == STEPS_BEGIN) {
        if (state->step.index != 0) legacy_put(legacy, ASYNC_END, tick, state->step, 0);
        legacy_put(legacy, ASYNC_BEGIN, tick, step, EVENT_DETAILS);
        state->step = step;
        return;
    }
    legacy_put(legacy, ASYNC_BEGIN, state->last_tick, step, EVENT_DETAILS);
    legacy_put(legacy, ASYNC_END, tick, step, 0);
    state->last_tick = tick;
}

static void legacy_event(const Legacy *legacy, const RawEvent *event, int64_t tick, LabelId label)
{
    LegacyStrand *state = legacy_strand(legacy->emitter, legacy->strand);
    if (state == NULL) return;
    if (event->phase == 'S') {
        if (state->is_open) {
            builder_warn(legacy->emitter->builder, "async-begun-twice", legacy->pos,
                         "an asynchronous slice begins (S) while one of its id is open: shown inside it");
        }
        *state = (LegacyStrand){ .is_open = true, .last_tick = tick };
        legacy_put(legacy, ASYNC_BEGIN, tick, label, EVENT_DETAILS);
    } else if (event->phase == 'F') {
        if (state->steps == STEPS_BEGIN && state->step.index != 0)
            legacy_put(legacy, ASYNC_END, tick, state->step, 0);
        legacy_put(legacy, ASYNC_END, tick, label, EVENT_DETAILS);
        *state = (LegacyStrand){ .is_open = false };
    } else if (state->is_open) {
        legacy_step(legacy, state, event, tick, label);
    } else {
        builder_warn(legacy->emitter->builder, "step-outside", legacy->pos,
                     "a step (T, p) of an asynchronous slice that is not open: a mark");
        legacy_put(legacy, ASYNC_INSTANT, tick, label, EVENT_DETAILS);
    }
}

bool async_emit(Emitter *emitter, const RawEvent *event, uint16_t kind, TrackId thread, int64_t tick,
                LabelId label, EventPos pos)
{
    bool     is_legacy = strchr("STpF", event->phase) != NULL;
    StrandId strand;
    if (!find_strand(emitter, event, is_legacy, &strand)) return false;
    if (is_legacy) {
        Legacy legacy = { emitter, strand, thread, kind, pos };
        legacy_event(&legacy, event, tick, label);
        return true;
    }
    AsyncKind async_kind = event->phase == 'b'   ? ASYNC_BEGIN
                           : event->phase == 'e' ? ASYNC_END
                                                 : ASYNC_INSTANT;
    builder_async(emitter->builder, async_kind, kind, strand, thread, tick, label, pos, EVENT_DETAILS);
    return true;
}
