/* Ticks and nanoseconds: src/trace/store/clock.c, compared with 128-bit arithmetic of the compiler where it has any. */
#include "trace/store/clock.h"

#include "support/test.h"

#include <string.h>

TEST(ratios_are_reduced)
{
    Clock clock = clock_ticks(1000, 24);
    CHECK_UINT(clock.ns_num, 125);
    CHECK_UINT(clock.ns_den, 3);
    CHECK(clock.kind == CLOCK_TICKS);
    CHECK(clock_ticks(7, 7).kind == CLOCK_NS);
    CHECK_STRING(clock_kind_name(CLOCK_NS), "ns");
    CHECK_STRING(clock_kind_name(CLOCK_TICKS), "ticks");
    CHECK_STRING(clock_kind_name(CLOCK_CALLS), "calls");
    CHECK_STRING(clock_kind_name(CLOCK_EVENTS), "calls");
    CHECK(clock_ns_per_tick(&clock) > 41.66 && clock_ns_per_tick(&clock) < 41.67);
}

#ifdef __SIZEOF_INT128__

__extension__ typedef __int128 Wide;

/* Returns round(value * num / den), halves away from zero. */
static Wide scaled(Wide value, uint64_t num, uint64_t den)
{
    Wide product = (value < 0 ? -value : value) * (Wide)num, quotient = product / (Wide)den;
    if ((product - quotient * (Wide)den) * 2 >= (Wide)den) quotient++;
    return value < 0 ? -quotient : quotient;
}

static int64_t clamped(Wide value)
{
    return value > INT64_MAX ? INT64_MAX : value < INT64_MIN ? INT64_MIN : (int64_t)value;
}

/* Returns a value of any sign and magnitude, or a limit. */
static int64_t any_i64(TestRandom *random)
{
    uint64_t bits = test_random(random) >> test_random_below(random, 64);
    switch (test_random_below(random, 8)) {
    case 0:
        return INT64_MAX - (int64_t)test_random_below(random, 3);
    case 1:
        return INT64_MIN + (int64_t)test_random_below(random, 3);
    default:
        return (int64_t)(test_random_below(random, 2) == 0 ? bits : 0 - bits);
    }
}

/* Returns a term below 2^62, so that the reference does not overflow. */
static uint64_t any_term(TestRandom *random)
{
    return 1 + (test_random(random) >> (2 + test_random_below(random, 61)));
}

TEST(to_nanoseconds_exactly)
{
    TestRandom random = { 1 };
    for (unsigned i = 0; i < 200000; i++) {
        Clock   clock = clock_ticks(any_term(&random), any_term(&random));
        int64_t tick = any_i64(&random);
        clock.is_unsigned = i % 4 == 0;
        clock.origin_ns = i % 3 == 0 ? any_i64(&random) : 0;
        Wide value = clock.is_unsigned ? (Wide)tick + (Wide)1 + INT64_MAX : (Wide)tick;
        if (clock.is_unsigned && value >> 62 != 0 && clock.ns_num >> 60 != 0)
            continue; /* beyond the range of the reference */
        Wide ns = scaled(value, clock.ns_num, clock.ns_den);
        if (ns > INT64_MAX && !clock.is_unsigned && clock.origin_ns < 0)
            continue; /* both clamp; when is unspecified */
        if (ns < INT64_MIN && clock.origin_ns > 0) continue;
        CHECK_INT(clock_to_ns(&clock, tick), clamped(ns + clock.origin_ns));
    }
}

TEST(from_nanoseconds_exactly)
{
    TestRandom random = { 2 };
    for (unsigned i = 0; i < 200000; i++) {
        Clock   clock = clock_ticks(any_term(&random), any_term(&random));
        int64_t ns = any_i64(&random);
        clock.origin_ns = i % 3 == 0 ? (int64_t)(test_random(&random) >> 12) : 0;
        int64_t own = clamped((Wide)ns - clock.origin_ns);
        CHECK_INT(clock_from_ns(&clock, ns), clamped(scaled(own, clock.ns_den, clock.ns_num)));
        uint64_t span = (uint64_t)ns >> 1;
        Wide     ticks = scaled((Wide)span, clock.ns_den, clock.ns_num);
        CHECK_UINT(clock_span_from_ns(&clock, span), ticks > UINT64_MAX ? UINT64_MAX : (uint64_t)ticks);
        Wide back = scaled((Wide)span, clock.ns_num, clock.ns_den);
        CHECK_UINT(clock_span_to_ns(&clock, span), back > UINT64_MAX ? UINT64_MAX : (uint64_t)back);
    }
}

#else

/* The functions of base/wide.h are compared with a long division by base/wide_test.c everywhere. */
TEST(to_nanoseconds_exactly)
{
    print_message("# skipped: the compiler has no 128-bit integers\n");
}

TEST(from_nanoseconds_exactly)
{
    print_message("# skipped: the compiler has no 128-bit integers\n");
}

#endif

TEST(a_tick_comes_back)
{
    TestRandom random = { 3 };
    for (unsigned i = 0; i < 100000; i++) {
        Clock clock =
            clock_ticks(1 + test_random_below(&random, 1000000), 1 + test_random_below(&random, 1000));
        if (clock.ns_num < clock.ns_den) continue; /* clocks finer than 1 ns cannot */
        clock.is_unsigned = i % 2 == 0;
        clock.origin_ns = (int64_t)test_random_below(&random, 1000000);
        int64_t tick = (int64_t)(test_random(&random) >> 22);
        if (clock.is_unsigned) tick = (int64_t)((uint64_t)tick ^ UINT64_C(1) << 63);
        CHECK_INT(clock_from_ns(&clock, clock_to_ns(&clock, tick)), tick);
    }
}

TEST(unsigned_ticks_stand_in_order)
{
    Clock clock = clock_ns();
    clock.is_unsigned = true;
    CHECK_INT(clock_to_ns(&clock, INT64_MIN), 0);
    CHECK_INT(clock_to_ns(&clock, INT64_MIN + 5), 5);
    CHECK_INT(clock_to_ns(&clock, -1), INT64_MAX);
    CHECK_INT(clock_to_ns(&clock, INT64_MAX), INT64_MAX);
    CHECK_INT(clock_from_ns(&clock, 5), INT64_MIN + 5);
    CHECK_INT(clock_from_ns(&clock, -5), INT64_MIN);
}

TEST(ticks_as_the_source_wrote_them)
{
    char  text[CLOCK_TICK_TEXT];
    Clock clock = clock_ns();
    CHECK_UINT(clock_format_tick(&clock, -5, text), 2);
    CHECK_STRING(text, "-5");
    CHECK_UINT(clock_format_tick(&clock, INT64_MIN, text), 20);
    CHECK_STRING(text, "-9223372036854775808");
    clock.is_unsigned = true;
    CHECK_UINT(clock_format_tick(&clock, INT64_MAX, text), 20);
    CHECK_STRING(text, "18446744073709551615");
    CHECK_UINT(clock_format_tick(&clock, INT64_MIN, text), 1);
    CHECK_STRING(text, "0");
}

static void check_span(Clock clock, uint64_t ticks, const char *expected, int line)
{
    char   text[CLOCK_SPAN_TEXT];
    size_t length = clock_format_span(&clock, ticks, text);
    if (strcmp(text, expected) != 0) print_error("line %d: %s instead of %s\n", line, text, expected);
    CHECK_STRING(text, expected);
    CHECK_UINT(length, strlen(expected));
}

#define CHECK_SPAN(clock, ticks, expected) check_span((clock), (ticks), (expected), __LINE__)

TEST(spans_for_people)
{
    static const struct {
        uint64_t    ns;
        const char *text;
    } SPANS[] = { { 0, "0 s" },
                  { 1, "1 ns" },
                  { 999, "999 ns" },
                  { 1000, "1 µs" },
                  { 1001, "1.001 µs" },
                  { 1500, "1.5 µs" },
                  { 12340, "12.34 µs" },
                  { 12345, "12.35 µs" },
                  { 9999, "9.999 µs" },
                  { 99994, "99.99 µs" },
                  { 99995, "100 µs" },
                  { 123450, "123.5 µs" },
                  { 999900, "999.9 µs" },
                  { 999949, "999.9 µs" },
                  { 999950, "1 ms" },
                  { 999999, "1 ms" },
                  { 1000000, "1 ms" },
                  { 9999600, "10 ms" },
                  { 999900000, "999.9 ms" },
                  { 999999999, "1 s" },
                  { 1204000000, "1.204 s" },
                  { 59990000000, "59.99 s" },
                  { 59999999999, "60 s" },
                  { 60000000000, "1 min 0 s" },
                  { 123000000000, "2 min 3 s" },
                  { 3600000000000, "1 h 0 min" },
                  { 90061000000000, "25 h 1 min" },
                  { 172800000000000, "2 d 0 h" },
                  { UINT64_MAX, "213\u202f503 d 23 h" } };
    for (size_t i = 0; i < sizeof SPANS / sizeof SPANS[0]; i++)
        CHECK_SPAN(clock_ns(), SPANS[i].ns, SPANS[i].text);
}

TEST(spans_to_the_nanosecond)
{
    static const struct {
        uint64_t    ns;
        const char *text;
    } SPANS[] = { { 0, "0 s" },
                  { 999, "999 ns" },
                  { 12345, "12.345 µs" },
                  { 123450, "123.45 µs" },
                  { 999999, "999.999 µs" },
                  { 1000000, "1 ms" },
                  { 1234567, "1.234\u202f567 ms" },
                  { 100000001, "100.000\u202f001 ms" },
                  { 1204000000, "1.204 s" },
                  { 59999999999, "59.999\u202f999\u202f999 s" },
                  { 60000000000, "1 min 0 s" },
                  { 123000000001, "2 min 3.000\u202f000\u202f001 s" },
                  { 3600000000000, "1 h 0 min 0 s" },
                  { UINT64_MAX, "213\u202f503 d 23 h 34 min 33.709\u202f551\u202f615 s" } };
    Clock clock = clock_ns(), ps = clock_ticks(1, 1000),
          calls = { .kind = CLOCK_CALLS, .ns_num = 1, .ns_den = 1 };
    clock.shows_ns = ps.shows_ns = calls.shows_ns = true;
    for (size_t i = 0; i < sizeof SPANS / sizeof SPANS[0]; i++)
        CHECK_SPAN(clock, SPANS[i].ns, SPANS[i].text);
    CHECK_SPAN(ps, 1500, "1\u202f500 ps");
    CHECK_SPAN(ps, 12345678, "12.346 µs");
    CHECK_SPAN(calls, 1234567, "1\u202f234\u202f567 calls");
}

TEST(spans_of_other_clocks)
{
    Clock ps = clock_ticks(1, 1000), calls = { .kind = CLOCK_CALLS, .ns_num = 1, .ns_den = 1 };
    CHECK_SPAN(ps, 0, "0 s");
    CHECK_SPAN(ps, 1, "1 ps");
    CHECK_SPAN(ps, 1500, "1\u202f500 ps");
    CHECK_SPAN(ps, 12500, "13 ns");
    CHECK_SPAN(ps, 1500000, "1.5 µs");
    CHECK_SPAN(clock_ticks(1, 3), 1, "333 ps");
    CHECK_SPAN(clock_ticks(1000, 24), 1, "42 ns");
    CHECK_SPAN(clock_ticks(1000, 24), 24000, "1 ms");
    CHECK_SPAN(clock_ticks(UINT64_MAX, 1), UINT64_MAX, "213\u202f503 d 23 h");
    CHECK_SPAN(calls, 0, "0 calls");
    CHECK_SPAN(calls, 1, "1 call");
    CHECK_SPAN(calls, 1234567, "1\u202f234\u202f567 calls");
    Clock events = { .kind = CLOCK_EVENTS, .ns_num = 1, .ns_den = 1 };
    CHECK_SPAN(events, 1, "1 event");
    CHECK_SPAN(events, 12, "12 events");
    CHECK(clock_has_time(&ps) && !clock_has_time(&calls) && !clock_has_time(&events));
}

TEST_MAIN("clock", TEST_CASE(ratios_are_reduced), TEST_CASE(to_nanoseconds_exactly),
          TEST_CASE(from_nanoseconds_exactly), TEST_CASE(a_tick_comes_back),
          TEST_CASE(unsigned_ticks_stand_in_order), TEST_CASE(ticks_as_the_source_wrote_them),
          TEST_CASE(spans_for_people), TEST_CASE(spans_to_the_nanosecond), TEST_CASE(spans_of_other_clocks))
