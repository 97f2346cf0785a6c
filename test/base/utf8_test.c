#include "base/utf8.h"

#include "support/test.h"

#include <string.h>

static void check_repaired(const char *bytes, size_t size, const char *expected, size_t expected_count)
{
    Bytes out = { 0 };
    CHECK_UINT(utf8_append_repaired(&out, bytes, size), expected_count);
    bytes_append(&out, "", 1);
    CHECK_STRING((const char *)out.data, expected);
    bytes_release(&out);
}

#define CHECK_REPAIRED(bytes, expected, count) check_repaired((bytes), sizeof(bytes) - 1, (expected), (count))
#define FFFD "\xef\xbf\xbd"

TEST(utf8_repair_keeps_what_is_valid)
{
    CHECK_REPAIRED("", "", 0);
    CHECK_REPAIRED("plain ASCII, longer than eight bytes", "plain ASCII, longer than eight bytes", 0);
    CHECK_REPAIRED(
        "\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf",
        "\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf",
        0);
}

TEST(utf8_repair_replaces_maximal_parts)
{
    /* Unicode 15, tables 3-8 to 3-11 */
    CHECK_REPAIRED("\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41", FFFD FFFD FFFD FFFD FFFD FFFD FFFD FFFD "A", 8);
    CHECK_REPAIRED("\xed\xa0\x80\xed\xbf\xbf\xed\xaf\x41", FFFD FFFD FFFD FFFD FFFD FFFD FFFD FFFD "A", 8);
    CHECK_REPAIRED("\xf4\x91\x92\x93\xff\x41\x80\xbf\x42", FFFD FFFD FFFD FFFD FFFD "A" FFFD FFFD "B", 7);
    CHECK_REPAIRED("\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41", FFFD FFFD FFFD FFFD "A", 4);
}

TEST(utf8_repair_ends_with_the_bytes)
{
    CHECK_REPAIRED("a\xe2\x82", "a" FFFD, 1); /* a euro sign cut short */
    CHECK_REPAIRED("a\xf0\x9f\x98", "a" FFFD, 1);
    CHECK_REPAIRED("a\xc3", "a" FFFD, 1);
    CHECK_REPAIRED("12345678\x80", "12345678" FFFD, 1);
}

TEST(utf8_valid_prefix_stops_at_the_fault)
{
    char text[40];
    for (size_t fault = 0; fault < sizeof text; fault++) {
        memset(text, 'x', sizeof text);
        text[fault] = (char)0xff;
        CHECK_UINT(utf8_valid_prefix(text, sizeof text), fault);
        CHECK_UINT(utf8_valid_prefix(text, fault), fault);
    }
    CHECK_UINT(utf8_valid_prefix("\xc3\xa9\xc3", 3), 2);
}

TEST(utf8_every_code_point_comes_back)
{
    for (uint32_t code_point = 0; code_point < 0x110010; code_point++) {
        char     out[4];
        size_t   used, size = utf8_encode(code_point, out);
        bool     exists = code_point <= 0x10ffff && (code_point < 0xd800 || code_point > 0xdfff);
        uint32_t expected = exists ? code_point : 0xfffd;
        if (utf8_decode(out, size, &used) != expected || used != size ||
            utf8_valid_prefix(out, size) != size) {
            CHECK_UINT(utf8_decode(out, size, &used), expected);
            CHECK_UINT(used, size);
            CHECK_UINT(utf8_valid_prefix(out, size), size);
        }
        if (size > 1) CHECK(utf8_decode(out, size - 1, &used) == 0xfffd && used == size - 1);
    }
    char out[4];
    CHECK_UINT(utf8_encode(UINT32_MAX, out), 3);
}

/* A decoder written the slow way: collect bits, then reject by value. */
static bool valid_by_value(const uint8_t *p, size_t size, size_t *length)
{
    size_t   n = p[0] < 0x80             ? 1
                 : (p[0] & 0xe0) == 0xc0 ? 2
                 : (p[0] & 0xf0) == 0xe0 ? 3
                 : (p[0] & 0xf8) == 0xf0 ? 4
                                         : 0;
    uint32_t value = n == 1 ? p[0] : p[0] & (0x7fu >> n);
    if (n == 0 || n > size) return false;
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80) return false;
        value = value << 6 | (p[i] & 0x3fu);
    }
    static const uint32_t LEAST[] = { 0, 0, 0x80, 0x800, 0x10000 };
    *length = n;
    return value >= LEAST[n] && value <= 0x10ffff && (value < 0xd800 || value > 0xdfff);
}

TEST(utf8_agrees_with_a_slow_decoder)
{
    static const uint8_t LIKELY_BYTES[] = { 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf,
                                            0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed,
                                            0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff };
    TestRandom           random = { 7 };
    for (int round = 0; round < 200000; round++) {
        uint8_t bytes[12];
        size_t  size = test_random_size(&random, sizeof bytes) + 1;
        for (size_t i = 0; i < size; i++)
            bytes[i] = LIKELY_BYTES[test_random_below(&random, sizeof LIKELY_BYTES)];
        size_t at = 0, length;
        while (at < size && valid_by_value(bytes + at, size - at, &length))
            at += length;
        CHECK_UINT(utf8_valid_prefix(bytes, size), at);

        Bytes out = { 0 };
        utf8_append_repaired(&out, bytes, size);
        CHECK_UINT(utf8_valid_prefix(out.data, out.size), out.size);
        bytes_release(&out);
    }
}

TEST(utf8_cut_splits_no_code_point)
{
    static const char   TEXT[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z"; /* 1 2 3 4 1 bytes */
    static const size_t EXPECTED[] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11, 11 };
    for (size_t max = 0; max < sizeof EXPECTED / sizeof EXPECTED[0]; max++) {
        CHECK_UINT(utf8_cut(TEXT, sizeof TEXT - 1, max), EXPECTED[max]);
    }
    CHECK_UINT(utf8_cut("\x80\x80\x80\x80\x80\x80", 6, 4), 4); /* garbage is cut anywhere */
    CHECK_UINT(utf8_cut("\x80\x80", 2, 1), 1);
    CHECK_UINT(utf8_cut("", 0, 5), 0);
}

TEST(utf8_ascii_is_every_byte_below_128)
{
    enum { MOST = 40 };
    uint8_t bytes[MOST];
    for (size_t size = 0; size <= MOST; size++) {
        memset(bytes, 0x7f, sizeof bytes);
        CHECK(utf8_is_ascii(bytes, size));
        for (size_t at = 0; at < MOST; at++) {
            bytes[at] = 0x80;
            CHECK(utf8_is_ascii(bytes, size) == (at >= size));
            bytes[at] = 0x7f;
        }
    }
}

TEST_MAIN("base/utf8", TEST_CASE(utf8_repair_keeps_what_is_valid),
          TEST_CASE(utf8_repair_replaces_maximal_parts), TEST_CASE(utf8_repair_ends_with_the_bytes),
          TEST_CASE(utf8_valid_prefix_stops_at_the_fault), TEST_CASE(utf8_every_code_point_comes_back),
          TEST_CASE(utf8_agrees_with_a_slow_decoder), TEST_CASE(utf8_cut_splits_no_code_point),
          TEST_CASE(utf8_ascii_is_every_byte_below_128))
