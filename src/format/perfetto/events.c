#include "format/perfetto/fields.h"
#include "format/perfetto/reader.h"

#include "base/checked.h"
#include "format/input_text.h"
#include "trace/log/own_flows.h"

#include <math.h>

/* Limit on the categories of an event; the others are in its details only. */
enum { MOST_CATEGORIES = 16 };
enum { NS_PER_US = 1000 };

StringId perfetto_intern(PerfettoReader *reader, StringView text, const char *noun)
{
    return input_text_intern(reader->builder, text, noun, reader->pos, &reader->failed);
}

/* -- decoding -- */

/* Takes a field that only some events have. */
static void take_rare(TrackEvent *event, const WireField *field)
{
    switch (field->number) {
    case TE_CATEGORIES:
        if (event->category.bytes == NULL) event->category = field->bytes;
        break;
    case TE_NAME:
        event->name = field->bytes;
        break;
    case TE_LEGACY:
        event->legacy = field->bytes;
        break;
    case TE_COUNTER_VALUE:
        event->counter_value = (int64_t)field->value;
        event->has_value = true;
        break;
    case TE_DOUBLE_VALUE:
        event->double_value = wire_double(field->value);
        event->has_double = true;
        break;
    case TE_FLOW_IDS:
    case TE_FLOW_IDS_OLD:
    case TE_END_FLOW_IDS:
    case TE_END_FLOW_IDS_OLD:
        event->has_flows = true;
        break;
    case TE_TIMESTAMP_DELTA_US:
    case TE_TIMESTAMP_US:
        event->time_us = (int64_t)field->value;
        event->has_time_delta = field->number == TE_TIMESTAMP_DELTA_US;
        event->has_time = field->number == TE_TIMESTAMP_US;
        break;
    case TE_THREAD_TIME_DELTA_US:
    case TE_THREAD_TIME_US:
        event->cpu_us = (int64_t)field->value;
        event->has_cpu_delta = field->number == TE_THREAD_TIME_DELTA_US;
        event->has_cpu = field->number == TE_THREAD_TIME_US;
        break;
    case TE_EXTRA_UUIDS:
    case TE_EXTRA_DOUBLE_UUIDS:
    case TE_EXTRA_DOUBLE_VALUES:
    case TE_INSTRUCTION_DELTA:
    case TE_INSTRUCTIONS:
        break;
    default:
        event->has_details = true;
        break;
    }
}

static void take_category_iids(PerfettoReader *reader, const WireField *field)
{
    ByteCursor packed = wire_message(field->bytes);
    uint64_t   iid = field->value;
    for (bool more = field->type != WIRE_BYTES || wire_next_packed(&packed, WIRE_VARINT, &iid);
         more && reader->category_iids.count < MOST_CATEGORIES;
         more = field->type == WIRE_BYTES && wire_next_packed(&packed, WIRE_VARINT, &iid)) {
        uint64_t *added = ARENA_LIST_PUSH(&reader->category_iids, reader->arena);
        if (added == NULL) {
            reader->failed = true;
            return;
        }
        *added = iid;
    }
}

static bool decode(PerfettoReader *reader, StringView message, TrackEvent *event)
{
    ByteCursor c = wire_message(message);
    WireField  field;
    *event = (TrackEvent){ .message = message };
    reader->category_iids.count = 0;
    while (wire_next(&c, &field)) {
        switch (field.number) {
        case TE_CATEGORY_IIDS:
            take_category_iids(reader, &field);
            break;
        case TE_TYPE:
            event->type = (uint32_t)field.value;
            break;
        case TE_NAME_IID:
            event->name_iid = field.value;
            break;
        case TE_TRACK_UUID:
            event->track_uuid = field.value;
            event->has_track = true;
            break;
        case TE_EXTRA_VALUES:
            event->has_extra = true;
            break;
        default:
            take_rare(event, &field);
            break;
        }
    }
    return !c.failed;
}

/* -- labels -- */

void perfetto_warn_unknown_iid(PerfettoReader *reader, const char *noun, uint64_t iid)
{
    builder_warn(reader->builder, "unknown-iid", reader->pos,
                 "%s is number %llu of interned data that the trace does not have: left out", noun,
                 (unsigned long long)iid);
}

/* Appends the texts of the event's categories, with commas between them. */
static void append_categories(PerfettoReader *reader, const Sequence *sequence, const TrackEvent *event,
                              Bytes *out)
{
    for (size_t i = 0; i < reader->category_iids.count; i++) {
        const uint64_t   iid = reader->category_iids.items[i];
        const StringView text = kept_text(reader->kept, sequence->generation, INTERNED_CATEGORY, iid);
        if (text.bytes == NULL) perfetto_warn_unknown_iid(reader, "a category", iid);
        if (text.bytes == NULL || text.size == 0) continue;
        if (out->size > 0) bytes_append_text(out, ",");
        bytes_append(out, text.bytes, text.size);
    }
    if (event->category.bytes == NULL) return;
    ByteCursor c = wire_message(event->message);
    WireField  field;
    for (int count = 0; count < MOST_CATEGORIES && wire_next(&c, &field);) {
        if (field.number != TE_CATEGORIES || field.bytes.size == 0) continue;
        if (out->size > 0) bytes_append_text(out, ",");
        bytes_append(out, field.bytes.bytes, field.bytes.size);
        count++;
    }
}

/* Makes the label of a name (bytes NULL = none) and the categories of an event. */
static NOINLINE LabelId make_label(PerfettoReader *reader, const Sequence *sequence, const TrackEvent *event)
{
    StringView name = event->name;
    if (name.bytes == NULL && event->name_iid != 0) {
        name = kept_text(reader->kept, sequence->generation, INTERNED_NAME, event->name_iid);
        if (name.bytes == NULL) perfetto_warn_unknown_iid(reader, "the name of an event", event->name_iid);
    }
    bytes_clear(&reader->text);
    append_categories(reader, sequence, event, &reader->text);
    if (reader->text.failed) {
        reader->failed = true;
        return LABEL_NONE;
    }
    const StringView category = bytes_view(&reader->text);
    const char      *category_bytes = category.size == 0 ? NULL : category.bytes;
    if (name.size == 0) name.bytes = NULL;
    const LabelId *known =
        label_cache_find(reader->labels, name.bytes, name.size, category_bytes, category.size);
    if (known != NULL) return *known;
    const StringId name_id =
        name.bytes == NULL ? STRING_NONE : perfetto_intern(reader, name, "the name of an event");
    const StringId category_id =
        category.size == 0 ? STRING_NONE : perfetto_intern(reader, category, "a category");
    const LabelId label = builder_label(reader->builder, name_id, category_id);
    const bool    is_sound =
        string_equal(builder_text(reader->builder, name_id), (StringView){ name.bytes, name.size }) &&
        string_equal(builder_text(reader->builder, category_id), category);
    /* a repaired text is not kept, so that each one is counted */
    if (is_sound &&
        !label_cache_put(reader->labels, name.bytes, name.size, category_bytes, category.size, label))
        reader->failed = true;
    return label;
}

static LabelId label_of(PerfettoReader *reader, const Sequence *sequence, const TrackEvent *event)
{
    const uint64_t category = reader->category_iids.count == 1 ? reader->category_iids.items[0] : 0;
    if (event->name.bytes != NULL || event->category.bytes != NULL || reader->category_iids.count > 1)
        return make_label(reader, sequence, event);
    if (event->name_iid == 0 && category == 0) return LABEL_NONE;
    const uint64_t mixed =
        (event->name_iid * HASH_ODD_1 ^ category * HASH_ODD_2) + sequence->generation * HASH_ODD_1;
    LabelSpot *spot = &reader->spots[(mixed * HASH_ODD_2) >> (64 - LABEL_SPOT_BITS)];
    if (LIKELY(spot->name == event->name_iid && spot->category == category &&
               spot->generation == sequence->generation && spot->label.index != 0))
        return spot->label;
    const LabelId label = make_label(reader, sequence, event);
    if (kept_find(reader->kept, sequence->generation, INTERNED_NAME, event->name_iid) != NULL &&
        (category == 0 || kept_find(reader->kept, sequence->generation, INTERNED_CATEGORY, category) != NULL))
        *spot = (LabelSpot){ event->name_iid, category, sequence->generation, label };
    return label;
}

/* -- times -- */

bool perfetto_time(PerfettoReader *reader, const Packet *packet, uint32_t clock_id, uint64_t time,
                   int64_t *ns)
{
    switch (clocks_to_trace(&reader->clocks, kept_sequence(reader->kept, packet->sequence_id), clock_id, time,
                            ns)) {
    case CLOCK_KNOWN:
        break;
    case CLOCK_UNKNOWN:
        builder_warn(reader->builder, "unknown-clock", reader->pos,
                     "no snapshot relates clock %u to that of the trace: its times are taken as they are",
                     clock_id);
        break;
    case CLOCK_OUT_OF_RANGE:
        builder_warn(reader->builder, "bad-time", reader->pos,
                     "a time is beyond 63 bits of nanoseconds: the event is kept, but not drawn");
        return false;
    case CLOCK_NO_MEMORY:
        reader->failed = true;
        break;
    }
    return true;
}

bool perfetto_packet_time(PerfettoReader *reader, const Sequence *sequence, const Packet *packet, int64_t *ns)
{
    if (!packet->has_timestamp) {
        builder_warn(reader->builder, "missing-time", reader->pos,
                     "an event without a time: kept, but not drawn");
        return false;
    }
    return perfetto_time(reader, packet, packet->clock_id != 0 ? packet->clock_id : sequence->clock_id,
                         packet->timestamp, ns);
}

static void set_time(PerfettoReader *reader, Sequence *sequence, const Packet *packet, TrackEvent *event)
{
    if (!event->has_time_delta && !event->has_time) {
        event->is_timeless = !perfetto_packet_time(reader, sequence, packet, &event->ns);
        return;
    }
    if (event->has_time)
        sequence->time_us = event->time_us;
    else
        sequence->time_us = (int64_t)((uint64_t)sequence->time_us + (uint64_t)event->time_us);
    const uint64_t time = sequence->time_us < 0 || sequence->time_us > INT64_MAX / NS_PER_US
                              ? UINT64_MAX
                              : (uint64_t)sequence->time_us * NS_PER_US;
    event->is_timeless = !perfetto_time(reader, packet, BUILTIN_MONOTONIC, time, &event->ns);
}

/* Sets the reading of the thread's clock in the event itself, as older traces have it. */
static void set_cpu_time(Sequence *sequence, TrackEvent *event)
{
    if (!event->has_cpu_delta && !event->has_cpu) return;
    if (event->has_cpu)
        sequence->cpu_us = event->cpu_us;
    else
        sequence->cpu_us = (int64_t)((uint64_t)sequence->cpu_us + (uint64_t)event->cpu_us);
    event->has_cpu_ns =
        sequence->cpu_us <= INT64_MAX / NS_PER_US && sequence->cpu_us >= INT64_MIN / NS_PER_US;
    if (event->has_cpu_ns) event->cpu_ns = sequence->cpu_us * NS_PER_US;
}

/* -- counters -- */

static void add_sample(PerfettoReader *reader, const Sequence *sequence, uint32_t index, int64_t ns,
                       double value)
{
    const DescribedTrack *track = tracks_place(reader, sequence, index);
    if (track->counter != NULL && !reader->failed)
        builder_sample(reader->builder, track->counter->series, ns, value);
}

static void take_extra_value(PerfettoReader *reader, const Sequence *sequence, TrackEvent *event,
                             uint32_t index, uint64_t bits)
{
    TrackCounter *counter = reader->tracks.items[index].counter;
    if (counter == NULL) return; /* it is not described */
    const double value = tracks_counter_value(sequence, counter, (int64_t)bits);
    if (!counter->is_thread_time) {
        if (!event->is_timeless) add_sample(reader, sequence, index, event->ns, value);
        return;
    }
    event->has_cpu_ns = fabs(value) < (double)INT64_MAX / 2;
    if (event->has_cpu_ns) event->cpu_ns = (int64_t)value;
}

/* Takes the values of the counters that an event has beside its own. Their tracks are those of the event, else of the sequence. */
static void take_extra(PerfettoReader *reader, const Sequence *sequence, TrackEvent *event)
{
    ByteCursor uuids = wire_message(event->message), values = uuids;
    WireField  uuid = { .type = WIRE_VARINT }, value;
    ByteCursor uuid_pack = cursor_over("", 0, 0);
    bool       has_uuids = false;
    size_t     number = 0;
    while (wire_next(&uuids, &uuid) && !has_uuids)
        has_uuids = uuid.number == TE_EXTRA_UUIDS;
    uuids = wire_message(event->message);
    while (wire_next(&values, &value)) {
        if (value.number != TE_EXTRA_VALUES) continue;
        ByteCursor pack = wire_message(value.bytes);
        uint64_t   bits = value.value, id = 0;
        for (bool more = value.type != WIRE_BYTES || wire_next_packed(&pack, WIRE_VARINT, &bits); more;
             more = value.type == WIRE_BYTES && wire_next_packed(&pack, WIRE_VARINT, &bits)) {
            if (!has_uuids && number >= sequence->extra_count) return;
            bool found = !has_uuids || wire_next_packed(&uuid_pack, WIRE_VARINT, &id);
            while (!found && wire_next(&uuids, &uuid)) {
                if (uuid.number != TE_EXTRA_UUIDS) continue;
                uuid_pack = wire_message(uuid.bytes);
                id = uuid.value;
                found = uuid.type != WIRE_BYTES || wire_next_packed(&uuid_pack, WIRE_VARINT, &id);
            }
            if (!found) return;
            take_extra_value(reader, sequence, event,
                             has_uuids ? id_map_find(&reader->track_of, id) : sequence->extra[number], bits);
            number++;
        }
    }
}

static void emit_counter(PerfettoReader *reader, const Sequence *sequence, const TrackEvent *event,
                         DescribedTrack *track, const EventHead *head)
{
    if (track->counter == NULL) {
        builder_warn(reader->builder, "unknown-counter", reader->pos,
                     "a value of a counter whose track is not described: kept, but not drawn");
        return;
    }
    if (!event->has_value && !event->has_double) {
        builder_warn(reader->builder, "missing-value", reader->pos,
                     "an event of a counter without a value: kept, but not drawn");
        return;
    }
    double value = event->double_value * (double)track->counter->multiplier;
    if (event->has_value) value = tracks_counter_value(sequence, track->counter, event->counter_value);
    if (!head->is_timeless && track->counter->series.index != 0)
        builder_sample(reader->builder, track->counter->series, head->tick, isfinite(value) ? value : NAN);
}

/* -- flows -- */

static void add_flow(PerfettoReader *reader, uint64_t id, FlowRole role, FlowBinding binding,
                     const EventHead *head)
{
    FlowId flow = { id_map_find(&reader->flows, id) };
    if (flow.index == 0) {
        flow = builder_add_flow(reader->builder);
        if (flow.index == 0) return; /* out of memory: builder_failed */
        if (!id_map_put(&reader->flows, id, flow.index)) reader->failed = true;
    }
    builder_flow_event(reader->builder, flow, role, binding, head);
}

void events_add_flows(PerfettoReader *reader, const TrackEvent *event, FlowBinding binding,
                      const EventHead *head)
{
    ByteCursor c = wire_message(event->message);
    WireField  field;
    if (!event->has_flows || builder_is_observed(reader->builder)) return;
    while (wire_next(&c, &field)) {
        const bool is_end = field.number == TE_END_FLOW_IDS || field.number == TE_END_FLOW_IDS_OLD;
        if (!is_end && field.number != TE_FLOW_IDS && field.number != TE_FLOW_IDS_OLD) continue;
        const bool     is_old = field.number == TE_FLOW_IDS_OLD || field.number == TE_END_FLOW_IDS_OLD;
        const WireType item = is_old ? WIRE_VARINT : WIRE_FIXED64;
        const FlowRole role = is_end ? FLOW_FINISH : FLOW_LINK;
        ByteCursor     pack = wire_message(field.bytes);
        uint64_t       id = field.value;
        if (field.type != WIRE_BYTES) add_flow(reader, id, role, binding, head);
        while (field.type == WIRE_BYTES && wire_next_packed(&pack, item, &id))
            add_flow(reader, id, role, binding, head);
    }
}

static void add_all_flows(PerfettoReader *reader, const TrackEvent *event, FlowBinding binding,
                          const EventHead *head)
{
    events_add_flows(reader, event, binding, head);
    if (event->legacy.bytes != NULL) legacy_add_bound_flow(reader, event->legacy, binding, head);
}

/* -- events -- */

uint16_t events_kind(PerfettoReader *reader, uint64_t key, const char *name)
{
    const uint32_t found = id_map_find(&reader->kinds, key);
    uint16_t       kind = (uint16_t)(found - 1);
    if (found == 0) {
        kind = builder_event_kind(reader->builder, name, strlen(name));
        if (!id_map_put(&reader->kinds, key, (uint32_t)kind + 1)) reader->failed = true;
    }
    builder_count_events(reader->builder, kind, 1);
    return kind;
}

static const char *const TYPES[] = {
    "TrackEvent", "SLICE_BEGIN", "SLICE_END", "INSTANT", "COUNTER", "STATE"
};
enum { TYPE_COUNT = sizeof TYPES / sizeof TYPES[0], TYPE_KEYS = 1 << 16 };

/* A begin, end or instant. */
typedef struct Mark {
    AsyncKind kind;
    unsigned  flags;
} Mark;

/* Passes a mark to the builder, on the thread of the track or as an asynchronous event. */
static void put_mark(PerfettoReader *reader, const DescribedTrack *track, Mark mark, uint16_t event_kind,
                     const EventHead *head)
{
    TraceBuilder *builder = reader->builder;
    if (track->kind != KIND_THREAD)
        builder_async(builder, mark.kind, event_kind, track->async, head, mark.flags);
    else if (mark.kind == ASYNC_BEGIN)
        builder_begin(builder, track->thread, head->tick, head->label, head->pos, mark.flags);
    else if (mark.kind == ASYNC_END)
        builder_end(builder, track->thread, head->tick, LABEL_NONE, head->pos, mark.flags);
    else
        builder_instant(builder, track->thread, head->tick, head->label, INSTANT_THREAD, head->pos,
                        mark.flags);
}

/* Passes an event with a begin, end or instant to the builder. A state ends the one before it on its track, and is left out if it
 * has no name. */
static void emit_mark(PerfettoReader *reader, const TrackEvent *event, DescribedTrack *track, uint16_t kind,
                      const EventHead *head)
{
    const bool is_state = event->type == TYPE_STATE;
    Mark       mark = { .kind = ASYNC_INSTANT };
    if (event->has_details || event->has_flows || event->has_cpu_ns || event->legacy.bytes != NULL)
        mark.flags = EVENT_DETAILS;
    if (event->type == TYPE_SLICE_BEGIN || is_state) mark.kind = ASYNC_BEGIN;
    if (event->type == TYPE_SLICE_END) mark.kind = ASYNC_END;
    if (is_state && track->is_in_state && !builder_is_observed(reader->builder)) {
        EventHead end = *head;
        end.label = LABEL_NONE;
        put_mark(reader, track, (Mark){ .kind = ASYNC_END }, kind, &end);
    }
    if (is_state || mark.kind == ASYNC_END) track->is_in_state = is_state && event->has_name;
    if (is_state && !event->has_name) {
        builder_other(reader->builder, OTHER_EVENT, kind, head);
        return;
    }
    put_mark(reader, track, mark, kind, head);
    if (event->has_cpu_ns && track->kind == KIND_THREAD && mark.kind != ASYNC_INSTANT)
        builder_cpu_time(reader->builder, track->thread, head->pos, CPU_READING, event->cpu_ns);
    if (mark.kind != ASYNC_END)
        add_all_flows(reader, event, mark.kind == ASYNC_BEGIN ? FLOW_BIND_SLICE : FLOW_BIND_TRACK, head);
}

static uint32_t track_of(PerfettoReader *reader, const Sequence *sequence, const TrackEvent *event)
{
    if (event->has_track) return tracks_index(reader, event->track_uuid);
    return sequence->track != 0 ? sequence->track : tracks_index(reader, 0);
}

bool events_take(PerfettoReader *reader, Sequence *sequence, const Packet *packet)
{
    TrackEvent event;
    if (!decode(reader, packet->data, &event)) return false;
    set_time(reader, sequence, packet, &event);
    set_cpu_time(sequence, &event);
    if (event.has_extra) take_extra(reader, sequence, &event);
    const uint32_t index = track_of(reader, sequence, &event);
    if (reader->failed || index == 0) return true;
    event.has_name = event.name.bytes != NULL || event.name_iid != 0;
    event.label = event.type == TYPE_SLICE_END ? LABEL_NONE : label_of(reader, sequence, &event);
    DescribedTrack *track = tracks_place(reader, sequence, index);
    if (event.legacy.bytes != NULL && event.type == TYPE_UNSPECIFIED) {
        legacy_emit(reader, sequence, &event, track);
        return true;
    }
    const uint32_t  type = event.type < TYPE_COUNT ? event.type : TYPE_UNSPECIFIED;
    const uint16_t  kind = events_kind(reader, TYPE_KEYS + type, TYPES[type]);
    const EventHead head = { .thread = track->thread,
                             .tick = event.ns,
                             .label = event.label,
                             .pos = reader->pos,
                             .is_timeless = event.is_timeless };
    if (type == TYPE_COUNTER) emit_counter(reader, sequence, &event, track, &head);
    if (type == TYPE_COUNTER || event.is_timeless)
        builder_other(reader->builder, OTHER_EVENT, kind, &head);
    else
        emit_mark(reader, &event, track, kind, &head);
    return true;
}
