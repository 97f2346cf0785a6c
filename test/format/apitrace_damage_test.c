/* Damaged files, and properties of all captures. */
#include "format/apitrace_support.h"

#include "codec/encoder.h"
#include "format/text.h"

#include <stdio.h>
#include <string.h>

static const char *const SMALL[] = { "synthetic_v0.trace", "synthetic_v2.trace", "synthetic_v3.trace",
                                     "synthetic_v4.trace", "synthetic_v5.trace", "synthetic_kinds_v6.trace" };
enum { SMALL_COUNT = sizeof SMALL / sizeof SMALL[0] };

static void text_of(const Bytes *stream, size_t size, Pieces pieces, Bytes *text)
{
    Built built = built_stream(stream, size, pieces);
    bytes_clear(text);
    if (built.trace == NULL) {
        bytes_printf(text, "%s", built.err.message);
        return;
    }
    Err check;
    CHECK_DONE(trace_check(built.trace, &check), check);
    trace_text(built.trace, text);
    trace_release(built.trace);
}

TEST(any_pieces_give_the_same_trace)
{
    for (size_t i = 0; i < SMALL_COUNT; i++) {
        Bytes stream = { 0 };
        capture_stream(SMALL[i], &stream);
        check_any_pieces(text_of, &stream);
        bytes_release(&stream);
    }
}

static void check_prefix(const char *path, size_t size, const Bytes *file)
{
    FILE *stream = fopen(path, "wb");
    CHECK(stream != NULL && fwrite(file->data, 1, size, stream) == size && fclose(stream) == 0);
}

/* Every prefix opens, with an increasing number of calls, and its text is a prefix of the whole one except for calls
 * that do not return. */
TEST(every_prefix_of_a_stream_opens)
{
    for (size_t i = 0; i < SMALL_COUNT; i++) {
        Bytes stream = { 0 };
        capture_stream(SMALL[i], &stream);
        uint64_t most = 0;
        for (size_t size = 1; size < stream.size; size++) {
            Built  built = built_stream(&stream, size, (Pieces){ 0 });
            Trace *trace = built.trace;
            if (trace == NULL) {
                CHECK_INT(built.err.code, ERR_UNKNOWN);
                CHECK(size < 200); /* the header */
                continue;
            }
            Err err;
            CHECK_DONE(trace_check(trace, &err), err);
            CHECK(trace->slices.count + 1 >= most); /* the last frame comes and goes */
            if (trace->slices.count > most) most = trace->slices.count;
            trace_release(trace);
        }
        CHECK(most > 40);
        bytes_release(&stream);
    }
}

/* Every slice that came from an event has details, also a call whose return is cut. */
static void check_all_details(const Loaded *loaded)
{
    for (uint64_t i = 0; i < loaded->trace->slices.count; i++) {
        EventDetails details = { 0 };
        Err          err;
        CHECK_DONE(load_slice_details(loaded, i, &details, &err), err);
        bytes_release(&details.args);
        bytes_release(&details.other);
    }
}

TEST(every_prefix_of_a_container_opens)
{
    char path[512], cut[512];
    capture_path("synthetic_v5.trace", path, sizeof path);
    test_scratch_path("cut.trace", cut, sizeof cut);
    Bytes file = { 0 };
    read_whole(path, &file);
    uint64_t most = 0;
    for (size_t size = 12; size < file.size; size++) {
        Loaded loaded;
        Err    err;
        check_prefix(cut, size, &file);
        if (!load_file(cut, NULL, &loaded, &err)) {
            CHECK_INT(err.code, ERR_UNKNOWN);
            CHECK(most == 0);
            continue;
        }
        CHECK(!loaded.trace->source.complete);
        CHECK(loaded.trace->slices.count + 1 >= most);
        most = loaded.trace->slices.count;
        check_all_details(&loaded);
        loaded_release(&loaded);
    }
    CHECK(most > 50);
    bytes_release(&file);
}

TEST(any_byte_may_be_wrong)
{
    TestRandom random = { 9 };
    for (size_t i = 0; i < SMALL_COUNT; i++) {
        Bytes stream = { 0 };
        capture_stream(SMALL[i], &stream);
        check_any_byte(text_of, &stream, 0, &random);
        bytes_release(&stream);
    }
}

/* The text and the trace of damaged captures have the same calls. */
TEST(text_of_damaged_captures)
{
    char       path[512];
    TestRandom random = { 4 };
    test_scratch_path("damaged.trace", path, sizeof path);
    for (size_t i = 0; i < SMALL_COUNT; i++) {
        Bytes stream = { 0 };
        capture_stream(SMALL[i], &stream);
        for (int turn = 0; turn < 60; turn++) {
            size_t     at = 40 + (size_t)test_random_below(&random, stream.size - 40);
            uint8_t    before = stream.data[at];
            Bytes      text = { 0 };
            TextResult result = { .complete = true };
            Err        err;
            stream.data[at] = (uint8_t)test_random(&random);
            check_prefix(path, stream.size, &stream);
            CHECK_DONE(capture_text(path, (Asked){ NULL, 2 }, &text, &result, &err), err);
            CHECK(!text.failed);
            bytes_release(&text);
            stream.data[at] = before;
        }
        bytes_release(&stream);
    }
}

static Built in_blocks(const Bytes *stream)
{
    return built_stream(stream, stream->size, (Pieces){ .fixed = 1024 });
}

TEST(running_out_of_memory_is_an_error_and_no_crash)
{
    for (size_t i = 0; i < SMALL_COUNT; i++) {
        Bytes stream = { 0 };
        capture_stream(SMALL[i], &stream);
        check_every_allocation(in_blocks, &stream);
        bytes_release(&stream);
    }
}

TEST(text_without_memory_is_an_error_and_no_crash)
{
    char path[512];
    capture_path("synthetic_kinds_v6.trace", path, sizeof path);
    for (uint64_t n = 0;; n++) {
        Bytes      text = { 0 };
        TextResult result = { .complete = true };
        Err        err;
        CHECK(bytes_reserve(&text, 1 << 16) != NULL);
        memory_fail_after(n);
        bool done = capture_text(path, (Asked){ NULL, 1 }, &text, &result, &err);
        memory_fail_after(UINT64_MAX);
        bytes_release(&text);
        if (done && result.complete) break;
        if (!done && err.code != ERR_MEMORY) printf("# n %d: %s\n", (int)n, err.message);
        CHECK(done || err.code == ERR_MEMORY);
        CHECK(n < 10000);
    }
}

/* -- hostile sizes -- */

static void begin_stream(Bytes *stream)
{
    put_byte(stream, 6), put_byte(stream, 6), put_byte(stream, 0);
    put_byte(stream, 0), put_number(stream, 0), put_number(stream, 1);
    put_name(stream, "f"), put_number(stream, 1), put_name(stream, "x");
    put_byte(stream, 1), put_number(stream, 0);
}

static void check_fault(Bytes *stream, const char *message)
{
    Built  built = built_stream(stream, stream->size, (Pieces){ 0 });
    Trace *trace = built.trace;
    CHECK_DONE(trace != NULL, built.err);
    CHECK(!trace->source.complete);
    CHECK_UINT(trace->records.warning_count, 1);
    CHECK_STRING(trace->records.warnings[0].first.message, message);
    trace_release(trace);
    bytes_release(stream);
}

TEST(sizes_that_cannot_be)
{
    Bytes stream = { 0 };
    begin_stream(&stream);
    put_byte(&stream, 8), put_number(&stream, UINT64_C(1) << 40);
    check_fault(&stream, "a string or blob is larger than 1 GiB: nothing behind it can be read");
    begin_stream(&stream);
    for (int i = 0; i < 100; i++)
        put_byte(&stream, 11), put_number(&stream, 1);
    put_byte(&stream, 0), put_byte(&stream, 0);
    check_fault(&stream, "values are nested too deeply: nothing behind it can be read");
    begin_stream(&stream);
    put_byte(&stream, 11), put_number(&stream, UINT64_MAX), put_byte(&stream, 0);
    check_fault(&stream, "the last event is cut short after 22 bytes");
    begin_stream(&stream);
    put_byte(&stream, 4);
    for (int i = 0; i < 11; i++)
        put_byte(&stream, 0xff);
    check_fault(&stream, "a number has more than 64 bits: nothing behind it can be read");
    begin_stream(&stream);
    put_byte(&stream, 12), put_number(&stream, UINT64_C(1) << 30);
    check_fault(&stream, "an id is larger than any can be: nothing behind it can be read");
    begin_stream(&stream);
    put_byte(&stream, 99);
    check_fault(&stream, "a value is of an unknown kind: nothing behind it can be read");
}

static void pack(const Bytes *stream, CodecKind kind, const char *path)
{
    Bytes    file = { 0 };
    Err      err;
    Encoder *encoder = encoder_open(kind, encoder_levels(kind).least, &err);
    CHECK(encoder != NULL && encoder_run(encoder, stream->data, stream->size, &file, &err) &&
          encoder_finish(encoder, &file, &err));
    encoder_close(encoder);
    check_prefix(path, file.size, &file);
    bytes_release(&file);
}

static void check_refused(const char *path, const char *message)
{
    Loaded     loaded;
    TextResult result;
    Bytes      text = { 0 };
    Err        err;
    CHECK(!load_file(path, NULL, &loaded, &err));
    CHECK_INT(err.code, ERR_VERSION);
    CHECK_UINT(err.offset, 0);
    CHECK_STRING(err.message, message);
    CHECK(!capture_text(path, (Asked){ NULL, 1 }, &text, &result, &err));
    CHECK_INT(err.code, ERR_VERSION);
    CHECK_STRING(err.message, message);
    bytes_release(&text);
}

TEST(versions_above_6_are_refused_by_their_number)
{
    static const CodecKind KINDS[] = { CODEC_SNAPPY, CODEC_GZIP, CODEC_BROTLI, CODEC_ZSTD };
    char                   path[512];
    Bytes                  stream = { 0 };
    test_scratch_path("newer.trace", path, sizeof path);
    capture_stream("synthetic_kinds_v6.trace", &stream);
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
        stream.data[0] = 7;
        pack(&stream, KINDS[i], path);
        check_refused(path, "not an apitrace capture of version 0 to 6: its version number is 7");
        stream.data[0] = 99;
        pack(&stream, KINDS[i], path);
        check_refused(path, "not an apitrace capture of version 0 to 6: its version number is 99");
    }
    check_prefix(path, stream.size, &stream); /* without a container */
    check_refused(path, "not an apitrace capture of version 0 to 6: its version number is 99");
    bytes_clear(&stream);
    put_number(&stream, 300);
    bytes_append_text(&stream, "the following bytes are unknown");
    pack(&stream, CODEC_SNAPPY, path);
    check_refused(path, "not an apitrace capture of version 0 to 6: its version number is 300");
    bytes_release(&stream);
}

/* 64 MiB of zeros from a few KiB: memory is limited, the file opens. */
TEST(a_bomb_opens_in_bounded_memory)
{
    char  path[512];
    Bytes stream = { 0 };
    Err   err;
    begin_stream(&stream);
    put_byte(&stream, 8), put_number(&stream, 64 << 20);
    test_scratch_path("bomb.trace", path, sizeof path);
    static const CodecKind KINDS[] = { CODEC_SNAPPY, CODEC_GZIP, CODEC_BROTLI, CODEC_ZSTD };
    void                  *zeros = bytes_reserve(&stream, 64 << 20);
    memset(zeros, 0, 64 << 20);
    bytes_grow(&stream, 64 << 20);
    put_byte(&stream, 0);
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
        Loaded loaded;
        pack(&stream, KINDS[i], path);
        CHECK_DONE(load_file(path, NULL, &loaded, &err), err);
        CHECK_INT(loaded.codec, KINDS[i]);
        CHECK_UINT(loaded.trace->slices.count, 2); /* the call and its frame */
        loaded_release(&loaded);
    }
    bytes_release(&stream);
}

TEST_MAIN("apitrace_damage", TEST_CASE(any_pieces_give_the_same_trace),
          TEST_CASE(every_prefix_of_a_stream_opens), TEST_CASE(every_prefix_of_a_container_opens),
          TEST_CASE(any_byte_may_be_wrong), TEST_CASE(text_of_damaged_captures),
          TEST_CASE(running_out_of_memory_is_an_error_and_no_crash),
          TEST_CASE(text_without_memory_is_an_error_and_no_crash), TEST_CASE(sizes_that_cannot_be),
          TEST_CASE(versions_above_6_are_refused_by_their_number), TEST_CASE(a_bomb_opens_in_bounded_memory))
