/* Damaged files, and properties of all files. */
#include "format/heph_support.h"

#include <stdio.h>
#include <string.h>

/* -- handwritten damage -- */

static Trace *built_with_warning(Bytes *file, const char *kind, uint64_t offset, uint64_t event,
                                 const char *message)
{
    Trace         *trace = built_whole(file);
    const Warning *warning = NULL;
    CHECK_UINT(warning_count(trace, kind, &warning), 1);
    CHECK_UINT(warning->first.offset, offset);
    CHECK_UINT(warning->first.event, event);
    CHECK_STRING(warning->first.message, message);
    CHECK(!trace->source.complete);
    return trace;
}

TEST(garbage_is_skipped_and_reported)
{
    Bytes file = { 0 };
    put_event(&file, 0, 1, 2, "a");
    put_hex(&file, "75 d1 1d 00 c1 fc 1f b7 00 00 00 05 01");
    put_event(&file, 1, 2, 3, "b");
    Trace *trace =
        built_with_warning(&file, "skipped-bytes", 43, 1, "expected a packet's magic: 13 bytes skipped");
    CHECK_UINT(trace->slices.count, 2);
    check_property(trace, "statistics",
                   "{\"descriptions\":2,\"largest_event\":43,\"attribute_types\":{},\"skipped_bytes\":13,"
                   "\"skipped\":[[43,13]],\"streams\":[{\"stream\":1,\"events\":2,\"first_counter\":0}]}");
    trace_release(trace);
}

TEST(each_false_packet_is_reported_by_its_fault)
{
    static const char *const FAULTS[][2] = {
        { "c1 fc 1f b7 00 00 00 05", "event packet of 5 bytes is too small: 8 bytes skipped" },
        { "75 d1 1d 4d 00 00 00 09", "metadata packet of 9 bytes is too small: 8 bytes skipped" },
        { "c1 fc 1f b7 7f ff ff ff", "event packet of 2147483647 bytes is too large: 8 bytes skipped" },
        { "75 d1 1d 4d 00 00 00 0b 00 05 61",
          "the option's name of a packet runs over its end: 11 bytes skipped" },
        { "c1 fc 1f b7 00 10 00 00",
          "event packet of 1048576 bytes reaches past the end of the input: 8 bytes skipped" },
    };
    for (size_t i = 0; i < sizeof FAULTS / sizeof FAULTS[0]; i++) {
        Bytes file = { 0 };
        put_event(&file, 0, 1, 2, "a");
        put_hex(&file, FAULTS[i][0]);
        put_event(&file, 1, 2, 3, "b");
        Trace *trace = built_with_warning(&file, "skipped-bytes", 43, 1, FAULTS[i][1]);
        CHECK_UINT(trace->slices.count, 2);
        trace_release(trace);
    }
}

/* The bytes after a packet decide whether its size is trusted. */
TEST(bad_attributes_cost_themselves_where_a_packet_follows)
{
    Bytes  file = { 0 };
    size_t packet = packet_begin(&file, 1, 0, 0, 1, 2, "a");
    put_attribute(&file, "good", 0x01);
    put_uint(&file, 7, 8);
    put_attribute(&file, "bad", 0x85);
    packet_end(&file, packet);
    put_event(&file, 1, 2, 3, "b");
    Trace *trace = built_with_warning(&file, "bad-attribute", 0, 0,
                                      "the attribute at byte 58 has type 0x85, which is unknown: it and "
                                      "the rest of its packet are not decoded");
    CHECK_UINT(trace->slices.count, 2);
    CHECK_UINT(warning_count(trace, "skipped-bytes", NULL), 0);
    trace_release(trace);
}

TEST(bad_attributes_without_a_packet_behind_are_no_packet)
{
    Bytes file = { 0 };
    put_event(&file, 0, 1, 2, "a");
    size_t packet = packet_begin(&file, 1, 1, 0, 1, 2, "false");
    put_attribute(&file, "value", 0x01);
    packet_end(&file, packet);
    put_hex(&file, "00 00");
    put_event(&file, 1, 2, 3, "b");
    Trace *trace = built_with_warning(
        &file, "skipped-bytes", 43, 1,
        "event packet whose attributes cannot be decoded and that no packet follows: 57 bytes skipped");
    CHECK_UINT(trace->slices.count, 2);
    trace_release(trace);
}

TEST(a_cut_packet_is_distinguished_from_garbage)
{
    Bytes file = { 0 };
    put_event(&file, 0, 1, 2, "a");
    put_hex(&file, "00 01 02 c1 fc 1f b7 00 00 00 30 00");
    Trace *trace =
        built_with_warning(&file, "truncated-packet", 46, 1, "the last packet is cut short: 9 of 48 bytes");
    CHECK_UINT(warning_count(trace, "skipped-bytes", NULL), 1);
    trace_release(trace);
}

/* -- the layout before 17 March 2021 -- */

static void put_early(Bytes *out, uint32_t counter, uint64_t start, uint64_t end, const char *description)
{
    size_t packet = out->size;
    put_uint(out, 0xC1FC1FB7, 4);
    put_uint(out, 0, 4);
    put_uint(out, 1, 4);
    put_uint(out, counter, 4);
    put_uint(out, start, 8);
    put_uint(out, end, 8);
    put_text(out, description);
    packet_end(out, packet);
}

TEST(the_early_layout_is_known_by_what_fits)
{
    Bytes file = { 0 };
    for (uint32_t i = 0; i < 40; i++) {
        if (i % 5 == 0) put_epoch(&file, 77);
        put_early(&file, i, i * 10, i * 10 + 5, "Polling for OS events");
    }
    put_early(&file, 40, 400, 405, "");
    Trace *trace = built_whole(&file);
    CHECK_STRING(trace->source.format_version, "before 0.1.0");
    CHECK_UINT(trace->slices.count, 41);
    CHECK_UINT(warning_count(trace, "early-layout", NULL), 1);
    CHECK_UINT(trace->records.warning_count, 1);
    CHECK(trace->source.complete);
    trace_release(trace);
}

TEST(damage_behind_the_first_early_events_does_not_change_the_layout)
{
    Bytes file = { 0 };
    put_early(&file, 0, 0, 5, "Polling for OS events");
    put_early(&file, 1, 5, 9, "Polling for OS events");
    put_hex(&file, "c1 fc 1f b7 00 00 00 02");
    put_early(&file, 2, 10, 15, "Polling for OS events");
    Trace *trace = built_whole(&file);
    CHECK_STRING(trace->source.format_version, "before 0.1.0");
    CHECK_UINT(trace->slices.count, 3);
    trace_release(trace);
}

/* -- cost -- */

/* Overlapping packets: the attribute of each extends into the next one, up to the begin of that one's attribute, and so
 * on to the end of the input, where it is cut. Reading all of them to their end would take quadratic time: minutes
 * here. */
TEST(false_packets_that_overlap_cost_little)
{
    enum { COUNT = 100000, STEP = 64, FIXED = 42, NAME = STEP - 2 - 1 - 8 };
    Bytes file = { 0 };
    put_event(&file, 0, 1, 2, "a");
    for (uint32_t i = 0; i < COUNT; i++) {
        size_t begin = file.size;
        put_uint(&file, 0xC1FC1FB7, 4);
        put_uint(&file, (COUNT - i) * STEP, 4);
        put_uint(&file, 0, 24);
        put_uint(&file, UINT64_C(1) << 48, 8); /* its second byte is the type of the previous attribute */
        put_uint(&file, 0, 2);
        CHECK_UINT(file.size - begin, FIXED);
        put_uint(&file, NAME, 2);
        put_uint(&file, 0, STEP - FIXED - 2);
    }
    put_uint(&file, 0, 1);
    Trace *trace = built_whole(&file);
    CHECK_UINT(trace->slices.count, 1);
    CHECK(!trace->source.complete);
    trace_release(trace);
}

/* -- properties of all files -- */

static const char *const SMALL[] = {
    "bad_attributes",
    "bad_huge_size",
    "bad_sizes",
    "bad_utf8",
    "garbage_between",
    "heph_old_layout",
    "ids_large",
    "garbage_fake_magic",
    "magic_inside",
    "nest_overlap",
    "nest_ties",
    "syn_all_types",
    "syn_reordered_duplicated",
    "times_odd",
    "syn_two_epochs",
    "syn_unknown_options",
    "syn_epoch_zero_max",
    "syn_counter_gaps",
};

static void read_small(size_t i, Bytes *file)
{
    char path[128];
    snprintf(path, sizeof path, "heph/%s.bin", SMALL[i]);
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

/* A cut file gives a part of the events, or is refused if it does not even contain a magic number; a file in the early
 * layout may need its second event to be recognised. */
TEST(every_prefix_opens_or_is_refused)
{
    for (size_t i = 0; i < sizeof SMALL / sizeof SMALL[0]; i++) {
        Bytes file = { 0 };
        read_small(i, &file);
        uint64_t most = 0;
        for (size_t size = 1; size < file.size; size++) {
            Built built = built_from(file.data, size, (Pieces){ 0 });
            if (built.trace == NULL) {
                CHECK(size < 14); /* garbage_between begins with 10 bytes of it */
                CHECK_INT(built.err.code, ERR_UNKNOWN);
                continue;
            }
            Err err;
            CHECK_DONE(trace_check(built.trace, &err), err);
            /* an incorrect last packet may end with the input */
            CHECK(built.trace->slices.count + 1 >= most);
            if (built.trace->slices.count > most) most = built.trace->slices.count;
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
        check_any_byte(text_of, &file, 0, &random);
        bytes_release(&file);
    }
}

/* A hole in the middle loses only the packets that it touches. */
TEST(a_hole_costs_the_packets_it_is_in)
{
    enum { EVENTS = 60, BYTES = 43 };
    TestRandom random = { 11 };
    for (int turn = 0; turn < 300; turn++) {
        Bytes file = { 0 }, cut = { 0 };
        for (uint32_t i = 0; i < EVENTS; i++)
            put_event(&file, i, i * 10, i * 10 + 5, "e");
        CHECK_UINT(file.size, EVENTS * BYTES);
        size_t from = (size_t)test_random_below(&random, file.size - 200) + 1;
        size_t size = 1 + (size_t)test_random_below(&random, 150);
        size_t first_lost = from / BYTES, behind = (from + size + BYTES - 1) / BYTES;
        bytes_append(&cut, file.data, from);
        bytes_append(&cut, file.data + from + size, file.size - from - size);
        Trace *trace = built_whole(&cut);
        CHECK(trace->slices.count >= EVENTS - (behind - first_lost));
        CHECK(trace->slices.count <= EVENTS - (behind - first_lost) + 2); /* both halves may form a packet */
        CHECK(trace->end_tick >= (EVENTS - 1) * 10 + 5); /* its time may consist of two halves */
        trace_release(trace);
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

TEST_MAIN("heph_damage", TEST_CASE(garbage_is_skipped_and_reported),
          TEST_CASE(each_false_packet_is_reported_by_its_fault),
          TEST_CASE(bad_attributes_cost_themselves_where_a_packet_follows),
          TEST_CASE(bad_attributes_without_a_packet_behind_are_no_packet),
          TEST_CASE(a_cut_packet_is_distinguished_from_garbage),
          TEST_CASE(the_early_layout_is_known_by_what_fits),
          TEST_CASE(damage_behind_the_first_early_events_does_not_change_the_layout),
          TEST_CASE(false_packets_that_overlap_cost_little), TEST_CASE(any_chunking_gives_the_same_trace),
          TEST_CASE(every_prefix_opens_or_is_refused), TEST_CASE(any_byte_may_be_wrong),
          TEST_CASE(a_hole_costs_the_packets_it_is_in),
          TEST_CASE(running_out_of_memory_is_an_error_and_no_crash))
