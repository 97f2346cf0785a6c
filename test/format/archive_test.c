/* Archives and UTF-16 as input: src/codec/zip_native.c, src/format/{content,input,load,segments}.c. */
#include "base/file.h"
#include "format/load.h"
#include "support/damage.h"
#include "support/golden.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* ---- making archives ---- */

enum { STORED = 0, DEFLATED = 8, WITH_DESCRIPTOR = 1 << 8, CUT_SHORT = 1 << 9 };

static void u16_append(Bytes *out, unsigned value)
{
    const uint8_t bytes[2] = { (uint8_t)value, (uint8_t)(value >> 8) };
    bytes_append(out, bytes, sizeof bytes);
}

static void u32_append(Bytes *out, size_t value)
{
    u16_append(out, (unsigned)(value & 0xffff));
    u16_append(out, (unsigned)(value >> 16 & 0xffff));
}

static Bytes deflated(const void *bytes, size_t size, int window_bits)
{
    Bytes    out = { NULL, 0, 0, false };
    z_stream stream = { 0 };
    CHECK_INT(deflateInit2(&stream, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t bound = deflateBound(&stream, size) + 64;
    stream.next_in = (z_const Bytef *)(uintptr_t)bytes;
    stream.avail_in = (uInt)size;
    stream.next_out = (Bytef *)bytes_reserve(&out, bound);
    stream.avail_out = (uInt)bound;
    CHECK_INT(deflate(&stream, Z_FINISH), Z_STREAM_END);
    bytes_grow(&out, stream.total_out);
    CHECK_INT(deflateEnd(&stream), Z_OK);
    return out;
}

/* Appends a member without its entry in the directory, which is not read. */
static void zip_add_bytes(Bytes *zip, const char *name, const void *bytes, size_t size, unsigned how)
{
    unsigned method = how & 0xff;
    bool     described = (how & WITH_DESCRIPTOR) != 0;
    Bytes    packed = { NULL, 0, 0, false };
    if (method == DEFLATED)
        packed = deflated(bytes, size, -MAX_WBITS);
    else
        bytes_append(&packed, bytes, size);
    size_t checksum = crc32(0, (const Bytef *)bytes, (uInt)size);
    bytes_append(zip, "PK\3\4\x14\0", 6);
    u16_append(zip, described ? 8 : 0);
    u16_append(zip, method);
    u32_append(zip, 0);
    u32_append(zip, described ? 0 : checksum);
    u32_append(zip, described ? 0 : packed.size);
    u32_append(zip, described ? 0 : size);
    u16_append(zip, (unsigned)strlen(name));
    u16_append(zip, 0);
    bytes_append_text(zip, name);
    bytes_append(zip, packed.data, how & CUT_SHORT ? packed.size / 2 : packed.size);
    if (described && !(how & CUT_SHORT)) {
        bytes_append(zip, "PK\7\x08", 4);
        u32_append(zip, checksum);
        u32_append(zip, packed.size);
        u32_append(zip, size);
    }
    bytes_release(&packed);
    CHECK(!zip->failed);
}

static void zip_add(Bytes *zip, const char *name, const char *text, unsigned how)
{
    zip_add_bytes(zip, name, text, strlen(text), how);
}

static void zip_end(Bytes *zip)
{
    bytes_append(zip, "PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22);
}

#define SLICE(name, pid)                                                                                     \
    "{\"name\":\"" name "\",\"ph\":\"X\",\"pid\":" #pid                                                      \
    ",\"tid\":1,\"ts\":1,\"dur\":1,\"args\":{\"in\":\"" name "\"}}"
#define ONE "{\"traceEvents\":[" SLICE("a", 1) "," SLICE("b", 1) "]}"
#define TWO "[" SLICE("c", 2) "]"

/* ---- checks ---- */

static const Warning *warning_of(const Trace *trace, const char *kind)
{
    for (uint32_t i = 0; i < trace->records.warning_count; i++) {
        if (strcmp(trace->records.warnings[i].kind, kind) == 0) return &trace->records.warnings[i];
    }
    return NULL;
}

static void names_append(const Trace *trace, Bytes *out)
{
    for (uint64_t i = 0; i < trace->slices.count; i++) {
        StringView name = trace_string(trace, trace->labels[trace_slice_label(trace, i)].name);
        if (i > 0) bytes_append_text(out, " ");
        bytes_append(out, name.bytes, name.size);
    }
    bytes_append(out, "", 1);
}

/* Checks the names of all slices, their arguments, and "KIND COUNT" of each warning. */
static void check_trace(const Loaded *loaded, const char *names, const char *warnings)
{
    Err   err = { 0 };
    Bytes text = { NULL, 0, 0, false };
    CHECK_DONE(trace_check(loaded->trace, &err), err);
    names_append(loaded->trace, &text);
    CHECK_STRING((const char *)text.data, names);
    for (uint64_t i = 0; i < loaded->trace->slices.count; i++) {
        EventDetails details;
        CHECK_DONE(load_slice_details(loaded, i, &details, &err), err);
        CHECK(details.args.size > 0);
        bytes_release(&details.args);
        bytes_release(&details.other);
    }
    bytes_clear(&text);
    for (uint32_t i = 0; i < loaded->trace->records.warning_count; i++)
        bytes_printf(&text, "%s%s %llu", i == 0 ? "" : ", ", loaded->trace->records.warnings[i].kind,
                     (unsigned long long)loaded->trace->records.warnings[i].count);
    bytes_append(&text, "", 1);
    CHECK_STRING((const char *)text.data, warnings);
    bytes_release(&text);
}

static void check_bytes(const Bytes *bytes, const char *names, const char *warnings)
{
    Err    err = { 0 };
    Loaded loaded;
    CHECK_DONE(load_bytes(bytes->data, bytes->size, "x", NULL, &loaded, &err), err);
    check_trace(&loaded, names, warnings);
    loaded_release(&loaded);
}

static void check_refused(const Bytes *bytes, const char *message)
{
    Err    err = { 0 };
    Loaded loaded;
    CHECK(!load_bytes(bytes->data, bytes->size, "x", NULL, &loaded, &err));
    CHECK_STRING(err.message, message);
}

/* ---- archives of real programs: test/data/archives/README.md ---- */

static const struct {
    const char *file, *names;
} ARCHIVES[] = {
    { "7z", "a b c d e" },         { "bsdtar_stream", "a b c d e" }, { "bsdtar_stream_stored", "a b" },
    { "info_zip", "a b c d e f" }, { "info_zip_stream", "a b" },     { "python_stream_zip64", "a b c d e" },
    { "python_zip64", "a b" },
};

static Bytes archive_read(const char *name)
{
    char  path[128];
    Bytes bytes = { NULL, 0, 0, false };
    (void)snprintf(path, sizeof path, "archives/%s.zip", name);
    fixture_read(path, &bytes);
    return bytes;
}

TEST(archives_of_real_programs)
{
    for (size_t i = 0; i < sizeof ARCHIVES / sizeof ARCHIVES[0]; i++) {
        Bytes bytes = archive_read(ARCHIVES[i].file);
        print_message("# %s\n", ARCHIVES[i].file);
        check_bytes(&bytes, ARCHIVES[i].names, "");
        bytes_release(&bytes);
    }
}

TEST(archives_from_a_pipe)
{
    for (size_t i = 0; i < sizeof ARCHIVES / sizeof ARCHIVES[0]; i++) {
        Bytes  bytes = archive_read(ARCHIVES[i].file);
        Err    err = { 0 };
        Loaded loaded;
        int    ends[2], kept = dup(0);
        CHECK(kept >= 0 && pipe(ends) == 0);
        CHECK(write(ends[1], bytes.data, bytes.size) == (ssize_t)bytes.size);
        CHECK(close(ends[1]) == 0 && dup2(ends[0], 0) == 0);
        bool done = load_file("-", NULL, &loaded, &err);
        CHECK(dup2(kept, 0) == 0 && close(kept) == 0 && close(ends[0]) == 0);
        CHECK_DONE(done, err);
        CHECK_STRING(codec_name(loaded.codec), "zip");
        check_trace(&loaded, ARCHIVES[i].names, "");
        loaded_release(&loaded);
        bytes_release(&bytes);
    }
}

TEST(archives_cut_anywhere)
{
    for (size_t i = 0; i < sizeof ARCHIVES / sizeof ARCHIVES[0]; i++) {
        Bytes  bytes = archive_read(ARCHIVES[i].file);
        size_t limit = bytes.size < 2048 ? bytes.size : 2048; /* after it is bsdtar's padding */
        CHECK_UINT(check_prefixes(bytes.data, limit, 0), (strlen(ARCHIVES[i].names) + 1) / 2);
        bytes_release(&bytes);
    }
}

TEST(archives_damaged_anywhere)
{
    TestRandom random = { 1 };
    for (size_t i = 0; i < sizeof ARCHIVES / sizeof ARCHIVES[0]; i++) {
        Bytes bytes = archive_read(ARCHIVES[i].file);
        check_changed_bytes(&bytes, bytes.size < 1024 ? bytes.size : 1024, 400, &random);
        bytes_release(&bytes);
    }
}

TEST(archives_that_cannot_be_read_say_why)
{
    Bytes bytes = archive_read("info_zip_encrypted");
    check_refused(&bytes, "no trace in this archive: one.json is left out: it is encrypted");
    bytes_release(&bytes);
    bytes = archive_read("7z_bzip2");
    check_refused(&bytes,
                  "no trace in this archive: one.json is left out: its compression method is not supported");
    bytes_clear(&bytes);
    zip_end(&bytes);
    check_refused(&bytes, "an archive without files");
    bytes_clear(&bytes);
    zip_add(&bytes, "dir/", "", STORED);
    zip_add(&bytes, "a.txt", "hello", STORED);
    zip_add(&bytes, "b.txt", "hello", DEFLATED);
    zip_end(&bytes);
    check_refused(&bytes, "this archive has 2 files, but no trace");
    bytes_release(&bytes);
}

/* ---- members ---- */

TEST(every_way_a_member_may_stand_there)
{
    static const unsigned WAYS[] = { STORED, DEFLATED, STORED | WITH_DESCRIPTOR, DEFLATED | WITH_DESCRIPTOR };
    for (unsigned one = 0; one < 4; one++) {
        for (unsigned two = 0; two < 4; two++) {
            Bytes zip = { NULL, 0, 0, false };
            zip_add(&zip, "one.json", ONE, WAYS[one]);
            zip_add(&zip, "sub/two.json", TWO, WAYS[two]);
            zip_end(&zip);
            check_bytes(&zip, "a b c", "");
            bytes_release(&zip);
        }
    }
}

TEST(members_compressed_again_and_in_utf16)
{
    Bytes packed = deflated(ONE, sizeof ONE - 1, 16 + MAX_WBITS);
    Bytes zip = { NULL, 0, 0, false }, wide = { NULL, 0, 0, false };
    for (size_t i = 0; i < sizeof TWO - 1; i++) {
        bytes_append(&wide, &TWO[i], 1);
        bytes_append(&wide, "", 1);
    }
    zip_add_bytes(&zip, "one.json.gz", packed.data, packed.size, STORED);
    zip_add_bytes(&zip, "two.json", wide.data, wide.size, DEFLATED);
    zip_end(&zip);
    check_bytes(&zip, "a b c", "");

    Bytes outer = { NULL, 0, 0, false }; /* only one level of nesting is read */
    zip_add_bytes(&outer, "inner.zip", zip.data, zip.size, STORED);
    zip_add(&outer, "one.json", ONE, STORED);
    zip_end(&outer);
    check_bytes(&outer, "a b", "archive-member-skipped 1");
    bytes_release(&outer);
    bytes_release(&zip);
    bytes_release(&wide);
    bytes_release(&packed);
}

/* A member that is cut, without a sign of it in its text, does not affect other members. */
TEST(members_do_not_run_into_each_other)
{
    Bytes zip = { NULL, 0, 0, false };
    zip_add(&zip, "cut.json", "{\"traceEvents\":[" SLICE("a", 1) ",", STORED);
    zip_add(&zip, "list.json", "[" SLICE("b", 1) ",\n", STORED);
    zip_add(&zip, "lines.json", SLICE("c", 2) "\n" SLICE("d", 2), STORED);
    zip_add(&zip, "mark.json", "\xef\xbb\xbf" TWO, STORED);
    zip_end(&zip);
    check_bytes(&zip, "a b c d c", "truncated 1"); /* in the order of nesting */
    bytes_release(&zip);
}

TEST(a_damaged_member_costs_no_other)
{
    Bytes zip = { NULL, 0, 0, false };
    zip_add(&zip, "one.json", ONE, STORED);
    zip.data[zip.size - sizeof ONE + 26]++; /* in the name: only the checksum shows it */
    zip_add(&zip, "two.json", TWO, DEFLATED);
    zip_end(&zip);
    Err    err = { 0 };
    Loaded loaded;
    CHECK_DONE(load_bytes(zip.data, zip.size, "x", NULL, &loaded, &err), err);
    CHECK_UINT(loaded.trace->slices.count, 3);
    CHECK(!loaded.trace->source.complete);
    CHECK(strstr(warning_of(loaded.trace, "input-cut-short")->first.message, "checksum") != NULL);
    loaded_release(&loaded);
    bytes_clear(&zip);

    zip_add(&zip, "cut.json", ONE, DEFLATED | WITH_DESCRIPTOR | CUT_SHORT);
    zip_add(&zip, "two.json", TWO, DEFLATED);
    zip_end(&zip);
    CHECK_DONE(load_bytes(zip.data, zip.size, "x", NULL, &loaded, &err), err);
    CHECK(loaded.trace->slices.count >= 1); /* two.json is found after the damage */
    CHECK(!loaded.trace->source.complete);
    loaded_release(&loaded);
    bytes_release(&zip);
}

TEST(other_files_are_passed_over)
{
    Bytes zip = { NULL, 0, 0, false };
    zip_add(&zip, "README.md", "[a link](x) and more", DEFLATED);
    zip_add(&zip, "dir/", "", STORED);
    zip_add(&zip, "one.json", ONE, DEFLATED);
    zip_add(&zip, "empty", "", STORED);
    zip_add(&zip, "package.json", "{\"name\":\"x\",\"version\":1}", DEFLATED);
    zip_end(&zip);
    check_bytes(&zip, "a b", "no-events 1");
    bytes_release(&zip);
}

TEST(traces_of_one_format_make_one_trace)
{
    Bytes spall = { NULL, 0, 0, false }, heph = spall, zip = spall;
    fixture_read("spall/syn_v1_interleaved.spall", &spall);
    fixture_read("heph/heph_plain.bin", &heph);
    zip_add(&zip, "one.json", ONE, STORED);
    zip_add_bytes(&zip, "x.spall", spall.data, spall.size, DEFLATED);
    zip_add_bytes(&zip, "x.heph", heph.data, heph.size, DEFLATED);
    zip_add(&zip, "two.json", TWO, STORED);
    zip_end(&zip);
    check_bytes(&zip, "a b c", "archive-member-skipped 2");
    bytes_clear(&zip);
    zip_add_bytes(&zip, "x.heph", heph.data, heph.size, DEFLATED);
    zip_add_bytes(&zip, "y.heph", heph.data, heph.size, DEFLATED);
    zip_add(&zip, "one.json", ONE, STORED);
    zip_end(&zip);
    Err    err = { 0 };
    Loaded whole, first;
    CHECK_DONE(load_bytes(heph.data, heph.size, "x", NULL, &whole, &err), err);
    CHECK_DONE(load_bytes(zip.data, zip.size, "x", NULL, &first, &err), err);
    CHECK_UINT(first.trace->slices.count, whole.trace->slices.count);
    CHECK_UINT(warning_of(first.trace, "archive-member-skipped")->count, 2);
    loaded_release(&whole);
    loaded_release(&first);
    LoadOptions options = { .format_name = "trace-event" };
    CHECK_DONE(load_bytes(zip.data, zip.size, "x", &options, &first, &err), err);
    check_trace(&first, "a b", "archive-member-skipped 2");
    loaded_release(&first);
    bytes_release(&zip);
    bytes_release(&spall);
    bytes_release(&heph);
}

/* ---- read again ---- */

static bool count_event(void *context, const ObservedRecord *record)
{
    uint64_t    *count = (uint64_t *)context;
    EventDetails details = { .args = { NULL, 0, 0, false } };
    Err          err = { 0 };
    CHECK_DONE(load_observed_details(record, &details, &err), err);
    CHECK(details.args.size > 0);
    bytes_release(&details.args);
    bytes_release(&details.other);
    ++*count;
    return true;
}

TEST(events_of_an_archive_can_be_observed_again)
{
    Bytes zip = { NULL, 0, 0, false };
    zip_add(&zip, "cut.json", "{\"traceEvents\":[" SLICE("a", 1) ",", STORED);
    zip_add(&zip, "two.json", TWO, STORED);
    zip_end(&zip);
    Err          err = { 0 };
    Loaded       loaded;
    uint64_t     count = 0;
    LoadObserver observer = { .event = count_event, .context = &count };
    CHECK_DONE(load_bytes(zip.data, zip.size, "x", NULL, &loaded, &err), err);
    CHECK_UINT(loaded.part_count, 2);
    CHECK_STRING(loaded.parts[0].name, "cut.json");
    CHECK_DONE(load_observe_again(&loaded, &observer, &err), err);
    CHECK_UINT(count, 2);
    loaded_release(&loaded);
    bytes_release(&zip);
}

/* ---- decompressed by the caller, as in the browser ---- */

typedef struct Shelf {
    const Bytes *bytes;
    unsigned     closed;
} Shelf;

static size_t shelf_read(void *context, uint64_t offset, void *buffer, size_t size)
{
    const Shelf *shelf = (const Shelf *)context;
    if (offset >= shelf->bytes->size) return 0;
    if (size > shelf->bytes->size - offset) size = shelf->bytes->size - (size_t)offset;
    if (size > 1000) size = 1000;
    memcpy(buffer, shelf->bytes->data + offset, size);
    return size;
}

static void shelf_close(void *context)
{
    ((Shelf *)context)->closed++;
}

static void part_append(Bytes *bytes, InputPart *parts, size_t *count, const char *name, const char *text,
                        bool wide)
{
    size_t begin = bytes->size;
    if (wide) bytes_append(bytes, "\xff\xfe", 2);
    for (const char *at = text; *at != '\0'; at++) {
        bytes_append(bytes, at, 1);
        if (wide) bytes_append(bytes, "", 1);
    }
    parts[(*count)++] = (InputPart){ name, bytes->size - begin };
}

TEST(parts_that_were_unpacked)
{
    Bytes      bytes = { NULL, 0, 0, false };
    InputPart  parts[8];
    size_t     count = 0;
    Err        err = { 0 };
    Loaded     loaded;
    Shelf      shelf = { &bytes, 0 };
    InputStore store = { shelf_read, shelf_close, &shelf };
    part_append(&bytes, parts, &count, "notes", "Not a trace.", false);
    part_append(&bytes, parts, &count, "cut.json", "{\"traceEvents\":[" SLICE("a", 1) ",", false);
    part_append(&bytes, parts, &count, "empty", "", false);
    part_append(&bytes, parts, &count, "wide.json", TWO, true);
    part_append(&bytes, parts, &count, "twice.gz", "\x1f\x8b\x08????", false);
    part_append(&bytes, parts, &count, "last.json", "[" SLICE("d", 3) "]", false);
    CHECK_DONE(load_parts(store, parts, count, "x", NULL, &loaded, &err), err);
    check_trace(&loaded, "a c d", "truncated 1, archive-member-skipped 1");
    loaded_release(&loaded);
    CHECK_UINT(shelf.closed, 1);
    bytes_release(&bytes);
}

/* ---- UTF-16 ---- */

/* Many slices, each with arguments beyond ASCII; plain. */
static Bytes wide_json(unsigned slices, bool big)
{
    Bytes plain = { NULL, 0, 0, false }, wide = plain;
    bytes_append_text(&plain, "[");
    for (unsigned i = 0; i < slices; i++) {
        bytes_printf(&plain,
                     "%s{\"name\":\"n%u\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":%u,\"dur\":1,\"args\":{"
                     "\"k\":\"~%u\"}}",
                     i == 0 ? "" : ",\n", i % 7, i, i);
    }
    bytes_append_text(&plain, "]");
    bytes_append(&wide, big ? "\xfe\xff" : "\xff\xfe", 2);
    for (size_t i = 0; i < plain.size; i++) {
        bool          tilde = plain.data[i] == '~'; /* becomes the euro sign */
        const uint8_t unit[2] = { tilde ? 0xac : plain.data[i], tilde ? 0x20 : 0 };
        const uint8_t swapped[2] = { unit[1], unit[0] };
        bytes_append(&wide, big ? swapped : unit, 2);
    }
    bytes_release(&plain);
    CHECK(!wide.failed);
    return wide;
}

static void check_wide(Loaded *loaded, unsigned slices)
{
    Err err = { 0 };
    CHECK_UINT(loaded->trace->slices.count, slices);
    CHECK_UINT(loaded->trace->records.warning_count, 0);
    for (unsigned i = 0; i < slices; i += 1 + slices / 50) {
        EventDetails details;
        char         expected[48];
        (void)snprintf(expected, sizeof expected, "{\"k\":\"\xe2\x82\xac%u\"}", i);
        CHECK_DONE(load_slice_details(loaded, i, &details, &err), err);
        bytes_append(&details.args, "", 1);
        CHECK_STRING((const char *)details.args.data, expected);
        bytes_release(&details.args);
        bytes_release(&details.other);
    }
    loaded_release(loaded);
}

TEST(utf16_from_everywhere)
{
    enum { FEW = 20, MANY = 8000 /* more than a block of input */ };
    char path[4096];
    test_scratch_path("wide", path, sizeof path);
    for (unsigned round = 0; round < 4; round++) {
        unsigned slices = round < 2 ? FEW : MANY;
        Bytes    wide = wide_json(slices, round % 2 == 1);
        Bytes    packed = deflated(wide.data, wide.size, 16 + MAX_WBITS);
        Err      err = { 0 };
        Loaded   loaded;
        CHECK_DONE(load_bytes(wide.data, wide.size, "x", NULL, &loaded, &err), err);
        CHECK(!loaded.is_plain);
        check_wide(&loaded, slices);
        CHECK_DONE(load_bytes(packed.data, packed.size, "x", NULL, &loaded, &err), err);
        check_wide(&loaded, slices);
        Shelf shelf = { &wide, 0 };
        CHECK_DONE(
            load_store((InputStore){ shelf_read, shelf_close, &shelf }, wide.size, "x", NULL, &loaded, &err),
            err);
        check_wide(&loaded, slices);
        CHECK_UINT(shelf.closed, 1);
        CHECK_DONE(file_write_whole(path, wide.data, wide.size, &err), err);
        CHECK_DONE(load_file(path, NULL, &loaded, &err), err);
        check_wide(&loaded, slices);
        bytes_release(&wide);
        bytes_release(&packed);
    }
}

TEST(utf16_with_half_a_pair_is_repaired_and_said)
{
    static const char TEXT[] =
        "[\0{\0\"\0n\0a\0m\0e\0\"\0:\0\"\0x\0\x00\xd8\"\0,\0\"\0p\0h\0\"\0:\0\"\0X\0\"\0,\0\"\0t\0s\0"
        "\"\0:\0"
        "1\0,\0\"\0d\0u\0r\0\"\0:\0"
        "1\0,\0\"\0a\0r\0g\0s\0\"\0:\0"
        "1\0}\0]";
    Bytes  bytes = { NULL, 0, 0, false };
    Err    err = { 0 };
    Loaded loaded;
    bytes_append(&bytes, TEXT, sizeof TEXT);
    CHECK_DONE(load_bytes(bytes.data, bytes.size, "x", NULL, &loaded, &err), err);
    check_trace(&loaded, "x\xef\xbf\xbd", "bad-encoding 1");
    CHECK_STRING(warning_of(loaded.trace, "bad-encoding")->first.message,
                 "the UTF-16 text has half a surrogate pair at its byte 22: shown as U+FFFD");
    loaded_release(&loaded);
    bytes_release(&bytes);
}

/* ---- limits ---- */

/* White space, compressed twice: a million to one. */
TEST(what_unpacks_without_end_is_stopped)
{
    enum { SPACES = 200 << 20, PIECE = 1 << 20 };
    uint8_t *piece = (uint8_t *)malloc(PIECE);
    CHECK(piece != NULL);
    memset(piece, ' ', PIECE);
    Bytes    inner = { NULL, 0, 0, false }, zip = inner;
    z_stream stream = { 0 };
    CHECK_INT(deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 9, Z_DEFAULT_STRATEGY), Z_OK);
    for (size_t i = 0; i <= SPACES / PIECE; i++) {
        memcpy(piece, ONE, i == 0 ? sizeof ONE - 1 : 0);
        stream.next_in = piece;
        stream.avail_in = PIECE;
        stream.next_out = (Bytef *)bytes_reserve(&inner, PIECE);
        stream.avail_out = PIECE;
        (void)deflate(&stream, i == SPACES / PIECE ? Z_FINISH : Z_NO_FLUSH);
        bytes_grow(&inner, PIECE - stream.avail_out);
        memset(piece, ' ', PIECE);
    }
    CHECK_INT(deflateEnd(&stream), Z_OK);
    zip_add_bytes(&zip, "bomb.json.gz", inner.data, inner.size, DEFLATED);
    zip_end(&zip);
    CHECK(zip.size < 4000);
    check_bytes(&zip, "a b", "input-cut-short 1");
    bytes_release(&zip);
    bytes_release(&inner);
    free(piece);
}

TEST(every_allocation_may_fail)
{
    Bytes zip = archive_read("info_zip"), wide = wide_json(50, false);
    for (unsigned which = 0; which < 2; which++) {
        const Bytes *bytes = which == 0 ? &zip : &wide;
        for (uint64_t n = 0;; n++) {
            CHECK(n < 10000);
            Err         err = { 0 };
            Loaded      loaded;
            LoadOptions options = { .threads = 1 };
            memory_fail_after(n);
            bool done = load_bytes(bytes->data, bytes->size, "x", &options, &loaded, &err);
            memory_fail_after(UINT64_MAX);
            if (done) {
                loaded_release(&loaded);
                break;
            }
            CHECK_INT(err.code, ERR_MEMORY);
        }
    }
    bytes_release(&zip);
    bytes_release(&wide);
}

TEST_MAIN("archive", TEST_CASE(archives_of_real_programs), TEST_CASE(archives_from_a_pipe),
          TEST_CASE(archives_cut_anywhere), TEST_CASE(archives_damaged_anywhere),
          TEST_CASE(archives_that_cannot_be_read_say_why), TEST_CASE(every_way_a_member_may_stand_there),
          TEST_CASE(members_compressed_again_and_in_utf16), TEST_CASE(members_do_not_run_into_each_other),
          TEST_CASE(a_damaged_member_costs_no_other), TEST_CASE(other_files_are_passed_over),
          TEST_CASE(traces_of_one_format_make_one_trace),
          TEST_CASE(events_of_an_archive_can_be_observed_again), TEST_CASE(parts_that_were_unpacked),
          TEST_CASE(utf16_from_everywhere), TEST_CASE(utf16_with_half_a_pair_is_repaired_and_said),
          TEST_CASE(what_unpacks_without_end_is_stopped), TEST_CASE(every_allocation_may_fail))
