/* Traces in HTML pages: src/codec/page_native.c, and its use in src/format/input.c. */
#include "base/base64.h"
#include "codec/page.h"
#include "format/load.h"
#include "support/damage.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define SLICE(name)                                                                                          \
    "{\"name\":\"" name "\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1,\"args\":{\"in\":1}}"
#define ONE "[" SLICE("a") "," SLICE("b") "]"
#define TWO "[" SLICE("c") "]"

/* ---- making pages ---- */

/* The script of the viewer has tags in its texts, which are not those of a trace. */
static const char HEAD[] =
    "<!DOCTYPE html>\n<html><head><script>x = `<script type=\"text/plain\" ${a}></body>\n"
    "</html>`</script>\n<script type=\"text/plain\" data-file=\"a.js\">AAAA</script>\n"
    "<script type=\"text/plain\" data-more>BBBB</script>\n</head><body>\n";

static void block_begin(Bytes *page, const char *name)
{
    if (name == NULL) {
        bytes_append_text(page, "<script type=\"text/plain\" data-more>");
        return;
    }
    bytes_append_text(page, "<script type=\"text/plain\" data-trace=\"");
    base64_append(name, strlen(name), page);
    bytes_append_text(page, "\">");
}

static void block_add(Bytes *page, const char *name, const void *bytes, size_t size)
{
    block_begin(page, name);
    base64_append(bytes, size, page);
    bytes_append_text(page, "</script>\n");
}

/* Appends a trace in blocks of a size. */
static void trace_add(Bytes *page, const char *name, const void *bytes, size_t size, size_t block)
{
    for (size_t at = 0; at == 0 || at < size; at += block)
        block_add(page, at == 0 ? name : NULL, (const char *)bytes + at,
                  size - at < block ? size - at : block);
}

static void page_end(Bytes *page)
{
    bytes_append_text(page, "<script type=\"text/plain\" data-view=\"\">e30=</script>\n</body>\n</html>\n");
    CHECK(!page->failed);
}

static Bytes page_of(const void *bytes, size_t size, size_t block)
{
    Bytes page = { 0 };
    bytes_append_text(&page, HEAD);
    trace_add(&page, "one.json", bytes, size, block);
    page_end(&page);
    return page;
}

static Bytes gzipped(const char *text)
{
    Bytes    out = { 0 };
    z_stream stream = { 0 };
    CHECK_INT(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = (z_const Bytef *)(uintptr_t)text;
    stream.avail_in = (uInt)strlen(text);
    stream.avail_out = (uInt)deflateBound(&stream, strlen(text)) + 64;
    stream.next_out = (Bytef *)bytes_reserve(&out, stream.avail_out);
    CHECK_INT(deflate(&stream, Z_FINISH), Z_STREAM_END);
    bytes_grow(&out, stream.total_out);
    CHECK_INT(deflateEnd(&stream), Z_OK);
    return out;
}

/* ---- checks ---- */

static const char *warning_text(const Trace *trace, const char *kind)
{
    for (uint32_t i = 0; i < trace->records.warning_count; i++)
        if (strcmp(trace->records.warnings[i].kind, kind) == 0)
            return trace->records.warnings[i].first.message;
    return "";
}

static void check_trace(const Loaded *loaded, uint64_t slices, const char *warnings)
{
    Err   err = { 0 };
    Bytes text = { 0 };
    CHECK_DONE(trace_check(loaded->trace, &err), err);
    CHECK_UINT(loaded->trace->slices.count, slices);
    CHECK_STRING(codec_name(loaded->codec), "html");
    for (uint64_t i = 0; i < slices; i++) {
        EventDetails details;
        CHECK_DONE(load_slice_details(loaded, i, &details, &err), err);
        CHECK(details.args.size > 0);
        bytes_release(&details.args);
        bytes_release(&details.other);
    }
    for (uint32_t i = 0; i < loaded->trace->records.warning_count; i++)
        bytes_printf(&text, "%s%s: %s", i == 0 ? "" : ", ", loaded->trace->records.warnings[i].kind,
                     loaded->trace->records.warnings[i].first.message);
    bytes_append(&text, "", 1);
    CHECK_STRING((const char *)text.data, warnings);
    bytes_release(&text);
}

/* Checks and releases the page. */
static void check_page(Bytes page, uint64_t slices, const char *warnings)
{
    Err    err = { 0 };
    Loaded loaded;
    CHECK_DONE(load_bytes(page.data, page.size, "x", NULL, &loaded, &err), err);
    check_trace(&loaded, slices, warnings);
    loaded_release(&loaded);
    bytes_release(&page);
}

static void check_refused(Bytes page, const char *message, uint64_t offset)
{
    Err    err = { 0 };
    Loaded loaded;
    CHECK(!load_bytes(page.data, page.size, "x", NULL, &loaded, &err));
    CHECK_STRING(err.message, message);
    CHECK_UINT(err.offset, offset);
    bytes_release(&page);
}

/* ---- pages ---- */

TEST(a_trace_in_blocks_of_every_size)
{
    Bytes packed = gzipped(ONE);
    for (size_t block = 1; block < 12; block++) {
        check_page(page_of(ONE, sizeof ONE - 1, block), 2, "");
        check_page(page_of(packed.data, packed.size, block), 2, "");
    }
    check_page(page_of(packed.data, packed.size, packed.size), 2, "");
    bytes_release(&packed);
}

TEST(white_space_in_a_block_and_missing_padding)
{
    Bytes page = { 0 };
    bytes_append_text(&page, HEAD);
    block_begin(&page, "one.json");
    bytes_append_text(
        &page,
        "W3s\n "
        "ibmFtZSI6\r\n\tImEi\fLCJwaCI6IkIiLCJwaWQiOjEsInRpZCI6MSwidHMiOjEsImFyZ3MiOnsiYSI6MX19</script>\n");
    block_begin(&page, NULL);
    bytes_append_text(&page, "XQ</script>"); /* "]" without == */
    page_end(&page);
    check_page(page, 1, "unfinished-slice: a begin without an end: drawn to the end of the trace");
}

TEST(only_the_first_trace_is_read)
{
    Bytes page = { 0 };
    bytes_append_text(&page, HEAD);
    trace_add(&page, "one.json", ONE, sizeof ONE - 1, 50);
    trace_add(&page, "two.json", TWO, sizeof TWO - 1, 50);
    trace_add(&page, "three.json", TWO, sizeof TWO - 1, 50);
    page_end(&page);
    check_page(page, 2,
               "archive-member-skipped: two.json is left out: only the first trace of an HTML page is read");
}

TEST(pages_in_pages_are_refused)
{
    Bytes inner = page_of(ONE, sizeof ONE - 1, 90);
    check_refused(page_of(inner.data, inner.size, 300), "an HTML page in an HTML page instead of a trace",
                  ERR_NOWHERE);
    bytes_release(&inner);
}

TEST(pages_without_a_trace_say_so)
{
    Bytes page = { 0 };
    bytes_append_text(&page, HEAD);
    page_end(&page);
    const size_t size = page.size;
    check_refused(page, "it is an HTML page without a trace, or cut short before the trace", size);
    page = (Bytes){ 0 };
    bytes_append_text(&page, HEAD);
    trace_add(&page, "one.json", "", 0, 1);
    page_end(&page);
    check_refused(page, "the input is empty", 0);
}

/* ---- damage ---- */

/* Returns the offset of the first block of a trace. */
static size_t first_block(const Bytes *page)
{
    static const char TAG[] = "data-trace=\"";
    for (size_t i = 0; i + sizeof TAG < page->size; i++)
        if (memcmp(page->data + i, TAG, sizeof TAG - 1) == 0)
            return i +
                   (size_t)((const char *)memchr(page->data + i, '>', page->size - i) -
                            (const char *)(page->data + i)) +
                   1;
    return 0;
}

TEST(a_wrong_character_ends_the_trace_with_its_offset)
{
    static const char *const WRONG[] = { "!", "=", "<", "-", "\xc3" };
    for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++) {
        Bytes        page = page_of(ONE, sizeof ONE - 1, sizeof ONE);
        const size_t begin = first_block(&page), at = begin + 4 * ((sizeof SLICE("a") + 6) / 3);
        page.data[at] = (uint8_t)WRONG[i][0];
        Err    err = { 0 };
        Loaded loaded;
        Bytes  expected = { 0 };
        bytes_printf(&expected, "the trace in the page is damaged: %s (at byte %zu of the html input)",
                     WRONG[i][0] == '<' ? "a block ends too early" : "not a character of base64", at);
        bytes_append(&expected, "", 1);
        CHECK_DONE(load_bytes(page.data, page.size, "x", NULL, &loaded, &err), err);
        CHECK_UINT(loaded.trace->slices.count, 1);
        CHECK(!loaded.trace->source.complete);
        CHECK_STRING(warning_text(loaded.trace, "input-cut-short"), (const char *)expected.data);
        bytes_release(&expected);
        loaded_release(&loaded);
        bytes_release(&page);
    }
}

TEST(names_that_are_damaged)
{
    static const char *const NAMES[] = { "b25l!\">", "b25lL\">", "b25l\" >", "b25l" };
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        Bytes page = { 0 };
        bytes_append_text(&page, HEAD);
        bytes_append_text(&page, "<script type=\"text/plain\" data-trace=\"");
        const size_t offset = page.size;
        bytes_append_text(&page, NAMES[i]);
        while (page.size < offset + 2 * PAGE_LOOK_BYTES) /* a name without an end */
            bytes_append_text(&page, "AAAA");
        Err    err = { 0 };
        Loaded loaded;
        CHECK(!load_bytes(page.data, page.size, "x", NULL, &loaded, &err));
        CHECK_STRING(err.message, "the name of a trace in the page is damaged");
        CHECK(err.offset >= offset && err.offset <= offset + PAGE_LOOK_BYTES);
        bytes_release(&page);
    }
}

/* Without the last tag, except for its last byte, a page has a warning. */
TEST(pages_cut_anywhere)
{
    Bytes packed = gzipped(ONE);
    for (unsigned which = 0; which < 2; which++) {
        Bytes page = which == 0 ? page_of(ONE, sizeof ONE - 1, 60) : page_of(packed.data, packed.size, 60);
        CHECK_UINT(check_prefixes(page.data, page.size, page.size - 1), 2);
        bytes_release(&page);
    }
    bytes_release(&packed);
}

TEST(pages_damaged_anywhere)
{
    TestRandom random = { 1 };
    Bytes      packed = gzipped(ONE);
    Bytes      page = page_of(packed.data, packed.size, 60);
    check_changed_bytes(&page, page.size, 3000, &random);
    bytes_release(&page);
    bytes_release(&packed);
}

/* ---- the reader ---- */

typedef struct Drip {
    const Bytes *bytes;
    size_t       at, step;
} Drip;

static bool read_drip(void *context, void *buffer, size_t size, size_t *got, Err *err)
{
    (void)err;
    Drip *drip = (Drip *)context;
    *got = drip->bytes->size - drip->at;
    if (*got > size) *got = size;
    if (*got > drip->step) *got = drip->step;
    memcpy(buffer, drip->bytes->data + drip->at, *got);
    drip->at += *got;
    return true;
}

TEST(the_bytes_are_the_same_in_steps_of_every_size)
{
    Bytes page = page_of(ONE, sizeof ONE - 1, 50);
    for (size_t step = 1; step < 40; step += 6) {
        for (size_t room = 1; room < 8; room++) {
            Arena      arena = arena_create(0);
            Err        err = { 0 };
            Drip       drip = { &page, 0, step };
            HeldSource held;
            PageOthers others;
            uint8_t    out[sizeof ONE + 8];
            size_t     size = 0, got = 1;
            CHECK_DONE(held_open(&held, &arena, PAGE_LOOK_BYTES, &err), err);
            held_restart(&held, (ByteSource){ read_drip, &drip });
            PageReader *reader = page_open(&arena, &held, &err);
            CHECK(reader != NULL);
            const ByteSource source = page_source(reader);
            for (; got > 0 && size + room < sizeof out; size += got)
                CHECK_DONE(source_read(&source, out + size, room, &got, &err), err);
            CHECK_UINT(size, sizeof ONE - 1);
            CHECK(memcmp(out, ONE, size) == 0);
            CHECK_DONE(page_finish(reader, &others, &err), err);
            CHECK_UINT(others.count, 0);
            arena_release(&arena);
        }
    }
    bytes_release(&page);
}

TEST(detection_needs_the_whole_declaration)
{
    CHECK(page_detect((const uint8_t *)"<!doctype html>", PAGE_HEAD_BYTES));
    CHECK(page_detect((const uint8_t *)"<!DOCTYPE HTML", PAGE_HEAD_BYTES));
    CHECK(!page_detect((const uint8_t *)"<!doctype html", PAGE_HEAD_BYTES - 1));
    CHECK(!page_detect((const uint8_t *)"<!DOCTYPE svg >", PAGE_HEAD_BYTES));
    CHECK(!page_detect(NULL, 0));
}

TEST(every_allocation_may_fail)
{
    Bytes packed = gzipped(ONE);
    Bytes page = page_of(packed.data, packed.size, 60);
    for (uint64_t n = 0;; n++) {
        CHECK(n < 10000);
        Err         err = { 0 };
        Loaded      loaded;
        LoadOptions options = { .threads = 1 };
        memory_fail_after(n);
        bool done = load_bytes(page.data, page.size, "x", &options, &loaded, &err);
        memory_fail_after(UINT64_MAX);
        if (done) {
            loaded_release(&loaded);
            break;
        }
        CHECK_INT(err.code, ERR_MEMORY);
    }
    bytes_release(&page);
    bytes_release(&packed);
}

TEST_MAIN("page", TEST_CASE(a_trace_in_blocks_of_every_size),
          TEST_CASE(white_space_in_a_block_and_missing_padding), TEST_CASE(only_the_first_trace_is_read),
          TEST_CASE(pages_in_pages_are_refused), TEST_CASE(pages_without_a_trace_say_so),
          TEST_CASE(a_wrong_character_ends_the_trace_with_its_offset), TEST_CASE(names_that_are_damaged),
          TEST_CASE(pages_cut_anywhere), TEST_CASE(pages_damaged_anywhere),
          TEST_CASE(the_bytes_are_the_same_in_steps_of_every_size),
          TEST_CASE(detection_needs_the_whole_declaration), TEST_CASE(every_allocation_may_fail))
