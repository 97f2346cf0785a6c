#include "base/json_members.h"

#include "support/test.h"

#include <string.h>

static void check_members(const char *json, const char *expected)
{
    Bytes       out = { 0 };
    JsonMembers members;
    StringView  key, value;
    CHECK(json_members_open((StringView){ json, strlen(json) }, &members));
    while (json_members_next(&members, &key, &value)) {
        bytes_append(&out, key.bytes, key.size);
        bytes_append_text(&out, "=");
        bytes_append(&out, value.bytes, value.size);
        bytes_append_text(&out, ";");
    }
    bytes_append(&out, "", 1);
    CHECK_STRING((const char *)out.data, expected);
    bytes_release(&out);
}

TEST(json_members_are_walked_as_they_stand)
{
    check_members("{}", "");
    check_members(" { \"a\" : 1.50 , \"b\":[1,{\"c\":\"}],\"}] ,\"d\":\"x\\\"y\"}",
                  "\"a\"=1.50;\"b\"=[1,{\"c\":\"}],\"}];\"d\"=\"x\\\"y\";");
    check_members("{\"a\":null,\"a\":true}", "\"a\"=null;\"a\"=true;");
}

TEST(json_members_of_damaged_text_end_early)
{
    static const char WHOLE[] = "{\"a\":{\"b\":[1,\"\\\\\"]},\"c\":\"d\"}";
    for (size_t size = 0; size < sizeof WHOLE - 1; size++) {
        char        copy[sizeof WHOLE];
        JsonMembers members;
        StringView  key, value;
        int         count = 0;
        memcpy(copy, WHOLE, size);
        if (!json_members_open((StringView){ copy, size }, &members)) continue;
        while (json_members_next(&members, &key, &value))
            count++;
        CHECK(count <= 2);
    }
    JsonMembers members;
    CHECK(!json_members_open(STRING_LITERAL("[1]"), &members));
    CHECK(!json_members_open(STRING_LITERAL(""), &members));
    check_members("{a:1}", "");
    check_members("{\"a\" 1}", "");
    check_members("{\"a\":}", "");
}

static void check_elements(const char *json, const char *expected)
{
    Bytes       out = { 0 };
    JsonMembers elements;
    StringView  value;
    CHECK(json_elements_open((StringView){ json, strlen(json) }, &elements));
    while (json_elements_next(&elements, &value)) {
        bytes_append(&out, value.bytes, value.size);
        bytes_append_text(&out, ";");
    }
    bytes_append(&out, "", 1);
    CHECK_STRING((const char *)out.data, expected);
    bytes_release(&out);
}

TEST(json_elements_are_walked_as_they_stand)
{
    JsonMembers elements;
    check_elements("[]", "");
    check_elements(" [ 1 ,[2,3],{\"a\":\"]\"} , \"x,y\"]", "1;[2,3];{\"a\":\"]\"};\"x,y\";");
    check_elements("[1,", "1;");
    check_elements("[\"a", "");
    CHECK(!json_elements_open(STRING_LITERAL("{}"), &elements));
}

static void check_text(const char *quoted, const char *expected)
{
    Bytes out = { 0 };
    json_text_append((StringView){ quoted, strlen(quoted) }, &out);
    bytes_append(&out, "", 1);
    CHECK_STRING((const char *)out.data, expected);
    bytes_release(&out);
}

TEST(json_text_is_unescaped)
{
    check_text("\"plain é\"", "plain é");
    check_text("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t");
    check_text("\"\\u00e9\\ud83d\\ude00\"", "é\xf0\x9f\x98\x80");
    check_text("\"\\ud83d!\\ude00\\u12\"", "\xef\xbf\xbd!\xef\xbf\xbd\xef\xbf\xbd"
                                           "12");
    check_text("\"", "");
}

TEST_MAIN("json_members", TEST_CASE(json_members_are_walked_as_they_stand),
          TEST_CASE(json_members_of_damaged_text_end_early),
          TEST_CASE(json_elements_are_walked_as_they_stand), TEST_CASE(json_text_is_unescaped))
