#include "format/trace_event/common/number.h"

#include "support/test.h"

#include <string.h>

static NumberResult micros(const char *text, FineTime *time)
{
    return number_micros((const uint8_t *)text, strlen(text), time);
}

TEST(number_micros_is_exact)
{
    static const struct {
        const char  *text;
        NumberResult result;
        int64_t      ns;
        int32_t      ps;
    } CASES[] = {
        { "0", NUMBER_OK, 0, 0 },
        { "-0", NUMBER_OK, 0, 0 },
        { "-0.000", NUMBER_OK, 0, 0 },
        { "10", NUMBER_OK, 10000, 0 },
        { "-10", NUMBER_OK, -10000, 0 },
        { "1.5", NUMBER_OK, 1500, 0 },
        { "0.001", NUMBER_OK, 1, 0 },
        { "0.0001", NUMBER_OK, 0, 100 },
        { "-0.0001", NUMBER_OK, -1, 900 },
        { "1700000000000000.123456", NUMBER_OK, 1700000000000000123, 456 },
        { "1700000000000000.1234565", NUMBER_OK, 1700000000000000123, 457 },
        { "1700000000000000.12345649999", NUMBER_OK, 1700000000000000123, 456 },
        { "0.0009999999", NUMBER_OK, 1, 0 }, /* rounds up into the next ns */
        { "4302.598999999929", NUMBER_OK, 4302599, 0 },
        { "-4302.598999999929", NUMBER_OK, -4302599, 0 },
        { "1e1", NUMBER_OK, 10000, 0 },
        { "2000E-2", NUMBER_OK, 20000, 0 },
        { "0.5e+1", NUMBER_OK, 5000, 0 },
        { "1.7e15", NUMBER_OK, 1700000000000000000, 0 },
        { "123456e-9", NUMBER_OK, 0, 123 },
        { "5e-7", NUMBER_OK, 0, 1 }, /* half a picosecond goes up */
        { "4e-7", NUMBER_OK, 0, 0 },
        { "1e-400", NUMBER_OK, 0, 0 },
        { "1e-99999999999999999999", NUMBER_OK, 0, 0 },
        { "0e99999999999999999999", NUMBER_OK, 0, 0 },
        { "9223372036854775.806", NUMBER_OK, INT64_MAX - 1, 0 },
        { "9223372036854775.807", NUMBER_OUT_OF_RANGE, 0, 0 },
        { "-9223372036854775.806", NUMBER_OK, -(INT64_MAX - 1), 0 },
        { "1e400", NUMBER_OUT_OF_RANGE, 0, 0 },
        { "-1e400", NUMBER_OUT_OF_RANGE, 0, 0 },
        { "1e99999999999999999999", NUMBER_OUT_OF_RANGE, 0, 0 },
        { "123456789012345678901234567890", NUMBER_OUT_OF_RANGE, 0, 0 },
        { "0.000000000000000000000000000001e30", NUMBER_OK, 1000, 0 },
        { "007", NUMBER_ODD, 7000, 0 },
        { "+1", NUMBER_ODD, 1000, 0 },
        { "1.", NUMBER_ODD, 1000, 0 },
        { ".5", NUMBER_ODD, 500, 0 },
        { "-.5", NUMBER_ODD, -500, 0 },
        { "", NUMBER_INVALID, 0, 0 },
        { "-", NUMBER_INVALID, 0, 0 },
        { ".", NUMBER_INVALID, 0, 0 },
        { "e5", NUMBER_INVALID, 0, 0 },
        { "1e", NUMBER_INVALID, 0, 0 },
        { "1e+", NUMBER_INVALID, 0, 0 },
        { "1.2.3", NUMBER_INVALID, 0, 0 },
        { "0x10", NUMBER_INVALID, 0, 0 },
        { "12us", NUMBER_INVALID, 0, 0 },
        { "--1", NUMBER_INVALID, 0, 0 },
        { "Infinity", NUMBER_INVALID, 0, 0 },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        FineTime     time;
        NumberResult result = micros(CASES[i].text, &time);
        if (result != CASES[i].result || time.ns != CASES[i].ns || time.ps != CASES[i].ps)
            fail_msg("%s: result %d, %lld ns %d ps", CASES[i].text, (int)result, (long long)time.ns,
                     (int)time.ps);
    }
}

TEST(fine_time_adds_and_rounds)
{
    FineTime sum;
    CHECK(fine_time_add((FineTime){ 1, 999 }, (FineTime){ 2, 1 }, &sum));
    CHECK(sum.ns == 4 && sum.ps == 0);
    CHECK(fine_time_add((FineTime){ -1, 900 }, (FineTime){ 0, 100 }, &sum));
    CHECK(sum.ns == 0 && sum.ps == 0);
    CHECK(!fine_time_add((FineTime){ INT64_MAX - 1, 0 }, (FineTime){ 1, 0 }, &sum));
    CHECK(!fine_time_add((FineTime){ INT64_MIN, 0 }, (FineTime){ -1, 0 }, &sum));
    CHECK_INT(fine_time_round((FineTime){ 5, 499 }), 5);
    CHECK_INT(fine_time_round((FineTime){ 5, 500 }), 6);
    CHECK_INT(fine_time_round((FineTime){ -6, 500 }), -6); /* -5.5: away from zero */
    CHECK_INT(fine_time_round((FineTime){ -6, 501 }), -5);
    CHECK_INT(fine_time_round((FineTime){ INT64_MAX, 999 }), INT64_MAX);
}

TEST(number_integer_keeps_64_bits)
{
    static const struct {
        const char  *text;
        NumberResult result;
        bool         negative;
        uint64_t     magnitude;
    } CASES[] = {
        { "0", NUMBER_OK, false, 0 },
        { "-0", NUMBER_OK, false, 0 },
        { "2.0", NUMBER_OK, false, 2 },
        { "1e3", NUMBER_OK, false, 1000 },
        { "1.5e1", NUMBER_OK, false, 15 },
        { "100e-2", NUMBER_OK, false, 1 },
        { "-7", NUMBER_OK, true, 7 },
        { "18446744073709551615", NUMBER_OK, false, UINT64_MAX },
        { "18446744073709551616", NUMBER_OUT_OF_RANGE, false, 0 },
        { "1e30", NUMBER_OUT_OF_RANGE, false, 0 },
        { "1.5", NUMBER_INVALID, false, 0 },
        { "1e-1", NUMBER_INVALID, false, 0 },
        { "x", NUMBER_INVALID, false, 0 },
        { "007", NUMBER_ODD, false, 7 },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        bool         negative;
        uint64_t     magnitude;
        NumberResult result =
            number_integer((const uint8_t *)CASES[i].text, strlen(CASES[i].text), &negative, &magnitude);
        bool same =
            result == CASES[i].result &&
            (result > NUMBER_ODD || (negative == CASES[i].negative && magnitude == CASES[i].magnitude));
        if (!same) fail_msg("%s: result %d, %llu", CASES[i].text, (int)result, (unsigned long long)magnitude);
    }
}

TEST(number_append_json_keeps_what_is_valid)
{
    static const struct {
        const char *text, *json;
    } CASES[] = {
        { "0.10", "0.10" },
        { "1e-07", "1e-07" },
        { "123456789012345678901234567890", "123456789012345678901234567890" },
        { "-0", "-0" },
        { "1.", "1" },
        { ".5", "0.5" },
        { "-.5e3", "-0.5e3" },
        { "+1", "1" },
        { "007", "7" },
        { "00", "0" },
        { "00.50", "0.50" },
        { "-", NULL },
        { "0x1", NULL },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Bytes out = { 0 };
        bool  done = number_append_json((const uint8_t *)CASES[i].text, strlen(CASES[i].text), &out);
        bytes_append(&out, "", 1);
        CHECK(!out.failed);
        CHECK_STRING(done ? (const char *)out.data : NULL, CASES[i].json);
        bytes_release(&out);
    }
}

TEST_MAIN("trace_event_number", TEST_CASE(number_micros_is_exact), TEST_CASE(fine_time_adds_and_rounds),
          TEST_CASE(number_integer_keeps_64_bits), TEST_CASE(number_append_json_keeps_what_is_valid))
