/* From any source of bytes to a trace, and back to the bytes of an event: src/format/load.c, input.c. */
#include "format/load.h"

#include "base/file.h"
#include "format/identity.h"
#include "support/test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

/* ---- inputs ---- */

/* Returns Trace Event JSON of `count` slices; slice i lasts from 10 i to 10 i + 5 us and has the argument n = i. */
static Bytes json_of(unsigned count)
{
    Bytes out = { NULL, 0, 0, false };
    for (unsigned i = 0; i < count; i++) {
        bytes_printf(&out,
                     "%s{\"name\":\"s%u\",\"cat\":\"c\",\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":%u,\"dur\":5,"
                     "\"args\":{\"n\":%u}}\n",
                     i == 0 ? "[" : ",", i % 10, 10 * i, i);
    }
    bytes_append_text(&out, count == 0 ? "[]" : "]");
    CHECK(!out.failed);
    return out;
}

static Bytes gzip_of(const Bytes *plain)
{
    Bytes    out = { NULL, 0, 0, false };
    z_stream stream = { 0 };
    CHECK_INT(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t bound = deflateBound(&stream, plain->size) + 64;
    stream.next_in = plain->data;
    stream.avail_in = (uInt)plain->size;
    stream.next_out = (Bytef *)bytes_reserve(&out, bound);
    stream.avail_out = (uInt)bound;
    CHECK_INT(deflate(&stream, Z_FINISH), Z_STREAM_END);
    bytes_grow(&out, stream.total_out);
    CHECK_INT(deflateEnd(&stream), Z_OK);
    return out;
}

static Bytes zstd_of(const Bytes *plain)
{
    Bytes  out = { NULL, 0, 0, false };
    size_t bound = ZSTD_compressBound(plain->size);
    size_t size = ZSTD_compress(bytes_reserve(&out, bound), bound, plain->data, plain->size, 3);
    CHECK(!ZSTD_isError(size));
    bytes_grow(&out, size);
    return out;
}

/* For CODEC_NONE the bytes themselves. */
static Bytes packed(const Bytes *plain, CodecKind codec)
{
    if (codec == CODEC_NONE) return *plain;
    return codec == CODEC_GZIP ? gzip_of(plain) : zstd_of(plain);
}

static Bytes encoded(CodecKind codec, unsigned count)
{
    Bytes plain = json_of(count);
    Bytes out = packed(&plain, codec);
    if (codec == CODEC_NONE) return out;
    bytes_release(&plain);
    return out;
}

/* ---- checks ---- */

static bool contains(const Bytes *bytes, const void *part, size_t size)
{
    for (size_t at = 0; size <= bytes->size && at <= bytes->size - size; at++) {
        if (memcmp(bytes->data + at, part, size) == 0) return true;
    }
    return false;
}

static void check_args(const Loaded *loaded, uint64_t slice, const char *expected)
{
    Err          err = { 0 };
    EventDetails details;
    CHECK_DONE(load_slice_details(loaded, slice, &details, &err), err);
    bytes_append(&details.args, "", 1);
    CHECK_STRING((const char *)details.args.data, expected);
    bytes_release(&details.args);
    bytes_release(&details.other);
}

/* Checks all the slices of json_of(count), and their arguments. Releases. */
static void check_loaded(Loaded *loaded, unsigned count, CodecKind codec, const char *name)
{
    Err err = { 0 };
    CHECK_DONE(trace_check(loaded->trace, &err), err);
    CHECK_UINT(loaded->trace->slices.count, count);
    CHECK(loaded->trace->source.complete);
    CHECK_UINT(loaded->trace->records.warning_count, 0);
    CHECK_STRING(loaded->trace->source.format_name, "trace-event");
    CHECK(loaded->codec == codec);
    CHECK_STRING(loaded->name, name);
    for (unsigned i = 0; i < count; i += 1 + count / 7) {
        char expected[32];
        (void)snprintf(expected, sizeof expected, "{\"n\":%u}", i);
        check_args(loaded, i, expected);
    }
    loaded_release(loaded);
}

static const Warning *warning_of(const Trace *trace, const char *kind)
{
    for (uint32_t i = 0; i < trace->records.warning_count; i++) {
        if (strcmp(trace->records.warnings[i].kind, kind) == 0) return &trace->records.warnings[i];
    }
    return NULL;
}

static const CodecKind CODECS[] = { CODEC_NONE, CODEC_GZIP, CODEC_ZSTD };
enum { FEW = 20, MANY = 40000 /* some MiB: several blocks */ };

TEST(from_memory)
{
    for (unsigned c = 0; c < 3; c++) {
        for (unsigned count = FEW; count <= MANY; count += MANY - FEW) {
            Err    err = { 0 };
            Loaded loaded;
            Bytes  bytes = encoded(CODECS[c], count);
            CHECK_DONE(load_bytes(bytes.data, bytes.size, "memory", NULL, &loaded, &err), err);
            CHECK_UINT(loaded.bytes, bytes.size);
            check_loaded(&loaded, count, CODECS[c], "memory");
            bytes_release(&bytes);
        }
    }
}

TEST(from_files)
{
    char path[4096];
    test_scratch_path("trace", path, sizeof path);
    for (unsigned c = 0; c < 3; c++) {
        for (unsigned count = FEW; count <= MANY; count += MANY - FEW) {
            Err    err = { 0 };
            Loaded loaded;
            Bytes  bytes = encoded(CODECS[c], count);
            CHECK_DONE(file_write_whole(path, bytes.data, bytes.size, &err), err);
            CHECK_DONE(load_file(path, NULL, &loaded, &err), err);
            CHECK_UINT(loaded.bytes, bytes.size);
            check_loaded(&loaded, count, CODECS[c], path);
            bytes_release(&bytes);
        }
    }
}

/* Makes `fd` the standard input for one load. */
static void load_from_fd(int fd, unsigned count, CodecKind codec)
{
    Err    err = { 0 };
    Loaded loaded;
    int    kept = dup(0);
    CHECK(kept >= 0 && dup2(fd, 0) == 0);
    bool done = load_file("-", NULL, &loaded, &err);
    CHECK(dup2(kept, 0) == 0);
    CHECK(close(kept) == 0 && close(fd) == 0);
    CHECK_DONE(done, err);
    check_loaded(&loaded, count, codec, "-");
}

TEST(from_standard_input)
{
    char path[4096];
    test_scratch_path("trace", path, sizeof path);
    for (unsigned c = 0; c < 3; c++) {
        Err   err = { 0 };
        Bytes bytes = encoded(CODECS[c], FEW);
        int   ends[2];
        CHECK(pipe(ends) == 0);
        CHECK(write(ends[1], bytes.data, bytes.size) == (ssize_t)bytes.size);
        CHECK(close(ends[1]) == 0);
        load_from_fd(ends[0], FEW, CODECS[c]);
        bytes_release(&bytes);

        bytes = encoded(CODECS[c], MANY);
        CHECK_DONE(file_write_whole(path, bytes.data, bytes.size, &err), err);
        load_from_fd(open(path, O_RDONLY | O_CLOEXEC), MANY, CODECS[c]);
        bytes_release(&bytes);
    }
}

/* ---- stores ---- */

typedef struct Shelf {
    const Bytes *bytes;
    size_t       most; /* limit on the bytes of a read, while loading; 0 = no limit */
    unsigned     closed;
} Shelf;

static size_t shelf_read(void *context, uint64_t offset, void *buffer, size_t size)
{
    const Shelf *shelf = (const Shelf *)context;
    if (offset >= shelf->bytes->size) return 0;
    if (size > shelf->bytes->size - offset) size = shelf->bytes->size - (size_t)offset;
    if (shelf->most != 0 && size > shelf->most) size = shelf->most;
    memcpy(buffer, shelf->bytes->data + offset, size);
    return size;
}

static void shelf_close(void *context)
{
    ((Shelf *)context)->closed++;
}

TEST(from_stores_in_pieces_of_any_size)
{
    static const size_t MOST[] = { 0, 1, 7, 4096, 300000 };
    for (unsigned c = 0; c < 3; c++) {
        for (unsigned i = 0; i < sizeof MOST / sizeof MOST[0]; i++) {
            Err      err = { 0 };
            Loaded   loaded;
            unsigned count = MOST[i] > 7 || MOST[i] == 0 ? MANY : 500;
            Bytes    bytes = encoded(CODECS[c], count);
            Shelf    shelf = { &bytes, MOST[i], 0 };
            CHECK_DONE(load_store((InputStore){ shelf_read, shelf_close, &shelf }, bytes.size, "shelf", NULL,
                                  &loaded, &err),
                       err);
            CHECK_UINT(loaded.bytes, bytes.size);
            shelf.most = 0;
            check_loaded(&loaded, count, CODECS[c], "shelf");
            CHECK_UINT(shelf.closed, 1);
            bytes_release(&bytes);
        }
    }
}

TEST(stores_are_closed_when_nothing_comes_of_them)
{
    Err    err = { 0 };
    Loaded loaded;
    Bytes  bytes = { NULL, 0, 0, false };
    Shelf  shelf = { &bytes, 0, 0 };
    CHECK(!load_store((InputStore){ shelf_read, shelf_close, &shelf }, 0, "shelf", NULL, &loaded, &err));
    CHECK(err.code == ERR_UNKNOWN && shelf.closed == 1);
    bytes_append_text(&bytes, "this is a text");
    CHECK(!load_store((InputStore){ shelf_read, shelf_close, &shelf }, bytes.size, "shelf", NULL, &loaded,
                      &err));
    CHECK(err.code == ERR_UNKNOWN && shelf.closed == 2);
    bytes_release(&bytes);
}

/* ---- failures ---- */

TEST(inputs_that_are_refused)
{
    Err         err = { 0 };
    Loaded      loaded;
    LoadOptions options = { .format_name = "no-such-format" };
    char        path[4096];
    CHECK(!load_bytes("[]", 2, "x", &options, &loaded, &err));
    CHECK(err.code == ERR_USAGE && strstr(err.message, "no-such-format") != NULL);
    CHECK(!load_bytes("", 0, "x", NULL, &loaded, &err));
    CHECK(err.code == ERR_UNKNOWN && strstr(err.message, "empty") != NULL);
    CHECK(!load_bytes("\x1f\x8b", 2, "x", NULL, &loaded, &err)); /* the begin of a gzip header */
    CHECK(!load_bytes("hello, world", 12, "x", NULL, &loaded, &err));
    CHECK(err.code == ERR_UNKNOWN);
    test_scratch_path("missing", path, sizeof path);
    CHECK(!load_file(path, NULL, &loaded, &err));
    CHECK(err.code == ERR_IO);
    CHECK(!load_file("/", NULL, &loaded, &err));
    CHECK(err.code == ERR_IO);
    CHECK_DONE(file_write_whole(path, "", 0, &err), err);
    CHECK(!load_file(path, NULL, &loaded, &err));
    CHECK(err.code == ERR_UNKNOWN);
}

TEST(an_unknown_file_is_described)
{
    static const struct {
        const char *bytes;
        size_t      size;
        const char *found;
    } FILES[] = {
        { "\x89PNG\r\n\x1a\n", 8, "it is a picture (PNG); expected JSON" },
        { "\n\x80\x01\x02\xff", 5, "it is a protocol buffer" },
        { "\x01\x02\x03\x04", 4, "it is unknown binary data" },
        { "\n  hello, world: this is a text\nof lines", 40,
          "it is a text that begins with \"hello, world: this is a \"" },
        { "\xc3\xa9t\xc3\xa9\n", 6, "begins with \"\xc3\xa9t\xc3\xa9\"" },
        { "<html>", 6, "it is HTML or XML" },
    };
    for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; i++) {
        Err    err = { 0 };
        Loaded loaded;
        CHECK(!load_bytes(FILES[i].bytes, FILES[i].size, "x", NULL, &loaded, &err));
        CHECK_INT(err.code, ERR_UNKNOWN);
        if (strstr(err.message, FILES[i].found) == NULL) CHECK_STRING(err.message, FILES[i].found);
        CHECK(strstr(err.message, "or .varve") != NULL); /* the whole list fits */
    }
}

TEST(a_compressed_nothing_is_empty)
{
    Err    err = { 0 };
    Loaded loaded;
    Bytes  nothing = { NULL, 0, 0, false };
    bytes_append(&nothing, "", 1);
    nothing.size = 0;
    Bytes bytes = gzip_of(&nothing);
    CHECK(!load_bytes(bytes.data, bytes.size, "x", NULL, &loaded, &err));
    CHECK(err.code == ERR_UNKNOWN && strstr(err.message, "empty") != NULL);
    bytes_release(&bytes);
    bytes_release(&nothing);
}

TEST(the_format_can_be_named)
{
    Err         err = { 0 };
    Loaded      loaded;
    LoadOptions options = { .format_name = "trace-event", .threads = 1 };
    Bytes       bytes = encoded(CODEC_NONE, FEW);
    CHECK_DONE(load_bytes(bytes.data, bytes.size, "x", &options, &loaded, &err), err);
    check_loaded(&loaded, FEW, CODEC_NONE, "x");
    bytes_release(&bytes);
}

/* The decompressed part is shown, with its arguments, and the rest is reported. */
static void check_prefix(const uint8_t *bytes, size_t size)
{
    Err    err = { 0 };
    Loaded loaded;
    CHECK_DONE(load_bytes(bytes, size, "x", NULL, &loaded, &err), err);
    CHECK_DONE(trace_check(loaded.trace, &err), err);
    uint64_t count = loaded.trace->slices.count;
    CHECK(count > 100 && count < MANY);
    CHECK(!loaded.trace->source.complete);
    const Warning *warning = warning_of(loaded.trace, "input-cut-short");
    CHECK(warning != NULL && warning->count == 1 && warning->first.offset != ERR_NOWHERE);
    for (uint64_t i = 0; i < count; i++) /* a prefix: no slice is missing in between */
        CHECK_INT(trace_slice_begin(loaded.trace, i), (int64_t)(10000 * i));
    char expected[32];
    (void)snprintf(expected, sizeof expected, "{\"n\":%u}", (unsigned)count - 1);
    check_args(&loaded, count - 1, expected);
    loaded_release(&loaded);
}

TEST(a_cut_or_damaged_stream_gives_a_prefix)
{
    for (unsigned c = 1; c < 3; c++) {
        Bytes bytes = encoded(CODECS[c], MANY);
        check_prefix(bytes.data, bytes.size / 2);
        check_prefix(bytes.data, bytes.size * 9 / 10);
        for (size_t i = 0; i < 64; i++)
            bytes.data[bytes.size * 3 / 4 + i] ^= 0x5a;
        if (CODECS[c] == CODEC_ZSTD) check_prefix(bytes.data, bytes.size);
        bytes_release(&bytes);
    }
}

/* Also a stream that is shorter than the first block read. */
TEST(a_small_stream_that_is_cut_gives_a_prefix)
{
    for (unsigned c = 1; c < 3; c++) {
        Err    err = { 0 };
        Loaded loaded;
        Bytes  bytes = encoded(CODECS[c], 300);
        for (size_t size = 1; size < bytes.size; size++) {
            if (!load_bytes(bytes.data, size, "x", NULL, &loaded, &err)) {
                CHECK(c == 2 || size < bytes.size / 2); /* zstd's one block of these is all or nothing */
                continue;
            }
            CHECK(!loaded.trace->source.complete);
            CHECK_UINT(warning_of(loaded.trace, "input-cut-short")->count, 1);
            loaded_release(&loaded);
        }
        bytes_release(&bytes);
    }
}

/* Any byte of a compressed input may be wrong: it opens or not, without memory errors. */
TEST(corrupted_streams_do_no_harm)
{
    TestRandom random = { 5 };
    for (unsigned c = 0; c < 3; c++) {
        Bytes bytes = encoded(CODECS[c], 200);
        for (unsigned round = 0; round < 150; round++) {
            Err     err = { 0 };
            Loaded  loaded;
            size_t  at = test_random_size(&random, bytes.size);
            uint8_t kept = bytes.data[at];
            bytes.data[at] = (uint8_t)test_random(&random);
            size_t size = round % 3 == 0 ? test_random_size(&random, bytes.size) : bytes.size;
            if (load_bytes(bytes.data, size, "x", NULL, &loaded, &err)) {
                CHECK_DONE(trace_check(loaded.trace, &err), err);
                EventDetails details;
                for (uint64_t i = 0; i < loaded.trace->slices.count; i += 50) {
                    (void)!load_slice_details(&loaded, i, &details, &err);
                    bytes_release(&details.args);
                    bytes_release(&details.other);
                }
                loaded_release(&loaded);
            }
            bytes.data[at] = kept;
        }
        bytes_release(&bytes);
    }
}

TEST(long_arguments_are_read_whole)
{
    enum { LENGTH = 300000 };
    for (unsigned c = 0; c < 3; c++) {
        Err   err = { 0 };
        Bytes text = { NULL, 0, 0, false }, expected = text;
        bytes_append_text(&expected, "{\"t\":\"");
        while (expected.size < LENGTH)
            bytes_append_text(&expected, "0123456789abcdef");
        bytes_append_text(&expected, "\"}");
        bytes_append_text(&text,
                          "[{\"name\":\"p\",\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":1,\"args\":{\"b\":1}},"
                          "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":9,\"args\":");
        bytes_append(&text, expected.data, expected.size);
        bytes_append_text(
            &text, "},{\"name\":\"i\",\"ph\":\"i\",\"pid\":1,\"tid\":2,\"ts\":3,\"args\":{\"m\":[2]}}]");
        Bytes  bytes = CODECS[c] == CODEC_NONE   ? text
                       : CODECS[c] == CODEC_GZIP ? gzip_of(&text)
                                                 : zstd_of(&text);
        Loaded loaded;
        CHECK_DONE(load_bytes(bytes.data, bytes.size, "x", NULL, &loaded, &err), err);
        CHECK_UINT(loaded.trace->slices.count, 1);
        EventDetails details;
        CHECK_DONE(load_slice_details(&loaded, 0, &details, &err), err);
        CHECK(details.args.size > LENGTH);
        CHECK(contains(&details.args, expected.data + 1, expected.size - 2));
        CHECK(contains(&details.args, "\"b\":1", 5));
        bytes_release(&details.args);
        bytes_release(&details.other);
        CHECK_DONE(load_instant_details(&loaded, 0, &details, &err), err);
        CHECK_BYTES(details.args.data, details.args.size, "{\"m\":[2]}");
        bytes_release(&details.args);
        bytes_release(&details.other);
        loaded_release(&loaded);
        if (CODECS[c] != CODEC_NONE) bytes_release(&bytes);
        bytes_release(&text);
        bytes_release(&expected);
    }
}

/* A slice, followed by a name without an end. */
typedef struct Endless {
    uint64_t size;     /* the length of the input */
    uint64_t furthest; /* the last byte that was requested */
} Endless;

static size_t endless_read(void *context, uint64_t offset, void *buffer, size_t size)
{
    static const char HEAD[] =
        "[{\"name\":\"a\",\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":1,\"dur\":1},{\"name\":\"";
    Endless *endless = (Endless *)context;
    if (offset > endless->size) offset = endless->size;
    if (size > endless->size - offset) size = (size_t)(endless->size - offset);
    memset(buffer, 'x', size);
    for (uint64_t i = offset; i < sizeof HEAD - 1 && i < offset + size; i++)
        ((char *)buffer)[i - offset] = HEAD[i];
    if (offset + size > endless->furthest) endless->furthest = offset + size;
    return size;
}

static void endless_close(void *context)
{
    (void)context;
}

/* A record without end must not take all memory: it is skipped. */
TEST(a_record_without_end_is_bounded)
{
    enum { RECORD = 1 << 20 };
    const uint64_t size = UINT64_C(64) << 20;
    Err            err = { 0 };
    Loaded         loaded;
    LoadOptions    options = { .threads = 2, .record_limit = RECORD };
    Endless        endless = { .size = size };
    InputStore     store = { endless_read, endless_close, &endless };
    memory_watch();
    const uint64_t before = memory_held();
    CHECK_DONE(load_store(store, size, "x", &options, &loaded, &err), err);
    CHECK(memory_peak() - before < 8 * RECORD); /* 7.1 with the blocks of the helper thread */
    CHECK(endless.furthest >= size);
    CHECK_UINT(loaded.trace->slices.count, 1);
    CHECK(!loaded.trace->source.complete);
    const Warning *warning = warning_of(loaded.trace, "record-too-long");
    CHECK(warning != NULL && warning->count == 1);
    CHECK(warning->first.offset > 0 && warning->first.offset < 100); /* where it begins */
    loaded_release(&loaded);
}

/* Loads an event of `length` bytes among others and returns the number of slices. */
static uint64_t load_long_event(const char *before, const char *event, size_t length, CodecKind codec,
                                unsigned threads, uint64_t *warnings)
{
    static const char LAST[] = ",\n{\"name\":\"z\",\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":9,\"dur\":1}]";
    Err               err = { 0 };
    Loaded            loaded;
    LoadOptions       options = { .record_limit = 1 << 20, .threads = threads };
    Bytes             text = { 0 };
    bytes_append_text(&text, before);
    const size_t begin = text.size;
    bytes_append_text(&text, event);
    while (text.size - begin < length - 2)
        bytes_append_text(&text, "\\\\"); /* escaped backslashes, which are divided between blocks */
    text.size = begin + length - 2;
    memcpy(text.data + text.size - 1, "x\"}", 3);
    text.size += 2;
    bytes_append_text(&text, LAST);
    Bytes bytes = packed(&text, codec);
    CHECK_DONE(load_bytes(bytes.data, bytes.size, "x", &options, &loaded, &err), err);
    const Warning *warning = warning_of(loaded.trace, "record-too-long");
    *warnings = warning == NULL ? 0 : warning->count;
    CHECK(warning == NULL || warning->first.offset == begin);
    CHECK(loaded.trace->source.complete == (warning == NULL));
    const uint64_t count = loaded.trace->slices.count;
    loaded_release(&loaded);
    if (codec != CODEC_NONE) bytes_release(&bytes);
    bytes_release(&text);
    return count;
}

/* An event is too long or not, however it is divided into blocks, and the events after it are read. */
TEST(a_record_beyond_the_limit_is_skipped)
{
    enum { LIMIT = 1 << 20 };
    static const char FIRST[] = "[{\"name\":\"a\",\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":1,\"dur\":1},\n";
    static const char EVENT[] =
        "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":5,\"dur\":1,\"args\":{\"[\":[{}]},\"name\":\"";
    for (unsigned c = 0; c < 3; c++) {
        for (unsigned threads = 1; threads <= 2; threads++) {
            for (size_t more = 0; more < 4; more++) {
                uint64_t     warnings;
                const size_t length = LIMIT - 1 + more;
                uint64_t     count = load_long_event(FIRST, EVENT, length, CODECS[c], threads, &warnings);
                CHECK_UINT(count, length <= LIMIT ? 3 : 2);
                CHECK_UINT(warnings, length <= LIMIT ? 0 : 1);
            }
            uint64_t warnings;
            CHECK_UINT(load_long_event(FIRST, EVENT, 3 * LIMIT + 17, CODECS[c], threads, &warnings), 2);
            CHECK_UINT(warnings, 1);
        }
    }
}

TEST(loading_can_be_cancelled)
{
    for (unsigned c = 0; c < 3; c++) {
        for (unsigned count = FEW; count <= MANY; count += MANY - FEW) {
            Err         err = { 0 };
            Loaded      loaded;
            Progress    progress = { .done = 0 };
            LoadOptions options = { .progress = &progress };
            Bytes       bytes = encoded(CODECS[c], count);
            atomic_store(&progress.cancelled, true);
            CHECK(!load_bytes(bytes.data, bytes.size, "x", &options, &loaded, &err));
            CHECK(err.code == ERR_CANCELLED);
            CHECK(loaded.trace == NULL);
            atomic_store(&progress.cancelled, false);
            CHECK_DONE(load_bytes(bytes.data, bytes.size, "x", &options, &loaded, &err), err);
            CHECK_INT(atomic_load(&progress.phase), PROGRESS_DONE);
            check_loaded(&loaded, count, CODECS[c], "x");
            bytes_release(&bytes);
        }
    }
}

TEST(reading_can_end_after_the_begin)
{
    enum { MOST_BYTES = 1 << 20 };
    for (unsigned c = 0; c < 3; c++) {
        Err               err = { 0 };
        Loaded            loaded;
        const LoadOptions options = { .most_bytes = MOST_BYTES };
        Bytes             bytes = encoded(CODECS[c], MANY);
        CHECK_DONE(load_bytes(bytes.data, bytes.size, "x", &options, &loaded, &err), err);
        CHECK_DONE(trace_check(loaded.trace, &err), err);
        const Warning *warning = warning_of(loaded.trace, "begin-only");
        CHECK(warning != NULL && !loaded.trace->source.complete);
        CHECK(warning->first.offset <= MOST_BYTES && warning->first.offset > MOST_BYTES / 2);
        CHECK(loaded.trace->slices.count > MANY / 8 && loaded.trace->slices.count < MANY / 2);
        check_args(&loaded, 7, "{\"n\":7}");
        loaded_release(&loaded);
        bytes_release(&bytes);
    }
    Err               err = { 0 };
    Loaded            loaded;
    const LoadOptions options = { .most_bytes = MOST_BYTES };
    Bytes             bytes = json_of(FEW);
    CHECK_DONE(load_bytes(bytes.data, bytes.size, "x", &options, &loaded, &err), err);
    check_loaded(&loaded, FEW, CODEC_NONE, "x"); /* a shorter file is whole */
    bytes_release(&bytes);
}

/* No room for the temporary file: the trace opens and reports the missing details. */
TEST(a_full_disk_costs_the_arguments_not_the_trace)
{
    Err           err = { 0 };
    Loaded        loaded;
    Bytes         bytes = encoded(CODEC_GZIP, MANY);
    struct rlimit kept, little;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    CHECK(getrlimit(RLIMIT_FSIZE, &kept) == 0);
    little = kept;
    little.rlim_cur = 1 << 20;
    CHECK(setrlimit(RLIMIT_FSIZE, &little) == 0);
    bool done = load_bytes(bytes.data, bytes.size, "x", NULL, &loaded, &err);
    CHECK(setrlimit(RLIMIT_FSIZE, &kept) == 0);
    (void)signal(SIGXFSZ, handler);
    CHECK_DONE(done, err);
    CHECK_UINT(loaded.trace->slices.count, MANY);
    CHECK(loaded.trace->source.complete);
    const Warning *warning = warning_of(loaded.trace, "arguments-not-kept");
    CHECK(warning != NULL && warning->count == 1);
    CHECK(warning->first.offset >= 1 << 20 && warning->first.offset < loaded.trace->slices.count * 100);
    CHECK_STRING(warning->first.message,
                 "arguments cannot be shown: temporary files cannot be written: File too large");
    EventDetails details;
    CHECK(!load_slice_details(&loaded, 5, &details, &err));
    CHECK(err.code == ERR_IO);
    CHECK_STRING(err.message,
                 "the input cannot be read again: temporary files cannot be written: File too large");
    loaded_release(&loaded);
    bytes_release(&bytes);
}

/* A load whose bytes are not read again writes no temporary file; reading them is an error, not an empty input. */
TEST(an_unused_store_takes_no_file)
{
    Err                err = { 0 };
    Loaded             loaded;
    EventDetails       details;
    const LoadOptions  options = { .store = STORE_UNUSED };
    const LoadObserver observer = { .event = NULL };
    for (unsigned c = 0; c < 3; c++) {
        Bytes bytes = encoded(CODECS[c], FEW);
        CHECK_DONE(load_bytes(bytes.data, bytes.size, "x", &options, &loaded, &err), err);
        CHECK_UINT(loaded.trace->records.warning_count, 0);
        if (CODECS[c] == CODEC_NONE) {
            CHECK_INT(loaded.store_fault.code, ERR_NONE);
        } else {
            CHECK(!load_slice_details(&loaded, 0, &details, &err) && err.code == ERR_IO);
            CHECK_STRING(err.message, "the input cannot be read again: the bytes of the input were not kept");
            CHECK(!load_observe_again(&loaded, &observer, &err) && err.code == ERR_IO);
            CHECK_STRING(err.message, "the bytes of the input were not kept");
        }
        loaded_release(&loaded);
        bytes_release(&bytes);
    }
}

TEST(every_allocation_may_fail)
{
    for (unsigned c = 0; c < 3; c++) {
        Bytes    bytes = encoded(CODECS[c], 1000);
        uint64_t n = 0;
        for (;; n++) {
            Err         err = { 0 };
            Loaded      loaded;
            LoadOptions options = { .threads = 1 };
            memory_fail_after(n);
            bool done = load_bytes(bytes.data, bytes.size, "x", &options, &loaded, &err);
            memory_fail_after(UINT64_MAX);
            if (done) {
                loaded_release(&loaded);
                break;
            }
            CHECK(err.code == ERR_MEMORY && err.message[0] != '\0');
        }
        CHECK(n > 10);
        bytes_release(&bytes);
    }
}

static void check_identity(const Bytes *input, const char *name, const char *expected)
{
    Loaded loaded = { 0 };
    Err    err;
    char   identity[IDENTITY_TEXT + 1];
    CHECK_DONE(load_bytes(input->data, input->size, name, NULL, &loaded, &err), err);
    CHECK(load_identity(&loaded, identity));
    CHECK_STRING(identity, expected);
    loaded_release(&loaded);
}

/* The files of stored marks have these names: they must not change. */
TEST(an_identity_depends_on_the_content_alone)
{
    Bytes small = { .data = NULL }, text = { .data = NULL };
    bytes_append_text(&small, "[{\"ph\":\"i\",\"ts\":1}]");
    bytes_append_text(&text, "[");
    for (unsigned i = 0; i < 1000; i++)
        bytes_printf(&text, "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":%u,\"dur\":1,\"name\":\"n%u\"},\n", i,
                     i);
    bytes_append_text(&text, "{}]");
    Bytes packed = gzip_of(&text);
    check_identity(&small, "small.json", "bdc3890c571c3b20");
    check_identity(&text, "a.json", "18bdefa68760dd16");
    check_identity(&packed, "b.json.gz", "18bdefa68760dd16");
    bytes_release(&small);
    bytes_release(&text);
    bytes_release(&packed);
}

TEST_MAIN("load", TEST_CASE(an_identity_depends_on_the_content_alone), TEST_CASE(from_memory),
          TEST_CASE(from_files), TEST_CASE(from_standard_input), TEST_CASE(from_stores_in_pieces_of_any_size),
          TEST_CASE(stores_are_closed_when_nothing_comes_of_them), TEST_CASE(inputs_that_are_refused),
          TEST_CASE(an_unknown_file_is_described), TEST_CASE(a_compressed_nothing_is_empty),
          TEST_CASE(the_format_can_be_named), TEST_CASE(a_cut_or_damaged_stream_gives_a_prefix),
          TEST_CASE(a_small_stream_that_is_cut_gives_a_prefix), TEST_CASE(corrupted_streams_do_no_harm),
          TEST_CASE(long_arguments_are_read_whole), TEST_CASE(a_record_without_end_is_bounded),
          TEST_CASE(a_record_beyond_the_limit_is_skipped), TEST_CASE(loading_can_be_cancelled),
          TEST_CASE(reading_can_end_after_the_begin),
          TEST_CASE(a_full_disk_costs_the_arguments_not_the_trace), TEST_CASE(an_unused_store_takes_no_file),
          TEST_CASE(every_allocation_may_fail))
