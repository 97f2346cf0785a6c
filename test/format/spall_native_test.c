/* Native streams: handwritten records, buffers and damage; and every call of a long generated one. */
#include "format/spall_support.h"

#include <stdio.h>
#include <string.h>

/* -- making -- */

static void put_u16(Bytes *out, unsigned value)
{
    put_u8(out, value & 0xFF);
    put_u8(out, value >> 8);
}

static void put_native_header(Bytes *out, uint64_t version, const char *path)
{
    put_u64(out, 0xABADF00D);
    put_u64(out, version);
    put_f64(out, 1);
    put_u64(out, 0x400000);
    put_u16(out, (unsigned)strlen(path));
    bytes_append_text(out, path);
}

static size_t native_frame_begin(Bytes *out, uint32_t tid, uint64_t first_ts)
{
    size_t frame = out->size;
    put_u32(out, 0);
    put_u32(out, tid);
    put_u64(out, first_ts);
    put_u32(out, 0xFFFFFFFF); /* max_depth, which must not be trusted */
    return frame;
}

static void native_frame_end(Bytes *out, size_t frame)
{
    uint32_t size = (uint32_t)(out->size - frame - 20);
    for (size_t i = 0; i < 4; i++)
        out->data[frame + i] = (uint8_t)(size >> (8 * i));
}

/* The state of a recorder in a buffer. */
typedef struct Packer {
    Bytes   *out;
    uint64_t time, address, caller;
} Packer;

static unsigned log2_bytes(uint64_t value)
{
    return value >> 8 == 0 ? 0 : value >> 16 == 0 ? 1 : value >> 32 == 0 ? 2 : 3;
}

static void put_packed(Bytes *out, uint64_t value, unsigned log2)
{
    for (unsigned i = 0; i < 1u << log2; i++)
        put_u8(out, value >> (8 * i) & 0xFF);
}

static void pack_begin(Packer *p, uint64_t time, uint64_t address, uint64_t caller)
{
    uint64_t dt = time - p->time, da = address ^ p->address, dc = caller ^ p->caller;
    put_u8(p->out, log2_bytes(dt) << 4 | log2_bytes(da) << 2 | log2_bytes(dc));
    put_packed(p->out, dt, log2_bytes(dt));
    put_packed(p->out, da, log2_bytes(da));
    put_packed(p->out, dc, log2_bytes(dc));
    *p = (Packer){ p->out, time, address, caller };
}

static void pack_end(Packer *p, uint64_t time)
{
    uint64_t dt = time - p->time;
    put_u8(p->out, 0x40 | log2_bytes(dt) << 4);
    put_packed(p->out, dt, log2_bytes(dt));
    p->time = time;
}

/* -- a stream written byte by byte -- */

TEST(dump_of_a_native_stream)
{
    Bytes file = { 0 };
    put_hex(
        &file,
        "0d f0 ad ab 00 00 00 00  03 00 00 00 00 00 00 00  00 00 00 00 00 00 e0 3f  00 00 40 00 00 00 00 00 "
        "02 00 2f 61  15 00 00 00  07 00 00 00  00 50 00 00 00 00 00 00  02 00 00 00 "
        "0a 00 30 11 40 00 50 10 40 00  90 10 02 00 68 69  40 20  50 30 01");
    CHECK_UINT(file.size, 77);
    CHECK_INT(SPALL_READER.probe(file.data, file.size), 100);
    check_text(&file,
               "spall 3, clock ticks 1/2, 20480..20832\n"
               "'timestamp_unit' 0.5\n"
               "'stream' \"auto\"\n"
               "'program_path' \"/a\"\n"
               "'base_address' \"0x400000\"\n"
               "'MicroBegin' x 1\n"
               "'MicroEnd' x 2\n"
               "'Begin' x 1\n"
               "no-symbols x 1: functions are shown by address: no executable was looked for (byte 56, "
               "event 0)\n"
               "track kind 0 pid 0 'a' tid 7 (none)\n"
               "  0.0 20480..20832 '0x401130'  {\"address\":\"0x401130\",\"caller\":\"0x401050\"}\n"
               "  0.1 20496..20528 'hi'\n");
}

/* -- headers -- */

TEST(native_headers_that_are_too_short_are_refused)
{
    Bytes file = { 0 };
    put_native_header(&file, 3, "/opt/app");
    for (size_t size = 8; size < file.size; size++) {
        Built built = built_from(file.data, size, (Pieces){ 0 });
        CHECK(built.trace == NULL);
        CHECK_INT(built.err.code, ERR_TRUNCATED);
        CHECK(strstr(built.err.message, "too short for a spall header") != NULL);
    }
    Trace *trace = built_whole(&file);
    CHECK_UINT(warning_count(trace, "empty-trace", NULL), 1);
    CHECK_UINT(trace->records.warning_count, 1); /* without a function, no name is missing */
    CHECK(trace->source.complete);
    trace_release(trace);
}

TEST(unknown_native_versions_are_refused_with_their_number)
{
    static const struct {
        uint64_t    version;
        const char *refusal;
    } CASES[] = { { 0, "refused (version): unsupported auto-tracing version 0 (byte 8)\n" },
                  { 4, "refused (version): unsupported auto-tracing version 4 (byte 8)\n" } };
    for (size_t i = 0; i < 2; i++) {
        Bytes file = { 0 };
        put_native_header(&file, CASES[i].version, "");
        check_text(&file, CASES[i].refusal);
    }
}

/* -- versions 1 and 2: unreleased layouts -- */

/* Writes one buffer of one call, with `header` bytes before its records, as the layouts of some weeks. */
static void put_unreleased(Bytes *file, uint64_t version, const char *records)
{
    put_native_header(file, version, "/opt/app");
    size_t frame = file->size;
    put_u32(file, 0);
    put_u32(file, 7);
    put_hex(file, records);
    file->data[frame] = (uint8_t)(file->size - frame - 8);
}

TEST(layouts_that_were_never_released_are_refused)
{
    static const struct {
        uint64_t    version;
        const char *records; /* from the buffer's third field on */
    } CASES[] = {
        { 1, "88 13 00 00 00 00 00 00  01 00 00 10 40 00 00 00 00 00 20 10 40 00 00 00 00 00  05 09" },
        { 1, "88 13 00 00 00 00 00 00  4a 00 00 10 40 00 20 10 40 00  80 09" },
        { 2, "88 13 00 00 00 00 00 00  0a 00 00 10 40 00 20 10 40 00  40 09" },
        { 2, "88 13 00 00 00 00 00 00  80 88 13 00 00 00 00 00 00 02 00 68 69  40 09" },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Bytes file = { 0 };
        put_unreleased(&file, CASES[i].version, CASES[i].records);
        Built built = built_from(file.data, file.size, (Pieces){ 0 });
        CHECK(built.trace == NULL);
        CHECK_INT(built.err.code, ERR_VERSION);
        CHECK(strstr(built.err.message, "from an unreleased spall-native build; re-record") != NULL);
        bytes_release(&file);
    }
}

/* Many records that fit identify the layout: bytes after them are damage like any other. */
TEST(a_released_version_2_may_be_damaged)
{
    Bytes file = { 0 };
    put_native_header(&file, 2, "/opt/app");
    size_t frame = native_frame_begin(&file, 7, 100);
    Packer packer = { .out = &file, .time = 100 };
    for (uint64_t i = 0; i < 40; i++) {
        pack_begin(&packer, 100 + i, 0x401000, 0x401020);
        pack_end(&packer, 100 + i);
    }
    put_u8(&file, 0xFF);
    native_frame_end(&file, frame);
    frame = native_frame_begin(&file, 8, 500);
    packer = (Packer){ .out = &file, .time = 500 };
    pack_begin(&packer, 500, 0x401000, 0x401020);
    pack_end(&packer, 600);
    native_frame_end(&file, frame);
    file.size -= 1;
    Trace *trace = built_whole(&file);
    CHECK_UINT(warning_count(trace, "invalid-record", NULL), 1);
    CHECK_UINT(warning_count(trace, "truncated-buffer", NULL), 1);
    CHECK_UINT(trace->slices.count, 41);
    CHECK(!trace->source.complete);
    trace_release(trace);
}

/* -- damage in version 3 -- */

static Trace *trace_of_records(const char *first, const char *second)
{
    Bytes  file = { 0 };
    size_t frame;
    put_native_header(&file, 3, "/opt/app");
    frame = native_frame_begin(&file, 7, 100);
    put_hex(&file, first);
    native_frame_end(&file, frame);
    frame = native_frame_begin(&file, 8, 100);
    put_hex(&file, second);
    native_frame_end(&file, frame);
    return built_whole(&file);
}

TEST(what_is_no_record_costs_the_rest_of_its_buffer)
{
    static const struct {
        const char *bad, *message;
    } CASES[] = {
        { "C0", "invalid record tag 0xc0; the rest of its buffer is left out" },
        { "FF", "invalid record tag 0xff; the rest of its buffer is left out" },
        { "41", "invalid record tag 0x41; the rest of its buffer is left out" },
        { "A0", "invalid record tag 0xa0; the rest of its buffer is left out" },
        { "80", "invalid record tag 0x80; the rest of its buffer is left out" },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char           first[64];
        const Warning *warning = NULL;
        snprintf(first, sizeof first, "00 00 11 22  40 05  %s 00 00 00 00 00", CASES[i].bad);
        Trace *trace = trace_of_records(first, "00 01 33 44 40 02");
        CHECK_UINT(warning_count(trace, "invalid-record", &warning), 1);
        CHECK_STRING(warning->first.message, CASES[i].message);
        CHECK_UINT(warning->first.event, 2);
        CHECK_UINT(trace->slices.count, 2);
        CHECK(!trace->source.complete);
        trace_release(trace);
    }
}

TEST(native_records_past_their_buffer_cost_themselves)
{
    static const char *const LONG[] = { "3F 00 00", "50 01", "90 00 05 00 68 69", "93 00 00 10 00 00 68" };
    for (size_t i = 0; i < sizeof LONG / sizeof LONG[0]; i++) {
        char first[64];
        snprintf(first, sizeof first, "00 00 11 22  40 05  %s", LONG[i]);
        Trace *trace = trace_of_records(first, "00 01 33 44 40 02");
        CHECK_UINT(warning_count(trace, "record-past-buffer", NULL), 1);
        CHECK_UINT(trace->slices.count, 2);
        trace_release(trace);
    }
}

TEST(unmatched_and_open_native_calls_are_counted)
{
    Trace *trace = trace_of_records("40 01 40 01 00 00 11 22", "00 01 33 44 40 02");
    CHECK_UINT(warning_count(trace, "unmatched-end", NULL), 2);
    CHECK_UINT(warning_count(trace, "unfinished-slice", NULL), 1);
    CHECK_UINT(trace->slices.count, 2);
    trace_release(trace);
}

/* -- zeros -- */

static Trace *trace_of_zeros(size_t zeros, bool in_buffer, bool something_follows)
{
    Bytes file = { 0 };
    put_native_header(&file, 3, "/opt/app");
    size_t frame = native_frame_begin(&file, 7, 100);
    Packer packer = { .out = &file, .time = 100 };
    pack_begin(&packer, 100, 0x401000, 0x401020);
    if (!in_buffer) native_frame_end(&file, frame);
    for (size_t i = 0; i < zeros; i++)
        put_u8(&file, 0);
    if (in_buffer) native_frame_end(&file, frame);
    if (something_follows) {
        frame = native_frame_begin(&file, 7, 100);
        put_hex(&file, "40 05");
        native_frame_end(&file, frame);
    }
    return built_whole(&file);
}

TEST(zeros_are_records_where_something_follows)
{
    Trace *trace = trace_of_zeros(400, true, true);
    CHECK_UINT(trace->slices.count, 101);
    CHECK_UINT(warning_count(trace, "zero-tail", NULL), 0);
    trace_release(trace);
    trace = trace_of_zeros(20, true, false); /* too few for the end of the input */
    CHECK_UINT(trace->slices.count, 6);
    trace_release(trace);
}

TEST(zeros_at_the_end_hold_nothing)
{
    static const struct {
        size_t zeros;
        bool   in_buffer;
    } CASES[] = {
        { 64, true }, { 401, true }, { 403, false }, { 5000, true }, { 3000000, true }, { 7, false }
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const Warning *warning = NULL;
        char           expected[80];
        Trace         *trace = trace_of_zeros(CASES[i].zeros, CASES[i].in_buffer, false);
        CHECK_UINT(trace->slices.count, 1);
        CHECK_UINT(warning_count(trace, "zero-tail", &warning), 1);
        snprintf(expected, sizeof expected, "%zu zero bytes where records should be", CASES[i].zeros);
        CHECK_STRING(warning->first.message, expected);
        CHECK(trace->source.complete);
        trace_release(trace);
    }
}

TEST(a_million_zeros_in_a_buffer_are_damage)
{
    Trace *trace = trace_of_zeros(3000000, true, true);
    CHECK_UINT(trace->slices.count, 1);
    CHECK_UINT(warning_count(trace, "invalid-record", NULL), 1);
    CHECK(!trace->source.complete);
    trace_release(trace);
}

/* -- a long stream, compared with its calls -- */

enum { LONG_CALLS = 20000, LONG_FUNCTIONS = 50 };

typedef struct Call {
    uint64_t time, address, caller;
} Call;

/* Writes calls of random functions one after the other, in two large buffers. */
static void put_long_stream(Bytes *file, Call *calls)
{
    TestRandom random = { 3 };
    uint64_t   time = 1000;
    put_native_header(file, 3, "/opt/app");
    for (size_t half = 0; half < 2; half++) {
        size_t frame = native_frame_begin(file, 7, time);
        Packer packer = { .out = file, .time = time };
        for (size_t i = 0; i < LONG_CALLS / 2; i++) {
            Call *call = &calls[half * (LONG_CALLS / 2) + i];
            call->time = time;
            call->address = 0x401000 + test_random_below(&random, LONG_FUNCTIONS) * 0x10;
            call->caller = test_random(&random) >> (test_random_below(&random, 4) * 16);
            pack_begin(&packer, time, call->address, call->caller);
            time += 1 + test_random_below(&random, i % 7 == 0 ? UINT64_C(1) << 34 : 90);
            pack_end(&packer, time);
            time += test_random_below(&random, 2000);
        }
        native_frame_end(file, frame);
    }
}

TEST(every_call_of_a_long_stream_is_known)
{
    Arena arena = arena_create(0);
    Call *calls = ARENA_ARRAY(&arena, Call, LONG_CALLS);
    Bytes file = { 0 }, copy = { 0 };
    put_long_stream(&file, calls);
    bytes_append(&copy, file.data, file.size);
    Trace *trace = built_whole(&copy);
    CHECK_UINT(trace->slices.count, LONG_CALLS);
    for (uint64_t i = 0; i < LONG_CALLS; i++) {
        char         address[24], expected[96];
        uint64_t     offset = 0;
        EventDetails details = { 0 };
        EventBytes   none = { .bytes = NULL };
        Err          err;
        snprintf(address, sizeof address, "0x%llx", (unsigned long long)calls[i].address);
        snprintf(expected, sizeof expected, "{\"address\":\"%s\",\"caller\":\"0x%llx\"}", address,
                 (unsigned long long)calls[i].caller);
        CHECK(trace_slice_begin(trace, i) == (int64_t)calls[i].time);
        CHECK_STRING(trace_label_name(trace, trace_slice_label(trace, i)).bytes, address);
        CHECK(trace_slice_source(trace, i, &offset));
        uint64_t from = SPALL_READER.lead(trace, offset);
        CHECK(from <= offset && offset - from < 2100); /* limited, however long the buffer is */
        EventBytes begin = {
            .bytes = file.data + offset, .size = 25, .offset = offset, .lead = (size_t)(offset - from)
        };
        CHECK_DONE(SPALL_READER.details(trace, &begin, &none, &details, &err), err);
        put_u8(&details.other, 0);
        CHECK_STRING((const char *)details.other.data, expected);
        bytes_clear(&details.other);
        begin.lead--; /* one byte less before it is not sufficient */
        if (from < offset) {
            CHECK(!SPALL_READER.details(trace, &begin, &none, &details, &err));
            CHECK_INT(err.code, ERR_TRUNCATED);
        }
        bytes_release(&details.other);
    }
    trace_release(trace);
    bytes_release(&file);
    arena_release(&arena);
}

TEST(many_functions_are_distinguished)
{
    enum { FUNCTIONS = 5000 };
    Bytes file = { 0 };
    put_native_header(&file, 3, "/opt/app");
    size_t frame = native_frame_begin(&file, 7, 1);
    Packer packer = { .out = &file, .time = 1 };
    for (uint64_t i = 0; i < 2 * FUNCTIONS; i++) {
        pack_begin(&packer, 1 + i, i % FUNCTIONS * UINT64_C(0x100000001), 1);
        pack_end(&packer, 1 + i);
    }
    native_frame_end(&file, frame);
    Trace *trace = built_whole(&file);
    CHECK_UINT(trace->label_count, FUNCTIONS);
    for (uint64_t i = 0; i < FUNCTIONS; i++) {
        char expected[24];
        snprintf(expected, sizeof expected, "0x%llx", (unsigned long long)(i * UINT64_C(0x100000001)));
        CHECK_STRING(trace_label_name(trace, trace_slice_label(trace, FUNCTIONS + i)).bytes, expected);
    }
    trace_release(trace);
}

TEST_MAIN("spall_native", TEST_CASE(dump_of_a_native_stream),
          TEST_CASE(native_headers_that_are_too_short_are_refused),
          TEST_CASE(unknown_native_versions_are_refused_with_their_number),
          TEST_CASE(layouts_that_were_never_released_are_refused),
          TEST_CASE(a_released_version_2_may_be_damaged),
          TEST_CASE(what_is_no_record_costs_the_rest_of_its_buffer),
          TEST_CASE(native_records_past_their_buffer_cost_themselves),
          TEST_CASE(unmatched_and_open_native_calls_are_counted),
          TEST_CASE(zeros_are_records_where_something_follows), TEST_CASE(zeros_at_the_end_hold_nothing),
          TEST_CASE(a_million_zeros_in_a_buffer_are_damage), TEST_CASE(every_call_of_a_long_stream_is_known),
          TEST_CASE(many_functions_are_distinguished))
