/* Damaged `.varve` files: cut in many places, or changed in a few bits with checksums that match again. Each opens with a
 * sound trace or is refused with a message, and no event whose input is there is lost. */
#include "format/varve/writer.h"
#include "support/test.h"
#include "support/varve_repair.h"
#include "trace/file/arrays.h"

#include <string.h>

enum { CHANGES = 400, MOST_FLIPS = 4, STEP = 37 /* between the sizes of a mapped file */ };

/* Slices, instants, a counter, an arrow, an asynchronous slice, an object and samples of stacks. */
static const char SOURCE[] =
    "{\"traceEvents\":[\n"
    "{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"thread_name\",\"args\":{\"name\":\"main\"}},\n"
    "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":9,\"name\":\"outer\",\"args\":{\"n\":1}},\n"
    "{\"ph\":\"B\",\"pid\":1,\"tid\":1,\"ts\":2,\"name\":\"inner\",\"cat\":\"a,b\",\"sf\":2},\n"
    "{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":4,\"args\":{\"m\":2}},\n"
    "{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":5,\"s\":\"p\",\"name\":\"mark\"},\n"
    "{\"ph\":\"C\",\"pid\":1,\"ts\":1,\"name\":\"heap\",\"args\":{\"used\":3,\"free\":4}},\n"
    "{\"ph\":\"C\",\"pid\":1,\"ts\":6,\"name\":\"heap\",\"args\":{\"used\":5,\"free\":2}},\n"
    "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":3,\"dur\":4,\"name\":\"other\"},\n"
    "{\"ph\":\"s\",\"pid\":1,\"tid\":1,\"ts\":3,\"id\":7,\"name\":\"arrow\"},\n"
    "{\"ph\":\"f\",\"pid\":1,\"tid\":2,\"ts\":4,\"id\":7,\"name\":\"arrow\",\"bp\":\"e\"},\n"
    "{\"ph\":\"b\",\"pid\":1,\"tid\":1,\"ts\":1,\"id\":8,\"cat\":\"net\",\"name\":\"get\"},\n"
    "{\"ph\":\"e\",\"pid\":1,\"tid\":2,\"ts\":8,\"id\":8,\"cat\":\"net\",\"name\":\"get\"},\n"
    "{\"ph\":\"N\",\"pid\":1,\"tid\":1,\"ts\":2,\"id\":9,\"name\":\"Thing\"},\n"
    "{\"ph\":\"O\",\"pid\":1,\"tid\":1,\"ts\":3,\"id\":9,\"name\":\"Thing\",\"args\":{\"snapshot\":{\"a\":1}}"
    "},\n"
    "{\"ph\":\"D\",\"pid\":1,\"tid\":1,\"ts\":9,\"id\":9,\"name\":\"Thing\"}],\n"
    "\"samples\":[{\"cpu\":0,\"tid\":1,\"ts\":2,\"name\":\"cycles\",\"sf\":2,\"weight\":1}],\n"
    "\"stackFrames\":{\"1\":{\"name\":\"a\"},\"2\":{\"name\":\"b\",\"parent\":\"1\"}}}\n";

static const LoadOptions ONE_THREAD = { .threads = 1 };

static Loaded load_source(void)
{
    Loaded loaded;
    Err    err;
    CHECK_DONE(load_bytes(SOURCE, sizeof SOURCE - 1, "source.json", &ONE_THREAD, &loaded, &err), err);
    return loaded;
}

static Bytes make_file(const Loaded *loaded, VarvePacking packing)
{
    const VarveFileOptions options = { .packing = packing, .details = VARVE_DETAILS_STORED };
    WriterReport           report = { .loss_count = 0 };
    Bytes                  file = { 0 };
    const OutputSink       sink = output_to_bytes(&file);
    Err                    err;
    CHECK_DONE(trace_file_write(loaded, &options, &sink, &report, &err), err);
    CHECK_UINT(report.loss_count, 0);
    return file;
}

/* Checks the trace of a file that opened: every invariant, and the arguments of every event. */
static void check_loaded(const Loaded *loaded)
{
    Err err;
    CHECK_DONE(trace_check_rows(loaded->trace, &err), err);
    for (uint64_t i = 0; i < loaded->trace->slices.count; i++) {
        EventDetails details = { 0 };
        const bool   done = load_slice_details(loaded, i, &details, &err);
        CHECK(done || err.code != ERR_NONE);
        bytes_release(&details.args);
        bytes_release(&details.other);
    }
}

/* Opens a file; *slices = their number. False: it was refused, with a message. */
static bool opens(const Bytes *file, size_t size, uint64_t *slices)
{
    Loaded loaded;
    Err    err = { .code = ERR_NONE };
    if (!load_bytes(file->data, size, "damaged.varve", &ONE_THREAD, &loaded, &err)) {
        CHECK(err.code != ERR_NONE && err.message[0] != '\0');
        return false;
    }
    check_loaded(&loaded);
    *slices = loaded.trace->slices.count;
    loaded_release(&loaded);
    return true;
}

static void cut(VarvePacking packing, size_t step)
{
    Loaded         source = load_source();
    Bytes          file = make_file(&source, packing);
    const uint64_t all = source.trace->slices.count;
    size_t         opened = 0;
    for (size_t size = 0; size < file.size; size += step) {
        uint64_t slices = 0;
        if (!opens(&file, size, &slices)) {
            CHECK_UINT(opened, 0); /* the input is at the begin: each longer part opens too */
            continue;
        }
        CHECK_UINT(slices, all);
        opened++;
    }
    CHECK(opened > file.size / step / 2);
    bytes_release(&file);
    loaded_release(&source);
}

TEST(every_prefix_of_a_packed_file_opens_with_all_events_or_is_refused)
{
    if (!arrays_host_is_supported()) return;
    cut(VARVE_PACKED, 1);
}

TEST(prefixes_of_a_mapped_file_open_with_all_events_or_are_refused)
{
    if (!arrays_host_is_supported()) return;
    cut(VARVE_MAPPED, STEP);
}

static void flip(VarvePacking packing)
{
    Loaded   source = load_source();
    Bytes    file = make_file(&source, packing);
    uint32_t seed = 1;
    size_t   opened = 0;
    for (int i = 0; i < CHANGES; i++) {
        Bytes    copy = { 0 };
        uint64_t slices;
        bytes_append(&copy, file.data, file.size);
        CHECK(!copy.failed);
        for (int f = 0; f <= i % MOST_FLIPS; f++) {
            seed = seed * 1664525u + 1013904223u;
            copy.data[(seed >> 4) % copy.size] ^= (uint8_t)(1u << (seed >> 29));
        }
        varve_repair(copy.data, copy.size);
        opened += opens(&copy, copy.size, &slices);
        bytes_release(&copy);
    }
    CHECK(opened > CHANGES / 10);
    bytes_release(&file);
    loaded_release(&source);
}

TEST(a_packed_file_with_changed_bits_opens_with_a_sound_trace_or_is_refused)
{
    if (!arrays_host_is_supported()) return;
    flip(VARVE_PACKED);
}

TEST(a_mapped_file_with_changed_bits_opens_with_a_sound_trace_or_is_refused)
{
    if (!arrays_host_is_supported()) return;
    flip(VARVE_MAPPED);
}

/* The begin of a file is enough: the machine is checked after the version. */
TEST(a_big_endian_machine_refuses_to_read_and_write)
{
    static const char      HEADER[] = "\x89VARVE\r\n\x01\0\0";
    const VarveFileOptions options = { .packing = VARVE_PACKED, .details = VARVE_DETAILS_STORED };
    WriterReport           report = { .loss_count = 0 };
    Bytes                  file = { 0 };
    const OutputSink       sink = output_to_bytes(&file);
    Loaded                 source = load_source(), loaded;
    Err                    err;
    if (!arrays_host_is_supported()) {
        CHECK(!trace_file_write(&source, &options, &sink, &report, &err));
        CHECK_STRING(err.message, "varve: not written on a big-endian machine");
        CHECK(!load_bytes(HEADER, sizeof HEADER, "x.varve", &ONE_THREAD, &loaded, &err));
        CHECK_STRING(err.message, ".varve files are not read on a big-endian machine");
    }
    bytes_release(&file);
    loaded_release(&source);
}

TEST_MAIN("varve_damage", TEST_CASE(every_prefix_of_a_packed_file_opens_with_all_events_or_is_refused),
          TEST_CASE(prefixes_of_a_mapped_file_open_with_all_events_or_are_refused),
          TEST_CASE(a_packed_file_with_changed_bits_opens_with_a_sound_trace_or_is_refused),
          TEST_CASE(a_mapped_file_with_changed_bits_opens_with_a_sound_trace_or_is_refused),
          TEST_CASE(a_big_endian_machine_refuses_to_read_and_write))
