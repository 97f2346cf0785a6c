#include "trace/time_spec.h"

#include "support/test.h"

#include <string.h>

static const Clock NS = { .kind = CLOCK_NS, .ns_num = 1, .ns_den = 1 };

static bool parses_to(const char *text, const Clock *clock, int64_t expected)
{
    int64_t ticks = -1;
    return time_parse(text, strlen(text), clock, &ticks) && ticks == expected;
}

static bool parses(const char *text, const Clock *clock)
{
    int64_t ticks;
    return time_parse(text, strlen(text), clock, &ticks);
}

TEST(time_spec_knows_units)
{
    CHECK(parses_to("0", &NS, 0));
    CHECK(parses_to("123", &NS, 123));
    CHECK(parses_to("7ns", &NS, 7));
    CHECK(parses_to("10us", &NS, 10000));
    CHECK(parses_to("10µs", &NS, 10000));
    CHECK(parses_to("3ms", &NS, 3000000));
    CHECK(parses_to("1.25s", &NS, 1250000000));
    CHECK(parses_to(".5s", &NS, 500000000));
    CHECK(parses_to("9223372036854775807", &NS, -1) == false);
    CHECK(parses_to("999999999999999999", &NS, 999999999999999999));
    CHECK(parses_to("1.4ns", &NS, 1));
    CHECK(parses_to("1.5ns", &NS, 2));
}

TEST(time_spec_knows_the_clock)
{
    Clock ps = { .kind = CLOCK_TICKS, .ns_num = 1, .ns_den = 1000 };
    Clock cycles = { .kind = CLOCK_TICKS, .ns_num = 10, .ns_den = 32 };
    Clock slow = { .kind = CLOCK_TICKS, .ns_num = INT64_MAX, .ns_den = 1 };
    Clock calls = { .kind = CLOCK_CALLS, .ns_num = 1, .ns_den = 1 };
    CHECK(parses_to("1.234567ns", &ps, 1235));
    CHECK(parses_to("1us", &ps, 1000000));
    CHECK(parses_to("1us", &cycles, 3200));
    CHECK(parses_to("17", &cycles, 17));
    CHECK(parses_to("1s", &slow, 0));
    CHECK(parses_to("17", &calls, 17));
    CHECK(!parses("17ns", &calls));
}

TEST(time_spec_refuses_the_rest)
{
    static const char *const WRONG[] = { "",
                                         ".",
                                         "s",
                                         "1h",
                                         "1 s",
                                         " 1",
                                         "-1",
                                         "+1",
                                         "1e3",
                                         "1.5",
                                         "1..5",
                                         "1.2.3s",
                                         "0x10",
                                         "1sec",
                                         "99999999999999999999",
                                         "10000000000000s",
                                         "nan",
                                         "inf" };
    for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++)
        CHECK(!parses(WRONG[i], &NS));
}

TEST(time_spec_ranges)
{
    int64_t begin, end;
    CHECK(time_range_parse("1us..2us", &NS, 5000, &begin, &end) && begin == 1000 && end == 2000);
    CHECK(time_range_parse("1us..", &NS, 5000, &begin, &end) && begin == 1000 && end == 5000);
    CHECK(time_range_parse("..2us", &NS, 5000, &begin, &end) && begin == 0 && end == 2000);
    CHECK(time_range_parse("..", &NS, UINT64_MAX, &begin, &end) && begin == 0 && end == INT64_MAX);
    CHECK(time_range_parse("1.5us..2.5us", &NS, 5000, &begin, &end) && begin == 1500 && end == 2500);
    static const char *const WRONG[] = { "", "5", "2..1", "1..1", "a..b", "1...2x", "6us.." };
    for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++)
        CHECK(!time_range_parse(WRONG[i], &NS, 5000, &begin, &end));
}

TEST_MAIN("time_spec", TEST_CASE(time_spec_knows_units), TEST_CASE(time_spec_knows_the_clock),
          TEST_CASE(time_spec_refuses_the_rest), TEST_CASE(time_spec_ranges))
