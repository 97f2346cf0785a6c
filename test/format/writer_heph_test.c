#include "heph_support.h"
#include "writer_support.h"

#include "format/heph/packet.h"
#include "format/heph/writer_clock.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- Heph to Heph -- */

static bool has_warning(const Trace *trace, const char *kind)
{
    return warning_count(trace, kind, NULL) > 0;
}

/* True if the trace is complete and has only one layout. */
static bool is_sound(const Trace *trace)
{
    static const char *const CHANGES[] = { "skipped-bytes", "truncated-packet", "duplicate-events",
                                           "early-layout" };
    for (size_t i = 0; i < sizeof CHANGES / sizeof CHANGES[0]; i++) {
        if (has_warning(trace, CHANGES[i])) return false;
    }
    return true;
}

static void check_same_slices(const Trace *a, const Trace *b)
{
    CHECK_UINT(a->slices.count, b->slices.count);
    CHECK_UINT(a->row_count, b->row_count);
    CHECK_UINT(a->records.other_count, b->records.other_count);
    for (uint32_t i = 0; i < a->row_count; i++) {
        const Row *x = &a->rows[i], *y = &b->rows[i];
        CHECK(x->track == y->track && x->depth == y->depth && x->slice_count == y->slice_count);
    }
    for (uint64_t i = 0; i < a->slices.count; i++) {
        CHECK_INT(trace_slice_begin(a, i), trace_slice_begin(b, i));
        CHECK_INT(trace_slice_end(a, i), trace_slice_end(b, i));
        CHECK(string_equal(trace_label_name(a, trace_slice_label(a, i)),
                           trace_label_name(b, trace_slice_label(b, i))));
    }
}

/* True if the copy has the same bytes. */
static bool check_copy(const Bytes *file)
{
    Bytes  copy = { 0 }, again = { 0 };
    Loaded before = writer_load(file->data, file->size);
    writer_convert(file->data, file->size, "heph", NULL, &copy);
    bool same = copy.size == file->size && memcmp(copy.data, file->data, file->size) == 0;
    CHECK_INT(same, is_sound(before.trace));
    if (copy.size > 0) { /* otherwise its only packet was cut */
        Loaded after = writer_load(copy.data, copy.size);
        CHECK(is_sound(after.trace));
        check_same_slices(before.trace, after.trace);
        loaded_release(&after);
        writer_convert(copy.data, copy.size, "heph", NULL, &again);
        CHECK_UINT(again.size, copy.size);
        CHECK(memcmp(again.data, copy.data, copy.size) == 0);
    }
    loaded_release(&before);
    bytes_release(&copy);
    bytes_release(&again);
    return same;
}

TEST(sound_files_come_out_byte_for_byte_and_others_without_their_damage)
{
    char           folder[512];
    unsigned       same = 0, changed = 0;
    struct dirent *entry;
    fixture_path("heph", folder, sizeof folder);
    DIR *directory = opendir(folder);
    CHECK(directory != NULL);
    while ((entry = readdir(directory)) != NULL) {
        size_t length = strlen(entry->d_name);
        char   name[300];
        Bytes  file = { 0 };
        if (length < 4 || strcmp(entry->d_name + length - 4, ".bin") != 0) continue;
        print_message("# %s\n", entry->d_name);
        (void)snprintf(name, sizeof name, "heph/%s", entry->d_name);
        fixture_read(name, &file);
        if (check_copy(&file))
            same++;
        else
            changed++;
        bytes_release(&file);
    }
    (void)closedir(directory);
    CHECK(same >= 24);
    CHECK(changed >= 16);
}

TEST(events_of_the_early_layout_get_a_substream)
{
    WriterReport report = { .loss_count = 0 };
    Bytes        file = { 0 }, out = { 0 };
    fixture_read("heph/heph_old_layout.bin", &file);
    writer_convert(file.data, file.size, "heph", &report, &out);
    CHECK_UINT(out.size, file.size + 75 * 8);
    CHECK_UINT(
        writer_lost(&report, "events in the layout of before 17 March 2021 are written in the present one"),
        75);
    Loaded after = writer_load(out.data, out.size);
    CHECK_STRING(after.trace->source.format_version, "0.1.0");
    loaded_release(&after);
    bytes_release(&file);
    bytes_release(&out);
}

TEST(a_copy_says_when_memory_or_the_disk_is_full)
{
    Bytes file = { 0 };
    fixture_read("heph/heph_plain.bin", &file);
    Loaded       loaded = writer_load(file.data, file.size);
    bool         done = false;
    WriterReport report = { .loss_count = 0 };
    Err          err = { 0 };
    uint64_t     request = 0;
    for (; !done && request < 10000; request++) {
        size_t     appends = SIZE_MAX;
        OutputSink sink = writer_failing_sink(&appends);
        memory_fail_after(request);
        done = writer_find("heph")->write(&loaded, &sink, &report, &err);
        memory_fail_after(UINT64_MAX);
        if (!done) CHECK_INT(err.code, ERR_MEMORY);
    }
    CHECK(done && request > 3);
    size_t     appends = 0;
    OutputSink sink = writer_failing_sink(&appends);
    CHECK(!writer_find("heph")->write(&loaded, &sink, &report, &err));
    CHECK_STRING(err.message, "the disk is full");
    loaded_release(&loaded);
    bytes_release(&file);
}

/* -- other traces -- */

TEST(slices_become_events_when_they_end)
{
    static const char JSON[] =
        "[{\"ph\":\"X\",\"name\":\"out\",\"ts\":1,\"dur\":1,\"pid\":3,\"tid\":7,\"args\":{\"n\":-2}},"
        "{\"ph\":\"i\",\"name\":\"!\",\"ts\":1.5,\"pid\":3,\"tid\":7},"
        "{\"ph\":\"X\",\"name\":\"in\",\"ts\":1.5,\"dur\":0.5,\"pid\":3,\"tid\":7}]";
    Bytes out = { 0 }, expected = { 0 };
    writer_convert(JSON, sizeof JSON - 1, "heph", NULL, &out);
    packet_end(&expected, packet_begin(&expected, 3, 0, 7, 1500, 1500, "!"));
    packet_end(&expected, packet_begin(&expected, 3, 1, 7, 1500, 2000, "in"));
    size_t packet = packet_begin(&expected, 3, 2, 7, 1000, 2000, "out");
    put_attribute(&expected, "n", HEPH_SIGNED);
    put_uint(&expected, UINT64_MAX - 1, 8);
    packet_end(&expected, packet);
    CHECK_UINT(out.size, expected.size);
    CHECK(memcmp(out.data, expected.data, expected.size) == 0);
    bytes_release(&expected);
    bytes_release(&out);
}

/* Returns the trace of `json` after a conversion to Heph packets and back. */
static Loaded through_heph(const char *json, WriterReport *report)
{
    static Bytes out;
    bytes_clear(&out);
    writer_convert(json, strlen(json), "heph", report, &out);
    Loaded loaded = writer_load(out.data, out.size);
    CHECK_UINT(loaded.trace->records.warning_count, 0);
    return loaded;
}

/* Checks the arguments of an event after the conversion, and the number of attributes of each type. */
static void check_args(const char *args, const char *expected, const char *types)
{
    char         json[1024], start[300];
    WriterReport report = { .loss_count = 0 };
    EventDetails details = { 0 };
    Err          err = { 0 };
    (void)snprintf(json, sizeof json,
                   "[{\"ph\":\"X\",\"name\":\"f\",\"ts\":0,\"dur\":1,\"pid\":1,\"tid\":1,\"args\":%s}]",
                   args);
    Loaded loaded = through_heph(json, &report);
    CHECK_DONE(load_slice_details(&loaded, 0, &details, &err), err);
    bytes_append(&details.args, "", 1);
    CHECK_STRING((const char *)details.args.data, expected);
    (void)snprintf(start, sizeof start, "\"attribute_types\":{%s}", types);
    bool found = false;
    for (uint32_t i = 0; i < loaded.trace->records.property_count; i++)
        found |= strstr(loaded.trace->records.properties[i].json, start) != NULL;
    if (!found) print_message("# %s: types are not %s\n", args, types);
    CHECK(found);
    bytes_release(&details.args);
    bytes_release(&details.other);
    loaded_release(&loaded);
}

TEST(arguments_have_the_types_of_their_values)
{
    check_args("{\"a\":0,\"b\":18446744073709551615}", "{\"a\":0,\"b\":18446744073709551615}", "\"0x01\":2");
    check_args("{\"a\":-1,\"b\":-9223372036854775808}", "{\"a\":-1,\"b\":-9223372036854775808}",
               "\"0x02\":2");
    check_args("{\"a\":0.5,\"b\":-0,\"c\":1e3}", "{\"a\":0.5,\"b\":-0,\"c\":1000}", "\"0x03\":3");
    check_args("{\"a\":\"\",\"\":\"q\\\"\\u00e9\\n\"}", "{\"a\":\"\",\"\":\"q\\\"\xc3\xa9\\n\"}",
               "\"0x04\":2");
    check_args("{\"a\":[1,2],\"b\":[]}", "{\"a\":[1,2],\"b\":[]}", "\"0x81\":2");
    check_args("{\"a\":[1,-2]}", "{\"a\":[1,-2]}", "\"0x82\":1");
    check_args("{\"a\":[1,-2,0.5]}", "{\"a\":[1,-2,0.5]}", "\"0x83\":1");
    check_args("{\"a\":[\"x\",\"\"]}", "{\"a\":[\"x\",\"\"]}", "\"0x84\":1");
}

TEST(arguments_of_no_type_are_texts)
{
    check_args("{\"a\":true,\"b\":null,\"c\":{\"d\":1}}",
               "{\"a\":\"true\",\"b\":\"null\",\"c\":\"{\\\"d\\\":1}\"}", "\"0x04\":3");
    check_args("{\"a\":18446744073709551616,\"b\":-9223372036854775809,\"c\":1e999}",
               "{\"a\":\"18446744073709551616\",\"b\":\"-9223372036854775809\",\"c\":\"1e999\"}",
               "\"0x04\":3");
    check_args("{\"a\":[1,\"x\"],\"b\":[[1]],\"c\":[-1,18446744073709551615],\"d\":[0.5,9007199254740993]}",
               "{\"a\":\"[1,\\\"x\\\"]\",\"b\":\"[[1]]\",\"c\":\"[-1,18446744073709551615]\","
               "\"d\":\"[0.5,9007199254740993]\"}",
               "\"0x04\":4");
    check_args("\"alone\"", "{\"args\":\"alone\"}", "\"0x04\":1");
}

/* -- Heph to JSON and back -- */

static void put_double_array(Bytes *out, const char *name, const uint64_t *bits, unsigned count)
{
    put_attribute(out, name, HEPH_DOUBLE | HEPH_ARRAY);
    put_uint(out, count, 2);
    for (unsigned i = 0; i < count; i++)
        put_uint(out, bits[i], 8);
}

static void put_number_attribute(Bytes *out, const char *name, unsigned type, uint64_t bits)
{
    put_attribute(out, name, type);
    put_uint(out, bits, 8);
}

/* Appends an event with values that JSON writes alike. */
static void put_typed_event(Bytes *out)
{
    static const uint64_t NANS[] = { UINT64_C(0x7ff8000000000000), UINT64_C(0xfff0000000000001),
                                     UINT64_C(0x4014000000000000) };
    size_t                packet = packet_begin(out, 1, 0, 7, 10, 20, "e");
    put_number_attribute(out, "u", HEPH_UNSIGNED, 5);
    put_number_attribute(out, "i", HEPH_SIGNED, 5);
    put_number_attribute(out, "f", HEPH_DOUBLE, UINT64_C(0x4014000000000000));
    put_number_attribute(out, "large", HEPH_DOUBLE, UINT64_C(0x43f0000000000000)); /* 2^64 */
    put_number_attribute(out, "inf", HEPH_DOUBLE, UINT64_C(0xfff0000000000000));
    put_attribute(out, "text", HEPH_STRING);
    put_text(out, "NaN");
    put_double_array(out, "nans", NANS, 3);
    put_number_attribute(out, "nan", HEPH_DOUBLE, UINT64_C(0x7ff800000000abcd));
    put_attribute(out, "is", HEPH_SIGNED | HEPH_ARRAY);
    put_uint(out, 1, 2);
    put_uint(out, 5, 8);
    put_double_array(out, "none", NULL, 0);
    packet_end(out, packet);
}

TEST(types_are_kept_through_json)
{
    Bytes        file = { 0 }, json = { 0 }, back = { 0 };
    EventDetails details = { 0 };
    Err          err;
    put_epoch(&file, 1);
    put_typed_event(&file);
    Loaded loaded = writer_load(file.data, file.size);
    CHECK_DONE(load_slice_details(&loaded, 0, &details, &err), err);
    bytes_append(&details.args, "", 1);
    bytes_append(&details.other, "", 1);
    CHECK_STRING(
        (const char *)details.args.data,
        "{\"u\":5,\"i\":5,\"f\":5,\"large\":1.8446744073709552e+19,\"inf\":\"-Infinity\",\"text\":\"NaN\","
        "\"nans\":[\"NaN\",\"NaN\",5],\"nan\":\"NaN\",\"is\":[5],\"none\":[]}");
    CHECK_STRING(
        (const char *)details.other.data,
        "{\"counter\":0,\"types\":{\"u\":\"u64\",\"i\":\"i64\",\"f\":\"f64\",\"large\":\"f64\",\"inf\":"
        "\"f64\","
        "\"text\":\"string\",\"nans\":\"f64[]\",\"nan\":\"f64\",\"is\":\"i64[]\",\"none\":\"f64[]\"},"
        "\"nan_bits\":[\"0x7ff8000000000000\",\"0xfff0000000000001\",\"0x7ff800000000abcd\"]}");
    writer_convert(file.data, file.size, "json", NULL, &json);
    writer_convert(json.data, json.size, "heph", NULL, &back);
    CHECK_UINT(back.size, file.size);
    CHECK(memcmp(back.data, file.data, file.size) == 0);
    bytes_release(&details.args);
    bytes_release(&details.other);
    loaded_release(&loaded);
    bytes_release(&file);
    bytes_release(&json);
    bytes_release(&back);
}

/* The JSON may have been edited: a type that does not fit, or that is missing, falls back to the rule for other
 * JSON. */
static void check_edited(const char *args, const char *types, const char *expected)
{
    char         json[1024];
    WriterReport report = { .loss_count = 0 };
    EventDetails details = { 0 };
    Err          err;
    (void)snprintf(json, sizeof json,
                   "[{\"ph\":\"X\",\"name\":\"f\",\"ts\":0,\"dur\":1,\"pid\":1,\"tid\":1,"
                   "\"other\":{\"counter\":0,\"types\":%s},\"args\":%s}]",
                   types, args);
    Loaded loaded = through_heph(json, &report);
    CHECK_DONE(load_slice_details(&loaded, 0, &details, &err), err);
    bytes_append(&details.other, "", 1);
    CHECK_STRING((const char *)details.other.data, expected);
    bytes_release(&details.args);
    bytes_release(&details.other);
    loaded_release(&loaded);
}

TEST(types_that_do_not_fit_are_left)
{
    check_edited("{\"a\":-5,\"b\":5}", "{\"a\":\"u64\",\"b\":\"i64\"}",
                 "{\"counter\":0,\"types\":{\"a\":\"i64\",\"b\":\"i64\"}}");
    check_edited("{\"a\":\"x\",\"b\":[1,\"x\"],\"c\":1}", "{\"a\":\"f64\",\"b\":\"f64[]\",\"c\":\"f32\"}",
                 "{\"counter\":0,\"types\":{\"a\":\"string\",\"b\":\"string\",\"c\":\"u64\"}}");
    check_edited("{\"new\":1,\"b\":5}", "{\"gone\":\"f64\",\"b\":\"f64\"}",
                 "{\"counter\":0,\"types\":{\"new\":\"u64\",\"b\":\"f64\"}}");
    check_edited("{\"a\":9223372036854775808,\"b\":[]}", "{\"a\":\"i64\",\"b\":\"i64\"}",
                 "{\"counter\":0,\"types\":{\"a\":\"u64\",\"b\":\"u64[]\"}}");
    check_edited("{\"a\":5}", "7", "{\"counter\":0,\"types\":{\"a\":\"u64\"}}");
}

TEST(lengths_never_wrap)
{
    WriterReport report = { .loss_count = 0 };
    Bytes        json = { 0 };
    bytes_append_text(&json, "[{\"ph\":\"X\",\"ts\":0,\"dur\":1,\"pid\":1,\"tid\":1,\"name\":\"");
    for (int i = 0; i < 65534; i++)
        bytes_append(&json, "n", 1);
    bytes_append_text(&json, "\xc3\xa9\",\"args\":{\"a\":[0"); /* its last byte is above the limit */
    for (int i = 0; i < 65535; i++)
        bytes_append_text(&json, ",1");
    bytes_append_text(&json, "],\"s\":\"");
    for (int i = 0; i < 65536; i++)
        bytes_append(&json, "s", 1);
    bytes_append_text(&json, "\"}}]");
    bytes_append(&json, "", 1);
    Loaded loaded = through_heph((const char *)json.data, &report);
    CHECK_UINT(trace_label_name(loaded.trace, trace_slice_label(loaded.trace, 0)).size, 65534);
    CHECK_UINT(writer_lost(&report, "names are cut at 65535 bytes"), 1);
    CHECK_UINT(writer_lost(&report, "texts in arguments are cut at 65535 bytes"), 1);
    CHECK_UINT(writer_lost(&report, "arrays in arguments are cut at 65535 elements"), 1);
    loaded_release(&loaded);
    bytes_release(&json);
}

TEST(names_and_ids_stay)
{
    WriterReport report = { .loss_count = 0 };
    Bytes        title = { 0 };
    Loaded       loaded = through_heph(
        "[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":7,\"args\":{\"name\":\"app\"}},"
              "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":7,\"args\":{\"name\":\"main\"}},"
              "{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":1,\"pid\":1,\"tid\":7},"
              "{\"ph\":\"X\",\"name\":\"b\",\"ts\":1,\"dur\":1,\"pid\":1,\"tid\":18446744073709551615},"
              "{\"ph\":\"X\",\"name\":\"c\",\"ts\":1,\"dur\":1,\"pid\":1,\"tid\":-1},"
              "{\"ph\":\"X\",\"name\":\"d\",\"ts\":1,\"dur\":1,\"pid\":4294967296,\"tid\":1}]",
        &report);
    for (uint32_t p = 1; p <= loaded.trace->process_count; p++) {
        const Process *process = &loaded.trace->processes[p];
        trace_process_title(loaded.trace, p, &title);
        for (uint32_t t = process->first_track; t < process->first_track + process->track_count; t++) {
            bytes_append_text(&title, "; ");
            trace_track_title(loaded.trace, t, &title);
        }
        bytes_append_text(&title, "\n");
    }
    CHECK_BYTES(title.data, title.size,
                "app (1); main (7); Thread -1 (1); Substream 18446744073709551615\n"
                "Process 4294967296 (2); Substream 1\n");
    CHECK_UINT(
        writer_lost(&report,
                    "ids of processes and threads are not numbers, or are too large: they are replaced"),
        2);
    bytes_release(&title);
    loaded_release(&loaded);
}

TEST(times_below_zero_move_the_epoch)
{
    WriterReport report = { .loss_count = 0 };
    Loaded       loaded = through_heph("{\"baseTimeNanoseconds\":5000,\"traceEvents\":["
                                             "{\"ph\":\"X\",\"name\":\"a\",\"ts\":-1,\"dur\":3,\"pid\":1,\"tid\":1}]}",
                                       &report);
    CHECK_INT(loaded.trace->begin_tick, 0);
    CHECK_INT(loaded.trace->clock.epoch_unix_ns, 4000);
    CHECK_UINT(report.loss_count, 0);
    loaded_release(&loaded);
    loaded = through_heph("[{\"ph\":\"X\",\"name\":\"a\",\"ts\":-1,\"dur\":3,\"pid\":1,\"tid\":1}]", &report);
    CHECK_INT(loaded.trace->end_tick, 3000);
    CHECK(!loaded.trace->clock.has_epoch);
    CHECK_UINT(report.loss_count, 1);
    loaded_release(&loaded);
    report.loss_count = 0;
    loaded = through_heph("[{\"ph\":\"X\",\"name\":\"a\",\"ts\":0.0004,\"dur\":0.0006,\"pid\":1,\"tid\":1}]",
                          &report);
    CHECK_INT(loaded.trace->begin_tick, 0);
    CHECK_INT(loaded.trace->end_tick, 1);
    CHECK_UINT(writer_lost(&report, "times are rounded to a nanosecond"), 1);
    loaded_release(&loaded);
}

TEST(times_beyond_64_bits_saturate_in_order)
{
    static const HephClock CLOCKS[] = {
        { .num = 1, .den = 1, .offset = INT64_MIN },
        { .num = 1, .den = 1, .offset = INT64_MAX },
        { .num = 1000, .den = 3, .offset = 0 },
        { .num = 1000, .den = 3, .offset = INT64_MAX },
        { .num = 1000, .den = 3, .offset = INT64_MIN },
        { .num = UINT64_MAX, .den = 3, .offset = -1 },
        { .num = 1, .den = 1, .offset = INT64_MAX, .is_unsigned = true },
        { .num = 7, .den = 2, .offset = INT64_MIN, .is_unsigned = true },
    };
    static const int64_t TICKS[] = { INT64_MIN,     INT64_MIN + 1, -3,       -1, 0, 1, 2,
                                     INT64_MAX / 2, INT64_MAX - 1, INT64_MAX };
    for (size_t c = 0; c < sizeof CLOCKS / sizeof CLOCKS[0]; c++) {
        uint64_t last = 0;
        for (size_t t = 0; t < sizeof TICKS / sizeof TICKS[0]; t++) {
            HephTimeFit    fit = HEPH_TIME_EXACT;
            const uint64_t ns = heph_clock_ns(&CLOCKS[c], TICKS[t], &fit);
            CHECK(ns >= last);
            last = ns;
        }
    }
    HephTimeFit fit = HEPH_TIME_EXACT;
    CHECK_UINT(heph_clock_ns(&CLOCKS[0], 5, &fit), 0);
    CHECK_INT(fit, HEPH_TIME_OUT_OF_RANGE);
    fit = HEPH_TIME_EXACT;
    CHECK_UINT(heph_clock_ns(&CLOCKS[1], INT64_MAX, &fit), UINT64_MAX - 1);
    CHECK_INT(fit, HEPH_TIME_EXACT);
    CHECK_UINT(heph_clock_ns(&CLOCKS[2], 2, &fit), 667);
    CHECK_INT(fit, HEPH_TIME_ROUNDED);
    CHECK_UINT(heph_clock_ns(&CLOCKS[5], INT64_MAX, &fit), UINT64_MAX - 1);
    CHECK_INT(fit, HEPH_TIME_OUT_OF_RANGE);
}

TEST(what_heph_cannot_hold_is_said)
{
    WriterReport report = { .loss_count = 0 };
    Loaded       loaded = through_heph(
        "{\"k\":1,\"version\":\"v1\",\"traceEvents\":[{\"ph\":\"i\",\"name\":\"i\",\"ts\":1,\"pid\":1,"
              "\"tid\":1},"
              "{\"ph\":\"C\",\"name\":\"c\",\"ts\":1,\"pid\":1,\"args\":{\"v\":1}},"
              "{\"ph\":\"b\",\"name\":\"y\",\"cat\":\"c\",\"id\":1,\"ts\":1,\"pid\":1,\"tid\":1},"
              "{\"ph\":\"e\",\"name\":\"y\",\"cat\":\"c\",\"id\":1,\"ts\":2,\"pid\":1,\"tid\":1},"
              "{\"ph\":\"B\",\"name\":\"u\",\"ts\":4,\"pid\":1,\"tid\":2},"
              "{\"ph\":\"X\",\"name\":\"z\",\"ts\":9,\"dur\":0,\"pid\":1,\"tid\":1},"
              "{\"ph\":\"X\",\"name\":\"a\",\"cat\":\"c\",\"ts\":9,\"dur\":1,\"pid\":1,\"tid\":1,\"tts\":4}]}",
        &report);
    CHECK_UINT(writer_lost(&report, "instants become events of no length"), 1);
    CHECK_UINT(writer_lost(&report, "events that are not slices are left out"), 1);
    CHECK_UINT(writer_lost(&report, "asynchronous slices are written to separate substreams"), 1);
    CHECK_UINT(writer_lost(&report, "events lose their category"), 2);
    CHECK_UINT(writer_lost(&report, "facts about the whole trace are left out"), 1);
    CHECK_UINT(writer_lost(&report, "unfinished slices end where they are drawn to"), 1);
    CHECK_UINT(loaded.trace->slices.count, 5);
    CHECK_UINT(loaded.trace->counts.threads, 3);
    check_property(loaded.trace, "version", "\"v1\"");
    loaded_release(&loaded);
}

/* -- back and forth -- */

/* Slices and instants as lines, sorted: (begin, end, name), and with `with_depth` the depth. */
static int compare_lines(const void *left, const void *right)
{
    return strcmp(left, right);
}

typedef char Line[64];

static size_t lines_of(const Trace *trace, bool with_depth, Line lines[128])
{
    size_t count = 0;
    CHECK(trace->slices.count + trace->instants.count <= 128);
    for (uint64_t i = 0; i < trace->slices.count; i++) {
        const Row *row = &trace->rows[trace_slice_row(trace, i)];
        (void)snprintf(lines[count++], sizeof(Line), "%lld %lld %s %u",
                       (long long)clock_to_ns(&trace->clock, trace_slice_begin(trace, i)),
                       (long long)clock_to_ns(&trace->clock, trace_slice_end(trace, i)),
                       trace_label_name(trace, trace_slice_label(trace, i)).bytes,
                       with_depth ? row->depth : 0);
    }
    for (uint64_t i = 0; i < trace->instants.count; i++) {
        long long ns = (long long)clock_to_ns(&trace->clock, trace->instants.tick[i]);
        (void)snprintf(lines[count++], sizeof(Line), "%lld %lld %s 0", ns, ns,
                       trace_label_name(trace, trace->instants.label[i]).bytes);
    }
    qsort(lines, count, sizeof(Line), compare_lines);
    return count;
}

static void check_same_lines(const Trace *before, const Trace *after, bool with_depth)
{
    static Line expected[128], actual[128];
    size_t      count = lines_of(before, with_depth, expected);
    CHECK_UINT(lines_of(after, with_depth, actual), count);
    for (size_t i = 0; i < count; i++)
        CHECK_STRING(actual[i], expected[i]);
}

TEST(slices_come_back_from_heph_and_json)
{
    TestRandom random = { 7 };
    Bytes      source = { 0 }, heph = { 0 }, json = { 0 };
    unsigned   with_depth_count = 0;
    for (int round = 0; round < 3000; round++) {
        WriterReport report = { .loss_count = 0 }, back = { .loss_count = 0 };
        bytes_clear(&source);
        bytes_clear(&heph);
        bytes_clear(&json);
        writer_random_json(&random, &source);
        writer_convert(source.data, source.size, "heph", &report, &heph);
        if (heph.size == 0) continue;
        writer_convert(heph.data, heph.size, "json", &back, &json);
        Loaded before = writer_load(source.data, source.size), between = writer_load(heph.data, heph.size),
               after = writer_load(json.data, json.size);
        bool in_heph = before.trace->instants.count == 0 &&
                       writer_lost(&report, "slices of length 0 can change their depth: they become children "
                                            "of slices that begin at their time") == 0;
        bool in_json =
            in_heph && writer_lost(&back, "slices of length 0 change places with slices that begin or end at "
                                          "their time") == 0;
        with_depth_count += in_json;
        check_same_lines(before.trace, between.trace, in_heph);
        check_same_lines(before.trace, after.trace, in_json);
        CHECK_UINT(between.trace->records.warning_count, 0);
        loaded_release(&before);
        loaded_release(&between);
        loaded_release(&after);
    }
    CHECK(with_depth_count > 300);
    bytes_release(&source);
    bytes_release(&heph);
    bytes_release(&json);
}

static void check_comes_back(const char *fixture)
{
    Bytes file = { 0 }, json = { 0 }, heph = { 0 };
    fixture_read(fixture, &file);
    writer_convert(file.data, file.size, "json", NULL, &json);
    writer_convert(json.data, json.size, "heph", NULL, &heph);
    CHECK_UINT(heph.size, file.size);
    Loaded before = writer_load(file.data, file.size), after = writer_load(heph.data, heph.size);
    check_same_slices(before.trace, after.trace);
    CHECK_UINT(after.trace->slices.count, before.trace->slices.count);
    CHECK_UINT(after.trace->counts.threads, before.trace->counts.threads);
    CHECK_INT(after.trace->clock.epoch_unix_ns, before.trace->clock.epoch_unix_ns);
    loaded_release(&before);
    loaded_release(&after);
    bytes_release(&file);
    bytes_release(&json);
    bytes_release(&heph);
}

TEST(heph_comes_back_from_json)
{
    check_comes_back("heph/heph_plain.bin");
    check_comes_back("heph/heph_substreams.bin"); /* with numbers beyond 32 bits */
}

TEST_MAIN("writer_heph", TEST_CASE(sound_files_come_out_byte_for_byte_and_others_without_their_damage),
          TEST_CASE(events_of_the_early_layout_get_a_substream),
          TEST_CASE(a_copy_says_when_memory_or_the_disk_is_full),
          TEST_CASE(slices_become_events_when_they_end), TEST_CASE(arguments_have_the_types_of_their_values),
          TEST_CASE(arguments_of_no_type_are_texts), TEST_CASE(types_are_kept_through_json),
          TEST_CASE(types_that_do_not_fit_are_left), TEST_CASE(lengths_never_wrap),
          TEST_CASE(names_and_ids_stay), TEST_CASE(times_below_zero_move_the_epoch),
          TEST_CASE(times_beyond_64_bits_saturate_in_order), TEST_CASE(what_heph_cannot_hold_is_said),
          TEST_CASE(slices_come_back_from_heph_and_json), TEST_CASE(heph_comes_back_from_json))
