/* Events that Chromium writes as those of Trace Event JSON: docs/formats/trace-event.md describes the phases. */
#include "format/perfetto/fields.h"
#include "format/perfetto/reader.h"

#include "base/checked.h"

#include <inttypes.h>
#include <math.h>

enum { NS_PER_US = 1000 };

typedef enum { ID_NONE, ID_UNSCOPED, ID_LOCAL, ID_GLOBAL } LegacyIdKind;
enum { FLOW_IN = 1, FLOW_OUT = 2, FLOW_BOTH = 3 };
enum { SCOPE_GLOBAL = 1, SCOPE_PROCESS = 2 };

typedef struct LegacyEvent {
    char         phase;
    LegacyIdKind id_kind;
    uint64_t     id, bind_id;
    StringView   scope;
    int64_t      duration_us, cpu_us;
    int64_t      pid, tid; /* -1 = those of the track */
    uint32_t     direction, instant_scope;
    bool         has_duration, has_cpu, has_bind_id, binds_enclosing;
} LegacyEvent;

static void take_id(LegacyEvent *legacy, const WireField *field, LegacyIdKind kind)
{
    legacy->id = field->value;
    legacy->id_kind = kind;
}

static void take_number(LegacyEvent *legacy, const WireField *field)
{
    switch (field->number) {
    case LEGACY_PHASE:
        legacy->phase = field->value > ' ' && field->value < 0x7f ? (char)field->value : '?';
        break;
    case LEGACY_DURATION_US:
        legacy->duration_us = (int64_t)field->value;
        legacy->has_duration = true;
        break;
    case LEGACY_THREAD_DURATION_US:
        legacy->cpu_us = (int64_t)field->value;
        legacy->has_cpu = true;
        break;
    case LEGACY_UNSCOPED_ID:
        take_id(legacy, field, ID_UNSCOPED);
        break;
    case LEGACY_LOCAL_ID:
        take_id(legacy, field, ID_LOCAL);
        break;
    case LEGACY_GLOBAL_ID:
        take_id(legacy, field, ID_GLOBAL);
        break;
    case LEGACY_BIND_ID:
        legacy->bind_id = field->value;
        legacy->has_bind_id = true;
        break;
    case LEGACY_BIND_ENCLOSING:
        legacy->binds_enclosing = field->value != 0;
        break;
    case LEGACY_FLOW_DIRECTION:
        legacy->direction = (uint32_t)field->value;
        break;
    case LEGACY_INSTANT_SCOPE:
        legacy->instant_scope = (uint32_t)field->value;
        break;
    case LEGACY_PID:
        legacy->pid = (int32_t)field->value;
        break;
    case LEGACY_TID:
        legacy->tid = (int32_t)field->value;
        break;
    default:
        break;
    }
}

/* Damage leaves out the rest. */
static LegacyEvent decode(StringView message)
{
    ByteCursor  c = wire_message(message);
    WireField   field;
    LegacyEvent legacy = { .phase = '?', .scope = { "", 0 }, .pid = -1, .tid = -1 };
    while (wire_next(&c, &field)) {
        if (field.number == LEGACY_ID_SCOPE) legacy.scope = field.bytes;
        if (field.type != WIRE_BYTES) take_number(&legacy, &field);
    }
    return legacy;
}

static int64_t ns_of_us(int64_t us)
{
    if (us > INT64_MAX / NS_PER_US) return INT64_MAX;
    return us < INT64_MIN / NS_PER_US ? INT64_MIN : us * NS_PER_US;
}

/* Returns the text of the event's id with the parts that make it different from others, in reader->text. */
static StringView id_text(PerfettoReader *reader, const LegacyEvent *legacy, char use, StringId name,
                          StringId category)
{
    Bytes           *text = &reader->text;
    const StringView parts[] = { builder_text(reader->builder, name), builder_text(reader->builder, category),
                                 legacy->scope };
    bytes_clear(text);
    bytes_append(text, &use, 1);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        bytes_append_u64(text, parts[i].size);
        bytes_append_text(text, ":");
        bytes_append(text, parts[i].bytes, parts[i].size);
    }
    bytes_append_u64(text, legacy->id);
    reader->failed |= text->failed;
    return bytes_view(text);
}

static ProcessId id_process(const LegacyEvent *legacy, ProcessId process)
{
    return legacy->id_kind == ID_LOCAL ? process : PROCESS_NONE;
}

static void emit_async(PerfettoReader *reader, const TrackEvent *event, const LegacyEvent *legacy,
                       ProcessId process, uint16_t kind, const EventHead *head)
{
    const bool       is_old = strchr("STpF", legacy->phase) != NULL;
    const bool       is_begin = legacy->phase == 'b' || legacy->phase == 'S';
    const bool       is_end = legacy->phase == 'e' || legacy->phase == 'F';
    const Label      label = builder_label_parts(reader->builder, event->label);
    const StringView key = id_text(reader, legacy, is_old ? 'L' : 'N', is_old ? label.name : STRING_NONE,
                                   is_old ? STRING_NONE : label.category);
    if (reader->failed) return;
    const AsyncId id = builder_async_id(reader->builder, id_process(legacy, process), key.bytes, key.size);
    builder_async(reader->builder,
                  is_begin ? ASYNC_BEGIN
                  : is_end ? ASYNC_END
                           : ASYNC_INSTANT,
                  kind, id, head, EVENT_DETAILS);
    if (is_begin) events_add_flows(reader, event, FLOW_BIND_SLICE, head);
}

static void emit_flow(PerfettoReader *reader, const TrackEvent *event, const LegacyEvent *legacy,
                      ProcessId process, const EventHead *head)
{
    const Label      label = builder_label_parts(reader->builder, event->label);
    const StringView text = id_text(reader, legacy, '1', label.name, label.category);
    if (reader->failed) return;
    /* the texts are valid UTF-8, except for the scope */
    const StringId key = perfetto_intern(reader, text, "the id of a flow");
    const FlowId   flow = builder_flow(reader->builder, id_process(legacy, process), key, STRING_NONE);
    const FlowRole role = legacy->phase == 's' ? FLOW_START : legacy->phase == 't' ? FLOW_STEP : FLOW_FINISH;
    const bool     is_next = role == FLOW_FINISH && !legacy->binds_enclosing;
    builder_flow_event(reader->builder, flow, role, is_next ? FLOW_BIND_NEXT : FLOW_BIND_ENCLOSING, head);
}

static void add_bound_flow(PerfettoReader *reader, const LegacyEvent *legacy, FlowBinding binding,
                           const EventHead *head)
{
    if (!legacy->has_bind_id || legacy->direction == 0 || legacy->direction > FLOW_BOTH ||
        builder_is_observed(reader->builder))
        return;
    bytes_clear(&reader->text);
    bytes_printf(&reader->text, "bind %" PRIu64, legacy->bind_id);
    reader->failed |= reader->text.failed;
    if (reader->failed) return;
    const StringId key = builder_string(reader->builder, (const char *)reader->text.data, reader->text.size);
    const FlowRole role = legacy->direction == FLOW_OUT  ? FLOW_START
                          : legacy->direction == FLOW_IN ? FLOW_FINISH
                                                         : FLOW_STEP;
    builder_flow_event(reader->builder, builder_flow(reader->builder, PROCESS_NONE, key, STRING_NONE), role,
                       binding, head);
}

void legacy_add_bound_flow(PerfettoReader *reader, StringView message, FlowBinding binding,
                           const EventHead *head)
{
    const LegacyEvent legacy = decode(message);
    add_bound_flow(reader, &legacy, binding, head);
}

static void emit_complete(PerfettoReader *reader, const TrackEvent *event, const LegacyEvent *legacy,
                          const EventHead *head)
{
    bool     clamped = false;
    unsigned flags = EVENT_DETAILS;
    int64_t  end = i64_add_clamped(head->tick, ns_of_us(legacy->duration_us), &clamped);
    if (!legacy->has_duration || end < head->tick) {
        flags |= legacy->has_duration ? EVENT_REPAIRED : EVENT_NO_END;
        end = head->tick;
    }
    builder_complete(reader->builder, head->thread, head->tick, end, head->label, head->pos, flags);
    if (legacy->has_cpu)
        builder_cpu_time(reader->builder, head->thread, head->pos, CPU_LENGTH, ns_of_us(legacy->cpu_us));
    events_add_flows(reader, event, FLOW_BIND_SLICE, head);
    add_bound_flow(reader, legacy, FLOW_BIND_SLICE, head);
}

static void emit_on_thread(PerfettoReader *reader, const TrackEvent *event, const LegacyEvent *legacy,
                           const EventHead *head)
{
    TraceBuilder *builder = reader->builder;
    InstantScope  scope = INSTANT_THREAD;
    switch (legacy->phase) {
    case 'B':
        builder_begin(builder, head->thread, head->tick, head->label, head->pos, EVENT_DETAILS);
        events_add_flows(reader, event, FLOW_BIND_SLICE, head);
        add_bound_flow(reader, legacy, FLOW_BIND_SLICE, head);
        break;
    case 'E':
        builder_end(builder, head->thread, head->tick, LABEL_NONE, head->pos, EVENT_DETAILS);
        break;
    case 'X':
        emit_complete(reader, event, legacy, head);
        return;
    default:
        if (legacy->instant_scope == SCOPE_GLOBAL) scope = INSTANT_GLOBAL;
        if (legacy->instant_scope == SCOPE_PROCESS) scope = INSTANT_PROCESS;
        builder_instant(builder, head->thread, head->tick, head->label, scope, head->pos, EVENT_DETAILS);
        events_add_flows(reader, event, FLOW_BIND_TRACK, head);
        add_bound_flow(reader, legacy, FLOW_BIND_TRACK, head);
        return;
    }
    if (event->has_cpu_ns) builder_cpu_time(builder, head->thread, head->pos, CPU_READING, event->cpu_ns);
}

/* -- counters -- */

/* Returns the title of a counter: its name and, if it has one, its id. */
static StringId counter_title(PerfettoReader *reader, const TrackEvent *event, const LegacyEvent *legacy)
{
    const StringId   name = builder_label_parts(reader->builder, event->label).name;
    const StringView text = builder_text(reader->builder, name);
    if (legacy->id_kind == ID_NONE) return name.index != 0 ? name : builder_string(reader->builder, "", 0);
    bytes_clear(&reader->text);
    bytes_append(&reader->text, text.bytes, text.size);
    bytes_printf(&reader->text, " [0x%" PRIx64 "]", legacy->id);
    reader->failed |= reader->text.failed;
    return builder_string(reader->builder, (const char *)reader->text.data, reader->text.size);
}

/* Sets *name to the name of an annotation. Returns its value; NaN: it is not a number. */
static double annotation_number(PerfettoReader *reader, const Sequence *sequence, StringView message,
                                StringView *name)
{
    ByteCursor c = wire_message(message);
    WireField  field;
    double     number = NAN;
    *name = (StringView){ "", 0 };
    while (wire_next(&c, &field)) {
        if (field.number == AN_NAME) *name = field.bytes;
        if (field.number == AN_NAME_IID)
            *name = kept_text(reader->kept, sequence->generation, INTERNED_ANNOTATION, field.value);
        if (field.number == AN_BOOL || field.number == AN_UINT) number = (double)field.value;
        if (field.number == AN_INT) number = (double)(int64_t)field.value;
        if (field.number == AN_DOUBLE) number = wire_double(field.value);
    }
    if (name->bytes == NULL) *name = (StringView){ "", 0 };
    return isfinite(number) ? number : NAN;
}

/* Each annotation is the value of a series. */
static void emit_counter(PerfettoReader *reader, const Sequence *sequence, const TrackEvent *event,
                         const LegacyEvent *legacy, ProcessId process)
{
    TraceBuilder *builder = reader->builder;
    ByteCursor    c = wire_message(event->message);
    WireField     field;
    CounterId     counter = { 0 };
    bool          any = false;
    while (wire_next(&c, &field) && !reader->failed) {
        StringView name;
        if (field.number != TE_DEBUG_ANNOTATIONS || field.type != WIRE_BYTES) continue;
        if (!any)
            counter = builder_counter(builder, process, counter_title(reader, event, legacy),
                                      builder_label_parts(builder, event->label).category);
        any = true;
        const double   number = annotation_number(reader, sequence, field.bytes, &name);
        const StringId series = perfetto_intern(reader, name, "the name of an argument");
        if (isnan(number))
            builder_warn(builder, "bad-counter-value", reader->pos,
                         "a counter's value is not a number: shown as a gap, kept for dump");
        builder_sample(builder, builder_series(builder, counter, series, 0), event->ns, number);
    }
    if (!any)
        builder_warn(builder, "missing-value", reader->pos,
                     "an event of a counter without a value: kept, but not drawn");
}

/* True if `phase` is one of the letters. */
static bool is_phase(char phase, const char *letters)
{
    return strchr(letters, phase) != NULL;
}

void legacy_emit(PerfettoReader *reader, const Sequence *sequence, const TrackEvent *event,
                 DescribedTrack *track)
{
    const LegacyEvent legacy = decode(event->legacy);
    const char        name[] = { legacy.phase, '\0' };
    const uint16_t    kind = events_kind(reader, (uint64_t)1 << 32 | (uint8_t)legacy.phase, name);
    ProcessId         process = track->process;
    TrackId           thread = track->thread;
    if (legacy.pid >= 0) process = builder_process(reader->builder, ident_int(legacy.pid));
    if (legacy.tid >= 0)
        thread = builder_thread(reader->builder, process, ident_int(legacy.tid));
    else if (legacy.pid >= 0)
        thread = builder_thread(reader->builder, process, ident_int(legacy.pid));
    const EventHead head = { .thread = thread,
                             .tick = event->ns,
                             .label = event->label,
                             .pos = reader->pos,
                             .is_timeless = event->is_timeless };
    if (!event->is_timeless && is_phase(legacy.phase, "BEXIiR")) {
        emit_on_thread(reader, event, &legacy, &head);
        return;
    }
    const bool is_async = is_phase(legacy.phase, "bneSTpF");
    if (is_async && !event->is_timeless && legacy.id_kind != ID_NONE) {
        emit_async(reader, event, &legacy, process, kind, &head);
        return;
    }
    if (is_async && !event->is_timeless)
        builder_warn(reader->builder, "async-without-id", reader->pos,
                     "an asynchronous event without an id: kept, but not drawn");
    if (!event->is_timeless && is_phase(legacy.phase, "stf"))
        emit_flow(reader, event, &legacy, process, &head);
    if (!event->is_timeless && legacy.phase == 'C' && !builder_is_observed(reader->builder))
        emit_counter(reader, sequence, event, &legacy, process);
    builder_other(reader->builder, OTHER_EVENT, kind, &head);
}
