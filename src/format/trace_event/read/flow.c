#include "format/trace_event/read/flow.h"

#include "format/trace_event/read/ids.h"
#include "format/trace_event/read/track.h"

#include <string.h>

/* Returns the flow of an id, whose text is in emitter->text from `at` on. A numeric id is converted to decimal, so
 * that its spellings match. */
static FlowId find_flow(Emitter *emitter, ProcessId process, const JsonValue *id, size_t at)
{
    uint64_t number;
    StringId key = emitter_intern_text(emitter), alias = STRING_NONE;
    if (id_number(id, &number)) {
        emitter->text.size = at;
        bytes_printf(&emitter->text, "%llu", (unsigned long long)number);
        alias = emitter_intern_text(emitter);
    }
    return builder_flow(emitter->builder, process, key, alias);
}

static bool holds(const JsonValue *text, const char *part)
{
    size_t size = strlen(part);
    for (size_t at = 0; size + at <= text->size; at++)
        if (memcmp(text->at + at, part, size) == 0) return true;
    return false;
}

static FlowBinding end_binding(Emitter *emitter, const RawEvent *event, EventPos pos)
{
    if (event_has(event, KEY_BP)) {
        if (json_is(&event->value[KEY_BP], JSON_STRING, "e")) return FLOW_BIND_ENCLOSING;
        builder_warn(emitter->builder, "unknown-bp", pos,
                     "the end of a flow (f) whose \"bp\" is not e: bound to the next slice");
    }
    if (!event_has(event, KEY_CAT)) return FLOW_BIND_NEXT;
    const JsonValue *category = &event->value[KEY_CAT];
    /* The rule of Chromium's viewer. */
    return holds(category, "input") || holds(category, "ipc.flow") ? FLOW_BIND_ENCLOSING : FLOW_BIND_NEXT;
}

void flow_emit(Emitter *emitter, const RawEvent *event, const EventHead *head)
{
    JsonValue id;
    IdReach   reach = id_find(event, &id);
    if (reach == ID_NONE) {
        builder_warn(emitter->builder, "flow-without-id", head->pos,
                     "an event of a flow (s, t, f) without an id: kept, but not drawn");
        return;
    }
    bytes_clear(&emitter->text);
    bytes_append(&emitter->text, "1", 1);
    id_append_part(emitter, event, KEY_CAT);
    id_append_part(emitter, event, KEY_NAME);
    id_append_part(emitter, event, KEY_SCOPE);
    size_t at = emitter->text.size;
    id_append(emitter, &id);
    ProcessId   process = reach == ID_LOCAL ? emitter_process(emitter, event) : PROCESS_NONE;
    FlowId      flow = find_flow(emitter, process, &id, at);
    FlowRole    role = event->phase == 's' ? FLOW_START : event->phase == 't' ? FLOW_STEP : FLOW_FINISH;
    FlowBinding binding = role == FLOW_FINISH ? end_binding(emitter, event, head->pos) : FLOW_BIND_ENCLOSING;
    builder_flow_event(emitter->builder, flow, role, binding, head);
}

static bool is_true(const RawEvent *event, EventKey key)
{
    return event_has(event, key) && json_is(&event->value[key], JSON_WORD, "true");
}

void flow_emit_bound(Emitter *emitter, const RawEvent *event, FlowPlace place, const EventHead *head)
{
    bool             in = is_true(event, KEY_FLOW_IN), out = is_true(event, KEY_FLOW_OUT);
    const JsonValue *id = &event->value[KEY_BIND_ID];
    if (!event_has(event, KEY_BIND_ID) || json_is(id, JSON_WORD, "null") || !(in || out)) return;
    bytes_clear(&emitter->text);
    bytes_append(&emitter->text, "2", 1);
    size_t at = emitter->text.size;
    id_append(emitter, id);
    FlowId   flow = find_flow(emitter, PROCESS_NONE, id, at);
    FlowRole role = !in ? FLOW_START : out ? FLOW_STEP : FLOW_FINISH;
    builder_flow_event(emitter->builder, flow, role,
                       place == FLOW_ON_SLICE ? FLOW_BIND_SLICE : FLOW_BIND_TRACK, head);
}
