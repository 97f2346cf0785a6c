/* Damaged files, and properties of all files. */
#include "format/go_support.h"

#include <stdio.h>
#include <string.h>

static void text_of(const Bytes *file, size_t size, size_t piece, Bytes *text)
{
    Built built = go_built(file->data, size, piece);
    Err   err;
    bytes_clear(text);
    go_built_text(&built, text);
    if (built.trace != NULL) CHECK_DONE(trace_check(built.trace, &err), err);
    trace_release(built.trace);
}

static bool is_equal(const Bytes *a, const Bytes *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

TEST(any_chunking_gives_the_same_trace)
{
    static const size_t PIECES[] = { 1, 7, 100, 4096 };
    for (size_t i = 0; GO_FILES[i] != NULL; i++) {
        Bytes file = { 0 }, whole = { 0 }, pieces = { 0 };
        go_file_read(GO_FILES[i], &file);
        text_of(&file, file.size, 0, &whole);
        for (size_t n = file.size > 300 ? 1 : 0; n < sizeof PIECES / sizeof PIECES[0]; n++) {
            if (file.size > 3000 && PIECES[n] < 100) continue; /* a v1 trace is copied whole for each piece */
            text_of(&file, file.size, PIECES[n], &pieces);
            CHECK(is_equal(&whole, &pieces));
        }
        bytes_release(&file);
        bytes_release(&whole);
        bytes_release(&pieces);
    }
}

/* A cut file opens once its header is complete, and is reported as cut unless the cut is at the end of a generation. */
TEST(every_prefix_opens)
{
    for (size_t i = 0; GO_FILES[i] != NULL; i++) {
        Bytes file = { 0 };
        go_file_read(GO_FILES[i], &file);
        size_t step = 1 + file.size / 500;
        for (size_t size = 1; size < file.size; size += size < 200 ? 1 : step) {
            Built built = go_built(file.data, size, 0);
            Err   err;
            if (size < 16) {
                CHECK(built.trace == NULL);
                CHECK_INT(built.err.code, ERR_UNKNOWN);
                continue;
            }
            CHECK_DONE(built.trace != NULL, built.err);
            CHECK_DONE(trace_check(built.trace, &err), err);
            trace_release(built.trace);
        }
        bytes_release(&file);
    }
}

TEST(any_byte_may_be_wrong)
{
    TestRandom random = { 9 };
    for (size_t i = 0; GO_FILES[i] != NULL; i++) {
        Bytes file = { 0 }, whole = { 0 }, pieces = { 0 };
        go_file_read(GO_FILES[i], &file);
        for (int round = 0; round < 40; round++) {
            size_t  at = (size_t)test_random_below(&random, file.size);
            uint8_t before = file.data[at];
            file.data[at] = (uint8_t)test_random(&random);
            text_of(&file, file.size, 0, &whole);
            text_of(&file, file.size, 1 + (size_t)test_random_below(&random, file.size), &pieces);
            CHECK(is_equal(&whole, &pieces));
            file.data[at] = before;
        }
        bytes_release(&file);
        bytes_release(&whole);
        bytes_release(&pieces);
    }
}

/* A hole in the middle loses its batch or its generation, but never the trace. */
TEST(a_hole_is_survived)
{
    TestRandom random = { 11 };
    for (size_t i = 0; GO_FILES[i] != NULL; i++) {
        Bytes file = { 0 }, cut = { 0 }, text = { 0 };
        go_file_read(GO_FILES[i], &file);
        for (int round = 0; round < 20; round++) {
            size_t from = 16 + (size_t)test_random_below(&random, file.size - 16);
            size_t size = 1 + (size_t)test_random_below(&random, file.size - from);
            bytes_clear(&cut);
            bytes_append(&cut, file.data, from);
            bytes_append(&cut, file.data + from + size, file.size - from - size);
            text_of(&cut, cut.size, 0, &text);
            CHECK(text.size > 3 && memcmp(text.data, "go ", 3) == 0);
        }
        bytes_release(&file);
        bytes_release(&cut);
        bytes_release(&text);
    }
}

static uint64_t count_of(const Trace *trace, const char *warning)
{
    for (uint32_t i = 0; i < trace->records.warning_count; i++)
        if (strcmp(trace->records.warnings[i].kind, warning) == 0) return trace->records.warnings[i].count;
    return 0;
}

/* The events of this file's one generation end at byte 57,000 or so. If it is cut, threads wait for events in lost
 * batches: they are not blocked, and nearly all existing events are shown. */
TEST(complete_batches_of_a_cut_generation_are_shown)
{
    static const struct {
        size_t   size;
        uint64_t states; /* at least */
    } CUTS[] = { { 14000, 900 }, { 34700, 2500 }, { 50000, 4500 } };
    Bytes file = { 0 };
    Err   err;
    go_file_read("go126_mixed.trace", &file);
    for (size_t i = 0; i < sizeof CUTS / sizeof CUTS[0]; i++) {
        Built built = go_built(file.data, CUTS[i].size, 0);
        CHECK_DONE(built.trace != NULL, built.err);
        CHECK_DONE(trace_check(built.trace, &err), err);
        CHECK(!built.trace->source.complete);
        CHECK_UINT(count_of(built.trace, "no-order"), 1);
        CHECK_UINT(count_of(built.trace, "broken-order"), 0);
        CHECK(built.trace->counts.states >= CUTS[i].states);
        trace_release(built.trace);
    }
    bytes_release(&file);
}

/* -- a missing record -- */

static void no_begin(void *context, const GoTrace *trace)
{
    (void)context, (void)trace;
}

static bool note_time(void *context, GoTrace *trace, const GoEvent *event)
{
    (void)trace;
    bytes_printf(context, "%lld of P %lld\n", (long long)event->time, (long long)event->p);
    return true;
}

static bool no_end(void *context, GoTrace *trace)
{
    (void)context, (void)trace;
    return true;
}

PRINTF_LIKE(4, 0)
static void note_warning(void *context, const char *kind, uint64_t offset, const char *format, va_list args)
{
    (void)format, (void)args;
    bytes_printf(context, "%s at %llu\n", kind, (unsigned long long)offset);
}

/* The stream's next event is then another one, and others may be before it. */
TEST(what_is_left_out_leaves_the_order_as_it_is)
{
    enum { BATCH = V1_BATCH | 1 << 6, HEAP = V1_HEAP_ALLOC | 1 << 6, SHORT = V1_HEAP_ALLOC | 3 << 6 };
    static const uint8_t RECORDS[] = {
        BATCH, 0, 1, HEAP, 1, 7,
        /* a type with two numbers, of which one is present: skipped */
        SHORT, 1, 4, HEAP, 100, 7, BATCH, 1, 1, HEAP, 50, 7, /* */
        V1_FREQUENCY, 0x80, 0x94, 0xeb, 0xdc, 0x03,          /* 10^9 */
    };
    Bytes file = { 0 }, warnings = { 0 };
    Err   err;
    bytes_append(&file, "go 1.19 trace\0\0\0", 16);
    bytes_append(&file, RECORDS, sizeof RECORDS);
    const GoSink sink = { .v1_mode = V1_BY_CAUSE,
                          .begin = no_begin,
                          .event = note_time,
                          .end = no_end,
                          .report = { note_warning, &warnings },
                          .context = &warnings };
    CHECK_DONE(go_events(&file, file.size, 0, &sink, &err), err);
    bytes_append(&warnings, "", 1);
    CHECK_STRING((const char *)warnings.data, "bad-arguments at 22\n0 of P 0\n49 of P 1\n100 of P 0\n");
    bytes_release(&file);
    bytes_release(&warnings);
}

static Built at_once(const Bytes *file)
{
    return go_built(file->data, file->size, 0);
}

TEST(running_out_of_memory_is_an_error_and_no_crash)
{
    static const char *const FILES[] = { "go126_annot_cpuprofile.trace", "go119_annot_cpuprofile.trace",
                                         "canned_http_1_9_good.trace",
                                         "v2tests/go122-task-across-generations.trace",
                                         "fuzz/large-id.trace" };
    for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; i++) {
        Bytes file = { 0 };
        go_file_read(FILES[i], &file);
        check_every_allocation(at_once, &file);
        bytes_release(&file);
    }
}

TEST_MAIN("go_damage", TEST_CASE(any_chunking_gives_the_same_trace), TEST_CASE(every_prefix_opens),
          TEST_CASE(any_byte_may_be_wrong), TEST_CASE(a_hole_is_survived),
          TEST_CASE(complete_batches_of_a_cut_generation_are_shown),
          TEST_CASE(what_is_left_out_leaves_the_order_as_it_is),
          TEST_CASE(running_out_of_memory_is_an_error_and_no_crash))
