#include "format/weighted/pprof.h"

#include "base/json_writer.h"
#include "format/weighted/pprof_stacks.h"

typedef struct Reader {
    Pprof    profile;
    uint64_t base;    /* offset of the current bytes in the input */
    bool     is_over; /* the rest is not read */
} Reader;

/* ---- fields ---- */

typedef enum { FIELD_WHOLE, FIELD_CUT, FIELD_BAD } FieldState;

/* Reads a varint without reading beyond the end. */
static FieldState read_varint(ByteCursor *c, uint64_t *value)
{
    enum { MOST_BYTES = 10 };
    for (size_t i = 0; i < MOST_BYTES; i++) {
        if (c->at + i == c->size) return FIELD_CUT;
        if (c->bytes[c->at + i] >= 0x80) continue;
        *value = wire_varint(c);
        return c->failed ? FIELD_BAD : FIELD_WHOLE;
    }
    return FIELD_BAD;
}

/* Reads the next field if all of its bytes are there. */
static FieldState read_field(ByteCursor *c, WireField *field)
{
    ByteCursor ahead = *c;
    uint64_t   tag, size = 0;
    FieldState state = read_varint(&ahead, &tag);
    if (state != FIELD_WHOLE) return state;
    switch (tag & 7) {
    case WIRE_VARINT:
        state = read_varint(&ahead, &size);
        size = 0;
        break;
    case WIRE_FIXED64:
        size = 8;
        break;
    case WIRE_BYTES:
        state = read_varint(&ahead, &size);
        break;
    case WIRE_FIXED32:
        size = 4;
        break;
    default:
        return FIELD_BAD;
    }
    if (state != FIELD_WHOLE) return state;
    if (tag < 8 || tag > UINT32_MAX) return FIELD_BAD;
    if (size > cursor_left(&ahead)) return FIELD_CUT;
    return wire_next(c, field) ? FIELD_WHOLE : FIELD_BAD;
}

/* ---- probe ---- */

/* True if a field has the type of its number in profile.proto. */
static bool is_of_profile(const WireField *field)
{
    enum { LAST_MESSAGE = 6, PERIOD_TYPE = 11, COMMENT = 13, LAST = 15 };
    const bool is_bytes = field->number <= LAST_MESSAGE || field->number == PERIOD_TYPE;
    if (field->number > LAST) return false;
    return (field->type == WIRE_BYTES) == is_bytes ||
           (field->number == COMMENT && field->type == WIRE_BYTES && field->value <= 20);
}

/* True if a message has only fields with numbers from 1 to `last` that are varints, or, with `bytes`, of bytes. */
static bool has_fields(StringView bytes, uint32_t last, bool may_have_bytes)
{
    ByteCursor message = wire_message(bytes);
    WireField  field;
    while (wire_next(&message, &field))
        if (field.number > last ||
            (field.type != WIRE_VARINT && !(may_have_bytes && field.type == WIRE_BYTES)))
            return false;
    return !message.failed;
}

static bool is_valid(const WireField *field)
{
    enum { KIND = 1, SAMPLE, MAPPING, LOCATION, FUNCTION };
    switch (field->number) {
    case KIND:
        return field->value > 0 && has_fields(field->bytes, 2, false);
    case SAMPLE:
        return has_fields(field->bytes, 3, true);
    case MAPPING:
        return has_fields(field->bytes, 10, false);
    case LOCATION:
        return has_fields(field->bytes, 5, true);
    case FUNCTION:
        return has_fields(field->bytes, 5, false);
    default:
        return true;
    }
}

/* Looks at the fields of the head: all must be of a profile, or at least many before damage, and a type of samples among them. */
static int pprof_probe(const uint8_t *head, size_t size)
{
    enum { MANY = 8 };
    ByteCursor c = cursor_over(head, size, 0);
    WireField  field;
    FieldState state;
    unsigned   count = 0;
    bool       has_kind = false, has_more = false;
    while ((state = read_field(&c, &field)) == FIELD_WHOLE) {
        if (!is_of_profile(&field) || !is_valid(&field)) {
            state = FIELD_BAD;
            break;
        }
        has_kind |= field.number == 1;
        has_more |= field.number != 1;
        count++;
    }
    if (!has_kind || !has_more || (state == FIELD_BAD && count < MANY)) return 0;
    return state == FIELD_BAD ? 60 : 90;
}

/* ---- the file ---- */

static void *pprof_reader_open(Arena *arena, TraceBuilder *builder, Err *err)
{
    Reader *reader = ARENA_NEW(arena, Reader);
    if (reader == NULL || !pprof_open(&reader->profile, arena, builder)) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    return reader;
}

static void stop(Reader *reader, const char *kind, uint64_t offset, const char *what)
{
    builder_warn(reader->profile.weighted.builder, kind, (EventPos){ offset, ERR_NOWHERE }, "%s", what);
    builder_set_incomplete(reader->profile.weighted.builder);
    reader->is_over = true;
}

static bool pprof_read(void *state, const uint8_t *bytes, size_t size, InputState input, size_t *used,
                       Err *err)
{
    Reader    *reader = (Reader *)state;
    ByteCursor c = cursor_over(size == 0 ? (const uint8_t *)"" : bytes, size, 0);
    WireField  field;
    FieldState of = FIELD_CUT;
    while (!reader->is_over && !reader->profile.weighted.failed) {
        const uint64_t offset = reader->base + c.at;
        of = read_field(&c, &field);
        if (of == FIELD_CUT) break;
        if (of == FIELD_BAD || !is_of_profile(&field) || !pprof_take_field(&reader->profile, &field, offset))
            stop(reader, "broken", offset, "this is not a field of a profile: the rest is not read");
    }
    if (input == INPUT_ENDS && !reader->is_over && c.at < size)
        stop(reader, "truncated", reader->base + c.at, "the input ends inside a field");
    *used = input == INPUT_ENDS || reader->is_over ? size : c.at;
    reader->base += *used;
    if (input == INPUT_ENDS) {
        if (reader->profile.kinds.count == 0 && !reader->profile.weighted.failed)
            return err_set(err, ERR_UNKNOWN, "not a profile of pprof: expected a type of samples");
        pprof_finish(&reader->profile);
    }
    return !reader->profile.weighted.failed || err_set(err, ERR_MEMORY, "out of memory");
}

/* ---- details: the values of a sample ---- */

static bool pprof_details(const Trace *trace, const EventBytes *begin, const EventBytes *end,
                          EventDetails *details, Err *err)
{
    (void)trace;
    (void)end;
    if (begin->bytes == NULL) return true;
    ByteCursor       c = cursor_over(begin->bytes, begin->size, 0);
    WireField        field;
    const FieldState state = read_field(&c, &field);
    if (state == FIELD_CUT)
        return err_set_at(err, ERR_TRUNCATED, begin->offset, ERR_NOWHERE, "the input ends inside a sample");
    if (state == FIELD_BAD || field.number != PPROF_SAMPLE || field.type != WIRE_BYTES)
        return err_set_at(err, ERR_CORRUPT, begin->offset, ERR_NOWHERE, "this is not a sample");
    WireRepeated values = wire_repeated(field.bytes, SAMPLE_VALUE);
    JsonWriter   writer = json_writer_to(&details->other, 0);
    json_object_begin(&writer);
    json_key(&writer, "values");
    json_array_begin(&writer);
    for (uint64_t value; wire_next_repeated(&values, &value);)
        json_i64(&writer, (int64_t)value);
    json_array_end(&writer);
    json_object_end(&writer);
    return !details->other.failed || err_set(err, ERR_MEMORY, "out of memory");
}

const FormatReader PPROF_READER = {
    .name = "pprof",
    .spec = "proto/profile.proto of github.com/google/pprof, and profiles of Go 1.26",
    .about =
        "Profiles of pprof, such as those of Go: CPU, heap, mutex. Usual names: *.pprof, *.pb.gz, *.prof.",
    .probe = pprof_probe,
    .open = pprof_reader_open,
    .read = pprof_read,
    .details = pprof_details,
};
