/* Inputs that are too large or too deep to be stored as files. */
#include "format/trace_event/trace_event.h"
#include "trace_event_support.h"

#include <stdio.h>
#include <string.h>

static void append(Bytes *out, const char *text)
{
    bytes_append_text(out, text);
}

static void append_repeated(Bytes *out, const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes_append_text(out, text);
}

static void append_event(Bytes *out, const char *name, int ts, const char *more)
{
    bytes_printf(out, "{\"name\":\"%s\",\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":%d,\"dur\":5%s}", name, ts,
                 more);
}

static Trace *load(const Bytes *input, size_t max_piece)
{
    Err err = { 0 };
    CHECK(!input->failed);
    Trace *trace = trace_event_load(input->data, input->size, (Cuts){ { 5 }, max_piece }, &err);
    CHECK_DONE(trace != NULL, err);
    CHECK_DONE(trace_check(trace, &err), err);
    return trace;
}

static void check_same_in_pieces(const Bytes *input, size_t max_piece)
{
    Bytes whole = { 0 }, pieces = { 0 };
    trace_event_print_input(input->data, input->size, (Cuts){ 0 }, &whole);
    trace_event_print_input(input->data, input->size, (Cuts){ { 9 }, max_piece }, &pieces);
    CHECK(!whole.failed && !pieces.failed && whole.size == pieces.size);
    CHECK(memcmp(whole.data, pieces.data, whole.size) == 0);
    bytes_release(&whole);
    bytes_release(&pieces);
}

TEST(deep_args_do_not_overflow)
{
    Bytes input = { 0 };
    append(&input, "[\n{\"name\":\"o\",\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":10,\"dur\":5,\"args\":");
    append_repeated(&input, "{\"a\":", 2000);
    append(&input, "1");
    append_repeated(&input, "}", 2000);
    append(&input,
           "},\n{\"name\":\"l\",\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":20,\"dur\":5,\"args\":{\"x\":");
    append_repeated(&input, "[", 3000);
    append_repeated(&input, "]", 3000);
    append(&input, "}},\n");
    append_event(&input, "b", 30, "");
    append(&input, "]\n");
    Trace *trace = load(&input, 0);
    CHECK_UINT(trace->slices.count, 3);
    CHECK_UINT(trace->records.warning_count, 0);
    trace_release(trace);
    check_same_in_pieces(&input, 3000);
    bytes_release(&input);
}

TEST(deep_args_that_are_not_closed)
{
    Bytes input = { 0 };
    append(&input, "[\n");
    append_event(&input, "a", 10, "");
    append(&input, ",\n{\"name\":\"b\",\"ph\":\"X\",\"args\":");
    append_repeated(&input, "[", 200000);
    Trace *trace = load(&input, 50000);
    CHECK_UINT(trace->slices.count, 1);
    CHECK_UINT(warning_count(trace, "truncated", NULL), 1);
    CHECK(!trace->source.complete);
    trace_release(trace);
    bytes_release(&input);
}

TEST(huge_args_are_kept)
{
    Bytes input = { 0 };
    append(&input,
           "[\n{\"name\":\"a\",\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":10,\"dur\":5,\"args\":{\"s\":\"");
    append_repeated(&input, "0123456789abcdef", 16384);
    append(&input, "\",\"n\":[0");
    append_repeated(&input, ",12345", 20000);
    append(&input, "]}},\n");
    append_event(&input, "b", 20, "");
    append(&input, "\n]\n");
    Trace *trace = load(&input, 0);
    CHECK_UINT(trace->slices.count, 2);
    trace_release(trace);
    check_same_in_pieces(&input, 100000);
    bytes_release(&input);
}

TEST(deep_nesting_has_no_limit)
{
    enum { DEPTH = 3000 };
    Bytes input = { 0 };
    append(&input, "[\n");
    for (int i = 0; i < DEPTH; i++)
        bytes_printf(&input, "{\"ph\":\"B\",\"ts\":%d,\"pid\":1,\"tid\":2,\"name\":\"n%d\"},\n", i, i);
    for (int i = 0; i < DEPTH; i++)
        bytes_printf(&input, "{\"ph\":\"E\",\"ts\":%d,\"pid\":1,\"tid\":2},\n", DEPTH + i);
    append(&input, "]\n");
    Trace *trace = load(&input, 0);
    CHECK_UINT(trace->slices.count, DEPTH);
    CHECK_UINT(trace->counts.max_depth, DEPTH);
    CHECK_UINT(trace->records.warning_count, 0);
    trace_release(trace);
    check_same_in_pieces(&input, 4000);
    bytes_release(&input);
}

TEST(names_may_be_missing_empty_or_long)
{
    Bytes input = { 0 };
    append(&input, "[\n{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":1,\"dur\":1},\n"
                   "{\"name\":\"\",\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":2,\"dur\":1},\n"
                   "{\"name\":null,\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":3,\"dur\":1},\n"
                   "{\"name\":12,\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":4,\"dur\":1},\n"
                   "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":5,\"dur\":1,\"name\":\"");
    append_repeated(&input, "long_name_", 7000);
    append(&input, "\"}]\n");
    Trace *trace = load(&input, 0);
    CHECK_UINT(trace->slices.count, 5);
    CHECK_UINT(trace->labels[trace_slice_label(trace, 0)].name.index, 0);
    CHECK_UINT(trace->labels[trace_slice_label(trace, 1)].name.index,
               0); /* an empty name counts as missing */
    CHECK_UINT(trace->labels[trace_slice_label(trace, 2)].name.index, 0);
    CHECK_UINT(trace_event_count_named(trace, "12"), 1);
    CHECK_UINT(trace_label_name(trace, trace_slice_label(trace, 4)).size, 70000);
    trace_release(trace);
    check_same_in_pieces(&input, 9000);
    bytes_release(&input);
}

/* A first object may have more data before its `traceEvents` than is probed. */
TEST(object_with_much_before_its_events)
{
    Bytes input = { 0 };
    append(&input, "{\"name\":\"my trace\",\"otherData\":{\"sources\":\"");
    append_repeated(&input, "some text of a source file\\n", 5000);
    append(&input, "\"},\"traceEvents\":[");
    append_event(&input, "a", 10, "");
    append(&input, "]}");
    Trace *trace = load(&input, 0);
    CHECK_STRING(trace->source.format_version, "object");
    CHECK_UINT(trace->slices.count, 1);
    CHECK_UINT(trace->records.property_count, 2);
    trace_release(trace);
    check_same_in_pieces(&input, 30000);
    bytes_release(&input);
}

/* A bracket that is never closed loses the events after it, but not up to the end of the file. */
TEST(unclosed_event_does_not_swallow_the_rest)
{
    Bytes input = { 0 };
    append(&input, "[\n");
    append_event(&input, "a", 10, "");
    append(&input, ",\n{\"name\":\"b\",\"ph\":\"X\",\"args\":{\"x\":[1,2},\n");
    append_event(&input, "c", 30, "");
    append(&input, ",\n");
    append_event(&input, "d", 40, "");
    append(&input, "\n]\n");
    Trace *trace = load(&input, 0);
    CHECK_UINT(trace->slices.count, 3);
    CHECK_UINT(warning_count(trace, "broken-event", NULL), 1);
    CHECK(!trace->source.complete);
    trace_release(trace);
    check_same_in_pieces(&input, 1);
    bytes_release(&input);
}

/* Hostile: every line looks like an event that breaks far away. The time must stay linear. */
TEST(many_broken_events_take_linear_time)
{
    Bytes input = { 0 };
    append(&input, "[\n");
    append_repeated(&input, "{\"args\":{\"a\":\n", 100000);
    append(&input, "\"x\"y\n");
    append_event(&input, "a", 10, "");
    append(&input, "\n]\n");
    Trace *trace = load(&input, 0);
    CHECK_UINT(trace->slices.count, 1);
    trace_release(trace);
    bytes_release(&input);
}

/* -- the clock -- */

TEST(finer_times_change_the_clock_when_they_come)
{
    Bytes input = { 0 };
    append(&input, "[{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"name\":\"a\",\"ts\":5,\"dur\":1},"
                   "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"name\":\"b\",\"ts\":7.0004,\"dur\":0.0002}]");
    Trace *trace = load(&input, 0);
    CHECK(trace->clock.ns_num == 1 && trace->clock.ns_den == 1000 && trace->clock.origin_ns == 0);
    CHECK_INT(trace_slice_begin(trace, 0), 5000000);
    CHECK_INT(trace_slice_begin(trace, 1), 7000400);
    CHECK_UINT(trace_slice_duration(trace, 1), 200);
    CHECK_UINT(trace->records.warning_count, 0);
    trace_release(trace);
    check_same_in_pieces(&input, 1);
    bytes_release(&input);
}

TEST(finer_times_that_do_not_fit_are_rounded_and_reported)
{
    /* a year after the others: too far for a clock of 1 ps, whether it is before or after them */
    static const char *const FAR_AWAY =
        "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"name\":\"far\",\"ts\":31536000000000,\"dur\":1}";
    static const char *const FINE =
        "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"name\":\"fine\",\"ts\":7.0006,\"dur\":0.0002}";
    for (int far_first = 0; far_first < 2; far_first++) {
        Bytes input = { 0 };
        bytes_printf(&input, "[%s,%s]", far_first ? FAR_AWAY : FINE, far_first ? FINE : FAR_AWAY);
        Trace *trace = load(&input, 0);
        CHECK_INT(trace->clock.kind, CLOCK_NS);
        CHECK_INT(trace_slice_begin(trace, 0), 7001);
        CHECK_INT(trace_slice_begin(trace, 1), 31536000000000000);
        CHECK_UINT(trace_slice_duration(trace, 0), 0);
        CHECK_UINT(warning_count(trace, "rounded-time", NULL), 1);
        trace_release(trace);
        check_same_in_pieces(&input, 1);
        bytes_release(&input);
    }
}

TEST(wall_clock_is_known_from_the_end_of_the_file)
{
    Bytes input = { 0 };
    append(&input, "{\"traceEvents\":[");
    append_event(&input, "a", 10, "");
    append(&input, "],\"beginningOfTime\":1700000000000001}");
    Trace *trace = load(&input, 0);
    CHECK(trace->clock.has_epoch && trace->clock.epoch_unix_ns == 1700000000000001000);
    CHECK_INT(trace_slice_begin(trace, 0), 10000);
    trace_release(trace);
    bytes_release(&input);
}

/* -- details -- */

static void check_details(const char *begin, const char *end, const char *args, const char *other)
{
    EventBytes events[2] = {
        { .bytes = (const uint8_t *)begin, .size = begin == NULL ? 0 : strlen(begin) },
        { .bytes = (const uint8_t *)end, .size = end == NULL ? 0 : strlen(end) },
    };
    EventDetails details = { 0 };
    Err          err = { 0 };
    CHECK_DONE(TRACE_EVENT_READER.details(NULL, &events[0], &events[1], &details, &err), err);
    bytes_append(&details.args, "", 1);
    bytes_append(&details.other, "", 1);
    CHECK(!details.args.failed && !details.other.failed);
    CHECK_STRING((const char *)details.args.data, args);
    CHECK_STRING((const char *)details.other.data, other);
    bytes_release(&details.args);
    bytes_release(&details.other);
}

/* displayTimeUnit selects the display of times, wherever it is, and never changes them. */
TEST(display_unit_is_how_times_are_shown)
{
    static const struct {
        const char *unit;
        bool        shows_ns;
    } UNITS[] = { { "\"x\":1,", false },
                  { "\"displayTimeUnit\":\"ns\",", true },
                  { "\"displayTimeUnit\":\"ms\",", false },
                  { "\"displayTimeUnit\":\"us\",", false },
                  { "\"displayTimeUnit\":null,", false },
                  { "\"displayTimeUnit\":\"ns\",\"displayTimeUnit\":\"ms\",", false },
                  { "\"displayTimeUnit\":\"ms\",\"displayTimeUnit\":\"ns\",", true } };
    for (size_t i = 0; i < 2 * sizeof UNITS / sizeof UNITS[0]; i++) {
        const char *unit = UNITS[i / 2].unit;
        char        json[256];
        Err         err = { 0 };
        int         size = snprintf(
            json, sizeof json,
            "{%s\"traceEvents\":[{\"ph\":\"X\",\"ts\":1.5,\"dur\":2,\"pid\":1,\"tid\":1}]%s%.*s}",
            i % 2 == 0 ? unit : "", i % 2 == 0 ? "" : ",", i % 2 == 0 ? 0 : (int)strlen(unit) - 1, unit);
        Trace *trace = trace_event_load(json, (size_t)size, (Cuts){ 0 }, &err);
        CHECK(trace != NULL);
        CHECK_INT(trace->clock.shows_ns, UNITS[i / 2].shows_ns);
        CHECK_INT(trace_slice_begin(trace, 0), 1500);
        CHECK_INT(trace_slice_end(trace, 0), 3500);
        trace_release(trace);
    }
}

TEST(details_of_begin_and_end_are_merged)
{
    static const char *const B =
        "{\"ph\":\"B\",\"ts\":1,\"tts\":5,\"id\":7,\"args\":{\"x\":1,\"y\":2,\"x\":3}}";
    static const char *const E =
        "{\"ph\":\"E\",\"ts\":2,\"tts\":9,\"id\":7,\"args\":{\"y\":[4],\"z\":0.10}},{\"ph\"";
    check_details(B, E, "{\"x\":3,\"y\":[4],\"z\":0.10}", "{\"tts\":5,\"id\":7,\"end\":{\"tts\":9}}");
    check_details(B, NULL, "{\"x\":3,\"y\":2}", "{\"tts\":5,\"id\":7}");
    check_details(NULL, E, "{\"y\":[4],\"z\":0.10}", "{\"end\":{\"tts\":9,\"id\":7}}");
    /* only an end, without a slice */
    check_details(E, NULL, "{\"y\":[4],\"z\":0.10}", "{\"tts\":9,\"id\":7}");
    check_details(NULL, NULL, "", "");
}

TEST(details_of_many_members_are_kept)
{
    Bytes event = { 0 }, other = { 0 };
    append(&event, "{\"ph\":\"B\",\"k0\":-1,\"args\":{\"x\":1,\"y\":2}");
    append(&other, "{");
    for (int i = 0; i < 100; i++) { /* of equal keys the last one counts, at the place of the first */
        bytes_printf(&event, ",\"k%d\":%d", i, i);
        bytes_printf(&other, "%s\"k%d\":%d", i == 0 ? "" : ",", i, i);
    }
    append(&event, ",\"ts\":1,\"args\":{\"z\":3,\"x\":4}}");
    append(&other, "}");
    bytes_append(&event, "", 1);
    bytes_append(&other, "", 1);
    CHECK(!event.failed && !other.failed);
    check_details((const char *)event.data, NULL, "{\"x\":4,\"y\":2,\"z\":3}", (const char *)other.data);
    bytes_release(&event);
    bytes_release(&other);
}

TEST(details_of_half_an_event_ask_for_more)
{
    static const char *const TEXT = "{\"ph\":\"X\",\"ts\":1,\"args\":{\"x\":\"1234567890\"}}";
    for (size_t size = 0; size < strlen(TEXT); size++) {
        EventBytes   event = { .bytes = (const uint8_t *)TEXT, .size = size, .offset = 100 };
        EventDetails details = { 0 };
        Err          err = { 0 };
        CHECK(!TRACE_EVENT_READER.details(NULL, &event, NULL, &details, &err));
        CHECK_INT(err.code, ERR_TRUNCATED);
        CHECK_UINT(err.offset, 100);
    }
}

TEST_MAIN("trace_event_large", TEST_CASE(deep_args_do_not_overflow), TEST_CASE(deep_args_that_are_not_closed),
          TEST_CASE(huge_args_are_kept), TEST_CASE(deep_nesting_has_no_limit),
          TEST_CASE(names_may_be_missing_empty_or_long), TEST_CASE(object_with_much_before_its_events),
          TEST_CASE(unclosed_event_does_not_swallow_the_rest), TEST_CASE(many_broken_events_take_linear_time),
          TEST_CASE(finer_times_change_the_clock_when_they_come),
          TEST_CASE(finer_times_that_do_not_fit_are_rounded_and_reported),
          TEST_CASE(wall_clock_is_known_from_the_end_of_the_file),
          TEST_CASE(display_unit_is_how_times_are_shown), TEST_CASE(details_of_begin_and_end_are_merged),
          TEST_CASE(details_of_many_members_are_kept), TEST_CASE(details_of_half_an_event_ask_for_more))
