#include "base/digits.h"
#include "support/test.h"

#include <inttypes.h>
#include <stdio.h>
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

static void check_put(uint64_t value)
{
    char text[DIGITS_ROOM], expected[DIGITS_TEXT];
    snprintf(expected, sizeof expected, "%" PRIu64, value);
    const size_t size = (size_t)(digits_put(text, value) - text);
    CHECK_UINT(size, strlen(expected));
    CHECK(memcmp(text, expected, size) == 0);
}

TEST(digits_are_those_of_printf)
{
    check_put(0);
    check_put(UINT64_MAX);
    for (uint64_t power = 1; power <= UINT64_MAX / 10; power *= 10) {
        for (uint64_t factor = 1; factor <= 10; factor++) {
            check_put(power * factor - 1);
            check_put(power * factor);
            check_put(power * factor + 1);
        }
    }
    for (uint64_t value = 0; value < 100000; value++) { /* each pair of digits of the multiplications */
        check_put(value);
        check_put(value * 1000003 % 100000000);
        check_put(value * UINT64_C(0x9e3779b97f4a7c15));
    }
}

TEST_MAIN("base/digits", TEST_CASE(digits_are_those_of_printf),
          TEST_CASE(whole_numbers_are_grouped_from_the_right),
          TEST_CASE(fractions_are_grouped_from_the_point))
