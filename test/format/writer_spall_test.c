#include "writer_support.h"

#include "base/bits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(spall_v3_is_frames_of_begins_and_ends)
{
    static const char JSON[] =
        "[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":7,\"args\":{\"name\":\"app\"}},"
        "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":7,\"args\":{\"name\":\"main\"}},"
        "{\"ph\":\"X\",\"name\":\"f\",\"ts\":4.096,\"dur\":0.064,\"pid\":1,\"tid\":7,\"args\":{\"a\":1}}]";
    Bytes out = { 0 };
    writer_convert(JSON, sizeof JSON - 1, "spall", NULL, &out);
    CHECK_BYTES(out.data, out.size,
                "\x0d\xf0\xad\x0b\0\0\0\0\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\0"
                "\x27\0\0\0\x07\0\0\0\x01\0\0\0\0\x10\0\0\0\0\0\0"
                "\x08\x03"
                "app\x09\x04main"
                "\x03\0\x10\0\0\0\0\0\0\x01\x07"
                "f{\"a\":1}"
                "\x04\x40\x10\0\0\0\0\0\0");
    bytes_release(&out);
}

TEST(spall_v1_has_ids_in_every_record)
{
    static const char JSON[] = "[{\"ph\":\"X\",\"name\":\"f\",\"ts\":1,\"dur\":2.5,\"pid\":1,\"tid\":7}]";
    Bytes             out = { 0 };
    writer_convert(JSON, sizeof JSON - 1, "spall1", NULL, &out);
    CHECK_BYTES(out.data, out.size, /* version 1 */
                "\x0d\xf0\xad\x0b\0\0\0\0\x01\0\0\0\0\0\0\0\xfc\xa9\xf1\xd2\x4d\x62\x50\x3f\0\0\0\0\0\0\0\0"
                "\x03\0\x01\0\0\0\x07\0\0\0\0\0\0\0\0\x40\x8f\x40\x01\0f"
                "\x04\x01\0\0\0\x07\0\0\0\0\0\0\0\0\x58\xab\x40");
    bytes_release(&out);
}

TEST(spall_never_ends_with_a_short_record)
{
    static const char JSON[] =
        "[{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":7,\"args\":{\"name\":\"x\"}}]";
    Bytes out = { 0 };
    writer_convert(JSON, sizeof JSON - 1, "spall", NULL, &out);
    CHECK_UINT(out.size, 32 + 20 + 3 + 20);
    bytes_release(&out);
}

/* Returns the trace after a conversion to a .spall file and back. */
static Loaded through_spall(const char *json, const char *writer, WriterReport *report, Bytes *out)
{
    bytes_clear(out);
    writer_convert(json, strlen(json), writer, report, out);
    Loaded loaded = writer_load(out->data, out->size);
    CHECK_UINT(loaded.trace->records.warning_count, 0);
    return loaded;
}

TEST(spall_texts_are_cut_at_a_code_point)
{
    char  json[1200], name[300];
    Bytes out = { 0 };
    memset(name, 'n', 254);
    strcpy(name + 254, "\xc3\xa9"); /* bytes 255 and 256 */
    (void)snprintf(
        json, sizeof json,
        "[{\"ph\":\"X\",\"name\":\"%s\",\"ts\":0,\"dur\":1,\"pid\":1,\"tid\":1,\"args\":{\"a\":\"%s\"}},"
        "{\"ph\":\"X\",\"name\":\"a\\u0000b\",\"ts\":2,\"dur\":1,\"pid\":1,\"tid\":1}]",
        name, name);
    WriterReport report = { .loss_count = 0 };
    Loaded       loaded = through_spall(json, "spall", &report, &out);
    CHECK_UINT(trace_label_name(loaded.trace, trace_slice_label(loaded.trace, 0)).size, 254);
    StringView second = trace_label_name(loaded.trace, trace_slice_label(loaded.trace, 1));
    CHECK_BYTES(second.bytes, second.size,
                "a\xef\xbf\xbd"
                "b");
    CHECK_UINT(writer_lost(&report, "names are cut at 255 bytes"), 2);
    CHECK_UINT(writer_lost(&report, "arguments are cut at 255 bytes"), 1);
    loaded_release(&loaded);
    bytes_release(&out);
}

TEST(spall_ids_are_numbers_that_no_other_has)
{
    WriterReport report = { .loss_count = 0 };
    Bytes        out = { 0 };
    Loaded       loaded =
        through_spall("[{\"ph\":\"X\",\"name\":\"a\",\"ts\":0,\"dur\":9,\"pid\":\"gpu\",\"tid\":4294967295},"
                      "{\"ph\":\"X\",\"name\":\"b\",\"ts\":0,\"dur\":9,\"pid\":\"gpu\",\"tid\":-1},"
                      "{\"ph\":\"X\",\"name\":\"c\",\"ts\":0,\"dur\":9,\"pid\":\"gpu\",\"tid\":1},"
                      "{\"ph\":\"X\",\"name\":\"d\",\"ts\":5,\"dur\":9,\"pid\":\"gpu\",\"tid\":1},"
                      "{\"ph\":\"X\",\"name\":\"e\",\"ts\":0,\"dur\":9,\"pid\":5,\"tid\":1}]",
                      "spall", &report, &out);
    const Trace *trace = loaded.trace;
    CHECK_UINT(trace->process_count, 2);
    CHECK_UINT(trace->counts.threads, 5);
    CHECK_UINT(trace->slices.count, 5);
    for (uint32_t i = 1; i <= trace->track_count; i++)
        CHECK_UINT(track_slice_count(trace, &trace->tracks[i]), 1);
    CHECK_UINT(writer_lost(&report, "slices that overlap others are written to separate threads"), 1);
    CHECK_UINT(
        writer_lost(&report, "ids of processes and threads are not numbers of 32 bits: they are replaced"),
        2);
    Bytes title = { 0 };
    bool  has_overlap = false, has_negative = false;
    for (uint32_t i = 1; i <= trace->track_count; i++) {
        StringView name = trace_string(trace, trace->tracks[i].name);
        has_overlap |= string_equal(name, STRING_LITERAL("Thread 1 (overlapping, 1)"));
        has_negative |= string_equal(name, STRING_LITERAL("Thread -1"));
    }
    CHECK(has_overlap && has_negative);
    bytes_release(&title);
    loaded_release(&loaded);
    bytes_release(&out);
}

TEST(spall_times_below_zero_are_moved_and_it_is_said)
{
    WriterReport report = { .loss_count = 0 };
    Bytes        out = { 0 };
    const char  *json = "[{\"ph\":\"X\",\"name\":\"a\",\"ts\":-1,\"dur\":3,\"pid\":1,\"tid\":1}]";
    Loaded       loaded = through_spall(json, "spall", &report, &out);
    CHECK_INT(loaded.trace->begin_tick, 0);
    CHECK_INT(loaded.trace->end_tick, 3000);
    CHECK_UINT(report.loss_count, 1);
    loaded_release(&loaded);
    report.loss_count = 0;
    loaded = through_spall(json, "spall1", &report, &out); /* doubles can be negative */
    CHECK_INT(loaded.trace->begin_tick, -1000);
    CHECK_UINT(report.loss_count, 0);
    loaded_release(&loaded);
    bytes_release(&out);
}

TEST(spall_unit_is_as_long_as_all_times_allow)
{
    Bytes  out = { 0 };
    Loaded loaded =
        through_spall("[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1.00025,\"dur\":0.0005,\"pid\":1,\"tid\":1}]",
                      "spall", NULL, &out);
    CHECK_UINT(loaded.trace->clock.ns_num, 1);
    CHECK_UINT(loaded.trace->clock.ns_den, 4);
    CHECK_INT(trace_slice_begin(loaded.trace, 0), 4001);
    loaded_release(&loaded);
    bytes_release(&out);
}

/* Checks the JSON of slices in quarters of a nanosecond: the events of thread 1 as letters and names. */
static void check_forms(const char *json, const char *expected)
{
    Bytes        out = { 0 }, text = { 0 };
    Loaded       loaded = through_spall(json, "spall", NULL, &out);
    Err          err = { 0 };
    WriterReport report = { .loss_count = 0 };
    OutputSink   sink = output_to_bytes(&text);
    char         forms[64] = "";
    CHECK_DONE(writer_find("json")->write(&loaded, &sink, &report, &err), err);
    bytes_append(&text, "", 1);
    for (const char *at = (const char *)text.data; (at = strstr(at, "{\"name\":\"")) != NULL; at++) {
        const char *phase = strstr(at, "\"ph\":\"");
        CHECK(phase != NULL && strlen(forms) + 3 < sizeof forms);
        if (strchr("XBE", phase[6]) != NULL) snprintf(forms + strlen(forms), 4, "%c%c ", phase[6], at[9]);
    }
    CHECK_STRING(forms, expected);
    loaded_release(&loaded);
    bytes_release(&out);
    bytes_release(&text);
}

#define SLICE(name, ts, dur)                                                                                 \
    "{\"ph\":\"X\",\"name\":\"" name "\",\"ts\":" ts ",\"dur\":" dur ",\"pid\":1,\"tid\":1},"
/* The time of this one needs a unit of a quarter of a nanosecond. */
#define LAST SLICE("z", "9.00025", "0.0005")

TEST(json_slices_stay_nested_when_their_times_are_rounded_to_nanoseconds)
{
    check_forms("[" SLICE("a", "1", "0.03") SLICE("b", "1.01", "0.018") LAST "]", "Xa Xb Xz ");
    check_forms("[" SLICE("a", "1", "0.03") SLICE("b", "1.01", "0.01875") LAST "]", "Ba Bb Eb Ea Xz ");
    check_forms("[" SLICE("a", "1", "0.03") SLICE("b", "1.03175", "0.01") LAST "]", "Ba Ea Xb Xz ");
    check_forms("[" SLICE("a", "1", "0.03") SLICE("b", "1.032", "0.01") LAST "]", "Xa Xb Xz ");
}

TEST(json_slices_in_the_first_nanosecond_of_a_pair_are_pairs)
{
    check_forms("[" SLICE("a", "1", "0.03") SLICE("b", "1.00025", "0.01") SLICE("c", "1.03025", "0.01") LAST
                "]",
                "Ba Bb Eb Ea Xc Xz ");
    check_forms("[" SLICE("a", "1", "0.03") SLICE("b", "1.00075", "0.01") SLICE("c", "1.03025", "0.01") LAST
                "]",
                "Ba Xb Ea Xc Xz ");
}

TEST(spall_lists_what_it_cannot_hold)
{
    WriterReport report = { .loss_count = 0 };
    Bytes        out = { 0 };
    Loaded       loaded = through_spall(
        "{\"k\":1,\"traceEvents\":[{\"ph\":\"i\",\"name\":\"i\",\"ts\":1,\"pid\":1,\"tid\":1},"
              "{\"ph\":\"C\",\"name\":\"c\",\"ts\":1,\"pid\":1,\"args\":{\"v\":1}},"
              "{\"ph\":\"X\",\"name\":\"a\",\"cat\":\"c\",\"ts\":1,\"dur\":1,\"pid\":1,\"tid\":1,\"tts\":4}]}",
        "spall", &report, &out);
    CHECK_UINT(writer_lost(&report, "instants are left out"), 1);
    CHECK_UINT(writer_lost(&report, "events that are not slices are left out"), 1);
    CHECK_UINT(writer_lost(&report, "slices lose their category"), 1);
    CHECK_UINT(writer_lost(&report, "slices lose fields beside their arguments"), 1);
    CHECK_UINT(writer_lost(&report, "facts about the whole trace are left out"), 1);
    loaded_release(&loaded);
    bytes_release(&out);
}

/* -- slices -- */

typedef struct Span {
    int64_t begin, end;
    char    name[8];
} Span;

static int compare_spans(const void *left, const void *right)
{
    const Span *a = left, *b = right;
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    if (a->end != b->end) return a->end < b->end ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Returns the slices in ns, sorted; unfinished ones without their end. */
static size_t spans_of(const Trace *trace, Span spans[64])
{
    CHECK(trace->slices.count <= 64);
    memset(spans, 0, 64 * sizeof *spans);
    for (uint64_t i = 0; i < trace->slices.count; i++) {
        bool unfinished = (trace->slices.flags[i] & SLICE_UNFINISHED) != 0;
        spans[i].begin = clock_to_ns(&trace->clock, trace_slice_begin(trace, i));
        spans[i].end = unfinished ? -1 : clock_to_ns(&trace->clock, trace_slice_end(trace, i));
        (void)snprintf(spans[i].name, sizeof spans[i].name, "%s",
                       trace_label_name(trace, trace_slice_label(trace, i)).bytes);
    }
    qsort(spans, (size_t)trace->slices.count, sizeof *spans, compare_spans);
    return (size_t)trace->slices.count;
}

static void check_same_spans(const Bytes *source, const char *writer)
{
    static Span expected[64], actual[64];
    Bytes       out = { 0 };
    Loaded      before = writer_load(source->data, source->size);
    size_t      count = spans_of(before.trace, expected);
    if (before.trace->begin_tick < 0 || before.trace->counts.unfinished > 0) count = 0;
    loaded_release(&before);
    writer_convert(source->data, source->size, writer, NULL, &out);
    Loaded after = writer_load(out.data, out.size);
    if (count > 0) {
        CHECK_UINT(spans_of(after.trace, actual), count);
        CHECK(memcmp(expected, actual, count * sizeof *expected) == 0);
    }
    Err err = { 0 };
    CHECK_DONE(trace_check(after.trace, &err), err);
    for (uint32_t i = 0; i < after.trace->records.warning_count; i++)
        CHECK(strcmp(after.trace->records.warnings[i].kind, "unfinished-slice") == 0 ||
              strcmp(after.trace->records.warnings[i].kind, "empty-trace") == 0);
    loaded_release(&after);
    bytes_release(&out);
}

TEST(spall_holds_any_slices)
{
    TestRandom random = { 11 };
    Bytes      source = { 0 };
    for (int round = 0; round < 3000; round++) {
        bytes_clear(&source);
        writer_random_json(&random, &source);
        check_same_spans(&source, "spall");
        check_same_spans(&source, "spall1");
    }
    bytes_release(&source);
}

/* Writes every slice with thread, ticks, depth and flags: the conversion through JSON must be exact to the tick. */
static void slices_text(const Trace *trace, Bytes *out)
{
    bytes_clear(out);
    for (uint32_t r = 0; r < trace->row_count; r++) {
        const Row   *row = &trace->rows[r];
        const Track *track = &trace->tracks[row->track];
        for (uint64_t i = row->first_slice; i < row->first_slice + row->slice_count; i++) {
            bytes_printf(out, "%d/%d %u %lld %lld %d %s\n",
                         (int)trace->processes[track->process.index].pid.bits, (int)track->tid_bits,
                         row->depth, (long long)trace_slice_begin(trace, i),
                         (long long)trace_slice_end(trace, i), trace->slices.flags[i] & SLICE_UNFINISHED,
                         trace_label_name(trace, trace_slice_label(trace, i)).bytes);
        }
    }
    bytes_append(out, "", 1);
}

/* Writes a version 3 file of random begins and ends with this unit. */
static void random_spall(TestRandom *random, double unit, Bytes *out)
{
    uint8_t  header[32] = { 0x0d, 0xf0, 0xad, 0x0b, 0, 0, 0, 0, 3 }, frame[20] = { 0 };
    uint64_t tick = test_random_below(random, 1u << 30), open = 0;
    uint64_t unit_bits;
    memcpy(&unit_bits, &unit, sizeof unit);
    bits_store_u64(header + 16, unit_bits);
    bytes_append(out, header, sizeof header);
    size_t at = out->size;
    frame[4] = frame[8] = 1;
    bytes_append(out, frame, sizeof frame);
    for (int i = 0; i < 20; i++) {
        uint8_t begin[12] = { 3, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 'f' };
        bool    is_end = open > 0 && test_random_below(random, 2) == 0;
        tick += test_random_below(random, 1000);
        begin[0] = is_end ? 4 : 3;
        for (int b = 0; b < 8; b++)
            begin[1 + b] = (uint8_t)(tick >> 8 * b);
        bytes_append(out, begin, is_end ? 9 : sizeof begin);
        open = is_end ? open - 1 : open + 1;
    }
    size_t size = out->size - at - sizeof frame;
    out->data[at] = (uint8_t)size;
    out->data[at + 1] = (uint8_t)(size >> 8);
}

TEST(spall_through_json_is_the_same_to_the_tick)
{
    static const double UNITS[] = { 1, 0.25, 1.0 / 3, 0.41666666666666669, 1000, 41.666666666666664, 0.1 };
    TestRandom          random = { 5 };
    Bytes               source = { 0 }, json = { 0 }, again = { 0 }, expected = { 0 }, actual = { 0 };
    for (int round = 0; round < 300; round++) {
        bytes_clear(&source);
        bytes_clear(&json);
        bytes_clear(&again);
        random_spall(&random, UNITS[(size_t)round % (sizeof UNITS / sizeof UNITS[0])], &source);
        writer_convert(source.data, source.size, "json", NULL, &json);
        writer_convert(json.data, json.size, "spall", NULL, &again);
        Loaded before = writer_load(source.data, source.size), after = writer_load(again.data, again.size);
        slices_text(before.trace, &expected);
        slices_text(after.trace, &actual);
        loaded_release(&before);
        loaded_release(&after);
        CHECK_STRING((const char *)actual.data, (const char *)expected.data);
    }
    bytes_release(&source);
    bytes_release(&json);
    bytes_release(&again);
    bytes_release(&expected);
    bytes_release(&actual);
}

TEST(spall_has_states_on_threads_of_their_own_and_no_objects)
{
    WriterReport report = { .loss_count = 0 };
    Bytes        out = { 0 };
    (void)writer_convert_text("[{\"ph\":\"X\",\"name\":\"f\",\"pid\":1,\"tid\":2,\"ts\":1,\"dur\":3},"
                              "{\"ph\":\"T\",\"name\":\"Running\",\"pid\":1,\"tid\":2,\"ts\":1,\"dur\":2},"
                              "{\"ph\":\"T\",\"name\":\"Sleeping\",\"pid\":1,\"tid\":2,\"ts\":3,\"dur\":2},"
                              "{\"ph\":\"N\",\"name\":\"Obj\",\"pid\":1,\"tid\":2,\"ts\":3,\"id\":1},"
                              "{\"ph\":\"O\",\"name\":\"Obj\",\"pid\":1,\"tid\":2,\"ts\":4,\"id\":1},"
                              "{\"ph\":\"v\",\"name\":\"dump\",\"pid\":1,\"tid\":2,\"ts\":4,\"id\":1}]",
                              "spall", &report, &out);
    CHECK_UINT(writer_lost(&report, "states of threads are written to separate threads"), 2);
    CHECK_UINT(writer_lost(&report, "events that are not slices are left out"), 3); /* N O v */
    CHECK_UINT(writer_lost(&report, "instants are left out"), 0);
    Loaded loaded = writer_load(out.data, out.size);
    CHECK_UINT(loaded.trace->slices.count, 3);
    CHECK_UINT(loaded.trace->instants.count, 0);
    loaded_release(&loaded);
    bytes_release(&out);
}

TEST_MAIN("writer_spall", TEST_CASE(spall_has_states_on_threads_of_their_own_and_no_objects),
          TEST_CASE(spall_v3_is_frames_of_begins_and_ends), TEST_CASE(spall_v1_has_ids_in_every_record),
          TEST_CASE(spall_never_ends_with_a_short_record), TEST_CASE(spall_texts_are_cut_at_a_code_point),
          TEST_CASE(spall_ids_are_numbers_that_no_other_has),
          TEST_CASE(spall_times_below_zero_are_moved_and_it_is_said),
          TEST_CASE(spall_unit_is_as_long_as_all_times_allow),
          TEST_CASE(json_slices_stay_nested_when_their_times_are_rounded_to_nanoseconds),
          TEST_CASE(json_slices_in_the_first_nanosecond_of_a_pair_are_pairs),
          TEST_CASE(spall_lists_what_it_cannot_hold), TEST_CASE(spall_holds_any_slices),
          TEST_CASE(spall_through_json_is_the_same_to_the_tick))
