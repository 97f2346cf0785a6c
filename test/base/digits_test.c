#include "base/digits.h"
#include "support/test.h"

#include <string.h>

#define N "\xE2\x80\xAF"

static void check_whole(uint64_t value, const char *expected)
{
    char text[DIGITS_TEXT];
    CHECK_UINT(digits_put_whole(value, text), strlen(expected));
    CHECK_STRING(text, expected);
}

static void check_fraction(uint64_t value, unsigned count, const char *expected)
{
    char text[DIGITS_TEXT];
    CHECK_UINT(digits_put_fraction(value, count, text), strlen(expected));
    CHECK_STRING(text, expected);
}

TEST(whole_numbers_are_grouped_from_the_right)
{
    check_whole(0, "0");
    check_whole(999, "999");
    check_whole(1000, "1" N "000");
    check_whole(12345, "12" N "345");
    check_whole(UINT64_MAX, "18" N "446" N "744" N "073" N "709" N "551" N "615");
}

TEST(fractions_are_grouped_from_the_point)
{
    check_fraction(0, 0, "");
    check_fraction(5, 1, ".5");
    check_fraction(125, 5, ".001" N "25");
    check_fraction(1, 9, ".000" N "000" N "001");
    check_fraction(9999999999999999999u, 19, ".999" N "999" N "999" N "999" N "999" N "999" N "9");
}

TEST_MAIN("base/digits", TEST_CASE(whole_numbers_are_grouped_from_the_right),
          TEST_CASE(fractions_are_grouped_from_the_point))
