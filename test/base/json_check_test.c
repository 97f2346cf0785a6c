#include "base/json_check.h"

#include "support/test.h"

#include <string.h>

static bool valid(const char *text)
{
    return json_valid(text, strlen(text));
}

TEST(json_values_are_valid)
{
    static const char *const GOOD[] = {
        "0",
        "-0",
        "12",
        "-1.5e+10",
        "1E5",
        "0.25",
        "\"\"",
        "\"a\\n\\u00fF\\\"\\/\"",
        "true",
        "false",
        "null",
        "[]",
        "{}",
        "[ ]",
        " { } ",
        "[1,2 , 3]",
        "{\"a\":1}",
        "{ \"a\" : [ { \"b\" : [] } , {} ] , \"c\" : null }\n",
        "\t[[[[]]],[]]",
        "\"\xe2\x82\xac\"",
    };
    for (size_t i = 0; i < sizeof GOOD / sizeof GOOD[0]; i++) {
        if (!valid(GOOD[i])) print_message("# %s\n", GOOD[i]);
        CHECK(valid(GOOD[i]));
    }
}

TEST(json_leaves_no_leeway)
{
    static const char *const BAD[] = {
        "",      " ",        "01",    "-",     "+1",      ".5",        "1.",         "1e",       "1e+",
        "tru",   "nul",      "True",  "\"",    "\"\\x\"", "\"\\u12\"", "\"\n\"",     "[",        "]",
        "[1",    "[1,]",     "[,1]",  "[1 2]", "{",       "}",         "{\"a\"}",    "{\"a\":}", "{\"a\":1,}",
        "{a:1}", "{1:2}",    "[}",    "{]",    "[1]2",    "{\"a\":1]", "[{\"a\":1]", "1,2",      "nullnull",
        "'a'",   "\"\xff\"", "[\"\\", "\"\\",  "{,}",     "[1}",
    };
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        if (valid(BAD[i])) print_message("# %s\n", BAD[i]);
        CHECK(!valid(BAD[i]));
    }
}

TEST(json_may_hold_no_nul_byte)
{
    CHECK(!json_valid("1\0", 2));
    CHECK(!json_valid("\"\0\"", 3));
    CHECK(!json_valid("\"\\\0\"", 4));
    CHECK(!json_valid("[\0]", 3));
}

TEST(json_is_checked_to_a_fixed_depth)
{
    static char text[2 * JSON_CHECK_MAX_DEPTH + 2];
    memset(text, '[', JSON_CHECK_MAX_DEPTH);
    memset(text + JSON_CHECK_MAX_DEPTH, ']', JSON_CHECK_MAX_DEPTH);
    CHECK(json_valid(text, 2 * JSON_CHECK_MAX_DEPTH));
    CHECK(!json_valid(text, 2 * JSON_CHECK_MAX_DEPTH - 1));
    memset(text, '[', JSON_CHECK_MAX_DEPTH + 1);
    memset(text + JSON_CHECK_MAX_DEPTH + 1, ']', JSON_CHECK_MAX_DEPTH + 1);
    CHECK(!json_valid(text, 2 * JSON_CHECK_MAX_DEPTH + 2));
}

TEST(json_objects_are_distinguished_from_other_values)
{
    CHECK(json_valid_object(" {\"a\":[{}]}", 11));
    CHECK(!json_valid_object("[{}]", 4));
    CHECK(!json_valid_object("{} x", 4));
    CHECK(!json_valid_object("", 0));
    CHECK(!json_valid_object("  ", 2));
}

TEST_MAIN("json_check", TEST_CASE(json_values_are_valid), TEST_CASE(json_leaves_no_leeway),
          TEST_CASE(json_may_hold_no_nul_byte), TEST_CASE(json_is_checked_to_a_fixed_depth),
          TEST_CASE(json_objects_are_distinguished_from_other_values))
