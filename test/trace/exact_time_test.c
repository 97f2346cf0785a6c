#include "trace/store/exact_time.h"

#include "support/test.h"

#include <string.h>

static void check_time(const ExactTime *exact, const Clock *clock, int64_t tick, const char *expected)
{
    char text[EXACT_TIME_TEXT];
    CHECK(exact_time_put(exact, clock, tick, text) == strlen(expected));
    CHECK_STRING(text, expected);
}

static void check_span(const ExactTime *exact, const Clock *clock, uint64_t ticks, const char *expected)
{
    char text[EXACT_TIME_TEXT];
    CHECK(exact_span_put(exact, clock, ticks, text) == strlen(expected));
    CHECK_STRING(text, expected);
}

TEST(nanoseconds_are_whole)
{
    Clock     clock = clock_ns();
    ExactTime exact = exact_time_for(&clock);
    CHECK(exact.in_ns);
    check_time(&exact, &clock, 0, "0");
    check_time(&exact, &clock, -5, "-5");
    check_time(&exact, &clock, INT64_MAX, "9223372036854775807");
    check_time(&exact, &clock, INT64_MIN, "-9223372036854775808");
    check_span(&exact, &clock, UINT64_MAX / 4, "4611686018427387903");
}

/* A JSON trace changes to a finer clock during the load, and its picoseconds are relative to an origin. */
TEST(the_unit_stays_when_the_clock_changes)
{
    Clock     ns = clock_ns(), ps = clock_ticks(1, 1000);
    ExactTime exact = exact_time_for(&ns);
    check_time(&exact, &ps, 1500, "1.5");
    check_time(&exact, &ps, -1, "-0.001");
    ps.origin_ns = 3000;
    check_time(&exact, &ps, 125, "3000.125");
    check_time(&exact, &ps, -125, "2999.875");
    check_time(&exact, &ps, -3000000, "0");
    check_time(&exact, &ps, -3000001, "-0.001");
    check_span(&exact, &ps, 125, "0.125");
    ps.origin_ns = -3000;
    check_time(&exact, &ps, 125, "-2999.875");
    check_time(&exact, &ps, -125, "-3000.125");
    check_time(&exact, &ps, 3000001, "0.001");
}

TEST(binary_fractions_end)
{
    Clock     fine = clock_ticks(1000, 1 << 20);
    ExactTime exact = exact_time_for(&fine);
    CHECK(exact.in_ns);
    check_time(&exact, &fine, 1 << 20, "1000");
    check_time(&exact, &fine, (1 << 20) + 1, "1000.00095367431640625");
    check_time(&exact, &fine, -(1 << 19), "-500");
    Clock finest = clock_ticks(1, UINT64_C(1) << 60);
    exact = exact_time_for(&finest);
    check_time(&exact, &finest, -1, "-0.000000000000000000867361737988403547205962240695953369140625");
}

TEST(ticks_stand_where_no_decimal_says_them)
{
    Clock     third = clock_ticks(1, 3);
    ExactTime exact = exact_time_for(&third);
    CHECK(!exact.in_ns);
    check_time(&exact, &third, 7, "7");
    check_time(&exact, &third, -7, "-7");
    Clock quarter_of_it = clock_ticks(1, 12);
    check_time(&exact, &quarter_of_it, 29, "7.25");
    check_span(&exact, &quarter_of_it, 2, "0.5");
}

TEST(ticks_of_64_bits_are_themselves)
{
    Clock     clock = clock_ticks(1, 3), wide = clock;
    ExactTime exact = exact_time_for(&clock);
    wide.is_unsigned = true;
    check_time(&exact, &wide, INT64_MIN, "0");
    check_time(&exact, &wide, -1, "9223372036854775807");
    check_time(&exact, &wide, 0, "9223372036854775808");
    check_time(&exact, &wide, INT64_MAX, "18446744073709551615");
}

TEST(times_beyond_64_bits_are_what_a_double_says)
{
    Clock     slow = clock_ticks(1000, 1);
    ExactTime exact = exact_time_for(&slow);
    check_time(&exact, &slow, INT64_MAX / 4000, "2305843009213693000");
    check_time(&exact, &slow, INT64_MIN, "-9.2233720368547758e+21");
}

TEST(a_ratio_beyond_64_bits_counts_as_one)
{
    Clock     first = clock_ticks(1, 3), other = clock_ticks(UINT64_C(10000000000000000003), 7);
    ExactTime exact = exact_time_for(&first);
    check_time(&exact, &other, 5, "5");
    check_span(&exact, &other, 5, "5");
}

TEST_MAIN("exact_time", TEST_CASE(nanoseconds_are_whole), TEST_CASE(the_unit_stays_when_the_clock_changes),
          TEST_CASE(binary_fractions_end), TEST_CASE(ticks_stand_where_no_decimal_says_them),
          TEST_CASE(ticks_of_64_bits_are_themselves), TEST_CASE(times_beyond_64_bits_are_what_a_double_says),
          TEST_CASE(a_ratio_beyond_64_bits_counts_as_one))
