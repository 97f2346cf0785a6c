#include "base/json_writer.h"

#include "support/test.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_json(Bytes *out, const char *expected)
{
    CHECK(!out->failed);
    bytes_append(out, "", 1);
    CHECK_STRING((const char *)out->data, expected);
    bytes_clear(out);
}

static void write_sample(JsonWriter *w)
{
    json_object_begin(w);
    json_put_string(w, "name", "a");
    json_key(w, "list");
    json_array_begin(w);
    json_u64(w, UINT64_MAX);
    json_i64(w, INT64_MIN);
    json_array_begin(w);
    json_array_end(w);
    json_object_begin(w);
    json_object_end(w);
    json_null(w);
    json_array_end(w);
    json_put_bool(w, "yes", true);
    json_key_bytes(w, STRING_LITERAL("raw"));
    json_raw(w, "[1, 2]", 6);
    json_put_i64(w, "i", -1);
    json_put_u64(w, "u", 0);
    json_put_view(w, "v", STRING_LITERAL("x\0y"));
    json_put_double(w, "d", 0.5);
    json_put_bool(w, "no", false);
    json_object_end(w);
}

TEST(json_writer_on_one_line)
{
    Bytes      out = { 0 };
    JsonWriter w = json_writer_to(&out, 0);
    write_sample(&w);
    check_json(&out,
               "{\"name\":\"a\",\"list\":[18446744073709551615,-9223372036854775808,[],{},null],\"yes\":true,"
               "\"raw\":[1, 2],\"i\":-1,\"u\":0,\"v\":\"x\\u0000y\",\"d\":0.5,\"no\":false}");
    bytes_release(&out);
}

TEST(json_writer_indented)
{
    Bytes      out = { 0 };
    JsonWriter w = json_writer_to(&out, 2);
    write_sample(&w);
    check_json(&out,
               "{\n  \"name\": \"a\",\n  \"list\": [\n    18446744073709551615,\n    -9223372036854775808,\n"
               "    [],\n    {},\n    null\n  ],\n  \"yes\": true,\n  \"raw\": [1, 2],\n  \"i\": -1,\n"
               "  \"u\": 0,\n  \"v\": \"x\\u0000y\",\n  \"d\": 0.5,\n  \"no\": false\n}");
    bytes_release(&out);
}

TEST(json_writer_puts_members)
{
    Bytes      out = { 0 };
    JsonWriter w = json_writer_to(&out, 0);
    json_object_begin(&w);
    json_put_array(&w, "list");
    json_string_printf(&w, "%d/%d", 1, 2);
    json_array_end(&w);
    json_put_object(&w, "inner");
    json_put_printf(&w, "id", "0x%x", 255u);
    json_put_raw(&w, "raw", "[3]", 3);
    json_object_end(&w);
    json_put_null(&w, "none");
    json_put_string(&w, "no_string", NULL);
    json_put_view_or_null(&w, "empty", STRING_LITERAL(""));
    json_put_view_or_null(&w, "text", STRING_LITERAL("t"));
    json_object_end(&w);
    check_json(&out, "{\"list\":[\"1/2\"],\"inner\":{\"id\":\"0xff\",\"raw\":[3]},\"none\":null,"
                     "\"no_string\":null,\"empty\":null,\"text\":\"t\"}");
    bytes_release(&out);
}

TEST(json_writer_escapes_what_json_forbids)
{
    Bytes      out = { 0 };
    JsonWriter w = json_writer_to(&out, 0);
    json_string(&w, "\"\\/\b\f\n\r\t\x01\x1f\x7f caf\xc3\xa9 \xf0\x9f\x98\x80");
    check_json(&out, "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f caf\xc3\xa9 \xf0\x9f\x98\x80\"");
    json_string_bytes(&w, STRING_LITERAL("\xff\"\xe2\x82\"\xed\xa0\x80"));
    check_json(&out, "\"\xef\xbf\xbd\\\"\xef\xbf\xbd\\\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
    json_string_bytes(&w, (StringView){ NULL, 0 });
    check_json(&out, "\"\"");
    w = json_writer_to(&out, 0);
    json_object_begin(&w);
    json_key_bytes(&w, STRING_LITERAL("k\"\0"));
    json_null(&w);
    json_object_end(&w);
    check_json(&out, "{\"k\\\"\\u0000\":null}");
    bytes_release(&out);
}

TEST(json_writer_finds_special_bytes_anywhere)
{
    enum { SIZE = 40 };
    for (unsigned byte = 0; byte < 256; byte++) {
        const bool is_plain = byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
        for (size_t at = 0; at < SIZE; at++) {
            char text[SIZE];
            memset(text, 'a', SIZE);
            text[at] = (char)byte;
            Bytes      out = { 0 };
            JsonWriter w = json_writer_to(&out, 0);
            json_string_bytes(&w, (StringView){ text, SIZE });
            CHECK((out.size == SIZE + 2) == is_plain);
            CHECK(!is_plain || memcmp(out.data + 1, text, SIZE) == 0);
            bytes_release(&out);
        }
    }
}

static void check_double(double value, const char *expected)
{
    Bytes      out = { 0 };
    JsonWriter w = json_writer_to(&out, 0);
    json_double(&w, value);
    check_json(&out, expected);
    bytes_release(&out);
}

TEST(json_double_is_short)
{
    check_double(0, "0");
    check_double(-0.0, "-0");
    check_double(1, "1");
    check_double(0.1, "0.1");
    check_double(0.1 + 0.2, "0.30000000000000004");
    check_double(-2.5e-7, "-2.5e-07");
    check_double(1e300, "1e+300");
    check_double(123456789012345678.0, "1.2345678901234568e+17");
    check_double(5e-324, "4.94065645841247e-324");
    check_double(DBL_MAX, "1.7976931348623157e+308");
    check_double((double)NAN, "null");
    check_double((double)INFINITY, "null");
    check_double(-(double)INFINITY, "null");
}

TEST(json_double_reads_back_equal)
{
    TestRandom random = { 11 };
    for (int i = 0; i < 100000; i++) {
        uint64_t bits = test_random(&random);
        double   value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) continue;
        Bytes      out = { 0 };
        JsonWriter w = json_writer_to(&out, 0);
        json_double(&w, value);
        bytes_append(&out, "", 1);
        double back = strtod((const char *)out.data, NULL);
        CHECK(memcmp(&back, &value, sizeof value) == 0);
        bytes_release(&out);
    }
}

TEST(json_double_ignores_the_locale)
{
    /* where neither locale is installed this is the same as above */
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL) (void)setlocale(LC_NUMERIC, "fr_FR.UTF-8");
    check_double(1234.5, "1234.5");
    (void)setlocale(LC_NUMERIC, "C");
}

TEST(json_writer_refuses_to_nest_without_end)
{
    Bytes      out = { 0 };
    JsonWriter w = json_writer_to(&out, 0);
    for (int i = 0; i < JSON_MAX_DEPTH; i++)
        json_array_begin(&w);
    for (int i = 0; i < JSON_MAX_DEPTH; i++)
        json_array_end(&w);
    CHECK(!out.failed);
    CHECK_UINT(out.size, 2 * JSON_MAX_DEPTH);

    for (int i = 0; i < JSON_MAX_DEPTH + 3; i++) {
        json_object_begin(&w);
        json_key(&w, "k");
    }
    json_u64(&w, 1);
    for (int i = 0; i < JSON_MAX_DEPTH + 3; i++)
        json_object_end(&w);
    CHECK(out.failed && w.depth == 0);
    bytes_release(&out);
}

TEST(json_writer_stops_when_memory_does)
{
    for (uint64_t n = 0; n < 5; n++) {
        Bytes      out = { 0 };
        JsonWriter w = json_writer_to(&out, 4);
        memory_fail_after(n);
        json_array_begin(&w);
        for (int i = 0; i < 20; i++)
            write_sample(&w);
        json_array_end(&w);
        memory_fail_after(UINT64_MAX);
        CHECK(out.failed);
        bytes_release(&out);
    }
}

TEST_MAIN("base/json_writer", TEST_CASE(json_writer_on_one_line), TEST_CASE(json_writer_indented),
          TEST_CASE(json_writer_puts_members), TEST_CASE(json_writer_escapes_what_json_forbids),
          TEST_CASE(json_writer_finds_special_bytes_anywhere), TEST_CASE(json_double_is_short),
          TEST_CASE(json_double_reads_back_equal), TEST_CASE(json_double_ignores_the_locale),
          TEST_CASE(json_writer_refuses_to_nest_without_end), TEST_CASE(json_writer_stops_when_memory_does))
