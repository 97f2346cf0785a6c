#include "format/go/pprof.h"

/* -- Protocol Buffers: a key (field << 3 | wire type), then a varint (0) or a size and bytes (2) -- */

enum { WIRE_VARINT = 0, WIRE_BYTES = 2 };

static void put_varint(Bytes *out, uint64_t value)
{
    uint8_t bytes[10];
    size_t  size = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[size++] = (uint8_t)(value | 0x80);
    bytes[size++] = (uint8_t)value;
    bytes_append(out, bytes, size);
}

static void put_u64(Bytes *out, unsigned field, uint64_t value)
{
    if (value == 0) return; /* the default */
    put_varint(out, (uint64_t)field << 3 | WIRE_VARINT);
    put_varint(out, value);
}

static void put_bytes(Bytes *out, unsigned field, const void *bytes, size_t size)
{
    put_varint(out, (uint64_t)field << 3 | WIRE_BYTES);
    put_varint(out, size);
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
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE };
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1, LINE_LINE };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE };

/* The first strings of the table; those of the trace follow, by their number there. */
static const char *const STRINGS[] = { "", "contentions", "count", "delay", "nanoseconds" };
enum { STRING_CONTENTIONS = 1, STRING_COUNT, STRING_DELAY, STRING_NANOSECONDS, STRING_FIRST = 4 };

static uint64_t string_of(StringId id)
{
    return id.index == 0 ? 0 : STRING_FIRST + (uint64_t)id.index;
}

static void put_value_type(Bytes *out, unsigned field, uint64_t type, uint64_t unit)
{
    Bytes message = { 0 };
    put_u64(&message, VALUE_TYPE_TYPE, type);
    put_u64(&message, VALUE_TYPE_UNIT, unit);
    put_bytes(out, field, message.data, message.size);
    out->failed |= message.failed;
    bytes_release(&message);
}

/* Frames, the innermost first; then both values. */
static void put_sample(const GoStats *stats, uint32_t node, GoProfile profile, Bytes *packed, Bytes *message,
                       Bytes *out)
{
    bytes_clear(packed);
    bytes_clear(message);
    for (uint32_t at = node; at != 0; at = stats->nodes[at].parent)
        put_varint(packed, stats->nodes[at].frame);
    put_bytes(message, SAMPLE_LOCATION, packed->data, packed->size);
    bytes_clear(packed);
    put_varint(packed, stats->nodes[node].count[profile]);
    put_varint(packed, (uint64_t)stats->nodes[node].ns[profile]);
    put_bytes(message, SAMPLE_VALUE, packed->data, packed->size);
    put_bytes(out, PROFILE_SAMPLE, message->data, message->size);
}

/* A frame is a location and a function of its own: two lines of a function are told apart by the location
 * alone for who reads it, since names and files are equal. */
static void put_frame(const GoStackFrame *frame, uint32_t id, Bytes *line, Bytes *message, Bytes *out)
{
    bytes_clear(line);
    bytes_clear(message);
    put_u64(line, LINE_FUNCTION, id);
    put_u64(line, LINE_LINE, frame->line);
    put_u64(message, LOCATION_ID, id);
    put_u64(message, LOCATION_ADDRESS, frame->pc);
    put_bytes(message, LOCATION_LINE, line->data, line->size);
    put_bytes(out, PROFILE_LOCATION, message->data, message->size);
    bytes_clear(message);
    put_u64(message, FUNCTION_ID, id);
    put_u64(message, FUNCTION_NAME, string_of(frame->function));
    put_u64(message, FUNCTION_SYSTEM_NAME, string_of(frame->function));
    put_u64(message, FUNCTION_FILE, string_of(frame->file));
    put_bytes(out, PROFILE_FUNCTION, message->data, message->size);
}

bool go_pprof_write(const GoStats *stats, GoProfile profile, Bytes *out)
{
    Bytes scratch = { 0 }, message = { 0 };
    put_value_type(out, PROFILE_SAMPLE_TYPE, STRING_CONTENTIONS, STRING_COUNT);
    put_value_type(out, PROFILE_SAMPLE_TYPE, STRING_DELAY, STRING_NANOSECONDS);
    for (uint32_t i = 0; i < stats->node_count; i++) {
        if (stats->nodes[i].count[profile] > 0) put_sample(stats, i, profile, &scratch, &message, out);
    }
    for (uint32_t i = 1; i < stats->frame_count; i++)
        put_frame(&stats->frames[i], i, &scratch, &message, out);
    for (size_t i = 0; i < sizeof STRINGS / sizeof STRINGS[0]; i++)
        put_bytes(out, PROFILE_STRING, STRINGS[i], strlen(STRINGS[i]));
    for (uint32_t i = 1; i <= string_table_count(stats->texts); i++) {
        StringView text = string_table_view(stats->texts, (StringId){ i });
        put_bytes(out, PROFILE_STRING, text.bytes, text.size);
    }
    put_u64(out, PROFILE_DURATION, (uint64_t)(stats->end - stats->begin));
    put_value_type(out, PROFILE_PERIOD_TYPE, STRING_CONTENTIONS, STRING_COUNT);
    put_u64(out, PROFILE_PERIOD, 1);
    out->failed |= scratch.failed || message.failed;
    bytes_release(&scratch);
    bytes_release(&message);
    return !out->failed;
}
