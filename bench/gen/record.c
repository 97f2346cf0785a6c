#include "record.h"

#include <string.h>

/* -- text -- */

static uint8_t *put_bytes(uint8_t *at, const char *bytes, size_t size)
{
    memcpy(at, bytes, size);
    return at + size;
}

static uint8_t *put_text(uint8_t *at, const char *text)
{
    return put_bytes(at, text, strlen(text));
}

static uint8_t *put_decimal(uint8_t *at, uint64_t value)
{
    char  digits[20];
    char *first = digits + sizeof digits;
    do {
        *--first = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    return put_bytes(at, first, (size_t)(digits + sizeof digits - first));
}

/* Nanoseconds as microseconds with three decimals. */
static uint8_t *put_microseconds(uint8_t *at, uint64_t ns)
{
    unsigned rest = (unsigned)(ns % 1000);
    at = put_decimal(at, ns / 1000);
    *at++ = '.';
    *at++ = (uint8_t)('0' + rest / 100);
    *at++ = (uint8_t)('0' + rest / 10 % 10);
    *at++ = (uint8_t)('0' + rest % 10);
    return at;
}

/* The arguments of a call, the same text in every format; below 128 bytes. The escape and the nesting
 * are there to be read. */
static uint8_t *put_args(uint8_t *at, const Call *call)
{
    static const char *const FILES[] = {
        "src/main.c",     "src/render/batch.c", "assets/level_03/terrain.bin",
        "include/util.h", "fonts/sans.ttf",     "shader.\\u2603.glsl"
    };
    uint32_t bits = call->arg_bits;
    at = put_text(at, "{\"n\":");
    at = put_decimal(at, bits & 0xffff);
    if ((bits >> 16) % 3 == 0) {
        at = put_text(at, ",\"file\":\"");
        at = put_text(at, FILES[(bits >> 8) % (sizeof FILES / sizeof *FILES)]);
        *at++ = '"';
    }
    if ((bits >> 20) % 4 == 0) at = put_text(at, ",\"cache\":{\"hit\":true,\"ratio\":0.25}");
    *at++ = '}';
    return at;
}

/* -- Trace Event JSON: object form, one event a line; every event but the first brings its own comma -- */

static uint8_t *put_json_name_event(uint8_t *at, const char *event, uint32_t tid, const char *name)
{
    at = put_text(at, "{\"ph\":\"M\",\"pid\":");
    at = put_decimal(at, PROGRAM_PID);
    at = put_text(at, ",\"tid\":");
    at = put_decimal(at, tid);
    at = put_text(at, ",\"name\":\"");
    at = put_text(at, event);
    at = put_text(at, "\",\"args\":{\"name\":\"");
    at = put_text(at, name);
    return put_text(at, "\"}}");
}

static uint8_t *put_json_file_head(uint8_t *at)
{
    return put_text(at, "{\"traceEvents\":[\n");
}

static uint8_t *put_json_file_tail(uint8_t *at)
{
    return put_text(at, "\n],\"displayTimeUnit\":\"ns\"}\n");
}

static uint8_t *put_json_process_name(uint8_t *at, const char *name)
{
    return put_json_name_event(at, "process_name", PROGRAM_FIRST_TID, name);
}

static uint8_t *put_json_thread_name(uint8_t *at, uint32_t tid, const char *name)
{
    at = put_text(at, ",\n");
    return put_json_name_event(at, "thread_name", tid, name);
}

static uint8_t *put_json_head(uint8_t *at, char phase, uint32_t tid, uint64_t ns)
{
    at = put_text(at, ",\n{\"ph\":\"");
    *at++ = (uint8_t)phase;
    at = put_text(at, "\",\"pid\":");
    at = put_decimal(at, PROGRAM_PID);
    at = put_text(at, ",\"tid\":");
    at = put_decimal(at, tid);
    at = put_text(at, ",\"ts\":");
    return put_microseconds(at, ns);
}

static uint8_t *put_json_label(uint8_t *at, const Call *call)
{
    at = put_text(at, ",\"name\":\"");
    at = put_bytes(at, call->function->name, call->function->name_size);
    at = put_text(at, "\",\"cat\":\"function\"");
    if (call->function->has_args) {
        at = put_text(at, ",\"args\":");
        at = put_args(at, call);
    }
    *at++ = '}';
    return at;
}

static uint8_t *put_json_begin(uint8_t *at, const Call *call)
{
    at = put_json_head(at, 'B', call->tid, call->begin_ns);
    return put_json_label(at, call);
}

static uint8_t *put_json_end(uint8_t *at, const Call *call)
{
    at = put_json_head(at, 'E', call->tid, call->end_ns);
    *at++ = '}';
    return at;
}

static uint8_t *put_json_complete(uint8_t *at, const Call *call)
{
    at = put_json_head(at, 'X', call->tid, call->begin_ns);
    at = put_text(at, ",\"dur\":");
    at = put_microseconds(at, call->end_ns - call->begin_ns);
    return put_json_label(at, call);
}

/* -- .spall -- */

enum { SPALL_BEGIN = 3, SPALL_END = 4, SPALL_NAME_PROCESS = 8, SPALL_NAME_THREAD = 9 };

static uint8_t *put_little_endian(uint8_t *at, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        *at++ = (uint8_t)(value >> (8 * i));
    return at;
}

static uint8_t *put_double(uint8_t *at, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return put_little_endian(at, bits, 8);
}

/* offset 0 u64 magic, 8 u64 version, 16 f64 timestamp_unit, 24 u64 zero */
static uint8_t *put_spall_file_head(uint8_t *at, uint64_t version, double timestamp_unit)
{
    at = put_little_endian(at, 0x0badf00d, 8);
    at = put_little_endian(at, version, 8);
    at = put_double(at, timestamp_unit);
    return put_little_endian(at, 0, 8);
}

static uint8_t *put_spall_file_tail(uint8_t *at)
{
    return at;
}

/* u8 name size, u8 argument size, both texts: how a Begin ends in either version */
static uint8_t *put_spall_label(uint8_t *at, const Call *call)
{
    uint8_t args[256];
    uint8_t args_size = call->function->has_args ? (uint8_t)(put_args(args, call) - args) : 0;
    *at++ = call->function->name_size;
    *at++ = args_size;
    at = put_bytes(at, call->function->name, call->function->name_size);
    memcpy(at, args, args_size);
    return at + args_size;
}

static uint8_t *put_spall1_file_head(uint8_t *at)
{
    return put_spall_file_head(at, 1, 0.001); /* microseconds per tick */
}

static uint8_t *put_spall1_ids(uint8_t *at, const Call *call, uint64_t ns)
{
    at = put_little_endian(at, PROGRAM_PID, 4);
    at = put_little_endian(at, call->tid, 4);
    return put_double(at, (double)ns); /* exact: below 2^53 for 104 days */
}

static uint8_t *put_spall1_begin(uint8_t *at, const Call *call)
{
    *at++ = SPALL_BEGIN;
    *at++ = 0; /* category */
    at = put_spall1_ids(at, call, call->begin_ns);
    return put_spall_label(at, call);
}

static uint8_t *put_spall1_end(uint8_t *at, const Call *call)
{
    *at++ = SPALL_END;
    return put_spall1_ids(at, call, call->end_ns);
}

static uint8_t *put_spall3_file_head(uint8_t *at)
{
    return put_spall_file_head(at, 3, 1.0); /* nanoseconds per tick */
}

/* offset 0 u32 record bytes, 4 u32 tid, 8 u32 pid, 12 u64 time of the first record */
static void put_spall3_buffer_header(uint8_t *at, size_t record_bytes, uint32_t tid, uint64_t first_ns)
{
    at = put_little_endian(at, record_bytes, 4);
    at = put_little_endian(at, tid, 4);
    at = put_little_endian(at, PROGRAM_PID, 4);
    put_little_endian(at, first_ns, 8);
}

static uint8_t *put_spall3_name(uint8_t *at, uint8_t record, const char *name)
{
    *at++ = record;
    *at++ = (uint8_t)strlen(name);
    return put_text(at, name);
}

static uint8_t *put_spall3_process_name(uint8_t *at, const char *name)
{
    return put_spall3_name(at, SPALL_NAME_PROCESS, name);
}

static uint8_t *put_spall3_thread_name(uint8_t *at, uint32_t tid, const char *name)
{
    (void)tid; /* the buffer's header says it */
    return put_spall3_name(at, SPALL_NAME_THREAD, name);
}

static uint8_t *put_spall3_begin(uint8_t *at, const Call *call)
{
    *at++ = SPALL_BEGIN;
    at = put_little_endian(at, call->begin_ns, 8);
    return put_spall_label(at, call);
}

static uint8_t *put_spall3_end(uint8_t *at, const Call *call)
{
    *at++ = SPALL_END;
    return put_little_endian(at, call->end_ns, 8);
}

/* -- the table -- */

static const RecordFormat RECORD_FORMATS[] = {
    { .name = "json",
      .put_file_head = put_json_file_head,
      .put_file_tail = put_json_file_tail,
      .put_process_name = put_json_process_name,
      .put_thread_name = put_json_thread_name,
      .put_begin = put_json_begin,
      .put_end = put_json_end,
      .put_complete = put_json_complete },
    { .name = "spall1",
      .put_file_head = put_spall1_file_head,
      .put_file_tail = put_spall_file_tail,
      .put_begin = put_spall1_begin,
      .put_end = put_spall1_end },
    { .name = "spall3",
      .header_size = 20,
      .put_file_head = put_spall3_file_head,
      .put_file_tail = put_spall_file_tail,
      .put_buffer_header = put_spall3_buffer_header,
      .put_process_name = put_spall3_process_name,
      .put_thread_name = put_spall3_thread_name,
      .put_begin = put_spall3_begin,
      .put_end = put_spall3_end },
};

const RecordFormat *record_format_at(size_t index)
{
    return index < sizeof RECORD_FORMATS / sizeof *RECORD_FORMATS ? &RECORD_FORMATS[index] : NULL;
}

const RecordFormat *record_format_find(const char *name)
{
    for (size_t i = 0; record_format_at(i) != NULL; i++) {
        if (strcmp(RECORD_FORMATS[i].name, name) == 0) return &RECORD_FORMATS[i];
    }
    return NULL;
}
