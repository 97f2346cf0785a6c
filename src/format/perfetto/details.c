#include "format/perfetto/details.h"

#include "format/linux/ftrace_details.h"
#include "format/perfetto/fields.h"
#include "format/perfetto/fields_json.h"
#include "format/perfetto/kept.h"
#include "format/perfetto/packet.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Limit on the levels of dictionaries and arrays in an annotation: JsonWriter has 64. */
enum { MOST_LEVELS = 48 };

enum {
    NESTED_KEYS = 2,
    NESTED_VALUES = 3,
    NESTED_ITEMS = 4,
    NESTED_INT = 5,
    NESTED_DOUBLE = 6,
    NESTED_BOOL = 7,
    NESTED_STRING = 8
};

/* The texts to which numbers of an event refer. */
typedef struct Source {
    const PerfettoKept *kept;
    uint32_t            generation;
} Source;

static StringView text_of(const Source *source, uint32_t kind, uint64_t iid)
{
    return kept_text(source->kept, source->generation, kind, iid);
}

/* Writes an interned text, or its number if the trace does not have it. */
static void put_interned(JsonWriter *w, const Source *source, uint32_t kind, uint64_t iid)
{
    const StringView text = text_of(source, kind, iid);
    if (text.bytes == NULL)
        json_string_printf(w, "iid %" PRIu64, iid);
    else
        json_string_bytes(w, text);
}

static void put_double(JsonWriter *w, double value)
{
    if (isfinite(value))
        json_double(w, value);
    else
        json_string(w, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
}

/* -- annotations -- */

static void put_annotation(JsonWriter *w, const Source *source, StringView message, int level);

/* Writes the name of an annotation as a key. */
static void put_name(JsonWriter *w, const Source *source, StringView message)
{
    ByteCursor c = wire_message(message);
    WireField  field;
    StringView name = { "", 0 };
    char       number[32];
    while (wire_next(&c, &field)) {
        if (field.number == AN_NAME) name = field.bytes;
        if (field.number != AN_NAME_IID) continue;
        name = text_of(source, INTERNED_ANNOTATION, field.value);
        if (name.bytes != NULL) continue;
        (void)snprintf(number, sizeof number, "iid %" PRIu64, field.value);
        name = c_string_view(number);
    }
    json_key_bytes(w, name);
}

/* Writes the values with a field number of the message as an array, or with their names as an object. */
static void put_list(JsonWriter *w, const Source *source, StringView message, uint32_t number, int level)
{
    ByteCursor c = wire_message(message);
    WireField  field;
    const bool is_object = number == AN_DICT_ENTRIES;
    if (is_object)
        json_object_begin(w);
    else
        json_array_begin(w);
    while (wire_next(&c, &field)) {
        if (field.number != number || field.type != WIRE_BYTES) continue;
        if (is_object) put_name(w, source, field.bytes);
        put_annotation(w, source, field.bytes, level + 1);
    }
    if (is_object)
        json_object_end(w);
    else
        json_array_end(w);
}

/* Writes a NestedValue, which older traces have in the place of dict_entries and array_values. */
static void put_nested(JsonWriter *w, StringView message, int level)
{
    ByteCursor c = wire_message(message), keys = c;
    WireField  field, key = { .number = 0 };
    uint32_t   form = 0;
    WireField  value = { .number = 0 };
    while (wire_next(&c, &field)) {
        if (field.number == NESTED_VALUES || field.number == NESTED_ITEMS) form = field.number;
        if (field.number >= NESTED_INT && field.number <= NESTED_STRING) value = field;
    }
    if (level >= MOST_LEVELS) {
        fields_json_bytes(w, message);
    } else if (form != 0) {
        if (form == NESTED_VALUES) json_object_begin(w);
        if (form == NESTED_ITEMS) json_array_begin(w);
        for (c = wire_message(message); wire_next(&c, &field);) {
            if (field.number != form || field.type != WIRE_BYTES) continue;
            bool has_key = false;
            while (form == NESTED_VALUES && !has_key && wire_next(&keys, &key))
                has_key = key.number == NESTED_KEYS;
            if (form == NESTED_VALUES) json_key_bytes(w, has_key ? key.bytes : (StringView){ "", 0 });
            put_nested(w, field.bytes, level + 1);
        }
        if (form == NESTED_VALUES) json_object_end(w);
        if (form == NESTED_ITEMS) json_array_end(w);
    } else if (value.number == NESTED_INT) {
        json_i64(w, (int64_t)value.value);
    } else if (value.number == NESTED_DOUBLE) {
        put_double(w, wire_double(value.value));
    } else if (value.number == NESTED_BOOL) {
        json_bool(w, value.value != 0);
    } else if (value.number == NESTED_STRING) {
        json_string_bytes(w, value.bytes);
    } else {
        json_null(w);
    }
}

static void put_annotation_value(JsonWriter *w, const Source *source, const WireField *field,
                                 StringView message, int level)
{
    switch (field->number) {
    case AN_BOOL:
        json_bool(w, field->value != 0);
        break;
    case AN_UINT:
        json_u64(w, field->value);
        break;
    case AN_INT:
        json_i64(w, (int64_t)field->value);
        break;
    case AN_DOUBLE:
        put_double(w, wire_double(field->value));
        break;
    case AN_POINTER:
        json_string_printf(w, "0x%" PRIx64, field->value);
        break;
    case AN_STRING_IID:
        put_interned(w, source, INTERNED_STRING, field->value);
        break;
    case AN_STRING:
    case AN_LEGACY_JSON:
        json_string_bytes(w, field->bytes);
        break;
    case AN_NESTED:
        put_nested(w, field->bytes, level + 1);
        break;
    case AN_DICT_ENTRIES:
    case AN_ARRAY_VALUES:
        put_list(w, source, message, field->number, level);
        break;
    case AN_PROTO_VALUE:
        fields_json_message(w, field->bytes);
        break;
    default:
        json_null(w);
        break;
    }
}

static bool is_value(uint32_t number)
{
    return (number >= AN_BOOL && number <= AN_LEGACY_JSON) || number == AN_DICT_ENTRIES ||
           number == AN_ARRAY_VALUES || number == AN_PROTO_VALUE || number == AN_STRING_IID;
}

/* Writes the value of a DebugAnnotation. */
static void put_annotation(JsonWriter *w, const Source *source, StringView message, int level)
{
    ByteCursor c = wire_message(message);
    WireField  field, value = { .number = 0 };
    if (level >= MOST_LEVELS) {
        fields_json_bytes(w, message);
        return;
    }
    while (wire_next(&c, &field))
        if (is_value(field.number)) value = field;
    put_annotation_value(w, source, &value, message, level);
}

/* -- messages with names -- */

static void put_location_message(JsonWriter *w, StringView message)
{
    ByteCursor c = wire_message(message);
    WireField  field;
    json_object_begin(w);
    while (wire_next(&c, &field)) {
        if (field.number == LOCATION_FILE) json_put_view(w, "file_name", field.bytes);
        if (field.number == LOCATION_FUNCTION) json_put_view(w, "function_name", field.bytes);
        if (field.number == LOCATION_LINE) json_put_u64(w, "line_number", field.value);
    }
    json_object_end(w);
}

static void put_location(JsonWriter *w, const Source *source, uint64_t iid)
{
    const StringView location = text_of(source, INTERNED_LOCATION, iid);
    if (location.bytes == NULL)
        json_string_printf(w, "iid %" PRIu64, iid);
    else
        put_location_message(w, location);
}

static void put_log_message(JsonWriter *w, const Source *source, StringView message)
{
    static const char *const PRIORITIES[] = { "UNSPECIFIED", "UNUSED", "VERBOSE", "DEBUG",
                                              "INFO",        "WARN",   "ERROR",   "FATAL" };
    const size_t             count = sizeof PRIORITIES / sizeof PRIORITIES[0];
    enum { LOG_LOCATION = 1, LOG_BODY = 2, LOG_PRIORITY = 3 };
    ByteCursor c = wire_message(message);
    WireField  field;
    json_object_begin(w);
    while (wire_next(&c, &field)) {
        if (field.number == LOG_LOCATION) {
            json_key(w, "source_location");
            put_location(w, source, field.value);
        } else if (field.number == LOG_BODY) {
            json_key(w, "body");
            put_interned(w, source, INTERNED_LOG_BODY, field.value);
        } else if (field.number == LOG_PRIORITY && field.value < count) {
            json_put_string(w, "prio", PRIORITIES[field.value]);
        }
    }
    json_object_end(w);
}

static void put_task(JsonWriter *w, const Source *source, StringView message)
{
    ByteCursor c = wire_message(message);
    WireField  field;
    json_object_begin(w);
    while (wire_next(&c, &field)) {
        if (field.number != 1) continue;
        json_key(w, "posted_from");
        put_location(w, source, field.value);
    }
    json_object_end(w);
}

/* Fields of TrackEvent whose messages are written with the numbers of their fields. */
static const struct {
    uint32_t    number;
    const char *name;
} MESSAGES[] = {
    { 24, "cc_scheduler_state" },
    { 25, "chrome_user_event" },
    { 26, "chrome_keyed_service" },
    { 27, "chrome_legacy_ipc" },
    { 28, "chrome_histogram_sample" },
    { 29, "chrome_latency_info" },
    { 32, "chrome_frame_reporter" },
    { 35, "chrome_message_pump" },
    { 38, "chrome_mojo_event_info" },
    { 39, "chrome_application_state_info" },
    { 40, "chrome_renderer_scheduler_state" },
    { 41, "chrome_window_handle_event_info" },
    { 43, "chrome_content_settings_event_info" },
    { 49, "chrome_active_processes" },
    { 50, "screenshot" },
    { 55, "callstack" },
    { 56, "callstack_iid" },
    { 57, "callstack_weight" },
};

static void put_unnamed(JsonWriter *w, const WireField *field)
{
    char        number[24];
    const char *name = NULL;
    for (size_t i = 0; i < sizeof MESSAGES / sizeof MESSAGES[0]; i++)
        if (MESSAGES[i].number == field->number) name = MESSAGES[i].name;
    if (name == NULL) {
        (void)snprintf(number, sizeof number, "field %u", (unsigned)field->number);
        name = number;
    }
    json_key(w, name);
    fields_json_value(w, field);
}

/* -- TrackEvent -- */

/* Fields that the trace itself has, or that put_other writes. */
static bool is_elsewhere(uint32_t number)
{
    switch (number) {
    case TE_TIMESTAMP_DELTA_US:
    case TE_THREAD_TIME_DELTA_US:
    case TE_CATEGORY_IIDS:
    case TE_DEBUG_ANNOTATIONS:
    case TE_LEGACY:
    case TE_INSTRUCTION_DELTA:
    case TE_TYPE:
    case TE_NAME_IID:
    case TE_TRACK_UUID:
    case TE_EXTRA_VALUES:
    case TE_TIMESTAMP_US:
    case TE_THREAD_TIME_US:
    case TE_INSTRUCTIONS:
    case TE_CATEGORIES:
    case TE_NAME:
    case TE_EXTRA_UUIDS:
    case TE_FLOW_IDS_OLD:
    case TE_END_FLOW_IDS_OLD:
    case TE_EXTRA_DOUBLE_UUIDS:
    case TE_EXTRA_DOUBLE_VALUES:
    case TE_FLOW_IDS:
    case TE_END_FLOW_IDS:
        return true;
    default:
        return false;
    }
}

static void put_field(JsonWriter *w, const Source *source, const WireField *field)
{
    switch (field->number) {
    case TE_TASK_EXECUTION:
        json_key(w, "task_execution");
        put_task(w, source, field->bytes);
        break;
    case TE_LOG_MESSAGE:
        json_key(w, "log_message");
        put_log_message(w, source, field->bytes);
        break;
    case TE_SOURCE_LOCATION:
        json_key(w, "source_location");
        put_location_message(w, field->bytes);
        break;
    case TE_SOURCE_LOCATION_IID:
        json_key(w, "source_location");
        put_location(w, source, field->value);
        break;
    case TE_COUNTER_VALUE:
        json_put_i64(w, "value", (int64_t)field->value);
        break;
    case TE_DOUBLE_VALUE:
        json_key(w, "value");
        put_double(w, wire_double(field->value));
        break;
    case TE_CORRELATION_ID:
        json_put_u64(w, "correlation_id", field->value);
        break;
    case TE_CORRELATION_TEXT:
        json_put_view(w, "correlation_id_str", field->bytes);
        break;
    case TE_CORRELATION_IID:
        json_key(w, "correlation_id_str");
        put_interned(w, source, INTERNED_CORRELATION, field->value);
        break;
    default:
        put_unnamed(w, field);
        break;
    }
}

static void put_args(JsonWriter *w, const Source *source, StringView message)
{
    ByteCursor c = wire_message(message);
    WireField  field;
    while (wire_next(&c, &field)) {
        if (field.number != TE_DEBUG_ANNOTATIONS || field.type != WIRE_BYTES) continue;
        put_name(w, source, field.bytes);
        put_annotation(w, source, field.bytes, 0);
    }
    c = wire_message(message);
    while (wire_next(&c, &field))
        if (!is_elsewhere(field.number)) put_field(w, source, &field);
}

static void put_ids(JsonWriter *w, StringView message, const char *key, uint32_t number, uint32_t old_number)
{
    ByteCursor c = wire_message(message);
    WireField  field;
    bool       any = false;
    while (wire_next(&c, &field)) {
        if (field.number != number && field.number != old_number) continue;
        const WireType item = field.number == number ? WIRE_FIXED64 : WIRE_VARINT;
        ByteCursor     pack = wire_message(field.bytes);
        if (!any) json_put_array(w, key);
        any = true;
        if (field.type != WIRE_BYTES) json_string_printf(w, "%" PRIu64, field.value);
        for (uint64_t id; field.type == WIRE_BYTES && wire_next_packed(&pack, item, &id);)
            json_string_printf(w, "%" PRIu64, id);
    }
    if (any) json_array_end(w);
}

static void put_legacy(JsonWriter *w, StringView message)
{
    static const struct {
        uint32_t    number;
        const char *key;
    } IDS[] = { { LEGACY_UNSCOPED_ID, "unscoped_id" },
                { LEGACY_LOCAL_ID, "local_id" },
                { LEGACY_GLOBAL_ID, "global_id" },
                { LEGACY_BIND_ID, "bind_id" } };
    ByteCursor c = wire_message(message);
    WireField  field;
    while (wire_next(&c, &field)) {
        for (size_t i = 0; i < sizeof IDS / sizeof IDS[0]; i++)
            if (field.number == IDS[i].number && field.type == WIRE_VARINT)
                json_put_printf(w, IDS[i].key, "0x%" PRIx64, field.value);
        if (field.number == LEGACY_ID_SCOPE) json_put_view(w, "id_scope", field.bytes);
        if (field.number == LEGACY_THREAD_DURATION_US)
            json_put_i64(w, "thread_duration_us", (int64_t)field.value);
    }
}

static void put_other(JsonWriter *w, StringView message)
{
    ByteCursor c = wire_message(message);
    WireField  field;
    while (wire_next(&c, &field)) {
        if (field.number == TE_TRACK_UUID) json_put_printf(w, "track_uuid", "%" PRIu64, field.value);
        if (field.number == TE_LEGACY) put_legacy(w, field.bytes);
    }
    put_ids(w, message, "flow_ids", TE_FLOW_IDS, TE_FLOW_IDS_OLD);
    put_ids(w, message, "terminating_flow_ids", TE_END_FLOW_IDS, TE_END_FLOW_IDS_OLD);
}

/* -- packets -- */

static bool no_packet(const EventBytes *event, Err *err)
{
    return err_set_at(err, ERR_CORRUPT, event->offset, ERR_NOWHERE, "there is no packet at this offset");
}

/* The packet of an event. */
typedef struct FoundEvent {
    StringView          packet;
    const BundledEvent *event; /* of ftrace, in the packet; NULL = the packet is the event */
    uint32_t            cpu;   /* of `event` */
} FoundEvent;

/* Finds an event in a packet that holds several. The caller holds the lock. */
static bool find_inside(PerfettoKept *kept, const EventBytes *event, const PackedPacket *packed,
                        FoundEvent *found, Err *err)
{
    Unpacked       *unpacked = &kept->unpacked;
    UnpackedRecord *record = unpacked_record(unpacked, packed->offset);
    const uint64_t  inside = event->offset - packed->offset;
    PacketFrame     frame;
    if (record->offset != packed->offset) {
        Packet       outer;
        const char  *why;
        UnpackResult result;
        if (event->lead < inside) return no_packet(event, err);
        const uint8_t   *begin = event->bytes - inside;
        const FrameState state = packet_frame(begin, event->size + (size_t)inside, &frame);
        if (state == FRAME_SHORT)
            return err_set_at(err, ERR_TRUNCATED, packed->offset, ERR_NOWHERE, "the packet is cut short");
        if (state == FRAME_DAMAGED || !packet_decode(frame.packet, &outer)) return no_packet(event, err);
        if (outer.data_number == DATA_FTRACE)
            result = unpacked_set(unpacked, record, packed->offset,
                                  (StringView){ (const char *)begin, frame.size });
        else
            result = unpacked_read(unpacked, record, packed->offset, outer.data_number, outer.data, &why);
        if (result == UNPACK_NO_MEMORY) return err_set(err, ERR_MEMORY, "out of memory");
    }
    if (!unpacked_event(unpacked, record, inside, &found->packet, &found->event))
        return no_packet(event, err);
    found->cpu = record->cursor.bundle.cpu;
    return true;
}

static bool find_plain(const EventBytes *event, FoundEvent *found, Err *err)
{
    PacketFrame      frame;
    const FrameState state = event->size == 0 ? FRAME_SHORT : packet_frame(event->bytes, event->size, &frame);
    if (state == FRAME_SHORT)
        return err_set_at(err, ERR_TRUNCATED, event->offset, ERR_NOWHERE, "the packet is cut short");
    if (state == FRAME_DAMAGED) return no_packet(event, err);
    *found = (FoundEvent){ .packet = frame.packet };
    return true;
}

/* Writes the arguments of an event of ftrace. `other` NULL: it ends a slice. */
static void put_ftrace(PerfettoKept *kept, const FoundEvent *found, JsonWriter *args, JsonWriter *other)
{
    Bytes       text = { 0 };
    FtraceTexts texts;
    FtraceLine  line;
    ftrace_decode_line(&kept->machine, found->event, found->cpu, &texts, &text, &line);
    if (text.failed) args->out->failed = true;
    if (other == NULL) {
        ftrace_put_end(args, &line);
    } else {
        ftrace_put_args(args, &line);
        ftrace_put_task(other, &line);
    }
    bytes_release(&text);
}

static bool find_event(PerfettoKept *kept, const EventBytes *event, FoundEvent *found, Err *err)
{
    const PackedPacket *packed = unpacked_find(&kept->unpacked, event->offset);
    return packed == NULL ? find_plain(event, found, err) : find_inside(kept, event, packed, found, err);
}

/* Writes the arguments of one event as members of the open objects. `other` NULL: the rest is not written. */
static void put_event(PerfettoKept *kept, const EventBytes *event, const FoundEvent *found, JsonWriter *args,
                      JsonWriter *other)
{
    Packet packet;
    if (found->event != NULL) {
        put_ftrace(kept, found, args, other);
        return;
    }
    if (!packet_decode(found->packet, &packet)) return;
    const Source source = { kept, kept_generation_at(kept, packet.sequence_id, event->offset) };
    if (packet.data_number == DATA_TRACK_EVENT) {
        put_args(args, &source, packet.data);
        if (other != NULL) put_other(other, packet.data);
    } else if (packet.data_number != 0) {
        fields_json_members(args, packet.data);
    }
}

/* Writes the arguments of an end. They are in an object of their own if the begin has some. */
static bool put_end(PerfettoKept *kept, const EventBytes *end, bool begin_has_args, JsonWriter *args,
                    Err *err)
{
    Bytes      text = { 0 };
    JsonWriter w = json_writer_to(&text, 0);
    FoundEvent found;
    if (!find_event(kept, end, &found, err)) return false;
    if (found.event != NULL) { /* it has no names that its begin has */
        put_ftrace(kept, &found, args, NULL);
        return true;
    }
    json_object_begin(&w);
    put_event(kept, end, &found, &w, NULL);
    json_object_end(&w);
    if (text.failed) args->out->failed = true;
    if (!text.failed && text.size > 2) {
        if (begin_has_args)
            json_put_raw(args, "end", (const char *)text.data, text.size);
        else
            json_raw_members(args, (const char *)text.data + 1, text.size - 2);
    }
    bytes_release(&text);
    return true;
}

uint64_t perfetto_lead(const Trace *trace, uint64_t offset)
{
    const PerfettoKept *kept = trace->source.kept;
    const PackedPacket *packed = kept == NULL ? NULL : unpacked_find(&kept->unpacked, offset);
    return packed == NULL ? offset : packed->offset;
}

bool perfetto_details(const Trace *trace, const EventBytes *begin, const EventBytes *end,
                      EventDetails *details, Err *err)
{
    PerfettoKept *kept = trace->source.kept;
    if (kept == NULL) return true; /* a growing trace has none */
    JsonWriter args = json_writer_to(&details->args, 0), other = json_writer_to(&details->other, 0);
    json_object_begin(&args);
    json_object_begin(&other);
    lock_take(kept->unpacked.lock);
    FoundEvent found = { .event = NULL };
    bool       done = begin->bytes == NULL || find_event(kept, begin, &found, err);
    if (done && begin->bytes != NULL) put_event(kept, begin, &found, &args, &other);
    if (done && end->bytes != NULL) done = put_end(kept, end, details->args.size > 1, &args, err);
    lock_give(kept->unpacked.lock);
    if (!done) return false;
    json_object_end(&args);
    json_object_end(&other);
    if (details->args.size == 2) bytes_clear(&details->args);
    if (details->other.size == 2) bytes_clear(&details->other);
    return !(details->args.failed || details->other.failed) || err_set(err, ERR_MEMORY, "out of memory");
}
