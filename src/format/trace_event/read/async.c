#include "format/trace_event/read/async.h"

#include "format/trace_event/read/ids.h"
#include "format/trace_event/read/track.h"
#include "trace/log/observe.h"

#include <string.h>

/* A legacy slice has steps of phase T, each of which begins a step, or of phase p, each of which ends one; not both. */
typedef enum { STEPS_NONE, STEPS_BEGIN, STEPS_END, STEPS_MIXED } StepKind;

struct LegacyState {
    uint32_t epoch; /* builder_async_id_epoch */
    bool     is_open;
    StepKind steps;
    LabelId  step;      /* STEPS_BEGIN: the open step */
    int64_t  last_tick; /* STEPS_END: begin of the next step */
};

/* ---- ids ---- */

/* Finds the async id of the event. False if the event has no id. */
static bool find_async_id(Emitter *emitter, const RawEvent *event, bool is_legacy, AsyncId *async_id)
{
    JsonValue id;
    IdReach   reach = id_find(event, &id);
    if (reach == ID_NONE) return false;
    bytes_clear(&emitter->text);
    bytes_append(&emitter->text, is_legacy ? "L" : "N", 1);
    id_append_part(emitter, event, is_legacy ? KEY_NAME : KEY_CAT);
    id_append_part(emitter, event, KEY_SCOPE);
    id_append(emitter, &id);
    emitter->failed |= emitter->text.failed;
    if (emitter->failed) return false;
    ProcessId process = reach == ID_LOCAL ? emitter_process(emitter, event) : PROCESS_NONE;
    *async_id =
        builder_async_id(emitter->builder, process, (const char *)emitter->text.data, emitter->text.size);
    return true;
}

/* ---- legacy events ---- */

static LegacyState *legacy_state(Emitter *emitter, AsyncId async_id)
{
    LegacyState *states = arena_grow(emitter->arena, emitter->legacy, async_id.index,
                                     &emitter->legacy_capacity, sizeof *states);
    if (states == NULL) {
        emitter->failed = true;
        return NULL;
    }
    emitter->legacy = states;
    return &states[async_id.index];
}

static LegacyState *current_state(Emitter *emitter, AsyncId async_id)
{
    const uint32_t epoch = builder_async_id_epoch(emitter->builder, async_id);
    LegacyState   *state = legacy_state(emitter, async_id);
    if (state != NULL && state->epoch != epoch) *state = (LegacyState){ .epoch = epoch };
    return state;
}

typedef struct Legacy {
    Emitter *emitter;
    AsyncId  async_id;
    TrackId  thread;
    uint16_t kind;
    EventPos pos;
} Legacy;

/* Passes a begin, end or instant of a legacy slice to the builder. With an observer it does nothing: async_emit
 * passes each event to the observer once. */
static void legacy_put(const Legacy *legacy, AsyncKind async_kind, int64_t tick, LabelId label,
                       unsigned flags)
{
    if (builder_is_observed(legacy->emitter->builder)) return;
    builder_async(legacy->emitter->builder, async_kind, legacy->kind, legacy->async_id,
                  &(EventHead){ .thread = legacy->thread, .tick = tick, .label = label, .pos = legacy->pos },
                  flags);
}

/* Returns the label of a step, whose name is in its arguments. */
static LabelId step_label(Emitter *emitter, const RawEvent *event, LabelId otherwise)
{
    JsonValue step;
    if (!event_has(event, KEY_ARGS) || !id_member(&event->value[KEY_ARGS], "step", &step)) return otherwise;
    bytes_clear(&emitter->text);
    id_append(emitter, &step);
    return builder_label(emitter->builder, emitter_intern_text(emitter), STRING_NONE);
}

static void legacy_step(const Legacy *legacy, LegacyState *state, const RawEvent *event, int64_t tick,
                        LabelId label)
{
    StepKind steps = event->phase == 'T' ? STEPS_BEGIN : STEPS_END;
    LabelId  step = step_label(legacy->emitter, event, label);
    if (state->steps == STEPS_NONE) state->steps = steps;
    if (state->steps != steps) {
        builder_warn(legacy->emitter->builder, "mixed-steps", legacy->pos,
                     "steps that begin (T) and steps that end (p) in one slice: steps unlike the first "
                     "are shown as instants");
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
    LegacyState *state = current_state(legacy->emitter, legacy->async_id);
    if (state == NULL) return;
    if (event->phase == 'S') {
        if (state->is_open) {
            builder_warn(legacy->emitter->builder, "async-begun-twice", legacy->pos,
                         "an asynchronous slice begins (S) while one of its id is open: shown inside it");
        }
        *state = (LegacyState){ .is_open = true, .last_tick = tick };
        legacy_put(legacy, ASYNC_BEGIN, tick, label, EVENT_DETAILS);
    } else if (event->phase == 'F') {
        if (state->steps == STEPS_BEGIN && state->step.index != 0)
            legacy_put(legacy, ASYNC_END, tick, state->step, 0);
        legacy_put(legacy, ASYNC_END, tick, label, EVENT_DETAILS);
        *state = (LegacyState){ .is_open = false };
    } else if (state->is_open) {
        legacy_step(legacy, state, event, tick, label);
    } else {
        builder_warn(legacy->emitter->builder, "step-outside", legacy->pos,
                     "a step (T, p) of an asynchronous slice that is not open: shown as an instant");
        legacy_put(legacy, ASYNC_INSTANT, tick, label, EVENT_DETAILS);
    }
}

bool async_emit(Emitter *emitter, const RawEvent *event, uint16_t event_kind, const EventHead *head)
{
    bool    is_legacy = strchr("STpF", event->phase) != NULL;
    AsyncId async_id;
    if (!find_async_id(emitter, event, is_legacy, &async_id)) return false;
    if (is_legacy) {
        Legacy legacy = { emitter, async_id, head->thread, event_kind, head->pos };
        legacy_event(&legacy, event, head->tick, head->label);
        if (builder_is_observed(emitter->builder))
            builder_other(emitter->builder, OTHER_EVENT, event_kind, head);
        return true;
    }
    AsyncKind kind = event->phase == 'b' ? ASYNC_BEGIN : event->phase == 'e' ? ASYNC_END : ASYNC_INSTANT;
    builder_async(emitter->builder, kind, event_kind, async_id, head, EVENT_DETAILS);
    return true;
}
