/* Damaged, truncated and divided inputs, and failed allocations. */
#include "format/spall_support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* -- names and arguments -- */

TEST(names_lose_trailing_nuls_and_cut_characters)
{
    char  long_name[256];
    Bytes file = { 0 };
    memset(long_name, 'x', 254);
    memcpy(long_name + 252, "\xe2\x82", 3); /* two thirds of a euro sign, at 252 and 253 */
    memmove(long_name + 253, long_name + 252, 3);
    long_name[252] = 'x';
    CHECK_UINT(strlen(long_name), 255);
    put_header(&file, 3, 1);
    size_t frame = frame_begin(&file, 1, 2);
    put_begin3(&file, 1, long_name, "");
    bytes_append(&file, "\x03\x02\0\0\0\0\0\0\0\x06\0main\0\0", 17);
    bytes_append(&file,
                 "\x03\x03\0\0\0\0\0\0\0\x03\0a\xff"
                 "b",
                 14);
    put_begin3(&file, 4, "", "");
    put_end3(&file, 9);
    frame_end(&file, frame);
    Bytes copy = { 0 }, text = { 0 };
    bytes_append(&copy, file.data, file.size);
    Trace *trace = built_whole(&copy);
    CHECK_UINT(trace->slices.count, 4);
    CHECK_UINT(trace_label_name(trace, trace_slice_label(trace, 0)).size, 253);
    CHECK_STRING(trace_label_name(trace, trace_slice_label(trace, 1)).bytes, "main");
    CHECK_STRING(trace_label_name(trace, trace_slice_label(trace, 2)).bytes, "a\xef\xbf\xbd"
                                                                             "b");
    CHECK_STRING(trace_label_name(trace, trace_slice_label(trace, 3)).bytes, "");
    CHECK_UINT(warning_count(trace, "invalid-utf8", NULL), 1);
    slice_details(trace, 0, file.data, file.size, &text);
    CHECK_BYTES(text.data, text.size, " {\"name_cut\":true}");
    trace_release(trace);
    bytes_release(&file);
    bytes_release(&text);
}

static void check_args(const char *args, const char *expected)
{
    Bytes file = { 0 }, copy = { 0 }, text = { 0 };
    put_header(&file, 3, 1);
    size_t frame = frame_begin(&file, 1, 2);
    put_begin3(&file, 1, "f", args);
    frame_end(&file, frame);
    bytes_append(&copy, file.data, file.size);
    Trace *trace = built_whole(&copy);
    slice_details(trace, 0, file.data, file.size, &text);
    put_u8(&text, 0);
    CHECK_STRING((const char *)text.data, expected);
    trace_release(trace);
    bytes_release(&file);
    bytes_release(&text);
}

TEST(arguments_are_text_or_an_object)
{
    check_args("", "");
    check_args("a \"b\"\n", "{\"args\":\"a \\\"b\\\"\\n\"}");
    check_args("{\"a\": [1, 2.5e3, {}], \"b\": null}", "{\"a\": [1, 2.5e3, {}], \"b\": null}");
    check_args("[1]", "{\"args\":\"[1]\"}");
    check_args("{\"a\": 01}", "{\"args\":\"{\\\"a\\\": 01}\"}");
    check_args("{\"a\": \"\xff\"}", "{\"args\":\"{\\\"a\\\": \\\"\xef\xbf\xbd\\\"}\"}");
    char long_args[256];
    memset(long_args, 'y', 255);
    long_args[255] = '\0';
    char expected[300];
    snprintf(expected, sizeof expected, "{\"args\":\"%s\"} {\"args_cut\":true}", long_args);
    check_args(long_args, expected);
}

TEST(details_ask_for_more_bytes)
{
    Bytes file = { 0 };
    fixture_read("spall/v1_threads.spall", &file);
    Built    built = built_from(file.data, file.size, (Pieces){ 0 });
    uint64_t offset = 0, slice = 0;
    while (!trace_slice_source(built.trace, slice, &offset))
        slice++;
    EventDetails details = { 0 };
    EventBytes   none = { .bytes = NULL };
    size_t       needed = 20u + file.data[offset + 18] + file.data[offset + 19];
    for (size_t size = 0; size < needed; size++) {
        EventBytes begin = { .bytes = file.data + offset, .size = size, .offset = offset };
        Err        err = { 0 };
        CHECK(!SPALL_READER.details(built.trace, &begin, &none, &details, &err));
        CHECK_INT(err.code, ERR_TRUNCATED);
    }
    trace_release(built.trace);
    bytes_release(&file);
}

/* -- damage -- */

TEST(a_record_past_its_buffer_costs_itself)
{
    Bytes file = { 0 };
    put_header(&file, 3, 1);
    size_t frame = frame_begin(&file, 1, 2);
    put_begin3(&file, 1, "whole", "");
    put_begin3(&file, 2, "too long", "");
    frame_end(&file, frame);
    file.data[frame] = (uint8_t)(file.data[frame] - 3);
    file.size -= 3;
    frame = frame_begin(&file, 1, 3);
    put_begin3(&file, 5, "next", "");
    put_end3(&file, 6);
    frame_end(&file, frame);
    check_text(
        &file,
        "spall 3 incomplete, clock ns 1/1, 1..6\n'timestamp_unit' 1\n'Begin' x 2\n'End' x 1\n"
        "unfinished-slice x 1: a begin without an end: drawn to the end of the thread (byte 52, event 0)\n"
        "record-past-buffer x 1: record runs past the end of its buffer, 16 bytes left in it; it is left "
        "out (byte 68, event 1)\n"
        "track kind 0 pid 1 (none) tid 2 (none)\n  0.0 1..1 'whole' unfinished\n"
        "track kind 0 pid 1 (none) tid 3 (none)\n  0.0 5..6 'next'\n");
}

TEST(filler_past_its_buffer_is_damage)
{
    Bytes file = { 0 };
    put_header(&file, 3, 1);
    size_t frame = frame_begin(&file, 1, 2);
    put_u8(&file, 7);
    put_u32(&file, UINT32_MAX);
    frame_end(&file, frame);
    frame = frame_begin(&file, 1, 2);
    put_begin3(&file, 5, "next", "");
    frame_end(&file, frame);
    Trace *trace = built_whole(&file);
    CHECK_UINT(warning_count(trace, "record-past-buffer", NULL), 1);
    CHECK_UINT(trace->slices.count, 1);
    trace_release(trace);
}

TEST(a_record_without_a_published_layout_is_named)
{
    Bytes file = { 0 };
    put_header(&file, 3, 1);
    size_t frame = frame_begin(&file, 1, 2);
    put_begin3(&file, 1, "before", "");
    put_u8(&file, 6);
    put_end3(&file, 2);
    frame_end(&file, frame);
    frame = frame_begin(&file, 1, 2);
    put_end3(&file, 3);
    frame_end(&file, frame);
    check_text(
        &file,
        "spall 3 incomplete, clock ns 1/1, 1..3\n'timestamp_unit' 1\n'Begin' x 1\n'End' x 1\n"
        "unsupported-record x 1: unsupported record type 6 (Overwrite_Timestamp): its layout was never "
        "published; the rest of its buffer is left out (byte 69, event 1)\n"
        "track kind 0 pid 1 (none) tid 2 (none)\n  0.0 1..3 'before'\n");
    put_header(&file, 1, 0.001);
    put_begin1(&file, 1, "before", "");
    put_u8(&file, 8);
    put_end1(&file, 2);
    check_text(
        &file,
        "spall 1 incomplete, clock ns 1/1, 1..1\n'timestamp_unit' 0.001\n'Begin' x 1\n"
        "unfinished-slice x 1: a begin without an end: drawn to the end of the thread (byte 32, event 0)\n"
        "unsupported-record x 1: unsupported record type 8 (MicroEnd): its layout was never published; "
        "reading ends here (byte 58, event 1)\n"
        "track kind 0 pid 1 (none) tid 2 (none)\n  0.0 1..1 'before' unfinished\n");
}

TEST(zeros_in_a_buffer_hold_nothing_and_cost_nothing)
{
    Bytes file = { 0 };
    put_header(&file, 3, 1);
    size_t frame = frame_begin(&file, 1, 2);
    put_begin3(&file, 1, "a", "");
    for (int i = 0; i < 500; i++)
        put_u8(&file, 0);
    frame_end(&file, frame);
    frame = frame_begin(&file, 1, 2);
    put_end3(&file, 3);
    frame_end(&file, frame);
    for (int i = 0; i < 50; i++)
        put_u8(&file, 0);
    check_text(&file, "spall 3, clock ns 1/1, 1..3\n'timestamp_unit' 1\n'Begin' x 1\n'End' x 1\n"
                      "zero-tail x 2: 500 zero bytes where records should be (byte 64, event 1)\n"
                      "track kind 0 pid 1 (none) tid 2 (none)\n  0.0 1..3 'a'\n");
}

TEST(zeros_with_something_behind_them_are_damage)
{
    Bytes file = { 0 };
    put_header(&file, 1, 1);
    put_begin1(&file, 1, "a", "");
    for (int i = 0; i < 500; i++)
        put_u8(&file, 0);
    put_end1(&file, 2);
    Trace         *trace = built_whole(&file);
    const Warning *first = NULL;
    CHECK_UINT(warning_count(trace, "invalid-record", &first), 1);
    CHECK_UINT(first->first.offset, 53);
    CHECK_UINT(first->first.event, 1);
    CHECK(!trace->source.complete);
    trace_release(trace);
}

/* An explicit flush of an empty buffer of process 0, thread 0 is 20 zeros, which is not damage. */
TEST(an_empty_buffer_of_thread_0_is_nothing_special)
{
    Bytes file = { 0 };
    put_header(&file, 3, 1);
    for (int i = 0; i < 20; i++)
        put_u8(&file, 0);
    size_t frame = frame_begin(&file, 0, 0);
    put_begin3(&file, 1, "a", "");
    put_end3(&file, 2);
    frame_end(&file, frame);
    for (int i = 0; i < 20; i++)
        put_u8(&file, 0);
    Trace *trace = built_whole(&file);
    CHECK_UINT(trace->records.warning_count, 0);
    CHECK(trace->source.complete);
    CHECK_UINT(trace->counts.threads, 1);
    trace_release(trace);
}

TEST(instants_of_the_fork_are_markers_over_everything)
{
    Bytes file = { 0 };
    put_header(&file, 3, 1);
    size_t frame = frame_begin(&file, 1, 2);
    put_begin3(&file, 1, "a", "");
    put_u8(&file, 5);
    put_u64(&file, 4);
    put_u8(&file, 5);
    bytes_append_text(&file, "frame");
    put_end3(&file, 9);
    frame_end(&file, frame);
    Trace *trace = built_whole(&file);
    CHECK_UINT(event_count(trace, "Instant"), 1);
    CHECK_UINT(trace->instants.count, 1);
    CHECK_INT(trace->instants.scope[0], INSTANT_GLOBAL);
    CHECK_INT(trace->instants.tick[0], 4);
    CHECK_STRING(trace_label_name(trace, trace->instants.label[0]).bytes, "frame");
    trace_release(trace);
}

TEST(the_last_name_wins)
{
    Bytes file = { 0 };
    put_header(&file, 3, 1);
    size_t frame = frame_begin(&file, 1, 2);
    put_hex(&file, "09 01 61 08 01 62");
    put_begin3(&file, 1, "a", "");
    put_hex(&file, "09 02 63 63 08 02 64 00");
    frame_end(&file, frame);
    Trace *trace = built_whole(&file);
    CHECK_STRING(trace_string(trace, trace->tracks[1].name).bytes, "cc");
    CHECK_STRING(trace_string(trace, trace->processes[1].name).bytes, "d");
    CHECK_UINT(trace->records.other_count, 4);
    trace_release(trace);
}

TEST(version_2_that_does_not_fit_is_left)
{
    Bytes file = { 0 };
    fixture_read("spall/syn_v2.spall", &file);
    file.data[56 - 7] = 9; /* replaces the End's type */
    size_t end = file.size - 9;
    file.data[end] = 9;
    Bytes copy = { 0 };
    bytes_append(&copy, file.data, file.size);
    Trace *trace = built_whole(&copy);
    CHECK_UINT(warning_count(trace, "invalid-record", NULL), 1);
    CHECK(!trace->source.complete);
    trace_release(trace);
    file.data[40] = 9; /* the first record */
    check_text(
        &file,
        "refused (version): version 2 spall files were never released; this one does not match the only "
        "published layout (byte 40, event 0)\n");
}

TEST(more_threads_than_are_kept_are_distinguished)
{
    enum { THREADS = 3000 };
    Bytes file = { 0 };
    put_header(&file, 1, 0.001);
    for (uint32_t turn = 0; turn < 2; turn++) {
        for (uint32_t i = 0; i < THREADS; i++) {
            size_t at = file.size;
            if (turn == 0)
                put_begin1(&file, i, "work", "");
            else
                put_end1(&file, 10000 + i);
            size_t ids = at + (turn == 0 ? 2 : 1);
            file.data[ids + 4] = (uint8_t)i;
            file.data[ids + 5] = (uint8_t)(i >> 8);
        }
    }
    Trace *trace = built_whole(&file);
    CHECK_UINT(trace->counts.threads, THREADS);
    CHECK_UINT(trace->slices.count, THREADS);
    CHECK_UINT(trace->counts.unfinished, 0);
    CHECK_UINT(trace->records.warning_count, 0);
    for (uint64_t i = 0; i < THREADS; i++)
        CHECK_UINT(trace_slice_duration(trace, i), 10000);
    trace_release(trace);
}

/* -- properties of all files -- */

static const char *const SMALL[] = {
    "syn_v3_all_records", "syn_v3_arguments", "syn_v3_odd_times",
    "syn_v3_recorder",    "syn_v1_pad_skip",  "syn_v1_odd_doubles",
    "syn_v1_interleaved", "syn_v2",           "bad_v3_flipped_byte",
    "bad_v3_huge_size",   "v3_tiny_buffers",  "v1_long_name_args_bug",
    "v0_0C_cache_forced", "v0_0F_complete",   "auto_v3",
    "syn_auto_v1",        "syn_auto_v2",      "syn_auto_v3_records",
    "bad_auto_v3_tag",
};

static void read_small(size_t i, Bytes *file)
{
    char path[128];
    snprintf(path, sizeof path, "spall/%s.spall", SMALL[i]);
    fixture_read(path, file);
}

TEST(any_chunking_gives_the_same_trace)
{
    for (size_t i = 0; i < sizeof SMALL / sizeof SMALL[0]; i++) {
        Bytes file = { 0 };
        read_small(i, &file);
        check_any_pieces(text_of, &file);
        bytes_release(&file);
    }
}

/* Appends records of version 1: threads in runs, unusual times, new names, categories and arguments. */
static void put_mixed_records(Bytes *file, TestRandom *random, bool has_fractions, bool has_unusual_times)
{
    double   time = 0;
    uint32_t tid = 1;
    for (unsigned i = 0; i < 900; i++) {
        const bool     is_begin = test_random_below(random, 2) == 0;
        const unsigned unusual = has_unusual_times ? (unsigned)test_random_below(random, 90) : 90;
        char           name[64];
        if (test_random_below(random, 8) == 0) tid = (uint32_t)test_random_below(random, 3);
        time += (double)test_random_below(random, 3000) / (has_fractions ? 1000 : 1);
        put_u8(file, is_begin ? 3 : 4);
        if (is_begin) put_u8(file, test_random_below(random, 50) == 0);
        put_u32(file, 1);
        put_u32(file, tid);
        put_f64(file, unusual == 0 ? time - 100 : unusual == 1 ? (double)NAN : unusual == 2 ? 1e19 : time);
        if (!is_begin) continue;
        const int size =
            snprintf(name, sizeof name, "name %u%s", (unsigned)test_random_below(random, 1u << (i % 12)),
                     test_random_below(random, 40) == 0 ? "\xFF and more than forty-eight bytes of it" : "");
        const bool has_args = test_random_below(random, 10) == 0;
        put_u8(file, (unsigned)size);
        put_u8(file, has_args ? 2 : 0);
        bytes_append(file, name, (size_t)size);
        if (has_args) bytes_append_text(file, "{}");
    }
}

/* Pieces that are shorter than a block are read record by record. */
TEST(blocks_of_records_give_the_same_as_single_records)
{
    TestRandom random = { 3 };
    for (unsigned turn = 0; turn < 40; turn++) {
        Bytes file = { 0 }, whole = { 0 }, single = { 0 };
        put_header(&file, 1, 1);
        put_mixed_records(&file, &random, turn % 2 == 1, turn % 4 >= 2);
        text_of(&file, file.size, (Pieces){ 0 }, &whole);
        text_of(&file, file.size, (Pieces){ .fixed = 1 }, &single);
        CHECK(single.size == whole.size && memcmp(single.data, whole.data, whole.size) == 0);
        bytes_release(&file);
        bytes_release(&whole);
        bytes_release(&single);
    }
}

/* A cut file gives a part of the events, and is either empty, a file of complete records, or reported as incomplete. */
TEST(every_prefix_opens_or_is_refused)
{
    for (size_t i = 0; i < sizeof SMALL / sizeof SMALL[0]; i++) {
        Bytes file = { 0 };
        read_small(i, &file);
        size_t step = file.size > 2000 ? 7 : 1, most = 0;
        for (size_t size = 0; size < file.size; size += step) {
            Built built = built_from(file.data, size, (Pieces){ 0 });
            if (built.trace == NULL) {
                bool is_auto = file.data[3] == 0xAB; /* its versions 1 and 2 are recognised by many records */
                bool unsure = file.data[8] == 0 || file.data[8] == 2 || (is_auto && file.data[8] == 1);
                CHECK(size < (is_auto ? 34u + file.data[32] : 32u) || unsure);
                CHECK(built.err.message[0] != '\0');
                continue;
            }
            Err err;
            CHECK_DONE(trace_check(built.trace, &err), err);
            if (file.data[8] != 0) { /* a short file of version 0 may fit another layout */
                CHECK(built.trace->slices.count >= most);
                most = (size_t)built.trace->slices.count;
            }
            trace_release(built.trace);
        }
        bytes_release(&file);
    }
}

TEST(any_byte_may_be_wrong)
{
    TestRandom random = { 9 };
    for (size_t i = 0; i < sizeof SMALL / sizeof SMALL[0]; i++) {
        Bytes file = { 0 };
        read_small(i, &file);
        check_any_byte(text_of, &file, 8, &random);
        bytes_release(&file);
    }
}

static Built in_blocks(const Bytes *file)
{
    return built_from(file->data, file->size, (Pieces){ .fixed = 4096 });
}

TEST(running_out_of_memory_is_an_error_and_no_crash)
{
    for (size_t i = 0; i < sizeof SMALL / sizeof SMALL[0]; i++) {
        Bytes file = { 0 };
        read_small(i, &file);
        check_every_allocation(in_blocks, &file);
        bytes_release(&file);
    }
}

TEST_MAIN("spall_damage", TEST_CASE(names_lose_trailing_nuls_and_cut_characters),
          TEST_CASE(arguments_are_text_or_an_object), TEST_CASE(details_ask_for_more_bytes),
          TEST_CASE(a_record_past_its_buffer_costs_itself), TEST_CASE(filler_past_its_buffer_is_damage),
          TEST_CASE(a_record_without_a_published_layout_is_named),
          TEST_CASE(zeros_in_a_buffer_hold_nothing_and_cost_nothing),
          TEST_CASE(zeros_with_something_behind_them_are_damage),
          TEST_CASE(an_empty_buffer_of_thread_0_is_nothing_special),
          TEST_CASE(instants_of_the_fork_are_markers_over_everything), TEST_CASE(the_last_name_wins),
          TEST_CASE(version_2_that_does_not_fit_is_left),
          TEST_CASE(more_threads_than_are_kept_are_distinguished),
          TEST_CASE(any_chunking_gives_the_same_trace),
          TEST_CASE(blocks_of_records_give_the_same_as_single_records),
          TEST_CASE(every_prefix_opens_or_is_refused), TEST_CASE(any_byte_may_be_wrong),
          TEST_CASE(running_out_of_memory_is_an_error_and_no_crash))
