#include "format/profile_proto.h"

/* -- Protocol Buffers: a key (field << 3 | wire type), then a varint (0) or a size and bytes (2) -- */

enum { WIRE_VARINT = 0, WIRE_BYTES = 2 };

static void put_u64(Bytes *out, unsigned field, uint64_t value)
{
    if (value == 0) return; /* the default */
    bytes_append_uleb(out, (uint64_t)field << 3 | WIRE_VARINT);
    bytes_append_uleb(out, value);
}

static void put_bytes(Bytes *out, unsigned field, const void *bytes, size_t size)
{
    bytes_append_uleb(out, (uint64_t)field << 3 | WIRE_BYTES);
    bytes_append_uleb(out, size);
    bytes_append(out, bytes, size);
}

/* -- profile.proto -- */

enum {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE,
    PROFILE_MAPPING,
    PROFILE_LOCATION,
    PROFILE_FUNCTION,
    PROFILE_STRING
};
enum { PROFILE_DURATION = 10, PROFILE_PERIOD_TYPE = 11, PROFILE_PERIOD = 12 };
enum { VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_TEXT };
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1, LINE_LINE };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE };

static void put_message(Bytes *out, unsigned field, const Bytes *message)
{
    out->failed |= message->failed;
    put_bytes(out, field, message->data, message->size);
}

static void put_value_type(ProfileProto *p, unsigned field, uint64_t type, uint64_t unit)
{
    bytes_clear(&p->message);
    put_u64(&p->message, VALUE_TYPE_TYPE, type);
    put_u64(&p->message, VALUE_TYPE_UNIT, unit);
    put_message(p->out, field, &p->message);
}

void profile_proto_sample_type(ProfileProto *p, uint64_t type, uint64_t unit)
{
    put_value_type(p, PROFILE_SAMPLE_TYPE, type, unit);
}

void profile_proto_string(ProfileProto *p, StringView text)
{
    put_bytes(p->out, PROFILE_STRING, text.bytes, text.size);
}

/* Frames on two lines of one function write the function twice. Programs merge functions of equal name and file. */
void profile_proto_frame(ProfileProto *p, const ProfileFrame *frame)
{
    bytes_clear(&p->packed);
    bytes_clear(&p->message);
    put_u64(&p->packed, LINE_FUNCTION, frame->id);
    put_u64(&p->packed, LINE_LINE, frame->line);
    put_u64(&p->message, LOCATION_ID, frame->id);
    put_u64(&p->message, LOCATION_ADDRESS, frame->address);
    put_message(&p->message, LOCATION_LINE, &p->packed);
    put_message(p->out, PROFILE_LOCATION, &p->message);
    bytes_clear(&p->message);
    put_u64(&p->message, FUNCTION_ID, frame->id);
    put_u64(&p->message, FUNCTION_NAME, frame->name);
    put_u64(&p->message, FUNCTION_SYSTEM_NAME, frame->name);
    put_u64(&p->message, FUNCTION_FILE, frame->file);
    put_message(p->out, PROFILE_FUNCTION, &p->message);
}

void profile_proto_sample_begin(ProfileProto *p)
{
    bytes_clear(&p->path);
}

void profile_proto_sample_frame(ProfileProto *p, uint64_t frame)
{
    bytes_append_uleb(&p->path, frame);
}

void profile_proto_sample_end(ProfileProto *p, const uint64_t *values, size_t count, uint64_t key,
                              uint64_t text)
{
    bytes_clear(&p->message);
    put_message(&p->message, SAMPLE_LOCATION, &p->path);
    bytes_clear(&p->packed);
    for (size_t i = 0; i < count; i++)
        bytes_append_uleb(&p->packed, values[i]);
    put_message(&p->message, SAMPLE_VALUE, &p->packed);
    if (key != 0) {
        bytes_clear(&p->packed);
        put_u64(&p->packed, LABEL_KEY, key);
        put_u64(&p->packed, LABEL_TEXT, text);
        put_message(&p->message, SAMPLE_LABEL, &p->packed);
    }
    put_message(p->out, PROFILE_SAMPLE, &p->message);
}

void profile_proto_duration(ProfileProto *p, uint64_t ns)
{
    put_u64(p->out, PROFILE_DURATION, ns);
}

void profile_proto_period(ProfileProto *p, uint64_t type, uint64_t unit, uint64_t period)
{
    put_value_type(p, PROFILE_PERIOD_TYPE, type, unit);
    put_u64(p->out, PROFILE_PERIOD, period);
}

void profile_proto_release(ProfileProto *p)
{
    bytes_release(&p->path);
    bytes_release(&p->message);
    bytes_release(&p->packed);
}
