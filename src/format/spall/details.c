#include "format/spall/details.h"

#include "base/json_check.h"
#include "base/json_writer.h"
#include "format/spall/layout.h"
#include "format/spall/native.h"

#include <math.h>

/* A decoded record. */
typedef struct Decoded {
    RecordKind         kind;
    const SpallLayout *layout;
    const RecordShape *shape;
    const uint8_t     *head; /* shape->size bytes */
    StringView         name, args;
    ByteCursor         arguments; /* with types; empty = none */
} Decoded;

/* Returns the layout of a trace: in version 0 from a property, else by the version. */
static const SpallLayout *trace_layout(const Trace *trace)
{
    for (uint32_t i = 0; i < trace->records.property_count; i++) {
        const Property *property = &trace->records.properties[i];
        if (property->size > 2 &&
            string_equal(trace_string(trace, property->key), STRING_LITERAL("layout"))) {
            return layout_named((StringView){ property->json + 1, property->size - 2 });
        }
    }
    return layout_named(c_string_view(trace->source.format_version));
}

static bool fail(const EventBytes *event, Err *err, ErrCode code, const char *what)
{
    return err_set_at(err, code, event->offset, ERR_NOWHERE, "%s", what);
}

static bool fail_cut(const EventBytes *event, Err *err)
{
    return fail(event, err, ERR_TRUNCATED, "the record is cut short");
}

/* Reads a type, and moves back to it. */
static RecordKind next_kind(const SpallLayout *layout, const ByteCursor *cursor, bool *failed)
{
    ByteCursor     look = *cursor;
    const uint64_t type = layout->id_size == 8 ? cursor_u64le(&look) : cursor_u8(&look);
    *failed = look.failed;
    return type < LAYOUT_TYPES ? (RecordKind)layout->kinds[type] : RECORD_NONE;
}

/* Takes the Arguments before a record. */
static void take_arguments(const SpallLayout *layout, ByteCursor *cursor, ByteCursor *arguments)
{
    const RecordShape *shape = &layout->shapes[RECORD_ARGUMENTS];
    const uint8_t     *head = cursor_take(cursor, shape->size);
    const size_t       size = head == NULL ? 0 : bits_load_u16(head + shape->number);
    const uint64_t     offset = cursor_offset(cursor);
    const uint8_t     *bytes = cursor_take(cursor, size);
    if (bytes != NULL) *arguments = cursor_over(bytes, size, offset);
}

static bool decode(const SpallLayout *layout, const EventBytes *event, Decoded *record, Err *err)
{
    ByteCursor cursor = cursor_over(event->bytes, event->size, event->offset);
    bool       is_cut;
    *record = (Decoded){ .layout = layout, .kind = next_kind(layout, &cursor, &is_cut) };
    if (record->kind == RECORD_ARGUMENTS) {
        take_arguments(layout, &cursor, &record->arguments);
        record->kind = next_kind(layout, &cursor, &is_cut);
    }
    if (is_cut) return fail_cut(event, err);
    record->shape = &layout->shapes[record->kind];
    if (record->kind == RECORD_NONE)
        return fail(event, err, ERR_CORRUPT, "there is no record at this offset");
    record->head = cursor_take(&cursor, record->shape->size);
    if (cursor.failed) return fail_cut(event, err);
    size_t name_size = record->shape->name_length == 0 ? 0 : record->head[record->shape->name_length];
    size_t args_size = record->shape->args_length == 0 ? 0 : record->head[record->shape->args_length];
    record->name = (StringView){ (const char *)cursor_take(&cursor, name_size), name_size };
    record->args = (StringView){ (const char *)cursor_take(&cursor, args_size), args_size };
    return !cursor.failed || fail_cut(event, err);
}

void spall_put_args(StringView text, Bytes *out)
{
    JsonWriter writer = json_writer_to(out, 0);
    if (json_valid_object(text.bytes, text.size)) {
        json_raw(&writer, text.bytes, text.size);
        return;
    }
    json_object_begin(&writer);
    json_put_view(&writer, "args", text);
    json_object_end(&writer);
}

/* Writes a number as the record has it; NaN and infinities as text, because JSON has no such numbers. */
static void put_value(JsonWriter *writer, double value)
{
    if (isfinite(value)) {
        json_double(writer, value);
    } else {
        json_string(writer, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    }
}

static void put_number(JsonWriter *writer, const char *key, double value)
{
    json_key(writer, key);
    put_value(writer, value);
}

/* Writes arguments with types up to the first damaged one. */
static void put_arguments(ByteCursor arguments, Bytes *out)
{
    JsonWriter writer = json_writer_to(out, 0);
    json_object_begin(&writer);
    while (cursor_left(&arguments) > 0) {
        const unsigned type = cursor_u8(&arguments);
        const size_t   key_size = cursor_u8(&arguments);
        StringView     key = { (const char *)cursor_take(&arguments, key_size), key_size };
        const size_t   text_size = type == ARGUMENT_TEXT ? cursor_u8(&arguments) : 0;
        StringView     text = { (const char *)cursor_take(&arguments, text_size), text_size };
        const uint64_t bits = type == ARGUMENT_TEXT   ? 0
                              : type == ARGUMENT_BOOL ? cursor_u8(&arguments)
                                                      : cursor_u64le(&arguments);
        double         number;
        if (arguments.failed || type > ARGUMENT_TEXT) break;
        json_key_bytes(&writer, key);
        memcpy(&number, &bits, sizeof number);
        switch ((ArgumentType)type) {
        case ARGUMENT_I64:
            json_i64(&writer, (int64_t)bits);
            break;
        case ARGUMENT_U64:
            json_u64(&writer, bits);
            break;
        case ARGUMENT_F64:
            put_value(&writer, number);
            break;
        case ARGUMENT_BOOL:
            json_bool(&writer, bits != 0);
            break;
        case ARGUMENT_TEXT:
            json_string_bytes(&writer, text);
            break;
        }
    }
    json_object_end(&writer);
}

static void put_args(const Decoded *record, Bytes *out)
{
    if (cursor_left(&record->arguments) > 0) {
        put_arguments(record->arguments, out);
        return;
    }
    if (record->shape->value != 0 || record->shape->id != 0) {
        JsonWriter writer = json_writer_to(out, 0);
        json_object_begin(&writer);
        if (record->shape->id != 0)
            json_put_u64(&writer, "id", bits_load_u64(record->head + record->shape->id));
        if (record->shape->value != 0)
            put_number(&writer, "value", bits_load_f64(record->head + record->shape->value));
        json_object_end(&writer);
        return;
    }
    if (record->kind != RECORD_NAME_PROCESS && record->kind != RECORD_NAME_THREAD) {
        if (record->args.size > 0) spall_put_args(record->args, out);
        return;
    }
    StringView name = record->name;
    while (name.size > 0 && name.bytes[name.size - 1] == '\0')
        name.size--;
    JsonWriter writer = json_writer_to(out, 0);
    json_object_begin(&writer);
    json_put_view(&writer, "name", name);
    json_object_end(&writer);
}

static void put_time(JsonWriter *writer, const char *key, const Decoded *record, uint8_t field)
{
    if (field == 0) return;
    if (record->layout->time == TIME_U64) {
        json_put_u64(writer, key, bits_load_u64(record->head + field));
        return;
    }
    put_number(writer, key, bits_load_f64(record->head + field));
}

bool spall_times_were_changed(const Trace *trace)
{
    static const char *const KINDS[] = { "time-travel", "bad-time", "negative-duration", "time-rounded" };
    for (uint32_t i = 0; i < trace->records.warning_count; i++) {
        for (size_t k = 0; k < sizeof KINDS / sizeof KINDS[0]; k++) {
            if (strcmp(trace->records.warnings[i].kind, KINDS[k]) == 0) return true;
        }
    }
    return false;
}

/* Fills `other`. `begin` or `end` may be NULL. */
static void put_other(const Trace *trace, const Decoded *begin, const Decoded *end, Bytes *out)
{
    JsonWriter writer = json_writer_to(out, 0);
    json_object_begin(&writer);
    size_t empty = out->size;
    bool   show_times = spall_times_were_changed(trace);
    if (begin != NULL) {
        uint8_t category = begin->shape->category == 0 ? 0 : begin->head[begin->shape->category];
        if (category != 0) json_put_u64(&writer, "category", category);
        if (begin->name.size == LAYOUT_MAX_TEXT) json_put_bool(&writer, "name_cut", true);
        if (begin->args.size == LAYOUT_MAX_TEXT) json_put_bool(&writer, "args_cut", true);
        if (show_times) put_time(&writer, "time", begin, begin->shape->time);
        if (show_times) put_time(&writer, "duration", begin, begin->shape->duration);
    }
    if (end != NULL && show_times) put_time(&writer, "end_time", end, end->shape->time);
    bool nothing = out->size == empty;
    json_object_end(&writer);
    if (nothing) bytes_clear(out);
}

bool spall_details(const Trace *trace, const EventBytes *begin, const EventBytes *end, EventDetails *details,
                   Err *err)
{
    if (trace->source.kept != NULL) return native_details(trace, begin, end, details, err);
    const SpallLayout *layout = trace_layout(trace);
    Decoded            begin_record, end_record;
    bool               has_begin = begin->bytes != NULL, has_end = end->bytes != NULL;
    if (layout == NULL) return fail(begin, err, ERR_CORRUPT, "the layout of the trace is not known");
    if (has_begin && !decode(layout, begin, &begin_record, err)) return false;
    if (has_end && !decode(layout, end, &end_record, err)) return false;
    if (has_begin) put_args(&begin_record, &details->args);
    put_other(trace, has_begin ? &begin_record : NULL, has_end ? &end_record : NULL, &details->other);
    if (details->args.failed || details->other.failed) return err_set(err, ERR_MEMORY, "out of memory");
    return true;
}
