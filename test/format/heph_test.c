/* Handwritten packets, each trace small enough to be read. */
#include "format/heph_support.h"

#include "format/heph/packet.h"
#include "format/load.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* -- packets written byte by byte -- */

TEST(dump_of_single_packets)
{
    Bytes file = { 0 };
    put_hex(&file, "75 d1 1d 4d 00 00 00 17 00 05 65 70 6f 63 68 16 58 45 e9 12 14 ec 90 "
                   "c1 fc 1f b7 00 00 00 5b 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01 "
                   "00 00 00 00 00 00 00 64 00 00 00 00 00 00 00 c8 00 08 4d 79 20 65 76 65 6e 74 "
                   "00 04 54 65 73 74 01 00 00 00 00 00 00 00 7b 00 05 54 65 73 74 32 83 00 02 "
                   "40 5e dd 2f 1a 9f be 77 40 88 a8 00 00 00 00 00");
    CHECK_UINT(file.size, HEPH_EPOCH_BYTES + 91);
    check_text(
        &file,
        "heph 0.1.0, 100..200, epoch 1610113734118010000\n"
        "'epoch' 1610113734118010000\n"
        "'statistics' {\"descriptions\":1,\"largest_event\":91,\"attribute_types\":{\"0x01\":1,\"0x83\":1},"
        "\"skipped_bytes\":0,\"skipped\":[],\"streams\":[{\"stream\":0,\"events\":1,\"first_counter\":0}]}\n"
        "'metadata' x 1\n"
        "'event' x 1\n"
        "'epoch' metadata {\"epoch\":1610113734118010000}\n"
        "stream 0 substream 1\n"
        "  0.0 100..200 'My event' {\"Test\":123,\"Test2\":[123.456,789]} "
        "{\"counter\":0,\"types\":{\"Test\":\"u64\",\"Test2\":\"f64[]\"}}\n");
}

TEST(dump_of_the_smallest_event_and_an_unknown_option)
{
    Bytes file = { 0 };
    put_hex(&file, "c1 fc 1f b7 00 00 00 2a 00 00 00 01 00 00 00 02 00 00 00 00 00 00 00 00 "
                   "00 00 00 00 00 00 03 e8 00 00 00 00 00 00 05 dc 00 00 "
                   "75 d1 1d 4d 00 00 00 19 00 08 68 6f 73 74 6e 61 6d 65 00 05 73 72 76 2d 31");
    Trace *trace = built_whole(&file);
    check_property(trace, "hostname", "\"srv-1\"");
    CHECK_UINT(trace->slices.count, 1);
    CHECK_UINT(trace_slice_duration(trace, 0), 500);
    CHECK(!trace->clock.has_epoch && trace->source.complete);
    CHECK_UINT(trace->records.warning_count, 0);
    trace_release(trace);
}

TEST(dump_with_a_signed_value_and_arrays)
{
    Bytes file = { 0 };
    put_hex(&file, "c1 fc 1f b7 00 00 00 4b 00 00 00 03 ff ff ff ff 00 00 00 00 00 00 00 00 "
                   "00 00 00 00 00 00 07 d0 00 00 00 00 00 00 07 d0 00 04 74 61 67 73 "
                   "00 01 6e 02 ff ff ff ff ff ff ff fe 00 01 74 84 00 02 00 01 61 00 00 00 01 65 82 00 00");
    CHECK_UINT(file.size, 75);
    check_text(
        &file,
        "heph 0.1.0, 2000..2000\n"
        "'statistics' {\"descriptions\":1,\"largest_event\":75,\"attribute_types\":{\"0x02\":1,\"0x82\":1,"
        "\"0x84\":1},\"skipped_bytes\":0,\"skipped\":[],\"streams\":[{\"stream\":3,\"events\":1,"
        "\"first_counter\":4294967295}]}\n"
        "'event' x 1\n"
        "'metadata' x 0\n"
        "stream 3 substream 0\n"
        "  0.0 2000..2000 'tags' {\"n\":-2,\"t\":[\"a\",\"\"],\"e\":[]} "
        "{\"counter\":4294967295,\"types\":{\"n\":\"i64\",\"t\":\"string[]\",\"e\":\"i64[]\"}}\n");
}

TEST(types_and_their_numbers)
{
    static const uint8_t TYPES[HEPH_TYPES] = { 1, 2, 3, 4, 0x81, 0x82, 0x83, 0x84 };
    for (unsigned i = 0; i < HEPH_TYPES; i++) {
        CHECK_UINT(heph_type_index(TYPES[i]), i);
        CHECK_UINT(heph_type_at(i), TYPES[i]);
    }
}

/* -- metadata -- */

TEST(options_are_shown_as_what_they_look_like)
{
    Bytes file = { 0 };
    put_event(&file, 0, 1, 2, "a");
    put_option(&file, "text", "plain \xe2\x98\x83", 9);
    put_option(&file, "number", "\0\0\0\7", 4);
    put_option(&file, "text", "plain \xe2\x98\x83", 9);
    put_option(&file, "none", "", 0);
    put_option(&file, "bad\xff", "\xff", 1);
    put_option(&file, "text", "other", 5);
    Trace *trace = built_whole(&file);
    check_property(trace, "text", "\"plain \xe2\x98\x83\"");
    check_property(trace, "number", "{\"bytes\":4,\"hex\":\"00000007\"}");
    check_property(trace, "none", "\"\"");
    check_property(trace, "bad\xef\xbf\xbd", "{\"bytes\":1,\"hex\":\"ff\"}");
    CHECK_UINT(trace->records.property_count, 5); /* with the statistics */
    CHECK_UINT(trace->records.other_count, 6);
    CHECK_UINT(warning_count(trace, "repeated-option", NULL), 1);
    CHECK_UINT(warning_count(trace, "invalid-utf8", NULL), 1);
    CHECK(trace->source.complete);
    trace_release(trace);
}

/* The last name is valid; a name is not a property; an option in another form than a name is an ordinary option. */
TEST(streams_and_substreams_have_names)
{
    static const uint8_t STREAM[] = { 0, 0, 0, 1, 0, 1, 'x' }, AGAIN[] = { 0, 0, 0, 1, 0, 3, 'a', 'p', 0xff },
                         SUBSTREAM[] = { 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 'm', 'a', 'i', 'n' },
                         OTHER[] = { 0, 0, 0, 1, 0, 2, 'x' };
    Bytes file = { 0 }, title = { 0 };
    put_option(&file, "stream-name", STREAM, sizeof STREAM);
    put_event(&file, 0, 5, 6, "e");
    packet_end(&file, packet_begin(&file, 2, 0, 9, 5, 6, "e"));
    put_option(&file, "stream-name", AGAIN, sizeof AGAIN);
    put_option(&file, "substream-name", SUBSTREAM, sizeof SUBSTREAM);
    put_option(&file, "stream-name", OTHER, sizeof OTHER);
    Trace *trace = built_whole(&file);
    for (uint32_t p = 1; p <= trace->process_count; p++) {
        trace_process_title(trace, p, &title);
        bytes_append_text(&title, "/");
        trace_track_title(trace, trace->processes[p].first_track, &title);
        bytes_append_text(&title, "\n");
    }
    CHECK_BYTES(title.data, title.size, "ap\xef\xbf\xbd (1)/main (0)\nStream 2/Substream 9\n");
    check_property(trace, "stream-name", "{\"bytes\":7,\"hex\":\"00000001000278\"}");
    CHECK_UINT(trace->records.property_count, 2); /* and statistics */
    CHECK_UINT(warning_count(trace, "repeated-option", NULL), 0);
    CHECK_UINT(warning_count(trace, "invalid-utf8", NULL), 1);
    CHECK_UINT(event_count(trace, "metadata"), 4);
    bytes_release(&title);
    trace_release(trace);
}

TEST(a_long_option_is_shown_by_its_first_bytes)
{
    static uint8_t value[5000];
    Bytes          file = { 0 };
    put_option(&file, "long", value, sizeof value);
    Trace *trace = built_whole(&file);
    CHECK(strncmp(trace->records.properties[0].json, "{\"bytes\":5000,\"hex\":\"0000", 24) == 0);
    CHECK_UINT(trace->records.properties[0].size, 23 + 2 * 1024);
    CHECK(!trace->has_time);
    trace_release(trace);
}

TEST(an_epoch_may_come_late)
{
    Bytes file = { 0 };
    put_event(&file, 0, 1000, 2000, "before");
    put_epoch(&file, 5000);
    put_event(&file, 1, 3000, 4000, "after");
    put_epoch(&file, 5000);
    Trace *trace = built_whole(&file);
    CHECK(trace->clock.has_epoch);
    CHECK_INT(trace->clock.epoch_unix_ns, 5000);
    CHECK_INT(trace->begin_tick, 1000);
    CHECK_INT(trace->end_tick, 4000);
    CHECK_UINT(trace->records.warning_count, 0);
    trace_release(trace);
}

/* Events after an epoch are placed by it, whether it is later or earlier. */
TEST(different_epochs_place_what_follows_them)
{
    Bytes file = { 0 };
    put_event(&file, 0, 10, 20, "by the first");
    put_epoch(&file, 1000);
    put_epoch(&file, 1500);
    put_event(&file, 1, 10, 20, "500 later");
    put_epoch(&file, 900);
    put_event(&file, 2, 10, 150, "100 earlier");
    put_epoch(&file, 1000);
    put_event(&file, 3, 30, 40, "by the first again");
    Trace         *trace = built_whole(&file);
    const Warning *warning = NULL;
    CHECK_UINT(trace->slices.count, 4);
    CHECK_INT(trace->begin_tick, -90);
    CHECK_INT(trace->end_tick, 520);
    CHECK_INT(trace->clock.epoch_unix_ns, 1000);
    CHECK_UINT(warning_count(trace, "different-epochs", &warning), 1);
    CHECK_STRING(warning->first.message,
                 "3 different epochs: each event is placed by the last one before it, and times "
                 "count from the first");
    CHECK_UINT(warning->first.event, 2);
    trace_release(trace);
}

/* -- times -- */

TEST(times_reach_up_to_the_end_of_64_bits)
{
    Bytes file = { 0 };
    put_event(&file, 0, 5, 7, "small");
    put_event(&file, 1, 1, UINT64_MAX, "all");
    put_event(&file, 2, UINT64_MAX - 3, UINT64_MAX, "large");
    Trace *trace = built_whole(&file);
    char   tick[CLOCK_TICK_TEXT];
    CHECK(trace->clock.is_unsigned);
    clock_format_tick(&trace->clock, trace->begin_tick, tick);
    CHECK_STRING(tick, "1");
    clock_format_tick(&trace->clock, trace->end_tick, tick);
    CHECK_STRING(tick, "18446744073709551615");
    CHECK_UINT(trace->counts.max_depth, 2);
    CHECK_UINT(trace->rows[0].slice_count, 1);
    CHECK_UINT(trace_slice_duration(trace, 0), UINT64_MAX - 1);
    CHECK_UINT(trace->records.warning_count, 0);
    trace_release(trace);
}

TEST(times_out_of_range_are_cut_and_said)
{
    Bytes file = { 0 };
    put_epoch(&file, 1000);
    put_event(&file, 0, 10, 20, "good");
    put_epoch(&file, 2000);
    put_event(&file, 1, UINT64_MAX - 5, UINT64_MAX, "beyond");
    put_epoch(&file, 0);
    put_event(&file, 2, 100, 2000, "before 0 of a clock that has no sign");
    Bytes copy = { 0 };
    bytes_append(&copy, file.data, file.size);
    Trace         *trace = built_whole(&copy);
    const Warning *warning = NULL;
    CHECK_UINT(trace->slices.count, 3);
    CHECK_UINT(warning_count(trace, "bad-time", &warning), 2);
    CHECK_UINT(warning->first.event, 3);
    CHECK(trace->source.complete);
    trace_release(trace);
    bytes_release(&file);
}

TEST(times_before_0_and_of_2_to_the_63_do_not_go_together)
{
    Bytes file = { 0 };
    put_epoch(&file, 1000);
    put_epoch(&file, 0);
    put_event(&file, 0, 10, 20, "before the first epoch");
    put_event(&file, 1, 2000, UINT64_C(1) << 63, "fits");
    put_event(&file, 2, 2000, UINT64_MAX, "longer than there is room");
    put_event(&file, 3, UINT64_MAX, UINT64_MAX, "behind it");
    Trace *trace = built_whole(&file);
    CHECK(!trace->clock.is_unsigned);
    CHECK_INT(trace->begin_tick, -990);
    CHECK_INT(trace->end_tick, INT64_MAX);
    CHECK_UINT(warning_count(trace, "bad-time", NULL), 3); /* one end; a start and an end */
    trace_release(trace);
}

TEST(an_end_before_its_start_is_kept_with_length_0)
{
    Bytes file = { 0 };
    put_event(&file, 0, 200, 100, "backwards");
    put_event(&file, 1, 200, 300, "fine");
    Trace         *trace = built_whole(&file);
    const Warning *warning = NULL;
    CHECK_UINT(warning_count(trace, "negative-duration", &warning), 1);
    CHECK_STRING(warning->first.message, "end 100 is before start 200: shown with length 0");
    CHECK_UINT(warning->first.offset, 0);
    CHECK_UINT(trace->slices.count, 2);
    CHECK_INT(trace->begin_tick, 200);
    trace_release(trace);
}

/* -- streams -- */

TEST(streams_are_distinguished_however_many)
{
    enum { STREAMS = 700, SUBSTREAMS = 3 };
    Bytes file = { 0 };
    for (uint32_t turn = 0; turn < 2; turn++) {
        for (uint32_t s = 0; s < STREAMS; s++) {
            for (uint64_t sub = 0; sub < SUBSTREAMS; sub++) {
                packet_end(&file, packet_begin(&file, s * 6151, turn * SUBSTREAMS + (uint32_t)sub, sub << 61,
                                               turn * 10, turn * 10 + 5, "e"));
            }
        }
    }
    Trace *trace = built_whole(&file);
    CHECK_UINT(trace->counts.active_processes, STREAMS);
    CHECK_UINT(trace->counts.threads, STREAMS * SUBSTREAMS);
    CHECK_UINT(trace->slices.count, 2 * STREAMS * SUBSTREAMS);
    CHECK_UINT(trace->records.warning_count, 0);
    trace_release(trace);
}

/* Feeds one stream with these numbers, each event with another time; checks the statistics of the stream and the
 * warnings. */
static void check_counters(const uint32_t *numbers, size_t count, const char *stream, const char *warnings)
{
    Bytes file = { 0 }, said = { 0 };
    char  expected[512];
    for (size_t i = 0; i < count; i++)
        put_event(&file, numbers[i], i * 10, i * 10 + 5, "e");
    Trace *trace = built_whole(&file);
    snprintf(
        expected, sizeof expected,
        "{\"descriptions\":1,\"largest_event\":43,\"attribute_types\":{},\"skipped_bytes\":0,\"skipped\":[],"
        "\"streams\":[{\"stream\":1,%s}]}",
        stream);
    check_property(trace, "statistics", expected);
    for (uint32_t i = 0; i < trace->records.warning_count; i++)
        bytes_printf(&said, "%s %s\n", trace->records.warnings[i].kind,
                     trace->records.warnings[i].first.message);
    CHECK(trace->source.complete);
    bytes_append(&said, "", 1);
    CHECK_STRING((const char *)said.data, warnings);
    bytes_release(&said);
    trace_release(trace);
}

#define CHECK_COUNTERS(stream, warnings, ...)                                                                \
    check_counters((const uint32_t[]){ __VA_ARGS__ }, sizeof(uint32_t[]){ __VA_ARGS__ } / sizeof(uint32_t),  \
                   stream, warnings)

TEST(counters_show_what_is_missing)
{
    CHECK_COUNTERS("\"events\":3,\"first_counter\":0", "", 0, 1, 2);
    CHECK_COUNTERS("\"events\":2,\"first_counter\":17", "", 17, 18);
    CHECK_COUNTERS("\"events\":4,\"first_counter\":0,\"missing\":6,\"missing_ranges\":[[1,1],[3,7]]",
                   "missing-events stream 1: 6 events missing: 1, 3-7\n", 0, 2, 8, 9);
    CHECK_COUNTERS("\"events\":3,\"first_counter\":4294967294,\"missing\":3,\"missing_ranges\":[[0,2]]",
                   "missing-events stream 1: 3 events missing: 0-2\n", 4294967294u, 4294967295u, 3);
    CHECK_COUNTERS(
        "\"events\":2,\"first_counter\":4294967293,\"missing\":4,\"missing_ranges\":[[4294967294,1]]",
        "missing-events stream 1: 4 events missing: 4294967294-1\n", 4294967293u, 2);
    CHECK_COUNTERS(
        "\"events\":7,\"first_counter\":0,\"missing\":6,\"missing_ranges\":[[1,1],[3,3],[5,5],[7,7],[9,9],"
        "[11,11]]",
        "missing-events stream 1: 6 events missing: 1, 3, 5, 7, ...\n", 0, 2, 4, 6, 8, 10, 12);
}

TEST(late_events_are_not_missing)
{
    CHECK_COUNTERS("\"events\":3,\"first_counter\":0,\"late\":1,\"late_ranges\":[[1,1]]",
                   "reordered-events stream 1: 1 event out of order: 1\n", 0, 2, 1);
    CHECK_COUNTERS("\"events\":3,\"first_counter\":0,\"missing\":4,\"missing_ranges\":[[1,2],[4,5]],"
                   "\"late\":1,\"late_ranges\":[[3,3]]",
                   "missing-events stream 1: 4 events missing: 1-2, 4-5\n"
                   "reordered-events stream 1: 1 event out of order: 3\n",
                   0, 6, 3);
    CHECK_COUNTERS(
        "\"events\":6,\"first_counter\":0,\"missing\":4,\"missing_ranges\":[[2,2],[4,4],[6,6],[8,8]],"
        "\"late\":2,\"late_ranges\":[[3,3],[7,7]]",
        "missing-events stream 1: 4 events missing: 2, 4, 6, 8\n"
        "reordered-events stream 1: 2 events out of order: 3, 7\n",
        0, 1, 5, 9, 3, 7);
    CHECK_COUNTERS("\"events\":3,\"first_counter\":0,\"late\":1,\"late_ranges\":[[0,0]]",
                   "reordered-events stream 1: 1 event out of order: 0\n", 1, 0, 2);
}

TEST(a_counter_may_start_anew_or_not_count_at_all)
{
    CHECK_COUNTERS("\"events\":5,\"first_counter\":0,\"restarts\":1", "", 0, 1, 2, 0, 1);
    CHECK_COUNTERS("\"events\":4,\"first_counter\":0,\"counts\":false", "", 0, 0, 0, 0);
    /* events that were missing before a restart do not arrive any more */
    CHECK_COUNTERS(
        "\"events\":5,\"first_counter\":0,\"missing\":2,\"missing_ranges\":[[1,1],[2,2]],\"late\":1,"
        "\"late_ranges\":[[1,1]],\"restarts\":1",
        "missing-events stream 1: 2 events missing: 1, 2\n"
        "reordered-events stream 1: 1 event out of order: 1\n",
        0, 2, 0, 3, 1);
}

TEST(the_same_bytes_twice_are_one_event)
{
    Bytes file = { 0 };
    put_event(&file, 0, 10, 20, "a");
    put_event(&file, 0, 10, 20, "a");
    put_event(&file, 1, 20, 30, "b");
    put_event(&file, 1, 21, 30, "b"); /* other bytes: the counter restarted */
    Trace         *trace = built_whole(&file);
    const Warning *warning = NULL;
    CHECK_UINT(trace->slices.count, 3);
    CHECK_UINT(event_count(trace, "event"), 4);
    CHECK_UINT(warning_count(trace, "duplicate-events", &warning), 1);
    CHECK_UINT(warning->first.offset, 43);
    CHECK_UINT(warning->first.event, 1);
    trace_release(trace);
}

/* More gaps than the limit of single ones: all are counted. */
TEST(many_gaps_are_counted)
{
    enum { GAPS = 3000 };
    Bytes file = { 0 };
    for (uint32_t i = 0; i < GAPS; i++)
        put_event(&file, i * 3, i, i + 1, "e");
    put_event(&file, 3 * GAPS - 5, GAPS, GAPS + 1, "late");
    put_event(&file, 1, GAPS, GAPS + 1, "long forgotten: taken for a start anew");
    Trace         *trace = built_whole(&file);
    const Warning *warning = NULL;
    CHECK_UINT(trace->slices.count, GAPS + 2);
    CHECK_UINT(warning_count(trace, "missing-events", &warning), 1);
    CHECK(strstr(warning->first.message, "stream 1: 5997 events missing") != NULL);
    trace_release(trace);
}

/* -- nesting -- */

/* The writer adds an event at its end: of equal ones the first is the inner one, and an empty one at another's end is
 * inside it if it was written before. */
TEST(what_is_written_first_lies_inside)
{
    static const char *const NAMES[] = { "at the end, inside", "inner", "outer", "at the end, outside" };
    Bytes                    file = { 0 };
    put_event(&file, 0, 20, 20, NAMES[0]);
    put_event(&file, 1, 10, 20, NAMES[1]);
    put_event(&file, 2, 10, 20, NAMES[2]);
    put_event(&file, 3, 20, 20, NAMES[3]);
    Trace *trace = built_whole(&file);
    CHECK_UINT(trace->rows[0].slice_count, 2);
    CHECK_UINT(trace->counts.max_depth, 2);
    StringView first = trace_label_name(trace, trace_slice_label(trace, 0));
    StringView second = trace_label_name(trace, trace_slice_label(trace, 1));
    CHECK(string_equal(first, (StringView){ NAMES[2], strlen(NAMES[2]) }));
    CHECK(string_equal(second, (StringView){ NAMES[3], strlen(NAMES[3]) }));
    trace_release(trace);
}

/* -- probing and loading -- */

TEST(the_probe_knows_packets)
{
    Bytes file = { 0 };
    put_epoch(&file, 1);
    CHECK_INT(HEPH_READER.probe(file.data, file.size), 100);
    CHECK_INT(HEPH_READER.probe(file.data, 10), 95); /* the rest may still arrive */
    CHECK_INT(HEPH_READER.probe(file.data, 3), 0);
    CHECK_INT(HEPH_READER.probe(file.data + 1, file.size - 1), 0);
    Bytes later = { 0 };
    bytes_append_text(&later, "garbage");
    bytes_append(&later, file.data, file.size);
    CHECK_INT(HEPH_READER.probe(later.data, later.size), 30);
    CHECK_INT(HEPH_READER.probe((const uint8_t *)"u", 1), 0);
    CHECK_INT(HEPH_READER.probe((const uint8_t *)"\x75\xd1\x1d\x4d\0\0\0\5\0\0", 10), 0);
    bytes_release(&file);
    bytes_release(&later);
}

TEST(bytes_without_a_packet_are_refused)
{
    Built built = built_from("no packet here, u", 17, (Pieces){ 0 });
    CHECK(built.trace == NULL);
    CHECK_INT(built.err.code, ERR_UNKNOWN);
    CHECK_STRING(built.err.message, "no Heph packet in 17 bytes");
}

TEST(attributes_are_decoded_when_someone_looks)
{
    Bytes  file = { 0 };
    Err    err;
    Loaded loaded;
    put_epoch(&file, 1);
    size_t packet = packet_begin(&file, 1, 7, 0, 1, 2, "e");
    put_attribute(&file, "long", 0x04);
    put_uint(&file, 60000, 2);
    for (int i = 0; i < 60000; i++)
        put_uint(&file, 'x', 1);
    put_attribute(&file, "bits", 0x83);
    put_uint(&file, 3, 2);
    put_uint(&file, UINT64_C(0x7ff8000000000001), 8);
    put_uint(&file, UINT64_C(0xfff0000000000000), 8);
    put_uint(&file, UINT64_C(0x3fb999999999999a), 8);
    packet_end(&file, packet);
    CHECK_DONE(load_bytes(file.data, file.size, "made", NULL, &loaded, &err), err);
    CHECK_STRING(loaded.trace->source.format_name, "heph");
    EventDetails details = { 0 };
    CHECK_DONE(load_slice_details(&loaded, 0, &details, &err), err);
    static const char TAIL[] = "x\",\"bits\":[\"NaN\",\"-Infinity\",0.1]}";
    const size_t      tail = sizeof TAIL - 1;
    CHECK_UINT(details.args.size, strlen("{\"long\":\"") + 60000 - 1 + tail);
    CHECK(memcmp(details.args.data + details.args.size - tail, TAIL, tail) == 0);
    CHECK_BYTES(details.other.data, details.other.size,
                "{\"counter\":7,\"types\":{\"long\":\"string\",\"bits\":\"f64[]\"},"
                "\"nan_bits\":[\"0x7ff8000000000001\"]}");
    bytes_release(&details.args);
    bytes_release(&details.other);
    loaded_release(&loaded);
    bytes_release(&file);
}

TEST(details_ask_for_more_bytes)
{
    Bytes file = { 0 };
    put_event(&file, 0, 1, 2, "e");
    put_event(&file, 1, 2, 3, "e");
    Bytes copy = { 0 };
    bytes_append(&copy, file.data, file.size);
    Trace *trace = built_whole(&copy);
    for (size_t size = 0; size <= file.size; size++) {
        EventBytes   event = { .bytes = file.data, .size = size }, none = { .bytes = NULL };
        EventDetails details = { 0 };
        Err          err;
        bool         done = HEPH_READER.details(trace, &event, &none, &details, &err);
        CHECK(done == (size >= 43));
        if (!done) CHECK_INT(err.code, ERR_TRUNCATED);
        bytes_release(&details.args);
        bytes_release(&details.other);
    }
    EventBytes   event = { .bytes = file.data + 1, .size = 42, .offset = 1 }, none = { .bytes = NULL };
    EventDetails details = { 0 };
    Err          err;
    CHECK(!HEPH_READER.details(trace, &event, &none, &details, &err));
    CHECK_INT(err.code, ERR_CORRUPT);
    trace_release(trace);
    bytes_release(&file);
}

TEST_MAIN("heph", TEST_CASE(dump_of_single_packets),
          TEST_CASE(dump_of_the_smallest_event_and_an_unknown_option),
          TEST_CASE(dump_with_a_signed_value_and_arrays), TEST_CASE(types_and_their_numbers),
          TEST_CASE(options_are_shown_as_what_they_look_like), TEST_CASE(streams_and_substreams_have_names),
          TEST_CASE(a_long_option_is_shown_by_its_first_bytes), TEST_CASE(an_epoch_may_come_late),
          TEST_CASE(different_epochs_place_what_follows_them),
          TEST_CASE(times_reach_up_to_the_end_of_64_bits), TEST_CASE(times_out_of_range_are_cut_and_said),
          TEST_CASE(times_before_0_and_of_2_to_the_63_do_not_go_together),
          TEST_CASE(an_end_before_its_start_is_kept_with_length_0),
          TEST_CASE(streams_are_distinguished_however_many), TEST_CASE(counters_show_what_is_missing),
          TEST_CASE(late_events_are_not_missing), TEST_CASE(a_counter_may_start_anew_or_not_count_at_all),
          TEST_CASE(the_same_bytes_twice_are_one_event), TEST_CASE(many_gaps_are_counted),
          TEST_CASE(what_is_written_first_lies_inside), TEST_CASE(the_probe_knows_packets),
          TEST_CASE(bytes_without_a_packet_are_refused), TEST_CASE(attributes_are_decoded_when_someone_looks),
          TEST_CASE(details_ask_for_more_bytes))
