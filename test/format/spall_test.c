/* Layouts, times, damage: handwritten streams, each small enough to be read. */
#include "format/spall_support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* -- records written byte by byte -- */

TEST(dump_of_version_0_with_a_complete)
{
    Bytes file = { 0 };
    put_hex(
        &file,
        "0d f0 ad 0b 00 00 00 00  00 00 00 00 00 00 00 00  00 00 00 00 00 00 f0 3f  00 00 00 00 00 00 00 00 "
        "03  01 00 00 00  07 00 00 00  00 00 00 00 00 00 59 40  04 6d 61 69 6e "
        "02  01 00 00 00  07 00 00 00  00 00 00 00 00 20 59 40  00 00 00 00 00 00 02 40  03 66 6f 6f "
        "04  01 00 00 00  07 00 00 00  00 00 00 00 00 80 5b 40");
    CHECK_UINT(file.size, 100);
    /* 100..110 and 100.5..102.75 microseconds, in ticks of 2^-20 microseconds */
    check_text(&file, "spall 0, clock ticks 125/131072, 104857600..115343360\n"
                      "'timestamp_unit' 1\n"
                      "'layout' \"0F\"\n"
                      "'Begin' x 1\n"
                      "'End' x 1\n"
                      "'Complete' x 1\n"
                      "track kind 0 pid 1 (none) tid 7 (none)\n"
                      "  0.0 104857600..115343360 'main'\n"
                      "  0.1 105381888..107741184 'foo'\n");
}

TEST(dump_of_version_1_with_args)
{
    Bytes file = { 0 };
    put_hex(
        &file,
        "0d f0 ad 0b 00 00 00 00  01 00 00 00 00 00 00 00  fc a9 f1 d2 4d 62 50 3f  00 00 00 00 00 00 00 00 "
        "03 00  01 00 00 00  07 00 00 00  00 00 00 00 00 40 8f 40  04 05  6c 6f 61 64  61 2e 74 78 74 "
        "04  01 00 00 00  07 00 00 00  00 00 00 00 00 58 ab 40");
    CHECK_UINT(file.size, 78);
    check_text(&file, "spall 1, clock ns 1/1, 1000..3500\n"
                      "'timestamp_unit' 0.001\n"
                      "'Begin' x 1\n"
                      "'End' x 1\n"
                      "track kind 0 pid 1 (none) tid 7 (none)\n"
                      "  0.0 1000..3500 'load' {\"args\":\"a.txt\"}\n");
}

TEST(dump_of_version_3_with_names_and_padding)
{
    Bytes file = { 0 };
    put_hex(
        &file,
        "0d f0 ad 0b 00 00 00 00  03 00 00 00 00 00 00 00  00 00 00 00 00 00 d0 3f  00 00 00 00 00 00 00 00 "
        "28 00 00 00  07 00 00 00  01 00 00 00  00 10 00 00 00 00 00 00 "
        "08 03 61 70 70  09 04 6d 61 69 6e  03  00 10 00 00 00 00 00 00  01 00 66 "
        "07 03 00 00 00 00 00 00  04 40 10 00 00 00 00 00 00");
    CHECK_UINT(file.size, 92);
    check_text(&file, "spall 3, clock ticks 1/4, 4096..4160\n"
                      "'timestamp_unit' 0.25\n"
                      "'Name_Process' x 1\n"
                      "'Name_Thread' x 1\n"
                      "'Begin' x 1\n"
                      "'End' x 1\n"
                      "'Pad_Skip' x 1\n"
                      "other 'Name_Process' track 1 {\"name\":\"app\"}\n"
                      "other 'Name_Thread' track 1 {\"name\":\"main\"}\n"
                      "track kind 0 pid 1 'app' tid 7 'main'\n"
                      "  0.0 4096..4160 'f'\n");
}

/* -- version 0 -- */

typedef struct V0Case {
    const char *layout;
    unsigned    header_size, begin, end;
} V0Case;

static void put_v0_ids(Bytes *file, const V0Case *c)
{
    if (c->layout[1] == 'A') {
        put_u64(file, 5);
        put_u64(file, 6);
    } else {
        put_u32(file, 5);
        put_u32(file, 6);
    }
}

static void put_v0_record(Bytes *file, const V0Case *c, unsigned type, double time, const char *name)
{
    put_u8(file, type);
    if (c->layout[1] == 'A') bytes_append(file, "\0\0\0\0\0\0", 7);
    if (c->layout[1] == 'H' && name != NULL) put_u8(file, 0);
    put_v0_ids(file, c);
    put_f64(file, time);
    if (name == NULL) return;
    put_u8(file, (unsigned)strlen(name));
    if (c->layout[1] == 'H') put_u8(file, 0);
    bytes_append_text(file, name);
}

static void put_v0_header(Bytes *file, unsigned header_size)
{
    put_u64(file, 0x0BADF00D);
    put_u64(file, 0);
    put_f64(file, 1);
    if (header_size == 25) put_u8(file, 10);
    if (header_size == 32) put_u64(file, 0);
}

static const V0Case V0_CASES[] = {
    { "0A", 24, 0, 1 }, { "0B", 24, 0, 1 }, { "0C", 25, 0, 1 }, { "0D", 25, 2, 3 },
    { "0E", 32, 2, 3 }, { "0F", 32, 3, 4 }, { "0H", 32, 3, 4 },
};

static void put_v0_file(Bytes *file, const V0Case *c)
{
    put_v0_header(file, c->header_size);
    put_v0_record(file, c, c->begin, 10, "outer");
    put_v0_record(file, c, c->begin, 11, "inner");
    put_v0_record(file, c, c->end, 12, NULL);
    put_v0_record(file, c, c->end, 20, NULL);
}

TEST(every_layout_of_version_0_is_distinguished)
{
    for (size_t i = 0; i < sizeof V0_CASES / sizeof V0_CASES[0]; i++) {
        Bytes file = { 0 };
        char  expected[512];
        put_v0_file(&file, &V0_CASES[i]);
        snprintf(expected, sizeof expected,
                 "spall 0, clock ticks 1000/1, 10..20\n'timestamp_unit' 1\n'layout' \"%s\"\n'Begin' x "
                 "2\n'End' x 2\n"
                 "track kind 0 pid 5 (none) tid 6 (none)\n  0.0 10..20 'outer'\n  0.1 11..12 'inner'\n",
                 V0_CASES[i].layout);
        check_text(&file, expected);
    }
}

/* Readers of the format do not check must_be_0: the records decide, whatever its value. */
TEST(must_be_0_does_not_decide_the_layout)
{
    static const unsigned FIELDS[] = { 1, 2, 3, 4, 0xff };
    for (size_t i = 0; i < sizeof V0_CASES / sizeof V0_CASES[0]; i++) {
        if (V0_CASES[i].header_size < 32) continue;
        for (size_t f = 0; f < sizeof FIELDS / sizeof FIELDS[0]; f++) {
            Bytes file = { 0 };
            char  expected[512];
            put_v0_file(&file, &V0_CASES[i]);
            file.data[24] = (uint8_t)FIELDS[f];
            snprintf(expected, sizeof expected,
                     "spall 0, clock ticks 1000/1, 10..20\n'timestamp_unit' 1\n'layout' \"%s\"\n"
                     "'must_be_0' %u\n'Begin' x 2\n'End' x 2\n"
                     "track kind 0 pid 5 (none) tid 6 (none)\n  0.0 10..20 'outer'\n  0.1 11..12 'inner'\n",
                     V0_CASES[i].layout, FIELDS[f]);
            check_text(&file, expected);
        }
    }
}

/* A cut keeps the layout from the second record on, and never adds events. */
TEST(layouts_of_version_0_are_found_in_cut_files)
{
    for (size_t i = 0; i < sizeof V0_CASES / sizeof V0_CASES[0]; i++) {
        Bytes file = { 0 };
        put_v0_file(&file, &V0_CASES[i]);
        size_t first_two = V0_CASES[i].header_size + 2 * (file.size - V0_CASES[i].header_size) / 3;
        for (size_t size = first_two; size < file.size; size++) {
            Built built = built_from(file.data, size, (Pieces){ 0 });
            CHECK_DONE(built.trace != NULL, built.err);
            CHECK(strncmp(built.trace->records.properties[1].json + 1, V0_CASES[i].layout, 2) == 0);
            CHECK_UINT(built.trace->slices.count, 2);
            trace_release(built.trace);
        }
        bytes_release(&file);
    }
}

TEST(complete_records_of_0E_are_read)
{
    Bytes file = { 0 };
    put_v0_header(&file, 32);
    put_v0_record(&file, &(V0Case){ "0E", 32, 2, 3 }, 2, 10, "outer");
    put_u8(&file, 1);
    put_u32(&file, 5);
    put_u32(&file, 6);
    put_f64(&file, 12);
    put_f64(&file, 3);
    put_u8(&file, 4);
    bytes_append_text(&file, "part");
    put_v0_record(&file, &(V0Case){ "0E", 32, 2, 3 }, 3, 20, NULL);
    check_text(&file,
               "spall 0, clock ticks 1000/1, 10..20\n'timestamp_unit' 1\n'layout' \"0E\"\n'Begin' x 1\n"
               "'End' x 1\n'Complete' x 1\ntrack kind 0 pid 5 (none) tid 6 (none)\n"
               "  0.0 10..20 'outer'\n  0.1 12..15 'part'\n");
}

TEST(version_0_with_nothing_in_it_is_empty)
{
    static const unsigned SIZES[] = { 24, 25, 32 };
    for (size_t i = 0; i < 3; i++) {
        Bytes file = { 0 };
        put_v0_header(&file, SIZES[i]);
        Trace *trace = built_whole(&file);
        CHECK_UINT(trace->slices.count, 0);
        CHECK_UINT(warning_count(trace, "empty-trace", NULL), 1);
        CHECK(trace->source.complete);
        trace_release(trace);
    }
}

TEST(version_0_of_no_known_layout_is_refused)
{
    Bytes file = { 0 };
    put_v0_header(&file, 32);
    put_hex(
        &file,
        "63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63 63");
    check_text(&file, "refused (corrupt): version 0 file with an unknown record layout (byte 24, event 0)\n");
}

TEST(version_0_that_breaks_off_keeps_what_fits_longest)
{
    Bytes file = { 0 };
    put_v0_file(&file, &V0_CASES[4]); /* 0E */
    put_hex(&file, "63 63 63 63");
    check_text(
        &file,
        "spall 0 incomplete, clock ticks 1000/1, 10..20\n'timestamp_unit' 1\n'layout' \"0E\"\n'Begin' x 2\n"
        "'End' x 2\n"
        "uncertain-layout x 1: no known layout of version 0 fits the whole file, 0E fits longest (byte 0)\n"
        "invalid-record x 1: invalid record type 99; reading ends here (byte 112, event 4)\n"
        "track kind 0 pid 5 (none) tid 6 (none)\n  0.0 10..20 'outer'\n  0.1 11..12 'inner'\n");
}

TEST(zeros_behind_version_0_are_no_records)
{
    for (size_t i = 0; i < sizeof V0_CASES / sizeof V0_CASES[0]; i++) {
        Bytes file = { 0 };
        put_v0_file(&file, &V0_CASES[i]);
        for (int n = 0; n < 1000; n++)
            put_u8(&file, 0);
        Trace         *trace = built_whole(&file);
        const Warning *first = NULL;
        CHECK_UINT(trace->slices.count, 2);
        CHECK_UINT(warning_count(trace, "zero-tail", &first), 1);
        CHECK_STRING(first->first.message, "1000 zero bytes where records should be");
        CHECK(trace->source.complete);
        trace_release(trace);
    }
}

TEST(json2bin_of_a_wrong_unit_is_suspected)
{
    Bytes file = { 0 };
    put_v0_file(&file, &V0_CASES[6]);                    /* 0H */
    memcpy(file.data + 16, "\0\0\0\0\0\x40\x8f\x40", 8); /* 1000 */
    Trace *trace = built_whole(&file);
    CHECK_UINT(warning_count(trace, "suspicious-unit", NULL), 1);
    CHECK_UINT(trace->clock.ns_num, 1000000);
    trace_release(trace);
}

/* -- headers -- */

TEST(headers_that_are_too_short_are_refused)
{
    Bytes file = { 0 };
    put_header(&file, 3, 1);
    for (size_t size = 0; size < 32; size++) {
        Built built = built_from(file.data, size, (Pieces){ 0 });
        CHECK(built.trace == NULL);
        CHECK_INT(built.err.code, ERR_TRUNCATED);
        CHECK(strstr(built.err.message, "too short for a spall header") != NULL);
    }
    bytes_release(&file);
}

TEST(other_files_are_not_taken_for_spall)
{
    Bytes file = { 0 };
    put_hex(
        &file,
        "0d f0 ad 0b 00 00 00 01 03 00 00 00 00 00 00 00 00 00 00 00 00 00 f0 3f 00 00 00 00 00 00 00 00");
    CHECK_INT(SPALL_READER.probe(file.data, file.size), 0);
    CHECK_INT(SPALL_READER.probe(file.data, 7), 0);
    check_text(&file, "refused (unknown): not a .spall file: it starts with 010000000badf00d, expected "
                      "000000000badf00d (byte 0)\n");
}

TEST(unknown_versions_are_refused_with_their_number)
{
    Bytes file = { 0 };
    put_header(&file, UINT64_MAX, 1);
    CHECK_INT(SPALL_READER.probe(file.data, file.size), 100);
    check_text(&file, "refused (version): unsupported spall version 18446744073709551615 (byte 8)\n");
}

/* -- units and times -- */

static Clock clock_of_unit(uint64_t version, double unit, unsigned warnings)
{
    Bytes file = { 0 };
    put_header(&file, version, unit);
    Trace *trace = built_whole(&file);
    CHECK_UINT(warning_count(trace, "bad-unit", NULL), warnings);
    Clock clock = trace->clock;
    trace_release(trace);
    return clock;
}

TEST(units_become_the_simplest_ratio_that_is_the_same_double)
{
    static const struct {
        double   unit;
        uint64_t num, den;
    } CASES[] = { { 1, 1, 1 },
                  { 0.001, 1, 1000 },
                  { 1.0 / 3, 1, 3 },
                  { 0.25, 1, 4 },
                  { 41.666666666666664, 125, 3 },
                  { 0.1, 1, 10 },
                  { 1e9, 1000000000, 1 } };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Clock clock = clock_of_unit(3, CASES[i].unit, 0);
        CHECK_UINT(clock.ns_num, CASES[i].num);
        CHECK_UINT(clock.ns_den, CASES[i].den);
    }
    Clock micro = clock_of_unit(1, 0.001, 0);
    CHECK(micro.kind == CLOCK_NS && micro.ns_num == 1 && micro.ns_den == 1);
}

TEST(any_unit_gives_a_clock_near_it)
{
    TestRandom random = { 11 };
    for (int i = 0; i < 2000; i++) {
        double unit = ldexp(1 + (double)test_random_below(&random, UINT64_C(1) << 52) * 0x1p-52,
                            (int)test_random_below(&random, 80) - 40);
        Clock  clock = clock_of_unit((i & 1) != 0 ? 3 : 1, unit, 0);
        double expected = unit * ((i & 1) != 0 ? 1 : 1000);
        CHECK(fabs((double)clock.ns_num / (double)clock.ns_den / expected - 1) < 1e-15);
    }
    static const double EXTREMES[] = { 5e-324, 1e-300, 1e300, 1.7976931348623157e308 };
    for (size_t i = 0; i < 4; i++) {
        Clock clock = clock_of_unit(1, EXTREMES[i], 0);
        CHECK(clock.ns_num > 0 && clock.ns_den > 0);
    }
}

TEST(units_that_are_none_count_as_1)
{
    static const double BAD[] = { 0, -0.0, -1, (double)INFINITY, -(double)INFINITY, (double)NAN };
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        CHECK_UINT(clock_of_unit(3, BAD[i], 1).ns_num, 1);
        CHECK_UINT(clock_of_unit(1, BAD[i], 1).ns_num, 1000);
    }
}

TEST(a_unit_below_ten_picoseconds_is_suspected_and_kept)
{
    Bytes file = { 0 };
    put_header(&file, 3, 0.0005);
    Trace *trace = built_whole(&file);
    CHECK_UINT(warning_count(trace, "suspicious-unit", NULL), 1);
    CHECK_UINT(trace->clock.ns_den, 2000);
    trace_release(trace);
}

TEST(ticks_of_2_to_63_and_more_are_unsigned)
{
    Bytes file = { 0 };
    put_header(&file, 3, 1);
    size_t frame = frame_begin(&file, 1, 2);
    put_begin3(&file, 7, "early", "");
    put_end3(&file, INT64_MAX);
    put_begin3(&file, UINT64_C(1) << 63, "late", "");
    put_end3(&file, UINT64_MAX);
    frame_end(&file, frame);
    check_text(&file,
               "spall 3, clock ns 1/1 unsigned, 7..18446744073709551615\n'timestamp_unit' 1\n'Begin' x 2\n"
               "'End' x 2\ntrack kind 0 pid 1 (none) tid 2 (none)\n  0.0 7..9223372036854775807 'early'\n"
               "  0.0 9223372036854775808..18446744073709551615 'late'\n");
}

TEST(time_travel_is_seen_across_the_change_to_unsigned)
{
    Bytes file = { 0 };
    put_header(&file, 3, 1);
    size_t frame = frame_begin(&file, 1, 2);
    put_begin3(&file, 100, "a", "");
    put_end3(&file, UINT64_MAX - 5);
    put_begin3(&file, 50, "b", "");
    put_end3(&file, UINT64_MAX);
    frame_end(&file, frame);
    Bytes copy = { 0 }, text = { 0 };
    bytes_append(&copy, file.data, file.size);
    Trace *trace = built_whole(&copy);
    CHECK_UINT(warning_count(trace, "time-travel", NULL), 1);
    CHECK(trace_slice_begin(trace, 1) == INT64_MAX - 5);
    slice_details(trace, 1, file.data, file.size, &text);
    CHECK_BYTES(text.data, text.size, " {\"time\":50}");
    trace_release(trace);
    bytes_release(&text);
    bytes_release(&file);
}

TEST(fractions_of_ticks_are_kept)
{
    Bytes file = { 0 };
    put_header(&file, 1, 1);
    put_begin1(&file, 1000, "whole", "");
    put_begin1(&file, 1000.25, "quarter", "");
    put_end1(&file, 1000.000000953674316 + 1); /* 2^-20 */
    put_end1(&file, 1002);
    Trace *trace = built_whole(&file);
    CHECK_UINT(trace->clock.ns_num, 125);
    CHECK_UINT(trace->clock.ns_den, 131072);
    CHECK(trace_slice_begin(trace, 0) == INT64_C(1000) << 20);
    CHECK(trace_slice_begin(trace, 1) == (INT64_C(1000) << 20) + (1 << 18));
    CHECK(trace_slice_end(trace, 1) == (INT64_C(1001) << 20) + 1);
    CHECK_UINT(trace->records.warning_count, 0);
    trace_release(trace);
}

TEST(fractions_of_large_ticks_get_coarser_sub_ticks)
{
    Bytes file = { 0 };
    put_header(&file, 1, 1);
    put_begin1(&file, 0x1p50, "large", "");
    put_begin1(&file, 0x1p50 + 0.25, "quarter", "");
    put_end1(&file, 0x1p50 + 2);
    put_end1(&file, 0x1p50 + 3);
    Trace *trace = built_whole(&file);
    CHECK_UINT(trace->clock.ns_num, 125);
    CHECK_UINT(trace->clock.ns_den, 128);
    CHECK(trace_slice_begin(trace, 1) == (INT64_C(1) << 60) + 256);
    CHECK_UINT(trace->records.warning_count, 0);
    trace_release(trace);
}

TEST(sub_ticks_give_way_to_large_times)
{
    Bytes file = { 0 };
    put_header(&file, 1, 1);
    put_begin1(&file, 0.5, "half", "");
    put_begin1(&file, 0.1, "tenth", "");
    put_end1(&file, 0x1p45);
    put_begin1(&file, 0x1p60, "huge", "");
    put_end1(&file, 0x1p60 + 1024);
    put_end1(&file, 0x1p61);
    Trace *trace = built_whole(&file);
    CHECK_UINT(trace->clock.ns_num, 1000);
    CHECK_UINT(trace->clock.ns_den, 1);
    CHECK(trace_slice_end(trace, 0) == INT64_C(1) << 61);
    CHECK(warning_count(trace, "time-rounded", NULL) > 0);
    trace_release(trace);
}

TEST(large_whole_times_go_with_no_fractions)
{
    Bytes file = { 0 };
    put_header(&file, 1, 1);
    put_begin1(&file, -0x1p62, "huge", "");
    put_end1(&file, 0.75);
    Trace *trace = built_whole(&file);
    CHECK(trace_slice_begin(trace, 0) == -(INT64_C(1) << 62));
    CHECK(trace_slice_end(trace, 0) == 1);
    const Warning *first = NULL;
    CHECK_UINT(warning_count(trace, "time-rounded", &first), 1);
    CHECK_STRING(first->first.message,
                 "the fraction of time 0.75 is lost: other times are too large for fractions");
    trace_release(trace);
}

TEST(times_that_are_none_become_the_latest_of_their_thread)
{
    Bytes file = { 0 };
    put_header(&file, 1, 0.001);
    put_begin1(&file, 10, "a", "");
    put_begin1(&file, (double)NAN, "b", "");
    put_end1(&file, (double)INFINITY);
    put_end1(&file, 12);
    check_text(&file,
               "spall 1, clock ns 1/1, 10..12\n'timestamp_unit' 0.001\n'Begin' x 2\n'End' x 2\n"
               "bad-time x 2: time nan is out of range, using the latest of its thread (byte 53, event 1)\n"
               "track kind 0 pid 1 (none) tid 2 (none)\n  0.0 10..12 'a'\n"
               "  0.1 10..10 'b' repaired  {\"time\":\"nan\",\"end_time\":\"inf\"}\n");
}

static void put_complete(Bytes *file, double time, double duration)
{
    put_u8(file, 2);
    put_u32(file, 5);
    put_u32(file, 6);
    put_f64(file, time);
    put_f64(file, duration);
    put_u8(file, 1);
    put_u8(file, 'c');
}

TEST(durations_that_are_none_become_0)
{
    static const double BAD[] = { -1, (double)NAN, (double)INFINITY, -(double)INFINITY, 1e300 };
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        Bytes file = { 0 };
        put_v0_header(&file, 32);
        put_v0_record(&file, &V0_CASES[5], 3, 1, "b");
        put_v0_record(&file, &V0_CASES[5], 4, 2, NULL);
        put_complete(&file, 5, 1);
        put_complete(&file, 10, BAD[i]);
        Trace *trace = built_whole(&file);
        CHECK_UINT(trace->slices.count, 3);
        CHECK_UINT(trace_slice_duration(trace, 2), 0);
        CHECK(trace->slices.flags[2] & SLICE_REPAIRED);
        CHECK_UINT(warning_count(trace, BAD[i] < 0 ? "negative-duration" : "bad-time", NULL), 1);
        trace_release(trace);
    }
}

TEST(an_end_beyond_all_times_is_cut)
{
    Bytes file = { 0 };
    put_v0_header(&file, 32);
    put_v0_record(&file, &V0_CASES[5], 3, 1, "b");
    put_v0_record(&file, &V0_CASES[5], 4, 2, NULL);
    put_complete(&file, 5, 1);
    put_complete(&file, 0x1p62, 0x1.8p62);
    Trace *trace = built_whole(&file);
    CHECK(trace_slice_end(trace, 2) == INT64_MAX);
    CHECK_UINT(warning_count(trace, "bad-time", NULL), 1);
    trace_release(trace);
}

TEST_MAIN("spall", TEST_CASE(dump_of_version_0_with_a_complete), TEST_CASE(dump_of_version_1_with_args),
          TEST_CASE(dump_of_version_3_with_names_and_padding),
          TEST_CASE(every_layout_of_version_0_is_distinguished),
          TEST_CASE(must_be_0_does_not_decide_the_layout),
          TEST_CASE(layouts_of_version_0_are_found_in_cut_files), TEST_CASE(complete_records_of_0E_are_read),
          TEST_CASE(version_0_with_nothing_in_it_is_empty),
          TEST_CASE(version_0_of_no_known_layout_is_refused),
          TEST_CASE(version_0_that_breaks_off_keeps_what_fits_longest),
          TEST_CASE(zeros_behind_version_0_are_no_records), TEST_CASE(json2bin_of_a_wrong_unit_is_suspected),
          TEST_CASE(headers_that_are_too_short_are_refused), TEST_CASE(other_files_are_not_taken_for_spall),
          TEST_CASE(unknown_versions_are_refused_with_their_number),
          TEST_CASE(units_become_the_simplest_ratio_that_is_the_same_double),
          TEST_CASE(any_unit_gives_a_clock_near_it), TEST_CASE(units_that_are_none_count_as_1),
          TEST_CASE(a_unit_below_ten_picoseconds_is_suspected_and_kept),
          TEST_CASE(ticks_of_2_to_63_and_more_are_unsigned),
          TEST_CASE(time_travel_is_seen_across_the_change_to_unsigned),
          TEST_CASE(fractions_of_ticks_are_kept), TEST_CASE(fractions_of_large_ticks_get_coarser_sub_ticks),
          TEST_CASE(sub_ticks_give_way_to_large_times), TEST_CASE(large_whole_times_go_with_no_fractions),
          TEST_CASE(times_that_are_none_become_the_latest_of_their_thread),
          TEST_CASE(durations_that_are_none_become_0), TEST_CASE(an_end_beyond_all_times_is_cut))
