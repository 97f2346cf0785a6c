#include "base/json_scan.h"

#include "support/test.h"

#include <stdlib.h>
#include <string.h>

/* -- containers: compared with a simple scanner -- */

static JsonScan slow_container(const uint8_t *at, const uint8_t *end, const uint8_t **stop)
{
    size_t depth = 0;
    bool   in_string = false, escaped = false, closed_quote = false;
    for (; at < end; at++) {
        uint8_t c = *at;
        if (closed_quote && c > ' ' && strchr(",:}]/", c) == NULL) {
            *stop = at;
            return JSON_SCAN_BROKEN;
        }
        closed_quote = false;
        if (escaped) {
            escaped = false;
            if (c == '"' || c == '\\') continue; /* outside of strings a backslash has no meaning */
        }
        if (c == '\\') {
            escaped = true;
        } else if (c == '"') {
            closed_quote = in_string;
            in_string = !in_string;
        } else if (!in_string && (c == '{' || c == '[')) {
            depth++;
        } else if (!in_string && (c == '}' || c == ']') && --depth == 0) {
            *stop = at + 1;
            return JSON_SCAN_DONE;
        }
    }
    return JSON_SCAN_MORE;
}

TEST(scan_container_agrees_with_the_slow_way)
{
    static const char ALPHABET[] = "{}[]\"\"\"\\\\,:/ ab1\n";
    TestRandom        random = { 7 };
    for (int round = 0; round < 200000; round++) {
        uint8_t bytes[300];
        size_t  size = 1 + (size_t)test_random_below(&random, sizeof bytes - 1);
        /* mostly plain text, so that block boundaries are crossed */
        uint64_t density = 1 + test_random_below(&random, 8);
        bytes[0] = '{';
        for (size_t i = 1; i < size; i++) {
            bool plain = test_random_below(&random, density) != 0;
            bytes[i] = plain ? 'x' : (uint8_t)ALPHABET[test_random_below(&random, sizeof ALPHABET - 1)];
        }
        uint8_t *copy = (uint8_t *)malloc(size); /* of the exact size, so that a read beyond it is found */
        CHECK(copy != NULL);
        memcpy(copy, bytes, size);
        const uint8_t *stop = copy, *slow_stop = copy, *stop_by_16 = copy;
        JsonScan       result = json_scan_container(copy, copy + size, &stop);
        JsonScan       slow = slow_container(copy, copy + size, &slow_stop);
        if (result != slow)
            fail_msg("%.*s: %d, not %d", (int)size, (const char *)bytes, (int)result, (int)slow);
        if (slow != JSON_SCAN_MORE) CHECK_INT(stop - copy, slow_stop - copy);
        CHECK_INT(json_scan_container_by_16(copy, copy + size, &stop_by_16), result);
        if (slow != JSON_SCAN_MORE) CHECK(stop_by_16 == stop);
        free(copy);
    }
}

TEST(scan_string_finds_its_end_wherever_it_lies)
{
    for (size_t size = 0; size < 70; size++) {
        uint8_t       *copy = (uint8_t *)malloc(size + 1);
        const uint8_t *stop;
        bool           escaped;
        CHECK(copy != NULL);
        memset(copy, 'x', size);
        copy[size] = '"';
        CHECK_INT(json_scan_string(copy, copy + size + 1, &stop, &escaped), JSON_SCAN_DONE);
        CHECK(stop == copy + size && !escaped);
        CHECK_INT(json_scan_string(copy, copy + size, &stop, &escaped), JSON_SCAN_MORE);
        if (size >= 2) {
            copy[size - 2] = '\\';
            copy[size - 1] = '"';
            CHECK_INT(json_scan_string(copy, copy + size + 1, &stop, &escaped), JSON_SCAN_DONE);
            CHECK(stop == copy + size && escaped);
            CHECK_INT(json_scan_string(copy, copy + size - 1, &stop, &escaped), JSON_SCAN_MORE);
        }
        free(copy);
    }
}

/* -- keys -- */

/* Scans the key at the begin of `text`. Returns the rest, from the value or the place of the error on. */
static const char *scan_key(const char *text, JsonScan expected)
{
    JsonValue      key;
    const uint8_t *at = (const uint8_t *)text, *stop = at;
    CHECK_INT(json_scan_key(at, at + strlen(text), &key, &stop), expected);
    if (expected == JSON_SCAN_DONE) CHECK(json_is(&key, JSON_STRING, "a"));
    return (const char *)stop;
}

TEST(scan_key_stops_at_the_value)
{
    static const char SPELLING[] = "\"a\" /* key */ : // value\n 1";
    CHECK_STRING(scan_key("\"a\":1", JSON_SCAN_DONE), "1");
    CHECK_STRING(scan_key(SPELLING, JSON_SCAN_DONE), "1");
    CHECK_STRING(scan_key("\"a\" 1", JSON_SCAN_BROKEN), "1");
    for (size_t size = 1; size < sizeof SPELLING - 1; size++) {
        char prefix[sizeof SPELLING];
        memcpy(prefix, SPELLING, size);
        prefix[size] = '\0';
        (void)scan_key(prefix, JSON_SCAN_MORE);
    }
}

TEST_MAIN("json_scan", TEST_CASE(scan_container_agrees_with_the_slow_way),
          TEST_CASE(scan_string_finds_its_end_wherever_it_lies), TEST_CASE(scan_key_stops_at_the_value))
