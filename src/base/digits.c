#include "base/digits.h"

#include "base/bits.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { GROUP = 3, DIGITS_MAX = 20 };
static const char SPACE[] = "\xE2\x80\xAF"; /* U+202F */

/* Writes `count` digits in groups; the first group has `first` digits, 1 to GROUP. Returns the number of bytes. */
static size_t put_groups(const char *digits, size_t count, size_t first, char *out)
{
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && (i + GROUP - first) % GROUP == 0) {
            memcpy(out + at, SPACE, sizeof SPACE - 1);
            at += sizeof SPACE - 1;
        }
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return at;
}

size_t digits_put_whole(uint64_t value, char out[DIGITS_TEXT])
{
    char   digits[DIGITS_MAX + 1];
    size_t count = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, value);
    return put_groups(digits, count, (count - 1) % GROUP + 1, out);
}

size_t digits_put_fraction(uint64_t value, unsigned count, char out[DIGITS_TEXT])
{
    char digits[DIGITS_MAX + 1];
    out[0] = '\0';
    if (count == 0) return 0;
    int length = snprintf(digits, sizeof digits, "%0*" PRIu64, (int)count, value);
    assert(count < DIGITS_MAX && length == (int)count);
    out[0] = '.';
    return 1 + put_groups(digits, (size_t)length, GROUP, out + 1);
}

size_t digits_put_real(double value, char out[DIGITS_TEXT])
{
    if (!isfinite(value))
        return (size_t)snprintf(out, DIGITS_TEXT, "%s",
                                isnan(value) ? "none"
                                : value > 0  ? "\xE2\x88\x9E"
                                             : "-\xE2\x88\x9E");
    char         digits[32];
    const bool   is_whole = value == floor(value) && fabs(value) < 1e15;
    const int    length = snprintf(digits, sizeof digits, is_whole ? "%.0f" : "%.9g", value);
    const size_t sign = digits[0] == '-' ? 1 : 0, count = strspn(digits + sign, "0123456789");
    size_t       at = 0;
    if (sign != 0) out[at++] = '-';
    at += put_groups(digits + sign, count, (count - 1) % GROUP + 1, out + at);
    memcpy(out + at, digits + sign + count, (size_t)length - sign - count + 1);
    return at + (size_t)length - sign - count;
}

bool text_to_u64(StringView text, uint64_t *value)
{
    uint64_t number = 0;
    if (text.size == 0) return false;
    for (size_t i = 0; i < text.size; i++) {
        if (text.bytes[i] < '0' || text.bytes[i] > '9') return false;
        uint64_t digit = (uint64_t)(text.bytes[i] - '0');
        if (number > (UINT64_MAX - digit) / 10) return false;
        number = number * 10 + digit;
    }
    *value = number;
    return true;
}

bool text_to_i64(StringView text, int64_t *value)
{
    bool negative = text.size > 0 && text.bytes[0] == '-';
    if (negative) text = (StringView){ text.bytes + 1, text.size - 1 };
    uint64_t magnitude;
    if (!text_to_u64(text, &magnitude)) return false;
    if (magnitude > (uint64_t)INT64_MAX + (negative ? 1 : 0)) return false;
    *value = negative ? (int64_t)-magnitude : (int64_t)magnitude;
    return true;
}

/* -- digits without groups -- */

static const uint64_t EIGHT_DIGITS = 100000000; /* 10^8 */

/* Returns the eight decimal digits of value < 10^8, a byte each, 0 to 9; the first digit is in the lowest byte. A division
 * by 100 or by 10 is done for all parts of the word at once, as a multiplication that is exact for numbers of this size. */
static uint64_t eight_digits(uint64_t value)
{
    const uint64_t fours = value / 10000 | value % 10000 << 32;
    const uint64_t hundreds = (fours * 10486 >> 20) & UINT64_C(0x0000007f0000007f);
    const uint64_t twos = hundreds + ((fours - hundreds * 100) << 16);
    const uint64_t tens = (twos * 103 >> 10) & UINT64_C(0x000f000f000f000f);
    return tens + ((twos - tens * 10) << 8);
}

static char *put_eight(char *out, uint64_t value)
{
    bits_store_u64(out, eight_digits(value) | UINT64_C(0x3030303030303030));
    return out + 8;
}

/* Writes the digits of value < 10^8, not 0, without zeros in front. */
static char *put_up_to_eight(char *out, uint64_t value)
{
    const uint64_t digits = eight_digits(value);
    const unsigned zeros = bits_lowest_u64(digits) / 8;
    bits_store_u64(out, (digits | UINT64_C(0x3030303030303030)) >> 8 * zeros);
    return out + 8 - zeros;
}

char *digits_put(char *out, uint64_t value)
{
    if (value < 10) {
        *out = (char)('0' + value);
        return out + 1;
    }
    if (value < EIGHT_DIGITS) return put_up_to_eight(out, value);
    const uint64_t high = value / EIGHT_DIGITS;
    if (high < EIGHT_DIGITS)
        out = put_up_to_eight(out, high);
    else
        out = put_eight(put_up_to_eight(out, high / EIGHT_DIGITS), high % EIGHT_DIGITS);
    return put_eight(out, value % EIGHT_DIGITS);
}
