#include "trace/store/time_spec.h"
#include "trace/store/wall_time.h"

#include "support/test.h"

#include <string.h>

static const Clock NS = { .kind = CLOCK_NS, .ns_num = 1, .ns_den = 1 };

static bool parses_to(const char *text, const Clock *clock, int64_t expected)
{
    const TimeAxis axis = { clock, 0, INT64_MAX };
    TimeSpec       spec;
    int64_t        ticks = -1;
    return time_spec_parse(text, strlen(text), &spec) && time_spec_ticks(&spec, &axis, &ticks) &&
           ticks == expected;
}

static bool parses(const char *text, const Clock *clock)
{
    const TimeAxis axis = { clock, 0, INT64_MAX };
    TimeSpec       spec;
    int64_t        ticks;
    return time_spec_parse(text, strlen(text), &spec) && time_spec_ticks(&spec, &axis, &ticks);
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
    CHECK(parses_to("9223372036854775807", &NS, INT64_MAX));
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
                                         "9223372036854775808",
                                         "99999999999999999999",
                                         "10000000000000s",
                                         "nan",
                                         "inf" };
    for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++)
        CHECK(!parses(WRONG[i], &NS));
}

static bool finds(const char *text, const TimeAxis *axis, int64_t expected_begin, int64_t expected_end)
{
    int64_t begin, end;
    Err     err;
    return time_range_find(text, axis, &begin, &end, &err) && begin == expected_begin && end == expected_end;
}

static void check_refused(const char *text, const TimeAxis *axis, const char *message)
{
    int64_t begin, end;
    Err     err;
    CHECK(!time_range_find(text, axis, &begin, &end, &err));
    CHECK_INT(err.code, ERR_USAGE);
    if (strstr(err.message, message) == NULL) CHECK_STRING(err.message, message);
}

TEST(time_spec_ranges)
{
    const TimeAxis axis = { &NS, 0, 5000 }, endless = { &NS, 0, UINT64_MAX };
    CHECK(finds("1us..2us", &axis, 1000, 2000));
    CHECK(finds("1us..", &axis, 1000, INT64_MAX));
    CHECK(finds("..2us", &axis, 0, 2000));
    CHECK(finds("..", &endless, 0, INT64_MAX));
    CHECK(finds("1.5us..2.5us", &axis, 1500, 2500));
    CHECK(finds("1us..9us", &axis, 1000, 9000)); /* the end may be after the trace's */
    static const char *const WRONG[] = { "", "5", "a..b", "1...2x" };
    for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++)
        check_refused(WRONG[i], &axis, "--range must be BEGIN..END");
    check_refused("2..1", &axis, "is empty: its end must be after its begin");
    check_refused("1..1", &axis, "is empty");
    check_refused("2us..1000", &axis, "is empty"); /* found only with a clock */
    check_refused("6us..", &axis, "begins after the trace's end at 5 µs");
    check_refused("6us..7us", &axis, "begins after the trace's end at 5 µs");
}

/* 2026-11-22T10:00:00Z is 1795341600 s. */
static const int64_t TEN = INT64_C(1795341600000000000);

TEST(time_spec_knows_times_of_day)
{
    Clock          clock = NS, calls = { .kind = CLOCK_CALLS, .ns_num = 1, .ns_den = 1 };
    const TimeAxis axis = { &clock, 500, 4000000000 }, plain = { &NS, 0, 5000 }, order = { &calls, 0, 5000 };
    clock.has_epoch = true;
    clock.epoch_unix_ns = TEN - 500; /* the trace begins at ten */
    CHECK(finds("2026-11-22T10:00:00.5Z..", &axis, 500000000, INT64_MAX));
    CHECK(finds("2026-11-22 10:00:01 UTC..2026-11-22T10:00:02Z", &axis, 1000000000, 2000000000));
    CHECK(finds("..2026-11-22T10:00:00.000000007Z", &axis, 0, 7));
    CHECK(finds("2026-11-22T10:00:01Z..3s", &axis, 1000000000, 3000000000));
    /* from the trace's begin */
    CHECK(finds("2026-11-22T09:00Z..2026-11-22T10:00:01Z", &axis, 0, 1000000000));
    check_refused("..2026-11-22T09:00Z", &axis, "ends before the trace begins");
    check_refused("2026-11-23T10:00:00Z..", &axis, "begins after the trace's end at 4 s");
    check_refused("2026-11-22T10:00:02Z..2026-11-22T10:00:01Z", &axis, "is empty");
    check_refused("3s..2026-11-22T10:00:01Z", &axis, "is empty");
    check_refused("2026-11-22T10:00Z..", &plain, "the trace has no wall-clock time");
    check_refused("2026-11-22T10:00Z..", &order, "the trace has no wall-clock time");
    check_refused("5us..", &order, "the trace's clock has no such time");
}

TEST(times_of_day_are_exact)
{
    static const struct {
        int64_t     unix_ns;
        const char *text;
    } TIMES[] = {
        { 0, "1970-01-01 00:00:00 UTC" },
        { -1, "1969-12-31 23:59:59.999999999 UTC" },
        { INT64_C(1610113734118010100), "2021-01-08 13:48:54.1180101 UTC" },
        { INT64_C(1582934400) * 1000000000, "2020-02-29 00:00:00 UTC" },
        { INT64_C(951782400) * 1000000000, "2000-02-29 00:00:00 UTC" },
        { INT64_C(-2203977600) * 1000000000, "1900-02-28 00:00:00 UTC" },
        { INT64_MAX - 854775807, "2262-04-11 23:47:16 UTC" },
    };
    for (size_t i = 0; i < sizeof TIMES / sizeof TIMES[0]; i++) {
        char    text[WALL_TIME_TEXT];
        int64_t unix_ns = 1;
        CHECK_UINT(wall_time_format(TIMES[i].unix_ns, text), strlen(TIMES[i].text));
        CHECK_STRING(text, TIMES[i].text);
        if (TIMES[i].unix_ns < INT64_C(9223372036) * 1000000000 - 1000000000) {
            CHECK(wall_time_parse(text, strlen(text), &unix_ns));
            CHECK_INT(unix_ns, TIMES[i].unix_ns);
        }
    }
    char text[WALL_TIME_TEXT]; /* the ends do not overflow */
    (void)wall_time_format(INT64_MIN, text);
    CHECK_STRING(text, "1677-09-21 00:12:43.145224192 UTC");
    (void)wall_time_format(INT64_MAX, text);
    CHECK_STRING(text, "2262-04-11 23:47:16.854775807 UTC");
}

TEST(every_day_is_its_own)
{
    for (int64_t day = -100000; day < 100000; day++) {
        char    text[WALL_TIME_TEXT];
        int64_t unix_ns, expected = day * 86400 * 1000000000;
        size_t  size = wall_time_format(expected, text);
        CHECK(wall_time_parse(text, size, &unix_ns) && unix_ns == expected);
    }
}

TEST(what_is_no_time_of_day)
{
    /* clang-format off */
    static const char *const WRONG[] = {
        "2026-11-22",           "2026-11-22T10:00:00",       "2026-11-22T10Z",         "2026-11-22T24:00:00Z",
        "2026-11-22T10:60:00Z", "2026-11-22T10:00:60Z",      "2026-02-29T10:00:00Z",   "2026-13-01T10:00:00Z",
        "2026-00-01T10:00Z",    "2026-11-31T10:00Z",         "26-11-22T10:00Z",        "2026-11-22T10:00:00.Z",
        "2026-11-22T10:00Z ",   "2026-11-22T10:00:00+01:00", "2026-11-22T10:00:00Zulu", "1500-01-01T00:00Z",
        "2026-11-22T10:00:00.1234567890Z", "9999-01-01T00:00Z", "T10:00Z", "" };
    /* clang-format on */
    for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++) {
        int64_t unix_ns;
        if (wall_time_parse(WRONG[i], strlen(WRONG[i]), &unix_ns)) print_message("# %s\n", WRONG[i]);
        CHECK(!wall_time_parse(WRONG[i], strlen(WRONG[i]), &unix_ns));
    }
}

TEST_MAIN("time_spec", TEST_CASE(time_spec_knows_units), TEST_CASE(time_spec_knows_the_clock),
          TEST_CASE(time_spec_refuses_the_rest), TEST_CASE(time_spec_ranges),
          TEST_CASE(time_spec_knows_times_of_day), TEST_CASE(times_of_day_are_exact),
          TEST_CASE(every_day_is_its_own), TEST_CASE(what_is_no_time_of_day))
