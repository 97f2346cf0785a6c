#include "format/trace_event/common/event_shapes.h"
#include "format/trace_event/common/text.h"

#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- events -- */

static JsonScan parse(const char *text, RawEvent *event)
{
    const uint8_t *bytes = (const uint8_t *)text, *stop;
    return event_parse(bytes, bytes + strlen(text), event, &stop);
}

/* As parse, by the links of the events before. */
static JsonScan parse_shaped(EventShapes *shapes, const char *text, RawEvent *event)
{
    const uint8_t *bytes = (const uint8_t *)text, *stop;
    return event_parse_shaped(shapes, bytes, bytes + strlen(text), event, &stop);
}

/* The fast path and the exact path read numbers identically, whatever their length. */
TEST(event_quick_numbers_are_exact)
{
    static EventShapes shapes;
    TestRandom         random = { 3 };
    int                quick = 0;
    for (int round = 0; round < 100000; round++) {
        char     digits[24], text[256];
        uint64_t value = test_random(&random) >> test_random_below(&random, 64);
        int      places = (int)test_random_below(&random, 8);
        int      length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
        int      fraction = places < length ? places : length - 1;
        snprintf(text, sizeof text,
                 "{\"ts\":%.*s%s%s,\"pid\":%s,\"name\":\"a name as long as the bytes that are read at once: "
                 "a hundred and four, which are a link of sixty-four and a number\"}",
                 length - fraction, digits, fraction > 0 ? "." : "", digits + length - fraction, digits);
        RawEvent event;
        CHECK_INT(parse_shaped(&shapes, text, &event), JSON_SCAN_DONE);
        char exact_text[32];
        snprintf(exact_text, sizeof exact_text, "%.*s%s%s", length - fraction, digits,
                 fraction > 0 ? "." : "", digits + length - fraction);
        FineTime     exact, time;
        NumberResult result = number_micros((const uint8_t *)exact_text, strlen(exact_text), &exact);
        CHECK_INT(event_time(&event, KEY_TS, &time), result);
        CHECK(time.ns == exact.ns && time.ps == exact.ps);
        if (event_is_quick(&event, KEY_PID)) CHECK_INT(event.number[KEY_PID], (intmax_t)value);
        quick += event_is_quick(&event, KEY_TS) && event_is_quick(&event, KEY_PID);
    }
    CHECK(quick > 20000);
}

/* The first link of an event is not accepted after a value. */
TEST(event_by_links_needs_separators)
{
    static const char REST[] =
        "\"name\":\"n\",\"ph\":\"X\",\"args\":{\"text\":\"so that a hundred and four bytes follow "
        "each link of the event, as many as are read without a check\"}}";
    static EventShapes shapes;
    char               text[512];
    RawEvent           event;
    snprintf(text, sizeof text, "{%s", REST);
    CHECK_INT(parse_shaped(&shapes, text, &event), JSON_SCAN_DONE);
    CHECK_INT(parse_shaped(&shapes, text, &event), JSON_SCAN_DONE);
    static const char *const BEGINS[] = { "{\"a key that is too long for a link\":1", "{\"name\":\"n\"" };
    for (size_t i = 0; i < sizeof BEGINS / sizeof BEGINS[0]; i++) {
        snprintf(text, sizeof text, "%s{%s", BEGINS[i], REST);
        CHECK_INT(parse(text, &event), JSON_SCAN_BROKEN);
        CHECK_INT(parse_shaped(&shapes, text, &event), JSON_SCAN_BROKEN);
    }
}

/* -- events by shapes -- */

static bool same_value(const JsonValue *a, const JsonValue *b)
{
    return a->at == b->at && a->size == b->size && a->kind == b->kind && a->escaped == b->escaped;
}

/* Compares the events of both parsers. */
static void check_same_event(const RawEvent *slow, const RawEvent *fast)
{
    CHECK(slow->seen == fast->seen && slow->phase == fast->phase && slow->other_keys == fast->other_keys &&
          slow->comments == fast->comments);
    for (int key = 0; key < KEY_COUNT; key++) {
        if (!event_has(slow, (EventKey)key)) continue;
        if (!event_is_quick(fast, (EventKey)key)) {
            CHECK(same_value(&slow->value[key], &fast->value[key]));
            continue;
        }
        if (key == KEY_PH) continue; /* the phases are equal */
        FineTime time;
        CHECK_INT(json_micros(&slow->value[key], &time), NUMBER_OK);
        const bool is_id = key == KEY_PID || key == KEY_TID;
        CHECK_INT(is_id ? fast->number[key] * 1000 : fast->number[key], time.ns);
    }
}

/* Parses the first event of [at, end) by both parsers. Returns its end; NULL if it is not complete. */
static const uint8_t *check_same_parse(EventShapes *shapes, const uint8_t *at, const uint8_t *end)
{
    RawEvent       slow, fast;
    const uint8_t *slow_stop = at, *fast_stop = at;
    const JsonScan result = event_parse(at, end, &slow, &slow_stop);
    CHECK_INT(event_parse_shaped(shapes, at, end, &fast, &fast_stop), result);
    if (result != JSON_SCAN_DONE) return NULL;
    CHECK(slow_stop == fast_stop);
    check_same_event(&slow, &fast);
    return slow_stop;
}

/* Appends an event whose keys are in one of a few orders, with values that change often, rarely or in form. */
static void append_random_event(Bytes *out, TestRandom *random)
{
    static const char *const MEMBERS[][6] = {
        { "\"ph\":\"B\"", "\"ph\":\"E\"", "\"ph\":\"X\"", "\"ph\": \"i\"", "\"ph\":\"long\"", "\"ph\":1" },
        { "\"pid\":42", "\"pid\":42", "\"pid\":42", "\"pid\":43", "\"pid\":\"42\"", "\"pid\":042" },
        { "\"tid\":1", "\"tid\":2", "\"tid\":3", "\"tid\":123456789012345", "\"tid\":-4", "\"tid\":1e3" },
        { "\"cat\":\"a\"", "\"cat\":\"a\"", "\"cat\":\"b,c\"", "\"cat\":\"\\u0041\"", "\"cat\":[\"a\"]",
          "\"cat\":\"a category that is longer than the longest link, which has sixty-four bytes\"" },
        { "\"dur\":0", "\"dur\":0.5", "\"dur\":12.125", "\"dur\":00", "\"dur\":1234.56789", "\"dur\":null" },
        { "\"args\":{}", "\"args\":{\"a\":\"}\"}", "\"args\":{ }", "\"other\":\"text\"", "\"s\":\"t\"",
          "\"args\":[]" },
        { "\"name\":\"n\"", "\"name\":\"a \\\"name\\\"\"",
          "\"name\":\"a name of more than thirty-two bytes\"", "\"name\":null", "\"ph\":\"M\"", "\"pid\":7" },
    };
    enum { COUNT = sizeof MEMBERS / sizeof MEMBERS[0] };
    const uint64_t first = test_random_below(random, 3), last = COUNT - test_random_below(random, 2);
    char           ts[64];
    snprintf(
        ts, sizeof ts, "\"ts\":86400124%llu%s%03llu", (unsigned long long)test_random_below(random, 2000),
        test_random_below(random, 8) == 0 ? "" : ".", (unsigned long long)test_random_below(random, 1000));
    bytes_append_text(out, test_random_below(random, 64) == 0 ? "{ " : "{");
    for (uint64_t i = 0; i < last; i++) {
        const uint64_t row = (first + i) % COUNT;
        const uint64_t choice = test_random_below(random, test_random_below(random, 16) == 0 ? 6 : 2);
        if (i > 0) bytes_append_text(out, test_random_below(random, 64) == 0 ? ", " : ",");
        bytes_append_text(out, MEMBERS[row][choice]);
        if (row == 2) bytes_append_text(out, ",");
        if (row == 2) bytes_append_text(out, ts);
    }
    bytes_append_text(out, test_random_below(random, 64) == 0 ? " /* c */}" : "}");
}

/* Random streams, cut at every byte. */
TEST(event_shapes_give_the_same_events)
{
    enum { STREAMS = 8, EVENTS = 400, CUT_EVENTS = 40 };
    for (uint64_t seed = 1; seed <= STREAMS; seed++) {
        static EventShapes shapes;
        TestRandom         random = { seed };
        Bytes              text = { 0 };
        shapes = (EventShapes){ .event_count = 0 };
        for (int i = 0; i < EVENTS; i++)
            append_random_event(&text, &random);
        CHECK(!text.failed);
        const uint8_t *at = text.data, *const end = text.data + text.size;
        for (int i = 0; at != NULL && at < end; i++) {
            const uint8_t *stop = check_same_parse(&shapes, at, end);
            CHECK(stop != NULL);
            for (const uint8_t *cut = at; i % (EVENTS / CUT_EVENTS) == 0 && cut <= stop; cut++)
                CHECK((check_same_parse(&shapes, at, cut) != NULL) == (cut == stop));
            at = stop;
        }
        bytes_release(&text);
    }
}

/* Values that rarely change are part of links, values that change often are not. */
TEST(event_links_include_steady_values)
{
    static EventShapes shapes;
    enum { PADDING = 128, EVENTS = 2000 };
    char text[128 + PADDING];
    for (int i = 0; i < EVENTS; i++) {
        int size = snprintf(text, sizeof text, "{\"ph\":\"B\",\"pid\":7,\"tid\":%d,\"ts\":%d.5}", i, i);
        memset(text + size, ' ', PADDING);
        const uint8_t *at = (const uint8_t *)text;
        CHECK(check_same_parse(&shapes, at, at + size + PADDING) == at + size);
        if (i == 0) {
            CHECK_INT(shapes.begin.next[0]->value_count, 3);
            CHECK_INT(shapes.changing, 0);
        }
    }
    CHECK_INT(shapes.changing, 1u << KEY_TID);
    CHECK_INT(shapes.begin.next[0]->value_count, 2);
    CHECK_INT(shapes.begin.next[0]->key, KEY_TID);
}

TEST(event_keys_in_any_spelling)
{
    static const char *const SAME[] = {
        "{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"pid\":3,\"tid\":4,\"name\":\"n\",\"cat\":\"c\",\"args\":{\"a\":["
        "1]}}",
        "{ \"args\" : {\"a\":[1]} , \"cat\" : \"c\" , \"name\" : \"n\" ,\n\"tid\":4, \"pid\":3,\"dur\":2 "
        ",\"ts\": 1 "
        ",\"ph\": \"X\" }",
        "{\"p\\u0068\":\"X\",/* c "
        "*/\"t\\u0073\":1,\"dur\":2,\"pid\":3,\"tid\":4,\"name\":\"n\",\"cat\":\"c\",\"args\""
        ":{\"a\":[1]},}",
        "{\"ph\":\"B\",\"ts\":7,\"dur\":2,\"pid\":\"x\",\"tid\":4,\"name\":\"n\",\"cat\":\"c\",\"args\":{"
        "\"a\":[1]},"
        "\"pid\":3,\"ts\":1,\"ph\":\"X\"}",
    };
    for (size_t i = 0; i < sizeof SAME / sizeof SAME[0]; i++) {
        RawEvent event;
        FineTime ts, dur;
        CHECK_INT(parse(SAME[i], &event), JSON_SCAN_DONE);
        CHECK_INT(event.phase, 'X');
        CHECK_INT(event_time(&event, KEY_TS, &ts), NUMBER_OK);
        CHECK_INT(event_time(&event, KEY_DUR, &dur), NUMBER_OK);
        CHECK(ts.ns == 1000 && dur.ns == 2000);
        CHECK(json_is(&event.value[KEY_NAME], JSON_STRING, "n") &&
              json_is(&event.value[KEY_CAT], JSON_STRING, "c"));
        CHECK(json_is(&event.value[KEY_ARGS], JSON_OBJECT, "{\"a\":[1]}"));
        CHECK(!event.other_keys && event_has_extra(&event));
    }
}

TEST(event_breaks_where_it_is_no_json)
{
    static const char *const BROKEN[] = {
        "{\"name\":\"say \"hi\"\",\"ph\":\"X\",\"ts\":1,\"pid\":1,\"tid\":1,\"dur\":1,\"a\":\"b\"}",
        "{'name':1}",
        "{name:1}",
        "{\"name\" 1}",
        "{\"name\":}",
        "{\"a\":1 \"b\":2}",
        "{,}",
        "{\"args\":{\"x\":\"a\"b\"}}",
    };
    for (size_t i = 0; i < sizeof BROKEN / sizeof BROKEN[0]; i++) {
        RawEvent event;
        CHECK_INT(parse(BROKEN[i], &event), JSON_SCAN_BROKEN);
    }
}

TEST(event_extra_is_what_has_no_column)
{
    static const struct {
        const char *text;
        bool        has_extra;
    } CASES[] = {
        { "{\"ph\":\"B\",\"ts\":1,\"pid\":1,\"tid\":1,\"name\":\"a\",\"cat\":\"b\"}", false },
        { "{\"ph\":\"X\",\"ts\":1,\"pid\":1,\"tid\":1,\"name\":\"a\",\"dur\":1}", false },
        { "{\"ph\":\"B\",\"ts\":1,\"dur\":0,\"tdur\":0}", false }, /* Node.js */
        { "{\"ph\":\"X\",\"ts\":1,\"dur\":0,\"tdur\":0}", true },
        { "{\"ph\":\"B\",\"ts\":1,\"dur\":7}", true },
        { "{\"ph\":\"X\",\"ts\":\"1\",\"dur\":\"2\"}", false },
        { "{\"ph\":\"X\",\"ts\":1,\"dur\":-2}", true },
        { "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"args\":{}}", false },
        { "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"args\":\"__stripped__\"}", false },
        { "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"args\":null}", true },
        { "{\"ph\":\"i\",\"ts\":1,\"s\":\"t\"}", false },
        { "{\"ph\":\"i\",\"ts\":1,\"s\":\"x\"}", true },
        { "{\"ph\":\"X\",\"ts\":1,\"s\":\"t\"}", true },
        { "{\"ph\":\"X\",\"ts\":1,\"tts\":1}", true },
        { "{\"ph\":\"X\",\"ts\":1,\"pid\":null}", false },
        { "{\"ph\":\"X\",\"ts\":1,\"pid\":{}}", true },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        RawEvent event;
        CHECK_INT(parse(CASES[i].text, &event), JSON_SCAN_DONE);
        if (event_has_extra(&event) != CASES[i].has_extra) fail_msg("%s", CASES[i].text);
    }
}

/* -- strings and values -- */

static void check_json_of(const char *text, const char *expected)
{
    const uint8_t *bytes = (const uint8_t *)text, *stop;
    JsonValue      value;
    Bytes          out = { 0 };
    CHECK_INT(json_scan_value(bytes, bytes + strlen(text), &value, &stop), JSON_SCAN_DONE);
    JsonWriter writer = json_writer_to(&out, 0);
    text_write_json(&writer, &value);
    bytes_append(&out, "", 1);
    CHECK(!out.failed);
    CHECK_STRING((const char *)out.data, expected);
    bytes_release(&out);
}

TEST(text_becomes_valid_json)
{
    check_json_of("\"plain\"", "\"plain\"");
    check_json_of("\"\\u00e9\\ud83e\\udd80\\n\\/\"", "\"\xc3\xa9\xf0\x9f\xa6\x80\\n/\"");
    check_json_of("\"\\ud83e\\u0041\"", "\"\xef\xbf\xbd"
                                        "A\"");
    check_json_of("\"\\ud83e\\ud83e\\udd80\"", "\"\xef\xbf\xbd\xf0\x9f\xa6\x80\"");
    check_json_of("\"C:\\dir \\u12 \\x\"", "\"C:\\\\dir \\\\u12 \\\\x\"");
    check_json_of("\"\xff\xc0\xaf\"", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
    check_json_of("[1,0.10,1.,+2,007,NaN,-Infinity,true,null,nil] ",
                  "[1,0.10,1,2,7,\"NaN\",\"-Infinity\",true,null,\"nil\"]");
    check_json_of("{\"a\":{\"b\":[]},/* c */\"d\":{},}", "{\"a\":{\"b\":[]},\"d\":{}}");
    check_json_of("{a:1,2:3}", "{\"a\":1,\"2\":3}");
    check_json_of("{\"a\" 1}", "{\"a\":1}");
    check_json_of("{\"k\":'v'}", "{\"?\":\"\\\"k\\\":'v'}\"}");
    check_json_of("[[1,}]", "[[1]]");
}

TEST(text_of_deep_values_stays_text)
{
    enum { DEPTH = 1000 };
    char  text[2 * DEPTH + 1];
    Bytes out = { 0 };
    memset(text, '[', DEPTH);
    memset(text + DEPTH, ']', DEPTH);
    JsonValue  value = { (const uint8_t *)text, 2 * DEPTH, JSON_ARRAY, false };
    JsonWriter writer = json_writer_to(&out, 0);
    text_write_json(&writer, &value);
    CHECK(!out.failed);
    CHECK_UINT(out.size, 2 * DEPTH + 2); /* two quotes more */
    CHECK(memchr(out.data, '"', out.size) != NULL);
    bytes_release(&out);
}

TEST_MAIN("trace_event_scan", TEST_CASE(event_quick_numbers_are_exact),
          TEST_CASE(event_by_links_needs_separators), TEST_CASE(event_shapes_give_the_same_events),
          TEST_CASE(event_links_include_steady_values), TEST_CASE(event_keys_in_any_spelling),
          TEST_CASE(event_breaks_where_it_is_no_json), TEST_CASE(event_extra_is_what_has_no_column),
          TEST_CASE(text_becomes_valid_json), TEST_CASE(text_of_deep_values_stays_text))
